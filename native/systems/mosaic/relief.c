/* Displacements of all frames by robust least squares (relief.h). A place that frames i and j show at p and q asks for
 *     d_i(p) - d_j(q) = P_j(q) - P_i(p),
 * with P the poses and d the displacements, px of the first frame, bilinear between the nodes of a frame's grid. They are drawn
 * to 0 and to those of the nodes beside them, so that they die away where one frame alone sees, and the mean over the frames
 * that see a place stays near 0. The normal equations, too many to be written down, are solved by conjugate gradients in double
 * precision, in one order; both axes have the same equations. */
#include "relief.h"

#include "base/memory.h"
#include "edges.h"
#include "numbers.h"

#include <math.h>
#include <string.h>

/* What draws nodes to 0, and to those beside them, as shares of the mean weight of the places around a node. */
#define TO_ZERO 0.02
#define TO_OTHERS 0.05
/* Rounds of Tukey's weights, which reach so many medians, and px at least, in the last one and twice as far in each before, so
 * that what lies far apart but agrees is taken in; and
 * steps of conjugate gradients in the first round and in the others, which begin where it ended. */
#define ROUNDS 3
#define MEDIANS 4.5
#define LEAST_REACH 0.75
#define STEPS 40
#define LATER_STEPS 15
/* One pair in so many is held out at first. */
#define HELD_OUT 5
/* What it takes that frames are displaced: pairs that were held out, the share of them that agree better, and how far places of
 * these are apart, which four of five do not exceed: the ratio with and without displacements, and px without. */
#define LEAST_PAIRS 3
#define LEAST_NEARER 0.75
#define MOST_LEFT 0.85
#define LEAST_APART 0.3

endo_status relief_is_seen(const relief_points *points, int *is_seen) {
    size_t n = (size_t)points->n;
    double *apart = endo_alloc(n + 1, sizeof *apart);
    if (!apart) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu places", n);
    for (size_t i = 0; i < n; i++) apart[i] = length_of(points->items[i].apart[0], points->items[i].apart[1]);
    *is_seen = n > 0 && number_at_rank(apart, n, n * 4 / 5) >= LEAST_APART;
    endo_free(apart);
    return ENDO_OK;
}

endo_status relief_points_add(relief_points *points, const relief_point *point) {
    ENDO_TRY(ARRAY_RESERVE(points->items, points->capacity, points->n + 1));
    points->items[points->n++] = *point;
    return ENDO_OK;
}

void relief_points_free(relief_points *points) {
    endo_free(points->items);
    *points = (relief_points){.n = 0};
}

/* ---------------------------------------------------------------------- equations */

/* Two numbers of a node, x and y. */
typedef struct node {
    double x, y;
} node;

/* The four nodes around a point of a frame, and their shares. */
typedef struct corners {
    int32_t at[4];
    double share[4];
} corners;

typedef struct equations {
    const relief_points *points;
    corners *corners; /* two a point */
    const frame_displacements *displacements;
    size_t nodes;    /* of a frame */
    size_t unknowns; /* of all frames */
    double zero, others; /* what draws to 0, and to others */
    double *weights; /* of the points; 0: held out, or contradicted by the others */
    double *left;    /* workspace, a number a point */
    double *sorted;  /* the same */
    node *moves, *right, *rest, *way, *image; /* vectors of unknowns */
} equations;

