/* Tools beside the panorama: the quality of poses, a sweep over options of the registration, the refinement of a pair that was
 * placed by hand, frames warped by their poses, and the poses that no panorama can show.
 *
 * Each tool is a run of an endo_mosaic (mosaic.h), which has the options and the hooks, and does one run in its life. Where
 * memory ends, or a device fails that ENDO_BACKEND_AUTO had chosen, the tool goes on as any run does. */
#ifndef ENDORAMA_MOSAIC_TOOLS_H
#define ENDORAMA_MOSAIC_TOOLS_H

#include "mosaic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- quality of poses */

/* The quality of the poses of two frames. */
typedef struct endo_pose_quality {
    int32_t frame, reference; /* frame numbers from 0; the reference is the earlier one */
    double quality;           /* endo_quality_measure (registration.h), -1..1; NaN where it is undefined: too little overlap or
                                 contrast */
} endo_pose_quality;

/* Compares every frame with the one that is `distance` frames before it (1..), where both are registered, in one component, and
 * can be read. frames: n records, as many as the source has, as from endo_mosaic_frames: pose, registered and component are
 * used. qualities: an array of n - distance elements, filled in the order of the frames; *n_qualities: how many were filled,
 * 0 where distance is n or more. The options back end, field, mask, pattern and lens are used. After a failure or cancel,
 * qualities and *n_qualities have what was measured until then. Errors: ARGUMENT (a sequence of fewer than 2 frames; an invalid
 * record; a distance below 1; no frame can be read; a mosaic that has run), MEMORY, DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_quality(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                        const endo_mosaic_frame *frames, int32_t n, int32_t distance,
                                                        endo_pose_quality *qualities, int32_t *n_qualities);

/* ----------------------------------------------------------- sweep over options */

/* The result of a combination of options, over all pairs. */
typedef struct endo_sweep_result {
    int64_t pairs;            /* pairs that were registered */
    int64_t ok;               /* pairs whose status is ENDO_PAIR_OK */
    int64_t computed, reused; /* coefficients */
    int64_t qualities;        /* pairs whose quality is defined */
    double quality_sum;       /* sum of these qualities */
    double milliseconds;      /* time of the registration alone */
} endo_sweep_result;

/* Most combinations of a sweep. */
#define ENDO_SWEEP_MOST 1000000

/* Registers all pairs of neighbours with each of n combinations of options (1..ENDO_SWEEP_MOST), in one passage over the
 * frames: reading and preparing them costs the same as for one. The combinations may differ in everything but `initial` and
 * `method`, for which frames are prepared. results: n of them. Pairs with a frame that cannot be read are left out. The
 * mosaic's options back end, field, mask, pattern, iir, highlights, enhance and lens are used. After a failure or cancel,
 * results have what was measured until then. Errors: ARGUMENT (a sequence of fewer than 2 frames; an option out of range; a
 * template larger than the field of view; combinations that differ in `initial` or `method`; no frame can be read; a mosaic
 * that has run), MEMORY, DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_sweep(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_pairs_options *combinations, int32_t n,
                                                      endo_sweep_result *results);

/* ---------------------------------------------------------- refinement of a pair */

/* A pair of frames, registered from a transform that somebody gave. */
typedef struct endo_refined_pair {
    endo_mosaic_edge edge; /* current -> reference, with its deviation; all 0 unless refined */
    double quality;        /* endo_quality_measure of what was found; NaN where it is undefined */
    double moved;          /* root mean square distance of the frame's corners between the start and what was found, px; NaN:
                              nothing was found */
    int32_t refined;       /* 1: the edge can be trusted as those between frames far apart are, and lies within an eighth of the
                              frame's longer side from the start */
    char why[132];         /* for people, in English: why nothing was refined; "" where it was */
} endo_refined_pair;

