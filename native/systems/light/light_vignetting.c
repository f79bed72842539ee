/* The fall-off of the light, from views that see the same places at different distances from the middle.
 *
 * Unknown of each view are its gain and a gradient, by which the light wanders on the sensor; then the fall-off's terms.
 * The scene is eliminated node by node, which leaves dense equations: few enough, for a hundred views say as much as all. */
#include "light_vignetting.h"

#include "base/math/dense.h"

#include <math.h>
#include <string.h>

/* What is believed beforehand, in logarithms; what the frames leave open it decides.
 * The fall-off's gradient: it cannot be told from one of the scene and gains that follow it where the scope moves straight
 * on. Its bend, and its finer shape. */
#define GRADIENT 0.15
#define BEND 0.5
#define SHAPE 0.15
/* A gain, from 1, if they do not vary more: twice what they were found to. */
#define GAIN 0.07
#define GAINS_ROOM 2
/* The gradient of a view is so far from the fall-off's at most, and at least, and so like that of the frame before: light
 * wanders slowly. So much as it was found to vary, times .., it may. */
#define MOST_WANDER 0.1
#define LEAST_WANDER 0.002
#define WANDER_ROOM 6
#define ALIKE_NEXT 0.8
/* In the first rounds it is so much: what some frames show alone, an instrument, would be taken for a gradient. */
#define FIRST_WANDER 0.01

/* A sample is off by twice the median of what is left of all, at least by so much. */
#define LEAST_NOISE 0.003

/* ------------------------------------------------------------------- make */

static int take_memory(fall *f) {
    size_t n = f->n + 1, u = f->unknowns;
    f->at_node = endo_alloc_zeroed(n + 1, sizeof *f->at_node);
    int32_t **numbers[] = {&f->node, &f->owner, &f->samples, &f->place};
    float **lists[] = {&f->share, &f->weight, &f->residual, &f->room};
    int made = f->at_node != NULL;
    for (int i = 0; i < 4; i++) {
        *numbers[i] = endo_alloc(n, sizeof(int32_t)), *lists[i] = endo_alloc(n, sizeof(float));
        made &= *numbers[i] && *lists[i];
    }
    f->row = endo_alloc(n, sizeof *f->row);
    f->rest = endo_alloc(n, sizeof *f->rest);
    f->own = endo_alloc(n, sizeof *f->own);
    f->products = endo_alloc(f->views + 1, sizeof *f->products);
    f->matrix = endo_alloc(u * u, sizeof(double));
    f->right = endo_alloc(u, sizeof(double));
    f->answer = endo_alloc_zeroed(u, sizeof(double));
    f->fall = endo_alloc_zeroed(u, sizeof(double));
    f->work = endo_alloc(DENSE_WORK, sizeof(double));
    return made && f->row && f->rest && f->own && f->products && f->matrix && f->right && f->answer && f->fall && f->work;
}

static int take_memory_of_nodes(fall *f) {
    f->node_weight = endo_alloc(f->nodes + 1, sizeof(double));
    f->node_row = endo_alloc(f->nodes + 1, sizeof *f->node_row);
    return f->node_weight && f->node_row;
}

static void release(fall *f) {
    void *all[] = {f->chosen, f->first, f->node, f->owner, f->samples, f->place, f->at_node, f->share, f->weight,
                   f->residual, f->room, f->row, f->rest, f->own, f->products, f->node_weight, f->node_row,
                   f->matrix, f->right, f->answer, f->fall, f->work, f->likeness};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) endo_free(all[i]);
}

/* Samples by node, and nodes numbered anew. numbers: zeros for all nodes. */
static void sort_by_node(fall *f, int32_t *numbers) {
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
            size_t place = f->at_node[f->node[i] + 1]++;
            f->samples[place] = (int32_t)i;
            f->owner[place] = (int32_t)v;
            f->place[i] = (int32_t)place;
        }
}

