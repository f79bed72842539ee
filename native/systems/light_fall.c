/* The fall-off of the light, from views that see the same places at different distances from the middle.
 *
 * Unknown of each view are its gain and a gradient, by which the light wanders on the sensor; then the fall-off's terms.
 * The scene is eliminated node by node, which leaves dense equations: few enough, for a hundred views say as much as all. */
#include "light.h"

#include "../base/transform.h"

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

/* A sight is off by twice the median of what is left of all, at least by so much. */
#define LEAST_NOISE 0.003

/* Views are taken at least so many to a frame's width, and at most so many: of longer sequences in so many runs. */
#define A_WIDTH 8
#define MOST_VIEWS 128
#define RUNS 4

/* Numbers of a view. */
#define OWN 3

typedef struct fall {
    const light_sights *s;
    size_t views, unknowns;
    size_t *chosen;               /* views */
    size_t n, *first, nodes;      /* sights, of each view the first; nodes that they see */
    int32_t *node, *owner;        /* of each sight */
    size_t *at_node;              /* of each node the first of .. */
    int32_t *sights;              /* .. its sights, sorted by view */
    float *share, *weight, *value, *residual, *sorted;
    double (*terms)[LIGHT_TERMS]; /* at each sight */
    double *node_weight, *node_value, (*node_terms)[LIGHT_TERMS]; /* sums */
    double *matrix, *right, *answer, *fall;
    double *likeness;             /* of a view's gradient to the one before */
    double gain, wander, noise;   /* deviations: that are believed beforehand, and of a sight */
} fall;

/* --------------------------------------------------------------- choosing */

static double distance(const endo_light *light, const endo_light_view *a, const endo_light_view *b) {
    double x = 0.5 * light->frame.width, y = 0.5 * light->frame.height, ax, ay, bx, by;
    if (a->part != b->part || !endo_transform_point(&a->transform, x, y, &ax, &ay) ||
        !endo_transform_point(&b->transform, x, y, &bx, &by))
        return 0;
    return hypot(ax - bx, ay - by);
}

/* Every so many-th view: few enough, but for what lies too far apart then. */
static size_t find_step(const endo_light *light, const endo_light_view *views, size_t n) {
    double way = 0, most;
    for (size_t i = 1; i < n; i++) way += fmin(distance(light, &views[i - 1], &views[i]), light->frame.width);
    most = way > 0 ? (double)light->frame.width / A_WIDTH / (way / (double)n) : (double)n;
    size_t step = (n + MOST_VIEWS - 1) / MOST_VIEWS;
    if ((double)step > most) step = most > 1 ? (size_t)most : 1;
    return step;
}

/* All of every step-th, or runs of them. */
static size_t choose(const endo_light *light, const endo_light_view *views, size_t n, size_t *chosen) {
    size_t step = find_step(light, views, n), taken = (n + step - 1) / step, made = 0;
    for (size_t i = 0; i < taken && taken <= MOST_VIEWS; i++) chosen[made++] = i * step;
    for (size_t run = 0; run < RUNS && taken > MOST_VIEWS; run++) {
        size_t first = run * (taken - MOST_VIEWS / RUNS) / (RUNS - 1);
        for (size_t i = 0; i < MOST_VIEWS / RUNS; i++) chosen[made++] = (first + i) * step;
    }
    return made;
}

/* ------------------------------------------------------------------- make */

static int take_memory(fall *f) {
    size_t n = f->n + 1, u = f->unknowns;
    f->node = endo_alloc(n, sizeof *f->node), f->owner = endo_alloc(n, sizeof *f->owner);
    f->sights = endo_alloc(n, sizeof *f->sights), f->at_node = endo_alloc_zeroed(n + 1, sizeof *f->at_node);
    float **lists[] = {&f->share, &f->weight, &f->value, &f->residual, &f->sorted};
    int made = f->node && f->owner && f->sights && f->at_node;
    for (int i = 0; i < 5; i++) {
        *lists[i] = endo_alloc(n, sizeof(float));
        made &= *lists[i] != NULL;
    }
    f->terms = endo_alloc(n, sizeof *f->terms), f->node_terms = endo_alloc(n, sizeof *f->node_terms);
    f->node_weight = endo_alloc(n, sizeof(double)), f->node_value = endo_alloc(n, sizeof(double));
    f->matrix = endo_alloc(u * u, sizeof(double)), f->right = endo_alloc(u, sizeof(double));
    f->answer = endo_alloc_zeroed(u, sizeof(double)), f->fall = endo_alloc_zeroed(u, sizeof(double));
    return made && f->terms && f->node_terms && f->node_weight && f->node_value && f->matrix && f->right && f->answer &&
           f->fall;
}

