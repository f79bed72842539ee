/* Mutual information in integers: the position of a voxel of the fixed volume in the moving one, the interpolated value and
 * its bin, and the sums of a histogram's counts.
 *
 * Positions. A map has 32 fractional bits. The first voxel of every run of ENDO_MUTUAL_RUN voxels of a row is mapped
 * exactly and cut to 16 fractional bits; from there on a step of 16 fractional bits is added. A step is off by at most
 * 2^-17 voxel and a run has 64, so positions are off by less than 2^-11 voxel, little against the 2^-8 by which
 * interpolation in steps of 1/128 voxel rounds.
 *
 * Interpolation. Weights have 7 bits, so that y takes 8-bit levels to 15 bits, x those to 22, of which the lowest 7 are
 * dropped, and z the rest to 22 again: each step fits the 16 x 16-bit products of every instruction set. The dropped bits
 * are below 1/128 of a level.
 *
 * Sums. n * log2(n) is taken once for every count, in fixed point: sums of it are the same in any order. */
#ifndef ENDO_RULES_MUTUAL_H
#define ENDO_RULES_MUTUAL_H

#include "base/host_device.h"

/* ---------------------------------------------------------------- levels */

/* A grey value in 65536 steps of low..high. */
ENDO_HD uint16_t endo_mutual_quantize(int value, int low, int high) {
    if (value <= low) return 0;
    if (value >= high) value = high;
    return (uint16_t)(((uint64_t)(value - low) << 16) / (uint32_t)(high - low + 1));
}

/* Smooths a value by its two neighbours along an axis; the outermost are repeated. Both volumes are smoothed first, along x, y
 * and z in turn: interpolation averages noise between voxels but not on them, so that the measure of unsmoothed volumes depends
 * on where voxels fall. Stronger smoothing moves edges: of the weights that were tried, 0 to 1/4 (and 1/4 twice), 5/32 had the
 * smallest largest error. */
ENDO_HD uint16_t endo_mutual_smooth(uint32_t before, uint32_t value, uint32_t after) {
    return (uint16_t)((5 * before + 22 * value + 5 * after + 16) >> 5);
}

/* The mean of n = 1, 2, 4 or 8 values, rounded. */
ENDO_HD uint16_t endo_mutual_mean(uint32_t sum, uint32_t n) { return (uint16_t)((sum + n / 2) / n); }

/* The bin of the fixed image, and the level of the moving one. */
ENDO_HD uint32_t endo_mutual_fixed_bin(uint16_t value, uint32_t bins) { return value * bins >> 16; }
ENDO_HD uint8_t endo_mutual_moving_level(uint16_t value) { return (uint8_t)(value >> 8); }

/* ------------------------------------------------------------- positions */

#define ENDO_MUTUAL_RUN 64
/* Largest linear numbers of a map in fixed point, voxels for a voxel, and its largest shift, voxels. */
#define ENDO_MUTUAL_MAX_STEP 60.0
#define ENDO_MUTUAL_MAX_SHIFT 16777216.0

/* A map from fixed to moving voxels: 3 rows of 4, 32 fractional bits. gain: a fourth row, the factor of the moving volume's
 * values at the position; 0 0 0 1: none. */
typedef struct endo_mutual_map {
    int64_t m[12], gain[4];
} endo_mutual_map;

/* The rounding of positions before they are cut to whole voxels and a fraction. */
typedef struct endo_mutual_rounding {
    int32_t half, mask;
} endo_mutual_rounding;

/* The rounding of an interpolation: linear to 1/128 voxel, nearest to whole ones. */
ENDO_HD endo_mutual_rounding endo_mutual_round(int nearest) {
    endo_mutual_rounding linear = {1 << 8, ~((1 << 9) - 1)}, whole = {1 << 15, ~((1 << 16) - 1)};
    return nearest ? whole : linear;
}

/* A coordinate beyond every volume, from which a run does not overflow 32 bits. */
#define ENDO_MUTUAL_FAR (((int64_t)1 << 30) + ((int64_t)1 << 29))

/* One coordinate, in the moving volume, of the first voxel of a run, 16 fractional bits, before rounding. row: 4 numbers of a
 * map; x: a multiple of ENDO_MUTUAL_RUN. */
ENDO_HD int32_t endo_mutual_run_start(const int64_t row[4], int x, int y, int z) {
    int64_t at = (row[3] + row[0] * x + row[1] * y + row[2] * z) >> 16;
    return (int32_t)(at > ENDO_MUTUAL_FAR ? ENDO_MUTUAL_FAR : at < -ENDO_MUTUAL_FAR ? -ENDO_MUTUAL_FAR : at);
}

ENDO_HD int32_t endo_mutual_step(int64_t per_voxel) { return (int32_t)((per_voxel + (1 << 15)) >> 16); }

/* Whether a position lies in the volume: voxels have extent, so from half a voxel before the first centre to half a voxel after
 * the last; beyond the outer centres values are repeated. position: 16 fractional bits, before rounding. */
ENDO_HD int endo_mutual_is_inside(int32_t position, int side) {
    return position >= -(1 << 15) && position < side * (1 << 16) - (1 << 15);
}

/* The voxels that a search counts: those that its initial map takes into the moving volume, a margin away from its border.
 * Otherwise voxels would enter and leave the count at that border as transforms change, and the measure would follow them
 * rather than the images. */
typedef struct endo_mutual_window {
    endo_mutual_map map;
    int32_t margin[3]; /* 16 fractional bits, of moving voxels, 0 or more */
} endo_mutual_window;

