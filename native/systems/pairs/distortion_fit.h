/* A robust weighted fit of more than an affine map to the patches of a pair: perspective, or a lens too. It is made in the
 * current frame, where both have one form, whatever the map is. */
#ifndef ENDO_SYSTEMS_DISTORTION_FIT_H
#define ENDO_SYSTEMS_DISTORTION_FIT_H

#include "patch_fit.h"

#include "base/transform.h"

/* The terms beside an affine map, and how many parameters they have. With q a position in the current frame, p that in the
 * reference which the map takes to q, both from the middle over `half` (patch_grid.h), and the parameters in px:
 *   PERSPECTIVE (2): q q_x and q q_y;
 *   BOTH (3): also a lens, q |q|^2 - L p |p|^2, L the map's derivative at p. Between shifted frames perspective and a lens
 *   look nearly alike, so the uncertainty of each includes the other. */
typedef enum endo_distortion_kind { ENDO_DISTORTION_PERSPECTIVE, ENDO_DISTORTION_BOTH } endo_distortion_kind;

/* Parameters: the affine ones first, x' by 1, x and y, then y'. */
#define ENDO_DISTORTION_AFFINE 6
#define ENDO_DISTORTION_MOST 9

/* Deviations of these parameters are larger than the fit says by this factor, since residuals of neighbouring patches are
 * alike (570 pairs of planes and lenses of known truth: 1.2). */
#define ENDO_DISTORTION_ALIKE 1.5
/* Prior standard deviation of the lens: scopes' distortion is seldom larger. */
#define ENDO_DISTORTION_PRIOR_LENS 0.3

typedef struct endo_distortion {
    int n; /* parameters, 8 or 9 */
    double parameters[ENDO_DISTORTION_MOST]; /* px of the current frame: where the patches are, less where the map takes
                                                 them; the lens shrunk by its prior (ENDO_DISTORTION_PRIOR_LENS) */
    double covariance[ENDO_DISTORTION_MOST][ENDO_DISTORTION_MOST]; /* by the patches' precisions alone, px^2 */
    double prior;         /* inverse variance of the lens's prior, px^-2 */
    double scale;         /* squared residuals over those that the precisions predict */
    double weights;       /* sum of the weights of the patches */
    double share, relief; /* endo_patch_motion has the same, here in the current frame; the bias by noise is already
                             corrected patch by patch */
} endo_distortion;

/* Numbers in the workspace of a fit of n patches. */
#define ENDO_DISTORTION_WORKSPACE(n) (20 * ((size_t)(n) + 3))

/* Fits to patches measured under a map, reference -> current; middle, half: those of the endo_patch_grid. Returns 0 where
 * they do not determine the parameters. Sets the weights of the patches. */
int endo_distortion_fit(endo_cpu cpu, endo_patch *patches, size_t n, const endo_transform *map, const double middle[2],
                  double half, endo_distortion_kind kind, double *workspace, endo_distortion *out);

/* Variance of where a homography's parameters (PERSPECTIVE) take a point, px^2: mean over the current frame of width x
 * height px and both axes, by the scale of the fit. */
double endo_distortion_variance(const endo_distortion *b, int width, int height, double half);

/* endo_distortion_variance if the two parameters of perspective were known. */
double endo_distortion_affine_variance(const endo_distortion *b, int width, int height, double half);

#endif
