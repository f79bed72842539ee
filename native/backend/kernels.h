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

#include "base/planes.h"
#include "base/transform.h"
#include "base/projection.h"
#include "batches.h"
#include "rules/fourier_slots.h"
#include "include/endorama.h"
#include "rules/blend.h"
#include "rules/flow.h"
#include "rules/lens.h"
#include "rules/mutual.h"
#include "rules/patch_step.h"
#include "rules/patches.h"

/* The field of view at one resolution of the flow pyramid. */
typedef struct endo_field_level {
    endo_flow_level size;
    ptrdiff_t stride;     /* of gain, and of the pyramid's images: elements */
    const uint8_t *mask;  /* dense: 255 where every pixel of the frame below lies in the field, else 0 */
    const int16_t *gain;  /* endo_smooth_gain of the smoothed field */
} endo_field_level;

/* What is derived from the field of view, in host memory. Owned by the frames (objects.h), which outlive their store:
 * a back end may keep pointers to it. Masks have a row and a column more than the frame, of zeros, and are padded as
 * base/planes.h says. */
typedef struct endo_field_planes {
    ptrdiff_t stride;           /* of the masks, and of what a store keeps of a frame: elements */
    const uint8_t *mask;        /* 255 or 0 */
    const uint8_t *bilinear;    /* 255 where a pixel, its right, lower and lower right neighbours are in the field */
    const uint8_t *paint_bilinear; /* the same of the field less its rim: bit endo_sampled(), 255 where all four are in it */
    const uint8_t *bicubic;     /* of the field less its rim: 255 where a pixel, the one before it and the two behind it,
                                   along rows and columns, are all in it: what cubic sampling between them takes */
    const uint8_t *depths;      /* of blocks of ENDO_BLEND_SIDE px, width/4 * height/4, dense: how deep in the field less
                                   its rim, 1..255 for the deepest; 0: not all of it lies there */
    const uint8_t *surroundings; /* likewise; of the 12 x 12 px of a block and those around it: ENDO_BLEND_NONE .. _ALL */
    int smoothing;              /* endo_smooth_coefficient */
    int n_levels;               /* 0: no flow */
    endo_field_level levels[ENDO_FLOW_MAX_LEVELS];
    void *memory;               /* its own */
} endo_field_planes;

