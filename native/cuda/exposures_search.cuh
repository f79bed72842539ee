/* Alignment of exposures on a device: the search on the bitmaps. */
#ifndef ENDO_CUDA_EXPOSURES_SEARCH_CUH
#define ENDO_CUDA_EXPOSURES_SEARCH_CUH

#include "exposures_answer.cuh"
#include "exposures_peaks.cuh"

/* ----------------------------------------------------------------- shifts */

/* A word of a row of the current image under a shift: the reference's words it lies on, and its columns that have a
 * partner. Beyond the ends of a row those of the end stand in; none of their columns has one. */
typedef struct shifted_word {
    int low, high, bits;
    uint32_t inside;
} shifted_word;

__device__ static inline uint32_t bits_from(int first) {
    return first <= 0 ? LANE_ALL : first >= 32 ? 0 : LANE_ALL << first;
}

__device__ static inline shifted_word shift_word(const exposure_job &j, int word, int dx) {
    int low = word + (dx >> 5), left = max(-dx, 0) - 32 * word, right = min(j.width - dx, j.width) - 32 * word;
    shifted_word w = {min(max(low, 0), j.words - 1), min(max(low + 1, 0), j.words - 1), dx & 31,
                      bits_from(left) & ~bits_from(right)};
    return w;
}

__device__ static inline uint32_t read_shifted(const uint32_t *row, const shifted_word &w) {
    return __funnelshift_r(row[w.low], row[w.high], w.bits);
}

/* Rows 0, step, .. of the current image by their numbers, those of from..end that have a partner. */
typedef struct row_range {
    int from, end;
} row_range;

__device__ static inline row_range partners(const exposure_job &j, row_range r, int step, int dy) {
    if (dy < 0) r.from = max(r.from, (step - 1 - dy) / step);
    if (dy > 0) r.end = min(r.end, (j.height - dy + step - 1) / step);
    return r;
}

/* --------------------------------------------------------------- questions */

/* The bitmap of an image that the block holds: at the beginning of its dynamic shared memory. */
__device__ static inline uint32_t *held_plane(const exposure_job &j, int image) {
    return (uint32_t *)shared_memory + image * (exposure_plane(&j) / 4);
}

typedef struct difference {
    int32_t total, differ;
} difference;

/* A shift of a question. */
typedef struct question {
    int dx, dy, step;
    int banded; /* only used pixels count */
} question;

/* Rows of one column of words, `apart` numbers apart. */
__device__ static void compare_column(const exposure_job &j, const uint32_t *const above[2], const question &q, int word,
                                      row_range r, int apart, difference *sum) {
    shifted_word w = shift_word(j, word, q.dx);
    const uint32_t *current = above[1] + word, *reference = above[0];
    const uint32_t *c_mask = (q.banded ? mine.scratch.used[1] : j.field_bits) + word;
    const uint32_t *r_mask = q.banded ? mine.scratch.used[0] : j.field_bits;
    int masked = q.banded || j.field_bits;
    int at = r.from * q.step * j.words, next = apart * q.step * j.words, partner = q.dy * j.words; /* below 2^25 */
    if (!masked) {
#pragma unroll 4
        for (int k = r.from; k < r.end; k += apart, at += next)
            sum->differ += __popc((read_shifted(reference + at + partner, w) ^ current[at]) & w.inside);
        return;
    }
#pragma unroll 1
    for (int k = r.from; k < r.end; k += apart, at += next) {
        uint32_t mask = c_mask[at] & read_shifted(r_mask + at + partner, w) & w.inside;
        sum->total += __popc(mask);
        sum->differ += __popc((read_shifted(reference + at + partner, w) ^ current[at]) & mask);
    }
}

