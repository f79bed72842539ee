/* Transforms of the plane: inverse, product, points, and the nearest transform of a class. */
#include "transform.h"

#include <math.h>
#include <string.h>

const endo_transform endo_transform_still = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

int endo_affine_to_fixed(const double m[6], endo_fixed_affine *out) {
    /* Entries below 2^8 for the linear part and 2^24 for the shift keep 2^20-pixel canvases in 64 bits. */
    for (int i = 0; i < 6; i++) {
        double limit = i % 3 == 2 ? 16777216.0 : 256.0;
        if (!(fabs(m[i]) < limit)) return 0;
    }
    for (int i = 0; i < 6; i++) out->m[i] = (int64_t)floor(m[i] * 4294967296.0 + 0.5);
    return 1;
}

int endo_transform_map_back(const endo_transform *transform, endo_fixed_affine *map) {
    double back[6];
    return endo_affine_invert(transform->matrix, back) && endo_affine_to_fixed(back, map);
}

/* ------------------------------------------------------------------ classes */

static double largest_linear(const double m[9]) {
    static const int linear[] = {0, 1, 3, 4, 6, 7, 8};
    double largest = 0;
    for (int i = 0; i < 7; i++)
        if (fabs(m[linear[i]]) > largest) largest = fabs(m[linear[i]]);
    return largest;
}

int endo_transform_is_of_class(const double m[9], endo_transform_class kind) {
    double allowed = ENDO_TRANSFORM_TOLERANCE * largest_linear(m);
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY) return 1;
    if (m[6] != 0 || m[7] != 0 || m[8] != 1) return 0;
    if (kind == ENDO_TRANSFORM_AFFINE) return 1;
    if (fabs(m[0] - m[4]) > allowed || fabs(m[1] + m[3]) > allowed) return 0;
    if (kind == ENDO_TRANSFORM_SIMILARITY) return m[0] != 0 || m[3] != 0;
    if (fabs(sqrt(m[0] * m[0] + m[3] * m[3]) - 1) > allowed) return 0;
    return kind == ENDO_TRANSFORM_RIGID || (fabs(m[3]) <= allowed && m[0] > 0);
}

/* The derivative at a point (2 x 2, row by row), and the point's image; 0: it goes to infinity. */
static int linearize(const endo_transform *t, double x, double y, double linear[4], double *to_x, double *to_y) {
    const double *m = t->matrix;
    double w = m[6] * x + m[7] * y + m[8];
    if (!endo_transform_point(t, x, y, to_x, to_y)) return 0;
    linear[0] = (m[0] - *to_x * m[6]) / w;
    linear[1] = (m[1] - *to_x * m[7]) / w;
    linear[2] = (m[3] - *to_y * m[6]) / w;
    linear[3] = (m[4] - *to_y * m[7]) / w;
    return 1;
}

/* Replaces a 2 x 2 matrix by the nearest one of a class in the sum of squared differences; 0: several are equally near. */
static int nearest_linear(double linear[4], endo_transform_class kind) {
    double a = (linear[0] + linear[3]) / 2, b = (linear[2] - linear[1]) / 2, length = sqrt(a * a + b * b);
    if (kind == ENDO_TRANSFORM_AFFINE) return 1;
    if (kind == ENDO_TRANSFORM_TRANSLATION) {
        a = 1;
        b = 0;
        length = 1;
    }
    if (!(length > 1e-12) || !endo_is_finite(length)) return 0;
    if (kind != ENDO_TRANSFORM_SIMILARITY) {
        a /= length;
        b /= length;
    }
    linear[0] = linear[3] = a;
    linear[1] = -b;
    linear[2] = b;
    return 1;
}

int endo_transform_nearest(const endo_transform *t, endo_transform_class kind, double x, double y,
                           endo_transform *out) {
    double l[4], to_x, to_y;
    if ((int64_t)kind >= t->kind) {
        *out = *t;
        out->kind = kind;
        return 1;
    }
    if (!linearize(t, x, y, l, &to_x, &to_y) || !nearest_linear(l, kind)) return 0;
    double m[6] = {l[0], l[1], to_x - l[0] * x - l[1] * y, l[2], l[3], to_y - l[2] * x - l[3] * y};
    for (int i = 0; i < 6; i++)
        if (!endo_is_finite(m[i])) return 0;
    *out = endo_transform_make(kind, m);
    return 1;
}

/* --------------------------------------------------------------- operations */

/* Scales a homography so that its last number is 1, where it is not 0. Returns 0 if a number is not finite. */
static int scale(double m[9]) {
    double last = m[8] != 0 ? m[8] : 1;
    for (int i = 0; i < 9; i++) {
        m[i] /= last;
        if (!endo_is_finite(m[i])) return 0;
    }
    return 1;
}

/* Inverts by cofactors; the determinant is compared with the largest that numbers of this size could have. */
static int invert_homography(const double m[9], double out[9]) {
    double largest = largest_linear(m), c[9] = {
        m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
        m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
        m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    double determinant = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    if (!(fabs(determinant) > 1e-12 * largest * largest * largest)) return 0;
    for (int i = 0; i < 9; i++) c[i] /= determinant;
    if (!scale(c)) return 0;
    memcpy(out, c, sizeof c);
    return 1;
}

int endo_transform_inverse(const endo_transform *t, endo_transform *out) {
    double m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    int homography = t->kind == ENDO_TRANSFORM_HOMOGRAPHY;
    if (homography ? !invert_homography(t->matrix, m) : !endo_affine_invert(t->matrix, m)) return 0;
    for (int i = 0; i < 6; i++)
        if (!endo_is_finite(m[i])) return 0;
    out->kind = t->kind;
    memcpy(out->matrix, m, sizeof m);
    return 1;
}

int endo_transform_product(const endo_transform *first, const endo_transform *second, endo_transform *out) {
    const double *a = second->matrix, *b = first->matrix;
    double m[9];
    for (int i = 0; i < 9; i++) {
        const double *row = a + i / 3 * 3, *column = b + i % 3;
        m[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
        if (!endo_is_finite(m[i])) return 0;
    }
    int64_t kind = first->kind > second->kind ? first->kind : second->kind;
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY && !scale(m)) return 0;
    out->kind = kind;
    memcpy(out->matrix, m, sizeof m);
    return 1;
}

int endo_transform_point(const endo_transform *t, double x, double y, double *out_x, double *out_y) {
    double w = t->matrix[6] * x + t->matrix[7] * y + t->matrix[8], px, py;
    endo_affine_apply(t->matrix, x, y, &px, &py);
    px /= w;
    py /= w;
    if (!endo_is_finite(px) || !endo_is_finite(py)) return 0;
    *out_x = px;
    *out_y = py;
    return 1;
}