/* What a store is made from. */
typedef struct endo_store_setup {
    endo_frames_options options; /* options.field: width*height bytes, 0 or 255; not NULL, to be copied.
                                    options.pattern outlives the store */
    const endo_field_planes *field;
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

/* The equalization of a grey image in memory, as a store with the option `enhance` has it. */
static inline endo_ahe_job endo_enhance_job(const endo_frames_options *o, const uint8_t *grey, ptrdiff_t stride,
                                            uint8_t *out, int clip) {
    endo_ahe_job job;
    job.pixels = grey;
    job.type = ENDO_GREY8;
    job.width = o->width;
    job.height = o->height;
    job.stride = stride;
    job.region.x = 0;
    job.region.y = 0;
    job.region.width = o->width;
    job.region.height = o->height;
    job.window = o->enhance;
    job.clip = clip;
    job.low = 0;
    job.high = 0;
    job.bin_width = 1;
    job.out = out;
    job.out_stride = stride;
    return job;
}

/* A level of the pyramids of two volumes; the first one is the full size. */
typedef struct endo_mutual_plan {
    int bins;
    uint8_t halved[2][3]; /* of fixed and moving, along x, y, z: 1: half the voxels of the level before, rounded down */
} endo_mutual_plan;

/* Two volumes to register (endorama/mutual.h). Their strides are set. */
typedef struct endo_mutual_setup {
    endo_volume fixed, moving;
    int low[2], high[2]; /* of both: the range of endo_mutual_quantize */
    int nearest;
    int n_levels;
    endo_mutual_plan levels[ENDO_MUTUAL_MAX_LEVELS];
} endo_mutual_setup;

/* A volume to resample: its voxels in the grid that the map leads from. */
typedef struct endo_resample_job {
    endo_volume moving;
    endo_mutual_map map;
    int nearest;
    int width, height, depth; /* of the grid */
    void *out;                /* of the moving volume's type */
    ptrdiff_t out_stride, out_slice;
} endo_resample_job;

/* A frame to be rid of the distortion of its lens (endorama/lens.h), of the lens's size. */
typedef struct endo_lens_job {
    const void *pixels;
    endo_pixel type;
    ptrdiff_t stride;
    void *out; /* of the same type */
    ptrdiff_t out_stride;
} endo_lens_job;

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

/* A pair to be compared pixel by pixel. map: reference -> current, in fixed point (endo_transform_map_back). */
typedef struct endo_mapped_pair {
    endo_pair pair;
    endo_fixed_affine map;
} endo_mapped_pair;

typedef char endo_nothing;

typedef struct endo_context_kernels {
    endo_status (*open)(const endo_context_options *options, void **backend);
    void (*close)(void *backend);
    /* One line for people: what computes. */
    void (*describe)(const void *backend, char *text, size_t size);
} endo_context_kernels;

/* Planes and volumes of a back end's own. Host arrays: elements from row to row and from slice to slice. */
typedef struct endo_planes_kernels {
    /* Its elements are 0. */
    endo_status (*create)(void *backend, const endo_plane_format *format, void **plane);
    void (*destroy)(void *plane);
    endo_status (*write)(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice);
    endo_status (*read)(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice);
} endo_planes_kernels;

typedef struct endo_frames_kernels {
    endo_status (*create)(void *backend, const endo_store_setup *setup, void **store);
    void (*destroy)(void *store);
    endo_status (*put)(void *store, int slot, const void *pixels, ptrdiff_t stride);
    /* `put` for n different slots; NULL: one after the other. */
    endo_status (*put_list)(void *store, const int32_t *slots, size_t n, const void *const *pixels, ptrdiff_t stride);
    endo_status (*get_grey)(void *store, int slot, uint8_t *grey);
    /* What the frames that are put from now on are for (endo_use): they are asked for nothing else. NULL: the back end does
     * not care. */
    void (*put_for)(void *store, int uses);
    /* Copies slots of another store of the same setup, on another device, into the same slots of this one: what `put` left
     * for matching (pixels 0), or the pixels that are painted (1). NULL where devices do not work together. */
    endo_status (*fetch)(void *store, void *from, const int32_t *slots, size_t n, int pixels);
} endo_frames_kernels;

/* Frames that a back end paints at once: a cancel is answered between such lists. */
#define ENDO_PAINT_LIST 32

typedef struct endo_canvas_kernels {
    endo_status (*create)(void *backend, endo_pixel type, int width, int height, void **canvas);
    void (*destroy)(void *canvas);
    endo_status (*resize)(void *canvas, int width, int height, int dx, int dy);
    endo_status (*clear)(void *canvas);
    /* map: canvas -> frame. */
    endo_status (*paint)(void *canvas, const void *store, int slot, const endo_canvas_map *map,
                         endo_painting painting);
    /* `paint` for n frames, up to ENDO_PAINT_LIST, in their order; NULL: one after the other. Where there is no memory for
     * one of them, those before it are painted. */
    endo_status (*paint_list)(void *canvas, const void *store, const int32_t *slots, const endo_canvas_map *maps, int n,
                              endo_painting painting);
    endo_status (*read)(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted);
} endo_canvas_kernels;

/* What frames are multiplied by, in host memory. Owned by the blend (objects.h), which outlives a back end's. */
typedef struct endo_blend_correction {
    int width, height;
    ptrdiff_t stride;       /* of `pixels`, as that of a store's frames */
    const uint16_t *pixels; /* 1..ENDO_BLEND_MOST_FACTOR */
    const uint16_t *blocks; /* their means, width/4 * height/4, dense */
} endo_blend_correction;

typedef struct endo_blend_setup {
    endo_pixel type;
    int width, height, cubic, votes;
} endo_blend_setup;

/* A frame to add. gain: by channel as in rules/blend.h. map: blend -> frame. */
typedef struct endo_blend_frame {
    int slot;
    int second; /* pass */
    uint32_t weight, gain[3];
    endo_canvas_map map;
} endo_blend_frame;

/* So many are added at a time, at most. */
#define ENDO_BLEND_BATCH 8

/* Bytes of a pixel of the second pass: sums of weighted values and the sum of the weights, four uint32_t of colour
 * (channels, then weight), two uint32_t of 8-bit grey, two uint64_t of 16-bit grey. */
static inline size_t endo_blend_sum_size(endo_pixel type) { return type == ENDO_GREY8 ? 8 : 16; }

/* Cells of a side of the blend; the last may reach over its edge. */
static inline int endo_blend_cells(int length) { return (length + ENDO_BLEND_SIDE - 1) / ENDO_BLEND_SIDE; }

typedef struct endo_blend_kernels {
    endo_status (*create)(void *backend, const endo_blend_setup *setup, void **blend);
    void (*destroy)(void *blend);
    /* For what is added from now on; it is called before the first frame. */
    endo_status (*correct)(void *blend, const endo_blend_correction *correction);
    /* n frames, 1..ENDO_BLEND_BATCH, as if one after another; a status for one of them: those before it are added. */
    endo_status (*add)(void *blend, const void *store, const endo_blend_frame *frames, int n);
    /* endo_blend_settle for every cell. */
    endo_status (*settle)(void *blend);
    /* A rectangle of pixels, and one of cells: dense, zeros where nothing was added. */
    endo_status (*read)(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage);
    endo_status (*read_cells)(void *blend, int x, int y, int width, int height, endo_blend_cell *cells);
} endo_blend_kernels;

typedef struct endo_equalization_kernels {
    endo_status (*ahe)(void *backend, const endo_ahe_job *job);
} endo_equalization_kernels;

/* Two volumes with their pyramids, the `pair`. */
typedef struct endo_mutual_kernels {
    endo_status (*create)(void *backend, const endo_mutual_setup *setup, void **pair);
    void (*destroy)(void *pair);
    /* The sums of the joint histogram of each map (voxels of that level), n >= 1; of the voxels in the window where it
     * is not NULL. Nothing is allocated. */
    endo_status (*measure)(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps, size_t n,
                           endo_mutual_sums *sums);
    /* bins * bins counts, a row for each bin of the fixed volume. */
    endo_status (*histogram)(void *pair, int level, const endo_mutual_map *map, uint32_t *counts);
    endo_status (*resample)(void *backend, const endo_resample_job *job);
} endo_mutual_kernels;

typedef struct endo_lens_kernels {
    /* The table outlives the lens. */
    endo_status (*create)(void *backend, const endo_lens_table *table, void **lens);
    void (*destroy)(void *lens);
    endo_status (*undistort)(void *lens, const endo_lens_job *job);
} endo_lens_kernels;

/* One slot for each line of batches.h; those of devices alone are NULL elsewhere. */
#define ENDO_BATCH_SLOT(stem, request, setup, result) \
    endo_status (*stem)(void *store, const request *requests, size_t n, const setup *common, result *results);

typedef struct endo_batch_kernels {
    ENDO_BATCHES(ENDO_BATCH_SLOT)
    ENDO_DEVICE_BATCHES(ENDO_BATCH_SLOT)
} endo_batch_kernels;

typedef struct endo_kernels {
    const char *name;
    int takes_many; /* 1: a call of many pairs takes little longer than one of a few dozen */
    const endo_context_kernels *context;
    const endo_planes_kernels *planes;
    const endo_frames_kernels *frames;
    const endo_batch_kernels *batches;
    const endo_canvas_kernels *canvas;
    const endo_blend_kernels *blend;
    const endo_equalization_kernels *equalization;
    const endo_mutual_kernels *mutual;
    const endo_lens_kernels *lens;
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
