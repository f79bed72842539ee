/* How right the registration of pairs is, on sequences whose truth is known: both methods beside each other, what the
 * deviations are worth, and how often pairs that have nothing in common are believed. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct truth_sequence {
    const char *name;
    endo_demo_options options;
} truth_sequence;

/* width, height, frames, path, step, rotation, zoom, noise, flicker, highlights, seed. */
static const truth_sequence sequences[] = {
    {"demo", {720, 576, 60, ENDO_DEMO_LOOP, 6, 10, 8, 2, 3, 12, 1}},
    {"another scene", {720, 576, 60, ENDO_DEMO_SWEEP, 6, 10, 8, 2, 3, 12, 2}},
    {"small", {320, 256, 60, ENDO_DEMO_SPIRAL, 6, 10, 8, 2, 3, 12, 3}},
    {"without noise", {400, 320, 60, ENDO_DEMO_LOOP, 6, 10, 8, 0, 0, 0, 4}},
    {"noise of 8", {400, 320, 60, ENDO_DEMO_LOOP, 6, 10, 8, 8, 3, 12, 5}},
    {"turns and zooms", {400, 320, 60, ENDO_DEMO_LOOP, 6, 60, 30, 2, 3, 12, 6}},
    {"fast", {400, 320, 60, ENDO_DEMO_SWEEP, 20, 10, 8, 2, 3, 12, 7}},
    {"shifts", {400, 320, 60, ENDO_DEMO_LOOP, 6, 0, 0, 2, 3, 12, 8}},
};

/* Frames in a store, with their field of view, and their poses in the first one. */
typedef struct truth_frames {
    endo_demo *demo;
    endo_frames *frames;
    endo_transform *poses;
    uint8_t *field;
    uint32_t *pixels;
} truth_frames;

static void truth_destroy(truth_frames *t) {
    endo_frames_destroy(&t->frames);
    endo_demo_destroy(&t->demo);
    endo_free(t->poses);
    endo_free(t->field);
    endo_free(t->pixels);
}

static endo_status truth_create(endo_context *context, const endo_demo_options *o, truth_frames *t) {
    size_t area = (size_t)o->width * (size_t)o->height;
    endo_frames_options f = endo_frames_options_default();
    truth_frames made = {NULL, NULL, endo_alloc((size_t)o->frames, sizeof *t->poses), endo_alloc(area, 1),
                         endo_alloc(area, sizeof *t->pixels)};
    *t = made;
    if (!t->poses || !t->field || !t->pixels) return endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence");
    endo_status status = endo_demo_create(context, o, &t->demo);
    if (status == ENDO_OK) status = endo_demo_field(t->demo, t->field);
    f.width = o->width, f.height = o->height, f.type = ENDO_RGB32, f.capacity = o->frames, f.field = t->field;
    f.highlights = ENDO_HIGHLIGHTS_REFINING; /* as a panorama's default */
    if (status == ENDO_OK) status = endo_frames_create(context, &f, &t->frames);
    for (int i = 0; i < o->frames && status == ENDO_OK; i++) {
        status = endo_demo_render(t->demo, i, t->pixels);
        if (status == ENDO_OK) status = endo_frames_put(t->frames, i, t->pixels, o->width);
        if (status == ENDO_OK) status = endo_demo_truth(t->demo, i, &t->poses[i]);
    }
    return status;
}

/* ------------------------------------------------------------------ errors */

typedef struct tally {
    int n, ok, over; /* over: wrong by more than three deviations */
    double squares, worst;
} tally;

double truth_noise(uint64_t seed) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        seed = (seed ^ seed >> 31) * 0xC2B2AE3D27D4EB4Fu + 0x9E3779B97F4A7C15u;
        sum += (double)(seed >> 40) / 16777216.0 - 0.5;
    }
    return sum * sqrt(3);
}

uint32_t truth_grey(double grey) {
    uint32_t v = (uint32_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey + 0.5);
    return 0xFF000000u | v << 16 | v << 8 | v;
}

void truth_errors(const endo_transform *found, const endo_transform *truth, const endo_demo_options *o, double *corners,
                  double *frame) {
    *corners = *frame = 0;
    for (int i = 0; i < 400; i++) {
        double x = (i % 20 + 0.5) * o->width / 20 - 0.5, y = (i / 20 + 0.5) * o->height / 20 - 0.5, u, v, p, q;
        if (i < 4) {
            double left = i & 1 ? o->width - 1 : 0, top = i & 2 ? o->height - 1 : 0;
            endo_affine_apply(found->matrix, left, top, &u, &v);
            endo_affine_apply(truth->matrix, left, top, &p, &q);
            *corners += ((u - p) * (u - p) + (v - q) * (v - q)) / 4;
        }
        endo_affine_apply(found->matrix, x, y, &u, &v);
        endo_affine_apply(truth->matrix, x, y, &p, &q);
        *frame += ((u - p) * (u - p) + (v - q) * (v - q)) / 800;
    }
}