static void copy_samples(const light_surface *surface, fall *f) {
    const light_samples *s = f->s;
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

static void find_likeness(const endo_light_view *views, fall *f) {
    f->likeness[0] = 0;
    for (size_t v = 1; v < f->views; v++) {
        double gap = fabs((double)views[f->chosen[v]].frame - (double)views[f->chosen[v - 1]].frame);
        f->likeness[v] = pow(ALIKE_NEXT, fmax(gap, 1));
    }
}

static endo_status make(const endo_light *light, const light_surface *surface, const endo_light_view *views, fall *f) {
    size_t most = f->s->views < VIGNETTING_MOST_VIEWS ? f->s->views : VIGNETTING_MOST_VIEWS;
    f->chosen = endo_alloc(most + 1, sizeof *f->chosen);
    f->first = endo_alloc_zeroed(most + 1, sizeof *f->first);
    f->likeness = endo_alloc(most + 1, sizeof *f->likeness);
    int32_t *numbers = endo_alloc_zeroed(f->s->nodes + 1, sizeof *numbers);
    int made = f->chosen && f->first && f->likeness && numbers;
    if (made) {
        f->views = light_choose(light, views, f->s->views, f->chosen);
        f->unknowns = VIGNETTING_OWN * f->views + LIGHT_TERMS;
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

/* ----------------------------------------------------------------- beliefs */

/* Against what is believed a sample says only what many alike leave it. */
static double prior(const fall *f, double deviation) { return f->s->alike * f->noise * f->noise / (deviation * deviation); }

/* The terms are sorted by their order. */
static double prior_of_term(const fall *f, int t) { return prior(f, t < 2 ? GRADIENT : t < 5 ? BEND : SHAPE); }

/* A view's gradient is the one before times the likeness, and what is new. */
static void add_prior(const fall *f) {
    for (size_t v = 0; v < f->views; v++) {
        double like = f->likeness[v], fresh = prior(f, f->wander) / (1 - like * like);
        size_t own = VIGNETTING_OWN * v;
        *vignetting_number(f, own, own) += prior(f, f->gain);
        for (size_t k = own + 1; k <= own + 2; k++) {
            *vignetting_number(f, k, k) += fresh;
            if (v == 0) continue;
            *vignetting_number(f, k - VIGNETTING_OWN, k - VIGNETTING_OWN) += like * like * fresh;
            *vignetting_number(f, k, k - VIGNETTING_OWN) -= like * fresh;
        }
    }
    for (size_t k = VIGNETTING_OWN * f->views; k < f->unknowns; k++)
        *vignetting_number(f, k, k) += prior_of_term(f, (int)(k - VIGNETTING_OWN * f->views));
}

/* ------------------------------------------------------------------- solve */

/* How far gains and gradients vary, as they were found. */
static void find_spread(fall *f, int early) {
    double mean = 0, gains = 0, gradients = 0;
    for (size_t v = 0; v < f->views; v++) mean += f->answer[VIGNETTING_OWN * v] / (double)f->views;
    for (size_t v = 0; v < f->views; v++) {
        const double *own = f->answer + VIGNETTING_OWN * v;
        gains += (own[0] - mean) * (own[0] - mean);
        gradients += own[1] * own[1] + own[2] * own[2];
    }
    f->gain = fmax(GAINS_ROOM * sqrt(gains / (double)f->views), GAIN);
    f->wander = WANDER_ROOM * sqrt(gradients / (2 * (double)f->views));
    f->wander = early ? FIRST_WANDER : fmin(fmax(f->wander, LEAST_WANDER), MOST_WANDER);
}

static double find_deviation(const endo_light *light, const light_surface *surface, const fall *f) {
    size_t first = VIGNETTING_OWN * f->views;
    double terms[LIGHT_TERMS], square = 0;
    light_surface_vignetting(light, surface, terms);
    memcpy(f->fall + first, terms, sizeof terms);
    vignetting_substitute(f, f->fall, f->right);
    for (int t = 0; t < LIGHT_TERMS; t++) square += terms[t] * f->right[first + (size_t)t];
    return LIGHT_NOISE * sqrt(f->s->alike * square);
}

static endo_status solve(const endo_light *light, fall *f, double robust) {
    for (int round = 0; round < LIGHT_ROUNDS; round++) {
        int early = round < LIGHT_ROUNDS / 2; /* wide, as long as the light is not known */
        ENDO_TRY(endo_context_go_on(light->context));
        vignetting_fill(f);
        add_prior(f);
        ENDO_TRY(endo_context_go_on(light->context));
        if (!vignetting_decompose(f)) return endo_fail(ENDO_ERR_INTERNAL, "equations of the light without a solution");
        vignetting_substitute(f, f->right, f->answer);
        vignetting_find_residuals(f);
        double scale = early ? 2 * robust : robust;
        double rest = light_weigh(f->residual, f->share, f->n, scale, 1, f->room, f->weight);
        if (round + 1 == LIGHT_ROUNDS) break;
        find_spread(f, early);
        f->noise = fmin(fmax(2 * rest, LEAST_NOISE), LIGHT_NOISE);
    }
    return ENDO_OK;
}

endo_status light_vignetting_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                            const light_samples *s, double robust, double worst, double terms[LIGHT_TERMS],
                            double *deviation) {
    fall f = {.s = s, .gain = GAIN, .wander = FIRST_WANDER, .noise = LIGHT_NOISE};
    memset(terms, 0, LIGHT_TERMS * sizeof *terms);
    *deviation = 0;
    if (s->n == 0) return ENDO_OK;
    endo_status status = make(light, surface, views, &f);
    if (status == ENDO_OK) status = solve(light, &f, robust);
    if (status == ENDO_OK) *deviation = find_deviation(light, surface, &f);
    if (status == ENDO_OK && *deviation <= worst)
        memcpy(terms, f.answer + VIGNETTING_OWN * f.views, LIGHT_TERMS * sizeof *terms);
    release(&f);
    return status;
}
