/* Alignment of exposures on a device: coefficients of all shifts, their peaks, and the search on the bitmaps. */
#ifndef ENDO_CUDA_EXPOSURES_SEARCH_CUH
#define ENDO_CUDA_EXPOSURES_SEARCH_CUH

#include "exposures_counts.cuh"

/* ------------------------------------------------------------ coefficients */

/* 32 numbers of 32 bits whose sum may need more. */
__device__ static inline int64_t wide_sum_over_lanes(int32_t v) {
    return (int64_t)sum_over_lanes(v >> 16) * 65536 + sum_over_lanes(v & 0xffff);
}

/* Counts of less than 4096 pixels: the products of a lane fit 32 bits. By one warp. */
#define SMALL_SIDE 4096

__device__ static endo_sums correlate_small(const int16_t *reference, const int16_t *current, int n, int shift) {
    int first = shift < 0 ? -shift : 0, end = shift > 0 ? n - shift : n;
    int32_t sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
#pragma unroll 4
    for (int i = first + (int)(threadIdx.x % 32); i < end; i += 32) {
        int32_t x = reference[i + shift], y = current[i];
        sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
    }
    endo_sums s = {end > first ? end - first : 0, sum_over_lanes(sx), sum_over_lanes(sy), wide_sum_over_lanes(sxx),
                   wide_sum_over_lanes(syy), wide_sum_over_lanes(sxy)};
    return s;
}

template <typename COUNT>
__device__ static endo_sums correlate_large(const COUNT *reference, const COUNT *current, int n, int shift) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    int first = shift < 0 ? -shift : 0, end = shift > 0 ? n - shift : n;
#pragma unroll 4
    for (int i = first + (int)(threadIdx.x % 32); i < end; i += 32) {
        int32_t x = reference[i + shift], y = current[i];
        s.x += x, s.y += y;
        s.xx += (int64_t)x * x, s.yy += (int64_t)y * y, s.xy += (int64_t)x * y;
    }
    s.n = end > first ? end - first : 0;
    s.x = warp_sum64(s.x), s.y = warp_sum64(s.y);
    s.xx = warp_sum64(s.xx), s.yy = warp_sum64(s.yy), s.xy = warp_sum64(s.xy);
    return s;
}

/* Where the counts of both axes lie in shared memory, if they fit: of an image, black and white. */
typedef struct shared_counts {
    int16_t *counts[2][2][2]; /* axis, image, colour; NULL: read them from the scratch */
} shared_counts;

__device__ static endo_sums correlate(const exposure_job &j, const exposure_scratch &s, const shared_counts &c, int axis,
                                      int colour, int shift) {
    int n = axis ? j.height : j.width;
    const int32_t *r = axis ? s.rows[0][colour] : s.columns[0][colour], *m = axis ? s.rows[1][colour] : s.columns[1][colour];
    if (!c.counts[0][0][0]) return correlate_large(r, m, n, shift);
    if (n < SMALL_SIDE) return correlate_small(c.counts[axis][0][colour], c.counts[axis][1][colour], n, shift);
    return correlate_large(c.counts[axis][0][colour], c.counts[axis][1][colour], n, shift);
}

__device__ static double coefficient_of(const exposure_job &j, const exposure_scratch &s, const shared_counts &c, int axis,
                                        int shift) {
    endo_sums black = correlate(j, s, c, axis, 0, shift), white = correlate(j, s, c, axis, 1, shift);
    return endo_exposure_coefficient(&black, &white);
}

/* The four counts of an axis, image by image, black and white, into n numbers each; all four are read at once. */
__device__ static void take_axis(int32_t *const from[2][2], int n, int16_t *memory) {
#pragma unroll 2
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        int32_t v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = __ldcg(&from[i >> 1][i & 1][k]);
#pragma unroll
        for (int i = 0; i < 4; i++) memory[i * n + k] = (int16_t)v[i];
    }
}

