/* Coefficients of one template against many nearby windows, by one warp.
 *
 * Up to side 63 the warp keeps the template in registers, a row or two a lane, and the part of the current
 * frame around the windows in shared memory; the pitch of that patch is an odd number of words, so that 32
 * lanes read 32 rows without a conflict. */
#ifndef ENDO_PATCH_CUH
#define ENDO_PATCH_CUH

#include "correlate.cuh"

/* The patch reaches this far beyond the template on each side; a window that leaves it needs a new one. */
#define PATCH_REACH 12
#define PATCH_MAX_SIDE 63
/* Words that a lane reads at once. */
#define PATCH_AHEAD 7

typedef struct correlation_template {
    int reference, current, x, y;
} correlation_template;

/* Shared memory of one warp's patch. */
static inline size_t patch_bytes(int side) {
    int words = (side + 2 * PATCH_REACH + 3) / 4 + 2;
    return (size_t)(words | 1) * (side + 2 * PATCH_REACH) * 4 + 64;
}

/* Correlates from the frames. */
struct frame_correlator {
    const correlation_frames *f;
    int side;
    correlation_template t;

    __device__ int load() { /* 1: the template has variance */
        endo_sums s = correlate_sums<4>(f, t.reference, t.reference, t.x, t.y, t.x, t.y, side);
        double self = coefficient_of(&s, side);
        return self == self;
    }
    __device__ void prepare(int, int, int) {}
    __device__ endo_sums sums(int cx, int cy) {
        return correlate_sums<4>(f, t.reference, t.current, t.x, t.y, cx, cy, side);
    }
};

/* Correlates a template in registers (WORDS words of ROWS rows a lane) with a patch in shared memory. */
template <int WORDS, int ROWS> struct patch_correlator {
    const correlation_frames *f;
    int side;
    correlation_template t;
    unsigned *patch;
    int patch_x, patch_y, patch_words, patch_rows, pitch, centre_x, centre_y, loaded;
    unsigned words[ROWS][WORDS], tail[4];
    unsigned sum, sum_of_squares;

    __device__ int load() {
        int half = side / 2, lane = threadIdx.x % 32;
        const uint8_t *p = f->grey + t.reference * f->area + (size_t)(t.y - half) * f->stride + t.x - half;
        unsigned s = 0, ss = 0;
        loaded = 0;
        for (int k = 0; k < 4; k++) tail[k] = first_bytes(side - 4 * (WORDS - 4 + k));
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                int row = lane + 32 * r;
                unsigned w = row < side && 4 * k < side ? load4(p + (size_t)row * f->stride + 4 * k) : 0;
                if (k >= WORDS - 4) w &= tail[k - (WORDS - 4)];
                words[r][k] = w;
                s = __dp4a(w, 0x01010101u, s);
                ss = __dp4a(w, w, ss);
            }
        sum = warp_add(s);
        sum_of_squares = warp_add(ss);
        return (int64_t)side * side * sum_of_squares > (int64_t)sum * sum;
    }

    /* A word of every other row from `row` on, all read before the first is kept. Beyond the image anything will do: no
     * position there is asked for. */
    __device__ void read_words(const unsigned *frame, int stride, int row, int word) {
        unsigned v[PATCH_AHEAD];
        int column = min(max(patch_x / 4 + word, 0), stride - 1);
#pragma unroll
        for (int i = 0; i < PATCH_AHEAD; i++)
            v[i] = __ldg(frame + (size_t)min(max(patch_y + row + 2 * i, 0), f->height) * stride + column);
#pragma unroll
        for (int i = 0; i < PATCH_AHEAD; i++)
            if (row + 2 * i < patch_rows) patch[(row + 2 * i) * pitch + word] = v[i];
    }

    /* Makes sure that every position within `offset` of (x, y) can be read from the patch, if it can at all. */
    __device__ void prepare(int x, int y, int offset) {
        if (is_near(x, y, offset)) return;
        __syncwarp();
        read_patch(x, y, 0, 1);
        __syncwarp();
    }

    __device__ int is_near(int x, int y, int offset) const {
        int dx = abs(x - centre_x) + offset, dy = abs(y - centre_y) + offset;
        return loaded && dx <= PATCH_REACH && dy <= PATCH_REACH;
    }

    /* A warp's part of it; whoever uses the patch waits before and after. */
    __device__ void read_patch(int x, int y, int warp, int warps) {
        int half = side / 2, lane = threadIdx.x % 32;
        centre_x = x, centre_y = y, loaded = 1;
        patch_x = (x - half - PATCH_REACH) & ~3; /* rounds down for negative numbers too */
        patch_y = y - half - PATCH_REACH;
        patch_rows = side + 2 * PATCH_REACH;
        patch_words = (side + 2 * PATCH_REACH + 3) / 4 + 2;
        pitch = patch_words | 1;
        const unsigned *frame = (const unsigned *)(f->grey + t.current * f->area);
        int stride = f->stride / 4, rows = 2 * PATCH_AHEAD; /* half a warp a row */
        for (int row = warp * rows + lane / 16; row < patch_rows; row += warps * rows)
            for (int word = lane % 16; word < patch_words; word += 16) read_words(frame, stride, row, word);
    }

    __device__ endo_sums sums(int cx, int cy) {
        int half = side / 2, lane = threadIdx.x % 32;
        if (abs(cx - centre_x) > PATCH_REACH || abs(cy - centre_y) > PATCH_REACH)
            return correlate_sums<1>(f, t.reference, t.current, t.x, t.y, cx, cy, side);
        int x = cx - half - patch_x, y = cy - half - patch_y;
        unsigned shift = 8 * (x & 3), sy = 0, syy = 0, sxy = 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int row = lane + 32 * r;
            if (row >= side) continue;
            const unsigned *p = patch + (y + row) * pitch + x / 4;
            unsigned low = p[0];
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                unsigned high = p[k + 1], w = __funnelshift_r(low, high, shift);
                if (k >= WORDS - 4) w &= tail[k - (WORDS - 4)];
                low = high;
                sy = __dp4a(w, 0x01010101u, sy);
                syy = __dp4a(w, w, syy);
                sxy = __dp4a(w, words[r][k], sxy);
            }
        }
        endo_sums s = {(int64_t)side * side, sum, warp_add(sy), sum_of_squares, warp_add(syy), warp_add(sxy)};
        return s;
    }
};

#endif
