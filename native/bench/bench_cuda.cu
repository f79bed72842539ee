/* The CUDA back end: [S] Table 7.2 again, and the mosaic by frame size.
 *
 * Three times are kept apart: "kernel" (events around the kernels), "call" (the whole call with arguments up
 * and results down, frames resident), and, for the coefficient, the thesis's design on the same card. */
extern "C" {
#include "bench.h"

#include "backend/objects.h"
#include "systems/pairs/centres.h"
#include "listing33.h"
#include "sequence.h"
#include "thesis.h"
#include "timing.h"
}
#include "cuda/cuda.h"

#include <math.h>
#include <string.h>

#define GRID 8
#define POSITIONS 33
#define PAIRS 1000
#define SLOTS 33

typedef struct gpu_rig {
    endo_context *cuda, *all, *one; /* CUDA; the CPU with all threads; with one */
    endo_frames *frames[3];         /* in that order */
    sequence s;
    int repeats;
} gpu_rig;

static const char *const names[3] = {"cuda", "cpu", "cpu"};

static endo_context *context_of(const gpu_rig *r, int i) { return i == 0 ? r->cuda : i == 1 ? r->all : r->one; }
static cuda_backend *device_of(const gpu_rig *r) { return (cuda_backend *)r->cuda->backend; }

static void add_row(bench *b, const char *kernel, const char *size, const char *backend, int threads, const timing *t,
                    double scale, const char *unit) {
    report_row row = {};
    row.kernel = kernel, row.backend = backend, row.threads = threads, row.unit = unit, row.baseline = "";
    snprintf(row.size, sizeof row.size, "%s", size);
    row.median = scale * timing_quantile(t, 0.5);
    row.p90 = scale * timing_quantile(t, 0.9);
    report_add(&b->report, &row);
}

static int fill(gpu_rig *r, int width, int height) {
    endo_frames_options o = endo_frames_options_default();
    o.width = width, o.height = height, o.type = ENDO_RGB32, o.capacity = SLOTS;
    if (!bench_sequence_create(&r->s, width, height, SLOTS)) return 0;
    for (int i = 0; i < 3; i++)
        if (endo_frames_create(context_of(r, i), &o, &r->frames[i]) != ENDO_OK ||
            sequence_put(&r->s, r->frames[i]) != ENDO_OK)
            return 0;
    return 1;
}

static void empty(gpu_rig *r) {
    for (int i = 0; i < 3; i++) endo_frames_destroy(&r->frames[i]);
    bench_sequence_destroy(&r->s);
}

/* ------------------------------------------------------------- Table 7.2 */

/* Templates of many frame pairs, each against the positions of a search, run by run. */
static size_t make_requests(int side, int pairs, endo_ncc_request *out) {
    size_t n = 0;
    int half = side / 2 + 12;
    for (int p = 0; p < pairs; p++)
        for (int t = 0; t < GRID * GRID; t++)
            for (int i = 0; i < POSITIONS; i++) {
                int x = half + (t % GRID) * (719 - 2 * half) / (GRID - 1), y = half + (t / GRID) * (575 - 2 * half) / (GRID - 1);
                endo_ncc_request q = {p % (SLOTS - 1), p % (SLOTS - 1) + 1, x, y, x + i % 9 - 4 + i / 9, y + (i * 5) % 9 - 4};
                out[n++] = q;
            }
    return n;
}

static void time_listing(const uint8_t *grey[2], const endo_ncc_request *q, int side, timing *t) {
    listing33_images images = {grey[0], grey[1], 720};
    volatile double keep = 0;
    for (int k = 0; k < 21; k++) {
        double start = timing_now();
        for (int i = 0; i < POSITIONS; i++) keep += listing33_coefficient(&images, q[i].x, q[i].y, q[i].cx, q[i].cy, side);
        timing_add(t, (timing_now() - start) / POSITIONS);
    }
}

static int time_thesis(thesis *th, const endo_ncc_request *q, int per_launch, int side, timing *t) {
    double out[20];
    for (int k = 0; k < 50; k++) {
        double start = timing_now();
        if (!thesis_coefficients(th, q, per_launch, side, out)) return 0;
        if (k >= 5) timing_add(t, (timing_now() - start) / per_launch);
    }
    return 1;
}

