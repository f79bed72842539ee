/* Each view's gain in each channel, where the vignetting is known: by conjugate gradients on the equations that are left when
 * the scene, the mean of the samples of a node, is eliminated. The matrix is not stored, only applied: first every node adds
 * its samples, then every view, so that sums do not depend on the threads. The channels are numbers of a vector. */
#include "light.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Prior standard deviation of a gain, as a logarithm. */
#define GAIN 0.3

#define MOST_ITERATIONS 120
/* Share of the first residual at which iterations end. */
#define ENOUGH 1e-4

/* Numbers of a vector: one a channel; the last one is the vignetting's. */
enum { LANES = 4, VIGNETTING = LANES - 1 };
typedef double four __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef float four_floats __attribute__((vector_size(LANES * sizeof(float)), may_alias));

typedef struct gains_work {
    light_samples *s;
    size_t *at_node;        /* by node: its first entry in `sample`, `view` and `weight` */
    int32_t *sample, *view; /* samples sorted by node, then by view; their views */
    float *weight;          /* weights of those samples */
    four_floats *seen, *seen_at_node; /* channels' values and vignetting of the samples; the same sorted by node */
    double *inverse;      /* by node: inverse sum of the weights; 0: it has no samples */
    four *mean;           /* by node: weighted mean of its samples */
    double *diagonal;     /* by view: inverse of the diagonal of the equations */
    four *gains, *residual, *search, *product;
    double first[LANES], square[LANES]; /* weighted squares of the residual: at the beginning, and now */
    int done[LANES];
    float *residuals, *workspace;
} gains_work;

static double prior(void) { return LIGHT_NOISE * LIGHT_NOISE / (GAIN * GAIN); }

/* ------------------------------------------------------------------- sums */

/* A sample's values without the vignetting (with_values), or zeros, less `less`. */
ENDO_SIMD_INLINE void take_from(const four_floats *seen, int with_values, const four *less, four *out) {
    four all = {0};
    if (with_values) {
        all = __builtin_convertvector(*seen, four);
        all -= all[VIGNETTING];
    }
    *out = all - *less;
}

/* The weighted mean of a node's samples, less the x of their views. */
ENDO_SIMD_INLINE void sum_node(const gains_work *w, size_t node, int with_values, const four *x) {
    four sum = {0}, rest;
    for (size_t k = w->at_node[node]; k < w->at_node[node + 1]; k++) {
        take_from(&w->seen_at_node[k], with_values, &x[w->view[k]], &rest);
        sum += (double)w->weight[k] * rest;
    }
    w->mean[node] = sum * w->inverse[node];
}

ENDO_SIMD_INLINE void sum_view(const gains_work *w, size_t v, int with_values, const four *x, four *out) {
    const light_samples *s = w->s;
    four sum = {0}, rest;
    for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
        take_from(&w->seen[i], with_values, &x[v], &rest);
        sum += (double)s->weight[i] * (rest - w->mean[s->node[i]]);
    }
    out[v] = sum - prior() * x[v];
}

/* Residuals of the samples of a view: root mean square over the channels. */
ENDO_SIMD_INLINE void sum_squares(const gains_work *w, size_t v, int channels) {
    const light_samples *s = w->s;
    four rest;
    for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
        take_from(&w->seen[i], 1, &w->gains[v], &rest);
        rest -= w->mean[s->node[i]];
        four_floats square = __builtin_convertvector(rest * rest, four_floats);
        w->residuals[i] = channels == 1 ? square[0] : square[0] + square[1] + square[2];
    }
    for (size_t i = s->first[v]; i < s->first[v + 1]; i++) w->residuals[i] = sqrtf(w->residuals[i] / (float)channels);
}

ENDO_SIMD_INLINE void sum_any_node(const gains_work *w, size_t node, int with_values, const four *x) {
    if (with_values) sum_node(w, node, 1, x);
    else sum_node(w, node, 0, x);
}

ENDO_SIMD_INLINE void sum_any_view(const gains_work *w, size_t v, int with_values, const four *x, four *out) {
    if (with_values) sum_view(w, v, 1, x, out);
    else sum_view(w, v, 0, x, out);
}

ENDO_SIMD_INLINE void sum_any_squares(const gains_work *w, size_t v) {
    if (w->s->channels == LIGHT_CHANNELS) sum_squares(w, v, LIGHT_CHANNELS);
    else sum_squares(w, v, 1);
}

ENDO_SIMD_LOOP(sum_nodes, sum_any_node, (const gains_work *w, size_t node, int with_values, const four *x),
               (w, node, with_values, x))
