/* Loops of frames and their pyramids with AVX2. */
#include "pyramid_rows.h"

#include <immintrin.h>
#include <string.h>

/* Bytes ahead of a copy that are prefetched: the processor's prefetcher stops at the end of each row. */
#define AHEAD 4096

static inline void stream_line(const uint8_t *from, uint8_t *to) {
    __m256i one = _mm256_loadu_si256((const __m256i *)from), other = _mm256_loadu_si256((const __m256i *)(from + 32));
    _mm256_stream_si256((__m256i *)to, one);
    _mm256_stream_si256((__m256i *)(to + 32), other);
}

/* The last line goes whole: a part of it would have to wait for the rest to come from memory. */
void cpu_copy_far_avx2(const uint8_t *from, size_t bytes, size_t element, uint8_t *to) {
    size_t whole = bytes & ~(size_t)63, rest = bytes - whole;
    uint8_t end[64] = {0};
    for (size_t i = 0; i < whole; i += 64) {
        _mm_prefetch((const char *)(from + i + AHEAD), _MM_HINT_T0);
        stream_line(from + i, to + i);
    }
    memcpy(end, from + whole, rest);
    memcpy(end + rest, from + bytes - element, element);
    stream_line(end, to + whole);
}

void cpu_end_far_avx2(void) { _mm_sfence(); }

/* Grey values of eight pixels, 32 bits each: green counts twice as half of its weight, which a signed byte holds, and no
 * sum exceeds 16 bits without a sign. */
static inline __m256i grey_of_eight(__m256i rgb) {
    const __m256i weights = _mm256_set1_epi32(77 << 16 | 75 << 8 | 29), green = _mm256_set1_epi32(75 << 8);
    __m256i sums = _mm256_add_epi16(_mm256_maddubs_epi16(rgb, weights), _mm256_maddubs_epi16(rgb, green));
    __m256i all = _mm256_add_epi16(_mm256_add_epi16(sums, _mm256_srli_epi32(sums, 16)), _mm256_set1_epi32(128));
    return _mm256_srli_epi32(_mm256_slli_epi32(all, 16), 24);
}

/* All bits of the pixels whose channels are not below a value. */
static inline __m256i no_less_of_eight(__m256i rgb, int least) {
    return _mm256_cmpeq_epi32(_mm256_max_epu8(rgb, _mm256_set1_epi32(least << 16 | least << 8 | least)), rgb);
}

static inline __m256i is_grey_of_eight(__m256i rgb) {
    __m256i differs = _mm256_xor_si256(rgb, _mm256_srli_epi32(rgb, 8));
    return _mm256_cmpeq_epi32(_mm256_slli_epi32(differs, 16), _mm256_setzero_si256());
}

/* A bit for each of the pixels that is a highlight, as endo_is_specular_rgb says. */
static inline uint32_t highlights_of_eight(__m256i rgb) {
    __m256i coloured = _mm256_andnot_si256(is_grey_of_eight(rgb), no_less_of_eight(rgb, ENDO_SPECULAR_RGB));
    __m256i all = _mm256_or_si256(coloured, no_less_of_eight(rgb, ENDO_SPECULAR_GREY));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(all));
}

static void grey_rgb_avx2(const uint32_t *rgb, int n, uint8_t *grey, uint32_t *highlights) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    int whole = n & ~31;
    for (int i = 0; i < whole; i += 32) {
        __m256i values[4];
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            __m256i eight = _mm256_loadu_si256((const __m256i *)(rgb + i + 8 * k));
            values[k] = grey_of_eight(eight);
            bits |= highlights_of_eight(eight) << 8 * k;
        }
        __m256i low = _mm256_packus_epi32(values[0], values[1]), high = _mm256_packus_epi32(values[2], values[3]);
        __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
        _mm256_storeu_si256((__m256i *)(grey + i), bytes);
        if (highlights) highlights[i / 32] = bits;
    }
    grey_rgb_row(rgb + whole, n - whole, grey + whole, highlights ? highlights + whole / 32 : NULL);
}

void cpu_halve_row_avx2(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out) {
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

void cpu_smooth_columns_avx2(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
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

void cpu_transpose_avx2(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                        ptrdiff_t out_stride) {
    int whole_x = width & ~7, whole_y = height & ~7;
    for (int y = 0; y < whole_y; y += 8)
        for (int x = 0; x < whole_x; x += 8)
            transpose8(in + y * in_stride + x, in_stride, out + x * out_stride + y, out_stride);
    transpose_all(in + whole_x, in_stride, width - whole_x, height, out + whole_x * out_stride, out_stride);
    transpose_all(in + whole_y * in_stride, in_stride, whole_x, height - whole_y, out + whole_y, out_stride);
}

const cpu_pyramid_loops cpu_pyramid_avx2 = {
    .copy_far = cpu_copy_far_avx2,
    .end_far = cpu_end_far_avx2,
    .grey_rgb = grey_rgb_avx2,
    .halve_row = cpu_halve_row_avx2,
    .smooth_columns = cpu_smooth_columns_avx2,
    .transpose = cpu_transpose_avx2,
};
