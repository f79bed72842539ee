/* The loops over patches in AVX2: eight places of a row at a time. */
#include "patch_rows.h"

#include <immintrin.h>

/* Two neighbours in each lane. */
static inline __m256i pairs_at(const int16_t *image, __m256i index) {
    return _mm256_i32gather_epi32((const int *)image, index, 2);
}

/* Where neither of the two is without a value. Those are the least 16-bit number. */
static inline __m256i both_valid(__m256i pairs) {
    __m256i invalid = _mm256_cmpeq_epi16(pairs, _mm256_set1_epi16(ENDO_PATCH_INVALID));
    return _mm256_cmpeq_epi32(invalid, _mm256_setzero_si256());
}

static inline __m256i load8(const int16_t *p) { return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)); }

static inline void store8(int16_t *to, __m256i v) {
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(v, v), 0x08);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(packed));
}

/* All ones where the five pixels of the reference have a value. */
static inline __m256i reference_valid(const int16_t *p, ptrdiff_t stride) {
    const __m128i none = _mm_set1_epi16(ENDO_PATCH_INVALID);
    __m128i least = _mm_min_epi16(_mm_loadu_si128((const __m128i *)(p - 1)), _mm_loadu_si128((const __m128i *)(p + 1)));
    least = _mm_min_epi16(least, _mm_loadu_si128((const __m128i *)(p - stride)));
    least = _mm_min_epi16(least, _mm_loadu_si128((const __m128i *)(p + stride)));
    least = _mm_min_epi16(least, _mm_loadu_si128((const __m128i *)p));
    return _mm256_cvtepi16_epi32(_mm_cmpgt_epi16(least, none));
}

static inline int eight_places(const cpu_patch_row *r, int i, cpu_patch_numbers *numbers, int to) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), low = _mm256_set1_epi32(255);
    const int16_t *p = r->reference + i;
    __m256i at = _mm256_add_epi32(lane, _mm256_set1_epi32(i));
    __m256i px = _mm256_add_epi32(_mm256_mullo_epi32(at, _mm256_set1_epi32(r->step[0])), _mm256_set1_epi32(r->at[0] + 128));
    __m256i py = _mm256_add_epi32(_mm256_mullo_epi32(at, _mm256_set1_epi32(r->step[1])), _mm256_set1_epi32(r->at[1] + 128));
    px = _mm256_srai_epi32(px, 8), py = _mm256_srai_epi32(py, 8);
    __m256i rows = _mm256_mullo_epi32(_mm256_srai_epi32(py, 8), _mm256_set1_epi32((int32_t)r->stride));
    __m256i index = _mm256_add_epi32(rows, _mm256_srai_epi32(px, 8));
    __m256i top = pairs_at(r->current, index), bottom = pairs_at(r->current + r->stride, index);
    __m256i fx = _mm256_and_si256(px, low), fy = _mm256_and_si256(py, low);
    __m256i weights = _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), fx), _mm256_slli_epi32(fx, 16));
    __m256i upper = _mm256_madd_epi16(top, weights), lower = _mm256_madd_epi16(bottom, weights);
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(upper, 8), _mm256_mullo_epi32(fy, _mm256_sub_epi32(lower, upper)));
    __m256i c = _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
    __m256i valid = _mm256_and_si256(reference_valid(p, r->stride), _mm256_and_si256(both_valid(top), both_valid(bottom)));
    __m256i gx = _mm256_sub_epi32(load8(p + 1), load8(p - 1)), gy = _mm256_sub_epi32(load8(p + r->stride), load8(p - r->stride));
    store8(numbers->of[0] + to, _mm256_and_si256(gx, valid));
    store8(numbers->of[1] + to, _mm256_and_si256(gy, valid));
    store8(numbers->of[2] + to, _mm256_and_si256(load8(p), valid));
    store8(numbers->of[3] + to, _mm256_and_si256(c, valid));
    return __builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(valid)));
}

static int row_avx2(const cpu_patch_row *r, cpu_patch_numbers *numbers, int to) {
    int n = 0, i = 0;
    for (; i + 8 <= r->side; i += 8) n += eight_places(r, i, numbers, to + i);
    for (; i < r->side; i++) n += patch_pixel(r, i, numbers, to + i);
    return n;
}

const cpu_patch_loops cpu_patch_avx2 = {patch_halve, patch_smooth, row_avx2, patch_add};
