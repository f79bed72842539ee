/* Whether a fall-off, and a gradient of every view's own, are there: only if they predict what the views show at places that
 * were held out. Patches of the scene are divided into two halves, as on a chessboard; what the views show of each is
 * predicted by what they show of the other. */
#include "light_vignetting.h"

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

/* Squares of what is left of both halves when each is predicted. */
static endo_status predict(const endo_light *light, vignetting_equations *f, const float *weights, double *squares) {
    *squares = 0;
    for (size_t half = 0; half < 2; half++) {
        set_weights(f, weights, half);
        ENDO_TRY(vignetting_solve(light, f));
        vignetting_find_residuals(f);
        *squares += squares_in(f, weights, half);
    }
    return ENDO_OK;
}

endo_status vignetting_choose_model(const endo_light *light, vignetting_equations *f, int *falls) {
    double wander = f->wander;
    double none;
    double fall;
    double gradients;
    float *weights = f->workspace;
    memcpy(weights, f->weight, f->n * sizeof *weights);
    f->wander = f->fall = NOTHING;
    ENDO_TRY(predict(light, f, weights, &none));
    f->fall = 1;
    ENDO_TRY(predict(light, f, weights, &fall));
    f->wander = wander;
    ENDO_TRY(predict(light, f, weights, &gradients));
    int wanders = gradients < (1 - GRADIENTS_GAIN) * fall;
    if (!wanders) f->wander = NOTHING;
    *falls = (wanders ? gradients : fall) < (1 - FALL_GAIN) * none;
    memcpy(f->weight, weights, f->n * sizeof *weights);
    ENDO_TRY(vignetting_solve(light, f));
    vignetting_find_residuals(f);
    return ENDO_OK;
}
