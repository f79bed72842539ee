/* The reference's Fourier registration against mathematics: transforms of planes that are known in closed form, correlations
 * by their sums, and levels, values, weights and peaks as their definitions read. */
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

/* -------------------------------------------------------------------------- levels */

enum { WIDTH = 45, HEIGHT = 38, AREA = WIDTH * HEIGHT };

static uint8_t grey[AREA];
static uint8_t bright[AREA];
static uint8_t field[AREA];
static ref_frame frame = {.grey = grey, .plain = grey, .bright = bright};
static const ref_store store = {.options = {.width = WIDTH, .height = HEIGHT}, .field = field, .frames = &frame};

/* Any grey values; some single pixels are highlights, and a corner lies outside the field. */
static void fill_frame(void) {
    test_random r = {8};
    for (int i = 0; i < AREA; i++) {
        grey[i] = (uint8_t)test_between(&r, 0, 255);
        bright[i] = test_between(&r, 0, 39) == 0 ? 255 : 0;
        field[i] = i % WIDTH + i / WIDTH < 9 ? 0 : 255;
    }
}

static ref_level level_of(int width, int height, int level) {
    ref_level made = {0, 0, NULL, NULL};
    CHECK(ref_level_make(&store, 0, width, height, level, &made) == ENDO_OK);
    return made;
}

static void test_the_first_level_is_the_frame(void) {
    fill_frame();
    ref_level made = level_of(WIDTH - 4, HEIGHT - 1, 0);
    CHECK(made.width == WIDTH - 4 && made.height == HEIGHT - 1);
    for (int i = 0; i < made.width * made.height; i++) {
        int from = i / made.width * WIDTH + i % made.width;
        CHECK(made.grey[i] == grey[from] && made.valid[i] == (field[from] && !bright[from]));
    }
    ref_level_free(&made);
    CHECK(!made.grey && !made.valid);
}

/* Rounded means of 2 x 2 pixels, valid where all four are; an odd last column or row is left out. */
static void test_levels_are_halved(void) {
    fill_frame();
    for (int level = 1; level <= 2; level++) {
        ref_level below = level_of(WIDTH, HEIGHT, level - 1);
        ref_level made = level_of(WIDTH, HEIGHT, level);
        CHECK(made.width == WIDTH >> level && made.height == HEIGHT >> level);
        for (int i = 0; i < made.width * made.height; i++) {
            double sum = 0;
            int valid = 1;
            for (int k = 0; k < 4; k++) {
                int at = (i / made.width * 2 + k / 2) * below.width + i % made.width * 2 + k % 2;
                sum += below.grey[at];
                valid &= below.valid[at];
            }
            CHECK(made.grey[i] == floor(sum / 4 + 0.5) && made.valid[i] == valid);
        }
        ref_level_free(&below);
        ref_level_free(&made);
    }
}

/* -------------------------------------------------------------------------- values */

static int smaller(int a, int b) { return a < b ? a : b; }

/* Four times a pixel less the mean of the rectangle about it, rounded, which reaches `half` pixels, or to the nearer border;
 * no value where more than an eighth of the rectangle has none. */
static double highpass(const ref_level *l, int x, int y, int half) {
    int across = smaller(half, smaller(x, l->width - 1 - x));
    int down = smaller(half, smaller(y, l->height - 1 - y));
    double sum = 0;
    double count = 0;
    for (int v = y - down; v <= y + down; v++)
        for (int u = x - across; u <= x + across; u++)
            if (l->valid[v * l->width + u]) {
                sum += l->grey[v * l->width + u];
                count++;
            }
    if (count < 7.0 / 8 * (2 * across + 1) * (2 * down + 1)) return -32768;
    return 4 * l->grey[y * l->width + x] - floor(4 * sum / count + 0.5);
}

/* The magnitude of the gradient by Sobel's kernels, cut to a whole number; no value where one of the nine pixels has none. */
static double sobel(const ref_level *l, int x, int y) {
    static const int smooth[3] = {1, 2, 1};
    double across = 0;
    double down = 0;
    if (x == 0 || y == 0 || x == l->width - 1 || y == l->height - 1) return -32768;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++) {
            int at = (y + v) * l->width + x + u;
            if (!l->valid[at]) return -32768;
            across += u * smooth[v + 1] * l->grey[at];
            down += v * smooth[u + 1] * l->grey[at];
        }
    return floor(sqrt(across * across + down * down));
}

static double source_at(const ref_level *l, endo_fourier_gradient gradient, int half, int x, int y) {
    if (!l->valid[y * l->width + x]) return -32768;
    if (gradient == ENDO_GRADIENT_HIGHPASS) return highpass(l, x, y, half);
    return gradient == ENDO_GRADIENT_SOBEL ? sobel(l, x, y) : l->grey[y * l->width + x];
}

