/* Images to measure on, made by the library itself: the same on every machine. */
#ifndef ENDO_BENCH_IMAGES_H
#define ENDO_BENCH_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tissue with vessels (the scene of the demo sequence) under a lamp that leaves the corners dark, with noise of
 * a camera: width * height pixels 0xAARRGGBB. NULL: no memory. Free with endo_free. */
uint32_t *image_tissue(int width, int height);

/* The library's grey of an RGB image. */
uint8_t *image_grey(const uint32_t *rgb, size_t n);

/* Every value equally likely, no pixel like its neighbour. */
uint8_t *image_noise(size_t n);

/* 16-bit values: the grey above, noise below. */
uint16_t *image_deep(const uint8_t *grey, size_t n);

#ifdef __cplusplus
}
#endif
#endif
