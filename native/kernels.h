/* What a back end must provide: one table of operations an area.
 *
 * api/ checks every argument and owns the handles, systems/ runs the published methods on these
 * slots, and neither knows which back end works. A back end owns its memory: `backend`, `store` and
 * `canvas` are opaque to everyone else. Arguments are valid here; a slot fails only for lack of
 * memory or a broken device, says why with endo_fail(), and then leaves its outputs untouched.
 *
 * Every slot computes the same bytes in every back end; native/ref is the definition, and
 * native/test/endo_check holds the others against it.
 */
#ifndef ENDO_KERNELS_H
#define ENDO_KERNELS_H

#include "base/transform.h"
#include "batches.h"
#include "include/endorama.h"

/* What a store is made from. Masks are width*height bytes, 0 or 255; the back end copies them. */
typedef struct endo_store_setup {
    endo_frames_options options; /* options.field is not NULL */
    const uint8_t *paint_field;  /* the field less its rim: eroded by options.rim / 2 on every side */
    int enhance_clip;            /* endo_ahe_job.clip of options.enhance */
} endo_store_setup;

/* One grey image to equalize (endorama/ahe.h). out is the region's first pixel. */
typedef struct endo_ahe_job {
    const void *pixels;
    endo_pixel type; /* ENDO_GREY8 or ENDO_GREY16 */
    int width, height;
    ptrdiff_t stride;
    endo_region region;
    int window;
    int clip; /* the most that a bin keeps; 0: no limit */
    int low, high, bin_width; /* 16 bit with a clip: bins of bin_width levels (1..256) from low */
    void *out;
    ptrdiff_t out_stride;
} endo_ahe_job;

/* Of a grey image in memory: what a store with the option `enhance` makes of it. */
static inline endo_ahe_job endo_enhance_job(const endo_frames_options *o, const uint8_t *grey, ptrdiff_t stride,
                                            uint8_t *out, int clip) {
    endo_ahe_job job = {grey, ENDO_GREY8, o->width, o->height, stride, {0, 0, o->width, o->height}, o->enhance,
                        clip, 0, 0, 1, out, stride};
    return job;
}

/* Where templates of an odd side may be centred: the field of view eroded by half of it. Owned by the frames
 * (objects.h); a back end may keep a copy, by the side. mask: width*height bytes, 255 or 0. */
typedef struct endo_centres {
    int side;
    const uint8_t *mask;
} endo_centres;

typedef struct endo_search_setup {
    endo_search_options options;
    endo_centres centres; /* of options.side */
} endo_search_setup;

/* map: reference -> current. */
typedef struct endo_quality_request {
    endo_pair pair;
    endo_fixed_affine map;
} endo_quality_request;

typedef char endo_nothing;

typedef struct endo_context_kernels {
    endo_status (*open)(const endo_context_options *options, void **backend);
    void (*close)(void *backend);
    /* One line for people: what computes. */
    void (*describe)(const void *backend, char *text, size_t size);
} endo_context_kernels;

typedef struct endo_frames_kernels {
    endo_status (*create)(void *backend, const endo_store_setup *setup, void **store);
    void (*destroy)(void *store);
    endo_status (*put)(void *store, int slot, const void *pixels, ptrdiff_t stride);
    endo_status (*get_grey)(const void *store, int slot, uint8_t *grey);
} endo_frames_kernels;

typedef struct endo_canvas_kernels {
    endo_status (*create)(void *backend, endo_pixel type, int width, int height, void **canvas);
    void (*destroy)(void *canvas);
    endo_status (*resize)(void *canvas, int width, int height, int dx, int dy);
    endo_status (*clear)(void *canvas);
    /* map: canvas -> frame. */
    endo_status (*paint)(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                         endo_painting painting);
    endo_status (*read)(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted);
} endo_canvas_kernels;

typedef struct endo_equalization_kernels {
    endo_status (*ahe)(void *backend, const endo_ahe_job *job);
} endo_equalization_kernels;

/* One slot for each line of batches.h. */
#define ENDO_BATCH_SLOT(stem, request, setup, result) \
    endo_status (*stem)(void *store, const request *requests, size_t n, const setup *common, result *results);

typedef struct endo_batch_kernels {
    ENDO_BATCHES(ENDO_BATCH_SLOT)
} endo_batch_kernels;

typedef struct endo_kernels {
    const char *name;
    const endo_context_kernels *context;
    const endo_frames_kernels *frames;
    const endo_batch_kernels *batches;
    const endo_canvas_kernels *canvas;
    const endo_equalization_kernels *equalization;
} endo_kernels;

#ifdef __cplusplus
extern "C" {
#endif

extern const endo_kernels endo_kernels_cpu;
#ifdef ENDO_HAS_CUDA
extern const endo_kernels endo_kernels_cuda;
#endif
extern const endo_kernels endo_kernels_ref; /* linked into tests and benches only */

#ifdef __cplusplus
}
#endif

#endif
