/* Inner loops of blending. */
#ifndef ENDO_CPU_BLEND_LOOPS_H
#define ENDO_CPU_BLEND_LOOPS_H

#include "include/endorama.h"
#include "rules/blend.h"

#include <stddef.h>
#include <stdint.h>

/* A row of blocks of a frame, as its pixels are. */
typedef struct cpu_block_row {
    const uint8_t *pixels; /* of its first row */
    ptrdiff_t stride;      /* elements */
    int n;
    uint32_t clipped; /* 16 bit: the least pixel that is */
} cpu_block_row;

/* A row of blocks to be corrected and scored. */
typedef struct cpu_shade_row {
    const endo_blend_block *sums;
    const uint8_t *clipped[3]; /* of the row above, of this row and of the one below; one before the first is read, and one
                                  behind the last */
    const uint8_t *depths;
    int n;
    const uint16_t *factors; /* of each block */
    uint32_t gain[3], weight;
} cpu_shade_row;

/* Columns of a cell's numbers, each a plane of `across` elements: endo_blend_cell with its fields apart. */
enum {
    CPU_CELL_FIRST_PASS,
    CPU_CELL_FIRST_PASS_WEIGHT = 3,
    CPU_CELL_BROAD,
    CPU_CELL_BROAD_WEIGHT = 7,
    CPU_CELL_NARROW,
    CPU_CELL_NARROW_WEIGHT = 11,
    CPU_CELL_BEST, /* and `doubt` in the upper half */
    CPU_CELL_PLANES
};

static inline endo_blend_cell cpu_blend_cell(const uint32_t *p, ptrdiff_t across) {
    endo_blend_cell cell;
    for (int c = 0; c < 3; c++) {
        cell.first_pass[c] = p[(CPU_CELL_FIRST_PASS + c) * across];
        cell.broad[c] = p[(CPU_CELL_BROAD + c) * across];
        cell.narrow[c] = p[(CPU_CELL_NARROW + c) * across];
    }
    cell.first_pass_weight = p[CPU_CELL_FIRST_PASS_WEIGHT * across];
    cell.broad_weight = p[CPU_CELL_BROAD_WEIGHT * across];
    cell.narrow_weight = p[CPU_CELL_NARROW_WEIGHT * across];
    cell.best = (uint16_t)(p[CPU_CELL_BEST * across] & 0xffff);
    cell.doubt = (uint16_t)(p[CPU_CELL_BEST * across] >> 16);
    return cell;
}

static inline void cpu_blend_set_cell(uint32_t *p, ptrdiff_t across, const endo_blend_cell *cell) {
    for (int c = 0; c < 3; c++) {
        p[(CPU_CELL_FIRST_PASS + c) * across] = cell->first_pass[c];
        p[(CPU_CELL_BROAD + c) * across] = cell->broad[c];
        p[(CPU_CELL_NARROW + c) * across] = cell->narrow[c];
    }
    p[CPU_CELL_FIRST_PASS_WEIGHT * across] = cell->first_pass_weight;
    p[CPU_CELL_BROAD_WEIGHT * across] = cell->broad_weight;
    p[CPU_CELL_NARROW_WEIGHT * across] = cell->narrow_weight;
    p[CPU_CELL_BEST * across] = (uint32_t)cell->best | (uint32_t)cell->doubt << 16;
}

/* A run of n cells of a tile's row whose pixels (1, 1) lie in the frame. */
typedef struct cpu_cell_run {
    const endo_blend_block *blocks;
    const uint8_t *surroundings; /* as kernels.h says, and 3 bytes more */
    int columns, rows;    /* of blocks */
    int64_t u, v;         /* endo_blend_block_position of the first, 26 bits more */
    int64_t step_u, step_v;
    int n, second;
    uint32_t *cells; /* the first; the planes lie `across` apart */
    int across;
    uint32_t tolerance;
    const uint16_t *votes; /* endo_blend_vote of 0 .. CPU_VOTES * tolerance; NULL: no votes */
    uint16_t *weights;     /* second pass: written where the frame shows something */
    uint8_t *inside;       /* second pass: of each cell, the surroundings of the nearest block; NULL: not asked for */
} cpu_cell_run;

