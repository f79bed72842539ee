/* Local bitmaps of pairs of exposures (rules/local_bitmaps.h), which judge between shifts: they hardly depend on response,
 * clipping, vignetting or light that changes across the image; and each pixel counts alike, so that what moves in the scene
 * outvotes nothing. */
#ifndef ENDO_SYSTEMS_EXPOSURES_LOCAL_H
#define ENDO_SYSTEMS_EXPOSURES_LOCAL_H

#include "backend/objects.h"

/* Compares local bitmaps of n requests. */
endo_status exposures_local_compare(endo_frames *frames, endo_bitmap_scale scale, const endo_bitmap_request *requests, size_t n,
                                    endo_bitmap_overlap *overlaps);

/* Correlation of both bitmaps, -1..1; 0 where one of them is empty. */
double exposures_local_coefficient(const endo_bitmap_overlap *o);

/* What local bitmaps say of a shift. Shares: of the pixels of the overlap. */
typedef struct exposures_judgement {
    int dx, dy;         /* the whole pixel nearest to (x, y) */
    double x, y;        /* top of the quadratic surface through the coefficients around the best whole pixel, px */
    double coefficient; /* correlation of both bitmaps, -1..1; 0 where one of them is empty */
    double mismatch;    /* share that differs of the pixels that are black or white in both; NaN: none */
    double usable;      /* share of these */
    double deviation_x, deviation_y; /* px */
} exposures_judgement;

/* Each of n >= 1 starts is the shift of a pair that is moved into the range of `search` px first, and from there to better
 * neighbours. */
endo_status exposures_local_judge(endo_frames *frames, int search, const endo_bitmap_request *starts, size_t n,
                                  exposures_judgement *judgements);

/* Moves a judgement to (x, y), px, or as near as the range of `search` px allows, and to the pixel nearest to it. Its
 * deviations stay. */
endo_status exposures_local_move(endo_frames *frames, int search, const endo_pair *pair, double x, double y,
                                 exposures_judgement *j);

/* Sets the largest coefficient around a shift in eight directions: as large as that of the shift where lines tell nothing of
 * it. */
endo_status exposures_local_rival(endo_frames *frames, const endo_bitmap_request *shift, double *rival);

#endif
