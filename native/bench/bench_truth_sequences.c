/* How right whole sequences are whose truth is known: the chain of neighbours, and the poses that follow from all pairs.
 * Frames are also registered with older ones that the chain says show much of the same, and all pairs are solved for; so
 * a panorama does, with more care (docs/algorithms/panorama.md). Frames are made twice, never kept. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"
#include "test/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every so many frames one is a key frame; ties go to key frames only, to so many of a frame. */
enum { STRIDE = 8, TIES = 3, SEEN_FOR_PATTERN = 64 };

typedef struct whole_sequence {
    const char *name;
    endo_demo_options options;
    int grain;   /* static, grey levels */
    int weak;    /* the scene's contrast is divided by this */
    int freezes; /* every so many frames a frame is the one before it; 0: none */
} whole_sequence;

/* width, height, frames, path, step, rotation, zoom, noise, flicker, highlights, seed. */
static const whole_sequence sequences[] = {
    {"demo", {720, 576, 60, ENDO_DEMO_LOOP, 6, 10, 8, 2, 3, 12, 1}, 0, 1, 0},
    {"closed loop", {320, 256, 300, ENDO_DEMO_LOOP, 6, 10, 8, 2, 3, 12, 21}, 0, 1, 0},
    {"2,000 frames, spiral", {320, 256, 2000, ENDO_DEMO_SPIRAL, 4, 10, 8, 2, 3, 12, 22}, 0, 1, 0},
    {"static pattern of 12", {312, 312, 60, ENDO_DEMO_SWEEP, 6, 4, 4, 3, 3, 4, 23}, 12, 3, 0},
    {"static pattern of 20", {312, 312, 60, ENDO_DEMO_SWEEP, 6, 4, 4, 3, 3, 4, 24}, 20, 3, 0},
    {"small steps, pattern", {312, 312, 60, ENDO_DEMO_SWEEP, 2, 1, 1, 3, 3, 4, 25}, 12, 3, 0},
    {"weak tissue", {312, 312, 60, ENDO_DEMO_SWEEP, 6, 4, 4, 4, 3, 4, 26}, 0, 12, 0},
    {"every ninth frozen", {320, 256, 60, ENDO_DEMO_LOOP, 6, 10, 8, 2, 3, 12, 27}, 0, 1, 9},
};

typedef struct sequence_run {
    const whole_sequence *s;
    endo_demo *demo;
    endo_frames *frames;
    endo_transform *truth, *chain, *solved;
    endo_graph_pair *pairs;
    size_t n_pairs;
    int n, ok, doubtful, wrong, over; /* wrong: ok, and more than 1 px off; over: by more than three deviations */
    double squares;
    uint8_t *field;
    uint32_t *pixels;
    int16_t *grain, *pattern;
} sequence_run;

static void run_free(sequence_run *r) {
    endo_frames_destroy(&r->frames);
    endo_demo_destroy(&r->demo);
    endo_free(r->truth);
    endo_free(r->chain);
    endo_free(r->solved);
    endo_free(r->pairs);
    endo_free(r->field);
    endo_free(r->pixels);
    endo_free(r->grain);
    endo_free(r->pattern);
}

/* ------------------------------------------------------------------ frames */

