/* Uncertainty of the position of each pixel in rows of a panorama: frames are painted with one value each, the surest last.
 * Values are hundredths of a pixel of the first frame, 1..65534. */
#ifndef ENDO_MOSAIC_UNCERTAINTY_H
#define ENDO_MOSAIC_UNCERTAINTY_H

#include "canvas_setup.h"
#include "canvases.h"

typedef struct uncertainty uncertainty;

/* Value of a position with unknown deviation. */
#define UNCERTAINTY_UNKNOWN 65535

int uncertainty_value(double deviation);

/* rows: a rectangle of the plane; items: frames that reach it. */
endo_status uncertainty_create(const canvas_setup *setup, const frame_weights *weights, const placed_frame *items, int n,
                               mosaic_rect rows, uncertainty **out);
void uncertainty_destroy(uncertainty **u);

/* Reads n rows from `first` on; 0 where nothing is painted. */
endo_status uncertainty_read(uncertainty *u, int first, int n, const uint8_t *painted, uint16_t *values);

#endif
