/* Frames without the distortion of their lens, from array to array, by size, type and instruction set; and whether frames are
 * interlaced, which the engine asks of at most 16 frames of a sequence.
 *
 * Noise: each pixel's work is the same in any frame. Who takes part runs in turn, those of one thread before those of several,
 * whose threads may still wait for more work; their bytes must be those of plain C. */
#include "bench.h"

#include "base/openmp.h"

#include "api/testing.h"
#include "backend/objects.h"
#include "images.h"
#include "rates.h"
#include "systems/mosaic/interlacing.h"
#include "timing.h"

#include <string.h>

#define PERCENT (-12.0)
#define PLAIN_C "plain C"
#define MOST_CONTENDERS 5
#define FRAMES 16 /* of a sequence that are asked whether they are interlaced */

typedef struct contender {
    const char *name;
    int threads;
    endo_context *context; /* NULL: this machine lacks it */
    endo_lens *lens;
    timing time;
} contender;

typedef struct lens_bench {
    bench *b;
    contender contenders[MOST_CONTENDERS];
    int n;
    double copy[2]; /* bytes a second of one thread and of all */
    uint8_t *pixels, *wanted, *out;
} lens_bench;

static const char *const types[] = {"grey8", "grey16", "rgb"};
static const int sizes[][2] = {{720, 576}, {1280, 1024}, {1920, 1080}, {3840, 2160}};

#define N_SIZES ((int)(sizeof sizes / sizeof *sizes))
#define LARGEST ((size_t)3840 * 2160)

/* ------------------------------------------------------------------ contenders */

/* One that this machine or build lacks is left out. */
static int add(lens_bench *l, const char *name, const endo_kernels *kernels, endo_cpu cpu, int threads) {
    endo_context_options o = endo_context_options_default();
    contender *c = &l->contenders[l->n];
    o.cpu = cpu;
    o.threads = threads;
    endo_status status = endo_context_create_with(kernels, &o, &c->context);
    if (status == ENDO_ERR_UNSUPPORTED || status == ENDO_ERR_DEVICE) {
        printf("SKIP %s: %s\n", name, endo_last_error());
        return 1;
    }
    c->name = name;
    c->threads = threads;
    l->n++;
    return status == ENDO_OK;
}

static int add_all(lens_bench *l) {
    int all = omp_get_num_procs();
    int added = add(l, PLAIN_C, &endo_kernels_cpu, ENDO_CPU_C, 1) && add(l, "AVX2", &endo_kernels_cpu, ENDO_CPU_AVX2, 1) &&
                add(l, "AVX-512", &endo_kernels_cpu, ENDO_CPU_AVX512, 1);
    if (added && all > 1) added = add(l, "cpu", &endo_kernels_cpu, ENDO_CPU_BEST, all);
#ifdef ENDO_HAS_CUDA
    if (added) added = add(l, "cuda", &endo_kernels_cuda, ENDO_CPU_BEST, all);
#endif
    return added;
}

/* ---------------------------------------------------------------- measurements */

static int once(lens_bench *l, contender *c, const int size[2], endo_pixel type) {
    size_t bytes = (size_t)size[0] * (size_t)size[1] * endo_pixel_size(type);
    uint8_t *to = c == l->contenders ? l->wanted : l->out;
    double begun = timing_now();
    if (endo_lens_undistort(c->lens, l->pixels, type, size[0], to, size[0]) != ENDO_OK) return 0;
    timing_add(&c->time, timing_now() - begun);
    if (to == l->wanted || !memcmp(l->wanted, l->out, bytes)) return 1;
    endo_fail(ENDO_ERR_INTERNAL, "%s gives other bytes than plain C", c->name);
    return 0;
}

