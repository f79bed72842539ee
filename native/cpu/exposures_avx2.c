/* Loops of the alignment of exposures for AVX2 (which brings POPCNT). */
#include "exposure_rows.h"

#include <immintrin.h>

/* 32 columns: what their pixels are compared with, and how many were black and white so far. */
typedef struct columns {
    __m256i level, black_end, white_from;
    __m256i black, white;
} columns;

typedef struct half_word {
    uint32_t above, used;
} half_word;

/* Unsigned comparison by the greater: max(v, t) == v is v >= t. */
static inline half_word take_half(columns *c, const uint8_t *grey, const uint8_t *field) {
    __m256i v = _mm256_loadu_si256((const __m256i *)grey), inside = _mm256_loadu_si256((const __m256i *)field);
    __m256i above = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, c->level), c->level), inside);
    __m256i white = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, c->white_from), c->white_from), inside);
    __m256i black = _mm256_andnot_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, c->black_end), v), inside);
    c->black = _mm256_sub_epi8(c->black, black);
    c->white = _mm256_sub_epi8(c->white, white);
    half_word h = {(uint32_t)_mm256_movemask_epi8(above), (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(black, white))};
    return h;
}

static inline columns begin_columns(const cpu_exposure_rows *r, int x) {
    columns c = {_mm256_set1_epi8((char)r->level), _mm256_set1_epi8((char)r->black_end),
                 _mm256_set1_epi8((char)r->white_from), _mm256_loadu_si256((const __m256i *)(r->black + x)),
                 _mm256_loadu_si256((const __m256i *)(r->white + x))};
    return c;
}

static inline void end_columns(const cpu_exposure_rows *r, int x, const columns *c) {
    _mm256_storeu_si256((__m256i *)(r->black + x), c->black);
    _mm256_storeu_si256((__m256i *)(r->white + x), c->white);
}

static void exposure_rows_avx2(const cpu_exposure_rows *r) {
    for (int i = 0; i < r->words; i++) {
        int x = 64 * i;
        columns left = begin_columns(r, x), right = begin_columns(r, x + 32);
        for (int y = 0; y < r->rows; y++) {
            const uint8_t *grey = r->grey + y * r->stride + x, *field = r->field + y * r->field_stride + x;
            __builtin_prefetch(grey + r->rows * r->stride); /* the next rows: read in columns, they come too late */
            half_word low = take_half(&left, grey, field), high = take_half(&right, grey + 32, field + 32);
            r->above[y * r->pitch + i] = low.above | (uint64_t)high.above << 32;
            r->used[y * r->pitch + i] = low.used | (uint64_t)high.used << 32;
        }
        end_columns(r, x, &left);
        end_columns(r, x + 32, &right);
    }
}

static void exposure_count_avx2(const uint64_t *above, const uint64_t *used, int words, int counts[2]) {
    exposure_count(above, used, words, counts);
}

static int32_t exposure_not_above_avx2(const uint8_t *grey, const uint8_t *field, int level, int n) {
    return exposure_not_above(grey, field, level, n);
}

static int32_t exposure_dot_avx2(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }
static int64_t exposure_differ_avx2(const cpu_exposure_overlap *o) { return exposure_differ(o); }
static endo_exposure_overlap exposure_masked_avx2(const cpu_exposure_overlap *o) { return exposure_masked(o); }

const cpu_exposures_loops cpu_exposures_avx2 = {
    .rows = exposure_rows_avx2,
    .count = exposure_count_avx2,
    .not_above = exposure_not_above_avx2,
    .dot = exposure_dot_avx2,
    .differ = exposure_differ_avx2,
    .masked = exposure_masked_avx2,
};
