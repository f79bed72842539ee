/* Alignment of exposures on a device: coefficients of all shifts of the counts, and their peaks. */
#ifndef ENDO_CUDA_EXPOSURES_PEAKS_CUH
#define ENDO_CUDA_EXPOSURES_PEAKS_CUH

#include "exposures_counts.cuh"

/* ------------------------------------------------------------ coefficients */

/* Frames whose sides are below this, px: the products of a lane fit 32 bits. */
#define SMALL_SIDE 4096

/* Sums of a lane, black and white; of the numbers themselves 32 bits are always enough. */
template <typename SUM> struct lane_sums {
    int32_t x[2], y[2];
    SUM xx[2], yy[2], xy[2];
};

template <typename SUM>
__device__ static inline void correlate_lane(const uint32_t *reference, const uint32_t *current, int n, lane_sums<SUM> *s) {
#pragma unroll 4
    for (int i = 0; i < n; i += 32) {
        uint32_t r = reference[i], c = current[i];
        int32_t x[2] = {(int16_t)r, (int32_t)r >> 16}, y[2] = {(int16_t)c, (int32_t)c >> 16};
#pragma unroll
        for (int k = 0; k < 2; k++) {
            s->x[k] += x[k], s->y[k] += y[k];
            s->xx[k] += (SUM)x[k] * x[k], s->yy[k] += (SUM)y[k] * y[k], s->xy[k] += (SUM)x[k] * y[k];
        }
    }
}

/* 32 numbers of 32 bits whose sum may need more. */
__device__ static inline int64_t add_lanes(int32_t v) {
    return (int64_t)sum_over_lanes(v >> 16) * 65536 + sum_over_lanes(v & 0xffff);
}

__device__ static inline int64_t add_lanes(int64_t v) { return wide_sum_over_lanes(v); }

/* Black and white of one shift of the counts of an axis; by one warp. */
template <typename SUM>
__device__ static void correlate(const uint32_t *reference, const uint32_t *current, int n, int shift, endo_sums out[2]) {
    int first = shift < 0 ? -shift : 0, end = shift > 0 ? n - shift : n, from = first + (int)(threadIdx.x % 32);
    lane_sums<SUM> s = {};
    correlate_lane(reference + from + shift, current + from, end - from, &s);
#pragma unroll
    for (int k = 0; k < 2; k++) {
        out[k].n = max(end - first, 0), out[k].x = sum_over_lanes(s.x[k]), out[k].y = sum_over_lanes(s.y[k]);
        out[k].xx = add_lanes(s.xx[k]), out[k].yy = add_lanes(s.yy[k]), out[k].xy = add_lanes(s.xy[k]);
    }
}

/* Coefficients of all shifts: of columns, then of rows. */
typedef struct shift_list {
    int reach[2], columns, all;
} shift_list;

__device__ static inline shift_list shifts_of(const endo_exposure_search *s) {
    shift_list l = {{s->reach_x, s->reach_y}, 2 * s->reach_x + 1, 2 * (s->reach_x + s->reach_y) + 2};
    return l;
}

/* Shifts whose coefficients a warp makes together: a lane a colour. */
#define SHIFTS_TOGETHER 16

/* Coefficients of the shifts first, first + step, ..: sums one after the other, then the divisions of all at once. Every
 * block of the group gets them. */
template <typename SUM>
__device__ static void correlate_some(const exposure_job &j, const shift_list &l, int first, int step) {
    int lane = threadIdx.x % 32;
    endo_sums kept = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    for (int i = 0; i < SHIFTS_TOGETHER; i++) {
        int k = first + i * step, axis = k >= l.columns, at = axis ? 32 * j.words : 0;
        if (k >= l.all) break;
        endo_sums sums[2];
        correlate<SUM>(mine.counts[0] + at, mine.counts[1] + at, axis ? j.height : j.width,
                       (axis ? k - l.columns : k) - l.reach[axis], sums);
        if (lane / 2 == i) kept = sums[lane % 2];
    }
    double black = endo_coefficient(&kept), white = __shfl_down_sync(LANE_ALL, black, 1);
    int k = first + lane / 2 * step;
    if (lane % 2 || k >= l.all) return;
    double coefficient = endo_exposure_mean(black, white);
    if (mine.size == 1) mine.coefficients[k] = coefficient;
    for (int b = 0; mine.size > 1 && b < mine.size; b++) *of_block(&mine.coefficients[k], b) = coefficient;
}

__device__ static void correlate_all(const exposure_job &j, const shift_list &l) {
    int step = mine.size * EXPOSURE_WARPS, small = j.width < SMALL_SIDE && j.height < SMALL_SIDE;
    for (int k = threadIdx.x / 32 * mine.size + mine.rank; k < l.all; k += SHIFTS_TOGETHER * step)
        if (small)
            correlate_some<int32_t>(j, l, k, step);
        else
            correlate_some<int64_t>(j, l, k, step);
}

/* ------------------------------------------------------------------- peaks */

/* endo_exposure_peaks() of both axes. Each peak counts those that come before it. */
__device__ static void pick_peaks(const shift_list &l) {
    pair_state *s = &known;
    if (threadIdx.x < 2) s->n_peaks[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < l.all; k += blockDim.x) {
        int axis = k >= l.columns, from = axis ? l.columns : 0;
        if (endo_exposure_is_peak(mine.coefficients + from, l.reach[axis], k - from))
            mine.found[from + atomicAdd(&s->n_peaks[axis], 1)] = k - from;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < l.all; k += blockDim.x) {
        int axis = k >= l.columns, from = axis ? l.columns : 0, n = s->n_peaks[axis], before = 0;
        if (k - from >= n) continue;
        const double *c = mine.coefficients + from;
        int this_one = mine.found[k], reach = l.reach[axis];
        for (int i = 0; i < n && before < ENDO_EXPOSURE_PEAKS; i++) {
            int other = mine.found[from + i];
            before += other != this_one && endo_exposure_peak_before(c[other], other - reach, c[this_one], this_one - reach);
        }
        if (before < ENDO_EXPOSURE_PEAKS) s->peaks[axis][before] = this_one - reach;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        int n = s->n_peaks[threadIdx.x];
        if (n == 0) s->peaks[threadIdx.x][0] = 0;
        s->n_peaks[threadIdx.x] = n == 0 ? 1 : min(n, ENDO_EXPOSURE_PEAKS);
    }
    __syncthreads();
}

#endif