/* whole: the call; kernel: what events say, CUDA only. */
static int time_batch(gpu_rig *r, int which, const endo_ncc_request *q, size_t n, int side, double *out, timing *whole,
                      timing *kernel) {
    const endo_batch_kernels *kernels = context_of(r, which)->kernels->batches;
    endo_centres centres;
    if (endo_centres_of(r->frames[which], side, &centres, NULL) != ENDO_OK) return 0;
    for (int k = 0; k < 2 * r->repeats + 2; k++) {
        float ms = 0;
        if (which == 0) device_of(r)->timed = k % 2; /* a kernel that is timed waits for all requests */
        double start = timing_now();
        if (kernels->ncc(r->frames[which]->store, q, n, &centres, out) != ENDO_OK) return 0;
        double taken = timing_now() - start;
        if (k % 2 && which == 0 && cuda_time_read(device_of(r), &ms) != ENDO_OK) return 0;
        if (k < 2) continue;
        if (k % 2 == 0) timing_add(whole, taken / (double)n);
        else if (which == 0) timing_add(kernel, 1e-3 * ms / (double)n);
    }
    if (which == 0) device_of(r)->timed = 1;
    return 1;
}

static int side_of_table(bench *b, gpu_rig *r, const uint8_t *grey[2], thesis *th, int side, endo_ncc_request *q,
                         double *out, double *ratio_31) {
    timing listing = {}, nine = {}, twenty = {}, whole[3] = {}, kernel = {};
    int cpu_pairs = side > 100 ? 1 : 4, gpu_pairs = side > 100 ? 40 : 200;
    char size[16];
    snprintf(size, sizeof size, "%d", side);
    size_t n = make_requests(side, gpu_pairs, q), few = make_requests(side, cpu_pairs, q);
    make_requests(side, gpu_pairs, q);
    time_listing(grey, q, side, &listing);
    if (!time_thesis(th, q, 9, side, &nine) || !time_thesis(th, q, 20, side, &twenty)) return 0;
    for (int i = 0; i < 3; i++)
        if (!time_batch(r, i, q, i ? few : n, side, out, &whole[i], &kernel)) return 0;
    add_row(b, "coefficient", size, "Listing 3.3", 1, &listing, 1e9, "ns");
    add_row(b, "coefficient", size, "cpu", 1, &whole[2], 1e9, "ns");
    add_row(b, "coefficient", size, "cpu", r->all->threads, &whole[1], 1e9, "ns");
    add_row(b, "coefficient", size, "thesis: 9 a launch", 1, &nine, 1e9, "ns");
    add_row(b, "coefficient", size, "thesis: 20 a launch", 1, &twenty, 1e9, "ns");
    add_row(b, "coefficient", size, "cuda: call", 1, &whole[0], 1e9, "ns");
    add_row(b, "coefficient", size, "cuda: kernel", 1, &kernel, 1e9, "ns");
    double gain = timing_quantile(&whole[1], 0.5) / timing_quantile(&kernel, 0.5);
    if (side == 31) *ratio_31 = gain;
    return 1;
}

static int table72(bench *b, gpu_rig *r) {
    static const int sides[] = {15, 23, 31, 39, 47, 63, 95, 127, 159, 191, 255};
    size_t most = (size_t)200 * GRID * GRID * POSITIONS;
    endo_ncc_request *q = (endo_ncc_request *)endo_alloc(most, sizeof *q);
    double *out = (double *)endo_alloc(most, sizeof *out), ratio_31 = 0;
    uint8_t *grey[2] = {(uint8_t *)endo_alloc(720 * 576, 1), (uint8_t *)endo_alloc(720 * 576, 1)};
    int ready = q && out && grey[0] && grey[1] && fill(r, 720, 576);
    for (int i = 0; i < 2 && ready; i++) ready = endo_frames_get_grey(r->frames[1], i, grey[i]) == ENDO_OK;
    thesis *th = ready ? thesis_create(grey[0], grey[1], 720, 576) : NULL;
    printf("\nTime of one coefficient by template side ([S] Table 7.2), frames resident.\n");
    report_heading("side");
    ready = th != NULL;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0] && ready; i++)
        ready = side_of_table(b, r, (const uint8_t **)grey, th, sides[i], q, out, &ratio_31);
    report_target(&b->report, "CUDA coefficient (kernel) against all CPU cores at side 31", "31", ratio_31, 10, "x", 1);
    thesis_destroy(th);
    empty(r);
    endo_free(q);
    endo_free(out);
    endo_free(grey[0]);
    endo_free(grey[1]);
    return ready;
}

/* ---------------------------------------------------------------- mosaic */

typedef struct work {
    endo_pair pairs[PAIRS];
    endo_flow_result starts[PAIRS];
    endo_pair_result results[PAIRS];
    endo_search_request *requests;
    endo_search_result *found;
    int n;
} work;

