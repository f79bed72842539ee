/* Window sums with AVX-512 VNNI. The window is unsigned, the second factor must be signed: with t' = t - 128
 * the sum of w*t is that of w*t' plus 128 times that of w, and likewise for w*w. Exact in 32 bits: a lane
 * takes 4 products of at most 255*128 a step, and side 255 has 1,020 steps.
 *
 * Narrow templates put several rows into one register: 4 up to side 16, 2 up to side 32. */
#include "ncc_rows.h"

#include <immintrin.h>

typedef struct accumulators {
    __m512i xy, yy, y;
} accumulators;

static inline void add(accumulators *a, __m512i window, __m512i template_) {
    const __m512i flip = _mm512_set1_epi8((char)0x80), one = _mm512_set1_epi8(1);
    a->xy = _mm512_dpbusd_epi32(a->xy, window, template_);
    a->yy = _mm512_dpbusd_epi32(a->yy, window, _mm512_xor_si512(window, flip));
    a->y = _mm512_dpbusd_epi32(a->y, window, one);
}

static inline __m512i two_rows(const uint8_t *p, ptrdiff_t stride, int rows, __mmask32 mask) {
    __m256i a = _mm256_maskz_loadu_epi8(mask, p);
    __m256i b = rows > 1 ? _mm256_maskz_loadu_epi8(mask, p + stride) : _mm256_setzero_si256();
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

static inline __m512i four_rows(const uint8_t *p, ptrdiff_t stride, int rows, __mmask16 mask) {
    __m128i zero = _mm_setzero_si128();
    __m128i a = _mm_maskz_loadu_epi8(mask, p);
    __m128i b = rows > 1 ? _mm_maskz_loadu_epi8(mask, p + stride) : zero;
    __m128i c = rows > 2 ? _mm_maskz_loadu_epi8(mask, p + 2 * stride) : zero;
    __m128i d = rows > 3 ? _mm_maskz_loadu_epi8(mask, p + 3 * stride) : zero;
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

void ncc_prepare_avx512(cpu_template *t) {
    const __m512i flip = _mm512_set1_epi8((char)0x80);
    __m512i *packed = t->packed;
    int side = t->side;
    ncc_template_sums(t);
    if (side <= 16) {
        __mmask16 mask = (__mmask16)((1u << side) - 1);
        for (int v = 0; v < side; v += 4)
            *packed++ = _mm512_xor_si512(four_rows(t->pixels + v * t->stride, t->stride, side - v, mask), flip);
    } else if (side <= 32) {
        __mmask32 mask = (__mmask32)((1ull << side) - 1);
        for (int v = 0; v < side; v += 2)
            *packed++ = _mm512_xor_si512(two_rows(t->pixels + v * t->stride, t->stride, side - v, mask), flip);
    } else {
        for (int v = 0; v < side; v++)
            for (int u = 0; u < side; u += 64) {
                __mmask64 mask = side - u >= 64 ? ~0ull : (1ull << (side - u)) - 1;
                *packed++ = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, t->pixels + v * t->stride + u), flip);
            }
    }
}

static void window_narrow(const cpu_template *t, const uint8_t *p, ptrdiff_t stride, accumulators *a,
                          accumulators *b) {
    const __m512i *packed = t->packed;
    __mmask16 mask = (__mmask16)((1u << t->side) - 1);
    int v = 0;
    for (; v + 4 <= t->side; v += 4, p += 4 * stride) {
        add(a, four_rows(p, stride, 4, mask), *packed++);
        accumulators swap = *a;
        *a = *b, *b = swap; /* two chains hide the latency of the dot product */
    }
    if (v < t->side) add(a, four_rows(p, stride, t->side - v, mask), *packed);
}

static void window_medium(const cpu_template *t, const uint8_t *p, ptrdiff_t stride, accumulators *a,
                          accumulators *b) {
    const __m512i *packed = t->packed;
    __mmask32 mask = (__mmask32)((1ull << t->side) - 1);
    int v = 0;
    for (; v + 4 <= t->side; v += 4, p += 4 * stride, packed += 2) {
        add(a, two_rows(p, stride, 2, mask), packed[0]);
        add(b, two_rows(p + 2 * stride, stride, 2, mask), packed[1]);
    }
    for (; v < t->side; v += 2, p += 2 * stride) add(a, two_rows(p, stride, t->side - v, mask), *packed++);
}

static void window_wide(const cpu_template *t, const uint8_t *p, ptrdiff_t stride, accumulators *a,
                        accumulators *b) {
    const __m512i *packed = t->packed;
    int whole = t->side & ~63, rest = t->side & 63;
    __mmask64 mask = (1ull << rest) - 1; /* a side is odd: there is a rest */
    for (int v = 0; v < t->side; v++, p += stride) {
        for (int u = 0; u < whole; u += 64) add(b, _mm512_loadu_si512(p + u), *packed++);
        accumulators *tail = v & 1 ? b : a;
        add(tail, _mm512_maskz_loadu_epi8(mask, p + whole), *packed++);
    }
}

void ncc_window_avx512(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out) {
    __m512i zero = _mm512_setzero_si512();
    accumulators a = {zero, zero, zero}, b = {zero, zero, zero};
    if (t->side <= 16)
        window_narrow(t, window, stride, &a, &b);
    else if (t->side <= 32)
        window_medium(t, window, stride, &a, &b);
    else
        window_wide(t, window, stride, &a, &b);
    int64_t y = _mm512_reduce_add_epi32(_mm512_add_epi32(a.y, b.y));
    out->y = y;
    out->yy = _mm512_reduce_add_epi32(_mm512_add_epi32(a.yy, b.yy)) + 128 * y;
    out->xy = _mm512_reduce_add_epi32(_mm512_add_epi32(a.xy, b.xy)) + 128 * y;
}

void ncc_masked_avx512(const cpu_masked_window *w, endo_sums *out) { ncc_masked_rows(w, out); }
