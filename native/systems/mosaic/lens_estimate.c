/* A robust mean of what edges say of the lens, the more the larger their motion. Errors of edges of the same scene are alike,
 * so the deviation comes from a jackknife over parts of the sequence (lens_estimate.h). */
#include "lens_estimate.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geometry.h"
#include "numbers.h"

/* Fewest edges for an estimate. */
#define LEAST 5
/* Most parts of the sequence, and fewest edges of a part. */
#define PARTS 8
#define PART 4
/* Factor of the edges' own deviation where there are fewer than PARTS parts. */
#define FEW (5 / 3.0)
/* Huber's threshold, in deviations of an edge. */
#define KNEE 1.5
#define ROUNDS 20
/* Least number of deviations, and least lambda, of a lens that counts as seen. */
#define SURE 3
#define SMALLEST 0.01
/* Share of lambda that may be wrong, because edges are linearized in it. */
#define MODEL 0.1
#define MOST_PERCENT 40

/* The edges that say something, in their order. */
typedef struct lens_edges {
    const endo_mosaic_edge *const *items;
    int n;
} lens_edges;

static double weight(const endo_mosaic_edge *edge, double mean) {
    double away = fabs(edge->lens - mean) / edge->lens_deviation;
    return (away > KNEE ? KNEE / away : 1) / (edge->lens_deviation * edge->lens_deviation);
}

/* Weighted mean without the edges first..end-1, robust against a few outliers. */
static double mean_without(const lens_edges *edges, int first, int end) {
    double mean = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        double weights = 0;
        for (int i = 0; i < edges->n; i++) {
            if (i >= first && i < end) continue;
            double w = weight(edges->items[i], mean);
            sum += w * edges->items[i]->lens;
            weights += w;
        }
        mean = sum / weights;
    }
    return mean;
}

static int part_start(int n, int i, int parts) {
    return (int)((int64_t)n * i / parts);
}

/* Standard deviation by the jackknife over parts of the sequence, but at least what the edges' own deviations give. */
static double deviation_of(const lens_edges *edges, double lambda) {
    int n = edges->n;
    int parts = n / PART < PARTS ? n / PART : PARTS;
    if (parts < 1) parts = 1;
    double means[PARTS] = {0};
    double middle = 0;
    for (int i = 0; parts > 1 && i < parts; i++) {
        means[i] = mean_without(edges, part_start(n, i, parts), part_start(n, i + 1, parts));
        middle += means[i] / parts;
    }
    double squares = 0;
    for (int i = 0; i < parts; i++) squares += (means[i] - middle) * (means[i] - middle);
    double weights = 0;
    for (int i = 0; i < n; i++) weights += weight(edges->items[i], lambda);
    double from_edges = (parts < PARTS ? FEW : 1) / sqrt(weights);
    return greater_of(sqrt(squares * (parts - 1) / parts), from_edges);
}

static int says_lens(const endo_mosaic_edge *edge) {
    return edge_says_lens(edge) && !edge->doubtful;
}

endo_status lens_estimate_of(const mosaic_edges *edges, lens_estimate *out) {
    const endo_mosaic_edge **seen;
    int n;
    ENDO_TRY(edges_in_sequence(edges, says_lens, &seen, &n));
    const lens_edges said = {.items = seen, .n = n};
    *out = (lens_estimate){.lambda = NAN, .deviation = NAN};
    if (n >= LEAST) {
        out->lambda = mean_without(&said, 0, 0);
        out->deviation = length_of(deviation_of(&said, out->lambda), MODEL * out->lambda);
    }
    endo_free(seen);
    return ENDO_OK;
}

int lens_is_seen(const lens_estimate *lens) {
    return fabs(lens->lambda) > SMALLEST && fabs(lens->lambda) > SURE * lens->deviation;
}

/* A lens that was corrected widens deviations, too, for its number is never exact. */
int lens_widens(const lens_estimate *lens, double taken) {
    return lens_is_seen(lens) || (taken != 0 && !isnan(lens->lambda));
}

void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size) {
    if (size > 0) out[0] = 0;
    if (!lens_is_seen(lens)) return;
    double all = greater_of(-MOST_PERCENT, lesser_of(MOST_PERCENT, taken + 100 * lens->lambda));
    snprintf(out, size, "lens distortion of %.1f %% (+- %.1f)%s: lens=%.1f corrects it", 100 * lens->lambda,
             100 * lens->deviation, taken == 0 ? "" : " is left", all);
}
