/* Window sums with AVX-512 VNNI. The window is unsigned, the second factor must be signed: with t' = t - 128
 * the sum of w*t is that of w*t' plus 128 times that of w, and likewise for w*w. Exact in 32 bits: the sum
 * over all lanes is at most 255*255 pixels of 255*128.
 *
 * A template is cut into strips of up to 64 columns, one after the other in cpu_template.packed. A register
 * holds one row of a strip, two rows up to 32 columns, four up to 16. Loads are whole and may run beyond the
 * strip: factors that are 0 there keep the surplus out of every sum. */
#include "ncc_rows.h"

#include <immintrin.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct accumulators {
    __m512i xy, yy, minus_y;
} accumulators;

ALWAYS_INLINE accumulators no_sums(void) {
    accumulators a = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    return a;
}

static inline int rows_a_register(int columns) { return columns <= 16 ? 4 : columns <= 32 ? 2 : 1; }

/* 64 bytes of 255, then 64 of 0: a mask of the first k bytes of n starts at n - k before the middle. */
static const uint8_t keep[128] __attribute__((aligned(64))) = {
#define EIGHT 255, 255, 255, 255, 255, 255, 255, 255
    EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT};

/* 255 where a byte of a register belongs to a strip of so many columns. */
ALWAYS_INLINE __m512i used_bytes(int columns, int per) {
    const uint8_t *first = keep + 64 - (columns < 64 ? columns : 64);
    if (per == 4) return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)first));
    if (per == 2) return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)first));
    return _mm512_loadu_si512(first);
}

/* pixels - 128, as signed bytes, where used; else 0. */
ALWAYS_INLINE __m512i centred(__m512i pixels, __m512i used) {
    return _mm512_ternarylogic_epi64(pixels, _mm512_set1_epi8((char)0x80), used, 0x28); /* (a ^ b) & c */
}

/* The next rows, `per` a register; zeros for those that are missing: they may lie beyond the image. */
ALWAYS_INLINE __m512i load_rows(const uint8_t *p, ptrdiff_t stride, int rows, int per) {
    if (per == 1) return _mm512_loadu_si512(p);
    if (per == 2) {
        __m256i first = _mm256_loadu_si256((const __m256i *)p);
        if (rows < 2) return _mm512_zextsi256_si512(first);
        return _mm512_inserti64x4(_mm512_zextsi256_si512(first), _mm256_loadu_si256((const __m256i *)(p + stride)), 1);
    }
    __m128i first = _mm_loadu_si128((const __m128i *)p);
    __m512i four = _mm512_zextsi128_si512(first);
    if (rows > 1) four = _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *)(p + stride)), 1);
    if (rows > 2) four = _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *)(p + 2 * stride)), 2);
    if (rows > 3) four = _mm512_inserti32x4(four, _mm_loadu_si128((const __m128i *)(p + 3 * stride)), 3);
    return four;
}

ALWAYS_INLINE void add(accumulators *a, __m512i window, __m512i packed, __m512i used) {
    a->xy = _mm512_dpbusd_epi32(a->xy, window, packed);
    a->yy = _mm512_dpbusd_epi32(a->yy, window, centred(window, used));
    a->minus_y = _mm512_dpbusd_epi32(a->minus_y, window, used); /* 255 is -1 as a signed byte */
}

/* A strip. The rows go to as many sets of sums in turn as it takes to hide the latency of the dot product.
 * per and sets are constants wherever this is inlined. */
