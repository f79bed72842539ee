/* The objects behind the public handles. Shared by api/ and systems/; back ends never see them. */
#ifndef ENDO_OBJECTS_H
#define ENDO_OBJECTS_H

#include "base/mask.h"
#include "base/memory.h"
#include "base/status.h"
#include "kernels.h"

struct endo_context {
    const endo_kernels *kernels;
    int users; /* the caller, until it destroys the context, and every object that was made from it */
    void *backend;
    int threads;  /* resolved: >= 1 */
    endo_cpu cpu; /* the limit of the instruction sets (base/simd.h) */
    int fail_after, steps; /* endo_context_step; 0: never */
    endo_cancel_hook cancel;
    void *cancel_user;
    char description[128];
    char note[384]; /* endo_context_note */
};

/* The one place where the eroded field is made and kept: the last side that was asked for. */
typedef struct endo_eroded_field {
    int side; /* 0: none yet */
    uint8_t *mask;
    endo_box box; /* of the mask */
} endo_eroded_field;

struct endo_frames {
    endo_context *context;
    void *store;
    endo_frames_options options; /* options.field points to `field` */
    uint8_t *field;              /* 0 or 255 */
    int uses;                    /* of frames that are put */
    uint8_t *filled;             /* of each slot: what its frame was put for; 0: there is none */
    int16_t *pattern;            /* options.pattern points to it; NULL without one; freed after the store */
    endo_eroded_field eroded;
    endo_field_planes planes; /* of the field; made before the store, and freed after it */
    endo_fourier_taper tapers[ENDO_FOURIER_LEVELS]; /* of the field, for spectra; freed after the store, too */
    uint8_t *tapers_memory;                        /* NULL: none yet, or the field is everything */
    double field_share;                           /* of a frame that the field is */
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
    endo_blend_setup setup; /* of what is blended */
    int shrink;             /* pixels of that along one that is read */
    int second; /* pass */
    int flat;   /* the correction is 1 everywhere, made for the frames that come */
    endo_blend_correction correction; /* pixels NULL: none yet */
    uint16_t *factors;                /* its memory */
};

/* An object that works in a context keeps it: it lives until the last of them lets it go. */
endo_context *endo_context_keep(endo_context *context);
void endo_context_let_go(endo_context *context);

/* Counts a call that works on the device; fails where endo_context_fail_after asks for it. */
endo_status endo_context_step(endo_context *context);

/* ENDO_CANCELLED, with its message, if the caller's hook asks for an end. */
endo_status endo_context_go_on(endo_context *context);

#endif
