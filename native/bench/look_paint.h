/* Frames in their poses, blended as a panorama is, with the light that is found in them or without. */
#ifndef ENDO_BENCH_LOOK_PAINT_H
#define ENDO_BENCH_LOOK_PAINT_H

#include "include/endorama.h"

typedef struct look_frames {
    int width, height, n;
    const uint8_t *field;
    uint32_t *const *images;
    const endo_transform *poses;
} look_frames;

/* The rectangle of the first frame's plane to paint. */
typedef struct look_panorama {
    int left, top, width, height;
    uint32_t *pixels;
    uint8_t *painted;
} look_panorama;

/* Seconds of the parts of blending. */
typedef struct look_times {
    double light, blend, all; /* looking at the frames and solving; both passes; these, the store's copies and reading */
} look_times;

/* store: holds all frames, in their order. even: 1: their light is found and taken out; 0: they are blended as they are.
 * report: of the light, NULL: not wanted. */
endo_status look_paint(endo_context *context, endo_frames *store, const look_frames *frames, int even, look_panorama *out,
                       look_times *times, endo_light_report *report);

/* A store of the frames. */
endo_status look_store(endo_context *context, const look_frames *frames, endo_frames **out);

#endif
