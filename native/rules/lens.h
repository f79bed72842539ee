/* Frames without the distortion of their lens: where the lens shows the pixels of such a frame, and the cubic between the
 * pixels of what it shows. All of it is integers, but for the table that systems/lens makes once.
 *
 * Division model: with r the distance from the middle over half of the frame's longer side, what is shown at r lies at
 * r / (1 + lambda r^2) in a frame without distortion. Turned round, a pixel at r is shown at
 * 2 r / (1 + sqrt(1 - 4 lambda r^2)): the table has that factor by the square of the distance. */
#ifndef ENDO_RULES_LENS_H
#define ENDO_RULES_LENS_H

#include "base/host_device.h"

/* Steps of a pixel to which a position is known. */
#define ENDO_LENS_STEPS 32
/* Entries of the table of factors, and their fractional bits. */
#define ENDO_LENS_ENTRIES 4096
#define ENDO_LENS_FACTOR_BITS 24
/* Positions are counted from the middle in half pixels; so many bits less make 32nds of a pixel of them. */
#define ENDO_LENS_POSITION_BITS (ENDO_LENS_FACTOR_BITS - 4)
/* 4 x 4 pixels, whose weights have so many bits: they add up to 2^11. */
#define ENDO_LENS_TAPS 16
#define ENDO_LENS_WEIGHT_BITS 11

typedef struct endo_lens_table {
    /* Of each step down and across, row by row. */
    int16_t weights[ENDO_LENS_STEPS * ENDO_LENS_STEPS * ENDO_LENS_TAPS];
    int32_t factors[ENDO_LENS_ENTRIES + 2]; /* below 2 */
    int32_t known; /* entries before that of the first distance that no frame shows */
    int32_t shift; /* squares of distances, quarters of px^2, are so many bits finer than the entries */
    int32_t width, height; /* px, 1..32767 */
} endo_lens_table;

/* In 32nds of a pixel from the centre of the first one. */
typedef struct endo_lens_position {
    int32_t x, y;
} endo_lens_position;

ENDO_HD int32_t endo_lens_coordinate(int64_t from_the_middle, int side) {
    int64_t rounded = (from_the_middle + ((int64_t)1 << (ENDO_LENS_POSITION_BITS - 1))) >> ENDO_LENS_POSITION_BITS;
    return (int32_t)(ENDO_LENS_STEPS / 2 * (side - 1) + rounded);
}

/* Whether the nearest pixel is one of the frame's. */
ENDO_HD int endo_lens_is_inside(int32_t coordinate, int side) {
    return coordinate >= -ENDO_LENS_STEPS / 2 && coordinate < ENDO_LENS_STEPS * side - ENDO_LENS_STEPS / 2;
}

/* Where a frame shows a pixel. Returns 0, and sets nothing, where it does not. */
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

/* The first of the four pixels about a coordinate, of which the frame may lack some. */
ENDO_HD int endo_lens_first(int32_t coordinate) { return (coordinate >> 5) - 1; }

/* The first weight of a position, in the table. */
ENDO_HD int endo_lens_weight(endo_lens_position p) {
    int step = (p.y & (ENDO_LENS_STEPS - 1)) * ENDO_LENS_STEPS + (p.x & (ENDO_LENS_STEPS - 1));
    return step * ENDO_LENS_TAPS;
}

/* Beyond its border a frame goes on as it ends. */
ENDO_HD int endo_lens_within(int i, int side) { return i < 0 ? 0 : i < side ? i : side - 1; }

/* Of a weighted sum of 4 x 4 values, 0..most. */
ENDO_HD int32_t endo_lens_value(int32_t sum, int32_t most) {
    int32_t value = (sum + (1 << (ENDO_LENS_WEIGHT_BITS - 1))) >> ENDO_LENS_WEIGHT_BITS;
    return value < 0 ? 0 : value > most ? most : value;
}

/* What a frame does not show is black. */
#define ENDO_LENS_BLACK_RGB 0xff000000u

#endif
