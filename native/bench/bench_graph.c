/* Pose graphs: sequences that go round a lying eight some twenty times, with pairs of neighbours and of the rounds before.
 * From the chain's poses; affine poses or homographies, with their deviations. */
#include "bench.h"

#include "base/memory.h"
#include "base/openmp.h"
#include "base/transform.h"
#include "backend/objects.h"
#include "test/scene.h"
#include "timing.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 576, NEIGHBOURS = 5, FRAMES_A_ROUND = 500 };
#define DEVIATION 0.2

typedef struct graph_rig {
    endo_transform_class kind;
    size_t n, n_pairs;
    endo_transform *truth, *chain, *solved;
    endo_graph_pair *pairs;
    double *deviations;
} graph_rig;

static void rig_free(graph_rig *r) {
    endo_free(r->truth);
    endo_free(r->chain);
    endo_free(r->solved);
    endo_free(r->pairs);
    endo_free(r->deviations);
}

/* Homographies are slanted by up to a tenth from one side of the frame to the other. */
static endo_transform place_at(double t, endo_transform_class kind) {
    double turn = 0.2 * sin(t), scale = 1 + 0.1 * sin(2 * t), c = scale * cos(turn), s = scale * sin(turn);
    const double m[6] = {c, -s, 1500 * sin(t), s, c, 750 * sin(2 * t)};
    endo_transform place = endo_transform_make(kind, m), slant = endo_transform_still, slanted;
    if (kind != ENDO_TRANSFORM_HOMOGRAPHY) return place;
    slant.kind = kind;
    slant.matrix[6] = 0.1 * sin(t + 1) / WIDTH, slant.matrix[7] = 0.1 * cos(2 * t) / HEIGHT;
    return endo_transform_product(&slant, &place, &slanted) ? slanted : place;
}

/* The true motion, moved by a random shift and a little of everything else. */
static int connect(graph_rig *r, size_t reference, size_t current, test_random *random) {
    endo_transform back, t;
    if (!endo_transform_inverse(&r->truth[reference], &back)) return 0;
    if (!endo_transform_product(&r->truth[current], &back, &t)) return 0;
    for (int k = 0; k < 6; k++) {
        double error = 3.4 * DEVIATION * (test_unit(random) - 0.5);
        t.matrix[k] += k % 3 == 2 ? error : error / WIDTH;
    }
    for (int k = 6; k < 8 && r->kind == ENDO_TRANSFORM_HOMOGRAPHY; k++)
        t.matrix[k] += 3.4 * DEVIATION * (test_unit(random) - 0.5) / WIDTH / WIDTH;
    r->pairs[r->n_pairs++] = (endo_graph_pair){(int32_t)reference, (int32_t)current, t, DEVIATION};
    return 1;
}

static int rig_create(graph_rig *r, size_t n, endo_transform_class kind) {
    test_random random = {9};
    int ready = 1;
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->n = n;
    r->truth = endo_alloc(n, sizeof *r->truth), r->chain = endo_alloc(n, sizeof *r->chain);
    r->solved = endo_alloc(n, sizeof *r->solved), r->deviations = endo_alloc(n, sizeof *r->deviations);
    r->pairs = endo_alloc(2 * NEIGHBOURS * n, sizeof *r->pairs);
    if (!r->truth || !r->chain || !r->solved || !r->deviations || !r->pairs) return 0;
    for (size_t i = 0; i < n; i++) r->truth[i] = place_at(2 * acos(-1.0) * (double)i / FRAMES_A_ROUND, kind);
    r->chain[0] = r->truth[0];
    for (size_t i = 1; i < n && ready; i++) {
        ready = connect(r, i - 1, i, &random);
        ready = ready && endo_transform_product(&r->pairs[r->n_pairs - 1].transform, &r->chain[i - 1], &r->chain[i]);
        for (size_t k = 2; k <= NEIGHBOURS && k <= i && ready; k++) ready = connect(r, i - k, i, &random);
        for (size_t k = 1; k <= NEIGHBOURS && k * FRAMES_A_ROUND <= i && ready; k++)
            ready = connect(r, i - k * FRAMES_A_ROUND, i, &random);
    }
    return ready;
}

static int time_solves(const graph_rig *r, endo_context *context, int repeats, timing *t) {
    endo_graph_report report = {.settled = 0};
    endo_graph_options o = endo_graph_options_default();
    o.transform = r->kind;
    for (int i = 0; i < repeats; i++) {
        memcpy(r->solved, r->chain, r->n * sizeof *r->solved);
        double start = timing_now();
        if (endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = r->pairs,
                             .n_pairs = r->n_pairs, .poses = r->solved, .n = r->n, .deviations = r->deviations}, &o,
                             &report) != ENDO_OK)
            return 0;
        timing_add(t, timing_now() - start);
    }
    if (!report.settled) endo_fail(ENDO_ERR_INTERNAL, "the graph has not settled");
    return report.settled;
}

static int one_size(bench *b, size_t n, endo_transform_class kind, double wanted) {
    graph_rig r;
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    timing t = {.n = 0};
    o.backend = ENDO_BACKEND_CPU, o.threads = omp_get_num_procs() < 2 ? 1 : 2;
    int ready = rig_create(&r, n, kind) && endo_context_create(&o, &context) == ENDO_OK &&
                time_solves(&r, context, b->quick || n > 5000 ? 1 : 3, &t);
    if (ready) {
        const char *name = kind == ENDO_TRANSFORM_HOMOGRAPHY ? "graph solve, homographies" : "graph solve";
        report_row row = {.kernel = name, .backend = "cpu", .threads = o.threads, .unit = "s", .baseline = "",
                          .median = timing_quantile(&t, 0.5), .p90 = timing_quantile(&t, 0.9)};
        snprintf(row.size, sizeof row.size, "%zu, %zu", n, r.n_pairs);
        report_add(&b->report, &row);
        if (wanted > 0) report_target(&b->report, "pose graph on two cores", row.size, row.median, wanted, "s", 0);
    }
    endo_context_destroy(&context);
    rig_free(&r);
    return ready;
}

int bench_graph(bench *b) {
    const endo_transform_class affine = ENDO_TRANSFORM_AFFINE, homography = ENDO_TRANSFORM_HOMOGRAPHY;
    printf("\nPose graphs: places, affine or homographies, and their deviations from pairs, beginning at the chain; frames, "
           "pairs.\n");
    report_heading("frames, pairs");
    int ready = one_size(b, 300, affine, 0) && one_size(b, 2000, affine, 0) &&
                (b->quick || one_size(b, 10000, affine, 5)) && one_size(b, 300, homography, 0) &&
                one_size(b, 2000, homography, 0);
    return ready ? 0 : bench_failed("pose graph");
}
