/* The grey value of a pixel for matching, and whether it is a highlight. */
#ifndef ENDO_RULES_GREY_H
#define ENDO_RULES_GREY_H

#include "base/host_device.h"

ENDO_HD uint8_t endo_grey_of_channels(uint32_t r, uint32_t g, uint32_t b) {
    return (uint8_t)((77 * r + 150 * g + 29 * b + 128) >> 8);
}

ENDO_HD uint8_t endo_grey_of_rgb(uint32_t rgb) {
    return endo_grey_of_channels((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255);
}

/* clamp(floor((v - low) * 255 / (high - low) + 1/2), 0, 255) */
ENDO_HD uint8_t endo_grey_of_16(uint32_t v, int low, int high) {
    if ((int64_t)v <= low) return 0;
    if ((int64_t)v >= high) return 255;
    uint32_t range = (uint32_t)(high - low), above = v - (uint32_t)low;
    return (uint8_t)((above * 510 + range) / (2 * range));
}

/* A grey value less the fixed pattern, -255..255, of its pixel. A pixel that is black or white was clipped there, and does not
 * show the pattern. */
ENDO_HD uint8_t endo_grey_less(uint8_t grey, int pattern) {
    int less = grey == 0 || grey == 255 ? grey : grey - pattern;
    return (uint8_t)(less < 0 ? 0 : less > 255 ? 255 : less);
}

/* Least value of every channel in a specular highlight, of colour and of grey: tissue is red, and saturates only one. */
#define ENDO_SPECULAR_RGB 205
#define ENDO_SPECULAR_GREY 240
/* Pixels by which the mask of highlights is grown each way, because highlights bloom. */
#define ENDO_SPECULAR_GROWTH 2

/* Whether all channels are equal: grey images are often stored as colours, and must be treated as grey. */
ENDO_HD int endo_is_grey_rgb(uint32_t rgb) {
    return ((rgb ^ rgb >> 8) & 0xffff) == 0;
}

ENDO_HD int endo_is_specular_rgb(uint32_t rgb) {
    uint32_t least = endo_is_grey_rgb(rgb) ? ENDO_SPECULAR_GREY : ENDO_SPECULAR_RGB;
    return ((rgb >> 16) & 255) >= least && ((rgb >> 8) & 255) >= least && (rgb & 255) >= least;
}

#endif
