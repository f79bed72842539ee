/* Blending: how frames are sampled and weighted, pixel by pixel and in cells of the panorama (endorama/blend.h).
 *
 * Units: values of 8-bit pixels are in 1/16 of a level, those of 16-bit pixels in levels, those of cells and blocks in 1/4096
 * of the range, for every type. The largest value is twice the range. */
#ifndef ENDO_RULES_BLEND_H
#define ENDO_RULES_BLEND_H

#include "base/host_device.h"
#include "grey.h"
#include "include/endorama/frames.h"

/* Side of a cell of the panorama and of a block of a frame, px. */
#define ENDO_BLEND_SIDE 4
/* The factor 1, and the largest factor. */
#define ENDO_BLEND_ONE 4096
#define ENDO_BLEND_MOST_FACTOR 16383
/* Largest sum of the weights of a pixel or cell: 32 bits then hold the sums of 8-bit images. */
#define ENDO_BLEND_MOST_WEIGHT (1u << 19)
/* Largest values of an 8-bit pixel or a cell, and of a 16-bit pixel. */
#define ENDO_BLEND_MOST 8191
#define ENDO_BLEND_MOST16 131071
/* The score of a position deep in the field; the least that counts is 1. */
#define ENDO_BLEND_FULL_SCORE 255
/* The score of a clipped block is divided by this. */
#define ENDO_BLEND_CLIPPED_SHARE 64
/* Least value of a channel that is nearly saturated. */
#define ENDO_BLEND_CLIPPED 250
/* Value of a pixel's brightest channel, in 1/16 of an 8-bit level, from which on it is the less corrected. */
#define ENDO_BLEND_WHITISH (4080 - 128)
/* Narrow weights below this, of 4095, become 0 beside the best: such a frame leaves the pixels to others. */
#define ENDO_BLEND_FAINT 64
/* Difference from the first pass at which a vote is halved: 8 levels of 256. */
#define ENDO_BLEND_TOLERANCE 128

/* Sums of a cell. Channels are the bytes of a colour pixel from the lowest, blue, on; grey has the first alone. During the
 * first pass `narrow` is the observation of the best score (the largest of several). */
typedef struct endo_blend_cell {
    uint32_t first_pass[3];     /* first pass: sums of values weighted by scores, afterwards their means */
    uint32_t first_pass_weight; /* sum of these weights; 0: not seen in the first pass */
    uint32_t broad[3];          /* second pass: sums of values weighted by scores */
    uint32_t broad_weight;      /* sum of these weights */
    uint32_t narrow[3];         /* second pass: sums of values by the weights of pixels */
    uint32_t narrow_weight;     /* sum of these weights */
    uint16_t best;              /* the highest score of the first pass */
    uint16_t doubt;             /* difference of the observation of that score from the means */
} endo_blend_cell;

/* Corrected values and score of a block of a frame. score 0: not all of it lies in the field. */
typedef struct endo_blend_block {
    uint16_t value[3], score;
} endo_blend_block;

/* Parts of a frame that are left to other frames: cells over all of it, row by row, two bits each: endo_hiding. columns 0: nothing is hidden. */
typedef struct endo_blend_hidden {
    int16_t columns, rows;
    uint32_t bits[ENDO_MOST_HIDDEN / 16];
} endo_blend_hidden;

/* Whether none, some or all of a group of pixels of a frame can be sampled. */
enum { ENDO_BLEND_NONE, ENDO_BLEND_SOME, ENDO_BLEND_ALL };

/* ---------------------------------------------------------------- sampling */

