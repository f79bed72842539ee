/* Whether a fall-off, and a gradient of every view's own, are there: only if they predict what the views show at places that
 * were held out. Patches of the scene are divided into two halves, as on a chessboard; what the views show of each is
 * predicted by what they show of the other. */
#include "light_vignetting.h"

#include "base/math/dense.h"

#include <string.h>

/* Side of a patch, nodes. */
#define PATCH 3
/* Share by which the squares of what a prediction leaves must fall: with a fall-off, and with gradients. */
#define FALL_GAIN 0.02
#define GRADIENTS_GAIN 0.05
/* Deviation, a logarithm, of what is not there. */
#define NOTHING 1e-5

static size_t half_of(const vignetting_equations *f, size_t node) {
    size_t at = (size_t)f->s->node[vignetting_sample(f, f->at_node[node])];
    return (at % f->s->stride / PATCH + at / f->s->stride / PATCH) % 2;
}

/* Leaves a half of the scene out. */
static void set_weights(vignetting_equations *f, const float *weights, size_t left_out) {
    for (size_t n = 0; n < f->nodes; n++) {
        int counts = half_of(f, n) != left_out;
        for (size_t k = f->at_node[n]; k < f->at_node[n + 1]; k++)
            f->weight[f->samples[k]] = counts ? weights[f->samples[k]] : 0;
    }
}

/* Weighted squares of the residuals in a half of the scene. */
static double squares_in(const vignetting_equations *f, const float *weights, size_t half) {
    double sum = 0;
    for (size_t n = 0; n < f->nodes; n++) {
        double weight = 0;
        double mean = 0;
        double square = 0;
        if (half_of(f, n) != half) continue;
        for (size_t k = f->at_node[n]; k < f->at_node[n + 1]; k++) {
            double w = weights[f->samples[k]];
            double rest = f->rest[f->samples[k]];
            weight += w;
            mean += w * rest;
            square += w * rest * rest;
        }
        sum += weight > 0 ? square - mean * mean / weight : 0;
    }
    return sum;
}

/* Models: what is believed beforehand of the vignetting and of gradients. */
enum { NONE, WITH_FALL, WITH_GRADIENTS, MODELS, HALVES = 2 };

/* The equations under a model with a half of the scene left out, and the squares of what is left of it. */
typedef struct prediction {
    vignetting_equations f; /* its own: matrix, right, answer, rest, work */
    double squares;
    int solved;
} prediction;

/* Numbers of a prediction, whole cache lines. */
static size_t numbers_of(const vignetting_equations *f) {
    size_t u = f->unknowns;
    return (u * u + 2 * u + DENSE_WORK + f->n + 7) / 8 * 8;
}

static void take_memory(const vignetting_equations *like, double *memory, prediction *p) {
    size_t u = like->unknowns;
    p->f = *like;
    p->f.matrix = memory;
    p->f.right = p->f.matrix + u * u;
    p->f.answer = p->f.right + u;
    p->f.work = p->f.answer + u;
    p->f.rest = p->f.work + DENSE_WORK;
}

/* Fills the equations of the first model, and sets what is believed beforehand: in that alone the models differ. */
static void fill(vignetting_equations *f, const float *weights, size_t half, prediction models[MODELS]) {
    set_weights(f, weights, half);
    vignetting_fill(&models[NONE].f);
    for (int m = 0; m < MODELS; m++) {
        models[m].f.fall = m == NONE ? NOTHING : 1;
        models[m].f.wander = m == WITH_GRADIENTS ? f->wander : NOTHING;
    }
}

/* Copies the equations of the first model to the others, column by column from the diagonal on. */
static void copy(const vignetting_equations *f, prediction all[HALVES][MODELS]) {
    size_t u = f->unknowns;
#pragma omp parallel for num_threads(f->s->threads) schedule(dynamic, 1) if (f->n > 1000)
    for (int k = 0; k < HALVES * (MODELS - 1); k++) {
        const vignetting_equations *from = &all[k % HALVES][NONE].f;
        const vignetting_equations *to = &all[k % HALVES][NONE + 1 + k / HALVES].f;
        for (size_t c = 0; c < u; c++)
            memcpy(vignetting_number(to, c, c), vignetting_number(from, c, c), (u - c) * sizeof *to->matrix);
        memcpy(to->right, from->right, u * sizeof *to->right);
    }
}

/* Squares of what is left of both halves when each is predicted, by model. */
static endo_status predict(const endo_light *light, vignetting_equations *f, const float *weights,
                           prediction all[HALVES][MODELS], double squares[MODELS]) {
    for (size_t half = 0; half < HALVES; half++) {
        ENDO_TRY(endo_context_go_on(light->context));
        fill(f, weights, half, all[half]);
    }
    copy(f, all);
#pragma omp parallel for num_threads(f->s->threads) schedule(dynamic, 1) if (f->n > 1000)
    for (int k = 0; k < HALVES * MODELS; k++) {
        prediction *p = &all[k / MODELS][k % MODELS];
        p->solved = vignetting_solve_filled(&p->f, 1);
        if (!p->solved) continue;
        vignetting_find_rests(&p->f);
        p->squares = squares_in(&p->f, weights, (size_t)(k / MODELS));
    }
    for (int m = 0; m < MODELS; m++) {
        if (!all[0][m].solved || !all[1][m].solved) return vignetting_unsolved();
        squares[m] = all[0][m].squares + all[1][m].squares;
    }
    return endo_context_go_on(light->context);
}

static endo_status predict_all(const endo_light *light, vignetting_equations *f, const float *weights, double squares[MODELS]) {
    prediction all[HALVES][MODELS];
    size_t size = numbers_of(f);
    double *memory = endo_alloc(HALVES * MODELS * size, sizeof *memory); /* at once, for large pages */
    if (!memory) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", f->s->views);
    memset(all, 0, sizeof all);
    for (size_t k = 0; k < HALVES * MODELS; k++) take_memory(f, memory + k * size, &all[k / MODELS][k % MODELS]);
    endo_status status = predict(light, f, weights, all, squares);
    endo_free(memory);
    return status;
}

endo_status vignetting_choose_model(const endo_light *light, vignetting_equations *f, int *falls) {
    double squares[MODELS];
    float *weights = f->workspace;
    memcpy(weights, f->weight, f->n * sizeof *weights);
    ENDO_TRY(predict_all(light, f, weights, squares));
    int wanders = squares[WITH_GRADIENTS] < (1 - GRADIENTS_GAIN) * squares[WITH_FALL];
    if (!wanders) f->wander = NOTHING;
    *falls = squares[wanders ? WITH_GRADIENTS : WITH_FALL] < (1 - FALL_GAIN) * squares[NONE];
    memcpy(f->weight, weights, f->n * sizeof *weights);
    ENDO_TRY(vignetting_solve(light, f));
    vignetting_find_residuals(f);
    return ENDO_OK;
}
