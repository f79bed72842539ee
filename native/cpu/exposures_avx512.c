/* Loops of the alignment of exposures for AVX-512. */
#include "exposure_rows.h"

#include <immintrin.h>

static inline void add_column(uint8_t *counts, __mmask64 mask) {
    __m512i old = _mm512_loadu_si512(counts);
    _mm512_storeu_si512(counts, _mm512_mask_add_epi8(old, mask, old, _mm512_set1_epi8(1)));
}

void exposure_row_avx512(const cpu_exposure_row *row, int counts[2]) {
    __m512i level = _mm512_set1_epi8((char)row->level), white_from = _mm512_set1_epi8((char)row->white_from);
    __m512i black_end = _mm512_set1_epi8((char)row->black_end);
    counts[0] = counts[1] = 0;
    for (int i = 0; i < row->words; i++) {
        __m512i v = _mm512_loadu_si512(row->grey + 64 * i), bytes = _mm512_loadu_si512(row->field + 64 * i);
        __mmask64 field = _mm512_test_epi8_mask(bytes, bytes);
        __mmask64 black = _mm512_mask_cmplt_epu8_mask(field, v, black_end);
        __mmask64 white = _mm512_mask_cmpgt_epu8_mask(field, v, white_from);
        row->above[i] = _mm512_mask_cmpgt_epu8_mask(field, v, level);
        row->used[i] = black | white;
        add_column(row->black + 64 * i, black);
        add_column(row->white + 64 * i, white);
        counts[0] += __builtin_popcountll(black);
        counts[1] += __builtin_popcountll(white);
    }
}

int32_t exposure_dot_avx512(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }

/* Bits set in each byte: a table of 16 for either half. */
static inline __m512i count_bits(__m512i v) {
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, half)),
                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), half)));
}

/* Eight words a step, rows in the inner loop: the mask stays, and counts of 31 rows fit a byte. */
int64_t exposure_differ_avx512(const cpu_exposure_overlap *o) {
    const __m128i down = _mm_cvtsi32_si128(o->bits), up = _mm_cvtsi32_si128(63 - o->bits);
    const __m512i zero = _mm512_setzero_si512();
    __m512i sum = zero;
    for (int i = 0; i < o->words; i += 8) {
        __mmask8 lanes = o->words - i >= 8 ? 0xff : (__mmask8)((1 << (o->words - i)) - 1);
        __m512i mask = _mm512_maskz_loadu_epi64(lanes, o->current_mask + i), bytes = zero;
        for (int y = 0; y < o->rows; y++) {
            const uint64_t *r = o->reference + y * o->pitch + i, *c = o->current + y * o->pitch + i;
            __m512i low = _mm512_srl_epi64(_mm512_maskz_loadu_epi64(lanes, r), down);
            __m512i high = _mm512_slli_epi64(_mm512_maskz_loadu_epi64(lanes, r + 1), 1);
            __m512i word = _mm512_or_si512(low, _mm512_sll_epi64(high, up));
            __m512i differ = _mm512_and_si512(_mm512_xor_si512(word, _mm512_maskz_loadu_epi64(lanes, c)), mask);
            bytes = _mm512_add_epi8(bytes, count_bits(differ));
            if (y % 31 != 30) continue;
            sum = _mm512_add_epi64(sum, _mm512_sad_epu8(bytes, zero));
            bytes = zero;
        }
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(bytes, zero));
    }
    return _mm512_reduce_add_epi64(sum);
}

endo_exposure_overlap exposure_masked_avx512(const cpu_exposure_overlap *o) { return exposure_masked(o); }
