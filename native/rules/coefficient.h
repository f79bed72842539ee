/* The cross-correlation coefficient from sums, its peak between pixels, and the pattern of the search. */
#ifndef ENDO_RULES_COEFFICIENT_H
#define ENDO_RULES_COEFFICIENT_H

#include "base/host_device.h"

typedef struct endo_sums {
    int64_t n;          /* pixels */
    int64_t x, y;       /* sums of the template's and the window's values */
    int64_t xx, yy, xy; /* sums of their products */
} endo_sums;

/* [S] eq. 3.1 with the sums multiplied out: integers until one division. 255 x 255 pixels of 8 bits
 * keep every product below 2^49. NaN: undefined (no variance on a side). */
ENDO_HD double endo_coefficient(const endo_sums *s) {
    int64_t dx = s->n * s->xx - s->x * s->x;
    int64_t dy = s->n * s->yy - s->y * s->y;
    if (dx <= 0 || dy <= 0) return NAN;
    int64_t numerator = s->n * s->xy - s->x * s->y;
    return (double)numerator / sqrt((double)dx * (double)dy);
}

/* Peak of the quadratic fitted by least squares to nine coefficients c[3*(dy+1) + dx+1]. Leaves
 * *dx = *dy = 0 if one is undefined, the surface has no maximum within one pixel, or the centre is a perfect
 * match: identical images are not moved. */
ENDO_HD void endo_subpixel_peak(const double c[9], double *dx, double *dy) {
    *dx = *dy = 0;
    for (int i = 0; i < 9; i++)
        if (c[i] != c[i]) return;
    if (c[4] >= 1) return;
    double left = c[0] + c[3] + c[6], middle_x = c[1] + c[4] + c[7], right = c[2] + c[5] + c[8];
    double top = c[0] + c[1] + c[2], middle_y = c[3] + c[4] + c[5], bottom = c[6] + c[7] + c[8];
    double gx = (right - left) / 6, gy = (bottom - top) / 6;
    double xx = (left + right - 2 * middle_x) / 3, yy = (top + bottom - 2 * middle_y) / 3;
    double xy = (c[0] + c[8] - c[2] - c[6]) / 4;
    double determinant = xx * yy - xy * xy;
    if (!(xx < 0 && yy < 0 && determinant > 0)) return;
    double x = (xy * gy - yy * gx) / determinant, y = (xy * gx - xx * gy) / determinant;
    if (fabs(x) > 1 || fabs(y) > 1) return;
    *dx = x;
    *dy = y;
}

/* The search pattern of [S] Listing 3.4: the centre, then eight neighbours; on a tie the first wins. */
#define ENDO_PATTERN_X {0, -1, -1, 0, 1, 1, 1, 0, -1}
#define ENDO_PATTERN_Y {0, 0, -1, -1, -1, 0, 1, 1, 1}

#endif
