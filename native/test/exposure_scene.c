#include "exposure_scene.h"

#include "backend/objects.h"

#include <math.h>
#include <stdlib.h>

void exposure_scene_init(exposure_scene *s, uint64_t seed) {
    static const double pitches[EXPOSURE_OCTAVES] = {5, 11, 24, 52, 110};
    test_random r = {seed};
    double slope = 0.2 + 0.8 * test_unit(&r), sum = 0;
    s->seed = seed;
    for (int i = 0; i < EXPOSURE_OCTAVES; i++) {
        s->pitch[i] = pitches[i] * (0.8 + 0.4 * test_unit(&r));
        s->weight[i] = pow(pitches[i], slope);
        sum += s->weight[i] * s->weight[i];
    }
    for (int i = 0; i < EXPOSURE_OCTAVES; i++) s->weight[i] /= sqrt(sum);
}

/* -1..1 at a point of a lattice. */
static double lattice(uint64_t seed, int octave, int64_t i, int64_t j) {
    test_random r = {seed ^ (uint64_t)(octave + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)i * 0xC2B2AE3D27D4EB4Fu ^
                     (uint64_t)j * 0x165667B19E3779F9u};
    test_next(&r);
    return 2 * test_unit(&r) - 1;
}

static int64_t spline(double at, double w[4]) {
    double whole = floor(at), t = at - whole, u = 1 - t;
    w[0] = u * u * u / 6;
    w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    w[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
    w[3] = t * t * t / 6;
    return (int64_t)whole - 1;
}

/* One octave: lattice rows are blended for each image row, then along it. */
static void add_octave(const exposure_scene *s, int octave, double left, double top, int width, int height,
                       double *row, double *out) {
    double pitch = s->pitch[octave], wy[4], wx[4];
    int64_t first = (int64_t)floor(left / pitch) - 1;
    int n = (int)(width / pitch) + 6;
    for (int y = 0; y < height; y++) {
        int64_t j = spline((top + y) / pitch, wy);
        for (int i = 0; i < n; i++) {
            row[i] = 0;
            for (int k = 0; k < 4; k++) row[i] += wy[k] * lattice(s->seed, octave, first + i, j + k);
        }
        for (int x = 0; x < width; x++) {
            const double *at = row + (spline((left + x) / pitch, wx) - first);
            out[(size_t)y * width + x] +=
                s->weight[octave] * (wx[0] * at[0] + wx[1] * at[1] + wx[2] * at[2] + wx[3] * at[3]);
        }
    }
}

void exposure_scene_render(const exposure_scene *s, double left, double top, int width, int height, float *out) {
    size_t area = (size_t)width * height;
    double *sum = endo_alloc_zeroed(area, sizeof *sum), *row = endo_alloc(width + 8, sizeof *row);
    for (int i = 0; i < EXPOSURE_OCTAVES; i++) add_octave(s, i, left, top, width, height, row, sum);
    for (size_t i = 0; i < area; i++) out[i] = (float)exp(2.5 * sum[i]);
    endo_free(sum);
    endo_free(row);
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

#define SAMPLES 4096

void exposure_settings_draw(test_random *r, const float *brightness, int n, exposure_setting settings[2]) {
    float samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) samples[i] = brightness[test_between(r, 0, n - 1)];
    qsort(samples, SAMPLES, sizeof *samples, by_value);
    double gain = 1 / samples[(int)((1 - 0.3 * test_unit(r)) * (SAMPLES - 1))];
    double ratio = exp(log(8.0) * test_unit(r)), dark = test_between(r, 0, 2) == 0 ? 0.3 * test_unit(r) : 0;
    int first = test_between(r, 0, 1);
    for (int i = 0; i < 2; i++) {
        exposure_setting e = {i == first ? gain : gain / ratio, exp(0.7 * test_unit(r) - 0.35), 0,
                              0.5 + 2.5 * test_unit(r)};
        if (i != first) e.floor = samples[(int)(dark * (SAMPLES - 1))] * (dark > 0);
        settings[i] = e;
    }
}

/* Noise of variance 1: the sum of four even numbers is near enough to normal. */
static double noise(test_random *r) {
    return (test_unit(r) + test_unit(r) + test_unit(r) + test_unit(r) - 2) * sqrt(3.0);
}

static uint8_t to_grey(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

void exposure_expose(const float *brightness, int n, const exposure_setting *e, test_random *r, uint8_t *out) {
    for (int i = 0; i < n; i++) {
        double v = (brightness[i] - e->floor) * e->gain;
        v = 255 * pow(v < 0 ? 0 : v > 1 ? 1 : v, e->gamma);
        out[i] = to_grey(v + noise(r) * e->noise + 0.5);
    }
}

/* -------------------------------------------------------------- near black */

static void show_inside(exposure_still kind, test_random *r, int width, int height, uint8_t *shown) {
    double radius = height * (0.35 + 0.2 * test_unit(r)), edge = 0.05 + 0.15 * test_unit(r);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double u = x - width / 2.0, v = y - height / 2.0;
            int inside = x > edge * width && x < (1 - edge) * width && y > edge * height && y < (1 - edge / 2) * height;
            shown[(size_t)y * width + x] = kind == EXPOSURE_STILL_ROUND ? u * u + v * v < radius * radius : inside;
        }
}

static void add_disc(test_random *r, int width, int height, float *added) {
    double cx = width * test_unit(r), cy = height * test_unit(r), radius = height * (0.02 + 0.04 * test_unit(r));
    double level = 20 + 200 * test_unit(r);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double inside = radius - sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy));
            if (inside > -1.5) added[(size_t)y * width + x] += (float)(level * fmin(1, (inside + 1.5) / 3));
        }
}

void exposure_still_draw(exposure_still kind, test_random *r, int width, int height, float *added, uint8_t *shown) {
    double hot = 0.001 + 0.02 * test_unit(r), pattern = 0.5 + 1.5 * test_unit(r);
    int discs = test_between(r, 1, 4);
    for (int i = 0; i < width * height; i++) {
        shown[i] = 1;
        added[i] = 0;
        if (kind == EXPOSURE_STILL_PATTERN) added[i] = (float)(pattern * noise(r));
        if (kind == EXPOSURE_STILL_HOT && test_unit(r) < hot) added[i] = (float)(10 + 240 * test_unit(r));
    }
    if (kind == EXPOSURE_STILL_ROUND || kind == EXPOSURE_STILL_RECTANGLE) show_inside(kind, r, width, height, shown);
    for (int i = 0; kind == EXPOSURE_STILL_REFLECTION && i < discs; i++) add_disc(r, width, height, added);
}

void exposure_darken(const float *brightness, int n, double mean, double deviation, const float *added,
                     const uint8_t *shown, test_random *r, uint8_t *out) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += shown[i] ? brightness[i] : 0;
    for (int i = 0; i < n; i++) {
        double v = shown[i] ? brightness[i] * mean * n / sum : 0;
        out[i] = to_grey(v + added[i] + noise(r) * deviation + 0.5);
    }
}
