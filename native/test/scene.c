#include "scene.h"

#include <math.h>
#include <string.h>

uint32_t test_next(test_random *r) { /* splitmix64 */
    uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int test_between(test_random *r, int low, int high) {
    return low + (int)(test_next(r) % (uint32_t)(high - low + 1));
}

double test_unit(test_random *r) { return test_next(r) / 4294967296.0; }

double test_normal(test_random *r) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += test_unit(r);
    return sum;
}

void test_scene_init(test_scene *s, uint64_t seed) {
    test_random r = {seed};
    for (int i = 0; i < SCENE_WAVES; i++) {
        double length = 5 * pow(12, test_unit(&r)), angle = 6.283185307179586 * test_unit(&r);
        s->kx[i] = 6.283185307179586 / length * cos(angle);
        s->ky[i] = 6.283185307179586 / length * sin(angle);
        s->phase[i] = 6.283185307179586 * test_unit(&r);
        s->amplitude[i] = 6 + 8 * test_unit(&r);
    }
}

double test_scene_at(const test_scene *s, double x, double y) {
    double sum = 128;
    for (int i = 0; i < SCENE_WAVES; i++) sum += s->amplitude[i] * sin(s->kx[i] * x + s->ky[i] * y + s->phase[i]);
    return sum;
}

static uint8_t clamp8(double v) { return v <= 0 ? 0 : v >= 255 ? 255 : (uint8_t)(v + 0.5); }

/* Along a row, a wave is a pointer that turns by the same angle from pixel to pixel: sines only where a row begins. */
void test_scene_render(const test_scene *s, const double m[6], int width, int height, uint8_t *out) {
    double sine[SCENE_WAVES], cosine[SCENE_WAVES], turn_sine[SCENE_WAVES], turn_cosine[SCENE_WAVES];
    for (int i = 0; i < SCENE_WAVES; i++) {
        double step = s->kx[i] * m[0] + s->ky[i] * m[3];
        turn_sine[i] = sin(step), turn_cosine[i] = cos(step);
    }
    for (int y = 0; y < height; y++) {
        for (int i = 0; i < SCENE_WAVES; i++) {
            double angle = s->kx[i] * (m[1] * y + m[2]) + s->ky[i] * (m[4] * y + m[5]) + s->phase[i];
            sine[i] = s->amplitude[i] * sin(angle), cosine[i] = s->amplitude[i] * cos(angle);
        }
        for (int x = 0; x < width; x++) {
            double sum = 128;
            for (int i = 0; i < SCENE_WAVES; i++) {
                double before = sine[i];
                sum += before;
                sine[i] = before * turn_cosine[i] + cosine[i] * turn_sine[i];
                cosine[i] = cosine[i] * turn_cosine[i] - before * turn_sine[i];
            }
            out[(size_t)y * width + x] = clamp8(sum);
        }
    }
}

static uint8_t fill_pixel(test_fill fill, test_random *r, int x, int y) {
    switch (fill) {
    case FILL_RANDOM: return (uint8_t)test_next(r);
    case FILL_EXTREME: return test_next(r) & 1 ? 255 : 0;
    case FILL_GRADIENT: return (uint8_t)(2 * x + y);
    case FILL_MAX: return 255;
    default: return 0;
    }
}

void test_fill_pair(test_fill fill, int width, int height, uint64_t seed, uint8_t *first, uint8_t *second) {
    test_random r = {seed};
    size_t area = (size_t)width * height;
    if (fill == FILL_SCENE) {
        test_scene s;
        double still[6] = {1, 0, 0, 0, 1, 0}, moved[6] = {1.01, -0.02, 3.3, 0.015, 0.99, -2.6};
        test_scene_init(&s, seed);
        test_scene_render(&s, still, width, height, first);
        test_scene_render(&s, moved, width, height, second);
        return;
    }
    for (size_t i = 0; i < area; i++) {
        int x = (int)(i % width), y = (int)(i / width);
        first[i] = fill_pixel(fill, &r, x, y);
        second[i] = fill_pixel(fill, &r, x + 2, y + 1);
    }
    if (fill == FILL_ONE_PIXEL) first[area / 2] = second[area / 3] = 200;
}

void test_fill_field(test_field field, int width, int height, uint64_t seed, uint8_t *mask) {
    test_random r = {seed};
    double radius = 0.55 * (width < height ? width : height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double dx = x - width / 2.0, dy = y - height / 2.0;
            int inside = 1;
            if (field == FIELD_CIRCLE) inside = dx * dx + dy * dy <= radius * radius;
            if (field == FIELD_RAGGED) inside = test_next(&r) % 997 != 0;
            if (field == FIELD_EMPTY) inside = 0;
            mask[(size_t)y * width + x] = (uint8_t)inside;
        }
}

void test_widen(const uint8_t *grey, int width, int height, endo_pixel type, int stride, void *out) {
    memset(out, 0xa5, (size_t)stride * height * endo_pixel_size(type));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * stride + x;
            uint32_t v = grey[(size_t)y * width + x];
            if (type == ENDO_GREY8) ((uint8_t *)out)[i] = (uint8_t)v;
            if (type == ENDO_GREY16) ((uint16_t *)out)[i] = (uint16_t)(v * 257 + (v * 37) % 200);
            /* A few are grey, for which other limits hold. */
            uint32_t rgb = x % 5 == 3 ? v << 16 | v << 8 | v : v << 16 | ((v * 3 + 17) & 255) << 8 | ((v * 7) & 255);
            uint32_t ignored = (v * 11 + (uint32_t)x) << 24;
            if (type == ENDO_RGB32) ((uint32_t *)out)[i] = ignored | rgb;
        }
}
