/* Products of transforms, and what transforms do to frames and rectangles (geometry.h). Inverses and products follow
 * base/transform.h except for the sign of a zero; they become NaN where a transform cannot be inverted. */
#include "geometry.h"

#include <math.h>
#include <string.h>

#include "numbers.h"

/* Largest width of a frame's pixel in the first frame, px, at a corner: beyond it hardly any detail is left. */
#define WIDEST 32

/* Largest coordinate of a transformed rectangle, px. */
#define FARTHEST (1 << 29)

/* Largest determinant, in magnitude, that counts as 0. */
#define SINGULAR 1e-12

double length_of(double x, double y) {
    return sqrt(x * x + y * y);
}

/* ------------------------------------------------------------------ transforms */

const endo_transform pose_identity = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static endo_transform make(int64_t kind, double m00, double m01, double m02, double m10, double m11, double m12) {
    return (endo_transform){.kind = kind, .matrix = {m00, m01, m02, m10, m11, m12, 0, 0, 1}};
}

/* Scales the matrix so that its last number is 1, unless that is 0. */
static endo_transform homography(const double m[9]) {
    endo_transform made = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    double last = m[8] != 0 ? m[8] : 1;
    for (int i = 0; i < 9; i++) made.matrix[i] = m[i] / last;
    return made;
}

static endo_transform nowhere(int64_t kind) {
    endo_transform made = {.kind = kind};
    for (int i = 0; i < 9; i++) made.matrix[i] = NAN;
    return made;
}

endo_transform pose_translation(double dx, double dy) {
    return make(ENDO_TRANSFORM_TRANSLATION, 1, 0, dx, 0, 1, dy);
}

endo_transform pose_scaling(double scale) {
    double shift = (scale - 1) / 2;
    return scale == 1 ? pose_identity : make(ENDO_TRANSFORM_SIMILARITY, scale, 0, shift, 0, scale, shift);
}

endo_transform pose_perspective(const double g[2], double x, double y) {
    double there = g[0] * x + g[1] * y;
    const double m[9] = {1 + x * g[0], x * g[1], -x * there, y * g[0], 1 + y * g[1], -y * there, g[0], g[1], 1 - there};
    return homography(m);
}

int pose_is_homography(const endo_transform *t) {
    return t->kind == ENDO_TRANSFORM_HOMOGRAPHY;
}

