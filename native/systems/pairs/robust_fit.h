/* A robust weighted fit to what the patches of a pair say, of an affine motion and up to three numbers more: patches count
 * by their precisions, and less the further they lie from the motion, over the scale of all. Its rounds alternate with the
 * equations of who fits (patch_fit.c, distortion_fit.c), which know what the numbers mean. */
#ifndef ENDO_SYSTEMS_ROBUST_FIT_H
#define ENDO_SYSTEMS_ROBUST_FIT_H

#include "include/endorama/context.h"
#include "rules/patch_step.h"

/* The affine numbers come first: x' by 1, x and y, then y'. */
#define ROBUST_AFFINE 6
#define ROBUST_MOST_MORE 3
#define ROBUST_MOST (ROBUST_AFFINE + ROBUST_MOST_MORE)

/* Columns of patches. The first ones lie as rules/patch_step.h has them, for its rules of relief, with what a motion leaves
 * of the shifts in the place of the shifts; `MORE` is x and y of each further number. */
enum {
    ROBUST_X = ENDO_STEP_X,
    ROBUST_Y = ENDO_STEP_Y,
    ROBUST_LEFT_X = ENDO_STEP_DX,
    ROBUST_LEFT_Y = ENDO_STEP_DY,
    ROBUST_XX = ENDO_STEP_XX,
    ROBUST_XY = ENDO_STEP_XY,
    ROBUST_YY = ENDO_STEP_YY,
    ROBUST_NOISE = ENDO_STEP_NOISE,
    ROBUST_WEIGHT = ENDO_STEP_WEIGHT,
    ROBUST_SQUARES, /* of what is left, by the precisions */
    ROBUST_DX,
    ROBUST_DY,
    ROBUST_MORE,
    ROBUST_COLUMNS = ROBUST_MORE + 2 * ROBUST_MOST_MORE
};

/* Numbers that a fit of n patches with `more` further numbers needs room for: the columns, and two for medians. */
#define ROBUST_ROOM(n, more) ((ROBUST_MORE + 2 * (more) + 2) * ((size_t)(n) + 3))

/* Weighted sums over patches: of each number of their precisions, times 1, x, y, x x, x y and y y; of what the precisions
 * make of their shifts, times 1, x and y; and of each further number's column, in the metric of the precisions, along and
 * down times 1, x and y, times the columns of itself and of those before, times the shifts. */
typedef struct robust_sums {
    double xx[6], xy[6], yy[6];
    double along[3], down[3];
    double squares, weights;
    double share, whole; /* of the precisions: without noise, and all */
    double more_along[ROBUST_MOST_MORE][3], more_down[ROBUST_MOST_MORE][3], products[6], pulls[ROBUST_MOST_MORE];
} robust_sums;

typedef struct robust_fit {
    endo_cpu cpu;        /* the limit of the instruction sets */
    int more;            /* further numbers: 0, 2 or 3 */
    size_t n, filled;    /* patches; with what fills up the last four */
    double *of[ROBUST_COLUMNS], *rest; /* the columns, and 2 n numbers beyond them */
    double numbers[ROBUST_MOST]; /* x' by 1, x and y, then y', then the further ones: who fits sets them after each round */
    double scale;        /* what the squared distances are of what the precisions say */
    double relief;       /* variance of each axis, px^2, by which tissue moves against itself; 0: none was found */
    robust_sums sums;
} robust_fit;

/* room: ROBUST_ROOM(n, more) numbers. The columns are 0 where there is no patch; the caller fills in those of the patches:
 * places, shifts, precisions, noise, and what the further numbers move. */
void robust_fit_begin(robust_fit *f, endo_cpu cpu, size_t n, int more, double *room);

/* What the numbers leave of the shifts, and its squares. */
void robust_fit_measure(robust_fit *f);

/* Round 0 .. ENDO_STEP_ROUNDS - 1 up to the sums, from which the caller finds the next numbers. */
void robust_fit_round(robust_fit *f, int round);

/* The share of the patches' precision that is the scene's and not noise: ENDO_STEP_LEAST_SHARE..1. */
double robust_fit_share(const robust_sums *sums);

/* Writes the weights of the last round. */
void robust_fit_weigh(const robust_fit *f, endo_patch *patches);

#endif
