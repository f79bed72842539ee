/* Blending of colour with AVX2. Eight cells, two pixels of eight at a time: of each pixel, four rows of four neighbours are
 * weighted along the rows in 16 bits (64 * 255 fits), down the columns in 32. Grey pixels are plain C. */
#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* ------------------------------------------------------------------- blocks */

/* All bits of the pixels whose channels are alike. */
static inline __m256i is_grey(__m256i rgb) {
    __m256i differs = _mm256_slli_epi32(_mm256_xor_si256(rgb, _mm256_srli_epi32(rgb, 8)), 16);
    return _mm256_cmpeq_epi32(differs, _mm256_setzero_si256());
}

/* Sums of the channels of two blocks in 32 bits: blue, green, red, alpha of each. */
static inline __m256i two_blocks(const uint32_t *p, ptrdiff_t stride, __m256i *clipped) {
    const __m256i ones = _mm256_set1_epi8(1), saturated = _mm256_set1_epi32(ALL_CHANNELS(ENDO_BLEND_CLIPPED) & 0xffffff);
    const __m256i bright = _mm256_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_RGB));
    const __m256i grey = _mm256_set1_epi32((int)ALL_CHANNELS(ENDO_SPECULAR_GREY));
    const __m256i gather = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i sums = _mm256_setzero_si256(), any = sums;
    for (int y = 0; y < SIDE; y++, p += stride) {
        __m256i row = _mm256_loadu_si256((const __m256i *)p), colours = _mm256_and_si256(row, _mm256_set1_epi32(0xffffff));
        __m256i alike = _mm256_or_si256(row, _mm256_set1_epi32((int)0xff000000));
        /* A byte that is not below its limit: of one channel, or of all; of grey pixels the limit is another. */
        __m256i one = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(colours, saturated), colours),
                                       _mm256_set1_epi32(0xffffff));
        __m256i coloured = _mm256_andnot_si256(is_grey(row), _mm256_cmpeq_epi32(_mm256_max_epu8(alike, bright), alike));
        __m256i all = _mm256_or_si256(coloured, _mm256_cmpeq_epi32(_mm256_max_epu8(alike, grey), alike));
        any = _mm256_or_si256(any, _mm256_or_si256(one, all));
        sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(_mm256_shuffle_epi8(colours, gather), ones));
    }
    *clipped = any;
    return _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
}

/* endo_blend_shade of two times four channels in 32 bits; factors and gains above 4. */
static inline __m256i shade(__m256i value, __m256i factor4, __m256i gain4) {
    __m256i factor = _mm256_mulhi_epu16(factor4, gain4);
    __m256i shaded = _mm256_mulhi_epu16(_mm256_slli_epi32(value, 4), factor);
    return _mm256_min_epu16(shaded, _mm256_set1_epi32(ENDO_BLEND_MOST));
}

static inline __m256i gains_of(const uint32_t gain[3]) {
    return _mm256_broadcastsi128_si256(_mm_setr_epi32((int)gain[0] * 4, (int)gain[1] * 4, (int)gain[2] * 4, 0));
}

/* In 32 bits, for the first pixel and the second. */
static inline __m256i pair_of(int first, int second) {
    return _mm256_setr_m128i(_mm_set1_epi32(first), _mm_set1_epi32(second));
}

static void sum_row_rgb(const cpu_block_row *r, endo_blend_block *blocks, uint8_t *clipped) {
    int i = 0;
    for (; i + 2 <= r->n; i += 2) {
        __m256i any, sums = two_blocks((const uint32_t *)r->pixels + SIDE * i, r->stride, &any);
        sums = _mm256_packus_epi32(sums, sums);
        _mm_storel_epi64((__m128i *)&blocks[i], _mm256_castsi256_si128(sums));
        _mm_storel_epi64((__m128i *)&blocks[i + 1], _mm256_extracti128_si256(sums, 1));
        clipped[i] = !_mm_testz_si128(_mm256_castsi256_si128(any), _mm256_castsi256_si128(any));
        clipped[i + 1] = !_mm_testz_si128(_mm256_extracti128_si256(any, 1), _mm256_extracti128_si256(any, 1));
    }
    for (; i < r->n; i++) sum_rgb(r, i, &blocks[i], &clipped[i]);
}