static endo_transform product_of_homographies(const double a[9], const double b[9]) {
    double m[9];
    for (int i = 0; i < 9; i++) {
        const double *row = a + i / 3 * 3;
        const double *column = b + i % 3;
        m[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
    return homography(m);
}

endo_transform pose_times(const endo_transform *outer, const endo_transform *inner) {
    const double *a = outer->matrix;
    const double *b = inner->matrix;
    if (pose_is_homography(outer) || pose_is_homography(inner)) return product_of_homographies(a, b);
    int64_t general = outer->kind > inner->kind ? outer->kind : inner->kind;
    return make(general, a[0] * b[0] + a[1] * b[3], a[0] * b[1] + a[1] * b[4], a[0] * b[2] + a[1] * b[5] + a[2],
                a[3] * b[0] + a[4] * b[3], a[3] * b[1] + a[4] * b[4], a[3] * b[2] + a[4] * b[5] + a[5]);
}

double pose_determinant(const endo_transform *t) {
    const double *m = t->matrix;
    if (!pose_is_homography(t)) return m[0] * m[4] - m[1] * m[3];
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

int pose_is_invertible(const endo_transform *t) {
    double d = pose_determinant(t);
    for (int i = 0; i < 9; i++)
        if (!endo_is_finite(t->matrix[i])) return 0;
    return fabs(d) > SINGULAR && endo_is_finite(d);
}

static endo_transform inverse_of_homography(const double m[9], double d) {
    const double back[9] = {
        (m[4] * m[8] - m[5] * m[7]) / d, (m[2] * m[7] - m[1] * m[8]) / d, (m[1] * m[5] - m[2] * m[4]) / d,
        (m[5] * m[6] - m[3] * m[8]) / d, (m[0] * m[8] - m[2] * m[6]) / d, (m[2] * m[3] - m[0] * m[5]) / d,
        (m[3] * m[7] - m[4] * m[6]) / d, (m[1] * m[6] - m[0] * m[7]) / d, (m[0] * m[4] - m[1] * m[3]) / d};
    return homography(back);
}

endo_transform pose_inverse(const endo_transform *t) {
    const double *m = t->matrix;
    if (!pose_is_invertible(t)) return nowhere(t->kind);
    double d = pose_determinant(t);
    if (pose_is_homography(t)) return inverse_of_homography(m, d);
    double a = m[4] / d;
    double b = -m[1] / d;
    double c = -m[3] / d;
    double e = m[0] / d;
    return make(t->kind, a, b, -(a * m[2] + b * m[5]), c, e, -(c * m[2] + e * m[5]));
}

endo_transform pose_between(const endo_transform *reference, const endo_transform *current) {
    endo_transform back = pose_inverse(reference);
    return pose_times(&back, current);
}

double pose_divisor(const endo_transform *t, double x, double y) {
    const double *m = t->matrix;
    return pose_is_homography(t) ? m[6] * x + m[7] * y + m[8] : 1;
}

double pose_x(const endo_transform *t, double x, double y) {
    const double *m = t->matrix;
    return (m[0] * x + m[1] * y + m[2]) / pose_divisor(t, x, y);
}

double pose_y(const endo_transform *t, double x, double y) {
    const double *m = t->matrix;
    return (m[3] * x + m[4] * y + m[5]) / pose_divisor(t, x, y);
}

endo_transform pose_tangent(const endo_transform *t, double x, double y) {
    const double *m = t->matrix;
    if (!pose_is_homography(t)) return *t;
    double w = pose_divisor(t, x, y);
    double u = pose_x(t, x, y);
    double v = pose_y(t, x, y);
    double a = (m[0] - u * m[6]) / w;
    double b = (m[1] - u * m[7]) / w;
    double c = (m[3] - v * m[6]) / w;
    double d = (m[4] - v * m[7]) / w;
    return make(ENDO_TRANSFORM_AFFINE, a, b, u - a * x - b * y, c, d, v - c * x - d * y);
}

/* Half of the sum of the squared singular values of the linear part. */
static double half_of_squares(const double m[9]) {
    return (m[0] * m[0] + m[1] * m[1] + m[3] * m[3] + m[4] * m[4]) / 2;
}

double pose_singular_ratio(const endo_transform *t) {
    const double *m = t->matrix;
    double squares = half_of_squares(m);
    double d = fabs(m[0] * m[4] - m[1] * m[3]);
    return (squares + sqrt(greater_of(0, squares * squares - d * d))) / d;
}

double pose_longest(const endo_transform *t) {
    const double *m = t->matrix;
    double squares = half_of_squares(m);
    double d = m[0] * m[4] - m[1] * m[3];
    return sqrt(squares + sqrt(greater_of(0, squares * squares - d * d)));
}

/* ----------------------------------------------------------------- over a frame */

/* Means over a frame by Gauss-Legendre quadrature with five points along each side, exact up to ninth powers. Coordinates run
 * from the centre, in halves of a side. */
#define NODES 5
static const double nodes[NODES] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
static const double node_weights[NODES] = {0.1184634425280945, 0.2393143352496832, 0.2844444444444445, 0.2393143352496832,
                                           0.1184634425280945};

int frame_is_before_horizon(mosaic_size frame, const endo_transform *pose) {
    double right = frame.width - 1;
    double bottom = frame.height - 1;
    return pose_divisor(pose, 0, 0) > 0 && pose_divisor(pose, right, 0) > 0 && pose_divisor(pose, 0, bottom) > 0 &&
           pose_divisor(pose, right, bottom) > 0;
}

int frame_is_shown(mosaic_size frame, const endo_transform *pose) {
    if (!pose_is_homography(pose)) return 1;
    if (!frame_is_before_horizon(frame, pose)) return 0;
    for (int k = 0; k < 4; k++) {
        double x = k % 2 == 0 ? 0 : frame.width - 1;
        double y = k < 2 ? 0 : frame.height - 1;
        endo_transform tangent = pose_tangent(pose, x, y);
        if (!(pose_longest(&tangent) <= WIDEST)) return 0;
    }
    return 1;
}

static double scale_at(const endo_transform *pose, double x, double y) {
    endo_transform tangent = pose_tangent(pose, x, y);
    return sqrt(half_of_squares(tangent.matrix));
}

double frame_scale(mosaic_size frame, const endo_transform *pose) {
    if (!pose_is_homography(pose)) return scale_at(pose, 0, 0);
    double squares = 0;
    for (int k = 0; k < 4; k++) {
        double x = (frame.width - 1) / 2.0 + (k % 2 == 0 ? -frame.width : frame.width) / sqrt(12);
        double y = (frame.height - 1) / 2.0 + (k < 2 ? -frame.height : frame.height) / sqrt(12);
        double at = scale_at(pose, x, y);
        squares += at * at / 4;
    }
    return sqrt(squares);
}

endo_transform frame_middle(mosaic_size frame, const endo_transform *pose) {
    return pose_tangent(pose, (frame.width - 1) / 2.0, (frame.height - 1) / 2.0);
}

double frame_corner_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b) {
    double right = frame.width - 1;
    double bottom = frame.height - 1;
    const double corners[4][2] = {{0, 0}, {right, 0}, {right, bottom}, {0, bottom}};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = corners[i][0];
        double y = corners[i][1];
        double dx = pose_x(a, x, y) - pose_x(b, x, y);
        double dy = pose_y(a, x, y) - pose_y(b, x, y);
        sum += dx * dx;
        sum += dy * dy;
    }
    return sqrt(sum / 4);
}

double frame_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b) {
    if (!frame_is_before_horizon(frame, a) || !frame_is_before_horizon(frame, b)) return INFINITY;
    double sum = 0;
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < NODES; k++) {
            double x = (frame.width - 1) / 2.0 + nodes[i] * frame.width / 2;
            double y = (frame.height - 1) / 2.0 + nodes[k] * frame.height / 2;
            double dx = pose_x(a, x, y) - pose_x(b, x, y);
            double dy = pose_y(a, x, y) - pose_y(b, x, y);
            sum += node_weights[i] * node_weights[k] * (dx * dx + dy * dy);
        }
    return sqrt(sum);
}

