/* A row of pseudo motions with AVX-512: sixteen pixels at a time; masks instead of blends. Where they and their pseudo
 * motions lie in few rows of the image, those are loaded whole and permuted; gathers take the others. */
#include "flow_rows.h"

#include <immintrin.h>

static inline __m256i load(const int16_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

/* Between four pixels of each lane: those above and below are pairs, left and right. use loses the lanes of which one is
 * invalid. */
static inline __m512i between(__m512i top, __m512i bottom, __m512i px, __m512i py, __mmask16 *use) {
    const __m512i byte = _mm512_set1_epi32(255), invalid = _mm512_set1_epi16(ENDO_FLOW_INVALID);
    __m512i bad = _mm512_movm_epi16(_mm512_cmpeq_epi16_mask(_mm512_min_epi16(top, bottom), invalid));
    *use = _mm512_mask_testn_epi32_mask(*use, bad, bad);
    __m512i fx = _mm512_and_si512(_mm512_srli_epi32(px, 8), byte), fy = _mm512_and_si512(_mm512_srli_epi32(py, 8), byte);
    __m512i weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), fx), _mm512_slli_epi32(fx, 16));
    top = _mm512_madd_epi16(top, weights);
    bottom = _mm512_madd_epi16(bottom, weights);
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(top, 8), _mm512_mullo_epi32(fy, _mm512_sub_epi32(bottom, top)));
    return _mm512_srai_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(32768)), 16);
}

/* Lanes of use whose four pixels are in the image; as unsigned numbers, negative positions are too large. */
static inline __mmask16 inside(const cpu_flow_row *r, __m512i x, __m512i y, __mmask16 use) {
    use = _mm512_mask_cmplt_epu32_mask(use, x, _mm512_set1_epi32(r->width - 1));
    return _mm512_mask_cmplt_epu32_mask(use, y, _mm512_set1_epi32(r->height - 1));
}

/* Samples of places that lie anywhere. */
static inline __m512i sample(const cpu_flow_row *r, __m512i px, __m512i py, __mmask16 *use) {
    __m512i x = _mm512_srai_epi32(px, 16), y = _mm512_srai_epi32(py, 16), zero = _mm512_setzero_si512();
    *use = inside(r, x, y, *use);
    __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32((int)r->stride)), x);
    __m512i top = _mm512_mask_i32gather_epi32(zero, *use, index, r->current, 2);
    __m512i bottom = _mm512_mask_i32gather_epi32(zero, *use, index, r->current + r->stride, 2);
    return between(top, bottom, px, py, use);
}

typedef struct sums {
    __m512i x, xx, d, xd;
    int32_t n;
} sums;

/* One component's vectors that pass are those of use whose moved sample is like the reference. */
static inline void add(sums *s, __mmask16 use, __m512i xc, __m512i d) {
    __m512i low = _mm512_and_si512(xc, _mm512_set1_epi32(65535)); /* a factor of 16 bits; nothing beside it */
    s->n += __builtin_popcount(use);
    s->x = _mm512_mask_add_epi32(s->x, use, s->x, xc);
    s->xx = _mm512_mask_dpwssd_epi32(s->xx, use, low, xc);
    s->d = _mm512_mask_add_epi32(s->d, use, s->d, d);
    s->xd = _mm512_mask_dpwssd_epi32(s->xd, use, low, d);
}

static inline __mmask16 alike(__mmask16 use, __m512i moved, __m512i reference) {
    __m512i error = _mm512_abs_epi32(_mm512_sub_epi32(moved, reference));
    return _mm512_mask_cmplt_epi32_mask(use, error, _mm512_set1_epi32(ENDO_FLOW_THRESHOLD));
}

/* Sixteen pixels of the reference. slope: of both components, as differences of pixels. */
typedef struct lanes16 {
    __m512i px, py, reference, xc;
    __m256i slope[2];
    __mmask16 use;
} lanes16;

/* The whole part of n / d, where it is below 2^10: a reciprocal of 14 bits is at most one beside it. n and d are whole and
 * not negative. */
