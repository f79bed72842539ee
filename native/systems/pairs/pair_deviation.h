/* How precisely a least-squares fit to the landmarks of a pair maps the points of a frame. */
#ifndef ENDO_PAIR_DEVIATION_H
#define ENDO_PAIR_DEVIATION_H

#include "include/endorama/transform.h"

/* Second moments of the landmarks of a fit. */
typedef struct endo_spread {
    size_t n;
    double centre[2];
    double xx, xy, yy; /* sums of products about the centre, px^2 */
    double residuals;  /* sum of the squared distances that remain, px^2 */
} endo_spread;

/* Standard deviation, px, of where the fitted transform of a class (no homography) takes a point of a frame of that
 * size: root mean square over the frame and both axes. */
double endo_spread_deviation(const endo_spread *s, endo_transform_class kind, const int size[2]);

#endif
