/* The named baseline of the coefficient: the C loop of the thesis, [S] Listing 3.3. */
#ifndef ENDO_BENCH_LISTING33_H
#define ENDO_BENCH_LISTING33_H

#include <stdint.h>

/* Two dense grey images of one width; a square template around (x, y) of the reference, and the window
 * around (cx, cy) of the current image. */
typedef struct listing33_images {
    const uint8_t *reference, *current;
    int width;
} listing33_images;

double listing33_coefficient(const listing33_images *images, int x, int y, int cx, int cy, int side);

#endif
