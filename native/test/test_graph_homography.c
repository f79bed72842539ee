/* Homographies in a pose graph: which a frame is in front of, steps that are cut, places beyond a horizon, and sequences
 * that fly there. */
#include "include/endorama.h"
#include "systems/graph/graph.h"
#include "check.h"
#include "graph_scene.h"

#include <math.h>
#include <string.h>

enum { WIDTH = GRAPH_SCENE_WIDTH, HEIGHT = GRAPH_SCENE_HEIGHT };

static const double STILL[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* The least denominator of the frame's corners, over the middle's. */
static double least_of(const graph_frame *f, const double m[9]) {
    double middle = m[6] * f->x + m[7] * f->y + m[8], least = INFINITY;
    for (int k = 0; k < 4; k++) {
        double own = m[6] * (k % 2 ? f->width - 1 : 0) + m[7] * (k / 2 ? f->height - 1 : 0) + m[8];
        least = fmin(least, own / middle);
    }
    return least;
}

/* With this denominator in the right corners, 1 in the left ones. */
static void slanted(const graph_frame *f, double right, double m[9]) {
    memcpy(m, STILL, sizeof STILL);
    m[6] = (right - 1) / (f->width - 1);
}

static void test_front(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double m[9], kept[9];
    slanted(&f, 0.001, m), CHECK(graph_homography_scale(&f, m) && m[8] == 1);
    slanted(&f, 0.6e-6, m), CHECK(graph_homography_scale(&f, m)); /* the middle has 0.5 */
    slanted(&f, 0.4e-6, m), CHECK(!graph_homography_scale(&f, m));
    slanted(&f, 0, m), CHECK(!graph_homography_scale(&f, m));
    slanted(&f, -0.1, m), CHECK(!graph_homography_scale(&f, m));
    slanted(&f, 3, m);
    memcpy(kept, m, sizeof m);
    for (int i = 0; i < 9; i++) m[i] *= -4; /* the same homography */
    CHECK(graph_homography_scale(&f, m) && memcmp(kept, m, sizeof m) == 0);
    m[8] = 0, CHECK(!graph_homography_scale(&f, m));
    m[8] = NAN, CHECK(!graph_homography_scale(&f, m));
}

/* Points beyond the horizon of the reference have a negative denominator, whatever the signs of the numbers. */
static void test_inverse(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double reference[9], current[9], b[9], to[2], linear[4];
    const double middle[2] = {f.x, f.y};
    for (int run = 0; run < 8; run++) {
        slanted(&f, run & 1 ? 0.5 : 2, reference);
        /* The horizon is where the inverse has no denominator, 1 - m6 x; then both are moved away from there. */
        double horizon = 1 / reference[6], away = run & 2 ? 5000 : 0;
        reference[0] += away * reference[6], reference[2] = away;
        for (int i = 0; i < 3 && run & 4; i++) reference[3 + i] *= -1; /* mirrored */
        for (int beyond = -1; beyond <= 1; beyond += 2) {
            memcpy(current, STILL, sizeof STILL);
            current[2] = horizon * (1 + beyond * 0.1) - f.x + away;
            CHECK(graph_homography_between(reference, current, b));
            CHECK(graph_homography_apply(b, middle, to, linear) == (beyond < 0));
        }
        CHECK(graph_homography_between(reference, reference, b));
        CHECK(graph_homography_apply(b, middle, to, linear));
        CHECK_NEAR(to[0], f.x, 1e-9);
        CHECK_NEAR(linear[0], 1, 1e-9);
        CHECK_NEAR(linear[1], 0, 1e-9);
        CHECK_NEAR(linear[3], 1, 1e-9);
    }
    memset(reference, 0, sizeof reference), reference[0] = reference[8] = 1;
    CHECK(!graph_homography_between(reference, STILL, b));
}

/* Such a pair contradicts without end, and pulls nowhere. */
static void test_beyond(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double reference[9], current[9], zeros[GRAPH_MOST * GRAPH_MOST] = {0};
    const endo_graph_pair pair = {0, 1, endo_transform_identity(), 1};
    graph_term term;
    slanted(&f, 0.5, reference);
    memcpy(current, STILL, sizeof STILL);
    memset(&term, 0x3f, sizeof term);
    current[2] = 1 / reference[6] - f.points[0][0] + 1; /* the first point is a pixel before the horizon */
    graph_term_of(&f, &pair, reference, current, 1, &term);
    CHECK(isfinite(term.contradiction) && term.contradiction > 1000);
    current[2] -= 2;
    graph_term_of(&f, &pair, reference, current, 1, &term);
    CHECK(isinf(term.contradiction) && memcmp(term.right, zeros, sizeof term.right) == 0);
    for (int k = 0; k < 3; k++) CHECK(memcmp(term.blocks[k], zeros, sizeof zeros) == 0);
}

/* However long a step of the solver, a tenth of every denominator is left, so that no frame passes its horizon; short steps
 * stay whole. */
static void test_cut(void) {
    test_random r = {13};
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double reached = INFINITY;
    int cut = 0, whole = 0;
    for (int run = 0; run < 2000; run++) {
        double place[9], step[GRAPH_MOST], kept[GRAPH_MOST], before, size = pow(10, 6 * test_unit(&r));
        memcpy(place, STILL, sizeof STILL);
        for (int i = 0; i < GRAPH_MOST; i++) step[i] = 25 * (test_unit(&r) - 0.5);
        graph_move(&f, step, place);
        before = least_of(&f, place);
        for (int i = 0; i < GRAPH_MOST; i++) kept[i] = step[i] = size * (test_unit(&r) - 0.5);
        if (graph_homography_cut(&f, place, step)) cut++;
        else whole += memcmp(kept, step, sizeof step) == 0;
        for (int i = 0; i < GRAPH_MOST; i++) CHECK(step[i] * kept[i] >= 0 && fabs(step[i]) <= fabs(kept[i]));
        graph_move(&f, step, place);
        reached = fmin(reached, least_of(&f, place) / before);
        CHECK(graph_homography_scale(&f, place));
    }
    printf("steps: %d cut, %d whole, down to %.3f of the least denominator\n", cut, whole, reached);
    CHECK(cut > 500 && whole > 500 && cut + whole == 2000);
    CHECK(reached > 0.0999 && reached < 0.11);
}

/* Again and again towards infinity: never there. */
static void test_floor(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double place[9];
    memcpy(place, STILL, sizeof STILL);
    for (int i = 0; i < 40; i++) {
        double step[GRAPH_MOST] = {0, 0, 0, 0, 0, 0, 1e4, 0};
        CHECK(graph_homography_cut(&f, place, step));
        graph_move(&f, step, place);
        CHECK(graph_homography_scale(&f, place));
    }
    CHECK_NEAR(least_of(&f, place), 2e-6, 1e-8);
}

/* ---------------------------------------------------------------- sequences */

/* Frames that fly along a slanted plane: each pair is the same homography, with a little noise. Returns how many of the
 * places that follow from it are in front. */
static int fly(graph_scene *s, double shift, double perspective, double deviation) {
    test_random r = {14};
    const double step[GRAPH_MOST] = {shift, 0, 0, 0, 0, 0, perspective, 0};
    double m[9];
    int front = s->n;
    memcpy(m, STILL, sizeof STILL);
    graph_move(&s->frame, step, m);
    endo_transform motion = graph_scene_pose(&s->frame, m), place = graph_scene_pose(&s->frame, STILL);
    for (int i = 0; i < s->n; i++) {
        memcpy(m, place.matrix, sizeof m);
        if (front == s->n && !graph_homography_scale(&s->frame, m)) front = i;
        s->poses[i] = i < front ? graph_scene_pose(&s->frame, m) : s->poses[i - 1];
        CHECK(endo_transform_compose(&motion, &place, &place) == ENDO_OK);
        if (i == 0) continue;
        s->pairs[s->n_pairs] = (endo_graph_pair){i - 1, i, motion, deviation};
        graph_scene_disturb(&s->frame, deviation, &r, s->pairs[s->n_pairs++].transform.matrix);
    }
    return front;
}

/* Places that are in front stay right, the others come out finite and in front, and it is said how many wanted to go. */
static void test_horizon(endo_context *context, int from_start) {
    graph_scene s = graph_scene_make(40, 100, ENDO_TRANSFORM_HOMOGRAPHY);
    endo_graph_options o = endo_graph_options_default();
    endo_graph_report report;
    int front = fly(&s, 40, 5, 0.05);
    CHECK(front > 5 && front < 20);
    if (!from_start)
        for (int i = 1; i < s.n; i++) s.poses[i] = s.poses[0];
    o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = s.pairs,
                           .n_pairs = (size_t)s.n_pairs, .poses = s.poses, .n = (size_t)s.n, .deviations = s.deviations,
                           .weights = s.weights}, &o, &report) == ENDO_OK);
    CHECK(report.cut > 0 && report.cut <= s.n - front + 1 && report.doubtful > 0);
    for (int i = 0; i < s.n; i++) {
        double m[9];
        memcpy(m, s.poses[i].matrix, sizeof m);
        CHECK(endo_transform_check(&s.poses[i]) == ENDO_OK && m[8] == 1 && graph_homography_scale(&s.frame, m));
        CHECK(isfinite(s.deviations[i]) && (i > 0) == (s.deviations[i] > 0));
        if (i > 0 && i < front - 1) CHECK(s.weights[i - 1] > 0.9);
    }
    CHECK(s.weights[front - 1] < 0.1);
    printf("flight: %d of %d in front, %d cut, %d doubtful, %d iterations\n", front, s.n, report.cut, report.doubtful,
           report.iterations);
    graph_scene_free(&s);
}

