/* The CPU back end: OpenMP drivers over inner loops that exist per instruction set (variants.h). */
#ifndef ENDO_CPU_H
#define ENDO_CPU_H

#include "../base/memory.h"
#include "../base/status.h"
#include "../kernels.h"
#include "../rules/exposures.h"
#include "variants.h"

typedef struct cpu_backend {
    const cpu_variant *variant;
    int threads;
} cpu_backend;

/* One resolution of the flow pyramid. */
typedef struct cpu_level {
    endo_flow_level size;
    ptrdiff_t stride;
    uint8_t *field; /* dense: 255 where every image pixel below lies in the field */
    int16_t *gain;  /* stride as the images: endo_smooth_gain of the smoothed field */
} cpu_level;

typedef struct cpu_frame {
    uint8_t *grey;     /* for matching. store->stride; last column and row repeated once, readable beyond */
    uint8_t *plain;    /* grey, not enhanced; the same memory unless the store has the option `enhance` */
    uint8_t *specular; /* as grey, 255 = takes no part; NULL without highlights */
    uint8_t *pixels;   /* as grey in the store's type; NULL without keep_pixels */
    int16_t *levels[ENDO_FLOW_MAX_LEVELS];
    int has_levels; /* made when flow first needs them */
    endo_exposure_levels brightness;
    int has_brightness; /* made when exposures are first aligned */
} cpu_frame;

typedef struct cpu_store {
    const cpu_backend *backend;
    endo_frames_options options; /* options.field is not kept */
    int enhance_clip;
    ptrdiff_t stride;            /* of grey, specular, pixels and the masks below, in elements */
    uint8_t *field;
    uint8_t *field_quads; /* 255 where a pixel, its right, lower and lower right neighbours are in the field */
    uint8_t *paint_quads; /* the same of the eroded field */
    uint8_t *centres;     /* dense: where a template of centres_side fits; made when first needed */
    int centres_side;
    int has_field_words;
    uint64_t *field_words, *field_memory; /* the field as bits (cpu_exposures.h); NULL where it is everything */
    int16_t *field_columns, *field_rows;  /* its pixels by column and row; NULL likewise */
    int64_t field_pixels;
    int n_levels, smoothing;
    cpu_level levels[ENDO_FLOW_MAX_LEVELS];
    cpu_frame *frames;
} cpu_store;

/* Threads for a loop of independent pieces of work, each worth one: waking a thread and waiting for it
 * costs more than a small piece does, above all on a busy machine. */
static inline int cpu_threads(const cpu_backend *b, size_t pieces) {
    return pieces < (size_t)b->threads ? (pieces > 1 ? (int)pieces : 1) : b->threads;
}

/* Pixels that are worth a thread in loops that only copy or interpolate. */
#define CPU_PIXELS_A_THREAD 200000

/* Bytes that may be read (not used) beyond the last pixel of an image. */
#define CPU_SLACK 64

endo_status cpu_store_create(void *backend, const endo_store_setup *setup, void **store);
void cpu_store_destroy(void *store);
endo_status cpu_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride);
endo_status cpu_store_get_grey(const void *store, int slot, uint8_t *grey);
endo_status cpu_store_centres(cpu_store *s, int side);

/* Field and gains of every level; once, at creation. */
endo_status cpu_pyramid_create(cpu_store *s);
/* Builds the levels of the frames that the pairs name and that have none yet. */
endo_status cpu_pyramid_build(cpu_store *s, const endo_pair *pairs, size_t n);

endo_status cpu_ncc(void *store, const endo_ncc_request *requests, size_t n, int side, double *out);
endo_status cpu_search(void *store, const endo_search_request *requests, size_t n,
                       const endo_search_params *params, endo_search_result *results);
endo_status cpu_flow(void *store, const endo_pair *pairs, size_t n, endo_warp warp,
                     endo_flow_result *results);
endo_status cpu_quality(void *store, const endo_pair *pairs, const endo_fixed_affine *maps, size_t n,
                        double *quality);

endo_status cpu_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas);
void cpu_canvas_destroy(void *canvas);
endo_status cpu_canvas_resize(void *canvas, int width, int height, int dx, int dy);
endo_status cpu_canvas_clear(void *canvas);
endo_status cpu_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                             endo_painting painting);
endo_status cpu_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels,
                            uint8_t *painted);

endo_status cpu_ahe(void *backend, const endo_ahe_job *job);
endo_status cpu_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_params *params,
                          endo_exposure_result *results);

/* One template against windows: the template's sums are taken once. */
typedef struct cpu_correlator {
    const cpu_store *store;
    const cpu_frame *reference, *current;
    int side, x, y;
    cpu_template packed;
} cpu_correlator;

/* The template must lie in the image. Returns 0 if it has no variance. scratch: CPU_TEMPLATE_BYTES. */
int cpu_correlator_set(cpu_correlator *c, const cpu_store *s, int reference, int current, int x, int y, int side,
                       void *scratch);
/* NaN where undefined. The centres of c->side must have been made. */
double cpu_correlate(const cpu_correlator *c, int cx, int cy);

#endif
