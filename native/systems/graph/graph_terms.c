/* The term of a pair in a pose graph: its contradiction and its normal equations.
 *
 * The poses are P_r and P_c, the pair's transform is T. With B = P_r^-1 P_c the residual of a point p of the current
 * frame is B p - T p, in px of the reference frame. A step s moves a pose inside its frame: P becomes P (1 + S(s)), so
 * that the residual changes by B' S(s_c) p - S(s_r) B p, B' the derivative of B at p. */
#include "graph.h"

#include <math.h>
#include <string.h>

/* Two points a side, with the second moments of the pixels. */
static void set_four_points(graph_frame *f) {
    double u = f->width / sqrt(12.0), v = f->height / sqrt(12.0);
    for (int k = 0; k < 4; k++) {
        f->points[k][0] = f->x + (k % 2 ? u : -u);
        f->points[k][1] = f->y + (k / 2 ? v : -v);
        f->shares[k] = 0.25;
    }
    f->n_points = 4;
}

/* Three points a side by Gauss's rule, with moments up to the fifth. */
static void set_nine_points(graph_frame *f) {
    static const double shares[3] = {5 / 18.0, 8 / 18.0, 5 / 18.0};
    double u = f->width / 2 * sqrt(0.6), v = f->height / 2 * sqrt(0.6);
    for (int k = 0; k < 9; k++) {
        f->points[k][0] = f->x + (k % 3 - 1) * u;
        f->points[k][1] = f->y + (k / 3 - 1) * v;
        f->shares[k] = shares[k % 3] * shares[k / 3];
    }
    f->n_points = 9;
}

graph_frame graph_frame_of(int width, int height, endo_transform_class kind) {
    static const int numbers[] = {2, 3, 4, 6, 8};
    double u = width / sqrt(12.0), v = height / sqrt(12.0);
    graph_frame f = {.kind = kind, .numbers = numbers[kind], .width = width, .height = height};
    f.x = (width - 1) / 2.0;
    f.y = (height - 1) / 2.0;
    f.radius = sqrt(u * u + v * v);
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY) set_nine_points(&f);
    else set_four_points(&f);
    return f;
}

void graph_motion(const graph_frame *f, const double point[2], double rows[2 * GRAPH_MOST]) {
    double x = (point[0] - f->x) / f->radius, y = (point[1] - f->y) / f->radius;
    double *first = rows, *second = rows + f->numbers;
    memset(rows, 0, 2 * (size_t)f->numbers * sizeof *rows);
    first[0] = second[1] = 1;
    if (f->kind >= ENDO_TRANSFORM_AFFINE) {
        first[2] = second[4] = x;
        first[3] = second[5] = y;
        if (f->kind == ENDO_TRANSFORM_AFFINE) return;
        first[6] = x * x;
        first[7] = second[6] = x * y;
        second[7] = y * y;
    } else if (f->kind != ENDO_TRANSFORM_TRANSLATION) {
        first[2] = -y;
        second[2] = x;
        if (f->kind == ENDO_TRANSFORM_SIMILARITY) {
            first[3] = x;
            second[3] = y;
        }
    }
}

/* The linear part of 1 + S(s). */
static void linear_of(const graph_frame *f, const double step[GRAPH_MOST], double m[4]) {
    double a = step[2] / f->radius;
    switch (f->kind) {
    case ENDO_TRANSFORM_TRANSLATION: m[0] = m[3] = 1, m[1] = m[2] = 0; return;
    case ENDO_TRANSFORM_RIGID: m[0] = m[3] = cos(a), m[1] = -sin(a), m[2] = sin(a); return;
    case ENDO_TRANSFORM_SIMILARITY: m[0] = m[3] = 1 + step[3] / f->radius, m[1] = -a, m[2] = a; return;
    default: m[0] = 1 + a, m[1] = step[3] / f->radius, m[2] = step[4] / f->radius, m[3] = 1 + step[5] / f->radius;
    }
}

