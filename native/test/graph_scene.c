#include "graph_scene.h"

#include "../base/transform.h"

#include <math.h>
#include <stdlib.h>

/* Places of a scene can always be multiplied and inverted. */
static void must(int done) {
    if (!done) abort();
}

/* Normal, by twelve uniform ones. */
static double normal(test_random *r) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += test_unit(r);
    return sum;
}

void graph_scene_disturb(const graph_frame *f, double deviation, test_random *r, double place[6]) {
    double step[GRAPH_MOST] = {0};
    for (int k = 0; k < f->numbers; k++) step[k] = deviation * normal(r);
    graph_move(f, step, place);
}

/* Root mean square distance of where two places take the frame, both axes. */
static double apart(const graph_frame *f, const double a[6], const double b[6]) {
    double sum = 0;
    for (int k = 0; k < GRAPH_POINTS; k++) {
        double p[2], q[2];
        endo_affine_apply(a, f->points[k][0], f->points[k][1], &p[0], &p[1]);
        endo_affine_apply(b, f->points[k][0], f->points[k][1], &q[0], &q[1]);
        sum += (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
    }
    return sqrt(sum / (2 * GRAPH_POINTS));
}

graph_scene graph_scene_make(int n, int most_pairs, endo_transform_class kind) {
    graph_scene g = {.n = n, .frame = graph_frame_of(GRAPH_SCENE_WIDTH, GRAPH_SCENE_HEIGHT, kind)};
    g.truth = calloc((size_t)n, sizeof *g.truth);
    g.pairs = calloc((size_t)most_pairs, sizeof *g.pairs);
    g.places = calloc((size_t)n, sizeof *g.places);
    g.deviations = calloc((size_t)n, sizeof *g.deviations);
    g.weights = calloc((size_t)most_pairs, sizeof *g.weights);
    return g;
}

void graph_scene_free(graph_scene *g) {
    free(g->truth);
    free(g->pairs);
    free(g->places);
    free(g->deviations);
    free(g->weights);
}

void graph_scene_path(graph_scene *g, int rounds, double size) {
    for (int i = 0; i < g->n; i++) {
        double t = 2 * acos(-1.0) * rounds * i / g->n;
        double turn = g->frame.kind < ENDO_TRANSFORM_RIGID ? 0 : 0.2 * sin(t);
        double scale = g->frame.kind < ENDO_TRANSFORM_SIMILARITY ? 1 : 1 + 0.1 * sin(2 * t);
        double *p = g->truth[i];
        p[0] = p[4] = scale * cos(turn);
        p[1] = -scale * sin(turn);
        p[3] = -p[1];
        p[2] = size * sin(t);
        p[5] = size * sin(2 * t) / 2;
    }
}

void graph_scene_connect(graph_scene *g, int reference, int current, double deviation, test_random *r) {
    endo_transform a = endo_transform_make(g->frame.kind, g->truth[reference]);
    endo_transform b = endo_transform_make(g->frame.kind, g->truth[current]), back, t;
    must(endo_transform_inverse(&a, &back) && endo_transform_product(&b, &back, &t));
    graph_scene_disturb(&g->frame, deviation, r, t.matrix);
    t.kind = g->frame.kind;
    /* What those numbers amount to, root mean square over the frame and both axes: a shift moves one axis, turn and
     * scale both, and of the four others of an affine map two together as much as a turn. */
    double both = g->frame.kind == ENDO_TRANSFORM_AFFINE ? 4 : g->frame.numbers;
    g->pairs[g->n_pairs++] = (endo_graph_pair){reference, current, t, deviation * sqrt(both / 2)};
}

void graph_scene_chain(graph_scene *g) {
    g->places[0] = endo_transform_make(g->frame.kind, g->truth[0]);
    for (int i = 0; i < g->n_pairs; i++) {
        const endo_graph_pair *p = &g->pairs[i];
        if (p->current == p->reference + 1)
            must(endo_transform_product(&p->transform, &g->places[p->reference], &g->places[p->current]));
    }
}

double graph_scene_error(const graph_scene *g, double *normalised) {
    double sum = 0, own = 0;
    for (int i = 1; i < g->n; i++) {
        double e = apart(&g->frame, g->places[i].matrix, g->truth[i]);
        sum += e * e;
        own += e * e / (g->deviations[i] * g->deviations[i]);
    }
    if (normalised) *normalised = sqrt(own / (g->n - 1));
    return sqrt(sum / (g->n - 1));
}