static uint32_t channel(const sequence_run *r, uint32_t v, size_t at) {
    int grey = 100 + ((int)v - 100) / r->s->weak + r->grain[at];
    return (uint32_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
}

static int shown(const whole_sequence *s, int i) { return s->freezes && i % s->freezes == s->freezes - 1 ? i - 1 : i; }

static endo_status make_frame(sequence_run *r, int i) {
    size_t area = (size_t)r->s->options.width * (size_t)r->s->options.height;
    endo_status status = endo_demo_render(r->demo, shown(r->s, i), r->pixels);
    for (size_t k = 0; k < area && status == ENDO_OK; k++) {
        uint32_t p = r->pixels[k];
        if (!r->field[k]) continue;
        r->pixels[k] = channel(r, p >> 16 & 255, k) << 16 | channel(r, p >> 8 & 255, k) << 8 | channel(r, p & 255, k);
    }
    return status;
}

/* Grain as wide as a fibre or two. */
static void draw_grain(sequence_run *r) {
    int width = r->s->options.width, height = r->s->options.height;
    test_random random = {99};
    for (int i = 0; i < width * height; i++) r->grain[i] = (int16_t)test_between(&random, -100, 100);
    for (int i = 0; i < width * height; i++) {
        int right = i + 1 < width * height ? i + 1 : i, below = i + width < width * height ? i + width : i;
        int sum = r->grain[i] + r->grain[right] + r->grain[below]; /* of about 100 levels */
        r->grain[i] = (int16_t)(sum * r->s->grain / 100);
    }
}

static endo_status find_pattern(endo_context *context, sequence_run *r, int *is_found) {
    const endo_demo_options *o = &r->s->options;
    endo_pattern_finder *finder = NULL;
    endo_pattern_info info = {.found = 0};
    endo_pattern_options options = endo_pattern_options_default();
    options.width = o->width;
    options.height = o->height;
    options.type = ENDO_RGB32;
    options.field = r->field;
    endo_status status = endo_pattern_finder_create(context, &options, &finder);
    int step = r->n > SEEN_FOR_PATTERN ? r->n / SEEN_FOR_PATTERN : 1;
    for (int i = 0; i < r->n && status == ENDO_OK; i += step) {
        status = make_frame(r, i);
        if (status == ENDO_OK) status = endo_pattern_finder_add(finder, r->pixels, o->width);
    }
    if (status == ENDO_OK) status = endo_pattern_finder_find(finder, r->pattern, &info);
    endo_pattern_finder_destroy(&finder);
    *is_found = (int)info.found;
    return status;
}

static endo_status run_make(endo_context *context, const whole_sequence *s, sequence_run *r) {
    size_t n = (size_t)s->options.frames, area = (size_t)s->options.width * (size_t)s->options.height;
    sequence_run made = {.s = s, .n = s->options.frames};
    made.truth = endo_alloc(n, sizeof *made.truth);
    made.chain = endo_alloc(n, sizeof *made.chain);
    made.solved = endo_alloc(n, sizeof *made.solved);
    made.pairs = endo_alloc(n * (1 + TIES), sizeof *made.pairs);
    made.field = endo_alloc(area, 1);
    made.pixels = endo_alloc(area, sizeof *made.pixels);
    made.grain = endo_alloc_zeroed(area, sizeof *made.grain);
    made.pattern = endo_alloc_zeroed(area, sizeof *made.pattern);
    *r = made;
    if (!r->truth || !r->chain || !r->solved || !r->pairs || !r->field || !r->pixels || !r->grain || !r->pattern)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence");
    draw_grain(r);
    endo_status status = endo_demo_create(context, &s->options, &r->demo);
    if (status == ENDO_OK) status = endo_demo_field(r->demo, r->field);
    for (int i = 0; i < r->n && status == ENDO_OK; i++) status = endo_demo_truth(r->demo, shown(s, i), &r->truth[i]);
    return status;
}

/* All frames, as a panorama's default has them. */
static endo_status put_frames(endo_context *context, sequence_run *r) {
    endo_frames_options f = endo_frames_options_default();
    int is_found = 0;
    endo_status status = find_pattern(context, r, &is_found);
    f.width = r->s->options.width, f.height = r->s->options.height, f.type = ENDO_RGB32, f.capacity = r->n;
    f.field = r->field, f.keep_pixels = 0, f.highlights = ENDO_HIGHLIGHTS_REFINING, f.pattern = is_found ? r->pattern : NULL;
    if (status == ENDO_OK) status = endo_frames_create(context, &f, &r->frames);
    for (int i = 0; i < r->n && status == ENDO_OK; i++) {
        status = make_frame(r, i);
        if (status == ENDO_OK) status = endo_frames_put(r->frames, i, r->pixels, f.width);
    }
    return status;
}

/* ------------------------------------------------------------------- pairs */

static void keep(sequence_run *r, const endo_pair *pair, const endo_pair_result *found) {
    endo_graph_pair made = {pair->reference, pair->current, found->transform, hypot(0.02, found->deviation)};
    r->pairs[r->n_pairs++] = made;
}

static void judge(sequence_run *r, const endo_pair *pair, const endo_pair_result *found) {
    endo_transform back, truth;
    double corners, frame;
    r->doubtful += found->status == ENDO_PAIR_FEW_LANDMARKS;
    if (found->status != ENDO_PAIR_OK || !endo_transform_inverse(&r->truth[pair->reference], &back) ||
        !endo_transform_product(&r->truth[pair->current], &back, &truth))
        return;
    truth_errors(&found->transform, &truth, &r->s->options, &corners, &frame);
    r->ok++, r->squares += corners;
    r->wrong += corners > 1;
    r->over += sqrt(frame) > 3 * found->deviation;
}

static endo_status register_pairs(sequence_run *r, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                  endo_pair_result *results) {
    endo_pairs_options p = endo_pairs_options_default();
    p.method = ENDO_METHOD_BEST, p.transform = ENDO_TRANSFORM_AUTO, p.quality = 0;
    return starts ? endo_pairs_register_from(r->frames, pairs, starts, n, &p, results)
                  : endo_pairs_register(r->frames, pairs, n, &p, results);
}

/* Registers the frames as a chain. A frame whose pair is not certain keeps the pose of the last good one before it. */
static endo_status chain_frames(sequence_run *r, endo_pair *pairs, endo_pair_result *results) {
    size_t n = (size_t)r->n - 1;
    for (size_t i = 0; i < n; i++) pairs[i].reference = (int32_t)i, pairs[i].current = (int32_t)i + 1;
    endo_status status = register_pairs(r, pairs, NULL, n, results);
    r->chain[0] = r->truth[0];
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        judge(r, &pairs[i], &results[i]);
        r->chain[i + 1] = r->chain[i];
        if (results[i].status == ENDO_PAIR_OK) {
            (void)endo_transform_product(&results[i].transform, &r->chain[i], &r->chain[i + 1]);
            keep(r, &pairs[i], &results[i]);
        }
    }
    return status;
}