void graph_move(const graph_frame *f, const double step[GRAPH_MOST], double pose[9]) {
    double m[4], p[6];
    if (f->kind == ENDO_TRANSFORM_HOMOGRAPHY) {
        graph_homography_move(f, step, pose);
        return;
    }
    linear_of(f, step, m);
    double x = f->x + step[0] - m[0] * f->x - m[1] * f->y, y = f->y + step[1] - m[2] * f->x - m[3] * f->y;
    memcpy(p, pose, sizeof p);
    for (int r = 0; r < 2; r++) {
        double a = p[3 * r], b = p[3 * r + 1];
        pose[3 * r] = a * m[0] + b * m[2];
        pose[3 * r + 1] = a * m[1] + b * m[3];
        pose[3 * r + 2] = a * x + b * y + p[3 * r + 2];
    }
}

/* The affine map `first` after `second`. */
static void product(const double first[9], const double second[9], double out[9]) {
    for (int r = 0; r < 2; r++) {
        double a = first[3 * r], b = first[3 * r + 1];
        out[3 * r] = a * second[0] + b * second[3];
        out[3 * r + 1] = a * second[1] + b * second[4];
        out[3 * r + 2] = a * second[2] + b * second[5] + first[3 * r + 2];
    }
}

/* back = reference^-1 (of affine maps) and b = reference^-1 current; 0: there is none. */
static int between(const graph_frame *f, const double reference[9], const double current[9], double back[9],
                   double b[9]) {
    if (f->kind == ENDO_TRANSFORM_HOMOGRAPHY) return graph_homography_between(reference, current, b);
    if (!endo_affine_invert(reference, back)) return 0;
    product(back, current, b);
    return 1;
}

/* Maps a point by b, and sets the derivative there; 0: the point is not in front. */
static int apply(const graph_frame *f, const double b[9], const double point[2], double there[2], double linear[4]) {
    if (f->kind == ENDO_TRANSFORM_HOMOGRAPHY) return graph_homography_apply(b, point, there, linear);
    endo_affine_apply(b, point[0], point[1], &there[0], &there[1]);
    linear[0] = b[0];
    linear[1] = b[1];
    linear[2] = b[3];
    linear[3] = b[4];
    return 1;
}

/* The residual, px, of a point that b takes `there`. Frames are in front of the transforms of their pairs. */
static void residual_of(const graph_frame *f, const endo_transform *pair, const double point[2], const double there[2],
                        double residual[2]) {
    double wanted[2] = {0, 0};
    if (f->kind == ENDO_TRANSFORM_HOMOGRAPHY) endo_transform_point(pair, point[0], point[1], &wanted[0], &wanted[1]);
    else endo_affine_apply(pair->matrix, point[0], point[1], &wanted[0], &wanted[1]);
    residual[0] = there[0] - wanted[0];
    residual[1] = there[1] - wanted[1];
}

/* Derivatives of the residual of one point by the steps of both frames. linear: the derivative of b there. */
static void rows_of(const graph_frame *f, const double linear[4], const double point[2], const double there[2],
                    double rows[2][2 * GRAPH_MOST]) {
    double inside[2 * GRAPH_MOST];
    int n = f->numbers;
    graph_motion(f, there, rows[0]);
    graph_motion(f, point, inside);
    for (int i = 0; i < n; i++) {
        rows[0][i] = -rows[0][i];
        rows[0][n + i] = -rows[0][n + i];
        rows[1][i] = linear[0] * inside[i] + linear[1] * inside[n + i];
        rows[1][n + i] = linear[2] * inside[i] + linear[3] * inside[n + i];
    }
}

static void add_products(const double *a, const double *b, int n, double scale, double *block) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) block[i * n + k] += scale * (a[i] * b[k] + a[n + i] * b[n + k]);
}

