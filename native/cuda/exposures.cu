/* Alignment of exposures on a device ([G] section 2, native/exposure_math.h): levels, bitmaps by ballot with their
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

/* histograms: two of 256, of the frames' sparse rows. */
template <team_kind KIND>
__device__ static void count_levels(const exposure_job &j, team *t, pair_state *s, int32_t *histograms, const int slots[2]) {
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_LEVEL_ROWS), rows = (j.height + step - 1) / step;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) histograms[i] = 0;
    __syncthreads();
    int warp = threadIdx.x / 32 + t->rank * EXPOSURE_WARPS, warps = t->size * EXPOSURE_WARPS;
    for (int k = warp; k < 2 * rows; k += warps) {
        int image = k >= rows, y = (k - (image ? rows : 0)) * step;
        const uint8_t *grey = j.plain + slots[image] * j.area + (size_t)y * j.stride;
        const uint8_t *field = j.field ? j.field + (size_t)y * j.stride : NULL;
        for (int x = threadIdx.x % 32; x < j.width; x += 32)
            if (!field || field[x]) atomicAdd(&histograms[256 * image + grey[x]], 1);
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

/* ----------------------------------------------------------------- bitmaps */

typedef struct bit_counts {
    int black, white;
} bit_counts;

/* One word of a row: 32 pixels, one a lane. Which of black and white the lane's pixel is comes back. */
__device__ static inline bit_counts make_word(const endo_exposure_threshold &t, int grey, int inside, uint32_t *above,
                                              uint32_t *used, int lane) {
    bit_counts own = {inside && grey <= t.level - t.tolerance, inside && grey > t.level + t.tolerance};
    uint32_t higher = __ballot_sync(LANE_ALL, inside && grey > t.level);
    uint32_t seen = __ballot_sync(LANE_ALL, own.black | own.white);
    if (lane == 0) *above = higher, *used = seen;
    return own;
}

/* Rows whose pixels are read at once. */
#define AHEAD 8

/* A run of rows of one column of words: bitmaps, and what lies in each lane's column. */
__device__ static bit_counts make_run(const exposure_job &j, const exposure_scratch &s, int image, int slot,
                                      const endo_exposure_threshold &t, int word, int from, int to) {
    int lane = threadIdx.x % 32, x = 32 * word + lane;
    const uint8_t *grey = j.plain + slot * j.area + min(x, j.width - 1);
    const uint8_t *field = j.field ? j.field + min(x, j.width - 1) : NULL;
    bit_counts sum = {0, 0};
    for (int y = from; y < to; y += AHEAD) {
        int pixels[AHEAD], inside[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            size_t at = (size_t)min(y + i, to - 1) * j.stride;
            pixels[i] = grey[at];
            inside[i] = x < j.width && (!field || field[at]);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (y + i >= to) break;
            size_t at = (size_t)(y + i) * j.words + word;
            bit_counts own = make_word(t, pixels[i], inside[i], &s.above[image][at], &s.used[image][at], lane);
            sum.black += own.black, sum.white += own.white;
        }
    }
    return sum;
}

/* The team's bitmaps of an image, and (counted) its columns, which were 0. */
__device__ static void make_bitmap(const exposure_job &j, const team &t, int image, int slot,
                                   const endo_exposure_threshold &threshold, int counted) {
    int warp = threadIdx.x / 32, y0 = first_row(t, j.height), rows = (int)((int64_t)j.height * (t.rank + 1) / t.size) - y0;
    int runs = (2 * EXPOSURE_WARPS + j.words - 1) / j.words, length = (rows + runs - 1) / runs;
    if (length < AHEAD) length = AHEAD;
    runs = (rows + length - 1) / length;
    for (int k = warp; k < runs * j.words; k += EXPOSURE_WARPS) {
        int word = k % j.words, from = y0 + k / j.words * length, to = min(from + length, y0 + rows);
        bit_counts sum = make_run(j, t.scratch, image, slot, threshold, word, from, to);
        int x = 32 * word + threadIdx.x % 32;
        if (!counted) continue;
        if (sum.black) atomicAdd(&t.scratch.columns[image][0][x], sum.black);
        if (sum.white) atomicAdd(&t.scratch.columns[image][1][x], sum.white);
    }
}

/* Row counts of the block's own rows, from the words that it has just made. */
__device__ static void count_rows(const exposure_job &j, const team &t, int image) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int end = (int)((int64_t)j.height * (t.rank + 1) / t.size);
    for (int y = first_row(t, j.height) + warp; y < end; y += EXPOSURE_WARPS) {
        int black = 0, white = 0;
        for (int i = lane; i < j.words; i += 32) {
            uint32_t above = t.scratch.above[image][(size_t)y * j.words + i];
            uint32_t used = t.scratch.used[image][(size_t)y * j.words + i];
            black += __popc(used & ~above), white += __popc(used & above);
        }
        black = warp_sum(black), white = warp_sum(white);
        if (lane == 0) t.scratch.rows[image][0][y] = black, t.scratch.rows[image][1][y] = white;
    }
}

