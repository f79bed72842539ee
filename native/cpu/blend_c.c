/* Blending in plain C. */
#include "blend_rows.h"

static void block_row_c(const cpu_block_row *row, endo_pixel type, endo_blend_block *blocks, uint8_t *clipped) {
    switch (type) {
    case ENDO_RGB32:
        for (int i = 0; i < row->n; i++) block_rgb(row, i, &blocks[i], &clipped[i]);
        break;
    case ENDO_GREY16:
        for (int i = 0; i < row->n; i++) block_grey16(row, i, &blocks[i], &clipped[i]);
        break;
    case ENDO_GREY8:
        for (int i = 0; i < row->n; i++) block_grey8(row, i, &blocks[i], &clipped[i]);
        break;
    }
}

static void add_run_c(const cpu_blend_run *run, endo_pixel type) {
    switch (type) {
    case ENDO_RGB32: add_rgb_pixels(run, 0); break;
    case ENDO_GREY16: add_grey16_pixels(run, 0); break;
    case ENDO_GREY8: add_grey8_pixels(run, 0); break;
    }
}

const cpu_blend_loops cpu_blend_c = {
    .block_row = block_row_c,
    .add_run = add_run_c,
};
