/* The vignetting, from views that see the same scene points at different distances from the middle.
 *
 * The unknowns are the gain of each view and a gradient, by which the light wanders on the sensor, then the terms of the
 * vignetting. The scene is eliminated node by node, which leaves dense equations: few, since a hundred views suffice. */
#include "light_vignetting.h"

#include "base/math/dense.h"

#include <math.h>
#include <string.h>

/* Prior standard deviations of the vignetting, logarithms, root mean square over the field: that of a lamp, whose one number
 * is its strength; and of what differs from it: a gradient, since the lamp is beside the lens, which cannot be told from one
 * of the scene and gains that follow it where the scope moves straight on; another bend; and a finer shape. */
#define FALL 0.5
#define BEND 0.15
#define SHAPE 0.05
/* Prior standard deviation of a gain, as a logarithm: FIRST_GAIN, then GAINS_FACTOR times that of the gains found before, but
 * at least GAIN. A camera's control follows what is seen, and its gains are no witnesses of the light: where they are like
 * those of the frame before, several count as one, by their correlation, but so many at most. */
#define FIRST_GAIN 1
#define GAIN 0.01
#define GAINS_FACTOR 1.2
#define LEAST_GAINS_ALIKE 3
#define MOST_GAINS_ALIKE 30
/* Prior standard deviation of a view's gradient about the vignetting's: WANDER_FACTOR times that of the gradients found
 * before, between the least and the most; and its correlation with the frame before, since light wanders slowly. */
#define MOST_WANDER 0.1
#define LEAST_WANDER 0.002
#define WANDER_FACTOR 6
#define ALIKE_NEXT 0.8
/* The prior deviation of gradients in the first rounds: small, lest an instrument in some frames is taken for a gradient. */
#define FIRST_WANDER 0.01

/* Least standard deviation of a sample, which is twice the median of the residuals. */
#define LEAST_NOISE 0.003

/* ------------------------------------------------------------------- make */

static int take_memory(vignetting_equations *f) {
    size_t n = f->n + 1, u = f->unknowns;
    f->at_node = endo_alloc_zeroed(n + 1, sizeof *f->at_node);
    int32_t **numbers[] = {&f->node, &f->owner, &f->samples, &f->slot};
    float **lists[] = {&f->share, &f->weight, &f->residual, &f->workspace};
    int made = f->at_node != NULL;
    for (int i = 0; i < 4; i++) {
        *numbers[i] = endo_alloc(n, sizeof(int32_t)), *lists[i] = endo_alloc(n, sizeof(float));
        made &= *numbers[i] && *lists[i];
    }
    f->row = endo_alloc(n, sizeof *f->row);
    f->rest = endo_alloc(n, sizeof *f->rest);
    f->local = endo_alloc(n, sizeof *f->local);
    f->products = endo_alloc(f->views + 1, sizeof *f->products);
    f->matrix = endo_alloc(u * u, sizeof(double));
    f->right = endo_alloc(u, sizeof(double));
    f->answer = endo_alloc_zeroed(u, sizeof(double));
    f->descent = endo_alloc_zeroed(u, sizeof(double));
    f->work = endo_alloc((size_t)f->s->threads * DENSE_WORK, sizeof(double));
    return made && f->row && f->rest && f->local && f->products && f->matrix && f->right && f->answer && f->descent && f->work;
}

static int take_memory_of_nodes(vignetting_equations *f) {
    f->node_weight = endo_alloc(f->nodes + 1, sizeof(double));
    f->node_row = endo_alloc(f->nodes + 1, sizeof *f->node_row);
    return f->node_weight && f->node_row;
}

static void release(vignetting_equations *f) {
    void *all[] = {f->chosen, f->first, f->node, f->owner, f->samples, f->slot, f->at_node, f->share, f->weight,
                   f->residual, f->workspace, f->row, f->rest, f->local, f->products, f->node_weight, f->node_row,
                   f->matrix, f->right, f->answer, f->descent, f->work, f->likeness};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) endo_free(all[i]);
}

/* Sorts samples by node, and renumbers the nodes. numbers: zeros for all nodes. */
static void sort_by_node(vignetting_equations *f, int32_t *numbers) {
    const light_samples *s = f->s;
    for (size_t i = 0; i < f->n; i++) numbers[f->node[i]] = 1;
    for (size_t i = 0; i < s->nodes; i++)
        if (numbers[i]) numbers[i] = (int32_t)f->nodes++;
    for (size_t i = 0; i < f->n; i++) {
        f->node[i] = numbers[f->node[i]];
        f->at_node[f->node[i] + 2]++;
    }
    for (size_t i = 0; i < f->nodes; i++) f->at_node[i + 1] += f->at_node[i];
    for (size_t v = 0; v < f->views; v++)
        for (size_t i = f->first[v]; i < f->first[v + 1]; i++) {
            size_t slot = f->at_node[f->node[i] + 1]++;
            f->samples[slot] = (int32_t)i;
            f->owner[slot] = (int32_t)v;
            f->slot[i] = (int32_t)slot;
        }
}

