/* The demo as a sequence, for tests: in colour, in grey of 8 and 16 bit, or as grey with a grain that stands still. */
#ifndef ENDO_TEST_DEMO_RIG_H
#define ENDO_TEST_DEMO_RIG_H

#include "include/endorama/demo.h"
#include "include/endorama/mosaic.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

typedef enum demo_kind { DEMO_RGB, DEMO_GREY16, DEMO_GREY8, DEMO_GRAINY } demo_kind;

typedef struct demo_frames {
    endo_mosaic_source source;
    uint8_t *pixels; /* of all frames */
    size_t bytes;    /* of one */
    int unreadable;  /* no frame can be read */
    int n_lent;
} demo_frames;

static inline const void *demo_lend(void *user, int32_t frame, char *reason) {
    demo_frames *d = user;
    d->n_lent++;
    if (!d->unreadable) return d->pixels + (size_t)frame * d->bytes;
    snprintf(reason, ENDO_REASON_SIZE, "gone");
    return NULL;
}

static inline uint32_t demo_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

static inline uint32_t demo_grain(uint32_t green, uint32_t noise) {
    int v = green < 12 ? (int)green : 40 + (int)green / 2 + (int)(noise % 33) - 16;
    return 0xff000000 | 0x010101u * (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static inline void demo_convert(const uint32_t *rgb, size_t area, demo_kind kind, void *to) {
    uint32_t state = 9;
    for (size_t i = 0; i < area; i++) {
        uint32_t green = rgb[i] >> 8 & 255;
        if (kind == DEMO_RGB) ((uint32_t *)to)[i] = rgb[i];
        if (kind == DEMO_GREY16) ((uint16_t *)to)[i] = (uint16_t)(1000 + 16 * green);
        if (kind == DEMO_GREY8) ((uint8_t *)to)[i] = (uint8_t)green;
        if (kind == DEMO_GRAINY) ((uint32_t *)to)[i] = demo_grain(green, demo_random(&state));
    }
}

/* The first n frames of a demo. */
static inline void demo_make(demo_frames *d, const endo_demo_options *options, int n, demo_kind kind) {
    static const endo_pixel types[] = {ENDO_RGB32, ENDO_GREY16, ENDO_GREY8, ENDO_RGB32};
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 2};
    endo_context *context;
    endo_demo *demo;
    size_t area = (size_t)options->width * (size_t)options->height;
    uint32_t *rgb = malloc(area * sizeof *rgb);
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK && endo_demo_create(context, options, &demo) == ENDO_OK);
    d->bytes = area * endo_pixel_size(types[kind]);
    d->pixels = malloc((size_t)n * d->bytes);
    d->unreadable = 0;
    d->n_lent = 0;
    d->source = (endo_mosaic_source){
        .frames = n,
        .width = options->width,
        .height = options->height,
        .type = types[kind],
        .lend = demo_lend,
        .user = d,
    };
    for (int i = 0; i < n; i++) {
        CHECK(endo_demo_render(demo, i, rgb) == ENDO_OK);
        demo_convert(rgb, area, kind, d->pixels + (size_t)i * d->bytes);
    }
    endo_demo_destroy(&demo);
    endo_context_destroy(&context);
    free(rgb);
}

static inline void demo_free(demo_frames *d) {
    free(d->pixels);
    d->pixels = NULL;
}

#endif
