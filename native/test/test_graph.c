/* Pose graphs against mathematics: derivatives, exact graphs, known errors, contradictions, and a dense inverse.
 *
 *   test_graph [FRAMES]: also times a sequence of so many frames that comes back to where it was. */
#include "../api/testing.h"
#include "../base/status.h"
#include "../include/endorama.h"
#include "../systems/graph.h"
#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 320, HEIGHT = 240 };

static endo_context *make_context(int threads) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = threads;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    return context;
}

/* Normal, by twelve uniform ones. */
static double normal(test_random *r) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += test_unit(r);
    return sum;
}

/* A place moved by numbers of this deviation, in px. */
static void disturb(const graph_frame *f, double deviation, test_random *r, double place[6]) {
    double step[GRAPH_MOST] = {0};
    for (int k = 0; k < f->numbers; k++) step[k] = deviation * normal(r);
    graph_move(f, step, place);
}

static void identity(double place[6]) {
    static const double still[6] = {1, 0, 0, 0, 1, 0};
    memcpy(place, still, sizeof still);
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

/* ------------------------------------------------------------------- terms */

/* Steps of single numbers change the sum of squares as the right side says. */
static void test_derivatives(void) {
    test_random r = {1};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        graph_frame f = graph_frame_of(WIDTH, HEIGHT, (endo_transform_class)kind);
        double places[2][6], pair[6];
        identity(places[0]), identity(places[1]), identity(pair);
        disturb(&f, 20, &r, places[0]), disturb(&f, 20, &r, places[1]), disturb(&f, 20, &r, pair);
        endo_graph_pair p = {0, 1, endo_transform_make((endo_transform_class)kind, pair), 1.7};
        graph_term term, moved[2];
        graph_term_of(&f, &p, places[0], places[1], 1, &term);
        for (int which = 0; which < 2; which++)
            for (int k = 0; k < f.numbers; k++) {
                for (int side = 0; side < 2; side++) {
                    double step[GRAPH_MOST] = {0}, place[6];
                    step[k] = side ? 1e-4 : -1e-4;
                    memcpy(place, places[which], sizeof place);
                    graph_move(&f, step, place);
                    graph_term_of(&f, &p, which ? places[0] : place, which ? place : places[1], 0, &moved[side]);
                }
                /* numbers * contradiction^2 is the sum whose half derivative is minus the right side. */
                double slope = f.numbers * (moved[1].contradiction * moved[1].contradiction -
                                            moved[0].contradiction * moved[0].contradiction) / 2e-4;
                CHECK(fabs(slope / 2 + term.right[which][k]) < 1e-3 * (1 + fabs(slope)));
            }
    }
}

/* What a pair of translated frames pulls at its current frame, by Cauchy's function, (dx, dy) from where it is. */
static void pull(const graph_frame *f, const endo_graph_pair *pair, double dx, double dy, double wide, graph_term *term) {
    double reference[6], current[6];
    identity(reference);
    identity(current);
    current[2] = dx, current[5] = dy;
    graph_term_of(f, pair, reference, current, 1, term);
    double ratio = term->contradiction / wide;
    term->weight = 1 / (1 + ratio * ratio);
}

/* Translations are linear: the second derivative is the whole change of the pull; where the pull grows less and less. */
static void test_bend(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_TRANSLATION);
    const double step = 1e-4, wide = 3;
    for (int i = 1; i < 6; i++) {
        const double m[6] = {1, 0, 0.1 * i, 0, 1, -0.2 * i};
        endo_graph_pair pair = {0, 1, endo_transform_make(ENDO_TRANSFORM_TRANSLATION, m), 0.4};
        graph_term here, more;
        for (int k = 0; k < 2; k++) {
            pull(&f, &pair, k ? 0 : step, k ? step : 0, wide, &more);
            pull(&f, &pair, 0, 0, wide, &here);
            graph_term_bend(&f, wide, &here);
            for (int r = 0; r < 2; r++) {
                double change = (here.weight * here.right[1][r] - more.weight * more.right[1][r]) / step;
                CHECK_NEAR(here.weight * here.blocks[2][2 * r + k], change, 2e-3 * fabs(here.blocks[2][0]) + 1e-3);
                CHECK_NEAR(here.blocks[1][2 * r + k], -here.blocks[2][2 * r + k], 1e-9);
                CHECK_NEAR(here.blocks[0][2 * r + k], here.blocks[2][2 * r + k], 1e-9);
            }
        }
    }
    const double far[6] = {1, 0, 300, 0, 1, 0};
    endo_graph_pair pair = {0, 1, endo_transform_make(ENDO_TRANSFORM_TRANSLATION, far), 0.4};
    graph_term term;
    pull(&f, &pair, 0, 0, wide, &term);
    double before = term.blocks[2][0];
    graph_term_bend(&f, wide, &term);
    CHECK_NEAR(term.blocks[2][0], 0.1 * before, 1e-6 * before);
}