static void release(fall *f) {
    void *all[] = {f->chosen, f->first, f->node, f->owner, f->at_node, f->sights, f->share, f->weight, f->value, f->residual,
                   f->sorted, f->terms, f->node_terms, f->node_weight, f->node_value, f->matrix, f->right, f->answer,
                   f->fall, f->likeness};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) endo_free(all[i]);
}

/* Sights by node, and nodes numbered anew. numbers: zeros for all nodes. */
static void sort_by_node(fall *f, int32_t *numbers) {
    const light_sights *s = f->s;
    for (size_t i = 0; i < f->n; i++) numbers[f->node[i]] = 1;
    for (size_t i = 0; i < s->nodes; i++)
        if (numbers[i]) numbers[i] = (int32_t)f->nodes++;
    for (size_t i = 0; i < f->n; i++) {
        f->node[i] = numbers[f->node[i]];
        f->at_node[f->node[i] + 2]++;
    }
    for (size_t i = 0; i < f->nodes; i++) f->at_node[i + 1] += f->at_node[i];
    for (size_t i = 0; i < f->n; i++) f->sights[f->at_node[f->node[i] + 1]++] = (int32_t)i;
}

static void copy_sights(const light_surface *surface, fall *f) {
    const light_sights *s = f->s;
    for (size_t v = 0; v < f->views; v++)
        for (size_t i = f->first[v]; i < f->first[v + 1]; i++) {
            size_t from = s->first[f->chosen[v]] + i - f->first[v];
            double sum = 0;
            for (int c = 0; c < s->channels; c++) sum += s->values[(size_t)c * s->n + from];
            f->value[i] = (float)(sum / s->channels), f->share[i] = f->weight[i] = s->share[from];
            f->node[i] = s->node[from], f->owner[i] = (int32_t)v;
            light_surface_terms(surface, s->x[from], s->y[from], f->terms[i]);
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
    size_t most = f->s->views < MOST_VIEWS ? f->s->views : MOST_VIEWS;
    f->chosen = endo_alloc(most + 1, sizeof *f->chosen), f->first = endo_alloc_zeroed(most + 1, sizeof *f->first);
    f->likeness = endo_alloc(most + 1, sizeof *f->likeness);
    int32_t *numbers = endo_alloc_zeroed(f->s->nodes + 1, sizeof *numbers);
    int made = f->chosen && f->first && f->likeness && numbers;
    if (made) {
        f->views = choose(light, views, f->s->views, f->chosen);
        f->unknowns = OWN * f->views + LIGHT_TERMS;
        for (size_t v = 0; v < f->views; v++)
            f->first[v + 1] = f->first[v] + f->s->first[f->chosen[v] + 1] - f->s->first[f->chosen[v]];
        f->n = f->first[f->views];
        made = take_memory(f);
    }
    if (made) {
        copy_sights(surface, f);
        sort_by_node(f, numbers);
        find_likeness(views, f);
    }
    endo_free(numbers);
    return made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", f->s->views);
}

/* --------------------------------------------------------------- equations */

static double *row_of(const fall *f, size_t row) { return f->matrix + row * f->unknowns; }

static void own_terms(const fall *f, size_t i, double own[OWN]) {
    own[0] = 1, own[1] = f->terms[i][0], own[2] = f->terms[i][1];
}

static void sum_node(const fall *f, size_t node) {
    double weight = 0, value = 0, terms[LIGHT_TERMS] = {0};
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
        size_t i = (size_t)f->sights[k];
        weight += f->weight[i], value += (double)f->weight[i] * f->value[i];
        for (int t = 0; t < LIGHT_TERMS; t++) terms[t] += f->weight[i] * f->terms[i][t];
    }
    f->node_weight[node] = weight, f->node_value[node] = value;
    memcpy(f->node_terms[node], terms, sizeof terms);
}

