/* Mutual information with CUDA: [B] Figure 2 again, an evaluation (resampling, joint histogram, measure) against the
 * number of bins in every way of counting, and whole registrations.
 *
 * "kernel" is device time between events, "call" the whole evaluation with its result on the host. The baselines: every
 * count in global memory, and CUB's histogram of places that lie ready, without their resampling. The floor: both
 * volumes read once, 6 bytes a voxel, at the rate of device copies; they fit into the second cache, so that less is
 * possible. */
extern "C" {
#include "bench.h"

#include "test/phantom.h"
#include "gpu_rates.h"
#include "mutual_rig.h"
#include "timing.h"
}
#include "cuda/mutual.cuh"
#include "backend/objects.h"
extern "C" {
#include "systems/mutual/affine3.h"
#include "systems/mutual/mutual.h"
#include "systems/mutual/mutual_space.h"
}

#include <cub/device/device_histogram.cuh>
#include <math.h>
#include <string.h>

#define MOST_US 40.0     /* of an evaluation */
#define MOST_MS 30.0     /* of a registration */
#define MOST_GROWTH 1.2  /* from 32 to 256 bins */
#define THREADS 256

static const char *const way_names[MUTUAL_WAYS] = {"cuda: global", "cuda: words", "cuda: halves", "cuda: clusters",
                                                   "cuda: levels [B]"};

typedef struct cuda_run {
    mutual_rig rig;
    endo_context *context;
    double floor;   /* us */
    double chosen[MUTUAL_BINS], global; /* us: of the way that would be taken, of the textbook's */
} cuda_run;

static double add_row(cuda_run *r, const char *kernel, const char *label, const char *who, const timing *t, double scale,
                      const char *unit, double floor, double baseline) {
    report_row row = {};
    row.kernel = kernel, row.backend = who, row.threads = 1, row.unit = unit;
    row.median = scale * timing_quantile(t, 0.5), row.p90 = scale * timing_quantile(t, 0.9);
    row.baseline = baseline > 0 ? way_names[MUTUAL_GLOBAL] : "", row.floor = floor;
    if (baseline > 0) row.ratio = baseline / row.median;
    snprintf(row.size, sizeof row.size, "%s", label);
    report_add(&r->rig.b->report, &row);
    return row.median;
}

/* -------------------------------------------------------------- evaluation */

static int map_near(const cuda_run *r, const endo_mutual *m, endo_mutual_map *map) {
    double voxels[16];
    endo_mutual_in_voxels(m, 0, r->rig.near, voxels);
    return endo_affine3_to_fixed(voxels, map);
}

/* n maps a call. The times of one evaluation: of whole calls, without the events that a kernel's time takes; then of the
 * kernels. */
static endo_status time_calls(cuda_run *r, endo_mutual *m, int n, timing *call, timing *kernel, endo_mutual_sums *sums) {
    cuda_backend *b = (cuda_backend *)r->context->backend;
    endo_mutual_map maps[MUTUAL_MAPS];
    endo_mutual_sums found[MUTUAL_MAPS];
    if (!map_near(r, m, &maps[0])) return endo_fail(ENDO_ERR_ARGUMENT, "no map");
    for (int i = 1; i < n; i++) maps[i] = maps[0], maps[i].m[3] += (int64_t)i << 24;
    for (int i = 0, all = r->rig.b->quick ? 20 : 100; i < 2 * all; i++) {
        float ms = 0;
        b->timed = i >= all;
        double begun = timing_now();
        ENDO_TRY(r->context->kernels->mutual->measure(m->pair, 0, NULL, maps, n, found));
        if (i >= 5 && !b->timed) timing_add(call, (timing_now() - begun) / n);
        if (!b->timed) continue;
        ENDO_TRY(cuda_time_read(b, &ms));
        timing_add(kernel, 1e-3 * ms / n);
    }
    *sums = found[0];
    return ENDO_OK;
}

/* One number of bins, in every way that fits; all must count the same. */
static endo_status time_ways(cuda_run *r, endo_mutual *m, int number, const char *label) {
    mutual_pair *p = (mutual_pair *)m->pair;
    endo_mutual_sums first = {}, sums;
    timing unused[2] = {};
    ENDO_TRY(time_calls(r, m, 1, &unused[0], &unused[1], &sums));
    mutual_way chosen = p->ways[0]; /* by trying them */
    for (int way = 0; way < MUTUAL_WAYS; way++) {
        timing call = {}, kernel = {};
        if (!cuda_mutual_fits(p, 0, (mutual_way)way)) continue;
        p->ways[0] = (mutual_way)way;
        ENDO_TRY(time_calls(r, m, 1, &call, &kernel, &sums));
        if (way == 0) first = sums;
        if (memcmp(&first, &sums, sizeof sums)) return endo_fail(ENDO_ERR_DEVICE, "%s: other counts", way_names[way]);
        double us = add_row(r, "mutual evaluation, kernel", label, way_names[way], &kernel, 1e6, "us", r->floor,
                            way ? r->global : 0);
        if (way == 0) r->global = us;
        us = add_row(r, "mutual evaluation, call", label, way_names[way], &call, 1e6, "us", r->floor, 0);
        if (way == chosen) r->chosen[number] = us;
    }
    p->ways[0] = chosen;
    return ENDO_OK;
}

