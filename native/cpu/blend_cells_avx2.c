/* Cells of a blend of colour with AVX2, eight at a time. Blocks that follow one another, as between neighbouring cells nearly
 * all do, are loaded as they are. */
#include "blend_avx2.h"

/* What a frame shows in eight cells; seen: all ones in the lane of a cell that it shows, else 0. */
typedef struct observations {
    __m256i value[3], score, seen;
} observations;

/* Eight positions from a first one on, 26 bits more than are kept. */
static inline __m256i block_positions(int64_t first, int64_t step) {
    __m256i low = _mm256_setr_epi64x(first, first + step, first + 2 * step, first + 3 * step);
    __m256i high = _mm256_add_epi64(low, _mm256_set1_epi64x(4 * step));
    __m256 both = _mm256_shuffle_ps(_mm256_castsi256_ps(_mm256_srli_epi64(low, 26)),
                                    _mm256_castsi256_ps(_mm256_srli_epi64(high, 26)), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xd8);
}

/* 0 <= i < n */
static inline __m256i in_range(__m256i i, int n) {
    return _mm256_andnot_si256(_mm256_srai_epi32(i, 31), _mm256_cmpgt_epi32(_mm256_set1_epi32(n), i));
}

static inline __m256i not_zero(__m256i i) {
    return _mm256_xor_si256(_mm256_cmpeq_epi32(i, _mm256_setzero_si256()), _mm256_set1_epi32(-1));
}

/* Eight blocks: the first two channels of each, and the third below the score. */
typedef struct eight_blocks {
    __m256i first, last;
} eight_blocks;

/* The blocks (x, y); 0 of those that there are not. */
static inline eight_blocks gather_blocks(const cpu_cell_run *r, __m256i lanes, __m256i x, __m256i y) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i valid = _mm256_and_si256(lanes, _mm256_and_si256(in_range(x, r->columns), in_range(y, r->rows)));
    __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32(r->columns)), x);
    eight_blocks b = {_mm256_mask_i32gather_epi32(zero, (const int *)r->blocks, index, valid, 8),
                      _mm256_mask_i32gather_epi32(zero, (const int *)r->blocks + 1, index, valid, 8)};
    return b;
}

/* Eight blocks that follow one another in memory. */
static inline eight_blocks load_blocks(const endo_blend_block *blocks) {
    __m256 low = _mm256_loadu_ps((const float *)blocks), high = _mm256_loadu_ps((const float *)(blocks + 4));
    eight_blocks b = {_mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)), 0xd8),
                      _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd)), 0xd8)};
    return b;
}

/* The blocks that eight places lie between, of one row and of the next: (x, y), and those to the right. */
typedef struct surrounding {
    eight_blocks of[4];
} surrounding;