static inline __m512i whole_quotients(__m512 n, __m512 d) {
    __m512i q = _mm512_cvttps_epi32(_mm512_mul_ps(n, _mm512_rcp14_ps(d)));
    __m512 rest = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(q), d, n);
    const __m512i one = _mm512_set1_epi32(1);
    q = _mm512_mask_add_epi32(q, _mm512_cmp_ps_mask(rest, d, _CMP_GE_OQ), q, one);
    return _mm512_mask_sub_epi32(q, _mm512_cmp_ps_mask(rest, _mm512_setzero_ps(), _CMP_LT_OQ), q, one);
}

/* endo_pseudo_motion(); use loses the lanes that are not believed. */
static inline __m512i pseudo_motions(__m512i difference, __m256i slope, __mmask16 *use) {
    __m256i steep = _mm256_abs_epi16(slope);
    *use = _mm256_mask_cmp_epi16_mask(*use, steep, _mm256_set1_epi16(ENDO_FLOW_SLOPE), _MM_CMPINT_NLT);
    __m512 numerator = _mm512_cvtepi32_ps(_mm512_slli_epi32(_mm512_abs_epi32(difference), 9));
    __m512i d = whole_quotients(numerator, _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(steep)));
    *use = _mm512_mask_cmple_epi32_mask(*use, d, _mm512_set1_epi32(ENDO_FLOW_REACH));
    __mmask16 unlike = _mm512_movepi32_mask(difference) ^ _mm256_movepi16_mask(slope);
    return _mm512_mask_sub_epi32(d, (__mmask16)~unlike, _mm512_setzero_si512(), d);
}

static inline void anywhere(const cpu_flow_row *r, const lanes16 *p, sums s[2]) {
    __mmask16 use = p->use;
    __m512i difference = _mm512_sub_epi32(sample(r, p->px, p->py, &use), p->reference);
    for (int i = 0; i < 2; i++) {
        __mmask16 used = use;
        __m512i d = pseudo_motions(difference, p->slope[i], &used), shift = _mm512_slli_epi32(d, 8);
        __m512i moved = i ? sample(r, p->px, _mm512_add_epi32(p->py, shift), &used)
                          : sample(r, _mm512_add_epi32(p->px, shift), p->py, &used);
        add(&s[i], alike(used, moved, p->reference), p->xc, d);
    }
}

/* Sixteen places in one row, and their pseudo motions, are sampled from the rows of the current image from two above to
 * three below, 32 pixels of each, all in the image and valid. */
enum { REACH = ENDO_FLOW_REACH / 256, NEAR_ROWS = 2 * REACH + 2, NEAR_PIXELS = 32 };

typedef struct near_rows {
    int left, top;
    __m512i row[NEAR_ROWS];
} near_rows;

/* 0: they need something else. */
static inline int rows_near(const cpu_flow_row *r, int x, near_rows *n) {
    int x0 = (r->px + x * r->step_x) >> 16, x1 = (r->px + (x + 15) * r->step_x) >> 16;
    int y0 = (r->py + x * r->step_y) >> 16, y1 = (r->py + (x + 15) * r->step_y) >> 16;
    int room = (int)r->stride - NEAR_PIXELS, most = room < r->width - 1 ? room : r->width - 1;
    n->left = x0 < REACH ? 0 : x0 - REACH > most ? most : x0 - REACH, n->top = y0 - REACH;
    if (y0 != y1 || x1 < x0 || x1 - x0 > NEAR_PIXELS - 2 * REACH - 2 || most < 0 || n->top < 0 ||
        n->top + NEAR_ROWS > r->height)
        return 0;
    const int16_t *from = r->current + n->top * r->stride + n->left;
    __m512i least = n->row[0] = _mm512_loadu_si512(from);
    for (int i = 1; i < NEAR_ROWS; i++) {
        n->row[i] = _mm512_loadu_si512(from + i * r->stride);
        least = _mm512_min_epi16(least, n->row[i]);
    }
    return _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(ENDO_FLOW_INVALID)) == 0;
}