static endo_status time_batch(cuda_run *r, endo_mutual *m, const char *label) {
    timing call = {}, kernel = {};
    endo_mutual_sums sums;
    ENDO_TRY(time_calls(r, m, MUTUAL_MAPS, &call, &kernel, &sums));
    add_row(r, "mutual evaluation, of a batch", label, "cuda: kernel", &kernel, 1e6, "us", r->floor, 0);
    add_row(r, "mutual evaluation, of a batch", label, "cuda: call", &call, 1e6, "us", r->floor, 0);
    return ENDO_OK;
}

/* ----------------------------------------------------------------- CUB */

/* Places in the histogram as samples; 65535: not counted. */
__global__ static void places_kernel(mutual_level l, endo_mutual_map map, uint16_t *places) {
    int i = blockIdx.x * THREADS + threadIdx.x, inside = 1, f[3], at[3];
    if (i >= l.size[0] * l.size[1] * l.size[2]) return;
    for (int k = 0; k < 3; k++) {
        int32_t p = mutual_position(map.m + 4 * k, i % l.size[0], i / l.size[0] % l.size[1], i / l.size[0] / l.size[1]);
        inside &= endo_mutual_is_inside(p, l.moving_size[k]);
        p += 1 << 8;
        at[k] = p >> 16, f[k] = endo_mutual_fraction(p);
    }
    places[i] = 65535;
    if (!inside) return;
    const uint32_t *element = l.moving + at[2] * l.slice + at[1] * l.stride + at[0];
    uint8_t level[8];
    for (int k = 0; k < 8; k++) level[k] = (uint8_t)(element[k & 1] >> 8 * (k >> 1));
    places[i] = (uint16_t)(l.fixed[i] * l.bins + endo_mutual_moving_bin(endo_mutual_interpolate(level, f), 1 << 16, l.bins));
}

static endo_status time_cub(cuda_run *r, endo_mutual *m, const char *label) {
    cuda_backend *b = (cuda_backend *)r->context->backend;
    const mutual_level *l = &((mutual_pair *)m->pair)->levels[0];
    int all = l->bins * l->bins;
    size_t bytes = 0, places = (size_t)MUTUAL_VOXELS * 2, counts = (size_t)all * 4;
    endo_mutual_map map;
    timing t = {};
    if (!map_near(r, m, &map)) return ENDO_OK;
    ENDO_CUDA(b, cub::DeviceHistogram::HistogramEven(NULL, bytes, (uint16_t *)NULL, (int *)NULL, all + 1, 0, all,
                                                     MUTUAL_VOXELS, b->stream));
    ENDO_TRY(cuda_reserve(b, &b->scratch, places + counts + bytes));
    uint16_t *samples = (uint16_t *)b->scratch.memory;
    int *found = (int *)((uint8_t *)samples + places);
    places_kernel<<<mutual_blocks(MUTUAL_VOXELS, THREADS), THREADS, 0, b->stream>>>(*l, map, samples);
    for (int i = 0; i < 30; i++) {
        float ms = 0;
        cuda_time_begin(b);
        ENDO_CUDA(b, cub::DeviceHistogram::HistogramEven((uint8_t *)found + counts, bytes, samples, found, all + 1, 0, all,
                                                         MUTUAL_VOXELS, b->stream));
        cuda_time_end(b);
        ENDO_TRY(cuda_time_read(b, &ms));
        if (i >= 5) timing_add(&t, 1e-3 * ms);
    }
    add_row(r, "histogram alone, kernel", label, "CUB", &t, 1e6, "us", 0, 0);
    return ENDO_OK;
}

static endo_status bench_bins(cuda_run *r, int number) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
    char label[24];
    o.bins = mutual_bins[number], o.levels = 1, r->global = 0;
    snprintf(label, sizeof label, "%dx%d bins", o.bins, o.bins);
    endo_status status = endo_mutual_create(r->context, &r->rig.fixed, &r->rig.moving, &o, &m);
    if (status == ENDO_OK) status = time_ways(r, m, number, label);
    if (status == ENDO_OK && (o.bins == 64 || o.bins == 240)) status = time_batch(r, m, label);
    if (status == ENDO_OK && o.bins == 240) status = time_cub(r, m, label);
    endo_mutual_destroy(&m);
    if (status == ENDO_OK && o.bins == 240)
        report_target(&r->rig.b->report, "CUDA mutual evaluation (the call)", label, r->chosen[number], MOST_US, "us", 0);
    return status;
}

