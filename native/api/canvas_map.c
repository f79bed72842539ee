/* Maps from canvases and blends to frames (canvas_map.h). */
#include "canvas_map.h"

#include "base/status.h"
#include "transform.h"

/* Checks a homography at the corners of the frame, where its denominator is largest and smallest. */
static endo_status check_homography(const char *what, const endo_transform *t, size_t number, int width, int height) {
    const double *m = t->matrix;
    for (int i = 0; i < 9; i++)
        if (!endo_is_finite(m[i]))
            return endo_fail(ENDO_ERR_ARGUMENT, "%s: transform %zu: number %d of its matrix is %g: must be finite", what,
                             number, i, m[i]);
    for (int i = 0; i < 4; i++) {
        int x = i & 1 ? width - 1 : 0, y = i & 2 ? height - 1 : 0;
        double w = m[6] * x + m[7] * y + m[8];
        if (!(w > 0))
            return endo_fail(ENDO_ERR_ARGUMENT,
                             "%s: transform %zu is a homography whose denominator is %g at the frame's point (%d, %d): "
                             "must be positive in all of the frame",
                             what, number, w, x, y);
    }
    return ENDO_OK;
}

endo_status endo_check_poses(const char *what, const endo_transform *transforms, size_t n, int width, int height) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        status = transforms[i].kind == ENDO_TRANSFORM_HOMOGRAPHY
                     ? check_homography(what, &transforms[i], i, width, height)
                     : endo_check_affine(what, &transforms[i], 1);
    return status;
}

/* The affine map of a transform without perspective, which may be a homography. */
static int find_affine(const endo_transform *t, const endo_canvas_origin *origin, endo_fixed_affine *map) {
    double m[6];
    for (int i = 0; i < 6; i++) m[i] = t->matrix[i] / t->matrix[8];
    endo_transform affine = endo_transform_make(ENDO_TRANSFORM_AFFINE, m);
    if (!endo_transform_map_back(&affine, map)) return 0;
    map->m[2] -= map->m[0] * origin->x + map->m[1] * origin->y;
    map->m[5] -= map->m[3] * origin->x + map->m[4] * origin->y;
    return 1;
}

endo_status endo_canvas_to_frame(const char *what, const endo_transform *t, int width, int height,
                                 const endo_canvas_origin *origin, endo_canvas_map *map) {
    const double *m = t->matrix;
    int has_perspective = m[6] != 0 || m[7] != 0;
    *map = (endo_canvas_map){.projection = {.bits = 0}};
    if (has_perspective ? endo_projection_make(t, width, height, origin->x, origin->y, origin->begin, &map->projection)
             : find_affine(t, origin, &map->affine))
        return ENDO_OK;
    if (has_perspective)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s: matrix (%g %g %g; %g %g %g; %g %g %g) cannot be inverted, or is too steep",
                         what, m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
    return endo_fail(ENDO_ERR_ARGUMENT, "%s: matrix (%g %g %g; %g %g %g) cannot be inverted in range", what, m[0], m[1],
                     m[2], m[3], m[4], m[5]);
}
