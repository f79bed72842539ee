/* Newton's method by differences (newton.h). */
#include "newton.h"

#include <math.h>
#include <string.h>

enum { START, DIFFERENCES, STEP, FINISHED };

/* Factors of the step that are tried. */
static const double factors[] = {0.0625, 0.125, 0.25, 0.5, 1, 2};
#define FACTORS ((int)(sizeof factors / sizeof factors[0]))
/* Longest step along each parameter, in spans. */
#define FARTHEST 4.0

void endo_newton_begin(endo_newton *s, int n, const double *point, const double *spans, double tolerance, int rounds) {
    memset(s, 0, sizeof *s);
    s->n = n;
    s->rounds = rounds;
    s->tolerance = tolerance;
    s->phase = START;
    memcpy(s->point, point, (size_t)n * sizeof *point);
    memcpy(s->spans, spans, (size_t)n * sizeof *spans);
}

int endo_newton_ask(const endo_newton *s, double points[ENDO_NEWTON_POINTS][ENDO_SEARCH_PARAMETERS]) {
    int n = s->phase == START ? 1 : s->phase == DIFFERENCES ? 2 * s->n : s->phase == STEP ? FACTORS : 0;
    for (int i = 0; i < n; i++) {
        memcpy(points[i], s->point, sizeof s->point);
        if (s->phase == DIFFERENCES) points[i][i / 2] += i % 2 ? s->spans[i / 2] : -s->spans[i / 2];
        for (int k = 0; k < s->n && s->phase == STEP; k++) points[i][k] += factors[i] * s->step[k];
    }
    return n;
}

/* The step to the minimum of the parabola through three points; where it has none, the longest step downhill. */
static double step_along(double below, double middle, double above, double span) {
    double slope = (above - below) / 2, curvature = above - 2 * middle + below, most = FARTHEST * span;
    double step = curvature > 0 ? -slope / curvature * span : slope > 0 ? -most : slope < 0 ? most : 0;
    return step > most ? most : step < -most ? -most : step;
}

/* Ends a round in which `factor` times the step was taken. */
static void end_round(endo_newton *s, double factor) {
    double widest = 0, moved = 0;
    for (int k = 0; k < s->n; k++) {
        double went = fabs(factor * s->step[k]), half = s->spans[k] / 2;
        widest = fmax(widest, s->spans[k]);
        moved = fmax(moved, went);
        s->spans[k] = fmax(fmin(fmax(went, half), s->spans[k]), 4 * s->tolerance);
    }
    int small = moved < s->tolerance;
    s->phase = --s->rounds <= 0 || (small && widest <= 4 * s->tolerance) ? FINISHED : DIFFERENCES;
}

static void tell_step(endo_newton *s, const double *values) {
    int best = -1;
    for (int i = 0; i < FACTORS; i++)
        if (values[i] < s->value) {
            best = i;
            s->value = values[i];
        }
    for (int k = 0; k < s->n && best >= 0; k++) s->point[k] += factors[best] * s->step[k];
    end_round(s, best >= 0 ? factors[best] : 0);
}

void endo_newton_tell(endo_newton *s, const double values[ENDO_NEWTON_POINTS]) {
    if (s->phase == START) {
        s->value = values[0];
        s->phase = DIFFERENCES;
    } else if (s->phase == DIFFERENCES) {
        for (int k = 0; k < s->n; k++)
            s->step[k] = step_along(values[2 * k], s->value, values[2 * k + 1], s->spans[k]);
        s->phase = STEP;
    } else if (s->phase == STEP) {
        tell_step(s, values);
    }
}
