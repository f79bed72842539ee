/* Registration by mutual information: images and volumes of any two modalities.
 *
 * Source: [B] T. Brosch, R. Tam, A Self-Optimizing Histogram Algorithm for Graphics Card Accelerated Image
 * Registration, 2009; section numbers refer to it.
 *
 * Transforms are 3-D here: 16 numbers, a 4 x 4 matrix row by row, whose last row is 0 0 0 1. They lead from the fixed
 * image to the moving one (as resampling needs them, and as ITK has them): x' = m[0]*x + m[1]*y + m[2]*z + m[3], and
 * so on. In voxels, the centre of the first one is (0, 0, 0); in millimetres, transforms lead from world to world. */
#ifndef ENDORAMA_MUTUAL_H
#define ENDORAMA_MUTUAL_H

#include "context.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_MUTUAL_MAX_SIDE 16384
#define ENDO_MUTUAL_MAX_LEVELS 8
#define ENDO_MUTUAL_MAX_STARTS 4096

/* A volume in the caller's memory; a depth of 1 is an image. Colour counts by its luma, as in endorama/frames.h. */
typedef struct endo_volume {
    const void *pixels;       /* first voxel of the first slice */
    endo_pixel type;          /* default ENDO_GREY8 */
    int width, height, depth; /* voxels, 1..16384 each, together at most 2^30; depth: default 1 */
    ptrdiff_t stride, slice;  /* pixels from row to row (>= width) and from slice to slice (>= height rows); default 0:
                                 dense */
    const uint8_t *mask;      /* fixed volume: width*height*depth bytes, dense: 0 = the voxel does not count;
                                 NULL (default): all count */
    double spacing[3];        /* mm from voxel to voxel along x, y, z, above 0; default 1; ignored where `world` is set */
    double world[16];         /* voxels -> mm; all 0 (default): by the spacing, with the origin at the volume's centre */
} endo_volume;

ENDO_API void endo_volume_init(endo_volume *volume);
static inline endo_volume endo_volume_default(void) {
    endo_volume volume;
    endo_volume_init(&volume);
    return volume;
}

typedef enum endo_mutual_measure {
    ENDO_MUTUAL_MI = 0, /* mutual information, bits: [B] eq. 2 */
    ENDO_MUTUAL_NMI = 1 /* normalized: (H(fixed) + H(moving)) / H(both), 1..2 */
} endo_mutual_measure;

typedef enum endo_mutual_interpolation {
    ENDO_MUTUAL_LINEAR = 0, /* linear between the 8 voxels around, in steps of 1/128 voxel */
    ENDO_MUTUAL_NEAREST = 1
} endo_mutual_interpolation;

typedef enum endo_mutual_optimizer {
    ENDO_MUTUAL_POWELL = 0,  /* Powell's directions with Brent's search along each, [B] section 3 */
    ENDO_MUTUAL_GRADIENT = 1 /* Newton's steps on differences of the measure: more points at once, fewer times */
} endo_mutual_optimizer;

typedef enum endo_mutual_initial {
    ENDO_MUTUAL_HEADER = 0,  /* the worlds as they are; the centres of volumes without one meet */
    ENDO_MUTUAL_CENTRES = 1, /* a shift by which the volumes' centres meet */
    ENDO_MUTUAL_MOMENTS = 2, /* a shift by which their centres of brightness meet */
    ENDO_MUTUAL_GIVEN = 3    /* initial_map */
} endo_mutual_initial;

typedef struct endo_mutual_options {
    endo_transform_class model; /* TRANSLATION, RIGID (default), SIMILARITY or AFFINE; in the plane where both volumes
                                   have one slice */
    int bins;                   /* bins of each image, 16..256; 0 (default): 64. [B] takes 240 */
    endo_mutual_measure measure;             /* default ENDO_MUTUAL_MI */
    endo_mutual_interpolation interpolation; /* default ENDO_MUTUAL_LINEAR */
    endo_mutual_optimizer optimizer;         /* default ENDO_MUTUAL_POWELL */
    int levels;                 /* levels of the pyramid, the full size among them, 1..8; 0 (default): by size */
    int starts;                 /* rotations and shifts that are tried at the coarsest level, 1..4096; 1: the initial one
                                   alone; 0 (default): as many as turn_range and shift_range need */
    double turn_range;          /* degrees each way that the initial transform may be off, 0..180; default 15 */
    double shift_range;         /* mm each way, 0 or more; default 0: an eighth of the fixed volume's longest side */
    endo_mutual_initial initial;             /* default ENDO_MUTUAL_HEADER */
    double initial_map[16];     /* mm, for ENDO_MUTUAL_GIVEN; default: the identity */
    int low[2], high[2];        /* grey values of the fixed and of the moving image between which the bins lie, within
                                   0..65535; equal (default 0, 0): all but a thousandth of the voxels at either end */
    double overlap;             /* smallest share of the fixed voxels (or of those that the moving volume can hold, if
                                   fewer) that must fall into the moving volume for a transform to be tried, above 0, up
                                   to 1; default 0.25 */
    double tolerance;           /* voxels (of the full fixed volume): a search ends where its steps fall below,
                                   0.0001..1; default 0.01 */
    int max_evaluations;        /* most evaluations of the measure, all levels together, 1..1000000; default 100000 */
} endo_mutual_options;

ENDO_API void endo_mutual_options_init(endo_mutual_options *options);
static inline endo_mutual_options endo_mutual_options_default(void) {
    endo_mutual_options options;
    endo_mutual_options_init(&options);
    return options;
}

