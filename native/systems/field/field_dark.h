/* The circle that dark frames show together. */
#ifndef ENDO_SYSTEMS_FIELD_DARK_H
#define ENDO_SYSTEMS_FIELD_DARK_H

#include "include/endorama.h"

/* brightest: greys that several frames reach, width x height, dense. grey: workspace of that size. region, info: those of
 * endo_field_shape_of(): a circle, or the whole image. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_field_dark_circle(const uint8_t *brightest, int width, int height, uint8_t *grey,
                                                  uint8_t *region, endo_field_info *info);

#endif
