/* Adaptive equalization with CUDA: [P] Tables 1 and 2 beside the paper's own kernel on the same card.
 *
 * "cuda: kernel" is device time between events around the kernels, "cuda: call" goes from an array in host memory
 * to another one. The CPU rows are of the same machine and run; all give the same bytes. */
extern "C" {
#include "bench.h"

#include "ahe_paper.h"
#include "ahe_rig.h"
#include "gpu_rates.h"
#include "timing.h"
}
#include "cuda/cuda.h"

#include <string.h>

#define N_WINDOWS 9
static const int windows[N_WINDOWS] = {3, 7, 15, 31, 63, 127, 255, 511, 1023};
static const int regions[] = {16, 32, 64, 128};
#define N_REGIONS ((int)(sizeof regions / sizeof regions[0]))

enum { ALGORITHM2, CPU, CUDA }; /* places in the rig */

typedef struct run_state {
    bench *b;
    ahe_rig rig;
    double copy, upload; /* bytes a second */
    double slowest, slowest_limited, slowest_16bit; /* of the windows 3..511 on the largest image, ms/Mp of the kernel */
    double call, gain;               /* 16 Mp at window 63, ms; against Algorithm 3 at 511 */
    int largest;                     /* megapixels */
} run_state;

static void add_row(run_state *s, const char *kernel, const char *label, const char *who, int threads, const timing *t,
                    double scale, const char *unit, double baseline, double floor) {
    report_row row = {};
    row.kernel = kernel, row.backend = who, row.threads = threads, row.unit = unit;
    row.baseline = baseline > 0 ? "Algorithm 3" : "";
    snprintf(row.size, sizeof row.size, "%s", label);
    row.median = scale * timing_quantile(t, 0.5);
    row.p90 = scale * timing_quantile(t, 0.9);
    row.ratio = baseline > 0 ? baseline / row.median : 0;
    row.floor = floor;
    report_add(&s->b->report, &row);
}

/* Device time of the kernels, several calls. */
static int time_kernel(run_state *s, const ahe_image *i, const endo_ahe_options *p, timing *t) {
    endo_context *c = s->rig.contenders[CUDA].context;
    for (int k = 0; k < (s->b->quick ? 4 : 12); k++) {
        float ms = 0;
        endo_image image = {i->pixels, i->type, i->width, i->height, i->stride};
        if (endo_ahe_apply(c, &image, NULL, p, s->rig.out[0], i->width) != ENDO_OK ||
            cuda_time_read((cuda_backend *)c->backend, &ms) != ENDO_OK)
            return 0;
        if (k > 0) timing_add(t, 1e-3 * ms);
    }
    return 1;
}

/* The paper's kernel with the regions that suit it best; its pixels must be ours, which out[0] holds. */
static int time_paper(run_state *s, const ahe_image *i, int window, timing *best) {
    ahe_paper *p = ahe_paper_create((const uint8_t *)i->pixels, i->width, i->height, i->stride, window);
    int ready = p != NULL;
    for (int r = 0; r < N_REGIONS && ready; r++) {
        timing t = {};
        float ms = 0;
        for (int k = 0; k < 4 && ready; k++) {
            ready = ahe_paper_run(p, regions[r], &ms);
            if (k > 0) timing_add(&t, 1e-3 * ms);
        }
        if (ready && (best->n == 0 || timing_quantile(&t, 0.5) < timing_quantile(best, 0.5))) *best = t;
        ready = ready && ahe_paper_read(p, (uint8_t *)s->rig.out[1]);
        if (ready && memcmp(s->rig.out[0], s->rig.out[1], (size_t)i->width * i->height)) {
            endo_fail(ENDO_ERR_INTERNAL, "window %d: Algorithm 3 differs", window);
            ready = 0;
        }
    }
    ahe_paper_destroy(p);
    return ready;
}

