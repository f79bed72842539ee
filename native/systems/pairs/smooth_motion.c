/* Least squares of a quadratic motion (smooth_motion.h). */
#include "smooth_motion.h"

#include "base/math/eliminate.h"

#include <math.h>
#include <string.h>

/* Terms of a quadratic in x and y. */
#define TERMS 6

/* Coordinates in which the points have mean 0 and a spread near 1. */
typedef struct frame_of_points {
    double x, y, scale;
} frame_of_points;

static frame_of_points frame_of(const double *from, const double *weights, size_t n) {
    frame_of_points f = {.x = 0, .y = 0, .scale = 0};
    for (size_t i = 0; i < n; i++) {
        f.x += weights[i] * from[2 * i];
        f.y += weights[i] * from[2 * i + 1];
    }
    for (size_t i = 0; i < n; i++) {
        double u = from[2 * i] - f.x;
        double v = from[2 * i + 1] - f.y;
        f.scale += weights[i] * (u * u + v * v);
    }
    f.scale = f.scale > 0 ? 1 / sqrt(f.scale) : 1;
    return f;
}

static void terms_of(const frame_of_points *f, const double point[2], double terms[TERMS]) {
    double x = f->scale * (point[0] - f->x);
    double y = f->scale * (point[1] - f->y);
    const double all[TERMS] = {1, x, y, x * x, x * y, y * y};
    memcpy(terms, all, sizeof all);
}

/* The quadratic of one axis, 0 or 1. */
static void fit_axis(const frame_of_points *f, const double *from, const double *to, const double *weights, size_t n, int axis,
                     double numbers[TERMS]) {
    double normal[TERMS * (TERMS + 1)] = {0};
    for (size_t i = 0; i < n; i++) {
        double terms[TERMS + 1];
        terms_of(f, from + 2 * i, terms);
        terms[TERMS] = to[2 * i + axis] - from[2 * i + axis];
        for (int k = 0; k < TERMS; k++)
            for (int j = 0; j <= TERMS; j++) normal[k * (TERMS + 1) + j] += weights[i] * terms[k] * terms[j];
    }
    endo_eliminate(normal, TERMS, numbers);
}

double endo_smooth_motion_rest(const double *from, const double *to, const double *weights, size_t n) {
    frame_of_points f = frame_of(from, weights, n);
    double sum = 0;
    for (int axis = 0; axis < 2; axis++) {
        double numbers[TERMS];
        fit_axis(&f, from, to, weights, n, axis, numbers);
        for (size_t i = 0; i < n; i++) {
            double terms[TERMS];
            double left = to[2 * i + axis] - from[2 * i + axis];
            terms_of(&f, from + 2 * i, terms);
            for (int k = 0; k < TERMS; k++) left -= numbers[k] * terms[k];
            sum += weights[i] * left * left;
        }
    }
    return sqrt(sum);
}
