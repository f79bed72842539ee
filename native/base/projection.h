/* The map from a canvas to a frame: affine in fixed point, or a homography.
 *
 * A homography is approximated by runs of a row, 4 to 64 px long: it is exact at the two ends of a run, and linear in fixed
 * point between them. Code that goes along rows by adding works run by run, and only sums, products and quotients of doubles
 * are computed in floating point, which are the same everywhere. */
#ifndef ENDO_BASE_PROJECTION_H
#define ENDO_BASE_PROJECTION_H

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A homography, canvas -> frame. */
typedef struct endo_projection {
    int32_t bits;               /* runs of 1 << bits px, 2..6; 0: there is no homography, and the rest is not set */
    int32_t origin_x, origin_y; /* the panorama's point (0, 0), px of the canvas */
    int32_t begin;              /* a column of the canvas where a run begins */
    double m[9];                /* panorama -> frame; denominators are positive in all of the frame */
    double least;               /* runs with an end whose denominator is below this are not in the frame */
    double steepest;            /* largest change of a coordinate, px of the frame, by a step along x and one along y
                                   together, anywhere in the frame */
} endo_projection;

typedef struct endo_canvas_map {
    endo_fixed_affine affine;
    endo_projection projection; /* replaces `affine` where its bits are not 0 */
} endo_canvas_map;

/* A run: columns from .. to - 1 of the canvas, and a map that holds for their pixels in one row, or the middles of cells. */
typedef struct endo_projected_run {
    int from, to;
    endo_fixed_affine map;
} endo_projected_run;

/* Largest coordinate of a run's ends in the frame, px. */
#define ENDO_PROJECTION_FARTHEST 1048576.0
/* Neighbours on the canvas lie less than this apart in the frame, px with 32 fractional bits. */
#define ENDO_PROJECTION_STEEPEST ((int64_t)256 << 32)

/* Positions that count as inside the frame may lie this far outside it, px: runs err by an eighth of a pixel, those of 4 px by
 * 3/2 px. */
static inline double endo_projection_margin(const endo_projection *p) { return p->bits > 2 ? 2 : 7; }

/* The position of a pixel in the frame, px with 32 fractional bits; 0: it is not near the frame. */
ENDO_HD int endo_projection_position(const endo_projection *p, int x, int y, int64_t position[2]) {
    const double *m = p->m;
    double u = (double)(x - p->origin_x), v = (double)(y - p->origin_y), one = 4294967296.0;
    double w = m[6] * u + m[7] * v + m[8];
    if (!(w >= p->least)) return 0;
    double px = (m[0] * u + m[1] * v + m[2]) / w, py = (m[3] * u + m[4] * v + m[5]) / w;
    if (!(fabs(px) <= ENDO_PROJECTION_FARTHEST && fabs(py) <= ENDO_PROJECTION_FARTHEST)) return 0;
    position[0] = (int64_t)floor(px * one + 0.5);
    position[1] = (int64_t)floor(py * one + 0.5);
    return 1;
}

ENDO_HD int endo_projection_is_steep(int64_t step) {
    return step >= ENDO_PROJECTION_STEEPEST || step <= -ENDO_PROJECTION_STEEPEST;
}

/* The run of the pixel (x, y): from and to are set in any case. both_axes: 1: the map also takes steps along y; 0: it holds
 * in this row alone. Returns 0 where the run is not in the frame. */
ENDO_HD int endo_projection_run(const endo_projection *p, int x, int y, int both_axes, endo_projected_run *out) {
    int64_t first[2], last[2], below[2] = {0, 0};
    out->from = x - ((x - p->begin) & ((1 << p->bits) - 1));
    out->to = out->from + (1 << p->bits);
    if (!endo_projection_position(p, out->from, y, first) || !endo_projection_position(p, out->to, y, last)) return 0;
    if (both_axes && !endo_projection_position(p, out->from, y + 1, below)) return 0;
    for (int k = 0; k < 2; k++) {
        int64_t step = (last[k] - first[k]) >> p->bits, down = both_axes ? below[k] - first[k] : 0;
        if (endo_projection_is_steep(step) || endo_projection_is_steep(down)) return 0;
        out->map.m[3 * k] = step;
        out->map.m[3 * k + 1] = down;
        out->map.m[3 * k + 2] = first[k] - step * out->from - down * y;
    }
    return 1;
}

/* The map that holds for a pixel of the canvas; 0: the pixel is not in the frame. */
ENDO_HD int endo_canvas_map_at(const endo_canvas_map *map, int x, int y, int both_axes, endo_fixed_affine *out) {
    endo_projected_run run;
    if (!map->projection.bits) {
        *out = map->affine;
        return 1;
    }
    if (!endo_projection_run(&map->projection, x, y, both_axes, &run)) return 0;
    *out = run.map;
    return 1;
}

/* Makes a projection with the longest runs whose positions err by an eighth of a pixel at most; those of 4 px may err by more.
 * transform: frame -> panorama, with positive denominators in the frame of width x height px. begin: as
 * endo_projection.begin. 0: the transform cannot be inverted in range, or is too steep. */
int endo_projection_make(const endo_transform *transform, int width, int height, int origin_x, int origin_y, int begin,
                         endo_projection *out);

/* Narrows columns *from .. *to - 1 to those that the frame may reach in rows top .. bottom - 1 of the canvas: all of them, and
 * some more. Empty: *from >= *to. */
void endo_projection_span(const endo_projection *p, int top, int bottom, int width, int height, int *from, int *to);

/* Narrows columns by endo_projection_span, or for an affine map by endo_rows_span, which is exact for a single row. */
void endo_canvas_span(const endo_canvas_map *map, int top, int bottom, int width, int height, int *from, int *to);

/* A walk along the pixels x .. to - 1 of a row of the canvas, run by run. */
typedef struct endo_run_walk {
    const endo_projection *projection;
    int y;             /* the row */
    int both_axes;     /* as in endo_projection_run */
    int width, height; /* size of the frame, px */
    int x, to;
} endo_run_walk;

/* The pixels of the next run that lie in the frame; 0 after the last. */
int endo_run_next(endo_run_walk *walk, endo_projected_run *run);

#ifdef __cplusplus
}
#endif
#endif