static void test_frame(void) {
    graph_frame f = graph_frame_of(7, 4, ENDO_TRANSFORM_AFFINE);
    double xx = 0, yy = 0, x = 0, y = 0;
    for (int k = 0; k < GRAPH_POINTS; k++) {
        x += f.points[k][0] / 4, y += f.points[k][1] / 4;
        xx += (f.points[k][0] - 3) * (f.points[k][0] - 3) / 4, yy += (f.points[k][1] - 1.5) * (f.points[k][1] - 1.5) / 4;
    }
    CHECK(fabs(x - 3) < 1e-12 && fabs(y - 1.5) < 1e-12);
    CHECK(fabs(xx - 49 / 12.0) < 1e-12 && fabs(yy - 16 / 12.0) < 1e-12);
}

/* ------------------------------------------------------------------ graphs */

typedef struct graph {
    int n, n_pairs;
    double (*truth)[6];
    endo_graph_pair *pairs;
    endo_transform *places;
    double *deviations, *weights;
    graph_frame frame;
} graph;

static graph graph_make(int n, int most_pairs, endo_transform_class kind) {
    graph g = {n, 0, calloc((size_t)n, sizeof *g.truth), calloc((size_t)most_pairs, sizeof *g.pairs),
               calloc((size_t)n, sizeof *g.places), calloc((size_t)n, sizeof *g.deviations),
               calloc((size_t)most_pairs, sizeof *g.weights), graph_frame_of(WIDTH, HEIGHT, kind)};
    return g;
}

static void graph_free(graph *g) {
    free(g->truth), free(g->pairs), free(g->places), free(g->deviations), free(g->weights);
}

/* On a lying eight, that many rounds of it, turning a little: frames meet where it crosses and in every round. */
static void graph_path(graph *g, int rounds, double size) {
    for (int i = 0; i < g->n; i++) {
        double t = 2 * acos(-1.0) * rounds * i / g->n, turn = 0.2 * sin(t), scale = 1 + 0.1 * sin(2 * t);
        if (g->frame.kind < ENDO_TRANSFORM_SIMILARITY) scale = 1;
        if (g->frame.kind < ENDO_TRANSFORM_RIGID) turn = 0;
        double *p = g->truth[i];
        p[0] = p[4] = scale * cos(turn), p[1] = -scale * sin(turn), p[3] = -p[1];
        p[2] = size * sin(t), p[5] = size * sin(2 * t) / 2;
    }
}

static void graph_connect(graph *g, int reference, int current, double deviation, test_random *r) {
    endo_transform a = endo_transform_make(g->frame.kind, g->truth[reference]);
    endo_transform b = endo_transform_make(g->frame.kind, g->truth[current]), back, t;
    CHECK(endo_transform_inverse(&a, &back) && endo_transform_product(&b, &back, &t));
    disturb(&g->frame, deviation, r, t.matrix);
    t.kind = g->frame.kind;
    /* What disturb's numbers amount to, root mean square over the frame and both axes: a shift moves one axis, turn and
     * scale both, and of the four others of an affine map two together as much as a turn. */
    double both = g->frame.kind == ENDO_TRANSFORM_AFFINE ? 4 : g->frame.numbers;
    g->pairs[g->n_pairs++] = (endo_graph_pair){reference, current, t, deviation * sqrt(both / 2)};
}

/* Where the pairs of neighbours lead. */
static void graph_chain(graph *g) {
    g->places[0] = endo_transform_make(g->frame.kind, g->truth[0]);
    for (int i = 0; i < g->n_pairs; i++) {
        const endo_graph_pair *p = &g->pairs[i];
        if (p->current == p->reference + 1)
            CHECK(endo_transform_product(&p->transform, &g->places[p->reference], &g->places[p->current]));
    }
}

/* Mean square error, against the truth and against what is expected of it. */
static double graph_error(const graph *g, double *normalised) {
    double sum = 0, own = 0;
    for (int i = 1; i < g->n; i++) {
        double e = apart(&g->frame, g->places[i].matrix, g->truth[i]);
        sum += e * e;
        own += e * e / (g->deviations[i] * g->deviations[i]);
    }
    if (normalised) *normalised = sqrt(own / (g->n - 1));
    return sqrt(sum / (g->n - 1));
}

