/* The flow's inner loops with AVX2: eight pixels of a row at a time. */
#include "flow_rows.h"

#include <immintrin.h>

static inline __m256i load16(const int16_t *p) {
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
}

static inline __m256i is_valid(__m256i v) {
    return _mm256_cmpgt_epi32(v, _mm256_set1_epi32(ENDO_FLOW_INVALID));
}

/* Bilinear samples where use is set; use loses the lanes that leave the image or touch an invalid pixel. */
static inline __m256i sample(const cpu_flow_row *r, __m256i px, __m256i py, __m256i *use) {
    const __m256i zero = _mm256_setzero_si256(), byte = _mm256_set1_epi32(255);
    const __m256i invalid = _mm256_set1_epi16(ENDO_FLOW_INVALID);
    __m256i x = _mm256_srai_epi32(px, 16), y = _mm256_srai_epi32(py, 16);
    __m256i outside = _mm256_or_si256(_mm256_cmpgt_epi32(zero, x), _mm256_cmpgt_epi32(zero, y));
    __m256i inside = _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(r->width - 1), x),
                                      _mm256_cmpgt_epi32(_mm256_set1_epi32(r->height - 1), y));
    __m256i mask = _mm256_and_si256(*use, _mm256_andnot_si256(outside, inside));
    __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32((int)r->stride)), x);
    __m256i top = _mm256_mask_i32gather_epi32(zero, (const int *)r->current, index, mask, 2);
    __m256i bottom = _mm256_mask_i32gather_epi32(zero, (const int *)(r->current + r->stride), index, mask, 2);
    __m256i bad = _mm256_or_si256(_mm256_cmpeq_epi16(top, invalid), _mm256_cmpeq_epi16(bottom, invalid));
    *use = _mm256_and_si256(mask, _mm256_cmpeq_epi32(bad, zero));
    __m256i fx = _mm256_and_si256(_mm256_srli_epi32(px, 8), byte), fy = _mm256_and_si256(_mm256_srli_epi32(py, 8), byte);
    __m256i weights = _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), fx), _mm256_slli_epi32(fx, 16));
    top = _mm256_madd_epi16(top, weights);
    bottom = _mm256_madd_epi16(bottom, weights);
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(top, 8), _mm256_mullo_epi32(fy, _mm256_sub_epi32(bottom, top)));
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
}

typedef struct sums {
    __m256i n, x, xx, d, xd;
} sums;

static inline void component(const cpu_flow_row *r, __m256i px, __m256i py, int vertical, __m256i reference,
                             __m256i difference, __m256i slope, __m256i xc, __m256i use, sums *s) {
    use = _mm256_and_si256(use, _mm256_cmpgt_epi32(_mm256_abs_epi32(slope), _mm256_set1_epi32(ENDO_FLOW_SLOPE - 1)));
    if (_mm256_testz_si256(use, use)) return;
    __m256 numerator = _mm256_cvtepi32_ps(_mm256_mullo_epi32(difference, _mm256_set1_epi32(-512)));
    __m256i d = _mm256_cvttps_epi32(_mm256_div_ps(numerator, _mm256_cvtepi32_ps(slope)));
    use = _mm256_and_si256(use, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_FLOW_REACH + 1), _mm256_abs_epi32(d)));
    /* Lanes out of use may hold anything; a division by zero gives the smallest integer, whose absolute
     * value is itself. */
    d = _mm256_and_si256(d, use);
    __m256i shift = _mm256_slli_epi32(d, 8);
    __m256i moved = vertical ? sample(r, px, _mm256_add_epi32(py, shift), &use)
                             : sample(r, _mm256_add_epi32(px, shift), py, &use);
    __m256i error = _mm256_abs_epi32(_mm256_sub_epi32(moved, reference));
    use = _mm256_and_si256(use, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_FLOW_THRESHOLD), error));
    xc = _mm256_and_si256(xc, use);
    d = _mm256_and_si256(d, use);
    s->n = _mm256_sub_epi32(s->n, use);
    s->x = _mm256_add_epi32(s->x, xc);
    s->xx = _mm256_add_epi32(s->xx, _mm256_mullo_epi32(xc, xc));
    s->d = _mm256_add_epi32(s->d, d);
    s->xd = _mm256_add_epi32(s->xd, _mm256_mullo_epi32(xc, d));
}

static int32_t total(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

static void store_sums(const sums *in, cpu_flow_row_sums *out) {
    out->n += total(in->n), out->x += total(in->x), out->xx += total(in->xx);
    out->d += total(in->d), out->xd += total(in->xd);
}

static inline void eight_pixels(const cpu_flow_row *r, int x, sums s[2]) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const int16_t *p = r->reference + x;
    __m256i centre = load16(p), left = load16(p - 1), right = load16(p + 1);
    __m256i up = load16(p - r->stride), down = load16(p + r->stride);
    __m256i use = _mm256_and_si256(is_valid(centre), _mm256_and_si256(is_valid(left), is_valid(right)));
    use = _mm256_and_si256(use, _mm256_and_si256(is_valid(up), is_valid(down)));
    __m256i column = _mm256_add_epi32(_mm256_set1_epi32(x), lane);
    use = _mm256_and_si256(use, _mm256_cmpgt_epi32(_mm256_set1_epi32(r->width - 1), column));
    if (_mm256_testz_si256(use, use)) return;
    __m256i px = _mm256_add_epi32(_mm256_set1_epi32(r->px), _mm256_mullo_epi32(column, _mm256_set1_epi32(r->step_x)));
    __m256i py = _mm256_add_epi32(_mm256_set1_epi32(r->py), _mm256_mullo_epi32(column, _mm256_set1_epi32(r->step_y)));
    __m256i difference = _mm256_sub_epi32(sample(r, px, py, &use), centre);
    __m256i xc = _mm256_sub_epi32(column, _mm256_set1_epi32(r->width / 2));
    component(r, px, py, 0, centre, difference, _mm256_sub_epi32(right, left), xc, use, &s[0]);
    component(r, px, py, 1, centre, difference, _mm256_sub_epi32(down, up), xc, use, &s[1]);
}

static void flow_row_avx2(const cpu_flow_row *row, cpu_flow_row_sums out[2]) {
    const __m256i zero = _mm256_setzero_si256();
    sums s[2] = {{zero, zero, zero, zero, zero}, {zero, zero, zero, zero, zero}};
    for (int x = 1; x < row->width - 1; x += 8) eight_pixels(row, x, s);
    for (int i = 0; i < 2; i++) store_sums(&s[i], &out[i]);
}

const cpu_flow_loops cpu_flow_avx2 = {
    .shift_rows = shift_by_rows,
    .flow_row = flow_row_avx2,
};
