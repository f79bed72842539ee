/* What surrounds the images of two volumes: voxels of one value, which a scanner or a program put where it knew nothing.
 * Counted as grey values they are the largest structure of all, and pull the search. */
#ifndef ENDO_SYSTEMS_MUTUAL_RIM_H
#define ENDO_SYSTEMS_MUTUAL_RIM_H

#include "mutual.h"

/* The rim of a volume: voxels of the value of most of its corners outside of planes in which it ends. *rim: dense, 1 in it or
 * within two voxels of it (as far as smoothing and interpolation carry it), to be freed; NULL where there is none to speak
 * of. *share: of the voxels that are in it, 0..1. Errors: MEMORY. */
endo_status endo_mutual_find_rim(const endo_volume *volume, uint8_t **rim, double *share);

/* Keeps what a second opinion needs, where a volume has a rim: its strides are set. Errors: MEMORY. */
endo_status endo_mutual_keep_rims(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving);
void endo_mutual_free_rims(endo_mutual *m);

/* Voxels of the fixed volume that count where its own rim does not, nor that of the moving one under a map: dense, to be
 * freed. Errors: MEMORY. */
endo_status endo_mutual_mask_rims(const endo_mutual *m, const double voxels[16], uint8_t **mask);

#endif