ENDO_SIMD_LOOP(sum_views, sum_any_view, (const gains_work *w, size_t v, int with_values, const four *x, four *out),
               (w, v, with_values, x, out))
ENDO_SIMD_LOOP(sum_all_squares, sum_any_squares, (const gains_work *w, size_t v), (w, v))

#define MANY 10000
#define NODES 16

static void find_means(const gains_work *w, int with_values, const four *x) {
    endo_cpu set = endo_simd_best(w->s->cpu);
#pragma omp for schedule(dynamic, NODES)
    for (size_t i = 0; i < w->s->nodes; i++)
        sum_nodes[set](w, i, with_values, x);
}

/* out = A' W (values - A x) - prior x, with the scene eliminated; without with_values the values are zeros. */
static void apply(const gains_work *w, int with_values, const four *x, four *out) {
    endo_cpu set = endo_simd_best(w->s->cpu);
#pragma omp parallel num_threads(w->s->threads) if (w->s->n > MANY)
    {
        find_means(w, with_values, x);
#pragma omp for schedule(static)
        for (size_t v = 0; v < w->s->views; v++)
            sum_views[set](w, v, with_values, x, out);
    }
}

static void find_residuals(const gains_work *w) {
    endo_cpu set = endo_simd_best(w->s->cpu);
#pragma omp parallel num_threads(w->s->threads) if (w->s->n > MANY)
    {
        find_means(w, 1, w->gains);
#pragma omp for schedule(static)
        for (size_t v = 0; v < w->s->views; v++)
            sum_all_squares[set](w, v);
    }
}

/* ------------------------------------------------------------------ weights */

/* Copies the samples' weights into the order of the nodes, and inverts their sums. */
static void take_weights(const gains_work *w) {
    const light_samples *s = w->s;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, NODES) if (s->n > MANY)
    for (size_t i = 0; i < s->nodes; i++) {
        double sum = 0;
        for (size_t k = w->at_node[i]; k < w->at_node[i + 1]; k++) sum += w->weight[k] = s->weight[w->sample[k]];
        w->inverse[i] = sum > 0 ? 1 / sum : 0;
    }
}

static void invert_diagonal(const gains_work *w) {
    const light_samples *s = w->s;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->n > MANY)
    for (size_t v = 0; v < s->views; v++) {
        double sum = prior();
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
            sum += s->weight[i] * (1 - s->weight[i] * w->inverse[s->node[i]]);
        w->diagonal[v] = 1 / fmax(sum, prior());
    }
}

/* ----------------------------------------------------------------- descent */

static void weighted_squares(const gains_work *w, double out[LANES]) {
    four sum = {0};
    for (size_t v = 0; v < w->s->views; v++) sum += w->residual[v] * w->residual[v] * w->diagonal[v];
    memcpy(out, &sum, sizeof sum);
}

static void begin(gains_work *w) {
    take_weights(w);
    invert_diagonal(w);
    apply(w, 1, w->gains, w->residual);
    weighted_squares(w, w->first);
    memcpy(w->square, w->first, sizeof w->square);
    for (size_t v = 0; v < w->s->views; v++) w->search[v] = w->diagonal[v] * w->residual[v];
    for (int c = 0; c < LANES; c++) w->done[c] = c >= w->s->channels;
}

/* Number of channels that have not converged. */
static int count_going(gains_work *w) {
    int going = 0;
    for (int c = 0; c < LANES; c++) {
        w->done[c] |= !(w->square[c] > ENOUGH * ENOUGH * w->first[c]);
        going += !w->done[c];
    }
    return going;
}

/* Step of each channel along its search direction; 0 for those that are done. */
static void find_steps(gains_work *w, double steps[LANES]) {
    four sum = {0};
    for (size_t v = 0; v < w->s->views; v++) sum += w->search[v] * w->product[v]; /* the negative curvature */
    for (int c = 0; c < LANES; c++) {
        double curvature = -sum[c];
        w->done[c] |= !(curvature > 0);
        steps[c] = w->done[c] ? 0 : w->square[c] / curvature;
    }
}

static void go_on(gains_work *w) {
    double before[LANES], after[LANES];
    four steps, turns = {0};
    apply(w, 0, w->search, w->product);
    find_steps(w, (double *)&steps);
    for (size_t v = 0; v < w->s->views; v++) {
        w->gains[v] += steps * w->search[v];
        w->residual[v] += steps * w->product[v];
    }
    memcpy(before, w->square, sizeof before);
    weighted_squares(w, after);
    for (int c = 0; c < LANES; c++)
        if (!w->done[c]) {
            w->square[c] = after[c];
            turns[c] = after[c] / before[c];
        }
    for (size_t v = 0; v < w->s->views; v++) w->search[v] = w->diagonal[v] * w->residual[v] + turns * w->search[v];
}

