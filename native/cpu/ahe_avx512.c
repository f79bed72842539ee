/* The loops of adaptive equalization in AVX-512. */
#define AHE_LANE_BYTES 64
#include "ahe_members_loops.h"
#include "ahe_rows.h"
#include "base/simd.h"

#include <immintrin.h>

/* Processors that count the bits of a register's words come later than those with AVX-512 VNNI. */
#define COUNTS_BITS __attribute__((target("avx512vpopcntdq")))

/* Eight words at a time, as many eights for every question of a group: a number that changes cannot be foreseen. Bits
 * from the last on are masked; numbers are below 65536, so that 16 bits of a word hold the difference. */
COUNTS_BITS static inline uint32_t common_bits_of_eights(const members_question *q, int most) {
    uint32_t from = q->first / 64;
    const uint64_t *a = q->on_columns + from, *b = q->not_above + from;
    const __m512i all = _mm512_set1_epi64(-1), eights = _mm512_set1_epi64(64 * CPU_AHE_WORDS);
    __m512i begin = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0), sums = _mm512_setzero_si512();
    __m512i last = _mm512_set1_epi64((int)(q->last - 64 * from));
    __m512i wanted = _mm512_sllv_epi64(all, _mm512_maskz_set1_epi64(1, (int)(q->first % 64)));
    for (int i = 0; i < most; i += CPU_AHE_WORDS) {
        __m512i beyond = _mm512_sllv_epi64(all, _mm512_subs_epu16(last, begin));
        wanted = _mm512_and_si512(wanted, _mm512_loadu_si512(a + i));
        wanted = _mm512_and_si512(wanted, _mm512_andnot_si512(beyond, _mm512_loadu_si512(b + i)));
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(wanted));
        begin = _mm512_add_epi64(begin, eights);
        wanted = all;
    }
    return (uint32_t)_mm512_reduce_add_epi64(sums);
}

_Static_assert(CPU_AHE_STEP == 32, "16 bits each in one register");

COUNTS_BITS static inline uint32_t common_places_of_step(const members_question *q) {
    __m512i columns = _mm512_sub_epi16(_mm512_loadu_si512(q->step->columns), _mm512_set1_epi16((short)q->column));
    __m512i numbers = _mm512_sub_epi16(_mm512_loadu_si512(q->step->numbers), _mm512_set1_epi16((short)q->first));
    __mmask32 valid = (1u << q->n) - 1;
    __mmask32 on = _mm512_mask_cmplt_epu16_mask(valid, columns, _mm512_set1_epi16((short)q->window));
    return (uint32_t)_mm_popcnt_u32(_mm512_mask_cmplt_epu16_mask(on, numbers, _mm512_set1_epi16((short)(q->last - q->first))));
}

COUNTS_BITS static inline uint32_t count_bits(const members_question *q, int most) {
    return common_bits_of_eights(q, most) + common_places_of_step(q);
}

COUNTS_BITS static void count_asked_by_bits(const cpu_ahe_members *m) { count_asked(m, count_bits); }

static void count_members(const cpu_ahe_members *m) {
    if (!(simd_here() & SIMD_VPOPCNTDQ)) {
        count_members_plain(m);
        return;
    }
    accumulate_rows(m->on_columns, m->width, m->words);
    count_asked_by_bits(m);
}

const cpu_ahe_loops cpu_ahe_avx512 = {
    .largest_compared = 21,
    .largest_compared16 = 21,
    .count_members = count_members,
    AHE_LOOPS,
};
