/* Blending of colour with AVX-512: four blocks at a time, weights of sixteen pixels. Grey is plain C. */
#include "blend_avx512.h"
#include "blend_finish_rows.h"

#include "base/simd.h"

/* ------------------------------------------------------------------- blocks */

/* endo_blend_shade of four times four channels in 32 bits; factors and gains times 4. */
static inline __m512i shade(__m512i value, __m512i factor4, __m512i gain4) {
    __m512i factor = factors_near_white(_mm512_mulhi_epu16(factor4, gain4), brightest_of(value));
    __m512i shaded = _mm512_mulhi_epu16(_mm512_slli_epi32(value, 4), factor);
    return _mm512_min_epu16(shaded, _mm512_set1_epi32(ENDO_BLEND_MOST));
}

/* Sums of the channels of four blocks in 32 bits; clipped: four bits for each block, any of them set. */
static inline __m512i four_blocks(const uint32_t *p, ptrdiff_t stride, uint64_t *clipped) {
    const __m512i ones = _mm512_set1_epi8(1), saturated = _mm512_set1_epi8((char)ENDO_BLEND_CLIPPED);
    const __m512i bright = _mm512_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_RGB)), opaque = _mm512_set1_epi32((int)0xff000000);
    const __m512i grey = _mm512_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_GREY)), two_channels = _mm512_set1_epi32(0xffff);
    __m512i sums = _mm512_setzero_si512();
    uint64_t one = 0;
    __mmask16 all = 0;
    for (int y = 0; y < SIDE; y++, p += stride) {
        _mm_prefetch((const char *)(p + SIDE * stride), _MM_HINT_T0); /* the next row of blocks */
        __m512i row = _mm512_loadu_si512(p), colours = _mm512_andnot_si512(opaque, row);
        __m512i alike = _mm512_or_si512(row, opaque);
        one |= _mm512_cmpge_epu8_mask(colours, saturated);
        __mmask16 coloured = _mm512_test_epi32_mask(_mm512_xor_si512(row, _mm512_srli_epi32(row, 8)), two_channels);
        all |= _mm512_mask_cmpeq_epi32_mask(coloured, _mm512_max_epu8(alike, bright), alike) |
               _mm512_cmpeq_epi32_mask(_mm512_max_epu8(alike, grey), alike);
        sums = _mm512_add_epi16(sums, _mm512_maddubs_epi16(by_channel(colours), ones));
    }
    for (int k = 0; k < 4; k++)
        if (all >> 4 * k & 15) one |= (uint64_t)1 << 16 * k;
    *clipped = one;
    return _mm512_madd_epi16(sums, _mm512_set1_epi16(1));
}

static void sum_row_rgb(const cpu_block_row *r, endo_blend_block *blocks, uint8_t *clipped) {
    int i = 0;
    for (; i + 4 <= r->n; i += 4) {
        uint64_t any;
        __m512i sums = four_blocks((const uint32_t *)r->pixels + SIDE * i, r->stride, &any);
        _mm256_storeu_si256((__m256i *)(blocks + i), _mm512_cvtepi32_epi16(sums));
        for (int k = 0; k < 4; k++) clipped[i + k] = (any >> 16 * k & 0xffff) != 0;
    }
    for (; i < r->n; i++) sum_rgb(r, i, &blocks[i], &clipped[i]);
}

static void sum_row_avx512(const cpu_block_row *row, endo_pixel type, endo_blend_block *sums, uint8_t *clipped) {
    if (type == ENDO_RGB32) sum_row_rgb(row, sums, clipped);
    else cpu_blend_c.sum_row(row, type, sums, clipped);
}

/* Numbers of four blocks, in 32 bits. */
static inline __m512i four_of(const uint16_t *numbers) {
    return _mm512_zextsi128_si512(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)numbers)));
}

static void shade_row_avx512(const cpu_shade_row *r, endo_blend_block *blocks) {
    const __m512i four = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    __m512i gain = gains_of(r->gain);
    uint16_t scores[SCORED];
    for (int from = 0; from < r->n; from += SCORED) {
        int to = r->n - from < SCORED ? r->n : from + SCORED, i = from;
        score_blocks(r, from, to - from, scores);
        for (; i + 4 <= to; i += 4) {
            __m512i sums = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(r->sums + i)));
            __m512i factors = _mm512_permutexvar_epi32(four, four_of(r->factors + i));
            __m512i shaded = shade(sums, _mm512_slli_epi32(factors, 2), gain);
            shaded = _mm512_mask_permutexvar_epi32(shaded, 0x8888, four, four_of(scores + (i - from)));
            _mm256_storeu_si256((__m256i *)(blocks + i), _mm512_cvtepi32_epi16(shaded));
        }
        for (; i < to; i++) shade_values(r, i, &blocks[i]), blocks[i].score = scores[i - from];
    }
}

/* ------------------------------------------------------------------- pixels */

/* Weights of pixels from four cells at a time, each as 8 centre - share (centre - side). */
static void spread_avx512(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    const __m512i centre_at = _mm512_setr_epi32(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4);
    const __m512i side_at = _mm512_setr_epi32(0, 0, 2, 2, 1, 1, 3, 3, 2, 2, 4, 4, 3, 3, 5, 5);
    const __m512i share = _mm512_broadcast_i32x4(_mm_setr_epi32(3, 1, 1, 3));
    const __m128i by_near = _mm_set1_epi16((short)down), by_far = _mm_set1_epi16((short)(8 - down));
    for (int i = 0; i < n; i += 4) {
        int left = n - i < 4 ? n - i : 4;
        __mmask8 read = (__mmask8)((1u << (left + 2)) - 1);
        __m128i a = _mm_maskz_loadu_epi16(read, near + i - 1), b = _mm_maskz_loadu_epi16(read, far + i - 1);
        __m128i sum = _mm_add_epi16(_mm_mullo_epi16(a, by_near), _mm_mullo_epi16(b, by_far)); /* 8 * 4095 at most */
        __m512i between = _mm512_zextsi256_si512(_mm256_cvtepu16_epi32(sum));
        __m512i centre = _mm512_permutexvar_epi32(centre_at, between), side = _mm512_permutexvar_epi32(side_at, between);
        __m512i towards_side = _mm512_mullo_epi32(share, _mm512_sub_epi32(centre, side));
        __m512i total = _mm512_sub_epi32(_mm512_slli_epi32(centre, 3), towards_side);
        total = _mm512_srli_epi32(_mm512_add_epi32(total, _mm512_set1_epi32(32)), 6);
        _mm256_mask_storeu_epi16(weights + SIDE * i, (__mmask16)((1u << SIDE * left) - 1), _mm512_cvtepi32_epi16(total));
    }
}

static void add_run_avx512(const cpu_blend_run *run, endo_pixel type) {
    if (type != ENDO_RGB32) cpu_blend_c.add_run(run, type);
    else if (simd_here() & SIMD_VBMI) cpu_blend_add_near_avx512(run);
    else cpu_blend_add_rgb_avx512(run);
}

const cpu_blend_loops cpu_blend_avx512 = {
    .sum_row = sum_row_avx512,
    .shade_row = shade_row_avx512,
    .visit_cells = cpu_blend_visit_cells_avx512,
    .spread = spread_avx512,
    .add_run = add_run_avx512,
    BLEND_FINISH_LOOPS,
};
