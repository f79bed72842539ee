/* Two frames and what is registered of them by the method ENDO_METHOD_BEST: one world a program. */
#ifndef ENDO_TEST_PAIR_RIG_H
#define ENDO_TEST_PAIR_RIG_H

#include "backends.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 200, HEIGHT = 160, AREA = WIDTH * HEIGHT };

static uint8_t first[AREA], second[AREA];

static endo_frames *frames_of(endo_context *context) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* The second onto the first. from: NULL, or where the search starts. */
static endo_pair_result register_from(endo_frames *frames, endo_transform_class kind, const endo_transform *from) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_pair_result r;
    memset(&r, 0x5a, sizeof r);
    o.method = ENDO_METHOD_BEST, o.transform = kind;
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    endo_status status = from ? endo_pairs_register_from(frames, &pair, from, 1, &o, &r)
                              : endo_pairs_register(frames, &pair, 1, &o, &r);
    CHECK(status == ENDO_OK);
    return r;
}

#endif
