/* Cubic samples of colour with AVX-512 and VBMI: sixteen pixels whose places lie within 21 pixels of a row, and in a few
 * rows. Each row is loaded once, for all of them, its channels set apart, and the four neighbours of each place are taken
 * from there; what a row counts for a place is 0 where it is none of the four. */
#include "blend_avx512.h"

#include "base/tiles.h"

#ifdef __GNUC__
#define WITH_VBMI __attribute__((target("avx512vbmi")))
#else
#define WITH_VBMI
#endif

/* WINDOW: pixels of a row, whose three channels fill 63 bytes. */
enum { WINDOW = 21, MOST_ROWS = 12, NEIGHBOURS = 4 };

/* Rows behind those of a window that are fetched before they are needed. */
enum { AHEAD = 3 };

/* The pixels that sixteen places want: `rows` rows from (x, y) on. */
typedef struct window {
    int x, y, rows;
} window;

static inline int pixel_at(int64_t base, int64_t step, int i) { return (int)(endo_position8(base + i * step) >> 8); }

static inline int least(int a, int b) { return a < b ? a : b; }

/* The window that all painted pixels are sampled from: the first and the last of them lie farthest from each other. 0: they
 * want more than a window holds. */
static inline int window_of(const cpu_blend_run *r, int i, __mmask16 painted, window *w) {
    int first = i + __builtin_ctz(painted), last = i + 31 - __builtin_clz(painted);
    int x0 = pixel_at(r->px, r->step_x, first), x1 = pixel_at(r->px, r->step_x, last);
    int y0 = pixel_at(r->py, r->step_y, first), y1 = pixel_at(r->py, r->step_y, last);
    w->x = least(x0, x1) - 1, w->y = least(y0, y1) - 1;
    w->rows = (y0 < y1 ? y1 - y0 : y0 - y1) + NEIGHBOURS;
    return (x0 < x1 ? x1 - x0 : x0 - x1) + NEIGHBOURS <= WINDOW && w->rows <= MOST_ROWS;
}

/* Constants of a run, kept in registers. */
typedef struct common {
    __m512i order;   /* of the sixteen: with it, four by four values of each channel become pixels */
    __m512i by_plane; /* bytes of a row, by channel */
    __m512i first_byte, weight_byte;
    __m512i gain[3], round, most, brightest, room;
} common;

static const uint8_t by_plane[64] = {
    0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 0, 4, 8, 12, 16,
    1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57, 61, 1, 5, 9, 13, 17,
    2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 62, 2, 6, 10, 14, 18,
};

/* Bits of the bytes of by_plane that are taken from the pixels behind the first 16. */
#define BEHIND_SIXTEEN (0x1full << 16 | 0x1full << (16 + WINDOW) | 0x1full << (16 + 2 * WINDOW))

static inline common common_of(const cpu_blend_run *r) {
    const char none = (char)0x80;
    common k = {.order = kept(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
                .by_plane = kept(_mm512_loadu_si512(by_plane)),
                .first_byte = kept(_mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12))),
                .weight_byte = kept(_mm512_broadcast_i32x4(_mm_setr_epi8(none, 0, none, 0, none, 4, none, 4, none, 8, none, 8,
                                                                         none, 12, none, 12))),
                .round = kept(_mm512_set1_epi32(1 << 15)),
                .most = kept(_mm512_set1_epi32(4080)),
                .brightest = kept(_mm512_set1_epi32(ENDO_BLEND_MOST)),
                .room = kept(_mm512_set1_epi32(ENDO_BLEND_MOST_WEIGHT))};
    for (int c = 0; c < 3; c++) k.gain[c] = kept(_mm512_set1_epi32((int)r->gain[c] * 4));
    return k;
}

/* Where sixteen pixels lie in their window, and their weights along and across rows, a byte each. */
typedef struct places {
    __m512i x, y; /* of the pixel that is left of and above the place, less that of the first */
    __m512i across, down;
} places;

static inline places places_of(const cpu_blend_run *r, const common *k, int i, const window *w) {
    const __m512i fraction = _mm512_set1_epi32(255);
    __m512i x = positions_of(r->px + i * r->step_x, r->step_x, k->order);
    __m512i y = positions_of(r->py + i * r->step_y, r->step_y, k->order);
    places p = {_mm512_sub_epi32(_mm512_srai_epi32(x, 8), _mm512_set1_epi32(w->x + 1)),
                _mm512_sub_epi32(_mm512_srai_epi32(y, 8), _mm512_set1_epi32(w->y + 1)),
                _mm512_i32gather_epi32(_mm512_and_si512(x, fraction), r->taps, 4),
                _mm512_i32gather_epi32(_mm512_and_si512(y, fraction), r->taps, 4)};
    return p;
}

/* Sums of the sixteen neighbours by their weights, times 256, of each channel. */
WITH_VBMI static inline void sum_rows(const cpu_blend_run *r, const common *k, const window *w, const places *p,
                                      __m512i sums[3]) {
    const uint32_t *row = (const uint32_t *)r->pixels + w->y * r->stride + w->x;
    const __m512i next = _mm512_set1_epi32(0x03020100), plane = _mm512_set1_epi8(WINDOW), eight = _mm512_set1_epi32(8);
    __m512i index[3] = {_mm512_add_epi8(_mm512_shuffle_epi8(p->x, k->first_byte), next)};
    __m512i shift = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(p->y, 3));
    for (int c = 1; c < 3; c++) index[c] = _mm512_add_epi8(index[c - 1], plane);
    for (int c = 0; c < 3; c++) sums[c] = k->round;
    for (int v = 0; v < w->rows; v++, row += r->stride) {
        __m512i behind = _mm512_zextsi256_si512(_mm256_loadu_si256((const __m256i *)(row + 16)));
        __m512i planes = _mm512_permutexvar_epi8(k->by_plane, _mm512_loadu_si512(row));
        planes = _mm512_mask_permutexvar_epi8(planes, BEHIND_SIXTEEN, k->by_plane, behind);
        /* Where this row is none of a pixel's four, the shift is negative or beyond 31 bits: a weight of 0 is left. */
        __m512i weight = _mm512_shuffle_epi8(_mm512_srlv_epi32(p->down, shift), k->weight_byte);
        shift = _mm512_add_epi32(shift, eight);
        for (int c = 0; c < 3; c++) {
            __m512i along = _mm512_maddubs_epi16(_mm512_permutexvar_epi8(index[c], planes), p->across);
            sums[c] = _mm512_dpwssd_epi32(sums[c], along, weight);
        }
    }
}