static void test_values_by_definition(void) {
    static const endo_fourier_gradient gradients[] = {ENDO_GRADIENT_NONE, ENDO_GRADIENT_SOBEL, ENDO_GRADIENT_HIGHPASS};
    static int32_t made[AREA];
    fill_frame();
    ref_level l = level_of(WIDTH, HEIGHT, 0);
    for (int k = 0; k < 3; k++)
        for (int half = 5; half <= 12; half += 7) {
            int missing = 0;
            int wrong = 0;
            ref_level_source(&l, gradients[k], half, made);
            for (int i = 0; i < AREA; i++) {
                wrong += made[i] != source_at(&l, gradients[k], half, i % WIDTH, i / WIDTH);
                missing += made[i] == -32768;
            }
            CHECK(wrong == 0 && missing > 20 && missing < AREA / 2);
        }
    ref_level_free(&l);
}

/* A ramp of 3 grey levels a pixel: Sobel's kernels make 8 times its slope of it, and high-passed it is 0. */
static void test_a_ramp_has_one_slope(void) {
    static int32_t made[AREA];
    for (int i = 0; i < AREA; i++) {
        grey[i] = (uint8_t)(3 * (i % WIDTH));
        bright[i] = 0;
        field[i] = 255;
    }
    ref_level l = level_of(WIDTH, HEIGHT, 0);
    ref_level_source(&l, ENDO_GRADIENT_SOBEL, 8, made);
    CHECK(made[0] == -32768 && made[5 * WIDTH + 7] == 24 && made[20 * WIDTH + 30] == 24);
    ref_level_source(&l, ENDO_GRADIENT_HIGHPASS, 8, made);
    for (int i = 0; i < AREA; i++) CHECK(made[i] == 0);
    ref_level_free(&l);
}

/* --------------------------------------------------------------------------- parts */

static uint8_t weights[AREA];
static const endo_fourier_taper taper = {WIDTH, HEIGHT, weights};
static const endo_fourier_part part = {.level = 0, .left = 7, .top = 4, .width = 20, .height = 16};

/* Half a wave of a cosine from 0 to 1 over the first share of a row or column, and back over the last. */
static double window_at(endo_fourier_window window, int i, int length) {
    double share = window == ENDO_WINDOW_HANN ? 0.5 : 1 / 8.0;
    double from_border = fmin(i + 0.5, length - i - 0.5) / length;
    return window == ENDO_WINDOW_NONE || from_border >= share ? 1 : (1 - cos(PI * from_border / share)) / 2;
}

/* Values less the mean of the part's valid ones, times the weights of the window and of the field, of 255; local means are
 * those of 17 x 17 pixels. */
static void expect_part(const endo_fourier_spectrum *s, double *out) {
    ref_level l = level_of(WIDTH, HEIGHT, 0);
    double sum = 0;
    double count = 0;
    for (int i = 0; i < part.width * part.height; i++) {
        out[i] = source_at(&l, s->gradient, 8, i % part.width + part.left, i / part.width + part.top);
        if (out[i] == -32768) continue;
        sum += out[i];
        count++;
    }
    for (int i = 0; i < part.width * part.height; i++) {
        int x = i % part.width;
        int y = i / part.width;
        double weight = window_at(s->window, x, part.width) * window_at(s->window, y, part.height);
        if (s->tapers && s->window != ENDO_WINDOW_NONE) weight *= weights[(y + part.top) * WIDTH + x + part.left] / 255.0;
        out[i] = out[i] == -32768 ? 0 : (out[i] - sum / count) * weight;
    }
    ref_level_free(&l);
}

static void check_part(const endo_fourier_spectrum *s) {
    static double made[20 * 16];
    static double expected[20 * 16];
    static ref_complex padded[24 * 24];
    static ref_complex spectrum[24 * 24];
    double worst = 0;
    expect_part(s, expected);
    CHECK(ref_part_make(&store, 0, WIDTH, HEIGHT, &part, s, made) == ENDO_OK);
    for (int i = 0; i < 20 * 16; i++) worst = fmax(worst, fabs(made[i] - expected[i]));
    CHECK_NEAR(worst, 0, 1e-10);
    memset(padded, 0, sizeof padded);
    for (int i = 0; i < 20 * 16; i++) padded[i / 20 * 24 + i % 20].re = expected[i];
    CHECK(ref_part_spectrum(&store, 0, WIDTH, HEIGHT, &part, s, spectrum) == ENDO_OK);
    worst = 0;
    for (int i = 0; i < 24 * 24; i += 7) {
        ref_complex one = transformed(padded, 24, 24, i % 24, i / 24, -1);
        worst = fmax(worst, hypot(one.re - spectrum[i].re, one.im - spectrum[i].im));
    }
    CHECK_NEAR(worst, 0, 1e-7);
}

