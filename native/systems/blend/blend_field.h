/* Planes of the field of view for blending: where a pixel may be sampled, and how deep a block lies in the field. */
#ifndef ENDO_SYSTEMS_BLEND_FIELD_H
#define ENDO_SYSTEMS_BLEND_FIELD_H

#include "rules/blend.h"

#include <stddef.h>

/* Number of blocks of a frame. */
static inline size_t endo_blend_blocks(int width, int height) {
    return (size_t)(width / ENDO_BLEND_SIDE) * (size_t)(height / ENDO_BLEND_SIDE);
}

/* mask: width*height bytes, 255 or 0: the field less its rim. Outputs: those of endo_field_planes (kernels.h). */
void endo_blend_find_bicubic(const uint8_t *mask, int width, int height, ptrdiff_t stride, int threads,
                             uint8_t *bicubic);
void endo_blend_find_depths(const uint8_t *mask, int width, int height, int threads, uint8_t *depths);

/* Made from the outputs of the two functions above. */
void endo_blend_find_surroundings(const uint8_t *bicubic, ptrdiff_t stride, const uint8_t *depths, int width, int height,
                                  int threads, uint8_t *surroundings);

/* The mean of each block of a plane of factors, rounded. */
void endo_blend_find_means(const uint16_t *factors, ptrdiff_t stride, int width, int height, int threads, uint16_t *blocks);

#endif