static endo_status descend(endo_context *context, gains_work *w) {
    begin(w);
    for (int k = 0; k < MOST_ITERATIONS && count_going(w) > 0; k++) {
        ENDO_TRY(endo_context_go_on(context));
        go_on(w);
    }
    return ENDO_OK;
}

/* -------------------------------------------------------------------- make */

static int take_memory(gains_work *w) {
    const light_samples *s = w->s;
    size_t n = s->n + 1;
    w->at_node = endo_alloc_zeroed(s->nodes + 2, sizeof *w->at_node);
    w->sample = endo_alloc(n, sizeof *w->sample);
    w->view = endo_alloc(n, sizeof *w->view);
    w->weight = endo_alloc(n, sizeof *w->weight);
    w->seen = endo_alloc(n, sizeof *w->seen);
    w->seen_at_node = endo_alloc(n, sizeof *w->seen_at_node);
    w->inverse = endo_alloc(s->nodes + 1, sizeof *w->inverse);
    w->mean = endo_alloc(s->nodes + 1, sizeof *w->mean);
    w->diagonal = endo_alloc(s->views + 1, sizeof *w->diagonal);
    w->gains = endo_alloc_zeroed(4 * s->views + 1, sizeof *w->gains);
    w->residuals = endo_alloc(n, sizeof *w->residuals);
    w->workspace = endo_alloc(n, sizeof *w->workspace);
    return w->at_node && w->sample && w->view && w->weight && w->seen && w->seen_at_node && w->inverse && w->mean &&
           w->diagonal && w->gains && w->residuals && w->workspace;
}

static void release(gains_work *w) {
    void *all[] = {w->at_node, w->sample, w->view, w->weight, w->seen, w->seen_at_node, w->inverse, w->mean, w->diagonal,
                   w->gains, w->residuals, w->workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) endo_free(all[i]);
}

/* Places the samples of the nodes from `from` to before `to`, which lie in all views. */
static void place(gains_work *w, size_t from, size_t to) {
    const light_samples *s = w->s;
    for (size_t v = 0; v < s->views; v++)
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
            size_t node = (size_t)s->node[i];
            if (node < from || node >= to) continue;
            size_t slot = w->at_node[node + 1]++;
            w->sample[slot] = (int32_t)i;
            w->view[slot] = (int32_t)v;
            w->seen_at_node[slot] = w->seen[i];
        }
}

static void sort_by_node(gains_work *w) {
    const light_samples *s = w->s;
    size_t parts = (size_t)s->threads;
    for (size_t i = 0; i < s->n; i++) w->at_node[s->node[i] + 2]++;
    for (size_t i = 0; i < s->nodes; i++) w->at_node[i + 1] += w->at_node[i];
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->n > MANY)
    for (size_t k = 0; k < parts; k++) place(w, s->nodes * k / parts, s->nodes * (k + 1) / parts);
}

static void fill(gains_work *w) {
    const light_samples *s = w->s;
    w->residual = w->gains + s->views;
    w->search = w->residual + s->views;
    w->product = w->search + s->views;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->n > MANY)
    for (size_t i = 0; i < s->n; i++) {
        float seen[LANES] = {0};
        for (int c = 0; c < s->channels; c++) seen[c] = s->values[(size_t)c * s->n + i];
        seen[VIGNETTING] = s->vignetting[i];
        memcpy(&w->seen[i], seen, sizeof seen);
    }
    sort_by_node(w);
}

endo_status light_gains_find(const endo_light *light, light_samples *s, double robust, double *gains, double *rest) {
    gains_work w = {.s = s};
    int made = take_memory(&w);
    endo_status status = made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", s->views);
    if (made) fill(&w);
    for (int round = 0; round < LIGHT_ROUNDS && status == ENDO_OK; round++) {
        status = descend(light->context, &w);
        if (status != ENDO_OK) break;
        find_residuals(&w);
        *rest = light_weigh(w.residuals, s->share, s->n, round < LIGHT_ROUNDS / 2 ? 2 * robust : robust, s->threads,
                            w.workspace, s->weight);
    }
    for (size_t v = 0; v < s->views && made; v++)
        for (int c = 0; c < s->channels; c++) gains[(size_t)c * s->views + v] = w.gains[v][c];
    release(&w);
    return status;
}
