#include "graph_scene.h"

#include "base/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places of a scene can always be multiplied and inverted. */
static void must(int done) {
    if (!done) abort();
}

void graph_scene_disturb(const graph_frame *f, double deviation, test_random *r, double pose[9]) {
    double step[GRAPH_MOST] = {0};
    for (int k = 0; k < f->numbers; k++) step[k] = deviation * test_normal(r);
    graph_move(f, step, pose);
}

endo_transform graph_scene_pose(const graph_frame *f, const double matrix[9]) {
    endo_transform pose = {.kind = f->kind};
    memcpy(pose.matrix, matrix, sizeof pose.matrix);
    return pose;
}

/* Root mean square distance between where two poses take the points of a frame, px, both axes. */
static double apart(const graph_frame *f, const double a[9], const double b[9]) {
    endo_transform both[2] = {graph_scene_pose(f, a), graph_scene_pose(f, b)};
    double sum = 0;
    for (int k = 0; k < f->n_points; k++) {
        double p[2], q[2];
        must(endo_transform_point(&both[0], f->points[k][0], f->points[k][1], &p[0], &p[1]));
        must(endo_transform_point(&both[1], f->points[k][0], f->points[k][1], &q[0], &q[1]));
        sum += f->shares[k] * ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]));
    }
    return sqrt(sum / 2);
}

graph_scene graph_scene_make(int n, int most_pairs, endo_transform_class kind) {
    graph_scene g = {.n = n, .frame = graph_frame_of(GRAPH_SCENE_WIDTH, GRAPH_SCENE_HEIGHT, kind)};
    g.truth = calloc((size_t)n, sizeof *g.truth);
    g.pairs = calloc((size_t)most_pairs, sizeof *g.pairs);
    g.poses = calloc((size_t)n, sizeof *g.poses);
    g.deviations = calloc((size_t)n, sizeof *g.deviations);
    g.weights = calloc((size_t)most_pairs, sizeof *g.weights);
    return g;
}

void graph_scene_free(graph_scene *g) {
    free(g->truth);
    free(g->pairs);
    free(g->poses);
    free(g->deviations);
    free(g->weights);
}

void graph_scene_path(graph_scene *g, int rounds, double size) {
    for (int i = 0; i < g->n; i++) {
        double t = 2 * acos(-1.0) * rounds * i / g->n;
        double turn = g->frame.kind < ENDO_TRANSFORM_RIGID ? 0 : 0.2 * sin(t);
        double scale = g->frame.kind < ENDO_TRANSFORM_SIMILARITY ? 1 : 1 + 0.1 * sin(2 * t);
        double *p = g->truth[i];
        p[0] = p[4] = scale * cos(turn);
        p[1] = -scale * sin(turn);
        p[3] = -p[1];
        p[2] = size * sin(t);
        p[5] = size * sin(2 * t) / 2;
        p[8] = 1;
        if (g->frame.kind < ENDO_TRANSFORM_HOMOGRAPHY) continue;
        const double slant[GRAPH_MOST] = {0, 0, 0, 0, 0, 0, 20 * sin(t + 1), 15 * cos(2 * t)};
        graph_move(&g->frame, slant, p);
    }
}

/* Numbers whose errors leave this deviation, px, root mean square over the frame and both axes, and are what a fit to as
 * many independent pixels leaves: their covariance is the inverse of the sum over the frame of motions squared. */
static void errors_of_fit(const graph_frame *f, double deviation, test_random *r, double step[GRAPH_MOST]) {
    double lower[GRAPH_MOST][GRAPH_MOST] = {{0}};
    int n = f->numbers;
    for (int k = 0; k < f->n_points; k++) {
        double rows[2 * GRAPH_MOST];
        graph_motion(f, f->points[k], rows);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                lower[i][j] += f->shares[k] * (rows[i] * rows[j] + rows[n + i] * rows[n + j]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) lower[i][j] -= lower[i][k] * lower[j][k];
            lower[i][j] = i == j ? sqrt(lower[i][i]) : lower[i][j] / lower[j][j];
        }
    for (int i = n - 1; i >= 0; i--) {
        step[i] = deviation * sqrt(2.0 / n) * test_normal(r);
        for (int k = i + 1; k < n; k++) step[i] -= lower[k][i] * step[k];
        step[i] /= lower[i][i];
    }
}

/* Adds errors of this deviation to each number of a transform; returns what they amount to, root mean square over the frame
 * and both axes: a shift moves one axis, turn and scale both, and of the four others of an affine map two together as much
 * as a turn. The numbers of a homography depend on each other: its errors are those of a fit. */
static double disturb(const graph_frame *f, double deviation, test_random *r, double matrix[9]) {
    if (f->kind < ENDO_TRANSFORM_HOMOGRAPHY) {
        graph_scene_disturb(f, deviation, r, matrix);
        return deviation * sqrt((f->kind == ENDO_TRANSFORM_AFFINE ? 4 : f->numbers) / 2.0);
    }
    double step[GRAPH_MOST];
    errors_of_fit(f, deviation, r, step);
    graph_move(f, step, matrix);
    return deviation;
}

void graph_scene_connect(graph_scene *g, int reference, int current, double deviation, test_random *r) {
    endo_transform a = graph_scene_pose(&g->frame, g->truth[reference]);
    endo_transform b = graph_scene_pose(&g->frame, g->truth[current]), back, t;
    must(endo_transform_inverse(&a, &back) && endo_transform_product(&b, &back, &t));
    double own = disturb(&g->frame, deviation, r, t.matrix);
    t.kind = g->frame.kind;
    g->pairs[g->n_pairs++] = (endo_graph_pair){reference, current, t, own};
}

void graph_scene_chain(graph_scene *g) {
    g->poses[0] = graph_scene_pose(&g->frame, g->truth[0]);
    for (int i = 0; i < g->n_pairs; i++) {
        const endo_graph_pair *p = &g->pairs[i];
        if (p->current == p->reference + 1)
            must(endo_transform_product(&p->transform, &g->poses[p->reference], &g->poses[p->current]));
    }
}

double graph_scene_error(const graph_scene *g, double *normalised) {
    double sum = 0, own = 0;
    for (int i = 1; i < g->n; i++) {
        double e = apart(&g->frame, g->poses[i].matrix, g->truth[i]);
        sum += e * e;
        own += e * e / (g->deviations[i] * g->deviations[i]);
    }
    if (normalised) *normalised = sqrt(own / (g->n - 1));
    return sqrt(sum / (g->n - 1));
}

double graph_scene_error_of(const graph_scene *g, int frame) {
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    endo_transform truth = graph_scene_pose(&g->frame, g->truth[frame]), back, error;
    must(endo_transform_inverse(&truth, &back) && endo_transform_product(&g->poses[frame], &back, &error));
    return apart(&g->frame, error.matrix, still);
}
