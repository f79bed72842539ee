/* Frames without the distortion of their lens: the positions of their pixels in the distorted frame, and cubic interpolation
 * there, in integers but for the table, which systems/lens makes once.
 *
 * Division model: with r the distance from the middle over half of the frame's longer side, a distorted frame shows at r what
 * lies at r / (1 + lambda r^2) in a frame without distortion. Conversely, a pixel at r is shown at
 * 2 r / (1 + sqrt(1 - 4 lambda r^2)): the table has the factor of r by the square of the distance. */
#ifndef ENDO_RULES_LENS_H
#define ENDO_RULES_LENS_H

#include "base/host_device.h"

/* Positions are rounded to 1/ENDO_LENS_STEPS px. */
#define ENDO_LENS_STEPS 32
/* Entries of the table of factors, and their fractional bits. */
#define ENDO_LENS_ENTRIES 4096
#define ENDO_LENS_FACTOR_BITS 24
/* Bits by which positions, half pixels from the middle times a factor, are shifted to give 1/32 px. */
#define ENDO_LENS_POSITION_BITS (ENDO_LENS_FACTOR_BITS - 4)
/* The 4 x 4 pixels of an interpolation, whose weights add up to 2^ENDO_LENS_WEIGHT_BITS. */
#define ENDO_LENS_TAPS 16
#define ENDO_LENS_WEIGHT_BITS 11

typedef struct endo_lens_table {
    int16_t weights[ENDO_LENS_STEPS * ENDO_LENS_STEPS * ENDO_LENS_TAPS]; /* for each step down and across, row by row */
    int32_t factors[ENDO_LENS_ENTRIES + 2]; /* below 2, ENDO_LENS_FACTOR_BITS fractional bits */
    int32_t known; /* number of entries before the first distance that no frame shows */
    int32_t shift; /* squares of distances, 1/4 px^2, are shifted right by this to give entries */
    int32_t width, height; /* px, 1..32767 */
} endo_lens_table;

/* A position, 1/32 px from the centre of the first pixel. */
typedef struct endo_lens_position {
    int32_t x, y;
} endo_lens_position;

ENDO_HD int32_t endo_lens_coordinate(int64_t from_the_middle, int side) {
    int64_t rounded = (from_the_middle + ((int64_t)1 << (ENDO_LENS_POSITION_BITS - 1))) >> ENDO_LENS_POSITION_BITS;
    return (int32_t)(ENDO_LENS_STEPS / 2 * (side - 1) + rounded);
}

/* Whether the pixel nearest to a coordinate lies in the frame. */
ENDO_HD int endo_lens_is_inside(int32_t coordinate, int side) {
    return coordinate >= -ENDO_LENS_STEPS / 2 && coordinate < ENDO_LENS_STEPS * side - ENDO_LENS_STEPS / 2;
}

/* The position at which the distorted frame shows a pixel. Returns 0, and sets nothing, where it does not show it. */
ENDO_HD int endo_lens_find(const endo_lens_table *t, int x, int y, endo_lens_position *out) {
    int64_t across = 2 * (int64_t)x - (t->width - 1);
    int64_t down = 2 * (int64_t)y - (t->height - 1);
    int64_t square = across * across + down * down;
    int entry = (int)(square >> t->shift);
    if (entry + 1 >= t->known) return 0;
    int64_t fraction = square & (((int64_t)1 << t->shift) - 1);
    int64_t steps = t->factors[entry + 1] - t->factors[entry];
    int64_t factor = t->factors[entry] + ((steps * fraction) >> t->shift);
    int32_t column = endo_lens_coordinate(across * factor, t->width);
    int32_t row = endo_lens_coordinate(down * factor, t->height);
    if (!endo_lens_is_inside(column, t->width) || !endo_lens_is_inside(row, t->height)) return 0;
    out->x = column;
    out->y = row;
    return 1;
}

/* The pixel that is nearest to a coordinate. */
ENDO_HD int endo_lens_nearest(int32_t coordinate) { return (coordinate + ENDO_LENS_STEPS / 2) >> 5; }

/* The first of the four pixels around a coordinate, some of which may lie outside the frame. */
ENDO_HD int endo_lens_first(int32_t coordinate) { return (coordinate >> 5) - 1; }

/* Index of the first weight of a position in the table. */
ENDO_HD int endo_lens_weight(endo_lens_position p) {
    int step = (p.y & (ENDO_LENS_STEPS - 1)) * ENDO_LENS_STEPS + (p.x & (ENDO_LENS_STEPS - 1));
    return step * ENDO_LENS_TAPS;
}

/* The pixel of a frame that stands for pixel i: beyond its border a frame repeats its outermost pixels. */
ENDO_HD int endo_lens_within(int i, int side) { return i < 0 ? 0 : i < side ? i : side - 1; }

/* The value, 0..most, of a weighted sum of 4 x 4 values. */
ENDO_HD int32_t endo_lens_value(int32_t sum, int32_t most) {
    int32_t value = (sum + (1 << (ENDO_LENS_WEIGHT_BITS - 1))) >> ENDO_LENS_WEIGHT_BITS;
    return value < 0 ? 0 : value > most ? most : value;
}

/* The value of pixels that a frame does not show. */
#define ENDO_LENS_BLACK_RGB 0xff000000u

#endif