/* All contenders on one image; paper: Algorithm 3 too. *kernel, *ratio: ms/Mp of ours, Algorithm 3 over it. */
static int one_image(run_state *s, const char *name, const ahe_image *i, const char *label, const endo_ahe_options *p,
                     int paper, double *kernel, double *ratio) {
    timing device = {}, theirs = {};
    double area = (double)i->width * i->height, scale = 1e9 / area, bytes = 2.0 * (double)endo_pixel_size(i->type);
    if (!ahe_measure(&s->rig, i, p, s->b->quick ? 0.03 : 0.3, 3) || !time_kernel(s, i, p, &device) ||
        (paper && !time_paper(s, i, p->window, &theirs)))
        return 0;
    double baseline = scale * timing_quantile(&theirs, 0.5);
    for (int k = 0; k < s->rig.n; k++) {
        const ahe_contender *c = &s->rig.contenders[k];
        double floor = k == CUDA && s->upload > 0 ? 1e9 * bytes / 2 / s->upload : 0;
        if (c->active)
            add_row(s, name, label, k == CUDA ? "cuda: call" : c->name, c->threads, &c->time, 1e3 / c->megapixels, "ms/Mp",
                    0, floor);
    }
    if (paper) add_row(s, name, label, "Algorithm 3", 1, &theirs, scale, "ms/Mp", 0, 0);
    add_row(s, name, label, "cuda: kernel", 1, &device, scale, "ms/Mp", baseline, s->copy > 0 ? 1e9 * bytes / s->copy : 0);
    *kernel = scale * timing_quantile(&device, 0.5);
    *ratio = baseline / *kernel;
    return 1;
}

static int in_paper(int window) {
    for (int w = 0; w < AHE_WINDOWS; w++)
        if (ahe_windows[w] == window) return 1;
    return 0;
}

static int one_cell(run_state *s, int noise, int window, int megapixels) {
    endo_ahe_options p = endo_ahe_options_default();
    double kernel = 0, ratio = 0;
    char label[24];
    p.window = window;
    ahe_image image = noise ? ahe_cut(s->rig.noise, ENDO_GREY8, "noise", megapixels)
                            : ahe_cut(s->rig.grey, ENDO_GREY8, "tissue", megapixels);
    snprintf(label, sizeof label, "%d %dMp %s", window, megapixels, image.name);
    if (!one_image(s, "ahe", &image, label, &p, in_paper(window), &kernel, &ratio)) return 0;
    if (megapixels != s->largest) return 1;
    if (window <= 511 && kernel > s->slowest) s->slowest = kernel;
    if (window == 511 && (s->gain == 0 || ratio < s->gain)) s->gain = ratio;
    if (window == 63 && !noise)
        s->call = ahe_ms_a_megapixel(&s->rig.contenders[CUDA], 0.5) * s->rig.contenders[CUDA].megapixels;
    return 1;
}

static int window_tables(run_state *s) {
    printf("\nAdaptive equalization by window, size and image. ratio: Algorithm 3 of the paper on this device.\n"
           "floor: of a kernel a byte in and a byte out at %.0f GB/s of device copies; of a call the image up at\n"
           "%.1f GB/s from pinned memory.\n",
           1e-9 * s->copy, 1e-9 * s->upload);
    report_heading("window, size, image");
    for (int noise = 0; noise < 2; noise++)
        for (int w = 0; w < N_WINDOWS; w++)
            for (int m = 0; m < AHE_SIZES; m++) {
                if (s->b->quick && ahe_megapixels[m] != s->largest) continue;
                if (!in_paper(windows[w]) && ahe_megapixels[m] != s->largest) continue;
                if (!one_cell(s, noise, windows[w], ahe_megapixels[m])) return 0;
            }
    return 1;
}

static int one_form(run_state *s, const char *kernel, const void *pixels, endo_pixel type, int window, double limit,
                    double *slowest) {
    endo_ahe_options p = endo_ahe_options_default();
    ahe_image image = ahe_cut(pixels, type, "tissue", s->largest);
    double taken = 0, ratio = 0;
    char label[24];
    p.window = window, p.limit = limit;
    snprintf(label, sizeof label, "%d %dMp tissue", window, s->largest);
    if (!one_image(s, kernel, &image, label, &p, 0, &taken, &ratio)) return 0;
    if (taken > *slowest) *slowest = taken;
    return 1;
}

