/* A search of every shift of a pair of exposures, by local bitmaps of shrunken images: it finds a shift where one threshold for
 * the whole image shows nothing, or shows another thing in each exposure. Its counts are integers, so that it needs no Fourier
 * transforms and finds the same everywhere. */
#ifndef ENDO_SYSTEMS_EXPOSURES_SEARCH_H
#define ENDO_SYSTEMS_EXPOSURES_SEARCH_H

#include "backend/objects.h"

#include "exposures_bits.h"

/* Most shifts that are found. */
#define SEARCH_FOUND 3

/* Memory for one pair at a time. */
typedef struct exposures_search {
    endo_frames *frames;
    exposures_bits bits;
    int factor;           /* pixels of the images that one shrunken pixel is the mean of, along each axis */
    uint8_t *grey;        /* full size */
    uint8_t *small;       /* shrunken */
    uint8_t *inside;      /* shrunken: 255 where the square around a pixel lies in the field of view; NULL: the whole frame */
    int reach_x, reach_y; /* range of shifts, shrunken px */
    double *coefficients; /* of all shifts, row by row */
} exposures_search;

/* On failure, too, exposures_search_destroy frees what there is. search: range of shifts, px. */
endo_status exposures_search_create(endo_frames *frames, int search, exposures_search *out);
void exposures_search_destroy(exposures_search *s);

/* The shifts of greatest coefficient, from the greatest on, as multiples of the factor, px: *n of them, 1..SEARCH_FOUND. */
endo_status exposures_search_find(exposures_search *s, const endo_pair *pair, int found[SEARCH_FOUND][2], int *n);

#endif
