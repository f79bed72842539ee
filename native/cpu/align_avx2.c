/* The alignment's inner loops with AVX2: the sums of products, sixteen pixels at a time. */
#include "align_rows.h"

#include <immintrin.h>

ALWAYS_INLINE __m256i load(const int16_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

/* The sum of all lanes, which needs 64 bits. */
ALWAYS_INLINE int64_t sum_of(__m256i lanes) {
    __m256i wide = _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes)),
                                    _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1)));
    __m128i two = _mm_add_epi64(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

/* The products of number i with itself and with those behind it; i is a constant wherever this is inlined. */
ALWAYS_INLINE void add_products_of(const align_list *list, int i, endo_align_sums *s) {
    __m256i sum = _mm256_setzero_si256(), products[ENDO_ALIGN_NUMBERS];
    for (int k = i; k < ENDO_ALIGN_NUMBERS; k++) products[k] = _mm256_setzero_si256();
    for (int at = 0; at < list->n; at += 16) {
        __m256i own = load(list->numbers[i] + at);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(own, _mm256_set1_epi16(1)));
        for (int k = i; k < ENDO_ALIGN_NUMBERS; k++)
            products[k] = _mm256_add_epi32(products[k], _mm256_madd_epi16(own, load(list->numbers[k] + at)));
    }
    s->sum[i] += sum_of(sum);
    for (int k = i; k < ENDO_ALIGN_NUMBERS; k++) s->product[endo_align_index(i, k)] += sum_of(products[k]);
}

static void add_products(const align_list *list, endo_align_sums *s) {
    add_products_of(list, 0, s);
    add_products_of(list, 1, s);
    add_products_of(list, 2, s);
    add_products_of(list, 3, s);
    add_products_of(list, 4, s);
    add_products_of(list, 5, s);
}

static void add_rows(const cpu_align_rows *rows, endo_align_sums *sums) { add_listed(rows, add_products, sums); }

const cpu_align_loops cpu_align_avx2 = {.add_rows = add_rows};
