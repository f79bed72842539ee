/* Poses of frames on canvases and blends: checks, and the maps from canvas to frame for back ends. */
#ifndef ENDO_API_CANVAS_MAP_H
#define ENDO_API_CANVAS_MAP_H

#include "base/projection.h"

/* Checks n transforms of frames of width x height px: affine ones by endo_check_affine, homographies for denominators that are
 * positive in all of the frame. `what` begins the message. */
endo_status endo_check_poses(const char *what, const endo_transform *transforms, size_t n, int width, int height);

/* The origin of the panorama on a canvas. */
typedef struct endo_canvas_origin {
    int x, y;  /* pixel of the panorama's point (0, 0) */
    int begin; /* a column at which runs of homographies begin, which moves with the panorama */
} endo_canvas_origin;

/* The map from the pixels of a canvas to those of a frame of width x height px. The origin, in whole pixels, is added to an
 * affine map after its rounding to fixed point, so that it is exact. */
endo_status endo_canvas_to_frame(const char *what, const endo_transform *transform, int width, int height,
                                 const endo_canvas_origin *origin, endo_canvas_map *map);

#endif