static void copy_samples(const light_surface *surface, vignetting_equations *f) {
    const light_samples *s = f->s;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (f->n > 10000)
    for (size_t v = 0; v < f->views; v++)
        for (size_t i = f->first[v]; i < f->first[v + 1]; i++) {
            size_t from = s->first[f->chosen[v]] + i - f->first[v];
            double sum = 0;
            for (int c = 0; c < s->channels; c++) sum += s->values[(size_t)c * s->n + from];
            f->share[i] = f->weight[i] = s->share[from];
            f->node[i] = s->node[from];
            light_surface_terms(surface, s->x[from], s->y[from], f->row[i]);
            f->row[i][VIGNETTING_VALUE] = (float)(sum / s->channels);
        }
}

static void find_likeness(const endo_light_view *views, vignetting_equations *f) {
    f->likeness[0] = 0;
    for (size_t v = 1; v < f->views; v++) {
        double gap = fabs((double)views[f->chosen[v]].frame - (double)views[f->chosen[v - 1]].frame);
        f->likeness[v] = pow(ALIKE_NEXT, fmax(gap, 1));
    }
}

static endo_status make(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                        vignetting_equations *f) {
    size_t most = f->s->views < VIGNETTING_MOST_VIEWS ? f->s->views : VIGNETTING_MOST_VIEWS;
    f->chosen = endo_alloc(most + 1, sizeof *f->chosen);
    f->first = endo_alloc_zeroed(most + 1, sizeof *f->first);
    f->likeness = endo_alloc(most + 1, sizeof *f->likeness);
    int32_t *numbers = endo_alloc_zeroed(f->s->nodes + 1, sizeof *numbers);
    int made = f->chosen && f->first && f->likeness && numbers;
    if (made) {
        f->views = light_choose(light, views, f->s->views, f->chosen);
        f->unknowns = VIGNETTING_LOCAL * f->views + LIGHT_TERMS;
        for (size_t v = 0; v < f->views; v++)
            f->first[v + 1] = f->first[v] + f->s->first[f->chosen[v] + 1] - f->s->first[f->chosen[v]];
        f->n = f->first[f->views];
        made = take_memory(f);
    }
    if (made) {
        copy_samples(surface, f);
        sort_by_node(f, numbers);
        find_likeness(views, f);
        made = take_memory_of_nodes(f);
    }
    endo_free(numbers);
    return made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", f->s->views);
}

/* ------------------------------------------------------------------ priors */

/* Weight of a prior in the equations: samples that err together count as one. */
static double prior(const vignetting_equations *f, double deviation) {
    return f->s->alike * f->noise * f->noise / (deviation * deviation);
}

/* Weight of the prior of what differs from a lamp's fall-off in term t; terms are sorted by their order. */
static double prior_of_term(const vignetting_equations *f, int t) {
    return prior(f, f->fall * (t < 2 ? LIGHT_GRADIENT : t < 5 ? BEND : SHAPE));
}

/* A view's gradient is the one before times the likeness, and an innovation. */
static void add_prior_of_views(const vignetting_equations *f) {
    for (size_t v = 0; v < f->views; v++) {
        double like = f->likeness[v], fresh = prior(f, f->wander) / (1 - like * like);
        size_t local = VIGNETTING_LOCAL * v;
        *vignetting_number(f, local, local) += prior(f, f->gain) / f->gains_alike;
        for (size_t k = local + 1; k <= local + 2; k++) {
            *vignetting_number(f, k, k) += fresh;
            if (v == 0) continue;
            *vignetting_number(f, k - VIGNETTING_LOCAL, k - VIGNETTING_LOCAL) += like * like * fresh;
            *vignetting_number(f, k, k - VIGNETTING_LOCAL) -= like * fresh;
        }
    }
}

/* The covariance of the terms is that of a multiple of the lamp's, and of independent differences from it; its inverse is
 * Sherman's and Morrison's. */
static void add_prior_of_terms(const vignetting_equations *f) {
    size_t first = VIGNETTING_LOCAL * f->views;
    double sum = prior(f, f->fall * FALL);
    for (int t = 0; t < LIGHT_TERMS; t++) sum += f->radial[t] * f->radial[t] * prior_of_term(f, t);
    for (int i = 0; i < LIGHT_TERMS; i++) {
        double own = prior_of_term(f, i);
        *vignetting_number(f, first + (size_t)i, first + (size_t)i) += own;
        for (int k = 0; k <= i; k++)
            *vignetting_number(f, first + (size_t)i, first + (size_t)k) -=
                own * f->radial[i] * f->radial[k] * prior_of_term(f, k) / sum;
    }
}

/* ------------------------------------------------------------------- solve */

