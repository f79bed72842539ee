/* Powell's method (powell.h). */
#include "powell.h"

#include <math.h>
#include <string.h>

#define GOLDEN 1.6180339887498949
#define INNER 0.3819660112501051 /* 2 - GOLDEN */
#define HARDLY 4                 /* least motion, tolerances: a search along a line may be off by one or two */
#define MOST_STEPS 24            /* steps along a line: enough for a function that is no parabola anywhere */

/* ------------------------------------------------------------------- line */

enum { AROUND, OUTWARD, WITHIN, DONE };

void endo_line_begin(endo_line *l, double value, double step, double tolerance) {
    memset(l, 0, sizeof *l);
    l->fx = value;
    l->tolerance = tolerance;
    l->steps = MOST_STEPS;
    l->phase = AROUND;
    l->wanted[0] = step;
    l->wanted[1] = -step;
}

int endo_line_ask(const endo_line *l, double positions[2]) {
    if (l->phase == DONE) return 0;
    positions[0] = l->wanted[0];
    positions[1] = l->wanted[1];
    return l->phase == AROUND ? 2 : 1;
}

/* Brent's step from x, which lies between a and b and is not above either: by the parabola through x, w and v where the step
 * stays within and shrinks, else by the golden section of the longer side. */
static void next_within(endo_line *l) {
    double middle = (l->a + l->b) / 2, step = 0;
    if (fabs(l->x - middle) <= 2 * l->tolerance - (l->b - l->a) / 2 || l->steps <= 0) {
        l->phase = DONE;
        return;
    }
    double r = (l->x - l->w) * (l->fx - l->fv), q = (l->x - l->v) * (l->fx - l->fw);
    double p = (l->x - l->v) * q - (l->x - l->w) * r;
    q = 2 * (q - r);
    if (q > 0) p = -p;
    q = fabs(q);
    double before = l->before;
    l->before = l->last;
    if (q > 0 && fabs(p) < fabs(q * before / 2) && p > q * (l->a - l->x) && p < q * (l->b - l->x)) {
        step = p / q;
        double u = l->x + step;
        if (u - l->a < 2 * l->tolerance || l->b - u < 2 * l->tolerance) step = l->x < middle ? l->tolerance : -l->tolerance;
    } else {
        l->before = l->x < middle ? l->b - l->x : l->a - l->x;
        step = INNER * l->before;
    }
    l->last = step;
    if (fabs(step) < l->tolerance) step = step > 0 ? l->tolerance : -l->tolerance;
    l->wanted[0] = l->x + step;
    l->phase = WITHIN;
}

/* Begins Brent's search in a bracket with the ends `end` and `other` and their values. */
static void bracket(endo_line *l, double end, double f_end, double other, double f_other) {
    l->a = end < other ? end : other;
    l->b = end < other ? other : end;
    l->w = f_end < f_other ? end : other;
    l->v = f_end < f_other ? other : end;
    l->fw = f_end < f_other ? f_end : f_other;
    l->fv = f_end < f_other ? f_other : f_end;
    l->last = l->before = l->b - l->a;
    next_within(l);
}

static void tell_around(endo_line *l, const double f[2]) {
    if (l->fx <= f[0] && l->fx <= f[1]) {
        bracket(l, l->wanted[0], f[0], l->wanted[1], f[1]);
        return;
    }
    int better = f[1] < f[0];
    l->w = l->x; /* the point behind */
    l->fw = l->fx;
    l->x = l->wanted[better];
    l->fx = f[better];
    l->wanted[0] = l->x + GOLDEN * (l->x - l->w);
    l->phase = OUTWARD;
}

static void tell_outward(endo_line *l, double f) {
    if (f >= l->fx) {
        bracket(l, l->w, l->fw, l->wanted[0], f);
        return;
    }
    l->w = l->x;
    l->fw = l->fx;
    l->x = l->wanted[0];
    l->fx = f;
    l->wanted[0] = l->x + GOLDEN * (l->x - l->w);
    if (l->steps <= MOST_STEPS / 2) l->phase = DONE;
}

static void tell_within(endo_line *l, double f) {
    double u = l->wanted[0];
    if (f <= l->fx) {
        if (u >= l->x) l->a = l->x;
        else l->b = l->x;
        l->v = l->w;
        l->fv = l->fw;
        l->w = l->x;
        l->fw = l->fx;
        l->x = u;
        l->fx = f;
    } else {
        if (u < l->x) l->a = u;
        else l->b = u;
        if (f <= l->fw || l->w == l->x) {
            l->v = l->w;
            l->fv = l->fw;
            l->w = u;
            l->fw = f;
        } else if (f <= l->fv || l->v == l->x || l->v == l->w) {
            l->v = u;
            l->fv = f;
        }
    }
    next_within(l);
}

void endo_line_tell(endo_line *l, const double values[2]) {
    l->steps--;
    if (l->phase == AROUND) tell_around(l, values);
    else if (l->phase == OUTWARD) tell_outward(l, values[0]);
    else if (l->phase == WITHIN) tell_within(l, values[0]);
}

/* ----------------------------------------------------------------- Powell */

enum { START, LINE, BEYOND, LAST_LINE, FINISHED };

void endo_powell_begin(endo_powell *p, int n, const double *point, const double *steps, double tolerance, int rounds) {
    memset(p, 0, sizeof *p);
    p->n = n;
    p->rounds = rounds;
    p->tolerance = tolerance;
    memcpy(p->point, point, (size_t)n * sizeof *point);
    memcpy(p->steps, steps, (size_t)n * sizeof *steps);
    for (int i = 0; i < n; i++) p->directions[i][i] = 1;
    p->phase = START;
}

