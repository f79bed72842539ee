/* Alignment of exposures on a device ([G] section 2, native/exposure_math.h): levels, bitmaps with their
 * counts, coefficients of all shifts, and the questions of the search, in one kernel. Between the steps the blocks of a
 * team meet at a barrier: of the block, of the cluster (Hopper), or of our own. What a block has counted goes through
 * device memory, which the second cache holds; then every block decides for itself, by the same rules. */
#include "exposures.cuh"

#define LANE_ALL 0xffffffffu

enum team_kind { TEAM_BLOCK, TEAM_CLUSTER, TEAM_GRID };

/* One block's view of its team. */
typedef struct team {
    exposure_scratch scratch;
    int rank, size;
    unsigned round;
} team;

/* What a block knows of the pair it works on. */
typedef struct pair_state {
    endo_exposure_levels levels[2];
    endo_exposure_choice threshold;
    endo_exposure_search search;
    endo_exposure_overlap answers[ENDO_EXPOSURE_ASKED];
    int32_t counts[2 * ENDO_EXPOSURE_ASKED]; /* of a question, this block's */
    int64_t totals[2][2];                    /* counts of an image, black and white */
    int32_t peaks[2][ENDO_EXPOSURE_PEAKS], n_peaks[2];
    double at_best[2];
    int64_t best_value[EXPOSURE_WARPS];
    int best_choice[EXPOSURE_WARPS];
    endo_exposure_threshold current; /* of the current bitmap: the second look changes it */
    int32_t pixels;                  /* counted in the levels of the reference */
    int changed;
} pair_state;

/* What other blocks may have written is not looked for in the first cache; a block that is alone finds its own there. */
template <team_kind KIND> __device__ static inline uint32_t fetch(const uint32_t *from) {
    return KIND == TEAM_BLOCK ? *from : __ldcg(from);
}

template <team_kind KIND> __device__ static void meet(team *t) {
    if (KIND == TEAM_BLOCK) {
        __syncthreads();
    } else if (KIND == TEAM_CLUSTER) {
#if __CUDA_ARCH__ >= 900
        __threadfence();
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
    } else {
        __threadfence();
        __syncthreads();
        t->round++;
        if (threadIdx.x == 0) {
            volatile unsigned *arrived = t->scratch.arrived;
            atomicAdd(t->scratch.arrived, 1);
            while (*arrived < t->round * t->size) {}
            __threadfence();
        }
        __syncthreads();
    }
}

/* Adds the n numbers of all blocks of the team, from shared memory to shared memory. */
template <team_kind KIND> __device__ static void add_up(team *t, int turn, int32_t *numbers, int n) {
    if (KIND == TEAM_BLOCK) {
        __syncthreads();
        return;
    }
    int32_t *parts = t->scratch.parts + (size_t)turn * t->size * EXPOSURE_PART;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) __stcg(&parts[t->rank * EXPOSURE_PART + i], numbers[i]);
    meet<KIND>(t);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int32_t sum = 0;
        for (int b = 0; b < t->size; b++) sum += __ldcg(&parts[b * EXPOSURE_PART + i]);
        numbers[i] = sum;
    }
    __syncthreads();
}

__device__ static inline int32_t warp_sum(int32_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
}

__device__ static inline int64_t warp_sum64(int64_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
}

__device__ static inline int first_row(const team &t, int height) { return (int)((int64_t)height * t.rank / t.size); }

/* ------------------------------------------------------------------ levels */

/* histogram[1..256] become below[]: what lies under each level. One warp, eight levels a lane. */
__device__ static void make_levels(const int32_t *histogram, endo_exposure_levels *l) {
    int lane = threadIdx.x % 32, counts[8], sum = 0;
    for (int i = 0; i < 8; i++) sum += counts[i] = histogram[8 * lane + i];
    int below = sum;
    for (int i = 1; i < 32; i <<= 1) {
        int other = __shfl_up_sync(LANE_ALL, below, i);
        if (lane >= i) below += other;
    }
    below -= sum;
    if (lane == 0) l->below[0] = 0;
    for (int i = 0; i < 8; i++) l->below[8 * lane + i + 1] = below += counts[i];
}

