/* Holes of a blend: cells where the frames that see them well show a highlight, and others are painted instead.
 *
 * A highlight has hardly any weight, so other frames are painted there. Where tissue is not flat, or its light moves with the
 * scope, they have another brightness, and paint a patch with the highlight's outline. So the step at its edge is taken out:
 * by how much the cells beyond are brighter than those within, left, right, above and below, the nearer the more. As far as
 * frames agree beyond the edge they agree within, and the step is the scene's. */
#ifndef ENDO_RULES_BLEND_HOLES_H
#define ENDO_RULES_BLEND_HOLES_H

#include "blend_finish.h"

/* Most cells to the edge of a hole: a power of two, and one of those that divide WHOLE. */
#define ENDO_BLEND_HOLE_FAR 16
/* Cells on either side of the edge that tell the step. */
#define ENDO_BLEND_HOLE_BESIDE 3
/* Least score of the best frame: below it all is highlight, or the rim. */
#define ENDO_BLEND_HOLE_LEAST 16
/* A share that 1..16 divide. */
#define ENDO_BLEND_HOLE_WHOLE 720720
/* How many cells in each direction the lift of a cell depends on. */
#define ENDO_BLEND_HOLE_REACH (ENDO_BLEND_HOLE_FAR + ENDO_BLEND_HOLE_BESIDE)
/* How many cells in each direction a pixel depends on. */
#define ENDO_BLEND_REACH (ENDO_BLEND_LIGHT_REACH + ENDO_BLEND_HOLE_REACH + 1)

/* A rectangle of cells. light: three numbers for each, in 1/4096 of the range with FINE fractional bits, which are added to
 * its narrow mean. */
typedef struct endo_blend_holes {
    const endo_blend_cell *cells;
    const int32_t *light;
    int columns, rows;
    uint32_t *weights; /* endo_blend_hole_weight of each */
    int32_t *lifts;    /* three for each, in the unit of light; 0 outside of holes */
    uint8_t *holes;    /* ENDO_BLEND_IN_HOLE, ENDO_BLEND_BESIDE_HOLE or 0 */
} endo_blend_holes;

enum { ENDO_BLEND_BESIDE_HOLE = 1, ENDO_BLEND_IN_HOLE };

/* A side of a cell of a hole: the number of cells there, and the index of the first one beyond the edge, 0: none. */
typedef struct endo_blend_side {
    ptrdiff_t step;
    int cells;
    int k;
} endo_blend_side;

/* A step, and its weight. */
typedef struct endo_blend_lift {
    int64_t sums[3];
    int64_t shares;
} endo_blend_lift;

/* By which holes are found. */
ENDO_HD uint32_t endo_blend_hole_weight(const endo_blend_cell *cell) {
    return cell->broad_weight ? cell->first_pass_weight : 0;
}

/* Whether a cell of this weight is beyond the edge: it weighs over one and a half times `of`. */
ENDO_HD int endo_blend_is_beyond(uint32_t weight, uint32_t of) { return 2 * (uint64_t)weight > 3 * (uint64_t)of; }

/* Whether a cell may be in a hole at all. */
ENDO_HD int endo_blend_may_be_hole(const endo_blend_cell *cell, uint32_t weight) {
    return weight && cell->best >= ENDO_BLEND_HOLE_LEAST;
}

ENDO_HD int endo_blend_hole_edge(const uint32_t *weight, const endo_blend_side *side) {
    for (int k = 1; k <= side->cells && k <= ENDO_BLEND_HOLE_FAR; k++)
        if (endo_blend_is_beyond(weight[k * side->step], *weight)) return k;
    return 0;
}

/* How far the best of the frames contradicts all of them: from one tolerance, 0, to two. */
ENDO_HD int64_t endo_blend_contradiction(int64_t doubt) {
    int64_t more = doubt - ENDO_BLEND_TOLERANCE;
    return more < 0 ? 0 : more > ENDO_BLEND_TOLERANCE ? ENDO_BLEND_TOLERANCE : more;
}

/* Adds the painted light of a cell, without lifts. */
ENDO_HD void endo_blend_add_painted(const endo_blend_holes *h, size_t i, int64_t sums[3]) {
    const endo_blend_cell *cell = h->cells + i;
    for (int c = 0; c < 3; c++) {
        if (cell->narrow_weight)
            sums[c] += (int64_t)endo_blend_mean(cell->narrow[c], cell->narrow_weight) * (1 << ENDO_BLEND_FINE) +
                       h->light[3 * i + (size_t)c];
        else sums[c] += endo_blend_broad_value(cell, c);
    }
}

