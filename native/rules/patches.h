/* Sums over small patches of a frame and another frame under a map, for least squares on the intensities with gain and offset
 * of every patch free (systems/pairs/patch_fit.h).
 *
 * Level 0 of a frame is its grey image for matching, in which a pixel has a value where it lies in the field and is no
 * highlight; a pixel of a further level is the rounded mean of 2 x 2 of the one below and has a value where these have
 * one; an odd last column or row is left out. Every level is then smoothed by (1 2 1) / 4 each way: noise and detail near the
 * limit of resolution would bias positions towards whole or half pixels. A smoothed pixel has a value where all nine that it is
 * made of exist and have one. A pixel of a patch counts where it, its four neighbours, and the four pixels around the position
 * that the map takes it to have one.
 *
 * Light that moves with the scope changes across a patch: the position of a pixel in the patch is among its numbers, so that
 * a regression can remove the slope.
 *
 * Integers throughout: no number of a pixel exceeds 2^10, so no sum over a patch 31 bits. */
#ifndef ENDO_RULES_PATCHES_H
#define ENDO_RULES_PATCHES_H

#include "base/host_device.h"

#include <stdint.h>

/* Smallest and largest side of a patch, px. */
#define ENDO_PATCH_LEAST_SIDE 8
#define ENDO_PATCH_MOST_SIDE 32
/* Smoothed values carry 2 fractional bits and are shifted to -512 .. 508. */
#define ENDO_PATCH_ONE 4
#define ENDO_PATCH_MIDDLE 512
/* Additional fractional bits of values during interpolation. */
#define ENDO_PATCH_FINE_BITS 5
#define ENDO_PATCH_FINE (1 << ENDO_PATCH_FINE_BITS)
/* Marks a pixel without a value. */
#define ENDO_PATCH_INVALID (-32768)
/* Most levels, and the least side of a level, px. */
#define ENDO_PATCH_LEVELS 4
#define ENDO_PATCH_LEAST_LEVEL 32
/* Numbers of a pixel: differences R(x + 1) - R(x - 1) and R(y + 1) - R(y - 1); R, the reference, as smooth as C; C, the
 * current frame; and its position across and down from the patch's middle, half px. */
#define ENDO_PATCH_NUMBERS 6
#define ENDO_PATCH_PRODUCTS 21

/* A patch of a level of the reference, all of it in the level, its first pixel (x, y); pixel (x + i, y + j) is compared
 * with the position at + i step[0..1] + j step[2..3] of the current frame's level, 16 fractional bits: |at| < 2^30,
 * |step| < 2^20. */
typedef struct endo_patch_request {
    int32_t reference, current;
    int32_t level; /* below endo_patch_levels() */
    int32_t x, y;
    int32_t at[2], step[4];
} endo_patch_request;

typedef struct endo_patches_setup {
    int32_t side;
} endo_patches_setup;

typedef struct endo_patch_sums {
    int32_t n; /* pixels */
    int32_t sum[ENDO_PATCH_NUMBERS];
    int32_t product[ENDO_PATCH_PRODUCTS]; /* (0, 0), (0, 1) .. (0, 5), (1, 1) .. (5, 5) */
} endo_patch_sums;

ENDO_HD int endo_patch_levels(int width, int height) {
    int n = 1;
    while (n < ENDO_PATCH_LEVELS && width >> n >= ENDO_PATCH_LEAST_LEVEL && height >> n >= ENDO_PATCH_LEAST_LEVEL) n++;
    return n;
}

ENDO_HD int32_t endo_patch_halve(int32_t a, int32_t b, int32_t c, int32_t d) { return (a + b + c + d + 2) >> 2; }

/* The smoothed value of 3 x 3 grey values, row by row. */
ENDO_HD int32_t endo_patch_smooth(const uint8_t g[9]) {
    int32_t corners = g[0] + g[2] + g[6] + g[8], sides = g[1] + g[3] + g[5] + g[7];
    return ((corners + 2 * sides + 4 * g[4] + 2) >> 2) - ENDO_PATCH_MIDDLE;
}

/* A position with 16 fractional bits, rounded to 8. */
ENDO_HD int32_t endo_patch_position8(int32_t position) { return (position + 128) >> 8; }

/* Interpolates two values whose difference fits 16 bits, rounded; f: 0..255, of 256. */
ENDO_HD int32_t endo_patch_mix(int32_t a, int32_t b, int32_t f) { return a + (((b - a) * f + 128) >> 8); }