static void judge_growth(cuda_run *r) {
    double least = INFINITY, most = 0;
    for (int i = 1; i < MUTUAL_BINS; i++) least = fmin(least, r->chosen[i]), most = fmax(most, r->chosen[i]);
    report_target(&r->rig.b->report, "CUDA mutual evaluation: slowest to fastest", "32..256 bins", most / least,
                  MOST_GROWTH, "", 0);
}

/* ------------------------------------------------------------- registration */

static endo_status register_once(cuda_run *r, endo_context *context, const endo_mutual_options *o, endo_mutual_result *result,
                                 timing *t) {
    endo_mutual *m = NULL;
    double begun = timing_now(), made = begun;
    endo_status status = endo_mutual_create(context, &r->rig.fixed, &r->rig.moving, o, &m);
    if (status == ENDO_OK) made = timing_now(), status = endo_mutual_register(m, result);
    timing_add(&t[0], timing_now() - begun);
    timing_add(&t[1], made - begun);
    endo_mutual_destroy(&m);
    return status;
}

/* Whether the CPU finds the same bytes. */
static endo_status compare_with_cpu(cuda_run *r, const endo_mutual_options *o, const endo_mutual_result *cuda) {
    endo_context_options c = endo_context_options_default();
    endo_context *context = NULL;
    endo_mutual_result cpu;
    timing unused[2] = {};
    c.backend = ENDO_BACKEND_CPU;
    ENDO_TRY(endo_context_create(&c, &context));
    endo_status status = register_once(r, context, o, &cpu, unused);
    endo_context_destroy(&context);
    if (status == ENDO_OK)
        printf("  %s\n", memcmp(cpu.world, cuda->world, sizeof cpu.world) ? "the CPU found ANOTHER transform"
                                                                         : "the CPU found the same bytes");
    return status;
}

static endo_status bench_registration(cuda_run *r, const char *name, const endo_mutual_options *o) {
    endo_mutual_result result;
    timing t[2] = {};
    char label[24];
    snprintf(label, sizeof label, "%s, %d bins", name, o->bins);
    ((cuda_backend *)r->context->backend)->timed = 0; /* as it runs elsewhere */
    for (int i = 0; i < (r->rig.b->quick ? 3 : 20); i++) ENDO_TRY(register_once(r, r->context, o, &result, t));
    double ms = add_row(r, "mutual registration", label, "cuda", &t[0], 1e3, "ms", 0, 0);
    add_row(r, "mutual registration: volumes", label, "cuda", &t[1], 1e3, "ms", 0, 0);
    double error = phantom_distance(result.world, r->rig.truth, r->rig.fixed.spacing);
    printf("  %lld evaluations, %.3f voxels off, status %d\n", (long long)result.evaluations, error, result.status);
    for (int i = 0; i < result.levels; i++)
        printf("  %d x %d x %d, %d bins: %lld evaluations, %.2f ms\n", result.level[i].width, result.level[i].height,
               result.level[i].depth, result.level[i].bins, (long long)result.level[i].evaluations,
               1e3 * result.level[i].seconds);
    report_target(&r->rig.b->report, "CUDA mutual registration", label, ms, MOST_MS, "ms", 0);
    report_target(&r->rig.b->report, "CUDA mutual registration, off by", label, error, MUTUAL_MOST_ERROR, "voxels", 0);
    return compare_with_cpu(r, o, &result);
}

static endo_status bench_registrations(cuda_run *r) {
    static const char *const names[2] = {"Powell", "Gradient"};
    static const int bins[2] = {64, 240};
    for (int k = 0; k < 4; k++) {
        endo_mutual_options o = endo_mutual_options_default();
        o.optimizer = (endo_mutual_optimizer)(k / 2), o.bins = bins[k % 2];
        ENDO_TRY(bench_registration(r, names[k / 2], &o));
    }
    return ENDO_OK;
}

extern "C" int bench_mutual_cuda(bench *b) {
    cuda_run r = {};
    endo_context_options o = endo_context_options_default();
    char reason[160];
    if (endo_device_count(reason, sizeof reason) == 0) {
        printf("\nSKIP mutual-cuda: %s\n", reason);
        return 0;
    }
    o.backend = ENDO_BACKEND_CUDA;
    endo_status status = endo_context_create(&o, &r.context);
    if (status == ENDO_OK) status = cuda_time_enable((cuda_backend *)r.context->backend);
    if (status == ENDO_OK && !mutual_rig_make(&r.rig, b)) status = endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    double rate = gpu_rate_copy();
    r.floor = rate > 0 ? 1e6 * 6 * MUTUAL_VOXELS / rate : 0;
    report_heading("mutual information, cuda");
    for (int i = 0; i < MUTUAL_BINS && status == ENDO_OK; i++) status = bench_bins(&r, i);
    if (status == ENDO_OK) judge_growth(&r);
    if (status == ENDO_OK) status = bench_registrations(&r);
    mutual_rig_free(&r.rig);
    endo_context_destroy(&r.context);
    return status == ENDO_OK ? 0 : bench_failed("mutual-cuda");
}
