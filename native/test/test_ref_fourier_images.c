/* The images of Fourier registration in the reference (ref/fourier_images.c) as their definitions read: levels, values, parts
 * with their weights, spectra of these, and peaks. */
#include "ref/ref_fourier.h"
#include "check.h"
#include "scene.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

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
    CHECK(ref_fft_plane(padded, 24, 24, -1) == ENDO_OK);
    for (int i = 0; i < 24 * 24; i++)
        worst = fmax(worst, hypot(padded[i].re - spectrum[i].re, padded[i].im - spectrum[i].im));
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

enum { COLUMNS = 12, ROWS = 10, PLANE = COLUMNS * ROWS };

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
    test_the_first_level_is_the_frame();
    test_levels_are_halved();
    test_values_by_definition();
    test_a_ramp_has_one_slope();
    test_parts_by_definition();
    test_a_part_without_pixels_is_zero();
    test_peaks_are_listed_by_height();
    test_which_peaks_count();
    return check_summary("test_ref_fourier_images");
}
