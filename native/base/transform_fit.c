/* Transforms by weighted least squares ([S] section 2.5, steps 5 and 8).
 *
 * All sums are taken about the weighted centroids: the best shift then takes one centroid to the other, whatever the linear
 * part is, and the remaining normal equations are small and well scaled. */
#include "transform.h"

#include <math.h>
#include <string.h>

#include "base/math/least_squares.h"

/* Points are on a line, and have no unique affine map, if their spread across it over the spread along it is below this. */
#define FLAT 1e-6
/* Points are one point if their spread over their distance from the origin, squared, is below this. */
#define ONE_POINT 1e-24

typedef struct moments {
    double weight;
    double from[2], to[2]; /* the centroids */
    double xx, xy, yy;     /* second moments of the points (x, y) */
    double ux, uy, vx, vy; /* mixed moments with their targets (u, v) */
    double uu;             /* sum of the squares of u and v */
} moments;

static double weight_of(const double *weights, size_t i) { return weights ? weights[i] : 1; }

static void find_centroids(const double *from, const double *to, const double *weights, size_t n, moments *m) {
    double sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(weights, i);
        m->weight += w;
        sums[0] += w * from[2 * i];
        sums[1] += w * from[2 * i + 1];
        sums[2] += w * to[2 * i];
        sums[3] += w * to[2 * i + 1];
    }
    for (int i = 0; i < 2; i++) m->from[i] = sums[i] / m->weight, m->to[i] = sums[2 + i] / m->weight;
}

static moments find_moments(const double *from, const double *to, const double *weights, size_t n) {
    moments m = {.weight = 0};
    find_centroids(from, to, weights, n, &m);
    for (size_t i = 0; i < n; i++) {
        double x = from[2 * i] - m.from[0], y = from[2 * i + 1] - m.from[1];
        double u = to[2 * i] - m.to[0], v = to[2 * i + 1] - m.to[1], w = weight_of(weights, i);
        m.xx += w * x * x;
        m.xy += w * x * y;
        m.yy += w * y * y;
        m.ux += w * u * x;
        m.uy += w * u * y;
        m.vx += w * v * x;
        m.vy += w * v * y;
        m.uu += w * (u * u + v * v);
    }
    return m;
}

/* The best affine map; linear: 2 x 2, row by row. */
static int solve_affine(const moments *m, double linear[4]) {
    double s[6] = {m->weight, 0, 0, m->xx, m->xy, m->yy}, plane[3];
    double right[2][3] = {{0, m->ux, m->uy}, {0, m->vx, m->vy}};
    if (!(m->xx * m->yy - m->xy * m->xy > FLAT * (m->xx + m->yy) * (m->xx + m->yy))) return 0;
    for (int i = 0; i < 2; i++) {
        if (!endo_plane_solve(s, right[i], plane)) return 0;
        memcpy(linear + 2 * i, plane + 1, 2 * sizeof *plane);
    }
    return 1;
}

/* The best matrix {a -b; b a}: about the centroids a and b have an equation each. The best rotation has the same direction. */
static int solve_similarity(const moments *m, int rigid, double linear[4]) {
    double a = m->ux + m->vy, b = m->vx - m->uy, spread = m->xx + m->yy, length = sqrt(a * a + b * b);
    double away = m->weight * (m->from[0] * m->from[0] + m->from[1] * m->from[1]);
    if (!(spread > ONE_POINT * away)) return 0;
    if (!(length * length > ONE_POINT * spread * m->uu)) return 0; /* no turn is better than another */
    double divisor = rigid ? length : spread;
    linear[0] = linear[3] = a / divisor;
    linear[1] = -b / divisor;
    linear[2] = b / divisor;
    return 1;
}

int endo_transform_solve(const double *from, const double *to, const double *weights, size_t n,
                         endo_transform_class kind, endo_transform *out) {
    moments m = find_moments(from, to, weights, n);
    double l[4] = {1, 0, 0, 1};
    if (!(m.weight > 0)) return 0;
    if (kind == ENDO_TRANSFORM_AFFINE && !solve_affine(&m, l)) return 0;
    if (kind == ENDO_TRANSFORM_RIGID || kind == ENDO_TRANSFORM_SIMILARITY)
        if (!solve_similarity(&m, kind == ENDO_TRANSFORM_RIGID, l)) return 0;
    double fitted[6] = {l[0], l[1], m.to[0] - l[0] * m.from[0] - l[1] * m.from[1],
                        l[2], l[3], m.to[1] - l[2] * m.from[0] - l[3] * m.from[1]};
    for (int i = 0; i < 6; i++)
        if (!endo_is_finite(fitted[i])) return 0;
    *out = endo_transform_make(kind, fitted);
    return 1;
}
