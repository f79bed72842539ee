/* Adaptive equalization on the CPU: [P] Tables 1 and 2, the limited form, 16 bits and colour.
 *
 * Images of 1 to 16 Mp are cut from the middle of one image of tissue and one of noise. Algorithm 2 is timed on
 * some full columns of each, ours on all of it; who takes part runs in turn. */
#include "bench.h"

#include "base/openmp.h"

#include "ahe_rig.h"
#include "rates.h"

#include <string.h>

enum { PLAIN_C, AVX2, AVX512, ALL, KINDS };

/* Sums over the image sizes of the window tables: their means compare with [P] Table 1. */
typedef struct sums {
    double kind[KINDS], algorithm2;
    int n;
} sums;

typedef struct run_state {
    bench *b;
    ahe_rig rig;
    int all; /* threads */
    double budget, copy[2]; /* seconds a measurement; bytes a second of one thread and of all */
    sums tables[2][AHE_WINDOWS]; /* tissue, noise */
} run_state;

static const char *const kinds[KINDS] = {"plain C", "AVX2", "AVX-512", "cpu"};

static int kind_of(const ahe_contender *c) {
    for (int k = 0; k < KINDS; k++)
        if (!strcmp(c->name, kinds[k])) return k;
    return -1;
}

static int add_contenders(run_state *s) {
    static const endo_cpu sets[KINDS] = {ENDO_CPU_C, ENDO_CPU_AVX2, ENDO_CPU_AVX512, ENDO_CPU_BEST};
    ahe_rig_add_algorithm2(&s->rig, 1);
    if (s->all > 1) ahe_rig_add_algorithm2(&s->rig, s->all);
    for (int k = 0; k < KINDS; k++) {
        endo_context_options o = endo_context_options_default();
        o.cpu = sets[k], o.threads = k == ALL ? s->all : 1;
        if (k == ALL && s->all == 1) continue;
        if (!ahe_rig_add(&s->rig, kinds[k], &endo_kernels_cpu, &o, k == PLAIN_C ? 4 : 0)) return 0;
    }
    return 1;
}

/* scale: units of a megapixel's milliseconds. */
static void report_all(run_state *s, const char *kernel, const char *label, double bytes_a_pixel, double scale,
                       const char *unit) {
    double baseline = ahe_ms_a_megapixel(&s->rig.contenders[0], 0.5);
    for (int k = 0; k < s->rig.n; k++) {
        const ahe_contender *c = &s->rig.contenders[k];
        if (!c->active) continue;
        report_row row = {.kernel = kernel, .backend = c->name, .threads = c->threads, .unit = unit,
                          .baseline = baseline > 0 ? "Algorithm 2" : ""};
        snprintf(row.size, sizeof row.size, "%s", label);
        row.median = scale * ahe_ms_a_megapixel(c, 0.5);
        row.p90 = scale * ahe_ms_a_megapixel(c, 0.9);
        row.ratio = scale * baseline / row.median;
        row.floor = scale * 1e9 * bytes_a_pixel / s->copy[c->threads > 1];
        report_add(&s->b->report, &row);
    }
}

/* ---------------------------------------------------------- Tables 1 and 2 */

static int one_cell(run_state *s, int noise, int window, int megapixels) {
    sums *t = &s->tables[noise][window];
    endo_ahe_options p = endo_ahe_options_default();
    char label[24];
    p.window = ahe_windows[window];
    ahe_image image = noise ? ahe_cut(s->rig.noise, ENDO_GREY8, "noise", megapixels)
                            : ahe_cut(s->rig.grey, ENDO_GREY8, "tissue", megapixels);
    if (!ahe_measure(&s->rig, &image, &p, s->budget, s->b->quick ? 1 : 3)) return 0;
    snprintf(label, sizeof label, "%d %dMp %s", p.window, megapixels, image.name);
    report_all(s, "ahe", label, 2, 1, "ms/Mp");
    for (int k = 0; k < s->rig.n; k++) {
        const ahe_contender *c = &s->rig.contenders[k];
        if (c->context) t->kind[kind_of(c)] += ahe_ms_a_megapixel(c, 0.5);
    }
    t->algorithm2 += ahe_ms_a_megapixel(&s->rig.contenders[0], 0.5);
    t->n++;
    return 1;
}

