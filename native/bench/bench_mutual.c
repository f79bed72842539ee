/* Registration by mutual information on the CPU: one evaluation (resampling, joint histogram, measure) against the number
 * of bins, [B] Figure 2, and whole registrations.
 *
 * The volumes are [B]'s size, 256 x 256 x 60, a head in two modalities, the second one turned and shifted. The baseline
 * is the loop of a textbook: one thread, positions, interpolation and histogram in double precision. */
#include "bench.h"

#include "base/openmp.h"

#include "api/testing.h"
#include "backend/objects.h"
#include "systems/mutual/affine3.h"
#include "test/phantom.h"
#include "mutual_rig.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXTBOOK "textbook: one thread"
#define MOST_MS 14.0       /* of an evaluation on one core */
#define MOST_SECONDS 1.0   /* of a registration on two */
enum { WIDTH = MUTUAL_WIDTH, HEIGHT = MUTUAL_HEIGHT, DEPTH = MUTUAL_DEPTH };

/* -------------------------------------------------------------- evaluation */

static double trilinear(const uint8_t *p, const double at[3]) {
    int x = (int)at[0], y = (int)at[1], z = (int)at[2];
    double fx = at[0] - x, fy = at[1] - y, fz = at[2] - z, sum = 0;
    for (int k = 0; k < 8; k++) {
        int u = k & 1, v = k >> 1 & 1, w = k >> 2;
        double weight = (u ? fx : 1 - fx) * (v ? fy : 1 - fy) * (w ? fz : 1 - fz);
        if (weight > 0) sum += weight * p[((size_t)(z + w) * HEIGHT + y + v) * WIDTH + x + u];
    }
    return sum;
}

static double textbook(const mutual_rig *r, const double voxels[16], int bins, double *counts) {
    double n = 0, information = 0, rows[256] = {0}, columns[256] = {0};
    memset(counts, 0, (size_t)bins * bins * sizeof *counts);
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                double at[3] = {x, y, z};
                endo_affine3_apply(voxels, at, at);
                if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] > WIDTH - 1 || at[1] > HEIGHT - 1 || at[2] > DEPTH - 1)
                    continue;
                int a = r->pixels[0][((size_t)z * HEIGHT + y) * WIDTH + x] * bins / 256;
                counts[a * bins + (int)(trilinear(r->pixels[1], at) * bins / 256)]++, n++;
            }
    for (int i = 0; i < bins * bins; i++) rows[i / bins] += counts[i], columns[i % bins] += counts[i];
    for (int i = 0; i < bins * bins; i++)
        if (counts[i] > 0) information += counts[i] / n * log2(counts[i] * n / (rows[i / bins] * columns[i % bins]));
    return information;
}

static double add_row(mutual_rig *r, const char *kernel, const char *label, const char *who, int threads, const timing *t,
                      const char *unit, double scale, double baseline) {
    report_row row = {.kernel = kernel, .backend = who, .threads = threads, .unit = unit,
                      .median = scale * timing_quantile(t, 0.5), .p90 = scale * timing_quantile(t, 0.9),
                      .baseline = baseline > 0 ? TEXTBOOK : ""};
    snprintf(row.size, sizeof row.size, "%s", label);
    if (baseline > 0) row.ratio = baseline / row.median;
    report_add(&r->b->report, &row);
    return row.median;
}

/* Both volumes have one world but for the motion. */
static void in_voxels(const mutual_rig *r, const double world[16], double voxels[16]) {
    double to_mm[16], to_voxels[16];
    endo_affine3_identity(to_mm);
    const int size[3] = {WIDTH, HEIGHT, DEPTH};
    for (int i = 0; i < 3; i++)
        to_mm[5 * i] = r->fixed.spacing[i], to_mm[4 * i + 3] = -r->fixed.spacing[i] * (size[i] - 1) / 2.0;
    endo_affine3_invert(to_mm, to_voxels);
    endo_affine3_product(to_mm, world, voxels);
    endo_affine3_product(voxels, to_voxels, voxels);
}

static double time_textbook(mutual_rig *r, int bins, const char *label) {
    double voxels[16], *counts = endo_alloc((size_t)bins * bins, sizeof *counts);
    timing t = {.n = 0};
    if (!counts) return 0;
    in_voxels(r, r->near, voxels);
    for (int i = 0; i < (r->b->quick ? 1 : 5); i++) {
        double begun = timing_now();
        textbook(r, voxels, bins, counts);
        timing_add(&t, timing_now() - begun);
    }
    endo_free(counts);
    return add_row(r, "mutual evaluation", label, TEXTBOOK, 1, &t, "ms", 1e3, 0);
}

