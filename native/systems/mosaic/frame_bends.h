/* Coarse grids of displacements, one a frame, and frames resampled by them. */
#ifndef ENDO_MOSAIC_FRAME_BENDS_H
#define ENDO_MOSAIC_FRAME_BENDS_H

#include "base/status.h"
#include "geometry.h"
#include "include/endorama/context.h"

/* Nodes along the longer side of a frame; the outermost ones lie on the middles of its outermost pixels. */
#define BEND_NODES 13
#define BEND_MOST (BEND_NODES * BEND_NODES)
/* Displacements are told in 1/BEND_STEPS px. */
#define BEND_STEPS 256

typedef struct frame_bends {
    mosaic_size size;
    int columns, rows;
    int n;          /* frames */
    int32_t *moves; /* of each node of each frame, row by row, x and y interleaved: from a pixel to where the frame shows what
                       belongs there, 1/BEND_STEPS px; NULL: no frame is displaced */
} frame_bends;

/* The numbers of nodes for frames of a size; no frame is displaced. */
frame_bends frame_bends_of(mosaic_size size, int n);
void frame_bends_free(frame_bends *bends);

/* The distance between two nodes, px. */
double frame_bends_across(const frame_bends *bends);
double frame_bends_down(const frame_bends *bends);

/* Whether anything of a frame is displaced; bends may be NULL. */
int frame_bends_has(const frame_bends *bends, int frame);

/* Resamples a frame by its grid, by the cubic (Catmull and Rom) of 4 x 4 pixels; beyond its border it repeats its outermost
 * pixels. pixels, out: dense. The same bytes with any number of threads. */
void frame_bends_apply(const frame_bends *bends, int frame, const void *pixels, endo_pixel type, int threads, void *out);

#endif
