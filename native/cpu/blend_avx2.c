/* Blending of colour with AVX2. Two pixels at a time: of each, four rows of four neighbours are weighted along the rows in
 * 16 bits (64 * 255 fits), down the columns in 32. Grey is plain C. */
#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* ------------------------------------------------------------------- blocks */

/* Sums of the channels of two blocks in 32 bits: blue, green, red, alpha of each. */
static inline __m256i two_blocks(const uint32_t *p, ptrdiff_t stride, __m256i *clipped) {
    const __m256i ones = _mm256_set1_epi8(1), saturated = _mm256_set1_epi32(0x00fafafa);
    const __m256i bright = _mm256_set1_epi32((int)0xffcdcdcd);
    const __m256i gather = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i sums = _mm256_setzero_si256(), any = sums;
    for (int y = 0; y < SIDE; y++, p += stride) {
        __m256i row = _mm256_loadu_si256((const __m256i *)p), colours = _mm256_and_si256(row, _mm256_set1_epi32(0xffffff));
        __m256i alike = _mm256_or_si256(row, _mm256_set1_epi32((int)0xff000000));
        /* A byte that is not below its limit: of one channel, or of all. */
        __m256i one = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(colours, saturated), colours),
                                       _mm256_set1_epi32(0xffffff));
        __m256i all = _mm256_cmpeq_epi32(_mm256_max_epu8(alike, bright), alike);
        any = _mm256_or_si256(any, _mm256_or_si256(one, all));
        sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(_mm256_shuffle_epi8(colours, gather), ones));
    }
    *clipped = any;
    return _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
}

/* endo_blend_shade of two times four channels in 32 bits; factors and gains above 4. */
static inline __m256i shade(__m256i value, __m256i factor4, __m256i gain4) {
    __m256i factor = _mm256_mulhi_epu16(factor4, gain4);
    __m256i shaded = _mm256_mulhi_epu16(_mm256_slli_epi32(value, 4), factor);
    return _mm256_min_epu16(shaded, _mm256_set1_epi32(ENDO_BLEND_MOST));
}

static inline __m256i gains_of(const uint32_t gain[3]) {
    return _mm256_broadcastsi128_si256(_mm_setr_epi32((int)gain[0] * 4, (int)gain[1] * 4, (int)gain[2] * 4, 0));
}

/* In 32 bits, for the first pixel and the second. */
static inline __m256i pair_of(int first, int second) {
    return _mm256_setr_m128i(_mm_set1_epi32(first), _mm_set1_epi32(second));
}

static void block_row_rgb(const cpu_block_row *r, endo_blend_block *blocks, uint8_t *clipped) {
    __m256i gain = gains_of(r->gain);
    int i = 0;
    for (; i + 2 <= r->n; i += 2) {
        __m256i any, sums = two_blocks((const uint32_t *)r->pixels + SIDE * i, r->stride, &any);
        __m256i shaded = shade(sums, pair_of(r->factors[i] * 4, r->factors[i + 1] * 4), gain);
        shaded = _mm256_packus_epi32(shaded, shaded);
        _mm_storel_epi64((__m128i *)&blocks[i], _mm256_castsi256_si128(shaded));
        _mm_storel_epi64((__m128i *)&blocks[i + 1], _mm256_extracti128_si256(shaded, 1));
        clipped[i] = !_mm_testz_si128(_mm256_castsi256_si128(any), _mm256_castsi256_si128(any));
        clipped[i + 1] = !_mm_testz_si128(_mm256_extracti128_si256(any, 1), _mm256_extracti128_si256(any, 1));
    }
    for (; i < r->n; i++) block_rgb(r, i, &blocks[i], &clipped[i]);
}

static void block_row_avx2(const cpu_block_row *row, endo_pixel type, endo_blend_block *blocks, uint8_t *clipped) {
    if (type == ENDO_RGB32) block_row_rgb(row, blocks, clipped);
    else cpu_blend_c.block_row(row, type, blocks, clipped);
}

/* ------------------------------------------------------------------- pixels */

static inline __m256i two_rows(const uint32_t *p, ptrdiff_t stride) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
                                   _mm_loadu_si128((const __m128i *)(p + stride)), 1);
}

/* Four weights of a byte each. */
static inline __m256i taps_at(const int8_t taps[4]) {
    int four;
    memcpy(&four, taps, sizeof four);
    return _mm256_set1_epi32(four);
}

