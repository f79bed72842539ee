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
    cpu_window_sums own; /* of the template as its own window */
    pack_template(t);
    ncc_window_avx2(t, t->pixels, t->stride, &own);
    t->sum = own.y;
    t->sum_of_squares = own.yy;
}

static void ncc_masked_avx2(const cpu_masked_window *w, endo_sums *out) { ncc_masked_rows(w, out); }

const cpu_ncc_loops cpu_ncc_avx2 = {
    .prepare = ncc_prepare_avx2,
    .window = ncc_window_avx2,
    .masked = ncc_masked_avx2,
};
