/* Window sums with AVX2: 8-bit pixels widened to 16 bits and multiplied in pairs. Exact in 32 bits: a lane
 * takes 4 products of at most 255*255 a step, and side 255 has 2,040 steps.
 *
 * A step covers 32 pixels: two rows up to side 16, else 32 pixels of one row. */
#include "ncc_rows.h"

#include <immintrin.h>

/* keep[32 - k ..]: k bytes of 255, then 32 of 0. */
static const uint8_t keep[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

static inline __m256i first_bytes(int k) { return _mm256_loadu_si256((const __m256i *)(keep + 32 - k)); }

static inline __m256i two_rows(const uint8_t *p, ptrdiff_t stride, int rows, __m128i mask) {
    __m128i a = _mm_and_si128(_mm_loadu_si128((const __m128i *)p), mask);
    __m128i b = rows > 1 ? _mm_and_si128(_mm_loadu_si128((const __m128i *)(p + stride)), mask) : _mm_setzero_si128();
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

typedef struct accumulators {
    __m256i xy, yy, y;
} accumulators;

static inline void add(accumulators *a, __m256i window, const __m256i packed[2]) {
    __m256i zero = _mm256_setzero_si256();
    __m256i low = _mm256_unpacklo_epi8(window, zero), high = _mm256_unpackhi_epi8(window, zero);
    a->y = _mm256_add_epi64(a->y, _mm256_sad_epu8(window, zero));
    a->xy = _mm256_add_epi32(a->xy, _mm256_add_epi32(_mm256_madd_epi16(low, packed[0]),
                                                     _mm256_madd_epi16(high, packed[1])));
    a->yy = _mm256_add_epi32(a->yy, _mm256_add_epi32(_mm256_madd_epi16(low, low), _mm256_madd_epi16(high, high)));
}

static inline void pack(__m256i pixels, __m256i packed[2]) {
    __m256i zero = _mm256_setzero_si256();
    packed[0] = _mm256_unpacklo_epi8(pixels, zero);
    packed[1] = _mm256_unpackhi_epi8(pixels, zero);
}

static inline __m256i load_row(const uint8_t *p, int left, __m256i tail) {
    __m256i v = _mm256_loadu_si256((const __m256i *)p);
    return left >= 32 ? v : _mm256_and_si256(v, tail);
}

static int64_t sum32(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

static int64_t sum64(__m256i v) {
    __m128i s = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return _mm_cvtsi128_si64(s) + _mm_extract_epi64(s, 1);
}

static void ncc_window_avx2(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out) {
    const __m256i *packed = t->packed;
    __m256i zero = _mm256_setzero_si256();
    accumulators a = {zero, zero, zero};
    int side = t->side;
    if (side <= 16) {
        __m128i mask = _mm256_castsi256_si128(first_bytes(side));
        for (int v = 0; v < side; v += 2, packed += 2)
            add(&a, two_rows(window + v * stride, stride, side - v, mask), packed);
    } else {
        __m256i tail = first_bytes(side & 31);
        for (int v = 0; v < side; v++)
            for (int u = 0; u < side; u += 32, packed += 2)
                add(&a, load_row(window + v * stride + u, side - u, tail), packed);
    }
    out->y = sum64(a.y);
    out->yy = sum32(a.yy);
    out->xy = sum32(a.xy);
}

static void pack_template(const cpu_template *t) {
    __m256i *packed = t->packed;
    int side = t->side;
    if (side <= 16) {
        __m128i mask = _mm256_castsi256_si128(first_bytes(side));
        for (int v = 0; v < side; v += 2, packed += 2)
            pack(two_rows(t->pixels + v * t->stride, t->stride, side - v, mask), packed);
        return;
    }
    __m256i tail = first_bytes(side & 31);
    for (int v = 0; v < side; v++)
        for (int u = 0; u < side; u += 32, packed += 2)
            pack(load_row(t->pixels + v * t->stride + u, side - u, tail), packed);
}

static void ncc_prepare_avx2(cpu_template *t) {
    cpu_window_sums template_sums; /* of the template as its own window */
    pack_template(t);
    ncc_window_avx2(t, t->pixels, t->stride, &template_sums);
    t->sum = template_sums.y;
    t->sum_of_squares = template_sums.yy;
}

/* ------------------------------------------------------------------ masked */

/* n, x and y in 64 bits, the others in 32. */
typedef struct masked_sums {
    __m256i n, x, y, xx, yy, xy;
} masked_sums;

/* Four 8-bit images: x, y and their masks. */
typedef struct masked_rows {
    const uint8_t *of[4];
} masked_rows;

/* 32 pixels, of which those of `kept` are new. */
static inline void add_masked(masked_sums *s, const __m256i v[4], __m256i kept) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i use = _mm256_andnot_si256(_mm256_or_si256(v[2], v[3]), kept);
    __m256i x = _mm256_and_si256(v[0], use), y = _mm256_and_si256(v[1], use);
    __m256i a = _mm256_unpacklo_epi8(x, zero), b = _mm256_unpackhi_epi8(x, zero);
    __m256i c = _mm256_unpacklo_epi8(y, zero), d = _mm256_unpackhi_epi8(y, zero);
    s->n = _mm256_add_epi64(s->n, _mm256_sad_epu8(_mm256_and_si256(use, _mm256_set1_epi8(1)), zero));
    s->x = _mm256_add_epi64(s->x, _mm256_sad_epu8(x, zero));
    s->y = _mm256_add_epi64(s->y, _mm256_sad_epu8(y, zero));
    s->xx = _mm256_add_epi32(s->xx, _mm256_add_epi32(_mm256_madd_epi16(a, a), _mm256_madd_epi16(b, b)));
    s->yy = _mm256_add_epi32(s->yy, _mm256_add_epi32(_mm256_madd_epi16(c, c), _mm256_madd_epi16(d, d)));
    s->xy = _mm256_add_epi32(s->xy, _mm256_add_epi32(_mm256_madd_epi16(a, c), _mm256_madd_epi16(b, d)));
}

/* A row of 32 pixels or more: the last 32 overlap those before them. */
static inline void add_wide_row(const masked_rows *r, ptrdiff_t at, int width, masked_sums *s) {
    __m256i v[4], all = _mm256_set1_epi8(-1);
    int u = 0, rest = width % 32;
    for (; u + 32 <= width; u += 32) {
        for (int k = 0; k < 4; k++) v[k] = _mm256_loadu_si256((const __m256i *)(r->of[k] + at + u));
        add_masked(s, v, all);
    }
    if (rest == 0) return;
    for (int k = 0; k < 4; k++) v[k] = _mm256_loadu_si256((const __m256i *)(r->of[k] + at + width - 32));
    add_masked(s, v, _mm256_andnot_si256(first_bytes(32 - rest), all));
}

/* A row of 16 pixels or more, but less than 32: its first 16 and its last. */
static inline void add_narrow_row(const masked_rows *r, ptrdiff_t at, int width, masked_sums *s) {
    const __m256i all = _mm256_set1_epi8(-1);
    __m128i last = _mm256_castsi256_si128(_mm256_andnot_si256(first_bytes(32 - width), all));
    __m256i v[4], kept = _mm256_inserti128_si256(all, last, 1);
    for (int k = 0; k < 4; k++)
        v[k] = _mm256_setr_m128i(_mm_loadu_si128((const __m128i *)(r->of[k] + at)),
                                 _mm_loadu_si128((const __m128i *)(r->of[k] + at + width - 16)));
    add_masked(s, v, kept);
}

/* Eight numbers of 32 bits without a sign. */
static int64_t sum_wide(__m256i v) {
    const __m256i low = _mm256_set1_epi64x(0xffffffff);
    return sum64(_mm256_add_epi64(_mm256_and_si256(v, low), _mm256_srli_epi64(v, 32)));
}

/* Rows that are summed together in 32 bits: a lane takes 4 products of at most 255 * 255 a step. */
static inline int rows_together(int width) { return 16000 / (width / 32 + 1); }

static void ncc_masked_avx2(const cpu_masked_window *w, endo_sums *out) {
    const __m256i zero = _mm256_setzero_si256();
    const masked_rows r = {{w->x, w->y, w->x_mask, w->y_mask}};
    if (w->width < 16) {
        ncc_masked_rows(w, out);
        return;
    }
    for (int top = 0, together = rows_together(w->width); top < w->height; top += together) {
        masked_sums s = {zero, zero, zero, zero, zero, zero};
        for (int v = top; v < w->height && v < top + together; v++)
            if (w->width < 32) add_narrow_row(&r, v * w->stride, w->width, &s);
            else add_wide_row(&r, v * w->stride, w->width, &s);
        out->n += sum64(s.n), out->x += sum64(s.x), out->y += sum64(s.y);
        out->xx += sum_wide(s.xx), out->yy += sum_wide(s.yy), out->xy += sum_wide(s.xy);
    }
}

const cpu_ncc_loops cpu_ncc_avx2 = {
    .prepare = ncc_prepare_avx2,
    .window = ncc_window_avx2,
    .masked = ncc_masked_avx2,
};
