/* Frames of colours without the distortion of their lens with AVX-512: two rows of pixels at once. Of grey values the loops of
 * AVX2 are faster: 16 products fill their vectors. */
#include "lens_rows.h"

#include <immintrin.h>

/* Four pixels each of two rows; see pairs_of() in lens_avx2.c. */
static inline __m512i pairs_of(const uint32_t *one, const uint32_t *other) {
    const __m128i first = _mm_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1);
    const __m128i second = _mm_setr_epi8(8, -1, 12, -1, 9, -1, 13, -1, 10, -1, 14, -1, 11, -1, 15, -1);
    const __m512i order = _mm512_broadcast_i64x4(_mm256_set_m128i(second, first));
    __m512i rows = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)one));
    rows = _mm512_mask_broadcast_i32x4(rows, 0xff00, _mm_loadu_si128((const __m128i *)other));
    return _mm512_shuffle_epi8(rows, order);
}

/* For each colour four numbers. */
static inline __m512i products(const cpu_lens_row *r, int x) {
    const __m512i upper = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512i lower = _mm512_setr_epi32(4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
    const uint32_t *rows[4];
    for (int j = 0; j < 4; j++) rows[j] = (const uint32_t *)r->rows[j] + r->first[x];
    __m512i weights = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(r->weights + r->weight[x])));
    __m512i sum = _mm512_dpwssd_epi32(_mm512_setzero_si512(), pairs_of(rows[0], rows[1]),
                                      _mm512_permutexvar_epi32(upper, weights));
    return _mm512_dpwssd_epi32(sum, pairs_of(rows[2], rows[3]), _mm512_permutexvar_epi32(lower, weights));
}

/* The two halves of either, added: of `one` below, of `other` above. */
static inline __m512i halves(__m512i one, __m512i other) {
    return _mm512_add_epi32(_mm512_shuffle_i64x2(one, other, 0x44), _mm512_shuffle_i64x2(one, other, 0xee));
}

static void rgb_avx512(const cpu_lens_row *row, uint32_t *out) {
    const cpu_lens_row r = *row; /* of the loop's own: what it stores cannot change that */
    const __m128i alpha = _mm_set1_epi32((int32_t)ENDO_LENS_BLACK_RGB);
    const __m512i half = _mm512_set1_epi32(1 << (ENDO_LENS_WEIGHT_BITS - 1));
    if (r.n < 4) {
        lens_rgb(row, out);
        return;
    }
    for (int next = 0; next < r.n; next += 4) {
        int x = next <= r.n - 4 ? next : r.n - 4;
        __m512i first = halves(products(&r, x), products(&r, x + 1));
        __m512i second = halves(products(&r, x + 2), products(&r, x + 3));
        __m512i sums = _mm512_add_epi32(_mm512_shuffle_i64x2(first, second, 0x88), _mm512_shuffle_i64x2(first, second, 0xdd));
        __m512i values = _mm512_srai_epi32(_mm512_add_epi32(sums, half), ENDO_LENS_WEIGHT_BITS);
        __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(values, _mm512_setzero_si512()));
        _mm_storeu_si128((__m128i *)(out + x), _mm_or_si128(bytes, alpha));
    }
}

const cpu_lens_loops cpu_lens_avx512 = {
    .grey8 = cpu_lens_grey8_avx2,
    .grey16 = cpu_lens_grey16_avx2,
    .rgb = rgb_avx512,
};
