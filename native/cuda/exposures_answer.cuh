/* Alignment of exposures on a device: what endo_exposure_answer() does with the answers, by the lanes of one warp. */
#ifndef ENDO_CUDA_EXPOSURES_ANSWER_CUH
#define ENDO_CUDA_EXPOSURES_ANSWER_CUH

#include "exposures_group.cuh"

/* One of several overlaps. An empty one has 1 of 0 pixels that differ: a share above all others. */
typedef struct choice {
    uint32_t total, differ;
    int order; /* of equal ones the least comes first */
} choice;

__device__ static inline choice make_choice(const endo_exposure_overlap &o, int order) {
    choice c = {(uint32_t)o.total, o.total ? (uint32_t)o.differ : 1, order};
    return c;
}

/* The lanes' first by endo_exposure_is_better(); its order. */
__device__ static int first_choice(choice best) {
#pragma unroll 1
    for (int k = 16; k; k >>= 1) {
        choice other = {__shfl_xor_sync(LANE_ALL, best.total, k), __shfl_xor_sync(LANE_ALL, best.differ, k),
                        __shfl_xor_sync(LANE_ALL, best.order, k)};
        uint64_t a = (uint64_t)other.differ * best.total, b = (uint64_t)best.differ * other.total;
        if (a < b || (a == b && other.order < best.order)) best = other;
    }
    return best.order;
}

/* The order of what is no choice. */
#define NO_CHOICE 99

/* endo_exposure_ask_around(): a lane a shift. */
__device__ static void ask_around(endo_exposure_phase phase, int x, int y) {
    endo_exposure_search *s = &known.search;
    int lane = threadIdx.x % 32, i = min(lane, 8), again = s->phase != phase;
    int u = i % 3 - 1 + x, v = i / 3 - 1 + y, known = !again && u >= -1 && u <= 1 && v >= -1 && v <= 1;
    endo_exposure_overlap before = known ? s->near[4 + u + 3 * v] : s->near[i];
    uint32_t asked = __ballot_sync(LANE_ALL, lane < 9 && !known);
    if (lane < 9) {
        s->missing[i] = !known;
        s->near[i] = before;
    }
    if (lane < 9 && !known) {
        int k = __popc(asked & ((1u << lane) - 1));
        s->dx[k] = s->best_dx + i % 3 - 1;
        s->dy[k] = s->best_dy + i / 3 - 1;
    }
    __syncwarp();
    if (lane == 0) {
        s->phase = phase;
        s->row_step = endo_exposure_rows_apart(s, phase);
        s->asked = __popc(asked);
    }
    __syncwarp();
}

__device__ static void take_candidates(const endo_exposure_overlap &answer) {
    endo_exposure_search *s = &known.search;
    int lane = threadIdx.x % 32, n = s->candidates, i = min(lane, n - 1);
    const endo_exposure_overlap none = {0, 0};
    int best = first_choice(make_choice(lane < n ? answer : none, lane < n ? lane : NO_CHOICE));
    int dx = s->dx[i], dy = s->dy[i], best_dx = s->dx[best], best_dy = s->dy[best];
    if (lane < n) s->candidate_dx[i] = dx, s->candidate_dy[i] = dy, s->candidate[i] = answer;
    if (lane == 0) s->best_dx = best_dx, s->best_dy = best_dy;
    __syncwarp();
    ask_around(ENDO_EXPOSURE_ROUGH, 0, 0);
}

/* endo_exposure_move() */
__device__ static int move(const endo_exposure_overlap &answer) {
    endo_exposure_search *s = &known.search;
    int lane = threadIdx.x % 32, i = min(lane, 8);
    int missing = s->missing[i], moves = s->moves;
    int best_dx = s->best_dx, best_dy = s->best_dy;
    int x = best_dx + i % 3 - 1, y = best_dy + i / 3 - 1;
    uint32_t asked = __ballot_sync(LANE_ALL, lane < 9 && missing);
    int from = __popc(asked & ((1u << i) - 1));
    endo_exposure_overlap told = {__shfl_sync(LANE_ALL, answer.total, from), __shfl_sync(LANE_ALL, answer.differ, from)};
    endo_exposure_overlap counted = missing ? told : s->near[i], none = {0, 0};
    int within = x >= -s->reach_x && x <= s->reach_x && y >= -s->reach_y && y <= s->reach_y;
    int chosen = lane < 9 && (i == 4 || within);
    if (lane < 9 && missing) s->near[i] = told;
    int order = first_choice(make_choice(chosen ? counted : none, !chosen ? NO_CHOICE : i == 4 ? 0 : 1 + i));
    int best = order == 0 ? 4 : order - 1;
    __syncwarp();
    if (best == 4 || moves == ENDO_EXPOSURE_MOVES) return 0;
    if (lane == 0) s->best_dx = best_dx + best % 3 - 1, s->best_dy = best_dy + best / 3 - 1, s->moves = moves + 1;
    __syncwarp();
    ask_around(s->phase, best % 3 - 1, best / 3 - 1);
    return 1;
}

/* endo_exposure_answer(), where what comes after the exact shift is known; answer: the lane's. */
__device__ static void answer_question(endo_exposure_overlap answer) {
    endo_exposure_search *s = &known.search;
    endo_exposure_phase phase = s->phase;
    if (phase == ENDO_EXPOSURE_CANDIDATES) {
        take_candidates(answer);
    } else if (!move(answer) && threadIdx.x % 32 == 0) {
        s->phase = phase == ENDO_EXPOSURE_ROUGH ? ENDO_EXPOSURE_MATCH : ENDO_EXPOSURE_FINAL;
        if (phase == ENDO_EXPOSURE_EXACT) s->asked = 0;
    }
    __syncwarp();
}

#endif
