/* Blending of colour with AVX2: two blocks at a time, weights of sixteen pixels. Grey is plain C. */
#include "blend_avx2.h"
#include "blend_finish_rows.h"

/* ------------------------------------------------------------------- blocks */

/* All bits of the pixels whose channels are alike. */
static inline __m256i is_grey(__m256i rgb) {
    __m256i differs = _mm256_slli_epi32(_mm256_xor_si256(rgb, _mm256_srli_epi32(rgb, 8)), 16);
    return _mm256_cmpeq_epi32(differs, _mm256_setzero_si256());
}

/* Sums of the channels of two blocks in 32 bits: blue, green, red, alpha of each. */
static inline __m256i two_blocks(const uint32_t *p, ptrdiff_t stride, __m256i *clipped) {
    const __m256i ones = _mm256_set1_epi8(1), saturated = _mm256_set1_epi32(ALL_CHANNELS(ENDO_BLEND_CLIPPED) & 0xffffff);
    const __m256i bright = _mm256_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_RGB));
    const __m256i grey = _mm256_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_GREY));
    const __m256i gather = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i sums = _mm256_setzero_si256(), any = sums;
    for (int y = 0; y < SIDE; y++, p += stride) {
        __m256i row = _mm256_loadu_si256((const __m256i *)p), colours = _mm256_and_si256(row, _mm256_set1_epi32(0xffffff));
        __m256i alike = _mm256_or_si256(row, _mm256_set1_epi32((int)0xff000000));
        /* A byte that is not below its limit: of one channel, or of all; of grey pixels the limit is another. */
        __m256i one = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(colours, saturated), colours),
                                       _mm256_set1_epi32(0xffffff));
        __m256i coloured = _mm256_andnot_si256(is_grey(row), _mm256_cmpeq_epi32(_mm256_max_epu8(alike, bright), alike));
        __m256i all = _mm256_or_si256(coloured, _mm256_cmpeq_epi32(_mm256_max_epu8(alike, grey), alike));
        any = _mm256_or_si256(any, _mm256_or_si256(one, all));
        sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(_mm256_shuffle_epi8(colours, gather), ones));
    }
    *clipped = any;
    return _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
}

/* In 32 bits, for the first pixel and the second. */
static inline __m256i pair_of(int first, int second) {
    return _mm256_setr_m128i(_mm_set1_epi32(first), _mm_set1_epi32(second));
}

static void sum_row_rgb(const cpu_block_row *r, endo_blend_block *blocks, uint8_t *clipped) {
    int i = 0;
    for (; i + 2 <= r->n; i += 2) {
        __m256i any, sums = two_blocks((const uint32_t *)r->pixels + SIDE * i, r->stride, &any);
        sums = _mm256_packus_epi32(sums, sums);
        _mm_storel_epi64((__m128i *)&blocks[i], _mm256_castsi256_si128(sums));
        _mm_storel_epi64((__m128i *)&blocks[i + 1], _mm256_extracti128_si256(sums, 1));
        clipped[i] = !_mm_testz_si128(_mm256_castsi256_si128(any), _mm256_castsi256_si128(any));
        clipped[i + 1] = !_mm_testz_si128(_mm256_extracti128_si256(any, 1), _mm256_extracti128_si256(any, 1));
    }
    for (; i < r->n; i++) sum_rgb(r, i, &blocks[i], &clipped[i]);
}

static void sum_row_avx2(const cpu_block_row *row, endo_pixel type, endo_blend_block *sums, uint8_t *clipped) {
    if (type == ENDO_RGB32) sum_row_rgb(row, sums, clipped);
    else cpu_blend_c.sum_row(row, type, sums, clipped);
}

/* Two blocks from i on, with their scores. */
static inline __m128i shade_two(const cpu_shade_row *r, int i, __m256i gain, const uint16_t *scores) {
    __m256i sums = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(r->sums + i)));
    __m256i shaded = shade(sums, pair_of(r->factors[i] * 4, r->factors[i + 1] * 4), gain);
    shaded = _mm256_blend_epi32(shaded, pair_of(scores[0], scores[1]), 0x88);
    return _mm_packus_epi32(_mm256_castsi256_si128(shaded), _mm256_extracti128_si256(shaded, 1));
}

static void shade_row_avx2(const cpu_shade_row *r, endo_blend_block *blocks) {
    __m256i gain = gains_of(r->gain);
    uint16_t scores[SCORED];
    for (int from = 0; from < r->n; from += SCORED) {
        int to = r->n - from < SCORED ? r->n : from + SCORED, i = from;
        score_blocks(r, from, to - from, scores);
        for (; i + 2 <= to; i += 2)
            _mm_storeu_si128((__m128i *)&blocks[i], shade_two(r, i, gain, scores + (i - from)));
        for (; i < to; i++) shade_values(r, i, &blocks[i]), blocks[i].score = scores[i - from];
    }
}

/* ------------------------------------------------------------------- pixels */

/* Weights of pixels from four cells at a time; eight cells are read from the one before them on. */
static void spread_avx2(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    const __m256i centre_at = _mm256_setr_epi8(2, 3, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7,
                                                8, 9, 8, 9, 8, 9, 8, 9);
    const __m256i side_at = _mm256_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 2, 3, 2, 3, 6, 7, 6, 7, 4, 5, 4, 5, 8, 9, 8, 9, 6, 7, 6, 7,
                                             10, 11, 10, 11);
    const __m256i shares = _mm256_setr_epi16(5, 3, 7, 1, 7, 1, 5, 3, 5, 3, 7, 1, 7, 1, 5, 3), half = _mm256_set1_epi32(32);
    const __m128i by_near = _mm_set1_epi16((short)down), by_far = _mm_set1_epi16((short)(8 - down));
    int i = 0;
    for (; i + 6 <= n; i += 4) {
        __m128i a = _mm_loadu_si128((const __m128i *)(near + i - 1)), b = _mm_loadu_si128((const __m128i *)(far + i - 1));
        __m128i sum = _mm_add_epi16(_mm_mullo_epi16(a, by_near), _mm_mullo_epi16(b, by_far)); /* 8 * 4095 at most */
        __m256i both = _mm256_broadcastsi128_si256(sum);
        __m256i centre = _mm256_shuffle_epi8(both, centre_at), side = _mm256_shuffle_epi8(both, side_at);
        __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(centre, side), shares);
        __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(centre, side), shares);
        low = _mm256_srli_epi32(_mm256_add_epi32(low, half), 6), high = _mm256_srli_epi32(_mm256_add_epi32(high, half), 6);
        _mm256_storeu_si256((__m256i *)(weights + SIDE * i), _mm256_packus_epi32(low, high));
    }
    cpu_blend_c.spread(near + i, far + i, down, n - i, weights + SIDE * i);
}

static void add_run_avx2(const cpu_blend_run *run, endo_pixel type) {
    if (type == ENDO_RGB32) cpu_blend_add_rgb_avx2(run);
    else cpu_blend_c.add_run(run, type);
}

const cpu_blend_loops cpu_blend_avx2 = {
    .sum_row = sum_row_avx2,
    .shade_row = shade_row_avx2,
    .visit_cells = cpu_blend_visit_cells_avx2,
    .spread = spread_avx2,
    .add_run = add_run_avx2,
    BLEND_FINISH_LOOPS,
};