/* The first of the blocks (x, y), where they follow one another and all that are around the places exist; else NULL. */
static inline const endo_blend_block *following(const cpu_cell_run *r, __m256i lanes, __m256i x, __m256i y) {
    int left = _mm_cvtsi128_si32(_mm256_castsi256_si128(x)), top = _mm_cvtsi128_si32(_mm256_castsi256_si128(y));
    __m256i follows = _mm256_add_epi32(_mm256_set1_epi32(left), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i all = _mm256_and_si256(_mm256_cmpeq_epi32(x, follows), _mm256_cmpeq_epi32(y, _mm256_set1_epi32(top)));
    all = _mm256_and_si256(all, lanes);
    if (_mm256_movemask_epi8(all) != -1 || left < 0 || top < 0 || left + 8 >= r->columns || top + 1 >= r->rows) return NULL;
    return r->blocks + (ptrdiff_t)top * r->columns + left;
}

static inline surrounding blocks_around(const cpu_cell_run *r, __m256i lanes, __m256i x, __m256i y) {
    const __m256i one = _mm256_set1_epi32(1);
    __m256i right = _mm256_add_epi32(x, one), below = _mm256_add_epi32(y, one);
    const endo_blend_block *b = following(r, lanes, x, y);
    if (b)
        return (surrounding){{load_blocks(b), load_blocks(b + 1), load_blocks(b + r->columns),
                              load_blocks(b + r->columns + 1)}};
    return (surrounding){{gather_blocks(r, lanes, x, y), gather_blocks(r, lanes, right, y), gather_blocks(r, lanes, x, below),
                          gather_blocks(r, lanes, right, below)}};
}

/* Adds blocks with their shares to sums; returns the shares of those that lie in the field. */
static inline __m256i add_blocks(const eight_blocks *b, __m256i share, observations *l) {
    const __m256i low = _mm256_set1_epi32(0xffff);
    __m256i score = _mm256_srli_epi32(b->last, 16);
    share = _mm256_and_si256(share, not_zero(score));
    l->value[0] = _mm256_add_epi32(l->value[0], _mm256_mullo_epi32(share, _mm256_and_si256(b->first, low)));
    l->value[1] = _mm256_add_epi32(l->value[1], _mm256_mullo_epi32(share, _mm256_srli_epi32(b->first, 16)));
    l->value[2] = _mm256_add_epi32(l->value[2], _mm256_mullo_epi32(share, _mm256_and_si256(b->last, low)));
    l->score = _mm256_add_epi32(l->score, _mm256_mullo_epi32(share, score));
    return share;
}

/* (a + b / 2) / b of numbers below 2^30: exact, as doubles are. */
static inline __m256i divide(__m256i a, __m256i b) {
    __m256i sum = _mm256_add_epi32(a, _mm256_srli_epi32(b, 1));
    __m128i low = _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)),
                                                    _mm256_cvtepi32_pd(_mm256_castsi256_si128(b))));
    __m128i high = _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)),
                                                     _mm256_cvtepi32_pd(_mm256_extracti128_si256(b, 1))));
    return _mm256_setr_m128i(low, high);
}

/* endo_blend_observe. */
static inline observations observe(const cpu_cell_run *r, __m256i lanes, __m256i u, __m256i v) {
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), fraction = _mm256_set1_epi32(255);
    const __m256i whole = _mm256_set1_epi32(256), round = _mm256_set1_epi32(32768);
    observations l = {{zero, zero, zero}, zero, zero};
    surrounding around = blocks_around(r, lanes, _mm256_srai_epi32(u, 8), _mm256_srai_epi32(v, 8));
    __m256i fx = _mm256_and_si256(u, fraction), fy = _mm256_and_si256(v, fraction);
    __m256i gx = _mm256_sub_epi32(whole, fx), gy = _mm256_sub_epi32(whole, fy);
    __m256i sum = add_blocks(&around.of[0], _mm256_mullo_epi32(gx, gy), &l);
    sum = _mm256_add_epi32(sum, add_blocks(&around.of[1], _mm256_mullo_epi32(fx, gy), &l));
    sum = _mm256_add_epi32(sum, add_blocks(&around.of[2], _mm256_mullo_epi32(gx, fy), &l));
    sum = _mm256_add_epi32(sum, add_blocks(&around.of[3], _mm256_mullo_epi32(fx, fy), &l));
    l.score = _mm256_srli_epi32(_mm256_add_epi32(l.score, round), 16);
    l.seen = _mm256_and_si256(not_zero(sum), not_zero(l.score));
    __m256i part = _mm256_andnot_si256(_mm256_cmpeq_epi32(sum, _mm256_set1_epi32(65536)), l.seen);
    int any = !_mm256_testz_si256(part, part);
    __m256i safe = _mm256_max_epi32(sum, one);
    for (int c = 0; c < 3; c++) {
        __m256i mean = _mm256_srli_epi32(_mm256_add_epi32(l.value[c], round), 16);
        l.value[c] = any ? _mm256_blendv_epi8(mean, divide(l.value[c], safe), part) : mean;
    }
    return l;
}

static inline int *plane_of(const cpu_cell_run *r, int plane, int i) {
    return (int *)r->cells + (ptrdiff_t)plane * r->across + i;
}

/* By mask; some processors are slow at stores by mask. whole: all eight lanes are cells of the run. */
static inline void store_cells(int *p, __m256i mask, __m256i values, int whole) {
    if (whole) _mm256_storeu_si256((__m256i *)p, _mm256_blendv_epi8(_mm256_loadu_si256((const __m256i *)p), values, mask));
    else _mm256_maskstore_epi32(p, mask, values);
}

