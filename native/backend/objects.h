/* The objects behind the public handles. Shared by api/ and systems/; back ends never see them. */
#ifndef ENDO_OBJECTS_H
#define ENDO_OBJECTS_H

#include "base/mask.h"
#include "base/memory.h"
#include "base/status.h"
#include "kernels.h"

struct endo_context {
    const endo_kernels *kernels;
    int users; /* number of users: the caller, until the context is destroyed, and every object that was made in it */
    void *backend;
    int threads;    /* the number in use, >= 1 */
    endo_cpu cpu;   /* the limit of the instruction sets (base/simd.h) */
    int fail_after; /* calls after which endo_context_step fails; 0: never */
    int steps;      /* calls so far */
    endo_cancel_hook cancel;
    void *cancel_user;
    char description[128];
    char note[384]; /* endo_context_note */
};

/* The field eroded for templates of the last side that was asked for. */
typedef struct endo_eroded_field {
    int side; /* px; 0: none yet */
    uint8_t *mask;
    endo_box box; /* bounding box of the mask */
} endo_eroded_field;

struct endo_frames {
    endo_context *context;
    void *store;
    endo_frames_options options; /* options.field points to `field` */
    uint8_t *field;              /* 0 or 255 */
    int uses;                    /* uses of the frames that are put from now on */
    uint8_t *filled;             /* for each slot the uses of its frame; 0: it is empty */
    endo_blend_hidden *hidden;   /* for each slot */
    int16_t *pattern;            /* options.pattern points to it; NULL without one; freed after the store */
    endo_eroded_field eroded;
    endo_field_planes planes; /* planes of the field; made before the store, and freed after it */
    endo_fourier_taper tapers[ENDO_FOURIER_LEVELS]; /* tapers of the field, for spectra; freed after the store */
    uint8_t *tapers_memory;                         /* NULL: none yet, or the field is the whole frame */
    double field_share;                             /* share of a frame that is in the field; 0: not known yet */
};

struct endo_canvas {
    endo_context *context;
    void *canvas;
    endo_pixel type;
    int width, height;
};

struct endo_blend {
    endo_context *context;
    void *blend;
    endo_blend_setup setup; /* of the blend as it is painted */
    int shrink;             /* pixels that are blended along one that is read */
    int second;             /* 0: first pass, 1: second pass */
    int flat;               /* 1: the correction is 1 everywhere, made for frames without one */
    endo_blend_correction correction; /* pixels NULL: none yet */
    uint16_t *factors;                /* the memory of the correction */
};

/* Every object that is made in a context keeps it; the context is closed when its last user lets it go. */
endo_context *endo_context_keep(endo_context *context);
void endo_context_let_go(endo_context *context);

/* Counts a call that works on the device, and fails after the number of calls set by endo_context_fail_after. */
endo_status endo_context_step(endo_context *context);

/* ENDO_CANCELLED, with its message, if the caller's hook asks for an end. */
endo_status endo_context_go_on(endo_context *context);

#endif
