/* Warping and painting with AVX2. */
#include "warp_rows.h"

#include <immintrin.h>

/* Eight positions with 8 fractional bits, exactly as endo_position8: with base and step split at bit 24,
 * lane k is base.high + k step.high + ((base.low + k step.low) >> 24), all in 32 bits. */
typedef struct positions {
    __m256i high, low; /* k * step of each lane */
} positions;

static inline positions positions_of(int64_t step) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    positions p = {_mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step >> 24))),
                   _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step & 0xffffff)))};
    return p;
}

static inline __m256i eight_positions(int64_t base, const positions *p) {
    base += 1 << 23;
    __m256i low = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(base & 0xffffff)), p->low);
    return _mm256_add_epi32(_mm256_add_epi32(_mm256_set1_epi32((int32_t)(base >> 24)), p->high),
                            _mm256_srli_epi32(low, 24));
}

static inline __m256i low_byte(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi32(255)); }

/* Two pixels of a row, gathered in the low bytes, interpolated: 256 a + fx (b - a). The multiply-add takes
 * b - a as a signed 16-bit number; the upper half of fx is 0. */
static inline __m256i across(__m256i pair, __m256i fx) {
    __m256i a = low_byte(pair), b = low_byte(_mm256_srli_epi32(pair, 8));
    return _mm256_add_epi32(_mm256_slli_epi32(a, 8), _mm256_madd_epi16(fx, _mm256_sub_epi32(b, a)));
}

static inline void store_bytes(__m256i v, uint8_t *out) {
    __m256i packed = _mm256_packus_epi32(v, v);
    packed = _mm256_packus_epi16(packed, packed);
    uint32_t low = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(packed));
    uint32_t high = (uint32_t)_mm_cvtsi128_si32(_mm256_extracti128_si256(packed, 1));
    __builtin_memcpy(out, &low, 4);
    __builtin_memcpy(out + 4, &high, 4);
}

void warp_row_avx2(const cpu_warp_row *r, uint8_t *warped, uint8_t *valid) {
    positions along_x = positions_of(r->step_x), along_y = positions_of(r->step_y);
    const __m256i stride = _mm256_set1_epi32((int)r->stride), round = _mm256_set1_epi32(32768);
    int i = 0;
    for (; i + 8 <= r->n; i += 8) {
        __m256i px = eight_positions(r->px + i * r->step_x, &along_x);
        __m256i py = eight_positions(r->py + i * r->step_y, &along_y);
        __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(py, 8), stride), _mm256_srli_epi32(px, 8));
        __m256i fx = low_byte(px), fy = low_byte(py);
        __m256i mask = low_byte(_mm256_i32gather_epi32((const int *)r->quads, index, 1));
        __m256i top = across(_mm256_i32gather_epi32((const int *)r->pixels, index, 1), fx);
        __m256i bottom = across(_mm256_i32gather_epi32((const int *)(r->pixels + r->stride), index, 1), fx);
        __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(top, 8),
                                       _mm256_mullo_epi32(fy, _mm256_sub_epi32(bottom, top)));
        __m256i value = _mm256_srli_epi32(_mm256_add_epi32(sum, round), 16);
        store_bytes(_mm256_and_si256(value, mask), warped + i);
        store_bytes(mask, valid + i);
    }
    if (i == r->n) return;
    cpu_warp_row rest = *r;
    rest.px += i * r->step_x, rest.py += i * r->step_y, rest.n -= i;
    warp_pixels(&rest, 0, warped + i, valid + i);
}

/* One colour pixel: the bytes of two neighbours interleaved channel by channel, so that one multiply-add
 * interpolates all four channels across, and one more step down. */
static inline uint32_t rgb_at(const uint32_t *top, ptrdiff_t stride, int32_t fx, int32_t fy) {
    const __m128i interleave = _mm_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1);
    const __m128i bytes = _mm_setr_epi8(2, 6, 10, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m128i weights = _mm_set1_epi32((fx << 16) | (256 - fx));
    __m128i t = _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)top), interleave);
    __m128i b = _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)(top + stride)), interleave);
    t = _mm_madd_epi16(t, weights);
    b = _mm_madd_epi16(b, weights);
    __m128i sum = _mm_add_epi32(_mm_slli_epi32(t, 8), _mm_mullo_epi32(_mm_set1_epi32(fy), _mm_sub_epi32(b, t)));
    sum = _mm_add_epi32(sum, _mm_set1_epi32(32768));
    return (uint32_t)_mm_cvtsi128_si32(_mm_shuffle_epi8(sum, bytes)) | 0xff000000u;
}

static void paint_rgb(const cpu_warp_row *r, int ring, uint32_t *out, uint8_t *painted) {
    for (int i = 0; i < r->n; i++) {
        warp_place p = warp_place_at(r, i);
        if (!warp_paints(r, &p, ring, painted, i)) continue;
        out[i] = rgb_at((const uint32_t *)r->pixels + p.index, r->stride, p.fx, p.fy);
        painted[i] = 255;
    }
}

void paint_row_avx2(const cpu_warp_row *row, endo_pixel type, int ring, void *pixels, uint8_t *painted) {
    switch (type) {
    case ENDO_RGB32: paint_rgb(row, ring, pixels, painted); break;
    case ENDO_GREY16: paint_grey16_pixels(row, ring, pixels, painted); break;
    case ENDO_GREY8: paint_grey8_pixels(row, ring, pixels, painted); break;
    }
}
