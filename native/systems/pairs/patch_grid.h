/* Positions of patches in a level of every frame, and the requests to measure them under a map. */
#ifndef ENDO_SYSTEMS_PATCH_GRID_H
#define ENDO_SYSTEMS_PATCH_GRID_H

#include "backend/objects.h"
#include "patch_fit.h"

typedef struct endo_patch_grid {
    int level, side;
    endo_cpu cpu;           /* the limit of the instruction sets */
    size_t n;
    int32_t *positions;        /* first pixels, x and y interleaved: px of the level */
    int width, height;      /* size of the whole frame, px */
    double middle[2];       /* middle of the whole frame, px */
    double half;            /* half of its longer side, px */
} endo_patch_grid;

/* First pixel of item i of n that are spread evenly over `slack` pixels more than an item needs. */
static inline int endo_patch_spread(int i, int n, int slack) { return n == 1 ? slack / 2 : i * slack / (n - 1); }

/* At most `across` patches along the longer side, spread evenly over the frame, without those whose middle is off the
 * field; there may be none. every >= 1: only one of so many in each row and column, as on a chessboard. To be freed in any
 * case. */
endo_status endo_patch_grid_make(const endo_frames *frames, int level, int across, int every, endo_patch_grid *g);
void endo_patch_grid_free(endo_patch_grid *g);

/* One request a patch. map: reference -> current, px of the whole frames; shift is added to where it takes a patch, px of
 * the level. */
void endo_patch_grid_ask(const endo_patch_grid *g, const endo_pair *pair, const double map[6], const int shift[2],
                         endo_patch_request *requests);

/* endo_patch_grid_ask under any map, each patch by an affine map: the derivative at the patch's middle, and the mean of where
 * the patch goes. A patch whose middle goes to infinity is asked for outside the frame. */
void endo_patch_grid_ask_map(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map,
                             endo_patch_request *requests);

/* The same for patches of which each lies further on than the map takes it; moved: px of the reference, x and y interleaved;
 * NULL: none does. */
void endo_patch_grid_ask_moved(const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map, const double *moved,
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
void endo_patch_grid_position(const endo_patch_grid *g, size_t i, double *x, double *y);

/* Measures the patches, px of the whole frame; returns how many have a shift. */
size_t endo_patch_grid_measure(const endo_patch_grid *g, const endo_patch_sums *sums, endo_patch *patches);

#endif
