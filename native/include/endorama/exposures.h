/* Exposures: the shift between images of one scene that were exposed differently, by median threshold bitmaps.
 *
 * Source: [G] B. Guthier, S. Kopf, M. Wichtlhuber, W. Effelsberg, Parallel Algorithms for Histogram-Based Image
 * Registration, 2012; section numbers refer to it. */
#ifndef ENDORAMA_EXPOSURES_H
#define ENDORAMA_EXPOSURES_H

#include "registration.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_EXPOSURE_MAX_SEARCH 512

typedef enum endo_percentile {
    ENDO_PERCENTILE_MEDIAN = 0,  /* half of the pixels are black, as in [G] */
    ENDO_PERCENTILE_ADAPTIVE = 1 /* the share of black that leaves most usable pixels in both images */
} endo_percentile;

typedef struct endo_exposure_options {
    int search;                 /* range of shifts tried, px each way, 1..512; default 64 */
    int tolerance;              /* grey levels on each side of the threshold that are ignored, 0..127; default 4 */
    int bins;                   /* bins of the brightness histogram: 64 (default, as in [G]) or 256 */
    endo_percentile percentile; /* default ENDO_PERCENTILE_ADAPTIVE */
    int subpixel;               /* 1: refine the peak by a fit; default 0 */
} endo_exposure_options;

typedef enum endo_exposure_status {
    ENDO_EXPOSURE_OK = 0,
    ENDO_EXPOSURE_LOW_CERTAINTY = 1, /* a shift was found, but another is nearly as good, or the bitmaps disagree */
    ENDO_EXPOSURE_NO_CONTENT = 2     /* nothing to align: an image is (almost) all black, white or flat; or both are near
                                        black, and show only what may be static on the sensor */
} endo_exposure_status;

typedef struct endo_exposure_result {
    double dx, dy;       /* pixel (x, y) of the current image lies at (x + dx, y + dy) in the reference; 0, 0 where
                            there is no content */
    double peak;         /* coefficient at the shift, the mean of both directions, -1..1; NaN: no content */
    double certainty;    /* 0 (none) .. 1 */
    double deviation_x, deviation_y; /* standard deviation of the shift, px, from the shape of the peak, at most
                                        `search`; NaN: no content */
    double mismatch;     /* share of the usable pixels on which the bitmaps differ at the shift, 0..1; NaN: none usable */
    double usable;       /* share of the overlap outside both exclusion bands, 0..1; near black, where there may be none,
                             of the pixels that were compared */
    int64_t status;      /* endo_exposure_status */
    int32_t threshold_reference; /* grey level above which a pixel of the reference is white */
    int32_t threshold_current;   /* grey level of the current image, matched to the reference in the overlap */
} endo_exposure_result;

ENDO_API void endo_exposure_options_init(endo_exposure_options *options);
static inline endo_exposure_options endo_exposure_options_default(void) {
    endo_exposure_options options;
    endo_exposure_options_init(&options);
    return options;
}

/* Finds the shift of every pair of a chunk in one call, on the store's grey images, within the store's field of view where it
 * has one. A pair without content, or with a certainty below 0.15, is searched for another shift by local bitmaps of shrunken
 * images; what they show clearly is LOW_CERTAINTY from then on. A pair of low certainty gets a second opinion: phase correlation
 * (endo_fourier_register, TRANSLATION) and the search find other shifts, and local bitmaps decide, between two pixels together
 * with spectra that are clear; where local bitmaps are clear, or bitmaps and spectra are within 0.6 px, and there is a motion,
 * the pair is OK with a certainty of 0.1. Without Fourier transforms it stays in doubt. A certain shift that lies between two
 * whole pixels is decided by local bitmaps, too. Where these choose another shift, peak, deviations, mismatch and usable are
 * theirs, and with `subpixel` its fraction. Identical bytes from every back end, instruction set and number of threads, as far
 * as endo_fourier_register decides alike. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_exposures_register(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                            const endo_exposure_options *options,
                                                            endo_exposure_result *results);

/* ------------------------------------------------------------------- video */

/* Kalman filter of the camera's path through a bracketed video ([G] section 1.1; docs/algorithms/exposures.md has the model).
 * The position of a frame is where its pixel (0, 0) lies in the coordinates of the first: the position of its reference plus
 * the shift. The filter is plain data that the caller owns and may copy; nothing is to be freed. */
typedef struct endo_exposure_filter {
    double position[2];    /* x, y, px */
    double velocity[2];    /* x, y, px a frame */
    double variance[2][3]; /* along x and y: variance of the position, covariance with the velocity, variance of the velocity */
    int64_t frame;         /* number of the last frame that was stepped to */
    int64_t measured;      /* the last frame whose measurement was believed */
    int32_t period;        /* exposures in a bracket; 0: a single one */
    int32_t started;       /* 1: there is a position */
} endo_exposure_filter;

typedef struct endo_exposure_position {
    double x, y;       /* px; where nothing is known: the position of the last frame */
    int32_t known;     /* 0: neither a measurement nor a prediction */
    int32_t predicted; /* 1: predicted from the motion before, because the measurement was not believed */
} endo_exposure_position;

/* Initializes a filter. period: exposures in a bracket, 0..1000; 0: a single bracket, in which every position is measured and
 * none predicted. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_exposure_filter_begin(endo_exposure_filter *filter, int period);

/* Sets the position of a frame to (x, y), for certain: that of the first one, or of a new start. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_exposure_filter_start(endo_exposure_filter *filter, int64_t frame, double x,
                                                               double y);

/* The position of a frame: the measured one (reference_x + shift->dx, ..) where it is believed, else the one that the motion
 * before predicts. Frame numbers must grow; missing ones may be left out. shift NULL: not measured. A measurement is believed
 * if its status is OK and it lies within the gate of the prediction, or its certainty is at least 0.5. Predictions
 * reach two brackets beyond the last measurement. Errors: ARGUMENT (NULL, not started, frame not above the last, a
 * position, or a shift whose status is OK, that is no number; the filter is then as it was). */
ENDO_API ENDO_NODISCARD endo_status endo_exposure_filter_step(endo_exposure_filter *filter, int64_t frame,
                                                              double reference_x, double reference_y,
                                                              const endo_exposure_result *shift,
                                                              endo_exposure_position *position);

#ifdef __cplusplus
}
#endif
#endif
