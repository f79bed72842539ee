/* The normal equations of light, by conjugate gradients: never written down, only applied. */
#include "light.h"

#include <math.h>
#include <string.h>

/* What is believed beforehand, in logarithms: how far the scene is from its mean (nothing, or its own gradients would be
 * taken for light), a gain from 1, and the fall-off from none: of its gradient little, for a gradient of the light cannot be
 * told from one of the scene and gains that follow it where the scope moves straight on; then of its bend, and of its finer
 * shape. Against the latter a cell says only what many alike leave it. */
#define SCENE 10.0
#define GAIN 0.3
#define GRADIENT 0.03
#define BEND 0.5
#define SHAPE 0.15

#define MOST_ITERATIONS 120
/* Part of the first residual at which it is enough. */
#define ENOUGH 1e-4

static double prior(double deviation) { return LIGHT_NOISE * LIGHT_NOISE / (deviation * deviation); }

/* The terms are sorted by their order. */
static double prior_of_term(int t) { return LIGHT_ALIKE * prior(t < 2 ? GRADIENT : t < 5 ? BEND : SHAPE); }

static inline double scene_at(const double *scene, ptrdiff_t stride, const light_sight *s) {
    const double *n = scene + s->node;
    double above = n[0] + s->fx * (n[1] - n[0]), below = n[stride] + s->fx * (n[stride + 1] - n[stride]);
    return above + s->fy * (below - above);
}

static inline void spread(double *scene, ptrdiff_t stride, const light_sight *s, double v) {
    double *n = scene + s->node, below = s->fy * v, above = v - below;
    n[0] += (1 - s->fx) * above, n[1] += s->fx * above;
    n[stride] += (1 - s->fx) * below, n[stride + 1] += s->fx * below;
}

/* ------------------------------------------------------------------ apply */

/* Logarithm of the fall-off at every cell. */
static void fall_off(const light_equations *e, const double *terms, double *out) {
    for (size_t i = 0; i < e->cells; i++) {
        double sum = 0;
        for (int t = 0; t < e->terms; t++) sum += terms[t] * e->basis[i * LIGHT_TERMS + (size_t)t];
        out[i] = sum;
    }
}

/* One channel's rows of the equations; at_cells: what they say of every cell's fall-off. */
static void apply_channel(const light_equations *e, int c, const float *values, const double *fall, double *x,
                          double *out, double *at_cells) {
    const double *scene = light_scene(e, x, c), *gains = light_gains(e, x, c);
    double *to_scene = light_scene(e, out, c), *to_gains = light_gains(e, out, c);
    memset(to_scene, 0, (e->nodes + e->views) * sizeof *to_scene);
    memset(at_cells, 0, e->cells * sizeof *at_cells);
    for (size_t i = 0; i < e->n; i++) {
        const light_sight *s = &e->sights[i];
        double value = values ? values[(size_t)c * e->room + i] : 0;
        double rest = s->weight * (value - scene_at(scene, e->stride, s) - gains[s->view] - fall[s->cell]);
        spread(to_scene, e->stride, s, rest);
        to_gains[s->view] += rest;
        at_cells[s->cell] += rest;
    }
    for (size_t i = 0; i < e->nodes; i++) to_scene[i] -= prior(SCENE) * scene[i];
    for (size_t i = 0; i < e->views; i++) to_gains[i] -= prior(GAIN) * gains[i];
}

/* out = A' W (values - A x) - prior x; cells: one list of every channel, and one more. The channels are the team: their
 * sums are added in their order. */
static void apply(const light_equations *e, const float *values, double *x, double *out, double *cells) {
    double *fall = cells + (size_t)e->channels * e->cells;
    fall_off(e, x, fall);
#pragma omp parallel for num_threads(e->threads < e->channels ? e->threads : e->channels) if (e->n > 100000)
    for (int c = 0; c < e->channels; c++) apply_channel(e, c, values, fall, x, out, cells + (size_t)c * e->cells);
    for (int t = 0; t < e->terms; t++) {
        double sum = -prior_of_term(t) * x[t];
        for (int c = 0; c < e->channels; c++)
            for (size_t i = 0; i < e->cells; i++)
                sum += cells[(size_t)c * e->cells + i] * e->basis[i * LIGHT_TERMS + (size_t)t];
        out[t] = sum;
    }
}

