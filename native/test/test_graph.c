/* Pose graphs against mathematics: exact graphs, known errors, contradictions, parts, deviations; and what is refused. */
#include "include/endorama.h"
#include "systems/graph/graph.h"
#include "check.h"
#include "graph_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = GRAPH_SCENE_WIDTH, HEIGHT = GRAPH_SCENE_HEIGHT };

static const double STILL[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static endo_status graph_solve(graph_scene *g, endo_context *context, double robust, endo_graph_report *report) {
    endo_graph_options options = endo_graph_options_default();
    options.transform = g->frame.kind;
    options.robust = robust;
    return endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g->pairs,
                            .n_pairs = (size_t)g->n_pairs, .poses = g->poses, .n = (size_t)g->n,
                            .deviations = g->deviations, .weights = g->weights}, &options, report);
}

/* Without errors the truth comes out, from any beginning near it. */
static void test_exact(endo_context *context) {
    test_random r = {2};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        graph_scene g = graph_scene_make(40, 300, (endo_transform_class)kind);
        endo_graph_report report;
        graph_scene_path(&g, 1, 200);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0, &r);
        for (int i = 0; i < g.n_pairs; i++) g.pairs[i].deviation = 0.3;
        for (int i = 0; i < g.n; i++) {
            g.poses[i] = graph_scene_pose(&g.frame, g.truth[i]);
            if (i) graph_scene_disturb(&g.frame, 5, &r, g.poses[i].matrix);
        }
        CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
        CHECK(graph_scene_error(&g, NULL) < 1e-6 && report.settled && report.components == 1 && report.doubtful == 0);
        CHECK(report.before > 1 && report.after < 1e-6);
        CHECK(g.deviations[0] == 0 && memcmp(g.poses[0].matrix, g.truth[0], sizeof g.truth[0]) == 0);
        for (int i = 0; i < g.n; i++) CHECK(endo_transform_check(&g.poses[i]) == ENDO_OK && g.poses[i].kind == kind);
        graph_scene_free(&g);
    }
}

/* Errors of a known size: loops take most of the drift away, the deviations tell how much is left, nothing shrinks. */
static void test_errors(endo_context *context) {
    test_random r = {3};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        double chained = 0, solved = 0, normalised = 0, scale = 0;
        for (int run = 0; run < 12; run++) {
            graph_scene g = graph_scene_make(120, 2000, (endo_transform_class)kind);
            endo_graph_report report;
            double own = 0;
            graph_scene_path(&g, 2, 300);
            for (int i = 1; i < g.n; i++) graph_scene_connect(&g, i - 1, i, 0.3, &r);
            for (int i = 60; i < g.n; i += 3) graph_scene_connect(&g, i - 60, i, 0.3, &r);
            graph_scene_chain(&g);
            chained += graph_scene_error(&g, NULL) / 12;
            CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.settled && report.iterations < 10);
            solved += graph_scene_error(&g, &own) / 12;
            normalised += own / 12;
            for (int i = 0; i < g.n; i++) {
                const double *m = g.poses[i].matrix, *t = g.truth[i];
                scale += log((m[0] * m[4] - m[1] * m[3]) / (t[0] * t[4] - t[1] * t[3])) / (12.0 * g.n);
            }
            CHECK(report.after < 1.2 && report.doubtful < g.n_pairs / 20);
            graph_scene_free(&g);
        }
        printf("class %d: error %.3f px chained, %.3f solved, %.2f of what was expected, log area %.1e\n", kind, chained,
               solved, normalised, scale);
        CHECK(solved < 0.6 * chained);
        CHECK(normalised > 0.75 && normalised < 1.3);
        CHECK(fabs(scale) < 0.01);
    }
}

