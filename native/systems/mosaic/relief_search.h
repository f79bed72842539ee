/* What frames in their poses show of the same places: pairs of frames, chosen by the poses alone, are read into the store, and
 * patches of one are followed into the other. Frames are displaced by that where `relief` asks for it; the light of the scope,
 * if it is looked for, hears how near walls are. */
#ifndef ENDO_MOSAIC_RELIEF_SEARCH_H
#define ENDO_MOSAIC_RELIEF_SEARCH_H

#include "relief.h"
#include "workspace.h"

typedef struct relief_search relief_search;

/* items: all frames in their poses, component after component; records: n of them, for their hidden cells, borrowed; is_sure:
 * of each record, whether it takes part. */
endo_status relief_search_create(mosaic_workspace *workspace, const placed_frames *items, const endo_mosaic_frame *records,
                                 int n, const uint8_t *is_sure, relief_search **out);
void relief_search_destroy(relief_search **search);

int relief_search_is_done(const relief_search *s);

/* Looks at some pairs; at the end frames are displaced from now on where that is clearly better, which is said. */
endo_status relief_search_step(relief_search *s);

#endif
