/* [P] Algorithm 2 as a named baseline: C. Panconi, Parallel Adaptive Histogram Equalization, 2022/23, sections 2
 * and 3.1. Algorithm 3, its GPU kernel, is in ahe_paper.cu. */
#ifndef ENDO_BENCH_AHE_BASELINES_H
#define ENDO_BENCH_AHE_BASELINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns left .. left + columns - 1 of a grey image, all its rows, with the mirrored pixels that their windows
 * reach ([P] section 1.2 extends the whole image alike). */
typedef struct ahe_strip {
    uint8_t *pixels; /* columns + window - 1 by height + window - 1 */
    int left, columns, height, window;
    ptrdiff_t stride;
} ahe_strip;

/* 0 if memory is out. */
int ahe_strip_create(ahe_strip *s, const uint8_t *grey, int width, int height, ptrdiff_t stride, int left, int columns,
                     int window);
void ahe_strip_destroy(ahe_strip *s);

/* out: height rows of `columns` pixels. Each thread takes adjacent columns and has its own histogram. */
void ahe_algorithm2(const ahe_strip *s, int threads, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