/* The four channels of a place, from the 16 pixels around it, times 4096. */
static inline __m128i sixteen_pixels(const uint32_t *p, ptrdiff_t stride, __m256i across, __m256i down) {
    const __m256i gather = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    /* A weight in the upper byte, for the sign. */
    const __m256i upper = _mm256_setr_epi8(-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 1, -1, 1, -1, 1, -1, 1, -1,
                                           1, -1, 1, -1, 1, -1, 1);
    const __m256i lower = _mm256_setr_epi8(-1, 2, -1, 2, -1, 2, -1, 2, -1, 2, -1, 2, -1, 2, -1, 2, -1, 3, -1, 3, -1, 3, -1, 3, -1,
                                           3, -1, 3, -1, 3, -1, 3);
    __m256i top = _mm256_shuffle_epi8(two_rows(p, stride), gather);
    __m256i bottom = _mm256_shuffle_epi8(two_rows(p + 2 * stride, stride), gather);
    top = _mm256_madd_epi16(_mm256_maddubs_epi16(top, across), _mm256_srai_epi16(_mm256_shuffle_epi8(down, upper), 8));
    bottom = _mm256_madd_epi16(_mm256_maddubs_epi16(bottom, across), _mm256_srai_epi16(_mm256_shuffle_epi8(down, lower), 8));
    __m256i sum = _mm256_add_epi32(top, bottom);
    return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

/* Adds two pixels' values, weighted, to their sums; a weight of 0 adds nothing. */
static inline void add_two(uint32_t *sums, __m256i values, int first, int second) {
    __m256i before = _mm256_loadu_si256((const __m256i *)sums), weights = pair_of(first, second);
    __m256i with_one = _mm256_blend_epi32(values, _mm256_set1_epi32(1), 0x88);
    __m256i after = _mm256_add_epi32(before, _mm256_madd_epi16(with_one, weights));
    __m256i full = _mm256_cmpgt_epi32(_mm256_shuffle_epi32(after, 0xff), _mm256_set1_epi32(ENDO_BLEND_ROOM));
    _mm256_storeu_si256((__m256i *)sums, _mm256_blendv_epi8(after, before, full));
}

static inline __m256i two_values(const cpu_blend_run *r, const blend_place places[2], __m256i gain) {
    __m128i value[2];
    for (int k = 0; k < 2; k++)
        value[k] = sixteen_pixels((const uint32_t *)r->pixels + places[k].index - r->stride - 1, r->stride,
                                  taps_at(places[k].across), taps_at(places[k].down));
    __m256i values = _mm256_add_epi32(_mm256_setr_m128i(value[0], value[1]), _mm256_set1_epi32(128));
    values = _mm256_min_epi32(_mm256_max_epi32(_mm256_srai_epi32(values, 8), _mm256_setzero_si256()), _mm256_set1_epi32(4080));
    return shade(values, pair_of(r->factors[places[0].index] * 4, r->factors[places[1].index] * 4), gain);
}

/* A cell's pixels where the frame may not be sampled, or that it covers without a weight. */
static inline int only_covered(const cpu_blend_run *r, int i) {
    uint64_t weights;
    if (i + SIDE > r->n) return 0;
    if (r->inside[i / SIDE] == ENDO_BLEND_NONE) return 1;
    memcpy(&weights, r->weights + i, sizeof weights);
    if (weights || r->inside[i / SIDE] != ENDO_BLEND_ALL) return 0;
    __m128i before = _mm_loadl_epi64((const __m128i *)(r->coverage + i));
    _mm_storel_epi64((__m128i *)(r->coverage + i), _mm_adds_epu16(before, _mm_set1_epi16(1)));
    return 1;
}

static inline void add_two_pixels(const cpu_blend_run *r, int i, __m256i gain) {
    int64_t x = r->px + i * r->step_x, y = r->py + i * r->step_y;
    blend_place places[2];
    int first = blend_place_of(r, i, x, y, &places[0]);
    int second = blend_place_of(r, i + 1, x + r->step_x, y + r->step_y, &places[1]);
    if (!first && !second) return;
    if (!first) places[0] = places[1];
    if (!second) places[1] = places[0];
    add_two((uint32_t *)r->sums + 4 * (size_t)i, two_values(r, places, gain), first ? r->weights[i] : 0,
            second ? r->weights[i + 1] : 0);
}

static void add_run_rgb(const cpu_blend_run *r) {
    __m256i gain = gains_of(r->gain);
    int i = (r->lead + SIDE - 1) / SIDE * SIDE;
    if (i > r->n) i = r->n;
    add_rgb_pixels(r, r->lead, i);
    for (; i + 2 <= r->n; i += 2) {
        if (i % SIDE == 0 && only_covered(r, i)) i += 2;
        else add_two_pixels(r, i, gain);
    }
    add_rgb_pixels(r, i, r->n);
}

static void add_run_avx2(const cpu_blend_run *run, endo_pixel type) {
    if (type == ENDO_RGB32) add_run_rgb(run);
    else cpu_blend_c.add_run(run, type);
}

static void visit_cells_avx2(const cpu_cell_run *run) { cpu_blend_c.visit_cells(run); }

static void spread_avx2(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    cpu_blend_c.spread(near, far, down, n, weights);
}

const cpu_blend_loops cpu_blend_avx2 = {
    .block_row = block_row_avx2,
    .visit_cells = visit_cells_avx2,
    .spread = spread_avx2,
    .add_run = add_run_avx2,
};
