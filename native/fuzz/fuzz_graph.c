/* Pose graphs: few frames, pairs between any of them, some of which contradict each other or cannot be. */
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 24
#define PAIRS 60

typedef struct fuzzed_graph {
    endo_graph_pair pairs[PAIRS];
    endo_transform places[FRAMES];
    int n, n_pairs, width, height;
} fuzzed_graph;

/* Seen at a slant, as frames of that size are: mostly in front. */
static endo_transform slanted(fuzz_input *in, int size, endo_transform t) {
    t.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    t.matrix[6] = fuzz_real(in, -0.7, 0.7) / size, t.matrix[7] = fuzz_real(in, -0.7, 0.7) / size;
    return t;
}

static void make_graph(fuzz_input *in, fuzzed_graph *g) {
    int size = fuzz_between(in, 1, 300), sane = !fuzz_one_in(in, 8), slants = fuzz_one_in(in, 2);
    memset(g, 0, sizeof *g);
    g->width = sane ? size : fuzz_wild(in, 1, 2000), g->height = sane ? size : fuzz_wild(in, 1, 2000);
    g->n = fuzz_between(in, 1, FRAMES), g->n_pairs = fuzz_between(in, 0, PAIRS);
    for (int i = 0; i < g->n; i++) g->places[i] = sane ? endo_transform_identity() : fuzz_transform(in, size);
    for (int i = 0; i < g->n_pairs; i++) {
        endo_graph_pair *p = &g->pairs[i];
        p->reference = fuzz_between(in, 0, g->n - 1);
        p->current = sane && g->n > 1 ? (p->reference + fuzz_between(in, 1, g->n - 1)) % g->n : fuzz_wild(in, 0, g->n - 1);
        p->transform = fuzz_transform(in, size);
        if (sane && !isfinite(p->transform.matrix[2])) p->transform = endo_transform_identity();
        if (slants && i % 2) p->transform = slanted(in, size, p->transform);
        p->deviation = sane ? 0.1 + fuzz_between(in, 0, 50) / 10.0 : fuzz_real(in, 0.01, 10);
    }
}

static int in_front(const fuzzed_graph *g, const double m[9]) {
    double x = m[6] * (g->width - 1), y = m[7] * (g->height - 1);
    return m[8] == 1 && 1 + x > 0 && 1 + y > 0 && 1 + x + y > 0;
}

static void check_solution(const fuzzed_graph *g, const double *deviations, const double *weights,
                           const endo_graph_report *report) {
    for (int i = 0; i < g->n; i++) {
        fuzz_require(endo_transform_check(&g->places[i]) == ENDO_OK, "a place that is no transform");
        fuzz_require(in_front(g, g->places[i].matrix), "a place that its frame is not in front of");
        fuzz_require(!(deviations[i] < 0), "a deviation below 0");
    }
    for (int i = 0; i < g->n_pairs; i++) fuzz_require(weights[i] >= 0 && weights[i] <= 1, "a weight beyond 0..1");
    fuzz_require(report->components >= 1 && report->components <= g->n, "parts of a graph");
    fuzz_require(report->doubtful >= 0 && report->doubtful <= g->n_pairs, "more doubtful pairs than there are");
    fuzz_require(report->cut >= 0 && report->cut < g->n, "more places were cut than move");
}

void fuzz_graph(fuzz_session *s) {
    fuzz_input *in = &s->in;
    fuzzed_graph g, before;
    double *deviations = fuzz_output(FRAMES * sizeof *deviations), *weights = fuzz_output(PAIRS * sizeof *weights);
    endo_graph_options o = endo_graph_options_default();
    endo_graph_report report;
    make_graph(in, &g);
    before = g;
    o.transform = (endo_transform_class)fuzz_wild(in, 0, 4), o.fixed = fuzz_wild(in, 0, g.n - 1);
    o.iterations = fuzz_wild(in, 1, 12), o.robust = fuzz_real(in, 0, 6);
    if (o.iterations > 100) o.iterations = 0; /* many are slow, too many are refused */
    endo_status status = endo_graph_solve(s->context, &(endo_graph){.width = g.width, .height = g.height, .pairs = g.pairs,
                                          .n_pairs = (size_t)g.n_pairs, .poses = g.places, .n = (size_t)g.n,
                                          .deviations = deviations, .weights = weights}, &o, &report);
    fuzz_checked(status, deviations, FRAMES * sizeof *deviations, "endo_graph_solve");
    if (status == ENDO_OK)
        check_solution(&g, deviations, weights, &report);
    else
        fuzz_require(!memcmp(&g, &before, sizeof g), "a failure moved places");
    free(deviations);
    free(weights);
}
