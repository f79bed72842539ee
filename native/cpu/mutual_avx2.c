/* Joint histograms with AVX2: 8 voxels at a time. A load of 64 bits brings the 8 neighbours of each, in bytes; products
 * of bytes interpolate along y, of 16 bits along x and along z (rules/mutual.h says why these fit). Twice as wide
 * registers made it slower: most of the time goes into the loads and into the histogram, one voxel at a time. */
#include "mutual_rows.h"

#include <immintrin.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The fractions, spread over bytes, where the pattern is 0; 128 less them where it is 255: the complement and 129. */
ALWAYS_INLINE __m256i weights(__m256i rounded, __m256i spread, int mask, int pattern, int ones) {
    __m256i f = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_srli_epi32(rounded, 9), spread), _mm256_set1_epi32(mask));
    return _mm256_add_epi8(_mm256_xor_si256(f, _mm256_set1_epi32(pattern)), _mm256_set1_epi32(ones));
}

/* Weights of the bytes y, y + 1, y, y + 1. */
ALWAYS_INLINE __m256i byte_weights(__m256i rounded, int fraction_mask) {
    const __m256i spread = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
    return weights(rounded, spread, fraction_mask * 0x01010101, 0x00ff00ff, 0x00810081);
}

/* Of 16 bits: the first, the second. */
ALWAYS_INLINE __m256i word_weights(__m256i rounded, int fraction_mask) {
    const __m256i spread = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 0, -1, 4, -1, 4, -1, 8, -1, 8, -1, 12, -1, 12, -1));
    return weights(rounded, spread, fraction_mask * 0x00010001, 0x000000ff, 0x00000081);
}

ALWAYS_INLINE __m128i load_two(const uint32_t *moving, const int32_t *places) {
    __m128i first = _mm_loadl_epi64((const __m128i *)(moving + places[0]));
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(first), (const __m64 *)(moving + places[1])));
}

/* The neighbours of 8 voxels: of each the four of its own slice, and the four of the next. Two halves are loaded so that
 * a shuffle within halves puts the voxels in order. */
ALWAYS_INLINE void load_neighbours(const mutual_walk *w, __m256i place, __m256i slices[2]) {
    int32_t places[8] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i *)places, place);
    mutual_prefetch(w, places[0]);
    __m256 a = _mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(load_two(w->moving, places)),
                                                           load_two(w->moving, places + 4), 1));
    __m256 b = _mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(load_two(w->moving, places + 2)),
                                                           load_two(w->moving, places + 6), 1));
    __m256i left = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    __m256i right = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
    slices[0] = _mm256_blend_epi16(left, _mm256_slli_epi32(right, 16), 0xaa);
    slices[1] = _mm256_blend_epi16(_mm256_srli_epi32(left, 16), right, 0xaa);
}

/* One slice of neighbours, 22 bits, less 128 levels. */
ALWAYS_INLINE __m256i within_slice(__m256i four, __m256i wy, __m256i wx) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(wy, four), wx);
}

/* Levels * 2^14 at 8 positions. */
ALWAYS_INLINE __m256i interpolate(const mutual_walk *w, const __m256i at[3], __m256i inside, int flat) {
    __m256i place = _mm256_srai_epi32(at[0], 16);
    place = _mm256_add_epi32(place, _mm256_mullo_epi32(_mm256_srai_epi32(at[1], 16), _mm256_set1_epi32(w->stride)));
    __m256i wy = byte_weights(at[1], w->fraction_mask), wx = word_weights(at[0], w->fraction_mask), v, slices[2];
    if (!flat)
        place = _mm256_add_epi32(place, _mm256_mullo_epi32(_mm256_srai_epi32(at[2], 16), _mm256_set1_epi32(w->slice)));
    load_neighbours(w, _mm256_and_si256(inside, place), slices);
    if (flat) {
        v = _mm256_and_si256(within_slice(slices[0], wy, wx), _mm256_set1_epi32(~127));
    } else {
        __m256i low = _mm256_srli_epi32(within_slice(slices[0], wy, wx), 7);
        __m256i high = _mm256_slli_epi32(within_slice(slices[1], wy, wx), 9);
        v = _mm256_madd_epi16(_mm256_blend_epi16(low, high, 0xaa), word_weights(at[2], w->fraction_mask));
    }
    return _mm256_add_epi32(v, _mm256_set1_epi32(128 << 14));
}

