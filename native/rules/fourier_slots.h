/* Requests and results of Fourier registration (endorama/fourier.h): the types of the batch kernels `turns`, `shifts` and
 * `align` of batches.h.
 *
 * Only positions of peaks come from floating-point transforms; they are integers, and everything after them is computed in
 * integers. Images are halved (rules/fourier_levels.h) until no side is longer than `extent`, and lie in the top left
 * corner of a plane of side x side pixels that is 0 elsewhere: frequencies mean the same in both images of a pair. */
#ifndef ENDO_RULES_FOURIER_SLOTS_H
#define ENDO_RULES_FOURIER_SLOTS_H

#include "base/transform.h"
#include "include/endorama.h"

/* Most peaks of a result of `turns`, and of `shifts`. */
#define ENDO_FOURIER_PEAKS ENDO_FOURIER_MAX_CANDIDATES
#define ENDO_FOURIER_SHIFTS 3

/* Images in two slots: the first member of every request, where endo_slots_claim reads them. */
typedef endo_fourier_pair endo_fourier_images;

/* The taper of the field of view at one level of a frame of the store's size, dense: the weight of each pixel, 0 (outside, or
 * next to it) .. 255 (well inside). */
typedef struct endo_fourier_taper {
    int width, height;
    const uint8_t *weight;
} endo_fourier_taper;

#define ENDO_FOURIER_LEVELS 12

/* The spectra of `turns` and `shifts`. */
typedef struct endo_fourier_spectrum {
    int32_t extent; /* an image is halved until no side is longer */
    int32_t side;   /* side of the plane and its transform: 2^a 3^b 5^c, even, at least the extent */
    endo_fourier_window window;
    endo_fourier_gradient gradient;
    const endo_fourier_taper *tapers; /* by level, for stores with a field of view; NULL: the field is the whole frame.
                                         They live as long as the store, and are the same in every call */
} endo_fourier_spectrum;

/* A peak of a correlation, whose plane is periodic. */
typedef struct endo_fourier_peak {
    int32_t x, y;    /* whole position in the plane */
    int32_t part;    /* turns: number of the tile; else 0 */
    float height;    /* 1: a perfect match */
    float around[4]; /* heights at x - 1, x + 1, y - 1, y + 1 */
} endo_fourier_peak;

/* ------------------------------------------------------------------- turns */

/* A pair whose log-polar planes are correlated. layer 0: one image with the other; k > 0: each tile of the reference
 * (rules/fourier_levels.h: half overlapping, of its sides / 2^(k / 2)) with the whole current image; k < 0: each tile of the
 * current image with the whole reference. */
typedef struct endo_turns_request {
    endo_fourier_images images;
    int32_t layer;
} endo_turns_request;

typedef struct endo_turns_setup {
    endo_fourier_spectrum spectrum;
    int32_t angles;        /* rows of a log-polar plane, over 180 degrees: 2^a 3^b 5^c */
    int32_t radii;         /* columns of a log-polar plane, over the radius: 2^a 3^b 5^c */
    int32_t paper;         /* 1: plain magnitudes; 0: log magnitudes, less the mean of their radius, tapered at both ends
                              of the radii (endo_log_polar_value) */
    double first_radius;   /* radius of column 0, in bins of the transform */
    double radius_step;    /* natural logarithm of the ratio of neighbouring radii */
    int32_t peaks;         /* most peaks of a result, 1..ENDO_FOURIER_PEAKS */
    double max_angle;      /* degrees: a peak counts if it, or its twin, lies within */
    double max_log_scale;  /* largest natural logarithm of the scale, both ways, including levels and layers */
} endo_turns_setup;

/* Peaks, highest first: y is the angle (endo_turn_degrees), x the scale (endo_turn_log_scale). */
typedef struct endo_turns_result {
    int64_t n; /* number of peaks, 0..ENDO_FOURIER_PEAKS */
    endo_fourier_peak peaks[ENDO_FOURIER_PEAKS];
} endo_turns_result;

/* ------------------------------------------------------------------ shifts */

/* A pair whose shift is asked for, after the current image is turned and scaled about its centre onto the middle of the
 * reference's plane. The level of the reference is endo_fourier_level of its size. */
typedef struct endo_shifts_request {
    endo_fourier_images images;
    int32_t current_level;
    int32_t twins;    /* bit 0: turned by `linear`; bit 1: by 180 degrees more */
    double linear[2]; /* a, b: takes an offset in the plane to (a x - b y, b x + a y) in the current image's level */
} endo_shifts_request;

typedef struct endo_shifts_setup {
    endo_fourier_spectrum spectrum;
} endo_shifts_setup;

/* Peaks by twin, highest first: the turned image lies at the shift (x, y) modulo the side. */
typedef struct endo_shifts_result {
    int32_t n[2];
    endo_fourier_peak peaks[2][ENDO_FOURIER_SHIFTS];
} endo_shifts_result;

/* ------------------------------------------------------------------- align */

/* A similarity from the reference to the current image, both in px of the whole images:
 * x' = a x - b y + tx, y' = b x + a y + ty. */
typedef struct endo_fourier_map {
    double a, b, tx, ty;
} endo_fourier_map;

/* A pair to be aligned from a map. */
typedef struct endo_align_request {
    endo_fourier_images images;
    int32_t reference_level, current_level; /* levels at which the search starts; both go down together */
    int32_t levels;     /* levels that are visited, 1 or more, until one of the two is 0 */
    int32_t iterations; /* most iterations of a level; 0: only the sums, at the last of the levels */
    int32_t half;       /* local means of the current image are over 2 * half + 1 px each way (those of the reference over
                           2 * ENDO_FOURIER_HALF + 1), so that both have the same size in the scene:
                           ENDO_FOURIER_LEAST_HALF .. ENDO_FOURIER_MOST_HALF */
    int32_t again;      /* 1: the map that was found is measured once more at the levels where the search started */
    endo_fourier_map map;
} endo_align_request;

typedef struct endo_align_setup {
    endo_transform_class model;
} endo_align_setup;

typedef struct endo_align_result {
    endo_fourier_map map;
    double ncc;              /* correlation of the overlap, at that map; NaN: undefined */
    double spread;           /* spread of the directions of the reference's gradient there: 0 (one direction, as of parallel
                                lines, which do not determine a motion along them) .. 1 (all directions alike) */
    int64_t pixels;          /* pixels of the overlap, at the reference's last level */
    int32_t reference_level; /* the last level of the reference */
    int32_t settled;         /* 1: the last step was small */
    double first_ncc;        /* `again`: the correlation at that map, at the first levels; NaN: undefined, or not asked for */
} endo_align_result;

#endif
