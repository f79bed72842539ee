/* Warping and painting with AVX2. Grey pixels whose places follow one another in a row, as between neighbouring frames nearly
 * all do, are loaded as they are; others are gathered, eight at a time. */
#include "warp_rows.h"

#include <immintrin.h>
#include <string.h>

/* Eight positions along a row, as endo_position8 rounds them: 32 fractional bits, of which the upper 8 are
 * kept with the whole pixels in `high`, the other 24 in `low`. Exact: the carry goes from one to the other. */
typedef struct positions {
    __m256i high, low, step_high, step_low; /* steps of eight pixels */
} positions;

static inline positions positions_of(int64_t base, int64_t step) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), fraction = _mm256_set1_epi32(0xffffff);
    int64_t rounded = base + (1 << 23), eight = 8 * step;
    __m256i low = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(rounded & 0xffffff)),
                                   _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step & 0xffffff))));
    __m256i high = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(rounded >> 24)),
                                    _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)(step >> 24))));
    positions p = {_mm256_add_epi32(high, _mm256_srli_epi32(low, 24)), _mm256_and_si256(low, fraction),
                   _mm256_set1_epi32((int32_t)(eight >> 24)), _mm256_set1_epi32((int32_t)(eight & 0xffffff))};
    return p;
}

/* The present eight; goes on to the next. */
static inline __m256i next_positions(positions *p) {
    __m256i now = p->high, low = _mm256_add_epi32(p->low, p->step_low);
    p->high = _mm256_add_epi32(_mm256_add_epi32(p->high, p->step_high), _mm256_srli_epi32(low, 24));
    p->low = _mm256_and_si256(low, _mm256_set1_epi32(0xffffff));
    return now;
}

static inline __m256i low_byte(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi32(255)); }

/* Two pixels of a row, gathered in the low bytes, interpolated: 256 a + fx (b - a). The multiply-add takes
 * b - a as a signed 16-bit number; the upper half of fx is 0. */
static inline __m256i across(__m256i pair, __m256i fx) {
    __m256i a = low_byte(pair), b = low_byte(_mm256_srli_epi32(pair, 8));
    return _mm256_add_epi32(_mm256_slli_epi32(a, 8), _mm256_madd_epi16(fx, _mm256_sub_epi32(b, a)));
}

static inline uint64_t bytes_of(__m256i v) {
    __m256i packed = _mm256_packus_epi32(v, v);
    packed = _mm256_packus_epi16(packed, packed);
    uint64_t low = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(packed));
    return low | (uint64_t)(uint32_t)_mm_cvtsi128_si32(_mm256_extracti128_si256(packed, 1)) << 32;
}

/* Where the next eight pixels of a row come from. */
typedef struct walk {
    const cpu_warp_row *r;
    positions x, y;
    __m256i stride;
} walk;

static inline walk walk_along(const cpu_warp_row *r) {
    walk w = {r, positions_of(r->px, r->step_x), positions_of(r->py, r->step_y), _mm256_set1_epi32((int)r->stride)};
    return w;
}

typedef struct eight_places {
    __m256i index, fx, fy;
} eight_places;

static inline eight_places next_places(walk *w) {
    __m256i px = next_positions(&w->x), py = next_positions(&w->y);
    __m256i rows = _mm256_mullo_epi32(_mm256_srli_epi32(py, 8), w->stride);
    eight_places p = {_mm256_add_epi32(rows, _mm256_srli_epi32(px, 8)), low_byte(px), low_byte(py)};
    return p;
}

/* The row from its pixel i on. */
static inline cpu_warp_row rest_of(const cpu_warp_row *r, int i) {
    cpu_warp_row rest = *r;
    rest.px += i * r->step_x, rest.py += i * r->step_y, rest.n -= i;
    return rest;
}

static inline void store_index(const eight_places *p, int32_t index[8]) {
    _mm256_store_si256((__m256i *)index, p->index);
    __asm__("" : "+m"(*(int32_t(*)[8])index)); /* read them as integers from memory, not lane by lane */
}

/* A byte of 255 for each place whose pixels may be used. */
static inline uint64_t eight_bilinear(const cpu_warp_row *r, const eight_places *p, const int32_t index[8]) {
    uint64_t mask = 0;
    uint8_t all = 255;
    for (int k = 0; k < 8; k++) all &= r->bilinear[index[k]];
    if (all == 255) return ~0ull; /* everywhere but along the field's rim */
    int32_t fx[8], fy[8];
    _mm256_storeu_si256((__m256i *)fx, p->fx);
    _mm256_storeu_si256((__m256i *)fy, p->fy);
    for (int k = 0; k < 8; k++)
        if (r->bilinear[index[k]] >> endo_sampled(fx[k], fy[k]) & 1) mask |= 255ull << 8 * k;
    return mask;
}