static void report_one(lens_bench *l, const contender *c, const int size[2], endo_pixel type) {
    double pixels = (double)size[0] * size[1];
    double baseline = 1e9 * timing_quantile(&l->contenders[0].time, 0.5) / pixels;
    report_row row = {.kernel = "undistort", .backend = c->name, .threads = c->threads, .unit = "ns/pixel"};
    snprintf(row.size, sizeof row.size, "%dx%d %s", size[0], size[1], types[type]);
    row.median = 1e9 * timing_quantile(&c->time, 0.5) / pixels;
    row.p90 = 1e9 * timing_quantile(&c->time, 0.9) / pixels;
    row.baseline = PLAIN_C;
    row.ratio = baseline / row.median;
    row.floor = 2e9 * (double)endo_pixel_size(type) / l->copy[c->threads > 1];
    report_add(&l->b->report, &row);
}

static int bench_type(lens_bench *l, const int size[2], endo_pixel type) {
    int repeats = l->b->quick ? 7 : 60;
    for (int k = 0; k < l->n; k++) l->contenders[k].time.n = 0;
    for (int several = 0; several < 2; several++)
        for (int i = 0; i < repeats; i++)
            for (int k = 0; k < l->n; k++)
                if ((l->contenders[k].threads > 1) == several && !once(l, &l->contenders[k], size, type)) return 0;
    for (int k = 0; k < l->n; k++) report_one(l, &l->contenders[k], size, type);
    return 1;
}

static int bench_size(lens_bench *l, const int size[2]) {
    int done = 1;
    for (int k = 0; k < l->n && done; k++)
        done = endo_lens_create(l->contenders[k].context, size[0], size[1], PERCENT, &l->contenders[k].lens) == ENDO_OK;
    for (int t = ENDO_GREY8; t <= ENDO_RGB32 && done; t++) done = bench_type(l, size, (endo_pixel)t);
    for (int k = 0; k < l->n; k++) endo_lens_destroy(&l->contenders[k].lens);
    return done;
}

/* ------------------------------------------------------------------ interlacing */

static void bench_interlacing(lens_bench *l, const int size[2], endo_pixel type) {
    mosaic_size whole = {.width = size[0], .height = size[1]};
    interlacing rows = interlacing_of(type, whole, 1, ENDO_CPU_C);
    timing time = {.n = 0};
    for (int i = 0; i < (l->b->quick ? 7 : 60); i++) {
        double begun = timing_now();
        interlacing_add(&rows, l->pixels);
        timing_add(&time, timing_now() - begun);
    }
    report_row row = {.kernel = "interlaced rows", .backend = PLAIN_C, .threads = 1, .unit = "ms/16 frames"};
    snprintf(row.size, sizeof row.size, "%dx%d %s", size[0], size[1], types[type]);
    row.median = FRAMES * 1e3 * timing_quantile(&time, 0.5);
    row.p90 = FRAMES * 1e3 * timing_quantile(&time, 0.9);
    report_add(&l->b->report, &row);
}

/* -------------------------------------------------------------------------- all */

static int run(lens_bench *l) {
    l->wanted = endo_alloc(LARGEST, 4);
    l->out = endo_alloc(LARGEST, 4);
    l->pixels = image_noise(4 * LARGEST);
    if (!l->wanted || !l->out || !l->pixels) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    if (!add_all(l)) return 0;
    l->copy[0] = rate_copy(1);
    l->copy[1] = rate_copy(omp_get_num_procs());
    printf("\nFrames without the distortion of their lens (%g %%). ratio: plain C of the same run and image, one core.\n"
           "floor: a pixel in and a pixel out at %.1f GB/s copied by 1 thread, %.1f by all.\n",
           PERCENT, 1e-9 * l->copy[0], 1e-9 * l->copy[1]);
    report_heading("size, type");
    for (int i = 0; i < (l->b->quick ? 2 : N_SIZES); i++)
        if (!bench_size(l, sizes[i])) return 0;
    for (int i = 0; i < N_SIZES; i++) {
        bench_interlacing(l, sizes[i], ENDO_GREY8);
        bench_interlacing(l, sizes[i], ENDO_RGB32);
    }
    return 1;
}

int bench_lens(bench *b) {
    lens_bench l = {.b = b};
    int done = run(&l);
    for (int k = 0; k < l.n; k++) endo_context_destroy(&l.contenders[k].context);
    endo_free(l.pixels);
    endo_free(l.wanted);
    endo_free(l.out);
    return done ? 0 : bench_failed("lens");
}
