#include "fourier_scene.h"

#include "exposure_scene.h"

#include "backend/objects.h"
#include "rules/grey.h"
#include "systems/demo/demo_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Side of a texture that is made, px. */
#define SIDE 2000
#define RADIAN 57.29577951308232

void fourier_texture_free(fourier_texture *t) {
    endo_free(t->grey);
    t->grey = NULL;
}

static int make_empty(int width, int height, fourier_texture *out) {
    out->width = width, out->height = height;
    out->grey = endo_alloc((size_t)width * height, sizeof *out->grey);
    return out->grey != NULL;
}

static int make_tissue(uint64_t seed, fourier_texture *out) {
    demo_scene scene;
    if (!make_empty(SIDE, SIDE, out) || demo_scene_create(SIDE, SIDE, seed, 2, &scene) != ENDO_OK) return 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *p = scene.pixels + 4 * i;
        out->grey[i] = endo_grey_of_channels(p[0], p[1], p[2]);
    }
    demo_scene_destroy(&scene);
    return 1;
}

int fourier_texture_make(uint64_t seed, fourier_texture *out) {
    exposure_scene scene;
    if (seed % 2) return make_tissue(seed, out);
    if (!make_empty(SIDE, SIDE, out)) return 0;
    exposure_scene_init(&scene, seed);
    exposure_scene_render(&scene, 0, 0, SIDE, SIDE, out->grey);
    for (size_t i = 0; i < SIDE * SIDE; i++) out->grey[i] = 255 * out->grey[i] / (1 + out->grey[i]);
    return 1;
}

static int read_number(FILE *f) {
    int value = -1, c = fgetc(f);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#') {
        while (c == '#' && c != EOF && c != '\n') c = fgetc(f) == '\n' ? '\n' : '#';
        c = fgetc(f);
    }
    for (; c >= '0' && c <= '9' && value < 100000; c = fgetc(f)) value = (value < 0 ? 0 : value * 10) + c - '0';
    return value;
}

int fourier_texture_read(const char *path, fourier_texture *out) {
    FILE *f = fopen(path, "rb");
    int kind = 0, done = 0;
    if (!f) return 0;
    if (fgetc(f) == 'P') kind = fgetc(f);
    int width = read_number(f), height = read_number(f), most = read_number(f);
    if ((kind == '5' || kind == '6') && width > 0 && height > 0 && most == 255 && make_empty(width, height, out)) {
        done = 1;
        for (size_t i = 0; i < (size_t)width * height; i++) {
            int a = fgetc(f), b = kind == '6' ? fgetc(f) : a, c = kind == '6' ? fgetc(f) : a;
            out->grey[i] = endo_grey_of_channels((uint32_t)a, (uint32_t)b, (uint32_t)c);
        }
    }
    fclose(f);
    return done;
}

/* ------------------------------------------------------------------- pairs */

static double cubic(double p0, double p1, double p2, double p3, double t) {
    return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

/* Bicubic; beyond the borders the texture is mirrored. */
static double texture_at(const fourier_texture *t, double x, double y) {
    int x0 = (int)floor(x), y0 = (int)floor(y), xs[4];
    double rows[4];
    for (int k = 0; k < 4; k++) {
        int v = x0 + k - 1, period = 2 * t->width;
        v = (v % period + period) % period;
        xs[k] = v < t->width ? v : period - 1 - v;
    }
    for (int k = 0; k < 4; k++) {
        int v = y0 + k - 1, period = 2 * t->height;
        v = (v % period + period) % period;
        const float *row = t->grey + (size_t)(v < t->height ? v : period - 1 - v) * t->width;
        rows[k] = cubic(row[xs[0]], row[xs[1]], row[xs[2]], row[xs[3]], x - x0);
    }
    return cubic(rows[0], rows[1], rows[2], rows[3], y - y0);
}

static double normal(test_random *r) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += test_unit(r);
    return sum - 6;
}

/* Pixels see the mean of what they cover. m: image -> texture. */
static void render(const fourier_texture *t, const double m[6], int side, double gain, double offset, double noise,
                   test_random *r, uint8_t *out) {
    int n = (int)ceil(sqrt(m[0] * m[0] + m[3] * m[3]));
    if (n < 1) n = 1;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double sum = 0;
            for (int k = 0; k < n * n; k++) {
                double u = x + (k % n + 0.5) / n - 0.5, v = y + (k / n + 0.5) / n - 0.5;
                sum += texture_at(t, m[0] * u + m[1] * v + m[2], m[3] * u + m[4] * v + m[5]);
            }
            double value = sum / (n * n) * gain + offset + noise * normal(r);
            out[y * side + x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
        }
}