/* -------------------------------------------------------------- precondition */

/* The diagonal of the equations, inverted. */
static void invert_diagonal(const light_equations *e, double *out) {
    for (size_t i = 0; i < light_unknowns(e); i++) out[i] = 0;
    double *scene = light_scene(e, out, 0), *gains = light_gains(e, out, 0);
    for (size_t i = 0; i < e->n; i++) {
        const light_sight *s = &e->sights[i];
        double *n = scene + s->node, w = s->weight, fx = s->fx, fy = s->fy;
        n[0] += w * (1 - fx) * (1 - fx) * (1 - fy) * (1 - fy), n[1] += w * fx * fx * (1 - fy) * (1 - fy);
        n[e->stride] += w * (1 - fx) * (1 - fx) * fy * fy, n[e->stride + 1] += w * fx * fx * fy * fy;
        gains[s->view] += w;
        for (int t = 0; t < e->terms; t++) {
            double b = e->basis[(size_t)s->cell * LIGHT_TERMS + (size_t)t];
            out[t] += e->channels * w * b * b;
        }
    }
    for (size_t i = 0; i < e->nodes; i++) scene[i] = 1 / (scene[i] + prior(SCENE));
    for (size_t i = 0; i < e->views; i++) gains[i] = 1 / (gains[i] + prior(GAIN));
    for (int t = 0; t < e->terms; t++) out[t] = 1 / (out[t] + prior_of_term(t));
    for (int c = 1; c < e->channels; c++) memcpy(light_scene(e, out, c), scene, (e->nodes + e->views) * sizeof *out);
}

/* -------------------------------------------------------- conjugate gradients */

typedef struct gradients {
    double *residual, *search, *product, *inverse, *cells;
} gradients;

static double weighted(const double *a, const double *weights, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i] * weights[i];
    return sum;
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static endo_status descend(endo_context *context, const light_equations *e, gradients *g, double *x) {
    size_t n = light_unknowns(e);
    double square = weighted(g->residual, g->inverse, n), first = square;
    for (size_t i = 0; i < n; i++) g->search[i] = g->inverse[i] * g->residual[i];
    for (int k = 0; k < MOST_ITERATIONS && square > ENOUGH * ENOUGH * first; k++) {
        ENDO_TRY(endo_context_go_on(context));
        apply(e, NULL, g->search, g->product, g->cells); /* its negative */
        double curvature = -dot(g->search, g->product, n);
        if (!(curvature > 0)) break;
        double step = square / curvature, before = square;
        for (size_t i = 0; i < n; i++) x[i] += step * g->search[i], g->residual[i] += step * g->product[i];
        square = weighted(g->residual, g->inverse, n);
        for (size_t i = 0; i < n; i++)
            g->search[i] = g->inverse[i] * g->residual[i] + square / before * g->search[i];
    }
    return ENDO_OK;
}

endo_status light_equations_solve(endo_context *context, const light_equations *e, const double *direction, double *x) {
    size_t n = light_unknowns(e), cells = (size_t)(e->channels + 1) * e->cells;
    double *memory = endo_alloc(4 * n + cells, sizeof *memory);
    if (!memory) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light: %zu unknowns", n);
    gradients g = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
    invert_diagonal(e, g.inverse);
    apply(e, direction ? NULL : e->values, x, g.residual, g.cells);
    for (int t = 0; direction && t < e->terms; t++) g.residual[t] += direction[t];
    endo_status status = descend(context, e, &g, x);
    endo_free(memory);
    return status;
}

void light_equations_residuals(const light_equations *e, const double *unknowns, float *residuals) {
    /* Read only: the accessors are for both. */
    double *x = (double *)(uintptr_t)unknowns;
    for (size_t i = 0; i < e->n; i++) {
        const light_sight *s = &e->sights[i];
        double fall = 0, square = 0;
        for (int t = 0; t < e->terms; t++) fall += x[t] * e->basis[(size_t)s->cell * LIGHT_TERMS + (size_t)t];
        for (int c = 0; c < e->channels; c++) {
            double rest = e->values[(size_t)c * e->room + i] - scene_at(light_scene(e, x, c), e->stride, s) -
                          light_gains(e, x, c)[s->view] - fall;
            square += rest * rest;
        }
        residuals[i] = (float)sqrt(square / e->channels);
    }
}
