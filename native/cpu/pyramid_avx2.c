/* Loops of frames and their pyramids with AVX2. */
#include "pyramid_rows.h"

#include <immintrin.h>

static void grey_rgb_avx2(const uint32_t *rgb, int n, uint8_t *grey) { grey_rgb_row(rgb, n, grey); }

static int has_specular_avx2(const uint32_t *rgb, int n) { return has_specular_row(rgb, n); }

static void halve_row_avx2(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out) {
    halve_one_row(top, bottom, n, out);
}

/* endo_smooth_step is the rounded high multiply: |x - y| and k both fit 16 bits. */
static inline __m256i smooth_step(__m256i y, __m256i x, __m256i k) {
    return _mm256_add_epi16(y, _mm256_mulhrs_epi16(_mm256_sub_epi16(x, y), k));
}

/* 32 columns: two independent recursions hide each other's latency. */
static void smooth_strip(int16_t *image, ptrdiff_t stride, int height, __m256i k) {
    __m256i a = _mm256_loadu_si256((const __m256i *)image), b = _mm256_loadu_si256((const __m256i *)image + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 1; i < height; i++) {
            __m256i *row = (__m256i *)(image + (pass ? height - 1 - i : i) * stride);
            a = smooth_step(a, _mm256_loadu_si256(row), k);
            b = smooth_step(b, _mm256_loadu_si256(row + 1), k);
            _mm256_storeu_si256(row, a);
            _mm256_storeu_si256(row + 1, b);
        }
}

static void smooth_columns_avx2(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
    /* Strides are whole strips: the padding may be smoothed too. */
    for (int x = 0; x < width; x += 32) smooth_strip(image + x, stride, height, _mm256_set1_epi16((int16_t)k));
}

static inline void transpose8(const int16_t *in, ptrdiff_t in_stride, int16_t *out, ptrdiff_t out_stride) {
    __m128i r[8], s[8];
    for (int i = 0; i < 8; i++) r[i] = _mm_loadu_si128((const __m128i *)(in + i * in_stride));
    for (int i = 0; i < 4; i++) {
        s[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
        s[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        r[4 * i] = _mm_unpacklo_epi32(s[4 * i], s[4 * i + 2]);
        r[4 * i + 1] = _mm_unpackhi_epi32(s[4 * i], s[4 * i + 2]);
        r[4 * i + 2] = _mm_unpacklo_epi32(s[4 * i + 1], s[4 * i + 3]);
        r[4 * i + 3] = _mm_unpackhi_epi32(s[4 * i + 1], s[4 * i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((__m128i *)(out + 2 * i * out_stride), _mm_unpacklo_epi64(r[i], r[4 + i]));
        _mm_storeu_si128((__m128i *)(out + (2 * i + 1) * out_stride), _mm_unpackhi_epi64(r[i], r[4 + i]));
    }
}

static void transpose_avx2(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                    ptrdiff_t out_stride) {
    int whole_x = width & ~7, whole_y = height & ~7;
    for (int y = 0; y < whole_y; y += 8)
        for (int x = 0; x < whole_x; x += 8)
            transpose8(in + y * in_stride + x, in_stride, out + x * out_stride + y, out_stride);
    transpose_all(in + whole_x, in_stride, width - whole_x, height, out + whole_x * out_stride, out_stride);
    transpose_all(in + whole_y * in_stride, in_stride, whole_x, height - whole_y, out + whole_y, out_stride);
}

const cpu_pyramid_loops cpu_pyramid_avx2 = {
    .grey_rgb = grey_rgb_avx2,
    .has_specular = has_specular_avx2,
    .halve_row = halve_row_avx2,
    .smooth_columns = smooth_columns_avx2,
    .transpose = transpose_avx2,
};
