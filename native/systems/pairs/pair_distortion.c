#include "pair_distortion.h"

#include <math.h>

/* Fewest patches: with fewer the scale of the residuals is chance. */
#define LEAST 12
/* Least inverse variance of the lens, over the prior's, that counts as a measurement. */
#define SAYS 1e-4

/* Factor of the covariance: the scale of the residuals, corrected for the degrees of freedom that the fit takes. */
static double scale_of(const endo_distortion *b) {
    double equations = 2 * b->weights, left = equations - b->n > 2 ? equations - b->n : 2;
    return ENDO_DISTORTION_ALIKE * ENDO_DISTORTION_ALIKE * b->scale * equations / left;
}

/* Variance of a further parameter: 0 and 1 perspective, 2 the lens. */
static double further_variance(const endo_distortion *b, int further) {
    return b->covariance[ENDO_DISTORTION_AFFINE + further][ENDO_DISTORTION_AFFINE + further];
}

/* The lens without its prior, so that many pairs can be averaged. */
static void take_lens(const endo_distortion *b, double half, endo_distortion_result *out) {
    double whole = 1 / further_variance(b, 2), measured = whole - b->prior; /* inverse variances */
    if (!(measured > SAYS * b->prior)) return;
    out->lens = b->parameters[ENDO_DISTORTION_AFFINE + 2] * whole / (measured * half);
    out->lens_deviation = sqrt(scale_of(b) / measured) / half;
}

endo_distortion_result endo_pair_distortion(const endo_patch_grid *g, const endo_transform *map, endo_patch *patches, size_t n,
                               double *workspace) {
    endo_distortion_result made = {{NAN, NAN}, NAN, NAN, NAN};
    double square = g->half * g->half;
    endo_distortion b;
    if (n < LEAST) return made;
    if (!endo_distortion_fit(g->cpu, patches, n, map, g->middle, g->half, ENDO_DISTORTION_BOTH, workspace, &b)) return made;
    for (int k = 0; k < 2; k++) made.perspective[k] = b.parameters[ENDO_DISTORTION_AFFINE + k] / square;
    made.perspective_deviation = sqrt(scale_of(&b) * (further_variance(&b, 0) + further_variance(&b, 1)) / 2) / square;
    take_lens(&b, g->half, &made);
    return made;
}
