/* Powell's method, Brent's search and Newton's steps on functions whose minimum is known. */
#include "check.h"

#include "base/math/newton.h"

#include <string.h>

/* ------------------------------------------------------------------- line */

typedef double (*curve)(double t);

static double parabola(double t) { return 3 * (t - 0.7) * (t - 0.7) + 2; }
static double tilted(double t) { return fabs(t + 1.3) + 0.2 * t; }
static double far_away(double t) { return (t - 30) * (t - 30); }
static double flat(double t) { return 1 + 0 * t; }
static double quartic(double t) { return t * t * t * t - 3 * t * t * t + 2; } /* least at 2.25 */
static double falling(double t) { return -t; }

static double search_line(curve f, double step, double tolerance, int *evaluations) {
    endo_line line;
    double places[2], values[2];
    int n;
    *evaluations = 1;
    endo_line_begin(&line, f(0), step, tolerance);
    while ((n = endo_line_ask(&line, places)) > 0) {
        for (int i = 0; i < n; i++) values[i] = f(places[i]);
        *evaluations += n;
        endo_line_tell(&line, values);
        CHECK(*evaluations < 60);
        if (*evaluations >= 60) break;
    }
    CHECK(line.fx == f(line.x));
    return line.x;
}

static void test_lines(void) {
    int n;
    CHECK_NEAR(search_line(parabola, 1, 0.01, &n), 0.7, 0.02);
    CHECK(n <= 8);
    CHECK_NEAR(search_line(parabola, -1, 0.01, &n), 0.7, 0.02);
    CHECK_NEAR(search_line(parabola, 1, 1e-5, &n), 0.7, 2e-5);
    CHECK_NEAR(search_line(tilted, 1, 0.001, &n), -1.3, 0.003);
    CHECK_NEAR(search_line(far_away, 1, 0.01, &n), 30, 0.02);
    CHECK(n <= 20);
    CHECK_NEAR(search_line(quartic, 0.5, 0.001, &n), 2.25, 0.003);
    CHECK_NEAR(search_line(flat, 1, 0.01, &n), 0, 1);
    CHECK(search_line(falling, 1, 0.01, &n) > 30); /* ends all the same */
}

/* ----------------------------------------------------------------- Powell */

typedef double (*surface)(const double *p, int n);

/* Long valleys across the axes. */
static double valleys(const double *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double u = p[i] - 0.3 * i - 1, v = i ? p[i] - p[i - 1] - 0.3 : 0;
        sum += (1 + i) * u * u + 20 * v * v;
    }
    return sum;
}

static double banana(const double *p, int n) {
    double a = 1 - p[0], b = p[1] - p[0] * p[0];
    (void)n;
    return a * a + 100 * b * b;
}

static double round_hill(const double *p, int n) {
    double square = 0;
    for (int i = 0; i < n; i++) square += p[i] * p[i];
    return -1 / (1 + square);
}

static int minimize(surface f, int n, const double *from, double step, double tolerance, double *found) {
    endo_powell p;
    double points[ENDO_POWELL_POINTS][ENDO_SEARCH_PARAMETERS], values[ENDO_POWELL_POINTS], steps[ENDO_SEARCH_PARAMETERS];
    int evaluations = 0, asked;
    for (int i = 0; i < n; i++) steps[i] = step;
    endo_powell_begin(&p, n, from, steps, tolerance, 200);
    while ((asked = endo_powell_ask(&p, points)) > 0 && evaluations < 20000) {
        for (int i = 0; i < asked; i++) values[i] = f(points[i], n);
        evaluations += asked;
        endo_powell_tell(&p, values);
    }
    CHECK(p.value == f(p.point, n));
    memcpy(found, p.point, (size_t)n * sizeof *found);
    return evaluations;
}

static void test_surfaces(void) {
    double zero[ENDO_SEARCH_PARAMETERS] = {0}, found[ENDO_SEARCH_PARAMETERS];
    for (int n = 1; n <= ENDO_SEARCH_PARAMETERS; n++) {
        int evaluations = minimize(valleys, n, zero, 0.5, 1e-4, found);
        for (int i = 0; i < n; i++) CHECK_NEAR(found[i], 0.3 * i + 1, 3e-3);
        CHECK(evaluations <= 60 * n * (n < 3 ? 2 : n));
    }
    const double classic[2] = {-1.2, 1};
    CHECK(minimize(banana, 2, classic, 0.5, 1e-5, found) < 1200);
    CHECK_NEAR(found[0], 1, 1e-2);
    CHECK_NEAR(found[1], 1, 1e-2);
    const double slope[6] = {2, -3, 1, 0.5, -0.2, 3};
    int evaluations = minimize(round_hill, 6, slope, 0.5, 1e-3, found);
    for (int i = 0; i < 6; i++) CHECK_NEAR(found[i], 0, 5e-3);
    CHECK(evaluations < 400);
}

/* Whether all of these points are among those that were foreseen. */
static int are_foreseen(int n, int asked, double (*points)[ENDO_SEARCH_PARAMETERS], int foreseen,
                        double (*known)[ENDO_SEARCH_PARAMETERS]) {
    int found = 0;
    for (int i = 0; i < asked; i++)
        for (int k = 0; k < foreseen; k++)
            if (!memcmp(points[i], known[k], (size_t)n * sizeof(double))) {
                found++;
                break;
            }
    return found == asked;
}