typedef enum endo_mutual_status {
    ENDO_MUTUAL_OK = 0,
    ENDO_MUTUAL_LOW_CERTAINTY = 1, /* a transform was found, but another one, or chance, is nearly as good */
    ENDO_MUTUAL_NO_OVERLAP = 2,    /* the volumes hardly overlap in any transform that was tried */
    ENDO_MUTUAL_NO_CONTENT = 3     /* an image has only one grey value where they meet */
} endo_mutual_status;

typedef enum endo_mutual_stop {
    ENDO_MUTUAL_CONVERGED = 0,
    ENDO_MUTUAL_EVALUATIONS = 1, /* max_evaluations; the best so far */
    ENDO_MUTUAL_CANCELLED = 2    /* the context's cancel hook; the best so far */
} endo_mutual_stop;

typedef struct endo_mutual_level {
    int32_t width, height, depth; /* size of the fixed volume at this level, voxels */
    int32_t bins;        /* of the joint histogram, along each side */
    int64_t evaluations; /* maps whose measure was computed */
    double measure; /* the measure at the best transform of the level, over the voxels that were compared; at the coarsest
                       of several levels it may be the normalized one, by which starts are compared */
    double seconds; /* time; it alone varies from run to run */
} endo_mutual_level;

typedef struct endo_mutual_result {
    double voxels[16];      /* fixed -> moving, voxels of the full size */
    double world[16];       /* fixed -> moving, mm */
    double before, after;   /* the measure at full size: of the initial transform (NaN: no overlap), and of the result */
    double overlap;         /* share of the fixed voxels (of the mask) that fall into the moving volume, 0..1 */
    double certainty;       /* 0 (none) .. 1 */
    double rim[2];          /* share of the voxels, of the fixed and of the moving volume, in a rim of one value (of images: in
                               a dark surround), which was left out in a second search; 0: the share was below 0.03, and
                               no second search was made */
    int64_t evaluations;
    int32_t status, stop;   /* endo_mutual_status, endo_mutual_stop */
    int32_t starts, levels; /* numbers of starts and of levels */
    endo_mutual_level level[ENDO_MUTUAL_MAX_LEVELS]; /* from the full size to the coarsest */
} endo_mutual_result;

/* Two volumes in the memory of a back end, with their pyramids. */
typedef struct endo_mutual endo_mutual;

/* Copies two volumes: grey values go linearly from low..high to 65536 steps and are smoothed a little along each axis (see
 * rules/mutual.h); every coarser level takes the mean of 2 voxels along each axis whose spacing is not far above the
 * smallest; the fixed image is counted in bins, the moving one kept in 256 levels, interpolated and then counted in bins.
 * The object belongs to the context. options: NULL = the defaults. Errors: ARGUMENT (a size, spacing or option out of its
 * range: the message has the value and what is allowed; a world that cannot be inverted); UNSUPPORTED (by the back end);
 * MEMORY; DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mutual_create(endo_context *context, const endo_volume *fixed,
                                                       const endo_volume *moving, const endo_mutual_options *options,
                                                       endo_mutual **out);
ENDO_API void endo_mutual_destroy(endo_mutual **mutual);

/* Searches for the transform of the model that makes the measure largest. With several levels, a gain that changes linearly
 * across the moving image is searched for on all but the finest, and applied before counting: a bias field would move the
 * result (rules/mutual.h). The measures of a result are without the gain, as those of endo_mutual_evaluate are.
 *
 * An uncertain result is a status and no failure; so is an end by the cancel hook, which is asked every few evaluations.
 * The search uses only the measure, which is computed from integer sums of counts: every back end, instruction set and number
 * of threads gives the same bytes, but for the seconds. Errors: MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mutual_register(endo_mutual *mutual, endo_mutual_result *result);

/* Computes the measure of n transforms (16 numbers each, mm) at full size, NaN where no voxel overlaps, and the share of fixed
 * voxels that fall into the moving volume (overlaps: may be NULL). Errors: ARGUMENT (a matrix that is not finite, not affine,
 * or takes neighbouring voxels more than 60 voxels apart); DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mutual_evaluate(endo_mutual *mutual, const double *worlds, size_t n,
                                                         double *values, double *overlaps);

/* Computes the joint histogram of one transform at full size: bins*bins counts, a row for each bin of the fixed image.
 * Errors: ARGUMENT (as endo_mutual_evaluate), DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mutual_histogram(endo_mutual *mutual, const double *world, uint32_t *counts);

/* Bins of the histogram at full size; 0 for NULL. */
ENDO_API int endo_mutual_bins(const endo_mutual *mutual);

/* The caller's memory for a resampled volume: width x height x depth voxels of the fixed volume. */
typedef struct endo_volume_output {
    void *pixels;            /* first voxel of the first slice, of the moving volume's type */
    ptrdiff_t stride, slice; /* pixels from row to row (>= width) and from slice to slice (>= height rows); 0: dense */
} endo_volume_output;

/* Resamples the moving volume in the grid of the fixed one: out has the fixed volume's size and the moving one's type and grey
 * values; 0 where a voxel falls outside. Linear: in steps of 1/128 voxel, rounded. Only size and geometry of `fixed` are used.
 * world: fixed -> moving, mm. Every back end gives the same bytes. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mutual_resample(endo_context *context, const endo_volume *fixed,
                                                         const endo_volume *moving, const double *world,
                                                         endo_mutual_interpolation interpolation,
                                                         const endo_volume_output *out);

#ifdef __cplusplus
}
#endif
#endif
