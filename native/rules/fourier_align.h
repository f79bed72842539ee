/* One step of the alignment of two high-passed images by least squares (Gauss and Newton) on a similarity, with gain and
 * offset of the intensities.
 *
 * At a pixel i of a reference level, R is its value, C that of the current image where the map takes i, (gx, gy) the
 * differences R(x + 1) - R(x - 1), R(y + 1) - R(y - 1). A small motion d of i changes C by gain (gx dx + gy dy) / 2, after
 * which C should be gain R + offset. The sums are integers; the step follows from them in doubles, in the order written
 * here. */
#ifndef ENDO_RULES_FOURIER_ALIGN_H
#define ENDO_RULES_FOURIER_ALIGN_H

#include "fourier_levels.h"

/* Least number of pixels of a step. */
#define ENDO_ALIGN_MIN_PIXELS 64
/* A step that moves no corner of the reference by this many level pixels is the level's last. */
#define ENDO_ALIGN_SETTLED (1.0 / 32)
/* Numbers of a pixel: shift in x and y, growth, rotation; R; C. */
#define ENDO_ALIGN_NUMBERS 6
#define ENDO_ALIGN_PRODUCTS 21

typedef struct endo_align_sums {
    int64_t n;
    int64_t sum[ENDO_ALIGN_NUMBERS];
    int64_t product[ENDO_ALIGN_PRODUCTS]; /* (0, 0), (0, 1) .. (0, 5), (1, 1) .. (5, 5) */
} endo_align_sums;

/* Index of the product of numbers i <= k. */
ENDO_HD int endo_align_index(int i, int k) { return i * ENDO_ALIGN_NUMBERS - i * (i - 1) / 2 + k - i; }

/* Coordinate of a pixel from the middle of the level, 256 at half of the longer side. size: number of pixels along the axis. */
ENDO_HD int32_t endo_align_coordinate(int32_t position, int32_t size, int32_t side) {
    return 256 * (2 * position - (size - 1)) / side;
}

/* The numbers of a pixel at (x, y). |numbers| < 2^13, so that 32 products fit 31 bits, and no image overflows 64. */
ENDO_HD void endo_align_numbers(int32_t gx, int32_t gy, int32_t x, int32_t y, int32_t reference, int32_t current,
                                int32_t numbers[ENDO_ALIGN_NUMBERS]) {
    numbers[0] = gx;
    numbers[1] = gy;
    numbers[2] = (gx * x + gy * y) >> 8;
    numbers[3] = (gy * x - gx * y) >> 8;
    numbers[4] = reference;
    numbers[5] = current;
}

ENDO_HD void endo_align_add(endo_align_sums *s, const int32_t numbers[ENDO_ALIGN_NUMBERS]) {
    s->n++;
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) {
        s->sum[i] += numbers[i];
        for (int k = i; k < ENDO_ALIGN_NUMBERS; k++)
            s->product[endo_align_index(i, k)] += (int64_t)numbers[i] * numbers[k];
    }
}

/* Sum of the products of numbers i <= k about their means. */
ENDO_HD double endo_align_covariance(const endo_align_sums *s, int i, int k) {
    return (double)s->product[endo_align_index(i, k)] - (double)s->sum[i] * (double)s->sum[k] / (double)s->n;
}

/* The covariances of all numbers. */
typedef struct endo_align_moments {
    int64_t n;
    double of[ENDO_ALIGN_PRODUCTS]; /* by endo_align_index */
} endo_align_moments;

ENDO_HD endo_align_moments endo_align_moments_of(const endo_align_sums *s) {
    endo_align_moments m;
    m.n = s->n;
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++)
        for (int k = i; k < ENDO_ALIGN_NUMBERS; k++) m.of[endo_align_index(i, k)] = endo_align_covariance(s, i, k);
    return m;
}

ENDO_HD double endo_align_moment(const endo_align_moments *m, int i, int k) {
    return m->of[i < k ? endo_align_index(i, k) : endo_align_index(k, i)];
}

/* The correlation of R and C; NaN: fewer pixels than ENDO_ALIGN_MIN_PIXELS, or no variance in one image. */
ENDO_HD double endo_align_ncc(const endo_align_moments *m) {
    if (m->n < ENDO_ALIGN_MIN_PIXELS) return NAN;
    double r = endo_align_moment(m, 4, 4), c = endo_align_moment(m, 5, 5);
    if (!(r >= 1 && c >= 1)) return NAN;
    double ncc = endo_align_moment(m, 4, 5) / (sqrt(r) * sqrt(c));
    return ncc > 1 ? 1 : ncc < -1 ? -1 : ncc;
}