/* All questions with two points, which begin a line, and at least two fifths of all are foreseen, bit by bit. */
static void test_foreseen(void) {
    endo_powell p;
    double points[ENDO_POWELL_POINTS][ENDO_SEARCH_PARAMETERS], values[ENDO_POWELL_POINTS] = {0};
    double known[ENDO_POWELL_FORESEEN][ENDO_SEARCH_PARAMETERS], steps[6], zero[6] = {0};
    int questions = 0, hits = 0, foreseen = 0, asked, evaluations = 0;
    for (int i = 0; i < 6; i++) steps[i] = 0.5;
    endo_powell_begin(&p, 6, zero, steps, 1e-4, 200);
    int most = endo_powell_most(&p);
    for (; (asked = endo_powell_ask(&p, points)) > 0; questions++, evaluations += asked) {
        int hit = are_foreseen(6, asked, points, foreseen, known);
        CHECK(hit || asked == 1);
        hits += hit;
        foreseen = endo_powell_foresee(&p, known);
        CHECK(foreseen >= 0 && foreseen <= ENDO_POWELL_FORESEEN);
        for (int i = 0; i < asked; i++) values[i] = valleys(points[i], 6);
        endo_powell_tell(&p, values);
    }
    CHECK(endo_powell_foresee(&p, known) == 0);
    CHECK(5 * hits > 2 * questions && hits < questions);
    CHECK(evaluations <= most);
}

/* ----------------------------------------------------------------- Newton */

static int minimize_by_differences(surface f, int n, const double *from, double span, double tolerance, double *found) {
    endo_newton s;
    double points[ENDO_NEWTON_POINTS][ENDO_SEARCH_PARAMETERS], values[ENDO_NEWTON_POINTS], spans[ENDO_SEARCH_PARAMETERS];
    int evaluations = 0, asked;
    for (int i = 0; i < n; i++) spans[i] = span;
    endo_newton_begin(&s, n, from, spans, tolerance, 200);
    while ((asked = endo_newton_ask(&s, points)) > 0 && evaluations < 20000) {
        for (int i = 0; i < asked; i++) values[i] = f(points[i], n);
        evaluations += asked;
        endo_newton_tell(&s, values);
    }
    CHECK_NEAR(s.value, f(s.point, n), 1e-12);
    memcpy(found, s.point, (size_t)n * sizeof *found);
    return evaluations;
}

static double bowl(const double *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (1 + i) * (p[i] - 0.2 * i - 1) * (p[i] - 0.2 * i - 1);
    return sum;
}

static void test_differences(void) {
    double zero[ENDO_SEARCH_PARAMETERS] = {0}, found[ENDO_SEARCH_PARAMETERS];
    for (int n = 1; n <= ENDO_SEARCH_PARAMETERS; n++) {
        int evaluations = minimize_by_differences(bowl, n, zero, 0.5, 1e-3, found);
        for (int i = 0; i < n; i++) CHECK_NEAR(found[i], 0.2 * i + 1, 2e-3);
        CHECK(evaluations <= 12 * (2 * n + 6));
    }
    const double slope[6] = {2, -3, 1, 0.5, -0.2, 3};
    minimize_by_differences(round_hill, 6, slope, 0.5, 1e-3, found);
    for (int i = 0; i < 6; i++) CHECK_NEAR(found[i], 0, 5e-3);
    minimize_by_differences(valleys, 3, zero, 0.5, 1e-4, found);
    for (int i = 0; i < 3; i++) CHECK_NEAR(found[i], 0.3 * i + 1, 2e-2);
}

/* One round by hand: differences to both sides, a step to the least of their parabola, at most four spans, downhill where
 * there is none, and of that step six parts. */
static void test_round(double slope, double bend, double step) {
    static const double parts[] = {0.0625, 0.125, 0.25, 0.5, 1, 2};
    const double start[1] = {3}, span[1] = {0.5};
    endo_newton s;
    double points[ENDO_NEWTON_POINTS][ENDO_SEARCH_PARAMETERS], values[ENDO_NEWTON_POINTS] = {10};
    endo_newton_begin(&s, 1, start, span, 1e-6, 5);
    CHECK(endo_newton_ask(&s, points) == 1 && points[0][0] == 3);
    endo_newton_tell(&s, values);
    CHECK(endo_newton_ask(&s, points) == 2 && points[0][0] == 2.5 && points[1][0] == 3.5);
    values[0] = 10 - 0.5 * slope + 0.125 * bend;
    values[1] = 10 + 0.5 * slope + 0.125 * bend;
    endo_newton_tell(&s, values);
    CHECK(endo_newton_ask(&s, points) == 6);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(points[i][0], 3 + parts[i] * step, 1e-12);
        values[i] = i == 3 ? 9 : 11;
    }
    endo_newton_tell(&s, values);
    CHECK_NEAR(s.point[0], 3 + 0.5 * step, 1e-12);
    CHECK(s.value == 9);
    CHECK_NEAR(s.spans[0], fmin(0.5, fmax(0.25, fabs(0.5 * step))), 1e-12); /* as far as it went, from half to all */
}

static void test_rounds(void) {
    test_round(0.4, 2, -0.2);
    test_round(-1.2, 2, 0.6);
    test_round(3, 2, -1.5);
    test_round(5, 2, -2); /* 2.5, but for the bound */
    test_round(-5, 2, 2);
    test_round(1, 0, -2);
    test_round(-1, -3, 2);
    test_round(0, 0, 0);
}

int main(void) {
    test_rounds();
    test_differences();
    test_lines();
    test_surfaces();
    test_foreseen();
    return check_summary("test_powell");
}
