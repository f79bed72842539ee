/* Blending of colour with AVX-512: four blocks, sixteen cells, sixteen pixels at a time. Of a pixel, a lane of four
 * neighbours is weighted along the row in 16 bits (64 * 255 fits), down the column in 32. Grey pixels are plain C. */
#include "blend_rows.h"

#include <immintrin.h>
#include <string.h>

/* Rows that are fetched before they are needed. */
enum { AHEAD = 5 };

/* Bytes of four pixels by channel. */
static inline __m512i by_channel(__m512i pixels) {
    const __m512i gather = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    return _mm512_shuffle_epi8(pixels, gather);
}

/* Sixteen numbers of which four consecutive ones, from 4q on, fill a lane each. */
static inline __m512i lanes_of(__m512i sixteen, int q) {
    const __m512i first = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_epi32(_mm512_add_epi32(first, _mm512_set1_epi32(4 * q)), sixteen);
}

/* endo_blend_shade of four times four channels in 32 bits; factors and gains times 4. */
static inline __m512i shade(__m512i value, __m512i factor4, __m512i gain4) {
    __m512i factor = _mm512_mulhi_epu16(factor4, gain4);
    __m512i shaded = _mm512_mulhi_epu16(_mm512_slli_epi32(value, 4), factor);
    return _mm512_min_epu16(shaded, _mm512_set1_epi32(ENDO_BLEND_MOST));
}

static inline __m512i gains_of(const uint32_t gain[3]) {
    return _mm512_broadcast_i32x4(_mm_setr_epi32((int)gain[0] * 4, (int)gain[1] * 4, (int)gain[2] * 4, 0));
}

/* ------------------------------------------------------------------- blocks */

/* Sums of the channels of four blocks in 32 bits; clipped: four bits for each block, any of them set. */
static inline __m512i four_blocks(const uint32_t *p, ptrdiff_t stride, uint64_t *clipped) {
    const __m512i ones = _mm512_set1_epi8(1), saturated = _mm512_set1_epi8((char)ENDO_BLEND_CLIPPED);
    const __m512i bright = _mm512_set1_epi32((int)0xffcdcdcd), opaque = _mm512_set1_epi32((int)0xff000000);
    __m512i sums = _mm512_setzero_si512();
    uint64_t one = 0;
    __mmask16 all = 0;
    for (int y = 0; y < SIDE; y++, p += stride) {
        __m512i row = _mm512_loadu_si512(p), colours = _mm512_andnot_si512(opaque, row);
        __m512i alike = _mm512_or_si512(row, opaque);
        one |= _mm512_cmpge_epu8_mask(colours, saturated);
        all |= _mm512_cmpeq_epi32_mask(_mm512_max_epu8(alike, bright), alike);
        sums = _mm512_add_epi16(sums, _mm512_maddubs_epi16(by_channel(colours), ones));
    }
    for (int k = 0; k < 4; k++)
        if (all >> 4 * k & 15) one |= (uint64_t)1 << 16 * k;
    *clipped = one;
    return _mm512_madd_epi16(sums, _mm512_set1_epi16(1));
}

static void block_row_rgb(const cpu_block_row *r, endo_blend_block *blocks, uint8_t *clipped) {
    const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6);
    __m512i gain = gains_of(r->gain);
    int i = 0;
    for (; i + 4 <= r->n; i += 4) {
        uint64_t any;
        __m512i sums = four_blocks((const uint32_t *)r->pixels + SIDE * i, r->stride, &any);
        __m512i factors = _mm512_zextsi128_si512(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(r->factors + i))));
        __m512i shaded = shade(sums, _mm512_slli_epi32(lanes_of(factors, 0), 2), gain);
        shaded = _mm512_permutexvar_epi64(halves, _mm512_packus_epi32(shaded, shaded));
        _mm256_storeu_si256((__m256i *)(blocks + i), _mm512_castsi512_si256(shaded));
        for (int k = 0; k < 4; k++) clipped[i + k] = (any >> 16 * k & 0xffff) != 0;
    }
    for (; i < r->n; i++) block_rgb(r, i, &blocks[i], &clipped[i]);
}

static void block_row_avx512(const cpu_block_row *row, endo_pixel type, endo_blend_block *blocks, uint8_t *clipped) {
    if (type == ENDO_RGB32) block_row_rgb(row, blocks, clipped);
    else cpu_blend_c.block_row(row, type, blocks, clipped);
}

/* -------------------------------------------------------------------- cells */