/* Spread of the directions of the gradient: 4 determinant / trace^2 of its second moments, 0..1. */
ENDO_HD double endo_align_spread(const endo_align_moments *m) {
    double xx = endo_align_moment(m, 0, 0), xy = endo_align_moment(m, 0, 1), yy = endo_align_moment(m, 1, 1);
    double trace = xx + yy, determinant = xx * yy - xy * xy;
    return m->n > 0 && trace > 0 && determinant > 0 ? 4 * determinant / (trace * trace) : 0;
}

/* Solves a positive definite system of n <= 5 rows by elimination; r becomes the solution, m is overwritten. 0: it is (nearly)
 * singular. */
ENDO_HD int endo_align_solve(double m[5][5], double r[5], int n) {
    double diagonal[5];
    for (int i = 0; i < n; i++) diagonal[i] = m[i][i];
    for (int i = 0; i < n; i++) {
        if (!(m[i][i] > 1e-9 * diagonal[i])) return 0;
        for (int row = i + 1; row < n; row++) {
            double f = m[row][i] / m[i][i];
            for (int k = i; k < n; k++) m[row][k] -= f * m[i][k];
            r[row] -= f * r[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) r[i] -= m[i][k] * r[k];
        r[i] /= m[i][i];
    }
    return 1;
}

/* A motion at a level, level px: a shift, and growth and rotation as motion at half of the longer side. */
typedef struct endo_align_step {
    double x, y, growth, turn;
} endo_align_step;

/* The step of a model. used: numbers of the n - 1 free motions, and the reference. Inlined with both constant, it needs no
 * memory. */
ENDO_HD int endo_align_find_of(const endo_align_moments *s, const int *used, int n, endo_align_step *step) {
    double m[5][5], r[5], moved[4] = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) m[i][k] = endo_align_moment(s, used[i], used[k]);
        r[i] = endo_align_moment(s, used[i], 5);
    }
    if (!endo_align_solve(m, r, n)) return 0;
    double gain = r[n - 1]; /* C = gain R - gain (g d) / 2 */
    if (!(gain > 0.05)) return 0;
    for (int i = 0; i < n - 1; i++) moved[used[i]] = 0 - 2 * r[i] / gain;
    step->x = moved[0];
    step->y = moved[1];
    step->growth = moved[2];
    step->turn = moved[3];
    return 1;
}

/* Finds the step of a model from the covariances; 0: they do not determine it. */
ENDO_HD int endo_align_find(const endo_align_moments *s, endo_transform_class model, endo_align_step *step) {
    const int translation[3] = {0, 1, 4}, rigid[4] = {0, 1, 3, 4}, similarity[5] = {0, 1, 2, 3, 4};
    if (s->n < ENDO_ALIGN_MIN_PIXELS) return 0;
    if (model == ENDO_TRANSFORM_RIGID) return endo_align_find_of(s, rigid, 4, step);
    if (model == ENDO_TRANSFORM_SIMILARITY) return endo_align_find_of(s, similarity, 5, step);
    return endo_align_find_of(s, translation, 3, step);
}

/* Bound of the motion of the corners by a step, level px. */
ENDO_HD double endo_align_length(const endo_align_step *s) {
    return fabs(s->x) + fabs(s->y) + 1.5 * (fabs(s->growth) + fabs(s->turn));
}

/* Applies a step to the map; width, height: size of the reference's level. */
ENDO_HD void endo_align_apply(endo_fourier_map *map, const endo_align_step *s, endo_transform_class model, int level,
                              int width, int height) {
    double side = width > height ? width : height, a = 1 + 2 * s->growth / side, b = 2 * s->turn / side;
    if (model == ENDO_TRANSFORM_RIGID) {
        double length = sqrt(1 + b * b);
        a = 1 / length;
        b = b / length;
    }
    double scale = (double)((int64_t)1 << level);
    double x = endo_fourier_up((double)(width - 1) / 2, level), y = endo_fourier_up((double)(height - 1) / 2, level);
    double tx = x + scale * s->x - (a * x - b * y), ty = y + scale * s->y - (b * x + a * y);
    endo_fourier_map old = *map;
    map->a = old.a * a - old.b * b;
    map->b = old.b * a + old.a * b;
    map->tx = old.a * tx - old.b * ty + old.tx;
    map->ty = old.b * tx + old.a * ty + old.ty;
}