static endo_status graph_solve(graph *g, endo_context *context, double robust, endo_graph_report *report) {
    endo_graph_options options = endo_graph_options_default();
    options.transform = g->frame.kind;
    options.robust = robust;
    return endo_graph_solve(context, WIDTH, HEIGHT, g->pairs, (size_t)g->n_pairs, &options, g->places, (size_t)g->n,
                            g->deviations, g->weights, report);
}

/* Without errors the truth comes out, from any beginning near it. */
static void test_exact(endo_context *context) {
    test_random r = {2};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        graph g = graph_make(40, 300, (endo_transform_class)kind);
        endo_graph_report report;
        graph_path(&g, 1, 200);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) graph_connect(&g, i - k, i, 0, &r);
        for (int i = 0; i < g.n_pairs; i++) g.pairs[i].deviation = 0.3;
        for (int i = 0; i < g.n; i++) {
            g.places[i] = endo_transform_make(g.frame.kind, g.truth[i]);
            if (i) disturb(&g.frame, 5, &r, g.places[i].matrix);
        }
        CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
        CHECK(graph_error(&g, NULL) < 1e-6 && report.settled && report.parts == 1 && report.doubtful == 0);
        CHECK(report.before > 1 && report.after < 1e-6);
        CHECK(g.deviations[0] == 0 && memcmp(g.places[0].matrix, g.truth[0], sizeof g.truth[0]) == 0);
        for (int i = 0; i < g.n; i++) CHECK(endo_transform_check(&g.places[i]) == ENDO_OK && g.places[i].kind == kind);
        graph_free(&g);
    }
}

/* Errors of a known size: loops take most of the drift away, the deviations tell how much is left, nothing shrinks. */
static void test_errors(endo_context *context) {
    test_random r = {3};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        double chained = 0, solved = 0, normalised = 0, scale = 0;
        for (int run = 0; run < 12; run++) {
            graph g = graph_make(120, 2000, (endo_transform_class)kind);
            endo_graph_report report;
            double own = 0;
            graph_path(&g, 2, 300);
            for (int i = 1; i < g.n; i++) graph_connect(&g, i - 1, i, 0.3, &r);
            for (int i = 60; i < g.n; i += 3) graph_connect(&g, i - 60, i, 0.3, &r);
            graph_chain(&g);
            chained += graph_error(&g, NULL) / 12;
            CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.settled && report.iterations < 10);
            solved += graph_error(&g, &own) / 12;
            normalised += own / 12;
            for (int i = 0; i < g.n; i++) {
                const double *m = g.places[i].matrix, *t = g.truth[i];
                scale += log((m[0] * m[4] - m[1] * m[3]) / (t[0] * t[4] - t[1] * t[3])) / (12.0 * g.n);
            }
            CHECK(report.after < 1.2 && report.doubtful < g.n_pairs / 20);
            graph_free(&g);
        }
        printf("class %d: error %.3f px chained, %.3f solved, %.2f of what was expected, log area %.1e\n", kind, chained,
               solved, normalised, scale);
        CHECK(solved < 0.6 * chained);
        CHECK(normalised > 0.75 && normalised < 1.3);
        CHECK(fabs(scale) < 0.01);
    }
}

/* Pairs that say something else altogether hardly count. */
static void test_contradictions(endo_context *context) {
    test_random r = {4};
    graph g = graph_make(100, 2000, ENDO_TRANSFORM_SIMILARITY);
    endo_graph_report report;
    graph_path(&g, 2, 300);
    for (int i = 1; i < g.n; i++) graph_connect(&g, i - 1, i, 0.2, &r);
    for (int i = 50; i < g.n; i++) graph_connect(&g, i - 50, i, 0.2, &r);
    int first = g.n_pairs;
    for (int i = 0; i < 12; i++) {
        graph_connect(&g, 3 * i, 99 - 4 * i, 0.2, &r);
        disturb(&g.frame, 60, &r, g.pairs[g.n_pairs - 1].transform.matrix);
    }
    graph_chain(&g);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    double robust = graph_error(&g, NULL);
    for (int i = 0; i < g.n_pairs; i++) CHECK(i < first ? g.weights[i] > 0.3 : g.weights[i] < 0.05);
    CHECK(report.doubtful >= 12 && report.doubtful < 20);
    graph_chain(&g);
    CHECK(graph_solve(&g, context, 0, &report) == ENDO_OK && report.doubtful == 0);
    double plain = graph_error(&g, NULL);
    printf("with contradictions: error %.3f px, all alike %.3f\n", robust, plain);
    CHECK(robust < 1 && plain > 5 * robust);
    graph_free(&g);
}

