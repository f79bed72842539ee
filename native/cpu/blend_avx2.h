/* Blending colour with AVX2: what its files share. */
#ifndef ENDO_CPU_BLEND_AVX2_H
#define ENDO_CPU_BLEND_AVX2_H

#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* endo_blend_white_of the first three of four channels in 32 bits, for each of them; of the fourth it is anything. */
static inline __m256i white_of(__m256i value) {
    __m256i others = _mm256_max_epu16(_mm256_shuffle_epi32(value, _MM_SHUFFLE(3, 0, 2, 1)),
                                      _mm256_shuffle_epi32(value, _MM_SHUFFLE(3, 1, 0, 2)));
    __m256i near = _mm256_subs_epu16(_mm256_max_epu16(value, others), _mm256_set1_epi32(ENDO_BLEND_WHITISH));
    return _mm256_min_epu16(_mm256_slli_epi32(near, 2), _mm256_set1_epi32(511));
}

/* endo_blend_shade of two times four channels in 32 bits; factors and gains above 4. */
static inline __m256i shade(__m256i value, __m256i factor4, __m256i gain4) {
    __m256i factor = _mm256_mulhi_epu16(factor4, gain4), white = white_of(value);
    __m256i less = _mm256_mulhi_epu16(factor, _mm256_slli_epi32(white, 7));
    factor = _mm256_add_epi32(_mm256_sub_epi32(factor, less), _mm256_slli_epi32(white, 3));
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
