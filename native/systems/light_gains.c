/* Each view's gain in each channel, where the fall-off is known: by conjugate gradients on the equations that are left when
 * the scene, the mean of what is seen at a node, is eliminated. They are never written down, only applied. */
#include "light.h"

#include <math.h>
#include <string.h>

/* What is believed beforehand of a gain: so far from 1, in logarithms. */
#define GAIN 0.3

#define MOST_ITERATIONS 120
/* Part of the first residual at which it is enough. */
#define ENOUGH 1e-4

/* Of one channel. */
typedef struct channel {
    const light_sights *s;
    const double *node_weights;
    double *nodes;                                   /* a sum for each */
    double *residual, *search, *product, *diagonal;  /* of views */
    const float *values;
    double *gains;
    double first, square; /* of the residual, weighted: at the beginning, and now */
} channel;

static double prior(void) { return LIGHT_NOISE * LIGHT_NOISE / (GAIN * GAIN); }

/* out = A' W (values - A x) - prior x, the scene eliminated; values NULL: zeros. */
static void apply(const channel *c, const float *values, const double *x, double *out) {
    const light_sights *s = c->s;
    memset(c->nodes, 0, s->nodes * sizeof *c->nodes);
    for (size_t v = 0; v < s->views; v++)
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
            c->nodes[s->node[i]] += s->weight[i] * ((values ? (double)values[i] - s->fall[i] : 0) - x[v]);
    for (size_t i = 0; i < s->nodes; i++) c->nodes[i] *= c->node_weights[i];
    for (size_t v = 0; v < s->views; v++) {
        double sum = 0;
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
            sum += s->weight[i] * ((values ? (double)values[i] - s->fall[i] : 0) - x[v] - c->nodes[s->node[i]]);
        out[v] = sum - prior() * x[v];
    }
}

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

/* The diagonal of the equations, inverted. */
static void invert_diagonal(const channel *c) {
    const light_sights *s = c->s;
    for (size_t v = 0; v < s->views; v++) {
        double sum = prior();
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
            sum += s->weight[i] * (1 - s->weight[i] * c->node_weights[s->node[i]]);
        c->diagonal[v] = 1 / fmax(sum, prior());
    }
}

static void begin(channel *c) {
    invert_diagonal(c);
    apply(c, c->values, c->gains, c->residual);
    c->first = c->square = weighted(c->residual, c->diagonal, c->s->views);
    for (size_t i = 0; i < c->s->views; i++) c->search[i] = c->diagonal[i] * c->residual[i];
}

/* 0: it is done. */
static int go_on(channel *c) {
    size_t n = c->s->views;
    if (!(c->square > ENOUGH * ENOUGH * c->first)) return 0;
    apply(c, NULL, c->search, c->product); /* its negative */
    double curvature = -dot(c->search, c->product, n);
    if (!(curvature > 0)) return 0;
    double step = c->square / curvature, before = c->square;
    for (size_t i = 0; i < n; i++) c->gains[i] += step * c->search[i], c->residual[i] += step * c->product[i];
    c->square = weighted(c->residual, c->diagonal, n);
    for (size_t i = 0; i < n; i++) c->search[i] = c->diagonal[i] * c->residual[i] + c->square / before * c->search[i];
    return 1;
}

/* ------------------------------------------------------------------- rounds */

typedef struct gains_work {
    light_sights *s;
    double *node_weights; /* inverted; 0: nothing is seen there */
    double *memory;
    float *residuals, *sorted;
    channel channels[LIGHT_CHANNELS];
} gains_work;

static int team_of(const light_sights *s) { return s->threads < s->channels ? s->threads : s->channels; }

static void sum_weights(const gains_work *w) {
    const light_sights *s = w->s;
    memset(w->node_weights, 0, s->nodes * sizeof *w->node_weights);
    for (size_t i = 0; i < s->n; i++) w->node_weights[s->node[i]] += s->weight[i];
    for (size_t i = 0; i < s->nodes; i++) w->node_weights[i] = w->node_weights[i] > 0 ? 1 / w->node_weights[i] : 0;
}