/* Pieces of a row that a warp takes at a time: four pixels a lane, LEVEL_READS times. */
#define LEVEL_READS 4
#define LEVEL_PIECE (128 * LEVEL_READS)

/* Which of four pixels from x on lie in the image, and in the field: bytes 0 or 255. */
__device__ static inline uint32_t inside_four(const uint8_t *field, size_t at, int x, int width) {
    int n = width - x;
    uint32_t inside = n >= 4 ? LANE_ALL : n <= 0 ? 0 : (1u << 8 * n) - 1;
    return field ? inside & *(const uint32_t *)(field + at) : inside;
}

/* One piece of a frame's row into a histogram. */
__device__ static void count_piece(const exposure_job &j, int slot, int y, int from, int32_t *histogram) {
    uint32_t pixels[LEVEL_READS], inside[LEVEL_READS];
#pragma unroll
    for (int i = 0; i < LEVEL_READS; i++) {
        int x = from + 128 * i + 4 * (int)(threadIdx.x % 32), near = min(x, (j.width - 1) & ~3);
        size_t at = (size_t)y * j.stride + near;
        pixels[i] = *(const uint32_t *)(j.plain + slot * j.area + at);
        inside[i] = inside_four(j.field, at, x, j.width);
    }
#pragma unroll
    for (int i = 0; i < LEVEL_READS; i++)
        for (int k = 0; k < 4; k++)
            if (inside[i] >> 8 * k & 1) atomicAdd(&histogram[pixels[i] >> 8 * k & 255], 1);
}

/* histograms: two of 256, of the frames' sparse rows. */
template <team_kind KIND>
__device__ static void count_levels(const exposure_job &j, team *t, pair_state *s, int32_t *histograms, const int slots[2]) {
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_LEVEL_ROWS), rows = (j.height + step - 1) / step;
    int pieces = (j.width + LEVEL_PIECE - 1) / LEVEL_PIECE;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) histograms[i] = 0;
    __syncthreads();
    int warp = threadIdx.x / 32 + t->rank * EXPOSURE_WARPS, warps = t->size * EXPOSURE_WARPS;
    for (int k = warp; k < 2 * rows * pieces; k += warps) {
        int image = k >= rows * pieces, at = k - (image ? rows * pieces : 0);
        count_piece(j, slots[image], at / pieces * step, at % pieces * LEVEL_PIECE, histograms + 256 * image);
    }
    add_up<KIND>(t, 0, histograms, 512);
    if (threadIdx.x < 64) make_levels(histograms + 256 * (threadIdx.x / 32), &s->levels[threadIdx.x / 32]);
    __syncthreads();
}

/* The first choice of the greatest value, as endo_exposure_thresholds. */
__device__ static void choose_thresholds(const exposure_job &j, pair_state *s) {
    int step = endo_exposure_step(j.params.bins), best = 0;
    int64_t value = INT64_MIN;
    if (j.params.percentile == ENDO_PERCENTILE_MEDIAN) {
        if (threadIdx.x == 0) s->threshold = endo_exposure_thresholds(&s->levels[0], &s->levels[1], &j.params);
        __syncthreads();
        return;
    }
    for (int i = threadIdx.x; i < endo_exposure_choices(step); i += blockDim.x) {
        endo_exposure_choice c = endo_exposure_choose(&s->levels[0], &s->levels[1], step, j.params.tolerance, i);
        if (c.value > value) value = c.value, best = i;
    }
    for (int k = 16; k; k >>= 1) {
        int64_t other = __shfl_xor_sync(LANE_ALL, value, k);
        int at = __shfl_xor_sync(LANE_ALL, best, k);
        if (other > value || (other == value && at < best)) value = other, best = at;
    }
    if (threadIdx.x % 32 == 0) s->best_value[threadIdx.x / 32] = value, s->best_choice[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < EXPOSURE_WARPS; w++) {
            int64_t other = s->best_value[w];
            int at = s->best_choice[w];
            if (other > value || (other == value && at < best)) value = other, best = at;
        }
        s->threshold = endo_exposure_choose(&s->levels[0], &s->levels[1], step, j.params.tolerance, best);
    }
    __syncthreads();
}