/* Frames that see each other go on doing so, wherever their pairs pull them. (A pair counts 0 if it contradicts without
 * end.) */
static void test_seen(endo_context *context) {
    test_random r = {19};
    int cut = 0;
    for (int run = 0; run < 200; run++) {
        graph_scene g = graph_scene_make(6, 20, ENDO_TRANSFORM_HOMOGRAPHY);
        endo_graph_options o = endo_graph_options_default();
        endo_graph_report report;
        o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
        for (int i = 0; i < g.n; i++) g.poses[i] = graph_scene_pose(&g.frame, STILL);
        for (int i = 1; i < g.n; i++)
            for (int k = 1; k < 4 && k <= i; k++) {
                double m[9], step[GRAPH_MOST];
                memcpy(m, STILL, sizeof m);
                for (int j = 0; j < GRAPH_MOST; j++) step[j] = 300 * (test_unit(&r) - 0.5);
                graph_homography_cut(&g.frame, m, step);
                graph_move(&g.frame, step, m);
                g.pairs[g.n_pairs++] = (endo_graph_pair){i - k, i, graph_scene_pose(&g.frame, m), 0.5};
            }
        CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g.pairs,
                               .n_pairs = (size_t)g.n_pairs, .poses = g.poses, .n = (size_t)g.n,
                               .deviations = g.deviations, .weights = g.weights}, &o, &report) == ENDO_OK);
        for (int i = 0; i < g.n_pairs; i++) CHECK(g.weights[i] > 0);
        cut += report.cut;
        graph_scene_free(&g);
    }
    CHECK(cut > 10);
}

