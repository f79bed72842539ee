/* The solvers of normal equations against planes and numbers that are known, and against elimination in long double. */
#include "base/math/cholesky.h"
#include "base/math/eliminate.h"
#include "base/math/least_squares.h"

#include "check.h"
#include "scene.h"

typedef struct sums {
    double s[6], r[3];
} sums;

static void add(sums *q, double w, double x, double y, double d) {
    double terms[6] = {w, w * x, w * y, w * x * x, w * x * y, w * y * y}, right[3] = {w * d, w * x * d, w * y * d};
    for (int i = 0; i < 6; i++) q->s[i] += terms[i];
    for (int i = 0; i < 3; i++) q->r[i] += right[i];
}

/* Gauss and Jordan, without pivots: the matrix is positive definite. */
static void eliminate(const sums *q, long double c[3]) {
    long double e[3][4] = {{q->s[0], q->s[1], q->s[2], q->r[0]},
                           {q->s[1], q->s[3], q->s[4], q->r[1]},
                           {q->s[2], q->s[4], q->s[5], q->r[2]}};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            if (b == a) continue;
            long double factor = e[b][a] / e[a][a];
            for (int k = 0; k < 4; k++) e[b][k] -= factor * e[a][k];
        }
    for (int a = 0; a < 3; a++) c[a] = e[a][3] / e[a][a];
}

static void test_random_planes(void) {
    test_random r = {4};
    for (int i = 0; i < 20000; i++) {
        sums q = {{0}, {0}};
        double truth[3], c[3];
        long double expected[3];
        int exact = i % 2, n = test_between(&r, 3, 40);
        for (int k = 0; k < 3; k++) truth[k] = test_between(&r, -8, 8);
        for (int k = 0; k < n; k++) { /* the first three are no line */
            double x = k < 3 ? k % 2 : test_between(&r, -9, 9), y = k < 3 ? k / 2 : test_between(&r, -9, 9);
            double d = truth[0] + truth[1] * x + truth[2] * y + (exact ? 0 : test_unit(&r) - 0.5);
            add(&q, exact ? test_between(&r, 1, 5) : 0.1 + test_unit(&r), x, y, d);
        }
        CHECK(endo_plane_solve(q.s, q.r, c));
        eliminate(&q, expected);
        for (int k = 0; k < 3; k++) CHECK_NEAR(c[k], (double)expected[k], 1e-9);
        for (int k = 0; k < 3 && exact; k++) CHECK_NEAR(c[k], truth[k], 1e-9);
    }
}

/* Points across a line by `across`, along it by 1: the determinant is about across^2 of the diagonal's product. */
static int is_solved(double across, double c[3]) {
    sums q = {{0}, {0}};
    for (int i = -5; i <= 5; i++) {
        double side = i % 2 ? across : -across;
        add(&q, 1, i - side, i + side, 3);
    }
    return endo_plane_solve(q.s, q.r, c);
}

static void test_lines(void) {
    double c[3] = {7, 8, 9}, line[6] = {4, 6, 12, 14, 28, 56}, right[3] = {1, 2, 3};
    CHECK(!endo_plane_solve(line, right, c));
    CHECK(!is_solved(0, c) && !is_solved(1e-7, c));
    CHECK(c[0] == 7 && c[1] == 8 && c[2] == 9);
    CHECK(is_solved(1e-3, c));
    double none[6] = {0}, bad[6] = {4, 0, 0, NAN, 0, 3};
    c[1] = 8;
    CHECK(!endo_plane_solve(none, right, c) && !endo_plane_solve(bad, right, c) && c[1] == 8);
}

/* ------------------------------------------------------------- more numbers */

enum { SIZE = 9 };

/* B B' of random numbers, and a part of one: positive; NAN beyond n rows and columns. */
static void random_equations(test_random *r, int n, double a[SIZE][SIZE]) {
    double b[SIZE][SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) b[i / SIZE][i % SIZE] = test_unit(r) - 0.5;
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++) {
            a[i][k] = i == k ? 0.1 : 0;
            for (int j = 0; j < SIZE; j++) a[i][k] += b[i][j] * b[k][j];
            if (i >= n || k >= n) a[i][k] = NAN;
        }
}

