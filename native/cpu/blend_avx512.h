/* Blending colour with AVX-512: what its files share. */
#ifndef ENDO_CPU_BLEND_AVX512_H
#define ENDO_CPU_BLEND_AVX512_H

#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* Bytes of four pixels by channel. */
static inline __m512i by_channel(__m512i pixels) {
    const __m512i gather = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    return _mm512_shuffle_epi8(pixels, gather);
}

/* Factors, in 32 bits, of pixels whose brightest channels are so bright (endo_blend_white, endo_blend_shade). */
static inline __m512i factors_near_white(__m512i factor, __m512i brightest) {
    __m512i near = _mm512_subs_epu16(brightest, _mm512_set1_epi32(ENDO_BLEND_WHITISH));
    __m512i white = _mm512_min_epu16(_mm512_slli_epi32(near, 2), _mm512_set1_epi32(511));
    __m512i less = _mm512_mulhi_epu16(factor, _mm512_slli_epi32(white, 7));
    return _mm512_add_epi32(_mm512_sub_epi32(factor, less), _mm512_slli_epi32(white, 3));
}

/* The brightest of the first three of four channels in 32 bits, for each of them; of the fourth it is anything. */
static inline __m512i brightest_of(__m512i value) {
    __m512i others = _mm512_max_epu16(_mm512_shuffle_epi32(value, _MM_PERM_DACB), _mm512_shuffle_epi32(value, _MM_PERM_DBAC));
    return _mm512_max_epu16(value, others);
}

static inline __m512i gains_of(const uint32_t gain[3]) {
    return _mm512_broadcast_i32x4(_mm_setr_epi32((int)gain[0] * 4, (int)gain[1] * 4, (int)gain[2] * 4, 0));
}

/* A constant that stays in a register: to make it anew costs as much as to use it. */
static inline __m512i kept(__m512i constant) {
    __asm__("" : "+v"(constant));
    return constant;
}

/* endo_position8 of sixteen pixels, those that `lane` names. Exact: the lower 24 bits are apart, and what they carry is added. */
static inline __m512i positions_of(int64_t first, int64_t step, __m512i lane) {
    int64_t rounded = first + (1 << 23);
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step & 0xffffff))));
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step >> 24))));
    return _mm512_add_epi32(high, _mm512_srli_epi32(low, 24));
}

static inline __m512i in_order(void) {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* ------------------------------------------------------------------ sixteen pixels from i on */

/* Whether the frame may be sampled at all pixels of four cells, at none, or at some: ENDO_BLEND_ALL, _NONE or _SOME. */
static inline int inside_of(const cpu_blend_run *r, int i) {
    uint32_t four;
    memcpy(&four, r->inside + i / SIDE, sizeof four);
    return four == 0 ? ENDO_BLEND_NONE : four == ENDO_BLEND_ALL * 0x01010101u ? ENDO_BLEND_ALL : ENDO_BLEND_SOME;
}

/* The pixels among sixteen at which the frame may be sampled; the coverage of each grows by 1. */
static inline __mmask16 cover(const cpu_blend_run *r, int i, __mmask16 active, __m512i index, int inside) {
    __mmask16 seen = active;
    if (inside != ENDO_BLEND_ALL) {
        __m512i found = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, index, r->bicubic, 1);
        seen = _mm512_test_epi32_mask(found, _mm512_set1_epi32(255));
    }
    __m256i before = _mm256_maskz_loadu_epi16(seen, r->coverage + i);
    _mm256_mask_storeu_epi16(r->coverage + i, seen, _mm256_adds_epu16(before, _mm256_set1_epi16(1)));
    return seen;
}

/* Counts the coverage of up to sixteen pixels from i on, and returns those that are painted; *weights: 0 for the others. */
static inline __mmask16 begin_pixels(const cpu_blend_run *r, int i, __m256i *weights) {
    __mmask16 active = r->n - i < 16 ? (__mmask16)((1u << (r->n - i)) - 1) : 0xffff;
    if (i < r->lead) active &= (__mmask16)(0xffffu << (r->lead - i));
    int inside = inside_of(r, i);
    if (inside == ENDO_BLEND_NONE) return 0;
    __m256i all = _mm256_maskz_loadu_epi16(active, r->weights + i);
    __mmask16 heavy = _mm256_test_epi16_mask(all, all);
    __m512i index = _mm512_setzero_si512();
    if (inside != ENDO_BLEND_ALL) {
        __m512i x = positions_of(r->px + i * r->step_x, r->step_x, in_order());
        __m512i y = positions_of(r->py + i * r->step_y, r->step_y, in_order());
        __m512i rows = _mm512_mullo_epi32(_mm512_srai_epi32(y, 8), _mm512_set1_epi32((int)r->stride));
        index = _mm512_add_epi32(rows, _mm512_srai_epi32(x, 8));
    }
    heavy &= cover(r, i, active, index, inside);
    *weights = _mm256_maskz_mov_epi16(heavy, all);
    return heavy;
}

/* Defined in blend_cells_avx512.c and blend_pixels_avx512.c. */
void cpu_blend_visit_cells_avx512(const cpu_cell_run *run);
/* Adds samples of the frame, wherever they lie, to those of sixteen pixels that are painted, by their weights. */
void cpu_blend_add_pixels_avx512(const cpu_blend_run *run, int i, __mmask16 painted, __m256i weights);

#endif