__device__ static void clear_columns(const exposure_job &j, const team &t) {
    int n = 32 * j.words;
    for (int i = threadIdx.x + t.rank * blockDim.x; i < 4 * n; i += t.size * blockDim.x)
        t.scratch.columns[i / n / 2][i / n % 2][i % n] = 0;
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

/* By one warp. */
__device__ static endo_sums correlate(const int32_t *reference, const int32_t *current, int n, int shift) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    int first = shift < 0 ? -shift : 0, end = shift > 0 ? n - shift : n;
    for (int i = first + (int)(threadIdx.x % 32); i < end; i += 32) {
        int32_t x = __ldcg(&reference[i + shift]), y = __ldcg(&current[i]);
        s.x += x, s.y += y;
        s.xx += (int64_t)x * x, s.yy += (int64_t)y * y, s.xy += (int64_t)x * y;
    }
    s.n = end > first ? end - first : 0;
    s.x = warp_sum64(s.x), s.y = warp_sum64(s.y);
    s.xx = warp_sum64(s.xx), s.yy = warp_sum64(s.yy), s.xy = warp_sum64(s.xy);
    return s;
}

__device__ static double coefficient(int32_t *const reference[2], int32_t *const current[2], int n, int shift) {
    endo_sums black = correlate(reference[0], current[0], n, shift), white = correlate(reference[1], current[1], n, shift);
    return endo_exposure_coefficient(&black, &white);
}

__device__ static double coefficient_of(const exposure_job &j, const exposure_scratch &s, int axis, int shift) {
    return axis ? coefficient(s.rows[0], s.rows[1], j.height, shift)
                : coefficient(s.columns[0], s.columns[1], j.width, shift);
}