/* ----------------------------------------------------------------- bitmaps
 *
 * A lane makes a byte of bits from eight pixels, which it compares four at a time, as bytes of a register; so a warp takes
 * 256 columns of a row. */

/* Rows whose pixels are read at once. */
#define AHEAD 8
/* Rows that the bytes of a lane's column counts can hold. */
#define BYTE_ROWS 248
#define HIGH_BITS 0x80808080u
#define GROUP_COLUMNS 256

/* For four bytes at once: is x >= limit (0..256)? The lower seven bits, with what the limit lacks, carry into the high
 * bit; up to 128 that or x's own high bit says yes, above both must. */
typedef struct at_least {
    uint32_t lacks, either;
} at_least;

__device__ static inline at_least make_at_least(int limit) {
    at_least a = {(uint32_t)(limit <= 128 ? 128 - limit : 256 - limit) * 0x01010101u, limit <= 128 ? LANE_ALL : 0};
    return a;
}

/* High bits of the bytes for which it holds. */
__device__ static inline uint32_t holds(const at_least &a, uint32_t x) {
    uint32_t carried = (x & ~HIGH_BITS) + a.lacks;
    return ((carried & x) | ((carried | x) & a.either)) & HIGH_BITS;
}

/* The high bits of four bytes, as bits 28..31. */
__device__ static inline uint32_t gather(uint32_t high_bits) { return high_bits * 0x00204081u; }

__device__ static inline uint8_t byte_of(uint32_t first, uint32_t second) {
    return (uint8_t)((gather(first) >> 28) | (gather(second) >> 24 & 0xf0));
}

typedef struct bit_limits {
    at_least above, white, grey; /* not black */
} bit_limits;

__device__ static inline bit_limits limits_of(const endo_exposure_threshold &t) {
    int white = t.level + t.tolerance + 1, black_end = t.level - t.tolerance + 1;
    bit_limits l = {make_at_least(t.level + 1), make_at_least(white > 256 ? 256 : white),
                    make_at_least(black_end < 0 ? 0 : black_end)};
    return l;
}

/* Four columns of a lane: counts in bytes. */
typedef struct lane_counts {
    uint32_t black[2], white[2];
} lane_counts;

/* Eight pixels: their bytes of bits; into the counts of columns, and of the row (black below, white above 16 bits). */
__device__ static inline uint32_t make_byte(const bit_limits &l, const uint2 &pixels, const uint2 &inside, uint8_t *above,
                                            uint8_t *used, lane_counts *sum) {
    uint32_t in[2] = {inside.x & HIGH_BITS, inside.y & HIGH_BITS}, value[2] = {pixels.x, pixels.y};
    uint32_t higher[2], black[2], white[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        higher[i] = holds(l.above, value[i]) & in[i];
        white[i] = holds(l.white, value[i]) & in[i];
        black[i] = ~holds(l.grey, value[i]) & in[i];
        sum->black[i] += black[i] >> 7, sum->white[i] += white[i] >> 7;
    }
    *above = byte_of(higher[0], higher[1]);
    *used = byte_of(black[0] | white[0], black[1] | white[1]);
    return (__popc(black[0]) + __popc(black[1])) | (__popc(white[0]) + __popc(white[1])) << 16;
}

__device__ static inline int32_t sum_over_lanes(int32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(LANE_ALL, v);
#else
    return warp_sum(v);
#endif
}

