/* One coefficient by one warp, straight from the frames: any side, with or without highlights. Lanes take one word of
 * the square after the other, row by row. */
#ifndef ENDO_CORRELATE_CUH
#define ENDO_CORRELATE_CUH

#include "cuda.h"

/* The frames of a store, as kernels that correlate read them. */
typedef struct correlation_frames {
    const uint8_t *grey, *specular; /* specular may be NULL */
    const uint8_t *centres;         /* dense */
    size_t area;
    int stride, width, height;
} correlation_frames;

static inline correlation_frames correlation_frames_of(const cuda_store *s) {
    correlation_frames f = {s->grey, s->specular, s->centres, s->area, s->stride, s->options.width, s->options.height};
    return f;
}

__device__ static inline unsigned warp_add(unsigned v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, v);
#else
    for (int offset = 16; offset; offset /= 2) v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
#endif
}

__device__ static inline int64_t warp_add64(int64_t v) {
    for (int offset = 16; offset; offset /= 2) v += __shfl_xor_sync(0xffffffffu, (long long)v, offset);
    return v;
}

/* Four bytes from any address; reads the one or two aligned words that hold them. */
__device__ static inline unsigned load4(const uint8_t *p) {
    const unsigned *word = (const unsigned *)((uintptr_t)p & ~(uintptr_t)3);
    unsigned shift = 8 * ((uintptr_t)p & 3);
    return __funnelshift_r(__ldg(word), __ldg(word + 1), shift);
}

__device__ static inline unsigned first_bytes(int n) { return n >= 4 ? ~0u : n <= 0 ? 0u : (1u << (8 * n)) - 1; }

/* Words of a plane from a place of any alignment on. Before the plane's first word there are any bytes. */
typedef struct word_reader {
    const uint8_t *plane;
    unsigned shift;
} word_reader;

/* Four bytes from `at` on, which is a word's place but for the reader's shift. */
__device__ static inline unsigned read_shifted(const word_reader &r, int at) {
    const unsigned *words = (const unsigned *)r.plane;
    int word = at >> 2; /* rounds down */
    return __funnelshift_r(__ldg(words + max(word, 0)), __ldg(words + word + 1), r.shift);
}

__device__ static inline unsigned read_aligned(const uint8_t *plane, int at) { return __ldg((const unsigned *)(plane + at)); }

__device__ static inline int fits(const correlation_frames *f, int x, int y) {
    return x >= 0 && y >= 0 && x < f->width && y < f->height && f->centres[(size_t)y * f->width + x];
}

/* The words of a square, those of the reference as they lie in memory: its rows begin and end within a word. */
typedef struct square_words {
    int at, shift_at; /* of the lane's word, in the reference and in the current frame */
    int word, words;  /* which of a row, and how many these are */
    unsigned first, last; /* bytes of the first and the last word of a row that lie in the square */
    int step, wrap;   /* to the lane's next word; to the next row */
} square_words;

__device__ static inline square_words words_of(const correlation_frames *f, int x, int y, int cx, int cy, int side) {
    int half = side / 2, lane = threadIdx.x % 32, lead = (x - half) & 3, behind = -(lead + side) & 3;
    square_words w;
    w.words = (lead + side + behind) / 4;
    w.first = ~0u << 8 * lead, w.last = ~0u >> 8 * behind;
    w.word = lane % w.words;
    w.at = (y - half + lane / w.words) * f->stride + x - half - lead + 4 * w.word;
    w.shift_at = w.at + (cy - y) * f->stride + cx - x;
    w.step = 32 / w.words * f->stride + 4 * (32 % w.words);
    w.wrap = f->stride - 4 * w.words;
    return w;
}

__device__ static inline void next_word(square_words *w) {
    int step = w->step;
    w->word += 32 % w->words;
    if (w->word >= w->words) w->word -= w->words, step += w->wrap;
    w->at += step, w->shift_at += step;
}

/* Sums over the square of both frames; every lane gets them. AHEAD: words that a lane reads at once. */
template <int AHEAD>
__device__ static inline endo_sums correlate_sums(const correlation_frames *f, int reference, int current, int x, int y,
                                                  int cx, int cy, int side) {
    square_words w = words_of(f, x, y, cx, cy, side);
    const uint8_t *a_plane = f->grey + reference * f->area;
    word_reader b_words = {f->grey + current * f->area, 8 * (unsigned)(w.shift_at & 3)};
    unsigned n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0; /* a lane sees at most 2^12 words: below 2^32 */
#pragma unroll AHEAD
    for (int i = threadIdx.x % 32; i < w.words * side; i += 32) {
        unsigned keep = (w.word ? ~0u : w.first) & (w.word == w.words - 1 ? w.last : ~0u);
        if (f->specular) {
            word_reader b_specular = {f->specular + current * f->area, b_words.shift};
            keep &= ~(read_aligned(f->specular + reference * f->area, w.at) | read_shifted(b_specular, w.shift_at));
        }
        unsigned a = read_aligned(a_plane, w.at) & keep, b = read_shifted(b_words, w.shift_at) & keep;
        n = __dp4a(keep & 0x01010101u, 0x01010101u, n);
        sx = __dp4a(a, 0x01010101u, sx), sy = __dp4a(b, 0x01010101u, sy);
        sxx = __dp4a(a, a, sxx), syy = __dp4a(b, b, syy), sxy = __dp4a(a, b, sxy);
        next_word(&w);
    }
    endo_sums s;
    s.n = warp_add(n), s.x = warp_add(sx), s.y = warp_add(sy);
    s.xx = warp_add64(sxx), s.yy = warp_add64(syy), s.xy = warp_add64(sxy);
    return s;
}

__device__ static inline double coefficient_of(const endo_sums *s, int side) {
    if (2 * s->n < (int64_t)side * side) return NAN;
    return endo_coefficient(s);
}

#endif
