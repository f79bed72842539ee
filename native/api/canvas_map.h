/* Places of frames on canvases and blends: checks, and the maps that back ends want. */
#ifndef ENDO_API_CANVAS_MAP_H
#define ENDO_API_CANVAS_MAP_H

#include "base/projection.h"

/* n transforms of frames of width x height px: as endo_check_affine, and homographies whose denominators are positive in
 * all of the frame. `what` begins the message. */
endo_status endo_check_places(const char *what, const endo_transform *transforms, size_t n, int width, int height);

/* A place on a canvas. */
typedef struct endo_canvas_origin {
    int x, y;  /* of the panorama's point (0, 0) */
    int begin; /* a column where runs of homographies begin: one that moves with the panorama */
} endo_canvas_origin;

/* From the pixels of a canvas to those of a frame of width x height. The origin of an affine map is taken in whole pixels
 * after rounding it to fixed point: exactly. */
endo_status endo_canvas_to_frame(const char *what, const endo_transform *transform, int width, int height,
                                 const endo_canvas_origin *origin, endo_canvas_map *map);

#endif
