/* A camera over a tilted plane: true views of its frames, and the affine maps that registration makes of them. */
#ifndef ENDO_TEST_TILTED_VIEWS_RIG_H
#define ENDO_TEST_TILTED_VIEWS_RIG_H

#include "poses_rig.h"

static const mosaic_size size = {201, 161};

/* Frame -> plane of a camera that looks down from 300 px, turned about x (or y) by so many radians, over (x, y). */
static inline endo_transform view_of(double x, double y, double angle, int about_y) {
    double s = sin(angle);
    double c = cos(angle);
    double f = 300;
    /* The ray (u, v, f) about x: v' = c v - s f, z' = s v + c f; it meets the plane at f (u, v') / z'. */
    double mx = 100;
    double my = 80;
    const double by_y[9] = {f * c, 0, -f * (c * mx + s * f), 0, f, -f * my, s, 0, c * f - s * mx};
    const double by_x[9] = {f, 0, -f * mx, 0, f * c, -f * (c * my + s * f), 0, s, c * f - s * my};
    const double *m = about_y ? by_y : by_x;
    endo_transform view = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    for (int i = 0; i < 9; i++) view.matrix[i] = m[i] / m[8];
    return rig_times(pose_translation(x, y), view);
}

/* The affine map that fits a homography best over a frame. */
static inline endo_transform affine_of(endo_transform h) {
    double m[6] = {0};
    double squares[2] = {0};
    int n = 0;
    for (double y = -79; y <= 79; y += 2)
        for (double x = -99; x <= 99; x += 2) {
            double u = pose_x(&h, 100 + x, 80 + y);
            double v = pose_y(&h, 100 + x, 80 + y);
            const double more[6] = {u * x, u * y, u, v * x, v * y, v};
            for (int i = 0; i < 6; i++) m[i] += more[i];
            squares[0] += x * x;
            squares[1] += y * y;
            n++;
        }
    double a = m[0] / squares[0], b = m[1] / squares[1], d = m[3] / squares[0], e = m[4] / squares[1];
    return rig_affine(a, b, m[2] / n - a * 100 - b * 80, d, e, m[5] / n - d * 100 - e * 80);
}

static inline double squared_distance(const endo_transform *a, const endo_transform *b, double x, double y) {
    double across = pose_x(a, x, y) - pose_x(b, x, y);
    double down = pose_y(a, x, y) - pose_y(b, x, y);
    return across * across + down * down;
}

/* Root mean square of how far two transforms take points that lie all over the frame apart. */
static inline double apart(const endo_transform *a, const endo_transform *b) {
    double sum = 0;
    for (int i = 0; i < 80 * 80; i++) {
        double x = (i % 80 + 0.5) * 201 / 80 - 0.5;
        double y = (i / 80 + 0.5) * 161 / 80 - 0.5;
        sum += squared_distance(a, b, x, y);
    }
    return sqrt(sum / (80 * 80));
}

#endif
