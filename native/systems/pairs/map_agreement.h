/* How far apart two maps take the points of a frame, and whether two levels of a pair agree on the motion. */
#ifndef ENDO_SYSTEMS_MAP_AGREEMENT_H
#define ENDO_SYSTEMS_MAP_AGREEMENT_H

#include "base/transform.h"

typedef struct endo_frame_size {
    int width, height;
} endo_frame_size;

/* Whether a map takes no point of a frame to infinity or beyond, and enlarges none by more than four times as much as
 * another. */
int endo_map_shows_frame(endo_frame_size size, const endo_transform *map);

/* The map of a class nearest to another over the frame: least sum of squared distances. 0: there is none. */
int endo_map_nearest_over_frame(endo_frame_size size, const endo_transform *map, endo_transform_class kind,
                                endo_transform *out);

/* Distance between where two maps take a point: root mean square over the frame, px. */
double endo_map_distance(endo_frame_size size, const endo_transform *a, const endo_transform *b);

/* endo_map_distance of `coarse` from the nearest map between `fine` and a share `lag` (0..1) of the way to no motion. */
double endo_map_distance_behind(endo_frame_size size, const endo_transform *coarse, const endo_transform *fine, double lag);

/* Whether the map `coarse` of a level whose pixels are `pixel` px of the frame, a similarity, agrees with the map of the full
 * frames. deviation: standard deviation of `coarse`, px. */
int endo_maps_agree(endo_frame_size size, const endo_transform *coarse, double deviation, double pixel,
                    const endo_transform *fine);

/* How far, px, the map of the full frames is held back on the way from no motion to that of the coarse level, where that
 * exceeds the coarse level's uncertainty; else 0. Grain that stands still pulls single pixels more than their means.
 * deviation: standard deviation of `coarse`, px. */
double endo_map_held_back(endo_frame_size size, const endo_transform *coarse, double deviation, const endo_transform *fine);

#endif
