/* Alignment of exposures on a device: levels, thresholds, bitmaps, and the counts of rows and columns. */
#ifndef ENDO_CUDA_EXPOSURES_COUNTS_CUH
#define ENDO_CUDA_EXPOSURES_COUNTS_CUH

#include "exposures_team.cuh"

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
    add_up<KIND>(t, histograms, 512);
    if (threadIdx.x < 64) make_levels(histograms + 256 * (threadIdx.x / 32), &s->levels[threadIdx.x / 32]);
    __syncthreads();
}

/* The first choice of the greatest value, as endo_exposure_thresholds. Out of line, lest it takes the registers that the
 * loops over pixels need. */
__device__ __noinline__ static void choose_thresholds(pair_state *s) {
    const endo_exposure_look *look = &s->looks.look;
    int best = 0;
    int64_t value = INT64_MIN;
    if (look->median) {
        if (threadIdx.x == 0) s->threshold = endo_exposure_thresholds(&s->levels[0], &s->levels[1], look);
        __syncthreads();
        return;
    }
    for (int i = threadIdx.x; i < endo_exposure_choices(look->step); i += blockDim.x) {
        endo_exposure_choice c = endo_exposure_choose(&s->levels[0], &s->levels[1], look, i);
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
        s->threshold = endo_exposure_choose(&s->levels[0], &s->levels[1], look, best);
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
    at_least from, end;          /* of the slice */
} bit_limits;

__device__ static inline bit_limits limits_of(const endo_exposure_threshold &t) {
    int white = t.level + t.tolerance + 1, black_end = t.level - t.tolerance + 1;
    bit_limits l = {make_at_least(t.level + 1), make_at_least(white > 256 ? 256 : white),
                    make_at_least(black_end < 0 ? 0 : black_end), make_at_least(t.slice.from),
                    make_at_least(t.slice.to + 1)};
    return l;
}

/* Four columns of a lane: counts in bytes. */
typedef struct lane_counts {
    uint32_t black[2], white[2];
} lane_counts;

/* Eight pixels (SLICED: those of the slice take part): their bytes of bits; into the counts of columns, and of the row (black below, white above 16 bits). */
template <int SLICED>
__device__ static inline uint32_t make_byte(const bit_limits &l, const uint2 &pixels, const uint2 &inside, uint8_t *above,
                                            uint8_t *used, lane_counts *sum) {
    uint32_t in[2] = {inside.x & HIGH_BITS, inside.y & HIGH_BITS}, value[2] = {pixels.x, pixels.y};
    uint32_t higher[2], black[2], white[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (SLICED) in[i] &= holds(l.from, value[i]) & ~holds(l.end, value[i]);
        higher[i] = holds(l.above, value[i]) & in[i];
        white[i] = holds(l.white, value[i]) & in[i];
        black[i] = ~holds(l.grey, value[i]) & in[i];
        sum->black[i] += black[i] >> 7, sum->white[i] += white[i] >> 7;
    }
    *above = byte_of(higher[0], higher[1]);
    *used = byte_of(black[0] | white[0], black[1] | white[1]);
    return (__popc(black[0]) + __popc(black[1])) | (__popc(white[0]) + __popc(white[1])) << 16;
}

/* A run of at most BYTE_ROWS rows of one group of columns. */
template <int SLICED>
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
            int32_t row = make_byte<SLICED>(limits, pixels[i], inside[i], (uint8_t *)s.above[image] + at,
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
    int warp = threadIdx.x / 32, y0 = first_row(t, j.height, t.rank), rows = first_row(t, j.height, t.rank + 1) - y0;
    int groups = j.words * 32 / GROUP_COLUMNS, across = groups * (last - first + 1), runs = EXPOSURE_WARPS / across;
    int sliced = endo_exposure_is_slice(&s->threshold.reference);
    int length = min(BYTE_ROWS, max(AHEAD, (rows + (runs ? runs : 1) - 1) / (runs ? runs : 1)));
    runs = (rows + length - 1) / length;
    for (int k = warp; k < runs * across; k += EXPOSURE_WARPS) {
        int image = first + k % across / groups, group = k % groups;
        int from = y0 + k / across * length, to = min(from + length, y0 + rows);
        bit_limits limits = limits_of(image ? s->current : s->threshold.reference);
        lane_counts sum = sliced ? make_run<1>(j, t.scratch, image, slots[image], limits, group, from, to, counted)
                                 : make_run<0>(j, t.scratch, image, slots[image], limits, group, from, to, counted);
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

/* Counts become excesses, where there is a field or a slice, which stands in for it. Every block needs all sums first,
 * so that the team meets twice. */
template <team_kind KIND> __device__ static void take_excesses(const exposure_job &j, team *t, pair_state *s) {
    int sliced = s->search.sliced;
    if (!j.field && !sliced) return;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 4) {
        int64_t sum = 0;
        for (int y = lane; y < j.height; y += 32) sum += __ldcg(&t->scratch.rows[warp / 2][warp % 2][y]);
        sum = warp_sum64(sum);
        if (lane == 0) s->totals[warp / 2][warp % 2] = sum;
    }
    meet<KIND>(t);
    int n = j.width + j.height;
    for (int i = threadIdx.x + t->rank * blockDim.x; i < 2 * n; i += t->size * blockDim.x) {
        int image = i / n, at = i % n, column = at < j.width, y = at - j.width;
        int32_t *black = column ? &t->scratch.columns[image][0][at] : &t->scratch.rows[image][0][y];
        int32_t *white = column ? &t->scratch.columns[image][1][at] : &t->scratch.rows[image][1][y];
        int32_t b = __ldcg(black), w = __ldcg(white), field = sliced ? b + w : column ? j.field_columns[at] : j.field_rows[y];
        const int64_t *all = s->totals[image], all_field = sliced ? all[0] + all[1] : *j.field_pixels;
        __stcg(black, endo_exposure_excess(b, field, all[0], all_field));
        __stcg(white, endo_exposure_excess(w, field, all[1], all_field));
    }
    meet<KIND>(t);
}

#endif
