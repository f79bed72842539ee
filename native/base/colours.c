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
/* Pixels of a step, and those whose bytes it reads in part. */
#define STEP 8
#define BEYOND 2

/* Eight pixels at a time, four in each half of a register. */
ENDO_SIMD_AVX2 static void take_threes_avx2(const uint8_t *bytes, size_t n, uint32_t *pixels) {
    const __m256i alpha = _mm256_set1_epi32((int)0xff000000u);
    const __m256i places = _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
    size_t i = 0;
    for (; i + STEP + BEYOND <= n; i += STEP) {
        const uint8_t *b = bytes + 3 * i;
        __m128i low = _mm_loadu_si128((const __m128i *)b), high = _mm_loadu_si128((const __m128i *)(b + 12));
        __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        _mm256_storeu_si256((__m256i *)(pixels + i), _mm256_or_si256(_mm256_shuffle_epi8(both, places), alpha));
    }
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