static void sum_row_avx2(const cpu_block_row *row, endo_pixel type, endo_blend_block *sums, uint8_t *clipped) {
    if (type == ENDO_RGB32) sum_row_rgb(row, sums, clipped);
    else cpu_blend_c.sum_row(row, type, sums, clipped);
}

/* Two blocks from i on, with their scores. */
static inline __m128i shade_two(const cpu_shade_row *r, int i, __m256i gain, const uint16_t *scores) {
    __m256i sums = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(r->sums + i)));
    __m256i shaded = shade(sums, pair_of(r->factors[i] * 4, r->factors[i + 1] * 4), gain);
    shaded = _mm256_blend_epi32(shaded, pair_of(scores[0], scores[1]), 0x88);
    return _mm_packus_epi32(_mm256_castsi256_si128(shaded), _mm256_extracti128_si256(shaded, 1));
}

static void shade_row_avx2(const cpu_shade_row *r, endo_blend_block *blocks) {
    __m256i gain = gains_of(r->gain);
    uint16_t scores[SCORED];
    for (int from = 0; from < r->n; from += SCORED) {
        int to = r->n - from < SCORED ? r->n : from + SCORED, i = from;
        score_blocks(r, from, to - from, scores);
        for (; i + 2 <= to; i += 2)
            _mm_storeu_si128((__m128i *)&blocks[i], shade_two(r, i, gain, scores + (i - from)));
        for (; i < to; i++) shade_values(r, i, &blocks[i]), blocks[i].score = scores[i - from];
    }
}

/* -------------------------------------------------------------------- cells */

/* What eight cells are shown; masks are all ones in a lane, or zeros. */
typedef struct looks {
    __m256i value[3], score, seen;
} looks;

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

/* Adds the block (x, y) with its share to sums; returns the shares of those that lie in the field. */
static inline __m256i add_block(const cpu_cell_run *r, __m256i lanes, __m256i x, __m256i y, __m256i share, looks *l) {
    const __m256i zero = _mm256_setzero_si256(), low = _mm256_set1_epi32(0xffff);
    __m256i valid = _mm256_and_si256(lanes, _mm256_and_si256(in_range(x, r->columns), in_range(y, r->rows)));
    __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32(r->columns)), x);
    __m256i first = _mm256_mask_i32gather_epi32(zero, (const int *)r->blocks, index, valid, 8);
    __m256i last = _mm256_mask_i32gather_epi32(zero, (const int *)r->blocks + 1, index, valid, 8);
    __m256i score = _mm256_srli_epi32(last, 16);
    share = _mm256_and_si256(share, not_zero(score));
    l->value[0] = _mm256_add_epi32(l->value[0], _mm256_mullo_epi32(share, _mm256_and_si256(first, low)));
    l->value[1] = _mm256_add_epi32(l->value[1], _mm256_mullo_epi32(share, _mm256_srli_epi32(first, 16)));
    l->value[2] = _mm256_add_epi32(l->value[2], _mm256_mullo_epi32(share, _mm256_and_si256(last, low)));
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

/* endo_blend_look_at. */
static inline looks look_at(const cpu_cell_run *r, __m256i lanes, __m256i u, __m256i v) {
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), fraction = _mm256_set1_epi32(255);
    const __m256i whole = _mm256_set1_epi32(256), round = _mm256_set1_epi32(32768);
    looks l = {{zero, zero, zero}, zero, zero};
    __m256i x = _mm256_srai_epi32(u, 8), y = _mm256_srai_epi32(v, 8);
    __m256i right = _mm256_add_epi32(x, one), below = _mm256_add_epi32(y, one);
    __m256i fx = _mm256_and_si256(u, fraction), fy = _mm256_and_si256(v, fraction);
    __m256i gx = _mm256_sub_epi32(whole, fx), gy = _mm256_sub_epi32(whole, fy);
    __m256i sum = add_block(r, lanes, x, y, _mm256_mullo_epi32(gx, gy), &l);
    sum = _mm256_add_epi32(sum, add_block(r, lanes, right, y, _mm256_mullo_epi32(fx, gy), &l));
    sum = _mm256_add_epi32(sum, add_block(r, lanes, x, below, _mm256_mullo_epi32(gx, fy), &l));
    sum = _mm256_add_epi32(sum, add_block(r, lanes, right, below, _mm256_mullo_epi32(fx, fy), &l));
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

