/* Least squares over all edges for the plane, and a jackknife over parts of the sequence (passed_plane.h). */
#include "passed_plane.h"

#include <math.h>

#include "base/memory.h"
#include "numbers.h"

/* Fewest edges with a shear for an estimate. */
#define LEAST 8
/* Most parts of the sequence for the jackknife, and fewest edges of a part. */
#define PARTS 8
#define PART 4
/* Factor of the edges' own deviation where there are fewer than PARTS parts. */
#define FEW (5 / 3.0)
/* Least number of deviations of a plane that counts as seen. */
#define SURE 5

/* Normal equations, summed over edges. */
typedef struct plane_sums {
    double x;
    double y;
    double weights;
} plane_sums;

static void add(plane_sums *to, const plane_sums *sums, double times) {
    to->x += times * sums->x;
    to->y += times * sums->y;
    to->weights += times * sums->weights;
}

/* --------------------------------------------------------------------- one edge */

/* Scale times cosine and sine of the rotation, and the motion of the centre, px of the reference. */
typedef struct plane_motion {
    double c;
    double s;
    double x;
    double y;
} plane_motion;

static plane_motion motion_of(const passed_plane *plane, const endo_transform *step) {
    const double *m = step->matrix;
    return (plane_motion){
        .c = (m[0] + m[4]) / 2,
        .s = (m[3] - m[1]) / 2,
        .x = pose_x(step, plane->centre_x, plane->centre_y) - plane->centre_x,
        .y = pose_y(step, plane->centre_x, plane->centre_y) - plane->centre_y,
    };
}

/* Normal equations of one edge, weighted by its precision. */
static plane_sums sums_of(const passed_plane *plane, const endo_mosaic_edge *edge) {
    const double *step = edge->transform.matrix;
    plane_motion m = motion_of(plane, &edge->transform);
    double square = m.c * m.c + m.s * m.s;
    double tx = (m.c * m.x + m.s * m.y) / square;
    double ty = (m.c * m.y - m.s * m.x) / square;
    double p = (step[0] - step[4]) / 2;
    double q = (step[1] + step[3]) / 2;
    double along = (m.c * p + m.s * q) / square;
    double across = (m.c * q - m.s * p) / square;
    double weight = plane->spread * plane->spread / (edge->deviation * edge->deviation);
    return (plane_sums){
        .x = weight * (tx * along + ty * across) / 2,
        .y = weight * (tx * across - ty * along) / 2,
        .weights = weight * (tx * tx + ty * ty) / 4,
    };
}

/* -------------------------------------------------------------------- all edges */

/* Standard deviation of one of the two unknowns, from their values without each of the n parts. */
static double jackknife(const plane_sums *parts, int n, const plane_sums *all) {
    double x[PARTS];
    double y[PARTS];
    double mean_x = 0;
    double mean_y = 0;
    for (int i = 0; i < n; i++) {
        plane_sums rest = {.x = 0};
        add(&rest, all, 1);
        add(&rest, &parts[i], -1);
        x[i] = rest.x / rest.weights;
        y[i] = rest.y / rest.weights;
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    double squares = 0;
    for (int i = 0; i < n; i++) squares += (x[i] - mean_x) * (x[i] - mean_x) + (y[i] - mean_y) * (y[i] - mean_y);
    return sqrt(squares * (n - 1) / n / 2);
}

static void estimate(passed_plane *plane, const endo_mosaic_edge *const *edges, int n) {
    int count = n / PART < PARTS ? n / PART : PARTS;
    plane_sums parts[PARTS] = {{.x = 0}};
    plane_sums all = {.x = 0};
    for (int i = 0; i < count; i++) {
        int end = (int)((int64_t)n * (i + 1) / count);
        for (int k = (int)((int64_t)n * i / count); k < end; k++) {
            plane_sums one = sums_of(plane, edges[k]);
            add(&parts[i], &one, 1);
        }
        add(&all, &parts[i], 1);
    }
    if (!(all.weights > 0)) return;
    plane->x = all.x / all.weights;
    plane->y = all.y / all.weights;
    double from_edges = (count < PARTS ? FEW : 1) / sqrt(all.weights);
    plane->deviation = greater_of(from_edges, jackknife(parts, count, &all));
}

static int is_sheared(const endo_mosaic_edge *edge) {
    return !edge->doubtful && edge->transform.kind == ENDO_TRANSFORM_AFFINE;
}

endo_status passed_plane_of(const mosaic_edges *edges, mosaic_size size, passed_plane *out) {
    const endo_mosaic_edge **sheared;
    int n;
    ENDO_TRY(edges_in_sequence(edges, is_sheared, &sheared, &n));
    *out = (passed_plane){
        .centre_x = (size.width - 1) / 2.0,
        .centre_y = (size.height - 1) / 2.0,
        .spread = sqrt((size.width * size.width + size.height * size.height) / 24.0),
        .deviation = NAN,
    };
    if (n >= LEAST) estimate(out, sheared, n);
    endo_free(sheared);
    return ENDO_OK;
}

double passed_plane_evidence(const passed_plane *plane) {
    return plane->deviation > 0 ? length_of(plane->x, plane->y) / plane->deviation : 0;
}

int passed_plane_is_sure(const passed_plane *plane) {
    return passed_plane_evidence(plane) >= SURE;
}

/* With M the edge's rotation and scale and t its motion, a view of the plane takes q to (M q + t (1 + g.q)) / (1 + g.q - g.(M q
 * + t (1 + g.q))), and the centre to t / (1 - g.t); what the edge shows of M is shared with t g^T. */
edge_perspective passed_plane_perspective(const passed_plane *plane, const endo_transform *step) {
    plane_motion m = motion_of(plane, step);
    double x = plane->x;
    double y = plane->y;
    double keeps = 1 / (1 + x * m.x + y * m.y);
    double tx = keeps * m.x;
    double ty = keeps * m.y;
    double c = keeps * m.c - (tx * x + ty * y) / 2;
    double s = keeps * m.s - (ty * x - tx * y) / 2;
    double gx = x * keeps - (c * x + s * y);
    double gy = y * keeps - (c * y - s * x);
    return (edge_perspective){.g = {gx / keeps, gy / keeps}, .deviation = plane->deviation};
}
