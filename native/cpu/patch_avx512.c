/* The loops over patches in AVX-512: a row of any patch at a time, of small ones two. */
#include "patch_rows.h"

#include <immintrin.h>

/* The first n lanes. */
static inline __mmask32 first_lanes(int n) { return n < 32 ? (1u << n) - 1 : ~0u; }

static inline __m512i load(__mmask32 wanted, const int16_t *p) { return _mm512_maskz_loadu_epi16(wanted, p); }

static const int16_t lane[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* 8 fractional bits of places, for multiplying: 128 of them are a whole. */
static inline __m512i fractions(__m512i lanes, __m512i at, int32_t step) {
    __m512i place = _mm512_add_epi16(at, _mm512_mullo_epi16(lanes, _mm512_set1_epi16((int16_t)step)));
    return _mm512_slli_epi16(_mm512_srli_epi16(_mm512_add_epi16(place, _mm512_set1_epi16(128)), 8), 7);
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

/* The least of the near neighbours, which have to have a value (ENDO_PATCH_INVALID is below all). */
static inline __m512i least_of(const patch_line *l) {
    return _mm512_min_epi16(l->before, l->behind);
}

/* endo_patch_lean where it is known; f: as `fractions` makes it. */
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
    __m512i curved = _mm512_mulhrs_epi16(_mm512_slli_epi16(second, 4), _mm512_slli_epi16(blunt, 5));
    return upright ? _mm512_add_epi16(curved, lean(l, f, blunt)) : curved;
}

/* The four pixels around each place; those of places outside the frame have no value. */
typedef struct patch_corners {
    __m512i of[4];
} patch_corners;

static inline patch_corners corners_of(const cpu_patch_row *r) {
    const __m512i none = _mm512_set1_epi16(ENDO_PATCH_INVALID);
    patch_corners c = {{none, none, none, none}};
    for (int i = 0; i < r->side;) {
        patch_run run = patch_run_from(r, i);
        i = run.next;
        if (run.from == run.to) continue;
        __mmask32 wanted = first_lanes(run.to) & ~first_lanes(run.from);
        for (int k = 0; k < 4; k++)
            c.of[k] = _mm512_mask_loadu_epi16(c.of[k], wanted, run.first + (k & 1) + (k >> 1) * r->stride);
    }
    return c;
}

/* corners_of() for two rows of at most sixteen places: those of the second row lie in the upper half. */
static inline patch_corners corners_of_two(const cpu_patch_row rows[2]) {
    const __m256i none = _mm256_set1_epi16(ENDO_PATCH_INVALID);
    patch_corners c;
    for (int j = 0; j < 2; j++) {
        const cpu_patch_row *r = &rows[j];
        __m256i row_corners[4] = {none, none, none, none};
        for (int i = 0; i < r->side;) {
            patch_run run = patch_run_from(r, i);
            i = run.next;
            if (run.from == run.to) continue;
            __mmask16 wanted = (__mmask16)(first_lanes(run.to) & ~first_lanes(run.from));
            for (int k = 0; k < 4; k++)
                row_corners[k] = _mm256_mask_loadu_epi16(row_corners[k], wanted, run.first + (k & 1) + (k >> 1) * r->stride);
        }
        for (int k = 0; k < 4; k++)
            c.of[k] = j ? _mm512_inserti64x4(c.of[k], row_corners[k], 1) : _mm512_castsi256_si512(row_corners[k]);
    }
    return c;
}

/* Up to 32 places of a patch: the pixels of the reference, those beside them, and their positions in the current frame. */
typedef struct patch_places {
    __mmask32 all;
    __m512i here, column, row, fx, fy; /* column, row: endo_patch_off_middle() */
    patch_line across, down;
    patch_corners corners;
    int upright;
} patch_places;

typedef struct patch_values {
    __m512i of[ENDO_PATCH_NUMBERS];
    __mmask32 counts;
} patch_values;

static inline __m512i sample(const patch_corners *c, __m512i fx, __m512i fy) {
    __m512i top = mix(fine(c->of[0]), fine(c->of[1]), fx), bottom = mix(fine(c->of[2]), fine(c->of[3]), fx);
    __m512i sum = _mm512_add_epi16(mix(top, bottom, fy), _mm512_set1_epi16(ENDO_PATCH_FINE / 2));
    return _mm512_srai_epi16(sum, ENDO_PATCH_FINE_BITS);
}

static inline patch_values values_of(const patch_places *p) {
    const __m512i *c = p->corners.of;
    __m512i least = _mm512_min_epi16(_mm512_min_epi16(least_of(&p->across), least_of(&p->down)), p->here);
    __m512i corners = _mm512_min_epi16(_mm512_min_epi16(c[0], c[1]), _mm512_min_epi16(c[2], c[3]));
    __m512i more = _mm512_add_epi16(change(&p->across, p->here, p->fx, p->upright), change(&p->down, p->here, p->fy, p->upright));
    __m512i sum = _mm512_add_epi16(_mm512_add_epi16(_mm512_slli_epi16(p->here, 4), more), _mm512_set1_epi16(8));
    patch_values v = {{_mm512_sub_epi16(p->across.behind, p->across.before),
                       _mm512_sub_epi16(p->down.behind, p->down.before), _mm512_srai_epi16(sum, 4),
                       sample(&p->corners, p->fx, p->fy), p->column, p->row},
                      has_value(p->all, _mm512_min_epi16(least, corners))};
    for (int k = 0; k < ENDO_PATCH_NUMBERS; k++) v.of[k] = _mm512_maskz_mov_epi16(v.counts, v.of[k]);
    return v;
}

static inline patch_line line_of(__mmask32 wanted, const int16_t *p, ptrdiff_t way) {
    patch_line l = {load(wanted, p - way), load(wanted, p + way), load(wanted, p - 2 * way), load(wanted, p + 2 * way)};
    return l;
}

static int row_avx512(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    patch_fetch_next(r);
    const int16_t *p = r->reference;
    __m512i lanes = _mm512_loadu_si512(lane);
    patch_places places = {.all = first_lanes(r->side), .upright = r->upright, .corners = corners_of(r)};
    places.here = load(places.all, p);
    places.across = line_of(places.all, p, 1), places.down = line_of(places.all, p, r->stride);
    places.fx = fractions(lanes, _mm512_set1_epi16((int16_t)r->at[0]), r->step[0]);
    places.fy = fractions(lanes, _mm512_set1_epi16((int16_t)r->at[1]), r->step[1]);
    places.column = _mm512_sub_epi16(_mm512_slli_epi16(lanes, 1), _mm512_set1_epi16((int16_t)(r->side - 1)));
    places.row = _mm512_set1_epi16((int16_t)endo_patch_off_middle(r->row, r->side));
    patch_values v = values_of(&places);
    for (int k = 0; k < ENDO_PATCH_NUMBERS; k++) _mm512_storeu_si512(numbers->of[k] + to, v.of[k]);
    return __builtin_popcount(v.counts);
}

/* Sixteen pixels from p on, and sixteen of the row below. Those that are not wanted lie in the level or right behind it. */
static inline __m512i load_two(const int16_t *p, ptrdiff_t stride) {
    __m256i first = _mm256_loadu_si256((const __m256i *)p), second = _mm256_loadu_si256((const __m256i *)(p + stride));
    return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

static inline patch_line line_of_two(const int16_t *p, ptrdiff_t way, ptrdiff_t stride) {
    patch_line l = {load_two(p - way, stride), load_two(p + way, stride), load_two(p - 2 * way, stride),
                    load_two(p + 2 * way, stride)};
    return l;
}

/* A number for each of two rows. */
static inline __m512i of_two(int32_t first, int32_t second) {
    return _mm512_inserti64x4(_mm512_set1_epi16((int16_t)first), _mm256_set1_epi16((int16_t)second), 1);
}

static int two_rows_avx512(const cpu_patch_row rows[2], cpu_patch_numbers *numbers, int to) {
    const cpu_patch_row *r = rows;
    const int16_t *p = r->reference;
    for (int j = 0; j < 2; j++) patch_fetch_next(&rows[j]);
    __m512i lanes = _mm512_and_si512(_mm512_loadu_si512(lane), _mm512_set1_epi16(15));
    __mmask32 one = first_lanes(r->side);
    patch_places places = {.all = one | one << 16, .upright = r->upright, .corners = corners_of_two(rows)};
    places.here = load_two(p, r->stride);
    places.across = line_of_two(p, 1, r->stride), places.down = line_of_two(p, r->stride, r->stride);
    places.fx = fractions(lanes, of_two(r->at[0], rows[1].at[0]), r->step[0]);
    places.fy = fractions(lanes, of_two(r->at[1], rows[1].at[1]), r->step[1]);
    places.column = _mm512_sub_epi16(_mm512_slli_epi16(lanes, 1), _mm512_set1_epi16((int16_t)(r->side - 1)));
    places.row = of_two(endo_patch_off_middle(r->row, r->side), endo_patch_off_middle(rows[1].row, r->side));
    patch_values v = values_of(&places);
    for (int k = 0; k < ENDO_PATCH_NUMBERS; k++) {
        int16_t *out = numbers->of[k] + to;
        _mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(v.of[k]));
        _mm256_storeu_si256((__m256i *)(out + r->side), _mm512_extracti64x4_epi64(v.of[k], 1));
    }
    return __builtin_popcount(v.counts);
}

static int rows_avx512(const cpu_patch_row *rows, int count, cpu_patch_numbers *numbers, int to) {
    int n = 0, i = 0, side = rows->side;
    for (; side <= 16 && i + 1 < count; i += 2) n += two_rows_avx512(rows + i, numbers, to + i * side);
    for (; i < count; i++) n += row_avx512(rows + i, numbers, to + i * side);
    return n;
}

/* The sums over the lanes of four vectors. */
static inline __m128i totals(const __m512i v[4]) {
    __m512i a = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    __m512i b = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    __m512i c = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    __m256i d = _mm256_add_epi32(_mm512_castsi512_si256(c), _mm512_extracti64x4_epi64(c, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1));
}

/* The product of number i with itself, among all. */
static inline int product_at(int i) { return i * (2 * ENDO_PATCH_NUMBERS + 1 - i) / 2; }

/* Sums of the numbers from .. to - 1, and of their products with themselves and with all numbers that follow, so few that they
 * stay in registers: compilers see that where loops have constant ends. */
static inline __attribute__((always_inline)) void add_numbers(const cpu_patch_numbers *numbers, int count, const int from,
                                                              const int to, endo_patch_sums *sums) {
    __m512i all[16] = {{0}}; /* sums, then products */
    int32_t totalled[16];
    const __m512i one = _mm512_set1_epi16(1);
    for (int k = 0; k < count; k += 32) {
        __mmask32 there = first_lanes(count - k);
        for (int i = 0; i < ENDO_PATCH_NUMBERS; i++) {
            if (i < from || i >= to) continue;
            __m512i v = load(there, numbers->of[i] + k);
            all[i - from] = _mm512_dpwssd_epi32(all[i - from], v, one);
            for (int j = 0; j < ENDO_PATCH_NUMBERS; j++) {
                int at = to - from + product_at(i) - product_at(from) + j - i;
                if (j >= i) all[at] = _mm512_dpwssd_epi32(all[at], v, load(there, numbers->of[j] + k));
            }
        }
    }
    _mm_storeu_si128((__m128i *)totalled, totals(all));
    _mm_storeu_si128((__m128i *)(totalled + 4), totals(all + 4));
    _mm_storeu_si128((__m128i *)(totalled + 8), totals(all + 8));
    _mm_storeu_si128((__m128i *)(totalled + 12), totals(all + 12));
    for (int i = from; i < to; i++) sums->sum[i] = totalled[i - from];
    for (int i = product_at(from); i < product_at(to); i++) sums->product[i] = totalled[to - from + i - product_at(from)];
}

static void add_avx512(const cpu_patch_numbers *numbers, int count, endo_patch_sums *sums) {
    add_numbers(numbers, count, 0, 2, sums);
    add_numbers(numbers, count, 2, ENDO_PATCH_NUMBERS, sums);
}

/* ---------------------------------------------------------------- smoothed */

/* The first n of 64 bytes. */
static inline __mmask64 first_bytes(int n) { return n < 64 ? (1ull << n) - 1 : ~0ull; }

/* The sums of neighbours in pairs, 16 bits each. */
static inline __m512i paired(const uint8_t *p, __mmask64 there) {
    return _mm512_maddubs_epi16(_mm512_maskz_loadu_epi8(there, p), _mm512_set1_epi8(1));
}

/* Of 64 columns the even ones and the odd ones: what is before them, twice what is there, and what is behind. */
typedef struct alternate {
    __m512i even, odd;
} alternate;

/* More than one column is behind the last of n, so its pair is there. */
static inline alternate along(const uint8_t *p, int n) {
    __m512i between = paired(p + 1, first_bytes(n + 1));
    alternate a = {_mm512_add_epi16(paired(p, first_bytes(n + 1)), between),
                   _mm512_add_epi16(between, paired(p + 2, first_bytes(n)))};
    return a;
}

/* endo_patch_smooth from the sums of three rows. */
static inline __m512i smoothed(__m512i above, __m512i here, __m512i below) {
    __m512i all = _mm512_add_epi16(_mm512_add_epi16(above, below), _mm512_add_epi16(here, here));
    all = _mm512_srli_epi16(_mm512_add_epi16(all, _mm512_set1_epi16(2)), 2);
    return _mm512_sub_epi16(all, _mm512_set1_epi16(ENDO_PATCH_MIDDLE));
}

/* A bit for each column from i on that has a value in all three rows. */
static inline uint64_t in_all(const uint8_t *const rows[3], int i, __mmask64 there) {
    __m512i v = _mm512_maskz_loadu_epi8(there, rows[0] + i);
    for (int k = 1; k < 3; k++) v = _mm512_and_si512(v, _mm512_maskz_loadu_epi8(there, rows[k] + i));
    return _mm512_test_epi8_mask(v, v);
}

/* A bit for each of columns i + 1 .. i + n that has a value in all three rows, as have the columns on both sides. */
static inline uint64_t with_values(const uint8_t *const rows[3], int i, int n) {
    uint64_t before = in_all(rows, i, first_bytes(n + 1)), behind = in_all(rows, i + 2, first_bytes(n));
    uint64_t last = (uint64_t)1 << 63;
    return before & (before >> 1 | (behind << 1 & last)) & behind;
}

/* 64 columns at a time. */
static void smooth_avx512(const cpu_smooth_row *r, int16_t *out) {
    const __m512i none = _mm512_set1_epi16(ENDO_PATCH_INVALID);
    const __m512i order[2] = {_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15)};
    for (int i = 0; i < r->n; i += 64) {
        int n = r->n - i < 64 ? r->n - i : 64;
        alternate a = along(r->grey[0] + i, n), h = along(r->grey[1] + i, n), b = along(r->grey[2] + i, n);
        __m512i even = smoothed(a.even, h.even, b.even), odd = smoothed(a.odd, h.odd, b.odd);
        __m512i low = _mm512_unpacklo_epi16(even, odd), high = _mm512_unpackhi_epi16(even, odd);
        uint64_t valid = with_values(r->mask, i, n), there = first_bytes(n);
        for (int k = 0; k < 2; k++, valid >>= 32, there >>= 32) {
            __m512i values = _mm512_permutex2var_epi64(low, order[k], high);
            values = _mm512_mask_mov_epi16(none, (__mmask32)valid, values);
            _mm512_mask_storeu_epi16(out + i + 32 * k, (__mmask32)there, values);
        }
    }
}

const cpu_patch_loops cpu_patch_avx512 = {patch_halve, patch_halve_mask, patch_less, smooth_avx512, rows_avx512, add_avx512};
