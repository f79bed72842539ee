/* Cells of a blend with AVX-512: sixteen at a time. */
#include "blend_avx512.h"

/* What a frame shows in sixteen cells; seen: a bit for each cell that it shows. */
typedef struct observations {
    __m512i value[3], score;
    __mmask16 seen;
} observations;

/* Sixteen positions from a first one on, 26 bits more than are kept. */
static inline __m512i block_positions(int64_t first, int64_t step) {
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i low = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_mullo_epi64(lane, _mm512_set1_epi64(step)));
    __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(8 * step));
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srai_epi64(low, 26))),
                              _mm512_cvtepi64_epi32(_mm512_srai_epi64(high, 26)), 1);
}

static inline __mmask16 in_range(__m512i i, int n) { return _mm512_cmplt_epu32_mask(i, _mm512_set1_epi32(n)); }

/* Adds the block (x, y) with its share to sums; returns the shares of those that lie in the field. */
static inline __m512i add_block(const cpu_cell_run *r, __mmask16 lanes, __m512i x, __m512i y, __m512i share, observations *l) {
    const __m512i zero = _mm512_setzero_si512(), low = _mm512_set1_epi32(0xffff);
    __mmask16 valid = lanes & in_range(x, r->columns) & in_range(y, r->rows);
    __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32(r->columns)), x);
    __m512i first = _mm512_mask_i32gather_epi32(zero, valid, index, r->blocks, 8);
    __m512i last = _mm512_mask_i32gather_epi32(zero, valid, index, (const uint8_t *)r->blocks + 4, 8);
    __m512i score = _mm512_srli_epi32(last, 16);
    share = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(score, score), share);
    l->value[0] = _mm512_add_epi32(l->value[0], _mm512_mullo_epi32(share, _mm512_and_si512(first, low)));
    l->value[1] = _mm512_add_epi32(l->value[1], _mm512_mullo_epi32(share, _mm512_srli_epi32(first, 16)));
    l->value[2] = _mm512_add_epi32(l->value[2], _mm512_mullo_epi32(share, _mm512_and_si512(last, low)));
    l->score = _mm512_add_epi32(l->score, _mm512_mullo_epi32(share, score));
    return share;
}

/* (a + b / 2) / b of numbers below 2^31: exact, as doubles are. */
static inline __m256i divide_eight(__m256i a, __m256i b) {
    __m512d quotient = _mm512_div_pd(_mm512_cvtepu32_pd(_mm256_add_epi32(a, _mm256_srli_epi32(b, 1))), _mm512_cvtepu32_pd(b));
    return _mm512_cvttpd_epu32(quotient);
}

static inline __m512i divide(__m512i a, __m512i b) {
    __m256i low = divide_eight(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b));
    __m256i high = divide_eight(_mm512_extracti64x4_epi64(a, 1), _mm512_extracti64x4_epi64(b, 1));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* endo_blend_observe. */
static inline observations observe(const cpu_cell_run *r, __mmask16 lanes, __m512i u, __m512i v) {
    const __m512i one = _mm512_set1_epi32(1), fraction = _mm512_set1_epi32(255), whole = _mm512_set1_epi32(256);
    const __m512i round = _mm512_set1_epi32(32768);
    const __m512i zero = _mm512_setzero_si512();
    observations l = {.value = {zero, zero, zero}, .score = zero};
    __m512i x = _mm512_srai_epi32(u, 8), y = _mm512_srai_epi32(v, 8);
    __m512i right = _mm512_add_epi32(x, one), below = _mm512_add_epi32(y, one);
    __m512i fx = _mm512_and_si512(u, fraction), fy = _mm512_and_si512(v, fraction);
    __m512i gx = _mm512_sub_epi32(whole, fx), gy = _mm512_sub_epi32(whole, fy);
    __m512i sum = add_block(r, lanes, x, y, _mm512_mullo_epi32(gx, gy), &l);
    sum = _mm512_add_epi32(sum, add_block(r, lanes, right, y, _mm512_mullo_epi32(fx, gy), &l));
    sum = _mm512_add_epi32(sum, add_block(r, lanes, x, below, _mm512_mullo_epi32(gx, fy), &l));
    sum = _mm512_add_epi32(sum, add_block(r, lanes, right, below, _mm512_mullo_epi32(fx, fy), &l));
    l.score = _mm512_srli_epi32(_mm512_add_epi32(l.score, round), 16);
    l.seen = _mm512_test_epi32_mask(sum, sum) & _mm512_test_epi32_mask(l.score, l.score);
    __mmask16 part = l.seen & _mm512_cmpneq_epi32_mask(sum, _mm512_set1_epi32(65536));
    __m512i safe = _mm512_max_epu32(sum, one);
    for (int c = 0; c < 3; c++) {
        __m512i mean = _mm512_srli_epi32(_mm512_add_epi32(l.value[c], round), 16);
        l.value[c] = part ? _mm512_mask_mov_epi32(mean, part, divide(l.value[c], safe)) : mean;
    }
    return l;
}