static inline int is_whole(const cpu_cell_run *r, int i) { return r->n - i >= 8; }

/* endo_blend_gather: three planes of sums from `plane` on, and that of their weight. */
static inline void gather(const cpu_cell_run *r, int plane, int i, __m256i lanes, const observations *l, __m256i weight) {
    int *sum = plane_of(r, plane + 3, i);
    __m256i after = _mm256_add_epi32(_mm256_maskload_epi32(sum, lanes), weight);
    __m256i takes = _mm256_andnot_si256(_mm256_cmpgt_epi32(after, _mm256_set1_epi32(ENDO_BLEND_MOST_WEIGHT)), lanes);
    store_cells(sum, takes, after, is_whole(r, i));
    for (int c = 0; c < 3; c++) {
        int *p = plane_of(r, plane + c, i);
        __m256i before = _mm256_maskload_epi32(p, takes);
        store_cells(p, takes, _mm256_add_epi32(before, _mm256_mullo_epi32(weight, l->value[c])), is_whole(r, i));
    }
}

/* endo_blend_first_pass. */
static inline void first_pass(const cpu_cell_run *r, int i, const observations *l) {
    int *p = plane_of(r, CPU_CELL_BEST, i);
    __m256i best = _mm256_maskload_epi32(p, l->seen);
    __m256i better = _mm256_and_si256(l->seen, _mm256_cmpgt_epi32(l->score, best));
    __m256i same = _mm256_and_si256(l->seen, _mm256_cmpeq_epi32(l->score, best));
    store_cells(p, better, l->score, is_whole(r, i));
    for (int c = 0; c < 3; c++) {
        int *shown = plane_of(r, CPU_CELL_NARROW + c, i);
        __m256i greater = _mm256_cmpgt_epi32(l->value[c], _mm256_maskload_epi32(shown, same));
        store_cells(shown, _mm256_or_si256(better, _mm256_and_si256(same, greater)), l->value[c], is_whole(r, i));
    }
    gather(r, CPU_CELL_FIRST_PASS, i, l->seen, l, l->score);
}

/* endo_blend_narrow. The quotient is exact: of numbers below 2^20 by one below 2^8. */
static inline __m256i narrow(__m256i best, __m256i score) {
    const __m256i halving[2] = {_mm256_setr_epi32(4095, 3921, 3755, 3596, 3443, 3297, 3158, 3024),
                                _mm256_setr_epi32(2896, 2773, 2655, 2543, 2435, 2332, 2233, 2138)};
    __m256i below = _mm256_sub_epi32(best, score), upper = _mm256_slli_epi32(below, 28); /* its sign: from 8 of 16 on */
    __m256i most = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(halving[0], below)),
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(halving[1], below)), _mm256_castsi256_ps(upper)));
    __m256 quotient = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_mullo_epi32(most, score)), _mm256_cvtepi32_ps(best));
    __m256i weight = _mm256_srlv_epi32(_mm256_cvttps_epi32(quotient), _mm256_srli_epi32(below, 4));
    weight = _mm256_max_epi32(weight, _mm256_set1_epi32(1));
    return _mm256_blendv_epi8(_mm256_set1_epi32(4095), weight, _mm256_cmpgt_epi32(best, score));
}

/* endo_blend_share. */
static inline __m256i share_of(__m256i weight, __m256i vote) {
    return _mm256_max_epi32(_mm256_srli_epi32(_mm256_mullo_epi32(weight, vote), 8), _mm256_set1_epi32(1));
}

static inline __m256i difference(const cpu_cell_run *r, int i, const observations *l) {
    __m256i most = _mm256_setzero_si256();
    for (int c = 0; c < 3; c++) {
        __m256i first = _mm256_maskload_epi32(plane_of(r, CPU_CELL_FIRST_PASS + c, i), l->seen);
        most = _mm256_max_epi32(most, _mm256_abs_epi32(_mm256_sub_epi32(first, l->value[c])));
    }
    return most;
}

/* From 32 bits to 16. */
static inline __m128i to_words(__m256i v) {
    return _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}

