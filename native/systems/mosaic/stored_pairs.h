/* Pairs of which is known about how they lie to each other, with their frames in the store of a workspace. */
#ifndef ENDO_MOSAIC_STORED_PAIRS_H
#define ENDO_MOSAIC_STORED_PAIRS_H

#include "guided_pairs.h"
#include "workspace.h"

/* Asks the store for both frames and adds the pair. A frame that cannot be read is told to people, and nothing is added. */
endo_status stored_pairs_add(guided_pairs *pairs, mosaic_workspace *w, int reference, int current,
                             const endo_transform *start);

/* Adds edges of those that are where their starts say, up to a distance of the corners, px. On failure `out` is as it was. */
endo_status stored_pairs_near(const guided_pairs *pairs, mosaic_workspace *w, const endo_pairs_options *options,
                              double distance, mosaic_edges *out);

#endif