/* What one sight says of its view and those before it: products of its own terms, less those of the node's mean. */
static void add_sight(const fall *f, size_t view, size_t i) {
    size_t node = (size_t)f->node[i], u = f->unknowns;
    double own[OWN], other[OWN], w = f->weight[i], part = w / f->node_weight[node];
    double *rows = row_of(f, OWN * view), *terms = row_of(f, OWN * f->views) + OWN * view;
    own_terms(f, i, own);
    for (int a = 0; a < OWN; a++) {
        for (int b = 0; b < OWN; b++) rows[(size_t)a * u + OWN * view + (size_t)b] += w * own[a] * own[b];
        f->right[OWN * view + (size_t)a] += own[a] * (w * f->value[i] - part * f->node_value[node]);
    }
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
        size_t j = (size_t)f->sights[k], to = OWN * (size_t)f->owner[j];
        if (to > OWN * view) break;
        double both = part * f->weight[j];
        own_terms(f, j, other);
        for (int a = 0; a < OWN; a++)
            for (int b = 0; b < OWN; b++) rows[(size_t)a * u + to + (size_t)b] -= both * own[a] * other[b];
    }
    for (int t = 0; t < LIGHT_TERMS; t++) {
        double rest = w * f->terms[i][t] - part * f->node_terms[node][t];
        for (int a = 0; a < OWN; a++) terms[(size_t)t * u + (size_t)a] += rest * own[a];
    }
}

/* Where a term meets those before it. */
static void add_term(const fall *f, int t) {
    size_t first = OWN * f->views;
    double *row = row_of(f, first + (size_t)t) + first, right = 0;
    for (size_t i = 0; i < f->n; i++) {
        double share = f->weight[i] * f->terms[i][t];
        for (int k = 0; k <= t; k++) row[k] += share * f->terms[i][k];
        right += share * f->value[i];
    }
    for (size_t i = 0; i < f->nodes; i++) {
        if (!(f->node_weight[i] > 0)) continue;
        double share = f->node_terms[i][t] / f->node_weight[i];
        for (int k = 0; k <= t; k++) row[k] -= share * f->node_terms[i][k];
        right -= share * f->node_value[i];
    }
    f->right[first + (size_t)t] = right;
}

/* Against what is believed a sight says only what many alike leave it. */
static double prior(const fall *f, double deviation) { return LIGHT_ALIKE * f->noise * f->noise / (deviation * deviation); }

/* The terms are sorted by their order. */
static double prior_of_term(const fall *f, int t) { return prior(f, t < 2 ? GRADIENT : t < 5 ? BEND : SHAPE); }

/* A view's gradient is the one before times the likeness, and what is new. */
static void add_prior(const fall *f) {
    size_t u = f->unknowns;
    for (size_t v = 0; v < f->views; v++) {
        double like = f->likeness[v], fresh = prior(f, f->wander) / (1 - like * like);
        f->matrix[OWN * v * (u + 1)] += prior(f, f->gain);
        for (size_t k = OWN * v + 1; k <= OWN * v + 2; k++) {
            f->matrix[k * (u + 1)] += fresh;
            if (v == 0) continue;
            f->matrix[(k - OWN) * (u + 1)] += like * like * fresh;
            f->matrix[k * u + k - OWN] -= like * fresh;
        }
    }
    for (int t = 0; t < LIGHT_TERMS; t++) f->matrix[(OWN * f->views + (size_t)t) * (u + 1)] += prior_of_term(f, t);
}

/* The lower triangle, and the right side. */
static void fill(const fall *f) {
    int threads = f->s->threads;
    memset(f->matrix, 0, f->unknowns * f->unknowns * sizeof *f->matrix);
    memset(f->right, 0, f->unknowns * sizeof *f->right);
#pragma omp parallel num_threads(threads) if (f->n > 1000)
    {
#pragma omp for schedule(static)
        for (size_t i = 0; i < f->nodes; i++) sum_node(f, i);
#pragma omp for schedule(dynamic, 1)
        for (size_t v = 0; v < f->views; v++)
            for (size_t i = f->first[v]; i < f->first[v + 1]; i++)
                if (f->weight[i] > 0) add_sight(f, v, i);
#pragma omp for schedule(dynamic, 1)
        for (int t = LIGHT_TERMS - 1; t >= 0; t--) add_term(f, t);
    }
    add_prior(f);
}

/* ------------------------------------------------------------------- solve */

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Cholesky's decomposition, in place. The prior makes the matrix definite. */
static void decompose(const fall *f) {
    size_t n = f->unknowns;
    for (size_t i = 0; i < n; i++) {
        double *row = row_of(f, i);
        for (size_t k = 0; k < i; k++) row[k] = (row[k] - dot(row, row_of(f, k), k)) / row_of(f, k)[k];
        row[i] = sqrt(fmax(row[i] - dot(row, row, i), 1e-12));
    }
}

