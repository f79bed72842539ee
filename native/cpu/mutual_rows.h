/* The walk over rows that is the same for every instruction set: runs, and which part of each lies in the moving
 * volume. */
#ifndef ENDO_CPU_MUTUAL_ROWS_H
#define ENDO_CPU_MUTUAL_ROWS_H

#include "mutual_loops.h"

/* The moving volume and the map through it: the same for every run of a call. */
typedef struct mutual_walk {
    const uint32_t *moving;
    int32_t stride, slice;    /* of moving */
    int32_t step[3], half[3]; /* 16 fractional bits; half: what positions are rounded by */
    int32_t gain_step;
    int32_t fraction_mask;    /* 127 or, nearest, 0 */
    ptrdiff_t ahead;          /* from the neighbours of a voxel to those of the one some rows on */
    uint32_t bins, hot, hot_count;
    int flat;                 /* every position along z is the one slice's own */
    uint32_t *counts;
} mutual_walk;

/* Voxels from .. to - 1 of a run. */
typedef struct mutual_run {
    const uint16_t *fixed;
    int32_t position[3]; /* of voxel 0, rounded by half */
    int32_t gain;        /* of voxel 0 */
    int from, to;
} mutual_run;

/* Rows that lie ready when they are needed. A turned row crosses many rows of the moving volume, each of which is new to
 * the processor's own foresight: without this an evaluation took twice as long at 6 degrees. */
#define MUTUAL_ROWS_AHEAD 4

static inline void mutual_prefetch(const mutual_walk *w, int32_t place) {
    __builtin_prefetch((const void *)((uintptr_t)w->moving + sizeof *w->moving * (uintptr_t)(place + w->ahead)));
}

/* Whole voxels that a coordinate moves by over these rows. */
static inline ptrdiff_t mutual_ahead(int64_t per_row) {
    return (ptrdiff_t)((MUTUAL_ROWS_AHEAD * per_row + ((int64_t)1 << 31)) >> 32);
}

static inline int64_t mutual_divide_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

/* Narrows a run to where one coordinate is inside: low <= position + k * step < high. */
static inline void mutual_narrow(mutual_run *run, int64_t position, int64_t step, int64_t low, int64_t high) {
    int64_t from = run->from, to = run->to;
    if (step == 0) {
        if (position < low || position >= high) to = from;
    } else if (step > 0) {
        int64_t first = mutual_divide_up(low - position, step), end = mutual_divide_up(high - position, step);
        if (first > from) from = first;
        if (end < to) to = end;
    } else {
        int64_t first = mutual_divide_up(position - high + 1, -step), end = mutual_divide_up(position - low + 1, -step);
        if (first > from) from = first;
        if (end < to) to = end;
    }
    run->from = (int)(from < run->to ? from : run->to);
    run->to = (int)(to > run->from ? to : run->from);
}

/* Narrows a run to what a map takes into the moving volume, a margin from its border; at: where the run begins. Mostly
 * both ends are inside, and then so is all between. */
static inline void mutual_clip(const cpu_mutual_level *l, const endo_mutual_map *map, const int32_t margin[3], int x, int y,
                               int z, mutual_run *run, int32_t at[3]) {
    for (int i = 0; i < 3; i++) {
        const int64_t *row = map->m + 4 * i;
        int32_t step = endo_mutual_step(row[0]), start = at[i] = endo_mutual_run_start(row, x, y, z);
        int32_t end = start + (ENDO_MUTUAL_RUN - 1) * step;
        int side = l->moving_size[i];
        if (endo_mutual_is_within(start, side, margin[i]) && endo_mutual_is_within(end, side, margin[i])) continue;
        mutual_narrow(run, start, step, margin[i] - (1 << 15), side * ((int64_t)1 << 16) - (1 << 15) - margin[i]);
    }
}

static inline mutual_walk mutual_begin(const cpu_mutual_rows *r) {
    const cpu_mutual_level *l = r->level;
    const int64_t *m = r->map->m;
    endo_mutual_rounding round = endo_mutual_round(r->nearest);
    mutual_walk w = {.moving = l->moving, .stride = (int32_t)l->moving_stride, .slice = (int32_t)l->moving_slice,
                     .fraction_mask = r->nearest ? 0 : 127, .bins = (uint32_t)l->bins, .hot = l->hot,
                     .counts = r->counts};
    for (int i = 0; i < 3; i++) w.step[i] = endo_mutual_step(m[4 * i]), w.half[i] = round.half;
    w.gain_step = endo_mutual_step(r->map->gain[0]);
    w.ahead = mutual_ahead(m[1]) + mutual_ahead(m[5]) * w.stride + mutual_ahead(m[9]) * w.slice;
    w.flat = l->size[2] == 1 && l->moving_size[2] == 1 && m[8] == 0 && m[9] == 0 && m[11] == 0;
    return w;
}

/* count(walk, run) is inlined: the walk's numbers stay in registers. */
static inline __attribute__((always_inline)) void mutual_walk_rows(const cpu_mutual_rows *r,
                                                                   void (*count)(mutual_walk *, const mutual_run *)) {
    static const int32_t whole[3] = {0, 0, 0};
    const cpu_mutual_level *l = r->level;
    mutual_walk w = mutual_begin(r);
    for (int i = r->first; i < r->last; i++)
        for (int x = 0; x < l->size[0]; x += ENDO_MUTUAL_RUN) {
            int left = l->size[0] - x;
            mutual_run run = {.fixed = l->fixed + i * l->fixed_stride + x, .from = 0,
                              .to = left < ENDO_MUTUAL_RUN ? left : ENDO_MUTUAL_RUN};
            int32_t at[3];
            if (r->window) mutual_clip(l, &r->window->map, r->window->margin, x, i % l->size[1], i / l->size[1], &run, at);
            mutual_clip(l, r->map, whole, x, i % l->size[1], i / l->size[1], &run, at);
            if (run.from == run.to) continue;
            for (int k = 0; k < 3; k++) run.position[k] = at[k] + w.half[k];
            run.gain = endo_mutual_run_start(r->map->gain, x, i % l->size[1], i / l->size[1]);
            count(&w, &run);
        }
    r->counts[w.hot] += w.hot_count;
}

#endif
