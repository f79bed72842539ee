/* One coefficient by one warp, straight from the frames: any side, with or without highlights. Lanes share
 * a row four pixels each; a short row leaves lanes for the next rows. */
#ifndef ENDO_CORRELATE_CUH
#define ENDO_CORRELATE_CUH

#include "cuda.h"

/* What a kernel needs of a store to correlate. */
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

__device__ static inline int fits(const correlation_frames *f, int x, int y) {
    return x >= 0 && y >= 0 && x < f->width && y < f->height && f->centres[(size_t)y * f->width + x];
}

/* Sums over the square of both frames; every lane gets them. */
__device__ static inline endo_sums correlate_sums(const correlation_frames *f, int reference, int current, int x, int y,
                                                  int cx, int cy, int side) {
    int half = side / 2, words = (side + 3) / 4, lanes = words > 16 ? 32 : words > 8 ? 16 : words > 4 ? 8 : 4;
    int lane = threadIdx.x % 32, column = lane % lanes, first_row = lane / lanes;
    size_t a0 = reference * f->area + (size_t)(y - half) * f->stride + x - half;
    size_t b0 = current * f->area + (size_t)(cy - half) * f->stride + cx - half;
    unsigned n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0; /* a lane sees at most 2^12 words: below 2^32 */
    for (int row = first_row; row < side; row += 32 / lanes)
        for (int word = column; word < words; word += lanes) {
            size_t at = (size_t)row * f->stride + 4 * word;
            unsigned keep = first_bytes(side - 4 * word);
            if (f->specular) keep &= ~(load4(f->specular + a0 + at) | load4(f->specular + b0 + at));
            unsigned a = load4(f->grey + a0 + at) & keep, b = load4(f->grey + b0 + at) & keep;
            n += __popc(keep) / 8;
            sx = __dp4a(a, 0x01010101u, sx), sy = __dp4a(b, 0x01010101u, sy);
            sxx = __dp4a(a, a, sxx), syy = __dp4a(b, b, syy), sxy = __dp4a(a, b, sxy);
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