/* What sixteen cells are shown. */
typedef struct looks {
    __m512i value[3], score;
    __mmask16 seen;
} looks;

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
static inline __m512i add_block(const cpu_cell_run *r, __mmask16 lanes, __m512i x, __m512i y, __m512i share, looks *l) {
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

/* endo_blend_look_at. */
static inline looks look_at(const cpu_cell_run *r, __mmask16 lanes, __m512i u, __m512i v) {
    const __m512i one = _mm512_set1_epi32(1), fraction = _mm512_set1_epi32(255), whole = _mm512_set1_epi32(256);
    const __m512i round = _mm512_set1_epi32(32768);
    const __m512i zero = _mm512_setzero_si512();
    looks l = {.value = {zero, zero, zero}, .score = zero};
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
static inline void gather(const cpu_cell_run *r, int plane, int i, __mmask16 lanes, const looks *l, __m512i weight) {
    uint32_t *sum = plane_of(r, plane + 3, i);
    __m512i after = _mm512_add_epi32(_mm512_maskz_loadu_epi32(lanes, sum), weight);
    __mmask16 takes = lanes & _mm512_cmple_epu32_mask(after, _mm512_set1_epi32(ENDO_BLEND_ROOM));
    _mm512_mask_storeu_epi32(sum, takes, after);
    for (int c = 0; c < 3; c++) {
        uint32_t *p = plane_of(r, plane + c, i);
        __m512i before = _mm512_maskz_loadu_epi32(takes, p);
        _mm512_mask_storeu_epi32(p, takes, _mm512_add_epi32(before, _mm512_mullo_epi32(weight, l->value[c])));
    }
}

/* endo_blend_survey. */
static inline void survey(const cpu_cell_run *r, int i, const looks *l) {
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
    gather(r, CPU_CELL_SURVEY, i, l->seen, l, l->score);
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

static inline __m512i difference(const cpu_cell_run *r, int i, const looks *l) {
    __m512i most = _mm512_setzero_si512();
    for (int c = 0; c < 3; c++) {
        __m512i survey = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_SURVEY + c, i));
        most = _mm512_max_epu32(most, _mm512_abs_epi32(_mm512_sub_epi32(survey, l->value[c])));
    }
    return most;
}

/* endo_blend_weigh. */
static inline void weigh(const cpu_cell_run *r, int i, const looks *l) {
    __m512i tolerance = _mm512_set1_epi32((int)r->tolerance), vote = _mm512_set1_epi32(256);
    __m512i found = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_SURVEY_WEIGHT, i));
    __m512i kept = _mm512_maskz_loadu_epi32(l->seen, plane_of(r, CPU_CELL_BEST, i));
    __mmask16 surveyed = _mm512_test_epi32_mask(found, found), sure = surveyed;
    __m512i best = _mm512_mask_and_epi32(_mm512_set1_epi32(ENDO_BLEND_FULL_SCORE), surveyed, kept, _mm512_set1_epi32(0xffff));
    if (r->votes) {
        __m512i most = _mm512_set1_epi32((int)(CPU_VOTES * r->tolerance));
        __m512i at = _mm512_min_epu32(difference(r, i, l), most);
        __m512i votes = _mm512_mask_i32gather_epi32(vote, surveyed, at, r->votes, 2);
        vote = _mm512_mask_and_epi32(vote, surveyed, votes, _mm512_set1_epi32(0xffff));
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

static void visit_cells_avx512(const cpu_cell_run *r) {
    for (int i = 0; i < r->n; i += 16) {
        __mmask16 lanes = r->n - i < 16 ? (__mmask16)((1u << (r->n - i)) - 1) : 0xffff;
        __m512i u = block_positions(r->u + i * r->step_u, r->step_u), v = block_positions(r->v + i * r->step_v, r->step_v);
        if (r->second && r->inside) find_inside(r, i, lanes, u, v);
        looks l = look_at(r, lanes, u, v);
        if (!l.seen) continue;
        if (r->second) weigh(r, i, &l);
        else survey(r, i, &l);
    }
}

/* ------------------------------------------------------------------- pixels */

/* Of four cells at a time: 8 own - share (own - side). */
static void spread_avx512(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    const __m512i own_at = _mm512_setr_epi32(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4);
    const __m512i side_at = _mm512_setr_epi32(0, 0, 2, 2, 1, 1, 3, 3, 2, 2, 4, 4, 3, 3, 5, 5);
    const __m512i share = _mm512_broadcast_i32x4(_mm_setr_epi32(3, 1, 1, 3));
    const __m128i by_near = _mm_set1_epi16((short)down), by_far = _mm_set1_epi16((short)(8 - down));
    for (int i = 0; i < n; i += 4) {
        int left = n - i < 4 ? n - i : 4;
        __mmask8 read = (__mmask8)((1u << (left + 2)) - 1);
        __m128i a = _mm_maskz_loadu_epi16(read, near + i - 1), b = _mm_maskz_loadu_epi16(read, far + i - 1);
        __m128i sum = _mm_add_epi16(_mm_mullo_epi16(a, by_near), _mm_mullo_epi16(b, by_far)); /* 8 * 4095 at most */
        __m512i between = _mm512_zextsi256_si512(_mm256_cvtepu16_epi32(sum));
        __m512i own = _mm512_permutexvar_epi32(own_at, between), side = _mm512_permutexvar_epi32(side_at, between);
        __m512i total = _mm512_sub_epi32(_mm512_slli_epi32(own, 3), _mm512_mullo_epi32(share, _mm512_sub_epi32(own, side)));
        total = _mm512_srli_epi32(_mm512_add_epi32(total, _mm512_set1_epi32(32)), 6);
        _mm256_mask_storeu_epi16(weights + SIDE * i, (__mmask16)((1u << SIDE * left) - 1), _mm512_cvtepi32_epi16(total));
    }
}

/* endo_position8 of sixteen pixels. Exact: the lower 24 bits are apart, and what they carry is added. */
static inline __m512i positions_of(int64_t first, int64_t step) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t rounded = first + (1 << 23);
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step & 0xffffff))));
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)(step >> 24))));
    return _mm512_add_epi32(high, _mm512_srli_epi32(low, 24));
}

