/* The loops over patches in AVX2: sixteen places of a row at a time. */
#include "patch_rows.h"

#include <immintrin.h>
#include <string.h>

/* From lane 16 - n on: all ones in the first n of sixteen lanes. */
static const int16_t lanes[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static inline __m256i load16(const int16_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline void store16(int16_t *to, __m256i v) { _mm256_storeu_si256((__m256i *)to, v); }

/* Where sixteen places lie, in the order that unpacking makes of them: 0-3 and 8-11, 4-7 and 12-15. 16 fractional bits,
 * for rounding to 8. */
typedef struct places {
    __m256i x[2], y[2];
} places;

/* The pixels of sixteen places and their right neighbours, a pair in each lane. */
typedef struct pixels {
    __m256i top[2], bottom[2];
} pixels;

/* Places that follow one another in a row of the frame, as nearly all do: no gathering. */
static inline pixels read_run(const int16_t *first, ptrdiff_t stride) {
    __m256i a = load16(first), b = load16(first + 1), c = load16(first + stride), d = load16(first + stride + 1);
    pixels p = {{_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)},
                {_mm256_unpacklo_epi16(c, d), _mm256_unpackhi_epi16(c, d)}};
    return p;
}

static inline int32_t two_at(const int16_t *p) {
    int32_t two;
    memcpy(&two, p, sizeof two);
    return two;
}

static inline __m256i eight_pairs(const int16_t *image, const int32_t index[8]) {
    __m128i half[2];
    for (int k = 0; k < 2; k++) {
        const int32_t *i = index + 4 * k;
        half[k] = _mm_cvtsi32_si128(two_at(image + i[0]));
        half[k] = _mm_insert_epi32(half[k], two_at(image + i[1]), 1);
        half[k] = _mm_insert_epi32(half[k], two_at(image + i[2]), 2);
        half[k] = _mm_insert_epi32(half[k], two_at(image + i[3]), 3);
    }
    return _mm256_inserti128_si256(_mm256_castsi128_si256(half[0]), half[1], 1);
}

/* One by one: many machines take longer for a gathering load. */
static inline pixels read_each(const cpu_patch_row *r, const __m256i index[2]) {
    int32_t at[16] __attribute__((aligned(32)));
    pixels p;
    for (int k = 0; k < 2; k++) {
        _mm256_store_si256((__m256i *)(at + 8 * k), index[k]);
        p.top[k] = eight_pairs(r->current, at + 8 * k);
        p.bottom[k] = eight_pairs(r->current + r->stride, at + 8 * k);
    }
    return p;
}

/* Nothing is read at places that are not wanted (all ones); the first one is. */
static inline pixels read_pixels(const cpu_patch_row *r, const places *at, const __m256i wanted[2]) {
    const __m256i lane[2] = {_mm256_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11), _mm256_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15)};
    __m256i index[2], first, apart;
    for (int k = 0; k < 2; k++) {
        __m256i rows = _mm256_mullo_epi32(_mm256_srai_epi32(at->y[k], 16), _mm256_set1_epi32((int32_t)r->stride));
        index[k] = _mm256_add_epi32(rows, _mm256_srai_epi32(at->x[k], 16));
    }
    int32_t from = _mm_cvtsi128_si32(_mm256_castsi256_si128(index[0]));
    first = _mm256_set1_epi32(from);
    apart = _mm256_or_si256(
        _mm256_and_si256(wanted[0], _mm256_xor_si256(_mm256_sub_epi32(index[0], lane[0]), first)),
        _mm256_and_si256(wanted[1], _mm256_xor_si256(_mm256_sub_epi32(index[1], lane[1]), first)));
    if (_mm256_testz_si256(apart, apart)) return read_run(r->current + from, r->stride);
    for (int k = 0; k < 2; k++) index[k] = _mm256_blendv_epi8(first, index[k], wanted[k]);
    return read_each(r, index);
}