/* Takes the counts into shared memory, which has room for j.shared_counts of them. */
__device__ static void take_counts(const exposure_job &j, const exposure_scratch &s, int16_t *memory, shared_counts *c) {
    for (int i = 0; i < 8; i++) {
        int axis = i >> 2, at = axis ? 4 * j.width + (i & 3) * j.height : i * j.width;
        c->counts[axis][i >> 1 & 1][i & 1] = j.shared_counts ? memory + at : NULL;
    }
    if (!j.shared_counts) return;
    take_axis(s.columns, j.width, memory);
    take_axis(s.rows, j.height, memory + 4 * j.width);
    __syncthreads();
}

/* The first ENDO_EXPOSURE_PEAKS peaks in the order of endo_exposure_peak_before; by one warp. Each lane carries the best
 * of its shifts; the lane whose shift was taken looks for its next. */
__device__ static int pick_peaks(const double *c, int reach, int32_t peaks[ENDO_EXPOSURE_PEAKS]) {
    int n = 0, lane = threadIdx.x % 32, none = 2 * reach + 1, own = none, look = 1;
    uint64_t taken = 0;
    for (; n < ENDO_EXPOSURE_PEAKS; n++) {
        if (look) {
            own = none;
            for (int i = lane, k = 0; i < none; i += 32, k++) {
                if (taken >> k & 1 || !endo_exposure_is_peak(c, reach, i)) continue;
                if (own == none || endo_exposure_peak_before(c[i], i - reach, c[own], own - reach)) own = i;
            }
        }
        int best = own;
        double value = own == none ? 0 : c[own];
        for (int k = 16; k; k >>= 1) {
            int other = __shfl_xor_sync(LANE_ALL, best, k);
            double at = __shfl_xor_sync(LANE_ALL, value, k);
            if (other != none && (best == none || endo_exposure_peak_before(at, other - reach, value, best - reach)))
                best = other, value = at;
        }
        if (best == none) break;
        look = own == best;
        if (look) taken |= (uint64_t)1 << best / 32;
        peaks[n] = best - reach;
    }
    if (n == 0) peaks[n++] = 0;
    return n;
}

/* Shifts whose coefficients a warp makes together: a lane a colour. */
#define SHIFTS_TOGETHER 16

/* Coefficients of the shifts first, first + step, .. below the end of both axes' list: sums one after the other, then the
 * divisions of all at once. */
__device__ static void correlate_some(const exposure_job &j, const exposure_scratch &scratch, const shared_counts &counts,
                                      const int reach[2], int first, int step) {
    int n_x = 2 * reach[0] + 1, end = n_x + 2 * reach[1] + 1, lane = threadIdx.x % 32;
    endo_sums own = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    for (int i = 0; i < 2 * SHIFTS_TOGETHER; i++) {
        int k = first + i / 2 * step, axis = k >= n_x;
        if (k >= end) break;
        endo_sums s = correlate(j, scratch, counts, axis, i % 2, (axis ? k - n_x : k) - reach[axis]);
        if (lane == i) own = s;
    }
    double black = endo_coefficient(&own), white = __shfl_down_sync(LANE_ALL, black, 1);
    int k = first + lane / 2 * step, axis = k >= n_x;
    if (lane % 2 == 0 && k < end) __stcg(&scratch.coefficients[axis][axis ? k - n_x : k], endo_exposure_mean(black, white));
}