/* The weights of four neighbours in a row for a position f/256 behind the second, in 1/64; together 64. */
ENDO_HD void endo_blend_taps(int cubic, int f, int8_t taps[4]) {
    int f2 = f * f, f3 = f2 * f, linear = (f + 2) >> 2;
    int first = cubic ? (-f3 + 512 * f2 - 65536 * f + (1 << 18)) >> 19 : 0;
    int third = cubic ? (-3 * f3 + 1024 * f2 + 65536 * f + (1 << 18)) >> 19 : linear;
    int fourth = cubic ? (f3 - 256 * f2 + (1 << 18)) >> 19 : 0;
    taps[0] = (int8_t)first;
    taps[1] = (int8_t)(64 - first - third - fourth);
    taps[2] = (int8_t)third;
    taps[3] = (int8_t)fourth;
}

/* The value, within the range, of the weighted sum of 16 pixels. */
ENDO_HD uint32_t endo_blend_value8(int32_t sum) {
    int32_t value = (sum + 128) >> 8;
    return (uint32_t)(value < 0 ? 0 : value > 4080 ? 4080 : value);
}

ENDO_HD uint32_t endo_blend_value16(int32_t sum) {
    int32_t value = (sum + 2048) >> 12;
    return (uint32_t)(value < 0 ? 0 : value > 65535 ? 65535 : value);
}

/* How near the brightest channel of a pixel is to white, its value in 1/16 of an 8-bit level: 0 up to 247 levels, then rising
 * to 511 at 255. */
ENDO_HD uint32_t endo_blend_white(uint32_t brightest) {
    uint32_t near = brightest < ENDO_BLEND_WHITISH ? 0 : 4 * (brightest - ENDO_BLEND_WHITISH);
    return near < 511 ? near : 511;
}

ENDO_HD uint32_t endo_blend_white_of(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t two = a > b ? a : b;
    return endo_blend_white(two > c ? two : c);
}

/* A value multiplied by the correction and gain of its frame, and the less the nearer its pixel is to white: of clipped ones
 * nobody knows how bright they were, and white stays white. */
ENDO_HD uint32_t endo_blend_shade(uint32_t value, uint32_t white, uint32_t correction, uint32_t gain, uint32_t most) {
    uint32_t factor = correction * gain >> 12;
    uint32_t shaded = value * (factor - (factor * white >> 9) + 8 * white) >> 12;
    return shaded < most ? shaded : most;
}

/* ------------------------------------------------------------------ blocks */

ENDO_HD int endo_blend_clipped_rgb(uint32_t rgb) {
    return endo_is_specular_rgb(rgb) || ((rgb >> 16) & 255) >= ENDO_BLEND_CLIPPED ||
           ((rgb >> 8) & 255) >= ENDO_BLEND_CLIPPED || (rgb & 255) >= ENDO_BLEND_CLIPPED;
}

/* The smallest 16-bit pixel whose grey value is ENDO_SPECULAR_GREY or more. */
ENDO_HD uint32_t endo_blend_clipped_16(int low, int high) {
    uint64_t range = (uint64_t)(high - low), twice = 2 * ENDO_SPECULAR_GREY - 1;
    return (uint32_t)low + (uint32_t)((twice * range + 509) / 510);
}

/* The score of a block in a frame of a weight 1..256. depth 0: not all of it is in the field. */
ENDO_HD uint32_t endo_blend_score(uint32_t depth, uint32_t weight, int clipped) {
    uint32_t score = depth * weight >> 8;
    if (clipped) score /= ENDO_BLEND_CLIPPED_SHARE;
    return depth && !score ? 1 : score;
}

/* The cell of `cells` that the middle of a block lies in; size: px of the frame along this side. */
ENDO_HD int endo_blend_hidden_cell(int block, int cells, int size) {
    return (block * ENDO_BLEND_SIDE + ENDO_BLEND_SIDE / 2) * cells / size;
}

/* The score of a block in a frame of width x height: less where it is hidden, and then 1 at least. */
ENDO_HD uint32_t endo_blend_shown(const endo_blend_hidden *h, int column, int row, int width, int height, uint32_t score) {
    if (!h->columns || !score) return score;
    int cell = endo_blend_hidden_cell(row, h->rows, height) * h->columns + endo_blend_hidden_cell(column, h->columns, width);
    uint32_t hiding = h->bits[cell / 16] >> 2 * (cell % 16) & 3;
    if (hiding == ENDO_SHOWN) return score;
    return hiding == ENDO_PARTLY_HIDDEN && score > 8 ? score / 8 : 1;
}

