/* The flow's inner loops with AVX2: eight pixels of a row at a time. Where they lie side by side in the current image,
 * its rows are loaded; gathers, which many processors are slow at, take the others. */
#include "flow_rows.h"

#include <immintrin.h>

static inline __m256i load16(const int16_t *p) {
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
}

static inline __m256i is_valid(__m256i v) {
    return _mm256_cmpgt_epi32(v, _mm256_set1_epi32(ENDO_FLOW_INVALID));
}

/* Between four pixels of each lane: those above and below are pairs, left and right. */
static inline __m256i between(__m256i top, __m256i bottom, __m256i px, __m256i py) {
    const __m256i byte = _mm256_set1_epi32(255);
    __m256i fx = _mm256_and_si256(_mm256_srli_epi32(px, 8), byte), fy = _mm256_and_si256(_mm256_srli_epi32(py, 8), byte);
    __m256i weights = _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), fx), _mm256_slli_epi32(fx, 16));
    top = _mm256_madd_epi16(top, weights);
    bottom = _mm256_madd_epi16(bottom, weights);
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(top, 8), _mm256_mullo_epi32(fy, _mm256_sub_epi32(bottom, top)));
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
}

/* Bilinear samples where use is set; use loses the lanes that leave the image or touch an invalid pixel. */
static inline __m256i sample(const cpu_flow_row *r, __m256i px, __m256i py, __m256i *use) {
    const __m256i zero = _mm256_setzero_si256(), invalid = _mm256_set1_epi16(ENDO_FLOW_INVALID);
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
    return between(top, bottom, px, py);
}

typedef struct sums {
    __m256i n, x, xx, d, xd;
} sums;

/* Eight pixels of the reference. slope: of both components. */
typedef struct eight {
    __m256i px, py, reference, xc, slope[2], use;
} eight;

/* endo_pseudo_motion(), 0 out of use; use loses the lanes that are not believed. */
static inline __m256i pseudo_motions(__m256i difference, __m256i slope, __m256i *use) {
    *use = _mm256_and_si256(*use, _mm256_cmpgt_epi32(_mm256_abs_epi32(slope), _mm256_set1_epi32(ENDO_FLOW_SLOPE - 1)));
    __m256 numerator = _mm256_cvtepi32_ps(_mm256_slli_epi32(difference, 9));
    __m256i back = _mm256_cvttps_epi32(_mm256_div_ps(numerator, _mm256_cvtepi32_ps(slope)));
    *use = _mm256_and_si256(*use, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_FLOW_REACH + 1), _mm256_abs_epi32(back)));
    /* Lanes out of use may hold anything; a division by zero gives the smallest integer, whose absolute
     * value is itself. */
    return _mm256_and_si256(_mm256_sub_epi32(_mm256_setzero_si256(), back), *use);
}

/* The vectors that pass are those of use whose moved sample is like the reference. */
static inline void add(sums *s, const eight *p, __m256i moved, __m256i d, __m256i use) {
    __m256i error = _mm256_abs_epi32(_mm256_sub_epi32(moved, p->reference));
    use = _mm256_and_si256(use, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_FLOW_THRESHOLD), error));
    __m256i xc = _mm256_and_si256(p->xc, use), low = _mm256_and_si256(xc, _mm256_set1_epi32(65535));
    d = _mm256_and_si256(d, use);
    s->n = _mm256_sub_epi32(s->n, use);
    s->x = _mm256_add_epi32(s->x, xc);
    s->xx = _mm256_add_epi32(s->xx, _mm256_madd_epi16(low, xc)); /* factors of 16 bits; nothing beside the first */
    s->d = _mm256_add_epi32(s->d, d);
    s->xd = _mm256_add_epi32(s->xd, _mm256_madd_epi16(low, d));
}

static inline void anywhere(const cpu_flow_row *r, const eight *p, sums s[2]) {
    __m256i use = p->use, difference = _mm256_sub_epi32(sample(r, p->px, p->py, &use), p->reference);
    for (int i = 0; i < 2; i++) {
        __m256i used = use, d = pseudo_motions(difference, p->slope[i], &used), shift = _mm256_slli_epi32(d, 8);
        __m256i moved = i ? sample(r, p->px, _mm256_add_epi32(p->py, shift), &used)
                          : sample(r, _mm256_add_epi32(p->px, shift), p->py, &used);
        add(&s[i], p, moved, d, used);
    }
}

/* Eight places side by side, and those that they move to in their row, are sampled from 16 pixels of a row of the current
 * image and of the row below, all in the image and valid. */
enum { REACH = ENDO_FLOW_REACH / 256, NEAR_PIXELS = 16 };

