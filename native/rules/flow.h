/* The rules of Kourogi's optical flow that every back end shares ([S] section 2.2).
 *
 * Invariant: pixels, pseudo motions and their sums are integers; the 3 x 3 systems are solved in
 * double in the order written here. Two printed formulas disagree about the direction (eq. 2.6 and
 * 2.9); both are read here as I_t = I_current(x + motion) - I_reference(x), which eq. 2.1 demands. */
#ifndef ENDO_RULES_FLOW_H
#define ENDO_RULES_FLOW_H

#include "include/endorama.h"
#include "base/math/least_squares.h"
#include "base/transform.h"

/* Largest side of the images of flow, px: flow only starts the search. */
#define ENDO_FLOW_SIDE 512
/* The coarsest level is the last one with no side below this. */
#define ENDO_FLOW_COARSEST 24
#define ENDO_FLOW_MAX_LEVELS 6
#define ENDO_FLOW_ITERATIONS 5
/* Smoothed differences carry 6 fractional bits. */
#define ENDO_FLOW_ONE 64
/* The threshold T = 5 grey levels ([S] eq. 2.7, after Kourogi). */
#define ENDO_FLOW_THRESHOLD (5 * ENDO_FLOW_ONE)
/* Least slope of a pseudo motion: I(x+1) - I(x-1) of 3 grey levels. */
#define ENDO_FLOW_SLOPE (3 * ENDO_FLOW_ONE)
/* Largest pseudo motion, 1/256 px: the linearisation holds for no more than 2 px. */
#define ENDO_FLOW_REACH 512
/* Least number of vectors of a fit. */
#define ENDO_FLOW_MIN_PIXELS 64
/* Marks a pixel that is ignored. */
#define ENDO_FLOW_INVALID (-32768)

/* Full scale of a smoothed mask, and of an image: 255 with 6 fractional bits. */
#define ENDO_FLOW_FULL (255 * ENDO_FLOW_ONE)

/* Distance of the rows that are used: large levels are sampled, which leaves tens of thousands of pixels. */
ENDO_HD int endo_flow_row_step(int width, int height) { return width * height > 65536 ? 2 : 1; }

/* One step of the recursive smoothing of values from 0 to ENDO_FLOW_FULL: y += k (x - y), k with 15 fractional bits, rounded.
 * Written so that the next y waits for a product and a shift only. */
ENDO_HD int32_t endo_smooth_step(int32_t y, int32_t x, int32_t k) {
    return (y * (32768 - k) + (x * k + 16384)) >> 15;
}

/* The gain that normalises a smoothed image by the smoothed mask, 12 fractional bits. */
ENDO_HD int32_t endo_smooth_gain(int32_t smoothed_mask) {
    if (smoothed_mask < ENDO_FLOW_FULL / 7) return 7 * 4096;
    return (ENDO_FLOW_FULL * 4096 + smoothed_mask / 2) / smoothed_mask;
}

/* Image minus its smoothed copy, 6 fractional bits. */
ENDO_HD int32_t endo_smooth_difference(int32_t grey, int32_t smoothed, int32_t gain) {
    int32_t mean = (smoothed * gain + 2048) >> 12;
    return grey * ENDO_FLOW_ONE - (mean > ENDO_FLOW_FULL ? ENDO_FLOW_FULL : mean);
}

/* The pseudo motion, [S] eq. 2.2, 2.3: -I_t / I_x in 1/256 px, cut towards zero. slope = 2 I_x. One float division is
 * exact to the last bit for the |results| <= ENDO_FLOW_REACH that are used, and the same everywhere. */
ENDO_HD int32_t endo_pseudo_motion(int32_t difference, int32_t slope) {
    float motion = (float)(-512 * difference) / (float)slope;
    if (!(motion > -100000.0f && motion < 100000.0f)) return 100000;
    return (int32_t)motion;
}

/* --------------------------------------------------------- pyramid geometry */

typedef struct endo_flow_level {
    int width, height;
    int scale; /* a level pixel covers scale x scale image pixels */
} endo_flow_level;

/* Fills levels finest first and returns how many: halved until both sides are <= ENDO_FLOW_SIDE, then
 * on while no side falls below ENDO_FLOW_COARSEST. 0: the image is too small for flow. */
