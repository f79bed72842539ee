/* How well the place of each pixel is known that rows of a panorama show: frames without a picture, each of one value, the
 * surest painted last. Values are hundredths of a pixel of the first frame, 1..65534. */
#ifndef ENDO_MOSAIC_UNCERTAINTY_H
#define ENDO_MOSAIC_UNCERTAINTY_H

#include "canvas_setup.h"
#include "canvases.h"

typedef struct uncertainty uncertainty;

/* The value of a place whose deviation nobody knows. */
#define UNCERTAINTY_UNKNOWN 65535

int uncertainty_value(double deviation);

/* rows: a rectangle of the plane; items: frames that reach it. */
endo_status uncertainty_create(const canvas_setup *setup, const frame_weights *weights, const placed_frame *items, int n,
                               mosaic_rect rows, uncertainty **out);
void uncertainty_destroy(uncertainty **u);

/* n of its rows, from `first` on; 0 where nothing is painted. */
endo_status uncertainty_read(uncertainty *u, int first, int n, const uint8_t *painted, uint16_t *values);

#endif
