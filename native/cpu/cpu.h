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
    ptrdiff_t stride;            /* of grey, specular, pixels and the masks of the field, in elements */
    const endo_field_planes *field; /* of the frames that own this store */
    int has_field_words;
    uint64_t *field_words, *field_memory; /* the field as bits (cpu_exposures.h); NULL where it is everything */
    int16_t *field_columns, *field_rows;  /* its pixels by column and row; NULL likewise */
    int64_t field_pixels;
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

/* Builds the levels of the frames that the pairs name and that have none yet. */
endo_status cpu_pyramid_build(cpu_store *s, const endo_pair *pairs, size_t n);

/* The tables of this back end, each filled where its functions are. */
extern const endo_planes_kernels cpu_planes;
extern const endo_frames_kernels cpu_frames;
extern const endo_canvas_kernels cpu_canvas_kernels;

/* cpu_<stem> for every line of batches.h. */
#define CPU_BATCH_PROTOTYPE(stem, request, setup, result) \
    endo_status cpu_##stem(void *store, const request *requests, size_t n, const setup *common, result *results);
ENDO_BATCHES(CPU_BATCH_PROTOTYPE)

endo_status cpu_ahe(void *backend, const endo_ahe_job *job);

/* One template against windows: the template's sums are taken once. */
typedef struct cpu_correlator {
    const cpu_store *store;
    const endo_centres *centres;
    const cpu_frame *reference, *current;
    int side, x, y;
    cpu_template packed;
} cpu_correlator;

/* The template must lie in the image. Returns 0 if it has no variance. scratch: CPU_TEMPLATE_BYTES. */
int cpu_correlator_set(cpu_correlator *c, const cpu_store *s, const endo_centres *centres, int reference, int current,
                       int x, int y, void *scratch);
/* NaN where undefined. */
double cpu_correlate(const cpu_correlator *c, int cx, int cy);

#endif
