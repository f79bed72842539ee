/* A robust weighted fit of an affine motion, and of up to three further parameters, to the patches of a pair. Patches count
 * by their precisions, and less the further they lie from the motion, over the scale of all. The rounds alternate with the
 * equations of the caller (patch_fit.c, distortion_fit.c), who knows what the parameters mean. */
#ifndef ENDO_SYSTEMS_ROBUST_FIT_H
#define ENDO_SYSTEMS_ROBUST_FIT_H

#include "include/endorama/context.h"
#include "rules/patch_step.h"

/* The affine parameters come first: x' by 1, x and y, then y'. */
#define ROBUST_AFFINE 6
#define ROBUST_MOST_MORE 3
#define ROBUST_MOST (ROBUST_AFFINE + ROBUST_MOST_MORE)

/* Columns of patches. The first ones are in the order of rules/patch_step.h, for its rules of relief, with the residuals of
 * the shifts where that has the shifts; `MORE`: x and y of each further parameter. */
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
    ROBUST_SQUARES, /* squared residuals, by the precisions */
    ROBUST_DX,
    ROBUST_DY,
    ROBUST_MORE,
    ROBUST_COLUMNS = ROBUST_MORE + 2 * ROBUST_MOST_MORE
};

/* Numbers in the workspace of a fit of n patches with `more` further parameters: the columns, and two for medians. */
#define ROBUST_WORKSPACE(n, more) ((ROBUST_MORE + 2 * (more) + 2) * ((size_t)(n) + 3))

/* Weighted sums over patches: each number of the precisions times 1, x, y, x x, x y and y y; the precisions by the shifts,
 * times 1, x and y; and each further parameter's column, in the metric of the precisions, along and down times 1, x and y,
 * times the columns up to its own, and times the shifts. */
typedef struct robust_sums {
    double xx[6], xy[6], yy[6];
    double along[3], down[3];
    double squares, weights;
    double share, whole; /* precisions, without noise and with it */
    double more_along[ROBUST_MOST_MORE][3], more_down[ROBUST_MOST_MORE][3], products[6], pulls[ROBUST_MOST_MORE];
} robust_sums;

typedef struct robust_fit {
    endo_cpu cpu;        /* the limit of the instruction sets */
    int more;            /* further parameters: 0, 2 or 3 */
    size_t n, filled;    /* patches; rounded up to a multiple of four */
    double *of[ROBUST_COLUMNS]; /* the columns */
    double *rest;        /* 2 n numbers beyond the columns */
    double parameters[ROBUST_MOST]; /* affine ones, then the further ones: the caller sets them after each round */
    double scale;        /* squared residuals over those that the precisions predict */
    double relief;       /* variance of each axis, px^2, by which tissue moves against itself; 0: none was found */
    robust_sums sums;
} robust_fit;

/* workspace: ROBUST_WORKSPACE(n, more) numbers. Columns are 0 where there is no patch; the caller fills in those of the
 * patches: positions, shifts, precisions, noise, and what the further parameters move. */
void robust_fit_begin(robust_fit *f, endo_cpu cpu, size_t n, int more, double *workspace);

/* The residuals of the shifts under the parameters, and their squares. */
void robust_fit_measure(robust_fit *f);

/* Round 0 .. ENDO_STEP_ROUNDS - 1 up to the sums, from which the caller finds the next parameters. */
void robust_fit_round(robust_fit *f, int round);

/* Share of the patches' precision that is the scene's and not noise: ENDO_STEP_LEAST_SHARE..1. */
double robust_fit_share(const robust_sums *sums);

/* Writes the weights of the last round. */
void robust_fit_weigh(const robust_fit *f, endo_patch *patches);

#endif
