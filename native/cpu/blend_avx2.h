/* Blending colour with AVX2: what its files share. */
#ifndef ENDO_CPU_BLEND_AVX2_H
#define ENDO_CPU_BLEND_AVX2_H

#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* endo_blend_shade of two times four channels in 32 bits; factors and gains above 4. */
static inline __m256i shade(__m256i value, __m256i factor4, __m256i gain4) {
    __m256i factor = _mm256_mulhi_epu16(factor4, gain4);
    __m256i shaded = _mm256_mulhi_epu16(_mm256_slli_epi32(value, 4), factor);
    return _mm256_min_epu16(shaded, _mm256_set1_epi32(ENDO_BLEND_MOST));
}

static inline __m256i gains_of(const uint32_t gain[3]) {
    return _mm256_broadcastsi128_si256(_mm_setr_epi32((int)gain[0] * 4, (int)gain[1] * 4, (int)gain[2] * 4, 0));
}

/* Defined in blend_cells_avx2.c and blend_pixels_avx2.c. */
void cpu_blend_visit_cells_avx2(const cpu_cell_run *run);
/* add_run for colour. */
void cpu_blend_add_rgb_avx2(const cpu_blend_run *run);

#endif
