/* Pairs of frames of which is known about how they lie to each other; registered with one call. */
#ifndef ENDO_MOSAIC_GUIDED_PAIRS_H
#define ENDO_MOSAIC_GUIDED_PAIRS_H

#include "include/endorama/registration.h"
#include "pair_match.h"
#include "plausibility.h"

typedef struct guided_pair {
    int reference, current;           /* numbers of the frames */
    int reference_slot, current_slot; /* of the store */
    endo_transform start;             /* current -> reference, about */
} guided_pair;

typedef struct guided_pairs {
    guided_pair *items;
    int n;
    int capacity;
    int repeats_from; /* of the workspace: rivals of later frames are tried */
} guided_pairs;

endo_status guided_pairs_add(guided_pairs *pairs, const guided_pair *pair); /* MEMORY alone; the list is then as it was */
void guided_pairs_free(guided_pairs *pairs);

/* Adds edges of those that are where their starts say, up to a distance of the corners, px (root mean square). On failure `out` is
 * as it was. */
endo_status guided_pairs_near(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                              mosaic_size size, double distance, mosaic_edges *out);

/* How each lies about where its start says. matches, believed: one a pair; not believed: nothing is certain. */
endo_status guided_pairs_checked(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                                 const plausibility *usual, pair_match *matches, int *believed);

#endif