ENDO_HD void endo_blend_take_side(const endo_blend_holes *h, size_t at, const endo_blend_side *s, endo_blend_lift *l) {
    int64_t beyond[3] = {0, 0, 0};
    int64_t within[3] = {0, 0, 0};
    int64_t doubt = 0;
    int n = 0;
    int m = 0;
    for (int k = s->k; k < s->k + ENDO_BLEND_HOLE_BESIDE && k <= s->cells; k++, n++) {
        size_t i = at + (size_t)(k * s->step);
        if (!endo_blend_is_beyond(h->weights[i], h->weights[at])) break;
        endo_blend_add_painted(h, i, beyond);
        doubt += h->cells[i].doubt;
    }
    for (int k = s->k - 1; k >= 0 && m < ENDO_BLEND_HOLE_BESIDE && h->weights[at + (size_t)(k * s->step)]; k--, m++)
        endo_blend_add_painted(h, at + (size_t)(k * s->step), within);
    if (!n || !m) return;
    int64_t share = ENDO_BLEND_HOLE_WHOLE / s->k;
    int64_t part = share * endo_blend_contradiction(doubt / n);
    for (int c = 0; c < 3; c++) l->sums[c] += part * (beyond[c] / n - within[c] / m);
    l->shares += share * ENDO_BLEND_TOLERANCE;
}

/* Lifts a cell, and marks it, if it lies in a hole: with an edge on two sides that face each other. */
ENDO_HD void endo_blend_lift_cell(const endo_blend_holes *h, int column, int row) {
    size_t i = (size_t)row * (size_t)h->columns + (size_t)column;
    endo_blend_side sides[4] = {{-1, column, 0}, {1, h->columns - 1 - column, 0},
                                {-h->columns, row, 0}, {h->columns, h->rows - 1 - row, 0}};
    endo_blend_lift l = {{0, 0, 0}, 0};
    if (!endo_blend_may_be_hole(h->cells + i, h->weights[i])) return;
    for (int s = 0; s < 4; s++) sides[s].k = endo_blend_hole_edge(h->weights + i, &sides[s]);
    if (!(sides[0].k && sides[1].k) && !(sides[2].k && sides[3].k)) return;
    for (int s = 0; s < 4; s++)
        if (sides[s].k) endo_blend_take_side(h, i, &sides[s], &l);
    for (int c = 0; c < 3 && l.shares; c++) h->lifts[3 * i + (size_t)c] = (int32_t)(l.sums[c] / l.shares);
    h->holes[i] = ENDO_BLEND_IN_HOLE;
}

/* The cells between whose middles the pixel i, j = 0..3 of a cell lies, as endo_blend_between takes them. */
ENDO_HD void endo_blend_cells_around(int columns, int rows, int column, int row, int i, int j, size_t at[4]) {
    int beside = endo_blend_neighbour(i);
    int above = endo_blend_neighbour(j);
    if (column + beside < 0 || column + beside >= columns) beside = 0;
    if (row + above < 0 || row + above >= rows) above = 0;
    size_t cell = (size_t)row * (size_t)columns + (size_t)column;
    size_t next = (size_t)((ptrdiff_t)above * columns);
    at[0] = cell;
    at[1] = cell + (size_t)beside;
    at[2] = cell + next;
    at[3] = cell + next + (size_t)beside;
}

/* The lift of channel c at the pixel i, j of a cell; 0 but in a hole or beside it. A hole keeps all of its lift up to its
 * edge. */
ENDO_HD int32_t endo_blend_lift_at(const endo_blend_holes *h, int column, int row, int i, int j, int c) {
    size_t at[4];
    int32_t v[4];
    endo_blend_cells_around(h->columns, h->rows, column, row, i, j, at);
    int in_hole = h->holes[at[0]] == ENDO_BLEND_IN_HOLE;
    for (int k = 0; k < 4; k++) {
        size_t from = in_hole && h->holes[at[k]] != ENDO_BLEND_IN_HOLE ? at[0] : at[k];
        v[k] = h->lifts[3 * from + (size_t)c];
    }
    return endo_blend_between(i, j, v);
}

#endif
