/* Poses that are homographies: 3 x 3 matrices whose denominators are positive in their frames.
 *
 * A step of eight numbers moves a pose P inside its frame: P becomes P (1 + S). With q a pixel's way from the frame's
 * middle and r the frame's radius, 1 + S has the last row (-s6 / r^2, -s7 / r^2, 1) in q: the points move by
 * (s6 qx + s7 qy) q / r^2 to first order. */
#include "graph.h"

#include <math.h>

/* Least denominator of a corner, over the middle's: at it the corner is enlarged a million times as much. */
#define LEAST 1e-6
/* A step leaves at least this share of a corner's denominator over the middle's, and at least twice LEAST, so that rounding
 * does not bring it below LEAST. */
#define LEFT 0.1
/* Determinants below this, over the largest element cubed, count as 0. */
#define FLAT 1e-12

static double denominator(const double row[3], double x, double y) { return row[0] * x + row[1] * y + row[2]; }

/* The pixel in a corner of the frame. */
static void corner_of(const graph_frame *f, int k, double corner[2]) {
    corner[0] = k % 2 ? f->width - 1 : 0;
    corner[1] = k / 2 ? f->height - 1 : 0;
}

int graph_homography_scale(const graph_frame *f, double m[9]) {
    double last = m[8], middle = denominator(m + 6, f->x, f->y) / last;
    if (!(middle > 0 && endo_is_finite(middle))) return 0;
    for (int k = 0; k < 4; k++) {
        double corner[2];
        corner_of(f, k, corner);
        if (!(denominator(m + 6, corner[0], corner[1]) / last >= LEAST * middle)) return 0;
    }
    for (int i = 0; i < 9; i++) {
        m[i] /= last;
        if (!endo_is_finite(m[i])) return 0;
    }
    return 1;
}

/* The inverse by cofactors over the determinant, not over the last element, so that denominators keep their sign. 0: there
 * is none. */
static int invert(const double m[9], double out[9]) {
    const double c[9] = {
        m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
        m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
        m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    static const int linear[] = {0, 1, 3, 4, 6, 7, 8};
    double determinant = m[0] * c[0] + m[1] * c[3] + m[2] * c[6], largest = 0;
    for (int i = 0; i < 7; i++) largest = fmax(largest, fabs(m[linear[i]]));
    if (!(fabs(determinant) > FLAT * largest * largest * largest) || !endo_is_finite(determinant)) return 0;
    for (int i = 0; i < 9; i++) out[i] = c[i] / determinant;
    return 1;
}

static void product(const double first[9], const double second[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        const double *row = first + i / 3 * 3, *column = second + i % 3;
        out[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
}

int graph_homography_between(const double reference[9], const double current[9], double b[9]) {
    double back[9];
    if (!invert(reference, back)) return 0;
    product(back, current, b);
    return 1;
}

int graph_homography_apply(const double m[9], const double point[2], double to[2], double linear[4]) {
    double w = denominator(m + 6, point[0], point[1]);
    if (!(w > 0)) return 0;
    for (int r = 0; r < 2; r++) {
        to[r] = denominator(m + 3 * r, point[0], point[1]) / w;
        for (int c = 0; c < 2; c++) linear[2 * r + c] = (m[3 * r + c] - to[r] * m[6 + c]) / w;
    }
    return endo_is_finite(to[0]) && endo_is_finite(to[1]);
}

/* The matrix 1 + S (one = 1) or S alone (one = 0), in pixel coordinates. */
static void motion_of(const graph_frame *f, const double step[GRAPH_MOST], double one, double out[9]) {
    double r = f->radius, x = f->x, y = f->y, half[9];
    const double from[9] = {1, 0, -x, 0, 1, -y, 0, 0, 1};
    const double to[9] = {1, 0, x, 0, 1, y, 0, 0, 1};
    const double inside[9] = {one + step[2] / r, step[3] / r, step[0], step[4] / r, one + step[5] / r, step[1],
                              -step[6] / (r * r), -step[7] / (r * r), one};
    product(inside, from, half);
    product(to, half, out);
}

/* Share of a step that may be taken. Denominators are linear in the length of the step, so the corner that would first lose
 * too much limits it. The middle's denominator, their mean, is then positive. */
static double share_of(const graph_frame *f, const double row[3], const double change[3]) {
    double middle = denominator(row, f->x, f->y), grown = denominator(change, f->x, f->y), share = 1;
    for (int k = 0; k < 4; k++) {
        double corner[2];
        corner_of(f, k, corner);
        double have = denominator(row, corner[0], corner[1]), left = fmax(2 * LEAST, LEFT * have / middle);
        double slack = fmax(have - left * middle, 0), less = left * grown - denominator(change, corner[0], corner[1]);
        if (less * share > slack) share = slack / less;
    }
    return share;
}

int graph_homography_cut(const graph_frame *f, const double pose[9], double step[GRAPH_MOST]) {
    double motion[9], change[9];
    motion_of(f, step, 0, motion);
    product(pose, motion, change);
    double share = share_of(f, pose + 6, change + 6);
    for (int i = 0; i < GRAPH_MOST; i++) step[i] *= share;
    return share < 1;
}

void graph_homography_move(const graph_frame *f, const double step[GRAPH_MOST], double pose[9]) {
    double motion[9], moved[9];
    motion_of(f, step, 1, motion);
    product(pose, motion, moved);
    for (int i = 0; i < 9; i++) pose[i] = moved[i] / moved[8];
}
