/* A robust weighted fit to what the patches of a pair say, with more than an affine map: perspective, or a lens. In the
 * current frame: there both have one form, whatever the map is. */
#ifndef ENDO_SYSTEMS_BEND_FIT_H
#define ENDO_SYSTEMS_BEND_FIT_H

#include "patch_fit.h"

#include "base/transform.h"

/* What is fitted beside an affine map, and its numbers. With q a place of the current frame from its middle over `half`
 * (patch_grid.h), p that of the reference which the map takes there, both from the middle over `half`, all px:
 *   PERSPECTIVE (2): q q_x and q q_y;
 *   BOTH (3): and a lens, q |q|^2 - L p |p|^2, L the map's derivative there. Frames that are shifted look nearly alike
 *   through either, so what one could be is left open for the other. */
typedef enum endo_distortion_kind { ENDO_DISTORTION_PERSPECTIVE, ENDO_DISTORTION_BOTH } endo_distortion_kind;

/* The affine numbers first: x' by 1, x and y, then y'. */
#define ENDO_DISTORTION_AFFINE 6
#define ENDO_DISTORTION_NUMBERS 9

/* What is left of neighbouring patches is alike: of these numbers deviations are so much larger than the fit says. (570
 * pairs of planes and lenses, by known truth: 1.2.) */
#define ENDO_DISTORTION_ALIKE 1.5
/* Scopes have no stronger lens: where a pair cannot tell one, this is the deviation of what it might be. */
#define ENDO_DISTORTION_LIKELY_LENS 0.3

typedef struct endo_distortion {
    int n;                             /* numbers, 8 or 9 */
    double numbers[ENDO_DISTORTION_NUMBERS]; /* px of the current frame: how far what the patches show lies from where the map
                                          takes it. The lens as far as it is likely (ENDO_DISTORTION_LIKELY_LENS) */
    double covariance[ENDO_DISTORTION_NUMBERS][ENDO_DISTORTION_NUMBERS]; /* by the patches' precisions alone, px^2 */
    double likely;                     /* of the inverse of the lens's variance, what is there beforehand, px^-2 */
    double scale;                      /* what the squared distances are of what the precisions say */
    double weights;                    /* sum of the patches' */
    double share, relief;              /* as endo_patch_motion's, in the current frame; what is no share of the numbers is
                                          made up for patch by patch */
} endo_distortion;

/* Numbers that a fit of n patches needs room for. */
#define ENDO_DISTORTION_ROOM(n) (20 * ((size_t)(n) + 3))

/* The patches of a map, reference -> current; middle, half: as endo_patch_grid's. 0: they do not determine the numbers.
 * Sets the weights. */
int endo_distortion_fit(endo_cpu cpu, endo_patch *patches, size_t n, const endo_transform *map, const double middle[2],
                  double half, endo_distortion_kind kind, double *room, endo_distortion *out);

/* Mean over the current frame of width x height px and both axes of the variance of where a homography's numbers
 * (PERSPECTIVE) take a point, px^2, by the scale of the fit. */
double endo_distortion_variance(const endo_distortion *b, int width, int height, double half);

/* endo_distortion_variance if the two numbers of perspective were known. */
double endo_distortion_affine_variance(const endo_distortion *b, int width, int height, double half);

#endif
