/* Several GPUs beside one: frames of 3840 x 2160 put, pairs of resident frames registered in one call, and both with
 * painting chunk by chunk, as a mosaic does it. */
#include "bench.h"

#include "backend/objects.h"
#include "sequence.h"
#include "timing.h"

#include <string.h>

#define WIDTH 3840
#define HEIGHT 2160
#define RENDERED 24
#define CHUNK 7      /* frames for each device */
#define MOST_CHUNK (CHUNK * ENDO_MAX_DEVICES)
#define RESIDENT 256 /* pairs of a call */

typedef struct rig {
    endo_context *context;
    endo_frames *frames;
    endo_canvas *canvas;
    const sequence *s;
    endo_pairs_options options;
    int chunk, capacity, next; /* frames of a chunk, slots, frames put so far */
    endo_pair pairs[RESIDENT];
    endo_pair_result results[RESIDENT];
} rig;

static endo_status rig_create(rig *r, const sequence *s, int devices) {
    endo_context_options c = endo_context_options_default();
    endo_frames_options f = endo_frames_options_default();
    c.backend = ENDO_BACKEND_CUDA, c.n_devices = devices;
    for (int i = 0; i < devices; i++) c.devices[i] = i;
    r->s = s, r->chunk = CHUNK * devices, r->capacity = r->chunk + 4, r->next = 0;
    f.width = WIDTH, f.height = HEIGHT, f.type = ENDO_RGB32, f.capacity = r->capacity;
    endo_status status = endo_context_create(&c, &r->context);
    if (status == ENDO_OK) status = endo_frames_create(r->context, &f, &r->frames);
    if (status == ENDO_OK)
        status = endo_canvas_create(r->context, ENDO_RGB32, WIDTH * 5 / 4, HEIGHT * 5 / 4, &r->canvas);
    return status;
}

static void rig_destroy(rig *r) {
    endo_canvas_destroy(&r->canvas);
    endo_frames_destroy(&r->frames);
    endo_context_destroy(&r->context);
}

/* Frame i of a sequence that goes to and fro. */
static const uint32_t *frame_at(const rig *r, int i) {
    int period = 2 * (r->s->n - 1), at = i % period;
    return r->s->frames[at < r->s->n ? at : period - at];
}

static endo_status put_chunk(rig *r) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < r->chunk && status == ENDO_OK; i++, r->next++)
        status = endo_frames_put(r->frames, r->next % r->capacity, frame_at(r, r->next), WIDTH);
    return status;
}

/* The frames of the last chunk with those before them. */
static endo_status register_chunk(rig *r) {
    int n = 0;
    for (int i = r->next - r->chunk; i < r->next; i++) {
        if (i == 0) continue;
        r->pairs[n].reference = (i - 1) % r->capacity, r->pairs[n].current = i % r->capacity;
        n++;
    }
    return endo_pairs_register(r->frames, r->pairs, (size_t)n, &r->options, r->results);
}

static endo_status paint_chunk(rig *r) {
    int32_t slots[MOST_CHUNK];
    endo_transform poses[MOST_CHUNK];
    for (int i = 0; i < r->chunk; i++) {
        double numbers[6] = {1, 0.01, WIDTH * 0.1, -0.01, 1, HEIGHT * 0.1};
        slots[i] = (r->next - r->chunk + i) % r->capacity;
        poses[i] = endo_transform_of_affine(numbers);
    }
    const endo_posed_frames posed = {.slots = slots, .transforms = poses, .n = (size_t)r->chunk};
    return endo_canvas_paint(r->canvas, r->frames, &posed, ENDO_PAINT_UNION);
}

static endo_status register_resident(rig *r) {
    for (int i = 0; i < RESIDENT; i++) {
        int at = i % (r->chunk - 1);
        r->pairs[i].reference = at, r->pairs[i].current = at + 1;
    }
    return endo_pairs_register(r->frames, r->pairs, RESIDENT, &r->options, r->results);
}

/* A pixel that waits for all that was painted, and a pair on each device that waits for all that was put. */
static endo_status finish(rig *r) {
    uint32_t pixel;
    endo_status status = register_chunk(r);
    return status == ENDO_OK ? endo_canvas_read(r->canvas, 0, 0, 1, 1, &pixel, NULL) : status;
}