/* All shifts of both axes, then every block picks the peaks. all: room for the coefficients of both axes. */
template <team_kind KIND>
__device__ static void find_peaks(const exposure_job &j, team *t, pair_state *s, const shared_counts &counts, double *all) {
    int reach[2] = {s->search.reach_x, s->search.reach_y}, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int n_x = 2 * reach[0] + 1, n_y = 2 * reach[1] + 1, step = t->size * EXPOSURE_WARPS;
    for (int k = warp + t->rank * EXPOSURE_WARPS; k < n_x + n_y; k += SHIFTS_TOGETHER * step)
        correlate_some(j, t->scratch, counts, reach, k, step);
    meet<KIND>(t);
    for (int i = threadIdx.x; i < n_x + n_y; i += blockDim.x)
        all[i] = __ldcg(i < n_x ? &t->scratch.coefficients[0][i] : &t->scratch.coefficients[1][i - n_x]);
    __syncthreads();
    if (warp < 2) {
        int32_t peaks[ENDO_EXPOSURE_PEAKS];
        int n = pick_peaks(all + (warp ? n_x : 0), reach[warp], peaks);
        if (lane == 0) {
            s->n_peaks[warp] = n;
            for (int i = 0; i < n; i++) s->peaks[warp][i] = peaks[i];
        }
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ search */

/* Columns 32 i .. of an image of this width, one a bit. */
__device__ static inline uint32_t inside_word(int i, int width) {
    int n = width - 32 * i;
    return i < 0 || n <= 0 ? 0 : n >= 32 ? LANE_ALL : (1u << n) - 1;
}

/* Two words of a row between which a shifted word lies; beyond the ends of the row there are zeros. */
typedef struct word_pair {
    int low, high; /* -1: none */
} word_pair;

template <team_kind KIND>
__device__ static inline uint32_t shifted_word(const uint32_t *row, const word_pair &w, int bits) {
    uint32_t low = w.low >= 0 ? fetch<KIND>(&row[w.low]) : 0, high = w.high >= 0 ? fetch<KIND>(&row[w.high]) : 0;
    return __funnelshift_r(low, high, bits);
}

/* Rows that a warp takes at a time, all of whose words are read at once. */
#define ROWS_TOGETHER 8

typedef struct difference {
    int32_t total, differ;
} difference;

/* Word `word` of some rows under a shift: rows first, first + 1, .. of the question (n at most ROWS_TOGETHER). */
template <team_kind KIND>
__device__ static void compare_words(const exposure_job &j, const exposure_scratch &s, const endo_exposure_search &q, int dx,
                                     int dy, int word, int first, int n, difference *sum) {
    int banded = endo_exposure_is_banded(&q), masked = banded || j.field, low = word + (dx >> 5), bits = dx & 31;
    word_pair w = {low >= 0 && low < j.words ? low : -1, low + 1 >= 0 && low + 1 < j.words ? low + 1 : -1};
    uint32_t inside = __funnelshift_r(inside_word(low, j.width), inside_word(low + 1, j.width), bits) & inside_word(word, j.width);
    const uint32_t *r_mask = banded ? s.used[0] : j.field_bits, *c_mask = banded ? s.used[1] : j.field_bits;
#pragma unroll
    for (int i = 0; i < ROWS_TOGETHER; i++) {
        int y = (first + min(i, n - 1)) * q.row_step;
        size_t c_row = (size_t)y * j.words, r_row = (size_t)(y + dy) * j.words;
        uint32_t mask = inside, c = fetch<KIND>(&s.above[1][c_row + word]);
        uint32_t r = shifted_word<KIND>(s.above[0] + r_row, w, bits);
        if (masked) mask = fetch<KIND>(&c_mask[c_row + word]) & shifted_word<KIND>(r_mask + r_row, w, bits);
        if (i < n) sum->total += __popc(mask), sum->differ += __popc((r ^ c) & mask);
    }
}

/* Every shift asked for, on the block's share of rows; added to counts: total and differ of each. */
template <team_kind KIND>
__device__ static void compare(const exposure_job &j, const team &t, const endo_exposure_search &q, int32_t *counts) {
    int row_step = q.row_step, asked = q.asked, rows = (j.height + row_step - 1) / row_step;
    int from = first_row(t, rows, t.rank), end = first_row(t, rows, t.rank + 1);
    int slices = (end - from + ROWS_TOGETHER - 1) / ROWS_TOGETHER;
    for (int k = threadIdx.x / 32; k < slices * asked; k += EXPOSURE_WARPS) {
        int shift = k % asked, dx = q.dx[shift], dy = q.dy[shift], first = from + k / asked * ROWS_TOGETHER;
        int last = min(first + ROWS_TOGETHER, end);
        /* Rows that have a partner. */
        if (dy < 0) first = max(first, (row_step - 1 - dy) / row_step);
        if (dy > 0) last = min(last, (j.height - dy + row_step - 1) / row_step);
        difference sum = {0, 0};
        for (int word = threadIdx.x % 32; first < last && word < j.words; word += 32)
            compare_words<KIND>(j, t.scratch, q, dx, dy, word, first, last - first, &sum);
        sum.total = sum_over_lanes(sum.total), sum.differ = sum_over_lanes(sum.differ);
        if (threadIdx.x % 32) continue;
        atomicAdd(&counts[2 * shift], sum.total);
        atomicAdd(&counts[2 * shift + 1], sum.differ);
    }
}

/* One piece of a row of the overlap: the current image's pixels into the histogram; the reference's black ones come back. */
__device__ static int match_piece(const exposure_job &j, const int slots[2], int y, int from, int dx, int dy, int level,
                                  int32_t *histogram) {
    const int reads = LEVEL_PIECE / 32;
    int current[reads], black = 0;
#pragma unroll
    for (int i = 0; i < reads; i++) {
        int x = from + 32 * i + (int)(threadIdx.x % 32), within = x < j.width && x + dx >= 0 && x + dx < j.width;
        size_t at_c = (size_t)y * j.stride + x, at_r = (size_t)(y + dy) * j.stride + x + dx;
        if (within && j.field) within = j.field[at_c] && j.field[at_r];
        current[i] = within ? j.plain[slots[1] * j.area + at_c] : -1;
        black += within && j.plain[slots[0] * j.area + at_r] <= level;
    }
#pragma unroll
    for (int i = 0; i < reads; i++)
        if (current[i] >= 0) atomicAdd(&histogram[current[i]], 1);
    return black;
}

/* The current image's levels in the overlap, and the reference's black there; then its new threshold. */
template <team_kind KIND>
__device__ static void match(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, const int slots[2]) {
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_ROUGH_ROWS), rows = (j.height + step - 1) / step;
    int dx = s->search.best_dx, dy = s->search.best_dy, level = s->threshold.reference.level, black = 0;
    for (int i = threadIdx.x; i < EXPOSURE_PART; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    int warp = threadIdx.x / 32 + t->rank * EXPOSURE_WARPS, warps = t->size * EXPOSURE_WARPS;
    int pieces = (j.width + LEVEL_PIECE - 1) / LEVEL_PIECE;
    for (int k = warp; k < rows * pieces; k += warps) {
        int y = k / pieces * step;
        if (y + dy >= 0 && y + dy < j.height)
            black += match_piece(j, slots, y, k % pieces * LEVEL_PIECE, dx, dy, level, histogram);
    }
    black = warp_sum(black);
    if (threadIdx.x % 32 == 0) atomicAdd(&histogram[256], black);
    add_up<KIND>(t, histogram, 257);
    if (threadIdx.x < 32) {
        make_levels(histogram, &s->overlap);
        __syncwarp();
        if (threadIdx.x == 0) {
            endo_exposure_threshold now =
                endo_exposure_match(&s->overlap, histogram[256], s->current.slice, s->looks.look.tolerance);
            s->changed = now.level != s->current.level || now.tolerance != s->current.tolerance;
            s->current = now;
            endo_exposure_matched(&s->search);
        }
    }
    __syncthreads();
}

/* Asks and answers until the search has ended. */
template <team_kind KIND>
__device__ static void search(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, const int slots[2]) {
    while (s->search.asked) {
        if (s->search.phase == ENDO_EXPOSURE_MATCH) {
            match<KIND>(j, t, s, histogram, slots);
            if (s->changed) {
                make_bitmaps(j, *t, s, slots, 1, 1, 0);
                meet<KIND>(t);
            }
        }
        int n = s->search.asked;
        if (threadIdx.x < 2 * ENDO_EXPOSURE_ASKED) s->counts[threadIdx.x] = 0;
        __syncthreads();
        compare<KIND>(j, *t, s->search, s->counts);
        add_up<KIND>(t, s->counts, 2 * n);
        if (threadIdx.x == 0) {
            for (int i = 0; i < n; i++) s->answers[i].total = s->counts[2 * i], s->answers[i].differ = s->counts[2 * i + 1];
            endo_exposure_answer(&s->search, s->answers);
        }
        __syncthreads();
    }
}

#endif