static void make_searches(work *w, int width, int height, int side) {
    for (int p = 0; p < w->n; p++)
        for (int t = 0; t < GRID * GRID; t++) {
            int half = side / 2 + 20, x = half + (t % GRID) * (width - 1 - 2 * half) / (GRID - 1);
            int y = half + (t / GRID) * (height - 1 - 2 * half) / (GRID - 1);
            endo_transform forward = endo_transform_still; /* reference -> current */
            const double *m = forward.matrix;
            (void)endo_transform_inverse(&w->starts[p].transform, &forward);
            endo_search_request q = {w->pairs[p].reference, w->pairs[p].current, x, y,
                                     (int32_t)floor(m[0] * x + m[1] * y + m[2] + 0.5),
                                     (int32_t)floor(m[3] * x + m[4] * y + m[5] + 0.5)};
            w->requests[p * GRID * GRID + t] = q;
        }
}

/* One stage, repeated: stage 0 flow, 1 search, 2 pair without quality, 3 pair, 4 one pair alone. */
static int run_stage(gpu_rig *r, int which, int stage, work *w) {
    endo_pairs_options p = endo_pairs_options_default();
    endo_search_options search = {endo_pairs_template_side(r->s.width), 4, 1};
    endo_frames *f = r->frames[which];
    p.quality = stage == 3;
    if (stage == 0) return endo_flow_estimate(f, w->pairs, w->n, ENDO_TRANSFORM_AFFINE, w->starts) == ENDO_OK;
    if (stage == 1) return endo_search_run(f, w->requests, (size_t)w->n * GRID * GRID, &search, w->found) == ENDO_OK;
    return endo_pairs_register(f, w->pairs, w->n, &p, w->results) == ENDO_OK;
}

static int time_stage(bench *b, gpu_rig *r, int which, int stage, const char *name, const char *size, work *w,
                      double *median) {
    timing whole = {}, kernel = {};
    for (int k = 0; k < r->repeats + 1; k++) {
        float ms = 0;
        double start = timing_now();
        if (!run_stage(r, which, stage, w)) return 0;
        double taken = timing_now() - start;
        if (which == 0 && cuda_time_read(device_of(r), &ms) != ENDO_OK) return 0;
        if (k == 0) continue;
        timing_add(&whole, taken / w->n);
        timing_add(&kernel, 1e-3 * ms / w->n);
    }
    add_row(b, name, size, names[which], which == 2 ? 1 : r->all->threads, &whole, 1e6, "us a pair");
    if (which == 0 && stage < 2) add_row(b, name, size, "cuda: kernel", 1, &kernel, 1e6, "us a pair");
    *median = timing_quantile(&whole, 0.5);
    return 1;
}

/* Frames in, and frames onto a canvas; a read of one pixel waits for the device. */
static int time_frames(bench *b, gpu_rig *r, int which, const char *size) {
    timing put = {}, painted = {};
    uint32_t pixel;
    endo_canvas *canvas = NULL;
    int ready = endo_canvas_create(context_of(r, which), ENDO_RGB32, r->s.width * 5 / 4, r->s.height * 5 / 4, &canvas) ==
                ENDO_OK;
    for (int k = 0; k < r->repeats + 1 && ready; k++) {
        double numbers[6] = {1, 0.01, r->s.width * 0.1, -0.01, 1, r->s.height * 0.1}, start = timing_now();
        endo_transform place = endo_transform_of_affine(numbers);
        ready = sequence_put(&r->s, r->frames[which]) == ENDO_OK;
        if (which == 0) ready = ready && cudaStreamSynchronize(device_of(r)->puts.stream) == cudaSuccess;
        double middle = timing_now();
        for (int32_t i = 0; i < SLOTS && ready; i++) {
            endo_posed_frames posed = {};
            posed.slots = &i, posed.transforms = &place, posed.n = 1;
            ready = endo_canvas_paint(canvas, r->frames[which], &posed, ENDO_PAINT_UNION) == ENDO_OK;
        }
        ready = ready && endo_canvas_read(canvas, 0, 0, 1, 1, &pixel, NULL) == ENDO_OK;
        if (k == 0) continue;
        timing_add(&put, (middle - start) / SLOTS);
        timing_add(&painted, (timing_now() - middle) / SLOTS);
    }
    if (ready) {
        add_row(b, "put", size, names[which], which == 2 ? 1 : r->all->threads, &put, 1e6, "us a frame");
        add_row(b, "paint", size, names[which], which == 2 ? 1 : r->all->threads, &painted, 1e6, "us a frame");
    }
    endo_canvas_destroy(&canvas);
    return ready;
}

