/* The loops of adaptive equalization in AVX2. */
#define AHE_LANE_BYTES 32
#include "ahe_rows.h"

#include <immintrin.h>

/* How far members are from counting: 0 if they do. Left of the first column, the difference wraps to beyond any window. */
typedef struct member_test {
    __m256i left, last, most;
} member_test;

static inline __m256i beyond(const member_test *t, const uint16_t *columns, const uint16_t *levels) {
    __m256i column = _mm256_sub_epi16(_mm256_loadu_si256((const __m256i *)columns), t->left);
    __m256i level = _mm256_loadu_si256((const __m256i *)levels);
    return _mm256_or_si256(_mm256_subs_epu16(column, t->last), _mm256_subs_epu16(level, t->most));
}

/* Sixteen at a time; a lane's count, in 16 bits, is taken out before it can be full. */
static uint32_t count_members(const uint16_t *columns, const uint16_t *levels, int n, int first, int window, int level) {
    member_test t = {_mm256_set1_epi16((short)first), _mm256_set1_epi16((short)(window - 1)),
                     _mm256_set1_epi16((short)level)};
    __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1), sums = zero;
    uint32_t count = 0;
    int i = 0;
    while (n - i >= 16) {
        int end = n - i > 16 * 32767 ? i + 16 * 32767 : n;
        __m256i counts = zero;
        for (; end - i >= 16; i += 16)
            counts = _mm256_sub_epi16(counts, _mm256_cmpeq_epi16(beyond(&t, columns + i, levels + i), zero));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(counts, ones));
    }
    if (i < n) {
        __m256i counted = _mm256_cmpeq_epi16(beyond(&t, columns + i, levels + i), zero);
        uint32_t lanes = (uint32_t)_mm256_movemask_epi8(counted) & ((1u << 2 * (n - i)) - 1);
        count += (uint32_t)_mm_popcnt_u32(lanes) / 2;
    }
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return count + (uint32_t)_mm_cvtsi128_si32(half);
}

const cpu_ahe_loops cpu_ahe_avx2 = {
    .largest_compared = 17,
    .largest_compared16 = 17,
    .count_members = count_members,
    AHE_LOOPS,
};
