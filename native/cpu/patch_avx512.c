/* The loops over patches in AVX-512: a row of any patch at a time. */
#include "patch_rows.h"

#include <immintrin.h>

/* The first n lanes. */
static inline __mmask32 first_lanes(int n) { return n < 32 ? (1u << n) - 1 : ~0u; }

static inline __m512i load(__mmask32 wanted, const int16_t *p) { return _mm512_maskz_loadu_epi16(wanted, p); }

static const int16_t lane[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* endo_patch_off_middle of all columns. */
static inline __m512i columns_off_middle(int side) {
    return _mm512_sub_epi16(_mm512_slli_epi16(_mm512_loadu_si512(lane), 1), _mm512_set1_epi16((int16_t)(side - 1)));
}

/* 8 fractional bits of the places of a row, for multiplying: 128 of them are a whole. */
static inline __m512i fractions(int32_t at, int32_t step) {
    __m512i steps = _mm512_mullo_epi16(_mm512_loadu_si512(lane), _mm512_set1_epi16((int16_t)step));
    __m512i place = _mm512_add_epi16(_mm512_set1_epi16((int16_t)(at + 128)), steps);
    return _mm512_slli_epi16(_mm512_srli_epi16(place, 8), 7);
}

/* endo_patch_mix */
static inline __m512i mix(__m512i a, __m512i b, __m512i f) {
    return _mm512_add_epi16(a, _mm512_mulhrs_epi16(_mm512_sub_epi16(b, a), f));
}

static inline __m512i fine(__m512i v) { return _mm512_slli_epi16(v, ENDO_PATCH_FINE_BITS); }

static inline __mmask32 has_value(__mmask32 of, __m512i v) {
    return _mm512_mask_cmpgt_epi16_mask(of, v, _mm512_set1_epi16(ENDO_PATCH_INVALID));
}

/* The pixels of a row, and beside them those along the row or the columns: before them and behind, nearer ones first. */
typedef struct patch_line {
    __m512i before, behind, far_before, far_behind;
} patch_line;

static inline patch_line line_of(__mmask32 wanted, const int16_t *p, ptrdiff_t way) {
    patch_line l = {load(wanted, p - way), load(wanted, p + way), load(wanted, p - 2 * way), load(wanted, p + 2 * way)};
    return l;
}

/* Of those that have to have a value. */
static inline __m512i least_of(const patch_line *l) {
    return _mm512_min_epi16(l->before, l->behind);
}

/* endo_patch_lean where it is known, fractions as above */
static inline __m512i lean(const patch_line *l, __m512i f, __m512i blunt) {
    __m512i rest = _mm512_sub_epi16(_mm512_set1_epi16(128), _mm512_srli_epi16(f, 7));
    __m512i lopsided = _mm512_mulhrs_epi16(_mm512_mullo_epi16(blunt, rest), _mm512_set1_epi16(2731));
    __m512i near = _mm512_sub_epi16(l->behind, l->before), far = _mm512_sub_epi16(l->far_behind, l->far_before);
    __m512i third = _mm512_sub_epi16(far, _mm512_add_epi16(near, near));
    __mmask32 known = has_value(~(__mmask32)0, _mm512_min_epi16(l->far_before, l->far_behind));
    return _mm512_maskz_mulhrs_epi16(known, _mm512_slli_epi16(third, 3), lopsided);
}

/* endo_patch_change */
static inline __m512i change(const patch_line *l, __m512i here, __m512i f, int upright) {
    __m512i part = _mm512_srli_epi16(f, 7), rest = _mm512_sub_epi16(_mm512_set1_epi16(256), part);
    __m512i blunt = _mm512_srli_epi16(_mm512_mullo_epi16(part, rest), 7);
    __m512i second = _mm512_sub_epi16(_mm512_add_epi16(l->before, l->behind), _mm512_add_epi16(here, here));
    __m512i bend = _mm512_mulhrs_epi16(_mm512_slli_epi16(second, 4), _mm512_slli_epi16(blunt, 5));
    return upright ? _mm512_add_epi16(bend, lean(l, f, blunt)) : bend;
}

/* Between the pixels of a run; *counts: its places that have a value, as well as those that did before. */
static inline __m512i sample(const cpu_patch_row *r, const patch_run *run, __m512i fx, __m512i fy, __m512i before,
                             __mmask32 *counts) {
    __mmask32 wanted = first_lanes(run->to) & ~first_lanes(run->from);
    const int16_t *top = run->first, *bottom = top + r->stride;
    __m512i a = load(wanted, top), b = load(wanted, top + 1), c = load(wanted, bottom), d = load(wanted, bottom + 1);
    __m512i between = mix(mix(fine(a), fine(b), fx), mix(fine(c), fine(d), fx), fy);
    between = _mm512_srai_epi16(_mm512_add_epi16(between, _mm512_set1_epi16(ENDO_PATCH_FINE / 2)), ENDO_PATCH_FINE_BITS);
    *counts |= has_value(wanted, _mm512_min_epi16(_mm512_min_epi16(a, b), _mm512_min_epi16(c, d)));
    return _mm512_mask_mov_epi16(before, wanted, between);
}

static inline void store(__mmask32 counts, __m512i v, int16_t *to) {
    _mm512_storeu_si512(to, _mm512_maskz_mov_epi16(counts, v));
}

static int row_avx512(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    __m512i fx = fractions(r->at[0], r->step[0]), fy = fractions(r->at[1], r->step[1]), c = _mm512_setzero_si512();
    __mmask32 all = first_lanes(r->side), counts = 0;
    for (int i = 0; i < r->side;) {
        patch_run run = patch_run_from(r, i);
        if (run.from < run.to) c = sample(r, &run, fx, fy, c, &counts);
        i = run.next;
    }
    const int16_t *p = r->reference;
    patch_line across = line_of(all, p, 1), down = line_of(all, p, r->stride);
    __m512i here = load(all, p), least = _mm512_min_epi16(least_of(&across), least_of(&down));
    counts = has_value(counts, _mm512_min_epi16(least, here));
    store(counts, _mm512_sub_epi16(across.behind, across.before), numbers->of[0] + to);
    store(counts, _mm512_sub_epi16(down.behind, down.before), numbers->of[1] + to);
    __m512i more = _mm512_add_epi16(change(&across, here, fx, r->upright), change(&down, here, fy, r->upright));
    __m512i sum = _mm512_add_epi16(_mm512_add_epi16(_mm512_slli_epi16(here, 4), more), _mm512_set1_epi16(8));
    store(counts, _mm512_srai_epi16(sum, 4), numbers->of[2] + to);
    store(counts, c, numbers->of[3] + to);
    store(counts, columns_off_middle(r->side), numbers->of[4] + to);
    store(counts, _mm512_set1_epi16((int16_t)endo_patch_off_middle(r->row, r->side)), numbers->of[5] + to);
    return __builtin_popcount(counts);
}

/* All sums in one pass. */
static void add_avx512(const cpu_patch_numbers *numbers, int count, endo_patch_sums *sums) {
    __m512i sum[ENDO_PATCH_NUMBERS], product[ENDO_PATCH_PRODUCTS];
    const __m512i one = _mm512_set1_epi16(1);
    for (int i = 0; i < ENDO_PATCH_NUMBERS; i++) sum[i] = _mm512_setzero_si512();
    for (int i = 0; i < ENDO_PATCH_PRODUCTS; i++) product[i] = _mm512_setzero_si512();
    for (int k = 0; k < count; k += 32) {
        __m512i v[ENDO_PATCH_NUMBERS];
        for (int i = 0; i < ENDO_PATCH_NUMBERS; i++) v[i] = load(first_lanes(count - k), numbers->of[i] + k);
        for (int i = 0, at = 0; i < ENDO_PATCH_NUMBERS; i++) {
            sum[i] = _mm512_dpwssd_epi32(sum[i], v[i], one);
            for (int j = i; j < ENDO_PATCH_NUMBERS; j++, at++) product[at] = _mm512_dpwssd_epi32(product[at], v[i], v[j]);
        }
    }
    for (int i = 0; i < ENDO_PATCH_NUMBERS; i++) sums->sum[i] = _mm512_reduce_add_epi32(sum[i]);
    for (int i = 0; i < ENDO_PATCH_PRODUCTS; i++) sums->product[i] = _mm512_reduce_add_epi32(product[i]);
}

const cpu_patch_loops cpu_patch_avx512 = {patch_halve, patch_smooth, row_avx512, add_avx512};
