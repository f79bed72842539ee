/* Alignment of exposures on the CPU: [G] Table 2, larger images, batches.
 *
 * Two baselines, each one thread without vectorization, with the same parameters: native/ref, which is our algorithm
 * as its definition reads; and [G]'s steps alone as plain loops, without the checks on the bitmaps that ours adds.
 * Everyone must find the shifts that the frames were made with. */
#include "bench.h"

#include "base/openmp.h"

#include "exposures_baseline.h"
#include "exposures_rig.h"
#include "exposures_steps.h"
#include "rates.h"

#define REF "ref: same algorithm"
#define SCALAR "scalar: paper only"
#define FUSED "scalar: one pass"

#define VGA 640 /* width of the images that the scalar definition is timed on, too */

typedef struct run_state {
    bench *b;
    int all;
    double copy[2]; /* bytes a second of one thread and of all */
} run_state;

typedef struct scalar_steps {
    void (*project)(const uint8_t *grey, int level, int tolerance, baseline_counts *out);
    timing brightness, projected, correlate, pair;
} scalar_steps;

typedef struct scalar_pair {
    const uint8_t *grey[2];
    baseline_counts counts[2];
    int dx, dy;
} scalar_pair;

/* One pair, step by step. [G] counts one brightness histogram a pair: the other one is that of the pair before. */
static void align_scalar(scalar_pair *p, const endo_exposure_options *params, scalar_steps *steps) {
    uint32_t histogram[BASELINE_BINS];
    double start = timing_now(), projected = 0;
    for (int i = 0; i < 2; i++) {
        double from = timing_now();
        baseline_brightness(p->grey[i], p->counts[i].width, p->counts[i].height, histogram);
        double counted = timing_now();
        steps->project(p->grey[i], baseline_median(histogram), params->tolerance, &p->counts[i]);
        if (i) timing_add(&steps->brightness, counted - from);
        projected += timing_now() - counted;
    }
    double middle = timing_now();
    baseline_correlate(&p->counts[0], &p->counts[1], params->search, &p->dx, &p->dy);
    double end = timing_now();
    timing_add(&steps->projected, projected);
    timing_add(&steps->correlate, end - middle);
    timing_add(&steps->pair, end - start);
}

static int time_scalar(const exposures_set *s, int repeats, scalar_steps *steps) {
    endo_exposure_options params = exposures_paper_params();
    scalar_pair p = {.dx = 0};
    int ready = baseline_counts_create(&p.counts[0], s->width, s->height) &
                baseline_counts_create(&p.counts[1], s->width, s->height);
    if (!ready) endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    for (int k = 0; k < repeats && ready; k++) {
        int i = 2 * k % (s->n / 2 * 2), dx, dy;
        p.grey[0] = s->frames[i], p.grey[1] = s->frames[i + 1];
        align_scalar(&p, &params, steps);
        exposures_truth(s, i, i + 1, &dx, &dy);
        ready = p.dx == dx && p.dy == dy;
        if (!ready)
            endo_fail(ENDO_ERR_INTERNAL, "%s, pair %d of %d x %d: shift (%d, %d), made with (%d, %d)", SCALAR, i / 2,
                      s->width, s->height, p.dx, p.dy, dx, dy);
    }
    baseline_counts_destroy(&p.counts[0]);
    baseline_counts_destroy(&p.counts[1]);
    return ready;
}

static double add_row(run_state *s, const exposures_set *set, const char *kernel, const char *who, int threads,
                      const timing *t, double baseline, double floor) {
    report_row row = {.kernel = kernel, .backend = who, .threads = threads, .unit = "ms a pair",
                      .median = 1e3 * timing_quantile(t, 0.5), .p90 = 1e3 * timing_quantile(t, 0.9),
                      .baseline = baseline > 0 ? SCALAR : "", .floor = floor};
    snprintf(row.size, sizeof row.size, "%dx%d", set->width, set->height);
    if (baseline > 0) row.ratio = baseline / row.median;
    report_add(&s->b->report, &row);
    return row.median;
}

/* Returns the median of a pair as [G] does it; 0: failed. */
static double time_scalars(run_state *s, const exposures_set *set) {
    scalar_steps own = {.project = baseline_project}, once = {.project = baseline_project_once};
    int repeats = set->width > 2000 ? 6 : s->b->quick ? 20 : 100;
    if (!time_scalar(set, repeats, &own) || !time_scalar(set, repeats, &once)) return 0;
    add_row(s, set, "exposures brightness histogram", SCALAR, 1, &own.brightness, 0, 0);
    add_row(s, set, "exposures rows and columns", SCALAR, 1, &own.projected, 0, 0);
    add_row(s, set, "exposures rows and columns", FUSED, 1, &once.projected, 0, 0);
    add_row(s, set, "exposures correlation", SCALAR, 1, &own.correlate, 0, 0);
    double baseline = add_row(s, set, "exposures pair", SCALAR, 1, &own.pair, 0, 0);
    add_row(s, set, "exposures pair", FUSED, 1, &once.pair, baseline, 0);
    return baseline;
}

