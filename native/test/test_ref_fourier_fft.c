/* The transform of the reference (ref/fourier_fft.c) against mathematics: planes by the definition and in closed form,
 * Parseval's theorem, and correlations by their sums. */
#include "ref/ref_fourier.h"
#include "check.h"
#include "scene.h"

#include <string.h>

enum { COLUMNS = 12, ROWS = 10, PLANE = COLUMNS * ROWS };

static const double PI = 3.14159265358979323846;

static int wrapped(int i, int n) { return ((i % n) + n) % n; }

/* -------------------------------------------------------------------- transforms */

static double furthest(const ref_complex *a, const ref_complex *b, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, hypot(a[i].re - b[i].re, a[i].im - b[i].im));
    return worst;
}

static void fill_random(ref_complex *x, int n, uint64_t seed) {
    test_random r = {seed};
    for (int i = 0; i < n; i++) {
        x[i].re = test_unit(&r) - 0.5;
        x[i].im = test_unit(&r) - 0.5;
    }
}

/* The sum over all numbers, each turned by its angle: the definition. */
static ref_complex transformed(const ref_complex *x, int columns, int rows, int u, int v, int sign) {
    ref_complex sum = {0, 0};
    for (int y = 0; y < rows; y++)
        for (int c = 0; c < columns; c++) {
            double angle = sign * 2 * PI * ((double)(u * c % columns) / columns + (double)(v * y % rows) / rows);
            const ref_complex *one = &x[y * columns + c];
            sum.re += one->re * cos(angle) - one->im * sin(angle);
            sum.im += one->re * sin(angle) + one->im * cos(angle);
        }
    return sum;
}

static void test_planes_by_definition(void) {
    static const int sizes[][2] = {{1, 1}, {1, 8}, {8, 1}, {COLUMNS, ROWS}, {ROWS, COLUMNS}, {15, 16}};
    for (int s = 0; s < 6; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int columns = sizes[s][0];
            int rows = sizes[s][1];
            ref_complex x[15 * 16];
            ref_complex expected[15 * 16];
            fill_random(x, columns * rows, (uint64_t)(7 + s));
            for (int i = 0; i < columns * rows; i++)
                expected[i] = transformed(x, columns, rows, i % columns, i / columns, sign);
            CHECK(ref_fft_plane(x, columns, rows, sign) == ENDO_OK);
            CHECK_NEAR(furthest(x, expected, columns * rows), 0, 1e-12);
        }
}

/* A single 1 at (5, 3) has numbers of magnitude 1, whose angle grows along both axes. */
static void test_a_delta_is_a_wave(void) {
    ref_complex x[PLANE] = {{0}};
    ref_complex expected[PLANE];
    x[3 * COLUMNS + 5].re = 1;
    for (int i = 0; i < PLANE; i++) {
        double angle = -2 * PI * (5.0 * (i % COLUMNS) / COLUMNS + 3.0 * (i / COLUMNS) / ROWS);
        expected[i] = (ref_complex){cos(angle), sin(angle)};
    }
    CHECK(ref_fft_plane(x, COLUMNS, ROWS, -1) == ENDO_OK);
    CHECK_NEAR(furthest(x, expected, PLANE), 0, 1e-13);
}

/* Four waves across and two down, shifted by one radian: half of all numbers at (4, 2), turned by it, and the mirror image. */
static void test_a_shifted_cosine_is_two_numbers(void) {
    ref_complex x[PLANE] = {{0}};
    ref_complex expected[PLANE] = {{0}};
    for (int i = 0; i < PLANE; i++)
        x[i].re = cos(2 * PI * (4.0 * (i % COLUMNS) / COLUMNS + 2.0 * (i / COLUMNS) / ROWS) + 1);
    expected[2 * COLUMNS + 4] = (ref_complex){PLANE / 2.0 * cos(1), PLANE / 2.0 * sin(1)};
    expected[(ROWS - 2) * COLUMNS + COLUMNS - 4] = (ref_complex){PLANE / 2.0 * cos(1), -PLANE / 2.0 * sin(1)};
    CHECK(ref_fft_plane(x, COLUMNS, ROWS, -1) == ENDO_OK);
    CHECK_NEAR(furthest(x, expected, PLANE), 0, 1e-12);
}