/* Share of the smaller footprint, on a grid. */
static double overlap_of(const double m[6], double scale, int side) {
    int both = 0, all = 0;
    double det = m[0] * m[4] - m[1] * m[3];
    for (int j = 0; j < 50; j++)
        for (int i = 0; i < 50; i++) {
            double x = (i + 0.5) / 50 * side, y = (j + 0.5) / 50 * side, u = x, v = y;
            if (scale > 1) { /* of the reference's pixels */
                u = (m[4] * (x - m[2]) - m[1] * (y - m[5])) / det;
                v = (m[0] * (y - m[5]) - m[3] * (x - m[2])) / det;
            } else {
                u = m[0] * x + m[1] * y + m[2], v = m[3] * x + m[4] * y + m[5];
            }
            all++;
            both += u >= 0 && v >= 0 && u <= side - 1 && v <= side - 1;
        }
    return (double)both / all;
}

static void set_matrix(int side, fourier_truth *t) {
    double middle = (side - 1) / 2.0, a = t->scale * cos(t->angle / RADIAN), b = t->scale * sin(t->angle / RADIAN);
    double m[6] = {a, -b, middle + t->dx - (a - b) * middle, b, a, middle + t->dy - (a + b) * middle};
    for (int i = 0; i < 6; i++) t->matrix[i] = m[i];
    t->overlap = overlap_of(m, t->scale, side);
}

static void draw_truth(const fourier_limits *l, int side, test_random *r, fourier_truth *t) {
    do {
        t->angle = (2 * test_unit(r) - 1) * l->angle;
        t->scale = exp((2 * test_unit(r) - 1) * log(l->scale));
        double reach = side * (1 + t->scale) / 2;
        t->dx = (2 * test_unit(r) - 1) * reach, t->dy = (2 * test_unit(r) - 1) * reach;
        set_matrix(side, t);
    } while (t->overlap < l->overlap);
}

/* Turned anyhow, and as large as fits into the texture: what lies outside would be its mirror image. Maps of both images to
 * the texture. */
static void place(const fourier_texture *t, const double m[6], int side, double angle, double of_reference[6],
                  double of_current[6]) {
    double c = cos(angle), s = sin(angle), box[4] = {1e9, -1e9, 1e9, -1e9};
    for (int i = 0; i < 8; i++) {
        double x = i & 1 ? side : -1, y = i & 2 ? side : -1, u = i & 4 ? x : m[0] * x + m[1] * y + m[2];
        double v = i & 4 ? y : m[3] * x + m[4] * y + m[5], at_x = c * u - s * v, at_y = s * u + c * v;
        box[0] = fmin(box[0], at_x), box[1] = fmax(box[1], at_x), box[2] = fmin(box[2], at_y), box[3] = fmax(box[3], at_y);
    }
    double pixel = fmin(t->width / (box[1] - box[0]), t->height / (box[3] - box[2]));
    double f[6] = {pixel * c, -pixel * s, t->width / 2.0 - pixel * (box[0] + box[1]) / 2,
                   pixel * s, pixel * c,  t->height / 2.0 - pixel * (box[2] + box[3]) / 2};
    double g[6] = {f[0] * m[0] + f[1] * m[3], f[0] * m[1] + f[1] * m[4], f[0] * m[2] + f[1] * m[5] + f[2],
                   f[3] * m[0] + f[4] * m[3], f[3] * m[1] + f[4] * m[4], f[3] * m[2] + f[4] * m[5] + f[5]};
    for (int i = 0; i < 6; i++) of_reference[i] = f[i], of_current[i] = g[i];
}

void fourier_pair_make(const fourier_texture *t, const fourier_limits *limits, int side, test_random *r, uint8_t *reference,
                       uint8_t *current, fourier_truth *truth) {
    double of_reference[6], of_current[6];
    draw_truth(limits, side, r, truth);
    place(t, truth->matrix, side, 2 * 3.14159265 * test_unit(r), of_reference, of_current);
    double gain = 1 + (2 * test_unit(r) - 1) * limits->gain;
    double offset = 128 * (1 - gain) + (2 * test_unit(r) - 1) * 60 * limits->gain;
    render(t, of_reference, side, 1, 0, limits->noise, r, reference);
    render(t, of_current, side, gain, offset, limits->noise, r, current);
}

void fourier_known_pair(const fourier_texture *t, int side, double degrees, double scale, double dx, double dy,
                        uint8_t *reference, uint8_t *current, fourier_truth *truth) {
    double of_reference[6], of_current[6];
    test_random r = {1};
    truth->angle = degrees, truth->scale = scale, truth->dx = dx, truth->dy = dy;
    set_matrix(side, truth);
    place(t, truth->matrix, side, 0.3, of_reference, of_current);
    render(t, of_reference, side, 1, 0, 0, &r, reference);
    render(t, of_current, side, 1, 0, 0, &r, current);
}
