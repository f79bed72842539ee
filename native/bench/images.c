#include "images.h"

#include "base/openmp.h"

#include "backend/objects.h"
#include "rules/grey.h"
#include "systems/demo/demo_scene.h"
#include "test/scene.h"

#define SEED 1

static uint32_t lit(const uint8_t rgb[4], double light, int noise) {
    uint32_t out = 0xff;
    for (int c = 0; c < 3; c++) {
        int v = (int)(light * rgb[c]) + noise;
        out = out << 8 | (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
    return out;
}

uint32_t *image_tissue(int width, int height) {
    demo_scene scene = {.pixels = NULL};
    uint32_t *out = endo_alloc((size_t)width * height, sizeof *out);
    if (!out || demo_scene_create(width, height, SEED, omp_get_num_procs(), &scene) != ENDO_OK) {
        endo_free(out);
        return NULL;
    }
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        test_random r = {(uint64_t)y};
        for (int x = 0; x < width; x++) {
            size_t at = (size_t)y * width + x;
            double u = 2.0 * x / width - 1, v = 2.0 * y / height - 1;
            out[at] = lit(scene.pixels + 4 * at, 1.15 - 0.45 * (u * u + v * v), test_between(&r, -3, 3));
        }
    }
    demo_scene_destroy(&scene);
    return out;
}

uint8_t *image_grey(const uint32_t *rgb, size_t n) {
    uint8_t *out = endo_alloc(n, 1);
    for (size_t i = 0; out && i < n; i++) out[i] = endo_grey_of_rgb(rgb[i]);
    return out;
}

uint8_t *image_noise(size_t n) {
    uint8_t *out = endo_alloc(n, 1);
    test_random r = {SEED};
    for (size_t i = 0; out && i < n; i++) out[i] = (uint8_t)test_next(&r);
    return out;
}

uint16_t *image_deep(const uint8_t *grey, size_t n) {
    uint16_t *out = endo_alloc(n, sizeof *out);
    test_random r = {SEED};
    for (size_t i = 0; out && i < n; i++) out[i] = (uint16_t)(grey[i] << 8 | (test_next(&r) & 255));
    return out;
}
