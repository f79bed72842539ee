/* The reference back end: every slot of kernels.h as its definition reads, in plain scalar C. It is
 * slow on purpose and never shipped; the other back ends are held against it byte for byte. */
#ifndef ENDO_REF_H
#define ENDO_REF_H

#include "base/memory.h"
#include "base/status.h"
#include "backend/kernels.h"
#include "rules/flow.h"
#include "rules/coefficient.h"
#include "rules/grey.h"
#include "rules/sampling.h"

typedef struct ref_frame {
    uint8_t *grey;     /* for matching: enhanced, if the store is asked for it */
    uint8_t *plain;    /* not enhanced; else the same memory */
    uint8_t *specular; /* 255 where a highlight takes the pixel out of matching */
    uint8_t *bright;   /* and out of patches */
    void *pixels;
} ref_frame;

typedef struct ref_store {
    endo_frames_options options;
    int enhance_clip;
    uint8_t *field, *paint_field;
    const uint8_t *depths; /* for blending, as kernels.h says: of the frames that own this store */
    ref_frame *frames;
} ref_store;

typedef struct ref_canvas {
    endo_pixel type;
    int width, height;
    uint8_t *pixels, *painted;
} ref_canvas;

/* NaN where undefined. */
double ref_coefficient(const ref_store *s, const endo_ncc_request *q, int side);

/* The tables of this back end, each filled where its functions are. */
extern const endo_planes_kernels ref_planes;
extern const endo_frames_kernels ref_frames;
extern const endo_canvas_kernels ref_canvas_kernels;
extern const endo_blend_kernels ref_blend_kernels;
extern const endo_mutual_kernels ref_mutual;
extern const endo_lens_kernels ref_lens;

/* ref_<stem> for every line of batches.h. */
#define REF_BATCH_PROTOTYPE(stem, request, setup, result) \
    endo_status ref_##stem(void *store, const request *requests, size_t n, const setup *common, result *results);
ENDO_BATCHES(REF_BATCH_PROTOTYPE)

endo_status ref_ahe(void *backend, const endo_ahe_job *job);

/* Position with 8 fractional bits of the pixel (x, y) under a map. */
typedef struct ref_sample {
    int x, y, x1, y1, fx, fy;
} ref_sample;
/* 0 if it does not lie in the image. */
int ref_locate(const endo_fixed_affine *map, int x, int y, int width, int height, ref_sample *out);

/* The current frame at a pixel of the reference; 0 where not both of them show something. */
int ref_warp_pixel(const ref_store *s, const endo_mapped_pair *mapped, int x, int y, uint8_t *warped);

#endif