/* The map from pixels of the reference's level to those of the current image's, 32 fractional bits; 0: it is too large. */
ENDO_HD int endo_align_map(const endo_fourier_map *map, int reference_level, int current_level, endo_fixed_affine *out) {
    double up = (double)((int64_t)1 << reference_level), down = (double)((int64_t)1 << current_level);
    double at = (up - 1) / 2, a = map->a * up / down, b = map->b * up / down;
    double x = endo_fourier_down(map->a * at - map->b * at + map->tx, current_level);
    double y = endo_fourier_down(map->b * at + map->a * at + map->ty, current_level);
    double m[6] = {a, 0 - b, x, b, a, y};
    for (int i = 0; i < 6; i++) {
        if (!(fabs(m[i]) < (i % 3 == 2 ? 1e6 : 64))) return 0;
        out->m[i] = (int64_t)floor(m[i] * 4294967296.0 + 0.5);
    }
    return 1;
}

/* ------------------------------------------------------------------ search */

/* The search of one request. After endo_align_begin, the caller takes the sums at the map of the present levels as long as
 * endo_align_asks for them. */
typedef struct endo_align_search {
    endo_align_request request;
    endo_transform_class model;
    int32_t reference_level, current_level; /* levels at which sums are asked for */
    int32_t levels_left, steps_left;        /* after the present one */
    int32_t again, done;                    /* again: the levels are the first ones once more, for result.first_ncc */
    endo_align_result result;
} endo_align_search;

/* Goes down by a number of levels. */
ENDO_HD void endo_align_descend(endo_align_search *s, int levels) {
    s->reference_level -= levels;
    s->current_level -= levels;
    s->levels_left -= levels;
    s->steps_left = s->request.iterations;
    s->result.reference_level = s->reference_level;
}

ENDO_HD void endo_align_begin(endo_align_search *s, const endo_align_request *q, endo_transform_class model) {
    int below = q->reference_level < q->current_level ? q->reference_level : q->current_level;
    endo_align_result none = {q->map, NAN, 0, 0, q->reference_level, 0, NAN};
    s->request = *q;
    s->model = model;
    s->reference_level = q->reference_level;
    s->current_level = q->current_level;
    s->levels_left = q->levels - 1 < below ? q->levels - 1 : below;
    s->steps_left = q->iterations;
    s->again = s->done = 0;
    s->result = none;
    if (q->iterations == 0) endo_align_descend(s, s->levels_left);
}

/* The end of the search: back to the first levels, or done. */
ENDO_HD void endo_align_end(endo_align_search *s) {
    s->done = s->again || !s->request.again;
    s->again = 1;
    s->reference_level = s->request.reference_level;
    s->current_level = s->request.current_level;
}

/* Whether sums are wanted, and the map at which; 0: the search is done. */
ENDO_HD int endo_align_asks(endo_align_search *s, endo_fixed_affine *map) {
    while (!s->done && !endo_align_map(&s->result.map, s->reference_level, s->current_level, map)) endo_align_end(s);
    return !s->done;
}

ENDO_HD void endo_align_take_moments(endo_align_search *s, const endo_align_moments *moments) {
    const endo_fourier_images *m = &s->request.images;
    int width = m->reference_width >> s->reference_level, height = m->reference_height >> s->reference_level;
    endo_align_step step;
    if (s->again) {
        s->result.first_ncc = endo_align_ncc(moments);
        s->done = 1;
        return;
    }
    s->result.ncc = endo_align_ncc(moments);
    s->result.spread = endo_align_spread(moments);
    s->result.pixels = moments->n;
    s->result.settled = 0;
    if (s->steps_left == 0 || !endo_align_find(moments, s->model, &step) ||
        !(endo_align_length(&step) < (width > height ? width : height) / 4.0)) {
        endo_align_end(s);
        return;
    }
    endo_align_apply(&s->result.map, &step, s->model, s->reference_level, width, height);
    s->steps_left--;
    s->result.settled = endo_align_length(&step) < ENDO_ALIGN_SETTLED;
    if (s->steps_left > 0 && !s->result.settled) return;
    if (s->levels_left > 0)
        endo_align_descend(s, 1);
    else
        endo_align_end(s);
}

ENDO_HD void endo_align_take(endo_align_search *s, const endo_align_sums *sums) {
    endo_align_moments moments = endo_align_moments_of(sums);
    endo_align_take_moments(s, &moments);
}

#endif
