/* Pairs of frames with an approximate relative transform, registered with one call. */
#ifndef ENDO_MOSAIC_GUIDED_PAIRS_H
#define ENDO_MOSAIC_GUIDED_PAIRS_H

#include "include/endorama/registration.h"
#include "pair_match.h"
#include "plausibility.h"

typedef struct guided_pair {
    int reference;
    int current;
    int reference_slot; /* in the store */
    int current_slot;
    endo_transform start; /* current -> reference, approximate */
} guided_pair;

typedef struct guided_pairs {
    guided_pair *items;
    int n;
    int capacity;
    int is_searched;                   /* 1: they are searched for everywhere, and initial transforms say nothing */
    int repeats_from;                  /* of the workspace: rivals of later frames are tried */
    const struct scene_layers *layers; /* of the workspace; NULL: nothing is known of two motions */
} guided_pairs;

endo_status guided_pairs_add(guided_pairs *pairs, const guided_pair *pair); /* MEMORY alone; the list is then unchanged */
void guided_pairs_free(guided_pairs *pairs);

/* Registers the pairs and appends the edges whose transforms lie within a root mean square distance of the corners, px, of
 * their initial ones. On failure `out` is unchanged. */
endo_status guided_pairs_near(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                              mosaic_size size, double distance, mosaic_edges *out);

/* Registers the pairs from their initial transforms. matches, accepted: one a pair; 0: the match is not to be trusted. */
endo_status guided_pairs_checked(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                                 const plausibility *usual, pair_match *matches, int *accepted);

#endif
