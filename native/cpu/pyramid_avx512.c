/* Grey values of colours with AVX-512 VNNI; the other loops of frames and their pyramids are as AVX2 has them. */
#include "rules/grey.h"
#include "pyramid_loops.h"

#include <immintrin.h>

/* Bytes ahead of a loop that are prefetched: the processor's prefetcher stops at the end of each page. */
#define AHEAD 4096

/* A bit for each of up to sixteen pixels, where n are left of the row. */
static inline __mmask16 first_lanes(int n) { return n >= 16 ? 0xffff : n > 0 ? (__mmask16)((1u << n) - 1) : 0; }

/* Grey values of sixteen pixels in the lowest byte of 32 bits each; the other bytes are of no use. Green counts twice as
 * half of its weight, which a signed byte holds. */
static inline __m512i grey_of(__m512i rgb) {
    const __m512i weights = _mm512_set1_epi32(77 << 16 | 75 << 8 | 29), green = _mm512_set1_epi32(75 << 8);
    __m512i sums = _mm512_dpbusd_epi32(_mm512_set1_epi32(128), rgb, weights);
    return _mm512_srli_epi32(_mm512_dpbusd_epi32(sums, rgb, green), 8);
}

/* The pixels none of whose channels is below a level. */
static inline __mmask16 not_below(__m512i rgb, int least) {
    return _mm512_cmpeq_epi32_mask(_mm512_max_epu8(rgb, _mm512_set1_epi32(least << 16 | least << 8 | least)), rgb);
}

/* The highlights among the pixels that are bright enough as colours: a grey pixel has to be brighter. */
static inline __mmask16 highlights_among(__m512i rgb, __mmask16 bright) {
    __m512i differs = _mm512_xor_si512(rgb, _mm512_srli_epi32(rgb, 8));
    __mmask16 grey = _mm512_testn_epi32_mask(differs, _mm512_set1_epi32(0xffff));
    return bright & (__mmask16)(~grey | not_below(rgb, ENDO_SPECULAR_GREY));
}

/* A bit for each of 64 pixels. Few images have many: what is not bright is not looked at twice. */
static inline uint64_t highlights_of(const __m512i rgb[4]) {
    __mmask16 bright[4];
    uint64_t bits = 0;
    for (int k = 0; k < 4; k++) bright[k] = not_below(rgb[k], ENDO_SPECULAR_RGB);
    if (!(bright[0] | bright[1] | bright[2] | bright[3])) return 0;
    for (int k = 0; k < 4; k++) bits |= (uint64_t)highlights_among(rgb[k], bright[k]) << 16 * k;
    return bits;
}

static inline __m512i bytes_of(const __m512i values[4]) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i low = _mm512_packus_epi32(values[0], values[1]), high = _mm512_packus_epi32(values[2], values[3]);
    return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high));
}

static void grey_rgb_avx512(const uint32_t *rgb, int n, uint8_t *grey, uint32_t *highlights) {
    for (int i = 0; i < n; i += 64) {
        __m512i pixels[4], values[4];
        int left = n - i;
        for (int k = 0; k < 4; k++) {
            _mm_prefetch((const char *)(rgb + i + 16 * k) + AHEAD, _MM_HINT_T0);
            pixels[k] = _mm512_maskz_loadu_epi32(first_lanes(left - 16 * k), rgb + i + 16 * k);
            values[k] = grey_of(pixels[k]);
        }
        _mm512_mask_storeu_epi8(grey + i, left >= 64 ? ~0ull : (1ull << left) - 1, bytes_of(values));
        if (!highlights) continue;
        uint64_t bits = highlights_of(pixels);
        highlights[i / 32] = (uint32_t)bits;
        if (left > 32) highlights[i / 32 + 1] = (uint32_t)(bits >> 32);
    }
}

const cpu_pyramid_loops cpu_pyramid_avx512 = {
    .copy_far = cpu_copy_far_avx2,
    .end_far = cpu_end_far_avx2,
    .grey_rgb = grey_rgb_avx512,
    .halve_row = cpu_halve_row_avx2,
    .smooth_columns = cpu_smooth_columns_avx2,
    .transpose = cpu_transpose_avx2,
};
