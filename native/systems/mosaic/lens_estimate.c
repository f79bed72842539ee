/* Robust means of what edges say of the lens and of a hollow scene, the more the larger their motion. Errors of edges of the same
 * scene are alike, so deviations come from a jackknife over parts of the sequence (lens_estimate.h). */
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
/* Least number of deviations at which a lens is taken out without being asked for. */
#define SURE_TO_TAKE 5
#define SMALLEST 0.01
/* Share of lambda that may be wrong, because edges are linearized in it. */
#define MODEL 0.1
#define MOST_PERCENT 40

/* What edges say of one number, in the order of the sequence. */
typedef struct observation {
    double value;
    double deviation;
} observation;

static double weight(const observation *o, double mean) {
    double away = fabs(o->value - mean) / o->deviation;
    return (away > KNEE ? KNEE / away : 1) / (o->deviation * o->deviation);
}

/* Weighted mean without the observations first..end-1, robust against a few outliers. Where a round does not change it, none
 * that follows would. */
static double mean_without(const observation *o, int n, int first, int end) {
    double mean = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        double weights = 0;
        for (int i = 0; i < n; i++) {
            if (i >= first && i < end) continue;
            double w = weight(&o[i], mean);
            sum += w * o[i].value;
            weights += w;
        }
        int stays = sum / weights == mean;
        mean = sum / weights;
        if (stays) break;
    }
    return mean;
}

static int part_start(int n, int i, int parts) {
    return (int)((int64_t)n * i / parts);
}

/* Standard deviation by the jackknife over parts of the sequence, but at least what the edges' own deviations give. */
static double deviation_of(const observation *o, int n, double mean) {
    int parts = n / PART < PARTS ? n / PART : PARTS;
    if (parts < 1) parts = 1;
    double means[PARTS] = {0};
    double middle = 0;
    for (int i = 0; parts > 1 && i < parts; i++) {
        means[i] = mean_without(o, n, part_start(n, i, parts), part_start(n, i + 1, parts));
        middle += means[i] / parts;
    }
    double squares = 0;
    for (int i = 0; i < parts; i++) squares += (means[i] - middle) * (means[i] - middle);
    double weights = 0;
    for (int i = 0; i < n; i++) weights += weight(&o[i], mean);
    double from_edges = (parts < PARTS ? FEW : 1) / sqrt(weights);
    return greater_of(sqrt(squares * (parts - 1) / parts), from_edges);
}

static int says_lens(const endo_mosaic_edge *edge) {
    return edge_says_lens(edge) && !edge->doubtful;
}

/* What an edge says of a hollow scene; 0: nothing, as it does not move or knows no perspective. */
static int observe_hollow(const endo_mosaic_edge *edge, mosaic_size size, observation *out) {
    const double *g = edge->perspective;
    double half = greater_of(size.width, size.height) / 2.0;
    double middle[2] = {(size.width - 1) / 2.0, (size.height - 1) / 2.0};
    double d[2];
    if (!edge_says_perspective(edge)) return 0;
    d[0] = pose_x(&edge->transform, middle[0], middle[1]) - middle[0];
    d[1] = pose_y(&edge->transform, middle[0], middle[1]) - middle[1];
    double square = d[0] * d[0] + d[1] * d[1];
    if (!(square > 0)) return 0;
    out->value = half * half * (d[0] * g[0] + d[1] * g[1]) / (2 * square);
    out->deviation = half * half * edge->perspective_deviation / (2 * sqrt(square));
    return 1;
}

static void estimate(const endo_mosaic_edge *const *edges, int n, mosaic_size size, observation *o, lens_estimate *out) {
    int n_hollow = 0;
    for (int i = 0; i < n; i++) o[i] = (observation){edges[i]->lens, edges[i]->lens_deviation};
    out->lambda = mean_without(o, n, 0, 0);
    out->deviation = length_of(deviation_of(o, n, out->lambda), MODEL * out->lambda);
    for (int i = 0; i < n; i++) n_hollow += observe_hollow(edges[i], size, &o[n_hollow]);
    if (n_hollow < LEAST) return;
    out->hollow = mean_without(o, n_hollow, 0, 0);
    out->hollow_deviation = deviation_of(o, n_hollow, out->hollow);
}

endo_status lens_estimate_of(const mosaic_edges *edges, mosaic_size size, lens_estimate *out) {
    const endo_mosaic_edge **seen;
    int n;
    ENDO_TRY(edges_in_sequence(edges, says_lens, &seen, &n));
    *out = (lens_estimate){.lambda = NAN, .deviation = NAN, .hollow = NAN, .hollow_deviation = NAN};
    observation *o = endo_alloc((size_t)n + 1, sizeof *o);
    if (o && n >= LEAST) estimate(seen, n, size, o, out);
    endo_free(seen);
    endo_free(o);
    return o ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for what %d pairs say of the lens", n);
}

int lens_is_seen(const lens_estimate *lens) {
    return fabs(lens->lambda) > SMALLEST && fabs(lens->lambda) > SURE * lens->deviation;
}

/* Nearer to what a lens or to what a hollow scene would show; a lens must also be sure to be no hollow. */
lens_finding lens_find(const lens_estimate *lens) {
    double from_hollow = fabs(lens->hollow - lens->lambda);
    double half = fabs(lens->lambda) / 2;
    if (!lens_is_seen(lens)) return LENS_NONE;
    if (fabs(lens->hollow) <= half && from_hollow > SURE * lens->hollow_deviation) return LENS_SEEN;
    if (from_hollow <= half) return LENS_HOLLOW;
    return LENS_TORN;
}

/* The range of the option `lens`. */
static double within_range(double percent) {
    return greater_of(-MOST_PERCENT, lesser_of(MOST_PERCENT, percent));
}

double lens_to_take(const lens_estimate *lens, double taken) {
    int is_sure = lens_find(lens) == LENS_SEEN && fabs(lens->lambda) > SURE_TO_TAKE * lens->deviation;
    return is_sure ? within_range(taken + rint(1000 * lens->lambda) / 10) - taken : 0;
}

/* A lens that was corrected widens deviations, too, for its number is never exact. */
int lens_widens(const lens_estimate *lens, double taken) {
    return lens_is_seen(lens) || (taken != 0 && !isnan(lens->lambda));
}

void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size) {
    lens_finding found = lens_find(lens);
    if (size > 0) out[0] = 0;
    if (found == LENS_NONE || found == LENS_HOLLOW) return;
    double all = within_range(taken + 100 * lens->lambda);
    snprintf(out, size, "lens distortion of %.1f %% (+- %.1f)%s: lens=%.1f corrects it%s", 100 * lens->lambda,
             100 * lens->deviation, taken == 0 ? "" : " is left", all,
             found == LENS_TORN ? "; or the scene is not flat, or the scope turned: compare panoramas with and without" : "");
}
