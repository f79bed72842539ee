/* What is asked of a sequence beside its panorama: how well poses fit, what options of the registration are worth, its frames
 * moved to their places, and which poses no panorama can show.
 *
 * Each of these is a run of an endo_mosaic (mosaic.h), which has the options and the hooks, and does one run in its life. Where
 * memory ends, or a device fails that ENDO_BACKEND_AUTO had chosen, it goes on as any run does. */
#ifndef ENDORAMA_MOSAIC_TOOLS_H
#define ENDORAMA_MOSAIC_TOOLS_H

#include "mosaic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- quality of poses */

/* How well the poses of two frames fit each other. */
typedef struct endo_pose_quality {
    int32_t frame, reference; /* from 0; the reference is the one that comes first */
    double quality;           /* endo_quality_measure (registration.h), -1..1; NaN where it is undefined: too little overlap, or
                                 nothing to see */
} endo_pose_quality;

/* Compares every frame with the one that is `distance` frames before it (1..), where both are registered, in one component, and
 * can be read. frames: n records, as many as the source has, of which pose, registered and component count; those of
 * endo_mosaic_frames are such records. qualities: room for n - distance of them, in the order of the frames; *n_qualities: how
 * many there are, 0 where distance is n or more. Of the options back end, field, mask, pattern and lens count.
 * Whatever ends it: what was measured until then is in qualities and *n_qualities. Errors: ARGUMENT (a sequence of fewer than 2
 * frames; a record that is not whole; a distance below 1; no frame can be read; a mosaic that has run), MEMORY, DEVICE,
 * UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_quality(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                        const endo_mosaic_frame *frames, int32_t n, int32_t distance,
                                                        endo_pose_quality *qualities, int32_t *n_qualities);

/* ----------------------------------------------------------- sweep over options */

/* What a combination of options gave, all pairs together. */
typedef struct endo_sweep_result {
    int64_t pairs;            /* that were registered */
    int64_t ok;               /* of them: ENDO_PAIR_OK */
    int64_t computed, reused; /* coefficients */
    int64_t qualities;        /* pairs whose quality is defined */
    double quality_sum;       /* of these; over `qualities` it is their mean */
    double milliseconds;      /* of the registration alone */
} endo_sweep_result;

/* Most combinations of a sweep. */
#define ENDO_SWEEP_MOST 1000000

/* Registers all pairs of neighbours with each of n combinations of options (1..ENDO_SWEEP_MOST), in one passage over the
 * frames: reading and preparing them costs the same as for one. The combinations may differ in everything but `initial` and
 * `method`, which say what frames are prepared for. results: n of them. Pairs with a frame that cannot be read are left out.
 * Of the mosaic's options back end, field, mask, pattern, iir, highlights, enhance and lens count.
 * Whatever ends it: results are what was measured until then. Errors: ARGUMENT (a sequence of fewer than 2 frames; an option
 * out of range; a template larger than the field of view; combinations that differ in `initial` or `method`; no frame can be
 * read; a mosaic that has run), MEMORY, DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_sweep(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_pairs_options *combinations, int32_t n,
                                                      endo_sweep_result *results);

/* ---------------------------------------------------------------- aligned frames */

typedef enum endo_aligned_extent {
    ENDO_ALIGNED_FRAME = 0, /* what the first frame of the component shows: frames keep their size */
    ENDO_ALIGNED_ALL = 1    /* so large that nothing of any frame is cut off */
} endo_aligned_extent;

/* Of every aligned frame alike. */
typedef struct endo_aligned_size {
    int32_t width, height;      /* px */
    int32_t origin_x, origin_y; /* where the pixel (0, 0) of the component's first frame lies, px */
} endo_aligned_size;

/* Prepares a sequence's frames to be moved to their places, each when it is asked for (endo_mosaic_read_aligned): those that
 * are registered in a component (1..). frames: n records as for endo_mosaic_quality. What `source` points to must stay until the
 * mosaic is destroyed. Of the options back end, field, mask, lens and rim count, and max_canvas for ENDO_ALIGNED_ALL.
 * Errors: ARGUMENT (a record that is not whole; a component without frames; frames that take more than max_canvas pixels, more
 * than 2^20 along a side or endlessly much, the first that does named; no frame can be read; a mosaic that has run), MEMORY,
 * DEVICE, UNSUPPORTED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_align(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_mosaic_frame *frames, int32_t n, int32_t component,
                                                      endo_aligned_extent extent, endo_aligned_size *size);

/* A frame (from 0) in its place: width*height pixels of the sequence's type, dense, of endo_aligned_size; 0 where the frame
 * does not reach. *is_readable = 0: it cannot be read, which an event says, and all of it is 0; may be NULL. In any order, again and
 * again. Errors: ARGUMENT (nothing was aligned; a frame that is not in the component; a pose that no canvas can show,
 * endo_canvas_paint), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_read_aligned(endo_mosaic *mosaic, int32_t frame, void *pixels,
                                                             int32_t *is_readable);

/* -------------------------------------------------- poses that cannot be shown */

/* A pose that no panorama can show. */
typedef struct endo_wild_pose {
    int32_t frame; /* from 0 */
    char why[132]; /* for people, in English: "its transform takes it ..." */
} endo_wild_pose;

/* Which poses leave no room for the others: one such in a file of transforms, and nothing else of it can be painted. Wild are
 * those of registered frames, of each component by itself,
 *   - that lie across their horizon, or more than 2^29 px away; and
 *   - where the others do not fit into a panorama of max_canvas pixels (1..) and 2^20 px along a side, those that reach more
 *     than 50 times as far from the middle of all as they do on the median. Frames of a long way are not wild: as many lie far
 *     from its middle as near it.
 * Which these are does not depend on their order. frames: n records (0..), width and height: px of a frame (1..32767). wild:
 * room for n; *n_wild: how many there are, in the order of the frames. A caller sets `registered` of these to 0 before
 * endo_mosaic_paint and endo_mosaic_align, which believe what they are given. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_wild_poses(const endo_mosaic_frame *frames, int32_t n, int width, int height,
                                                           int64_t max_canvas, endo_wild_pose *wild, int32_t *n_wild);

#ifdef __cplusplus
}
#endif
#endif