static int window_tables(run_state *s) {
    printf("\nAdaptive equalization by window, size and image. ratio: Algorithm 2 of the same run and image, one core.\n"
           "floor: a byte in and a byte out at %.1f GB/s copied by 1 thread, %.1f by %d.\n",
           1e-9 * s->copy[0], 1e-9 * s->copy[1], s->all);
    report_heading("window, size, image");
    for (int noise = 0; noise < 2; noise++)
        for (int w = 0; w < AHE_WINDOWS; w++)
            for (int m = 0; m < AHE_SIZES; m++) {
                if (s->b->quick && (m % 2 || m > 2 || (noise && m) || (w % 2 && noise))) continue;
                if (!one_cell(s, noise, w, ahe_megapixels[m])) return 0;
            }
    return 1;
}

/* Means over the sizes; the worst of both images counts. */
static double mean(const run_state *s, int noise, int window, int kind) {
    const sums *t = &s->tables[noise][window];
    return t->n ? t->kind[kind] / t->n : 0;
}

static int best_of(const run_state *s) { return s->tables[0][0].kind[AVX512] > 0 ? AVX512 : AVX2; }

static void judge_times(run_state *s, int kind, double up_to_255, double at_511) {
    double most = 0, largest = 0;
    char what[80];
    for (int noise = 0; noise < 2; noise++) {
        for (int w = 0; w < AHE_WINDOWS - 1; w++)
            if (mean(s, noise, w, kind) > most) most = mean(s, noise, w, kind);
        if (mean(s, noise, AHE_WINDOWS - 1, kind) > largest) largest = mean(s, noise, AHE_WINDOWS - 1, kind);
    }
    if (most == 0) return; /* this machine lacks it */
    snprintf(what, sizeof what, "equalization with %s on one core; windows 31..255 (slowest)", kinds[kind]);
    report_target(&s->b->report, what, "31-255", most, up_to_255, "ms/Mp", 0);
    snprintf(what, sizeof what, "equalization with %s on one core; window 511", kinds[kind]);
    report_target(&s->b->report, what, "511", largest, at_511, "ms/Mp", 0);
}

static void judge_shape(run_state *s) {
    int best = best_of(s), at_127 = 2;
    double spread = 0, gain = 0, scaling = 0;
    for (int noise = 0; noise < 2; noise++) {
        double least = 0, most = 0;
        for (int w = 0; w < AHE_WINDOWS - 1; w++) {
            double v = mean(s, noise, w, best), many = mean(s, noise, w, ALL);
            if (v == 0) continue;
            if (least == 0 || v < least) least = v;
            if (v > most) most = v;
            if (many > 0 && (scaling == 0 || v / many < scaling)) scaling = v / many;
        }
        if (least > 0 && most / least > spread) spread = most / least;
        const sums *t = &s->tables[noise][at_127];
        if (t->kind[best] > 0 && (gain == 0 || t->algorithm2 / t->kind[best] < gain)) gain = t->algorithm2 / t->kind[best];
    }
    report_target(&s->b->report, "equalization on one core against Algorithm 2 at window 127", "127", gain, 15, "x", 1);
    report_target(&s->b->report, "slowest over fastest window 31..255 on one core", "31-255", spread, 1.3, "x", 0);
    if (s->all == 2)
        report_target(&s->b->report, "equalization with two threads over one (least)", "31-255", scaling, 1.8, "x", 1);
}

/* --------------------------------------------------------------- other forms */

static int one_form(run_state *s, const char *kernel, const void *pixels, endo_pixel type, int window, double limit) {
    endo_ahe_options p = endo_ahe_options_default();
    int megapixels = s->b->quick || type == ENDO_GREY16 ? 1 : 4;
    ahe_image image = ahe_cut(pixels, type, "tissue", megapixels);
    char label[24];
    p.window = window, p.limit = limit;
    if (!ahe_measure(&s->rig, &image, &p, s->budget, s->b->quick ? 1 : 3)) return 0;
    snprintf(label, sizeof label, "%d %dMp tissue", window, megapixels);
    report_all(s, kernel, label, 2.0 * (double)endo_pixel_size(type), 1, "ms/Mp");
    return 1;
}

