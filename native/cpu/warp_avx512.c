/* Warping a grey image with AVX-512. Up to 32 places whose pixels follow one another in a row are loaded as they are, as between
 * neighbouring frames nearly all do; else sixteen at a time, and where they lie in one row or two, and in 32 pixels of
 * those, the rows are loaded and permuted. */
#include "warp_rows.h"

#include <immintrin.h>

enum { WINDOW = 32 };

/* Fewer places that follow one another are not worth a load of their own. */
enum { FEW = 10 };

/* Sixteen positions along a row, as endo_position8 rounds them: 32 fractional bits, of which the upper 8 are kept with the
 * whole pixels in `high`, the other 24 in `low`. Exact: the carry goes from one to the other. */
typedef struct positions {
    __m512i high, low, step_high, step_low; /* steps of sixteen pixels */
} positions;

static inline positions positions_of(int64_t base, int64_t step) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t rounded = base + (1 << 23), advance = 16 * step;
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step & 0xffffff))));
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step >> 24))));
    positions p = {_mm512_add_epi32(high, _mm512_srli_epi32(low, 24)), _mm512_and_si512(low, _mm512_set1_epi32(0xffffff)),
                   _mm512_set1_epi32((int32_t)(advance >> 24)), _mm512_set1_epi32((int32_t)(advance & 0xffffff))};
    return p;
}

/* The present sixteen positions; goes on to the next. */
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

/* Grey levels of sixteen pixels, 32 bits each; *valid: 255 or 0 for each. */
static inline __m512i sample_pixels(const cpu_warp_row *r, const window *w, __m512i px, __m512i py, __m512i *valid) {
    const uint8_t *from = r->pixels + w->y * r->stride + w->x, *bilinear = r->bilinear + w->y * r->stride + w->x;
    const __m512i byte = _mm512_set1_epi32(255);
    __m512i x = _mm512_sub_epi32(_mm512_srai_epi32(px, 8), _mm512_set1_epi32(w->x)), fx = _mm512_and_si512(px, byte);
    __m512i pair = _mm512_add_epi32(_mm512_or_si512(x, _mm512_slli_epi32(x, 16)), _mm512_set1_epi32(65536));
    __m512i weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), fx), _mm512_slli_epi32(fx, 16));
    __m512i top = in_row(from, pair, weights), bottom = in_row(from + r->stride, pair, weights);
    *valid = _mm512_and_si512(named(bilinear, pair), byte);
    if (w->two) {
        __mmask16 lower = _mm512_cmpgt_epi32_mask(_mm512_srai_epi32(py, 8), _mm512_set1_epi32(w->y));
        top = _mm512_mask_mov_epi32(top, lower, bottom);
        bottom = _mm512_mask_mov_epi32(bottom, lower, in_row(from + 2 * r->stride, pair, weights));
        *valid = _mm512_mask_and_epi32(*valid, lower, named(bilinear + r->stride, pair), byte);
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

/* Positions along a row, where the next places begin: made anew behind places that went another way. */
typedef struct walk {
    positions x, y;
    int at;
} walk;

static void warp_few(const cpu_warp_row *r, int i, walk *w, uint8_t *warped, uint8_t *valid) {
    int n = r->n - i < 16 ? r->n - i : 16;
    window need;
    if (w->at != i)
        w->x = positions_of(r->px + i * r->step_x, r->step_x), w->y = positions_of(r->py + i * r->step_y, r->step_y);
    __m512i px = next_positions(&w->x), py = next_positions(&w->y), good;
    w->at = i + 16;
    if (!window_of(r, i, i + n - 1, &need)) {
        few_pixels(r, i, n, warped, valid);
        return;
    }
    __mmask16 there = (__mmask16)((1u << n) - 1);
    __m512i values = sample_pixels(r, &need, px, py, &good);
    _mm512_mask_cvtepi32_storeu_epi8(warped + i, there, values);
    _mm512_mask_cvtepi32_storeu_epi8(valid + i, there, good);
}

/* Of 32 places from i on, in two halves that are packed to one in order: how far each is from place i. */
typedef struct strides {
    __m512i x[2], y[2];
} strides;

static inline strides strides_of(const cpu_warp_row *r) {
    const __m512i lane[2] = {_mm512_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
                             _mm512_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)};
    strides s;
    for (int k = 0; k < 2; k++) {
        s.x[k] = _mm512_mullo_epi32(lane[k], _mm512_set1_epi32((int32_t)(uint32_t)r->step_x));
        s.y[k] = _mm512_mullo_epi32(lane[k], _mm512_set1_epi32((int32_t)(uint32_t)r->step_y));
    }
    return s;
}