ENDO_HD int endo_flow_levels(int width, int height, endo_flow_level levels[ENDO_FLOW_MAX_LEVELS]) {
    int scale = 1, n = 0;
    for (; width > ENDO_FLOW_SIDE || height > ENDO_FLOW_SIDE; scale *= 2) {
        width /= 2;
        height /= 2;
    }
    for (; n < ENDO_FLOW_MAX_LEVELS && width >= ENDO_FLOW_COARSEST && height >= ENDO_FLOW_COARSEST; scale *= 2) {
        levels[n].width = width;
        levels[n].height = height;
        levels[n++].scale = scale;
        width /= 2;
        height /= 2;
    }
    return n;
}

/* Largest side of the images of a rough estimate, px. */
#define ENDO_FLOW_ROUGH_SIDE 128

typedef struct endo_flow_setup {
    endo_transform_class kind; /* translation or affine */
    int rough;                 /* 1: the start of a search that does not need more */
} endo_flow_setup;

/* The finest level that is used; finer ones are left out. */
ENDO_HD int endo_flow_last_level(int width, int height, int rough) {
    endo_flow_level levels[ENDO_FLOW_MAX_LEVELS];
    int n = endo_flow_levels(width, height, levels), last = 0;
    while (rough && last + 1 < n && (levels[last].width > ENDO_FLOW_ROUGH_SIDE || levels[last].height > ENDO_FLOW_ROUGH_SIDE))
        last++;
    return last;
}

/* ------------------------------------------------------------------ motion */

/* An affine motion: u = a[0] + a[1] x + a[2] y, v = a[3] + a[4] x + a[5] y, in image pixels. */
typedef struct endo_motion {
    double a[6];
} endo_motion;

/* An affine motion at one level about its centre, in level pixels with 16 fractional bits. */
typedef struct endo_level_motion {
    int32_t a[6];
} endo_level_motion;

ENDO_HD int32_t endo_round16(double v) { return (int32_t)floor(v * 65536.0 + 0.5); }

/* Converts one component, a[0..2] of the motion, to a level. 0: the motion leaves the level, because the estimate diverged. */
ENDO_HD int endo_component_at_level(const double a[3], const endo_flow_level *level, int32_t out[3]) {
    double scale = level->scale, offset = (scale - 1) / 2, inverse = 1 / scale; /* a power of two: as exact as dividing */
    double centre_x = scale * (double)(level->width / 2) + offset;
    double centre_y = scale * (double)(level->height / 2) + offset;
    double limit = level->width > level->height ? level->width : level->height;
    double shift = (a[0] + a[1] * centre_x + a[2] * centre_y) * inverse;
    if (!(fabs(shift) < limit && fabs(a[1]) < 0.5 && fabs(a[2]) < 0.5)) return 0;
    out[0] = endo_round16(shift);
    out[1] = endo_round16(a[1]);
    out[2] = endo_round16(a[2]);
    return 1;
}

/* Converts a motion to a level; 0: one of its components leaves it. */
ENDO_HD int endo_motion_at_level(const endo_motion *m, const endo_flow_level *level, endo_level_motion *out) {
    return endo_component_at_level(m->a, level, out->a) && endo_component_at_level(m->a + 3, level, out->a + 3);
}

/* Sums over the accepted pseudo motions of one component; d: the pseudo motion, which adds to the compensated motion, in
 * 1/256 px; x and y about the level's centre. */
typedef struct endo_flow_sums {
    int64_t n, x, y, xx, xy, yy, d, xd, yd;
} endo_flow_sums;

ENDO_HD void endo_flow_accumulate(endo_flow_sums *s, int32_t x, int32_t y, int32_t d) {
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += (int64_t)x * x;
    s->xy += (int64_t)x * y;
    s->yy += (int64_t)y * y;
    s->d += d;
    s->xd += (int64_t)x * d;
    s->yd += (int64_t)y * d;
}

/* Adds the least-squares fit of the accepted increments to one component a[0..2] of the motion.
 * Returns 0, and changes nothing, if there are too few or they are degenerate. */
