/* The CPU back end: parallel drivers over inner loops that exist per instruction set (variants.h). */
#ifndef ENDO_CPU_H
#define ENDO_CPU_H

#include "base/memory.h"
#include "base/slots.h"
#include "base/status.h"
#include "backend/kernels.h"
#include "rules/exposures.h"
#include "outline.h"
#include "planes.h"
#include "variants.h"

typedef struct cpu_backend {
    const cpu_variant *variant;
    int threads;
    void *scratch; /* cpu_scratch */
    size_t scratch_bytes;
    void *frame_scratch; /* cpu_frame_scratch */
    size_t frame_scratch_bytes;
    void *ahe_scratch; /* of the last equalization, if it was not large */
    size_t ahe_scratch_bytes;
    struct cpu_fft *ffts; /* plans that were made so far (fft.h) */
} cpu_backend;

/* A slot. Images: rows of store->stride, padded as cpu/planes.h says. */
typedef struct cpu_frame {
    uint8_t *grey;     /* for matching, equalized where the store has the option `enhance`; made when first needed (derived.h) */
    uint8_t *plain;    /* grey, not enhanced, the same memory without that option; last column and row repeated; made
                          when first needed */
    uint8_t *specular; /* 255 = takes no part in matching; NULL: all do */
    uint8_t *bright;   /* the same of patches */
    uint8_t *pixels;   /* in the store's type, last column and row repeated; NULL without keep_pixels */
    int16_t *levels[ENDO_FLOW_MAX_LEVELS]; /* made when flow first needs them; rows as in field->levels */
    uint32_t *shining; /* rows of bits: what is a highlight by itself; of a grey image that was made with `put` */
    int was_put;       /* there was a frame here before */
    int is_grey;       /* `plain` came with the pixels, and only lacks what cpu_grey adds */
    int is_marked;     /* `bright` has highlights */
    int is_summed;     /* sums of its blocks came with the pixels */
} cpu_frame;

/* Local bitmaps of a scale (bitmaps.c); NULL until they are first compared. */
typedef struct cpu_local_bits {
    uint64_t *planes; /* of all slots */
    uint64_t *inside; /* bits of the pixels whose squares lie in the field */
} cpu_local_bits;

typedef struct cpu_store {
    cpu_backend *backend;
    endo_frames_options options; /* options.field is not kept */
    int enhance_clip;
    const endo_field_planes *field; /* of the frames that own this store */
    cpu_outline outline;            /* of what is painted of a frame */
    int uses;                       /* of frames that are put (endo_use) */
    ptrdiff_t stride;               /* of grey, specular, pixels and the masks of the field, in elements */
    cpu_arena arena;                /* of everything below, up to the frames; a plane has a slice for each slot */
    cpu_plane plain, bright, pixels, enhanced, levels[ENDO_FLOW_MAX_LEVELS];
    ptrdiff_t shining_stride; /* words from row to row of frames[].shining */
    int is_large;             /* pixels that are put are out of the caches before they are painted */
    endo_exposure_levels *brightness; /* NULL until exposures are first aligned */
    struct cpu_fourier_frame *fourier; /* NULL until a frame's spectrum is first needed (fourier.h) */
    int fourier_whole;                 /* every pixel takes part */
    int16_t *smoothed;                 /* NULL until patches are first compared (patches.c) */
    cpu_local_bits bitmaps[ENDO_BITMAP_SCALES];
    endo_blend_block *block_sums;      /* with keep_pixels: of each slot, as cpu_block_sums() says */
    uint8_t *block_clipped;            /* and cpu_block_clipped() */
    cpu_frame *frames;
    endo_slots slots; /* what each has of what is derived */
    int has_field_words;
    uint64_t *field_words, *field_memory; /* the field as bits (cpu_exposures.h); NULL where it is everything */
    int16_t *field_columns, *field_rows;  /* its pixels by column and row; NULL where it is everything */
    int64_t field_pixels;
} cpu_store;

/* The grey values and highlights of one row of a slot, from pixels; what is left to do is one pass over the highlights
 * (cpu_grey). */
void cpu_grey_row(const cpu_store *s, int slot, int y, const void *pixels);

/* Row `row` of a frame's blocks: their values as they are, and whether a pixel of them is clipped (1 or 0; zeros lie around
 * the frame). Between from and to, exclusive: none of the others lies in the field, nor beside one that does. */
const endo_blend_block *cpu_block_sums(const cpu_store *s, int slot, int row);
const uint8_t *cpu_block_clipped(const cpu_store *s, int slot, int row);
void cpu_block_run(const cpu_store *s, int row, int *from, int *to);

/* Makes both of a row, from its first row of pixels. */
void cpu_sum_blocks(const cpu_store *s, int slot, int row, const void *pixels, ptrdiff_t stride);

/* A plane of the frames' size and padding, with a slice for each slot. */
cpu_plane cpu_store_plane(cpu_store *s, endo_plane_type type);

/* Threads for a loop of independent pieces of work, each worth one: waking a thread and waiting for it
 * costs more than a small piece does, above all on a busy machine. */
static inline int cpu_threads(const cpu_backend *b, size_t pieces) {
    return pieces < (size_t)b->threads ? (pieces > 1 ? (int)pieces : 1) : b->threads;
}

/* Working memory for as long as one call runs, n pieces of `size` bytes; NULL: no memory. It is kept for the next call:
 * small batches come often, and new memory costs more than what they compute. Not for what grows with the frames. */
void *cpu_scratch(cpu_backend *b, size_t n, size_t size);

/* Working memory of a call whose size grows with the frames, n pieces of `size` bytes; NULL: no memory. One at a time:
 * cpu_frame_scratch_end() takes it back, and keeps it for the next call unless it is large. */
void *cpu_frame_scratch(cpu_backend *b, size_t n, size_t size);
void cpu_frame_scratch_end(cpu_backend *b);

/* Pixels that are worth a thread in loops that only copy or interpolate. */
#define CPU_PIXELS_A_THREAD 200000

/* The tables of this back end, each filled where its functions are. */
extern const endo_planes_kernels cpu_planes;
extern const endo_frames_kernels cpu_frames;
extern const endo_canvas_kernels cpu_canvas_kernels;
extern const endo_blend_kernels cpu_blend_kernels;
extern const endo_mutual_kernels cpu_mutual;
extern const endo_lens_kernels cpu_lens_kernels;

/* cpu_<stem> for every line of batches.h. */
#define CPU_BATCH_PROTOTYPE(stem, request, setup, result) \
    endo_status cpu_##stem(void *store, const request *requests, size_t n, const setup *common, result *results);
ENDO_BATCHES(CPU_BATCH_PROTOTYPE)

endo_status cpu_ahe(void *backend, const endo_ahe_job *job);
endo_status cpu_mutual_resample(void *backend, const endo_resample_job *job);

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