/* A part that nothing connects keeps its first frame, and no place is known relative to the fixed one. */
static void test_parts(endo_context *context) {
    test_random r = {5};
    graph g = graph_make(9, 50, ENDO_TRANSFORM_RIGID);
    endo_graph_report report;
    graph_path(&g, 1, 100);
    for (int i = 1; i < 9; i++)
        if (i != 4 && i != 8) graph_connect(&g, i - 1, i, 0.1, &r);
    for (int i = 0; i < 9; i++) {
        g.places[i] = endo_transform_make(g.frame.kind, g.truth[i]);
        if (i != 0 && i != 4 && i != 8) disturb(&g.frame, 3, &r, g.places[i].matrix);
    }
    endo_transform before[9];
    memcpy(before, g.places, sizeof before);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.parts == 3);
    for (int i = 0; i < 9; i++) {
        int held = i == 0 || i == 4 || i == 8;
        CHECK((memcmp(&before[i], &g.places[i], sizeof before[i]) == 0) == held);
        CHECK(i < 4 ? g.deviations[i] >= 0 : isnan(g.deviations[i]));
    }
    g.n_pairs = 0;
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.parts == 9 && report.settled);
    graph_free(&g);
}

/* Of a chain the variance is the sum; two ways to a frame halve it. */
static void test_deviations(endo_context *context) {
    test_random r = {6};
    graph g = graph_make(10, 50, ENDO_TRANSFORM_TRANSLATION);
    endo_graph_report report;
    for (int i = 0; i < 10; i++) identity(g.truth[i]), g.truth[i][2] = 30 * i;
    for (int i = 1; i < 10; i++) graph_connect(&g, i - 1, i, 0, &r);
    for (int i = 0; i < g.n_pairs; i++) g.pairs[i].deviation = 0.5;
    graph_chain(&g);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    for (int i = 0; i < 10; i++) CHECK(fabs(g.deviations[i] - 0.5 * sqrt(i)) < 1e-9);
    graph_connect(&g, 0, 9, 0, &r);
    g.pairs[g.n_pairs - 1].deviation = 1.5; /* as the chain: 0.5 sqrt(9) */
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    CHECK(fabs(g.deviations[9] - 1.5 / sqrt(2.0)) < 1e-9);
    graph_free(&g);
}

/* Deviations are of a frame's px: the same however the panorama is turned and scaled. */
static void test_panorama(endo_context *context) {
    const double turned[6] = {1.6, -1.2, 50, 1.2, 1.6, -7}; /* by 37 degrees, twice the size */
    const endo_transform whole = endo_transform_make(ENDO_TRANSFORM_SIMILARITY, turned);
    for (int kind = ENDO_TRANSFORM_SIMILARITY; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        test_random r = {11};
        graph g = graph_make(60, 600, (endo_transform_class)kind);
        double plain[60];
        graph_path(&g, 2, 200);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) graph_connect(&g, i - k, i, 0.2, &r);
        graph_chain(&g);
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        memcpy(plain, g.deviations, sizeof plain);
        for (int i = 0; i < g.n; i++) CHECK(endo_transform_product(&g.places[i], &whole, &g.places[i]));
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        for (int i = 0; i < g.n; i++) CHECK(fabs(g.deviations[i] - plain[i]) < 1e-6);
        graph_free(&g);
    }
}

static void test_threads(endo_context *context) {
    endo_context *three = make_context(3);
    endo_transform kept[150];
    for (int pass = 0; pass < 2; pass++) {
        test_random r = {7};
        graph g = graph_make(150, 3000, ENDO_TRANSFORM_AFFINE);
        graph_path(&g, 2, 300);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 8 && k <= i; k++) graph_connect(&g, i - k, i, 0.3, &r);
        graph_chain(&g);
        CHECK(graph_solve(&g, pass ? three : context, 3, NULL) == ENDO_OK);
        if (pass) CHECK(memcmp(kept, g.places, sizeof kept) == 0);
        memcpy(kept, g.places, sizeof kept);
        graph_free(&g);
    }
    endo_context_destroy(&three);
}

/* --------------------------------------------------------------- bad input */

