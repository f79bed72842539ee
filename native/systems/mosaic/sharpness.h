/* Sharpness of frames relative to their neighbours: a panorama should show little of blurred ones. */
#ifndef ENDO_MOSAIC_SHARPNESS_H
#define ENDO_MOSAIC_SHARPNESS_H

#include "frame_store.h"

typedef struct sharpness sharpness;

endo_status sharpness_create(const mosaic_sequence *sequence, sharpness **out);
void sharpness_destroy(sharpness **s);
mosaic_observer sharpness_observer(sharpness *s);

/* Weights of n frames of a component, ascending, by their sharpness, 0..1; 1 for a frame that was not seen. */
endo_status sharpness_weights(const sharpness *s, const int *frames, int n, double *weights);

#endif
