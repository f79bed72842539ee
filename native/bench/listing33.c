/* What [S] Listing 3.3 computes, without its JNI calls: every pixel of template and window goes to double
 * and into five sums, and the template's own sums are taken again for every coefficient.
 *
 * This code stands for the thesis: do not improve it. The sums are chains of additions in double whose order the
 * compiler must keep, so that no option short of fast-math vectorises them. */
#include "listing33.h"

#include <math.h>

double listing33_coefficient(const listing33_images *images, int x, int y, int cx, int cy, int side) {
    int half = side / 2;
    double pixels = (double)side * side;
    double sum_t = 0, sum_tt = 0;
    double sum_c = 0, sum_cc = 0;
    double sum_tc = 0;
    for (int v = -half; v <= half; v++) {
        int t_at = (y + v) * images->width + x - half, c_at = (cy + v) * images->width + cx - half;
        for (int u = -half; u <= half; u++) {
            double t = (double)images->reference[t_at++];
            double c = (double)images->current[c_at++];
            sum_t += t;
            sum_tt += t * t;
            sum_c += c;
            sum_cc += c * c;
            sum_tc += t * c;
        }
    }
    return (sum_tc - sum_c * sum_t / pixels) /
           sqrt((sum_cc - sum_c * sum_c / pixels) * (sum_tt - sum_t * sum_t / pixels));
}