/* ------------------------------------------------------------------- grey */

/* Samples of eight pixels, and their mask: a byte each. */
static inline uint64_t eight_greys(walk *w, uint64_t *mask) {
    const cpu_warp_row *r = w->r;
    eight_places p = next_places(w);
    int32_t index[8] __attribute__((aligned(32)));
    store_index(&p, index);
    *mask = eight_bilinear(r, &p, index);
    __m256i top = across(_mm256_i32gather_epi32((const int *)r->pixels, p.index, 1), p.fx);
    __m256i bottom = across(_mm256_i32gather_epi32((const int *)(r->pixels + r->stride), p.index, 1), p.fx);
    __m256i down = _mm256_mullo_epi32(p.fy, _mm256_sub_epi32(bottom, top));
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(top, 8), _mm256_add_epi32(down, _mm256_set1_epi32(32768)));
    return bytes_of(_mm256_srli_epi32(sum, 16));
}

/* Fewer places that follow one another are not worth a load of their own. */
enum { FEW = 8 };

/* How far each of sixteen positions is from the first one, in two registers that packing puts in order. */
typedef struct strides {
    __m256i x[2], y[2];
} strides;

static inline strides strides_of(const cpu_warp_row *r) {
    const __m256i lane[2] = {_mm256_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11), _mm256_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15)};
    strides s;
    for (int k = 0; k < 2; k++) {
        s.x[k] = _mm256_mullo_epi32(lane[k], _mm256_set1_epi32((int32_t)(uint32_t)r->step_x));
        s.y[k] = _mm256_mullo_epi32(lane[k], _mm256_set1_epi32((int32_t)(uint32_t)r->step_y));
    }
    return s;
}

/* The fractional bits of endo_position8: whole pixels may be lost. */
static inline __m256i fractions(int64_t first, const __m256i far[2]) {
    __m256i base = _mm256_set1_epi32((int32_t)(uint32_t)(uint64_t)(first + (1 << 23)));
    __m256i low = _mm256_srli_epi32(_mm256_add_epi32(base, far[0]), 24);
    return _mm256_packus_epi32(low, _mm256_srli_epi32(_mm256_add_epi32(base, far[1]), 24));
}

static inline __m256i words_at(const uint8_t *pixels) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)pixels));
}

/* Sixteen pixels of a row, each between two, times 256 and less 2^15. */
static inline __m256i between(const uint8_t *pixels, __m256i fx) {
    __m256i one = words_at(pixels), other = words_at(pixels + 1);
    __m256i most = _mm256_slli_epi16(_mm256_sub_epi16(one, _mm256_set1_epi16(128)), 8);
    return _mm256_add_epi16(most, _mm256_mullo_epi16(fx, _mm256_sub_epi16(other, one)));
}

/* Sixteen bytes. */
static inline __m128i bilinear(__m256i top, __m256i bottom, __m256i fy) {
    const __m256i rest = _mm256_set1_epi32((1 << 23) + 32768);
    __m256i above = _mm256_sub_epi16(_mm256_set1_epi16(256), fy);
    __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(top, bottom), _mm256_unpacklo_epi16(above, fy));
    __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(top, bottom), _mm256_unpackhi_epi16(above, fy));
    low = _mm256_srli_epi32(_mm256_add_epi32(low, rest), 16), high = _mm256_srli_epi32(_mm256_add_epi32(high, rest), 16);
    __m256i words = _mm256_packus_epi32(low, high);
    return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

/* Sixteen places from i on that follow one another. */
static inline void following_places(const cpu_warp_row *r, int i, const strides *s, uint8_t *warped, uint8_t *valid) {
    int64_t px = r->px + i * r->step_x, py = r->py + i * r->step_y;
    ptrdiff_t at = (endo_position8(py) >> 8) * r->stride + (endo_position8(px) >> 8);
    __builtin_prefetch(r->pixels + at + WARP_AHEAD * r->stride);
    __m256i fx = fractions(px, s->x), fy = fractions(py, s->y);
    __m128i values = bilinear(between(r->pixels + at, fx), between(r->pixels + at + r->stride, fx), fy);
    __m128i good = _mm_loadu_si128((const __m128i *)(r->bilinear + at));
    _mm_storeu_si128((__m128i *)warped, _mm_and_si128(values, good));
    _mm_storeu_si128((__m128i *)valid, good);
}