static inline uint32_t *plane_of(const cpu_cell_run *r, int plane, int i) { return r->cells + (ptrdiff_t)plane * r->across + i; }

/* endo_blend_gather: three planes of sums from `plane` on, and that of their weight. */
static inline void gather(const cpu_cell_run *r, int plane, int i, __mmask16 lanes, const observations *l, __m512i weight) {
    uint32_t *sum = plane_of(r, plane + 3, i);
    __m512i after = _mm512_add_epi32(_mm512_maskz_loadu_epi32(lanes, sum), weight);
    __mmask16 takes = lanes & _mm512_cmple_epu32_mask(after, _mm512_set1_epi32(ENDO_BLEND_MOST_WEIGHT));
    _mm512_mask_storeu_epi32(sum, takes, after);
    for (int c = 0; c < 3; c++) {
        uint32_t *p = plane_of(r, plane + c, i);
        __m512i before = _mm512_maskz_loadu_epi32(takes, p);
        _mm512_mask_storeu_epi32(p, takes, _mm512_add_epi32(before, _mm512_mullo_epi32(weight, l->value[c])));
    }
}

/* endo_blend_first_pass. */
static inline void first_pass(const cpu_cell_run *r, int i, const observations *l) {
    uint32_t *p = plane_of(r, CPU_CELL_BEST, i);
    __m512i best = _mm512_maskz_loadu_epi32(l->seen, p);
    __mmask16 better = l->seen & _mm512_cmpgt_epu32_mask(l->score, best);
    __mmask16 same = l->seen & _mm512_cmpeq_epu32_mask(l->score, best);
    _mm512_mask_storeu_epi32(p, better, l->score);
    for (int c = 0; c < 3 && (better | same); c++) {
        uint32_t *shown = plane_of(r, CPU_CELL_NARROW + c, i);
        __mmask16 more = better | (same & _mm512_cmpgt_epu32_mask(l->value[c], _mm512_maskz_loadu_epi32(same, shown)));
        _mm512_mask_storeu_epi32(shown, more, l->value[c]);
    }
    gather(r, CPU_CELL_FIRST_PASS, i, l->seen, l, l->score);
}

/* endo_blend_narrow. The quotient is exact: of numbers below 2^20 by one below 2^8. */
static inline __m512i narrow(__m512i best, __m512i score) {
    const __m512i halving = _mm512_setr_epi32(4095, 3921, 3755, 3596, 3443, 3297, 3158, 3024, 2896, 2773, 2655, 2543, 2435,
                                              2332, 2233, 2138);
    __mmask16 first = _mm512_cmpge_epu32_mask(score, best);
    __m512i below = _mm512_sub_epi32(best, score);
    __m512i most = _mm512_permutexvar_epi32(below, halving); /* by the lower four bits */
    __m512 quotient = _mm512_div_ps(_mm512_cvtepi32_ps(_mm512_mullo_epi32(most, score)), _mm512_cvtepi32_ps(best));
    __m512i weight = _mm512_srlv_epi32(_mm512_cvttps_epi32(quotient), _mm512_srli_epi32(below, 4));
    return _mm512_mask_mov_epi32(_mm512_max_epu32(weight, _mm512_set1_epi32(1)), first, _mm512_set1_epi32(4095));
}