/* endo_mutual_moving_bin() of 8: numbers of 15 bits, whose products fit. */
ALWAYS_INLINE __m256i columns(__m256i v, __m256i gain, __m256i bins) {
    __m256i most = _mm256_set1_epi32(ENDO_MUTUAL_MOST_GAIN), factor;
    factor = _mm256_srli_epi32(_mm256_max_epi32(_mm256_min_epi32(gain, most), _mm256_setzero_si256()), 2);
    v = _mm256_srli_epi32(_mm256_madd_epi16(_mm256_srli_epi32(v, 7), factor), 14);
    return _mm256_srli_epi32(_mm256_madd_epi16(_mm256_min_epi32(v, _mm256_set1_epi32(32767)), bins), 15);
}

/* Where 8 voxels are counted. Those outside go to the row that nobody reads, each to a place of its own; so do those of
 * the hot bin, which would wait for each other: these are counted here. */
ALWAYS_INLINE void count(mutual_walk *w, __m256i place, __m256i inside) {
    uint32_t places[8] __attribute__((aligned(32)));
    __m256i hot = _mm256_and_si256(inside, _mm256_cmpeq_epi32(place, _mm256_set1_epi32((int)w->hot)));
    w->hot_count += (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(hot)));
    __m256i counted = _mm256_andnot_si256(hot, inside);
    if (_mm256_testz_si256(counted, counted)) return;
    __m256i nowhere = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                       _mm256_set1_epi32((int)(w->bins * w->bins)));
    _mm256_store_si256((__m256i *)places, _mm256_blendv_epi8(nowhere, place, counted));
    for (int i = 0; i < 8; i++) w->counts[places[i]]++;
}

ALWAYS_INLINE void count_run_as(mutual_walk *w, const mutual_run *run, int flat) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), bins = _mm256_set1_epi32((int)w->bins);
    const __m256i gain_step = _mm256_set1_epi32(8 * w->gain_step);
    __m256i at[3], step[3], gain;
    int k = run->from & ~7;
    for (int i = 0; i < 3; i++) {
        at[i] = _mm256_add_epi32(_mm256_set1_epi32(run->position[i] + k * w->step[i]),
                                 _mm256_mullo_epi32(lanes, _mm256_set1_epi32(w->step[i])));
        step[i] = _mm256_set1_epi32(8 * w->step[i]);
    }
    gain = _mm256_add_epi32(_mm256_set1_epi32(run->gain + k * w->gain_step),
                            _mm256_mullo_epi32(lanes, _mm256_set1_epi32(w->gain_step)));
    for (; k < run->to; k += 8) {
        __m256i n = _mm256_add_epi32(lanes, _mm256_set1_epi32(k));
        __m256i inside = _mm256_and_si256(_mm256_cmpgt_epi32(n, _mm256_set1_epi32(run->from - 1)),
                                          _mm256_cmpgt_epi32(_mm256_set1_epi32(run->to), n));
        __m256i v = interpolate(w, at, inside, flat);
        __m256i column = columns(v, gain, bins);
        __m256i row = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(run->fixed + k)));
        count(w, _mm256_add_epi32(_mm256_madd_epi16(row, bins), column), inside);
        for (int i = 0; i < 3; i++) at[i] = _mm256_add_epi32(at[i], step[i]);
        gain = _mm256_add_epi32(gain, gain_step);
    }
}

ALWAYS_INLINE void count_run(mutual_walk *w, const mutual_run *run) { count_run_as(w, run, 0); }
ALWAYS_INLINE void count_flat_run(mutual_walk *w, const mutual_run *run) { count_run_as(w, run, 1); }

static void mutual_count_avx2(const cpu_mutual_rows *rows) {
    if (mutual_begin(rows).flat)
        mutual_walk_rows(rows, count_flat_run);
    else
        mutual_walk_rows(rows, count_run);
}

const cpu_mutual_loops cpu_mutual_avx2 = {
    .count = mutual_count_avx2,
};