/* ------------------------------------------------------------------- rectangles */

int rect_contains(mosaic_rect r, mosaic_rect inner) {
    return r.left <= inner.left && r.top <= inner.top && r.right >= inner.right && r.bottom >= inner.bottom;
}

mosaic_rect rect_union(mosaic_rect a, mosaic_rect b) {
    return (mosaic_rect){
        .left = a.left < b.left ? a.left : b.left,
        .top = a.top < b.top ? a.top : b.top,
        .right = a.right > b.right ? a.right : b.right,
        .bottom = a.bottom > b.bottom ? a.bottom : b.bottom,
    };
}

static int is_before_horizon(mosaic_rect r, const endo_transform *t) {
    return pose_divisor(t, r.left, r.top) > 0 && pose_divisor(t, r.right - 1, r.top) > 0 &&
           pose_divisor(t, r.left, r.bottom - 1) > 0 && pose_divisor(t, r.right - 1, r.bottom - 1) > 0;
}

int rect_transformed(mosaic_rect r, const endo_transform *t, mosaic_rect *out) {
    double x0 = INFINITY;
    double y0 = INFINITY;
    double x1 = -INFINITY;
    double y1 = -INFINITY;
    if (!is_before_horizon(r, t)) return 0;
    for (int k = 0; k < 4; k++) {
        double from_x = k % 2 == 0 ? r.left : r.right - 1;
        double from_y = k < 2 ? r.top : r.bottom - 1;
        double x = pose_x(t, from_x, from_y);
        double y = pose_y(t, from_x, from_y);
        x0 = lesser_of(x0, x);
        x1 = greater_of(x1, x);
        y0 = lesser_of(y0, y);
        y1 = greater_of(y1, y);
    }
    if (!(x0 > -FARTHEST && y0 > -FARTHEST && x1 < FARTHEST && y1 < FARTHEST)) return 0;
    *out = (mosaic_rect){
        .left = (int)floor(x0),
        .top = (int)floor(y0),
        .right = (int)ceil(x1) + 1,
        .bottom = (int)ceil(y1) + 1,
    };
    return 1;
}

/* Capacity for the corners of a convex polygon: four, one more for each cut, and up to twice as many with NaN coordinates. */
#define MOST_CORNERS 64
typedef struct polygon {
    int n;
    double at[2][MOST_CORNERS]; /* x and y */
} polygon;

static void add_corner(polygon *p, double x, double y) {
    p->at[0][p->n] = x;
    p->at[1][p->n] = y;
    p->n++;
}

static int corner_after(const polygon *p, int i) { return i + 1 < p->n ? i + 1 : 0; }

/* Clips the polygon to where its coordinate on the axis, times sign, is at least sign times the limit. */
static void cut(const polygon *p, int axis, int sign, double limit, polygon *kept) {
    kept->n = 0;
    for (int i = 0; i < p->n; i++) {
        int next = corner_after(p, i);
        double inside = sign * (p->at[axis][i] - limit);
        double after = sign * (p->at[axis][next] - limit);
        if (inside >= 0) add_corner(kept, p->at[0][i], p->at[1][i]);
        if ((inside >= 0) != (after >= 0)) {
            double t = inside / (inside - after);
            add_corner(kept, p->at[0][i] + t * (p->at[0][next] - p->at[0][i]),
                       p->at[1][i] + t * (p->at[1][next] - p->at[1][i]));
        }
    }
}

static double area(const polygon *p) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        int next = corner_after(p, i);
        sum += p->at[0][i] * p->at[1][next] - p->at[0][next] * p->at[1][i];
    }
    return sum / 2;
}

double rect_covered_by(mosaic_rect r, const endo_transform *t) {
    if (!is_before_horizon(r, t)) return 0;
    const int corners[4][2] = {{r.left, r.top}, {r.right - 1, r.top}, {r.right - 1, r.bottom - 1}, {r.left, r.bottom - 1}};
    const double limits[4] = {r.left, r.right - 1, r.top, r.bottom - 1};
    polygon p[2]; /* cut from one to the other, without copies */
    p[0].n = 0;
    for (int i = 0; i < 4; i++)
        add_corner(&p[0], pose_x(t, corners[i][0], corners[i][1]), pose_y(t, corners[i][0], corners[i][1]));
    for (int side = 0; side < 4; side++) cut(&p[side % 2], side / 2, side % 2 == 0 ? 1 : -1, limits[side], &p[1 - side % 2]);
    return fabs(area(&p[0])) / greater_of(1, (rect_width(r) - 1.0) * (rect_height(r) - 1.0));
}
