/* Coordinates of volumes and their levels, and the maps that parameters of a model stand for. */
#ifndef ENDO_SYSTEMS_MUTUAL_SPACE_H
#define ENDO_SYSTEMS_MUTUAL_SPACE_H

#include "mutual.h"

/* Voxels -> mm of a volume; 0: its matrix cannot be inverted. planar: for a slice, whose matrix is used only if it keeps the
 * plane. */
int endo_volume_world(const endo_volume *volume, int planar, double world[16]);

/* Spacing along x, y, z, mm, of a matrix of voxels -> mm. */
void endo_world_spacing(const double world[16], double spacing[3]);

/* Plans the levels, their bins and their coordinates. wanted: number of levels, 0 = by size. The full size of both volumes is
 * in fixed[0] and moving[0]. Returns how many. */
int endo_mutual_plan_levels(endo_mutual *m, int wanted);

/* Number of parameters of a model; planar: in the plane. */
int endo_mutual_parameters(endo_transform_class model, int planar);

/* The map mm -> mm of parameters: a map about the fixed volume's centre, then the initial map. All parameters are mm: x, y,
 * z; turns about x, y, z and (logarithms of) scales and shears times the radius. In the plane: x, y; turn; scale or scales
 * along x and y and shear. Similarity has one scale, affine three and three shears. */
void endo_mutual_world(const endo_mutual *m, const double *parameters, double world[16]);

/* A map of mm in voxels of a level. */
void endo_mutual_in_voxels(const endo_mutual *m, int level, const double world[16], double voxels[16]);

/* Writes the gain of a map at a level (rules/mutual.h): 1 at the centre, and at the radius along x, y, z more by the
 * slopes, mm, divided by the radius. In the plane the third is ignored. */
void endo_mutual_set_gain(const endo_mutual *m, int level, const double slopes[3], endo_mutual_map *map);

/* The fixed volume's centre in mm, and the root mean square distance of its voxels from it. */
void endo_mutual_find_centre(endo_mutual *m);

#endif
