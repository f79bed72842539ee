/* The shape that one image on the grid shows. */
#ifndef ENDO_SYSTEMS_FIELD_SHAPE_H
#define ENDO_SYSTEMS_FIELD_SHAPE_H

#include "include/endorama.h"

/* grey: width x height, dense, sides up to ENDO_FIELD_SIDE (field_border.h). region: of that size, 255 in the largest bright
 * component, within its circle where it has one; 255 all over if the image has no surround. info: in these pixels; the
 * bounding box is not set; the radius is that of the rim. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_field_shape_of(const uint8_t *grey, int width, int height, uint8_t *region,
                                               endo_field_info *info);

/* Cuts a region to a circle. */
void endo_field_cut(uint8_t *region, int width, int height, double x, double y, double radius);

#endif
