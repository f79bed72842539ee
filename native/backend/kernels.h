/* The interface of a back end: one table of operations an area.
 *
 * api/ checks every argument and owns the handles, systems/ runs the published methods on these
 * slots, and neither knows which back end works. A back end owns its memory: `backend`, `store` and
 * `canvas` are opaque to everyone else. Arguments are valid here; a slot fails only for lack of
 * memory or a broken device, gives the reason with endo_fail(), and then leaves its outputs untouched.
 *
 * Every slot computes the same bytes in every back end; native/ref is the definition, and
 * native/test/endo_check compares the others with it. */
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
#include "rules/local_bitmaps.h"
#include "rules/mutual.h"
#include "rules/patch_step.h"
#include "rules/patches.h"

/* The field of view at one resolution of the flow pyramid. */
typedef struct endo_field_level {
    endo_flow_level size;
    ptrdiff_t stride;     /* elements from row to row of gain and of the pyramid's images */
    const uint8_t *mask;  /* dense: 255 where every pixel of the frame below lies in the field, else 0 */
    const int16_t *gain;  /* endo_smooth_gain of the smoothed field */
} endo_field_level;

/* Planes derived from the field of view, in host memory. Owned by the frames (objects.h), which outlive their store: a back
 * end may keep pointers to them. Masks have a row and a column more than the frame, of zeros, and are padded by
 * base/planes.h. */
typedef struct endo_field_planes {
    ptrdiff_t stride;           /* elements from row to row of the masks, and of the planes of a stored frame */
    const uint8_t *mask;        /* 255 or 0 */
    const uint8_t *bilinear;    /* 255 where a pixel, its right, lower and lower right neighbours are in the field */
    const uint8_t *paint_bilinear; /* the same four pixels in the field less its rim: bit endo_sampled(), 255: all four */
    const uint8_t *bicubic;     /* 255 where the 4 x 4 pixels of cubic sampling, from the one before a pixel to the second
                                   behind it, are in the field less its rim */
    const uint8_t *depths;      /* depth of blocks of ENDO_BLEND_SIDE px in the field less its rim, width/4 * height/4,
                                   dense: 1..255 for the deepest; 0: not all of the block lies there */
    const uint8_t *surroundings; /* for each of these blocks, of its 12 x 12 px with those around: ENDO_BLEND_NONE .. _ALL */
    int smoothing;              /* endo_smooth_coefficient */
    int n_levels;               /* 0: no flow */
    endo_field_level levels[ENDO_FLOW_MAX_LEVELS];
    void *memory;               /* the memory of all planes */
} endo_field_planes;

/* The setup of a frame store. */
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
    int clip; /* largest count of a bin; 0: no limit */
    int low, high, bin_width; /* 16 bit with a clip: bins of bin_width levels (1..256) from low */
    void *out;
    ptrdiff_t out_stride;
} endo_ahe_job;

/* The equalization of a grey image in memory, as a store with the option `enhance` has it. */
static inline endo_ahe_job endo_enhance_job(const endo_frames_options *o, const uint8_t *grey, ptrdiff_t stride,
                                            uint8_t *out, int clip) {
    const endo_region whole = {0, 0, o->width, o->height};
    endo_ahe_job job;
    job.pixels = grey;
    job.type = ENDO_GREY8;
    job.width = o->width;
    job.height = o->height;
    job.stride = stride;
    job.region = whole;
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
    uint8_t halved[2][3]; /* fixed and moving volume, along x, y, z: 1: half the voxels of the level before, rounded down */
} endo_mutual_plan;

/* Two volumes to register (endorama/mutual.h). Their strides are set. */
typedef struct endo_mutual_setup {
    endo_volume fixed, moving;
    int low[2], high[2]; /* the range of endo_mutual_quantize, of the fixed and the moving volume */
    int nearest;
    int n_levels;
    endo_mutual_plan levels[ENDO_MUTUAL_MAX_LEVELS];
} endo_mutual_setup;

/* A volume to resample: its voxels in the grid that the map leads from. */
typedef struct endo_resample_job {
    endo_volume moving;
    endo_mutual_map map;
    int nearest;
    int width, height, depth; /* size of the grid, voxels */
    void *out;                /* voxels of the moving volume's type */
    ptrdiff_t out_stride, out_slice;
} endo_resample_job;

/* A frame, of the lens's size, whose distortion is taken out (endorama/lens.h). */
typedef struct endo_lens_job {
    const void *pixels;
    endo_pixel type;
    ptrdiff_t stride;
    void *out; /* pixels of the same type */
    ptrdiff_t out_stride;
} endo_lens_job;

/* The centres of templates of an odd side that lie in the field of view: the field eroded by half of the side. Owned by the
 * frames (objects.h); a back end may keep a copy for each side. mask: width*height bytes, 255 or 0. */
typedef struct endo_centres {
    int side;
    const uint8_t *mask;
} endo_centres;

typedef struct endo_search_setup {
    endo_search_options options;
    endo_centres centres; /* for options.template_side */
} endo_search_setup;

/* A pair that is compared pixel by pixel. map: reference -> current, in fixed point (endo_transform_map_back). */
typedef struct endo_mapped_pair {
    endo_pair pair;
    endo_fixed_affine map;
} endo_mapped_pair;

typedef char endo_nothing;

