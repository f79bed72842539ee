/* Panoramas from end to end by endo_mosaic, from frames in memory to the finished picture: frames a second, and where the time
 * of a frame goes, by frame size and back end; as anybody runs it, with the default options.
 *
 * What the split lacks is what a run does beside it; what a device does counts where it is waited for. */
#include "bench.h"
#include "timing.h"

#include "include/endorama/demo.h"
#include "include/endorama/devices.h"
#include "include/endorama/mosaic.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "base/status.h"

#include <string.h>

enum { REPEATS = 5, QUICK_REPEATS = 1, MOST_FRAMES = 240 };

/* Frames of the demo, which are at hand. */
typedef struct shown {
    endo_mosaic_source source;
    uint32_t *frames[MOST_FRAMES];
} shown;

static const void *lend(void *user, int32_t frame, char *reason) {
    const shown *s = user;
    (void)reason;
    return s->frames[frame];
}

static void shown_destroy(shown *s) {
    for (int i = 0; i < s->source.frames; i++) endo_free(s->frames[i]);
}

static endo_status render(shown *s, endo_demo *demo) {
    size_t area = (size_t)s->source.width * (size_t)s->source.height;
    for (int i = 0; i < s->source.frames; i++) {
        s->frames[i] = endo_alloc(area, sizeof *s->frames[i]);
        if (!s->frames[i]) return endo_fail(ENDO_ERR_MEMORY, "no memory for %d frames", s->source.frames);
        ENDO_TRY(endo_demo_render(demo, i, s->frames[i]));
    }
    return ENDO_OK;
}

static endo_status shown_create(int width, int height, int frames, shown *s) {
    endo_demo_options options = endo_demo_options_default();
    endo_context *context = NULL;
    endo_demo *demo = NULL;
    options.width = width;
    options.height = height;
    options.frames = frames;
    *s = (shown){
        .source = {
            .frames = frames,
            .width = width,
            .height = height,
            .type = ENDO_RGB32,
            .lend = lend,
            .user = s,
            .at_hand = 1,
        },
    };
    endo_status status = endo_context_create(NULL, &context);
    if (status == ENDO_OK) status = endo_demo_create(context, &options, &demo);
    if (status == ENDO_OK) status = render(s, demo);
    endo_demo_destroy(&demo);
    endo_context_destroy(&context);
    return status;
}

/* ------------------------------------------------------------------------- runs */

static const char *const parts[] = {"start", "field", "read", "put", "pairs", "loops", "light", "paint", "panorama"};

#define N_PARTS ((int)(sizeof parts / sizeof parts[0]))

/* In the order of `parts`. */
static void split(const endo_mosaic_times *t, double out[N_PARTS]) {
    const double seconds[N_PARTS] = {t->start, t->field, t->read, t->put, t->pairs, t->loops, t->light, t->paint, t->panorama};
    memcpy(out, seconds, sizeof seconds);
}

typedef struct panorama_run {
    const shown *frames;
    endo_backend backend;
    int threads;
    timing whole;
    timing parts[N_PARTS];
} panorama_run;

static endo_status check_whole(const endo_mosaic *mosaic, int frames) {
    endo_mosaic_panorama made;
    ENDO_TRY(endo_mosaic_describe(mosaic, 1, &made));
    if (made.width > 0 && made.frames == frames) return ENDO_OK;
    return endo_fail(ENDO_ERR_INTERNAL, "the panorama has %d of %d frames", made.frames, frames);
}

static endo_status run_once(panorama_run *r) {
    endo_mosaic_options options = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    double spent[N_PARTS];
    options.context.backend = r->backend;
    options.context.threads = r->threads;
    double start = timing_now();
    endo_status status = endo_mosaic_create(&options, NULL, &mosaic);
    if (status == ENDO_OK) status = endo_mosaic_run(mosaic, &r->frames->source);
    timing_add(&r->whole, timing_now() - start);
    if (status == ENDO_OK) status = check_whole(mosaic, r->frames->source.frames);
    endo_mosaic_times times = endo_mosaic_spent(mosaic);
    split(&times, spent);
    for (int i = 0; i < N_PARTS; i++) timing_add(&r->parts[i], spent[i]);
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* ---------------------------------------------------------------------- reports */

static report_row row_of(const panorama_run *r, const char *what, const char *unit) {
    report_row row = {
        .kernel = what,
        .backend = r->backend == ENDO_BACKEND_CUDA ? "cuda" : "cpu",
        .threads = r->threads,
        .unit = unit,
        .baseline = "",
    };
    snprintf(row.size, sizeof row.size, "%dx%d", r->frames->source.width, r->frames->source.height);
    return row;
}

/* one_thread: frames a second of one thread; 0: this is it. Returns those of this run. */
static double report_run(bench *b, const panorama_run *r, double one_thread) {
    int frames = r->frames->source.frames;
    report_row whole = row_of(r, "panorama", "frames/s");
    whole.median = frames / timing_quantile(&r->whole, 0.5);
    whole.p90 = frames / timing_quantile(&r->whole, 0.9);
    if (one_thread > 0) {
        whole.baseline = "1 thread";
        whole.ratio = whole.median / one_thread;
    }
    report_add(&b->report, &whole);
    for (int i = 0; i < N_PARTS; i++) {
        char name[40];
        snprintf(name, sizeof name, "panorama: %s", parts[i]);
        report_row part = row_of(r, name, "ms a frame");
        part.median = 1e3 * timing_quantile(&r->parts[i], 0.5) / frames;
        part.p90 = 1e3 * timing_quantile(&r->parts[i], 0.9) / frames;
        report_add(&b->report, &part);
    }
    return whole.median;
}

static endo_status measure(bench *b, const shown *frames, endo_backend backend, int threads, double *one_thread) {
    panorama_run r = {.frames = frames, .backend = backend, .threads = threads};
    for (int i = 0; i < (b->quick ? QUICK_REPEATS : REPEATS); i++) ENDO_TRY(run_once(&r));
    double rate = report_run(b, &r, *one_thread);
    if (*one_thread == 0) *one_thread = rate;
    return ENDO_OK;
}

static endo_status measure_size(bench *b, const shown *frames) {
    int all = omp_get_num_procs();
    double one_thread = 0;
    ENDO_TRY(measure(b, frames, ENDO_BACKEND_CPU, 1, &one_thread));
    if (all > 1) ENDO_TRY(measure(b, frames, ENDO_BACKEND_CPU, all, &one_thread));
    if (endo_device_count(NULL, 0) > 0) ENDO_TRY(measure(b, frames, ENDO_BACKEND_CUDA, all, &one_thread));
    return ENDO_OK;
}

int bench_panorama(bench *b) {
    static const int sizes[][3] = {{360, 288, 240}, {720, 576, 120}, {1280, 1024, 60}, {1920, 1080, 60}};
    static shown frames;
    int n = b->quick ? 2 : (int)(sizeof sizes / sizeof sizes[0]);
    printf("\nPanoramas from end to end, demo frames in colour, default options. ratio: against one thread.\n"
           "%d, %d, %d and %d frames by size, a quarter of them with --quick, and the first two sizes\n",
           sizes[0][2], sizes[1][2], sizes[2][2], sizes[3][2]);
    report_heading("part");
    for (int i = 0; i < n; i++) {
        endo_status status = shown_create(sizes[i][0], sizes[i][1], sizes[i][2] / (b->quick ? 4 : 1), &frames);
        if (status == ENDO_OK) status = measure_size(b, &frames);
        shown_destroy(&frames);
        if (status != ENDO_OK) return bench_failed("panorama");
    }
    return 0;
}