ENDO_HD int endo_mutual_is_within(int32_t position, int side, int32_t margin) {
    return position >= margin - (1 << 15) && position < side * (1 << 16) - (1 << 15) - margin;
}

/* ---------------------------------------------------------- interpolation */

/* The fraction of a rounded position, 0..127. */
ENDO_HD int endo_mutual_fraction(int32_t rounded) { return (rounded >> 9) & 127; }

/* Interpolates the levels of the 8 voxels around, x fastest; f: fractions. 22 bits: level * 2^14. */
ENDO_HD uint32_t endo_mutual_interpolate(const uint8_t level[8], const int f[3]) {
    uint32_t slices[2];
    for (int k = 0; k < 2; k++) {
        const uint8_t *v = level + 4 * k;
        uint32_t left = (128u - (uint32_t)f[1]) * v[0] + (uint32_t)f[1] * v[2];
        uint32_t right = (128u - (uint32_t)f[1]) * v[1] + (uint32_t)f[1] * v[3];
        slices[k] = ((128u - (uint32_t)f[0]) * left + (uint32_t)f[0] * right) >> 7;
    }
    return (128u - (uint32_t)f[2]) * slices[0] + (uint32_t)f[2] * slices[1];
}

/* The largest gain. The moving image may have a bias field, of a coil or of a lamp. The measure then moves edges, because one
 * grey value would otherwise have two partners: a gain that changed by a tenth across a head shifted a result by a quarter of a
 * voxel. Gains are stepped along a run as positions are; 16 fractional bits, of which 14 are used, from 0 to less than 2. */
#define ENDO_MUTUAL_MOST_GAIN ((1 << 17) - 1)

/* The bin of an interpolated value under a gain, 15 bits each. */
ENDO_HD uint32_t endo_mutual_moving_bin(uint32_t interpolated, int32_t gain, uint32_t bins) {
    uint32_t factor = (uint32_t)(gain < 0 ? 0 : gain > ENDO_MUTUAL_MOST_GAIN ? ENDO_MUTUAL_MOST_GAIN : gain) >> 2;
    uint32_t value = (interpolated >> 7) * factor >> 14;
    return (value < 32767 ? value : 32767) * bins >> 15;
}

/* Interpolates grey values of up to 16 bits, rounded to whole ones: 16 + 3 * 7 bits. */
ENDO_HD uint16_t endo_mutual_resample_grey(const uint16_t grey[8], const int f[3]) {
    uint64_t rows[4], slices[2];
    for (int k = 0; k < 4; k++)
        rows[k] = (uint64_t)(128 - f[0]) * grey[2 * k] + (uint64_t)f[0] * grey[2 * k + 1];
    for (int k = 0; k < 2; k++) slices[k] = (uint64_t)(128 - f[1]) * rows[2 * k] + (uint64_t)f[1] * rows[2 * k + 1];
    return (uint16_t)(((uint64_t)(128 - f[2]) * slices[0] + (uint64_t)f[2] * slices[1] + (1 << 20)) >> 21);
}

/* ------------------------------------------------------------------- sums */

/* log2 of n >= 1 by the series of artanh, in an order fixed here: off by less than 1e-15. */
ENDO_HD double endo_mutual_log2(uint32_t n) {
    const double two_over_ln2 = 2.8853900817779268147;
    int whole = 0;
    for (int k = 16; k; k >>= 1)
        if (n >> whole >> k) whole += k;
    double m = n / (double)(1u << whole); /* exact: a power of two */
    if (m > 1.4142135623730951) {
        m /= 2;
        whole++;
    }
    double s = (m - 1) / (m + 1), q = s * s, sum = 0; /* |s| < 0.172 */
    for (int k = 21; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
    return whole + two_over_ln2 * (s * sum);
}

/* n * log2(n) in units of 2^-20. */
ENDO_HD int64_t endo_mutual_term(uint32_t n) {
    if (n < 2) return 0;
    return (int64_t)(n * endo_mutual_log2(n) * 1048576.0 + 0.5);
}

/* Sums of a joint histogram: its voxels n, and the terms n log2(n) of its bins, of its rows (fixed) and columns (moving). */
typedef struct endo_mutual_sums {
    int64_t n, joint, fixed, moving;
} endo_mutual_sums;

/* Mutual information, bits, [B] eq. 2: log2 n + (joint - fixed - moving) / n. 0 without voxels. */
ENDO_HD double endo_mutual_information(const endo_mutual_sums *s) {
    if (s->n == 0) return 0;
    return (double)(endo_mutual_term((uint32_t)s->n) + s->joint - s->fixed - s->moving) / (1048576.0 * (double)s->n);
}

/* An entropy, bits, from a sum of terms: log2 n - terms / n. */
ENDO_HD double endo_mutual_entropy(int64_t n, int64_t terms) {
    if (n == 0) return 0;
    return (double)(endo_mutual_term((uint32_t)n) - terms) / (1048576.0 * (double)n);
}

/* The normalized measure, (H(fixed) + H(moving)) / H(both); 1 where nothing varies. */
ENDO_HD double endo_mutual_normalized(const endo_mutual_sums *s) {
    double both = endo_mutual_entropy(s->n, s->joint);
    if (!(both > 0)) return 1;
    return (endo_mutual_entropy(s->n, s->fixed) + endo_mutual_entropy(s->n, s->moving)) / both;
}

#endif