static corners corners_at(const equations *e, int frame, double at_x, double at_y) {
    const frame_displacements *b = e->displacements;
    double x = fmin(fmax(at_x / frame_displacements_across(b), 0), b->columns - 1.000001);
    double y = fmin(fmax(at_y / frame_displacements_down(b), 0), b->rows - 1.000001);
    int column = (int)x;
    int row = (int)y;
    double u = x - column;
    double v = y - row;
    int32_t first = frame * (int32_t)e->nodes + row * b->columns + column;
    int32_t below = first + b->columns;
    return (corners){.at = {first, first + 1, below, below + 1}, .share = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
}

static void add_share(node *sum, const node *of, const corners *c, double sign) {
    for (int i = 0; i < 4; i++) {
        sum->x += sign * c->share[i] * of[c->at[i]].x;
        sum->y += sign * c->share[i] * of[c->at[i]].y;
    }
}

/* How much nearer displacements bring the two places of a point. */
static node brought(const equations *e, int point, const node *moves) {
    node sum = {0, 0};
    add_share(&sum, moves, &e->corners[2 * point], 1);
    add_share(&sum, moves, &e->corners[2 * point + 1], -1);
    return sum;
}

static void spread(node *out, const corners *c, double sign, node by) {
    for (int i = 0; i < 4; i++) {
        out[c->at[i]].x += sign * c->share[i] * by.x;
        out[c->at[i]].y += sign * c->share[i] * by.y;
    }
}

static void spread_point(const equations *e, int point, node by, node *out) {
    by = (node){e->weights[point] * by.x, e->weights[point] * by.y};
    spread(out, &e->corners[2 * point], 1, by);
    spread(out, &e->corners[2 * point + 1], -1, by);
}

/* Adds the prior's part of two nodes beside each other. */
static void draw_together(const equations *e, const node *in, size_t a, size_t b, node *out) {
    node by = {e->others * (in[a].x - in[b].x), e->others * (in[a].y - in[b].y)};
    out[a].x += by.x;
    out[a].y += by.y;
    out[b].x -= by.x;
    out[b].y -= by.y;
}

static void add_prior(const equations *e, const node *in, node *out) {
    size_t columns = (size_t)e->displacements->columns;
    for (size_t i = 0; i < e->unknowns; i++) {
        size_t within = i % e->nodes;
        out[i].x += e->zero * in[i].x;
        out[i].y += e->zero * in[i].y;
        if (within % columns + 1 < columns) draw_together(e, in, i, i + 1, out);
        if (within + columns < e->nodes) draw_together(e, in, i, i + columns, out);
    }
}

/* The normal equations' left side. */
static void multiply(const equations *e, const node *in, node *out) {
    memset(out, 0, e->unknowns * sizeof *out);
    for (int i = 0; i < e->points->n; i++)
        if (e->weights[i] > 0) spread_point(e, i, brought(e, i, in), out);
    add_prior(e, in, out);
}

static void take_right(const equations *e) {
    memset(e->right, 0, e->unknowns * sizeof *e->right);
    for (int i = 0; i < e->points->n; i++) {
        const relief_point *p = &e->points->items[i];
        if (e->weights[i] > 0) spread_point(e, i, (node){p->apart[0], p->apart[1]}, e->right);
    }
}

/* The strength of the prior, from the mean weight about a node that frames with places have. */
static void take_prior(equations *e) {
    double sum = 0;
    size_t frames = 0;
    memset(e->image, 0, e->unknowns * sizeof *e->image);
    for (int i = 0; i < 2 * e->points->n; i++) {
        const corners *c = &e->corners[i];
        for (int j = 0; j < 4; j++) e->image[c->at[j]].x += e->weights[i / 2] * c->share[j] * c->share[j];
    }
    for (size_t f = 0; f < e->unknowns / e->nodes; f++) {
        double of_frame = 0;
        for (size_t i = 0; i < e->nodes; i++) of_frame += e->image[f * e->nodes + i].x;
        frames += of_frame > 0;
        sum += of_frame;
    }
    double mean = frames ? sum / (double)(frames * e->nodes) : 0;
    e->zero = greater_of(TO_ZERO * mean, 1e-9);
    e->others = TO_OTHERS * mean;
}

/* --------------------------------------------------------------------- solving */

static node product(const equations *e, const node *a, const node *b) {
    node sum = {0, 0};
    for (size_t i = 0; i < e->unknowns; i++) {
        sum.x += a[i].x * b[i].x;
        sum.y += a[i].y * b[i].y;
    }
    return sum;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

/* to += by * from */
static void add_to(const equations *e, node *to, node by, const node *from) {
    for (size_t i = 0; i < e->unknowns; i++) {
        to[i].x += by.x * from[i].x;
        to[i].y += by.y * from[i].y;
    }
}

/* Conjugate gradients from the present displacements on. */
static void descend(const equations *e, int steps) {
    multiply(e, e->moves, e->image);
    for (size_t i = 0; i < e->unknowns; i++) e->rest[i] = (node){e->right[i].x - e->image[i].x, e->right[i].y - e->image[i].y};
    memcpy(e->way, e->rest, e->unknowns * sizeof *e->way);
    node square = product(e, e->rest, e->rest);
    for (int step = 0; step < steps; step++) {
        multiply(e, e->way, e->image);
        node along = product(e, e->way, e->image);
        node by = {over(square.x, along.x), over(square.y, along.y)};
        add_to(e, e->moves, by, e->way);
        add_to(e, e->rest, (node){-by.x, -by.y}, e->image);
        node next = product(e, e->rest, e->rest);
        node turn = {over(next.x, square.x), over(next.y, square.y)};
        for (size_t i = 0; i < e->unknowns; i++)
            e->way[i] = (node){e->rest[i].x + turn.x * e->way[i].x, e->rest[i].y + turn.y * e->way[i].y};
        square = next;
    }
}

/* How far the two places of a point are apart in spite of displacements, px. */
static double left_of(const equations *e, int point, const node *moves) {
    const relief_point *p = &e->points->items[point];
    node by = brought(e, point, moves);
    return length_of(p->apart[0] - by.x, p->apart[1] - by.y);
}

static int is_held_out(const relief_point *p) { return p->pair % HELD_OUT == HELD_OUT - 1; }

/* all: pairs that are held out otherwise, too; wider: by how much the weights reach further. */
static void weigh(const equations *e, int all, double wider) {
    size_t n = 0;
    for (int i = 0; i < e->points->n; i++) {
        e->weights[i] = all || !is_held_out(&e->points->items[i]);
        e->left[i] = left_of(e, i, e->moves);
        if (e->weights[i] > 0) e->sorted[n++] = e->left[i];
    }
    if (n == 0) return;
    double reach = wider * greater_of(MEDIANS * number_at_rank(e->sorted, n, n / 2), LEAST_REACH);
    for (int i = 0; i < e->points->n; i++) {
        double r = e->left[i] / reach;
        e->weights[i] *= r < 1 ? (1 - r * r) * (1 - r * r) : 0;
    }
}

static void fit_once(equations *e, int all, double wider, int steps) {
    weigh(e, all, wider);
    take_prior(e);
    take_right(e);
    descend(e, steps);
}

/* Without the pairs that are held out, from no displacements on. */
static void fit(equations *e) {
    memset(e->moves, 0, e->unknowns * sizeof *e->moves);
    for (int round = 0; round < ROUNDS; round++) fit_once(e, 0, 1 << (ROUNDS - 1 - round), round == 0 ? STEPS : LATER_STEPS);
}

/* --------------------------------------------------------------------- evidence */

/* The median distance of the places of points from..end-1. moves: NULL: without displacements. */
static double median_left(const equations *e, int from, int end, const node *moves) {
    for (int i = from; i < end; i++) {
        const relief_point *p = &e->points->items[i];
        e->sorted[i - from] = moves ? left_of(e, i, moves) : length_of(p->apart[0], p->apart[1]);
    }
    return number_at_rank(e->sorted, (size_t)(end - from), (size_t)(end - from) / 2);
}

/* Over the pairs that were held out; a pair's points follow one another. */
static relief_evidence judge(const equations *e) {
    relief_evidence v = {.without = NAN, .with = NAN};
    const relief_point *points = e->points->items;
    double *all[2] = {e->left, e->weights}; /* not needed any more */
    size_t n = 0;
    int end;
    for (int i = 0; i < e->points->n; i = end) {
        for (end = i + 1; end < e->points->n && points[end].pair == points[i].pair;) end++;
        if (!is_held_out(&points[i])) continue;
        v.pairs++;
        v.nearer += median_left(e, i, end, e->moves) < median_left(e, i, end, NULL);
        for (int k = i; k < end; k++) {
            all[0][n] = length_of(points[k].apart[0], points[k].apart[1]);
            all[1][n++] = left_of(e, k, e->moves);
        }
    }
    if (n == 0) return v;
    v.without = number_at_rank(all[0], n, 4 * n / 5);
    v.with = number_at_rank(all[1], n, 4 * n / 5);
    v.is_clear = v.pairs >= LEAST_PAIRS && v.nearer >= LEAST_NEARER * v.pairs && v.with <= MOST_LEFT * v.without &&
                 v.without >= LEAST_APART;
    return v;
}

/* ------------------------------------------------------------------------ grids */

/* The displacement of a frame at one of its points, px of the first frame. */
static node move_at(const equations *e, int frame, double x, double y) {
    corners c = corners_at(e, frame, x, y);
    node sum = {0, 0};
    add_share(&sum, e->moves, &c, 1);
    return sum;
}

/* How far what a frame shows at a point has to go, px of the frame. */
static node in_frame(const equations *e, const relief_frames *frames, int frame, double x, double y) {
    endo_transform near = pose_tangent(&frames->poses[frame], x, y);
    const double *m = near.matrix;
    double determinant = pose_determinant(&near);
    node d = move_at(e, frame, x, y);
    return (node){(m[4] * d.x - m[1] * d.y) / determinant, (m[0] * d.y - m[3] * d.x) / determinant};
}

static int is_in_field(const relief_frames *f, double x, double y) {
    int column = (int)floor(x + 0.5);
    int row = (int)floor(y + 0.5);
    if (column < 0 || row < 0 || column >= f->size.width || row >= f->size.height) return 0;
    return !f->field || f->field[(size_t)row * (size_t)f->size.width + (size_t)column];
}

/* Whether the cells around a node lie in the field: what lies beyond it cannot be moved in. */
static int is_within(const relief_frames *f, const frame_displacements *b, double x, double y) {
    double across = frame_displacements_across(b);
    double down = frame_displacements_down(b);
    for (int i = 0; i < 9; i++)
        if (!is_in_field(f, x + (i % 3 - 1) * across, y + (i / 3 - 1) * down)) return 0;
    return 1;
}

/* From a pixel of the displaced frame to where the frame shows what belongs there. */
static void put_node(const equations *e, const relief_frames *frames, int frame, int i, int32_t *out) {
    const frame_displacements *b = e->displacements;
    double x = i % b->columns * frame_displacements_across(b);
    double y = i / b->columns * frame_displacements_down(b);
    node first = in_frame(e, frames, frame, x, y);
    node go = in_frame(e, frames, frame, x - first.x, y - first.y);
    double length = length_of(go.x, go.y);
    if (!(length < frames->size.width)) return;
    double share = length > frames->reach && !is_within(frames, b, x, y) ? frames->reach / length : 1;
    out[0] = (int32_t)floor(-share * go.x * DISPLACEMENT_STEPS + 0.5);
    out[1] = (int32_t)floor(-share * go.y * DISPLACEMENT_STEPS + 0.5);
}

static endo_status put_grids(const equations *e, const relief_frames *frames, frame_displacements *displacements) {
    displacements->moves = endo_alloc_zeroed((size_t)frames->n * e->nodes, 2 * sizeof *displacements->moves);
    if (!displacements->moves) return endo_fail(ENDO_ERR_MEMORY, "no memory for the displacements of %d frames", frames->n);
    for (size_t i = 0; i < e->unknowns; i++)
        if (e->moves[i].x != 0 || e->moves[i].y != 0)
            put_node(e, frames, (int)(i / e->nodes), (int)(i % e->nodes), displacements->moves + 2 * i);
    return ENDO_OK;
}

/* -------------------------------------------------------------------------- all */

static void equations_free(equations *e) {
    endo_free(e->corners);
    endo_free(e->weights);
    endo_free(e->moves);
}

static endo_status equations_make(const relief_points *points, const frame_displacements *displacements, equations *e) {
    size_t n = (size_t)points->n;
    *e = (equations){
        .points = points,
        .displacements = displacements,
        .nodes = (size_t)displacements->columns * (size_t)displacements->rows,
    };
    e->unknowns = (size_t)displacements->n * e->nodes;
    e->corners = endo_alloc(2 * n, sizeof *e->corners);
    e->weights = endo_alloc(3 * n, sizeof *e->weights);
    e->moves = endo_alloc(5 * e->unknowns, sizeof *e->moves);
    if (!e->corners || !e->weights || !e->moves) {
        equations_free(e);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the displacements of %d frames", displacements->n);
    }
    e->left = e->weights + n;
    e->sorted = e->left + n;
    e->right = e->moves + e->unknowns;
    e->rest = e->right + e->unknowns;
    e->way = e->rest + e->unknowns;
    e->image = e->way + e->unknowns;
    for (int i = 0; i < 2 * points->n; i++) {
        const relief_point *p = &points->items[i / 2];
        e->corners[i] = corners_at(e, p->frames[i % 2], p->at[i % 2][0], p->at[i % 2][1]);
    }
    return ENDO_OK;
}

endo_status relief_solve(const relief_points *points, const relief_frames *frames, frame_displacements *displacements,
                         relief_evidence *evidence) {
    equations e;
    frame_displacements made = frame_displacements_of(frames->size, frames->n);
    *evidence = (relief_evidence){.without = NAN, .with = NAN};
    if (points->n > 0) {
        ENDO_TRY(equations_make(points, &made, &e));
        fit(&e);
        *evidence = judge(&e);
        if (evidence->is_clear) fit_once(&e, 1, 1, LATER_STEPS);
        endo_status status = evidence->is_clear ? put_grids(&e, frames, &made) : ENDO_OK;
        equations_free(&e);
        ENDO_TRY(status);
    }
    *displacements = made;
    return ENDO_OK;
}
