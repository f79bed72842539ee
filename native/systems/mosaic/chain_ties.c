/* Union of chains that an edge connects (chain_ties.h). */
#include "chain_ties.h"

#include "base/memory.h"

endo_transform chain_ties_pose(const chain_ties *ties, int frame) {
    return pose_times(&ties->offset[ties->frames[frame].chain], &ties->along[frame]);
}

/* Returns whether all frames of the chains tied to this one can be shown when they are moved. */
static int shows_all(const chain_ties *ties, int from, const endo_transform *moved) {
    for (int i = 0; i < ties->n; i++) {
        const endo_mosaic_frame *frame = &ties->frames[i];
        if (!frame->registered || ties->root[frame->chain] != from) continue;
        endo_transform offset = pose_times(moved, &ties->offset[frame->chain]);
        endo_transform pose = pose_times(&offset, &ties->along[i]);
        if (!frame_is_shown(ties->size, &pose)) return 0;
    }
    return 1;
}

/* Ties all chains of the edge's current frame to those of its reference. */
static void tie(chain_ties *ties, const endo_mosaic_edge *edge) {
    int onto = ties->root[ties->frames[edge->reference].chain];
    int from = ties->root[ties->frames[edge->current].chain];
    if (onto == from) return;
    endo_transform reference = chain_ties_pose(ties, edge->reference);
    endo_transform current = chain_ties_pose(ties, edge->current);
    endo_transform back = pose_inverse(&current);
    endo_transform there = pose_times(&reference, &edge->transform);
    endo_transform across = pose_times(&there, &back);
    if (!shows_all(ties, from, &across)) return;
    for (int i = 0; i < ties->chains; i++) {
        if (ties->root[i] != from) continue;
        ties->root[i] = onto;
        ties->offset[i] = pose_times(&across, &ties->offset[i]);
    }
}

static int count_chains(const endo_mosaic_frame *frames, int n) {
    int chains = 0;
    for (int i = 0; i < n; i++)
        if (frames[i].chain + 1 > chains) chains = frames[i].chain + 1;
    return chains;
}

endo_status chain_ties_find(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, const endo_transform *along,
                            mosaic_size size, chain_ties *out) {
    int chains = count_chains(frames, n);
    chain_ties ties = {
        .frames = frames,
        .n = n,
        .size = size,
        .along = along,
        .chains = chains,
        .root = endo_alloc((size_t)chains, sizeof *ties.root),
        .offset = endo_alloc((size_t)chains, sizeof *ties.offset),
    };
    if (!ties.root || !ties.offset) {
        chain_ties_free(&ties);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the ties of %d chains", chains);
    }
    for (int i = 0; i < chains; i++) {
        ties.root[i] = i;
        ties.offset[i] = pose_identity;
    }
    for (int i = 0; i < edges->n; i++)
        if (edges->items[i].by_hand) tie(&ties, &edges->items[i]);
    for (int i = 0; i < edges->n; i++) tie(&ties, &edges->items[i]);
    *out = ties;
    return ENDO_OK;
}

void chain_ties_free(chain_ties *ties) {
    endo_free(ties->root);
    endo_free(ties->offset);
    ties->root = NULL;
    ties->offset = NULL;
}
