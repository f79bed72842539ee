/* Alignment of exposures on a device: what endo_exposure_answer() does with the answers, by the lanes of one warp. */
#ifndef ENDO_CUDA_EXPOSURES_ANSWER_CUH
#define ENDO_CUDA_EXPOSURES_ANSWER_CUH

#include "exposures_team.cuh"

/* One of several overlaps: the lane's; order: of equal ones the least comes first; -1: none. */
typedef struct choice {
    endo_exposure_overlap overlap;
    int order, at;
} choice;

__device__ static inline int comes_before(const choice &a, const choice &b) {
    if (a.order < 0 || b.order < 0) return b.order < 0 && a.order >= 0;
    if (endo_exposure_is_better(&a.overlap, &b.overlap)) return 1;
    return !endo_exposure_is_better(&b.overlap, &a.overlap) && a.order < b.order;
}

/* `at` of the one that comes first; every lane gets it. */
__device__ static int first_choice(choice own) {
    for (int k = 16; k; k >>= 1) {
        choice other;
        other.overlap.total = __shfl_xor_sync(LANE_ALL, own.overlap.total, k);
        other.overlap.differ = __shfl_xor_sync(LANE_ALL, own.overlap.differ, k);
        other.order = __shfl_xor_sync(LANE_ALL, own.order, k);
        other.at = __shfl_xor_sync(LANE_ALL, own.at, k);
        if (comes_before(other, own)) own = other;
    }
    return own.at;
}

/* endo_exposure_ask_around(): a lane a shift. */
__device__ static void ask_around(endo_exposure_search *s, endo_exposure_phase phase, int x, int y) {
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

__device__ static void take_candidates(endo_exposure_search *s, const endo_exposure_overlap &answer) {
    int lane = threadIdx.x % 32, n = s->candidates, i = min(lane, n - 1);
    choice own = {answer, lane < n ? lane : -1, i};
    int best = first_choice(own), dx = s->dx[i], dy = s->dy[i], best_dx = s->dx[best], best_dy = s->dy[best];
    if (lane < n) s->candidate_dx[i] = dx, s->candidate_dy[i] = dy, s->candidate[i] = answer;
    if (lane == 0) s->best_dx = best_dx, s->best_dy = best_dy;
    __syncwarp();
    ask_around(s, ENDO_EXPOSURE_ROUGH, 0, 0);
}

/* endo_exposure_move() */
__device__ static int move(endo_exposure_search *s, const endo_exposure_overlap &answer) {
    int lane = threadIdx.x % 32, i = min(lane, 8), missing = s->missing[i], best_dx = s->best_dx, best_dy = s->best_dy;
    int x = best_dx + i % 3 - 1, y = best_dy + i / 3 - 1, moves = s->moves;
    uint32_t asked = __ballot_sync(LANE_ALL, lane < 9 && missing);
    int from = __popc(asked & ((1u << i) - 1));
    endo_exposure_overlap told = {__shfl_sync(LANE_ALL, answer.total, from), __shfl_sync(LANE_ALL, answer.differ, from)};
    choice own = {missing ? told : s->near[i], -1, i};
    int within = x >= -s->reach_x && x <= s->reach_x && y >= -s->reach_y && y <= s->reach_y;
    if (i == 4)
        own.order = 0;
    else if (within)
        own.order = 1 + i;
    if (lane > 8) own.order = -1;
    if (lane < 9 && missing) s->near[i] = told;
    int best = first_choice(own);
    __syncwarp();
    if (best == 4 || moves == ENDO_EXPOSURE_MOVES) return 0;
    if (lane == 0) s->best_dx = best_dx + best % 3 - 1, s->best_dy = best_dy + best / 3 - 1, s->moves = moves + 1;
    __syncwarp();
    ask_around(s, s->phase, best % 3 - 1, best / 3 - 1);
    return 1;
}

/* endo_exposure_answer(), where what comes after the exact shift is known; answer: the lane's. */
__device__ __noinline__ static void answer_question(endo_exposure_search *s, endo_exposure_overlap answer) {
    endo_exposure_phase phase = s->phase;
    if (phase == ENDO_EXPOSURE_CANDIDATES) {
        take_candidates(s, answer);
    } else if (!move(s, answer) && threadIdx.x % 32 == 0) {
        s->phase = phase == ENDO_EXPOSURE_ROUGH ? ENDO_EXPOSURE_MATCH : ENDO_EXPOSURE_FINAL;
        if (phase == ENDO_EXPOSURE_EXACT) s->asked = 0;
    }
    __syncwarp();
}

#endif
