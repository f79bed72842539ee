/* Affine maps and their least-squares fit ([S] section 2.5, steps 5 and 8). */
#include "transform.h"

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

int endo_affine_solve(const double *from, const double *to, size_t n, endo_warp warp, double matrix[6]) {
    if (n == 0) return 0;
    double fx, fy, tx, ty;
    means(from, n, &fx, &fy);
    means(to, n, &tx, &ty);
    double linear[4] = {1, 0, 0, 1};
    if (warp == ENDO_WARP_AFFINE) {
        double xx = 0, xy = 0, yy = 0, ux = 0, uy = 0, vx = 0, vy = 0;
        for (size_t i = 0; i < n; i++) { /* about the centroid, where the shift decouples */
            double x = from[2 * i] - fx, y = from[2 * i + 1] - fy;
            double u = to[2 * i] - tx, v = to[2 * i + 1] - ty;
            xx += x * x, xy += x * y, yy += y * y;
            ux += u * x, uy += u * y, vx += v * x, vy += v * y;
        }
        double determinant = xx * yy - xy * xy;
        if (n < 3 || !(determinant > 1e-6 * (xx + yy) * (xx + yy))) return 0;
        linear[0] = (ux * yy - uy * xy) / determinant;
        linear[1] = (uy * xx - ux * xy) / determinant;
        linear[2] = (vx * yy - vy * xy) / determinant;
        linear[3] = (vy * xx - vx * xy) / determinant;
    }
    double fitted[6] = {linear[0], linear[1], tx - linear[0] * fx - linear[1] * fy,
                        linear[2], linear[3], ty - linear[2] * fx - linear[3] * fy};
    memcpy(matrix, fitted, sizeof fitted);
    return 1;
}