/* All 65,536 levels of 16 bits, exactly. */
static int sixteen_bits(run_state *s) {
    int best = best_of(s);
    double least = 0, most = 0;
    for (int w = 0; w < AHE_WINDOWS; w++) {
        double taken = 0;
        if (!one_form(s, "ahe 16 bit", s->rig.deep, ENDO_GREY16, ahe_windows[w], 0)) return 0;
        for (int k = 0; k < s->rig.n; k++) {
            const ahe_contender *c = &s->rig.contenders[k];
            if (c->context && kind_of(c) == best) taken = ahe_ms_a_megapixel(c, 0.5);
        }
        if (least == 0 || taken < least) least = taken;
        if (taken > most) most = taken;
        if (ahe_windows[w] == 255)
            report_target(&s->b->report, "16-bit equalization without a limit on one core", "255", taken, 25, "ms/Mp", 0);
    }
    report_target(&s->b->report, "slowest over fastest window of 16 bits on one core", "31-511", most / least, 1.5, "x", 0);
    return 1;
}

/* Colour, from array to array. Returns the milliseconds of all threads, 0 if it failed. */
static double one_colour(run_state *s, int width, int height) {
    endo_ahe_options p = endo_ahe_options_default();
    ahe_image image = {"tissue", s->rig.rgb, ENDO_RGB32, width, height, AHE_SIDE};
    char label[24];
    if (!ahe_measure(&s->rig, &image, &p, s->budget, s->b->quick ? 1 : 5)) return 0;
    snprintf(label, sizeof label, "63 %dx%d tissue", width, height);
    report_all(s, "ahe RGB", label, 8, 1e-6 * width * height, "ms an image");
    return 1e-6 * width * height * ahe_ms_a_megapixel(&s->rig.contenders[s->rig.n - 1], 0.5);
}

static int other_forms(run_state *s) {
    printf("\nOther forms: contrast limit 3; 16 bits; colour, from array to array.\n");
    report_heading("window, size, image");
    if (!one_form(s, "ahe limited", s->rig.grey, ENDO_GREY8, 63, 3) ||
        !one_form(s, "ahe limited", s->rig.grey, ENDO_GREY8, 255, 3) ||
        !sixteen_bits(s) ||
        !one_form(s, "ahe 16 bit limited", s->rig.deep, ENDO_GREY16, 63, 3))
        return 0;
    double video = one_colour(s, 1280, 1024), large = s->b->quick ? 1 : one_colour(s, AHE_SIDE, AHE_SIDE);
    if (video == 0 || large == 0) return 0;
    report_target(&s->b->report, "equalization of 1280x1024 RGB on all cores", "1280x1024", 1e3 / video, 60, "frames/s", 1);
    if (!s->b->quick)
        report_target(&s->b->report, "equalization of 16 Mp RGB on all cores", "4000x4000", large, 150, "ms", 0);
    return 1;
}

static int run(run_state *s) {
    if (!ahe_rig_create(&s->rig)) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    if (!add_contenders(s)) return 0;
    if (!s->rig.contenders[s->rig.n - 1].context) {
        printf("SKIP ahe: no back end does it\n");
        return 1;
    }
    if (!window_tables(s)) return 0;
    judge_times(s, AVX512, 6.5, 10);
    judge_times(s, AVX2, 10, 16);
    judge_shape(s);
    return other_forms(s);
}

int bench_ahe(bench *b) {
    run_state *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return 1;
    s->b = b;
    s->all = omp_get_num_procs();
    s->budget = b->quick ? 0.1 : 0.6;
    s->copy[0] = rate_copy(1), s->copy[1] = rate_copy(s->all);
    int ready = run(s);
    ahe_rig_destroy(&s->rig);
    endo_free(s);
    return ready ? 0 : bench_failed("ahe");
}
