/* The counters of ahe_slide.cu: differences of columns in shared memory, the window in the registers of a warp; and the
 * ranks of 32 pixels in a row. */
#ifndef ENDO_CUDA_AHE_WINDOW_CUH
#define ENDO_CUDA_AHE_WINDOW_CUH

#include "ahe.cuh"

#define LANE_ALL 0xffffffffu
/* uint4 from column to column: 256 levels of 16 bits, and one more, so that threads that change the same level of their
 * columns use different banks. */
#define COLUMN 33
#define LEVELS 256
/* The most warps of a block: more do not fit the shared memory of any device. */
#define MAX_WARPS 12
#define CHUNK(wide) (wide ? 16 : 8)
#define CHUNKS(wide) (32 / CHUNK(wide))

/* Differences are packed in pairs of 16 bits, levels 2i and 2i + 1 in word i of a lane. A word is the number
 * lower + 65536 * upper whatever their signs, so that plain 32-bit additions are right for both. */
__device__ static inline void add(uint4 *to, const uint4 &d) { to->x += d.x, to->y += d.y, to->z += d.z, to->w += d.w; }

__device__ static inline void subtract(uint4 *to, const uint4 &d) {
    to->x -= d.x, to->y -= d.y, to->z -= d.z, to->w -= d.w;
}

/* The step that a pixel of level k of its lane adds to the lane's cumulative counters: 1 from k on. */
__device__ static uint4 step_of(int k) {
    uint32_t w[4];
    for (int i = 0; i < 4; i++) w[i] = (2 * i >= k ? 1u : 0u) | (2 * i + 1 >= k ? 0x10000u : 0u);
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Counters below number t of a lane: masks of their halves. */
__device__ static uint4 mask_below(int t) {
    uint32_t w[4];
    for (int i = 0; i < 4; i++) w[i] = (2 * i < t ? 0xffffu : 0u) | (2 * i + 1 < t ? 0xffff0000u : 0u);
    return make_uint4(w[0], w[1], w[2], w[3]);
}

__device__ static inline uint32_t sum_over_lanes(uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(LANE_ALL, value);
#else
    for (int i = 16; i; i >>= 1) value += __shfl_xor_sync(LANE_ALL, value, i);
    return value;
#endif
}

/* Shared memory of a block. */
typedef struct tables {
    uint4 *columns;  /* 32 * warps of COLUMN */
    uint4 *edges;    /* [2][warps][WIDE ? 64 : 32]: windows on their way to the right neighbour */
    uint4 *windows;  /* not LIMITED: [warps][CHUNKS(WIDE)][WIDE ? 64 : 32]: windows put down */
    int *deltas;     /* [2][LEVELS]: changes of the first window from row to row */
    uint4 *constants; /* LIMITED ? mask_below(0..9) : step_of(0..7) */
} tables;

#define CONSTANTS 10

template <bool WIDE, bool LIMITED> __host__ __device__ static size_t shared_bytes(int warps) {
    size_t windows = 2 + (LIMITED ? 0 : CHUNKS(WIDE));
    return sizeof(uint4) * ((size_t)warps * 32 * COLUMN + windows * warps * (WIDE ? 64 : 32) + CONSTANTS) +
           2 * LEVELS * sizeof(int);
}

template <bool WIDE, bool LIMITED> __device__ static tables tables_in(uint4 *shared, int warps) {
    tables t;
    t.columns = shared;
    t.edges = t.columns + warps * 32 * COLUMN;
    t.windows = t.edges + 2 * warps * (WIDE ? 64 : 32);
    t.constants = t.windows + (LIMITED ? 0 : CHUNKS(WIDE) * warps * (WIDE ? 64 : 32));
    t.deltas = (int *)(t.constants + CONSTANTS);
    return t;
}

/* One pixel in or out of a column: cumulative within its lane, or a plain count. */
template <bool LIMITED> __device__ static inline void change(uint4 *column, const tables &t, int pixel, int by) {
    if (LIMITED) {
        uint32_t *word = (uint32_t *)column + (pixel >> 1);
        *word += pixel & 1 ? (uint32_t)by << 16 : (uint32_t)by;
    } else {
        uint4 counters = column[pixel >> 3], step = t.constants[pixel & 7];
        if (by > 0)
            add(&counters, step);
        else
            subtract(&counters, step);
        column[pixel >> 3] = counters;
    }
}

/* The window's counters in a lane: eight levels, in four words, or if WIDE in eight. */
template <bool WIDE> struct window_state {
    uint32_t w[WIDE ? 8 : 4];
};

__device__ static inline int lower(uint32_t word) { return (int16_t)(word & 0xffff); }
__device__ static inline int upper(uint32_t word) { return (int)(word + 0x8000) >> 16; }

template <bool WIDE> __device__ static inline void slide(window_state<WIDE> *s, const uint4 &d) {
    const uint32_t words[4] = {d.x, d.y, d.z, d.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (WIDE)
            s->w[2 * i] += lower(words[i]), s->w[2 * i + 1] += upper(words[i]);
        else
            s->w[i] += words[i];
    }
}

/* Adds counts of the lane's eight levels, made cumulative unless LIMITED. */
template <bool WIDE, bool LIMITED> __device__ static void add_counts(window_state<WIDE> *s, const int *counts) {
    int sum[8];
#pragma unroll
    for (int i = 0; i < 8; i++) sum[i] = counts[i] + (i && !LIMITED ? sum[i - 1] : 0);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (WIDE)
            s->w[2 * i] += sum[2 * i], s->w[2 * i + 1] += sum[2 * i + 1];
        else
            s->w[i] += (uint32_t)sum[2 * i] + ((uint32_t)sum[2 * i + 1] << 16);
    }
}