/* A shift of a question by `threads` threads, this one being number `number` of them. */
__device__ static void compare_shift(const exposure_job &j, const uint32_t *const above[2], const question &q,
                                     row_range rows, int number, int threads, int32_t *counts) {
    row_range r = partners(j, rows, q.step, q.dy);
    int groups = max(1, threads / j.words);
    difference sum = {0, 0};
    for (int k = number; k < j.words * groups; k += threads) {
        row_range share = {r.from + k / j.words, r.end};
        compare_column(j, above, q, k % j.words, share, groups, &sum);
    }
    if (q.banded || j.field_bits) sum.total = sum_over_lanes(sum.total);
    sum.differ = sum_over_lanes(sum.differ);
    if (threadIdx.x % 32) return;
    atomicAdd(&counts[0], sum.total);
    atomicAdd(&counts[1], sum.differ);
}

/* Words of a shift from which on all threads work on one at a time. */
#define MANY_WORDS 2048

__device__ static question question_of(int i) {
    const pair_state *s = &known;
    const endo_exposure_search *search = &s->search;
    int extra = i - search->asked;
    question q = {0, 0, search->row_step, endo_exposure_is_banded(search)};
    if (extra < 0) {
        q.dx = search->dx[i], q.dy = search->dy[i];
    } else {
        q.dx = s->extra_dx[extra], q.dy = s->extra_dy[extra];
        q.banded |= extra == s->extras - 1; /* the last question */
    }
    return q;
}

/* Every shift asked for, on these rows; added to the counts. above: the bitmaps. */
__device__ static inline void compare_in(const exposure_job &j, const uint32_t *const above[2], row_range rows) {
    int n = known.search.asked + known.extras, last = known.extras ? n - 1 : n; /* masked: by all threads */
    int many = n < EXPOSURE_WARPS / 2 || (rows.end - rows.from) * j.words >= MANY_WORDS;
    int threads = many ? blockDim.x : 32, i = min((int)threadIdx.x / threads, last);
    while (i < n) {
        int all = i >= last ? blockDim.x : threads;
        compare_shift(j, above, question_of(i), rows, threadIdx.x % all, all, known.counts + 2 * i);
        i = i < last ? min(i + (int)blockDim.x / threads, last) : n;
    }
}

__device__ static void compare_all(const exposure_job &j, row_range rows) {
    const uint32_t *held[2], *made[2];
    for (int i = 0; i < 2; i++) held[i] = held_plane(j, i), made[i] = mine.scratch.above[i];
    if (j.holds_planes)
        compare_in(j, held, rows);
    else
        compare_in(j, made, rows);
}

/* Beside the exact shift: the wider ones, and at last the question without the ignored pixels. */
__device__ static void ask_more(void) {
    pair_state *s = &known;
    const endo_exposure_search *search = &s->search;
    int wide = endo_exposure_asks_wide(search) ? 4 : 0;
    s->extras = search->phase == ENDO_EXPOSURE_EXACT ? wide + 1 : 0;
    for (int i = 0; i < s->extras; i++) {
        int apart = i == wide ? 0 : i % 2 ? 2 : -2;
        s->extra_dx[i] = search->best_dx + (i < 2 ? apart : 0);
        s->extra_dy[i] = search->best_dy + (i < 2 ? 0 : apart);
    }
}

/* The overlap at shift i: pixels that were counted, or (no mask) those that a rectangle holds. */
__device__ static endo_exposure_overlap overlap_of(const exposure_job &j, int i) {
    const pair_state *s = &known;
    question q = question_of(i);
    row_range all = {0, (j.height + q.step - 1) / q.step}, r = partners(j, all, q.step, q.dy);
    endo_exposure_overlap o = {s->counts[2 * i], s->counts[2 * i + 1]};
    if (!q.banded && !j.field_bits) o.total = (int64_t)max(r.end - r.from, 0) * max(j.width - abs(q.dx), 0);
    return o;
}

/* Takes the answers to the question and, unless the search goes on from elsewhere, to the extras. By one warp. */
__device__ static void take_answers(const exposure_job &j) {
    pair_state *s = &known;
    int lane = threadIdx.x % 32, asked = s->search.asked, extras = s->extras, last = asked + extras - 1;
    endo_exposure_overlap answer = overlap_of(j, min(lane, last));
    answer_question(answer);
    if (s->search.asked) return;
    if (extras > 1 && lane >= asked && lane < last) s->search.wide[lane - asked] = answer;
    if (lane == last) s->search.usable = answer;
}