/* What all pixels of a run have in common. Constants are kept in registers: to make them anew costs as much as to use
 * them. */
typedef struct common {
    const uint32_t *pixels; /* above and left of what belongs to the frame's first */
    ptrdiff_t stride;
    __m512i gain, round, most, brightest, one, room, down[4], lanes[4];
} common;

static inline __m512i kept(__m512i constant) {
    __asm__("" : "+v"(constant));
    return constant;
}

static inline common common_of(const cpu_blend_run *r) {
    const __m512i quarter = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    common c = {.pixels = (const uint32_t *)r->pixels - r->stride - 1,
                .stride = r->stride,
                .gain = gains_of(r->gain),
                .round = kept(_mm512_set1_epi32(1 << 15)),
                .most = kept(_mm512_set1_epi32(4080)),
                .brightest = kept(_mm512_set1_epi32(ENDO_BLEND_MOST)),
                .one = kept(_mm512_set1_epi32(1)),
                .room = kept(_mm512_set1_epi32(ENDO_BLEND_ROOM))};
    for (int k = 0; k < 4; k++) {
        c.down[k] = kept(_mm512_set1_epi16((short)(0x0080 + 0x0100 * k))); /* a byte in the upper half, for the sign */
        c.lanes[k] = kept(_mm512_add_epi32(quarter, _mm512_set1_epi32(4 * k)));
    }
    return c;
}

/* Sixteen pixels that are painted. */
typedef struct sixteen {
    int32_t index[16];
    __m512i across, down, factors4, weights; /* 32 bits for each pixel; weight 0: nothing is added */
    __mmask16 painted;
} sixteen;

/* Four neighbours of each of four pixels. */
static inline __m512i row_of(const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *d) {
    __m512i row = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)a));
    row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)b), 1);
    row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)c), 2);
    return _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *)d), 3);
}

/* Four pixels' channels, in 1/16 of a level. Weights down the columns times 256: what is left of a byte. */
static inline __m512i four_values(const common *k, const sixteen *s, int q) {
    const uint32_t *a = k->pixels + s->index[4 * q], *b = k->pixels + s->index[4 * q + 1];
    const uint32_t *c = k->pixels + s->index[4 * q + 2], *d = k->pixels + s->index[4 * q + 3];
    __m512i across = _mm512_permutexvar_epi32(k->lanes[q], s->across), down = _mm512_permutexvar_epi32(k->lanes[q], s->down);
    __m512i sum = k->round;
    for (int v = 0; v < 4; v++) {
        ptrdiff_t row = v * k->stride;
        __m512i along = _mm512_maddubs_epi16(by_channel(row_of(a + row, b + row, c + row, d + row)), across);
        sum = _mm512_dpwssd_epi32(sum, along, _mm512_shuffle_epi8(down, k->down[v]));
    }
    return _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32(sum, 16), _mm512_setzero_si512()), k->most);
}

/* Four pixels are added to their sums, those whose sums are not full. */
static inline void add_four(const common *k, const sixteen *s, int q, uint32_t *sums) {
    __m512i weights = _mm512_permutexvar_epi32(k->lanes[q], s->weights), before = _mm512_loadu_si512(sums);
    __m512i total = _mm512_shuffle_epi32(_mm512_add_epi32(before, weights), _MM_PERM_DDDD);
    __mmask16 takes = _mm512_mask_cmple_epu32_mask(_mm512_test_epi32_mask(weights, weights), total, k->room);
    if (!takes) return;
    __m512i factors = _mm512_mulhi_epu16(_mm512_permutexvar_epi32(k->lanes[q], s->factors4), k->gain);
    __m512i values = _mm512_mulhi_epu16(_mm512_slli_epi32(four_values(k, s, q), 4), factors);
    values = _mm512_mask_mov_epi32(_mm512_min_epu16(values, k->brightest), 0x8888, k->one);
    _mm512_mask_storeu_epi32(sums, takes, _mm512_add_epi32(before, _mm512_madd_epi16(values, weights)));
}

