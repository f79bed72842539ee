/* Packing by instruction set (pack.h). Vector units fill whole cache lines: up to the first one, and behind the last, pixels
 * are packed one by one. */
#include "pack.h"

#include "simd.h"

static void pack_each(uint8_t *restrict to, const uint8_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ENDO_PACK_TO; k++) to[ENDO_PACK_TO * i + k] = from[ENDO_PACK_FROM * i + k];
}

#ifdef __x86_64__
#include <immintrin.h>

/* A line of the caches, bytes; pixels that fill three of them. */
#define LINE 64
#define GROUP 64

#define WITH_AVX2 __attribute__((target("avx2")))
#define WITH_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* Packs `groups` groups to whole lines. */
typedef void (*pack_groups)(uint8_t *to, const uint8_t *from, size_t groups, int away);

WITH_AVX2 static inline void store_avx2(uint8_t *to, __m256i bytes, int away) {
    if (away) _mm256_stream_si256((__m256i *)to, bytes);
    else _mm256_store_si256((__m256i *)to, bytes);
}

/* Eight pixels: the six words of their bytes, in the places 0, 1, 2, 4, 5, 6. */
WITH_AVX2 static inline __m256i words_of(const uint8_t *from) {
    const __m256i threes = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, /**/
                                            0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    return _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)from), threes);
}

WITH_AVX2 static void pack_avx2(uint8_t *to, const uint8_t *from, size_t groups, int away) {
    /* Four times six words make three times eight; the places 3 and 7 are not taken. */
    const __m256i a_to = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
    const __m256i b_to = _mm256_setr_epi32(2, 4, 5, 6, 3, 7, 0, 1);
    const __m256i c_to = _mm256_setr_epi32(5, 6, 3, 7, 0, 1, 2, 4);
    const __m256i d_to = _mm256_setr_epi32(3, 7, 0, 1, 2, 4, 5, 6);
    for (size_t i = 0; i < 2 * groups; i++, from += 128, to += 96) {
        __m256i a = _mm256_permutevar8x32_epi32(words_of(from), a_to);
        __m256i b = _mm256_permutevar8x32_epi32(words_of(from + 32), b_to);
        __m256i c = _mm256_permutevar8x32_epi32(words_of(from + 64), c_to);
        __m256i d = _mm256_permutevar8x32_epi32(words_of(from + 96), d_to);
        store_avx2(to, _mm256_blend_epi32(a, b, 0xc0), away);
        store_avx2(to + 32, _mm256_blend_epi32(b, c, 0xf0), away);
        store_avx2(to + 64, _mm256_blend_epi32(c, d, 0xfc), away);
    }
    if (away) _mm_sfence();
}

WITH_VBMI static inline void store_vbmi(uint8_t *to, __m512i bytes, int away) {
    if (away) _mm512_stream_si512((void *)to, bytes);
    else _mm512_store_si512((void *)to, bytes);
}

/* Byte k of line `line` of a group: where it lies in two of the four registers of the group, the first of which is `line`. */
static uint8_t place_of(int line, int k) {
    int byte = LINE * line + k;
    int pixel = byte / ENDO_PACK_TO;
    return (uint8_t)(ENDO_PACK_FROM * pixel + byte % ENDO_PACK_TO - LINE * line);
}

WITH_VBMI static void pack_vbmi(uint8_t *to, const uint8_t *from, size_t groups, int away) {
    uint8_t places[3][LINE];
    for (int line = 0; line < 3; line++)
        for (int k = 0; k < LINE; k++) places[line][k] = place_of(line, k);
    __m512i first = _mm512_loadu_si512(places[0]);
    __m512i second = _mm512_loadu_si512(places[1]);
    __m512i third = _mm512_loadu_si512(places[2]);
    for (size_t i = 0; i < groups; i++, from += ENDO_PACK_FROM * GROUP, to += ENDO_PACK_TO * GROUP) {
        __m512i a = _mm512_loadu_si512(from);
        __m512i b = _mm512_loadu_si512(from + LINE);
        __m512i c = _mm512_loadu_si512(from + 2 * LINE);
        __m512i d = _mm512_loadu_si512(from + 3 * LINE);
        store_vbmi(to, _mm512_permutex2var_epi8(a, first, b), away);
        store_vbmi(to + LINE, _mm512_permutex2var_epi8(b, second, c), away);
        store_vbmi(to + 2 * LINE, _mm512_permutex2var_epi8(c, third, d), away);
    }
    if (away) _mm_sfence();
}

/* Pixels before the first whole line. */
static size_t before_lines(const uint8_t *to, size_t n) {
    size_t pixels = 0;
    while (pixels < n && ((uintptr_t)to + ENDO_PACK_TO * pixels) % LINE) pixels++;
    return pixels;
}

static pack_groups groups_of(endo_cpu limit) {
    endo_cpu set = endo_simd_best(limit);
    if (set == ENDO_CPU_AVX512 && simd_here() & SIMD_VBMI) return pack_vbmi;
    return set == ENDO_CPU_C ? NULL : pack_avx2;
}

void endo_pack(endo_cpu limit, uint8_t *to, const uint8_t *from, size_t n, int away) {
    pack_groups pack = groups_of(limit);
    size_t before = pack ? before_lines(to, n) : n;
    size_t groups = (n - before) / GROUP;
    pack_each(to, from, before);
    to += ENDO_PACK_TO * before, from += ENDO_PACK_FROM * before;
    if (groups) pack(to, from, groups, away);
    pack_each(to + ENDO_PACK_TO * GROUP * groups, from + ENDO_PACK_FROM * GROUP * groups, n - before - GROUP * groups);
}
#else
void endo_pack(endo_cpu limit, uint8_t *to, const uint8_t *from, size_t n, int away) {
    (void)limit, (void)away;
    pack_each(to, from, n);
}
#endif
