/* Propagation of errors through a linear least-squares fit.
 *
 * About the centre of the landmarks the shift and the linear part are independent of each other. A point d away from
 * it is then known to s^2 (1/n + d' C d), with s^2 the variance of a coordinate of a landmark and C the covariance of
 * the linear part over s^2; the mean over a frame of d d' is that of a rectangle. */
#include "pair_deviation.h"

#include <math.h>

/* Variance of rounding to whole pixels, px^2, added as one more residual, so that a few landmarks that fit by chance are not
 * taken for precise ones. */
#define ONE_PIXEL (1.0 / 12)

/* Parameters of each class. */
static const int parameters[] = {2, 3, 4, 6};

/* Means over the frame of the products of the distances from the landmarks' centre. */
typedef struct moments {
    double xx, xy, yy;
} moments;

static moments moments_of_frame(const double centre[2], const int size[2]) {
    double x = (size[0] - 1) / 2.0 - centre[0], y = (size[1] - 1) / 2.0 - centre[1];
    moments m = {x * x + size[0] * (double)size[0] / 12, x * y, y * y + size[1] * (double)size[1] / 12};
    return m;
}

/* Mean of d' C d. A turn and a scale move both coordinates; a turn alone has half of that for each. */
static double variance_of_linear_part(const endo_spread *s, endo_transform_class kind, const moments *m) {
    double spread = s->xx + s->yy, determinant = s->xx * s->yy - s->xy * s->xy;
    if (kind == ENDO_TRANSFORM_TRANSLATION) return 0;
    if (kind == ENDO_TRANSFORM_RIGID) return (m->xx + m->yy) / (2 * spread);
    if (kind == ENDO_TRANSFORM_SIMILARITY) return (m->xx + m->yy) / spread;
    return (s->yy * m->xx - 2 * s->xy * m->xy + s->xx * m->yy) / determinant;
}

double endo_spread_deviation(const endo_spread *s, endo_transform_class kind, const int size[2]) {
    moments m = moments_of_frame(s->centre, size);
    double variance = (s->residuals + ONE_PIXEL) / (double)(2 * (int64_t)s->n - parameters[kind] + 1);
    return sqrt(variance * (1 / (double)s->n + variance_of_linear_part(s, kind, &m)));
}