ALWAYS_INLINE accumulators strip_sums(const __m512i *packed, const uint8_t *p, ptrdiff_t stride, int rows,
                                      __m512i used, int per, int sets) {
    accumulators a[4] = {no_sums(), no_sums(), no_sums(), no_sums()};
    for (; sets > 1 && rows >= sets * per; rows -= sets * per, packed += sets)
        for (int k = 0; k < sets; k++, p += per * stride) add(&a[k], load_rows(p, stride, per, per), packed[k], used);
    for (; rows > 0; rows -= per, p += per * stride) add(&a[0], load_rows(p, stride, rows, per), *packed++, used);
    for (int k = 1; k < sets; k++) {
        a[0].xy = _mm512_add_epi32(a[0].xy, a[k].xy);
        a[0].yy = _mm512_add_epi32(a[0].yy, a[k].yy);
        a[0].minus_y = _mm512_add_epi32(a[0].minus_y, a[k].minus_y);
    }
    return a[0];
}

/* The sums over the lanes of all three at once: the four numbers of a quarter become one of each. */
ALWAYS_INLINE void store_sums(const accumulators *a, cpu_window_sums *out) {
    __m512i two = _mm512_add_epi32(_mm512_unpacklo_epi32(a->xy, a->yy), _mm512_unpackhi_epi32(a->xy, a->yy));
    __m512i one = _mm512_add_epi32(a->minus_y, _mm512_srli_epi64(a->minus_y, 32));
    __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(two, one), _mm512_unpackhi_epi64(two, one));
    __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    int64_t y = -(int64_t)_mm_extract_epi32(sums, 2);
    out->y = y;
    out->yy = _mm_extract_epi32(sums, 1) + 128 * y;
    out->xy = _mm_cvtsi128_si32(sums) + 128 * y;
}

/* One strip that is the whole template. */
ALWAYS_INLINE void one_strip(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, int side, int per,
                             int sets, cpu_window_sums *out) {
    accumulators a = strip_sums(t->packed, window, stride, side, used_bytes(side, per), per, sets);
    store_sums(&a, out);
}

/* Whole strips of 64 columns and a rest. */
static void wide(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out) {
    const __m512i *packed = t->packed;
    accumulators total = no_sums();
    for (int u = 0; u < t->side; u += 64, packed += t->side) {
        int columns = t->side - u, per = rows_a_register(columns);
        __m512i used = used_bytes(columns, per);
        accumulators a = per == 1   ? strip_sums(packed, window + u, stride, t->side, used, 1, 4)
                         : per == 2 ? strip_sums(packed, window + u, stride, t->side, used, 2, 2)
                                    : strip_sums(packed, window + u, stride, t->side, used, 4, 2);
        total.xy = _mm512_add_epi32(total.xy, a.xy);
        total.yy = _mm512_add_epi32(total.yy, a.yy);
        total.minus_y = _mm512_add_epi32(total.minus_y, a.minus_y);
    }
    store_sums(&total, out);
}

/* Small windows are mostly overhead: each width has a function of its own, which sets up nothing else, and
 * each side below 16 its own code without a loop. */
static __attribute__((noinline)) void medium(const cpu_template *t, const uint8_t *window, ptrdiff_t stride,
                                             cpu_window_sums *out) {
    one_strip(t, window, stride, t->side, 2, 2, out);
}

static __attribute__((noinline)) void full(const cpu_template *t, const uint8_t *window, ptrdiff_t stride,
                                           cpu_window_sums *out) {
    one_strip(t, window, stride, t->side, 1, 4, out);
}

static void ncc_window_avx512(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out) {
    switch (t->side) {
    case 3: one_strip(t, window, stride, 3, 4, 1, out); return;
    case 5: one_strip(t, window, stride, 5, 4, 1, out); return;
    case 7: one_strip(t, window, stride, 7, 4, 1, out); return;
    case 9: one_strip(t, window, stride, 9, 4, 1, out); return;
    case 11: one_strip(t, window, stride, 11, 4, 1, out); return;
    case 13: one_strip(t, window, stride, 13, 4, 1, out); return;
    case 15: one_strip(t, window, stride, 15, 4, 1, out); return;
    }
    if (t->side <= 32)
        medium(t, window, stride, out);
    else if (t->side <= 64)
        full(t, window, stride, out);
    else
        wide(t, window, stride, out);
}

