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
 * up for a lamp's fall-off. What is seen of the fall-off is then the walls', too: it counts like three parts that are not seen.
 * Measured in rendered cavities. */
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
    return fmin(hypot(e->deviation, TURNING * unseen + WALLS * e->nearer * (3 + unseen)), WORST);
}

double light_share_of(double deviation) {
    double share = FALL * FALL / (FALL * FALL + deviation * deviation);
    return share < LEAST_SHARE ? 0 : share;
}

/* -------------------------------------------------------------------- gains */

/* A frame is cut in two ways: into quarters, and into its middle and what is around it. */
enum { QUARTERS = 4, PIECES = QUARTERS + 2, LEVEL = LIGHT_CHANNELS };
/* Radius of the middle, of the field's reach. */
#define MIDDLE 0.5

/* Sums of a view's pieces: of each channel less the channels' mean, of that mean without the vignetting, both without the
 * scene; and of the weights. */
typedef struct piece_sums {
    double parts[PIECES][LIGHT_CHANNELS + 1], weight[PIECES];
} piece_sums;

/* By how much what pieces show is borne out: sums of the squares of what each shows, and of that less what the others show. */
typedef struct held_out {
    double quarters[2], rings[2];
} held_out;

/* Channels less their mean, and the mean. */
static void split(const light_samples *s, const double values[LIGHT_CHANNELS], double out[LIGHT_CHANNELS + 1]) {
    out[LEVEL] = 0;
    for (int c = 0; c < LIGHT_CHANNELS; c++) out[c] = c < s->channels ? values[c] : 0;
    for (int c = 0; c < s->channels; c++) out[LEVEL] += values[c] / s->channels;
    for (int c = 0; c < s->channels; c++) out[c] -= out[LEVEL];
}

static void split_sample(const light_samples *s, size_t i, double out[LIGHT_CHANNELS + 1]) {
    double values[LIGHT_CHANNELS];
    for (int c = 0; c < s->channels; c++) values[c] = s->values[(size_t)c * s->n + i] - s->vignetting[i];
    split(s, values, out);
}

static void split_gains(const light_samples *s, const double *gains, size_t view, double out[LIGHT_CHANNELS + 1]) {
    double values[LIGHT_CHANNELS];
    for (int c = 0; c < s->channels; c++) values[c] = gains[(size_t)c * s->views + view];
    split(s, values, out);
}

/* The scene at a node: weighted sums of its parts, and of the weights. */
typedef struct node_sums {
    double parts[LIGHT_CHANNELS + 1], weight;
} node_sums;

/* At the nodes from `from` to before `to`, whose samples lie in all views. */
static void sum_scene(const light_samples *s, const double *gains, size_t from, size_t to, node_sums *scene) {
    for (size_t v = 0; v < s->views; v++) {
        double own[LIGHT_CHANNELS + 1];
        split_gains(s, gains, v, own);
        for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
            double parts[LIGHT_CHANNELS + 1];
            size_t node = (size_t)s->node[i];
            node_sums *sum = &scene[node];
            double w = s->weight[i];
            if (node < from || node >= to) continue;
            split_sample(s, i, parts);
            for (int c = 0; c <= LEVEL; c++) sum->parts[c] += w * (parts[c] - own[c]);
            sum->weight += w;
        }
    }
}

static piece_sums sum_pieces(const endo_light *light, const light_surface *surface, const light_samples *s, size_t view,
                             const node_sums *scene) {
    piece_sums sums = {{{0}}, {0}};
    double width = light->frame.width;
    double height = light->frame.height;
    for (size_t i = s->first[view]; i < s->first[view + 1]; i++) {
        const node_sums *node = &scene[s->node[i]];
        int is_around = hypot(s->x[i] - surface->x, s->y[i] - surface->y) > MIDDLE * surface->reach;
        int pieces[2] = {(2 * s->x[i] > width) + 2 * (2 * s->y[i] > height), QUARTERS + is_around};
        double parts[LIGHT_CHANNELS + 1];
        double w = s->weight[i];
        if (!(node->weight > 0)) continue;
        split_sample(s, i, parts);
        for (int k = 0; k < 2; k++) {
            for (int c = 0; c <= LEVEL; c++) sums.parts[pieces[k]][c] += w * (parts[c] - node->parts[c] / node->weight);
            sums.weight[pieces[k]] += w;
        }
    }
    return sums;
}

/* Adds the squares of what each of some pieces shows in a part: as it is, and less what the others show. */
static void hold_out(const piece_sums *sums, int first, int end, int part, double squares[2]) {
    double weight = 0;
    double all = 0;
    for (int q = first; q < end; q++) {
        weight += sums->weight[q];
        all += sums->parts[q][part];
    }
    for (int q = first; q < end; q++) {
        double rest = weight - sums->weight[q];
        if (!(sums->weight[q] > 0) || !(rest > 0)) continue;
        double seen = sums->parts[q][part] / sums->weight[q];
        double others = (all - sums->parts[q][part]) / rest;
        squares[0] += sums->weight[q] * seen * seen;
        squares[1] += sums->weight[q] * (seen - others) * (seen - others);
    }
}

static void hold_out_all(const piece_sums *sums, int part, held_out *h) {
    hold_out(sums, 0, QUARTERS, part, h->quarters);
    hold_out(sums, QUARTERS, PIECES, part, h->rings);
}

/* Nothing as long as the others explain less than half of what a piece shows. */
static double share_of_squares(const double squares[2]) {
    return squares[0] > 0 ? fmax(1 - 2 * squares[1] / squares[0], 0) : 0;
}

static double share_of(const held_out *h) { return fmin(share_of_squares(h->quarters), share_of_squares(h->rings)); }

endo_status light_gains_share(const endo_light *light, const light_surface *surface, const light_samples *s,
                              const double *gains, light_shares *shares) {
    held_out colours = {{0, 0}, {0, 0}};
    held_out level = {{0, 0}, {0, 0}};
    *shares = (light_shares){0, 0};
    if (s->n == 0) return ENDO_OK;
    node_sums *scene = endo_alloc_zeroed(s->nodes + 1, sizeof *scene);
    piece_sums *sums = endo_alloc(s->views + 1, sizeof *sums);
    if (!scene || !sums) {
        endo_free(scene);
        endo_free(sums);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", s->views);
    }
    size_t parts = (size_t)s->threads;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->n > 10000)
    for (size_t k = 0; k < parts; k++) sum_scene(s, gains, s->nodes * k / parts, s->nodes * (k + 1) / parts, scene);
#pragma omp parallel for num_threads(s->threads) schedule(static) if (s->n > 10000)
    for (size_t v = 0; v < s->views; v++) sums[v] = sum_pieces(light, surface, s, v, scene);
    for (size_t v = 0; v < s->views; v++) {
        for (int c = 0; c < s->channels; c++) hold_out_all(&sums[v], c, &colours);
        hold_out_all(&sums[v], LEVEL, &level);
    }
    endo_free(scene);
    endo_free(sums);
    *shares = (light_shares){share_of(&level), share_of(&colours)};
    return ENDO_OK;
}
