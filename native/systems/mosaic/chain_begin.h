/* Searches for the first frame of a chain among the frames of other chains. */
#ifndef ENDO_MOSAIC_CHAIN_BEGIN_H
#define ENDO_MOSAIC_CHAIN_BEGIN_H

#include "relocaliser.h"

typedef struct chain_begin {
    relocaliser *finder;
    frame_matcher *matcher;
    mosaic_size size;
    int is_between;           /* the chain is a stretch that another chain left out */
    endo_mosaic_frame before; /* good frame of that chain before it */
    endo_mosaic_frame after;  /* good frame after it */
} chain_begin;

/* Searches for a frame (slot -1: in none). It is rejected if turned against both neighbours, or if it could not be painted. */
endo_status chain_begin_find(const chain_begin *begin, int frame, int slot, found_frame *out);

#endif
