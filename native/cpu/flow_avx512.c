/* A row of pseudo motions with AVX-512: sixteen pixels at a time; masks instead of blends. */
#include "flow_rows.h"

#include <immintrin.h>

static inline __m512i load16(const int16_t *p) {
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

static inline __mmask16 is_valid(__m512i v) {
    return _mm512_cmpgt_epi32_mask(v, _mm512_set1_epi32(ENDO_FLOW_INVALID));
}

/* Lanes whose two 16-bit halves are both valid pixels. */
static inline __mmask16 both_valid(__mmask16 use, __m512i pixels) {
    __mmask32 bad = _mm512_cmpeq_epi16_mask(pixels, _mm512_set1_epi16(ENDO_FLOW_INVALID));
    __m512i flags = _mm512_movm_epi16(bad);
    return _mm512_mask_testn_epi32_mask(use, flags, flags);
}

/* Bilinear samples where use is set; use loses the lanes that leave the image or touch an invalid pixel. */
static inline __m512i sample(const cpu_flow_row *r, __m512i px, __m512i py, __mmask16 *use) {
    const __m512i zero = _mm512_setzero_si512(), byte = _mm512_set1_epi32(255);
    __m512i x = _mm512_srai_epi32(px, 16), y = _mm512_srai_epi32(py, 16);
    __mmask16 mask = *use; /* as unsigned numbers, negative positions are too large */
    mask = _mm512_mask_cmplt_epu32_mask(mask, x, _mm512_set1_epi32(r->width - 1));
    mask = _mm512_mask_cmplt_epu32_mask(mask, y, _mm512_set1_epi32(r->height - 1));
    __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32((int)r->stride)), x);
    __m512i top = _mm512_mask_i32gather_epi32(zero, mask, index, r->current, 2);
    __m512i bottom = _mm512_mask_i32gather_epi32(zero, mask, index, r->current + r->stride, 2);
    *use = both_valid(both_valid(mask, top), bottom);
    __m512i fx = _mm512_and_si512(_mm512_srli_epi32(px, 8), byte), fy = _mm512_and_si512(_mm512_srli_epi32(py, 8), byte);
    __m512i weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), fx), _mm512_slli_epi32(fx, 16));
    top = _mm512_madd_epi16(top, weights);
    bottom = _mm512_madd_epi16(bottom, weights);
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(top, 8), _mm512_mullo_epi32(fy, _mm512_sub_epi32(bottom, top)));
    return _mm512_srai_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(32768)), 16);
}

typedef struct sums {
    __m512i n, x, xx, d, xd;
} sums;

static inline void component(const cpu_flow_row *r, __m512i px, __m512i py, int vertical, __m512i reference,
                             __m512i difference, __m512i slope, __m512i xc, __mmask16 use, sums *s) {
    use = _mm512_mask_cmpge_epi32_mask(use, _mm512_abs_epi32(slope), _mm512_set1_epi32(ENDO_FLOW_SLOPE));
    if (!use) return;
    __m512 numerator = _mm512_cvtepi32_ps(_mm512_mullo_epi32(difference, _mm512_set1_epi32(-512)));
    __m512i d = _mm512_cvttps_epi32(_mm512_maskz_div_ps(use, numerator, _mm512_cvtepi32_ps(slope)));
    use = _mm512_mask_cmple_epi32_mask(use, _mm512_abs_epi32(d), _mm512_set1_epi32(ENDO_FLOW_REACH));
    __m512i shift = _mm512_slli_epi32(d, 8);
    __m512i moved = vertical ? sample(r, px, _mm512_add_epi32(py, shift), &use)
                             : sample(r, _mm512_add_epi32(px, shift), py, &use);
    __m512i error = _mm512_abs_epi32(_mm512_sub_epi32(moved, reference));
    use = _mm512_mask_cmplt_epi32_mask(use, error, _mm512_set1_epi32(ENDO_FLOW_THRESHOLD));
    s->n = _mm512_mask_add_epi32(s->n, use, s->n, _mm512_set1_epi32(1));
    s->x = _mm512_mask_add_epi32(s->x, use, s->x, xc);
    s->xx = _mm512_mask_add_epi32(s->xx, use, s->xx, _mm512_mullo_epi32(xc, xc));
    s->d = _mm512_mask_add_epi32(s->d, use, s->d, d);
    s->xd = _mm512_mask_add_epi32(s->xd, use, s->xd, _mm512_mullo_epi32(xc, d));
}

static inline void sixteen_pixels(const cpu_flow_row *r, int x, sums s[2]) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int16_t *p = r->reference + x;
    __m512i centre = load16(p), left = load16(p - 1), right = load16(p + 1);
    __m512i up = load16(p - r->stride), down = load16(p + r->stride);
    __m512i column = _mm512_add_epi32(_mm512_set1_epi32(x), lane);
    __mmask16 use = is_valid(centre) & is_valid(left) & is_valid(right) & is_valid(up) & is_valid(down);
    use = _mm512_mask_cmplt_epi32_mask(use, column, _mm512_set1_epi32(r->width - 1));
    if (!use) return;
    __m512i px = _mm512_add_epi32(_mm512_set1_epi32(r->px), _mm512_mullo_epi32(column, _mm512_set1_epi32(r->step_x)));
    __m512i py = _mm512_add_epi32(_mm512_set1_epi32(r->py), _mm512_mullo_epi32(column, _mm512_set1_epi32(r->step_y)));
    __m512i difference = _mm512_sub_epi32(sample(r, px, py, &use), centre);
    __m512i xc = _mm512_sub_epi32(column, _mm512_set1_epi32(r->width / 2));
    component(r, px, py, 0, centre, difference, _mm512_sub_epi32(right, left), xc, use, &s[0]);
    component(r, px, py, 1, centre, difference, _mm512_sub_epi32(down, up), xc, use, &s[1]);
}

static void shift_row_avx512(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums) {
    shift_pixels(reference, current, n, sums);
}

static void flow_row_avx512(const cpu_flow_row *row, cpu_flow_row_sums out[2]) {
    const __m512i zero = _mm512_setzero_si512();
    sums s[2] = {{zero, zero, zero, zero, zero}, {zero, zero, zero, zero, zero}};
    for (int x = 1; x < row->width - 1; x += 16) sixteen_pixels(row, x, s);
    for (int i = 0; i < 2; i++) {
        out[i].n += _mm512_reduce_add_epi32(s[i].n), out[i].x += _mm512_reduce_add_epi32(s[i].x);
        out[i].xx += _mm512_reduce_add_epi32(s[i].xx), out[i].d += _mm512_reduce_add_epi32(s[i].d);
        out[i].xd += _mm512_reduce_add_epi32(s[i].xd);
    }
}

const cpu_flow_loops cpu_flow_avx512 = {
    .shift_row = shift_row_avx512,
    .flow_row = flow_row_avx512,
};
