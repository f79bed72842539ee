/* The loops over patches in AVX2: sixteen places of a row at a time. */
#include "patch_rows.h"

#include <immintrin.h>

/* Loaded from element 32 - n on: all ones in the first n lanes. */
static const int16_t lanes[64] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static inline __m256i load16(const int16_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline void store16(int16_t *to, __m256i v) { _mm256_storeu_si256((__m256i *)to, v); }

/* All ones in lanes from..to - 1 of those that begin with lane `first`; any but these may lie outside. */
static inline __m256i between_lanes(int from, int to, int first) {
    int n = to - first < 0 ? 0 : to - first < 16 ? to - first : 16, before = from - first < 0 ? 0 : from - first < 16 ? from - first : 16;
    return _mm256_andnot_si256(load16(lanes + 32 - before), load16(lanes + 32 - n));
}

static inline __m256i zero_to_15(void) { return _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

/* endo_patch_off_middle of columns i .. i + 15. */
static inline __m256i columns_off_middle(int side, int i) {
    return _mm256_add_epi16(_mm256_slli_epi16(zero_to_15(), 1), _mm256_set1_epi16((int16_t)endo_patch_off_middle(i, side)));
}

/* 8 fractional bits of sixteen places, for multiplying: 128 of them are a whole. */
static inline __m256i fractions(int32_t at, int32_t step, int i) {
    __m256i steps = _mm256_mullo_epi16(zero_to_15(), _mm256_set1_epi16((int16_t)step));
    __m256i place = _mm256_add_epi16(_mm256_set1_epi16((int16_t)(at + 128 + i * step)), steps);
    return _mm256_slli_epi16(_mm256_srli_epi16(place, 8), 7);
}

/* endo_patch_mix */
static inline __m256i mix(__m256i a, __m256i b, __m256i f) {
    return _mm256_add_epi16(a, _mm256_mulhrs_epi16(_mm256_sub_epi16(b, a), f));
}

static inline __m256i fine(__m256i v) { return _mm256_slli_epi16(v, ENDO_PATCH_FINE_BITS); }

/* Between the pixels of sixteen places; *least: of each place's four. */
static inline __m256i sample(const int16_t *top, ptrdiff_t stride, __m256i fx, __m256i fy, __m256i *least) {
    __m256i a = load16(top), b = load16(top + 1), c = load16(top + stride), d = load16(top + stride + 1);
    __m256i between = mix(mix(fine(a), fine(b), fx), mix(fine(c), fine(d), fx), fy);
    *least = _mm256_min_epi16(_mm256_min_epi16(a, b), _mm256_min_epi16(c, d));
    return _mm256_srai_epi16(_mm256_add_epi16(between, _mm256_set1_epi16(ENDO_PATCH_FINE / 2)), ENDO_PATCH_FINE_BITS);
}

/* endo_patch_bluntness; f: as `fractions` makes it. */
static inline __m256i bluntness(__m256i f) {
    __m256i part = _mm256_srli_epi16(f, 7), rest = _mm256_sub_epi16(_mm256_set1_epi16(256), part);
    return _mm256_srli_epi16(_mm256_mullo_epi16(part, rest), 7);
}

static inline __m256i has_value(__m256i v) { return _mm256_cmpgt_epi16(v, _mm256_set1_epi16(ENDO_PATCH_INVALID)); }

/* endo_patch_lean of the third difference beside p, where it is known */
static inline __m256i lean(const int16_t *p, ptrdiff_t way, __m256i f, __m256i blunt) {
    __m256i rest = _mm256_sub_epi16(_mm256_set1_epi16(128), _mm256_srli_epi16(f, 7));
    __m256i lopsided = _mm256_mulhrs_epi16(_mm256_mullo_epi16(blunt, rest), _mm256_set1_epi16(2731));
    __m256i before = load16(p - 2 * way), behind = load16(p + 2 * way);
    __m256i near = _mm256_sub_epi16(load16(p + way), load16(p - way)), far = _mm256_sub_epi16(behind, before);
    __m256i third = _mm256_sub_epi16(far, _mm256_add_epi16(near, near));
    __m256i all = _mm256_mulhrs_epi16(_mm256_slli_epi16(third, 3), lopsided);
    return _mm256_and_si256(all, has_value(_mm256_min_epi16(before, behind)));
}

/* endo_patch_change in the direction of `way` */
static inline __m256i change(const int16_t *p, ptrdiff_t way, __m256i here, __m256i f, int upright) {
    __m256i blunt = bluntness(f);
    __m256i second = _mm256_sub_epi16(_mm256_add_epi16(load16(p - way), load16(p + way)), _mm256_add_epi16(here, here));
    __m256i curved = _mm256_mulhrs_epi16(_mm256_slli_epi16(second, 4), _mm256_slli_epi16(blunt, 5));
    return upright ? _mm256_add_epi16(curved, lean(p, way, f, blunt)) : curved;
}

/* endo_patch_blunt of sixteen pixels */
static inline __m256i blunt(const int16_t *p, ptrdiff_t stride, __m256i fx, __m256i fy, int upright) {
    __m256i here = load16(p);
    __m256i more = _mm256_add_epi16(change(p, 1, here, fx, upright), change(p, stride, here, fy, upright));
    __m256i sum = _mm256_add_epi16(_mm256_add_epi16(_mm256_slli_epi16(here, 4), more), _mm256_set1_epi16(8));
    return _mm256_srai_epi16(sum, 4);
}

/* All ones where the five pixels of the reference have a value. */
static inline __m256i reference_valid(const int16_t *p, ptrdiff_t stride) {
    __m256i least = _mm256_min_epi16(_mm256_min_epi16(load16(p - 1), load16(p + 1)), load16(p));
    least = _mm256_min_epi16(least, _mm256_min_epi16(load16(p - stride), load16(p + stride)));
    return has_value(least);
}

/* Places i .. i + 15 of the current frame; 0 where they do not count. */
static inline __m256i samples(const cpu_patch_row *r, int i, __m256i fx, __m256i fy, __m256i *counts) {
    __m256i all = _mm256_setzero_si256();
    *counts = all;
    for (int k = i; k < r->side && k < i + 16;) {
        patch_run run = patch_run_from(r, k);
        k = run.next;
        if (run.from >= i + 16 || run.from == run.to) continue;
        __m256i least, v = sample(run.first + i, r->stride, fx, fy, &least);
        __m256i good = _mm256_and_si256(between_lanes(run.from, run.to, i), has_value(least));
        all = _mm256_or_si256(all, _mm256_and_si256(v, good));
        *counts = _mm256_or_si256(*counts, good);
    }
    return all;
}

static inline int add_places(const cpu_patch_row *r, int i, cpu_patch_numbers *numbers, int to) {
    const int16_t *p = r->reference + i;
    __m256i fx = fractions(r->at[0], r->step[0], i), fy = fractions(r->at[1], r->step[1], i);
    __m256i counts, c = samples(r, i, fx, fy, &counts);
    counts = _mm256_and_si256(counts, reference_valid(p, r->stride));
    store16(numbers->of[0] + to, _mm256_and_si256(_mm256_sub_epi16(load16(p + 1), load16(p - 1)), counts));
    store16(numbers->of[1] + to, _mm256_and_si256(_mm256_sub_epi16(load16(p + r->stride), load16(p - r->stride)), counts));
    store16(numbers->of[2] + to, _mm256_and_si256(blunt(p, r->stride, fx, fy, r->upright), counts));
    store16(numbers->of[3] + to, _mm256_and_si256(c, counts));
    __m256i down = _mm256_set1_epi16((int16_t)endo_patch_off_middle(r->row, r->side));
    store16(numbers->of[4] + to, _mm256_and_si256(columns_off_middle(r->side, i), counts));
    store16(numbers->of[5] + to, _mm256_and_si256(down, counts));
    return __builtin_popcount((unsigned)_mm256_movemask_epi8(counts)) / 2;
}

static int row_avx2(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    int n = 0;
    patch_fetch_next(r);
    for (int i = 0; i < r->side; i += 16) n += add_places(r, i, numbers, to + i);
    return n;
}

static int rows_avx2(const cpu_patch_row *rows, int count, cpu_patch_numbers *numbers, int to) {
    int n = 0;
    for (int i = 0; i < count; i++) n += row_avx2(&rows[i], numbers, to + i * rows[i].side);
    return n;
}

/* -------------------------------------------------------------------- sums */

/* The sums over the lanes of four vectors. */
static inline __m128i totals(const __m256i v[4]) {
    __m256i a = _mm256_add_epi32(_mm256_unpacklo_epi32(v[0], v[1]), _mm256_unpackhi_epi32(v[0], v[1]));
    __m256i b = _mm256_add_epi32(_mm256_unpacklo_epi32(v[2], v[3]), _mm256_unpackhi_epi32(v[2], v[3]));
    __m256i c = _mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    return _mm_add_epi32(_mm256_castsi256_si128(c), _mm256_extracti128_si256(c, 1));
}

/* The product of number i with itself, among all. */
static inline int product_at(int i) { return i * (2 * ENDO_PATCH_NUMBERS + 1 - i) / 2; }

/* Sums of the numbers from .. to - 1, and of their products with themselves and with all numbers that follow: as many as
 * there are registers for. count: a multiple of 16. */
static inline __attribute__((always_inline)) void add_numbers(const cpu_patch_numbers *numbers, int count, const int from,
                                                              const int to, endo_patch_sums *sums) {
    enum { ALL = 16 };
    __m256i all[ALL]; /* sums, then products */
    int32_t totalled[ALL];
    const __m256i one = _mm256_set1_epi16(1);
    for (int i = 0; i < ALL; i++) all[i] = _mm256_setzero_si256();
    for (int k = 0; k < count; k += 16)
        for (int i = from, at = to - from; i < to; i++) {
            __m256i v = load16(numbers->of[i] + k);
            all[i - from] = _mm256_add_epi32(all[i - from], _mm256_madd_epi16(v, one));
            for (int j = i; j < ENDO_PATCH_NUMBERS; j++, at++)
                all[at] = _mm256_add_epi32(all[at], _mm256_madd_epi16(v, load16(numbers->of[j] + k)));
        }
    for (int i = 0; i < ALL; i += 4) _mm_storeu_si128((__m128i *)(totalled + i), totals(all + i));
    for (int i = from; i < to; i++) sums->sum[i] = totalled[i - from];
    for (int i = product_at(from); i < product_at(to); i++) sums->product[i] = totalled[to - from + i - product_at(from)];
}

static void add_avx2(const cpu_patch_numbers *numbers, int count, endo_patch_sums *sums) {
    if (count % 16) {
        patch_add(numbers, count, sums);
        return;
    }
    add_numbers(numbers, count, 0, 2, sums);
    add_numbers(numbers, count, 2, ENDO_PATCH_NUMBERS, sums);
}

/* ---------------------------------------------------------------- smoothed */

static inline __m256i bytes_at(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

/* The sums of neighbours in pairs, 16 bits each. */
static inline __m256i paired(const uint8_t *p) { return _mm256_maddubs_epi16(bytes_at(p), _mm256_set1_epi8(1)); }

/* Of 32 columns the even ones and the odd ones: what is before them, twice what is there, and what is behind. */
typedef struct alternate {
    __m256i even, odd;
} alternate;

static inline alternate along(const uint8_t *p) {
    __m256i between = paired(p + 1);
    alternate a = {_mm256_add_epi16(paired(p), between), _mm256_add_epi16(between, paired(p + 2))};
    return a;
}

/* endo_patch_smooth from the sums of three rows. */
static inline __m256i smoothed(__m256i above, __m256i here, __m256i below) {
    __m256i all = _mm256_add_epi16(_mm256_add_epi16(above, below), _mm256_add_epi16(here, here));
    all = _mm256_srli_epi16(_mm256_add_epi16(all, _mm256_set1_epi16(2)), 2);
    return _mm256_sub_epi16(all, _mm256_set1_epi16(ENDO_PATCH_MIDDLE));
}

/* All ones in the bytes of columns that have a neighbour, or are one, without a value. */
static inline __m256i without_values(const uint8_t *const rows[3], int i) {
    __m256i all = _mm256_set1_epi8(-1);
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++) all = _mm256_and_si256(all, bytes_at(rows[k] + i + x));
    return _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
}

static inline void smooth_columns(const cpu_smooth_row *r, int i, int16_t *out) {
    const __m256i none = _mm256_set1_epi16(ENDO_PATCH_INVALID);
    alternate a = along(r->grey[0] + i), h = along(r->grey[1] + i), b = along(r->grey[2] + i);
    __m256i even = smoothed(a.even, h.even, b.even), odd = smoothed(a.odd, h.odd, b.odd);
    __m256i low = _mm256_unpacklo_epi16(even, odd), high = _mm256_unpackhi_epi16(even, odd);
    __m256i without = without_values(r->mask, i);
    __m256i first = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(without));
    __m256i last = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(without, 1));
    store16(out + i, _mm256_blendv_epi8(_mm256_permute2x128_si256(low, high, 0x20), none, first));
    store16(out + i + 16, _mm256_blendv_epi8(_mm256_permute2x128_si256(low, high, 0x31), none, last));
}

/* 32 columns at a time; the last ones begin where they end with the row. */
static void smooth_avx2(const cpu_smooth_row *r, int16_t *out) {
    if (r->n < 32) {
        patch_smooth(r, out);
        return;
    }
    for (int i = 0; i + 32 <= r->n; i += 32) smooth_columns(r, i, out);
    if (r->n % 32) smooth_columns(r, r->n - 32, out);
}

const cpu_patch_loops cpu_patch_avx2 = {patch_halve, patch_halve_mask, patch_less, smooth_avx2, rows_avx2, add_avx2};
