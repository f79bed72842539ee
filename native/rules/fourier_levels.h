/* Levels, tiles and values of the images of Fourier registration, in integers.
 *
 * Level l of an image: every pixel is the rounded mean of 2 x 2 pixels of the level below, and valid where all four are;
 * an odd last column or row is left out. A pixel of level 0 is valid in the image, in the field of view and outside
 * highlights. */
#ifndef ENDO_RULES_FOURIER_LEVELS_H
#define ENDO_RULES_FOURIER_LEVELS_H

#include "fourier_slots.h"

/* Least side of a level, px; level 0 always exists. */
#define ENDO_FOURIER_LEAST_SIDE 8
/* Half of the side of the squares of local means, 2 * half + 1 px: the usual one, and its limits (endo_align_request.half). */
#define ENDO_FOURIER_HALF 8
#define ENDO_FOURIER_LEAST_HALF 5
#define ENDO_FOURIER_MOST_HALF 12
/* High-passed values carry 2 fractional bits: up to +-1020. */
#define ENDO_FOURIER_ONE 4
/* Marks a pixel that is not valid. */
#define ENDO_FOURIER_INVALID (-32768)

ENDO_HD int endo_fourier_levels(int width, int height) {
    int n = 1;
    while (n < ENDO_FOURIER_LEVELS && width >> n >= ENDO_FOURIER_LEAST_SIDE && height >> n >= ENDO_FOURIER_LEAST_SIDE) n++;
    return n;
}

/* The first level of an image (of a tile) that fits into the extent; the last one, if none does. */
ENDO_HD int endo_fourier_level(int width, int height, int extent) {
    int level = 0, n = endo_fourier_levels(width, height);
    while (level < n - 1 && (width >> level > extent || height >> level > extent)) level++;
    return level;
}

ENDO_HD int32_t endo_fourier_halve(int32_t a, int32_t b, int32_t c, int32_t d) { return (a + b + c + d + 2) >> 2; }

/* Half of the rectangle, along one axis, whose mean is the local mean of a pixel. Near a border it is narrower on both sides:
 * a one-sided mean would tilt the difference, and two images with different borders would seem to differ in scale. */
ENDO_HD int endo_fourier_reach(int position, int length, int half) {
    int least = position < length - 1 - position ? position : length - 1 - position;
    return least < half ? least : half;
}

/* Whether a pixel has a local mean: more than an eighth of invalid pixels in its rectangle would make the mean one-sided. */
ENDO_HD int endo_fourier_has_mean(int32_t count, int32_t area) { return 8 * count >= 7 * area; }

/* The grey value of a pixel less its local mean. sum, count: sum and number of the valid pixels of its rectangle. */
ENDO_HD int32_t endo_fourier_highpass(int32_t grey, int32_t sum, int32_t count) {
    return ENDO_FOURIER_ONE * grey - (2 * ENDO_FOURIER_ONE * sum + count) / (2 * count);
}

/* The same with a factor of 1.0f / (2 * count), for odd counts up to 625. The quotient, of an odd number and an even one, is
 * at least 1 / 1250 away from every whole number, which two roundings of a number below 1021, 2^-24 of it each, do not reach. */
ENDO_HD int32_t endo_fourier_highpass_by(int32_t grey, int32_t sum, int32_t count, float factor) {
    return ENDO_FOURIER_ONE * grey - (int32_t)((float)(2 * ENDO_FOURIER_ONE * sum + count) * factor);
}

/* Magnitude of the gradient by Sobel's kernels, of 3 x 3 grey values row by row, cut to an integer: 0..1442. The square root
 * of an integer below 2^24 in float is exact enough for the cut. */
ENDO_HD int32_t endo_fourier_sobel(const int32_t g[9]) {
    int32_t x = g[2] + 2 * g[5] + g[8] - g[0] - 2 * g[3] - g[6], y = g[6] + 2 * g[7] + g[8] - g[0] - 2 * g[1] - g[2];
    return (int32_t)sqrtf((float)(x * x + y * y));
}

/* Half of the rectangle for a current image whose pixels are `scale` pixels of the reference, both at their levels. Local means
 * over areas of different size in the scene would leave differences that resemble growth. */
ENDO_HD int endo_fourier_half(double scale) {
    double half = ((2 * ENDO_FOURIER_HALF + 1) / scale - 1) / 2;
    if (!(half > ENDO_FOURIER_LEAST_HALF)) return ENDO_FOURIER_LEAST_HALF;
    return half < ENDO_FOURIER_MOST_HALF ? (int)(half + 0.5) : ENDO_FOURIER_MOST_HALF;
}

/* ------------------------------------------------------------------- tiles */

/* Largest layer. Tiles of layer k have the sides of the image over 2^(k / 2), and overlap by half. */
#define ENDO_FOURIER_MAX_LAYER 4

/* Side of a tile over that of the image, in 1/256. */
ENDO_HD int endo_fourier_tile_share(int layer) {
    int k = layer < 0 ? -layer : layer;
    return k == 0 ? 256 : k == 1 ? 181 : k == 2 ? 128 : k == 3 ? 91 : 64;
}