/* A run of at most BYTE_ROWS rows of one group of columns. */
__device__ static lane_counts make_run(const exposure_job &j, const exposure_scratch &s, int image, int slot,
                                       const bit_limits &limits, int group, int from, int to, int counted) {
    int lane = threadIdx.x % 32, x = GROUP_COLUMNS * group + 8 * lane, near = min(x, (j.width - 1) & ~7);
    const uint8_t *grey = j.plain + slot * j.area + near;
    lane_counts sum = {};
    for (int y = from; y < to; y += AHEAD) {
        uint2 pixels[AHEAD], inside[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            size_t at = (size_t)min(y + i, to - 1) * j.stride;
            pixels[i] = *(const uint2 *)(grey + at);
            inside[i].x = inside_four(j.field, at + near, x, j.width);
            inside[i].y = inside_four(j.field, at + near + 4, x + 4, j.width);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (y + i >= to) break;
            size_t at = (size_t)(y + i) * j.words * 4 + GROUP_COLUMNS / 8 * group + lane;
            int32_t row = make_byte(limits, pixels[i], inside[i], (uint8_t *)s.above[image] + at,
                                    (uint8_t *)s.used[image] + at, &sum);
            if (!counted) continue;
            row = sum_over_lanes(row);
            if (lane < 2) atomicAdd(&s.rows[image][lane][y + i], lane ? row >> 16 : row & 0xffff);
        }
    }
    return sum;
}

/* Images first..last of the pair: the team's bitmaps, and (counted) their columns and rows, which were 0. */
__device__ static void make_bitmaps(const exposure_job &j, const team &t, const pair_state *s, const int slots[2], int first,
                                    int last, int counted) {
    int warp = threadIdx.x / 32, y0 = first_row(t, j.height), rows = (int)((int64_t)j.height * (t.rank + 1) / t.size) - y0;
    int groups = j.words * 32 / GROUP_COLUMNS, across = groups * (last - first + 1), runs = EXPOSURE_WARPS / across;
    int length = min(BYTE_ROWS, max(AHEAD, (rows + (runs ? runs : 1) - 1) / (runs ? runs : 1)));
    runs = (rows + length - 1) / length;
    for (int k = warp; k < runs * across; k += EXPOSURE_WARPS) {
        int image = first + k % across / groups, group = k % groups;
        int from = y0 + k / across * length, to = min(from + length, y0 + rows);
        bit_limits limits = limits_of(image ? s->current : s->threshold.reference);
        lane_counts sum = make_run(j, t.scratch, image, slots[image], limits, group, from, to, counted);
        int x = GROUP_COLUMNS * group + 8 * (threadIdx.x % 32);
        for (int i = 0; counted && i < 8; i++) {
            int black = sum.black[i / 4] >> 8 * (i % 4) & 255, white = sum.white[i / 4] >> 8 * (i % 4) & 255;
            if (black) atomicAdd(&t.scratch.columns[image][0][x + i], black);
            if (white) atomicAdd(&t.scratch.columns[image][1][x + i], white);
        }
    }
}

__device__ static void clear_counts(const exposure_job &j, const team &t) {
    int columns = 32 * j.words, n = columns + j.height;
    for (int i = threadIdx.x + t.rank * blockDim.x; i < 4 * n; i += t.size * blockDim.x) {
        int image = i / n / 2, c = i / n % 2, at = i % n;
        __stcg(at < columns ? &t.scratch.columns[image][c][at] : &t.scratch.rows[image][c][at - columns], 0);
    }
}

