/* Holes of a blend.
 *
 * A highlight has hardly any weight, so other frames are painted there. Where tissue is not flat, or its light moves with the
 * scope, they have another brightness, and paint a patch with the highlight's outline. So the step at its edge is taken out:
 * by how much the cells beyond are brighter than those within, left, right, above and below, the nearer the more. As far as
 * frames agree beyond the edge they agree within, and the step is the scene's. */
#include "blend_holes.h"

#include <string.h>

enum {
    FAR = 16,   /* most cells to the edge of a hole: a power of two */
    BESIDE = 3, /* cells on either side of the edge that tell the step */
    LEAST = 16, /* least score of the best frame: below it all is highlight, or the rim */
    SIDES = 4,
    WHOLE = 720720 /* a share that 1..16 divide */
};

/* A side of a cell of a hole: the number of cells there, and the index of the first one beyond the edge. */
typedef struct side {
    ptrdiff_t step;
    int cells, k;
} side;

/* A step, and its weight. */
typedef struct lift {
    int64_t sums[3], shares;
} lift;

void endo_blend_holes_take(endo_blend_holes *h, endo_block *block) {
    size_t n = (size_t)h->columns * (size_t)h->rows;
    h->weights = endo_block_take(block, n, sizeof *h->weights);
    h->across = endo_block_take(block, n, sizeof *h->across);
    h->down = endo_block_take(block, n, sizeof *h->down);
    h->lifts = endo_block_take(block, n, 3 * sizeof *h->lifts);
    h->holes = endo_block_take(block, n, 1);
}

void endo_blend_holes_clear(endo_blend_holes *h) {
    size_t n = (size_t)h->columns * (size_t)h->rows;
    memset(h->lifts, 0, 3 * n * sizeof *h->lifts);
    memset(h->holes, 0, n);
}

/* ------------------------------------------------------------------- finding */

/* Whether a cell of this weight is beyond the edge: it weighs over one and a half times `of`. */
static int is_beyond(uint32_t weight, uint32_t of) { return 2 * (uint64_t)weight > 3 * (uint64_t)of; }

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Each of n numbers becomes the greatest of it and the FAR - 1 that follow, `step` apart; none follow the last `step`. */
static void spread(uint32_t *numbers, size_t n, size_t step) {
    for (size_t reach = step; reach < FAR * step; reach *= 2)
        for (size_t i = 0; i + reach < n; i++) numbers[i] = larger(numbers[i], numbers[i + reach]);
}

static void find_most(const endo_blend_holes *h, int threads) {
    size_t columns = (size_t)h->columns, rows = (size_t)h->rows;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t row = 0; row < rows; row++) {
        uint32_t *weights = h->weights + row * columns, *across = h->across + row * columns;
        for (size_t i = 0; i < columns; i++) {
            const endo_blend_cell *cell = h->cells + row * columns + i;
            weights[i] = cell->broad_weight ? cell->first_pass_weight : 0;
            across[i] = h->down[row * columns + i] = weights[i];
        }
        spread(across, columns, 1);
    }
    spread(h->down, rows * columns, columns);
}

/* Whether cells beyond an edge are among the FAR on both sides; most: the greatest weight of a cell and those behind it. Where
 * fewer cells lie in front, it may be one that lies behind. */
static int is_between(const uint32_t *most, ptrdiff_t step, int before, int behind, uint32_t weight) {
    if (!before || !behind || !is_beyond(most[step], weight)) return 0;
    return is_beyond(most[-step * (before < FAR ? before : FAR)], weight);
}

static int is_hole(const endo_blend_holes *h, int column, int row) {
    size_t i = (size_t)row * (size_t)h->columns + (size_t)column;
    uint32_t weight = h->weights[i];
    if (!weight || h->cells[i].best < LEAST) return 0;
    return is_between(h->across + i, 1, column, h->columns - 1 - column, weight) ||
           is_between(h->down + i, h->columns, row, h->rows - 1 - row, weight);
}

/* -------------------------------------------------------------------- lifting */

static int edge(const uint32_t *weight, const side *s) {
    for (int k = 1; k <= s->cells && k <= FAR; k++)
        if (is_beyond(weight[k * s->step], *weight)) return k;
    return 0;
}

/* How far the best of the frames contradicts all of them: from one tolerance, 0, to two. */
static int64_t contradiction(int64_t doubt) {
    int64_t more = doubt - ENDO_BLEND_TOLERANCE;
    return more < 0 ? 0 : more > ENDO_BLEND_TOLERANCE ? ENDO_BLEND_TOLERANCE : more;
}

static int64_t mean_of(uint32_t sum, uint32_t weight) { return (sum + weight / 2) / weight; }