/* ------------------------------------------------------------------- match */

/* Sixteen pixels of a row of the overlap: the current image's into the histogram; the reference's black ones come back. */
__device__ static int match_half(const exposure_job &j, const uint32_t *reference, int slot, int y, int half, int dx, int dy,
                                 int32_t *histogram) {
    int word = half / 2, from = 16 * (half % 2);
    size_t at = (size_t)y * j.words, partner = (size_t)(y + dy) * j.words;
    shifted_word w = shift_word(j, word, dx);
    uint32_t mask = w.inside;
    if (j.field_bits) mask &= j.field_bits[at + word] & read_shifted(j.field_bits + partner, w);
    mask = mask >> from & 0xffff;
    if (mask) count_pixels(pixels_of(j, slot, y, word)[half % 2], mask, histogram);
    return __popc(~read_shifted(reference + partner, w) >> from & mask);
}

/* The current image's levels in the overlap, and the reference's black there; then its new threshold. */
template <group_kind KIND> __device__ static void match(const exposure_job &j, const int slots[2]) {
    pair_state *s = &known;
    const uint32_t *reference = j.holds_planes ? held_plane(j, 0) : mine.scratch.above[0];
    int32_t *histogram = numbers;
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_ROUGH_ROWS), black = 0, halves = 2 * j.words;
    int dx = s->search.best_dx, dy = s->search.best_dy;
    row_range all = {0, (j.height + step - 1) / step}, rows = partners(j, all, step, dy);
    for (int i = threadIdx.x; i < 257; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    int n = max(rows.end - rows.from, 0) * halves;
    for (int k = warp_by_warp(mine.rank, mine.size); k < n; k += mine.size * blockDim.x)
        black += match_half(j, reference, slots[1], (rows.from + k / halves) * step, k % halves, dx, dy, histogram);
    black = sum_over_lanes(black);
    if (threadIdx.x % 32 == 0) atomicAdd(&histogram[256], black);
    add_up<KIND>(histogram, 257);
    if (threadIdx.x < 32) {
        make_levels(histogram, &s->overlap);
        __syncwarp();
        if (threadIdx.x == 0) {
            endo_exposure_threshold now =
                endo_exposure_match(&s->overlap, histogram[256], s->current.slice, s->observations.observation.tolerance);
            s->changed = now.level != s->current.level || now.tolerance != s->current.tolerance;
            s->current = now;
        }
        ask_around(ENDO_EXPOSURE_EXACT, 0, 0);
    }
    __syncthreads();
}

/* ------------------------------------------------------------------ search */

/* A question and its answer. Every block knows all bitmaps and answers what needs few rows by itself; of the others each
 * takes a share, which of the current image it has made itself. */
template <group_kind KIND> __device__ static void ask(const exposure_job &j) {
    pair_state *s = &known;
    int rows = (j.height + s->search.row_step - 1) / s->search.row_step, phase = s->search.phase;
    int alone = KIND == GROUP_BLOCK || (j.holds_planes && phase <= ENDO_EXPOSURE_ROUGH);
    row_range all = {0, rows}, part = {first_row(rows, mine.rank), first_row(rows, mine.rank + 1)};
    if (threadIdx.x < 2 * EXPOSURE_SHIFTS) s->counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) ask_more();
    __syncthreads();
    compare_all(j, alone ? all : part);
    if (alone)
        __syncthreads();
    else
        add_up<KIND>(s->counts, 2 * (s->search.asked + s->extras));
    if (threadIdx.x < 32) take_answers(j);
    __syncthreads();
}

/* Asks and answers until the search has ended. */
template <group_kind KIND> __device__ static void search(const exposure_job &j, const int slots[2]) {
    pair_state *s = &known;
    while (s->search.asked) {
        if (s->search.phase == ENDO_EXPOSURE_MATCH) {
            match<KIND>(j, slots);
            if (s->changed) make_bitmaps(j, slots, 1, s->search.row_step, 0);
            __syncthreads();
        }
        ask<KIND>(j);
    }
}

#endif