static void substitute(const fall *f, const double *right, double *answer) {
    size_t n = f->unknowns;
    for (size_t i = 0; i < n; i++) answer[i] = (right[i] - dot(row_of(f, i), answer, i)) / row_of(f, i)[i];
    for (size_t i = n; i-- > 0;) {
        answer[i] /= row_of(f, i)[i];
        for (size_t k = 0; k < i; k++) answer[k] -= row_of(f, i)[k] * answer[i];
    }
}

/* What is left of a sight but for the scene. */
static double unexplained(const fall *f, size_t i) {
    double own[OWN];
    const double *of_view = f->answer + OWN * (size_t)f->owner[i];
    own_terms(f, i, own);
    return f->value[i] - dot(own, of_view, OWN) - dot(f->terms[i], f->answer + OWN * f->views, LIGHT_TERMS);
}

static void find_residuals(const fall *f) {
#pragma omp parallel for num_threads(f->s->threads) if (f->n > 1000)
    for (size_t node = 0; node < f->nodes; node++) {
        double sum = 0, weight = f->node_weight[node];
        for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
            size_t i = (size_t)f->sights[k];
            double rest = unexplained(f, i);
            f->residual[i] = (float)rest, sum += f->weight[i] * rest;
        }
        float mean = (float)(weight > 0 ? sum / weight : 0);
        for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++)
            f->residual[f->sights[k]] = fabsf(f->residual[f->sights[k]] - mean);
    }
}

/* How far gains and gradients vary, as they were found. */
static void find_spread(fall *f, int early) {
    double mean = 0, gains = 0, gradients = 0;
    for (size_t v = 0; v < f->views; v++) mean += f->answer[OWN * v] / (double)f->views;
    for (size_t v = 0; v < f->views; v++) {
        const double *own = f->answer + OWN * v;
        gains += (own[0] - mean) * (own[0] - mean);
        gradients += own[1] * own[1] + own[2] * own[2];
    }
    f->gain = fmax(GAINS_ROOM * sqrt(gains / (double)f->views), GAIN);
    f->wander = WANDER_ROOM * sqrt(gradients / (2 * (double)f->views));
    f->wander = early ? FIRST_WANDER : fmin(fmax(f->wander, LEAST_WANDER), MOST_WANDER);
}

static double find_deviation(const endo_light *light, const light_surface *surface, const fall *f) {
    size_t first = OWN * f->views;
    double terms[LIGHT_TERMS];
    light_surface_fall(light, surface, terms);
    memcpy(f->fall + first, terms, sizeof terms);
    substitute(f, f->fall, f->right);
    return LIGHT_NOISE * sqrt(LIGHT_ALIKE * dot(terms, f->right + first, LIGHT_TERMS));
}

static endo_status solve(const endo_light *light, fall *f, double robust) {
    for (int round = 0; round < LIGHT_ROUNDS; round++) {
        int early = round < LIGHT_ROUNDS / 2; /* wide, as long as the light is not known */
        ENDO_TRY(endo_context_go_on(light->context));
        fill(f);
        ENDO_TRY(endo_context_go_on(light->context));
        decompose(f);
        substitute(f, f->right, f->answer);
        find_residuals(f);
        double rest = light_weigh(f->residual, f->share, f->n, early ? 2 * robust : robust, f->sorted, f->weight);
        if (round + 1 == LIGHT_ROUNDS) break;
        find_spread(f, early);
        f->noise = fmin(fmax(2 * rest, LEAST_NOISE), LIGHT_NOISE);
    }
    return ENDO_OK;
}

endo_status light_fall_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                            const light_sights *s, double robust, double worst, double terms[LIGHT_TERMS],
                            double *deviation) {
    fall f = {.s = s, .gain = GAIN, .wander = FIRST_WANDER, .noise = LIGHT_NOISE};
    memset(terms, 0, LIGHT_TERMS * sizeof *terms);
    *deviation = 0;
    if (s->n == 0) return ENDO_OK;
    endo_status status = make(light, surface, views, &f);
    if (status == ENDO_OK) status = solve(light, &f, robust);
    if (status == ENDO_OK) *deviation = find_deviation(light, surface, &f);
    if (status == ENDO_OK && *deviation <= worst)
        memcpy(terms, f.answer + OWN * f.views, LIGHT_TERMS * sizeof *terms);
    release(&f);
    return status;
}