/* Counts become excesses, where there is a field. Every block needs all sums first, so that the team meets twice. */
template <team_kind KIND> __device__ static void take_excesses(const exposure_job &j, team *t, pair_state *s) {
    if (!j.field) return;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 4) {
        int64_t sum = 0;
        for (int y = lane; y < j.height; y += 32) sum += __ldcg(&t->scratch.rows[warp / 2][warp % 2][y]);
        sum = warp_sum64(sum);
        if (lane == 0) s->totals[warp / 2][warp % 2] = sum;
    }
    meet<KIND>(t);
    int n = j.width + j.height;
    for (int i = threadIdx.x + t->rank * blockDim.x; i < 4 * n; i += t->size * blockDim.x) {
        int image = i / n / 2, c = i / n % 2, at = i % n, column = at < j.width;
        int32_t *count = column ? &t->scratch.columns[image][c][at] : &t->scratch.rows[image][c][at - j.width];
        int32_t field = column ? j.field_columns[at] : j.field_rows[at - j.width];
        __stcg(count, endo_exposure_excess(__ldcg(count), field, s->totals[image][c], *j.field_pixels));
    }
    meet<KIND>(t);
}

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

/* Takes the counts into shared memory, which has room for j.shared_counts of them. */
__device__ static void take_counts(const exposure_job &j, const exposure_scratch &s, int16_t *memory, shared_counts *c) {
    for (int i = 0; i < 8; i++) {
        int axis = i >> 2, image = i >> 1 & 1, colour = i & 1, n = axis ? j.height : j.width;
        const int32_t *from = axis ? s.rows[image][colour] : s.columns[image][colour];
        c->counts[axis][image][colour] = j.shared_counts ? memory : NULL;
        for (int k = threadIdx.x; j.shared_counts && k < n; k += blockDim.x) memory[k] = (int16_t)__ldcg(&from[k]);
        memory += n;
    }
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

/* All shifts of both axes, then every block picks the peaks. all: room for the coefficients of both axes. */
template <team_kind KIND>
__device__ static void find_peaks(const exposure_job &j, team *t, pair_state *s, const shared_counts &counts, double *all) {
    int reach[2] = {s->search.reach_x, s->search.reach_y}, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int n_x = 2 * reach[0] + 1, n_y = 2 * reach[1] + 1;
    for (int k = warp + t->rank * EXPOSURE_WARPS; k < n_x + n_y; k += t->size * EXPOSURE_WARPS) {
        int axis = k >= n_x, i = axis ? k - n_x : k;
        double c = coefficient_of(j, t->scratch, counts, axis, i - reach[axis]);
        if (lane == 0) __stcg(&t->scratch.coefficients[axis][i], c);
    }
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
    int banded = q.phase == ENDO_EXPOSURE_FINAL, masked = banded || j.field, low = word + (dx >> 5), bits = dx & 31;
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
    int rows = (j.height + q.row_step - 1) / q.row_step, from = (int)((int64_t)rows * t.rank / t.size);
    int end = (int)((int64_t)rows * (t.rank + 1) / t.size), slices = (end - from + ROWS_TOGETHER - 1) / ROWS_TOGETHER;
    for (int k = threadIdx.x / 32; k < slices * q.asked; k += EXPOSURE_WARPS) {
        int shift = k % q.asked, dx = q.dx[shift], dy = q.dy[shift], first = from + k / q.asked * ROWS_TOGETHER;
        int last = min(first + ROWS_TOGETHER, end);
        /* Rows that have a partner. */
        if (dy < 0) first = max(first, (q.row_step - 1 - dy) / q.row_step);
        if (dy > 0) last = min(last, (j.height - dy + q.row_step - 1) / q.row_step);
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
__device__ static void match(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, const int slots[2], int turn) {
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
    add_up<KIND>(t, turn, histogram, 257);
    if (threadIdx.x < 32) {
        make_levels(histogram, &s->levels[1]);
        __syncwarp();
        if (threadIdx.x == 0) {
            endo_exposure_threshold now = endo_exposure_match(&s->levels[1], histogram[256], j.params.tolerance);
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
    int turn = 1;
    while (s->search.asked) {
        if (s->search.phase == ENDO_EXPOSURE_MATCH) {
            match<KIND>(j, t, s, histogram, slots, turn);
            turn ^= 1;
            if (s->changed) {
                make_bitmaps(j, *t, s, slots, 1, 1, 0);
                meet<KIND>(t);
            }
        }
        int n = s->search.asked;
        if (threadIdx.x < 2 * ENDO_EXPOSURE_ASKED) s->counts[threadIdx.x] = 0;
        __syncthreads();
        compare<KIND>(j, *t, s->search, s->counts);
        add_up<KIND>(t, turn, s->counts, 2 * n);
        turn ^= 1;
        if (threadIdx.x == 0) {
            for (int i = 0; i < n; i++) s->answers[i].total = s->counts[2 * i], s->answers[i].differ = s->counts[2 * i + 1];
            endo_exposure_answer(&s->search, s->answers);
        }
        __syncthreads();
    }
}

/* Nothing to align: black, white or flat. */
__device__ static int lacks_content(const pair_state *s) {
    return !endo_exposure_has_content(&s->threshold.reference, s->pixels) ||
           !endo_exposure_has_content(&s->threshold.current, s->pixels);
}

template <team_kind KIND>
__device__ static void align(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, double *all,
                             int16_t *memory, const int slots[2], endo_exposure_result *out) {
    clear_counts(j, *t);
    count_levels<KIND>(j, t, s, histogram, slots);
    choose_thresholds(j, s);
    if (threadIdx.x == 0) s->pixels = s->levels[0].below[256], s->current = s->threshold.current;
    __syncthreads();
    if (lacks_content(s)) {
        if (t->rank == 0 && threadIdx.x == 0) endo_exposure_nothing(&s->threshold, out);
        return;
    }
    make_bitmaps(j, *t, s, slots, 0, 1, 1);
    if (threadIdx.x == 0) {
        s->search.reach_x = endo_exposure_reach(j.params.search, j.width);
        s->search.reach_y = endo_exposure_reach(j.params.search, j.height);
        s->search.height = j.height;
        s->search.subpixel = j.params.subpixel;
    }
    meet<KIND>(t);
    take_excesses<KIND>(j, t, s);
    shared_counts counts;
    take_counts(j, t->scratch, memory, &counts);
    find_peaks<KIND>(j, t, s, counts, all);
    if (threadIdx.x == 0) endo_exposure_search_begin(&s->search, s->peaks[0], s->n_peaks[0], s->peaks[1], s->n_peaks[1]);
    __syncthreads();
    search<KIND>(j, t, s, histogram, slots);
    if (t->rank) return;
    int warp = threadIdx.x / 32;
    if (warp < 2) {
        double c = coefficient_of(j, t->scratch, counts, warp, warp ? s->search.best_dy : s->search.best_dx);
        if (threadIdx.x % 32 == 0) s->at_best[warp] = c;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        endo_exposure_finish(&s->search, &s->threshold, s->pixels, s->at_best[0], s->at_best[1], j.params.search, out);
        out->threshold_current = s->current.level;
    }
}

/* Team number blockIdx.x / size takes every so many pairs. */
template <team_kind KIND>
__global__ static void __launch_bounds__(EXPOSURE_THREADS, KIND == TEAM_BLOCK ? 2 : 1) align_kernel(exposure_job j, int size) {
    __shared__ pair_state s;
    __shared__ double all[2 * (2 * ENDO_EXPOSURE_MAX_SEARCH + 1)];
    extern __shared__ int16_t memory[];
    __shared__ int32_t histogram[EXPOSURE_PART];
    team t;
    t.size = size, t.rank = blockIdx.x % size, t.round = 0;
    int number = blockIdx.x / size, teams = gridDim.x / size;
    exposure_lay_out(&j, size, j.memory + number * j.team_bytes, &t.scratch);
    for (int i = number; i < j.n; i += teams) {
        const int slots[2] = {j.pairs[i].reference, j.pairs[i].current};
        align<KIND>(j, &t, &s, histogram, all, memory, slots, &j.results[i]);
        meet<KIND>(&t); /* the memory is the next pair's */
    }
}

/* ------------------------------------------------------------------- field */

/* Bits of the field, and how many pixels of it each column has: a warp a column of words. */
__global__ static void field_kernel(exposure_job j, uint32_t *bits, int32_t *columns) {
    int x = 32 * blockIdx.x + threadIdx.x, count = 0;
    for (int y = 0; y < j.height; y++) {
        int inside = x < j.width && j.field[(size_t)y * j.stride + x];
        uint32_t word = __ballot_sync(LANE_ALL, inside);
        if (threadIdx.x == 0) bits[(size_t)y * j.words + blockIdx.x] = word;
        count += inside;
    }
    columns[x] = count;
}

__global__ static void field_rows_kernel(exposure_job j, const uint32_t *bits, int32_t *rows, int64_t *total) {
    int y = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (y >= j.height) return;
    for (int i = 0; i < j.words; i++) count += __popc(bits[(size_t)y * j.words + i]);
    rows[y] = count;
    atomicAdd((unsigned long long *)total, (unsigned long long)count);
}

/* Once for a store. */
static endo_status prepare_field(cuda_store *s, exposure_job *j) {
    cuda_backend *b = s->backend;
    size_t plane = ((size_t)j->words * j->height * 4 + 255) & ~(size_t)255, columns = (size_t)32 * j->words * 4;
    size_t rows = ((size_t)j->height * 4 + 255) & ~(size_t)255;
    int made = s->exposure_field != NULL;
    if (!made) ENDO_TRY(cuda_allocate(b, (void **)&s->exposure_field, plane + columns + rows + 256));
    uint8_t *at = s->exposure_field;
    j->field_bits = (const uint32_t *)at;
    j->field_columns = (const int32_t *)(at + plane);
    j->field_rows = (const int32_t *)(at + plane + columns);
    j->field_pixels = (const int64_t *)(at + plane + columns + rows);
    j->field = s->field;
    if (!made) {
        int64_t pixels = 0;
        ENDO_CUDA(b, cudaMemsetAsync((void *)j->field_pixels, 0, sizeof(int64_t), b->stream));
        field_kernel<<<j->words, 32, 0, b->stream>>>(*j, (uint32_t *)j->field_bits, (int32_t *)j->field_columns);
        field_rows_kernel<<<(j->height + 127) / 128, 128, 0, b->stream>>>(*j, j->field_bits, (int32_t *)j->field_rows,
                                                                          (int64_t *)j->field_pixels);
        ENDO_CUDA(b, cudaGetLastError());
        ENDO_TRY(cuda_receive(b, j->field_pixels, &pixels, sizeof pixels));
        s->exposure_field_whole = pixels == (int64_t)j->width * j->height;
    }
    if (s->exposure_field_whole) j->field = NULL;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ launch */

static endo_status launch_cluster(cuda_backend *b, exposure_job *j, int teams, int size) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = size, cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(teams * size), config.blockDim = dim3(EXPOSURE_THREADS), config.stream = b->stream;
    config.dynamicSmemBytes = j->shared_counts;
    config.attrs = &cluster, config.numAttrs = 1;
    if (size > 8)
        ENDO_CUDA(b, cudaFuncSetAttribute(align_kernel<TEAM_CLUSTER>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    ENDO_CUDA(b, cudaLaunchKernelEx(&config, align_kernel<TEAM_CLUSTER>, *j, size));
    return ENDO_OK;
}

static endo_status launch_grid(cuda_backend *b, exposure_job *j, int teams, int size) {
    void *arguments[] = {j, &size};
    for (int i = 0; i < teams; i++)
        ENDO_CUDA(b, cudaMemsetAsync(j->memory + i * j->team_bytes, 0, sizeof(unsigned), b->stream));
    ENDO_CUDA(b, cudaLaunchCooperativeKernel((const void *)align_kernel<TEAM_GRID>, dim3(teams * size),
                                             dim3(EXPOSURE_THREADS), arguments, j->shared_counts, b->stream));
    return ENDO_OK;
}

/* Blocks that work on a pair: enough that few pairs fill the device, none without some rows of its own. */
static int team_size(const cuda_backend *b, const exposure_job *j) {
    int64_t pixels = (int64_t)j->width * j->height;
    int size = b->multiprocessors / j->n, worth = (int)(pixels >> 14);
    if (size > worth) size = worth;
    if (size > j->height) size = j->height;
    return size < 2 ? 1 : size;
}

static endo_status launch(cuda_backend *b, exposure_job *j, const endo_pair *pairs, endo_exposure_result *results) {
    exposure_scratch unused;
    int size = team_size(b, j), clusters = b->compute_capability >= 90;
    /* A cluster meets in a fraction of the time that a larger team of its own making needs; large images want more. */
    if (clusters && size > EXPOSURE_CLUSTER && (int64_t)j->width * j->height < (int64_t)4 << 20) size = EXPOSURE_CLUSTER;
    if (size > EXPOSURE_TEAM) size = EXPOSURE_TEAM;
    if (clusters && size <= EXPOSURE_CLUSTER)
        while (size & (size - 1)) size--;
    int teams = size > 1 ? j->n : 2 * b->multiprocessors < j->n ? 2 * b->multiprocessors : j->n;
    /* Two blocks share a multiprocessor; the statics of each take some 20 KB. */
    size_t counts = ((size_t)j->width + j->height) * 4 * sizeof(int16_t);
    j->shared_counts = counts + (24 << 10) <= b->shared_memory_of_block ? counts : 0;
    const void *kernel = size == 1 ? (const void *)align_kernel<TEAM_BLOCK>
                         : clusters && size <= EXPOSURE_CLUSTER ? (const void *)align_kernel<TEAM_CLUSTER>
                                                                : (const void *)align_kernel<TEAM_GRID>;
    ENDO_CUDA(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)j->shared_counts));
    j->team_bytes = exposure_lay_out(j, size, NULL, &unused);
    ENDO_TRY(cuda_reserve(b, &b->scratch, teams * j->team_bytes));
    ENDO_TRY(cuda_send(b, pairs, j->n * sizeof *pairs));
    ENDO_TRY(cuda_reserve(b, &b->device_out, j->n * sizeof *results));
    j->memory = (uint8_t *)b->scratch.memory;
    j->pairs = (const endo_pair *)b->device_in.memory;
    j->results = (endo_exposure_result *)b->device_out.memory;
    cuda_time_begin(b);
    if (size == 1)
        align_kernel<TEAM_BLOCK><<<teams, EXPOSURE_THREADS, j->shared_counts, b->stream>>>(*j, 1);
    else if (clusters && size <= EXPOSURE_CLUSTER)
        ENDO_TRY(launch_cluster(b, j, teams, size));
    else
        ENDO_TRY(launch_grid(b, j, teams, size));
    ENDO_CUDA(b, cudaGetLastError());
    cuda_time_end(b);
    return cuda_receive(b, b->device_out.memory, results, j->n * sizeof *results);
}

endo_status cuda_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_params *params,
                           endo_exposure_result *results) {
    cuda_store *s = (cuda_store *)store;
    exposure_job j = {};
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    j.plain = s->plain, j.area = s->area, j.stride = s->stride;
    j.width = s->options.width, j.height = s->options.height, j.words = (s->options.width + GROUP_COLUMNS - 1) / GROUP_COLUMNS * (GROUP_COLUMNS / 32);
    j.n = (int)n, j.params = *params;
    ENDO_TRY(prepare_field(s, &j));
    return launch(s->backend, &j, pairs, results);
}