/* Adds the painted light of a cell, without lifts. */
static void add_painted(const endo_blend_holes *h, size_t i, int64_t sums[3]) {
    const endo_blend_cell *cell = h->cells + i;
    for (int c = 0; c < 3; c++) {
        if (cell->narrow_weight)
            sums[c] += mean_of(cell->narrow[c], cell->narrow_weight) * (1 << h->fine) + h->light[3 * i + (size_t)c];
        else sums[c] += mean_of(cell->broad[c], cell->broad_weight) * (1 << h->fine);
    }
}

static void take_side(const endo_blend_holes *h, size_t at, const side *s, lift *l) {
    int64_t beyond[3] = {0, 0, 0}, within[3] = {0, 0, 0}, doubt = 0;
    int n = 0, m = 0;
    for (int k = s->k; k < s->k + BESIDE && k <= s->cells; k++, n++) {
        size_t i = at + (size_t)(k * s->step);
        if (!is_beyond(h->weights[i], h->weights[at])) break;
        add_painted(h, i, beyond);
        doubt += h->cells[i].doubt;
    }
    for (int k = s->k - 1; k >= 0 && m < BESIDE && h->weights[at + (size_t)(k * s->step)]; k--, m++)
        add_painted(h, at + (size_t)(k * s->step), within);
    if (!n || !m) return;
    int64_t share = WHOLE / s->k, part = share * contradiction(doubt / n);
    for (int c = 0; c < 3; c++) l->sums[c] += part * (beyond[c] / n - within[c] / m);
    l->shares += share * ENDO_BLEND_TOLERANCE;
}

static void lift_cell(const endo_blend_holes *h, int column, int row) {
    size_t i = (size_t)row * (size_t)h->columns + (size_t)column;
    side sides[SIDES] = {{-1, column, 0}, {1, h->columns - 1 - column, 0},
                         {-h->columns, row, 0}, {h->columns, h->rows - 1 - row, 0}};
    lift l = {{0, 0, 0}, 0};
    for (int s = 0; s < SIDES; s++) sides[s].k = edge(h->weights + i, &sides[s]);
    if (!(sides[0].k && sides[1].k) && !(sides[2].k && sides[3].k)) return;
    for (int s = 0; s < SIDES; s++)
        if (sides[s].k) take_side(h, i, &sides[s], &l);
    for (int c = 0; c < 3 && l.shares; c++) h->lifts[3 * i + (size_t)c] = (int32_t)(l.sums[c] / l.shares);
    h->holes[i] = ENDO_BLEND_IN_HOLE;
}

static void mark_around(const endo_blend_holes *h, int column, int row) {
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++) {
            if (x < 0 || y < 0 || x >= h->columns || y >= h->rows) continue;
            uint8_t *hole = &h->holes[(size_t)y * (size_t)h->columns + (size_t)x];
            if (!*hole) *hole = ENDO_BLEND_BESIDE_HOLE;
        }
}

void endo_blend_find_holes(const endo_blend_holes *h, int threads) {
    find_most(h, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int row = 0; row < h->rows; row++)
        for (int column = 0; column < h->columns; column++)
            if (is_hole(h, column, row)) lift_cell(h, column, row);
    for (int row = 0; row < h->rows; row++)
        for (int column = 0; column < h->columns; column++)
            if (h->holes[(size_t)row * (size_t)h->columns + (size_t)column] == ENDO_BLEND_IN_HOLE) mark_around(h, column, row);
}

/* --------------------------------------------------------------------- pixels */

/* Interpolates between the middles of cells; a hole keeps all of its lift up to its edge. */
int32_t endo_blend_lift_at(const endo_blend_holes *h, int column, int row, int i, int j, int c) {
    int beside = endo_blend_neighbour(i), above = endo_blend_neighbour(j);
    if (column + beside < 0 || column + beside >= h->columns) beside = 0;
    if (row + above < 0 || row + above >= h->rows) above = 0;
    size_t cell = (size_t)row * (size_t)h->columns + (size_t)column, next = (size_t)((ptrdiff_t)above * h->columns);
    size_t at[4] = {cell, cell + (size_t)beside, cell + next, cell + next + (size_t)beside};
    int32_t across = (int32_t)endo_blend_cell_share(i), down = (int32_t)endo_blend_cell_share(j), v[4];
    int in_hole = h->holes[cell] == ENDO_BLEND_IN_HOLE;
    for (int k = 0; k < 4; k++) {
        size_t from = in_hole && h->holes[at[k]] != ENDO_BLEND_IN_HOLE ? cell : at[k];
        v[k] = h->lifts[3 * from + (size_t)c];
    }
    return (down * (across * v[0] + (8 - across) * v[1]) + (8 - down) * (across * v[2] + (8 - across) * v[3])) / 64;
}