/* A row of the equations, of which the lower half is stored, times x. */
static double row_times(double a[SIZE][SIZE], int n, int row, const double x[SIZE]) {
    long double sum = 0;
    for (int k = 0; k < n; k++) sum += (long double)(k <= row ? a[row][k] : a[k][row]) * x[k];
    return (double)sum;
}

static void test_cholesky(void) {
    test_random r = {6};
    for (int round = 0; round < 900; round++) {
        double a[SIZE][SIZE], lower[SIZE][SIZE], inverse[SIZE][SIZE], right[SIZE], truth[SIZE], x[SIZE];
        int n = 1 + round % SIZE;
        random_equations(&r, n, a);
        for (int i = 0; i < SIZE; i++) truth[i] = test_unit(&r) - 0.5, right[i] = NAN;
        for (int i = 0; i < SIZE * SIZE; i++) lower[i / SIZE][i % SIZE] = NAN;
        for (int i = 0; i < n; i++) right[i] = row_times(a, n, i, truth);
        for (int i = 0; i < n; i++)
            for (int k = i + 1; k < n; k++) a[i][k] = NAN; /* is not read */
        CHECK(endo_cholesky(*a, SIZE, n, *lower));
        endo_cholesky_solve(*lower, SIZE, n, right, x);
        for (int i = 0; i < SIZE; i++) CHECK_NEAR(x[i], i < n ? truth[i] : 0, 1e-12);
        endo_cholesky_invert(*lower, SIZE, n, *inverse);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < SIZE; k++)
                CHECK_NEAR(k < n ? row_times(a, n, k, inverse[i]) : inverse[i][k], i == k ? 1 : 0, 1e-12);
    }
}

/* Two numbers whose second one is so little more than what follows from the first. */
static int is_determined(double more) {
    double a[2][2] = {{4, 0}, {4, 4 + more}}, lower[2][2];
    return endo_cholesky(*a, 2, 2, *lower);
}

static void test_not_determined(void) {
    double none[2][2] = {{0, 0}, {0, 1}}, bad[2][2] = {{1, 0}, {NAN, 1}}, lower[2][2];
    CHECK(is_determined(8e-9) && !is_determined(2e-9) && !is_determined(0) && !is_determined(-1));
    CHECK(!endo_cholesky(*none, 2, 2, *lower) && !endo_cholesky(*bad, 2, 2, *lower));
}

/* Equations of which some unknowns are in none: these are 0, and the others as without them. */
static void test_elimination(void) {
    test_random r = {7};
    for (int round = 0; round < 900; round++) {
        double a[SIZE][SIZE], m[ENDO_ELIMINATE_MOST * (ENDO_ELIMINATE_MOST + 1)] = {0}, truth[SIZE] = {0}, x[SIZE];
        int n = 1 + round % ENDO_ELIMINATE_MOST, unasked = (int)(test_next(&r) & test_next(&r));
        random_equations(&r, SIZE, a);
        for (int i = 0; i < n; i++) truth[i] = unasked >> i & 1 ? 0 : test_unit(&r) - 0.5;
        for (int i = 0; i < n; i++) {
            if (unasked >> i & 1) continue;
            for (int k = 0; k < n; k++) m[i * (n + 1) + k] = unasked >> k & 1 ? 0 : a[i][k];
            m[i * (n + 1) + n] = row_times(a, n, i, truth);
        }
        endo_eliminate(m, n, x);
        for (int i = 0; i < n; i++) CHECK_NEAR(x[i], truth[i], 1e-12);
    }
}

/* An equation that follows from the first but for rounding tells nothing: its unknown is 0. */
static void test_what_nothing_tells(void) {
    double same[2][3] = {{4, 4, 8}, {4, 4 + 2e-9, 8 + 2e-9}}, other[2][3] = {{4, 4, 8}, {4, 4 + 8e-9, 8 + 8e-9}}, x[2];
    endo_eliminate(*same, 2, x);
    CHECK(x[0] == 2 && x[1] == 0);
    endo_eliminate(*other, 2, x);
    CHECK_NEAR(x[0], 1, 1e-6);
    CHECK_NEAR(x[1], 1, 1e-6);
}

int main(void) {
    test_random_planes();
    test_lines();
    test_cholesky();
    test_not_determined();
    test_elimination();
    test_what_nothing_tells();
    return check_summary("test_least_squares");
}