/* Registers frame pair->current onto frame pair->reference (from 0), starting from a transform that is roughly right (current ->
 * reference, px), as somebody placed it by hand, and where that leads to nothing from shifts around it. The mosaic's options back end, field, mask, pattern, iir, highlights, enhance,
 * lens and pairs are used; with the method BEST a start that is a homography is refined as one, else from its tangent in the
 * frame's middle. Where the frames do not fit near the start the call is OK, and says so. refined: untouched on failure.
 * Errors: ARGUMENT (a sequence of fewer than 2 frames; frames that there are not, or the same; a start that cannot be inverted;
 * a frame that cannot be read; a template larger than the field of view; a mosaic that has run), MEMORY, DEVICE, UNSUPPORTED,
 * CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_refine(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                       const endo_pair *pair, const endo_transform *start, endo_refined_pair *refined);

/* ---------------------------------------------------------------- aligned frames */

typedef enum endo_aligned_extent {
    ENDO_ALIGNED_FRAME = 0, /* the area of the component's first frame: frames keep their size */
    ENDO_ALIGNED_ALL = 1    /* the bounding box of all frames: nothing is cut off */
} endo_aligned_extent;

/* Size and origin of all aligned frames. */
typedef struct endo_aligned_size {
    int32_t width, height;      /* px */
    int32_t origin_x, origin_y; /* where the pixel (0, 0) of the component's first frame lies, px */
} endo_aligned_size;

/* Prepares the frames that are registered in a component (1..) to be warped by their poses, each when it is asked for
 * (endo_mosaic_read_aligned). frames: n records as for endo_mosaic_quality. `source` and its pixels must stay valid until the
 * mosaic is destroyed. The options back end, field, mask, lens and rim are used, and max_canvas for ENDO_ALIGNED_ALL.
 * Errors: ARGUMENT (an invalid record; a component without frames; an extent of more than max_canvas pixels, more than 2^20
 * along a side or infinite, with the first frame that causes it; no frame can be read; a mosaic that has run), MEMORY, DEVICE,
 * UNSUPPORTED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_align(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_mosaic_frame *frames, int32_t n, int32_t component,
                                                      endo_aligned_extent extent, endo_aligned_size *size);

/* Reads a frame (from 0) warped by its pose: endo_aligned_size pixels of the sequence's type, dense; 0 where the frame does
 * not reach. *is_readable = 0: the frame cannot be read, which an event reports, and all pixels are 0; may be NULL.
 * Frames can be read in any order, again and again. Errors: ARGUMENT (nothing was aligned; a frame that is not in the
 * component; a pose that no canvas can show, endo_canvas_paint), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_read_aligned(endo_mosaic *mosaic, int32_t frame, void *pixels,
                                                             int32_t *is_readable);

/* -------------------------------------------------- poses that cannot be shown */

/* A pose that no panorama can show. */
typedef struct endo_wild_pose {
    int32_t frame; /* frame number from 0 */
    char why[132]; /* for people, in English: "its transform takes it ..." */
} endo_wild_pose;

/* Finds the poses that make a panorama so large that nothing of it can be painted: one in a file of transforms is enough. Wild
 * are the poses of registered frames, of each component by itself,
 *   - that lie across their horizon, or more than 2^29 px away; and
 *   - where the others do not fit into a panorama of max_canvas pixels (1..) and 2^20 px along a side, those that reach more
 *     than 50 times as far from the middle of all as they do on the median. Frames of a long way are not wild: as many lie far
 *     from its middle as near it.
 * The result does not depend on the order of the frames. frames: n records (0..), width and height: px of a frame (1..32767).
 * wild: an array of n elements; *n_wild: how many were filled, in the order of the frames. A caller sets `registered` of these
 * to 0 before endo_mosaic_paint and endo_mosaic_align, which do not check for wild poses. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_wild_poses(const endo_mosaic_frame *frames, int32_t n, int width, int height,
                                                           int64_t max_canvas, endo_wild_pose *wild, int32_t *n_wild);

#ifdef __cplusplus
}
#endif
#endif