ENDO_HD int endo_motion_update(const endo_flow_sums *s, const endo_flow_level *level, int affine, double a[3]) {
    double c[3] = {0, 0, 0};
    if (s->n < ENDO_FLOW_MIN_PIXELS) return 0;
    if (affine) {
        double matrix[6] = {(double)s->n, (double)s->x, (double)s->y, (double)s->xx, (double)s->xy, (double)s->yy};
        double right[3] = {(double)s->d, (double)s->xd, (double)s->yd};
        if (!endo_plane_solve(matrix, right, c)) return 0;
    } else {
        c[0] = (double)s->d / (double)s->n;
    }
    /* The fit is converted from level pixels / 256 about the centre to image pixels about the origin. */
    double scale = level->scale, offset = (scale - 1) / 2;
    double centre_x = scale * (double)(level->width / 2) + offset;
    double centre_y = scale * (double)(level->height / 2) + offset;
    double slope_x = c[1] / 256, slope_y = c[2] / 256;
    a[0] += c[0] * scale / 256 - slope_x * centre_x - slope_y * centre_y;
    a[1] += slope_x;
    a[2] += slope_y;
    return 1;
}

/* The change of one component at a corner, 0..3, by an iteration, level pixels. */
ENDO_HD double endo_corner_change(const double before[3], const double after[3], const endo_flow_level *level, int corner) {
    double scale = level->scale, inverse = 1 / scale;
    double x = corner & 1 ? scale * (level->width - 1) : 0, y = corner & 2 ? scale * (level->height - 1) : 0;
    double d = (after[0] - before[0]) + (after[1] - before[1]) * x + (after[2] - before[2]) * y;
    return fabs(d) * inverse;
}

/* The largest change at any corner by an iteration, level pixels. */
ENDO_HD double endo_motion_change(const endo_motion *before, const endo_motion *after,
                                  const endo_flow_level *level) {
    double largest = 0;
    for (int i = 0; i < 8; i++) {
        double change = endo_corner_change(before->a + i / 4 * 3, after->a + i / 4 * 3, level, i % 4);
        if (change > largest) largest = change;
    }
    return largest;
}

/* An iteration that moves no corner by this many level pixels is the level's last. */
#define ENDO_FLOW_SETTLED 0.0625

/* Whether an iteration fits an affine motion: the coarsest level begins with a shift, since its pixels determine no more. */
ENDO_HD int endo_flow_fits_affine(endo_transform_class kind, int coarsest, int iteration) {
    return kind == ENDO_TRANSFORM_AFFINE && !(coarsest && iteration < 2);
}

/* ------------------------------------------------------------- first shift */

/* Largest first shift, a quarter of the shorter side. The coarsest level starts with the whole-pixel shift of least mean
 * absolute difference, so that motions far beyond the reach of pseudo motions are found; a shift counts if at least half of
 * the reference's pixels have a partner. */
ENDO_HD int endo_shift_reach(const endo_flow_level *level) {
    return (level->width < level->height ? level->width : level->height) / 4;
}

typedef struct endo_shift_sums {
    int64_t difference; /* sum of absolute differences */
    int32_t n;          /* pixels */
} endo_shift_sums;

ENDO_HD int endo_shift_is_better(const endo_shift_sums *a, const endo_shift_sums *best, int32_t pixels) {
    if (a->n == 0 || 2 * (int64_t)a->n < pixels) return 0;
    return best->n == 0 || a->difference * best->n < best->difference * a->n;
}

/* The inverse of the motion, which takes the reference to the current frame, as a transform current -> reference; the identity
 * if the finest level had no fit, or if the motion cannot be inverted. */
ENDO_HD void endo_flow_to_result(const endo_motion *motion, endo_transform_class kind, int passed,
                                 endo_flow_result *out) {
    const double *a = motion->a, still[6] = {1, 0, 0, 0, 1, 0};
    double m[6] = {1 + a[1], a[2], a[0], a[4], 1 + a[5], a[3]};
    int decided = passed > 0 && endo_affine_invert(m, m);
    out->transform = endo_transform_make(decided ? kind : ENDO_TRANSFORM_TRANSLATION, decided ? m : still);
    out->pixels = decided ? passed : 0;
}

/* The recursive filter's coefficient for a time constant in pixels, 15 fractional bits; host only. */
static inline int endo_smooth_coefficient(int iir) {
    return iir ? (int)floor(32768 * (1 - exp(-1.0 / iir)) + 0.5) : 0;
}

#endif
