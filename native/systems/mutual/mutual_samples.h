/* Grey range and centre of brightness of a volume, from some of its voxels. */
#ifndef ENDO_SYSTEMS_MUTUAL_SAMPLES_H
#define ENDO_SYSTEMS_MUTUAL_SAMPLES_H

#include "base/status.h"

typedef struct endo_volume_samples {
    int low, high;     /* grey values below and above which a thousandth of the voxels lie; least and largest value where
                          these are the same */
    double centre[3];  /* centre of brightness above low, voxels; that of the volume where there is none */
} endo_volume_samples;

/* Reads at most about a million voxels, evenly spread. low, high: given where they differ. Errors: MEMORY. */
endo_status endo_volume_sample(const endo_volume *volume, int low, int high, endo_volume_samples *out);

/* Grey value of a voxel, 0..65535; colour by its luma. */
int endo_volume_grey(const endo_volume *volume, int x, int y, int z);

#endif
