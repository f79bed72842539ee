/* Inner loops of what is made of a frame when it comes in, and of its pyramid. */
#ifndef ENDO_CPU_PYRAMID_LOOPS_H
#define ENDO_CPU_PYRAMID_LOOPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct cpu_pyramid_loops {
    /* A row, its last element twice: past the caches, for what nobody reads soon. element: 1, 2 or 4 bytes. to: a multiple of
     * 64, with room up to the next multiple; other threads may not have it before end_far. */
    void (*copy_far)(const uint8_t *from, size_t bytes, size_t element, uint8_t *to);
    /* Behind some copies of the same thread: to wait behind each takes a quarter of its time. */
    void (*end_far)(void);
    /* highlights: NULL, or a bit a pixel, 32 a word, the last one filled with zeros. */
    void (*grey_rgb)(const uint32_t *rgb, int n, uint8_t *grey, uint32_t *highlights);
    void (*halve_row)(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out);
    /* Recursive smoothing down and up the columns of an image. */
    void (*smooth_columns)(int16_t *image, ptrdiff_t stride, int width, int height, int k);
    void (*transpose)(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                      ptrdiff_t out_stride);
} cpu_pyramid_loops;

extern const cpu_pyramid_loops cpu_pyramid_c;
#ifdef ENDO_X86
extern const cpu_pyramid_loops cpu_pyramid_avx2, cpu_pyramid_avx512;
/* Loops in AVX2 that the table of AVX-512 takes, too. */
void cpu_copy_far_avx2(const uint8_t *from, size_t bytes, size_t element, uint8_t *to);
void cpu_end_far_avx2(void);
void cpu_halve_row_avx2(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out);
void cpu_smooth_columns_avx2(int16_t *image, ptrdiff_t stride, int width, int height, int k);
void cpu_transpose_avx2(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out, ptrdiff_t out_stride);
#endif

#endif
