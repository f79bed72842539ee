/* The mosaic by frame size: its stages apart, pairs and whole frames; one thread and all.
 *
 * Neighbouring frames of a moving sequence, several pairs a call, so that no pair finds its frames in the
 * cache because it was measured a moment ago. */
#include "bench.h"

#include "base/openmp.h"

#include "mosaic_stages.h"
#include "rates.h"
#include "timing.h"

#include <string.h>

typedef struct rates {
    double l1, copy; /* bytes a second, of all threads together */
} rates;

static rates measure_rates(int threads) {
    rates r = {rate_l1_load() * threads, rate_copy(threads)};
    return r;
}

/* The least seconds a frame or pair can take: bytes that must be read or written once, over the rate of
 * copying, and for a search the bytes of its windows over the rate of first-cache loads. Fit: 0, unknown. */
static double floor_of(const char *stage, const mosaic_rig *r, const rates *at) {
    double area = (double)r->source->width * r->source->height, computed = 0;
    for (size_t i = 0; i < r->n_pairs; i++) computed += r->results[i].computed;
    double windows = computed / (double)r->n_pairs * r->params.template_side * r->params.template_side / at->l1;
    if (!strcmp(stage, "copy and grey")) return 9 * area / at->copy; /* colour in and out, grey out */
    if (!strcmp(stage, "flow with pyramid")) return area / at->copy;
    if (!strcmp(stage, "search")) return windows;
    if (!strcmp(stage, "quality")) return 2 * area / at->copy;
    if (!strcmp(stage, "paint")) return 10 * area / at->copy; /* colour in and out, field, painted */
    if (!strcmp(stage, "pair without quality")) return area / at->copy + windows;
    if (!strcmp(stage, "pair")) return 3 * area / at->copy + windows;
    if (!strcmp(stage, "put and pair and paint")) return 22 * area / at->copy + windows;
    return 0;
}

static endo_status time_stage(const mosaic_stage *stage, mosaic_rig *r, int quick, timing *out) {
    double spent = 0, budget = quick ? 0.05 : 0.5;
    endo_status status = ENDO_OK;
    out->n = 0;
    while (status == ENDO_OK && (out->n < (quick ? 3 : 9) || spent < budget) && out->n < TIMING_REPEATS) {
        if (stage->prepare) status = stage->prepare(r);
        if (status != ENDO_OK) return status;
        double start = timing_now();
        status = stage->run(r);
        double taken = timing_now() - start;
        timing_add(out, taken);
        spent += taken;
    }
    return status;
}

/* one_thread: this stage's median on one thread, 0 if this is that run. */
static double report_stage(bench *b, const mosaic_rig *r, const mosaic_stage *stage, const timing *t,
                           const rates *at, double one_thread) {
    double units = stage->per_frame ? (double)r->source->n : (double)r->n_pairs;
    report_row row = {.kernel = stage->name,
                      .backend = r->context->kernels->name,
                      .threads = r->context->threads,
                      .median = 1e3 * timing_quantile(t, 0.5) / units,
                      .p90 = 1e3 * timing_quantile(t, 0.9) / units,
                      .unit = stage->per_frame ? "ms a frame" : "ms a pair",
                      .baseline = one_thread > 0 ? "1 thread" : "",
                      .floor = 1e3 * floor_of(stage->name, r, at)};
    snprintf(row.size, sizeof row.size, "%dx%d", r->source->width, r->source->height);
    if (one_thread > 0) row.ratio = one_thread / row.median;
    report_add(&b->report, &row);
    return row.median;
}

static void report_targets(bench *b, const mosaic_rig *r, const double medians[MOSAIC_STAGES]) {
    char what[80];
    if (r->source->width != 720) return;
    for (int i = 0; i < MOSAIC_STAGES; i++) {
        const char *name = mosaic_stages[i].name;
        snprintf(what, sizeof what, "%s at 720x576; %d thread%s", name, r->context->threads,
                 r->context->threads == 1 ? "" : "s");
        if (!strncmp(name, "pair", 4) && r->context->threads > 1)
            report_target(&b->report, what, "720x576", 1e3 / medians[i], 500, "pairs/s", 1);
        if (!strcmp(name, "paint") && r->context->threads == 1)
            report_target(&b->report, what, "720x576", medians[i], 1.5, "ms a frame", 0);
    }
}

static int run_size(bench *b, const sequence *s, int threads, const rates *at, double medians[MOSAIC_STAGES]) {
    mosaic_rig r;
    endo_status status = mosaic_rig_create(&r, s, threads);
    int few = 0;
    for (size_t i = 0; i < r.n_pairs && status == ENDO_OK; i++)
        few += r.results[i].status != ENDO_PAIR_OK || r.results[i].landmarks != (int32_t)r.n_marks;
    if (status == ENDO_OK && few)
        status = endo_fail(ENDO_ERR_INTERNAL, "%d of %zu pairs were not registered", few, r.n_pairs);
    for (int i = 0; i < MOSAIC_STAGES && status == ENDO_OK; i++) {
        timing t;
        status = time_stage(&mosaic_stages[i], &r, b->quick, &t);
        if (status == ENDO_OK)
            medians[i] = report_stage(b, &r, &mosaic_stages[i], &t, at, threads == 1 ? 0 : medians[i]);
    }
    if (status == ENDO_OK) report_targets(b, &r, medians);
    mosaic_rig_destroy(&r);
    return status == ENDO_OK ? 0 : bench_failed("mosaic");
}

int bench_mosaic(bench *b) {
    static const int sizes[][3] = {{360, 288, 33}, {720, 576, 17}, {1280, 1024, 9}, {1920, 1080, 9}, {3840, 2160, 5}};
    int all = omp_get_num_procs(), failed = 0;
    rates one = measure_rates(1), many = measure_rates(all);
    printf("\nMosaic, 64 landmarks, template by frame size. ratio: all threads against one.\n"
           "floor: bytes over %.0f GB/s copied by 1 thread, %.0f by %d; windows of the search over %.0f GB/s\n"
           "of first-cache loads a core.\n",
           1e-9 * one.copy, 1e-9 * many.copy, all, 1e-9 * one.l1);
    report_heading("stage");
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]) && !failed; i++) {
        double medians[MOSAIC_STAGES];
        sequence s;
        if (!bench_sequence_create(&s, sizes[i][0], sizes[i][1], sizes[i][2])) return bench_failed("mosaic");
        failed = run_size(b, &s, 1, &one, medians);
        if (!failed && all > 1) failed = run_size(b, &s, all, &many, medians);
        bench_sequence_destroy(&s);
    }
    return failed;
}