/* ------------------------------------------------------------------- cells */

/* The position of the middle of a cell among the middles of blocks, with 34 fractional bits or, rounded down, with 8. at: the
 * position in the frame of the cell's pixel (1, 1), half: the step from there by half a pixel of the panorama; both with 32
 * fractional bits. */
ENDO_HD int64_t endo_blend_block_position34(int64_t at, int64_t half) { return at + half - (3ll << 31) + (1 << 25); }
ENDO_HD int64_t endo_blend_block_position(int64_t at, int64_t half) { return endo_blend_block_position34(at, half) >> 26; }

/* The vote, of 256, of a frame that differs by `difference` from the first pass. */
ENDO_HD uint32_t endo_blend_vote(uint32_t difference, uint32_t tolerance) {
    uint64_t d = (uint64_t)difference * difference, t = (uint64_t)tolerance * tolerance;
    return (uint32_t)(256 * t * t / (t * t + d * d));
}

/* The tolerance of a store's frames; low, high: the grey range of 16-bit frames. */
ENDO_HD uint32_t endo_blend_tolerance(int is_16bit, int low, int high) {
    uint32_t scaled = is_16bit ? (uint32_t)((int64_t)ENDO_BLEND_TOLERANCE * (high - low) / 65535) : ENDO_BLEND_TOLERANCE;
    return scaled ? scaled : 1;
}

/* Narrow weight, 1..4095: proportional to the score, so that no frame begins with a step at the edge of the field, and halved
 * for every 16 by which the score is below the best. */
ENDO_HD uint32_t endo_blend_narrow(uint32_t best, uint32_t score) {
    const uint16_t halving[16] = {4095, 3921, 3755, 3596, 3443, 3297, 3158, 3024,
                                  2896, 2773, 2655, 2543, 2435, 2332, 2233, 2138};
    if (score >= best) return halving[0];
    uint32_t below = best - score, weight = (uint32_t)halving[below & 15] * score / best >> (below >> 4);
    return weight ? weight : 1;
}

/* A weight multiplied by a vote, at least 1. */
ENDO_HD uint32_t endo_blend_share(uint32_t weight, uint32_t vote) {
    uint32_t part = weight * vote >> 8;
    return part ? part : 1;
}

/* An observation: the values and score of one frame in a cell. */
typedef struct endo_blend_observation {
    uint32_t value[3], score;
} endo_blend_observation;

/* Interpolates between the middles of a frame's blocks, at a position with 8 fractional bits. Blocks that are not in the field
 * have no value, and lower the score. 0: nothing is seen there. */
ENDO_HD int endo_blend_observe(const endo_blend_block *blocks, int columns, int rows, int64_t u, int64_t v,
                               endo_blend_observation *out) {
    int64_t column = u >> 8, row = v >> 8;
    uint32_t fx = (uint32_t)(u & 255), fy = (uint32_t)(v & 255);
    uint32_t sum = 0, score = 0, value[3] = {0, 0, 0};
    if (column < -1 || row < -1 || column >= columns || row >= rows) return 0;
    for (int i = 0; i < 4; i++) {
        int64_t x = column + (i & 1), y = row + (i >> 1);
        if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
        const endo_blend_block *block = blocks + y * columns + x;
        uint32_t share = (i & 1 ? fx : 256 - fx) * (i >> 1 ? fy : 256 - fy);
        if (!block->score) continue;
        for (int c = 0; c < 3; c++) value[c] += share * block->value[c];
        score += share * block->score;
        sum += share;
    }
    if (!sum) return 0;
    for (int c = 0; c < 3; c++) out->value[c] = sum == 65536 ? (value[c] + 32768) >> 16 : (value[c] + sum / 2) / sum;
    out->score = (score + 32768) >> 16;
    return out->score != 0;
}