typedef struct endo_context_kernels {
    endo_status (*open)(const endo_context_options *options, void **backend);
    void (*close)(void *backend);
    /* Writes one line for people that names the back end. */
    void (*describe)(const void *backend, char *text, size_t size);
} endo_context_kernels;

/* Planes and volumes in the memory of a back end. row, slice: elements of the host array from row to row and from slice to
 * slice. */
typedef struct endo_planes_kernels {
    /* Creates a plane of zeros. */
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
    /* Sets the uses (endo_use) of the frames that are put from now on: they are used for nothing else. NULL: the back end
     * ignores uses. */
    void (*put_for)(void *store, int uses);
    /* Copies slots of another store of the same setup, on another device, into the same slots of this one: the planes for
     * matching (pixels 0), or the pixels that are painted (1). NULL where devices do not work together. */
    endo_status (*fetch)(void *store, void *from, const int32_t *slots, size_t n, int pixels);
} endo_frames_kernels;

/* Most frames that a back end paints at once: a cancel is answered between such lists. */
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

/* The factors of frames, in host memory. Owned by the blend (objects.h), which outlives the blend of a back end. */
typedef struct endo_blend_correction {
    int width, height;
    ptrdiff_t stride;       /* elements from row to row of `pixels`, as of a store's frames */
    const uint16_t *pixels; /* factor of each pixel, 1..ENDO_BLEND_MOST_FACTOR */
    const uint16_t *blocks; /* mean factor of each block, width/4 * height/4, dense */
} endo_blend_correction;

typedef struct endo_blend_setup {
    endo_pixel type;
    int width, height, cubic, votes;
} endo_blend_setup;

/* A frame to add. gain: by channel as in rules/blend.h. map: blend -> frame. */
typedef struct endo_blend_frame {
    int slot;
    int second; /* 0: first pass, 1: second pass */
    uint32_t weight, gain[3];
    endo_blend_hidden hidden;
    endo_canvas_map map;
} endo_blend_frame;

/* Most frames that are added at once. */
#define ENDO_BLEND_BATCH 8

/* Bytes of a pixel of the second pass, sums of weighted values and the sum of the weights: four uint32_t for colour
 * (channels, then weight), two uint32_t for 8-bit grey, two uint64_t for 16-bit grey. */
static inline size_t endo_blend_sum_size(endo_pixel type) { return type == ENDO_GREY8 ? 8 : 16; }

/* A rectangle that lies in the blend, and where it is written, dense; painted and coverage may be NULL. */
typedef struct endo_blend_view {
    int x, y, width, height;
    void *pixels;
    uint8_t *painted;
    uint16_t *coverage;
} endo_blend_view;

/* Number of cells along a side of the blend; the last may reach over its edge. */
static inline int endo_blend_cells(int length) { return (length + ENDO_BLEND_SIDE - 1) / ENDO_BLEND_SIDE; }

typedef struct endo_blend_kernels {
    endo_status (*create)(void *backend, const endo_blend_setup *setup, void **blend);
    void (*destroy)(void *blend);
    /* Sets the correction of the frames that are added from now on; called before the first frame. */
    endo_status (*correct)(void *blend, const endo_blend_correction *correction);
    /* Adds n frames, 1..ENDO_BLEND_BATCH, as if one after another; where one fails, those before it are added. */
    endo_status (*add)(void *blend, const void *store, const endo_blend_frame *frames, int n);
    /* Calls endo_blend_settle for every cell. */
    endo_status (*settle)(void *blend);
    /* Read what `finish` begins with, for checks: the sums of a rectangle of pixels, and one of cells, dense, zeros where
     * nothing was added. */
    endo_status (*read)(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage);
    endo_status (*read_cells)(void *blend, int x, int y, int width, int height, endo_blend_cell *cells);
    /* Finishes a rectangle of pixels (rules/blend_finish.h, rules/blend_holes.h). What is not painted is 0. */
    endo_status (*finish)(void *blend, const endo_blend_view *view);
} endo_blend_kernels;

typedef struct endo_equalization_kernels {
    endo_status (*ahe)(void *backend, const endo_ahe_job *job);
} endo_equalization_kernels;

/* Operations on a pair of volumes with their pyramids. */
typedef struct endo_mutual_kernels {
    endo_status (*create)(void *backend, const endo_mutual_setup *setup, void **pair);
    void (*destroy)(void *pair);
    /* Computes the sums of the joint histogram of each of n >= 1 maps (voxels of that level), over the voxels in the window
     * if it is not NULL. Nothing is allocated. */
    endo_status (*measure)(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps, size_t n,
                           endo_mutual_sums *sums);
    /* Computes bins * bins counts, a row for each bin of the fixed volume. */
    endo_status (*histogram)(void *pair, int level, const endo_mutual_map *map, uint32_t *counts);
    endo_status (*resample)(void *backend, const endo_resample_job *job);
} endo_mutual_kernels;

typedef struct endo_lens_kernels {
    /* The table outlives the lens. */
    endo_status (*create)(void *backend, const endo_lens_table *table, void **lens);
    void (*destroy)(void *lens);
    endo_status (*undistort)(void *lens, const endo_lens_job *job);
} endo_lens_kernels;

/* One slot for each line of batches.h; the slots of ENDO_DEVICE_BATCHES are NULL where there is no such kernel. */
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
