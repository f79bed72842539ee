/* Fourier registration with CUDA: a pair at three sizes, from arrays and resident, and a batch.
 *
 * "resident": both frames were just put into a store, and nothing has been made of them; "kept": the same call again, which
 * finds their levels and spectra. All of the call counts. */
extern "C" {
#include "bench.h"

#include "backend/objects.h"
#include "test/scene.h"
#include "timing.h"
}
#include "cuda/cuda.h"

#include <math.h>
#include <string.h>

#define BATCH 512
#define BATCH_SIDE 512
/* Pairs of the batch that differ; the others are their copies. */
#define SCENES 8
#define DEGREES 10.0
#define SCALE 1.2

typedef struct fourier_rig {
    bench *b;
    endo_context *context;
    int repeats;
} fourier_rig;

static double add_row(fourier_rig *r, const char *kernel, const char *how, int side, const timing *t, double scale,
                      const char *unit) {
    report_row row = {};
    row.kernel = kernel, row.backend = how, row.threads = 1, row.unit = unit, row.baseline = "";
    snprintf(row.size, sizeof row.size, "%dx%d", side, side);
    row.median = scale * timing_quantile(t, 0.5);
    row.p90 = scale * timing_quantile(t, 0.9);
    report_add(&r->b->report, &row);
    return row.median;
}

/* Both images of a pair, one after the other: the same features at every size. */
static uint8_t *make_pair(int side, uint64_t seed) {
    size_t area = (size_t)side * side;
    uint8_t *pair = (uint8_t *)endo_alloc(2 * area, 1);
    test_scene scene;
    double pitch = 512.0 / side, angle = DEGREES * 3.14159265358979323846 / 180, middle = (side - 1) / 2.0;
    double a = pitch * SCALE * cos(angle), b = pitch * SCALE * sin(angle);
    double still[6] = {pitch, 0, 0, 0, pitch, 0};
    double turned[6] = {a, -b, pitch * middle - (a - b) * middle + 9, b, a, pitch * middle - (a + b) * middle - 7};
    if (!pair) return NULL;
    test_scene_init(&scene, seed);
    test_scene_render(&scene, still, side, side, pair);
    test_scene_render(&scene, turned, side, side, pair + area);
    return pair;
}

static int is_right(const endo_fourier_result *f) {
    if (f->status == ENDO_FOURIER_OK && fabs(f->angle - DEGREES) < 0.1 && fabs(f->scale - SCALE) < 0.005) return 1;
    fprintf(stderr, "endo_bench: found %g degrees, scale %g, status %d, ncc %g\n", f->angle, f->scale, (int)f->status, f->ncc);
    return 0;
}

static endo_status make_frames(fourier_rig *r, int side, int capacity, endo_frames **frames) {
    endo_frames_options o = endo_frames_options_default();
    o.width = o.height = side, o.capacity = capacity, o.type = ENDO_GREY8;
    o.flow = o.keep_pixels = o.highlights = 0;
    return endo_frames_create(r->context, &o, frames);
}

static endo_status put_pair(fourier_rig *r, endo_frames *frames, const uint8_t *pair, int side, int slot) {
    cuda_backend *device = (cuda_backend *)r->context->backend;
    endo_status status = endo_frames_put(frames, slot, pair, side);
    if (status == ENDO_OK) status = endo_frames_put(frames, slot + 1, pair + (size_t)side * side, side);
    return status == ENDO_OK && cudaStreamSynchronize(device->puts.stream) != cudaSuccess ? ENDO_ERR_DEVICE : status;
}

static int time_resident(fourier_rig *r, const uint8_t *pair, int side, const endo_fourier_options *o, timing *fresh,
                         timing *kept) {
    endo_frames *frames = NULL;
    endo_fourier_pair p = {0, 1, side, side, side, side};
    endo_fourier_result found;
    endo_status status = make_frames(r, side, 2, &frames);
    for (int k = 0; k < r->repeats + 3 && status == ENDO_OK; k++) {
        status = put_pair(r, frames, pair, side, 0);
        for (int again = 0; again < 2 && status == ENDO_OK; again++) {
            double start = timing_now();
            status = endo_fourier_register(frames, &p, 1, o, &found);
            if (k >= 3) timing_add(again ? kept : fresh, timing_now() - start);
        }
    }
    endo_frames_destroy(&frames);
    return status == ENDO_OK && (o->paper || is_right(&found));
}

