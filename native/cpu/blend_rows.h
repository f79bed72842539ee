/* Rows of blocks and of cubic samples in plain C. */
#ifndef ENDO_CPU_BLEND_ROWS_H
#define ENDO_CPU_BLEND_ROWS_H

#include "blend_loops.h"

#include "rules/sampling.h"

enum { SIDE = ENDO_BLEND_SIDE };

/* A colour of which each channel, and what no channel has, is this. */
#define ALL_CHANNELS(value) (0x01010101u * (value))

/* ------------------------------------------------------------------- blocks */

static inline endo_blend_block sum_of(uint32_t first, uint32_t second, uint32_t third) {
    return (endo_blend_block){{(uint16_t)first, (uint16_t)second, (uint16_t)third}, 0};
}

static inline void sum_rgb(const cpu_block_row *r, int i, endo_blend_block *sum, uint8_t *clipped) {
    const uint32_t *p = (const uint32_t *)r->pixels + SIDE * i;
    uint32_t even = 0, odd = 0; /* two channels each: 12 bits of 16 */
    int any = 0;
    for (int y = 0; y < SIDE; y++, p += r->stride)
        for (int x = 0; x < SIDE; x++) {
            even += p[x] & 0xff00ff, odd += p[x] >> 8 & 0xff;
            any |= endo_blend_clipped_rgb(p[x]);
        }
    *sum = sum_of(even & 0xffff, odd, even >> 16);
    *clipped = (uint8_t)any;
}

static inline void sum_grey16(const cpu_block_row *r, int i, endo_blend_block *block, uint8_t *clipped) {
    const uint16_t *p = (const uint16_t *)r->pixels + SIDE * i;
    uint32_t sum = 0;
    int any = 0;
    for (int y = 0; y < SIDE; y++, p += r->stride)
        for (int x = 0; x < SIDE; x++) sum += p[x], any |= p[x] >= r->clipped;
    *block = sum_of(sum >> 8, 0, 0);
    *clipped = (uint8_t)any;
}

static inline void sum_grey8(const cpu_block_row *r, int i, endo_blend_block *block, uint8_t *clipped) {
    const uint8_t *p = r->pixels + SIDE * i;
    uint32_t sum = 0;
    int any = 0;
    for (int y = 0; y < SIDE; y++, p += r->stride)
        for (int x = 0; x < SIDE; x++) sum += p[x], any |= p[x] >= ENDO_SPECULAR_GREY;
    *block = sum_of(sum, 0, 0);
    *clipped = (uint8_t)any;
}

static inline void shade_values(const cpu_shade_row *r, int i, endo_blend_block *block) {
    const uint16_t *value = r->sums[i].value;
    uint32_t white = endo_blend_white_of(value[0], value[1], value[2]);
    for (int c = 0; c < 3; c++)
        block->value[c] = (uint16_t)endo_blend_shade(value[c], white, r->factors[i], r->gain[c], ENDO_BLEND_MOST);
}

/* Blocks whose scores are found together. */
enum { SCORED = 64 };

/* Scores of blocks from i on, n of them: a pixel that is clipped takes from those around its block, too. In loops that
 * compilers make vector code of. */
static inline void score_blocks(const cpu_shade_row *r, int i, int n, uint16_t *scores) {
    const uint8_t *a = r->clipped[0] + i, *h = r->clipped[1] + i, *b = r->clipped[2] + i, *depths = r->depths + i;
    uint8_t any[SCORED + 2];
    for (int k = 0; k < n + 2; k++) any[k] = a[k - 1] | h[k - 1] | b[k - 1];
    for (int k = 0; k < n; k++)
        scores[k] = (uint16_t)endo_blend_score(depths[k], r->weight, any[k] | any[k + 1] | any[k + 2]);
}

/* -------------------------------------------------------------------- cells */

/* The surroundings of the block whose middle is nearest to (u, v). */
static inline uint8_t surroundings_at(const cpu_cell_run *r, int64_t u, int64_t v) {
    int64_t column = (u + 128) >> 8, row = (v + 128) >> 8;
    return column >= 0 && row >= 0 && column < r->columns && row < r->rows ? r->surroundings[row * r->columns + column]
                                                                                  : ENDO_BLEND_SOME;
}

static inline void visit_cell(const cpu_cell_run *r, int i) {
    int64_t u = (r->u + i * r->step_u) >> 26, v = (r->v + i * r->step_v) >> 26;
    endo_blend_observation observation;
    if (r->second && r->inside) r->inside[i] = surroundings_at(r, u, v);
    if (!endo_blend_observe(r->blocks, r->columns, r->rows, u, v, &observation)) return;
    endo_blend_cell cell = cpu_blend_cell(r->cells + i, r->across);
    if (r->second) r->weights[i] = (uint16_t)endo_blend_weigh(&cell, &observation, r->tolerance);
    else endo_blend_first_pass(&cell, &observation);
    cpu_blend_set_cell(r->cells + i, r->across, &cell);
}

