/* Loops of the alignment of exposures for AVX2 (which brings POPCNT). */
#include "exposure_rows.h"

#include <immintrin.h>

typedef struct half_word {
    uint32_t above, black, white;
} half_word;

static inline void add_column(uint8_t *counts, __m256i mask) {
    __m256i *at = (__m256i *)counts;
    _mm256_storeu_si256(at, _mm256_sub_epi8(_mm256_loadu_si256(at), mask));
}

/* 32 pixels from x on. Unsigned comparison by the greater: max(v, t) == v is v >= t. */
static inline half_word part_row(const cpu_exposure_row *row, int x) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(row->grey + x));
    __m256i field = _mm256_loadu_si256((const __m256i *)(row->field + x));
    __m256i level = _mm256_set1_epi8((char)row->level), white_from = _mm256_set1_epi8((char)row->white_from);
    __m256i black_end = _mm256_set1_epi8((char)row->black_end);
    __m256i above = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, level), level), field);
    __m256i white = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, white_from), white_from), field);
    __m256i black = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, black_end), v), field);
    add_column(row->black + x, black);
    add_column(row->white + x, white);
    half_word h = {(uint32_t)_mm256_movemask_epi8(above), (uint32_t)_mm256_movemask_epi8(black),
                   (uint32_t)_mm256_movemask_epi8(white)};
    return h;
}

void exposure_row_avx2(const cpu_exposure_row *row, int counts[2]) {
    counts[0] = counts[1] = 0;
    for (int i = 0; i < row->words; i++) {
        half_word low = part_row(row, 64 * i), high = part_row(row, 64 * i + 32);
        uint64_t black = low.black | (uint64_t)high.black << 32, white = low.white | (uint64_t)high.white << 32;
        row->above[i] = low.above | (uint64_t)high.above << 32;
        row->used[i] = black | white;
        counts[0] += __builtin_popcountll(black);
        counts[1] += __builtin_popcountll(white);
    }
}

int32_t exposure_dot_avx2(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }
int64_t exposure_differ_avx2(const cpu_exposure_overlap *o) { return exposure_differ(o); }
endo_exposure_overlap exposure_masked_avx2(const cpu_exposure_overlap *o) { return exposure_masked(o); }
