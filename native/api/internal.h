/* The objects behind the public handles, and how failures are reported. Shared by api/ and systems/. */
#ifndef ENDO_INTERNAL_H
#define ENDO_INTERNAL_H

#include "../kernels.h"

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

/* Records the calling thread's message (printf style) and returns status, so that a failure is one
 * line: return endo_fail(ENDO_ERR_ARGUMENT, "template %d: must be odd, 3..255", side); */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
endo_status endo_fail(endo_status status, const char *format, ...);

/* Counts a call that works on the device; fails where endo_context_options.fail_after asks for it. */
endo_status endo_context_step(endo_context *context);

endo_status endo_ahe_check(const endo_ahe_params *params);
endo_status endo_check_slot(const endo_frames *frames, int slot, int must_be_filled);

/* Where a template of this side may be centred: it lies in the field; and the box around these places (left,
 * top, right, bottom, inclusive; left > right if there are none). Valid until asked with another side. */
endo_status endo_frames_centres(endo_frames *frames, int side, const uint8_t **centres, int box[4]);

/* n * size bytes, 64-byte aligned, or NULL when it overflows or memory is out. Free with endo_free. */
void *endo_alloc(size_t n, size_t size);
void *endo_alloc_zeroed(size_t n, size_t size);
void endo_free(void *memory);

/* A context on any table: how tests and benches reach ref, or cap the instruction set. */
endo_status endo_context_create_with(const endo_kernels *kernels, const endo_context_options *options,
                                     endo_context **out);

#endif
