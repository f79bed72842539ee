/* The objects that the calls of test_memory work on, made anew for each of them. */
#ifndef ENDO_TEST_MEMORY_WORLD_H
#define ENDO_TEST_MEMORY_WORLD_H

#include "include/endorama.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Setting up cannot fail: where it does, nothing that follows would say anything. */
#define MUST(condition)                                               \
    do {                                                              \
        if (!(condition)) {                                           \
            printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

enum {
    WIDTH = 96,
    HEIGHT = 80,
    AREA = WIDTH * HEIGHT,
    SLOTS = 4,
    LARGE_WIDTH = 192, /* for several threads in equalization */
    LARGE_HEIGHT = 144,
    LARGE = LARGE_WIDTH * LARGE_HEIGHT,
    REQUESTS = 800, /* for several threads */
    CANVAS = 120,
    OUT = 4 * LARGE,
    STATE = 5 * 160 * 160
};

typedef struct world {
    endo_context *context;
    endo_frames *frames;
    endo_canvas *canvas;
    endo_blend *blend;
    endo_field_finder *finder;
    endo_pattern_finder *pattern;
    endo_light *light;
    endo_demo *demo;
    endo_mutual *mutual;
    endo_lens *lens;
    uint8_t *out; /* OUT bytes: whatever the call writes */
} world;

extern uint8_t memory_grey[SLOTS + 1][AREA], memory_field[AREA];
/* The limit of the instruction sets of the contexts that are opened; 0: none. */
extern endo_cpu memory_cpu;

extern uint32_t memory_large[LARGE], memory_colours[SLOTS + 1][AREA];

/* Once, before all others. */
void memory_fill_pictures(void);

/* Builders: each from an empty world. */
void memory_open_context(world *w);
void memory_plain_frames(world *w);
void memory_enhanced_frames(world *w);
void memory_with_empty_canvas(world *w);
void memory_with_canvas(world *w);
void memory_with_empty_blend(world *w);
void memory_with_blend(world *w);
void memory_near_scopes(world *w);
void memory_same_scopes(world *w);
void memory_far_scopes(world *w);
void memory_grained(world *w);
void memory_lit(world *w);
void memory_with_demo(world *w);
void memory_destroy(world *w);

/* Options and steps that builders and calls share. */
endo_frames_options memory_frames_options(void);
endo_demo_options memory_demo_options(void);
endo_status memory_add_to_blend(world *w, int32_t slot, double shift);
endo_status memory_create_pattern(world *w);
endo_status memory_create_light(world *w);
endo_status memory_solve_light_into(const world *w, uint8_t *out);
void memory_draw_scope(uint8_t *image, int cx);
void memory_draw_grained(uint8_t *image, int frame);

#endif
