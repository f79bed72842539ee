/* Affine maps and their least-squares fit ([S] section 2.5, steps 5 and 8). */
#include "transform.h"

#include "least_squares.h"

#include <math.h>
#include <string.h>

const double endo_affine_identity[6] = {1, 0, 0, 0, 1, 0};

int endo_affine_invert(const double m[6], double out[6]) {
    double determinant = m[0] * m[4] - m[1] * m[3];
    if (!isfinite(determinant) || !isfinite(m[2]) || !isfinite(m[5]) || fabs(determinant) < 1e-12) return 0;
    double inverse[6] = {m[4] / determinant, -m[1] / determinant, 0, -m[3] / determinant, m[0] / determinant, 0};
    inverse[2] = -(inverse[0] * m[2] + inverse[1] * m[5]);
    inverse[5] = -(inverse[3] * m[2] + inverse[4] * m[5]);
    memcpy(out, inverse, sizeof inverse);
    return 1;
}

void endo_affine_apply(const double m[6], double x, double y, double *out_x, double *out_y) {
    double px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
    *out_x = px;
    *out_y = py;
}

int endo_affine_to_fixed(const double m[6], endo_fixed_affine *out) {
    /* Entries below 2^8 for the linear part and 2^24 for the shift keep 2^20-pixel canvases in 64 bits. */
    for (int i = 0; i < 6; i++) {
        double limit = i % 3 == 2 ? 16777216.0 : 256.0;
        if (!(fabs(m[i]) < limit)) return 0;
    }
    for (int i = 0; i < 6; i++) out->m[i] = (int64_t)floor(m[i] * 4294967296.0 + 0.5);
    return 1;
}

static void means(const double *points, size_t n, double *mean_x, double *mean_y) {
    double x = 0, y = 0;
    for (size_t i = 0; i < n; i++) {
        x += points[2 * i];
        y += points[2 * i + 1];
    }
    *mean_x = x / (double)n;
    *mean_y = y / (double)n;
}

/* Points this close to a line, by the spread across it over the spread along it, have no map of their own. */
#define FLAT 1e-6

/* The linear part of the best affine map, about the centroids (fx, fy) and (tx, ty), where the shift decouples. */
static int solve_linear(const double *from, const double *to, size_t n, double fx, double fy, double tx, double ty,
                        double linear[4]) {
    double s[6] = {(double)n, 0, 0, 0, 0, 0}, right[2][3] = {{0, 0, 0}, {0, 0, 0}}, plane[3];
    for (size_t i = 0; i < n; i++) {
        double x = from[2 * i] - fx, y = from[2 * i + 1] - fy;
        double u = to[2 * i] - tx, v = to[2 * i + 1] - ty;
        s[3] += x * x, s[4] += x * y, s[5] += y * y;
        right[0][1] += u * x, right[0][2] += u * y;
        right[1][1] += v * x, right[1][2] += v * y;
    }
    if (n < 3 || !(s[3] * s[5] - s[4] * s[4] > FLAT * (s[3] + s[5]) * (s[3] + s[5]))) return 0;
    for (int i = 0; i < 2; i++) {
        if (!endo_plane_solve(s, right[i], plane)) return 0;
        memcpy(linear + 2 * i, plane + 1, 2 * sizeof *plane);
    }
    return 1;
}

int endo_affine_solve(const double *from, const double *to, size_t n, endo_warp warp, double matrix[6]) {
    if (n == 0) return 0;
    double fx, fy, tx, ty;
    means(from, n, &fx, &fy);
    means(to, n, &tx, &ty);
    double linear[4] = {1, 0, 0, 1};
    if (warp == ENDO_WARP_AFFINE && !solve_linear(from, to, n, fx, fy, tx, ty, linear)) return 0;
    double fitted[6] = {linear[0], linear[1], tx - linear[0] * fx - linear[1] * fy,
                        linear[2], linear[3], ty - linear[2] * fx - linear[3] * fy};
    memcpy(matrix, fitted, sizeof fitted);
    return 1;
}
