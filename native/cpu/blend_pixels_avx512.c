/* Cubic samples of colour with AVX-512, wherever they lie: sixteen pixels at a time. Of a pixel, a lane of four neighbours is
 * weighted along the row in 16 bits (64 * 255 fits), down the column in 32. */
#include "blend_avx512.h"

/* Rows that are fetched before they are needed. */
enum { AHEAD = 5 };

/* Constants of a run, kept in registers. */
typedef struct common {
    const uint32_t *pixels; /* above and left of what belongs to the frame's first */
    ptrdiff_t stride;
    __m512i gain, round, most, brightest, one, room, down[4], lanes[4];
} common;

static inline common common_of(const cpu_blend_run *r) {
    const __m512i quarter = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    common c = {.pixels = (const uint32_t *)r->pixels - r->stride - 1,
                .stride = r->stride,
                .gain = gains_of(r->gain),
                .round = kept(_mm512_set1_epi32(1 << 15)),
                .most = kept(_mm512_set1_epi32(4080)),
                .brightest = kept(_mm512_set1_epi32(ENDO_BLEND_MOST)),
                .one = kept(_mm512_set1_epi32(1)),
                .room = kept(_mm512_set1_epi32(ENDO_BLEND_MOST_WEIGHT))};
    for (int k = 0; k < 4; k++) {
        c.down[k] = kept(_mm512_set1_epi16((short)(0x0080 + 0x0100 * k))); /* a byte in the upper half, for the sign */
        c.lanes[k] = kept(_mm512_add_epi32(quarter, _mm512_set1_epi32(4 * k)));
    }
    return c;
}

/* Sixteen pixels that are painted. */
typedef struct lanes16 {
    int32_t index[16];
    __m512i across, down, factors4, weights; /* 32 bits for each pixel; weight 0: nothing is added */
    __mmask16 painted;
} lanes16;

/* Four neighbours of each of four pixels. */
static inline __m512i row_of(const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *d) {
    __m512i row = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)a));
    row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)b), 1);
    row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)c), 2);
    return _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)d), 3);
}

/* Four pixels' channels, in 1/16 of a level. Weights down the columns times 256: what is left of a byte. */
static inline __m512i four_values(const common *k, const lanes16 *s, int q) {
    const uint32_t *a = k->pixels + s->index[4 * q], *b = k->pixels + s->index[4 * q + 1];
    const uint32_t *c = k->pixels + s->index[4 * q + 2], *d = k->pixels + s->index[4 * q + 3];
    __m512i across = _mm512_permutexvar_epi32(k->lanes[q], s->across), down = _mm512_permutexvar_epi32(k->lanes[q], s->down);
    __m512i sum = k->round;
    for (int v = 0; v < 4; v++) {
        ptrdiff_t row = v * k->stride;
        __m512i along = _mm512_maddubs_epi16(by_channel(row_of(a + row, b + row, c + row, d + row)), across);
        sum = _mm512_dpwssd_epi32(sum, along, _mm512_shuffle_epi8(down, k->down[v]));
    }
    return _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32(sum, 16), _mm512_setzero_si512()), k->most);
}

/* Four pixels are added to their sums, those whose sums are not full. */
static inline void add_four(const common *k, const lanes16 *s, int q, uint32_t *sums) {
    __m512i weights = _mm512_permutexvar_epi32(k->lanes[q], s->weights), before = _mm512_loadu_si512(sums);
    __m512i total = _mm512_shuffle_epi32(_mm512_add_epi32(before, weights), _MM_PERM_DDDD);
    __mmask16 takes = _mm512_mask_cmple_epu32_mask(_mm512_test_epi32_mask(weights, weights), total, k->room);
    if (!takes) return;
    __m512i factors = _mm512_mulhi_epu16(_mm512_permutexvar_epi32(k->lanes[q], s->factors4), k->gain);
    __m512i values = four_values(k, s, q);
    values = _mm512_mulhi_epu16(_mm512_slli_epi32(values, 4), factors_near_white(factors, brightest_of(values)));
    values = _mm512_mask_mov_epi32(_mm512_min_epu16(values, k->brightest), 0x8888, k->one);
    _mm512_mask_storeu_epi32(sums, takes, _mm512_add_epi32(before, _mm512_madd_epi16(values, weights)));
}

static inline void paint(const cpu_blend_run *r, const common *k, int i, lanes16 *s) {
    __m512i x = positions_of(r->px + i * r->step_x, r->step_x, in_order());
    __m512i y = positions_of(r->py + i * r->step_y, r->step_y, in_order());
    __m512i rows = _mm512_mullo_epi32(_mm512_srai_epi32(y, 8), _mm512_set1_epi32((int)k->stride));
    __m512i index = _mm512_add_epi32(rows, _mm512_srai_epi32(x, 8));
    const __m512i fraction = _mm512_set1_epi32(255), zero = _mm512_setzero_si512();
    s->across = _mm512_mask_i32gather_epi32(zero, s->painted, _mm512_and_si512(x, fraction), r->taps, 4);
    s->down = _mm512_mask_i32gather_epi32(zero, s->painted, _mm512_and_si512(y, fraction), r->taps, 4);
    __m512i factors = _mm512_mask_i32gather_epi32(zero, s->painted, index, r->factors, 2);
    s->factors4 = _mm512_slli_epi32(_mm512_and_si512(factors, _mm512_set1_epi32(0xffff)), 2);
    /* The others are sampled where one of these is. */
    __m512i some = _mm512_maskz_compress_epi32(s->painted, index);
    some = _mm512_broadcastd_epi32(_mm512_castsi512_si128(some));
    _mm512_storeu_si512(s->index, _mm512_mask_mov_epi32(some, s->painted, index));
    /* Fetches ahead what the next row of the panorama will sample. */
    _mm_prefetch((const char *)(k->pixels + s->index[8] + AHEAD * k->stride), _MM_HINT_T0);
    uint32_t *sums = (uint32_t *)r->sums + 4 * (size_t)i;
    if (s->painted & 0x000f) add_four(k, s, 0, sums);
    if (s->painted & 0x00f0) add_four(k, s, 1, sums + 16);
    if (s->painted & 0x0f00) add_four(k, s, 2, sums + 32);
    if (s->painted & 0xf000) add_four(k, s, 3, sums + 48);
}

static inline void add_pixels(const cpu_blend_run *r, const common *k, int i, __mmask16 painted, __m256i weights) {
    lanes16 s = {.painted = painted, .weights = _mm512_cvtepu16_epi32(weights)};
    paint(r, k, i, &s);
}

void cpu_blend_add_pixels_avx512(const cpu_blend_run *r, int i, __mmask16 painted, __m256i weights) {
    common k = common_of(r);
    add_pixels(r, &k, i, painted, weights);
}

void cpu_blend_add_rgb_avx512(const cpu_blend_run *r) {
    common k = common_of(r);
    for (int i = 0; i < r->n; i += 16) {
        __m256i weights;
        __mmask16 painted = begin_pixels(r, i, &weights);
        if (painted) add_pixels(r, &k, i, painted, weights);
    }
}
