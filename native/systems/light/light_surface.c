/* The vignetting: a surface of the 4th order in the logarithm, wherever its middle is, and one term more for the rim: the
 * 6th power of the distance from the field's middle. */
#include "light.h"

#include <math.h>
#include <string.h>

/* Monomials: 1, u, v, uu, uv, vv, ..., and (uu + vv)^3. */
#define ORDERS 4
#define RIM LIGHT_TERMS
#define RIM_ORDER 6
static inline int first_of_order(int order) { return order * (order + 1) / 2; }

/* All monomials of u and v: those of an order are those of the one before times u, and its last one times v. */
static inline void monomials(double u, double v, double out[LIGHT_TERMS + 1]) {
    out[0] = 1;
    for (int order = 1; order <= ORDERS; order++) {
        const double *before = out + first_of_order(order - 1);
        double *these = out + first_of_order(order);
        these[0] = before[0] * u;
        for (int k = 1; k <= order; k++) these[k] = before[k - 1] * v;
    }
    double square = u * u + v * v;
    out[RIM] = square * square * square;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void cell_centre(const endo_light *light, size_t cell, double *x, double *y) {
    const light_grid *g = &light->grid;
    *x = light_centre(g, (int)(cell % (size_t)g->columns), light->frame.width);
    *y = light_centre(g, (int)(cell / (size_t)g->columns), light->frame.height);
}

/* ----------------------------------------------------------------- terms */

/* Sets the field's middle, and how far the field reaches from there, px. */
static void set_middle(const endo_light *light, light_surface *s) {
    double n = 0, x, y;
    s->x = s->y = s->reach = 0;
    for (size_t i = 0; i < light_cells(&light->grid); i++) {
        cell_centre(light, i, &x, &y);
        n += light->inside[i];
        s->x += light->inside[i] * x;
        s->y += light->inside[i] * y;
    }
    s->x = n > 0 ? s->x / n : 0.5 * (light->frame.width - 1);
    s->y = n > 0 ? s->y / n : 0.5 * (light->frame.height - 1);
    for (size_t i = 0; i < light_cells(&light->grid); i++) {
        cell_centre(light, i, &x, &y);
        if (light->inside[i]) s->reach = fmax(s->reach, hypot(x - s->x, y - s->y));
    }
    if (s->reach < 1) s->reach = 1;
}

/* Means of products of the monomials over the field's cells. */
static void moments(const endo_light *light, const light_surface *s, double gram[LIGHT_TERMS + 1][LIGHT_TERMS + 1]) {
    double n = 0, m[LIGHT_TERMS + 1], x, y;
    memset(gram, 0, sizeof(double[LIGHT_TERMS + 1][LIGHT_TERMS + 1]));
    for (size_t cell = 0; cell < light_cells(&light->grid); cell++) {
        cell_centre(light, cell, &x, &y);
        monomials((x - s->x) / s->reach, (y - s->y) / s->reach, m);
        n += light->inside[cell];
        for (int i = 0; i <= LIGHT_TERMS; i++)
            for (int j = 0; j <= LIGHT_TERMS; j++) gram[i][j] += light->inside[cell] * m[i] * m[j];
    }
    for (int i = 0; i <= LIGHT_TERMS; i++)
        for (int j = 0; j <= LIGHT_TERMS; j++) gram[i][j] /= n > 0 ? n : 1;
}

/* The inner product a' gram b. */
static double product(double gram[LIGHT_TERMS + 1][LIGHT_TERMS + 1], const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i <= LIGHT_TERMS; i++) sum += a[i] * dot(gram[i], b, LIGHT_TERMS + 1);
    return sum;
}

/* Makes the terms by Gram and Schmidt, twice because of rounding. Terms that a small field cannot tell from others are 0. */
void light_surface_make(const endo_light *light, light_surface *s) {
    enum { N = LIGHT_TERMS + 1 };
    double gram[N][N], made[N][N];
    set_middle(light, s);
    moments(light, s, gram);
    memset(made, 0, sizeof made);
    for (int k = 0; k < N; k++) {
        made[k][k] = 1;
        double before = product(gram, made[k], made[k]);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                double along = product(gram, made[k], made[j]);
                for (int i = 0; i < N; i++) made[k][i] -= along * made[j][i];
            }
        double square = product(gram, made[k], made[k]);
        double scale = square > 1e-9 * before ? 1 / sqrt(square) : 0;
        for (int i = 0; i < N; i++) made[k][i] *= scale;
    }
    memcpy(s->terms, made[1], sizeof s->terms);
    for (int t = 0; t < LIGHT_TERMS; t++)
        for (int i = 0; i < N; i++) s->by_monomial[i][t] = s->terms[t][i];
}

void light_surface_terms(const light_surface *s, double x, double y, double out[LIGHT_TERMS]) {
    double m[LIGHT_TERMS + 1], sums[LIGHT_TERMS] = {0};
    monomials((x - s->x) / s->reach, (y - s->y) / s->reach, m);
    for (int i = 0; i <= LIGHT_TERMS; i++)
        for (int t = 0; t < LIGHT_TERMS; t++) sums[t] += s->by_monomial[i][t] * m[i];
    memcpy(out, sums, sizeof sums);
}