/* Median, ms; 0: this machine lacks it; -1: failed. */
static double time_evaluation(mutual_rig *r, int bins, const char *label, const char *who, endo_cpu cpu, int threads,
                              double baseline) {
    endo_context_options o = endo_context_options_default();
    endo_mutual_options m = endo_mutual_options_default();
    endo_context *context = NULL;
    endo_mutual *mutual = NULL;
    timing t = {.n = 0};
    double value;
    o.cpu = cpu, o.threads = threads, m.bins = bins, m.levels = 1;
    endo_status status = endo_context_create_with(&endo_kernels_cpu, &o, &context);
    if (status == ENDO_ERR_UNSUPPORTED) return 0;
    if (status == ENDO_OK) status = endo_mutual_create(context, &r->fixed, &r->moving, &m, &mutual);
    for (int i = 0; i < (r->b->quick ? 10 : 60) && status == ENDO_OK; i++) {
        double begun = timing_now();
        status = endo_mutual_evaluate(mutual, r->near, 1, &value, NULL);
        timing_add(&t, timing_now() - begun);
    }
    endo_mutual_destroy(&mutual);
    endo_context_destroy(&context);
    if (status != ENDO_OK) return -1;
    return add_row(r, "mutual evaluation", label, who, threads, &t, "ms", 1e3, baseline);
}

static int bench_bins(mutual_rig *r, int bins) {
    static const struct {
        const char *name;
        endo_cpu cpu;
    } sets[] = {{"plain C", ENDO_CPU_C}, {"AVX2", ENDO_CPU_AVX2}, {"AVX-512", ENDO_CPU_AVX512}};
    char label[24];
    double best = 0;
    snprintf(label, sizeof label, "%dx%d bins", bins, bins);
    double baseline = bins == 64 || bins == 240 ? time_textbook(r, bins, label) : 0;
    for (int k = 0; k < 3; k++) {
        double ms = time_evaluation(r, bins, label, sets[k].name, sets[k].cpu, 1, baseline);
        if (ms < 0) return 0;
        if (ms > 0) best = ms;
    }
    if (r->all > 1 && time_evaluation(r, bins, label, "cpu", ENDO_CPU_BEST, r->all, baseline) < 0) return 0;
    if (bins == 240) report_target(&r->b->report, "mutual evaluation, one core", label, best, MOST_MS, "ms", 0);
    return 1;
}

/* ------------------------------------------------------------- registration */

/* From the volumes to the transform. */
static endo_status register_once(mutual_rig *r, endo_context *context, const endo_mutual_options *o, endo_mutual_result *result,
                                 timing *t) {
    endo_mutual *mutual = NULL;
    double begun = timing_now();
    endo_status status = endo_mutual_create(context, &r->fixed, &r->moving, o, &mutual);
    if (status == ENDO_OK) status = endo_mutual_register(mutual, result);
    endo_mutual_destroy(&mutual);
    timing_add(t, timing_now() - begun);
    return status;
}

static int time_registration(mutual_rig *r, const char *name, const endo_mutual_options *o, int threads, double wanted) {
    endo_context_options c = endo_context_options_default();
    endo_context *context = NULL;
    endo_mutual_result result;
    timing t = {.n = 0};
    char label[24];
    c.threads = threads;
    snprintf(label, sizeof label, "%s, %d bins", name, o->bins);
    endo_status status = endo_context_create_with(&endo_kernels_cpu, &c, &context);
    for (int i = 0; i < (r->b->quick ? 1 : 7) && status == ENDO_OK; i++) status = register_once(r, context, o, &result, &t);
    endo_context_destroy(&context);
    if (status != ENDO_OK) return 0;
    double seconds = add_row(r, "mutual registration", label, "cpu", threads, &t, "s", 1, 0);
    double error = phantom_distance(result.world, r->truth, r->fixed.spacing);
    printf("  %lld evaluations, %.3f voxels off, status %d\n", (long long)result.evaluations, error, result.status);
    for (int i = 0; i < result.levels; i++)
        printf("  %d x %d x %d, %d bins: %lld evaluations, %.1f ms\n", result.level[i].width, result.level[i].height,
               result.level[i].depth, result.level[i].bins, (long long)result.level[i].evaluations,
               1e3 * result.level[i].seconds);
    if (wanted > 0) report_target(&r->b->report, "mutual registration", label, seconds, wanted, "s", 0);
    report_target(&r->b->report, "mutual registration, off by", label, error, MUTUAL_MOST_ERROR, "voxels", 0);
    return 1;
}

static int bench_registrations(mutual_rig *r) {
    static const char *const names[2] = {"Powell", "Gradient"};
    static const int bins[2] = {64, 240};
    for (int k = 0; k < 4; k++)
        for (int threads = 1; threads <= r->all; threads++) {
            endo_mutual_options o = endo_mutual_options_default();
            o.optimizer = (endo_mutual_optimizer)(k / 2), o.bins = bins[k % 2];
            if (!time_registration(r, names[k / 2], &o, threads, threads == 2 ? MOST_SECONDS : 0)) return 0;
        }
    return 1;
}

int bench_mutual(bench *b) {
    mutual_rig r;
    int ready = mutual_rig_make(&r, b);
    if (!ready) endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    report_heading("mutual information");
    for (int i = 0; i < MUTUAL_BINS && ready; i++) ready = bench_bins(&r, mutual_bins[i]);
    if (ready) ready = bench_registrations(&r);
    mutual_rig_free(&r);
    return ready ? 0 : bench_failed("mutual information");
}