/* Asks the memory for the blocks that the next row of cells will want below cells i .. i + n - 1. A cache line holds eight. */
static inline void fetch_blocks(const cpu_cell_run *r, int i, int n) {
    int64_t x = (r->u + i * r->step_u) >> 34, y = ((r->v + i * r->step_v) >> 34) + 2;
    const endo_blend_block *ahead = r->blocks + y * r->columns + x;
    for (int k = 0; k <= n; k += 8) __builtin_prefetch(ahead + k);
}

/* ------------------------------------------------------------------- pixels */

typedef struct blend_place {
    ptrdiff_t index;
    const int8_t *across, *down;
} blend_place;

/* Pixel i, whose place is (x, y), takes part. 0: the frame may not be sampled there, or has no weight. */
static inline int blend_place_of(const cpu_blend_run *r, int i, int64_t x, int64_t y, blend_place *p) {
    int32_t px = (int32_t)endo_position8(x), py = (int32_t)endo_position8(y);
    p->index = (py >> 8) * r->stride + (px >> 8);
    if (!r->bicubic[p->index]) return 0;
    p->across = r->taps[px & 255], p->down = r->taps[py & 255];
    if (r->coverage[i] < 65535) r->coverage[i]++;
    return r->weights[i] != 0;
}

static inline int blend_place_at(const cpu_blend_run *r, int i, blend_place *p) {
    return blend_place_of(r, i, r->px + i * r->step_x, r->py + i * r->step_y, p);
}

static inline void add_rgb_pixels(const cpu_blend_run *r, int from, int to) {
    for (int i = from; i < to; i++) {
        blend_place p;
        uint32_t weight = r->weights[i], *sums = (uint32_t *)r->sums + 4 * (size_t)i;
        if (!blend_place_at(r, i, &p) || !endo_blend_takes(sums[3], weight)) continue;
        const uint32_t *row = (const uint32_t *)r->pixels + p.index - r->stride - 1;
        int32_t sum[3] = {0, 0, 0};
        for (int v = 0; v < 4; v++, row += r->stride)
            for (int c = 0; c < 3; c++) {
                int32_t along = 0;
                for (int u = 0; u < 4; u++) along += p.across[u] * (int32_t)(row[u] >> 8 * c & 255);
                sum[c] += p.down[v] * along;
            }
        uint32_t value[3] = {endo_blend_value8(sum[0]), endo_blend_value8(sum[1]), endo_blend_value8(sum[2])};
        uint32_t white = endo_blend_white_of(value[0], value[1], value[2]);
        for (int c = 0; c < 3; c++)
            sums[c] += weight * endo_blend_shade(value[c], white, r->factors[p.index], r->gain[c], ENDO_BLEND_MOST);
        sums[3] += weight;
    }
}

static inline void add_grey8_pixels(const cpu_blend_run *r) {
    for (int i = r->lead; i < r->n; i++) {
        blend_place p;
        uint32_t weight = r->weights[i], *sums = (uint32_t *)r->sums + 2 * (size_t)i;
        if (!blend_place_at(r, i, &p) || !endo_blend_takes(sums[1], weight)) continue;
        const uint8_t *row = r->pixels + p.index - r->stride - 1;
        int32_t sum = 0;
        for (int v = 0; v < 4; v++, row += r->stride)
            for (int u = 0; u < 4; u++) sum += p.down[v] * p.across[u] * row[u];
        uint32_t value = endo_blend_value8(sum);
        sums[0] += weight * endo_blend_shade(value, endo_blend_white(value), r->factors[p.index], r->gain[0], ENDO_BLEND_MOST);
        sums[1] += weight;
    }
}

static inline void add_grey16_pixels(const cpu_blend_run *r) {
    for (int i = r->lead; i < r->n; i++) {
        blend_place p;
        uint32_t weight = r->weights[i];
        uint64_t *sums = (uint64_t *)r->sums + 2 * (size_t)i;
        if (!blend_place_at(r, i, &p) || !endo_blend_takes((uint32_t)sums[1], weight)) continue;
        const uint16_t *row = (const uint16_t *)r->pixels + p.index - r->stride - 1;
        int32_t sum = 0;
        for (int v = 0; v < 4; v++, row += r->stride)
            for (int u = 0; u < 4; u++) sum += p.down[v] * p.across[u] * row[u];
        uint32_t value = endo_blend_value16(sum);
        uint32_t white = endo_blend_white(value >> 4);
        sums[0] += (uint64_t)weight * endo_blend_shade(value, white, r->factors[p.index], r->gain[0], ENDO_BLEND_MOST16);
        sums[1] += weight;
    }
}

#endif
