/* Rims of volumes: voxels of one value, with which a scanner or a program fills what it has no image of. Counted as grey
 * values they are the largest structure of all, and bias the search. Of images the dark surround is the rim, such as that of
 * the round picture of an endoscope: it stands still while the scene moves. */
#ifndef ENDO_SYSTEMS_MUTUAL_RIM_H
#define ENDO_SYSTEMS_MUTUAL_RIM_H

#include "mutual.h"

/* The rim of a volume: voxels of the value of most of its corners, outside of planes in which the value ends. *rim: dense, 1
 * in it or within two voxels of it (the reach of smoothing and interpolation), to be freed; NULL where there is hardly any.
 * *share: share of the voxels that are in it, 0..1. threads: that look for it at most. Errors: MEMORY. */
endo_status endo_mutual_find_rim(const endo_volume *volume, int threads, uint8_t **rim, double *share);

/* Finds the rims, and keeps copies of the volumes for a search without them where there is one. Errors: MEMORY. */
endo_status endo_mutual_keep_rims(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving);
void endo_mutual_free_rims(endo_mutual *m);

/* The mask of the fixed volume without its rim, and without that of the moving one under a map (NULL: that counts): dense, to
 * be freed. Errors: MEMORY. */
endo_status endo_mutual_mask_rims(const endo_mutual *m, const double voxels[16], uint8_t **mask);

#endif