/* Pairs that say something else altogether hardly count. */
static void test_contradictions(endo_context *context, endo_transform_class kind, double size) {
    test_random r = {4};
    graph_scene g = graph_scene_make(100, 2000, kind);
    endo_graph_report report;
    graph_scene_path(&g, 2, 300);
    for (int i = 1; i < g.n; i++) graph_scene_connect(&g, i - 1, i, 0.2, &r);
    for (int i = 50; i < g.n; i++) graph_scene_connect(&g, i - 50, i, 0.2, &r);
    int first = g.n_pairs;
    for (int i = 0; i < 12; i++) {
        /* Homographies cannot tell of frames so far apart that one is behind the other. */
        graph_scene_connect(&g, 3 * i, kind == ENDO_TRANSFORM_HOMOGRAPHY ? 3 * i + 5 : 99 - 4 * i, 0.2, &r);
        graph_scene_disturb(&g.frame, size, &r, g.pairs[g.n_pairs - 1].transform.matrix);
    }
    graph_scene_chain(&g);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    double robust = graph_scene_error(&g, NULL);
    for (int i = 0; i < g.n_pairs; i++) CHECK(i < first ? g.weights[i] > 0.3 : g.weights[i] < 0.05);
    CHECK(report.doubtful >= 12 && report.doubtful < 20);
    graph_scene_chain(&g);
    CHECK(graph_solve(&g, context, 0, &report) == ENDO_OK && report.doubtful == 0);
    double plain = graph_scene_error(&g, NULL);
    printf("class %d with contradictions: error %.3f px, all alike %.3f\n", (int)kind, robust, plain);
    CHECK(robust < 1 && plain > 5 * robust);
    graph_scene_free(&g);
}

/* A component that nothing connects keeps its first frame, and none of its poses is known relative to the fixed one. */
static void test_parts(endo_context *context) {
    test_random r = {5};
    graph_scene g = graph_scene_make(9, 50, ENDO_TRANSFORM_RIGID);
    endo_graph_report report;
    graph_scene_path(&g, 1, 100);
    for (int i = 1; i < 9; i++)
        if (i != 4 && i != 8) graph_scene_connect(&g, i - 1, i, 0.1, &r);
    for (int i = 0; i < 9; i++) {
        g.poses[i] = graph_scene_pose(&g.frame, g.truth[i]);
        if (i != 0 && i != 4 && i != 8) graph_scene_disturb(&g.frame, 3, &r, g.poses[i].matrix);
    }
    endo_transform before[9];
    memcpy(before, g.poses, sizeof before);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.components == 3);
    for (int i = 0; i < 9; i++) {
        int held = i == 0 || i == 4 || i == 8;
        CHECK((memcmp(&before[i], &g.poses[i], sizeof before[i]) == 0) == held);
        CHECK(i < 4 ? g.deviations[i] >= 0 : isnan(g.deviations[i]));
    }
    g.n_pairs = 0;
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK && report.components == 9 && report.settled);
    graph_scene_free(&g);
}

/* Variances add up along a chain; two ways to a frame halve its variance. */
static void test_deviations(endo_context *context) {
    test_random r = {6};
    graph_scene g = graph_scene_make(10, 50, ENDO_TRANSFORM_TRANSLATION);
    endo_graph_report report;
    for (int i = 0; i < 10; i++) memcpy(g.truth[i], STILL, sizeof STILL), g.truth[i][2] = 30 * i;
    for (int i = 1; i < 10; i++) graph_scene_connect(&g, i - 1, i, 0, &r);
    for (int i = 0; i < g.n_pairs; i++) g.pairs[i].deviation = 0.5;
    graph_scene_chain(&g);
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    for (int i = 0; i < 10; i++) CHECK(fabs(g.deviations[i] - 0.5 * sqrt(i)) < 1e-9);
    graph_scene_connect(&g, 0, 9, 0, &r);
    g.pairs[g.n_pairs - 1].deviation = 1.5; /* as the chain: 0.5 sqrt(9) */
    CHECK(graph_solve(&g, context, 3, &report) == ENDO_OK);
    CHECK(fabs(g.deviations[9] - 1.5 / sqrt(2.0)) < 1e-9);
    graph_scene_free(&g);
}

/* Deviations of poses grow and shrink with those of the pairs, also to values that no pair has. */
static void test_scaled(endo_context *context) {
    for (int kind = ENDO_TRANSFORM_RIGID; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        test_random r = {12};
        graph_scene g = graph_scene_make(40, 300, (endo_transform_class)kind);
        double plain[40];
        graph_scene_path(&g, 1, 200);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0.3, &r);
        graph_scene_chain(&g);
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        memcpy(plain, g.deviations, sizeof plain);
        for (int i = 0; i < g.n_pairs; i++) g.pairs[i].deviation = ldexp(g.pairs[i].deviation, -20);
        graph_scene_chain(&g);
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        for (int i = 0; i < g.n; i++) CHECK(g.deviations[i] == ldexp(plain[i], -20));
        graph_scene_free(&g);
    }
}