/* With so many tolerances a vote is 0. */
#define CPU_VOTES 4

/* A run of n pixels of the blend from the first of a cell on; those before `lead` are left out, the places of the others
 * all lie in the frame (32 fractional bits). */
typedef struct cpu_blend_run {
    const uint8_t *pixels, *bicubic; /* of the frame; where it may be sampled */
    const uint16_t *factors;
    ptrdiff_t stride; /* of the three, in elements */
    int64_t px, py;   /* place of the first pixel */
    int64_t step_x, step_y;
    int lead, n;
    const int8_t (*taps)[4]; /* endo_blend_taps of 0..255 */
    const uint32_t *gain;    /* of three channels */
    const uint16_t *weights; /* of each pixel, of whole cells */
    const uint8_t *inside;   /* of each cell, and 3 bytes more: at which of its pixels the frame may be sampled */
    void *sums;              /* endo_blend_sum_size for each */
    uint16_t *coverage;
} cpu_blend_run;

/* Most pixels of a run that is finished: those of a row of a tile. */
#define CPU_FINISH_MOST 512

/* Light of a row of n cells, to be interpolated for a row of pixels. */
typedef struct cpu_light_row {
    const int32_t *near; /* three numbers for each cell of the pixels' own row; one before the first and one behind the last */
    const int32_t *far;  /* of the row of cells above or below, likewise */
    int32_t down;        /* share of `near`, of 8 */
    int before, behind;  /* 0: there is no cell before the first, or behind the last */
    int n;               /* up to CPU_FINISH_MOST / 4 */
} cpu_light_row;

/* A run of n pixels that are finished. */
typedef struct cpu_finish_run {
    const void *sums; /* endo_blend_sum_size for each */
    const uint16_t *coverage;
    const int32_t *light[3]; /* of each pixel, by channel; for grey the first */
    int n;
    void *pixels;
    uint8_t *painted; /* may be NULL, as `covered`, which becomes the coverage of painted pixels */
    uint16_t *covered;
} cpu_finish_run;

typedef struct cpu_blend_loops {
    /* The blocks' values as they are, 0 for a score, and whether a pixel of them is clipped (1 or 0). */
    void (*sum_row)(const cpu_block_row *row, endo_pixel type, endo_blend_block *sums, uint8_t *clipped);
    void (*shade_row)(const cpu_shade_row *row, endo_blend_block *blocks);
    void (*visit_cells)(const cpu_cell_run *run);
    /* Weights of the pixels of a row of n cells, from those of the cells and of the row of cells beside it; the cells before
     * the first and behind the last are read, too. down: the share of the nearer row. */
    void (*spread)(const uint16_t *near, const uint16_t *far, uint32_t down, int n, uint16_t *weights);
    void (*add_run)(const cpu_blend_run *run, endo_pixel type);
    /* Light of the four pixels of each cell, for so many channels. */
    void (*light_row)(const cpu_light_row *row, int channels, int32_t *light[3]);
    /* Pixels without weight become 0, not painted; returns how many of them are covered. */
    int (*finish_run)(const cpu_finish_run *run, endo_pixel type);
} cpu_blend_loops;

extern const cpu_blend_loops cpu_blend_c;
#ifdef ENDO_X86
extern const cpu_blend_loops cpu_blend_avx2;
extern const cpu_blend_loops cpu_blend_avx512;
/* add_run of cpu_blend_avx512 for colour: the second one where the machine has VBMI, too. */
void cpu_blend_add_rgb_avx512(const cpu_blend_run *run);
void cpu_blend_add_near_avx512(const cpu_blend_run *run);
#endif

#endif