/* Distance from the middle, px, within which a share (0..1) of the field's cells lies. */
static double distance_of_share(const endo_light *light, const light_surface *s, double share) {
    enum { STEPS = 64 };
    double n[STEPS + 1] = {0}, all = 0, below = 0;
    double x, y;
    for (size_t i = 0; i < light_cells(&light->grid); i++) {
        cell_centre(light, i, &x, &y);
        if (light->inside[i]) n[(int)(fmin(hypot(x - s->x, y - s->y) / s->reach, 1) * STEPS)]++, all++;
    }
    for (int k = 0; k <= STEPS; k++) {
        below += n[k];
        if (below >= share * all) return (k + 1) * s->reach / STEPS;
    }
    return s->reach;
}

void light_surface_vignetting(const endo_light *light, const light_surface *s, double out[LIGHT_TERMS]) {
    double near = distance_of_share(light, s, 0.2), far = distance_of_share(light, s, 0.8);
    double sums[2][LIGHT_TERMS] = {{0}}, n[2] = {0, 0};
    double terms[LIGHT_TERMS], x, y;
    for (size_t i = 0; i < light_cells(&light->grid); i++) {
        cell_centre(light, i, &x, &y);
        double distance = hypot(x - s->x, y - s->y);
        if (!light->inside[i] || (distance > near && distance < far)) continue;
        int side = distance > near;
        light_surface_terms(s, x, y, terms);
        for (int t = 0; t < LIGHT_TERMS; t++) sums[side][t] += terms[t];
        n[side]++;
    }
    for (int t = 0; t < LIGHT_TERMS; t++)
        out[t] = n[0] > 0 && n[1] > 0 ? sums[0][t] / n[0] - sums[1][t] / n[1] : 0;
}

void light_surface_radial(const endo_light *light, const light_surface *s, double out[LIGHT_TERMS]) {
    double terms[LIGHT_TERMS];
    double x;
    double y;
    double square = 0;
    for (int t = 0; t < LIGHT_TERMS; t++) out[t] = 0;
    for (size_t i = 0; i < light_cells(&light->grid); i++) {
        cell_centre(light, i, &x, &y);
        double u = (x - s->x) / s->reach;
        double v = (y - s->y) / s->reach;
        light_surface_terms(s, x, y, terms);
        for (int t = 0; t < LIGHT_TERMS; t++) out[t] -= light->inside[i] * terms[t] * log(1 + u * u + v * v);
    }
    for (int t = 0; t < LIGHT_TERMS; t++) square += out[t] * out[t];
    for (int t = 0; t < LIGHT_TERMS; t++) out[t] /= square > 0 ? sqrt(square) : 1;
}

/* ----------------------------------------------------------------- shape */

/* The surface in a row: a polynomial in u at a fixed v. */
typedef struct row_shape {
    double powers[RIM_ORDER + 1];
} row_shape;

static inline row_shape row_at(const double monomials[LIGHT_TERMS + 1], double v) {
    row_shape row;
    for (int i = 0; i <= ORDERS; i++) {
        double sum = 0;
        for (int k = ORDERS - i; k >= 0; k--) sum = sum * v + monomials[first_of_order(i + k) + k];
        row.powers[i] = sum;
    }
    double square = v * v, rim = monomials[RIM];
    row.powers[0] += rim * square * square * square;
    row.powers[2] += 3 * rim * square * square;
    row.powers[4] += 3 * rim * square;
    row.powers[5] = 0;
    row.powers[6] = rim;
    return row;
}

static inline double value_in_row(const row_shape *row, double u) {
    double sum = 0;
    for (int i = RIM_ORDER; i >= 0; i--) sum = sum * u + row->powers[i];
    return sum;
}

static row_shape row_of(const light_shape *s, double y) { return row_at(s->monomials, (y - s->y) / s->reach); }

static double value_at(const light_shape *s, const row_shape *row, double x) {
    return value_in_row(row, (x - s->x) / s->reach);
}

static void combine(const light_surface *surface, const double *weights, double out[LIGHT_TERMS + 1]) {
    for (int i = 0; i <= LIGHT_TERMS; i++) {
        out[i] = 0;
        for (int t = 0; t < LIGHT_TERMS; t++) out[i] += weights[t] * surface->terms[t][i];
    }
}

void light_surface_values(const light_surface *s, const double *weights, const float *x, const float *y, size_t n,
                          float *out) {
    double of[LIGHT_TERMS + 1];
    combine(s, weights, of);
    for (size_t i = 0; i < n; i++) {
        row_shape row = row_at(of, (y[i] - s->y) / s->reach);
        out[i] = (float)value_in_row(&row, (x[i] - s->x) / s->reach);
    }
}

static int in_field(const endo_light *light, int x, int y) {
    return light->field[(size_t)y * (size_t)light->frame.width + (size_t)x];
}

