/* Looks for the first frame of a chain in what other chains have seen. */
#ifndef ENDO_MOSAIC_CHAIN_BEGIN_H
#define ENDO_MOSAIC_CHAIN_BEGIN_H

#include "relocaliser.h"

typedef struct chain_begin {
    relocaliser *finder;
    frame_matcher *matcher;
    mosaic_size size;
    int is_between;                  /* the chain is a stretch that another one left out, */
    endo_mosaic_frame before, after; /* between these frames */
} chain_begin;

/* A frame, in a slot of the store (-1: in none), as others know it. It is not found where it would be turned against both
 * neighbours of its stretch, nor where it could not be painted. */
endo_status chain_begin_find(const chain_begin *begin, int frame, int slot, found_frame *out);

#endif