static inline void store_weights(const cpu_cell_run *r, int i, __m256i seen, __m256i weights) {
    uint16_t *p = r->weights + i;
    if (is_whole(r, i)) {
        __m128i mask = _mm_packs_epi32(_mm256_castsi256_si128(seen), _mm256_extracti128_si256(seen, 1));
        _mm_storeu_si128((__m128i *)p, _mm_blendv_epi8(_mm_loadu_si128((const __m128i *)p), to_words(weights), mask));
        return;
    }
    int32_t all[8], bits = _mm256_movemask_ps(_mm256_castsi256_ps(seen));
    _mm256_storeu_si256((__m256i *)all, weights);
    for (int k = 0; k < 8; k++)
        if (bits >> k & 1) p[k] = (uint16_t)all[k];
}

/* endo_blend_weigh. */
static inline void weigh(const cpu_cell_run *r, int i, const observations *l) {
    const __m256i low = _mm256_set1_epi32(0xffff), all = _mm256_set1_epi32(256);
    __m256i passed = not_zero(_mm256_maskload_epi32(plane_of(r, CPU_CELL_FIRST_PASS_WEIGHT, i), l->seen));
    __m256i sure = passed, vote = all;
    __m256i kept = _mm256_maskload_epi32(plane_of(r, CPU_CELL_BEST, i), l->seen);
    __m256i best = _mm256_blendv_epi8(_mm256_set1_epi32(ENDO_BLEND_FULL_SCORE), _mm256_and_si256(kept, low), passed);
    if (r->votes) {
        __m256i at = _mm256_min_epi32(difference(r, i, l), _mm256_set1_epi32((int)(CPU_VOTES * r->tolerance)));
        __m256i votes = _mm256_and_si256(_mm256_i32gather_epi32((const int *)r->votes, at, 2), low);
        vote = _mm256_blendv_epi8(all, votes, passed);
        __m256i doubt = _mm256_srli_epi32(kept, 16);
        sure = _mm256_andnot_si256(_mm256_cmpgt_epi32(doubt, _mm256_set1_epi32((int)r->tolerance)), passed);
    }
    __m256i weight = share_of(narrow(best, l->score), vote);
    __m256i faint = _mm256_and_si256(sure, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_BLEND_FAINT), weight));
    weight = _mm256_andnot_si256(faint, weight);
    gather(r, CPU_CELL_BROAD, i, l->seen, l, share_of(l->score, vote));
    gather(r, CPU_CELL_NARROW, i, _mm256_andnot_si256(faint, l->seen), l, weight);
    store_weights(r, i, l->seen, weight);
}

/* The surroundings of the blocks whose middles are nearest to the cells. */
static inline void find_inside(const cpu_cell_run *r, int i, __m256i lanes, __m256i u, __m256i v) {
    const __m256i half = _mm256_set1_epi32(128);
    __m256i x = _mm256_srai_epi32(_mm256_add_epi32(u, half), 8), y = _mm256_srai_epi32(_mm256_add_epi32(v, half), 8);
    __m256i valid = _mm256_and_si256(lanes, _mm256_and_si256(in_range(x, r->columns), in_range(y, r->rows)));
    __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32(r->columns)), x);
    __m256i some = _mm256_set1_epi32(ENDO_BLEND_SOME);
    __m256i found = _mm256_mask_i32gather_epi32(some, (const int *)r->surroundings, index, valid, 1);
    __m128i words = to_words(_mm256_and_si256(found, _mm256_set1_epi32(255)));
    int64_t eight = _mm_cvtsi128_si64(_mm_packus_epi16(words, words));
    memcpy(r->inside + i, &eight, is_whole(r, i) ? 8 : (size_t)(r->n - i));
}

void cpu_blend_visit_cells_avx2(const cpu_cell_run *r) {
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < r->n; i += 8) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32(r->n - i), number);
        __m256i u = block_positions(r->u + i * r->step_u, r->step_u), v = block_positions(r->v + i * r->step_v, r->step_v);
        fetch_blocks(r, i, 8);
        if (r->second && r->inside) find_inside(r, i, lanes, u, v);
        observations l = observe(r, lanes, u, v);
        if (_mm256_testz_si256(l.seen, l.seen)) continue;
        if (r->second) weigh(r, i, &l);
        else first_pass(r, i, &l);
    }
}