/* endo_blend_gather: three planes of sums from `plane` on, and that of their weight. */
static inline void gather(const cpu_cell_run *r, int plane, int i, __m256i lanes, const looks *l, __m256i weight) {
    int *sum = plane_of(r, plane + 3, i);
    __m256i after = _mm256_add_epi32(_mm256_maskload_epi32(sum, lanes), weight);
    __m256i takes = _mm256_andnot_si256(_mm256_cmpgt_epi32(after, _mm256_set1_epi32(ENDO_BLEND_ROOM)), lanes);
    _mm256_maskstore_epi32(sum, takes, after);
    for (int c = 0; c < 3; c++) {
        int *p = plane_of(r, plane + c, i);
        __m256i before = _mm256_maskload_epi32(p, takes);
        _mm256_maskstore_epi32(p, takes, _mm256_add_epi32(before, _mm256_mullo_epi32(weight, l->value[c])));
    }
}

/* endo_blend_survey. */
static inline void survey(const cpu_cell_run *r, int i, const looks *l) {
    int *p = plane_of(r, CPU_CELL_BEST, i);
    __m256i best = _mm256_maskload_epi32(p, l->seen);
    __m256i better = _mm256_and_si256(l->seen, _mm256_cmpgt_epi32(l->score, best));
    __m256i same = _mm256_and_si256(l->seen, _mm256_cmpeq_epi32(l->score, best));
    _mm256_maskstore_epi32(p, better, l->score);
    for (int c = 0; c < 3; c++) {
        int *shown = plane_of(r, CPU_CELL_NARROW + c, i);
        __m256i greater = _mm256_cmpgt_epi32(l->value[c], _mm256_maskload_epi32(shown, same));
        _mm256_maskstore_epi32(shown, _mm256_or_si256(better, _mm256_and_si256(same, greater)), l->value[c]);
    }
    gather(r, CPU_CELL_SURVEY, i, l->seen, l, l->score);
}

/* endo_blend_narrow. The quotient is exact: of numbers below 2^20 by one below 2^8. */
static inline __m256i narrow(__m256i best, __m256i score) {
    static const int halving[16] = {4095, 3921, 3755, 3596, 3443, 3297, 3158, 3024,
                                    2896, 2773, 2655, 2543, 2435, 2332, 2233, 2138};
    __m256i below = _mm256_sub_epi32(best, score);
    __m256i most = _mm256_i32gather_epi32(halving, _mm256_and_si256(below, _mm256_set1_epi32(15)), 4);
    __m256 quotient = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_mullo_epi32(most, score)), _mm256_cvtepi32_ps(best));
    __m256i weight = _mm256_srlv_epi32(_mm256_cvttps_epi32(quotient), _mm256_srli_epi32(below, 4));
    weight = _mm256_max_epi32(weight, _mm256_set1_epi32(1));
    return _mm256_blendv_epi8(_mm256_set1_epi32(4095), weight, _mm256_cmpgt_epi32(best, score));
}

/* endo_blend_share. */
static inline __m256i share_of(__m256i weight, __m256i vote) {
    return _mm256_max_epi32(_mm256_srli_epi32(_mm256_mullo_epi32(weight, vote), 8), _mm256_set1_epi32(1));
}

static inline __m256i difference(const cpu_cell_run *r, int i, const looks *l) {
    __m256i most = _mm256_setzero_si256();
    for (int c = 0; c < 3; c++) {
        __m256i survey = _mm256_maskload_epi32(plane_of(r, CPU_CELL_SURVEY + c, i), l->seen);
        most = _mm256_max_epi32(most, _mm256_abs_epi32(_mm256_sub_epi32(survey, l->value[c])));
    }
    return most;
}

