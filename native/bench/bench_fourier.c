/* Fourier registration on the CPU: [F] Table 1 (its sizes; rotated by 33 degrees, scale 1.2), with the paper's own way and
 * with the default one.
 *
 * arrays: one call from two images in memory, with a store of its own. resident: a call on stored frames whose slots were
 * filled anew. again: the same pair once more, when what is kept of the frames is there. batch: one frame against
 * many, each new. Every result is checked against the truth. */
#include "bench.h"

#include "base/openmp.h"

#include "timing.h"

#include "test/fourier_scene.h"
#include "backend/objects.h"

#include <math.h>
#include <string.h>

#define BATCH 8

typedef struct fourier_rig {
    int side, n; /* images */
    uint8_t *images[BATCH];
    fourier_truth truth;
    endo_context *context;
    endo_frames *frames;
} fourier_rig;

static void rig_free(fourier_rig *r) {
    for (int i = 0; i < r->n; i++) endo_free(r->images[i]);
    endo_frames_destroy(&r->frames);
    endo_context_destroy(&r->context);
}

/* The first two images are the pair; the others are the second one again. */
static int rig_create(fourier_rig *r, int side, int threads) {
    fourier_texture texture;
    endo_context_options co = endo_context_options_default();
    endo_frames_options fo = endo_frames_options_default();
    memset(r, 0, sizeof *r);
    r->side = side, r->n = BATCH;
    co.backend = ENDO_BACKEND_CPU, co.threads = threads;
    fo.width = fo.height = side, fo.capacity = BATCH, fo.flow = fo.keep_pixels = 0;
    for (int i = 0; i < BATCH; i++)
        if (!(r->images[i] = endo_alloc((size_t)side * side, 1))) return 0;
    if (!fourier_texture_make(7, &texture)) return 0;
    fourier_known_pair(&texture, side, 33, 1.2, 0.04 * side, -0.03 * side, r->images[0], r->images[1], &r->truth);
    fourier_texture_free(&texture);
    for (int i = 2; i < BATCH; i++) memcpy(r->images[i], r->images[1], (size_t)side * side);
    return endo_context_create(&co, &r->context) == ENDO_OK && endo_frames_create(r->context, &fo, &r->frames) == ENDO_OK;
}

static int refill(fourier_rig *r) {
    for (int i = 0; i < BATCH; i++)
        if (endo_frames_put(r->frames, i, r->images[i], r->side) != ENDO_OK) return 0;
    return 1;
}

/* Within a bin of the paper's. */
static int is_right(const fourier_rig *r, const endo_fourier_result *f) {
    if (fabs(f->angle - r->truth.angle) < 1 && fabs(f->scale / r->truth.scale - 1) < 0.02) return 1;
    endo_fail(ENDO_ERR_INTERNAL, "%d x %d: %.2f degrees and %.3f, should be %.2f and %.3f", r->side, r->side, f->angle, f->scale,
              r->truth.angle, r->truth.scale);
    return 0;
}

static int time_arrays(const fourier_rig *r, const endo_fourier_options *o, int repeats, timing *t) {
    endo_fourier_image a = {r->images[0], ENDO_GREY8, r->side, r->side, r->side, 0, 65535}, b = a;
    endo_fourier_result result;
    b.pixels = r->images[1];
    for (int i = 0; i < repeats; i++) {
        double start = timing_now();
        if (endo_fourier_register_images(r->context, &a, &b, o, &result) != ENDO_OK) return 0;
        if (i) timing_add(t, timing_now() - start); /* plans are made in the first */
    }
    return is_right(r, &result);
}

static int time_frames(fourier_rig *r, const endo_fourier_options *o, size_t pairs, int renew, int repeats, timing *t) {
    endo_fourier_pair asked[BATCH];
    endo_fourier_result results[BATCH];
    for (int i = 0; i < BATCH; i++) asked[i] = (endo_fourier_pair){0, 1 + i % (BATCH - 1), 0, 0, 0, 0};
    for (int i = 0; i < repeats; i++) {
        if ((renew || i == 0) && !refill(r)) return 0;
        double start = timing_now();
        if (endo_fourier_register(r->frames, asked, pairs, o, results) != ENDO_OK) return 0;
        if (i) timing_add(t, (timing_now() - start) / (double)pairs);
    }
    return is_right(r, &results[pairs - 1]);
}

static double add_row(bench *b, const fourier_rig *r, const char *kernel, const char *mode, const timing *t, double paper) {
    report_row row = {.kernel = kernel, .backend = mode, .threads = r->context->threads, .unit = "ms a pair",
                      .median = 1e3 * timing_quantile(t, 0.5), .p90 = 1e3 * timing_quantile(t, 0.9),
                      .baseline = paper > 0 ? "[F] CPU, as printed" : ""};
    snprintf(row.size, sizeof row.size, "%dx%d", r->side, r->side);
    if (paper > 0) row.ratio = paper / row.median;
    report_add(&b->report, &row);
    return row.median;
}

/* printed: ms on a CPU and on a GTX 580 in [F] Table 1. */
static int one_size(bench *b, int side, int threads, double printed, double wanted) {
    fourier_rig r;
    int ready = rig_create(&r, side, threads), repeats = b->quick ? 4 : side > 1024 ? 12 : 40;
    for (int paper = 0; paper < 2 && ready; paper++) {
        const char *mode = paper ? "cpu, paper" : "cpu";
        endo_fourier_options o = endo_fourier_options_default();
        timing arrays = {.n = 0}, resident = {.n = 0}, again = {.n = 0}, batch = {.n = 0};
        o.paper = paper;
        if (paper) o.window = ENDO_WINDOW_NONE;
        ready = time_arrays(&r, &o, repeats, &arrays) && time_frames(&r, &o, 1, 1, repeats, &resident) &&
                time_frames(&r, &o, 1, 0, repeats, &again) && time_frames(&r, &o, BATCH - 1, 1, 1 + repeats / 4, &batch);
        if (!ready) break;
        double median = add_row(b, &r, "fourier arrays", mode, &arrays, printed);
        double stored = add_row(b, &r, "fourier resident", mode, &resident, printed);
        add_row(b, &r, "fourier again", mode, &again, printed);
        add_row(b, &r, "fourier batch", mode, &batch, printed);
        char size[24];
        snprintf(size, sizeof size, "%dx%d", side, side);
        (void)median;
        if (!paper && wanted > 0 && threads > 1)
            report_target(&b->report, "fourier: a stored pair on two cores", size, stored, wanted, "ms", 0);
    }
    rig_free(&r);
    return ready;
}

int bench_fourier(bench *b) {
    static const struct {
        int side;
        double printed, wanted;
    } sizes[] = {{512, 513, 4}, {1024, 2240, 0}, {2048, 9972, 60}};
    int all = omp_get_num_procs();
    printf("\nFourier registration: rotation by 33 degrees, scale 1.2, and a shift. arrays: two images in memory; resident: stored\n"
           "frames, put anew; again: once more; batch: one frame against %d. ratio: [F] Table 1, one thread of a Core i7\n"
           "(GTX 580 there: 2.6, 7.7, 28.9 ms).\n",
           BATCH - 1);
    report_heading("size, step");
    for (int i = 0; i < 3; i++)
        for (int threads = 1; threads <= all; threads += all - 1 + (all == 1))
            if (!one_size(b, sizes[i].side, threads, sizes[i].printed, sizes[i].wanted)) return bench_failed("fourier");
    return 0;
}