/* Counter number i (0..7) of the lane. */
__device__ static inline uint32_t counter(const window_state<false> &s, int i) {
    uint32_t selector = 0x10 + 0x22 * (i & 3);
    uint32_t a = __byte_perm(s.w[0], s.w[1], selector), b = __byte_perm(s.w[2], s.w[3], selector);
    return (i & 4 ? b : a) & 0xffff;
}

__device__ static inline uint32_t counter(const window_state<true> &s, int i) {
    uint32_t a = i & 1 ? s.w[1] : s.w[0], b = i & 1 ? s.w[3] : s.w[2];
    uint32_t c = i & 1 ? s.w[5] : s.w[4], d = i & 1 ? s.w[7] : s.w[6];
    uint32_t ab = i & 2 ? b : a, cd = i & 2 ? d : c;
    return i & 4 ? cd : ab;
}

/* Counts of a pixel's window. rank: pixels not above it. kept, below, own: as endo_ahe_bin has them. */
typedef struct window_counts {
    uint32_t rank, kept, below, own;
} window_counts;

/* Narrow: both sums are below 65536 and travel in one word. */
template <bool PARTS>
__device__ static inline void limited_in(const window_state<false> &s, const tables &t, int centre, int lane,
                                         uint32_t clip, window_counts *v) {
    uint32_t clips = clip | clip << 16;
    window_state<false> m;
#pragma unroll
    for (int i = 0; i < 4; i++) m.w[i] = __vminu2(s.w[i], clips);
    int at = centre - 8 * lane, included = PARTS ? at : at + 1; /* whole bins: below takes the centre's own with it */
    uint4 mask = t.constants[max(0, min(included, 8))];
    uint32_t kept = (m.w[0] + m.w[1]) + (m.w[2] + m.w[3]);
    uint32_t below = ((m.w[0] & mask.x) + (m.w[1] & mask.y)) + ((m.w[2] & mask.z) + (m.w[3] & mask.w));
    kept = (kept & 0xffff) + (kept >> 16), below = (below & 0xffff) + (below >> 16);
    uint32_t both = sum_over_lanes(kept << 16 | below);
    v->kept = both >> 16, v->below = both & 0xffff;
    if (PARTS) v->own = __shfl_sync(LANE_ALL, counter(m, at & 7), centre >> 3);
}

template <bool PARTS>
__device__ static inline void limited_in(const window_state<true> &s, const tables &, int centre, int lane,
                                         uint32_t clip, window_counts *v) {
    int at = centre - 8 * lane, included = PARTS ? at : at + 1;
    uint32_t kept = 0, below = 0;
    window_state<true> m;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        m.w[i] = min(s.w[i], clip);
        kept += m.w[i];
        below += i < included ? m.w[i] : 0;
    }
    v->kept = sum_over_lanes(kept), v->below = sum_over_lanes(below);
    if (PARTS) v->own = __shfl_sync(LANE_ALL, counter(m, at & 7), centre >> 3);
}

template <bool WIDE>
__device__ static inline void pass_on(const window_state<WIDE> &s, uint4 *edge, int lane) {
    edge[lane] = make_uint4(s.w[0], s.w[1], s.w[2], s.w[3]);
    if constexpr (WIDE) edge[32 + lane] = make_uint4(s.w[4], s.w[5], s.w[6], s.w[7]);
}

