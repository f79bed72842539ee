/* Loops of the alignment of exposures for AVX-512. */
#include "exposure_rows.h"

#include <immintrin.h>

static void exposure_rows_avx512(const cpu_exposure_rows *r) {
    const __m512i level = _mm512_set1_epi8((char)r->level), white_from = _mm512_set1_epi8((char)r->white_from);
    const __m512i black_end = _mm512_set1_epi8((char)r->black_end), one = _mm512_set1_epi8(1);
    const ptrdiff_t stride = r->stride, field_stride = r->field_stride, pitch = r->pitch;
    const int rows = r->rows;
    const ptrdiff_t ahead = rows * stride; /* the next rows: read in columns, they come too late by themselves */
    for (int i = 0; i < r->words; i++) {
        const uint8_t *grey = r->grey + 64 * i, *field = r->field + 64 * i;
        uint64_t *above = r->above + i, *used = r->used + i;
        __m512i blacks = _mm512_loadu_si512(r->black + 64 * i), whites = _mm512_loadu_si512(r->white + 64 * i);
        for (int y = 0; y < rows; y++, grey += stride, field += field_stride, above += pitch, used += pitch) {
            __builtin_prefetch(grey + ahead);
            __m512i v = _mm512_loadu_si512(grey);
            __mmask64 inside = _mm512_movepi8_mask(_mm512_loadu_si512(field));
            __mmask64 black = _mm512_mask_cmplt_epu8_mask(inside, v, black_end);
            __mmask64 white = _mm512_mask_cmpgt_epu8_mask(inside, v, white_from);
            *above = _mm512_mask_cmpgt_epu8_mask(inside, v, level);
            *used = black | white;
            blacks = _mm512_mask_add_epi8(blacks, black, blacks, one);
            whites = _mm512_mask_add_epi8(whites, white, whites, one);
        }
        _mm512_storeu_si512(r->black + 64 * i, blacks);
        _mm512_storeu_si512(r->white + 64 * i, whites);
    }
}

static void exposure_count_avx512(const uint64_t *above, const uint64_t *used, int words, int counts[2]) {
    exposure_count(above, used, words, counts);
}

static int32_t exposure_not_above_avx512(const uint8_t *grey, const uint8_t *field, int level, int n) {
    return exposure_not_above(grey, field, level, n);
}

static int32_t exposure_dot_avx512(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }

/* Bits set in each byte: a table of 16 for either half. */
static inline __m512i count_bits(__m512i v) {
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, half)),
                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), half)));
}

/* Bits of many words: ones and twos as they are, carries of four in bytes, good for 31 of them, then in 64 bits. */
typedef struct counter {
    __m512i ones, twos, bytes, fours;
} counter;

#define CARRIES 31

static inline __m512i parity(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
static inline __m512i carry(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }

static inline void add_four(counter *c, const __m512i v[4]) {
    __m512i first = carry(c->ones, v[0], v[1]), ones = parity(c->ones, v[0], v[1]), second = carry(ones, v[2], v[3]);
    c->ones = parity(ones, v[2], v[3]);
    c->bytes = _mm512_add_epi8(c->bytes, count_bits(carry(c->twos, first, second)));
    c->twos = parity(c->twos, first, second);
}

static inline void flush(counter *c) {
    c->fours = _mm512_add_epi64(c->fours, _mm512_sad_epu8(c->bytes, _mm512_setzero_si512()));
    c->bytes = _mm512_setzero_si512();
}

static inline int64_t bits_of(__m512i v) {
    return _mm512_reduce_add_epi64(_mm512_sad_epu8(count_bits(v), _mm512_setzero_si512()));
}

static inline int64_t total_of(const counter *c) {
    return 4 * _mm512_reduce_add_epi64(c->fours) + 2 * bits_of(c->twos) + bits_of(c->ones);
}

static inline __m512i shifted(const uint64_t *row, __mmask8 lanes, __m128i down, __m128i up) {
    /* A shift by 64 leaves nothing. */
    return _mm512_or_si512(_mm512_srl_epi64(_mm512_maskz_loadu_epi64(lanes, row), down),
                           _mm512_sll_epi64(_mm512_maskz_loadu_epi64(lanes, row + 1), up));
}

/* Eight words a step, rows in the inner loop: a mask of one row for all is read once. */
static inline endo_exposure_overlap overlap(const cpu_exposure_overlap *o, int masked) {
    const __m128i down = _mm_cvtsi32_si128(o->bits), up = _mm_cvtsi32_si128(64 - o->bits);
    const __m512i zero = _mm512_setzero_si512();
    const ptrdiff_t pitch = o->pitch;
    const int rows = o->rows;
    counter differ = {zero, zero, zero, zero}, total = differ;
    for (int i = 0; i < o->words; i += 8) {
        __mmask8 all = o->words - i >= 8 ? 0xff : (__mmask8)((1 << (o->words - i)) - 1);
        __m512i mask = _mm512_maskz_loadu_epi64(all, o->current_mask + i);
        for (int y = 0, carries = 0; y < rows; y += 4) {
            __m512i masks[4], others[4];
            for (int k = 0; k < 4; k++) {
                __mmask8 lanes = y + k < rows ? all : 0; /* nothing is read beyond the last row */
                ptrdiff_t at = (y + k) * pitch + i;
                masks[k] = mask;
                if (masked)
                    masks[k] = _mm512_and_si512(shifted(o->reference_mask + at, lanes, down, up),
                                                _mm512_maskz_loadu_epi64(lanes, o->current_mask + at));
                others[k] = _mm512_xor_si512(shifted(o->reference + at, lanes, down, up),
                                             _mm512_maskz_loadu_epi64(lanes, o->current + at));
                others[k] = _mm512_and_si512(others[k], masks[k]);
            }
            add_four(&differ, others);
            if (masked) add_four(&total, masks);
            if (++carries % CARRIES == 0) flush(&differ), flush(&total);
        }
        flush(&differ), flush(&total);
    }
    endo_exposure_overlap sum = {total_of(&total), total_of(&differ)};
    return sum;
}

static int64_t exposure_differ_avx512(const cpu_exposure_overlap *o) { return overlap(o, 0).differ; }
static endo_exposure_overlap exposure_masked_avx512(const cpu_exposure_overlap *o) { return overlap(o, 1); }

const cpu_exposures_loops cpu_exposures_avx512 = {
    .rows = exposure_rows_avx512,
    .count = exposure_count_avx512,
    .not_above = exposure_not_above_avx512,
    .dot = exposure_dot_avx512,
    .differ = exposure_differ_avx512,
    .masked = exposure_masked_avx512,
};
