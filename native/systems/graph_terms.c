/* What a pair of a pose graph says of its two places: contradiction and normal equations.
 *
 * The places are P_r and P_c, the pair's transform is T. With B = P_r^-1 P_c the residual of a point p of the current
 * frame is B p - T p, in px of the reference frame. A step s moves a place inside its frame: P becomes P (1 + S(s)), so
 * that the residual changes by B S(s_c) p - S(s_r) B p. */
#include "graph.h"

#include <math.h>
#include <string.h>

graph_frame graph_frame_of(int width, int height, endo_transform_class kind) {
    static const int numbers[] = {2, 3, 4, 6};
    double u = width / sqrt(12.0), v = height / sqrt(12.0);
    graph_frame f = {.kind = kind, .numbers = numbers[kind], .x = (width - 1) / 2.0, .y = (height - 1) / 2.0};
    f.radius = sqrt(u * u + v * v);
    for (int k = 0; k < GRAPH_POINTS; k++) {
        f.points[k][0] = f.x + (k % 2 ? u : -u);
        f.points[k][1] = f.y + (k / 2 ? v : -v);
    }
    return f;
}

void graph_motion(const graph_frame *f, const double point[2], double rows[2 * GRAPH_MOST]) {
    double x = (point[0] - f->x) / f->radius, y = (point[1] - f->y) / f->radius;
    double *first = rows, *second = rows + f->numbers;
    memset(rows, 0, 2 * (size_t)f->numbers * sizeof *rows);
    first[0] = second[1] = 1;
    if (f->kind == ENDO_TRANSFORM_AFFINE) {
        first[2] = second[4] = x;
        first[3] = second[5] = y;
    } else if (f->kind != ENDO_TRANSFORM_TRANSLATION) {
        first[2] = -y, second[2] = x;
        if (f->kind == ENDO_TRANSFORM_SIMILARITY) first[3] = x, second[3] = y;
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

void graph_move(const graph_frame *f, const double step[GRAPH_MOST], double place[6]) {
    double m[4], p[6];
    linear_of(f, step, m);
    double x = f->x + step[0] - m[0] * f->x - m[1] * f->y, y = f->y + step[1] - m[2] * f->x - m[3] * f->y;
    memcpy(p, place, sizeof p);
    for (int r = 0; r < 2; r++) {
        double a = p[3 * r], b = p[3 * r + 1];
        place[3 * r] = a * m[0] + b * m[2];
        place[3 * r + 1] = a * m[1] + b * m[3];
        place[3 * r + 2] = a * x + b * y + p[3 * r + 2];
    }
}

/* first after second. */
static void product(const double first[6], const double second[6], double out[6]) {
    for (int r = 0; r < 2; r++) {
        double a = first[3 * r], b = first[3 * r + 1];
        out[3 * r] = a * second[0] + b * second[3];
        out[3 * r + 1] = a * second[1] + b * second[4];
        out[3 * r + 2] = a * second[2] + b * second[5] + first[3 * r + 2];
    }
}

/* Rows of the residual of one point by the steps of both frames. */
static void rows_of(const graph_frame *f, const double b[6], const double point[2], const double there[2],
                    double rows[2][2 * GRAPH_MOST]) {
    double inside[2 * GRAPH_MOST];
    int n = f->numbers;
    graph_motion(f, there, rows[0]);
    graph_motion(f, point, inside);
    for (int i = 0; i < n; i++) {
        rows[0][i] = -rows[0][i], rows[0][n + i] = -rows[0][n + i];
        rows[1][i] = b[0] * inside[i] + b[1] * inside[n + i];
        rows[1][n + i] = b[3] * inside[i] + b[4] * inside[n + i];
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

/* Both rows of an affine step, in the panorama's axes, say the same of a pair: where a place moves a point by Z (1, x, y),
 * the residual by back (Z_c (1, p) - Z_r (1, there)), and back, turned and scaled, changes its length by one factor. */
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

void graph_term_of(const graph_frame *f, const endo_graph_pair *pair, const double reference[6],
                   const double current[6], int with_equations, graph_term *out) {
    double back[6], b[6], rows[2][2 * GRAPH_MOST], squares = 0;
    /* The mean variance over the points and axes is deviation^2 if the sum of squares weighs numbers / 8 of them. */
    double scale = f->numbers / (2.0 * GRAPH_POINTS) / (pair->deviation * pair->deviation);
    if (with_equations) memset(out, 0, sizeof *out);
    if (!endo_affine_invert(reference, back)) {
        out->contradiction = INFINITY;
        return;
    }
    product(back, current, b);
    for (int k = 0; k < GRAPH_POINTS; k++) {
        double there[2], wanted[2], residual[2];
        endo_affine_apply(b, f->points[k][0], f->points[k][1], &there[0], &there[1]);
        endo_affine_apply(pair->transform.matrix, f->points[k][0], f->points[k][1], &wanted[0], &wanted[1]);
        residual[0] = there[0] - wanted[0], residual[1] = there[1] - wanted[1];
        squares += residual[0] * residual[0] + residual[1] * residual[1];
        if (!with_equations) continue;
        rows_of(f, b, f->points[k], there, rows);
        add_equations(f, rows, residual, scale, out);
        if (f->kind == ENDO_TRANSFORM_AFFINE) add_thirds(f, back, f->points[k], there, scale, out);
    }
    out->contradiction = sqrt(squares / (2 * GRAPH_POINTS)) / pair->deviation;
}

/* Of what a pair says along its contradiction, the most that this may take away: the sum of all stays positive. */
#define MOST_BEND 0.9

/* The gradient is weight * right, and the weight changes by -(2 / numbers) weight^2 / wide^2 of what `right` says. */
void graph_term_bend(const graph_frame *f, double wide, graph_term *term) {
    static const int factors[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    int n = f->numbers;
    double ratio = term->contradiction / wide, all = 2 * term->weight * ratio * ratio;
    double by = 2 * term->weight / (n * wide * wide) * (all > MOST_BEND ? MOST_BEND / all : 1);
    for (int block = 0; block < 3 && isfinite(all); block++) {
        const double *a = term->right[factors[block][0]], *b = term->right[factors[block][1]];
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) term->blocks[block][i * n + k] -= by * a[i] * b[k];
    }
}
