/* The search for the first frame of a chain beside frames of other chains (chain_begin.h). */
#include "chain_begin.h"

static int is_turned_against(const endo_mosaic_frame *neighbour, const found_frame *found) {
    if (!neighbour->registered || neighbour->chain != found->chain) return 0;
    endo_transform between = pose_between(&neighbour->pose, &found->pose);
    return is_leap(&between);
}

endo_status chain_begin_find(const chain_begin *b, int frame, int slot, found_frame *out) {
    found_frame found = {0};
    if (slot >= 0) ENDO_TRY(relocaliser_find_where_lost(b->finder, b->matcher, frame, slot, &found));
    if (!found.is_found) ENDO_TRY(relocaliser_find(b->finder, frame, &found));
    if (!found.is_found && slot >= 0) ENDO_TRY(relocaliser_find_among_tiles(b->finder, b->matcher, frame, slot, &found));
    *out = found;
    if (!found.is_found) return ENDO_OK;
    int turned = b->is_between && is_turned_against(&b->before, &found) && is_turned_against(&b->after, &found);
    out->is_found = !turned && frame_is_shown(b->size, &found.pose);
    return ENDO_OK;
}
