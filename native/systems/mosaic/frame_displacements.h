/* Coarse grids of displacements, one a frame, and frames resampled by them. */
#ifndef ENDO_MOSAIC_FRAME_DISPLACEMENTS_H
#define ENDO_MOSAIC_FRAME_DISPLACEMENTS_H

#include "base/status.h"
#include "geometry.h"
#include "include/endorama/context.h"

/* Nodes along the longer side of a frame; the outermost ones lie on the middles of its outermost pixels. */
#define DISPLACEMENT_NODES 13
/* Displacements are told in 1/DISPLACEMENT_STEPS px. */
#define DISPLACEMENT_STEPS 256

typedef struct frame_displacements {
    mosaic_size size;
    int columns, rows;
    int n;          /* frames */
    int32_t *moves; /* of each node of each frame, row by row, x and y interleaved: from a pixel to where the frame shows what
                       belongs there, 1/DISPLACEMENT_STEPS px; NULL: no frame is displaced */
} frame_displacements;

/* The numbers of nodes for frames of a size; no frame is displaced. */
frame_displacements frame_displacements_of(mosaic_size size, int n);
void frame_displacements_free(frame_displacements *displacements);

/* The distance between two nodes, px. */
double frame_displacements_across(const frame_displacements *displacements);
double frame_displacements_down(const frame_displacements *displacements);

/* Whether anything of a frame is displaced; displacements may be NULL. */
int frame_displacements_has(const frame_displacements *displacements, int frame);

/* Resamples a frame by its grid, by the cubic (Catmull and Rom) of 4 x 4 pixels; beyond its border it repeats its outermost
 * pixels. pixels, out: dense. The same bytes with any number of threads. */
void frame_displacements_apply(const frame_displacements *displacements, int frame, const void *pixels, endo_pixel type,
                               int threads, void *out);

#endif