/* How far apart the middles of two frames are, px. */
static double apart(const sequence_run *r, int a, int b) {
    double x = r->s->options.width / 2.0, y = r->s->options.height / 2.0, u, v, p, q;
    endo_affine_apply(r->chain[a].matrix, x, y, &u, &v);
    endo_affine_apply(r->chain[b].matrix, x, y, &p, &q);
    return hypot(u - p, v - q);
}

static size_t choose_ties(const sequence_run *r, endo_pair *pairs, endo_transform *starts) {
    size_t n = 0;
    for (int i = 0; i < r->n; i++)
        for (int k = i % STRIDE, ties = 0; k < i - STRIDE / 2 && ties < TIES; k += STRIDE) {
            endo_transform back;
            if (apart(r, i, k) > 0.4 * r->s->options.height || !endo_transform_inverse(&r->chain[k], &back)) continue;
            if (!endo_transform_product(&r->chain[i], &back, &starts[n])) continue;
            pairs[n].reference = k, pairs[n].current = i;
            n++, ties++;
        }
    return n;
}

static endo_status tie_frames(sequence_run *r, endo_pair *pairs, endo_transform *starts, endo_pair_result *results) {
    size_t n = choose_ties(r, pairs, starts);
    endo_status status = n ? register_pairs(r, pairs, starts, n, results) : ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (results[i].status == ENDO_PAIR_OK) keep(r, &pairs[i], &results[i]);
    return status;
}

static endo_status solve_frames(endo_context *context, sequence_run *r) {
    endo_graph_options o = endo_graph_options_default();
    memcpy(r->solved, r->chain, (size_t)r->n * sizeof *r->chain);
    o.transform = ENDO_TRANSFORM_TRANSLATION;
    for (size_t i = 0; i < r->n_pairs; i++)
        if (r->pairs[i].transform.kind > o.transform) o.transform = r->pairs[i].transform.kind;
    return endo_graph_solve(context, &(endo_graph){.width = r->s->options.width, .height = r->s->options.height,
                            .pairs = r->pairs, .n_pairs = r->n_pairs, .poses = r->solved, .n = (size_t)r->n}, &o, NULL);
}

/* ----------------------------------------------------------------- figures */

static double drift(const sequence_run *r, const endo_transform *solved) {
    double sum = 0, corners, frame;
    for (int i = 0; i < r->n; i++) {
        truth_errors(&solved[i], &r->truth[i], &r->s->options, &corners, &frame);
        sum += corners / r->n;
    }
    return sqrt(sum);
}

static void print_run(const sequence_run *r) {
    const endo_demo_options *o = &r->s->options;
    printf("%-22s %4dx%-4d %5d  %5d ok %4d few %4d none  %7.4f %5d %5d %8.3f %8.3f %7d\n", r->s->name, o->width, o->height,
           r->n, r->ok, r->doubtful, r->n - 1 - r->ok - r->doubtful, r->ok ? sqrt(r->squares / r->ok) : 0, r->wrong, r->over,
           drift(r, r->chain), drift(r, r->solved), (int)r->n_pairs);
    fflush(stdout);
}

static endo_status run_one(endo_context *context, sequence_run *r) {
    size_t n = (size_t)r->n * TIES;
    endo_pair *pairs = endo_alloc(n, sizeof *pairs);
    endo_pair_result *results = endo_alloc(n, sizeof *results);
    endo_transform *starts = endo_alloc(n, sizeof *starts);
    endo_status status = pairs && results && starts ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    if (status == ENDO_OK) status = put_frames(context, r);
    if (status == ENDO_OK) status = chain_frames(r, pairs, results);
    if (status == ENDO_OK) status = tie_frames(r, pairs, starts, results);
    if (status == ENDO_OK) status = solve_frames(context, r);
    if (status == ENDO_OK) print_run(r);
    endo_free(pairs);
    endo_free(results);
    endo_free(starts);
    return status;
}

int bench_truth_sequences(endo_context *context, int quick) {
    printf("\nWhole sequences, method best: pairs of neighbours; root mean square of those that are ok over the frame's\n"
           "corners, px; ok and more than 1 px off; wrong by more than three deviations; drift of all frames over their\n"
           "corners, px, of the chain and solved from all pairs.\n%-22s %9s %6s  %-25s %8s %5s %5s %8s %8s %7s\n",
           "sequence", "size", "frames", "neighbours", "pair", ">1 px", "over", "chain", "solved", "pairs");
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        sequence_run r;
        if (quick && sequences[i].options.frames > 100) continue;
        endo_status status = run_make(context, &sequences[i], &r);
        if (status == ENDO_OK) status = run_one(context, &r);
        run_free(&r);
        if (status != ENDO_OK) return bench_failed("truth");
    }
    return 0;
}
