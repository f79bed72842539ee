/* Blending with AVX2. */
#include "blend_rows.h"

static void block_row_avx2(const cpu_block_row *row, endo_pixel type, endo_blend_block *blocks, uint8_t *clipped) {
    cpu_blend_c.block_row(row, type, blocks, clipped);
}

static void add_run_avx2(const cpu_blend_run *run, endo_pixel type) { cpu_blend_c.add_run(run, type); }

const cpu_blend_loops cpu_blend_avx2 = {
    .block_row = block_row_avx2,
    .add_run = add_run_avx2,
};
