/* Edges without the lens, chained over nearest frames first (lens_drift.h). */
#include "lens_drift.h"

#include <math.h>

#include "base/memory.h"
#include "adjacency.h"
#include "numbers.h"

/* Sample points along a side of the frame. */
#define GRID 9
/* Least side of the sampled area, as a share of the frame's, where two frames share less. */
#define LEAST 0.25

lens_drift lens_drift_of(double lambda, mosaic_size size, double spread) {
    return (lens_drift){
        .lambda = lambda,
        .middle_x = (size.width - 1) / 2.0,
        .middle_y = (size.height - 1) / 2.0,
        .unit = (size.width > size.height ? size.width : size.height) / 2.0,
        .reach = spread * sqrt(1.5),
    };
}

/* --------------------------------------------------------------------- one edge */

/* A point relative to the centre of a frame, px. */
typedef struct drift_point {
    double x;
    double y;
} drift_point;

/* Sums over sample points: their positions in the other frame (y), and the displacements by the lens there (e). */
typedef struct drift_sums {
    int n;
    double y[2];
    double e[2];
    double yy[2][2];
    double ey[2][2];
} drift_sums;

static void add(drift_sums *s, drift_point at, drift_point off) {
    const double position[2] = {at.x, at.y};
    const double error[2] = {off.x, off.y};
    s->n++;
    for (int i = 0; i < 2; i++) {
        s->y[i] += position[i];
        s->e[i] += error[i];
        for (int j = 0; j < 2; j++) {
            s->yy[i][j] += position[i] * position[j];
            s->ey[i][j] += error[i] * position[j];
        }
    }
}

/* Subtracts the means from the sums of products. */
static void centre(drift_sums *s) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            s->yy[i][j] -= s->y[i] * s->y[j] / s->n;
            s->ey[i][j] -= s->e[i] * s->y[j] / s->n;
        }
}

static drift_point moved(const lens_drift *lens, const endo_transform *step, double x, double y) {
    double px = lens->middle_x + x;
    double py = lens->middle_y + y;
    return (drift_point){.x = pose_x(step, px, py) - lens->middle_x, .y = pose_y(step, px, py) - lens->middle_y};
}

static double square(const lens_drift *lens, double x, double y) {
    return (x * x + y * y) / (lens->unit * lens->unit);
}

/* Displacement, per unit of lambda, of the point that a step takes from (x, y) to `there`, as both frames are distorted. */
static drift_point off_at(const lens_drift *lens, const endo_transform *step, double x, double y, drift_point there) {
    double grown = 1 + square(lens, x, y);
    drift_point from = moved(lens, step, grown * x, grown * y);
    double to = 1 + square(lens, there.x, there.y);
    return (drift_point){.x = to * there.x - from.x, .y = to * there.y - from.y};
}

/* Scale of the way back along (x, y), from the centre to both sides. */
static double shrinks(const lens_drift *lens, const endo_transform *back, double x, double y) {
    drift_point one = moved(lens, back, x, y);
    drift_point other = moved(lens, back, -x, -y);
    return length_of(one.x - other.x, one.y - other.y) / (2 * lens->reach);
}

/* Coordinate of sample i along a side, within both frames, or within LEAST of the side where they share less. */
static double within(const lens_drift *lens, double middle, double shrunk, int i) {
    double from = greater_of(-lens->reach, middle - shrunk * lens->reach);
    double to = lesser_of(lens->reach, middle + shrunk * lens->reach);
    double half = greater_of(LEAST * lens->reach, (to - from) / 2);
    return (from + to) / 2 + half * ((2.0 * i + 1) / GRID - 1);
}

/* Sums over what both frames show; about its centre a shift alone causes no growth. */
static drift_sums sums_of(const lens_drift *lens, const endo_transform *step) {
    endo_transform back = pose_inverse(step);
    drift_point middle = moved(lens, &back, 0, 0);
    double across = shrinks(lens, &back, lens->reach, 0);
    double down = shrinks(lens, &back, 0, lens->reach);
    drift_sums sums = {.n = 0};
    for (int i = 0; i < GRID * GRID; i++) {
        double x = within(lens, middle.x, across, i % GRID);
        double y = within(lens, middle.y, down, i / GRID);
        drift_point there = moved(lens, step, x, y);
        add(&sums, there, off_at(lens, step, x, y, there));
    }
    centre(&sums);
    return sums;
}

static void affine_of(const drift_sums *s, double linear[4]) {
    double d = s->yy[0][0] * s->yy[1][1] - s->yy[0][1] * s->yy[1][0];
    for (int i = 0; i < 2; i++) {
        linear[2 * i] = (s->ey[i][0] * s->yy[1][1] - s->ey[i][1] * s->yy[0][1]) / d;
        linear[2 * i + 1] = (s->ey[i][1] * s->yy[0][0] - s->ey[i][0] * s->yy[0][1]) / d;
    }
}

/* The displacement that a class takes for motion: its linear part, row by row. A lens causes no rotation. */
static void linear_of(const drift_sums *s, int64_t kind, double linear[4]) {
    for (int i = 0; i < 4; i++) linear[i] = 0;
    if (kind > ENDO_TRANSFORM_SIMILARITY) {
        affine_of(s, linear);
    } else if (kind == ENDO_TRANSFORM_SIMILARITY) {
        linear[0] = (s->ey[0][0] + s->ey[1][1]) / (s->yy[0][0] + s->yy[1][1]);
        linear[3] = linear[0];
    }
}