/* The last frames lie beyond the horizon of all others: they stay there, nobody knows where they are, and the others are as
 * if there were none. */
static void test_lost(endo_context *context, int lost) {
    test_random r = {18};
    graph_scene g = graph_scene_make(20, 100, ENDO_TRANSFORM_HOMOGRAPHY);
    endo_graph_options o = endo_graph_options_default();
    endo_graph_report report;
    const double away[9] = {1, 0, -1500, 0, 1, 0, 0, 0, 1};
    int known = g.n - lost;
    graph_scene_path(&g, 1, 60);
    for (int i = 0; i < known; i++) slanted(&g.frame, 0.6, g.truth[i]), g.truth[i][2] = 5 * i;
    for (int i = 1; i < g.n; i++)
        for (int k = 1; k < 3 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0.1, &r);
    for (int i = 0; i < g.n; i++) g.poses[i] = graph_scene_pose(&g.frame, i < known ? g.truth[i] : away);
    o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g.pairs,
                           .n_pairs = (size_t)g.n_pairs, .poses = g.poses, .n = (size_t)g.n, .deviations = g.deviations,
                           .weights = g.weights}, &o, &report) == ENDO_OK);
    CHECK(report.components == 1 && report.doubtful >= 2);
    for (int i = 1; i < known; i++) CHECK(graph_scene_error_of(&g, i) < 3 * g.deviations[i] && g.deviations[i] < 1);
    for (int i = known; i < g.n; i++) CHECK(g.deviations[i] > 1000 && isfinite(g.deviations[i]));
    for (int i = 0; i < g.n_pairs; i++)
        if (g.pairs[i].reference < known && g.pairs[i].current >= known) CHECK(g.weights[i] == 0);
    graph_scene_free(&g);
}

