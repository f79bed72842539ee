/* What a back end is asked in Fourier registration (endorama/fourier.h), and what it answers: the types of the lines
 * `turns`, `shifts` and `align` of batches.h.
 *
 * Only positions of peaks come from floating-point transforms; they are integers, and what follows is computed in
 * integers. Images are halved (rules/fourier_levels.h) until no side is longer than `extent`, and lie in the top left
 * corner of a plane of side x side pixels that is 0 elsewhere: frequencies mean the same in both images of a pair. */
#ifndef ENDO_RULES_FOURIER_SLOTS_H
#define ENDO_RULES_FOURIER_SLOTS_H

#include "base/transform.h"
#include "include/endorama.h"

/* Most peaks of one answer, and those of a shift. */
#define ENDO_FOURIER_PEAKS ENDO_FOURIER_MAX_CANDIDATES
#define ENDO_FOURIER_SHIFTS 3

/* Images in two slots: the first requests of every kind, so that endo_slots_claim() reads them. */
typedef endo_fourier_pair endo_fourier_images;

/* One size of the field of view: how much a pixel counts there, 0 (outside, or next to it) .. 255 (well inside). Its
 * pixel is that of a level of a frame of the store's size. Dense. */
typedef struct endo_fourier_taper {
    int width, height;
    const uint8_t *weight;
} endo_fourier_taper;

#define ENDO_FOURIER_LEVELS 12

/* Of both `turns` and `shifts`. */
typedef struct endo_fourier_spectrum {
    int32_t extent; /* an image is halved until no side is longer */
    int32_t side;   /* of the plane and its transform: 2^a 3^b 5^c, even, at least the extent */
    endo_fourier_window window;
    endo_fourier_gradient gradient;
    const endo_fourier_taper *tapers; /* by level, for stores with a field of view; NULL: it is everything. They live as
                                       long as the store, and are the same in every call */
} endo_fourier_spectrum;

/* A peak of a correlation. Planes are periodic; x, y are whole places in them. */
typedef struct endo_fourier_peak {
    int32_t x, y;
    int32_t part;    /* turns: which tile; else 0 */
    float height;    /* 1: a perfect match */
    float around[4]; /* heights at x - 1, x + 1, y - 1, y + 1 */
} endo_fourier_peak;

/* ------------------------------------------------------------------- turns */

/* layer 0: one image with the other; k > 0: each tile of the reference (rules/fourier_levels.h: half overlapping, of
 * its sides / 2^(k / 2)) with the whole current image; k < 0: the other way round. */
typedef struct endo_turns_request {
    endo_fourier_images images;
    int32_t layer;
} endo_turns_request;

typedef struct endo_turns_setup {
    endo_fourier_spectrum spectrum;
    int32_t angles, radii; /* of the log-polar planes: rows over 180 degrees, columns over the radius. Both 2^a 3^b 5^c */
    int32_t paper;         /* 1: magnitudes as they are; else log magnitudes, less the mean of their radius, faded at
                              both ends of the radii (endo_log_polar_value) */
    double first_radius;   /* of column 0, in bins of the transform */
    double radius_step;    /* natural logarithm of the ratio of neighbouring radii */
    int32_t peaks;         /* how many are asked for, 1..ENDO_FOURIER_PEAKS */
    double max_angle;      /* degrees: a peak counts if it, or its twin, lies within */
    double max_log_scale;  /* natural logarithm of the scale likewise, both ways, levels and layers counted in */
} endo_turns_setup;

/* Peaks, highest first: y is the angle (endo_turn_degrees), x the scale (endo_turn_log_scale). */
typedef struct endo_turns_result {
    int64_t n; /* how many there are, 0..ENDO_FOURIER_PEAKS */
    endo_fourier_peak peaks[ENDO_FOURIER_PEAKS];
} endo_turns_result;

/* ------------------------------------------------------------------ shifts */

/* The current image turned and scaled about its centre onto the middle of the reference's plane, and where it then has
 * to go. `fixed` level of the reference: endo_fourier_level() of its size; of the current image: current_level. */
typedef struct endo_shifts_request {
    endo_fourier_images images;
    int32_t current_level;
    int32_t twins;    /* bit 0: as it is; bit 1: and by 180 degrees more */
    double linear[2]; /* from an offset in the plane to one in the current image's level: (a x - b y, b x + a y) */
} endo_shifts_request;

typedef struct endo_shifts_setup {
    endo_fourier_spectrum spectrum;
} endo_shifts_setup;

/* By twin, highest first: the image that was turned has to go by (x, y) modulo the side. */
typedef struct endo_shifts_result {
    int32_t n[2];
    endo_fourier_peak peaks[2][ENDO_FOURIER_SHIFTS];
} endo_shifts_result;

/* ------------------------------------------------------------------- align */

/* From (x, y) of the reference to the current image, both in px of the whole images: a similarity
 * x' = a x - b y + tx, y' = b x + a y + ty. */
typedef struct endo_fourier_map {
    double a, b, tx, ty;
} endo_fourier_map;

/* Levels at which the search starts; both go down together as far as `levels` asks or one of them is 0. */
typedef struct endo_align_request {
    endo_fourier_images images;
    int32_t reference_level, current_level;
    int32_t levels;     /* how many are visited, 1 or more */
    int32_t iterations; /* at most so many a level; 0: only the sums, at the last of the levels */
    int32_t half;       /* local means of the current image are of 2 * this + 1 pixels each way (of the reference,
                           2 * ENDO_FOURIER_HALF + 1), so that both are of the same size in the scene:
                           ENDO_FOURIER_LEAST_HALF .. ENDO_FOURIER_MOST_HALF */
    endo_fourier_map map;
} endo_align_request;

typedef struct endo_align_setup {
    endo_transform_class model;
} endo_align_setup;

typedef struct endo_align_result {
    endo_fourier_map map;
    double ncc;              /* of the pixels that both show, at that map; NaN: undefined */
    double spread;           /* of the directions of the reference's gradient there: 0 (one alone, as of parallel lines,
                                which say nothing of a motion along them) .. 1 (all alike) */
    int64_t pixels;          /* how many, of the reference's last level */
    int32_t reference_level; /* the last one */
    int32_t settled;         /* the last step was small */
} endo_align_result;

#endif
