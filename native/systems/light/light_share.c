/* How much of what was found is believed. Evidence that is little gives a correction that is little: there is no threshold
 * between all and nothing. */
#include "light.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>

/* Standard deviation, as a logarithm, of what the frames show of the fall-off against each other, and which is none: shading
 * and gloss turn with the view, a lamp comes nearer to one wall than to another. It is alike in all frames of a place, so that
 * more of them do not lessen it, and residuals do not show it. */
#define TURNING 0.02
/* That deviation grows by so much times the share by which the rim of the scene moves faster: walls that are nearer there make
 * up for a lamp's fall-off. Measured in rendered cavities. */
#define WALLS 3.3
/* Standard deviation of scopes' fall-offs from the middle to the rim, as a logarithm. */
#define FALL 0.33
/* Smallest share of a fall-off that is taken out. */
#define LEAST_SHARE 0.02
/* The largest deviation that is told. */
#define WORST 99

/* For each part of the fall-off that is seen, unseen / seen parts are extrapolated, and its error with them. */
double light_honest_deviation(const light_evidence *e) {
    double unseen = e->seen > 1e-6 ? (1 - e->seen) / e->seen : WORST / TURNING;
    return fmin(hypot(e->deviation, (TURNING + WALLS * e->nearer) * unseen), WORST);
}

double light_share_of(double deviation) {
    double share = FALL * FALL / (FALL * FALL + deviation * deviation);
    return share < LEAST_SHARE ? 0 : share;
}

/* ------------------------------------------------------------------ colours */

enum { QUARTERS = 4 };

/* Sums of a view's quarters: of each channel less the channels' mean, without the scene; and of the weights. */
typedef struct quarter_sums {
    double colours[QUARTERS][LIGHT_CHANNELS], weight[QUARTERS];
} quarter_sums;

/* A sample's channels less their mean. */
static void colours_of(const light_samples *s, size_t i, double out[LIGHT_CHANNELS]) {
    double mean = 0;
    for (int c = 0; c < LIGHT_CHANNELS; c++) mean += s->values[(size_t)c * s->n + i] / (double)LIGHT_CHANNELS;
    for (int c = 0; c < LIGHT_CHANNELS; c++) out[c] = s->values[(size_t)c * s->n + i] - mean;
}

static void gain_colours(const light_samples *s, const double *gains, size_t view, double out[LIGHT_CHANNELS]) {
    double mean = 0;
    for (int c = 0; c < LIGHT_CHANNELS; c++) mean += gains[(size_t)c * s->views + view] / LIGHT_CHANNELS;
    for (int c = 0; c < LIGHT_CHANNELS; c++) out[c] = gains[(size_t)c * s->views + view] - mean;
}

/* Adds the colours of the scene to its nodes: weighted sums of three channels, and of the weights. */
static void sum_scene(const light_samples *s, const double *gains, double (*scene)[LIGHT_CHANNELS + 1]) {
    for (size_t v = 0; v < s->views; v++) {
        double own[LIGHT_CHANNELS];
        gain_colours(s, gains, v, own);
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
            double colours[LIGHT_CHANNELS];
            double *sum = scene[s->node[i]];
            double w = s->weight[i];
            colours_of(s, i, colours);
            for (int c = 0; c < LIGHT_CHANNELS; c++) sum[c] += w * (colours[c] - own[c]);
            sum[LIGHT_CHANNELS] += w;
        }
    }
}

static quarter_sums sum_quarters(const endo_light *light, const light_samples *s, size_t view,
                                 double (*scene)[LIGHT_CHANNELS + 1]) {
    quarter_sums sums = {{{0}}, {0}};
    for (size_t i = s->first[view]; i < s->first[view + 1]; i++) {
        const double *node = scene[s->node[i]];
        int quarter = (2 * s->x[i] > (float)light->frame.width) + 2 * (2 * s->y[i] > (float)light->frame.height);
        double colours[LIGHT_CHANNELS];
        double w = s->weight[i];
        if (!(node[LIGHT_CHANNELS] > 0)) continue;
        colours_of(s, i, colours);
        for (int c = 0; c < LIGHT_CHANNELS; c++)
            sums.colours[quarter][c] += w * (colours[c] - node[c] / node[LIGHT_CHANNELS]);
        sums.weight[quarter] += w;
    }
    return sums;
}

/* Adds the squares of each quarter's colours: as they are, and less those of the other quarters. */
static void hold_out(const quarter_sums *sums, double squares[2]) {
    double weight = 0;
    for (int q = 0; q < QUARTERS; q++) weight += sums->weight[q];
    for (int q = 0; q < QUARTERS; q++)
        for (int c = 0; c < LIGHT_CHANNELS; c++) {
            double others = -sums->colours[q][c];
            double rest = weight - sums->weight[q];
            if (!(sums->weight[q] > 0) || !(rest > 0)) continue;
            for (int k = 0; k < QUARTERS; k++) others += sums->colours[k][c];
            double seen = sums->colours[q][c] / sums->weight[q];
            squares[0] += sums->weight[q] * seen * seen;
            squares[1] += sums->weight[q] * (seen - others / rest) * (seen - others / rest);
        }
}

/* Nothing as long as the others explain less than half of what a quarter shows. */
endo_status light_colours_share(const endo_light *light, const light_samples *s, const double *gains, double *share) {
    double squares[2] = {0, 0};
    *share = 0;
    if (s->channels != LIGHT_CHANNELS || s->n == 0) return ENDO_OK;
    double(*scene)[LIGHT_CHANNELS + 1] = endo_alloc_zeroed(s->nodes + 1, sizeof *scene);
    if (!scene) return endo_fail(ENDO_ERR_MEMORY, "no memory for the colours of %zu frames", s->views);
    sum_scene(s, gains, scene);
    for (size_t v = 0; v < s->views; v++) {
        quarter_sums sums = sum_quarters(light, s, v, scene);
        hold_out(&sums, squares);
    }
    endo_free(scene);
    if (squares[0] > 0) *share = fmax(1 - 2 * squares[1] / squares[0], 0);
    return ENDO_OK;
}
