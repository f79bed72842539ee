/* Warping a grey image with AVX-512: sixteen places at a time. Where they lie in one row or two, and in 32 pixels of
 * those, the rows are loaded and permuted. */
#include "warp_rows.h"

#include <immintrin.h>

enum { WINDOW = 32 };

/* Sixteen positions along a row, as endo_position8 rounds them: 32 fractional bits, of which the upper 8 are kept with the
 * whole pixels in `high`, the other 24 in `low`. Exact: the carry goes from one to the other. */
typedef struct positions {
    __m512i high, low, step_high, step_low; /* steps of sixteen pixels */
} positions;

static inline positions positions_of(int64_t base, int64_t step) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t rounded = base + (1 << 23), sixteen = 16 * step;
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step & 0xffffff))));
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step >> 24))));
    positions p = {_mm512_add_epi32(high, _mm512_srli_epi32(low, 24)), _mm512_and_si512(low, _mm512_set1_epi32(0xffffff)),
                   _mm512_set1_epi32((int32_t)(sixteen >> 24)), _mm512_set1_epi32((int32_t)(sixteen & 0xffffff))};
    return p;
}

/* The present sixteen; goes on to the next. */
static inline __m512i next_positions(positions *p) {
    __m512i now = p->high, low = _mm512_add_epi32(p->low, p->step_low);
    p->high = _mm512_add_epi32(_mm512_add_epi32(p->high, p->step_high), _mm512_srli_epi32(low, 24));
    p->low = _mm512_and_si512(low, _mm512_set1_epi32(0xffffff));
    return now;
}

/* The pixels that some places need: 32 of a row, and of the one or two below. */
typedef struct window {
    int x, y, two; /* two: places lie in two rows */
} window;

static inline int pixel_at(int64_t base, int64_t step, int i) { return (int)(endo_position8(base + i * step) >> 8); }

/* 0: they need more. */
static inline int window_of(const cpu_warp_row *r, int first, int last, window *w) {
    int x0 = pixel_at(r->px, r->step_x, first), x1 = pixel_at(r->px, r->step_x, last);
    int y0 = pixel_at(r->py, r->step_y, first), y1 = pixel_at(r->py, r->step_y, last);
    w->x = x0, w->y = y0 < y1 ? y0 : y1, w->two = y0 != y1;
    return x1 >= x0 && x1 - x0 <= WINDOW - 2 && y0 + y1 - 2 * w->y <= 1;
}

/* Bytes of 32 pixels, as 16-bit numbers: those that the words of an index name. */
static inline __m512i named(const uint8_t *pixels, __m512i index) {
    return _mm512_permutexvar_epi16(index, _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)pixels)));
}

static inline __m512i in_row(const uint8_t *pixels, __m512i pair, __m512i weights) {
    return _mm512_madd_epi16(named(pixels, pair), weights);
}

/* 32-bit numbers that stand for sixteen pixels; *valid: 255 or 0 of each. */
static inline __m512i sixteen_pixels(const cpu_warp_row *r, const window *w, __m512i px, __m512i py, __m512i *valid) {
    const uint8_t *from = r->pixels + w->y * r->stride + w->x, *quads = r->quads + w->y * r->stride + w->x;
    const __m512i byte = _mm512_set1_epi32(255);
    __m512i x = _mm512_sub_epi32(_mm512_srai_epi32(px, 8), _mm512_set1_epi32(w->x)), fx = _mm512_and_si512(px, byte);
    __m512i pair = _mm512_add_epi32(_mm512_or_si512(x, _mm512_slli_epi32(x, 16)), _mm512_set1_epi32(65536));
    __m512i weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), fx), _mm512_slli_epi32(fx, 16));
    __m512i top = in_row(from, pair, weights), bottom = in_row(from + r->stride, pair, weights);
    *valid = _mm512_and_si512(named(quads, pair), byte);
    if (w->two) {
        __mmask16 lower = _mm512_cmpgt_epi32_mask(_mm512_srai_epi32(py, 8), _mm512_set1_epi32(w->y));
        top = _mm512_mask_mov_epi32(top, lower, bottom);
        bottom = _mm512_mask_mov_epi32(bottom, lower, in_row(from + 2 * r->stride, pair, weights));
        *valid = _mm512_mask_and_epi32(*valid, lower, named(quads + r->stride, pair), byte);
    }
    __m512i down = _mm512_mullo_epi32(_mm512_and_si512(py, byte), _mm512_sub_epi32(bottom, top));
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(top, 8), _mm512_add_epi32(down, _mm512_set1_epi32(32768)));
    return _mm512_and_si512(_mm512_srli_epi32(sum, 16), *valid);
}

/* Pixels first .. first + n - 1 of a row, whatever they need. */
static void few_pixels(const cpu_warp_row *r, int first, int n, uint8_t *warped, uint8_t *valid) {
    cpu_warp_row few = *r;
    few.px += first * r->step_x, few.py += first * r->step_y, few.n = n;
    warp_pixels(&few, 0, warped + first, valid + first);
}

static void warp_row_avx512(const cpu_warp_row *r, uint8_t *warped, uint8_t *valid) {
    positions x = positions_of(r->px, r->step_x), y = positions_of(r->py, r->step_y);
    for (int i = 0; i < r->n; i += 16) {
        int n = r->n - i < 16 ? r->n - i : 16;
        __m512i px = next_positions(&x), py = next_positions(&y), good;
        window w;
        if (!window_of(r, i, i + n - 1, &w)) {
            few_pixels(r, i, n, warped, valid);
            continue;
        }
        __mmask16 there = (__mmask16)((1u << n) - 1);
        __m512i values = sixteen_pixels(r, &w, px, py, &good);
        _mm512_mask_cvtepi32_storeu_epi8(warped + i, there, values);
        _mm512_mask_cvtepi32_storeu_epi8(valid + i, there, good);
    }
}

const cpu_warp_loops cpu_warp_avx512 = {
    .warp_row = warp_row_avx512,
    .paint_row = cpu_paint_row_avx2,
};