/* From two arrays to the vectors of one pair: the live case. */
static int time_live(bench *b, gpu_rig *r, int which, const char *size, double *median) {
    timing t = {};
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_pair_result result;
    p.quality = 0;
    for (int k = 0; k < 60; k++) {
        double start = timing_now();
        pair.reference = k % 2, pair.current = 1 - k % 2; /* the frame before is there already */
        if (endo_frames_put(r->frames[which], pair.current, r->s.frames[(k + 1) % 8], r->s.width) != ENDO_OK ||
            endo_pairs_register(r->frames[which], &pair, 1, &p, &result) != ENDO_OK)
            return 0;
        if (k >= 10) timing_add(&t, timing_now() - start);
    }
    add_row(b, "one pair from an array", size, names[which], which == 2 ? 1 : r->all->threads, &t, 1e6, "us");
    *median = timing_quantile(&t, 0.5);
    return sequence_put(&r->s, r->frames[which]) == ENDO_OK;
}

static void judge(bench *b, int width, double search, double pair, double live) {
    if (width != 720) return;
    report_target(&b->report, "CUDA search of 64 landmarks at template 31", "720x576", 1e6 * search, 2, "us a pair", 0);
    report_target(&b->report, "CUDA pair without quality", "720x576", 1 / pair, 30000, "pairs/s", 1);
    report_target(&b->report, "CUDA one pair from an array", "720x576", 1e6 * live, 200, "us", 0);
}

static int one_size(bench *b, gpu_rig *r, int width, int height, work *w) {
    static const char *const stages[] = {"flow", "search", "pair without quality", "pair"};
    char size[16];
    int ready = fill(r, width, height);
    snprintf(size, sizeof size, "%dx%d", width, height);
    for (int which = 0; which < 3 && ready; which++) {
        double medians[4] = {0}, live = 0;
        w->n = which ? 32 : PAIRS;
        for (int i = 0; i < w->n; i++) w->pairs[i].reference = i % (SLOTS - 1), w->pairs[i].current = i % (SLOTS - 1) + 1;
        ready = time_frames(b, r, which, size);
        for (int stage = 0; stage < 4 && ready; stage++) {
            ready = time_stage(b, r, which, stage, stages[stage], size, w, &medians[stage]);
            if (stage == 0) make_searches(w, width, height, endo_pairs_template_side(width));
        }
        ready = ready && time_live(b, r, which, size, &live);
        if (which == 0 && ready) judge(b, width, medians[1], medians[2], live);
    }
    empty(r);
    return ready;
}

static int mosaics(bench *b, gpu_rig *r) {
    static const int sizes[][2] = {{720, 576}, {1280, 1024}, {1920, 1080}, {3840, 2160}};
    work *w = (work *)endo_alloc_zeroed(1, sizeof *w);
    if (!w) return 0;
    w->requests = (endo_search_request *)endo_alloc((size_t)PAIRS * GRID * GRID, sizeof *w->requests);
    w->found = (endo_search_result *)endo_alloc((size_t)PAIRS * GRID * GRID, sizeof *w->found);
    int ready = w->requests && w->found;
    printf("\nMosaic: frames resident, %d pairs a call with CUDA, 32 on the CPU; put: from host memory.\n", PAIRS);
    report_heading("stage");
    for (int i = 0; i < (b->quick ? 1 : 4) && ready; i++) ready = one_size(b, r, sizes[i][0], sizes[i][1], w);
    endo_free(w->requests);
    endo_free(w->found);
    endo_free(w);
    return ready;
}

extern "C" int bench_cuda(bench *b) {
    gpu_rig r = {};
    endo_context_options o = endo_context_options_default();
    char reason[160];
    if (endo_device_count(reason, sizeof reason) == 0) {
        printf("\nSKIP cuda: %s\n", reason);
        return 0;
    }
    r.repeats = b->quick ? 3 : 15;
    o.backend = ENDO_BACKEND_CUDA;
    int ready = endo_context_create(&o, &r.cuda) == ENDO_OK && cuda_time_enable(device_of(&r)) == ENDO_OK;
    o.backend = ENDO_BACKEND_CPU;
    ready = ready && endo_context_create(&o, &r.all) == ENDO_OK;
    o.threads = 1;
    ready = ready && endo_context_create(&o, &r.one) == ENDO_OK;
    if (ready) printf("\n%s; %s\n", endo_context_description(r.cuda), endo_context_description(r.all));
    ready = ready && table72(b, &r) && mosaics(b, &r);
    endo_context_destroy(&r.cuda);
    endo_context_destroy(&r.all);
    endo_context_destroy(&r.one);
    return ready ? 0 : bench_failed("cuda");
}