light_shape light_shape_make(const endo_light *light, const light_surface *surface, const double *weights) {
    light_shape s = {
        .x = surface->x,
        .y = surface->y,
        .reach = surface->reach,
        .peak = -INFINITY,
        .peak_x = surface->x,
        .peak_y = surface->y,
    };
    combine(surface, weights, s.monomials);
    for (int y = 0; y < light->frame.height; y += light->grid.step) {
        row_shape row = row_of(&s, y);
        for (int x = 0; x < light->frame.width; x += light->grid.step) {
            double value = in_field(light, x, y) ? value_at(&s, &row, x) : -INFINITY;
            if (value > s.peak) {
                s.peak = value;
                s.peak_x = x;
                s.peak_y = y;
            }
        }
    }
    if (isinf(s.peak)) s.peak = s.monomials[0];
    return s;
}

static double distance(double x, double y, double cx, double cy) { return sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy)); }

/* How far the field reaches from a point, px. */
static double reach_from(const endo_light *light, double cx, double cy) {
    double square = 1;
    for (int y = 0; y < light->frame.height; y += light->grid.step)
        for (int x = 0; x < light->frame.width; x += light->grid.step) {
            double other = (x - cx) * (x - cx) + (y - cy) * (y - cy);
            if (in_field(light, x, y) && other > square) square = other;
        }
    return sqrt(square);
}

/* Mean of each ring; rings without pixels of the field take the value before. */
static void fill_curve(const double sums[ENDO_LIGHT_CURVE], const double n[ENDO_LIGHT_CURVE],
                       double curve[ENDO_LIGHT_CURVE]) {
    for (int k = 0; k < ENDO_LIGHT_CURVE; k++) curve[k] = n[k] > 0 ? sums[k] / n[k] : k > 0 ? curve[k - 1] : 1;
}

/* A pixel of the field: how bright it is, over the peak; its ring about the peak, -1: outside; and whether it lies at the rim. */
typedef struct shape_pixel {
    double value;
    int16_t ring;
    int16_t at_rim;
} shape_pixel;

/* How far the field reaches from the peak, and from where on a pixel lies at the rim, px. */
typedef struct shape_reach {
    double peak;
    double rim;
} shape_reach;

/* Numbers of a side of the frame that are looked at. */
static int looked_at(const endo_light *light, int side) { return (side + light->grid.step - 1) / light->grid.step; }

static void see_row(const endo_light *light, const light_shape *s, const shape_reach *reach, int y, shape_pixel *out) {
    row_shape row = row_of(s, y);
    for (int x = 0; x < light->frame.width; x += light->grid.step, out++) {
        out->ring = -1;
        if (!in_field(light, x, y)) continue;
        out->value = exp(value_at(s, &row, x) - s->peak);
        out->ring = (int16_t)(distance(x, y, s->peak_x, s->peak_y) / reach->peak * (ENDO_LIGHT_CURVE - 1) + 0.5);
        out->at_rim = distance(x, y, s->x, s->y) >= reach->rim;
    }
}

static void sum_pixels(const shape_pixel *pixels, size_t count, endo_light_report *report) {
    double sums[ENDO_LIGHT_CURVE] = {0};
    double n[ENDO_LIGHT_CURVE] = {0};
    double rim = 0;
    double n_rim = 0;
    for (size_t i = 0; i < count; i++) {
        const shape_pixel *p = &pixels[i];
        if (p->ring < 0) continue;
        sums[p->ring] += p->value;
        n[p->ring]++;
        if (p->at_rim) {
            rim += p->value;
            n_rim++;
        }
    }
    report->rim = n_rim > 0 ? rim / n_rim : 1;
    fill_curve(sums, n, report->curve);
}

/* Threads see rows; what they see is summed by one, in one order. */
endo_status light_shape_report(const endo_light *light, const light_shape *s, endo_light_report *report) {
    int columns = looked_at(light, light->frame.width);
    int rows = looked_at(light, light->frame.height);
    const shape_reach reach = {reach_from(light, s->peak_x, s->peak_y), 0.95 * reach_from(light, s->x, s->y)};
    shape_pixel *pixels = endo_alloc((size_t)columns * (size_t)rows, sizeof *pixels);
    if (!pixels) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light over %d x %d pixels", columns, rows);
#pragma omp parallel for num_threads(light->context->threads) schedule(static) if (columns * rows > 10000)
    for (int i = 0; i < rows; i++)
        see_row(light, s, &reach, i * light->grid.step, pixels + (size_t)i * (size_t)columns);
    sum_pixels(pixels, (size_t)columns * (size_t)rows, report);
    report->x = s->peak_x;
    report->y = s->peak_y;
    endo_free(pixels);
    return ENDO_OK;
}

void light_shape_correct(const endo_light *light, const light_shape *s, double limit, uint16_t *correction) {
    int width = light->frame.width, height = light->frame.height;
#pragma omp parallel for num_threads(light->context->threads)
    for (int y = 0; y < height; y++) {
        row_shape row = row_of(s, y);
        uint16_t *out = correction + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) {
            double factor = exp(s->reference - value_at(s, &row, x));
            factor = factor < 1 / limit ? 1 / limit : factor > limit ? limit : factor;
            out[x] = (uint16_t)(factor * ENDO_LIGHT_ONE + 0.5);
        }
    }
}