/* The panorama's own perspective changes nothing in the frames: Q P_i solve as well as P_i, with the same deviations. */
static void test_panorama(endo_context *context) {
    test_random r = {15};
    graph_scene g = graph_scene_make(60, 600, ENDO_TRANSFORM_HOMOGRAPHY);
    endo_graph_options o = endo_graph_options_default();
    const endo_transform whole = {ENDO_TRANSFORM_HOMOGRAPHY, {1.6, -1.2, 50, 1.2, 1.6, -7, 3e-4, -2e-4, 1}};
    endo_transform plain[60];
    double deviations[60];
    graph_scene_path(&g, 2, 200);
    for (int i = 1; i < g.n; i++)
        for (int k = 1; k < 4 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0.2, &r);
    graph_scene_chain(&g);
    o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    for (int pass = 0; pass < 2; pass++) {
        CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g.pairs,
                               .n_pairs = (size_t)g.n_pairs, .poses = g.poses, .n = (size_t)g.n,
                               .deviations = g.deviations}, &o, NULL) == ENDO_OK);
        if (pass) break;
        memcpy(plain, g.poses, sizeof plain);
        memcpy(deviations, g.deviations, sizeof deviations);
        graph_scene_chain(&g);
        for (int i = 0; i < g.n; i++) CHECK(endo_transform_compose(&g.poses[i], &whole, &g.poses[i]) == ENDO_OK);
    }
    for (int i = 0; i < g.n; i++) {
        double p[2], q[2];
        CHECK(endo_transform_compose(&plain[i], &whole, &plain[i]) == ENDO_OK);
        CHECK(endo_transform_apply(&plain[i], g.frame.points[8], 1, p) == ENDO_OK);
        CHECK(endo_transform_apply(&g.poses[i], g.frame.points[8], 1, q) == ENDO_OK);
        CHECK(fabs(p[0] - q[0]) < 1e-6 && fabs(p[1] - q[1]) < 1e-6);
        CHECK(fabs(g.deviations[i] - deviations[i]) < 1e-6);
    }
    graph_scene_free(&g);
}

/* Pairs of every class lie in a graph of homographies; and a solution stays where it is. */
static void test_classes(endo_context *context) {
    test_random r = {16};
    graph_scene g = graph_scene_make(50, 300, ENDO_TRANSFORM_SIMILARITY);
    endo_graph_options o = endo_graph_options_default();
    endo_graph_report report;
    graph_scene_path(&g, 1, 200);
    for (int i = 1; i < g.n; i++)
        for (int k = 1; k < 4 && k <= i; k++) graph_scene_connect(&g, i - k, i, 0, &r);
    graph_scene_chain(&g);
    g.frame = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    for (int i = 0; i < g.n_pairs; i++) {
        g.pairs[i].deviation = 0.2;
        if (i % 3 == 1) g.pairs[i].transform.kind = ENDO_TRANSFORM_AFFINE;
        if (i % 3 == 2) g.pairs[i].transform.kind = ENDO_TRANSFORM_HOMOGRAPHY;
        for (int k = 0; k < 9 && i % 3 == 2; k++) g.pairs[i].transform.matrix[k] *= -2; /* the same */
    }
    for (int i = 1; i < g.n; i++) graph_scene_disturb(&g.frame, 5, &r, g.poses[i].matrix);
    for (int i = 1; i < g.n; i++) g.poses[i].kind = ENDO_TRANSFORM_HOMOGRAPHY;
    o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    for (int pass = 0; pass < 2; pass++) {
        CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g.pairs,
                               .n_pairs = (size_t)g.n_pairs, .poses = g.poses, .n = (size_t)g.n,
                               .deviations = g.deviations, .weights = g.weights}, &o, &report) == ENDO_OK);
        CHECK(graph_scene_error(&g, NULL) < 1e-6 && report.settled && report.cut == 0 && report.doubtful == 0);
        CHECK(pass ? report.iterations == 0 || report.before < 1e-6 : report.before > 1);
    }
    for (int i = 0; i < g.n; i++) CHECK(g.poses[i].kind == ENDO_TRANSFORM_HOMOGRAPHY && g.poses[i].matrix[8] == 1);
    graph_scene_free(&g);
}

