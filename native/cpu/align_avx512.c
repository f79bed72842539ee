/* The alignment's inner loops with AVX-512 VNNI: 32 pixels at a time. Where no value is invalid, masks are not looked for. */
#include "align_rows.h"

#include <immintrin.h>

/* Pixels of a step. */
#define STEP 32

ALWAYS_INLINE __m512i load(const int16_t *p) { return _mm512_loadu_si512(p); }

/* ----------------------------------------------------------------- products */

/* Lanes of 64 bits: of the sums of the numbers, then of their products. */
typedef struct totals {
    __m512i of[ENDO_ALIGN_NUMBERS + ENDO_ALIGN_PRODUCTS];
} totals;

ALWAYS_INLINE __m512i widened(__m512i total, __m512i lanes) {
    __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
    __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(lanes, 1));
    return _mm512_add_epi64(total, _mm512_add_epi64(low, high));
}

/* All products of a list in one pass, whose sums stay in registers; the list is empty then. */
static void add_products(align_list *list, totals *t) {
    const __m512i one = _mm512_set1_epi16(1);
    __m512i sums[ENDO_ALIGN_NUMBERS], products[ENDO_ALIGN_PRODUCTS];
#pragma GCC unroll 6
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) sums[i] = _mm512_setzero_si512();
#pragma GCC unroll 21
    for (int i = 0; i < ENDO_ALIGN_PRODUCTS; i++) products[i] = _mm512_setzero_si512();
    for (int k = 0; k < ENDO_ALIGN_NUMBERS; k++) _mm512_storeu_si512(&list->numbers[k][list->n], _mm512_setzero_si512());
    for (int at = 0; at < list->n; at += STEP) {
#pragma GCC unroll 6
        for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) {
            __m512i own = load(list->numbers[i] + at);
            sums[i] = _mm512_dpwssd_epi32(sums[i], own, one);
#pragma GCC unroll 6
            for (int k = i; k < ENDO_ALIGN_NUMBERS; k++) {
                __m512i *product = &products[endo_align_index(i, k)];
                *product = _mm512_dpwssd_epi32(*product, own, load(list->numbers[k] + at));
            }
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) t->of[i] = widened(t->of[i], sums[i]);
#pragma GCC unroll 21
    for (int i = 0; i < ENDO_ALIGN_PRODUCTS; i++)
        t->of[ENDO_ALIGN_NUMBERS + i] = widened(t->of[ENDO_ALIGN_NUMBERS + i], products[i]);
    list->n = 0;
}

static void take_totals(const totals *t, endo_align_sums *s) {
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) s->sum[i] += _mm512_reduce_add_epi64(t->of[i]);
    for (int i = 0; i < ENDO_ALIGN_PRODUCTS; i++) s->product[i] += _mm512_reduce_add_epi64(t->of[ENDO_ALIGN_NUMBERS + i]);
}

/* ------------------------------------------------------------------ numbers */

/* Multiples of a step along a row: what 0..31 pixels add to both parts of a position. */
typedef struct steps {
    __m512i high[2], low[2];
} steps;

ALWAYS_INLINE steps steps_of(int64_t step) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    align_places p = places_from(0, step);
    steps s;
    for (int i = 0; i < 2; i++) {
        __m512i lane = _mm512_add_epi32(first, _mm512_set1_epi32(16 * i));
        s.high[i] = _mm512_mullo_epi32(lane, _mm512_set1_epi32(p.step_high));
        s.low[i] = _mm512_mullo_epi32(lane, _mm512_set1_epi32(p.step_low));
    }
    return s;
}

/* place8() of sixteen pixels. */
ALWAYS_INLINE __m512i places8(const align_places *p, const steps *s, int half) {
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32(p->low), s->low[half]);
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32(p->high), s->high[half]);
    return _mm512_add_epi32(high, _mm512_srli_epi32(low, 24));
}

/* The current image at sixteen places; use loses the lanes where one of the four pixels around is invalid. */
ALWAYS_INLINE __m256i sample(const cpu_align_rows *r, __m512i px, __m512i py, __mmask16 *use, int is_whole) {
    const __m512i byte = _mm512_set1_epi32(255), zero = _mm512_setzero_si512();
    __m512i row = _mm512_mullo_epi32(_mm512_srai_epi32(py, 8), _mm512_set1_epi32((int32_t)r->current_stride));
    __m512i at = _mm512_add_epi32(row, _mm512_srai_epi32(px, 8));
    __m512i top = _mm512_mask_i32gather_epi32(zero, *use, at, r->current, 2);
    __m512i bottom = _mm512_mask_i32gather_epi32(zero, *use, at, r->current + r->current_stride, 2);
    if (!is_whole) {
        const __m512i invalid = _mm512_set1_epi16(ENDO_FOURIER_INVALID);
        __m512i bad = _mm512_movm_epi16(_mm512_cmpeq_epi16_mask(_mm512_min_epi16(top, bottom), invalid));
        *use = _mm512_mask_testn_epi32_mask(*use, bad, bad);
    }
    __m512i fx = _mm512_and_si512(px, byte), fy = _mm512_and_si512(py, byte);
    __m512i weights = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), fx), _mm512_slli_epi32(fx, 16));
    top = _mm512_madd_epi16(top, weights);
    bottom = _mm512_madd_epi16(bottom, weights);
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(top, 8), _mm512_mullo_epi32(fy, _mm512_sub_epi32(bottom, top)));
    return _mm512_cvtepi32_epi16(_mm512_srai_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(32768)), 16));
}