template <bool WIDE> __device__ static inline void take_over(window_state<WIDE> *s, const uint4 *edge, int lane) {
    uint4 a = edge[lane];
    s->w[0] = a.x, s->w[1] = a.y, s->w[2] = a.z, s->w[3] = a.w;
    if constexpr (WIDE) {
        uint4 b = edge[32 + lane];
        s->w[4] = b.x, s->w[5] = b.y, s->w[6] = b.z, s->w[7] = b.w;
    }
}

/* ------------------------------------------------------------ a row of 32 pixels */

/* Puts a window down level by level: the counter of level v is half word (WIDE: word) number v. */
__device__ static inline void put_down(const window_state<false> &s, uint4 *window, int lane) {
    window[lane] = make_uint4(s.w[0], s.w[1], s.w[2], s.w[3]);
}

__device__ static inline void put_down(const window_state<true> &s, uint4 *window, int lane) {
    window[2 * lane] = make_uint4(s.w[0], s.w[1], s.w[2], s.w[3]);
    window[2 * lane + 1] = make_uint4(s.w[4], s.w[5], s.w[6], s.w[7]);
}

/* The counter of the lane's centre in a window that was put down, less the changes since the lane's pixel. */
template <bool WIDE> __device__ static inline uint32_t counter_before(const uint4 *window, uint32_t changes, int centre) {
    if (WIDE) return ((const uint32_t *)window)[centre] - (centre & 1 ? upper(changes) : lower(changes));
    uint32_t word = ((const uint32_t *)window)[centre >> 1] - changes;
    return centre & 1 ? word >> 16 : word & 0xffff;
}

/* The sum of `value` over the lanes before this one. */
__device__ static inline uint32_t sum_before(uint32_t value, int lane) {
    uint32_t sum = value;
#pragma unroll
    for (int i = 1; i < 32; i *= 2) {
        uint32_t other = __shfl_up_sync(LANE_ALL, sum, i);
        if (lane >= i) sum += other;
    }
    return sum - value;
}

/* How many pixels of the window lie below the group of the lane's centre. sum: of the words of the lanes before the group,
 * whose upper halves are wanted. Narrow: the lower halves sum up to less than 65536. WIDE: changes since the first pixel, of
 * columns of at most 1023 pixels, so that either half sums up to less than 32 * 1024; before: of the windows at the start. */
template <bool WIDE> __device__ static inline uint32_t below_of(uint32_t sum, uint32_t before, int group) {
    if (!WIDE) return sum >> 16;
    return __shfl_sync(LANE_ALL, before, group) + upper(sum);
}

template <bool WIDE>
__device__ static uint32_t slide_plain(window_state<WIDE> *s, uint4 *windows, const uint4 *columns, int centre, int lane) {
    const int size = WIDE ? 64 : 32;
    int group = centre >> 3;
    uint32_t sums = 0, changes = 0, before = 0;
    window_state<false> moved = {}; /* WIDE: since the first pixel; fits 16 bits */
    if constexpr (WIDE) before = sum_before(s->w[7], lane);
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS(WIDE); chunk++) {
#pragma unroll
        for (int j = CHUNK(WIDE) * chunk; j < CHUNK(WIDE) * (chunk + 1); j++) {
            uint32_t all;
            if constexpr (WIDE) {
                slide(&moved, columns[j * COLUMN + lane]);
                all = moved.w[3];
            } else {
                slide(s, columns[j * COLUMN + lane]);
                all = s->w[3];
            }
            int g = __shfl_sync(LANE_ALL, group, j);
            uint32_t sum = sum_over_lanes(lane < g ? all : 0);
            if (lane == j) sums = sum;
        }
        window_state<WIDE> now = *s;
        if constexpr (WIDE) slide(&now, make_uint4(moved.w[0], moved.w[1], moved.w[2], moved.w[3]));
        put_down(now, windows + chunk * size, lane);
        if (chunk + 1 == CHUNKS(WIDE)) *s = now;
    }
    __syncwarp();
#pragma unroll
    for (int i = 1; i < CHUNK(WIDE); i++) {
        int j = lane + i;
        if (j / CHUNK(WIDE) == lane / CHUNK(WIDE)) changes += ((const uint32_t *)(columns + j * COLUMN))[centre >> 1];
    }
    return below_of<WIDE>(sums, before, group) + counter_before<WIDE>(windows + lane / CHUNK(WIDE) * size, changes, centre);
}

#endif
