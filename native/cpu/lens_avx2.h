/* Rows of frames without the distortion of their lens with AVX2: the 16 products of a pixel are made at once, and those of
 * eight pixels (colours: four) are added up together. The last pixels of a row are made with some before them, again.
 *
 * lens_avx512.c compiles the same with what AVX-512 has for vectors of 256 bits. Wider ones take two rows of colours at once:
 * as fast on small frames, and a fifth slower on those of 1920 x 1080 px. */
#ifndef ENDO_CPU_LENS_AVX2_H
#define ENDO_CPU_LENS_AVX2_H

#include "lens_rows.h"

#include <immintrin.h>
#include <string.h>

/* Where the next `count` pixels begin: the last ones end with the row. */
static inline int start_of(int x, int n, int count) { return x <= n - count ? x : n - count; }

static inline __m256i weights_of(const cpu_lens_row *r, int x) {
    return _mm256_loadu_si256((const __m256i *)(r->weights + r->weight[x]));
}

/* The sums of eight times eight numbers, in their order. */
static inline __m256i sums_of(const __m256i v[8]) {
    __m256i first = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
    __m256i second = _mm256_hadd_epi32(_mm256_hadd_epi32(v[4], v[5]), _mm256_hadd_epi32(v[6], v[7]));
    __m256i low = _mm256_permute2x128_si256(first, second, 0x20);
    return _mm256_add_epi32(low, _mm256_permute2x128_si256(first, second, 0x31));
}

/* rest: what the sums lack, with what rounds them. */
static inline __m256i values_of(__m256i sums, int32_t rest) {
    return _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(rest)), ENDO_LENS_WEIGHT_BITS);
}

#define HALF (1 << (ENDO_LENS_WEIGHT_BITS - 1))

/* ------------------------------------------------------------------------ grey */

static inline __m256i products8(const cpu_lens_row *r, int x) {
    int32_t rows[4];
    for (int j = 0; j < 4; j++) memcpy(&rows[j], (const uint8_t *)r->rows[j] + r->first[x], sizeof *rows);
    __m128i all = _mm_cvtsi32_si128(rows[0]);
    all = _mm_insert_epi32(all, rows[1], 1);
    all = _mm_insert_epi32(all, rows[2], 2);
    all = _mm_insert_epi32(all, rows[3], 3);
    return _mm256_madd_epi16(_mm256_cvtepu8_epi16(all), weights_of(r, x));
}

static inline void lens_grey8_vectors(const cpu_lens_row *row, uint8_t *out) {
    const cpu_lens_row r = *row; /* of the loop's own: what it stores cannot change that */
    if (r.n < 8) {
        lens_grey8(row, out);
        return;
    }
    for (int next = 0; next < r.n; next += 8) {
        int x = start_of(next, r.n, 8);
        __m256i v[8];
        for (int k = 0; k < 8; k++) v[k] = products8(&r, x + k);
        __m256i values = values_of(sums_of(v), HALF);
        __m128i packed = _mm_packs_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
        _mm_storel_epi64((__m128i *)(out + x), _mm_packus_epi16(packed, packed));
    }
}

/* Values less 2^15, which are numbers with a sign: all weights add up to 2^11, so that every sum lacks 2^26. */
#define LACKS (1 << (15 + ENDO_LENS_WEIGHT_BITS))

static inline __m256i products16(const cpu_lens_row *r, int x) {
    int64_t rows[4];
    for (int j = 0; j < 4; j++) memcpy(&rows[j], (const uint16_t *)r->rows[j] + r->first[x], sizeof *rows);
    __m256i all = _mm256_setr_epi64x(rows[0], rows[1], rows[2], rows[3]);
    return _mm256_madd_epi16(_mm256_xor_si256(all, _mm256_set1_epi16(INT16_MIN)), weights_of(r, x));
}

static inline void lens_grey16_vectors(const cpu_lens_row *row, uint16_t *out) {
    const cpu_lens_row r = *row; /* of the loop's own: what it stores cannot change that */
    if (r.n < 8) {
        lens_grey16(row, out);
        return;
    }
    for (int next = 0; next < r.n; next += 8) {
        int x = start_of(next, r.n, 8);
        __m256i v[8];
        for (int k = 0; k < 8; k++) v[k] = products16(&r, x + k);
        __m256i values = values_of(sums_of(v), LACKS + HALF);
        __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
        _mm_storeu_si128((__m128i *)(out + x), packed);
    }
}

/* --------------------------------------------------------------------- colours */

/* The bytes of four pixels, a colour of two neighbours beside each other, as 16-bit numbers: the first two pixels below, the
 * others above. */
static inline __m256i pairs_of(const uint32_t *pixels) {
    const __m256i order = _mm256_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1, /* above: */
                                           8, -1, 12, -1, 9, -1, 13, -1, 10, -1, 14, -1, 11, -1, 15, -1);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)pixels)), order);
}

/* Adds the products of two pairs of numbers to each sum. */
static inline __m256i add_products(__m256i sum, __m256i pairs, __m256i weights) {
#ifdef __AVX512VNNI__
    return _mm256_dpwssd_epi32(sum, pairs, weights);
#else
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, weights));
#endif
}

/* A pixel's 16 products of each colour in two sums, one in the lower and one in the upper half: blue, green, red, alpha. */
static inline __m256i products_rgb(const cpu_lens_row *r, int x) {
    const __m256i of_row = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    __m256i weights = weights_of(r, x);
    __m256i sum = _mm256_setzero_si256();
    for (int j = 0; j < 4; j++) {
        __m256i row = _mm256_permutevar8x32_epi32(weights, _mm256_add_epi32(of_row, _mm256_set1_epi32(2 * j)));
        sum = add_products(sum, pairs_of((const uint32_t *)r->rows[j] + r->first[x]), row);
    }
    return sum;
}

/* Colours of two pixels, rounded, from the halves of their sums: the first pixel's below. */
static inline __m256i colours_of(__m256i one, __m256i other) {
    __m256i low = _mm256_permute2x128_si256(one, other, 0x20);
    return values_of(_mm256_add_epi32(low, _mm256_permute2x128_si256(one, other, 0x31)), HALF);
}

static inline void lens_rgb_vectors(const cpu_lens_row *row, uint32_t *out) {
    const cpu_lens_row r = *row; /* of the loop's own: what it stores cannot change that */
    const __m128i alpha = _mm_set1_epi32((int32_t)ENDO_LENS_BLACK_RGB);
    if (r.n < 4) {
        lens_rgb(row, out);
        return;
    }
    for (int next = 0; next < r.n; next += 4) {
        int x = start_of(next, r.n, 4);
        __m256i even = colours_of(products_rgb(&r, x), products_rgb(&r, x + 2));
        __m256i odd = colours_of(products_rgb(&r, x + 1), products_rgb(&r, x + 3));
        __m256i packed = _mm256_packs_epi32(even, odd);
        __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1));
        _mm_storeu_si128((__m128i *)(out + x), _mm_or_si128(bytes, alpha));
    }
}

#endif