/* All shifts of both axes, then every block picks the peaks. sorted: room for the coefficients of both axes. */
template <team_kind KIND>
__device__ static void find_peaks(const exposure_job &j, team *t, pair_state *s, double *sorted) {
    int reach[2] = {s->search.reach_x, s->search.reach_y}, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int n_x = 2 * reach[0] + 1, n_y = 2 * reach[1] + 1;
    for (int k = warp + t->rank * EXPOSURE_WARPS; k < n_x + n_y; k += t->size * EXPOSURE_WARPS) {
        int axis = k >= n_x, i = axis ? k - n_x : k;
        double c = coefficient_of(j, t->scratch, axis, i - reach[axis]);
        if (lane == 0) __stcg(&t->scratch.coefficients[axis][i], c);
    }
    meet<KIND>(t);
    for (int i = threadIdx.x; i < n_x + n_y; i += blockDim.x)
        sorted[i] = __ldcg(i < n_x ? &t->scratch.coefficients[0][i] : &t->scratch.coefficients[1][i - n_x]);
    __syncthreads();
    if (lane == 0 && warp < 2) {
        int32_t peaks[ENDO_EXPOSURE_PEAKS];
        s->n_peaks[warp] = endo_exposure_peaks(sorted + (warp ? n_x : 0), reach[warp], peaks);
        for (int i = 0; i < s->n_peaks[warp]; i++) s->peaks[warp][i] = peaks[i];
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ search */

/* Pixels 32 * i .. of a row that lie in an image of this width. */
__device__ static inline uint32_t inside_word(int i, int width) {
    int n = width - 32 * i;
    return i < 0 || n <= 0 ? 0 : n >= 32 ? LANE_ALL : (1u << n) - 1;
}

/* Word i of a row of bits that is read from bit `shift` on; beyond its ends there are zeros. */
__device__ static inline uint32_t shifted_word(const uint32_t *row, int words, int i, int shift) {
    int at = i + (shift >> 5);
    uint32_t low = at >= 0 && at < words ? __ldcg(&row[at]) : 0, high = at + 1 >= 0 && at + 1 < words ? __ldcg(&row[at + 1]) : 0;
    return __funnelshift_r(low, high, shift & 31);
}

/* Which pixels of word i count, of both images under the shift. */
__device__ static inline uint32_t mask_word(const exposure_job &j, const exposure_scratch &s,
                                            int i, int y, int dx, int dy, int banded) {
    if (banded || j.field) {
        const uint32_t *r = banded ? s.used[0] : j.field_bits, *c = banded ? s.used[1] : j.field_bits;
        return shifted_word(r + (size_t)(y + dy) * j.words, j.words, i, dx) & __ldcg(&c[(size_t)y * j.words + i]);
    }
    int at = i + (dx >> 5);
    return __funnelshift_r(inside_word(at, j.width), inside_word(at + 1, j.width), dx & 31) & inside_word(i, j.width);
}

/* One shift, the block's share of rows; added to counts[0] (total) and counts[1] (differ). */
__device__ static void compare(const exposure_job &j, const team &t, int dx, int dy,
                               int row_step, int banded, int32_t *counts) {
    int rows = (j.height + row_step - 1) / row_step, from = (int)((int64_t)rows * t.rank / t.size);
    int items = ((int)((int64_t)rows * (t.rank + 1) / t.size) - from) * j.words;
    int32_t total = 0, differ = 0;
    for (int k = threadIdx.x; k < items; k += blockDim.x) {
        int y = (from + k / j.words) * row_step, i = k % j.words;
        if (y + dy < 0 || y + dy >= j.height) continue;
        uint32_t mask = mask_word(j, t.scratch, i, y, dx, dy, banded);
        uint32_t r = shifted_word(t.scratch.above[0] + (size_t)(y + dy) * j.words, j.words, i, dx);
        uint32_t c = __ldcg(&t.scratch.above[1][(size_t)y * j.words + i]);
        total += __popc(mask), differ += __popc((r ^ c) & mask);
    }
    total = warp_sum(total), differ = warp_sum(differ);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&counts[0], total);
        atomicAdd(&counts[1], differ);
    }
}

