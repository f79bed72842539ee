/* The objects behind the public handles. Shared by api/ and systems/; back ends never see them. */
#ifndef ENDO_OBJECTS_H
#define ENDO_OBJECTS_H

#include "base/memory.h"
#include "base/status.h"
#include "kernels.h"

struct endo_context {
    const endo_kernels *kernels;
    void *backend;
    int threads; /* resolved: >= 1 */
    int fail_after, steps; /* endo_context_step */
    char description[128];
};

struct endo_frames {
    endo_context *context;
    void *store;
    endo_frames_options options; /* options.field points to `field` */
    uint8_t *field;              /* 0 or 255 */
    uint8_t *filled;             /* capacity flags: a frame was put there */
    uint8_t *centres;            /* endo_frames_centres of centres_side, once asked for */
    int centres_side;
    int centres_box[4]; /* left, top, right, bottom of the centres, inclusive */
};

struct endo_canvas {
    endo_context *context;
    void *canvas;
    endo_pixel type;
    int width, height;
};

/* Counts a call that works on the device; fails where endo_context_options.fail_after asks for it. */
endo_status endo_context_step(endo_context *context);

endo_status endo_ahe_check(const endo_ahe_params *params);
endo_status endo_check_slot(const endo_frames *frames, int slot, int must_be_filled);

/* Where a template of this side may be centred: it lies in the field; and the box around these places (left,
 * top, right, bottom, inclusive; left > right if there are none). Valid until asked with another side. */
endo_status endo_frames_centres(endo_frames *frames, int side, const uint8_t **centres, int box[4]);

/* A context on any table: how tests and benches reach ref, or cap the instruction set. */
endo_status endo_context_create_with(const endo_kernels *kernels, const endo_context_options *options,
                                     endo_context **out);

#endif