/* endo_blend_weigh. */
static inline void weigh(const cpu_cell_run *r, int i, const looks *l) {
    const __m256i low = _mm256_set1_epi32(0xffff), all = _mm256_set1_epi32(256);
    __m256i surveyed = not_zero(_mm256_maskload_epi32(plane_of(r, CPU_CELL_SURVEY_WEIGHT, i), l->seen));
    __m256i sure = surveyed, vote = all;
    __m256i kept = _mm256_maskload_epi32(plane_of(r, CPU_CELL_BEST, i), l->seen);
    __m256i best = _mm256_blendv_epi8(_mm256_set1_epi32(ENDO_BLEND_FULL_SCORE), _mm256_and_si256(kept, low), surveyed);
    if (r->votes) {
        __m256i at = _mm256_min_epi32(difference(r, i, l), _mm256_set1_epi32((int)(CPU_VOTES * r->tolerance)));
        __m256i votes = _mm256_and_si256(_mm256_i32gather_epi32((const int *)r->votes, at, 2), low);
        vote = _mm256_blendv_epi8(all, votes, surveyed);
        __m256i doubt = _mm256_srli_epi32(kept, 16);
        sure = _mm256_andnot_si256(_mm256_cmpgt_epi32(doubt, _mm256_set1_epi32((int)r->tolerance)), surveyed);
    }
    __m256i weight = share_of(narrow(best, l->score), vote);
    __m256i faint = _mm256_and_si256(sure, _mm256_cmpgt_epi32(_mm256_set1_epi32(ENDO_BLEND_FAINT), weight));
    weight = _mm256_andnot_si256(faint, weight);
    gather(r, CPU_CELL_BROAD, i, l->seen, l, share_of(l->score, vote));
    gather(r, CPU_CELL_NARROW, i, _mm256_andnot_si256(faint, l->seen), l, weight);
    int32_t weights[8], seen = _mm256_movemask_ps(_mm256_castsi256_ps(l->seen));
    _mm256_storeu_si256((__m256i *)weights, weight);
    for (int k = 0; k < 8; k++)
        if (seen >> k & 1) r->weights[i + k] = (uint16_t)weights[k];
}

static void visit_cells_avx2(const cpu_cell_run *r) {
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < r->n; i += 8) {
        __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32(r->n - i), number);
        int64_t first = r->u + i * r->step_u, row = r->v + i * r->step_v;
        for (int k = 0; r->second && r->inside && k < 8 && i + k < r->n; k++)
            r->inside[i + k] = surroundings_at(r, (first + k * r->step_u) >> 26, (row + k * r->step_v) >> 26);
        looks l = look_at(r, lanes, block_positions(first, r->step_u), block_positions(row, r->step_v));
        if (_mm256_testz_si256(l.seen, l.seen)) continue;
        if (r->second) weigh(r, i, &l);
        else survey(r, i, &l);
    }
}

/* ------------------------------------------------------------------- pixels */

/* Rows that are fetched before they are needed. */
enum { AHEAD = 5 };

/* A constant that stays in a register. */
static inline __m256i kept(__m256i constant) {
    __asm__("" : "+x"(constant));
    return constant;
}

/* What all pixels of a run have in common. */
typedef struct common {
    const uint32_t *pixels; /* above and left of what belongs to the frame's first */
    __m256i gain, by_channel, down[4];
} common;

static inline common common_of(const cpu_blend_run *r) {
    const __m128i by_channel = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    common c = {.pixels = (const uint32_t *)r->pixels - r->stride - 1, .gain = kept(gains_of(r->gain)),
                .by_channel = kept(_mm256_broadcastsi128_si256(by_channel))};
    /* A byte in the upper half, for the sign. */
    for (int v = 0; v < 4; v++) c.down[v] = kept(_mm256_set1_epi16((int16_t)(0x0080 + 0x0100 * v)));
    return c;
}