endo_transform lens_drift_straight(const lens_drift *lens, const endo_transform *step, int64_t kind) {
    double linear[4];
    drift_sums sums = sums_of(lens, step);
    linear_of(&sums, kind, linear);
    const double y[2] = {sums.y[0] / sums.n, sums.y[1] / sums.n};
    double lambda = lens->lambda;
    endo_transform undone = {
        .kind = ENDO_TRANSFORM_AFFINE,
        .matrix = {1 - lambda * linear[0], -lambda * linear[1], 0, -lambda * linear[2], 1 - lambda * linear[3], 0, 0, 0, 1},
    };
    double *m = undone.matrix;
    for (int i = 0; i < 2; i++) {
        double middle = i == 0 ? lens->middle_x : lens->middle_y;
        double mean = sums.e[i] / sums.n - linear[2 * i] * y[0] - linear[2 * i + 1] * y[1];
        m[3 * i + 2] = middle - lambda * mean - m[3 * i] * lens->middle_x - m[3 * i + 1] * lens->middle_y;
    }
    return pose_times(&undone, step);
}

/* -------------------------------------------------------------------- all edges */

typedef struct drift_walk {
    const lens_drift *lens;
    const mosaic_edges *edges;
    const endo_transform *pose;
    adjacency of_frames;
    endo_transform *straight; /* poses without the lens */
    uint8_t *reached;         /* one a frame: its pose is known */
    edge_queue queue;
} drift_walk;

static double at(const lens_drift *lens, int i) {
    return within(lens, 0, 1, i);
}

static double distance(const lens_drift *lens, const endo_transform *a, const endo_transform *b) {
    double sum = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        double x = at(lens, i % GRID);
        double y = at(lens, i / GRID);
        drift_point p = moved(lens, a, x, y);
        drift_point q = moved(lens, b, x, y);
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
    }
    return sqrt(sum / (GRID * GRID));
}

static void reach(drift_walk *w, int frame, const endo_transform *straight) {
    w->straight[frame] = *straight;
    w->reached[frame] = 1;
}

static endo_status add_ways(drift_walk *w, int from) {
    for (int k = w->of_frames.first[from]; k < w->of_frames.first[from + 1]; k++) {
        int edge = w->of_frames.items[k];
        int to = edge_other(&w->edges->items[edge], from);
        if (w->reached[to]) continue;
        double cost = distance(w->lens, &w->pose[from], &w->pose[to]);
        ENDO_TRY(edge_queue_add(&w->queue, &(queued_edge){.cost = cost, .edge = edge, .from = from}));
    }
    return ENDO_OK;
}

static endo_transform step_without_lens(const drift_walk *w, const endo_mosaic_edge *edge, int to) {
    endo_transform step = pose_between(&w->pose[edge->reference], &w->pose[edge->current]);
    endo_transform straight = lens_drift_straight(w->lens, &step, edge->transform.kind);
    return to == edge->current ? straight : pose_inverse(&straight);
}

/* Computes poses of all frames that edges connect to the root, nearest frames first. */
static endo_status spread_from(drift_walk *w, int root) {
    ENDO_TRY(add_ways(w, root));
    while (w->queue.n > 0) {
        queued_edge way = edge_queue_take(&w->queue);
        const endo_mosaic_edge *edge = &w->edges->items[way.edge];
        int to = edge_other(edge, way.from);
        if (w->reached[to]) continue;
        endo_transform step = step_without_lens(w, edge, to);
        endo_transform straight = pose_times(&w->straight[way.from], &step);
        reach(w, to, &straight);
        ENDO_TRY(add_ways(w, to));
    }
    return ENDO_OK;
}

static endo_status spread_over(drift_walk *w, const int *component, int n) {
    for (int i = 0; i < n; i++) {
        if (component[i] <= 0 || w->reached[i]) continue;
        reach(w, i, &w->pose[i]);
        ENDO_TRY(spread_from(w, i));
    }
    return ENDO_OK;
}

endo_status lens_drift_distances(const lens_drift *lens, const mosaic_edges *edges, const endo_transform *pose,
                                 const int *component, int n, double *off) {
    drift_walk w = {
        .lens = lens,
        .edges = edges,
        .pose = pose,
        .straight = endo_alloc((size_t)n, sizeof *w.straight),
        .reached = endo_alloc_zeroed((size_t)n, sizeof *w.reached),
    };
    endo_status status = w.straight && w.reached ? adjacency_of(edges, n, &w.of_frames)
                                                 : endo_fail(ENDO_ERR_MEMORY, "no memory for the poses of %d frames", n);
    if (status == ENDO_OK) status = spread_over(&w, component, n);
    for (int i = 0; status == ENDO_OK && i < n; i++)
        off[i] = w.reached[i] ? distance(lens, &pose[i], &w.straight[i]) : 0;
    endo_free(w.straight);
    endo_free(w.reached);
    adjacency_free(&w.of_frames);
    edge_queue_free(&w.queue);
    return status;
}