/* Bytes of a lane, from its lowest: -1 is 0. */
static inline __m512i bytes(__m512i v, int a, int b, int c, int d) {
    const __m128i one = _mm_setr_epi8(a, b, c, d, a + 4, b + 4 * (b >= 0), c + 4 * (c >= 0), d + 4 * (d >= 0), a + 8,
                                      b + 8 * (b >= 0), c + 8 * (c >= 0), d + 8 * (d >= 0), a + 12, b + 12 * (b >= 0),
                                      c + 12 * (c >= 0), d + 12 * (d >= 0));
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(one));
}

/* Positions from the left of the rows: which two of their pixels are a lane's, and how much they count. */
typedef struct across {
    __m512i pair, weights;
} across;

static inline across across_of(__m512i px) {
    across a = {_mm512_add_epi32(bytes(px, 2, 3, 2, 3), _mm512_set1_epi32(65536)), bytes(px, 1, -1, 1, -1)};
    a.weights = _mm512_mask_sub_epi16(a.weights, 0x55555555, _mm512_set1_epi16(256), a.weights);
    return a;
}

/* Lanes of use whose two pixels are in the image; as an unsigned number, a negative column is too large. */
static inline __mmask16 in_width(const cpu_flow_row *r, const near_rows *n, __m512i px, __mmask16 use) {
    return _mm512_mask_cmplt_epu32_mask(use, _mm512_srai_epi32(px, 16), _mm512_set1_epi32(r->width - 1 - n->left));
}

/* Between two pixels of a row, times 256, and half a unit of the result more. */
static inline __m512i in_row(__m512i row, across a) {
    return _mm512_dpwssd_epi32(_mm512_set1_epi32(128), _mm512_permutexvar_epi16(a.pair, row), a.weights);
}

static inline __m512i between_rows(__m512i top, __m512i bottom, __m512i py) {
    __m512i step = _mm512_mullo_epi32(bytes(py, 1, -1, -1, -1), _mm512_sub_epi32(bottom, top));
    return _mm512_srai_epi32(_mm512_add_epi32(_mm512_slli_epi32(top, 8), step), 16);
}

static inline void nearby(const cpu_flow_row *r, const near_rows *n, const lanes16 *p, sums s[2]) {
    __m512i px = _mm512_sub_epi32(p->px, _mm512_set1_epi32(n->left << 16));
    __m512i py = _mm512_sub_epi32(p->py, _mm512_set1_epi32(n->top << 16));
    across here = across_of(px);
    __m512i shown[NEAR_ROWS] = {[REACH] = in_row(n->row[REACH], here), [REACH + 1] = in_row(n->row[REACH + 1], here)};
    __m512i difference = _mm512_sub_epi32(between_rows(shown[REACH], shown[REACH + 1], py), p->reference);

    __mmask16 all = in_width(r, n, px, p->use), use = all;
    __m512i d = pseudo_motions(difference, p->slope[0], &use), aside = _mm512_add_epi32(px, _mm512_slli_epi32(d, 8));
    across there = across_of(aside);
    use = in_width(r, n, aside, use);
    __m512i moved = between_rows(in_row(n->row[REACH], there), in_row(n->row[REACH + 1], there), py);
    add(&s[0], alike(use, moved, p->reference), p->xc, d);

    use = all;
    d = pseudo_motions(difference, p->slope[1], &use);
    __m512i down = _mm512_add_epi32(py, _mm512_slli_epi32(d, 8)), y = _mm512_srli_epi32(down, 16);
    __m512i top = shown[0] = in_row(n->row[0], here), bottom = shown[1] = in_row(n->row[1], here);
    for (int i = 1; i < NEAR_ROWS - 1; i++) {
        if (i + 1 < REACH || i + 1 > REACH + 1) shown[i + 1] = in_row(n->row[i + 1], here);
        __mmask16 in = _mm512_cmpeq_epi32_mask(y, _mm512_set1_epi32(i));
        top = _mm512_mask_mov_epi32(top, in, shown[i]);
        bottom = _mm512_mask_mov_epi32(bottom, in, shown[i + 1]);
    }
    add(&s[1], alike(use, between_rows(top, bottom, down), p->reference), p->xc, d);
}

