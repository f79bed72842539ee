/* Transforms against mathematics: points through matrices in long double, neighbours that must not be nearer, fits
 * that must not have a better one beside them. */
#include "include/endorama.h"
#include "check.h"
#include "scene.h"

#include <string.h>

#define ROUNDS 3000

static const double pi = 3.14159265358979323846;

static double between(test_random *r, double low, double high) { return low + (high - low) * test_unit(r); }

/* Angle, scale, shear and perspective as the class has them. */
static endo_transform random_transform(test_random *r, int kind) {
    double angle = kind ? between(r, -pi, pi) : 0, scale = kind >= ENDO_TRANSFORM_SIMILARITY ? between(r, 0.4, 2.5) : 1;
    double c = scale * cos(angle), s = scale * sin(angle);
    endo_transform t = {kind, {c, -s, between(r, -900, 900), s, c, between(r, -900, 900), 0, 0, 1}};
    if (kind >= ENDO_TRANSFORM_AFFINE) t.matrix[0] *= between(r, 0.6, 1.6), t.matrix[1] += between(r, -0.3, 0.3);
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY)
        for (int i = 6; i < 8; i++) t.matrix[i] = between(r, -2e-4, 2e-4);
    return t;
}

static void go(const endo_transform *t, const double p[2], long double out[2]) {
    const double *m = t->matrix;
    long double x = p[0], y = p[1], w = m[6] * x + m[7] * y + m[8];
    out[0] = (m[0] * x + m[1] * y + m[2]) / w;
    out[1] = (m[3] * x + m[4] * y + m[5]) / w;
}

static int refused(endo_status status, const char *text) {
    return status == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), text) != NULL;
}

/* --------------------------------------------------------------- operations */