/* The current image's levels in the overlap, and the reference's black there; then its new threshold. */
template <team_kind KIND>
__device__ static void match(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, const int slots[2], int turn) {
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_ROUGH_ROWS), rows = (j.height + step - 1) / step;
    int dx = s->search.best_dx, dy = s->search.best_dy, level = s->threshold.reference.level, black = 0;
    for (int i = threadIdx.x; i < EXPOSURE_PART; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    int warp = threadIdx.x / 32 + t->rank * EXPOSURE_WARPS, warps = t->size * EXPOSURE_WARPS;
    for (int k = warp; k < rows; k += warps) {
        int y = k * step;
        if (y + dy < 0 || y + dy >= j.height) continue;
        for (int x = threadIdx.x % 32; x < j.width; x += 32) {
            if (x + dx < 0 || x + dx >= j.width) continue;
            size_t at_c = (size_t)y * j.stride + x, at_r = (size_t)(y + dy) * j.stride + x + dx;
            if (j.field && (!j.field[at_c] || !j.field[at_r])) continue;
            black += j.plain[slots[0] * j.area + at_r] <= level;
            atomicAdd(&histogram[j.plain[slots[1] * j.area + at_c]], 1);
        }
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
                make_bitmap(j, *t, 1, slots[1], s->current, 0);
                meet<KIND>(t);
            }
        }
        int n = s->search.asked, banded = s->search.phase == ENDO_EXPOSURE_FINAL;
        if (threadIdx.x < 2 * ENDO_EXPOSURE_ASKED) s->counts[threadIdx.x] = 0;
        __syncthreads();
        for (int i = 0; i < n; i++)
            compare(j, *t, s->search.dx[i], s->search.dy[i], s->search.row_step, banded, &s->counts[2 * i]);
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
__device__ static void align(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, double *sorted,
                             const int slots[2], endo_exposure_result *out) {
    clear_columns(j, *t);
    count_levels<KIND>(j, t, s, histogram, slots);
    choose_thresholds(j, s);
    if (threadIdx.x == 0) s->pixels = s->levels[0].below[256], s->current = s->threshold.current;
    __syncthreads();
    if (lacks_content(s)) {
        if (t->rank == 0 && threadIdx.x == 0) endo_exposure_nothing(&s->threshold, out);
        return;
    }
    for (int image = 0; image < 2; image++)
        make_bitmap(j, *t, image, slots[image], image ? s->threshold.current : s->threshold.reference, 1);
    __syncthreads();
    for (int image = 0; image < 2; image++) count_rows(j, *t, image);
    if (threadIdx.x == 0) {
        s->search.reach_x = endo_exposure_reach(j.params.search, j.width);
        s->search.reach_y = endo_exposure_reach(j.params.search, j.height);
        s->search.height = j.height;
        s->search.subpixel = j.params.subpixel;
    }
    meet<KIND>(t);
    take_excesses<KIND>(j, t, s);
    find_peaks<KIND>(j, t, s, sorted);
    if (threadIdx.x == 0) endo_exposure_search_begin(&s->search, s->peaks[0], s->n_peaks[0], s->peaks[1], s->n_peaks[1]);
    __syncthreads();
    search<KIND>(j, t, s, histogram, slots);
    if (t->rank) return;
    int warp = threadIdx.x / 32;
    if (warp < 2) {
        double c = coefficient_of(j, t->scratch, warp, warp ? s->search.best_dy : s->search.best_dx);
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
__global__ static void __launch_bounds__(EXPOSURE_THREADS) align_kernel(exposure_job j, int size) {
    __shared__ pair_state s;
    __shared__ double sorted[2 * (2 * ENDO_EXPOSURE_MAX_SEARCH + 1)];
    __shared__ int32_t histogram[EXPOSURE_PART];
    team t;
    t.size = size, t.rank = blockIdx.x % size, t.round = 0;
    int number = blockIdx.x / size, teams = gridDim.x / size;
    exposure_lay_out(&j, size, j.memory + number * j.team_bytes, &t.scratch);
    for (int i = number; i < j.n; i += teams) {
        const int slots[2] = {j.pairs[i].reference, j.pairs[i].current};
        align<KIND>(j, &t, &s, histogram, sorted, slots, &j.results[i]);
        meet<KIND>(&t); /* the memory is the next pair's */
    }
}

/* ------------------------------------------------------------------- field */

/* Bits of the field, and how many pixels of it each column has: one warp a column of words. */
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
                                             dim3(EXPOSURE_THREADS), arguments, 0, b->stream));
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
    j->team_bytes = exposure_lay_out(j, size, NULL, &unused);
    ENDO_TRY(cuda_reserve(b, &b->scratch, teams * j->team_bytes));
    ENDO_TRY(cuda_send(b, pairs, j->n * sizeof *pairs));
    ENDO_TRY(cuda_reserve(b, &b->device_out, j->n * sizeof *results));
    j->memory = (uint8_t *)b->scratch.memory;
    j->pairs = (const endo_pair *)b->device_in.memory;
    j->results = (endo_exposure_result *)b->device_out.memory;
    cuda_time_begin(b);
    if (size == 1)
        align_kernel<TEAM_BLOCK><<<teams, EXPOSURE_THREADS, 0, b->stream>>>(*j, 1);
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
    j.width = s->options.width, j.height = s->options.height, j.words = (s->options.width + 31) / 32;
    j.n = (int)n, j.params = *params;
    ENDO_TRY(prepare_field(s, &j));
    return launch(s->backend, &j, pairs, results);
}
