/* The reference back end: every slot of kernels.h as its definition reads, in plain scalar C. It is
 * slow on purpose and never shipped; the other back ends are held against it byte for byte. */
#ifndef ENDO_REF_H
#define ENDO_REF_H

#include "../base/memory.h"
#include "../base/status.h"
#include "../kernels.h"
#include "../rules/flow.h"
#include "../rules/coefficient.h"
#include "../rules/grey.h"
#include "../rules/sampling.h"

typedef struct ref_frame {
    uint8_t *grey;     /* for matching: enhanced, if the store is asked for it */
    uint8_t *plain;    /* not enhanced; else the same memory */
    uint8_t *specular; /* 255 where a highlight takes the pixel out of matching */
    void *pixels;
} ref_frame;

typedef struct ref_store {
    endo_frames_options options;
    int enhance_clip;
    uint8_t *field, *paint_field;
    ref_frame *frames;
} ref_store;

typedef struct ref_canvas {
    endo_pixel type;
    int width, height;
    uint8_t *pixels, *painted;
} ref_canvas;

endo_status ref_store_create(void *backend, const endo_store_setup *setup, void **store);
void ref_store_destroy(void *store);
endo_status ref_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride);
endo_status ref_store_get_grey(const void *store, int slot, uint8_t *grey);

/* NaN where undefined. */
double ref_coefficient(const ref_store *s, const endo_ncc_request *q, int side);
endo_status ref_ncc(void *store, const endo_ncc_request *requests, size_t n, int side, double *out);
endo_status ref_search(void *store, const endo_search_request *requests, size_t n,
                       const endo_search_params *params, endo_search_result *results);
endo_status ref_flow(void *store, const endo_pair *pairs, size_t n, endo_warp warp,
                     endo_flow_result *results);
endo_status ref_quality(void *store, const endo_pair *pairs, const endo_fixed_affine *maps, size_t n,
                        double *quality);

endo_status ref_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas);
void ref_canvas_destroy(void *canvas);
endo_status ref_canvas_resize(void *canvas, int width, int height, int dx, int dy);
endo_status ref_canvas_clear(void *canvas);
endo_status ref_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                             endo_painting painting);
endo_status ref_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels,
                            uint8_t *painted);

endo_status ref_ahe(void *backend, const endo_ahe_job *job);
endo_status ref_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_params *params,
                          endo_exposure_result *results);

/* Position with 8 fractional bits of the pixel (x, y) under a map, and whether the four pixels around
 * it lie in the image and in the mask. */
typedef struct ref_sample {
    int x, y, x1, y1, fx, fy;
} ref_sample;
int ref_locate(const endo_fixed_affine *map, int x, int y, const uint8_t *mask, int width, int height,
               ref_sample *out);

#endif
