/* Least squares of a quadratic motion (smooth_motion.h). */
#include "smooth_motion.h"

#include "base/math/eliminate.h"
#include "base/math/median.h"

#include <math.h>
#include <string.h>

#define TERMS ENDO_SMOOTH_TERMS
/* Rounds of robust weights, and how far they reach: medians, and px. */
#define ROUNDS 4
#define MEDIANS 4.0
#define LEAST_REACH 0.2

/* Coordinates in which the points have mean 0 and a spread of 1. */
static void centre(endo_smooth_motion *m, const double *points, const double *weights, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += weights[i];
        m->x += weights[i] * points[2 * i];
        m->y += weights[i] * points[2 * i + 1];
    }
    m->x /= sum;
    m->y /= sum;
    for (size_t i = 0; i < n; i++) {
        double u = points[2 * i] - m->x;
        double v = points[2 * i + 1] - m->y;
        m->scale += weights[i] * (u * u + v * v) / sum;
    }
    m->scale = m->scale > 0 ? 1 / sqrt(m->scale) : 1;
}

static void terms_at(const endo_smooth_motion *m, const double point[2], double terms[TERMS]) {
    double x = m->scale * (point[0] - m->x);
    double y = m->scale * (point[1] - m->y);
    const double all[TERMS] = {1, x, y, x * x, x * y, y * y};
    memcpy(terms, all, sizeof all);
}

static void fit_axis(endo_smooth_motion *m, const double *points, const double *displacements, const double *weights, size_t n,
                     int axis) {
    double normal[TERMS * (TERMS + 1)] = {0};
    for (size_t i = 0; i < n; i++) {
        double terms[TERMS + 1];
        terms_at(m, points + 2 * i, terms);
        terms[TERMS] = displacements[2 * i + (size_t)axis];
        for (int k = 0; k < TERMS; k++)
            for (int j = 0; j <= TERMS; j++) normal[k * (TERMS + 1) + j] += weights[i] * terms[k] * terms[j];
    }
    endo_eliminate(normal, TERMS, m->numbers[axis]);
}

/* Fits by weighted least squares. weights: sum > 0. */
static endo_smooth_motion fit(const double *points, const double *displacements, const double *weights, size_t n) {
    endo_smooth_motion m = {.x = 0, .y = 0, .scale = 0};
    centre(&m, points, weights, n);
    fit_axis(&m, points, displacements, weights, n, 0);
    fit_axis(&m, points, displacements, weights, n, 1);
    return m;
}

void endo_smooth_motion_rest(const endo_smooth_motion *motion, const double point[2], const double displacement[2],
                             double rest[2]) {
    double terms[TERMS];
    terms_at(motion, point, terms);
    for (int axis = 0; axis < 2; axis++) {
        rest[axis] = displacement[axis];
        for (int k = 0; k < TERMS; k++) rest[axis] -= motion->numbers[axis][k] * terms[k];
    }
}

endo_smooth_motion endo_smooth_motion_fit_robustly(const double *points, const double *displacements, double *weights, size_t n,
                                                   double *workspace) {
    endo_smooth_motion m = {.x = 0, .y = 0, .scale = 1};
    double *rest = workspace;
    double *sorted = workspace + n;
    for (size_t i = 0; i < n; i++) weights[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        m = fit(points, displacements, weights, n);
        for (size_t i = 0; i < n; i++) {
            double left[2];
            endo_smooth_motion_rest(&m, points + 2 * i, displacements + 2 * i, left);
            rest[i] = hypot(left[0], left[1]);
        }
        memcpy(sorted, rest, n * sizeof *sorted);
        double reach = MEDIANS * endo_median(sorted, sorted + n, n) + LEAST_REACH;
        for (size_t i = 0; i < n; i++) {
            double r = rest[i] / reach;
            weights[i] = r < 1 ? (1 - r * r) * (1 - r * r) : 0;
        }
    }
    return m;
}
