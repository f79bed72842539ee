/* Frames, plans and what becomes of them, for the tests of blends: one world a program. */
#ifndef ENDO_TEST_BLEND_RIG_H
#define ENDO_TEST_BLEND_RIG_H

#include "backends.h"
#include "posed.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 80, AREA = WIDTH * HEIGHT, SIDE = 160, CANVAS = SIDE * SIDE, MOST = 8 };

static uint32_t colour[MOST][AREA];
static uint16_t deep[AREA], coverage[CANVAS];
static uint8_t grey[AREA], painted[CANVAS];

static uint32_t rgb_of(int level) { return 0xff000000u | (uint32_t)level * 0x10101u; }

static inline void fill_flat(int frame, int level) {
    for (int i = 0; i < AREA; i++) colour[frame][i] = rgb_of(level);
}

static inline endo_frames *make_frames(endo_context *context, endo_pixel type, int n) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = n, o.type = type, o.flow = 0, o.rim = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int k = 0; k < n; k++) {
        const void *pixels = type == ENDO_GREY8 ? (void *)grey : type == ENDO_GREY16 ? (void *)deep : (void *)colour[k];
        CHECK(endo_frames_put(frames, k, pixels, WIDTH) == ENDO_OK);
    }
    return frames;
}

/* The plan of a blend: n frames at shifts, each of which may have gains and a weight. */
typedef struct plan {
    endo_pixel type;
    int n;
    double shifts[MOST][2];
    const int32_t *weights, *gains;
    const uint16_t *correction;
    endo_blend_options options;
    int repeats; /* of the whole; 0: once */
} plan;

static inline plan plan_of(int n) {
    plan p = {.type = ENDO_RGB32, .n = n, .options = endo_blend_options_default()};
    for (int i = 0; i < n; i++) p.shifts[i][0] = p.shifts[i][1] = 30;
    return p;
}

static inline void add(endo_blend *blend, const endo_frames *frames, const plan *p) {
    int32_t slots[MOST];
    endo_transform poses[MOST];
    for (int i = 0; i < p->n; i++) {
        const double m[6] = {1, 0, p->shifts[i][0], 0, 1, p->shifts[i][1]};
        slots[i] = i, poses[i] = endo_transform_of_affine(m);
    }
    for (int i = 0; i < (p->repeats ? p->repeats : 1); i++)
        CHECK(endo_blend_add(blend, frames, POSED(slots, poses, .weights = p->weights, .gains = p->gains,
                                                  .n = (size_t)p->n)) == ENDO_OK);
}

/* Both passes; what comes out lies in pixels, `painted` and `coverage`. */
static inline void run(endo_context *context, const plan *p, void *pixels) {
    endo_frames *frames = make_frames(context, p->type, p->n);
    endo_blend *blend = NULL;
    CHECK(endo_blend_create(context, p->type, SIDE, SIDE, &p->options, &blend) == ENDO_OK);
    if (p->correction) CHECK(endo_blend_set_correction(blend, p->correction, WIDTH, HEIGHT) == ENDO_OK);
    add(blend, frames, p);
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    add(blend, frames, p);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){pixels, painted, coverage, NULL}) == ENDO_OK);
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
}

static inline int channel(uint32_t rgb, int c) { return (int)(rgb >> 8 * c & 255); }

static inline void fill_scene(uint64_t seed) {
    test_scene scene;
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene_init(&scene, seed);
    test_scene_render(&scene, still, WIDTH, HEIGHT, grey);
    for (int i = 0; i < AREA; i++) {
        if (grey[i] > 200) grey[i] = 200;
        colour[0][i] = 0xff000000u | (uint32_t)grey[i] << 16 | (uint32_t)(grey[i] / 2) << 8 | (uint32_t)(200 - grey[i]);
        deep[i] = (uint16_t)(grey[i] * 257);
    }
}

#endif
