/* Whether walls come nearer towards the rim of a frame, as in a cavity: what is nearer moves faster there than what the poses
 * say. In the small pictures that is a residual along the slope of the scene, in proportion to the way that it has moved on the
 * sensor. Patches of pairs tell it by far better (light_places.c), where they are known. Walls that are nearer make up for the
 * fall-off of a lamp. */
#include "light_vignetting.h"

#include <math.h>
#include <string.h>

/* Least of what is believed, as a share of its deviation: frames that tell nothing of walls do not deny them. */
#define DOUBT 0.04
/* Prior deviation of what walls are nearer where the frames show nothing of the fall-off that their overlaps tell of: wider than
 * that of cavities, some 0.1, so that what was found is believed there. */
#define NEARER 0.3
/* How much larger contradictions are than elsewhere when they are weighed down. */
#define WIDER 8

/* A node: weighted means over its samples. */
typedef struct depth_node {
    double weight, rest;
    double x, y;               /* position in the frames, px */
    double across, down;       /* slope of the logarithm, 1/px */
} depth_node;
_Static_assert(sizeof(depth_node) <= sizeof(double[VIGNETTING_ROW]), "nodes are seen into the memory of their sums");

/* Weighted sums of products of residuals and of motions along the slope, everywhere alike and in proportion to `square`. */
typedef struct depth_sums {
    double all, rim;
    double all_all, all_rim, rim_rim;
    double rest, weight; /* squares of the residuals; weights */
} depth_sums;

/* Weight of a sample: contradictions are weighed down as elsewhere, but from WIDER times as large ones on: those of
 * instruments, and not what walls contradict. */
static double weight_of(const vignetting_equations *f, size_t i) {
    double share = f->share[i];
    double square = sqrt(share / f->weight[i]) - 1; /* of the residual over the scale of the robust weights */
    double half = 1 / (1 + square / (WIDER * WIDER));
    return f->weight[i] > 0 ? share * half * half : 0;
}

static depth_node see_node(const endo_light *light, const endo_light_view *views, const vignetting_equations *f, size_t node) {
    depth_node d = {0, 0, 0, 0, 0, 0};
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
        size_t from = vignetting_sample(f, k);
        double w = weight_of(f, (size_t)f->samples[k]);
        double slope[2];
        light_samples_slope(light, &views[f->chosen[f->owner[k]]], f->s->x[from], f->s->y[from], slope);
        d.weight += w;
        d.rest += w * f->rest[f->samples[k]];
        d.x += w * f->s->x[from];
        d.y += w * f->s->y[from];
        d.across += w * slope[0];
        d.down += w * slope[1];
    }
    double share = d.weight > 0 ? 1 / d.weight : 0;
    return (depth_node){d.weight, d.rest * share, d.x * share, d.y * share, d.across * share, d.down * share};
}

/* square: of the distance from the field's middle over the field's reach. */
static void add_node(const vignetting_equations *f, size_t node, const depth_node *d, double square, depth_sums *sums) {
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
        size_t from = vignetting_sample(f, k);
        double w = weight_of(f, (size_t)f->samples[k]);
        double rest = f->rest[f->samples[k]] - d->rest;
        double all = d->across * (f->s->x[from] - d->x) + d->down * (f->s->y[from] - d->y);
        double rim = square * all;
        sums->all -= w * rest * all;
        sums->rim -= w * rest * rim;
        sums->all_all += w * all * all;
        sums->all_rim += w * all * rim;
        sums->rim_rim += w * rim * rim;
        sums->rest += w * rest * rest;
        sums->weight += w;
    }
}

static double lamp_at(const vignetting_equations *f, const double *numbers) {
    double sum = 0;
    for (int t = 0; t < LIGHT_TERMS; t++) sum += f->radial[t] * numbers[t];
    return sum;
}

/* How much of a lamp's fall-off the views show, on an average of what lies in them: by regression in each of them. */
static double find_shown(const vignetting_equations *f) {
    double products = 0;
    double squares = 0;
    for (size_t v = 0; v < f->views; v++) {
        double weight = 0;
        double lamp = 0;
        double value = 0;
        for (size_t i = f->first[v]; i < f->first[v + 1]; i++) {
            double at = lamp_at(f, f->row[i]);
            weight += f->share[i];
            lamp += f->share[i] * at;
            value += f->share[i] * f->row[i][VIGNETTING_VALUE];
            products += f->share[i] * at * f->row[i][VIGNETTING_VALUE];
            squares += f->share[i] * at * at;
        }
        products -= weight > 0 ? lamp * value / weight : 0;
        squares -= weight > 0 ? lamp * lamp / weight : 0;
    }
    return squares > 0 ? products / squares : 0;
}

/* Which part of the fall-off that overlaps tell of the views do not show, 0..1: what walls make up for, or the scene's own
 * shades. */
static double find_missing(const vignetting_equations *f) {
    double told = lamp_at(f, f->answer + VIGNETTING_LOCAL * f->views);
    return told > 0 ? fmin(fmax(1 - find_shown(f) / told, 0), 1) : 0;
}

/* What small pictures say. The motion of all of the frame is eliminated: it is the poses', and what interpolation of small
 * pictures does to slopes. */
static light_nearer see_nearer(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                               const vignetting_equations *f) {
    const light_nearer unknown = {0, INFINITY};
    depth_sums sums = {0, 0, 0, 0, 0, 0, 0};
    /* The sums of the nodes' rows are not needed any more. */
#pragma omp parallel for num_threads(f->s->threads) schedule(static) if (f->n > 10000)
    for (size_t n = 0; n < f->nodes; n++) {
        depth_node seen = see_node(light, views, f, n);
        memcpy(f->node_row[n], &seen, sizeof seen);
    }
    for (size_t n = 0; n < f->nodes; n++) {
        depth_node d;
        memcpy(&d, f->node_row[n], sizeof d);
        double square = pow((d.x - surface->x) / surface->reach, 2) + pow((d.y - surface->y) / surface->reach, 2);
        add_node(f, n, &d, square, &sums);
    }
    if (!(sums.all_all > 0)) return unknown;
    double square = sums.rim_rim - sums.all_rim * sums.all_rim / sums.all_all;
    if (!(square > 1e-9 * sums.rim_rim)) return unknown;
    double nearer = (sums.rim - sums.all * sums.all_rim / sums.all_all) / square;
    return (light_nearer){nearer, f->s->alike * sums.rest / sums.weight / square};
}

/* The mean of two observations. */
static light_nearer put_together(const light_nearer *a, const light_nearer *b) {
    double sum = a->variance + b->variance;
    if (isinf(b->variance) || !(sum > 0)) return *a;
    if (isinf(a->variance)) return *b;
    return (light_nearer){(a->share * b->variance + b->share * a->variance) / sum, a->variance * b->variance / sum};
}

/* What is beforehand believed of the motion at the rim is that its variance is the square of what was found; or, where the
 * views do not show the fall-off, that walls are nearer. */
double light_depth_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                        const vignetting_equations *f) {
    light_nearer pictures = see_nearer(light, surface, views, f);
    light_nearer pairs = light_nearer_of_pairs(light, surface);
    light_nearer both = put_together(&pictures, &pairs);
    double nearer = both.share;
    double variance = both.variance;
    if (isinf(variance)) return 0;
    double missing = find_missing(f);
    double usual = pow(NEARER * missing * missing, 2); /* a little may be missing by the scene's shades alone */
    double likely = variance > 0 ? nearer * usual / (usual + variance) : nearer;
    return fmax(fmax(nearer > 0 ? nearer - variance / nearer : 0, likely), DOUBT * sqrt(variance));
}