static int time_arrays(fourier_rig *r, const uint8_t *pair, int side, const endo_fourier_options *o, timing *t) {
    endo_fourier_image a = {pair, ENDO_GREY8, side, side, side, 0, 65535};
    endo_fourier_image b = {pair + (size_t)side * side, ENDO_GREY8, side, side, side, 0, 65535};
    endo_fourier_result found;
    for (int k = 0; k < r->repeats / 4 + 3; k++) {
        double start = timing_now();
        if (endo_fourier_register_images(r->context, &a, &b, o, &found) != ENDO_OK) return 0;
        if (k >= 3) timing_add(t, timing_now() - start);
    }
    return 1;
}

static int bench_pair(fourier_rig *r, int side) {
    timing fresh = {}, kept = {}, arrays = {}, paper_fresh = {}, paper_kept = {};
    endo_fourier_options o = endo_fourier_options_default(), paper = o;
    uint8_t *pair = make_pair(side, 5);
    paper.paper = 1, paper.window = ENDO_WINDOW_NONE;
    int done = pair && time_resident(r, pair, side, &o, &fresh, &kept) && time_arrays(r, pair, side, &o, &arrays) &&
               time_resident(r, pair, side, &paper, &paper_fresh, &paper_kept);
    endo_free(pair);
    if (!done) return 0;
    double median = add_row(r, "fourier pair", "cuda: resident", side, &fresh, 1e3, "ms");
    add_row(r, "fourier pair", "cuda: kept", side, &kept, 1e3, "ms");
    add_row(r, "fourier pair", "cuda: arrays", side, &arrays, 1e3, "ms");
    add_row(r, "fourier pair, paper", "cuda: resident", side, &paper_fresh, 1e3, "ms");
    add_row(r, "fourier pair, paper", "cuda: kept", side, &paper_kept, 1e3, "ms");
    if (side == 2048) report_target(&r->b->report, "fourier, 2048 resident", "2048x2048", median, 0.25, "ms", 0);
    return 1;
}

static endo_status put_batch(fourier_rig *r, endo_frames *frames, uint8_t *const *pairs) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < BATCH && status == ENDO_OK; i++) status = put_pair(r, frames, pairs[i % SCENES], BATCH_SIDE, 2 * i);
    return status;
}

static int time_batch(fourier_rig *r, uint8_t *const *pairs, timing *fresh, timing *kept) {
    static endo_fourier_pair asked[BATCH];
    static endo_fourier_result found[BATCH];
    endo_fourier_options o = endo_fourier_options_default();
    endo_frames *frames = NULL;
    endo_status status = make_frames(r, BATCH_SIDE, 2 * BATCH, &frames);
    for (int i = 0; i < BATCH; i++) {
        endo_fourier_pair p = {2 * i, 2 * i + 1, BATCH_SIDE, BATCH_SIDE, BATCH_SIDE, BATCH_SIDE};
        asked[i] = p;
    }
    for (int k = 0; k < 6 && status == ENDO_OK; k++) {
        status = put_batch(r, frames, pairs);
        for (int again = 0; again < 2 && status == ENDO_OK; again++) {
            double start = timing_now();
            status = endo_fourier_register(frames, asked, BATCH, &o, found);
            if (k > 0) timing_add(again ? kept : fresh, (timing_now() - start) / BATCH);
        }
    }
    endo_frames_destroy(&frames);
    for (int i = 0; i < BATCH && status == ENDO_OK; i++)
        if (!is_right(&found[i])) return 0;
    return status == ENDO_OK;
}

static int bench_batch(fourier_rig *r) {
    uint8_t *pairs[SCENES] = {};
    timing fresh = {}, kept = {};
    int done = 1;
    for (int i = 0; i < SCENES; i++) done &= (pairs[i] = make_pair(BATCH_SIDE, 11 + i)) != NULL;
    done = done && time_batch(r, pairs, &fresh, &kept);
    for (int i = 0; i < SCENES; i++) endo_free(pairs[i]);
    if (!done) return 0;
    double each = add_row(r, "fourier batch of 512", "cuda: resident", BATCH_SIDE, &fresh, 1e6, "us a pair");
    add_row(r, "fourier batch of 512", "cuda: kept", BATCH_SIDE, &kept, 1e6, "us a pair");
    report_target(&r->b->report, "fourier batch, pairs a second", "512x512", 1e6 / each, 20000, "pairs/s", 1);
    return 1;
}

extern "C" int bench_fourier_cuda(bench *b) {
    fourier_rig r = {b, NULL, b->quick ? 20 : 100};
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CUDA;
    if (endo_context_create(&o, &r.context) != ENDO_OK) return bench_failed("fourier-cuda");
    report_heading("fourier, cuda");
    int done = bench_pair(&r, 512) && bench_pair(&r, 1024) && bench_pair(&r, 2048) && bench_batch(&r);
    endo_context_destroy(&r.context);
    return done ? 0 : bench_failed("fourier-cuda");
}