/* Those of sixteen pixels that may be sampled; they are counted. */
static inline __mmask16 cover(const cpu_blend_run *r, int i, __mmask16 active, __m512i index, int inside) {
    __mmask16 seen = active;
    if (inside != ENDO_BLEND_ALL) {
        __m512i found = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, index, r->sixteen, 1);
        seen = _mm512_test_epi32_mask(found, _mm512_set1_epi32(255));
    }
    __m256i before = _mm256_maskz_loadu_epi16(seen, r->coverage + i);
    _mm256_mask_storeu_epi16(r->coverage + i, seen, _mm256_adds_epu16(before, _mm256_set1_epi16(1)));
    return seen;
}

static inline void paint(const cpu_blend_run *r, const common *k, int i, sixteen *s, __m512i x, __m512i y, __m512i index) {
    const __m512i fraction = _mm512_set1_epi32(255), zero = _mm512_setzero_si512();
    s->across = _mm512_mask_i32gather_epi32(zero, s->painted, _mm512_and_si512(x, fraction), r->taps, 4);
    s->down = _mm512_mask_i32gather_epi32(zero, s->painted, _mm512_and_si512(y, fraction), r->taps, 4);
    __m512i factors = _mm512_mask_i32gather_epi32(zero, s->painted, index, r->factors, 2);
    s->factors4 = _mm512_slli_epi32(_mm512_and_si512(factors, _mm512_set1_epi32(0xffff)), 2);
    /* The others are sampled where one of these is. */
    __m512i some = _mm512_maskz_compress_epi32(s->painted, index);
    some = _mm512_broadcastd_epi32(_mm512_castsi512_si128(some));
    _mm512_storeu_si512(s->index, _mm512_mask_mov_epi32(some, s->painted, index));
    /* What the next row of the panorama will want. */
    _mm_prefetch((const char *)(k->pixels + s->index[8] + AHEAD * k->stride), _MM_HINT_T0);
    uint32_t *sums = (uint32_t *)r->sums + 4 * (size_t)i;
    if (s->painted & 0x000f) add_four(k, s, 0, sums);
    if (s->painted & 0x00f0) add_four(k, s, 1, sums + 16);
    if (s->painted & 0x0f00) add_four(k, s, 2, sums + 32);
    if (s->painted & 0xf000) add_four(k, s, 3, sums + 48);
}

/* Of four cells the same, or of some of their pixels. */
static inline int inside_of(const cpu_blend_run *r, int i) {
    uint32_t four;
    memcpy(&four, r->inside + i / SIDE, sizeof four);
    return four == 0 ? ENDO_BLEND_NONE : four == ENDO_BLEND_ALL * 0x01010101u ? ENDO_BLEND_ALL : ENDO_BLEND_SOME;
}

static void add_run_rgb(const cpu_blend_run *r) {
    common k = common_of(r);
    __m512i stride = _mm512_set1_epi32((int)r->stride);
    for (int i = 0; i < r->n; i += 16) {
        __mmask16 active = r->n - i < 16 ? (__mmask16)((1u << (r->n - i)) - 1) : 0xffff;
        if (i < r->lead) active &= (__mmask16)(0xffffu << (r->lead - i));
        int inside = inside_of(r, i);
        if (inside == ENDO_BLEND_NONE) continue;
        __m256i weights = _mm256_maskz_loadu_epi16(active, r->weights + i);
        __mmask16 heavy = _mm256_test_epi16_mask(weights, weights);
        if (!heavy && inside == ENDO_BLEND_ALL) {
            cover(r, i, active, _mm512_setzero_si512(), inside);
            continue;
        }
        __m512i x = positions_of(r->px + i * r->step_x, r->step_x), y = positions_of(r->py + i * r->step_y, r->step_y);
        __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(_mm512_srai_epi32(y, 8), stride), _mm512_srai_epi32(x, 8));
        sixteen s = {.painted = heavy & cover(r, i, active, index, inside)};
        if (!s.painted) continue;
        s.weights = _mm512_maskz_mov_epi32(s.painted, _mm512_cvtepu16_epi32(weights));
        paint(r, &k, i, &s, x, y, index);
    }
}

static void add_run_avx512(const cpu_blend_run *run, endo_pixel type) {
    if (type == ENDO_RGB32) add_run_rgb(run);
    else cpu_blend_c.add_run(run, type);
}

const cpu_blend_loops cpu_blend_avx512 = {
    .block_row = block_row_avx512,
    .visit_cells = visit_cells_avx512,
    .spread = spread_avx512,
    .add_run = add_run_avx512,
};