/* n places from i on that follow one another, and as much as is written behind them of what comes next in the row. */
static void following_run(const cpu_warp_row *r, int i, int n, const strides *s, uint8_t *warped, uint8_t *valid) {
    int end = i + n;
    for (; i < end && i + 16 <= r->n; i += 16) following_places(r, i, s, warped + i, valid + i);
    if (i >= end) return;
    uint8_t values[16], good[16];
    following_places(r, i, s, values, good);
    memcpy(warped + i, values, (size_t)(end - i));
    memcpy(valid + i, good, (size_t)(end - i));
}

/* Up to eight places from i on, wherever they lie. */
static void some_places(const cpu_warp_row *r, int i, walk *w, int *at, uint8_t *warped, uint8_t *valid) {
    cpu_warp_row rest = rest_of(r, i);
    if (rest.n < 8) {
        warp_pixels(&rest, 0, warped + i, valid + i);
        return;
    }
    if (*at != i) *w = walk_along(&rest), w->r = r;
    uint64_t mask, value = eight_greys(w, &mask) & mask;
    *at = i + 8;
    memcpy(warped + i, &value, 8);
    memcpy(valid + i, &mask, 8);
}

static void warp_row_avx2(const cpu_warp_row *r, uint8_t *warped, uint8_t *valid) {
    strides s = strides_of(r);
    walk w = walk_along(r);
    int at = 0; /* where the walk is */
    for (int i = 0; i < r->n;) {
        int n = warp_run_from(r, i);
        if (n < FEW) some_places(r, i, &w, &at, warped, valid), n = 8;
        else following_run(r, i, n, &s, warped, valid);
        i += n;
    }
}

static void paint_grey8(const cpu_warp_row *r, uint8_t *out, uint8_t *painted) {
    walk w = walk_along(r);
    int i = 0;
    for (; i + 8 <= r->n; i += 8) {
        uint64_t mask, value = eight_greys(&w, &mask), before, done;
        memcpy(&before, out + i, 8);
        memcpy(&done, painted + i, 8);
        mask &= ~done;
        value = (value & mask) | (before & ~mask);
        done |= mask;
        memcpy(out + i, &value, 8);
        memcpy(painted + i, &done, 8);
    }
    cpu_warp_row rest = rest_of(r, i);
    paint_grey8_pixels(&rest, out + i, painted + i);
}

/* ----------------------------------------------------------------- colour */

/* A constant that the compiler must keep: it would make it anew for every eight pixels, by way of integer
 * registers, on the very port that the shuffles need. */
static inline __m256i kept(__m256i constant) {
    __asm__("" : "+x"(constant));
    return constant;
}

typedef struct colour_constants {
    __m256i left, right, flip, round, alpha;
} colour_constants;

static inline colour_constants make_colour_constants(void) {
    const __m128i left = _mm_setr_epi8(0, -1, 1, -1, 2, -1, 3, -1, 8, -1, 9, -1, 10, -1, 11, -1);
    const __m128i right = _mm_setr_epi8(4, -1, 5, -1, 6, -1, 7, -1, 12, -1, 13, -1, 14, -1, 15, -1);
    colour_constants c = {kept(_mm256_broadcastsi128_si256(left)), kept(_mm256_broadcastsi128_si256(right)),
                          kept(_mm256_set1_epi16((int16_t)0x8000)),
                          kept(_mm256_set1_epi32(32768 * 256 + 32768)), /* and what `across` took off */
                          kept(_mm256_set1_epi32((int)0xff000000))};
    return c;
}

/* Two neighbours of each of four pixels. */
static inline __m256i four_pairs(const uint32_t *pixels, const int32_t index[4]) {
    __m128i low = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(pixels + index[0])),
                                     _mm_loadl_epi64((const __m128i *)(pixels + index[1])));
    __m128i high = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(pixels + index[2])),
                                      _mm_loadl_epi64((const __m128i *)(pixels + index[3])));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* 256 a + fx (b - a) for each channel, less 32768: the value fits 16 bits without a sign, and the next
 * multiply-add wants one. Modulo 2^16 all along. */
static inline __m256i four_across(__m256i pairs, __m256i fx, const colour_constants *c) {
    __m256i a = _mm256_shuffle_epi8(pairs, c->left), b = _mm256_shuffle_epi8(pairs, c->right);
    __m256i sum = _mm256_add_epi16(_mm256_slli_epi16(a, 8), _mm256_mullo_epi16(fx, _mm256_sub_epi16(b, a)));
    return _mm256_xor_si256(sum, c->flip);
}

/* Four pixels, their channels as 16-bit numbers. which: their numbers among the eight of fx and fy, twice
 * each; fx: in both halves of 32 bits; fy: above 256 - fy. */