static endo_status measure(truth_frames *t, const endo_demo_options *o, endo_pairs_method method, tally *out) {
    endo_pairs_options p = endo_pairs_options_default();
    int n = o->frames - 1;
    endo_pair *pairs = endo_alloc((size_t)n, sizeof *pairs);
    endo_pair_result *results = endo_alloc((size_t)n, sizeof *results);
    endo_status status = pairs && results ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs", n);
    tally made = {.n = n};
    p.method = method, p.quality = 0;
    p.transform = method == ENDO_METHOD_BEST ? ENDO_TRANSFORM_AUTO : ENDO_TRANSFORM_AFFINE;
    for (int i = 0; i < n && status == ENDO_OK; i++) pairs[i].reference = i, pairs[i].current = i + 1;
    if (status == ENDO_OK) status = endo_pairs_register(t->frames, pairs, (size_t)n, &p, results);
    for (int i = 0; i < n && status == ENDO_OK; i++) {
        endo_transform back, truth;
        double corners, frame;
        if (!endo_transform_inverse(&t->poses[i], &back) || !endo_transform_product(&t->poses[i + 1], &back, &truth))
            continue;
        truth_errors(&results[i].transform, &truth, o, &corners, &frame);
        made.squares += corners / n;
        made.worst = corners > made.worst ? corners : made.worst;
        made.ok += results[i].status == ENDO_PAIR_OK;
        made.over += sqrt(frame) > 3 * results[i].deviation; /* which says nothing of what was not registered */
    }
    endo_free(pairs);
    endo_free(results);
    *out = made;
    return status;
}

static int run_sequences(endo_context *context) {
    printf("\nTruth: neighbouring frames of demo sequences; root mean square over the frame's corners and the worst pair,\n"
           "px; ok; wrong by more than three of its own deviations.\n%-18s %9s   %-30s %-30s\n", "sequence", "size",
           "paper", "best");
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const endo_demo_options *o = &sequences[i].options;
        truth_frames t;
        tally paper, best;
        endo_status status = truth_create(context, o, &t);
        if (status == ENDO_OK) status = measure(&t, o, ENDO_METHOD_PAPER, &paper);
        if (status == ENDO_OK) status = measure(&t, o, ENDO_METHOD_BEST, &best);
        truth_destroy(&t);
        if (status != ENDO_OK) return bench_failed("truth");
        printf("%-18s %4dx%-4d   %.4f %.3f  %3d/%d ok %3d over   %.4f %.3f  %3d/%d ok %3d over\n", sequences[i].name, o->width,
               o->height, sqrt(paper.squares), sqrt(paper.worst), paper.ok, paper.n, paper.over, sqrt(best.squares),
               sqrt(best.worst), best.ok, best.n, best.over);
        fflush(stdout);
    }
    return 0;
}

/* ----------------------------------------------------------------- honesty */

/* Frames of SCENES scenes side by side in one store; pair k of a kind is made in slots 0 and 1. */
enum { SCENES = 8, FRAMES = 16, WIDTH = 320, HEIGHT = 256, AREA = WIDTH * HEIGHT, A_KIND = 200 };

typedef enum kind { UNRELATED, BLURRED, WHITE_OUT, NOISE, PATTERN, FROZEN, KINDS } kind;

static const char *const kind_names[KINDS] = {"unrelated scenes", "unrelated and blurred", "white-out", "noise",
                                              "unrelated under a pattern", "the same picture"};

typedef struct honesty {
    endo_context *context;
    uint8_t *grey; /* SCENES * FRAMES images */
    uint8_t *field;
    uint64_t state;
} honesty;

static double next(honesty *h) { /* 0..1, by xorshift */
    h->state ^= h->state << 13, h->state ^= h->state >> 7, h->state ^= h->state << 17;
    return (double)(h->state >> 11) / 9007199254740992.0;
}

static endo_status draw_scenes(honesty *h) {
    endo_status status = ENDO_OK;
    for (int s = 0; s < SCENES && status == ENDO_OK; s++) {
        endo_demo_options o = endo_demo_options_default();
        truth_frames t;
        o.width = WIDTH, o.height = HEIGHT, o.frames = FRAMES, o.seed = (uint64_t)(50 + s);
        status = truth_create(h->context, &o, &t);
        for (int i = 0; i < FRAMES && status == ENDO_OK; i++)
            status = endo_frames_get_grey(t.frames, i, h->grey + (size_t)(s * FRAMES + i) * AREA);
        if (status == ENDO_OK) memcpy(h->field, t.field, AREA);
        truth_destroy(&t);
    }
    return status;
}