static void refuses(endo_context *context, const endo_graph_pair *pair, const endo_graph_options *o, int width,
                    const char *message) {
    endo_transform places[2] = {endo_transform_identity(), endo_transform_identity()};
    double deviations[2] = {7, 7};
    CHECK(endo_graph_solve(context, width, 10, pair, 1, o, places, 2, deviations, NULL, NULL) != ENDO_OK);
    CHECK(strstr(endo_last_error(), message) != NULL);
    CHECK(deviations[0] == 7 && deviations[1] == 7 && places[1].matrix[2] == 0);
}

static int stop(void *user) { return ++*(int *)user > 1; }

static void test_refused(endo_context *context) {
    endo_graph_options o = endo_graph_options_default();
    const endo_graph_pair good = {0, 1, endo_transform_identity(), 1};
    endo_graph_pair p = good;
    p.current = 2, refuses(context, &p, &o, 10, "pair 0: frame 2: must be 0..1");
    p = good, p.current = 0, refuses(context, &p, &o, 10, "frame 0 twice");
    p = good, p.deviation = 0, refuses(context, &p, &o, 10, "deviation 0 px");
    p = good, p.deviation = NAN, refuses(context, &p, &o, 10, "deviation nan px");
    p = good, p.transform.kind = 3, p.transform.matrix[0] = 0, refuses(context, &p, &o, 10, "cannot be inverted");
    p = good, p.transform.kind = ENDO_TRANSFORM_HOMOGRAPHY, refuses(context, &p, &o, 10, "homography");
    refuses(context, &good, &o, 0, "sides must be");
    o.fixed = 2, refuses(context, &good, &o, 10, "fixed 2: must be 0..1");
    o = endo_graph_options_default(), o.robust = -1, refuses(context, &good, &o, 10, "robust -1");
    o = endo_graph_options_default(), o.iterations = 0, refuses(context, &good, &o, 10, "iterations 0");
    o = endo_graph_options_default(), o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    refuses(context, &good, &o, 10, "homography");
}

static void test_cancelled(endo_context *context) {
    test_random r = {8};
    graph g = graph_make(20, 100, ENDO_TRANSFORM_AFFINE);
    int asked = 0;
    graph_path(&g, 1, 100);
    for (int i = 1; i < g.n; i++) graph_connect(&g, i - 1, i, 0.3, &r);
    for (int i = 2; i < g.n; i++) graph_connect(&g, i - 2, i, 0.3, &r);
    graph_chain(&g);
    double before = graph_error(&g, NULL);
    endo_context_set_cancel(context, stop, &asked);
    CHECK(graph_solve(&g, context, 3, NULL) == ENDO_CANCELLED && asked == 2);
    endo_context_set_cancel(context, NULL, NULL);
    CHECK(graph_error(&g, NULL) == before && g.deviations[3] == 0);
    graph_free(&g);
}

/* -------------------------------------------------------------------- time */

static void time_long(endo_context *context, int n) {
    test_random r = {9};
    graph g = graph_make(n, 11 * n, ENDO_TRANSFORM_AFFINE);
    endo_graph_report report;
    struct timespec start, end;
    int rounds = n / 500 + 1;
    graph_path(&g, rounds, 1500);
    for (int i = 1; i < n; i++)
        for (int k = 1; k <= 5 && k <= i; k++) graph_connect(&g, i - k, i, 0.2, &r);
    for (int i = n / rounds; i < n; i++) /* of every round before, but the last ones */
        for (int k = 1; k <= 5 && i - k * (n / rounds) >= 0; k++) graph_connect(&g, i - k * (n / rounds), i, 0.2, &r);
    graph_chain(&g);
    double chained = graph_error(&g, NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%d frames, %d pairs: %.2f s, %d iterations, error %.3f px chained, %.3f solved\n", n, g.n_pairs,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec), report.iterations, chained,
           graph_error(&g, NULL));
    graph_free(&g);
}

int main(int argc, char **argv) {
    endo_context *context = make_context(1);
    test_frame();
    test_derivatives();
    test_bend();
    test_exact(context);
    test_errors(context);
    test_contradictions(context);
    test_parts(context);
    test_deviations(context);
    test_panorama(context);
    test_threads(context);
    test_refused(context);
    test_cancelled(context);
    endo_context_destroy(&context);
    if (argc > 1) {
        context = make_context(2);
        time_long(context, atoi(argv[1]));
        endo_context_destroy(&context);
    }
    return check_summary("test_graph");
}
