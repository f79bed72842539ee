/* Newton's method by differences (newton.h). */
#include "newton.h"

#include <math.h>
#include <string.h>

enum { START, DIFFERENCES, STEP, FINISHED };

/* Parts of the step that are tried. */
static const double parts[] = {0.0625, 0.125, 0.25, 0.5, 1, 2};
#define PARTS ((int)(sizeof parts / sizeof parts[0]))
/* A step leads at most so many spans away along each parameter. */
#define FARTHEST 4.0

void endo_newton_begin(endo_newton *s, int n, const double *point, const double *spans, double tolerance, int rounds) {
    memset(s, 0, sizeof *s);
    s->n = n, s->rounds = rounds, s->tolerance = tolerance, s->phase = START;
    memcpy(s->point, point, (size_t)n * sizeof *point);
    memcpy(s->spans, spans, (size_t)n * sizeof *spans);
}

int endo_newton_ask(const endo_newton *s, double points[ENDO_NEWTON_POINTS][ENDO_SEARCH_PARAMETERS]) {
    int n = s->phase == START ? 1 : s->phase == DIFFERENCES ? 2 * s->n : s->phase == STEP ? PARTS : 0;
    for (int i = 0; i < n; i++) {
        memcpy(points[i], s->point, sizeof s->point);
        if (s->phase == DIFFERENCES) points[i][i / 2] += i % 2 ? s->spans[i / 2] : -s->spans[i / 2];
        for (int k = 0; k < s->n && s->phase == STEP; k++) points[i][k] += parts[i] * s->step[k];
    }
    return n;
}

/* The way to the minimum of the parabola through three points; where it has none, downhill as far as allowed. */
static double step_along(double below, double middle, double above, double span) {
    double slope = (above - below) / 2, bend = above - 2 * middle + below, most = FARTHEST * span;
    double step = bend > 0 ? -slope / bend * span : slope > 0 ? -most : slope < 0 ? most : 0;
    return step > most ? most : step < -most ? -most : step;
}

/* part: of the step, that was taken. */
static void end_round(endo_newton *s, double part) {
    double widest = 0, moved = 0;
    for (int k = 0; k < s->n; k++) {
        double went = fabs(part * s->step[k]), half = s->spans[k] / 2;
        widest = fmax(widest, s->spans[k]), moved = fmax(moved, went);
        s->spans[k] = fmax(fmin(fmax(went, half), s->spans[k]), 4 * s->tolerance);
    }
    int small = moved < s->tolerance;
    s->phase = --s->rounds <= 0 || (small && widest <= 4 * s->tolerance) ? FINISHED : DIFFERENCES;
}

static void tell_step(endo_newton *s, const double *values) {
    int best = -1;
    for (int i = 0; i < PARTS; i++)
        if (values[i] < s->value) best = i, s->value = values[i];
    for (int k = 0; k < s->n && best >= 0; k++) s->point[k] += parts[best] * s->step[k];
    end_round(s, best >= 0 ? parts[best] : 0);
}

void endo_newton_tell(endo_newton *s, const double values[ENDO_NEWTON_POINTS]) {
    if (s->phase == START) {
        s->value = values[0], s->phase = DIFFERENCES;
    } else if (s->phase == DIFFERENCES) {
        for (int k = 0; k < s->n; k++)
            s->step[k] = step_along(values[2 * k], s->value, values[2 * k + 1], s->spans[k]);
        s->phase = STEP;
    } else if (s->phase == STEP) {
        tell_step(s, values);
    }
}