/* Positions of sixteen places from the x-th on. */
static inline __m512i positions(int32_t first, int32_t step, int x) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_set1_epi32(first + x * step), _mm512_mullo_epi32(lane, _mm512_set1_epi32(step)));
}

static inline void add_places(const cpu_flow_row *r, int x, sums s[2]) {
    const int16_t *p = r->reference + x;
    __m256i centre = load(p), left = load(p - 1), right = load(p + 1), up = load(p - r->stride), down = load(p + r->stride);
    __m256i least = _mm256_min_epi16(_mm256_min_epi16(left, right), _mm256_min_epi16(up, down));
    lanes16 all = {.px = positions(r->px, r->step_x, x), .py = positions(r->py, r->step_y, x)};
    int rest = r->width - 1 - x;
    all.use = _mm256_mask_cmp_epi16_mask((__mmask16)(rest < 16 ? (1 << rest) - 1 : 65535), _mm256_min_epi16(least, centre),
                                         _mm256_set1_epi16(ENDO_FLOW_INVALID), _MM_CMPINT_NLE);
    if (!all.use) return;
    near_rows near;
    all.reference = _mm512_cvtepi16_epi32(centre);
    all.xc = positions(-(r->width / 2), 1, x);
    all.slope[0] = _mm256_sub_epi16(right, left), all.slope[1] = _mm256_sub_epi16(down, up);
    if (rows_near(r, x, &near)) nearby(r, &near, &all, s);
    else anywhere(r, &all, s);
}

/* 32 pixels; differences stay below 2^15, and their sum over 2^16 pixels below 2^31. */
static inline void shift_pixels32(__m512i reference, __m512i current, __m512i *difference, int32_t *n) {
    const __m512i invalid = _mm512_set1_epi16(ENDO_FLOW_INVALID), one = _mm512_set1_epi16(1);
    __m512i less = _mm512_min_epi16(reference, current), more = _mm512_max_epi16(reference, current);
    __mmask32 use = _mm512_cmpneq_epi16_mask(less, invalid);
    *difference = _mm512_dpwssd_epi32(*difference, _mm512_maskz_sub_epi16(use, more, less), one);
    *n += __builtin_popcount(use);
}

static void shift_rows_avx512(const int16_t *reference, const int16_t *current, ptrdiff_t stride, int n, int rows,
                              endo_shift_sums *sums) {
    const __m512i invalid = _mm512_set1_epi16(ENDO_FLOW_INVALID);
    __m512i difference = _mm512_setzero_si512();
    for (int y = 0; y < rows; y++, reference += stride, current += stride)
        for (int x = 0; x < n; x += 32) {
            __mmask32 there = n - x < 32 ? (1u << (n - x)) - 1 : 0xffffffffu;
            shift_pixels32(_mm512_mask_loadu_epi16(invalid, there, reference + x), _mm512_maskz_loadu_epi16(there, current + x),
                           &difference, &sums->n);
        }
    sums->difference += _mm512_reduce_add_epi32(difference);
}

static void flow_row_avx512(const cpu_flow_row *row, cpu_flow_row_sums out[2]) {
    const __m512i zero = _mm512_setzero_si512();
    sums s[2] = {{zero, zero, zero, zero, 0}, {zero, zero, zero, zero, 0}};
    for (int x = 1; x < row->width - 1; x += 16) add_places(row, x, s);
    for (int i = 0; i < 2; i++) {
        out[i].n += s[i].n, out[i].x += _mm512_reduce_add_epi32(s[i].x);
        out[i].xx += _mm512_reduce_add_epi32(s[i].xx), out[i].d += _mm512_reduce_add_epi32(s[i].d);
        out[i].xd += _mm512_reduce_add_epi32(s[i].xd);
    }
}

const cpu_flow_loops cpu_flow_avx512 = {
    .shift_rows = shift_rows_avx512,
    .flow_row = flow_row_avx512,
};