/* Between the pixels of eight places; *valid: all ones where all four have a value. */
static inline __m256i sample(__m256i top, __m256i bottom, __m256i x, __m256i y, __m256i *valid) {
    const __m256i low = _mm256_set1_epi32(255), none = _mm256_set1_epi16(ENDO_PATCH_INVALID);
    __m256i fx = _mm256_and_si256(_mm256_srai_epi32(x, 8), low), fy = _mm256_and_si256(_mm256_srai_epi32(y, 8), low);
    __m256i weights = _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), fx), _mm256_slli_epi32(fx, 16));
    __m256i upper = _mm256_madd_epi16(top, weights), lower = _mm256_madd_epi16(bottom, weights);
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(upper, 8), _mm256_mullo_epi32(fy, _mm256_sub_epi32(lower, upper)));
    __m256i each = _mm256_cmpgt_epi16(_mm256_min_epi16(top, bottom), none); /* two pixels a lane */
    *valid = _mm256_cmpeq_epi32(each, _mm256_set1_epi32(-1));
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
}

/* All ones where the five pixels of the reference have a value. */
static inline __m256i reference_valid(const int16_t *p, ptrdiff_t stride) {
    __m256i least = _mm256_min_epi16(_mm256_min_epi16(load16(p - 1), load16(p + 1)), load16(p));
    least = _mm256_min_epi16(least, _mm256_min_epi16(load16(p - stride), load16(p + stride)));
    return _mm256_cmpgt_epi16(least, _mm256_set1_epi16(ENDO_PATCH_INVALID));
}

/* Places i .. i + 15; those from the row's end on do not count. Returns how many do. */
static inline int sixteen_places(const cpu_patch_row *r, int i, const places *at, cpu_patch_numbers *numbers, int to) {
    int left = r->side - i < 16 ? r->side - i : 16;
    const int16_t *p = r->reference + i;
    __m256i all = load16(lanes + 16 - left), valid[2], c[2];
    __m256i wanted[2] = {_mm256_unpacklo_epi16(all, all), _mm256_unpackhi_epi16(all, all)};
    pixels around = read_pixels(r, at, wanted);
    for (int k = 0; k < 2; k++) c[k] = sample(around.top[k], around.bottom[k], at->x[k], at->y[k], &valid[k]);
    __m256i counts = _mm256_and_si256(_mm256_packs_epi32(valid[0], valid[1]), _mm256_and_si256(all, reference_valid(p, r->stride)));
    store16(numbers->of[0] + to, _mm256_and_si256(_mm256_sub_epi16(load16(p + 1), load16(p - 1)), counts));
    store16(numbers->of[1] + to, _mm256_and_si256(_mm256_sub_epi16(load16(p + r->stride), load16(p - r->stride)), counts));
    store16(numbers->of[2] + to, _mm256_and_si256(load16(p), counts));
    store16(numbers->of[3] + to, _mm256_and_si256(_mm256_packs_epi32(c[0], c[1]), counts));
    return __builtin_popcount((unsigned)_mm256_movemask_epi8(counts)) / 2;
}

static int row_avx2(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    const __m256i lane[2] = {_mm256_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11), _mm256_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15)};
    const __m256i step_x = _mm256_set1_epi32(r->step[0]), step_y = _mm256_set1_epi32(r->step[1]);
    places at;
    int n = 0;
    for (int k = 0; k < 2; k++) {
        at.x[k] = _mm256_add_epi32(_mm256_mullo_epi32(lane[k], step_x), _mm256_set1_epi32(r->at[0] + 128));
        at.y[k] = _mm256_add_epi32(_mm256_mullo_epi32(lane[k], step_y), _mm256_set1_epi32(r->at[1] + 128));
    }
    for (int i = 0; i < r->side; i += 16) {
        n += sixteen_places(r, i, &at, numbers, to + i);
        for (int k = 0; k < 2; k++) {
            at.x[k] = _mm256_add_epi32(at.x[k], _mm256_slli_epi32(step_x, 4));
            at.y[k] = _mm256_add_epi32(at.y[k], _mm256_slli_epi32(step_y, 4));
        }
    }
    return n;
}

const cpu_patch_loops cpu_patch_avx2 = {patch_halve, patch_smooth, row_avx2, patch_add};
