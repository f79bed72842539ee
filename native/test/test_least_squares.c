/* The solver of normal equations against planes that are known, and against elimination in long double. */
#include "../base/least_squares.h"

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

int main(void) {
    test_random_planes();
    test_lines();
    return check_summary("test_least_squares");
}
