/* Transforms: argument checks. */
#include "transform.h"

#include "base/status.h"

static const char *const classes[] = {"translation", "rigid", "similarity", "affine", "homography"};

endo_status endo_check_class(const char *what, int64_t kind) {
    if (kind >= ENDO_TRANSFORM_TRANSLATION && kind <= ENDO_TRANSFORM_HOMOGRAPHY) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT,
                     "%s: transform class %lld: must be 0 (translation), 1 (rigid), 2 (similarity), 3 (affine) or 4 "
                     "(homography)",
                     what, (long long)kind);
}

static endo_status check_no_homography(const char *what, int64_t kind) {
    endo_status status = endo_check_class(what, kind);
    if (status != ENDO_OK || kind != ENDO_TRANSFORM_HOMOGRAPHY) return status;
    return endo_fail(ENDO_ERR_UNSUPPORTED,
                     "%s: a homography: only translation, rigid, similarity and affine can be taken yet", what);
}

endo_status endo_check_affine(const char *what, const endo_transform *transforms, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double *m = transforms[i].matrix;
        ENDO_TRY(check_no_homography(what, transforms[i].kind));
        if (m[6] != 0 || m[7] != 0 || m[8] != 1)
            return endo_fail(ENDO_ERR_ARGUMENT,
                             "%s: transform %zu is called %s, but its last row is (%g, %g, %g): must be (0, 0, 1)", what,
                             i, classes[transforms[i].kind], m[6], m[7], m[8]);
    }
    return ENDO_OK;
}

#define LARGEST_ORIGIN (1 << 21)

endo_status endo_check_origin(const char *what, int x, int y) {
    if (x < -LARGEST_ORIGIN || x > LARGEST_ORIGIN || y < -LARGEST_ORIGIN || y > LARGEST_ORIGIN)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s: origin (%d, %d): must be within +-%d", what, x, y, LARGEST_ORIGIN);
    return ENDO_OK;
}

endo_transform endo_transform_identity(void) { return endo_transform_still; }

endo_transform endo_transform_of_affine(const double numbers[6]) {
    return endo_transform_make(ENDO_TRANSFORM_AFFINE, numbers);
}

endo_status endo_transform_check(const endo_transform *t) {
    if (!t) return endo_fail(ENDO_ERR_ARGUMENT, "transform is NULL");
    ENDO_TRY(endo_check_class("transform", t->kind));
    const double *m = t->matrix;
    for (int i = 0; i < 9; i++)
        if (!endo_is_finite(m[i]))
            return endo_fail(ENDO_ERR_ARGUMENT, "transform: number %d of the matrix is %g: must be finite", i, m[i]);
    if (endo_transform_is_of_class(m, (endo_transform_class)t->kind)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "transform: the matrix (%g %g %g; %g %g %g; %g %g %g) is not of the class %s",
                     m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], classes[t->kind]);
}

endo_status endo_transform_invert(const endo_transform *t, endo_transform *inverse) {
    ENDO_TRY(endo_transform_check(t));
    if (!inverse) return endo_fail(ENDO_ERR_ARGUMENT, "transform: inverse is NULL");
    if (endo_transform_inverse(t, inverse)) return ENDO_OK;
    const double *m = t->matrix;
    return endo_fail(ENDO_ERR_ARGUMENT, "transform: the matrix (%g %g %g; %g %g %g; %g %g %g) cannot be inverted", m[0],
                     m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
}

endo_status endo_transform_compose(const endo_transform *first, const endo_transform *second,
                                   endo_transform *product) {
    endo_status status = endo_transform_check(first);
    if (status == ENDO_OK) status = endo_transform_check(second);
    if (status != ENDO_OK) return status;
    if (!product) return endo_fail(ENDO_ERR_ARGUMENT, "transform: product is NULL");
    if (endo_transform_product(first, second, product)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "transform: the product of two matrices is not finite");
}

static int moves(const endo_transform *t, const double *points, size_t i, double to[2]) {
    double x = points[2 * i], y = points[2 * i + 1];
    return endo_is_finite(x) && endo_is_finite(y) && endo_transform_point(t, x, y, &to[0], &to[1]);
}

endo_status endo_transform_apply(const endo_transform *t, const double *points, size_t n, double *moved) {
    endo_status status = endo_transform_check(t);
    double to[2];
    if (status != ENDO_OK) return status;
    if (n && (!points || !moved))
        return endo_fail(ENDO_ERR_ARGUMENT, "transform: %s is NULL", points ? "moved" : "points");
    for (size_t i = 0; i < n; i++)
        if (!moves(t, points, i, to))
            return endo_fail(ENDO_ERR_ARGUMENT, "transform: point %zu, (%g, %g), is not finite or goes to infinity", i,
                             points[2 * i], points[2 * i + 1]);
    for (size_t i = 0; i < n; i++) {
        moves(t, points, i, to);
        moved[2 * i] = to[0];
        moved[2 * i + 1] = to[1];
    }
    return ENDO_OK;
}

endo_status endo_transform_project(const endo_transform *t, endo_transform_class kind, double x, double y,
                                   endo_transform *nearest) {
    endo_status status = endo_transform_check(t);
    if (status == ENDO_OK) status = endo_check_class("nearest", (int)kind);
    if (status != ENDO_OK) return status;
    if (!nearest) return endo_fail(ENDO_ERR_ARGUMENT, "transform: nearest is NULL");
    if (!endo_is_finite(x) || !endo_is_finite(y))
        return endo_fail(ENDO_ERR_ARGUMENT, "nearest: the point (%g, %g): must be finite", x, y);
    if (endo_transform_nearest(t, kind, x, y, nearest)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "nearest: no %s is the nearest one at (%g, %g)", classes[kind], x, y);
}

/* ---------------------------------------------------------------------- fit */

static endo_status check_points(const char *what, const double *points, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!endo_is_finite(points[2 * i]) || !endo_is_finite(points[2 * i + 1]))
            return endo_fail(ENDO_ERR_ARGUMENT, "fit: %s[%zu] is (%g, %g): must be finite", what, i, points[2 * i],
                             points[2 * i + 1]);
    return ENDO_OK;
}

static endo_status check_weights(const double *weights, size_t n) {
    for (size_t i = 0; weights && i < n; i++)
        if (!(weights[i] >= 0) || !endo_is_finite(weights[i]))
            return endo_fail(ENDO_ERR_ARGUMENT, "fit: weights[%zu] is %g: must be finite, 0 or more", i, weights[i]);
    return ENDO_OK;
}

endo_status endo_transform_fit(const double *from, const double *to, const double *weights, size_t n,
                               endo_transform_class kind, endo_transform *transform, int *solved) {
    if (!transform || !solved || (n && (!from || !to))) return endo_fail(ENDO_ERR_ARGUMENT, "fit: an argument is NULL");
    endo_status status = check_no_homography("fit", (int)kind);
    if (status == ENDO_OK) status = check_points("from", from, n);
    if (status == ENDO_OK) status = check_points("to", to, n);
    if (status == ENDO_OK) status = check_weights(weights, n);
    if (status == ENDO_OK) *solved = endo_transform_solve(from, to, weights, n, kind, transform);
    return status;
}