/* The channels are the team. */
static endo_status descend(endo_context *context, gains_work *w) {
    int channels = w->s->channels, going = 1;
    sum_weights(w);
#pragma omp parallel for num_threads(team_of(w->s))
    for (int c = 0; c < channels; c++) begin(&w->channels[c]);
    for (int k = 0; k < MOST_ITERATIONS && going; k++) {
        ENDO_TRY(endo_context_go_on(context));
        going = 0;
#pragma omp parallel for num_threads(team_of(w->s)) reduction(| : going)
        for (int c = 0; c < channels; c++) going |= go_on(&w->channels[c]);
    }
    return ENDO_OK;
}

/* Adds the squares of what is left of a channel's values; its nodes get the scene. */
static void add_squares(const channel *c, float *squares) {
    const light_sights *s = c->s;
    memset(c->nodes, 0, s->nodes * sizeof *c->nodes);
    for (size_t v = 0; v < s->views; v++)
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
            c->nodes[s->node[i]] += s->weight[i] * (c->values[i] - s->fall[i] - c->gains[v]);
    for (size_t i = 0; i < s->nodes; i++) c->nodes[i] *= c->node_weights[i];
    for (size_t v = 0; v < s->views; v++)
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
            double rest = c->values[i] - s->fall[i] - c->gains[v] - c->nodes[s->node[i]];
            squares[i] += (float)(rest * rest);
        }
}

/* Of every sight the root mean square over its channels. */
static void find_residuals(const gains_work *w) {
    const light_sights *s = w->s;
    memset(w->residuals, 0, s->n * sizeof *w->residuals);
    for (int c = 0; c < s->channels; c++) add_squares(&w->channels[c], w->residuals);
    for (size_t i = 0; i < s->n; i++) w->residuals[i] = sqrtf(w->residuals[i] / (float)s->channels);
}

static int take_memory(gains_work *w, double *gains) {
    const light_sights *s = w->s;
    size_t each = s->nodes + 4 * s->views + 4;
    w->node_weights = endo_alloc(s->nodes + 1, sizeof *w->node_weights);
    w->memory = endo_alloc(each * (size_t)s->channels, sizeof *w->memory);
    w->residuals = endo_alloc(s->n + 1, sizeof *w->residuals), w->sorted = endo_alloc(s->n + 1, sizeof *w->sorted);
    for (int c = 0; c < s->channels && w->memory; c++) {
        double *at = w->memory + each * (size_t)c, *views = at + s->nodes;
        w->channels[c] = (channel){.s = s, .node_weights = w->node_weights, .nodes = at, .residual = views,
                                   .search = views + s->views, .product = views + 2 * s->views,
                                   .diagonal = views + 3 * s->views, .values = s->values + (size_t)c * s->n,
                                   .gains = gains + (size_t)c * s->views};
    }
    return w->node_weights && w->memory && w->residuals && w->sorted;
}

endo_status light_gains_find(const endo_light *light, light_sights *s, double robust, double *gains, double *rest) {
    gains_work w = {.s = s};
    int made = take_memory(&w, gains);
    endo_status status = made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", s->views);
    memset(gains, 0, (size_t)s->channels * s->views * sizeof *gains);
    for (int round = 0; round < LIGHT_ROUNDS && status == ENDO_OK; round++) {
        status = descend(light->context, &w);
        find_residuals(&w);
        *rest = light_weigh(w.residuals, s->share, s->n, round < LIGHT_ROUNDS / 2 ? 2 * robust : robust, w.sorted, s->weight);
    }
    endo_free(w.node_weights);
    endo_free(w.memory);
    endo_free(w.residuals);
    endo_free(w.sorted);
    return status;
}
