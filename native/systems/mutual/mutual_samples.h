/* Grey range and centre of brightness of a volume, from some of its voxels. */
#ifndef ENDO_SYSTEMS_MUTUAL_SAMPLES_H
#define ENDO_SYSTEMS_MUTUAL_SAMPLES_H

#include "base/status.h"

typedef struct endo_grey_range {
    int low, high; /* grey values */
} endo_grey_range;

/* The grey values below and above which a thousandth of the voxels lie; the least and the largest where these are the same. At
 * most about a million voxels are read, evenly spread. Errors: MEMORY. */
endo_status endo_volume_range(const endo_volume *volume, endo_grey_range *out);
/* Centre of brightness above the low end, at most the range, voxels; that of the volume where there is none. At most about a
 * million voxels are read, evenly spread. */
void endo_volume_centre(const endo_volume *volume, endo_grey_range range, double centre[3]);

/* Grey value of a voxel, 0..65535; colour by its luma. */
int endo_volume_grey(const endo_volume *volume, int x, int y, int z);

#endif