/* Sets the prior deviations of gains and gradients from those that were found. */
static void find_spread(vignetting_equations *f, int early) {
    double mean = 0, gains = 0, gradients = 0, along = 0;
    for (size_t v = 0; v < f->views; v++) mean += f->answer[VIGNETTING_LOCAL * v] / (double)f->views;
    for (size_t v = 0; v < f->views; v++) {
        const double *local = f->answer + VIGNETTING_LOCAL * v;
        gains += (local[0] - mean) * (local[0] - mean);
        along += v > 0 ? (local[0] - mean) * (local[-VIGNETTING_LOCAL] - mean) : 0;
        gradients += local[1] * local[1] + local[2] * local[2];
    }
    double like = gains > 0 ? along / gains : 0;
    f->gains_alike = fmin(LEAST_GAINS_ALIKE * fmax((1 + like) / fmax(1 - like, 1e-9), 1), MOST_GAINS_ALIKE);
    f->gain = fmax(GAINS_FACTOR * sqrt(gains / (double)f->views), GAIN);
    f->wander = WANDER_FACTOR * sqrt(gradients / (2 * (double)f->views));
    f->wander = early ? FIRST_WANDER : fmin(fmax(f->wander, LEAST_WANDER), MOST_WANDER);
}

static double find_deviation(const endo_light *light, const light_surface *surface, const vignetting_equations *f) {
    size_t first = VIGNETTING_LOCAL * f->views;
    double terms[LIGHT_TERMS], square = 0;
    light_surface_vignetting(light, surface, terms);
    memcpy(f->descent + first, terms, sizeof terms);
    vignetting_substitute(f, f->descent, f->right);
    for (int t = 0; t < LIGHT_TERMS; t++) square += terms[t] * f->right[first + (size_t)t];
    return LIGHT_NOISE * sqrt(f->s->alike * square);
}

/* How the lamp's fall-off varies within the nodes, of how it varies in all. */
static double find_seen(const vignetting_equations *f) {
    double within = 0, all = 0, mean = 0, weight = 0;
    for (size_t n = 0; n < f->nodes; n++) {
        double sum = 0, square = 0, here = 0;
        for (size_t k = f->at_node[n]; k < f->at_node[n + 1]; k++) {
            size_t i = (size_t)f->samples[k];
            double fall = 0;
            for (int t = 0; t < LIGHT_TERMS; t++) fall += f->radial[t] * f->row[i][t];
            sum += f->share[i] * fall;
            square += f->share[i] * fall * fall;
            here += f->share[i];
        }
        within += here > 0 ? fmax(square - sum * sum / here, 0) : 0;
        all += square, mean += sum, weight += here;
    }
    all -= weight > 0 ? mean * mean / weight : 0;
    return all > 0 ? fmin(within / all, 1) : 0;
}

int vignetting_solve_filled(const vignetting_equations *f, int threads) {
    add_prior_of_views(f);
    add_prior_of_terms(f);
    if (!vignetting_decompose(f, threads)) return 0;
    vignetting_substitute(f, f->right, f->answer);
    return 1;
}

endo_status vignetting_unsolved(void) { return endo_fail(ENDO_ERR_INTERNAL, "equations of the light without a solution"); }

endo_status vignetting_solve(const endo_light *light, vignetting_equations *f) {
    ENDO_TRY(endo_context_go_on(light->context));
    vignetting_fill(f);
    ENDO_TRY(endo_context_go_on(light->context));
    return vignetting_solve_filled(f, f->s->threads) ? ENDO_OK : vignetting_unsolved();
}

static endo_status solve_robustly(const endo_light *light, vignetting_equations *f, double robust) {
    for (int round = 0; round < LIGHT_ROUNDS; round++) {
        int early = round < LIGHT_ROUNDS / 2; /* wide weights, as long as the light is not known */
        ENDO_TRY(vignetting_solve(light, f));
        vignetting_find_residuals(f);
        double scale = early ? 2 * robust : robust;
        double rest = light_weigh(f->residual, f->share, f->n, scale, 1, f->workspace, f->weight);
        if (round + 1 == LIGHT_ROUNDS) break;
        find_spread(f, early);
        f->noise = fmin(fmax(2 * rest, LEAST_NOISE), LIGHT_NOISE);
    }
    return ENDO_OK;
}

endo_status light_vignetting_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                                  const light_samples *s, double robust, double terms[LIGHT_TERMS], light_evidence *evidence) {
    vignetting_equations f = {
        .s = s,
        .gain = FIRST_GAIN,
        .gains_alike = MOST_GAINS_ALIKE,
        .wander = FIRST_WANDER,
        .fall = 1,
        .noise = LIGHT_NOISE,
    };
    int falls = 0;
    memset(terms, 0, LIGHT_TERMS * sizeof *terms);
    *evidence = (light_evidence){0, 0, 0, 0};
    if (s->n == 0) return ENDO_OK;
    light_surface_radial(light, surface, f.radial);
    endo_status status = make(light, surface, views, &f);
    if (status == ENDO_OK) status = solve_robustly(light, &f, robust);
    if (status == ENDO_OK) status = vignetting_choose_model(light, &f, &falls);
    if (status == ENDO_OK) {
        double nearer = light_depth_find(light, surface, views, &f);
        *evidence = (light_evidence){falls, find_deviation(light, surface, &f), find_seen(&f), nearer};
        memcpy(terms, f.answer + VIGNETTING_LOCAL * f.views, LIGHT_TERMS * sizeof *terms);
    }
    release(&f);
    return status;
}
