/* Pixels of type ENDO_RGB32 from bytes (colours.h). */
#include "colours.h"

#include "simd.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

ENDO_SIMD_INLINE void take_bytes(const uint8_t *restrict bytes, int samples, size_t n, uint32_t *restrict pixels) {
    for (size_t i = 0; i < n; i++) {
        const uint8_t *b = bytes + i * (size_t)samples;
        pixels[i] = 0xff000000u | (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
    }
}

#ifdef __x86_64__
/* Pixels of a step, and those behind it whose bytes it reads in part. */
#define STEP 8
#define BEYOND 2
/* Rows of so many pixels or more are written past the caches: rows of a frame that is read ahead are not looked at soon, and memory
 * that is written through a cache is read first. */
#define MANY 4096

/* Four pixels in each half of a register. */
ENDO_SIMD_AVX2 static inline __m256i eight_pixels(const uint8_t *b) {
    const __m256i alpha = _mm256_set1_epi32((int)0xff000000u);
    const __m256i places = _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
    __m128i low = _mm_loadu_si128((const __m128i *)b), high = _mm_loadu_si128((const __m128i *)(b + 12));
    __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    return _mm256_or_si256(_mm256_shuffle_epi8(both, places), alpha);
}

/* From a pixel on whose address is a multiple of 32. Returns how many pixels are made. */
ENDO_SIMD_AVX2 static size_t take_away(const uint8_t *bytes, size_t n, uint32_t *pixels) {
    size_t i = 0;
    for (; i + STEP + BEYOND <= n; i += STEP) _mm256_stream_si256((__m256i *)(pixels + i), eight_pixels(bytes + 3 * i));
    _mm_sfence();
    return i;
}

ENDO_SIMD_AVX2 static void take_threes_avx2(const uint8_t *bytes, size_t n, uint32_t *pixels) {
    size_t i = 0;
    if (n >= MANY && (uintptr_t)pixels % sizeof *pixels == 0) {
        i = (32 - (uintptr_t)pixels % 32) % 32 / sizeof *pixels;
        take_bytes(bytes, 3, i, pixels);
        i += take_away(bytes + 3 * i, n - i, pixels + i);
    }
    for (; i + STEP + BEYOND <= n; i += STEP) _mm256_storeu_si256((__m256i *)(pixels + i), eight_pixels(bytes + 3 * i));
    take_bytes(bytes + 3 * i, 3, n - i, pixels + i);
}
#endif

void colours_take(const uint8_t *bytes, int samples, size_t n, uint32_t *pixels) {
#ifdef __x86_64__
    if (samples == 3 && endo_simd_best(ENDO_CPU_BEST) >= ENDO_CPU_AVX2) {
        take_threes_avx2(bytes, n, pixels);
        return;
    }
#endif
    take_bytes(bytes, samples, n, pixels);
}
