#include "pair_distortion.h"

#include <math.h>

/* The fewest patches: with less of them the scale of what is left is chance. */
#define LEAST 12
/* Less than this part of what is likely beforehand is nothing said of the lens. */
#define SAYS 1e-4

/* What the covariance is to be multiplied with. What the fit takes from the patches cannot be seen in what it leaves. */
static double scale_of(const endo_distortion *b) {
    double equations = 2 * b->weights, left = equations - b->n > 2 ? equations - b->n : 2;
    return ENDO_DISTORTION_ALIKE * ENDO_DISTORTION_ALIKE * b->scale * equations / left;
}

static double own_variance(const endo_distortion *b, int further) {
    return b->covariance[ENDO_DISTORTION_AFFINE + further][ENDO_DISTORTION_AFFINE + further];
}

/* Without what was likely beforehand, so that many pairs can be added up. */
static void take_lens(const endo_distortion *b, double half, endo_distortion_result *out) {
    double whole = 1 / own_variance(b, 2), own = whole - b->likely;
    if (!(own > SAYS * b->likely)) return;
    out->lens = b->numbers[ENDO_DISTORTION_AFFINE + 2] * whole / (own * half);
    out->lens_deviation = sqrt(scale_of(b) / own) / half;
}

endo_distortion_result endo_no_distortion(void) {
    endo_distortion_result none = {{NAN, NAN}, NAN, NAN, NAN};
    return none;
}

endo_distortion_result endo_pair_distortion(const endo_patch_grid *g, const endo_transform *map, endo_patch *patches, size_t n,
                               double *room) {
    endo_distortion_result made = endo_no_distortion();
    double square = g->half * g->half;
    endo_distortion b;
    if (n < LEAST) return made;
    if (!endo_distortion_fit(g->cpu, patches, n, map, g->middle, g->half, ENDO_DISTORTION_BOTH, room, &b)) return made;
    for (int k = 0; k < 2; k++) made.perspective[k] = b.numbers[ENDO_DISTORTION_AFFINE + k] / square;
    made.perspective_deviation = sqrt(scale_of(&b) * (own_variance(&b, 0) + own_variance(&b, 1)) / 2) / square;
    take_lens(&b, g->half, &made);
    return made;
}