/* Means over 2 * half + 1 pixels each way, twice. */
static void blur(uint8_t *image, int half) {
    static uint8_t copy[AREA];
    for (int turn = 0; turn < 4; turn++) {
        int step = turn % 2 ? WIDTH : 1, length = turn % 2 ? HEIGHT : WIDTH;
        memcpy(copy, image, AREA);
        for (int i = 0; i < AREA; i++) {
            int at = turn % 2 ? i / WIDTH : i % WIDTH, sum = 0, n = 0;
            for (int k = -half; k <= half; k++)
                if (at + k >= 0 && at + k < length) sum += copy[i + k * step], n++;
            image[i] = (uint8_t)(sum / n);
        }
    }
}

static uint8_t level(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5); }

static void make_pair(honesty *h, kind what, uint8_t *first, uint8_t *second) {
    static uint8_t pattern[AREA];
    int a = (int)(next(h) * SCENES), b = (a + 1 + (int)(next(h) * (SCENES - 1))) % SCENES;
    double noise = what == NOISE ? 40 : 1 + 4 * next(h), strength = 10 + 40 * next(h);
    int half = 2 + (int)(next(h) * 6);
    memcpy(first, h->grey + (size_t)(a * FRAMES + (int)(next(h) * FRAMES)) * AREA, AREA);
    memcpy(second, h->grey + (size_t)(b * FRAMES + (int)(next(h) * FRAMES)) * AREA, AREA);
    if (what == FROZEN) memcpy(second, first, AREA);
    if (what == BLURRED || what == PATTERN) blur(first, half), blur(second, half);
    if (what == PATTERN) /* the same for every pair of this strength */
        for (int i = 0; i < AREA; i++) pattern[i] = (uint8_t)(next(h) * 255);
    for (int i = 0; i < AREA && what != FROZEN; i++) {
        double more = what == PATTERN ? strength * (pattern[i] / 255.0 - 0.5) : 0;
        if (what == WHITE_OUT) second[i] = (uint8_t)(245 + second[i] / 26);
        if (what == NOISE) second[i] = 128;
        first[i] = level(first[i] + more + noise * (next(h) + next(h) - 1));
        second[i] = level(second[i] + more + noise * (next(h) + next(h) - 1));
    }
}

static endo_status try_kind(honesty *h, endo_frames *frames, kind what, int statuses[4]) {
    static uint8_t first[AREA], second[AREA];
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_status status = ENDO_OK;
    p.method = ENDO_METHOD_BEST, p.transform = ENDO_TRANSFORM_AUTO, p.quality = 0;
    for (int i = 0; i < A_KIND && status == ENDO_OK; i++) {
        endo_pair_result r;
        make_pair(h, what, first, second);
        status = endo_frames_put(frames, 0, first, WIDTH);
        if (status == ENDO_OK) status = endo_frames_put(frames, 1, second, WIDTH);
        if (status == ENDO_OK) status = endo_pairs_register(frames, &pair, 1, &p, &r);
        if (status == ENDO_OK) statuses[r.status]++;
    }
    return status;
}

static int run_honesty(endo_context *context) {
    honesty h = {context, endo_alloc((size_t)SCENES * FRAMES, AREA), endo_alloc(AREA, 1), 88172645463325252u};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_status status = h.grey && h.field ? draw_scenes(&h) : endo_fail(ENDO_ERR_MEMORY, "no memory for scenes");
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = h.field;
    if (status == ENDO_OK) status = endo_frames_create(context, &o, &frames);
    printf("\nHonesty: %d pairs of each kind at %dx%d, method best. Only the same picture is to be ok.\n%-28s %6s %6s %6s\n",
           A_KIND, WIDTH, HEIGHT, "pairs", "ok", "few", "none");
    for (int k = 0; k < KINDS && status == ENDO_OK; k++) {
        int statuses[4] = {0};
        status = try_kind(&h, frames, (kind)k, statuses);
        printf("%-28s %6d %6d %6d\n", kind_names[k], statuses[ENDO_PAIR_OK], statuses[ENDO_PAIR_FEW_LANDMARKS],
               statuses[ENDO_PAIR_NO_TEXTURE] + statuses[ENDO_PAIR_JUMP]);
    }
    endo_frames_destroy(&frames);
    endo_free(h.grey);
    endo_free(h.field);
    return status == ENDO_OK ? 0 : bench_failed("truth");
}

int bench_truth(bench *b) {
    endo_context *context = NULL;
    if (endo_context_create(NULL, &context) != ENDO_OK) return bench_failed("truth");
    int failed = bench_truth_exposures(context);
    if (!failed) failed = run_sequences(context);
    if (!failed) failed = bench_truth_sequences(context, b->quick);
    if (!failed) failed = bench_truth_overlaps(context, b->quick);
    if (!failed) failed = bench_truth_instruments(context, b->quick);
    if (!failed) failed = bench_truth_verdicts(context, b->quick);
    if (!failed) failed = bench_truth_relief(context, b->quick);
    if (!failed) failed = bench_truth_lens(context, b->quick);
    if (!failed) failed = bench_truth_parts(context, b->quick);
    if (!failed) failed = run_honesty(context);
    endo_context_destroy(&context);
    return failed;
}
