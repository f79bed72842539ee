/* Local bitmaps of a pair of exposures, which judge between shifts: each pixel is white, black or neither against the mean of
 * the pixels around it. An exposure changes grey levels but not which of two neighbours is the brighter one, so that such
 * bitmaps hardly depend on response, clipping, vignetting or light that changes across the image; and each pixel counts
 * alike, so that what moves in the scene outvotes nothing. */
#ifndef ENDO_SYSTEMS_EXPOSURES_LOCAL_H
#define ENDO_SYSTEMS_EXPOSURES_LOCAL_H

#include "backend/objects.h"

#include "exposures_bits.h"

/* Memory for one pair at a time. */
typedef struct exposures_local {
    endo_frames *frames;
    exposures_bits bits;
    uint8_t *grey;   /* both images, the reference first */
    uint8_t *inside; /* 255 where the square around a pixel lies in the field of view; NULL: the field is the whole frame */
} exposures_local;

/* What local bitmaps say of a shift. Shares: of the pixels of the overlap. */
typedef struct exposures_judgement {
    int dx, dy;         /* the whole pixel nearest to (x, y) */
    double x, y;        /* top of the quadratic surface through the coefficients around the best whole pixel, px */
    double coefficient; /* correlation of both bitmaps, -1..1; 0 where one of them is empty */
    double mismatch;    /* share that differs of the pixels that are black or white in both; NaN: none */
    double usable;      /* share of these */
    double deviation_x, deviation_y; /* px */
} exposures_judgement;

/* On failure, too, exposures_local_destroy frees what there is. */
endo_status exposures_local_create(endo_frames *frames, exposures_local *out);
void exposures_local_destroy(exposures_local *local);

/* Copies the images of a pair from their store; not from several threads at a time. */
endo_status exposures_local_fetch(exposures_local *local, const endo_pair *pair);

/* Makes the bitmaps of the images that were fetched. dark: as exposures_local_take. */
void exposures_local_make(exposures_local *local, int *dark);

/* Fetches a pair and makes its bitmaps. dark: set to whether both images are near black; NULL: not asked for. */
endo_status exposures_local_take(exposures_local *local, const endo_pair *pair, int *dark);

/* From (dx, dy), which is moved into the range of shifts first, to better neighbours. */
exposures_judgement exposures_local_judge(const exposures_local *local, int search, int dx, int dy);

/* The largest coefficient around a shift in eight directions: as large as that of the shift where lines tell nothing of it. */
double exposures_local_rival(const exposures_local *local, int dx, int dy);

#endif