/* The fractional bits of endo_position8: whole pixels may be lost. */
static inline __m512i fractions(int64_t first, const __m512i far[2]) {
    __m512i base = _mm512_set1_epi32((int32_t)(uint32_t)(uint64_t)(first + (1 << 23)));
    __m512i low = _mm512_srli_epi32(_mm512_add_epi32(base, far[0]), 24);
    return _mm512_packus_epi32(low, _mm512_srli_epi32(_mm512_add_epi32(base, far[1]), 24));
}

/* 32 pixels of a row, each between two, times 256 and less 2^15. */
static inline __m512i between(const uint8_t *pixels, __m512i fx) {
    __m512i one = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)pixels));
    __m512i other = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(pixels + 1)));
    __m512i most = _mm512_slli_epi16(_mm512_sub_epi16(one, _mm512_set1_epi16(128)), 8);
    return _mm512_add_epi16(most, _mm512_mullo_epi16(fx, _mm512_sub_epi16(other, one)));
}

/* 16-bit numbers. */
static inline __m512i bilinear(__m512i top, __m512i bottom, __m512i fy) {
    const __m512i rest = _mm512_set1_epi32((1 << 23) + 32768);
    __m512i above = _mm512_sub_epi16(_mm512_set1_epi16(256), fy);
    __m512i low = _mm512_madd_epi16(_mm512_unpacklo_epi16(top, bottom), _mm512_unpacklo_epi16(above, fy));
    __m512i high = _mm512_madd_epi16(_mm512_unpackhi_epi16(top, bottom), _mm512_unpackhi_epi16(above, fy));
    low = _mm512_srli_epi32(_mm512_add_epi32(low, rest), 16), high = _mm512_srli_epi32(_mm512_add_epi32(high, rest), 16);
    return _mm512_packus_epi32(low, high);
}

/* n places from i on that follow one another. */
static inline void following_places(const cpu_warp_row *r, int i, int n, const strides *s, uint8_t *warped, uint8_t *valid) {
    int x = pixel_at(r->px, r->step_x, i), y = pixel_at(r->py, r->step_y, i);
    __mmask32 there = n < 32 ? (1u << n) - 1 : ~0u;
    const uint8_t *from = r->pixels + y * r->stride + x;
    __builtin_prefetch(from + WARP_AHEAD * r->stride);
    __m512i fx = fractions(r->px + i * r->step_x, s->x), fy = fractions(r->py + i * r->step_y, s->y);
    __m512i values = bilinear(between(from, fx), between(from + r->stride, fx), fy);
    __m256i good = _mm256_loadu_si256((const __m256i *)(r->bilinear + y * r->stride + x));
    _mm256_mask_storeu_epi8(warped + i, there, _mm256_and_si256(_mm512_cvtepi16_epi8(values), good));
    _mm256_mask_storeu_epi8(valid + i, there, good);
}

static void warp_row_avx512(const cpu_warp_row *r, uint8_t *warped, uint8_t *valid) {
    strides s = strides_of(r);
    walk w = {.at = -1};
    for (int i = 0; i < r->n;) {
        int end = i + warp_run_from(r, i);
        if (end - i < FEW) warp_few(r, i, &w, warped, valid), end = i + 16;
        else
            for (int k = i; k < end; k += 32) following_places(r, k, end - k < 32 ? end - k : 32, &s, warped, valid);
        i = end;
    }
}

/* 32 pixels of a row at a time. */
static void comb_avx512(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int n, endo_comb_sums *out) {
    __m512i one = _mm512_setzero_si512(), two = one;
    for (int i = 0; i < n; i += 32) {
        __mmask32 keep = n - i < 32 ? (1u << (n - i)) - 1 : ~0u;
        __m256i inside = _mm256_maskz_loadu_epi8(keep, field + i);
        keep = _mm256_mask_test_epi8_mask(keep, inside, _mm256_set1_epi8(1));
        __m512i at[5];
        for (int k = 0; k < 5; k++)
            at[k] = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(keep, row + i + (k - 2) * stride));
        __m512i twice = _mm512_slli_epi16(at[2], 1);
        __m512i near = _mm512_sub_epi16(twice, _mm512_add_epi16(at[1], at[3]));
        __m512i far = _mm512_sub_epi16(twice, _mm512_add_epi16(at[0], at[4]));
        one = _mm512_dpwssd_epi32(one, near, near), two = _mm512_dpwssd_epi32(two, far, far);
        out->n += __builtin_popcount(keep);
    }
    out->one += _mm512_reduce_add_epi32(one), out->two += _mm512_reduce_add_epi32(two);
}

const cpu_warp_loops cpu_warp_avx512 = {
    .warp_row = warp_row_avx512,
    .comb = comb_avx512,
    .paint_row = cpu_paint_row_avx2,
};