static void add_equations(const graph_frame *f, const double rows[2][2 * GRAPH_MOST], const double residual[2],
                          double scale, graph_term *out) {
    int n = f->numbers;
    add_products(rows[0], rows[0], n, scale, out->blocks[0]);
    add_products(rows[1], rows[0], n, scale, out->blocks[1]);
    add_products(rows[1], rows[1], n, scale, out->blocks[2]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            out->right[k][i] -= scale * (rows[k][i] * residual[0] + rows[k][n + i] * residual[1]);
}

/* Adds the equations of one row of an affine step in the panorama's axes, which are the same for both rows: where a pose
 * moves a point by Z (1, x, y), the residual changes by back (Z_c (1, p) - Z_r (1, there)), and `back`, if it turns and
 * scales only, changes lengths by one factor. */
static void add_thirds(const graph_frame *f, const double back[6], const double point[2], const double there[2],
                       double scale, graph_term *out) {
    double r[3] = {1, (there[0] - f->x) / f->radius, (there[1] - f->y) / f->radius};
    double c[3] = {1, (point[0] - f->x) / f->radius, (point[1] - f->y) / f->radius};
    double gain = (back[0] * back[0] + back[1] * back[1] + back[3] * back[3] + back[4] * back[4]) / 2;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out->thirds[0][3 * i + k] += scale * gain * r[i] * r[k];
            out->thirds[1][3 * i + k] -= scale * gain * c[i] * r[k];
            out->thirds[2][3 * i + k] += scale * gain * c[i] * c[k];
        }
}

static void clear_equations(const graph_frame *f, graph_term *out) {
    size_t block = (size_t)(f->numbers * f->numbers);
    for (int k = 0; k < 3; k++) memset(out->blocks[k], 0, block * sizeof *out->blocks[k]);
    memset(out->right, 0, sizeof out->right);
    if (f->kind == ENDO_TRANSFORM_AFFINE) memset(out->thirds, 0, sizeof out->thirds);
}

/* Adds the terms of all points; *squares: mean of the squared residuals, px^2. 0: a point is not in front. */
static int add_points(const graph_frame *f, const endo_graph_pair *pair, const double back[9], const double b[9],
                      int with_equations, double *squares, graph_term *out) {
    /* The factor of the squares with which the mean variance over the points and axes is deviation^2. */
    double all = f->numbers / 2.0 / (pair->deviation * pair->deviation);
    for (int k = 0; k < f->n_points; k++) {
        double there[2], linear[4], residual[2], rows[2][2 * GRAPH_MOST];
        double share = f->shares[k], scale = share * all;
        if (!apply(f, b, f->points[k], there, linear)) return 0;
        residual_of(f, &pair->transform, f->points[k], there, residual);
        *squares += share * (residual[0] * residual[0] + residual[1] * residual[1]);
        if (!with_equations) continue;
        rows_of(f, linear, f->points[k], there, rows);
        add_equations(f, rows, residual, scale, out);
        if (f->kind == ENDO_TRANSFORM_AFFINE) add_thirds(f, back, f->points[k], there, scale, out);
    }
    return 1;
}

void graph_term_of(const graph_frame *f, const endo_graph_pair *pair, const double reference[9],
                   const double current[9], int with_equations, graph_term *out) {
    double back[9] = {0}, b[9], squares = 0;
    if (with_equations) clear_equations(f, out);
    if (between(f, reference, current, back, b) && add_points(f, pair, back, b, with_equations, &squares, out)) {
        out->contradiction = sqrt(squares / 2) / pair->deviation;
        return;
    }
    if (with_equations) clear_equations(f, out);
    out->contradiction = INFINITY;
}

/* Most that the curvature of the robust function may take from a pair along its contradiction, so that the blocks stay
 * positive. */
#define MOST_CURVATURE 0.9

/* The gradient is weight * right, and the derivative of the weight is -(2 / numbers) weight^2 / wide^2 times `right`. */
void graph_term_distortion(const graph_frame *f, double wide, graph_term *term) {
    static const int factors[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    int n = f->numbers;
    double ratio = term->contradiction / wide, all = 2 * term->weight * ratio * ratio;
    double by = 2 * term->weight / (n * wide * wide) * (all > MOST_CURVATURE ? MOST_CURVATURE / all : 1);
    for (int block = 0; block < 3 && isfinite(all); block++) {
        const double *a = term->right[factors[block][0]], *b = term->right[factors[block][1]];
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) term->blocks[block][i * n + k] -= by * a[i] * b[k];
    }
}
