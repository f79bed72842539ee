/* Loops of the alignment of exposures for AVX-512. */
#include "exposure_rows.h"

#include <immintrin.h>

void exposure_rows_avx512(const cpu_exposure_rows *r) {
    const __m512i level = _mm512_set1_epi8((char)r->level), white_from = _mm512_set1_epi8((char)r->white_from);
    const __m512i black_end = _mm512_set1_epi8((char)r->black_end), one = _mm512_set1_epi8(1);
    const ptrdiff_t stride = r->stride, field_stride = r->field_stride, pitch = r->pitch;
    const int rows = r->rows;
    for (int i = 0; i < r->words; i++) {
        const uint8_t *grey = r->grey + 64 * i, *field = r->field + 64 * i;
        uint64_t *above = r->above + i, *used = r->used + i;
        __m512i blacks = _mm512_loadu_si512(r->black + 64 * i), whites = _mm512_loadu_si512(r->white + 64 * i);
        for (int y = 0; y < rows; y++, grey += stride, field += field_stride, above += pitch, used += pitch) {
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

void exposure_count_avx512(const uint64_t *above, const uint64_t *used, int words, int counts[2]) {
    exposure_count(above, used, words, counts);
}

int32_t exposure_not_above_avx512(const uint8_t *grey, const uint8_t *field, int level, int n) {
    return exposure_not_above(grey, field, level, n);
}

int32_t exposure_dot_avx512(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }

/* Bits set in each byte: a table of 16 for either half. */
static inline __m512i count_bits(__m512i v) {
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, half)),
                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), half)));
}

/* 64-bit sums of bytes that count up to eight bits a row: good for 31 rows. */
typedef struct counter {
    __m512i bytes, sum;
} counter;

#define COUNTER_ROWS 31

static inline void flush(counter *c) {
    c->sum = _mm512_add_epi64(c->sum, _mm512_sad_epu8(c->bytes, _mm512_setzero_si512()));
    c->bytes = _mm512_setzero_si512();
}

static inline __m512i shifted(const uint64_t *row, __mmask8 lanes, __m128i down, __m128i up) {
    /* A shift by 64 leaves nothing. */
    return _mm512_or_si512(_mm512_srl_epi64(_mm512_maskz_loadu_epi64(lanes, row), down),
                           _mm512_sll_epi64(_mm512_maskz_loadu_epi64(lanes, row + 1), up));
}

/* Eight words a step, rows in the inner loop: a mask of one row for all is read once. */
static inline endo_exposure_overlap overlap(const cpu_exposure_overlap *o, int masked) {
    const __m128i down = _mm_cvtsi32_si128(o->bits), up = _mm_cvtsi32_si128(64 - o->bits);
    const ptrdiff_t pitch = o->pitch;
    const int rows = o->rows;
    counter differ = {_mm512_setzero_si512(), _mm512_setzero_si512()}, total = differ;
    for (int i = 0; i < o->words; i += 8) {
        __mmask8 lanes = o->words - i >= 8 ? 0xff : (__mmask8)((1 << (o->words - i)) - 1);
        __m512i mask = _mm512_maskz_loadu_epi64(lanes, o->current_mask + i);
        for (int y = 0, flushed = COUNTER_ROWS; y < rows; y++) {
            ptrdiff_t at = y * pitch + i;
            if (masked) {
                mask = _mm512_and_si512(shifted(o->reference_mask + at, lanes, down, up),
                                        _mm512_maskz_loadu_epi64(lanes, o->current_mask + at));
                total.bytes = _mm512_add_epi8(total.bytes, count_bits(mask));
            }
            __m512i other = _mm512_xor_si512(shifted(o->reference + at, lanes, down, up),
                                             _mm512_maskz_loadu_epi64(lanes, o->current + at));
            differ.bytes = _mm512_add_epi8(differ.bytes, count_bits(_mm512_and_si512(other, mask)));
            if (y + 1 < flushed) continue;
            flush(&differ), flush(&total);
            flushed += COUNTER_ROWS;
        }
        flush(&differ), flush(&total);
    }
    endo_exposure_overlap sum = {_mm512_reduce_add_epi64(total.sum), _mm512_reduce_add_epi64(differ.sum)};
    return sum;
}

int64_t exposure_differ_avx512(const cpu_exposure_overlap *o) { return overlap(o, 0).differ; }
endo_exposure_overlap exposure_masked_avx512(const cpu_exposure_overlap *o) { return overlap(o, 1); }