/* The first of those pixels; NULL: the places need others, too. */
static inline const int16_t *pixels_near(const cpu_flow_row *r, int x) {
    int x0 = (r->px + x * r->step_x) >> 16, x1 = (r->px + (x + 7) * r->step_x) >> 16, left = x0 - REACH;
    int y0 = (r->py + x * r->step_y) >> 16, y1 = (r->py + (x + 7) * r->step_y) >> 16;
    if (y0 != y1 || x1 - x0 != 7 || left < 0 || x1 + REACH + 1 >= r->width || left + NEAR_PIXELS > r->stride || y0 < 0 ||
        y0 + 1 >= r->height)
        return NULL;
    const int16_t *from = r->current + y0 * r->stride + left;
    __m256i least = _mm256_min_epi16(_mm256_loadu_si256((const __m256i *)from),
                                     _mm256_loadu_si256((const __m256i *)(from + r->stride)));
    __m256i bad = _mm256_cmpeq_epi16(least, _mm256_set1_epi16(ENDO_FLOW_INVALID));
    return _mm256_testz_si256(bad, bad) ? from : NULL;
}

/* Eight pixels from p on, each with the one to its right. */
static inline __m256i pairs_at(const int16_t *p) {
    __m128i left = _mm_loadu_si128((const __m128i *)p), right = _mm_loadu_si128((const __m128i *)(p + 1));
    return _mm256_set_m128i(_mm_unpackhi_epi16(left, right), _mm_unpacklo_epi16(left, right));
}

/* The pixels at columns x, 0..15, of the sixteen from p on, each with the one to its right. */
static inline __m256i pairs_of(const int16_t *p, __m256i x) {
    __m256i half = _mm256_srli_epi32(x, 1), odd = _mm256_slli_epi32(x, 31);
    __m256i even = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)p), half);
    __m256i other = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(p + 1)), half);
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(even), _mm256_castsi256_ps(other), _mm256_castsi256_ps(odd)));
}

static inline void nearby(const cpu_flow_row *r, const eight *p, const int16_t *from, int x, sums s[2]) {
    const int16_t *below = from + r->stride;
    int left = ((r->px + x * r->step_x) >> 16) - REACH;
    __m256i here = between(pairs_at(from + REACH), pairs_at(below + REACH), p->px, p->py);
    __m256i difference = _mm256_sub_epi32(here, p->reference), use = p->use;
    __m256i d = pseudo_motions(difference, p->slope[0], &use), px = _mm256_add_epi32(p->px, _mm256_slli_epi32(d, 8));
    __m256i column = _mm256_sub_epi32(_mm256_srai_epi32(px, 16), _mm256_set1_epi32(left));
    add(&s[0], p, between(pairs_of(from, column), pairs_of(below, column), px, p->py), d, use);
    use = p->use;
    d = pseudo_motions(difference, p->slope[1], &use);
    __m256i moved = sample(r, p->px, _mm256_add_epi32(p->py, _mm256_slli_epi32(d, 8)), &use);
    add(&s[1], p, moved, d, use);
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
    eight all = {_mm256_add_epi32(_mm256_set1_epi32(r->px), _mm256_mullo_epi32(column, _mm256_set1_epi32(r->step_x))),
                 _mm256_add_epi32(_mm256_set1_epi32(r->py), _mm256_mullo_epi32(column, _mm256_set1_epi32(r->step_y))),
                 centre,
                 _mm256_sub_epi32(column, _mm256_set1_epi32(r->width / 2)),
                 {_mm256_sub_epi32(right, left), _mm256_sub_epi32(down, up)},
                 use};
    const int16_t *near = pixels_near(r, x);
    if (near) nearby(r, &all, near, x, s);
    else anywhere(r, &all, s);
}

/* Sixteen pixels at a time; differences stay below 2^15, and their sum over 2^16 pixels below 2^31. */
static void shift_rows_avx2(const int16_t *reference, const int16_t *current, ptrdiff_t stride, int n, int rows,
                            endo_shift_sums *sums) {
    const __m256i invalid = _mm256_set1_epi16(ENDO_FLOW_INVALID), one = _mm256_set1_epi16(1);
    __m256i difference = _mm256_setzero_si256(), count = difference;
    int whole = n & ~15;
    for (int y = 0; y < rows; y++, reference += stride, current += stride) {
        for (int x = 0; x < whole; x += 16) {
            __m256i r = _mm256_loadu_si256((const __m256i *)(reference + x)), c = _mm256_loadu_si256((const __m256i *)(current + x));
            __m256i less = _mm256_min_epi16(r, c), bad = _mm256_cmpeq_epi16(less, invalid);
            __m256i apart = _mm256_andnot_si256(bad, _mm256_sub_epi16(_mm256_max_epi16(r, c), less));
            difference = _mm256_add_epi32(difference, _mm256_madd_epi16(apart, one));
            count = _mm256_add_epi32(count, _mm256_madd_epi16(_mm256_andnot_si256(bad, one), one));
        }
        shift_pixels(reference + whole, current + whole, n - whole, sums);
    }
    sums->difference += total(difference), sums->n += total(count);
}

static void flow_row_avx2(const cpu_flow_row *row, cpu_flow_row_sums out[2]) {
    const __m256i zero = _mm256_setzero_si256();
    sums s[2] = {{zero, zero, zero, zero, zero}, {zero, zero, zero, zero, zero}};
    for (int x = 1; x < row->width - 1; x += 8) eight_pixels(row, x, s);
    for (int i = 0; i < 2; i++) store_sums(&s[i], &out[i]);
}

const cpu_flow_loops cpu_flow_avx2 = {
    .shift_rows = shift_rows_avx2,
    .flow_row = flow_row_avx2,
};
