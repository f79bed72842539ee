/* Pairs with an approximate relative transform and their frames in the store of a workspace. */
#ifndef ENDO_MOSAIC_STORED_PAIRS_H
#define ENDO_MOSAIC_STORED_PAIRS_H

#include "guided_pairs.h"
#include "workspace.h"

/* Asks the store for both frames and adds the pair. If a frame cannot be read that is reported, and nothing is added. */
endo_status stored_pairs_add(guided_pairs *pairs, mosaic_workspace *w, int reference, int current,
                             const endo_transform *start);

/* Appends edges within a distance, px, of their initial transforms (guided_pairs_near). On failure `out` is unchanged. */
endo_status stored_pairs_near(const guided_pairs *pairs, mosaic_workspace *w, const endo_pairs_options *options,
                              double distance, mosaic_edges *out);

#endif