/* Four times the factors of sixteen pixels. */
static inline __m512i factors_of(const cpu_blend_run *r, const window *w, const places *p) {
    const uint16_t *row = r->factors + (w->y + 1) * r->stride + w->x + 1;
    __m512i factors = _mm512_permutexvar_epi16(p->x, _mm512_loadu_si512(row));
    for (int v = 1; v <= w->rows - NEIGHBOURS; v++) {
        __mmask16 here = _mm512_cmpeq_epi32_mask(p->y, _mm512_set1_epi32(v));
        __m512i found = _mm512_permutexvar_epi16(p->x, _mm512_loadu_si512(row + v * r->stride));
        factors = _mm512_mask_mov_epi32(factors, here, found);
    }
    return _mm512_slli_epi32(_mm512_and_si512(factors, _mm512_set1_epi32(0xffff)), 2);
}

/* Values from sums with 16 fractional bits. */
static inline __m512i value_of(const common *k, __m512i sum) {
    return _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32(sum, 16), _mm512_setzero_si512()), k->most);
}

/* Corrected values times their weights. */
static inline __m512i weighted(const common *k, __m512i value, __m512i brightest, __m512i factor, __m512i weights) {
    __m512i shaded = _mm512_mulhi_epu16(_mm512_slli_epi32(value, 4), factors_near_white(factor, brightest));
    return _mm512_madd_epi16(_mm512_min_epu16(shaded, k->brightest), weights);
}

/* Adds four pixels, of each three channels and the weight, where their sums are not full. */
static inline void add_four(const common *k, uint32_t *sums, __m512i four) {
    __m512i after = _mm512_add_epi32(_mm512_loadu_si512(sums), four);
    __mmask16 full = _mm512_mask_cmpgt_epu32_mask(0x8888, after, k->room);
    if (!full) _mm512_storeu_si512(sums, after);
    else _mm512_mask_storeu_epi32(sums, (__mmask16) ~(full | full >> 1 | full >> 2 | full >> 3), after);
}

/* Adds sixteen pixels, whose values come channel by channel, to their sums. */
static inline void add_all(const common *k, uint32_t *sums, __mmask16 painted, const __m512i c[4]) {
    __m512i low = _mm512_unpacklo_epi32(c[0], c[1]), high = _mm512_unpackhi_epi32(c[0], c[1]);
    __m512i low2 = _mm512_unpacklo_epi32(c[2], c[3]), high2 = _mm512_unpackhi_epi32(c[2], c[3]);
    if (painted & 0x000f) add_four(k, sums, _mm512_unpacklo_epi64(low, low2));
    if (painted & 0x00f0) add_four(k, sums + 16, _mm512_unpackhi_epi64(low, low2));
    if (painted & 0x0f00) add_four(k, sums + 32, _mm512_unpacklo_epi64(high, high2));
    if (painted & 0xf000) add_four(k, sums + 48, _mm512_unpackhi_epi64(high, high2));
}

WITH_VBMI static inline void add_near(const cpu_blend_run *r, const common *k, int i, __mmask16 painted, __m256i weights,
                                      const window *w) {
    const uint32_t *ahead = (const uint32_t *)r->pixels + (w->y + w->rows + AHEAD) * r->stride + w->x + WINDOW / 2;
    const char *below = (const char *)((const uint32_t *)r->sums + 4 * ((size_t)i + ENDO_TILE_WIDTH));
    _mm_prefetch((const char *)ahead, _MM_HINT_T0); /* what the next row of the panorama will want */
    for (int q = 0; q < 4; q++) _mm_prefetch(below + 64 * q, _MM_HINT_T0);
    places p = places_of(r, k, i, w);
    __m512i sums[4], factors4 = factors_of(r, w, &p);
    sum_rows(r, k, w, &p, sums);
    sums[3] = _mm512_permutexvar_epi32(k->order, _mm512_cvtepu16_epi32(weights));
    for (int c = 0; c < 3; c++) sums[c] = value_of(k, sums[c]);
    __m512i brightest = _mm512_max_epu16(_mm512_max_epu16(sums[0], sums[1]), sums[2]);
    for (int c = 0; c < 3; c++)
        sums[c] = weighted(k, sums[c], brightest, _mm512_mulhi_epu16(factors4, k->gain[c]), sums[3]);
    add_all(k, (uint32_t *)r->sums + 4 * (size_t)i, painted, sums);
}

WITH_VBMI void cpu_blend_add_near_avx512(const cpu_blend_run *r) {
    common k = common_of(r);
    for (int i = 0; i < r->n; i += 16) {
        __m256i weights;
        window w;
        __mmask16 painted = begin_pixels(r, i, &weights);
        if (!painted) continue;
        if (window_of(r, i, painted, &w)) add_near(r, &k, i, painted, weights, &w);
        else cpu_blend_add_pixels_avx512(r, i, painted, weights);
    }
}
