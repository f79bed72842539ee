/* Where patches lie in a level of every frame, and what they are asked under a map. */
#ifndef ENDO_SYSTEMS_PATCH_GRID_H
#define ENDO_SYSTEMS_PATCH_GRID_H

#include "backend/objects.h"
#include "patch_fit.h"

typedef struct endo_patch_grid {
    int level, side;
    endo_cpu cpu;           /* the limit of the instruction sets */
    size_t n;
    int32_t *places;        /* first pixels, x and y interleaved: px of the level */
    int width, height;      /* of the whole frame */
    double middle[2], half; /* of the frame; of its longer side, px */
} endo_patch_grid;

/* At most `across` patches along the longer side, spread evenly over the frame, those whose middle is off the field left
 * out; there may be none. every >= 1: of each row and column one patch of so many, as on a chessboard. To be freed in any
 * case. */
endo_status endo_patch_grid_make(const endo_frames *frames, int level, int across, int every, endo_patch_grid *g);
void endo_patch_grid_free(endo_patch_grid *g);

/* One request a patch; map: reference -> current, px of the whole frames; its places are moved by shift, px of the
 * level. */
void endo_patch_grid_ask(const endo_patch_grid *g, const endo_pair *pair, const double map[6], const int shift[2],
                         endo_patch_request *requests);

/* endo_patch_grid_ask under any map: each patch by an affine map, which has the derivative at the patch's middle, and takes
 * the patch where it goes in the mean. Nothing is seen of a patch whose middle goes to infinity. */
void endo_patch_grid_ask_map(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map,
                             endo_patch_request *requests);

/* Which of the motions of a pair is seen where: cells that divide the frame evenly, row by row. */
typedef struct endo_layer_mask {
    int columns, rows;
    int layer;            /* the patches of this one take part, */
    const uint8_t *cells; /* those in whose middle's cell it is */
} endo_layer_mask;

/* Requests of patches that take no part see nothing. */
void endo_patch_grid_hide(const endo_patch_grid *g, const endo_layer_mask *mask, endo_patch_request *requests);

/* The middle of patch i, px of the whole frame. */
void endo_patch_grid_place(const endo_patch_grid *g, size_t i, double *x, double *y);

/* What the patches say, px of the whole frame; returns how many do. */
size_t endo_patch_grid_measure(const endo_patch_grid *g, const endo_patch_sums *sums, endo_patch *patches);

#endif
