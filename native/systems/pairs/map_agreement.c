#include "map_agreement.h"

#include <math.h>

/* The levels must agree within so many pixels of the coarse one: a motion seen in single pixels alone is not the scene's.
 * The coarse level's deviation is added to it, up to as much again. */
#define AGREES 0.15
/* Light and the remnant of a pattern stand still and hold the coarse level back, by up to this share of the way from no
 * motion (weak tissue behind patterns that were taken out: 0.05 to 0.13, 120 pairs). A lag of the full frames is not
 * tolerated. */
#define LAGS 0.15

/* A lag above so many deviations of the coarse level is no chance: none of 300 pairs of clean sequences reached it, and two
 * thirds of those behind grain that was not found did. */
#define HELD_BACK 1.5

/* The difference of two maps: where one takes a point, less where the other does. */
typedef struct difference {
    const endo_transform *map, *from;
} difference;

/* Mean over the frame of the product of where two differences of affine maps take a point. */
static double product_of_affine(endo_frame_size size, const double a[6], const double b[6]) {
    double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0;
    double u, v, p, q;
    double across = (double)size.width * size.width / 12, down = (double)size.height * size.height / 12;
    endo_affine_apply(a, x, y, &u, &v);
    endo_affine_apply(b, x, y, &p, &q);
    return u * p + v * q + (a[0] * b[0] + a[3] * b[3]) * across + (a[1] * b[1] + a[4] * b[4]) * down;
}

static void subtract(const difference *d, double out[6]) {
    for (int i = 0; i < 6; i++) out[i] = d->map->matrix[i] - d->from->matrix[i];
}

static int is_affine(const difference *d) {
    return d->map->kind != ENDO_TRANSFORM_HOMOGRAPHY && d->from->kind != ENDO_TRANSFORM_HOMOGRAPHY;
}

/* The difference at a point, px; 1e6 where it goes to infinity. */
static void apart_at(const difference *d, double x, double y, double out[2]) {
    double u, v, p, q;
    int is_seen = endo_transform_point(d->map, x, y, &u, &v) && endo_transform_point(d->from, x, y, &p, &q);
    out[0] = is_seen ? u - p : 1e6;
    out[1] = is_seen ? v - q : 1e6;
}

/* Mean over the frame of the product of any two differences, by Gauss's rule of 5 x 5 points: exact up to ninth powers. */
static double product_of_homographies(endo_frame_size size, const difference *a, const difference *b) {
    static const double at[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
    static const double weights[] = {0.1184634425280945, 0.2393143352496832, 0.2844444444444445, 0.2393143352496832,
                                     0.1184634425280945};
    double sum = 0;
    for (int i = 0; i < 25; i++) {
        double x = (size.width * (1 + at[i % 5]) - 1) / 2, y = (size.height * (1 + at[i / 5]) - 1) / 2, one[2], other[2];
        apart_at(a, x, y, one);
        apart_at(b, x, y, other);
        sum += weights[i % 5] * weights[i / 5] * (one[0] * other[0] + one[1] * other[1]);
    }
    return sum;
}

static double product_of(endo_frame_size size, difference a, difference b) {
    double one[6], other[6];
    if (!is_affine(&a) || !is_affine(&b)) return product_of_homographies(size, &a, &b);
    subtract(&a, one);
    subtract(&b, other);
    return product_of_affine(size, one, other);
}

double endo_map_distance(endo_frame_size size, const endo_transform *a, const endo_transform *b) {
    difference apart = {a, b};
    return sqrt(product_of(size, apart, apart));
}

/* Root mean square length, px, of one difference less a share of another. */
static double length_without(endo_frame_size size, difference d, difference other, double share) {
    double m[6], less[6];
    if (!is_affine(&d) || !is_affine(&other)) {
        double first = product_of(size, d, d), both = product_of(size, d, other), second = product_of(size, other, other);
        double squares = first - 2 * share * both + share * share * second;
        return squares > 0 ? sqrt(squares) : 0;
    }
    subtract(&d, m);
    subtract(&other, less);
    for (int i = 0; i < 6; i++) m[i] -= share * less[i];
    return sqrt(product_of_affine(size, m, m));
}

double endo_map_distance_behind(endo_frame_size size, const endo_transform *coarse, const endo_transform *fine, double lag) {
    difference apart = {coarse, fine}, back = {&endo_transform_still, fine};
    double whole = product_of(size, back, back), part = product_of(size, apart, back);
    double share = part > lag * whole ? lag : part > 0 ? part / whole : 0;
    return length_without(size, apart, back, share);
}

/* The map as a similarity: that nearest in the middle of the frame, or for a homography over all of it. */
static int similarity_of(endo_frame_size size, const endo_transform *fine, endo_transform *out) {
    double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0;
    if (fine->kind == ENDO_TRANSFORM_HOMOGRAPHY)
        return endo_map_nearest_over_frame(size, fine, ENDO_TRANSFORM_SIMILARITY, out);
    return endo_transform_nearest(fine, ENDO_TRANSFORM_SIMILARITY, x, y, out);
}

int endo_maps_agree(endo_frame_size size, const endo_transform *coarse, double deviation, double pixel,
                    const endo_transform *fine) {
    endo_transform same; /* what a similarity can hold of the fine map */
    if (!similarity_of(size, fine, &same)) return 0;
    double unsure = deviation < AGREES * pixel ? deviation : AGREES * pixel;
    return endo_map_distance_behind(size, coarse, &same, LAGS) <
           AGREES * pixel + unsure + endo_map_distance(size, &same, fine) / 2;
}

double endo_map_held_back(endo_frame_size size, const endo_transform *coarse, double deviation, const endo_transform *fine) {
    difference apart = {fine, coarse}, back = {&endo_transform_still, coarse};
    double moved = sqrt(product_of(size, back, back));
    double lag = moved > 0 ? product_of(size, apart, back) / moved : 0;
    return lag > HELD_BACK * deviation ? lag : 0;
}