/* Interpolates four smoothed values, across and then down, in steps that fit 16 bits. */
ENDO_HD int32_t endo_patch_between(int32_t p00, int32_t p01, int32_t p10, int32_t p11, int32_t fx, int32_t fy) {
    int32_t top = endo_patch_mix(p00 * ENDO_PATCH_FINE, p01 * ENDO_PATCH_FINE, fx);
    int32_t bottom = endo_patch_mix(p10 * ENDO_PATCH_FINE, p11 * ENDO_PATCH_FINE, fx);
    return (endo_patch_mix(top, bottom, fy) + ENDO_PATCH_FINE / 2) >> ENDO_PATCH_FINE_BITS;
}

/* The smoothing k = f (1 - f) / 2, in 1/1024, of an interpolation: a value between two pixels is their weighted mean, and as
 * smooth as if it had been filtered by (k, 1 - 2 k, k). */
ENDO_HD int32_t endo_patch_bluntness(int32_t f) { return (f * (256 - f)) >> 7; }

/* The change of a pixel by this smoothing, from its second difference; 4 more fractional bits, in steps that fit 16 bits. */
ENDO_HD int32_t endo_patch_curvature(int32_t second, int32_t f) { return (second * endo_patch_bluntness(f) + 32) >> 6; }

/* The displacement of an interpolation, in which the nearer pixel has too much of fine detail: the third moment of the two
 * weights, f (1 - f) (1 - 2 f) / 12, in 1/65536. */
ENDO_HD int32_t endo_patch_lopsidedness(int32_t f) { return (endo_patch_bluntness(f) * (128 - f) * 2731 + 16384) >> 15; }

/* The change of a pixel by this displacement, from twice the third difference R(2) - R(-2) - 2 (R(1) - R(-1)). */
ENDO_HD int32_t endo_patch_lean(int32_t third, int32_t f) { return (third * endo_patch_lopsidedness(f) + 2048) >> 12; }

/* Whether the axes of both frames differ by less than 45 degrees: the third difference, along the axes of the reference, is
 * used only there. */
ENDO_HD int endo_patch_is_upright(const int32_t step[4]) { return step[0] > 46341 && step[3] > 46341; }

/* The fraction without displacement, which is used elsewhere. */
#define ENDO_PATCH_NO_LEANING 128

/* The neighbours of a pixel along a row or column, before and behind it. The far ones may have no value. */
typedef struct endo_patch_line {
    int32_t before, behind, far_before, far_behind;
} endo_patch_line;

/* The change of a pixel, along one axis, by an interpolation at the fraction f; leaning: f, or ENDO_PATCH_NO_LEANING. */
ENDO_HD int32_t endo_patch_change(const endo_patch_line *l, int32_t here, int32_t f, int32_t leaning) {
    int32_t second = l->before + l->behind - 2 * here;
    int32_t third = l->far_behind - l->far_before - 2 * (l->behind - l->before);
    if (l->far_before == ENDO_PATCH_INVALID || l->far_behind == ENDO_PATCH_INVALID) leaning = ENDO_PATCH_NO_LEANING;
    return endo_patch_curvature(second, f) + endo_patch_lean(third, leaning);
}

/* A pixel of the reference as smooth, and as displaced, as the interpolated value that it is compared with. If one of the two
 * were smoother, a patch with vignetting would seem to lie further towards the brighter side; if one were displaced, rotations
 * and growths would be estimated too small or too large as long as the fractions are alike. */
ENDO_HD int32_t endo_patch_blunt(int32_t here, const endo_patch_line *across, const endo_patch_line *down, int32_t fx,
                                 int32_t fy, int upright) {
    int32_t change = endo_patch_change(across, here, fx, upright ? fx : ENDO_PATCH_NO_LEANING) +
                     endo_patch_change(down, here, fy, upright ? fy : ENDO_PATCH_NO_LEANING);
    return (16 * here + change + 8) >> 4;
}

/* Distance of column or row i from the middle of a patch, half px. */
ENDO_HD int32_t endo_patch_off_middle(int32_t i, int32_t side) { return 2 * i - (side - 1); }

ENDO_HD void endo_patch_add(endo_patch_sums *s, const int32_t numbers[ENDO_PATCH_NUMBERS]) {
    int at = 0;
    s->n++;
    for (int i = 0; i < ENDO_PATCH_NUMBERS; i++) {
        s->sum[i] += numbers[i];
        for (int k = i; k < ENDO_PATCH_NUMBERS; k++) s->product[at++] += numbers[i] * numbers[k];
    }
}

#endif
