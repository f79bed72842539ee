/* The loops of adaptive equalization in AVX-512. */
#define AHE_LANE_BYTES 64
#include "ahe_rows.h"

#include <immintrin.h>

/* Left of the first column, the difference wraps to beyond any window. */
static uint32_t count_members(const uint16_t *columns, const uint16_t *levels, int n, int first, int window, int level) {
    __m512i left = _mm512_set1_epi16((short)first), wide = _mm512_set1_epi16((short)window);
    __m512i most = _mm512_set1_epi16((short)level);
    uint32_t count = 0;
    for (int i = 0; i < n; i += 32) {
        __mmask32 valid = n - i < 32 ? (1u << (n - i)) - 1 : ~0u;
        __m512i column = _mm512_sub_epi16(_mm512_loadu_si512(columns + i), left);
        __mmask32 low = _mm512_mask_cmple_epu16_mask(valid, _mm512_loadu_si512(levels + i), most);
        count += (uint32_t)_mm_popcnt_u32(_mm512_mask_cmplt_epu16_mask(low, column, wide));
    }
    return count;
}

const cpu_ahe_loops cpu_ahe_avx512 = {
    .largest_compared = 21,
    .largest_compared16 = 21,
    .count_members = count_members,
    AHE_LOOPS,
};
