/* Alignment of exposures with CUDA: [G] Table 2 again, larger images, batches.
 *
 * "cuda: kernel" is device time between events, "cuda: call" the whole call with frames resident; both on frames
 * put anew, so that nothing is kept from the call before. The CPU rows are of the same machine and run. */
extern "C" {
#include "bench.h"

#include "exposures_rig.h"
#include "gpu_rates.h"
#include "timing.h"
}
#include "cuda/cuda.h"

#define BATCH 1000

typedef struct run_state {
    bench *b;
    double copy; /* bytes a second within device memory */
    int all;     /* threads of the CPU */
} run_state;

static double add_row(run_state *s, const exposures_set *set, const char *kernel, const char *who, int threads,
                      const timing *t, double floor) {
    report_row row = {};
    row.kernel = kernel, row.backend = who, row.threads = threads, row.unit = "us a pair", row.baseline = "";
    snprintf(row.size, sizeof row.size, "%dx%d", set->width, set->height);
    row.median = 1e6 * timing_quantile(t, 0.5);
    row.p90 = 1e6 * timing_quantile(t, 0.9);
    row.floor = floor;
    report_add(&s->b->report, &row);
    return row.median;
}

/* Calls of per_call pairs, on frames put anew each round. */
static int time_device(exposures_rig *r, const endo_exposure_options *p, size_t per_call, int rounds, timing *call,
                       timing *kernel) {
    cuda_backend *device = (cuda_backend *)r->context->backend;
    if (exposures_rig_align(r, p, 0, r->n_pairs) != ENDO_OK || exposures_rig_check(r) != ENDO_OK) return 0;
    for (int round = 0; round < rounds; round++) {
        if (exposures_rig_refill(r) != ENDO_OK || cudaStreamSynchronize(device->puts.stream) != cudaSuccess) return 0;
        for (size_t i = 0; i + per_call <= r->n_pairs; i += per_call) {
            float ms = 0;
            double start = timing_now();
            if (exposures_rig_align(r, p, i, per_call) != ENDO_OK) return 0;
            timing_add(call, (timing_now() - start) / (double)per_call);
            if (cuda_time_read(device, &ms) != ENDO_OK) return 0;
            timing_add(kernel, 1e-3 * ms / (double)per_call);
        }
    }
    return 1;
}

typedef struct medians {
    double call, kernel; /* us a pair; of a CPU only call */
} medians;

static int report_device(run_state *s, exposures_rig *r, const char *kernel, size_t per_call, int rounds, double floor,
                         medians *out) {
    endo_exposure_options p = exposures_paper_params();
    timing call = {}, device = {};
    if (!time_device(r, &p, per_call, rounds, &call, &device)) return 0;
    out->call = add_row(s, r->set, kernel, "cuda: call", 1, &call, floor);
    out->kernel = add_row(s, r->set, kernel, "cuda: kernel", 1, &device, floor);
    return 1;
}

static int report_cpu(run_state *s, const exposures_set *set, int threads) {
    exposures_rig r;
    timing single = {}, batch = {};
    endo_exposure_options p = exposures_paper_params();
    endo_context_options o = endo_context_options_default();
    o.threads = threads;
    endo_status status = exposures_rig_create(&r, set, &endo_kernels_cpu, &o, set->n);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &p, 1, 5, &single);
    if (status == ENDO_OK) exposures_rig_neighbours(&r);
    if (status == ENDO_OK) status = exposures_rig_time(&r, &p, r.n_pairs, 9, &batch);
    if (status == ENDO_OK) {
        add_row(s, set, "exposures pair", "cpu", r.context->threads, &single, 0);
        add_row(s, set, "exposures batch", "cpu", r.context->threads, &batch, 0);
    } else if (status == ENDO_ERR_UNSUPPORTED) {
        printf("SKIP cpu: %s\n", endo_last_error());
        status = ENDO_OK;
    }
    exposures_rig_destroy(&r);
    return status == ENDO_OK;
}

static void judge(run_state *s, const exposures_set *set, const medians *pair, const medians *batch) {
    report *out = &s->b->report;
    if (set->width == 640) {
        report_target(out, "CUDA exposures: one pair (device time)", "640x480", pair->kernel, 20, "us", 0);
        report_target(out, "CUDA exposures: a batch of 1000 (device time)", "640x480", batch->kernel, 1, "us a pair", 0);
    }
    if (set->width == 4000)
        report_target(out, "CUDA exposures: one pair resident (the call)", "4000x3000", 1e-3 * pair->call, 0.2, "ms", 0);
}

/* batch: neighbours of a sequence of batch + 1 frames in one call. */
static int one_size(run_state *s, int width, int height, int n, int batch) {
    exposures_rig r;
    exposures_set set;
    endo_context_options o = endo_context_options_default();
    medians single = {}, many = {};
    double floor = s->copy > 0 ? 1e6 * width * height / s->copy : 0; /* a frame */
    int rounds = s->b->quick ? 3 : 10;
    if (!exposures_set_create(&set, width, height, n)) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    o.backend = ENDO_BACKEND_CUDA;
    endo_status status = exposures_rig_create(&r, &set, &endo_kernels_cuda, &o, n);
    int ready = status == ENDO_OK && cuda_time_enable((cuda_backend *)r.context->backend) == ENDO_OK &&
                report_device(s, &r, "exposures pair", 1, rounds, 2 * floor, &single);
    exposures_rig_destroy(&r);
    if (ready) {
        status = exposures_rig_create(&r, &set, &endo_kernels_cuda, &o, batch + 1);
        if (status == ENDO_OK) exposures_rig_neighbours(&r);
        ready = status == ENDO_OK && cuda_time_enable((cuda_backend *)r.context->backend) == ENDO_OK &&
                report_device(s, &r, "exposures batch", r.n_pairs, rounds, floor, &many);
        exposures_rig_destroy(&r);
    }
    ready = ready && report_cpu(s, &set, s->all) && report_cpu(s, &set, 1);
    if (ready) judge(s, &set, &single, &many);
    exposures_set_destroy(&set);
    return ready;
}

extern "C" int bench_exposures_cuda(bench *b) {
    static const int sizes[][4] = {{640, 480, 32, BATCH}, {1280, 1024, 16, BATCH}, {4000, 3000, 6, 100}};
    run_state s = {b, 0, 0};
    char reason[160];
    if (endo_device_count(reason, sizeof reason) == 0) {
        printf("\nSKIP exposures-cuda: %s\n", reason);
        return 0;
    }
    s.copy = gpu_rate_copy();
    printf("\nAlignment of a pair of exposures, medians as thresholds, shifts up to 64 px, frames resident.\n"
           "floor: both images (in a batch one) read at %.0f GB/s of device copies.\n",
           1e-9 * s.copy);
    report_heading("size");
    for (int i = 0; i < (b->quick ? 1 : 3); i++)
        if (!one_size(&s, sizes[i][0], sizes[i][1], sizes[i][2], b->quick ? 100 : sizes[i][3]))
            return bench_failed("exposures-cuda");
    return 0;
}