static int one_colour(run_state *s, int width, int height) {
    endo_ahe_options p = endo_ahe_options_default();
    ahe_image image = {"tissue", s->rig.rgb, ENDO_RGB32, width, height, AHE_SIDE};
    char label[24];
    if (!ahe_measure(&s->rig, &image, &p, 0.3, 5)) return 0;
    snprintf(label, sizeof label, "63 %dx%d tissue", width, height);
    for (int k = CPU; k <= CUDA; k++) {
        const ahe_contender *c = &s->rig.contenders[k];
        add_row(s, "ahe RGB", label, k == CUDA ? "cuda: call" : c->name, c->threads, &c->time, 1e3, "ms an image", 0, 0);
    }
    return 1;
}

static int other_forms(run_state *s) {
    double unused = 0;
    printf("\nOther forms: contrast limit 3; 16 bits; colour, from array to array.\n");
    report_heading("window, size, image");
    for (int w = 0; w < N_WINDOWS - 1; w++)
        if (!one_form(s, "ahe limited", s->rig.grey, ENDO_GREY8, windows[w], 3, &s->slowest_limited)) return 0;
    for (int w = 0; w < AHE_WINDOWS; w++)
        if (!one_form(s, "ahe 16 bit", s->rig.deep, ENDO_GREY16, ahe_windows[w], 0, &s->slowest_16bit)) return 0;
    return one_form(s, "ahe 16 bit limited", s->rig.deep, ENDO_GREY16, 63, 3, &unused) && one_colour(s, 1280, 1024) &&
           one_colour(s, AHE_SIDE, AHE_SIDE);
}

static void judge(run_state *s) {
    report *r = &s->b->report;
    char size[16];
    snprintf(size, sizeof size, "%d Mp", s->largest);
    report_target(r, "CUDA equalization; windows 3..511 (slowest)", size, s->slowest, 0.15, "ms/Mp", 0);
    report_target(r, "CUDA equalization; goal", size, s->slowest, 0.08, "ms/Mp", 0);
    report_target(r, "CUDA equalization with a limit; windows 3..511 (slowest)", size, s->slowest_limited, 0.3, "ms/Mp", 0);
    report_target(r, "CUDA equalization of 16 bits without a limit; windows 31..511 (slowest)", size, s->slowest_16bit, 0.5,
                  "ms/Mp", 0);
    report_target(r, "CUDA equalization against Algorithm 3 at window 511", size, s->gain, 20, "x", 1);
    if (s->largest == 16)
        report_target(r, "CUDA equalization from array to array; window 63", size, s->call, 4, "ms", 0);
}

static int add_contenders(run_state *s, int *usable) {
    endo_context_options o = endo_context_options_default();
    ahe_rig_add_algorithm2(&s->rig, 1);
    o.backend = ENDO_BACKEND_CPU;
    if (!ahe_rig_add(&s->rig, "cpu", &endo_kernels_cpu, &o, 0)) return 0;
    o.backend = ENDO_BACKEND_CUDA;
    if (!ahe_rig_add(&s->rig, "cuda", &endo_kernels_cuda, &o, 0)) return 0;
    *usable = s->rig.n == CUDA + 1;
    return !*usable || cuda_time_enable((cuda_backend *)s->rig.contenders[CUDA].context->backend) == ENDO_OK;
}

static int run(run_state *s) {
    int usable = 0;
    if (!ahe_rig_create(&s->rig)) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    if (!add_contenders(s, &usable)) return 0;
    if (!usable) {
        printf("SKIP ahe-cuda: a back end is missing\n");
        return 1;
    }
    printf("\n%s; %s\n", endo_context_description(s->rig.contenders[CUDA].context),
           endo_context_description(s->rig.contenders[CPU].context));
    if (!window_tables(s) || !other_forms(s)) return 0;
    judge(s);
    return 1;
}

extern "C" int bench_ahe_cuda(bench *b) {
    char reason[160];
    if (endo_device_count(reason, sizeof reason) == 0) {
        printf("\nSKIP ahe-cuda: %s\n", reason);
        return 0;
    }
    run_state *s = (run_state *)endo_alloc_zeroed(1, sizeof *s);
    if (!s) return 1;
    s->b = b;
    s->largest = b->quick ? 4 : 16;
    s->copy = gpu_rate_copy(), s->upload = gpu_rate_upload();
    int ready = run(s);
    ahe_rig_destroy(&s->rig);
    endo_free(s);
    return ready ? 0 : bench_failed("ahe-cuda");
}
