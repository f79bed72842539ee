#include "exposure_scene.h"

#include "../objects.h"

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

void exposure_expose(const float *brightness, int n, const exposure_setting *e, test_random *r, uint8_t *out) {
    for (int i = 0; i < n; i++) {
        double v = (brightness[i] - e->floor) * e->gain;
        /* The sum of four even numbers is near enough to normal. */
        double noise = test_unit(r) + test_unit(r) + test_unit(r) + test_unit(r) - 2;
        v = 255 * pow(v < 0 ? 0 : v > 1 ? 1 : v, e->gamma) + noise * e->noise * sqrt(3.0) + 0.5;
        out[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}
