#include "map_agreement.h"

#include <math.h>

/* The levels must agree within so many of the further one's pixels: what is seen in single pixels alone is not the scene.
 * Its own deviation comes to that, up to as much again. */
#define AGREES 0.15
/* What stands still, light and the rest of a pattern, holds the further level back: by up to this share of the way from
 * no motion. (Weak tissue behind patterns that were taken out: 0.05 to 0.13, 120 pairs.) What the frames themselves lag
 * behind is not forgiven. */
#define LAGS 0.15

/* So many deviations of the further level, which are large ones, are no chance: of 300 pairs of clean sequences none came to
 * that, of those behind grain that was not found two thirds. */
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

/* Far away where a point goes to infinity. */
static void apart_at(const difference *d, double x, double y, double out[2]) {
    double u, v, p, q;
    int is_seen = endo_transform_point(d->map, x, y, &u, &v) && endo_transform_point(d->from, x, y, &p, &q);
    out[0] = is_seen ? u - p : 1e6, out[1] = is_seen ? v - q : 1e6;
}

/* Gauss's points and weights along each side: exact up to ninth powers. */
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

/* Root mean square length, px, of what is left of one difference without a share of another. */
static double length_without(endo_frame_size size, difference d, difference other, double share) {
    double m[6], less[6];
    if (!is_affine(&d) || !is_affine(&other)) {
        double own = product_of(size, d, d), both = product_of(size, d, other), others = product_of(size, other, other);
        double squares = own - 2 * share * both + share * share * others;
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

/* The map as a similarity: the affine part in the middle stands for all of an affine map, and of no homography. */
static int seen_from_afar(endo_frame_size size, const endo_transform *fine, endo_transform *out) {
    double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0;
    if (fine->kind == ENDO_TRANSFORM_HOMOGRAPHY)
        return endo_map_nearest_over_frame(size, fine, ENDO_TRANSFORM_SIMILARITY, out);
    return endo_transform_nearest(fine, ENDO_TRANSFORM_SIMILARITY, x, y, out);
}

int endo_maps_agree(endo_frame_size size, const endo_transform *coarse, double deviation, double pixel,
                    const endo_transform *fine) {
    endo_transform same; /* as the coarse level could see it */
    if (!seen_from_afar(size, fine, &same)) return 0;
    double own = deviation < AGREES * pixel ? deviation : AGREES * pixel;
    return endo_map_distance_behind(size, coarse, &same, LAGS) < AGREES * pixel + own + endo_map_distance(size, &same, fine) / 2;
}

double endo_map_held_back(endo_frame_size size, const endo_transform *coarse, double deviation, const endo_transform *fine) {
    difference apart = {fine, coarse}, back = {&endo_transform_still, coarse};
    double moved = sqrt(product_of(size, back, back));
    double lag = moved > 0 ? product_of(size, apart, back) / moved : 0;
    return lag > HELD_BACK * deviation ? lag : 0;
}
