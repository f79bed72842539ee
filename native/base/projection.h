/* Where a frame lies on a canvas: an affine map in fixed point, or a homography.
 *
 * A homography is taken in runs of a row, 4 to 64 px long: at the two ends of a run it is exact, between them places lie
 * on a line in fixed point. So all that goes along rows by adding does the same with it, run by run, and the numbers of
 * floating point are few: sums, products and quotients of doubles, which are the same everywhere. */
#ifndef ENDO_BASE_PROJECTION_H
#define ENDO_BASE_PROJECTION_H

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Canvas -> frame. */
typedef struct endo_projection {
    int32_t bits;               /* runs of 1 << bits px, 2..6; 0: there is no homography, and nothing else counts */
    int32_t origin_x, origin_y; /* the panorama's point (0, 0), px of the canvas */
    int32_t begin;              /* a column of the canvas where a run begins */
    double m[9];                /* from the panorama; denominators are positive in all of the frame */
    double least;               /* runs with an end whose denominator is below this are not in the frame */
    double steepest;            /* px of the frame, along x or along y, that a step along x and one along y make together
                                   in any part of it, at most */
} endo_projection;

typedef struct endo_canvas_map {
    endo_fixed_affine affine;
    endo_projection projection; /* takes the place of `affine` where it has bits */
} endo_canvas_map;

/* Columns from .. to - 1 of the canvas, and a map that holds for their pixels in one row, or the middles of cells there. */
typedef struct endo_projected_run {
    int from, to;
    endo_fixed_affine map;
} endo_projected_run;

/* Ends of a run lie at most so far from the frame's first pixel, px, and neighbours of it so far apart. */
#define ENDO_PROJECTION_FARTHEST 1048576.0
#define ENDO_PROJECTION_STEEPEST ((int64_t)256 << 32)

/* Places that are taken as ones in the frame lie less than so many px from it: what an eighth of a pixel in the frame may be
 * just outside, and 3/2 px in runs of 4 px. */
static inline double endo_projection_margin(const endo_projection *p) { return p->bits > 2 ? 2 : 7; }

/* With 32 fractional bits; 0: that is not near the frame. */
ENDO_HD int endo_projection_place(const endo_projection *p, int x, int y, int64_t place[2]) {
    const double *m = p->m;
    double u = (double)(x - p->origin_x), v = (double)(y - p->origin_y), one = 4294967296.0;
    double w = m[6] * u + m[7] * v + m[8];
    if (!(w >= p->least)) return 0;
    double px = (m[0] * u + m[1] * v + m[2]) / w, py = (m[3] * u + m[4] * v + m[5]) / w;
    if (!(fabs(px) <= ENDO_PROJECTION_FARTHEST && fabs(py) <= ENDO_PROJECTION_FARTHEST)) return 0;
    place[0] = (int64_t)floor(px * one + 0.5), place[1] = (int64_t)floor(py * one + 0.5);
    return 1;
}

ENDO_HD int endo_projection_is_steep(int64_t step) {
    return step >= ENDO_PROJECTION_STEEPEST || step <= -ENDO_PROJECTION_STEEPEST;
}

/* The run of the pixel (x, y): from and to are set in any case. falls: 1, the map takes steps along y, too; 0: it holds in
 * this row alone. Returns 0 where the run is not in the frame. */
ENDO_HD int endo_projection_run(const endo_projection *p, int x, int y, int falls, endo_projected_run *out) {
    int64_t first[2], last[2], below[2] = {0, 0};
    out->from = x - ((x - p->begin) & ((1 << p->bits) - 1)), out->to = out->from + (1 << p->bits);
    if (!endo_projection_place(p, out->from, y, first) || !endo_projection_place(p, out->to, y, last)) return 0;
    if (falls && !endo_projection_place(p, out->from, y + 1, below)) return 0;
    for (int k = 0; k < 2; k++) {
        int64_t step = (last[k] - first[k]) >> p->bits, fall = falls ? below[k] - first[k] : 0;
        if (endo_projection_is_steep(step) || endo_projection_is_steep(fall)) return 0;
        out->map.m[3 * k] = step, out->map.m[3 * k + 1] = fall;
        out->map.m[3 * k + 2] = first[k] - step * out->from - fall * y;
    }
    return 1;
}

/* The map that holds for a pixel; 0: it is not in the frame. */
ENDO_HD int endo_canvas_map_at(const endo_canvas_map *map, int x, int y, int falls, endo_fixed_affine *out) {
    endo_projected_run run;
    if (!map->projection.bits) {
        *out = map->affine;
        return 1;
    }
    if (!endo_projection_run(&map->projection, x, y, falls, &run)) return 0;
    *out = run.map;
    return 1;
}

/* Runs of the greatest length whose places err by an eighth of a pixel at most; those of 4 px may err by more.
 * transform: frame -> panorama, with positive denominators in the frame of width x height px. begin: as above. 0: it cannot
 * be inverted in range, or is too steep. */
int endo_projection_make(const endo_transform *transform, int width, int height, int origin_x, int origin_y, int begin,
                         endo_projection *out);

/* Narrows columns *from .. *to - 1 to those that rows top .. bottom - 1 of the canvas may have of the frame, all of them and
 * some more. Empty: *from >= *to. */
void endo_projection_span(const endo_projection *p, int top, int bottom, int width, int height, int *from, int *to);

/* That, or endo_rows_span, which is exact of a single row. */
void endo_canvas_span(const endo_canvas_map *map, int top, int bottom, int width, int height, int *from, int *to);

/* Pixels from x on of a row's ..to - 1, run by run. */
typedef struct endo_run_walk {
    const endo_projection *projection;
    int y, falls, width, height; /* of the frame */
    int x, to;
} endo_run_walk;

/* The pixels of the next run that lie in the frame; 0 after the last. */
int endo_run_next(endo_run_walk *walk, endo_projected_run *run);

#ifdef __cplusplus
}
#endif
#endif