/* Whether sums can take a weight without passing the largest sum. */
ENDO_HD int endo_blend_takes(uint32_t sum, uint32_t weight) { return sum + weight <= ENDO_BLEND_MOST_WEIGHT; }

/* Adds a weighted observation to sums that can take it. */
ENDO_HD void endo_blend_gather(uint32_t sums[3], uint32_t *sum, const endo_blend_observation *observation, uint32_t weight) {
    if (!endo_blend_takes(*sum, weight)) return;
    for (int c = 0; c < 3; c++) sums[c] += weight * observation->value[c];
    *sum += weight;
}

/* Adds an observation to a cell in the first pass. */
ENDO_HD void endo_blend_first_pass(endo_blend_cell *cell, const endo_blend_observation *observation) {
    for (int c = 0; c < 3; c++)
        if (observation->score > cell->best || (observation->score == cell->best && observation->value[c] > cell->narrow[c]))
            cell->narrow[c] = observation->value[c];
    if (observation->score > cell->best) cell->best = (uint16_t)observation->score;
    endo_blend_gather(cell->first_pass, &cell->first_pass_weight, observation, observation->score);
}

/* The difference in the channel that differs most. */
ENDO_HD uint32_t endo_blend_difference(const uint32_t a[3], const uint32_t b[3]) {
    uint32_t most = 0;
    for (int c = 0; c < 3; c++) {
        uint32_t difference = a[c] > b[c] ? a[c] - b[c] : b[c] - a[c];
        if (difference > most) most = difference;
    }
    return most;
}

/* Ends the first pass of a cell. */
ENDO_HD void endo_blend_settle(endo_blend_cell *cell) {
    uint32_t weight = cell->first_pass_weight;
    for (int c = 0; c < 3 && weight; c++) cell->first_pass[c] = (cell->first_pass[c] + weight / 2) / weight;
    cell->doubt = (uint16_t)endo_blend_difference(cell->first_pass, cell->narrow);
    for (int c = 0; c < 3; c++) cell->narrow[c] = 0;
}

/* Adds an observation to a cell in the second pass; returns the narrow weight of its frame there. Faint weights become 0 where
 * the best observation agrees with the first pass; elsewhere all may be needed to outvote it. tolerance 0: no votes. */
ENDO_HD uint32_t endo_blend_weigh(endo_blend_cell *cell, const endo_blend_observation *observation, uint32_t tolerance) {
    int is_seen = cell->first_pass_weight != 0;
    int sure = is_seen && (!tolerance || cell->doubt <= tolerance); /* the best has half a vote, and paints */
    uint32_t difference = endo_blend_difference(cell->first_pass, observation->value);
    uint32_t vote = is_seen && tolerance ? endo_blend_vote(difference, tolerance) : 256;
    uint32_t best = is_seen ? cell->best : ENDO_BLEND_FULL_SCORE;
    uint32_t weight = endo_blend_share(endo_blend_narrow(best, observation->score), vote);
    if (sure && weight < ENDO_BLEND_FAINT) weight = 0;
    endo_blend_gather(cell->broad, &cell->broad_weight, observation, endo_blend_share(observation->score, vote));
    endo_blend_gather(cell->narrow, &cell->narrow_weight, observation, weight);
    return weight;
}

/* The share, of 8, of its cell in the weight of a pixel i = 0..3 of the cell; the neighbour on its side has the rest. */
ENDO_HD uint32_t endo_blend_cell_share(int i) { return i == 0 || i == 3 ? 5 : 7; }
/* The side of that neighbour: -1 before, 1 behind. */
ENDO_HD int endo_blend_neighbour(int i) { return i < 2 ? -1 : 1; }

#endif
