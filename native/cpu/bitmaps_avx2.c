/* Local bitmaps with AVX2. */
#include "bitmaps_rows.h"

#include <immintrin.h>

/* endo_bitmap_mean of 16 squares; all are below 2^16 - 2^7. */
static inline __m256i means(const uint16_t *squares, __m256i half, __m128i area_bits) {
    return _mm256_srl_epi16(_mm256_add_epi16(_mm256_loadu_si256((const __m256i *)squares), half), area_bits);
}

/* Bits of 32 pixels. */
static inline void flag_half(const uint8_t *grey, const uint16_t *squares, __m256i half, __m128i area_bits, uint32_t *seen,
                             uint32_t *white) {
    __m256i low = means(squares, half, area_bits);
    __m256i high = means(squares + 16, half, area_bits);
    __m256i mean = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), _MM_SHUFFLE(3, 1, 2, 0));
    __m256i level = _mm256_loadu_si256((const __m256i *)grey);
    *seen = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(level, mean));
    *white = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(level, mean), mean));
}

static void flag(const uint8_t *grey, const uint16_t *squares, int words, int area_bits, uint64_t *seen, uint64_t *white) {
    __m256i half = _mm256_set1_epi16((short)(1 << (area_bits - 1)));
    __m128i shift = _mm_cvtsi32_si128(area_bits);
    for (int i = 0; i < words; i++) {
        uint32_t s[2];
        uint32_t w[2];
        flag_half(grey + 64 * i, squares + 64 * i, half, shift, &s[0], &w[0]);
        flag_half(grey + 64 * i + 32, squares + 64 * i + 32, half, shift, &s[1], &w[1]);
        seen[i] = s[0] | (uint64_t)s[1] << 32;
        white[i] = w[0] | (uint64_t)w[1] << 32;
    }
}

const cpu_bitmaps_loops cpu_bitmaps_avx2 = {
    .add = add,
    .sum = sum,
    .flag = flag,
    .compare = compare,
};
