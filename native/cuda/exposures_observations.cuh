/* Alignment of exposures on a device: one pair, observation after observation. */
#ifndef ENDO_CUDA_EXPOSURES_LOOKS_CUH
#define ENDO_CUDA_EXPOSURES_LOOKS_CUH

#include "exposures_search.cuh"

static_assert(ENDO_EXPOSURE_ASKED <= 16, "a lane a candidate");

/* Gathers the evidence that the shift found is judged by: a lane a share, then a lane a direction. One warp. */
__device__ static void gather_evidence(int limit) {
    pair_state *s = &known;
    int lane = threadIdx.x % 32, candidate = lane - 16;
    endo_exposure_evidence *e = &s->evidence;
    double second = 0, near[9];
    if (lane < 9) e->near[lane] = endo_exposure_share(&s->search.near[lane]);
    if (lane >= 9 && lane < 13)
        e->wide[lane - 9] = endo_exposure_asks_wide(&s->search) ? endo_exposure_share(&s->search.wide[lane - 9]) : 1;
    if (candidate >= 0 && candidate < s->search.candidates)
        second = fmax(second, endo_exposure_agreement_apart(&s->search, &s->threshold, candidate));
    for (int k = 16; k; k >>= 1) second = fmax(second, __shfl_xor_sync(LANE_ALL, second, k));
    __syncwarp();
    if (lane == 0) e->second = second, e->clean = endo_exposure_clean_share(&s->search, e);
    __syncwarp();
    endo_exposure_clean_near(e, near);
    if (lane < 4) e->deviation[lane] = endo_exposure_direction(near, lane, (double)s->search.near[4].total, limit);
    if (lane == 4) e->agreement = endo_exposure_agreement(e->clean, &s->threshold);
}

/* The coefficient at the shift found. */
__device__ static inline double coefficient_at_best(int axis) {
    shift_list l = shifts_of(&known.search);
    return axis ? mine.coefficients[l.columns + l.reach[1] + known.search.best_dy]
                : mine.coefficients[l.reach[0] + known.search.best_dx];
}

/* Copies what the other blocks have made: the counts, the reference's bitmap, and the rows of the current one that every
 * block compares; or all of the current one, if the rows that the block compares alone are not those that it has made. */
__device__ static void take_over(const exposure_job &j, int made) {
    const exposure_scratch &s = mine.scratch;
    if (j.holds_counts) copy_words(mine.counts[0], s.counts[0], 2 * exposure_counts(&j));
    if (!j.holds_planes) return;
    int n = (int)(exposure_plane(&j) / sizeof(uint4)), step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_ROUGH_ROWS);
    if (made || endo_exposure_rows_apart(&known.search, ENDO_EXPOSURE_EXACT) > 1) step = 1;
    copy_words((uint4 *)held_plane(j, 0), (const uint4 *)s.above[0], n);
    if (step == 1) copy_words((uint4 *)held_plane(j, 1), (const uint4 *)s.above[1], n);
#pragma unroll 3
    for (int i = threadIdx.x; step > 1 && i < (j.height + step - 1) / step * j.words; i += blockDim.x) {
        int at = i / j.words * step * j.words + i % j.words;
        held_plane(j, 1)[at] = s.above[1][at];
    }
}

/* Bitmaps and counts of an observation. made: those of the first one are there already. */
template <group_kind KIND> __device__ static void see(const exposure_job &j, const int slots[2], int made) {
    int from = first_row(j.height, mine.rank), end = first_row(j.height, mine.rank + 1), alone = KIND == GROUP_BLOCK;
    if (!made) {
        clear_held_counts(j, end - from);
        __syncthreads();
        make_bitmaps(j, slots, 0, 1, 1);
        __syncthreads();
        give_counts(j, alone ? mine.counts : mine.scratch.counts, from, end, alone);
        meet<KIND>();
    }
    if (made || !alone) take_over(j, made);
    __syncthreads();
}

/* One observation: bitmaps with their counts, candidates, and the search among them. Every block has the result. */
template <group_kind KIND>
__device__ static void observe(const exposure_job &j, const int slots[2], int made) {
    pair_state *s = &known;
    if (threadIdx.x == 0)
        endo_exposure_observations_prepare(&s->observations, &s->threshold, j.width, j.height, &j.options, &s->search);
    see<KIND>(j, slots, made);
    take_excesses(j);
    shift_list shifts = shifts_of(&s->search);
    correlate_all(j, shifts);
    meet<KIND>();
    pick_peaks(shifts);
    if (threadIdx.x == 0) endo_exposure_search_begin(&s->search, s->peaks[0], s->n_peaks[0], s->peaks[1], s->n_peaks[1]);
    __syncthreads();
    search<KIND>(j, slots);
    if (threadIdx.x < 32) gather_evidence(j.options.search);
    __syncthreads();
    if (threadIdx.x == 0)
        endo_exposure_conclude(&s->search, &s->threshold, &s->evidence, &s->current, coefficient_at_best(0),
                               coefficient_at_best(1), &s->seen);
}

/* The thresholds of an observation, chosen by every block for itself. */
__device__ static void take_thresholds(void) {
    choose_thresholds();
    if (threadIdx.x == 0) known.current = known.threshold.current;
    __syncthreads();
}

/* Begins a pair. histograms: of both images. */
__device__ static void begin(const exposure_job &j, const int32_t *histograms, const endo_pair &pair) {
    pair_state *s = &known;
    if (threadIdx.x < 64) make_levels(histograms + 256 * (threadIdx.x / 32), &s->levels[threadIdx.x / 32]);
    __syncthreads();
    if (threadIdx.x == 0) endo_exposure_observations_begin(&s->observations, &pair, &s->levels[0], &s->levels[1], &j.options);
    __syncthreads();
}

/* The group's counts, which its blocks add to. */
__device__ static void clear_counts(const exposure_job &j) {
    for (int i = threadIdx.x + mine.rank * blockDim.x; i < 2 * exposure_counts(&j); i += mine.size * blockDim.x)
        mine.scratch.counts[0][i] = 0;
}

/* Observes a pair until the rules have seen enough; most pairs need one observation. */
template <group_kind KIND>
__device__ static void align(const exposure_job &j, const endo_pair &pair, endo_exposure_result *out) {
    const int slots[2] = {pair.reference, pair.current};
    pair_state *s = &known;
    for (int i = threadIdx.x; i < EXPOSURE_PART; i += blockDim.x) numbers[i] = j.prepared ? mine.scratch.histograms[i] : 0;
    __syncthreads();
    if (j.prepared) {
        meet<KIND>(); /* blocks write into each other's memory once all have begun */
    } else {
        clear_counts(j);
        count_levels(j, mine.rank, mine.size, numbers, slots);
        add_up<KIND>(numbers, EXPOSURE_PART);
    }
    begin(j, numbers, pair);
    for (int made = j.prepared;; made = 0) {
        take_thresholds();
        if (endo_exposure_shows(&s->threshold))
            observe<KIND>(j, slots, made);
        else if (threadIdx.x == 0)
            endo_exposure_nothing(&s->threshold, &s->seen);
        if (threadIdx.x == 0) endo_exposure_observations_take(&s->observations, &s->threshold, &s->seen);
        __syncthreads();
        if (s->observations.stage == ENDO_EXPOSURE_DONE) break;
        meet<KIND>(); /* nobody reads the counts any more */
        clear_counts(j);
        meet<KIND>();
    }
    if (mine.rank == 0 && threadIdx.x == 0) *out = s->observations.result;
}

#endif