/* Eight pixels: their places, of which `index` is the whole part, and their weights, 0 of those that are not painted. */
typedef struct eight {
    int32_t index[8], across[8], down[8];
    uint16_t weights[8];
} eight;

/* endo_position8 of eight pixels. Exact: the lower 24 bits are apart, and what they carry is added. */
static inline __m256i positions_of(int64_t first, int64_t step) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int64_t rounded = first + (1 << 23);
    __m256i low = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step & 0xffffff))));
    __m256i high = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step >> 24))));
    return _mm256_add_epi32(high, _mm256_srli_epi32(low, 24));
}

static inline void find_places(const cpu_blend_run *r, int i, eight *e) {
    __m256i x = positions_of(r->px + i * r->step_x, r->step_x), y = positions_of(r->py + i * r->step_y, r->step_y);
    __m256i rows = _mm256_mullo_epi32(_mm256_srai_epi32(y, 8), _mm256_set1_epi32((int)r->stride));
    _mm256_storeu_si256((__m256i *)e->index, _mm256_add_epi32(rows, _mm256_srai_epi32(x, 8)));
    _mm256_storeu_si256((__m256i *)e->across, _mm256_and_si256(x, _mm256_set1_epi32(255)));
    _mm256_storeu_si256((__m256i *)e->down, _mm256_and_si256(y, _mm256_set1_epi32(255)));
    __asm__("" : "+m"(*e)); /* read them as integers from memory, not lane by lane */
}

/* All ones in the first n of eight lanes. */
static inline __m128i first_lanes(int n) {
    static const int16_t lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm_loadu_si128((const __m128i *)(lanes + 8 - n));
}

/* Of eight pixels from i on, all ones where the frame may be sampled. */
static inline __m128i sampled(const cpu_blend_run *r, int i, int from, int to, eight *e) {
    uint16_t inside, seen[8] = {0};
    memcpy(&inside, r->inside + i / SIDE, sizeof inside);
    __m128i active = _mm_andnot_si128(first_lanes(from), first_lanes(to));
    if (inside == ENDO_BLEND_NONE * 0x0101u) return _mm_setzero_si128();
    if (inside == ENDO_BLEND_ALL * 0x0101u) return active;
    find_places(r, i, e);
    for (int k = from; k < to; k++) seen[k] = r->sixteen[e->index[k]] ? 0xffff : 0;
    return _mm_loadu_si128((const __m128i *)seen);
}

/* The first n of eight numbers, and zeros. */
static inline __m128i load_numbers(const uint16_t *p, int n) {
    uint16_t some[8] = {0};
    if (n == 8) return _mm_loadu_si128((const __m128i *)p);
    memcpy(some, p, (size_t)n * sizeof *p);
    return _mm_loadu_si128((const __m128i *)some);
}

static inline void store_numbers(uint16_t *p, int n, __m128i numbers) {
    uint16_t some[8];
    _mm_storeu_si128((__m128i *)(n == 8 ? p : some), numbers);
    if (n < 8) memcpy(p, some, (size_t)n * sizeof *p);
}

/* Counts those of eight pixels from i on that the frame covers. 0: none is painted. */
static inline int begin_eight(const cpu_blend_run *r, int i, eight *e) {
    int from = i < r->lead ? r->lead - i : 0, to = r->n - i < 8 ? r->n - i : 8;
    if (from >= to) return 0;
    __m128i seen = sampled(r, i, from, to, e);
    if (_mm_testz_si128(seen, seen)) return 0;
    store_numbers(r->coverage + i, to, _mm_adds_epu16(load_numbers(r->coverage + i, to), _mm_srli_epi16(seen, 15)));
    __m128i weights = _mm_and_si128(load_numbers(r->weights + i, to), seen);
    _mm_storeu_si128((__m128i *)e->weights, weights);
    return !_mm_testz_si128(weights, weights);
}

/* For two pixels. */
static inline __m256i two_of(__m256i first, __m256i second) { return _mm256_blend_epi32(first, second, 0xf0); }

static inline __m256i two_words(uint16_t first, uint16_t second) {
    return two_of(_mm256_set1_epi16((int16_t)first), _mm256_set1_epi16((int16_t)second));
}