static void test_points(const endo_transform *a, const endo_transform *b, test_random *r) {
    double p[2] = {between(r, 0, 1500), between(r, 0, 1500)}, moved[2], back[2];
    long double expected[2];
    endo_transform inverse, product;
    go(a, p, expected);
    CHECK(endo_transform_apply(a, p, 1, moved) == ENDO_OK);
    CHECK_NEAR(moved[0], (double)expected[0], 1e-9);
    CHECK_NEAR(moved[1], (double)expected[1], 1e-9);
    CHECK(endo_transform_invert(a, &inverse) == ENDO_OK && inverse.kind == a->kind);
    CHECK(endo_transform_check(&inverse) == ENDO_OK);
    CHECK(endo_transform_apply(&inverse, moved, 1, back) == ENDO_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(back[i], p[i], 1e-6);
    CHECK(endo_transform_compose(a, b, &product) == ENDO_OK); /* first a */
    CHECK(product.kind == (a->kind > b->kind ? a->kind : b->kind) && endo_transform_check(&product) == ENDO_OK);
    double between_them[2] = {(double)expected[0], (double)expected[1]};
    go(b, between_them, expected);
    CHECK(endo_transform_apply(&product, p, 1, moved) == ENDO_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(moved[i], (double)expected[i], 1e-7 * (1 + fabs(moved[i])));
    product = *a;
    CHECK(endo_transform_compose(&product, &inverse, &product) == ENDO_OK); /* in place */
    for (int i = 0; i < 9; i++) CHECK_NEAR(product.matrix[i], i % 4 == 0, 1e-9 * (i % 3 == 2 ? 2000 : 1));
}

static void test_operations(void) {
    test_random r = {3};
    for (int i = 0; i < ROUNDS; i++) {
        endo_transform a = random_transform(&r, i % 5), b = random_transform(&r, test_between(&r, 0, 4));
        test_points(&a, &b, &r);
    }
    const double first[6] = {2, 0, 1, 0, 2, 0}, second[6] = {0, -1, 0, 1, 0, 5};
    endo_transform a = endo_transform_of_affine(first), b = endo_transform_of_affine(second), c;
    CHECK(endo_transform_compose(&a, &b, &c) == ENDO_OK);
    const double expected[9] = {0, -2, 0, 2, 0, 6, 0, 0, 1}; /* doubled and shifted, then turned and shifted */
    CHECK(!memcmp(c.matrix, expected, sizeof expected));
    endo_transform still = endo_transform_identity(), inverse;
    CHECK(endo_transform_invert(&still, &inverse) == ENDO_OK && !memcmp(&still, &inverse, sizeof still));
}

static void test_limits(void) {
    endo_transform flat = {ENDO_TRANSFORM_AFFINE, {1, 2, 0, 2, 4, 0, 0, 0, 1}}, out = {-7, {0}};
    endo_transform line = {ENDO_TRANSFORM_HOMOGRAPHY, {0, 0, 1, 0, 1, 0, 1, 0, 0}}; /* x = 0 goes to infinity */
    endo_transform huge = {ENDO_TRANSFORM_AFFINE, {1e200, 0, 0, 0, 1, 0, 0, 0, 1}};
    double points[4] = {3, 4, 0, 1}, moved[4] = {9, 9, 9, 9};
    CHECK(refused(endo_transform_invert(&flat, &out), "cannot be inverted"));
    flat.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(refused(endo_transform_invert(&flat, &out), "cannot be inverted"));
    for (int i = 0; i < 4; i++) { /* determinants of 1e-13 and 1e-11, of both signs */
        double determinant = (i & 1 ? 1 : -1) * (i & 2 ? 1e-11 : 1e-13);
        endo_transform thin = {ENDO_TRANSFORM_AFFINE, {1, 2, 0, 2, 4 + determinant, 0, 0, 0, 1}}, ignored;
        CHECK((endo_transform_invert(&thin, &ignored) == ENDO_OK) == (i >= 2));
        thin.kind = ENDO_TRANSFORM_HOMOGRAPHY; /* 64 times 1e-12 is asked */
        CHECK((endo_transform_invert(&thin, &ignored) == ENDO_OK) == 0);
    }
    CHECK(refused(endo_transform_compose(&huge, &huge, &out), "not finite"));
    huge.kind = 7;
    CHECK(refused(endo_transform_compose(&line, &huge, &out), "class 7"));
    CHECK(refused(endo_transform_compose(&huge, &line, &out), "class 7"));
    huge.kind = ENDO_TRANSFORM_AFFINE;
    CHECK(refused(endo_transform_apply(&line, points, 2, moved), "point 1, (0, 1)"));
    points[2] = INFINITY;
    CHECK(refused(endo_transform_apply(&huge, points, 2, moved), "point 1"));
    CHECK(moved[0] == 9 && moved[1] == 9 && out.kind == -7);
    CHECK(refused(endo_transform_invert(NULL, &out), "NULL") && refused(endo_transform_invert(&line, NULL), "NULL"));
    CHECK(refused(endo_transform_compose(&line, &line, NULL), "NULL"));
    CHECK(refused(endo_transform_apply(&line, points, 1, NULL), "NULL"));
    CHECK(endo_transform_apply(&line, NULL, 0, NULL) == ENDO_OK);
    CHECK(endo_transform_invert(&line, &out) == ENDO_OK && out.kind == ENDO_TRANSFORM_HOMOGRAPHY);
}

/* ------------------------------------------------------------------ classes */

/* The least class that a matrix is of, as it was made. */
static void test_classes(void) {
    test_random r = {11};
    for (int i = 0; i < ROUNDS; i++) {
        int least = i % 5;
        endo_transform t = random_transform(&r, least);
        for (int kind = 0; kind <= 4; kind++) {
            t.kind = kind;
            CHECK((endo_transform_check(&t) == ENDO_OK) == (kind >= least));
        }
        t.kind = least, t.matrix[0] *= 1 + 1e-12; /* rounding */
        CHECK(endo_transform_check(&t) == ENDO_OK);
        t.matrix[0] += 1e-5;
        CHECK((endo_transform_check(&t) == ENDO_OK) == (least >= ENDO_TRANSFORM_AFFINE));
        t.matrix[i % 9] = i % 2 ? NAN : INFINITY;
        CHECK(refused(endo_transform_check(&t), "must be finite"));
    }
    endo_transform t = endo_transform_identity();
    t.kind = -1;
    CHECK(refused(endo_transform_check(&t), "class -1: must be 0 (translation)"));
    t.kind = 5;
    CHECK(refused(endo_transform_check(&t), "class 5"));
    t.kind = ENDO_TRANSFORM_AFFINE, t.matrix[7] = 1e-5;
    CHECK(refused(endo_transform_check(&t), "not of the class affine"));
    CHECK(refused(endo_transform_check(NULL), "NULL"));
    endo_transform mirror = {ENDO_TRANSFORM_SIMILARITY, {1, 0, 0, 0, -1, 0, 0, 0, 1}};
    CHECK(refused(endo_transform_check(&mirror), "not of the class similarity"));
    endo_transform back = {ENDO_TRANSFORM_TRANSLATION, {-1, 0, 0, 0, -1, 0, 0, 0, 1}}; /* half a turn is no shift */
    CHECK(refused(endo_transform_check(&back), "not of the class translation"));
}

/* Columns of the derivative at p, by differences. */
static void differentiate(const endo_transform *t, const double p[2], double linear[4]) {
    for (int axis = 0; axis < 2; axis++) {
        double low[2] = {p[0], p[1]}, high[2] = {p[0], p[1]};
        long double at_low[2], at_high[2];
        low[axis] -= 1e-3, high[axis] += 1e-3;
        go(t, low, at_low), go(t, high, at_high);
        for (int i = 0; i < 2; i++) linear[2 * i + axis] = (double)((at_high[i] - at_low[i]) / 2e-3L);
    }
}

static double difference(const double linear[4], double a, double b) {
    double d[4] = {linear[0] - a, linear[1] + b, linear[2] - b, linear[3] - a};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
}

/* No similarity or turn beside the nearest one is nearer. */
static void test_no_nearer(const double linear[4], const endo_transform *n) {
    double a = n->matrix[0], b = n->matrix[3], here = difference(linear, a, b), step = 1e-4;
    double c = cos(step), s = sin(step);
    CHECK(difference(linear, c * a - s * b, c * b + s * a) >= here);
    CHECK(difference(linear, c * a + s * b, c * b - s * a) >= here);
    if (n->kind != ENDO_TRANSFORM_SIMILARITY) return;
    CHECK(difference(linear, a * (1 + step), b * (1 + step)) >= here);
    CHECK(difference(linear, a * (1 - step), b * (1 - step)) >= here);
}

static void test_nearest(void) {
    test_random r = {29};
    for (int i = 0; i < ROUNDS; i++) {
        endo_transform t = random_transform(&r, i % 5), n;
        double p[2] = {between(&r, 0, 900), between(&r, 0, 900)}, moved[2], linear[4];
        int kind = test_between(&r, 0, 4);
        long double expected[2];
        CHECK(endo_transform_project(&t, (endo_transform_class)kind, p[0], p[1], &n) == ENDO_OK);
        CHECK(n.kind == kind && endo_transform_check(&n) == ENDO_OK);
        if (kind >= t.kind) CHECK(!memcmp(n.matrix, t.matrix, sizeof n.matrix));
        go(&t, p, expected);
        CHECK(endo_transform_apply(&n, p, 1, moved) == ENDO_OK);
        for (int k = 0; k < 2; k++) CHECK_NEAR(moved[k], (double)expected[k], 1e-8);
        if (kind == ENDO_TRANSFORM_HOMOGRAPHY || kind >= t.kind) continue;
        differentiate(&t, p, linear);
        if (kind == ENDO_TRANSFORM_AFFINE)
            for (int k = 0; k < 4; k++) CHECK_NEAR(n.matrix[k / 2 * 3 + k % 2], linear[k], 1e-7);
        else if (kind != ENDO_TRANSFORM_TRANSLATION)
            test_no_nearer(linear, &n);
    }
    endo_transform mirror = {ENDO_TRANSFORM_AFFINE, {1, 0, 0, 0, -1, 0, 0, 0, 1}}, n = {-7, {0}};
    CHECK(refused(endo_transform_project(&mirror, ENDO_TRANSFORM_RIGID, 1, 2, &n), "no rigid is the nearest"));
    endo_transform huge = {ENDO_TRANSFORM_AFFINE, {1e200, 0, 0, 0, 1e200, 0, 0, 0, 1}}; /* no turn, but its square overflows */
    CHECK(refused(endo_transform_project(&huge, ENDO_TRANSFORM_RIGID, 1, 2, &n), "no rigid is the nearest"));
    CHECK(refused(endo_transform_project(&mirror, (endo_transform_class)5, 1, 2, &n), "class 5"));
    CHECK(refused(endo_transform_project(&mirror, ENDO_TRANSFORM_RIGID, NAN, 2, &n), "must be finite") && n.kind == -7);
}

/* ---------------------------------------------------------------------- fit */

enum { POINTS = 12 };

typedef struct points {
    double from[2 * POINTS], to[2 * POINTS], weights[POINTS];
} points;

static points random_points(test_random *r, const endo_transform *truth, double noise) {
    points p;
    for (int i = 0; i < POINTS; i++) {
        long double to[2];
        p.from[2 * i] = between(r, 0, 700), p.from[2 * i + 1] = between(r, 0, 500);
        go(truth, p.from + 2 * i, to);
        for (int k = 0; k < 2; k++) p.to[2 * i + k] = (double)to[k] + noise * (test_unit(r) - 0.5);
        p.weights[i] = test_between(r, 0, 5) ? between(r, 0.1, 3) : 0;
    }
    return p;
}

static long double cost(const points *p, const endo_transform *t) {
    long double sum = 0, to[2];
    for (int i = 0; i < POINTS; i++) {
        go(t, p->from + 2 * i, to);
        for (int k = 0; k < 2; k++) sum += p->weights[i] * (to[k] - p->to[2 * i + k]) * (to[k] - p->to[2 * i + k]);
    }
    return sum;
}

/* The transform with its parameter number `which` changed a little about the middle of the points: shifted, turned,
 * scaled, or in one number of the linear part. */
static endo_transform changed(const endo_transform *t, int which, double by) {
    const double *m = t->matrix;
    endo_transform out = *t;
    double c = which == 2 ? cos(by) - 1 : which == 3 ? by : 0, s = which == 2 ? sin(by) : 0;
    double d[4] = {c * m[0] - s * m[3], c * m[1] - s * m[4], s * m[0] + c * m[3], s * m[1] + c * m[4]};
    if (which < 2) out.matrix[2 + 3 * which] += 100 * by;
    if (which > 3) d[which - 4] = by;
    for (int i = 0; i < 4; i++) out.matrix[i / 2 * 3 + i % 2] += d[i];
    out.matrix[2] -= 350 * d[0] + 250 * d[1], out.matrix[5] -= 350 * d[2] + 250 * d[3];
    return out;
}

static void test_best(void) {
    static const int parameters[] = {2, 3, 4, 8};
    test_random r = {5};
    for (int i = 0; i < ROUNDS; i++) {
        int solved = 0;
        endo_transform_class kind = (endo_transform_class)(i % 4);
        endo_transform truth = random_transform(&r, (int)kind), fitted;
        points p = random_points(&r, &truth, i % 3 ? 20 : 0);
        CHECK(endo_transform_fit(p.from, p.to, p.weights, POINTS, kind, &fitted, &solved) == ENDO_OK);
        CHECK(solved == 1 && fitted.kind == (int64_t)kind && endo_transform_check(&fitted) == ENDO_OK);
        for (int k = 0; k < 9 && i % 3 == 0; k++)
            CHECK_NEAR(fitted.matrix[k], truth.matrix[k], 1e-8 * (k % 3 == 2 ? 1000 : 1));
        long double best = cost(&p, &fitted);
        for (int k = 0; k < parameters[kind] && i % 3; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                endo_transform other = changed(&fitted, k, sign * 1e-4);
                CHECK(cost(&p, &other) >= best);
            }
    }
}

/* A weight of 3 is the point three times, of 0 not at all; no weights are weights of 1. */
static void test_weights(void) {
    test_random r = {6};
    for (int i = 0; i < 200; i++) {
        endo_transform truth = random_transform(&r, 3), a, b;
        points p = random_points(&r, &truth, 30);
        double from[6 * POINTS], to[6 * POINTS];
        int n = 0, solved[2];
        endo_transform_class kind = (endo_transform_class)(i % 4);
        for (int k = 0; k < POINTS; k++) {
            p.weights[k] = test_between(&r, 0, 3);
            for (int j = 0; j < p.weights[k]; j++, n++) {
                memcpy(from + 2 * n, p.from + 2 * k, 2 * sizeof *from);
                memcpy(to + 2 * n, p.to + 2 * k, 2 * sizeof *to);
            }
        }
        CHECK(endo_transform_fit(p.from, p.to, p.weights, POINTS, kind, &a, &solved[0]) == ENDO_OK);
        CHECK(endo_transform_fit(from, to, NULL, (size_t)n, kind, &b, &solved[1]) == ENDO_OK);
        CHECK(solved[0] && solved[1]);
        for (int k = 0; k < 9; k++) CHECK_NEAR(a.matrix[k], b.matrix[k], 1e-9 * (k % 3 == 2 ? 1000 : 1));
    }
}

static int solves(const double *from, const double *to, const double *weights, size_t n, endo_transform_class kind) {
    endo_transform t = {-7, {0}};
    int solved = 9;
    CHECK(endo_transform_fit(from, to, weights, n, kind, &t, &solved) == ENDO_OK);
    CHECK((solved == 1) == (t.kind == (int64_t)kind) && (solved == 0) == (t.kind == -7));
    return solved;
}

static void test_degenerate(void) {
    double line[20], to[20], same[20], mirrored[20], weights[10] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    test_random r = {7};
    for (int i = 0; i < 10; i++) {
        line[2 * i] = i * 7.3 + 100, line[2 * i + 1] = 2 * line[2 * i] + 5;
        same[2 * i] = 0.1, same[2 * i + 1] = 1e3 / 3;
        to[2 * i] = between(&r, 0, 99), to[2 * i + 1] = between(&r, 0, 99);
        mirrored[2 * i] = -to[2 * i], mirrored[2 * i + 1] = to[2 * i + 1];
    }
    CHECK(!solves(line, to, NULL, 10, ENDO_TRANSFORM_AFFINE) && solves(line, to, NULL, 10, ENDO_TRANSFORM_SIMILARITY));
    CHECK(!solves(line, to, NULL, 2, ENDO_TRANSFORM_AFFINE) && solves(line, to, NULL, 2, ENDO_TRANSFORM_RIGID));
    for (int kind = ENDO_TRANSFORM_RIGID; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        CHECK(!solves(same, to, NULL, 10, (endo_transform_class)kind));
        CHECK(!solves(line, to, NULL, 1, (endo_transform_class)kind));
        CHECK(!solves(line, to, weights, 10, (endo_transform_class)kind));
        CHECK(kind == ENDO_TRANSFORM_AFFINE || !solves(to, same, NULL, 10, (endo_transform_class)kind));
    }
    double thin[8] = {0, 0, 100, 0, 200, 0.06, 300, 0}, bent[8] = {0, 0, 100, 0, 200, 6, 300, 0};
    CHECK(!solves(thin, to, NULL, 4, ENDO_TRANSFORM_AFFINE) && solves(bent, to, NULL, 4, ENDO_TRANSFORM_AFFINE));
    double square[8] = {0, 0, 9, 0, 9, 9, 0, 9}, turned_over[8] = {0, 9, 9, 9, 9, 0, 0, 0};
    CHECK(!solves(square, turned_over, NULL, 4, ENDO_TRANSFORM_RIGID));
    CHECK(solves(square, turned_over, NULL, 4, ENDO_TRANSFORM_AFFINE));
    CHECK(solves(to, mirrored, NULL, 10, ENDO_TRANSFORM_AFFINE));
    CHECK(solves(same, to, weights, 10, ENDO_TRANSFORM_TRANSLATION));
    CHECK(!solves(to, to, NULL, 0, ENDO_TRANSFORM_TRANSLATION));
    weights[1] = 0;
    CHECK(!solves(to, to, weights, 10, ENDO_TRANSFORM_TRANSLATION));
    double far[4] = {1e308, 0, 1e308, 1}, near[4] = {0, 0, 1, 1};
    CHECK(!solves(near, far, NULL, 2, ENDO_TRANSFORM_TRANSLATION)); /* the mean is too large for a number */
}

static void test_refusals(void) {
    double from[20], to[20], weights[10];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    endo_transform t = {-7, {0}};
    int solved = 9;
    for (int i = 0; i < 20; i++) from[i] = to[i] = i * i % 17, weights[i / 2] = 1;
    for (int i = 0; i < 60; i++) {
        double *v = i % 3 == 0 ? from + i % 20 : i % 3 == 1 ? to + i % 20 : weights + i % 10, kept = *v;
        *v = bad[i / 3 % 3];
        endo_transform_class kind = (endo_transform_class)(i % 4);
        CHECK(endo_transform_fit(from, to, weights, 10, kind, &t, &solved) == ENDO_ERR_ARGUMENT);
        *v = kept;
    }
    weights[3] = -1e-9;
    CHECK(refused(endo_transform_fit(from, to, weights, 10, ENDO_TRANSFORM_RIGID, &t, &solved), "weights[3] is -1e-0"));
    CHECK(endo_transform_fit(from, to, NULL, 10, ENDO_TRANSFORM_HOMOGRAPHY, &t, &solved) == ENDO_ERR_UNSUPPORTED);
    CHECK(strstr(endo_last_error(), "fit: a homography") != NULL);
    CHECK(refused(endo_transform_fit(from, to, NULL, 10, (endo_transform_class)-3, &t, &solved), "class -3"));
    CHECK(refused(endo_transform_fit(NULL, to, NULL, 10, ENDO_TRANSFORM_RIGID, &t, &solved), "NULL"));
    CHECK(t.kind == -7 && solved == 9);
}

int main(void) {
    test_operations();
    test_limits();
    test_classes();
    test_nearest();
    test_best();
    test_weights();
    test_degenerate();
    test_refusals();
    return check_summary("test_transform");
}