/* Parseval: squares sum up to n times as much; and the way there and back is n times the plane. */
static void test_nothing_is_lost(void) {
    ref_complex x[PLANE];
    ref_complex before[PLANE];
    double there = 0;
    double here = 0;
    fill_random(x, PLANE, 3);
    memcpy(before, x, sizeof x);
    CHECK(ref_fft_plane(x, COLUMNS, ROWS, -1) == ENDO_OK);
    for (int i = 0; i < PLANE; i++) {
        here += before[i].re * before[i].re + before[i].im * before[i].im;
        there += x[i].re * x[i].re + x[i].im * x[i].im;
    }
    CHECK_NEAR(there, PLANE * here, 1e-10);
    CHECK(ref_fft_plane(x, COLUMNS, ROWS, 1) == ENDO_OK);
    for (int i = 0; i < PLANE; i++) {
        before[i].re *= PLANE;
        before[i].im *= PLANE;
    }
    CHECK_NEAR(furthest(x, before, PLANE), 0, 1e-11);
}

static void test_normalised_squares_are_one(void) {
    ref_complex x[3] = {{3, 0}, {0, 4}, {-12, 0}};
    const ref_complex expected[3] = {{3 / 13.0, 0}, {0, 4 / 13.0}, {-12 / 13.0, 0}};
    ref_complex zeros[2] = {{0, 0}, {0, 0}};
    const ref_complex still[2] = {{0, 0}, {0, 0}};
    ref_normalise(x, 3);
    CHECK_NEAR(furthest(x, expected, 3), 0, 1e-15);
    ref_normalise(zeros, 2);
    CHECK(furthest(zeros, still, 2) == 0);
}

/* ------------------------------------------------------------------- correlations */

/* Heights are coefficients: at (x, y) sum a(u + x, v + y) b(u, v), or without the conjugate sum a(x - u, y - v) b(u, v), over
 * the roots of the sums of squares; planes are periodic. */
static double coefficient(const double *a, const double *b, int conjugate, int x, int y) {
    double sum = 0;
    double squares[2] = {0, 0};
    for (int i = 0; i < PLANE; i++) {
        int u = i % COLUMNS;
        int v = i / COLUMNS;
        int column = wrapped(conjugate ? u + x : x - u, COLUMNS);
        int row = wrapped(conjugate ? v + y : y - v, ROWS);
        sum += a[row * COLUMNS + column] * b[i];
        squares[0] += a[i] * a[i];
        squares[1] += b[i] * b[i];
    }
    return sum / sqrt(squares[0] * squares[1]);
}

static void make_spectrum(const double *values, ref_complex *out) {
    for (int i = 0; i < PLANE; i++) out[i] = (ref_complex){values[i], 0};
    CHECK(ref_fft_plane(out, COLUMNS, ROWS, -1) == ENDO_OK);
    ref_normalise(out, PLANE);
}

static void correlate(const double *a, const double *b, int conjugate, double *heights) {
    ref_complex spectra[2][PLANE];
    ref_complex power[PLANE];
    make_spectrum(a, spectra[0]);
    make_spectrum(b, spectra[1]);
    CHECK(ref_correlate(spectra[0], spectra[1], conjugate, COLUMNS, ROWS, power, heights) == ENDO_OK);
}

static void test_correlations_by_their_sums(void) {
    double a[PLANE];
    double b[PLANE];
    double heights[PLANE];
    test_random r = {5};
    for (int i = 0; i < PLANE; i++) {
        a[i] = test_unit(&r) - 0.5;
        b[i] = test_unit(&r) - 0.4;
    }
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        correlate(a, b, conjugate, heights);
        for (int i = 0; i < PLANE; i++) CHECK_NEAR(heights[i], coefficient(a, b, conjugate, i % COLUMNS, i / COLUMNS), 1e-13);
    }
}

/* An image moved by (-5, 3) correlates to 1 there; one that is turned by 180 degrees, without the conjugate. */
static void test_shifts_are_found(void) {
    double still[PLANE];
    double moved[PLANE];
    double turned[PLANE];
    double heights[PLANE];
    test_random r = {6};
    for (int i = 0; i < PLANE; i++) still[i] = test_unit(&r) - 0.5;
    for (int i = 0; i < PLANE; i++) {
        int x = i % COLUMNS;
        int y = i / COLUMNS;
        moved[i] = still[wrapped(y + 3, ROWS) * COLUMNS + wrapped(x - 5, COLUMNS)];
        turned[i] = still[wrapped(3 - y, ROWS) * COLUMNS + wrapped(-5 - x, COLUMNS)];
    }
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        correlate(still, conjugate ? moved : turned, conjugate, heights);
        int at = 3 * COLUMNS + COLUMNS - 5;
        CHECK_NEAR(heights[at], 1, 1e-13);
        for (int i = 0; i < PLANE; i++) CHECK(i == at || heights[i] < 0.9);
    }
}

int main(void) {
    test_planes_by_definition();
    test_a_delta_is_a_wave();
    test_a_shifted_cosine_is_two_numbers();
    test_nothing_is_lost();
    test_normalised_squares_are_one();
    test_correlations_by_their_sums();
    test_shifts_are_found();
    return check_summary("test_ref_fourier_fft");
}