/* Deviations are of a frame's px: the same however the panorama is turned and scaled. */
static void test_panorama(endo_context *context) {
    const double turned[6] = {1.6, -1.2, 50, 1.2, 1.6, -7}; /* by 37 degrees, twice the size */
    const endo_transform whole = endo_transform_make(ENDO_TRANSFORM_SIMILARITY, turned);
    for (int kind = ENDO_TRANSFORM_SIMILARITY; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        test_random r = {11};
        graph_scene g = graph_scene_make(60, 600, (endo_transform_class)kind);
        double plain[60];
        graph_scene_path(&g, 2, 200);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0.2, &r);
        graph_scene_chain(&g);
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        memcpy(plain, g.deviations, sizeof plain);
        for (int i = 0; i < g.n; i++) CHECK(endo_transform_product(&g.poses[i], &whole, &g.poses[i]));
        CHECK(graph_solve(&g, context, 0, NULL) == ENDO_OK);
        for (int i = 0; i < g.n; i++) CHECK(fabs(g.deviations[i] - plain[i]) < 1e-6);
        graph_scene_free(&g);
    }
}

static void test_threads(endo_context *context, endo_transform_class kind) {
    endo_context *three = graph_scene_context(3);
    endo_transform kept[150];
    for (int pass = 0; pass < 2; pass++) {
        test_random r = {7};
        graph_scene g = graph_scene_make(150, 3000, kind);
        graph_scene_path(&g, 2, 300);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 8 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0.3, &r);
        graph_scene_chain(&g);
        CHECK(graph_solve(&g, pass ? three : context, 3, NULL) == ENDO_OK);
        if (pass) CHECK(memcmp(kept, g.poses, sizeof kept) == 0);
        memcpy(kept, g.poses, sizeof kept);
        graph_scene_free(&g);
    }
    endo_context_destroy(&three);
}

/* --------------------------------------------------------------- bad input */

static void refuses(endo_context *context, const endo_graph_pair *pair, const endo_graph_options *o, int width,
                    const char *message) {
    endo_transform places[2] = {endo_transform_identity(), endo_transform_identity()};
    double deviations[2] = {7, 7};
    CHECK(endo_graph_solve(context, &(endo_graph){.width = width, .height = 10, .pairs = pair, .n_pairs = 1,
                           .poses = places, .n = 2, .deviations = deviations}, o, NULL) != ENDO_OK);
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
    p = good, p.transform.kind = ENDO_TRANSFORM_HOMOGRAPHY, refuses(context, &p, &o, 10, "pair 0: a homography");
    refuses(context, &good, &o, 0, "sides must be");
    o.fixed = 2, refuses(context, &good, &o, 10, "fixed 2: must be 0..1");
    o = endo_graph_options_default(), o.robust = -1, refuses(context, &good, &o, 10, "robust -1");
    o = endo_graph_options_default(), o.iterations = 0, refuses(context, &good, &o, 10, "iterations 0");
    o = endo_graph_options_default(), o.transform = (endo_transform_class)5, refuses(context, &good, &o, 10, "class 5");
}

static void test_cancelled(endo_context *context) {
    test_random r = {8};
    graph_scene g = graph_scene_make(20, 100, ENDO_TRANSFORM_AFFINE);
    int asked = 0;
    graph_scene_path(&g, 1, 100);
    for (int i = 1; i < g.n; i++) graph_scene_connect(&g, i - 1, i, 0.3, &r);
    for (int i = 2; i < g.n; i++) graph_scene_connect(&g, i - 2, i, 0.3, &r);
    graph_scene_chain(&g);
    double before = graph_scene_error(&g, NULL);
    endo_context_set_cancel(context, stop, &asked);
    CHECK(graph_solve(&g, context, 3, NULL) == ENDO_CANCELLED && asked == 2);
    endo_context_set_cancel(context, NULL, NULL);
    CHECK(graph_scene_error(&g, NULL) == before && g.deviations[3] == 0);
    graph_scene_free(&g);
}

int main(void) {
    endo_context *context = graph_scene_context(1);
    test_exact(context);
    test_errors(context);
    test_contradictions(context, ENDO_TRANSFORM_SIMILARITY, 60);
    test_contradictions(context, ENDO_TRANSFORM_HOMOGRAPHY, 20);
    test_parts(context);
    test_deviations(context);
    test_scaled(context);
    test_panorama(context);
    test_threads(context, ENDO_TRANSFORM_AFFINE);
    test_threads(context, ENDO_TRANSFORM_HOMOGRAPHY);
    test_refused(context);
    test_cancelled(context);
    endo_context_destroy(&context);
    return check_summary("test_graph");
}
