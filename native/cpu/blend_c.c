/* Blending in plain C. */
#include "blend_finish_rows.h"
#include "blend_rows.h"

static void sum_row_c(const cpu_block_row *row, endo_pixel type, endo_blend_block *sums, uint8_t *clipped) {
    switch (type) {
    case ENDO_RGB32:
        for (int i = 0; i < row->n; i++) sum_rgb(row, i, &sums[i], &clipped[i]);
        break;
    case ENDO_GREY16:
        for (int i = 0; i < row->n; i++) sum_grey16(row, i, &sums[i], &clipped[i]);
        break;
    case ENDO_GREY8:
        for (int i = 0; i < row->n; i++) sum_grey8(row, i, &sums[i], &clipped[i]);
        break;
    }
}

static void shade_row_c(const cpu_shade_row *row, endo_blend_block *blocks) {
    uint16_t scores[SCORED];
    for (int i = 0; i < row->n; i++) {
        if (i % SCORED == 0) score_blocks(row, i, row->n - i < SCORED ? row->n - i : SCORED, scores);
        shade_values(row, i, &blocks[i]);
        blocks[i].score = scores[i % SCORED];
    }
}

static void add_run_c(const cpu_blend_run *run, endo_pixel type) {
    switch (type) {
    case ENDO_RGB32: add_rgb_pixels(run, run->lead, run->n); break;
    case ENDO_GREY16: add_grey16_pixels(run); break;
    case ENDO_GREY8: add_grey8_pixels(run); break;
    }
}

static void visit_cells_c(const cpu_cell_run *run) {
    for (int i = 0; i < run->n; i++) visit_cell(run, i);
}

static void spread_c(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights) {
    for (int i = 0; i < n; i++) {
        uint32_t left = down * near[i - 1] + (8 - down) * far[i - 1], centre = down * near[i] + (8 - down) * far[i];
        uint32_t right = down * near[i + 1] + (8 - down) * far[i + 1];
        uint16_t *out = weights + SIDE * i;
        out[0] = (uint16_t)((5 * centre + 3 * left + 32) >> 6), out[1] = (uint16_t)((7 * centre + left + 32) >> 6);
        out[2] = (uint16_t)((7 * centre + right + 32) >> 6), out[3] = (uint16_t)((5 * centre + 3 * right + 32) >> 6);
    }
}

const cpu_blend_loops cpu_blend_c = {
    .sum_row = sum_row_c,
    .shade_row = shade_row_c,
    .visit_cells = visit_cells_c,
    .spread = spread_c,
    .add_run = add_run_c,
    BLEND_FINISH_LOOPS,
};
