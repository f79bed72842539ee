/* A search of every shift of a pair of exposures, by local bitmaps of shrunken frames: it finds a shift where one threshold for
 * the whole image shows nothing, or shows another thing in each exposure. Its counts are integers, so that it needs no Fourier
 * transforms and finds the same everywhere. */
#ifndef ENDO_SYSTEMS_EXPOSURES_SEARCH_H
#define ENDO_SYSTEMS_EXPOSURES_SEARCH_H

#include "backend/objects.h"

/* Most shifts that are found. */
#define SEARCH_FOUND 3

/* The shifts of greatest coefficient, from the greatest on, as multiples of the factor by which frames are shrunken, px: *n of
 * them, 1..SEARCH_FOUND, requests for bitmaps of the frames themselves. search: range of shifts, px. */
endo_status exposures_search_find(endo_frames *frames, int search, const endo_pair *pair,
                                  endo_bitmap_request found[SEARCH_FOUND], int *n);

#endif
