/* Cubic samples of colour with AVX2, two pixels of eight at a time: of each, four rows of four neighbours are weighted along
 * the rows in 16 bits (64 * 255 fits), down the columns in 32. */
#include "blend_avx2.h"

/* Rows that are fetched before they are needed. */
enum { AHEAD = 5 };

/* A constant that stays in a register. */
static inline __m256i kept(__m256i constant) {
    __asm__("" : "+x"(constant));
    return constant;
}

/* Constants of a run. */
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

/* Eight pixels from i on: all ones where the frame may be sampled. */
static inline __m128i sampled(const cpu_blend_run *r, int i, int from, int to, eight *e) {
    uint16_t inside, seen[8] = {0};
    memcpy(&inside, r->inside + i / SIDE, sizeof inside);
    __m128i active = _mm_andnot_si128(first_lanes(from), first_lanes(to));
    if (inside == ENDO_BLEND_NONE * 0x0101u) return _mm_setzero_si128();
    if (inside == ENDO_BLEND_ALL * 0x0101u) return active;
    find_places(r, i, e);
    for (int k = from; k < to; k++) seen[k] = r->bicubic[e->index[k]] ? 0xffff : 0;
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

/* One number for each of two pixels: the lower half of the register is the first one's, the upper half the second's. */
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
    __m256i full = _mm256_cmpgt_epi32(_mm256_shuffle_epi32(after, 0xff), _mm256_set1_epi32(ENDO_BLEND_MOST_WEIGHT));
    _mm256_storeu_si256((__m256i *)sums, _mm256_blendv_epi8(after, before, full));
}

/* Pixels k and k + 1, one of which is painted at least; the other is not looked at if it is not. */
static inline void paint_two(const cpu_blend_run *r, const common *c, const eight *e, int k, uint32_t *sums) {
    int a = e->weights[k] ? k : k + 1, b = e->weights[k + 1] ? k + 1 : k;
    __m256i factors4 = _mm256_slli_epi16(two_words(r->factors[e->index[a]], r->factors[e->index[b]]), 2);
    __m256i values = shade(two_values(r, c, e, a, b), factors4, c->gain);
    add_two(sums + 4 * k, values, two_words(e->weights[k], e->weights[k + 1]));
}

void cpu_blend_add_rgb_avx2(const cpu_blend_run *r) {
    common c = common_of(r);
    for (int i = 0; i < r->n; i += 8) {
        eight e;
        if (!begin_eight(r, i, &e)) continue;
        find_places(r, i, &e);
        uint32_t *sums = (uint32_t *)r->sums + 4 * (size_t)i;
        /* Fetches ahead what the next row of the panorama will sample. */
        _mm_prefetch((const char *)(c.pixels + e.index[4] + AHEAD * r->stride), _MM_HINT_T0);
        for (int k = 0; k < 8; k += 2)
            if (e.weights[k] | e.weights[k + 1]) paint_two(r, &c, &e, k, sums);
    }
}
