/* Flow on a device: the shift of the coarsest level that both images agree on best, where all the rest begins (flow.cu). */
#ifndef ENDO_CUDA_FLOW_SHIFT_CUH
#define ENDO_CUDA_FLOW_SHIFT_CUH

#include "flow.cuh"

/* Where both images are. The sum of a level fits 32 bits: one of its sides is below 2 * ENDO_FLOW_COARSEST. */
static_assert(2ll * ENDO_FLOW_COARSEST * ENDO_FLOW_SIDE * 2 * ENDO_FLOW_FULL < 1ll << 31, "the difference of a level");
__device__ static endo_shift_sums compare_shifted(const int16_t *reference, const int16_t *current,
                                                  const cuda_level *level, int dx, int dy) {
    int width = level->size.width - abs(dx), height = level->size.height - abs(dy), stride = level->stride;
    const int16_t *r = reference + (dy < 0 ? -dy * stride : 0) + (dx < 0 ? -dx : 0), *c = current;
    c += (dy > 0 ? dy * stride : 0) + (dx > 0 ? dx : 0);
    int difference = 0, n = 0;
    for (int x = threadIdx.x % 32; x < width; x += 32) {
#pragma unroll 8
        for (int y = 0; y < height; y++) {
            int one = r[y * stride + x], other = c[y * stride + x];
            int both = one != ENDO_FLOW_INVALID && other != ENDO_FLOW_INVALID;
            difference += both ? abs(other - one) : 0;
            n += both;
        }
    }
    endo_shift_sums s;
    s.difference = warp_sum_32(difference);
    s.n = warp_sum_32(n);
    return s;
}

__device__ static int count_valid(const int16_t *image, const cuda_level *level) {
    int n = 0;
    for (int y = threadIdx.x / 32; y < level->size.height; y += WARPS)
        for (int x = threadIdx.x % 32; x < level->size.width; x += 32)
            n += image[y * level->stride + x] != ENDO_FLOW_INVALID;
    return warp_sum_32(n);
}

/* A shift and its place in the reference's order: no shift first, then row by row. */
typedef struct ranked_shift {
    endo_shift_sums sums;
    int rank; /* -1: none */
} ranked_shift;

__device__ static int comes_before(const ranked_shift *a, const ranked_shift *b, int pixels) {
    endo_shift_sums none = {0, 0};
    if (a->rank < 0 || !endo_shift_is_better(&a->sums, &none, pixels)) return 0;
    if (b->rank < 0 || endo_shift_is_better(&a->sums, &b->sums, pixels)) return 1;
    return !endo_shift_is_better(&b->sums, &a->sums, pixels) && a->rank < b->rank; /* equally good */
}

/* One warp: the best shift becomes the motion. */
__device__ static void pick_shift(const cuda_level *level, int reach, int pixels, flow_state *state) {
    int side = 2 * reach + 1, centre = side * reach + reach, lane = threadIdx.x;
    ranked_shift best = {{0, 0}, -1};
    for (int i = lane; i < side * side; i += 32) {
        ranked_shift s = {state->shifts[i], i == centre ? 0 : i + 1};
        if (comes_before(&s, &best, pixels)) best = s;
    }
    for (int offset = 16; offset; offset /= 2) {
        ranked_shift other;
        other.sums.difference = __shfl_down_sync(0xffffffffu, (long long)best.sums.difference, offset);
        other.sums.n = __shfl_down_sync(0xffffffffu, best.sums.n, offset);
        other.rank = __shfl_down_sync(0xffffffffu, best.rank, offset);
        if (comes_before(&other, &best, pixels)) best = other;
    }
    if (lane) return;
    int index = best.rank > 0 ? best.rank - 1 : centre;
    state->motion.a[0] = (double)(index % side - reach) * level->size.scale;
    state->motion.a[3] = (double)(index / side - reach) * level->size.scale;
}

/* A warp a shift; then one warp picks. */
__device__ static void first_shift(const cuda_level *level, const int16_t *reference, const int16_t *current,
                                   flow_state *state, int *pixels) {
    int reach = endo_shift_reach(&level->size), side = 2 * reach + 1, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) *pixels = 0;
    __syncthreads();
    int valid = count_valid(reference, level);
    if (lane == 0) atomicAdd(pixels, valid);
    for (int i = threadIdx.x / 32 * state->blocks + state->block; i < side * side; i += state->blocks * WARPS) {
        endo_shift_sums s = compare_shifted(reference, current, level, i % side - reach, i / side - reach);
        if (lane) continue;
        if (state->shared) tell_shift(&state->shared->shifts[i], &s);
        else state->shifts[i] = s;
    }
    if (state->shared)
        for (int i = threadIdx.x; i < side * side; i += THREADS) state->shifts[i] = hear_shift(&state->shared->shifts[i]);
    __syncthreads();
    if (threadIdx.x < 32) pick_shift(level, reach, *pixels, state);
    __syncthreads();
}

#endif