static void ncc_prepare_avx512(cpu_template *t) {
    __m512i *packed = t->packed;
    for (int u = 0; u < t->side; u += 64) {
        int columns = t->side - u, per = rows_a_register(columns);
        __m512i used = used_bytes(columns, per);
        for (int v = 0; v < t->side; v += per)
            *packed++ = centred(load_rows(t->pixels + v * t->stride + u, t->stride, t->side - v, per), used);
    }
    cpu_window_sums template_sums; /* of the template as its own window */
    ncc_window_avx512(t, t->pixels, t->stride, &template_sums);
    t->sum = template_sums.y;
    t->sum_of_squares = template_sums.yy;
}

/* Sums of masked pixels, still apart by lanes: of numbers 64 bits, of products 32 without a sign. */
typedef struct masked_sums {
    __m512i x, y, xx, yy, xy;
    int64_t n;
} masked_sums;

/* Products of 32 pixels of each, 16-bit numbers. */
static inline void masked_products(__m512i x, __m512i y, masked_sums *s) {
    s->xx = _mm512_dpwssd_epi32(s->xx, x, x);
    s->yy = _mm512_dpwssd_epi32(s->yy, y, y);
    s->xy = _mm512_dpwssd_epi32(s->xy, x, y);
}

static inline void masked_row(const cpu_masked_window *w, int v, masked_sums *s) {
    const __m512i zero = _mm512_setzero_si512();
    ptrdiff_t row = v * w->stride;
    for (int u = 0; u < w->width; u += 64) {
        __mmask64 there = w->width - u < 64 ? (1ull << (w->width - u)) - 1 : ~0ull;
        __m512i left_out = _mm512_or_si512(_mm512_maskz_loadu_epi8(there, w->x_mask + row + u),
                                           _mm512_maskz_loadu_epi8(there, w->y_mask + row + u));
        __mmask64 use = _mm512_mask_testn_epi8_mask(there, left_out, left_out);
        __m512i x = _mm512_maskz_loadu_epi8(use, w->x + row + u), y = _mm512_maskz_loadu_epi8(use, w->y + row + u);
        s->n += __builtin_popcountll(use);
        s->x = _mm512_add_epi64(s->x, _mm512_sad_epu8(x, zero));
        s->y = _mm512_add_epi64(s->y, _mm512_sad_epu8(y, zero));
        masked_products(_mm512_unpacklo_epi8(x, zero), _mm512_unpacklo_epi8(y, zero), s);
        masked_products(_mm512_unpackhi_epi8(x, zero), _mm512_unpackhi_epi8(y, zero), s);
    }
}

/* Lanes of 32 bits without a sign. */
static inline int64_t wide_total(__m512i v) {
    __m512i even = _mm512_and_si512(v, _mm512_set1_epi64(0xffffffff)), odd = _mm512_srli_epi64(v, 32);
    return _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd));
}

static void ncc_masked_avx512(const cpu_masked_window *w, endo_sums *out) {
    const __m512i zero = _mm512_setzero_si512();
    /* 64 pixels add at most 4 * 255^2 to a lane. */
    int together = 16000 / (w->width / 64 + 1);
    for (int v = 0; v < w->height;) {
        masked_sums s = {zero, zero, zero, zero, zero, 0};
        int end = w->height - v < together ? w->height : v + together;
        for (; v < end; v++) masked_row(w, v, &s);
        out->n += s.n, out->x += _mm512_reduce_add_epi64(s.x), out->y += _mm512_reduce_add_epi64(s.y);
        out->xx += wide_total(s.xx), out->yy += wide_total(s.yy), out->xy += wide_total(s.xy);
    }
}

const cpu_ncc_loops cpu_ncc_avx512 = {
    .prepare = ncc_prepare_avx512,
    .window = ncc_window_avx512,
    .masked = ncc_masked_avx512,
};
