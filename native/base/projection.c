/* Homographies on a canvas: how long runs may be, and which columns a frame may reach. */
#include "projection.h"

#include "span.h"

/* Margin around a frame in which the bounds of a homography hold, px. */
#define AROUND 8.0
/* Largest error of a position, px; that of runs of 4 px is MOST_ERROR. */
#define ERROR 0.125
#define MOST_ERROR 1.5
/* Largest distance in the frame, px, between neighbours on the canvas. */
#define MOST_STEEPEST 60.0
/* POINTS: samples along each side of a frame at which the shape of a homography is found. */
enum { POINTS = 5, LEAST_BITS = 2, MOST_BITS = 6 };

/* Bounds of the map canvas -> frame within the frame. */
typedef struct shape {
    double least;     /* smallest denominator */
    double steepest;  /* as in endo_projection */
    double curvature; /* largest second derivative along x, px of the frame a squared px of the canvas */
} shape;

static double denominator(const double m[9], double x, double y) { return m[6] * x + m[7] * y + m[8]; }

static double larger(double a, double b) { return a > b ? a : b; }

/* Includes the frame's position (x, y) in the bounds. m: canvas -> frame, w: its denominator there. */
static void include_point(const double m[9], double x, double y, double w, shape *s) {
    double xx = fabs(m[0] - m[6] * x) / w, xy = fabs(m[1] - m[7] * x) / w;
    double yx = fabs(m[3] - m[6] * y) / w, yy = fabs(m[4] - m[7] * y) / w;
    s->least = w < s->least ? w : s->least;
    s->steepest = larger(s->steepest, larger(xx + xy, yx + yy));
    s->curvature = larger(s->curvature, 2 * fabs(m[6]) * larger(xx, yx) / w);
}

/* forward: frame -> panorama, back: its inverse. The product of their denominators is the same at every position. */
static shape sample_shape(const double forward[9], const double back[9], double product, int width, int height) {
    shape s = {INFINITY, 0, 0};
    for (int j = 0; j < POINTS; j++)
        for (int i = 0; i < POINTS; i++) {
            double x = -AROUND + i * (width - 1 + 2 * AROUND) / (POINTS - 1);
            double y = -AROUND + j * (height - 1 + 2 * AROUND) / (POINTS - 1);
            double d = denominator(forward, x, y);
            if (d > 0) include_point(back, x, y, product / d, &s);
        }
    return s;
}

/* The largest length of runs, as a power of two; 0: even the shortest err too much. */
static int bits_of(const shape *s, const double m[9]) {
    if (!(s->steepest <= MOST_STEEPEST && 4 * fabs(m[7]) <= s->least)) return 0;
    for (int bits = MOST_BITS; bits >= LEAST_BITS; bits--) {
        double length = 1 << bits, error = length * length / 8 * s->curvature;
        if (error <= (bits > LEAST_BITS ? ERROR : MOST_ERROR) && 4 * length * fabs(m[6]) <= s->least) return bits;
    }
    return 0;
}

int endo_projection_make(const endo_transform *transform, int width, int height, int origin_x, int origin_y, int begin,
                         endo_projection *out) {
    const double *m = transform->matrix;
    double middle[2] = {0.5 * (width - 1), 0.5 * (height - 1)}, to[2];
    endo_transform back;
    if (!endo_transform_inverse(transform, &back)) return 0;
    if (!endo_transform_point(transform, middle[0], middle[1], &to[0], &to[1])) return 0;
    double w = denominator(back.matrix, to[0], to[1]);
    if (!(fabs(w) > 0)) return 0;
    for (int i = 0; i < 9; i++) back.matrix[i] /= w; /* now 1 in the frame's middle */
    shape s = sample_shape(m, back.matrix, denominator(m, middle[0], middle[1]), width, height);
    int bits = bits_of(&s, back.matrix);
    if (!bits) return 0;
    endo_projection made = {bits, origin_x, origin_y, begin, {0}, s.least / 2, s.steepest};
    for (int i = 0; i < 9; i++) made.m[i] = back.matrix[i];
    *out = made;
    return 1;
}

/* ---------------------------------------------------------------- columns */

/* Rows of the panorama, and the columns that a frame may reach there; all limits are inclusive. */
typedef struct strip {
    double top, bottom;
    double left, right;
} strip;

/* Keeps the columns with a x + b y + c >= 0 in one of the rows. */
static void keep(strip *s, double a, double b, double c) {
    double most = larger(b * s->top, b * s->bottom) + c;
    if (a > 0) s->left = larger(s->left, -most / a);
    else if (a < 0) s->right = -larger(-s->right, most / a);
    else if (most < 0) s->right = -INFINITY;
}

/* Keeps the columns in which a coordinate of the frame may lie within -margin .. last + margin. The coordinate is n over d,
 * three numbers of the map each; where both limits hold, the denominator is positive. */
static void keep_between(strip *s, const double n[3], const double d[3], double last, double margin) {
    double low = margin, high = last + margin;
    keep(s, n[0] + low * d[0], n[1] + low * d[1], n[2] + low * d[2]);
    keep(s, high * d[0] - n[0], high * d[1] - n[1], high * d[2] - n[2]);
}

void endo_projection_span(const endo_projection *p, int top, int bottom, int width, int height, int *from, int *to) {
    const double *m = p->m, margin = endo_projection_margin(p);
    strip s = {top - p->origin_y, bottom - 1 - p->origin_y, *from - p->origin_x, *to - 1 - p->origin_x};
    keep_between(&s, m, m + 6, width - 1, margin);
    keep_between(&s, m + 3, m + 6, height - 1, margin);
    if (!(s.left <= s.right)) {
        *to = *from;
        return;
    }
    *from = (int)floor(s.left) + p->origin_x;
    *to = (int)floor(s.right) + 1 + p->origin_x;
}

void endo_canvas_span(const endo_canvas_map *map, int top, int bottom, int width, int height, int *from, int *to) {
    if (map->projection.bits) endo_projection_span(&map->projection, top, bottom, width, height, from, to);
    else endo_rows_span(&map->affine, top, bottom, width, height, from, to);
}

/* ------------------------------------------------------------------- runs */

static int is_inside(const endo_fixed_affine *map, int x, int y, int width, int height) {
    int64_t px = (map->m[0] * x + map->m[1] * y + map->m[2] + (1 << 23)) >> 24;
    int64_t py = (map->m[3] * x + map->m[4] * y + map->m[5] + (1 << 23)) >> 24;
    return px >= 0 && py >= 0 && px <= (width - 1) * 256 && py <= (height - 1) * 256;
}

/* Most runs lie in the frame from end to end, so only the others are clipped. */
int endo_run_next(endo_run_walk *w, endo_projected_run *run) {
    while (w->x < w->to) {
        int from = w->x, known = endo_projection_run(w->projection, from, w->y, w->both_axes, run);
        w->x = run->to;
        run->from = from;
        if (run->to > w->to) run->to = w->to;
        if (!known) continue;
        if (!is_inside(&run->map, run->from, w->y, w->width, w->height) ||
            !is_inside(&run->map, run->to - 1, w->y, w->width, w->height))
            endo_row_span(&run->map, w->y, w->width, w->height, &run->from, &run->to);
        if (run->from < run->to) return 1;
    }
    return 0;
}
