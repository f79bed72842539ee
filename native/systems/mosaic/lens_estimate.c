/* Each edge says little of the lens, the further the motion the more; all of them err alike where what they show does, so that
 * the deviation comes from parts of the sequence, each of which is left out once (lens_estimate.h). */
#include "lens_estimate.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geometry.h"
#include "numbers.h"

/* Of fewer edges nothing is said. */
#define LEAST 5
/* Parts of the sequence, of so many edges at least. */
#define PARTS 8
#define PART 4
/* Without all of these parts the deviation that edges tell is multiplied by this. */
#define FEW (5 / 3.0)
/* Deviations of an edge from which on it counts less (Huber). */
#define KNEE 1.5
#define ROUNDS 20
/* A lens is seen from so many deviations and from such a lambda on. */
#define SURE 3
#define SMALLEST 0.01
/* What edges say is to first order in lambda: so much of it may be wrong. */
#define MODEL 0.1
#define MOST_PERCENT 40

/* Edges that say something, in their order. */
typedef struct lens_edges {
    const endo_mosaic_edge *const *items;
    int n;
} lens_edges;

static double weight(const endo_mosaic_edge *edge, double mean) {
    double away = fabs(edge->lens - mean) / edge->lens_deviation;
    return (away > KNEE ? KNEE / away : 1) / (edge->lens_deviation * edge->lens_deviation);
}

/* Without those from first to before end. Few that are far off have little say. */
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

/* Where part i of the edges begins. */
static int part_start(int n, int i, int parts) {
    return (int)((int64_t)n * i / parts);
}

/* By what the mean changes when parts of the sequence are left out (jackknife), and by what the edges themselves say at
 * least. */
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
    double own = (parts < PARTS ? FEW : 1) / sqrt(weights);
    return greater_of(sqrt(squares * (parts - 1) / parts), own);
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

/* Where a lens was taken out by any number, too, for nobody knows it exactly. */
int lens_widens(const lens_estimate *lens, double taken) {
    return lens_is_seen(lens) || (taken != 0 && !isnan(lens->lambda));
}

void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size) {
    if (size > 0) out[0] = 0;
    if (!lens_is_seen(lens)) return;
    double all = greater_of(-MOST_PERCENT, lesser_of(MOST_PERCENT, taken + 100 * lens->lambda));
    snprintf(out, size, "frames are %sdistorted as by a lens of %.1f %% (+- %.1f): lens=%.1f takes that out",
             taken == 0 ? "" : "still ", 100 * lens->lambda, 100 * lens->deviation, all);
}