enum { PUT, MOSAIC, PAIRS };

/* Seconds a frame or pair of one repeat. */
static endo_status run(rig *r, int what, int chunks, double *seconds) {
    double start = timing_now();
    endo_status status = ENDO_OK;
    if (what == PAIRS) {
        status = register_resident(r);
        *seconds = (timing_now() - start) / RESIDENT;
        return status;
    }
    for (int i = 0; i < chunks && status == ENDO_OK; i++) {
        status = put_chunk(r);
        if (what == MOSAIC && status == ENDO_OK) status = register_chunk(r);
        if (what == MOSAIC && status == ENDO_OK) status = paint_chunk(r);
    }
    if (status == ENDO_OK) status = finish(r);
    *seconds = (timing_now() - start) / (chunks * r->chunk);
    return status;
}

static int measure(bench *b, rig *r, int devices, int what, const char *name, const char *unit, double *median) {
    static const char *const names[ENDO_MAX_DEVICES + 1] = {"", "1 GPU", "2 GPUs", "", "4 GPUs", "", "", "", "8 GPUs"};
    timing t = {.n = 0};
    int repeats = b->quick ? 3 : 9, frames = 168;
    for (int k = 0; k < repeats + 1; k++) {
        double seconds;
        if (run(r, what, frames / r->chunk, &seconds) != ENDO_OK) return 0;
        if (k) timing_add(&t, seconds);
    }
    report_row row = {.kernel = name, .backend = names[devices], .threads = r->context->threads, .unit = unit,
                      .baseline = ""};
    snprintf(row.size, sizeof row.size, "%dx%d", WIDTH, HEIGHT);
    row.median = 1e6 * timing_quantile(&t, 0.5);
    row.p90 = 1e6 * timing_quantile(&t, 0.9);
    report_add(&b->report, &row);
    *median = timing_quantile(&t, 0.5);
    return 1;
}

/* mosaic: receives seconds a frame of the method Paper. */
static int with_devices(bench *b, const sequence *s, int devices, double *mosaic) {
    static rig r;
    double ignored;
    memset(&r, 0, sizeof r);
    r.options = endo_pairs_options_default();
    int ready = rig_create(&r, s, devices) == ENDO_OK;
    if (ready) printf("%s\n", endo_context_description(r.context));
    ready = ready && measure(b, &r, devices, PUT, "devices: put", "us a frame", &ignored) &&
            measure(b, &r, devices, PAIRS, "devices: pair", "us a pair", &ignored) &&
            measure(b, &r, devices, MOSAIC, "devices: mosaic", "us a frame", mosaic);
    r.options.method = ENDO_METHOD_BEST, r.options.transform = ENDO_TRANSFORM_AUTO;
    ready = ready && measure(b, &r, devices, PAIRS, "devices: pair of method best", "us a pair", &ignored) &&
            measure(b, &r, devices, MOSAIC, "devices: mosaic of method best", "us a frame", &ignored);
    rig_destroy(&r);
    return ready;
}

int bench_devices(bench *b) {
    static const double wanted[ENDO_MAX_DEVICES + 1] = {0, 0, 1.7, 0, 3, 0, 0, 0, 5};
    int there = endo_device_count(NULL, 0);
    sequence s;
    double one = 0, several = 0;
    if (there < 2) {
        printf("\nSKIP devices: %d CUDA device%s, two are needed\n", there, there == 1 ? "" : "s");
        return 0;
    }
    if (!bench_sequence_create(&s, WIDTH, HEIGHT, RENDERED)) return bench_failed("devices");
    printf("\nSeveral GPUs: %d frames of a chunk for each; pair: %d in a call, with quality; mosaic: put, pairs, painting.\n",
           CHUNK, RESIDENT);
    report_heading("stage");
    int ready = with_devices(b, &s, 1, &one);
    for (int n = 2; n <= there && n <= ENDO_MAX_DEVICES && ready; n *= 2) {
        char what[60];
        ready = with_devices(b, &s, n, &several);
        snprintf(what, sizeof what, "CUDA mosaic with quality by %d GPUs against one", n);
        if (ready) report_target(&b->report, what, "3840x2160", one / several, wanted[n], "x", 1);
    }
    bench_sequence_destroy(&s);
    return ready ? 0 : bench_failed("devices");
}
