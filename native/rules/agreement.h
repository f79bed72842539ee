/* Whether two frames show the same in a tile (endorama/registration.h): sums over its pixels, and the rules for them.
 * Sums are integers; at most ENDO_AGREEMENT_TILE^2 / ENDO_AGREEMENT_STEP = 256 pixels of a tile are compared. */
#ifndef ENDO_RULES_AGREEMENT_H
#define ENDO_RULES_AGREEMENT_H

#include "base/host_device.h"
#include "include/endorama.h"

#include <math.h>

#define ENDO_AGREEMENT_STEP 4      /* distance of the rows that are compared, px, from row 0 */
#define ENDO_AGREEMENT_LEAST 128   /* least number of pixels of a tile that counts */
#define ENDO_AGREEMENT_CONTRAST 64 /* least variance of a tile with contrast, grey levels^2 */
#define ENDO_COMB_CONTRAST 64      /* least mean square of differences at which rows alternate visibly */

/* Sums over the grey values x of the reference and y of the current frame. */
typedef struct endo_tile_sums {
    int32_t n;          /* pixels */
    int32_t x, y;       /* sums of the values */
    int32_t xx, yy, xy; /* sums of their products */
} endo_tile_sums;

/* Sums of squared differences of pixels from their neighbours above and below. */
typedef struct endo_comb_sums {
    int32_t n;   /* pixels */
    int32_t one; /* neighbours one row away; each square is below 511^2 */
    int32_t two; /* neighbours two rows away */
} endo_comb_sums;

ENDO_HD int32_t endo_comb_step(int32_t pixel, int32_t above, int32_t below) { return 2 * pixel - above - below; }

/* Whether rows alternate: in an image, rows one apart are more alike than rows two apart (the sums of noise are equal), but not
 * where every other row is of another time. */
ENDO_HD int endo_is_combed(const endo_comb_sums *s) {
    return s->n >= ENDO_AGREEMENT_LEAST && s->one >= ENDO_COMB_CONTRAST * s->n && 2 * s->one > 3 * s->two;
}

/* Variance of the noise of a tile, grey levels^2. Without noise `two` is at least twice `one` in most images; white noise of
 * variance v adds 6 v a pixel to both, and then 2 one - two is 6 v a pixel at most. */
ENDO_HD int32_t endo_comb_noise(const endo_comb_sums *s) {
    int32_t noise = 2 * s->one - s->two;
    return s->n >= ENDO_AGREEMENT_LEAST && noise > 0 ? noise / (6 * s->n) : 0;
}

/* Noise that both frames have. What one alone has counts as a difference. */
ENDO_HD int32_t endo_common_noise(const endo_comb_sums *reference, const endo_comb_sums *current) {
    int32_t one = endo_comb_noise(reference), other = endo_comb_noise(current);
    return one < other ? one : other;
}

/* Standard deviations of a covariance that noise may have changed it by. */
#define ENDO_AGREEMENT_SURE 1.5

/* Whether a tile with contrast has a coefficient below 1/2 beside noise of a variance, grey levels^2: with certainty, for noise
 * changes the covariance, too. At most three quarters of a variance are taken for noise, so that a tile that shows nothing else
 * differs from one that shows something. n times the sum of squares about the mean is at most 256^2 * 127.5^2 < 2^31. */
ENDO_HD int endo_tile_differs(const endo_tile_sums *s, int32_t noise) {
    int64_t n = s->n, dx = n * s->xx - (int64_t)s->x * s->x, dy = n * s->yy - (int64_t)s->y * s->y;
    int64_t least = ENDO_AGREEMENT_CONTRAST * n * n, both = n * s->xy - (int64_t)s->x * s->y, less = noise * n * n;
    if (dx - less < least && dy - less < least) return 0;
    double x = (double)(dx - less > dx / 4 ? dx - less : dx / 4), y = (double)(dy - less > dy / 4 ? dy - less : dy / 4);
    double unsure = ENDO_AGREEMENT_SURE * sqrt(((double)dx * (double)dy - x * y) / (double)n);
    return (unsure == 0 && both <= 0) || (double)both < sqrt(x * y) / 2 - unsure;
}

#endif
