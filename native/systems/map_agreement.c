#include "map_agreement.h"

#include <math.h>

/* The levels must agree within so many of the further one's pixels: what is seen in single pixels alone is not the scene.
 * Its own deviation comes to that, up to as much again. */
#define AGREES 0.15
/* What stands still, light and the rest of a pattern, holds the further level back: by up to this share of the way from
 * no motion. (Weak tissue behind patterns that were taken out: 0.05 to 0.13, 120 pairs.) What the frames themselves lag
 * behind is not forgiven. */
#define LAGS 0.15

/* So many deviations of the further level, which are large ones, are no chance: of 300 pairs of clean sequences none came to
 * that, of those behind grain that was not found two thirds. */
#define HELD_BACK 1.5

/* Mean over the frame of the product of where two differences of maps take a point. */
static double product_of(endo_frame_size size, const double a[6], const double b[6]) {
    double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0, u, v, p, q;
    double across = (double)size.width * size.width / 12, down = (double)size.height * size.height / 12;
    endo_affine_apply(a, x, y, &u, &v);
    endo_affine_apply(b, x, y, &p, &q);
    return u * p + v * q + (a[0] * b[0] + a[3] * b[3]) * across + (a[1] * b[1] + a[4] * b[4]) * down;
}

static void subtract(const endo_transform *a, const endo_transform *b, double out[6]) {
    for (int i = 0; i < 6; i++) out[i] = a->matrix[i] - b->matrix[i];
}

double endo_map_distance(endo_frame_size size, const endo_transform *a, const endo_transform *b) {
    double m[6];
    subtract(a, b, m);
    return sqrt(product_of(size, m, m));
}

double endo_map_distance_behind(endo_frame_size size, const endo_transform *coarse, const endo_transform *fine, double lag) {
    double apart[6], back[6];
    subtract(coarse, fine, apart);
    subtract(&endo_transform_still, fine, back);
    double whole = product_of(size, back, back), part = product_of(size, apart, back);
    double share = part > lag * whole ? lag : part > 0 ? part / whole : 0;
    for (int i = 0; i < 6; i++) apart[i] -= share * back[i];
    return sqrt(product_of(size, apart, apart));
}

int endo_maps_agree(endo_frame_size size, const endo_transform *coarse, double deviation, double pixel,
                    const endo_transform *fine) {
    endo_transform same; /* as the coarse level could see it */
    if (!endo_transform_nearest(fine, ENDO_TRANSFORM_SIMILARITY, (size.width - 1) / 2.0, (size.height - 1) / 2.0, &same))
        return 0;
    double own = deviation < AGREES * pixel ? deviation : AGREES * pixel;
    return endo_map_distance_behind(size, coarse, &same, LAGS) < AGREES * pixel + own + endo_map_distance(size, &same, fine) / 2;
}

double endo_map_held_back(endo_frame_size size, const endo_transform *coarse, double deviation, const endo_transform *fine) {
    double apart[6], back[6];
    subtract(fine, coarse, apart);
    subtract(&endo_transform_still, coarse, back);
    double moved = sqrt(product_of(size, back, back));
    double lag = moved > 0 ? product_of(size, apart, back) / moved : 0;
    return lag > HELD_BACK * deviation ? lag : 0;
}