static inline __m256i four_colours(const uint32_t *pixels, ptrdiff_t stride, const int32_t index[4], __m256i which,
                                   __m256i fx, __m256i fy, const colour_constants *c) {
    fx = _mm256_permutevar8x32_epi32(fx, which);
    fy = _mm256_permutevar8x32_epi32(fy, which);
    __m256i top = four_across(four_pairs(pixels, index), fx, c);
    __m256i bottom = four_across(four_pairs(pixels + stride, index), fx, c);
    __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(top, bottom), _mm256_unpacklo_epi32(fy, fy));
    __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(top, bottom), _mm256_unpackhi_epi32(fy, fy));
    return _mm256_packus_epi32(_mm256_srli_epi32(_mm256_add_epi32(low, c->round), 16),
                               _mm256_srli_epi32(_mm256_add_epi32(high, c->round), 16));
}

static inline __m256i eight_colours(const cpu_warp_row *r, const eight_places *p, const int32_t index[8],
                                    const colour_constants *c) {
    const __m256i first = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3), last = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    const uint32_t *pixels = (const uint32_t *)r->pixels;
    __m256i fx = _mm256_or_si256(p->fx, _mm256_slli_epi32(p->fx, 16));
    __m256i fy = _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), p->fy), _mm256_slli_epi32(p->fy, 16));
    __m256i bytes = _mm256_packus_epi16(four_colours(pixels, r->stride, index, first, fx, fy, c),
                                        four_colours(pixels, r->stride, index + 4, last, fx, fy, c));
    bytes = _mm256_permute4x64_epi64(bytes, 0xd8); /* the halves of a lane lie four pixels apart */
    return _mm256_or_si256(bytes, c->alpha);
}

static void paint_rgb(const cpu_warp_row *r, uint32_t *out, uint8_t *painted) {
    walk w = walk_along(r);
    colour_constants constants = make_colour_constants();
    int i = 0;
    for (; i + 8 <= r->n; i += 8) {
        int32_t index[8] __attribute__((aligned(32)));
        uint64_t done;
        eight_places p = next_places(&w);
        store_index(&p, index);
        memcpy(&done, painted + i, 8);
        uint64_t mask = eight_bilinear(r, &p, index) & ~done;
        if (!mask) continue;
        __m256i colours = eight_colours(r, &p, index, &constants);
        if (mask == ~0ull) /* some processors are slow at stores by mask */
            _mm256_storeu_si256((__m256i *)(out + i), colours);
        else
            _mm256_maskstore_epi32((int *)out + i, _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)mask)), colours);
        done |= mask;
        memcpy(painted + i, &done, 8);
    }
    cpu_warp_row rest = rest_of(r, i);
    paint_rgb_pixels(&rest, out + i, painted + i);
}

void cpu_paint_row_avx2(const cpu_warp_row *row, endo_pixel type, void *pixels, uint8_t *painted) {
    switch (type) {
    case ENDO_RGB32: paint_rgb(row, pixels, painted); break;
    case ENDO_GREY16: paint_grey16_pixels(row, pixels, painted); break;
    case ENDO_GREY8: paint_grey8(row, pixels, painted); break;
    }
}

/* The lanes' numbers of 32 bits together. */
static inline int32_t total(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

/* Sixteen pixels of a row at a time. */
static void comb_avx2(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int n, endo_comb_sums *out) {
    const __m256i bit = _mm256_set1_epi16(1);
    __m256i one = _mm256_setzero_si256(), two = one;
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i inside = _mm256_cmpeq_epi16(_mm256_and_si256(words_at(field + i), bit), bit);
        __m256i twice = _mm256_slli_epi16(words_at(row + i), 1);
        __m256i near = _mm256_add_epi16(words_at(row + i - stride), words_at(row + i + stride));
        __m256i far = _mm256_add_epi16(words_at(row + i - 2 * stride), words_at(row + i + 2 * stride));
        near = _mm256_and_si256(_mm256_sub_epi16(twice, near), inside);
        far = _mm256_and_si256(_mm256_sub_epi16(twice, far), inside);
        one = _mm256_add_epi32(one, _mm256_madd_epi16(near, near)), two = _mm256_add_epi32(two, _mm256_madd_epi16(far, far));
        out->n += __builtin_popcount((unsigned)_mm256_movemask_epi8(inside)) / 2;
    }
    out->one += total(one), out->two += total(two);
    comb_row(row + i, stride, field + i, n - i, out);
}

const cpu_warp_loops cpu_warp_avx2 = {
    .comb = comb_avx2,
    .warp_row = warp_row_avx2,
    .paint_row = cpu_paint_row_avx2,
};