/* (gx * first + gy * second) >> 8, where the factors are interleaved: first and second of eight pixels in each half. */
ALWAYS_INLINE __m512i turned(__m512i gx, __m512i gy, __m512i low, __m512i high) {
    __m512i a = _mm512_madd_epi16(_mm512_unpacklo_epi16(gx, gy), low);
    __m512i b = _mm512_madd_epi16(_mm512_unpackhi_epi16(gx, gy), high);
    return _mm512_packs_epi32(_mm512_srai_epi32(a, 8), _mm512_srai_epi32(b, 8));
}

ALWAYS_INLINE __mmask32 valid(__mmask32 use, __m512i values) {
    return _mm512_mask_cmpneq_epi16_mask(use, values, _mm512_set1_epi16(ENDO_FOURIER_INVALID));
}

/* Lists the first n <= STEP pixels of a row from `from` on. */
ALWAYS_INLINE void list_step(const cpu_align_rows *r, const cpu_align_row *row, const align_places *px,
                             const align_places *py, const steps *across, const steps *down, int from, int n,
                             align_list *list, endo_align_sums *s, int is_whole) {
    __mmask32 use = n < STEP ? ((__mmask32)1 << n) - 1 : ~(__mmask32)0;
    __mmask16 first = (__mmask16)use, last = (__mmask16)(use >> 16);
    const int16_t *p = r->reference + row->y * r->reference_stride + from;
    __m512i middle = _mm512_maskz_loadu_epi16(use, p), left = _mm512_maskz_loadu_epi16(use, p - 1);
    __m512i right = _mm512_maskz_loadu_epi16(use, p + 1), up = _mm512_maskz_loadu_epi16(use, p - r->reference_stride);
    __m512i below = _mm512_maskz_loadu_epi16(use, p + r->reference_stride);
    __m256i one = sample(r, places8(px, across, 0), places8(py, down, 0), &first, is_whole);
    __m256i two = sample(r, places8(px, across, 1), places8(py, down, 1), &last, is_whole);
    __m512i current = _mm512_inserti64x4(_mm512_castsi256_si512(one), two, 1);
    __m512i gx = _mm512_sub_epi16(right, left), gy = _mm512_sub_epi16(below, up);
    if (!is_whole) {
        use = (__mmask32)first | (__mmask32)last << 16;
        use = valid(valid(valid(valid(valid(use, middle), left), right), up), below);
        gx = _mm512_maskz_mov_epi16(use, gx), gy = _mm512_maskz_mov_epi16(use, gy);
        middle = _mm512_maskz_mov_epi16(use, middle), current = _mm512_maskz_mov_epi16(use, current);
    }
    __m512i x = _mm512_maskz_loadu_epi16(use, r->columns + from), y = _mm512_set1_epi16((int16_t)row->coordinate);
    __m512i minus_y = _mm512_set1_epi16((int16_t)-row->coordinate);
    __m512i growth = turned(gx, gy, _mm512_unpacklo_epi16(x, y), _mm512_unpackhi_epi16(x, y));
    __m512i turn = turned(gx, gy, _mm512_unpacklo_epi16(minus_y, x), _mm512_unpackhi_epi16(minus_y, x));
    const __m512i numbers[ENDO_ALIGN_NUMBERS] = {gx, gy, growth, turn, middle, current};
    for (int k = 0; k < ENDO_ALIGN_NUMBERS; k++) _mm512_storeu_si512(&list->numbers[k][list->n], numbers[k]);
    s->n += is_whole ? n : __builtin_popcount(use);
    list->n += n;
}

ALWAYS_INLINE void add_all(const cpu_align_rows *r, endo_align_sums *s, int is_whole) {
    const int64_t *m = r->map;
    steps across = steps_of(m[0]), down = steps_of(m[3]);
    align_list list;
    totals t;
    memset(&t, 0, sizeof t);
    list.n = 0;
    for (int k = 0; k < r->n; k++) {
        const cpu_align_row *row = &r->rows[k];
        for (int from = row->from; from < row->to; from += STEP) {
            align_places px = places_from(m[0] * from + m[1] * row->y + m[2], 0);
            align_places py = places_from(m[3] * from + m[4] * row->y + m[5], 0);
            int n = row->to - from < STEP ? row->to - from : STEP;
            list_step(r, row, &px, &py, &across, &down, from, n, &list, s, is_whole);
            if (list.n > ALIGN_MOST - STEP) add_products(&list, &t);
        }
    }
    add_products(&list, &t);
    take_totals(&t, s);
}

static void add_rows(const cpu_align_rows *rows, endo_align_sums *sums) {
    if (rows->is_whole)
        add_all(rows, sums, 1);
    else
        add_all(rows, sums, 0);
}

const cpu_align_loops cpu_align_avx512 = {.add_rows = add_rows};
