/* Local bitmaps of two images: thresholds by the mean of the square around each pixel, in integers, and counts of where both
 * bitmaps agree under a shift. */
#ifndef ENDO_SYSTEMS_EXPOSURES_BITS_H
#define ENDO_SYSTEMS_EXPOSURES_BITS_H

#include "backend/objects.h"
#include "base/simd.h"

#include <stdint.h>

#define LOCAL_WHITE 1
#define LOCAL_BLACK 2

/* Both bitmaps, width x height pixels each, of which every step-th row of the current one is compared. */
typedef struct exposures_bits {
    int width, height, step;
    endo_cpu cpu;       /* the limit of the instruction sets */
    int side;           /* of the square, px: 2, 4, 8 or 16, since 16 * 16 * 255 fits into 16 bits. The pixel is the first one
                           behind its middle */
    uint8_t *reference; /* LOCAL_WHITE, LOCAL_BLACK or 0: neither */
    uint8_t *current;
    uint16_t *columns;  /* memory for 2 * width sums: of the pixels above each other in a square, then of squares */
    uint8_t *counts;    /* memory for 4 * width counts */
} exposures_bits;

/* Pixels of the overlap; of these not 0 in the reference, in the current image, in both; and agreeing less differing. */
typedef struct exposures_overlap {
    int64_t pixels;
    int64_t reference;
    int64_t current;
    int64_t both;
    int64_t excess;
} exposures_overlap;

/* Bitmaps of a size, all 0, and their memory. On failure, too, exposures_bits_free frees what there is. */
endo_status exposures_bits_create(const endo_context *context, int width, int height, int side, int rows, exposures_bits *out);
void exposures_bits_free(exposures_bits *b);

/* Empties n pixels of a bitmap where `inside` is 0 and not 255. */
void exposures_bits_keep(const uint8_t *inside, size_t n, uint8_t *bits);

/* Thresholds the pixels of every step-th row whose square lies in the image. Others keep their value in `bits`. */
void exposures_bits_threshold(const exposures_bits *b, const uint8_t *grey, int step, uint8_t *bits);

/* Marks the pixels whose square is all 255 in `field` by 255, other ones of the rows with squares by 0. */
void exposures_bits_mark(const exposures_bits *b, const uint8_t *field, uint8_t *inside);

/* Pixel (x, y) of the current image lies at (x + dx, y + dy) in the reference. */
exposures_overlap exposures_bits_compare(const exposures_bits *b, int dx, int dy);

/* Correlation of both bitmaps, -1..1; 0 where one of them is empty. */
double exposures_bits_coefficient(const exposures_overlap *o);

#endif