/* endo_blend_share. */
static inline __m512i share_of(__m512i weight, __m512i vote) {
    return _mm512_max_epu32(_mm512_srli_epi32(_mm512_mullo_epi32(weight, vote), 8), _mm512_set1_epi32(1));
}

static inline __m512i difference(const cpu_cell_run *r, int i, const observations *l) {
    __m512i most = _mm512_setzero_si512();
    for (int c = 0; c < 3; c++) {
        __m512i first = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_FIRST_PASS + c, i));
        most = _mm512_max_epu32(most, _mm512_abs_epi32(_mm512_sub_epi32(first, l->value[c])));
    }
    return most;
}

/* endo_blend_weigh. */
static inline void weigh(const cpu_cell_run *r, int i, const observations *l) {
    __m512i tolerance = _mm512_set1_epi32((int)r->tolerance), vote = _mm512_set1_epi32(256);
    __m512i found = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_FIRST_PASS_WEIGHT, i));
    __m512i kept = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_BEST, i));
    __mmask16 passed = _mm512_test_epi32_mask(found, found), sure = passed;
    __m512i best = _mm512_mask_and_epi32(_mm512_set1_epi32(ENDO_BLEND_FULL_SCORE), passed, kept, _mm512_set1_epi32(0xffff));
    if (r->votes) {
        __m512i most = _mm512_set1_epi32((int)(CPU_VOTES * r->tolerance));
        __m512i at = _mm512_min_epu32(difference(r, i, l), most);
        __m512i votes = _mm512_mask_i32gather_epi32(vote, passed, at, r->votes, 2);
        vote = _mm512_mask_and_epi32(vote, passed, votes, _mm512_set1_epi32(0xffff));
        sure &= _mm512_cmple_epu32_mask(_mm512_srli_epi32(kept, 16), tolerance);
    }
    __m512i weight = share_of(narrow(best, l->score), vote);
    __mmask16 faint = sure & _mm512_cmplt_epu32_mask(weight, _mm512_set1_epi32(ENDO_BLEND_FAINT));
    weight = _mm512_mask_mov_epi32(weight, faint, _mm512_setzero_si512());
    gather(r, CPU_CELL_BROAD, i, l->seen, l, share_of(l->score, vote));
    gather(r, CPU_CELL_NARROW, i, l->seen & ~faint, l, weight);
    _mm256_mask_storeu_epi16(r->weights + i, l->seen, _mm512_cvtepi32_epi16(weight));
}

static inline void find_inside(const cpu_cell_run *r, int i, __mmask16 lanes, __m512i u, __m512i v) {
    const __m512i half = _mm512_set1_epi32(128);
    __m512i x = _mm512_srai_epi32(_mm512_add_epi32(u, half), 8), y = _mm512_srai_epi32(_mm512_add_epi32(v, half), 8);
    __mmask16 valid = lanes & in_range(x, r->columns) & in_range(y, r->rows);
    __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32(r->columns)), x);
    __m512i found = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(ENDO_BLEND_SOME), valid, index, r->surroundings, 1);
    _mm_mask_storeu_epi8(r->inside + i, lanes, _mm512_cvtepi32_epi8(_mm512_and_si512(found, _mm512_set1_epi32(255))));
}

void cpu_blend_visit_cells_avx512(const cpu_cell_run *r) {
    for (int i = 0; i < r->n; i += 16) {
        __mmask16 lanes = r->n - i < 16 ? (__mmask16)((1u << (r->n - i)) - 1) : 0xffff;
        __m512i u = block_positions(r->u + i * r->step_u, r->step_u), v = block_positions(r->v + i * r->step_v, r->step_v);
        fetch_blocks(r, i, 16);
        if (r->second && r->inside) find_inside(r, i, lanes, u, v);
        observations l = observe(r, lanes, u, v);
        if (!l.seen) continue;
        if (r->second) weigh(r, i, &l);
        else first_pass(r, i, &l);
    }
}
