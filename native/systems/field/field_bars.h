/* Bars of any grey along the borders of a frame, as in letterboxed video. */
#ifndef ENDO_SYSTEMS_FIELD_BARS_H
#define ENDO_SYSTEMS_FIELD_BARS_H

#include <stdint.h>

/* Makes bars black: rows at the top and the bottom, then columns left and right, of one grey but for compression noise and
 * a few marks, that end in an edge. grey: width x height, dense. A picture that is nothing but bars stays as it is. */
void endo_field_blacken_bars(uint8_t *grey, int width, int height);

#endif