/* Errors of a known size: within three deviations in 99 of 100 frames, and they are not much too large. */
static void test_deviations(endo_context *context) {
    test_random r = {17};
    int within = 0, all = 0;
    double squares = 0;
    for (int run = 0; run < 60; run++) {
        graph_scene g = graph_scene_make(60, 300, ENDO_TRANSFORM_HOMOGRAPHY);
        endo_graph_options o = endo_graph_options_default();
        o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
        graph_scene_path(&g, 2, 200);
        for (int i = 1; i < g.n; i++) graph_scene_connect(&g, i - 1, i, 0.1, &r);
        for (int i = 30; i < g.n; i += 3) graph_scene_connect(&g, i - 30, i, 0.1, &r);
        graph_scene_chain(&g);
        CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g.pairs,
                               .n_pairs = (size_t)g.n_pairs, .poses = g.poses, .n = (size_t)g.n,
                               .deviations = g.deviations, .weights = g.weights}, &o, NULL) == ENDO_OK);
        for (int i = 1; i < g.n; i++) {
            double of = graph_scene_error_of(&g, i) / g.deviations[i];
            squares += of * of;
            within += of < 3;
            all++;
        }
        graph_scene_free(&g);
    }
    printf("deviations: %.2f %% within three, %.3f of them root mean square\n", 100.0 * within / all, sqrt(squares / all));
    CHECK(within > 0.99 * all);
    CHECK(squares > 0.8 * 0.8 * all && squares < 1.15 * 1.15 * all);
}

/* --------------------------------------------------------------- bad input */

static void refuses(endo_context *context, const endo_transform *pair, const endo_transform *place,
                    endo_transform_class kind, endo_status status, const char *message) {
    endo_transform places[2] = {endo_transform_identity(), *place}, before[2];
    endo_graph_pair p = {0, 1, *pair, 1};
    endo_graph_options o = endo_graph_options_default();
    double deviations[2] = {7, 7};
    o.transform = kind;
    memcpy(before, places, sizeof before);
    CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = &p, .n_pairs = 1,
                           .poses = places, .n = 2, .deviations = deviations}, &o, NULL) == status);
    CHECK(strstr(endo_last_error(), message) != NULL);
    CHECK(deviations[0] == 7 && deviations[1] == 7 && memcmp(places, before, sizeof before) == 0);
}

static void test_refused(endo_context *context) {
    const endo_transform still = endo_transform_identity();
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_HOMOGRAPHY);
    double m[9];
    memcpy(m, STILL, sizeof m);
    endo_transform plain = graph_scene_pose(&f, m);
    slanted(&f, -0.1, m);
    endo_transform behind = graph_scene_pose(&f, m);
    slanted(&f, 0.5, m), m[0] = 0, m[1] = 0;
    endo_transform flat = graph_scene_pose(&f, m);
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        refuses(context, &plain, &still, (endo_transform_class)kind, ENDO_ERR_UNSUPPORTED, "pair 0: a homography");
        refuses(context, &still, &plain, (endo_transform_class)kind, ENDO_ERR_UNSUPPORTED, "pose 1: a homography");
    }
    refuses(context, &behind, &still, ENDO_TRANSFORM_HOMOGRAPHY, ENDO_ERR_ARGUMENT,
            "pair 0: its homography takes a part of a frame of 320 x 240 px to infinity");
    refuses(context, &still, &behind, ENDO_TRANSFORM_HOMOGRAPHY, ENDO_ERR_ARGUMENT, "pose 1: its homography");
    refuses(context, &flat, &still, ENDO_TRANSFORM_HOMOGRAPHY, ENDO_ERR_ARGUMENT, "pair 0: its transform cannot be inverted");
    refuses(context, &still, &flat, ENDO_TRANSFORM_HOMOGRAPHY, ENDO_ERR_ARGUMENT, "pose 1: its transform cannot be inverted");
    refuses(context, &still, &still, (endo_transform_class)5, ENDO_ERR_ARGUMENT, "transform class 5");
}

int main(void) {
    endo_context *context = graph_scene_context(1);
    test_front();
    test_inverse();
    test_beyond();
    test_cut();
    test_floor();
    test_horizon(context, 1);
    test_horizon(context, 0);
    test_seen(context);
    test_lost(context, 1);
    test_lost(context, 3);
    test_panorama(context);
    test_classes(context);
    test_deviations(context);
    test_refused(context);
    endo_context_destroy(&context);
    return check_summary("test_graph_homography");
}