/* Times the reference back end: the algorithm in scalar C. Returns the median of a pair; 0: failed. */
static double time_reference(run_state *s, const exposures_set *set, double baseline) {
    exposures_rig r;
    timing pairs = {.n = 0};
    endo_context_options o = endo_context_options_default();
    endo_exposure_options paper = exposures_paper_params();
    endo_status status = exposures_rig_create(&r, set, &endo_kernels_ref, &o, set->n);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &paper, 1, s->b->quick ? 1 : 4, &pairs);
    exposures_rig_destroy(&r);
    return status == ENDO_OK ? add_row(s, set, "exposures pair", REF, 1, &pairs, baseline, 0) : 0;
}

/* Median of single pairs; 0: this machine or build lacks it; -1: failed. */
static double one_contender(run_state *s, const exposures_set *set, const char *name, endo_cpu cpu, int threads,
                            double baseline) {
    exposures_rig r;
    timing single = {.n = 0}, batch = {.n = 0}, adaptive = {.n = 0};
    exposures_steps steps = {.brightness.n = 0};
    endo_context_options o = endo_context_options_default();
    endo_exposure_options paper = exposures_paper_params(), chosen = paper;
    double floor = 1e3 * 2 * set->width * set->height / s->copy[threads > 1], median = 0;
    int rounds = (s->b->quick ? 20 : 150) / (set->n / 2);
    chosen.percentile = ENDO_PERCENTILE_ADAPTIVE;
    o.cpu = cpu, o.threads = threads;
    endo_status status = exposures_rig_create(&r, set, &endo_kernels_cpu, &o, set->n);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &paper, 1, rounds < 2 ? 2 : rounds, &single);
    if (status == ENDO_OK && threads == 1) status = exposures_steps_time(&r, 2, &steps);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &chosen, 1, rounds < 2 ? 2 : rounds, &adaptive);
    if (status == ENDO_OK) exposures_rig_neighbours(&r);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &paper, r.n_pairs, s->b->quick ? 3 : 15, &batch);
    if (status == ENDO_OK) {
        if (threads == 1) {
            add_row(s, set, "exposures brightness histogram", name, 1, &steps.brightness, 0, 0);
            add_row(s, set, "exposures rows and columns", name, 1, &steps.projected, 0, 0);
        }
        median = add_row(s, set, "exposures pair", name, r.context->threads, &single, baseline, floor);
        add_row(s, set, "exposures pair adaptive", name, r.context->threads, &adaptive, baseline, floor);
        add_row(s, set, "exposures batch", name, r.context->threads, &batch, baseline, floor / 2);
    } else if (status == ENDO_ERR_UNSUPPORTED) {
        printf("SKIP %s: %s\n", name, endo_last_error());
    } else {
        median = -1;
    }
    exposures_rig_destroy(&r);
    return median;
}

static void judge(run_state *s, const exposures_set *set, double reference, double baseline, double one, double all) {
    report *out = &s->b->report;
    char size[24];
    snprintf(size, sizeof size, "%dx%d", set->width, set->height);
    if (set->width == VGA) {
        report_target(out, "exposures: a VGA pair on one core", size, one, 0.15, "ms", 0);
        report_target(out, "exposures: a VGA pair on one core against the same algorithm in scalar C (ref)", size,
                      reference / one, 20, "x", 1);
        printf("exposures: a VGA pair on one core against the paper's steps alone, scalar: %.4g x\n", baseline / one);
    }
    if (set->width == 4000 && s->all == 2)
        report_target(out, "exposures: a 12 Mp pair; two threads over one", size, one / all, 1.7, "x", 1);
}

static int one_size(run_state *s, int width, int height, int n) {
    static const struct {
        const char *name;
        endo_cpu cpu;
    } sets[] = {{"plain C", ENDO_CPU_C}, {"AVX2", ENDO_CPU_AVX2}, {"AVX-512", ENDO_CPU_AVX512}};
    exposures_set set;
    double reference = 0, one = 0, all = 0;
    if (!exposures_set_create(&set, width, height, n)) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    double baseline = time_scalars(s, &set);
    int ready = baseline > 0;
    if (ready && width == VGA) ready = (reference = time_reference(s, &set, baseline)) > 0;
    for (int i = 0; i < 3 && ready; i++) {
        double median = one_contender(s, &set, sets[i].name, sets[i].cpu, 1, baseline);
        ready = median >= 0;
        if (median > 0) one = median;
    }
    if (ready && s->all > 1) all = one_contender(s, &set, "cpu", ENDO_CPU_BEST, s->all, baseline);
    ready = ready && all >= 0;
    if (ready && one > 0) judge(s, &set, reference, baseline, one, all);
    exposures_set_destroy(&set);
    return ready;
}

int bench_exposures(bench *b) {
    static const int sizes[][3] = {{VGA, 480, 32}, {1280, 1024, 16}, {4000, 3000, 6}};
    run_state s = {b, omp_get_num_procs(), {rate_copy(1), 0}};
    s.copy[1] = rate_copy(s.all);
    printf("\nAlignment of a pair of exposures, medians as thresholds, shifts up to 64 px; adaptive: thresholds chosen.\n"
           "Single calls on frames put anew; batch: all neighbours of a sequence in one call.\n"
           "ratio: the paper's steps alone, scalar. floor: both images (in a batch one) read at %.1f GB/s by 1 thread, %.1f by %d.\n",
           1e-9 * s.copy[0], 1e-9 * s.copy[1], s.all);
    report_heading("size, step");
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); i++)
        if (!one_size(&s, sizes[i][0], sizes[i][1], sizes[i][2])) return bench_failed("exposures");
    return 0;
}