static void shift_along(const endo_powell *p, double t, double *out) {
    for (int i = 0; i < p->n; i++) out[i] = p->point[i] + t * p->along[i];
}

int endo_powell_ask(const endo_powell *p, double points[ENDO_POWELL_POINTS][ENDO_SEARCH_PARAMETERS]) {
    double positions[2];
    int n = 1;
    switch (p->phase) {
    case START: memcpy(points[0], p->point, sizeof p->point); break;
    case LINE:
    case LAST_LINE:
        n = endo_line_ask(&p->line, positions);
        for (int i = 0; i < n; i++) shift_along(p, positions[i], points[i]);
        break;
    case BEYOND:
        for (int i = 0; i < p->n; i++) points[0][i] = 2 * p->point[i] - p->begun[i];
        break;
    default: n = 0;
    }
    return n;
}

/* Begins a search along a direction of length 1. */
static void begin_line(endo_powell *p, int phase, const double *along, double step) {
    memcpy(p->along, along, sizeof p->along);
    p->phase = phase;
    endo_line_begin(&p->line, p->value, step, p->tolerance);
}

static void begin_round(endo_powell *p) {
    memcpy(p->begun, p->point, sizeof p->point);
    p->begun_value = p->value;
    p->largest = 0;
    p->steepest = 0;
    p->line_number = 0;
    begin_line(p, LINE, p->directions[0], p->steps[0]);
}

static void end_round(endo_powell *p) {
    double moved = 0;
    for (int i = 0; i < p->n; i++) moved = fmax(moved, fabs(p->point[i] - p->begun[i]));
    if (--p->rounds <= 0 || moved < HARDLY * p->tolerance)
        p->phase = FINISHED;
    else
        begin_round(p);
}

/* Moves to the minimum that was found along a line; returns the distance. */
static double take_line(endo_powell *p) {
    double t = p->line.x;
    shift_along(p, t, p->point);
    p->value = p->line.fx;
    return fabs(t);
}

static void end_line(endo_powell *p) {
    double before = p->value, went = take_line(p), *step = &p->steps[p->line_number];
    /* The next search along the direction begins with a step no longer than the distance that was moved. */
    *step = fmin(*step, fmax(went, 4 * p->tolerance));
    if (before - p->value > p->largest) {
        p->largest = before - p->value;
        p->steepest = p->line_number;
    }
    if (++p->line_number < p->n)
        begin_line(p, LINE, p->directions[p->line_number], p->steps[p->line_number]);
    else if (p->n > 1 && p->value < p->begun_value)
        p->phase = BEYOND;
    else
        end_round(p);
}

/* Powell's test whether the motion of the whole round becomes a new direction. */
static void tell_beyond(endo_powell *p, double beyond) {
    double along[ENDO_SEARCH_PARAMETERS] = {0}, length = 0;
    double f0 = p->begun_value, f1 = p->value, d = p->largest;
    double curvature = 2 * (f0 - 2 * f1 + beyond) * (f0 - f1 - d) * (f0 - f1 - d);
    for (int i = 0; i < p->n; i++) along[i] = p->point[i] - p->begun[i], length += along[i] * along[i];
    length = sqrt(length);
    if (!(beyond < f0) || !(curvature < d * (f0 - beyond) * (f0 - beyond)) || !(length > p->tolerance)) {
        end_round(p);
        return;
    }
    for (int i = 0; i < p->n; i++) along[i] /= length;
    int last = p->n - 1;
    memcpy(p->directions[p->steepest], p->directions[last], sizeof p->along);
    memcpy(p->directions[last], along, sizeof p->along);
    p->steps[p->steepest] = p->steps[last];
    p->steps[last] = length / 2;
    begin_line(p, LAST_LINE, along, length / 2);
}

void endo_powell_tell(endo_powell *p, const double values[ENDO_POWELL_POINTS]) {
    double positions[2];
    switch (p->phase) {
    case START:
        p->value = values[0];
        begin_round(p);
        break;
    case BEYOND: tell_beyond(p, values[0]); break;
    case LINE:
    case LAST_LINE:
        endo_line_tell(&p->line, values);
        if (endo_line_ask(&p->line, positions)) return;
        if (p->phase == LINE) {
            end_line(p);
        } else {
            take_line(p);
            end_round(p);
        }
        break;
    default: break;
    }
}

/* Better and worse than any value. */
#define BEST (-1e100)
#define WORST 1e100

int endo_powell_foresee(const endo_powell *p, double points[ENDO_POWELL_FORESEEN][ENDO_SEARCH_PARAMETERS]) {
    static const double values[3][ENDO_POWELL_POINTS] = {{BEST, WORST}, {WORST, BEST}, {WORST, WORST}};
    double asked[ENDO_POWELL_POINTS][ENDO_SEARCH_PARAMETERS];
    int outcomes = 1 + endo_powell_ask(p, asked), n = 0;
    for (int i = 0; i < outcomes && outcomes > 1; i++) {
        endo_powell after = *p;
        endo_powell_tell(&after, values[i]);
        if ((after.phase == LINE || after.phase == LAST_LINE) && after.line.phase == WITHIN) continue;
        n += endo_powell_ask(&after, points + n);
    }
    return n;
}

int endo_powell_most(const endo_powell *p) { return 1 + p->rounds * ((p->n + 1) * (MOST_STEPS + 2) + 1); }
