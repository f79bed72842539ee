/* Binary masks: width*height bytes, 0 or not 0. */
#ifndef ENDO_BASE_MASK_H
#define ENDO_BASE_MASK_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out, not the mask itself: 255 where the square of half-width `half` around a pixel lies in the mask and in the image; by as
 * many threads as are given at most. Errors: MEMORY. */
endo_status endo_mask_erode(const uint8_t *mask, int width, int height, int half, int threads, uint8_t *out);

/* Halves the sides: bits that all four pixels have. out may be the mask. */
void endo_mask_halve(const uint8_t *mask, int width, int height, uint8_t *out);

/* The end of the run of pixels of a row from x to before width at most that are set, or are not. */
int endo_mask_run(const uint8_t *row, int x, int width, int set);

typedef struct endo_box {
    int left, top, right, bottom; /* inclusive; left > right: empty */
} endo_box;

endo_box endo_mask_bounds(const uint8_t *mask, int width, int height);

#ifdef __cplusplus
}
#endif
#endif