static void test_parts_by_definition(void) {
    static const endo_fourier_gradient gradients[] = {ENDO_GRADIENT_NONE, ENDO_GRADIENT_SOBEL, ENDO_GRADIENT_HIGHPASS};
    static const endo_fourier_window windows[] = {ENDO_WINDOW_NONE, ENDO_WINDOW_HANN, ENDO_WINDOW_TUKEY};
    test_random r = {9};
    fill_frame();
    for (int i = 0; i < AREA; i++) weights[i] = (uint8_t)test_between(&r, 0, 255);
    for (int k = 0; k < 18; k++) {
        endo_fourier_spectrum s = {
            .extent = 24,
            .side = 24,
            .window = windows[k / 3 % 3],
            .gradient = gradients[k % 3],
            .tapers = k < 9 ? NULL : &taper,
        };
        check_part(&s);
    }
}

/* A part outside the field has no mean, and is all 0. */
static void test_a_part_without_pixels_is_zero(void) {
    const endo_fourier_spectrum s = {.extent = 24, .side = 24};
    double made[20 * 16];
    memset(field, 0, sizeof field);
    CHECK(ref_part_make(&store, 0, WIDTH, HEIGHT, &part, &s, made) == ENDO_OK);
    for (int i = 0; i < 20 * 16; i++) CHECK(made[i] == 0);
}

/* --------------------------------------------------------------------------- peaks */

static void set(double *heights, int x, int y, double height) { heights[y * COLUMNS + x] = height; }

static int is_peak(const endo_fourier_peak *p, int x, int y, double height, int of_part) {
    return p->x == x && p->y == y && p->height == (float)height && p->part == of_part;
}

/* Planes are periodic, so that a corner has eight neighbours; the highest come first, and a lower neighbour is none. */
static void test_peaks_are_listed_by_height(void) {
    double heights[PLANE] = {0};
    endo_fourier_peak list[3];
    for (int i = 0; i < PLANE; i++) heights[i] = -1 - 0.001 * i;
    set(heights, 0, 0, 0.5);
    set(heights, COLUMNS - 1, 0, 0.25);
    set(heights, 1, 0, 0.125);
    set(heights, 0, ROWS - 1, 0.375);
    set(heights, 0, 1, -0.5);
    set(heights, 6, 4, 0.75);
    set(heights, 7, 5, 0.625);
    set(heights, 4, 8, 0.25);
    int n = ref_peaks(heights, COLUMNS, ROWS, NULL, 4, list, 0, 3);
    CHECK(n == 3 && is_peak(&list[0], 6, 4, 0.75, 4) && is_peak(&list[1], 0, 0, 0.5, 4) && is_peak(&list[2], 4, 8, 0.25, 4));
    const float around[4] = {0.25f, 0.125f, 0.375f, -0.5f};
    CHECK(memcmp(list[1].around, around, sizeof around) == 0);
    set(heights, 6, 4, -0.75);
    n = ref_peaks(heights, COLUMNS, ROWS, NULL, 5, list, n, 3);
    CHECK(n == 3 && is_peak(&list[0], 6, 4, 0.75, 4) && is_peak(&list[1], 7, 5, 0.625, 5) && is_peak(&list[2], 0, 0, 0.5, 4));
}

/* The first in rows of equal neighbours is the peak. Places that are not allowed are none, but hide what is lower. */
static void test_which_peaks_count(void) {
    static const int beside[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};
    endo_fourier_peak list[PLANE];
    for (int k = 0; k < 4; k++) {
        double heights[PLANE];
        uint8_t allowed[PLANE];
        for (int i = 0; i < PLANE; i++) heights[i] = -1 - 0.001 * i;
        memset(allowed, 1, sizeof allowed);
        set(heights, 5, 5, 0.5);
        set(heights, 5 + beside[k][0], 5 + beside[k][1], 0.5);
        int n = ref_peaks(heights, COLUMNS, ROWS, allowed, 0, list, 0, PLANE);
        CHECK(n >= 1 && is_peak(&list[0], 5, 5, 0.5, 0) && (n == 1 || list[1].height < 0));
        allowed[5 * COLUMNS + 5] = 0;
        n = ref_peaks(heights, COLUMNS, ROWS, allowed, 0, list, 0, PLANE);
        CHECK(n == 0 || list[0].height < 0);
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
    test_the_first_level_is_the_frame();
    test_levels_are_halved();
    test_values_by_definition();
    test_a_ramp_has_one_slope();
    test_parts_by_definition();
    test_a_part_without_pixels_is_zero();
    test_peaks_are_listed_by_height();
    test_which_peaks_count();
    return check_summary("test_ref_fourier");
}
