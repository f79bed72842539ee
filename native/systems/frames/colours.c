/* Pixels of type ENDO_RGB32 from bytes (colours.h). */
#include "colours.h"

#include "base/simd.h"

ENDO_SIMD_INLINE void take_bytes(const uint8_t *restrict bytes, int samples, size_t n, uint32_t *restrict pixels) {
    for (size_t i = 0; i < n; i++) {
        const uint8_t *b = bytes + i * (size_t)samples;
        pixels[i] = 0xff000000u | (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
    }
}

ENDO_SIMD_LOOP(take_threes, take_bytes, (const uint8_t *bytes, size_t n, uint32_t *pixels), (bytes, 3, n, pixels))

void colours_take(const uint8_t *bytes, int samples, size_t n, uint32_t *pixels) {
    if (samples == 3)
        take_threes[endo_simd_best(ENDO_CPU_BEST)](bytes, n, pixels);
    else
        take_bytes(bytes, samples, n, pixels);
}