/* Number of tiles along each side: 1, 2, 3, 5, 7. */
ENDO_HD int endo_fourier_tiles_across(int layer) {
    int share = endo_fourier_tile_share(layer);
    return share == 256 ? 1 : (2 * 256 + share / 2) / share - 1;
}

typedef struct endo_fourier_part {
    int32_t level;                    /* level of the image */
    int32_t left, top, width, height; /* px of that level */
} endo_fourier_part;

/* Tile i, row by row, of the image at the first level at which it fits into the extent; layer 0: the whole image. */
ENDO_HD endo_fourier_part endo_fourier_tile(int width, int height, int layer, int i, int extent) {
    int share = endo_fourier_tile_share(layer), across = endo_fourier_tiles_across(layer), level = 0;
    int n = endo_fourier_levels(width, height), last = across > 1 ? across - 1 : 1;
    while (level < n - 1 && ((width >> level) * share >> 8 > extent || (height >> level) * share >> 8 > extent)) level++;
    int w = (width >> level) * share >> 8, h = (height >> level) * share >> 8;
    endo_fourier_part p = {level, (i % across) * ((width >> level) - w) / last, (i / across) * ((height >> level) - h) / last,
                           w, h};
    return p;
}

/* ---------------------------------------------------------------- geometry */

/* A position of a level in px of the whole image: the centre of pixel i of level l lies at 2^l i + (2^l - 1) / 2. */
ENDO_HD double endo_fourier_up(double position, int level) {
    double scale = (double)((int64_t)1 << level);
    return scale * position + (scale - 1) / 2;
}

ENDO_HD double endo_fourier_down(double position, int level) {
    double scale = (double)((int64_t)1 << level);
    return (position - (scale - 1) / 2) / scale;
}

/* The value of a window at a position (0 .. length - 1, or between) of a row or column. */
ENDO_HD double endo_fourier_window_at(endo_fourier_window window, double position, int length) {
    double t = (position + 0.5) / length, edge = window == ENDO_WINDOW_HANN ? 0.5 : 0.125;
    if (window == ENDO_WINDOW_NONE) return 1;
    if (t > 0.5) t = 1 - t;
    if (t >= edge) return 1;
    return t <= 0 ? 0 : 0.5 - 0.5 * cos(3.14159265358979323846 * t / edge);
}

/* ------------------------------------------------------------------- turns */

/* Rotation current -> reference of row y of a correlation of log-polar planes, degrees, -90 (excluded) .. 90. */
ENDO_HD double endo_turn_degrees(double y, int angles) {
    double degrees = 180 * y / angles;
    return degrees > 90 ? degrees - 180 : degrees;
}

/* Natural logarithm of the scale of column x of a correlation of log-polar planes. */
ENDO_HD double endo_turn_log_scale(double x, int radii, double radius_step) {
    return (x >= (double)radii / 2 ? radii - x : 0 - x) * radius_step;
}

/* Natural logarithm of the scale that two levels add in px of the whole images. */
ENDO_HD double endo_turn_level_scale(int reference_level, int current_level) {
    return 0.69314718055994530942 * (reference_level - current_level);
}

/* Whether a row, or a column, lies within the limit of the angle, or of the scale. extra: endo_turn_level_scale. */
ENDO_HD int endo_turn_row_is_allowed(const endo_turns_setup *s, int y) {
    double degrees = fabs(endo_turn_degrees(y, s->angles)), bin = 180.0 / s->angles;
    return degrees <= s->max_angle + bin || 180 - degrees <= s->max_angle + bin;
}

ENDO_HD int endo_turn_column_is_allowed(const endo_turns_setup *s, int x, double extra) {
    return !(fabs(endo_turn_log_scale(x, s->radii, s->radius_step) + extra) > s->max_log_scale + s->radius_step);
}

/* Whether the peak (x, y) is. */
ENDO_HD int endo_turn_is_allowed(const endo_turns_setup *s, int x, int y, double extra) {
    return endo_turn_column_is_allowed(s, x, extra) && endo_turn_row_is_allowed(s, y);
}

/* ------------------------------------------------------------------- peaks */

/* The order of peaks: the higher one first; of equal ones the first position, row by row. */
ENDO_HD int endo_fourier_is_before(const endo_fourier_peak *a, const endo_fourier_peak *b) {
    if (a->height != b->height) return a->height > b->height;
    if (a->part != b->part) return a->part < b->part;
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}

/* Inserts a peak in a sorted list of at most `most`, of which the last may be lost. Returns how many there are. */
ENDO_HD int endo_fourier_insert(endo_fourier_peak *list, int n, int most, const endo_fourier_peak *peak) {
    int at = n;
    while (at > 0 && endo_fourier_is_before(peak, &list[at - 1])) at--;
    if (at >= most) return n;
    for (int i = n < most ? n : most - 1; i > at; i--) list[i] = list[i - 1];
    list[at] = *peak;
    return n < most ? n + 1 : n;
}

/* The maximum of the parabola through three heights, -1/2..1/2 from the middle one. */
ENDO_HD double endo_fourier_between(float left, float middle, float right) {
    double curvature = (double)left + right - 2 * (double)middle;
    if (!(curvature < 0)) return 0;
    double at = ((double)left - right) / (2 * curvature);
    return at < -0.5 ? -0.5 : at > 0.5 ? 0.5 : at;
}

#endif
