/* How far apart two maps take the points of a frame, and whether two levels of a pair saw the same motion. */
#ifndef ENDO_SYSTEMS_MAP_AGREEMENT_H
#define ENDO_SYSTEMS_MAP_AGREEMENT_H

#include "base/transform.h"

typedef struct endo_frame_size {
    int width, height;
} endo_frame_size;

/* Returns whether a map takes all points of a frame to where it can be seen: none of them to infinity or beyond, and none of
 * them enlarged by more than four times as much as another. */
int endo_map_shows_frame(endo_frame_size size, const endo_transform *map);

/* The map of a class nearest to another over the frame: least sum of squared distances. 0: there is none. */
int endo_map_nearest_over_frame(endo_frame_size size, const endo_transform *map, endo_transform_class kind,
                                endo_transform *out);

/* Root mean square over the frame, px. */
double endo_map_distance(endo_frame_size size, const endo_transform *a, const endo_transform *b);

/* endo_map_distance from the nearest of the maps between `fine` and a share `lag` (0..1) of the way from it to no motion. */
double endo_map_distance_behind(endo_frame_size size, const endo_transform *coarse, const endo_transform *fine, double lag);

/* Returns whether a level whose pixels are `pixel` px of the frame, and which knew similarities only, saw what the frames
 * themselves did. deviation: what it says of its own map, px. */
int endo_maps_agree(endo_frame_size size, const endo_transform *coarse, double deviation, double pixel,
                    const endo_transform *fine);

/* How far, px, the map of the frames themselves is held back on the way from no motion to what the further level saw, where
 * that is more than what the level is sure of: grain that stands still pulls single pixels more than their means. Else 0.
 * deviation: as above. */
double endo_map_held_back(endo_frame_size size, const endo_transform *coarse, double deviation, const endo_transform *fine);

#endif