static inline __m256i taps_at(const int8_t taps[4]) {
    int four;
    memcpy(&four, taps, sizeof four);
    return _mm256_set1_epi32(four);
}

/* The channels of two places in 1/16 of a level, each from the 16 pixels around it. Weights down the columns times 256: what
 * is left of a byte. */
static inline __m256i two_values(const cpu_blend_run *r, const common *c, const eight *e, int a, int b) {
    const uint32_t *first = c->pixels + e->index[a], *second = c->pixels + e->index[b];
    __m256i across = two_of(taps_at(r->taps[e->across[a]]), taps_at(r->taps[e->across[b]]));
    __m256i down = two_of(taps_at(r->taps[e->down[a]]), taps_at(r->taps[e->down[b]]));
    __m256i sum = _mm256_set1_epi32(1 << 15);
    for (int v = 0; v < 4; v++, first += r->stride, second += r->stride) {
        __m256i row = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
                                              _mm_loadu_si128((const __m128i *)second), 1);
        __m256i along = _mm256_maddubs_epi16(_mm256_shuffle_epi8(row, c->by_channel), across);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(along, _mm256_shuffle_epi8(down, c->down[v])));
    }
    sum = _mm256_max_epi32(_mm256_srai_epi32(sum, 16), _mm256_setzero_si256());
    return _mm256_min_epi32(sum, _mm256_set1_epi32(4080));
}

/* Adds two pixels' values, weighted, to their sums, if they are not full; a weight of 0 adds nothing. */
static inline void add_two(uint32_t *sums, __m256i values, __m256i weights) {
    __m256i before = _mm256_loadu_si256((const __m256i *)sums);
    __m256i with_one = _mm256_blend_epi32(values, _mm256_set1_epi32(1), 0x88);
    __m256i after = _mm256_add_epi32(before, _mm256_madd_epi16(with_one, weights));
    __m256i full = _mm256_cmpgt_epi32(_mm256_shuffle_epi32(after, 0xff), _mm256_set1_epi32(ENDO_BLEND_ROOM));
    _mm256_storeu_si256((__m256i *)sums, _mm256_blendv_epi8(after, before, full));
}

/* Pixels k and k + 1, one of which is painted at least; the other is not looked at if it is not. */
static inline void paint_two(const cpu_blend_run *r, const common *c, const eight *e, int k, uint32_t *sums) {
    int a = e->weights[k] ? k : k + 1, b = e->weights[k + 1] ? k + 1 : k;
    __m256i factors4 = _mm256_slli_epi16(two_words(r->factors[e->index[a]], r->factors[e->index[b]]), 2);
    __m256i values = shade(two_values(r, c, e, a, b), factors4, c->gain);
    add_two(sums + 4 * k, values, two_words(e->weights[k], e->weights[k + 1]));
}

static void add_run_rgb(const cpu_blend_run *r) {
    common c = common_of(r);
    for (int i = 0; i < r->n; i += 8) {
        eight e;
        if (!begin_eight(r, i, &e)) continue;
        find_places(r, i, &e);
        uint32_t *sums = (uint32_t *)r->sums + 4 * (size_t)i;
        /* What the next row of the panorama will want. */
        _mm_prefetch((const char *)(c.pixels + e.index[4] + AHEAD * r->stride), _MM_HINT_T0);
        for (int k = 0; k < 8; k += 2)
            if (e.weights[k] | e.weights[k + 1]) paint_two(r, &c, &e, k, sums);
    }
}

static void add_run_avx2(const cpu_blend_run *run, endo_pixel type) {
    if (type == ENDO_RGB32) add_run_rgb(run);
    else cpu_blend_c.add_run(run, type);
}

static void spread_avx2(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    cpu_blend_c.spread(near, far, down, n, weights);
}

const cpu_blend_loops cpu_blend_avx2 = {
    .sum_row = sum_row_avx2,
    .shade_row = shade_row_avx2,
    .visit_cells = visit_cells_avx2,
    .spread = spread_avx2,
    .add_run = add_run_avx2,
};
