/* What is asked of a sequence beside its panorama, against the same from single calls of the library, and against what is known
 * of the frames: each is a window of one texture that moves by whole pixels. */
#include "include/endorama/mosaic_tools.h"

#include "api/testing.h"
#include "include/endorama/canvas.h"
#include "include/endorama/lens.h"
#include "systems/mosaic/pose_quality.h"
#include "memory_allocator.h"
#include "posed.h"
#include "refuses.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { W = 96, H = 80, AREA = W * H, FRAMES = 70, DX = 3, DY = 1, SCENE_W = W + FRAMES * DX, SCENE_H = H + FRAMES * DY };

static uint8_t scene[SCENE_W * SCENE_H];
static uint8_t pixels[FRAMES][AREA];
static int unreadable[FRAMES];
static int n_lent;
static endo_mosaic_frame frames[FRAMES];
static endo_mosaic_source source;
static endo_mosaic_options options;

/* What the hooks heard. */
static char said[20][300];
static int n_said;
static double told;
static int asks_left; /* until the run is cancelled, from then on; -1: it is not */

/* -------------------------------------------------------------------------- rig */

/* Smooth noise. */
static void make_scene(void) {
    uint32_t state = 7;
    for (int i = 0; i < SCENE_W * SCENE_H; i++) {
        state = state * 1664525u + 1013904223u;
        scene[i] = (uint8_t)(state >> 24);
    }
    for (int pass = 0; pass < 3; pass++)
        for (int i = SCENE_W + 1; i < SCENE_W * SCENE_H; i++)
            scene[i] = (uint8_t)((scene[i] + scene[i - 1] + scene[i - SCENE_W] + scene[i - SCENE_W - 1]) / 4);
    for (int i = 0; i < SCENE_W * SCENE_H; i++) scene[i] = (uint8_t)(40 + 3 * (scene[i] > 200 ? 200 : scene[i]) / 4);
}

static void make_frame(int i) {
    for (int y = 0; y < H; y++) memcpy(&pixels[i][y * W], &scene[(y + i * DY) * SCENE_W + i * DX], W);
}

static endo_transform shift(double dx, double dy) {
    return (endo_transform){.kind = ENDO_TRANSFORM_TRANSLATION, .matrix = {1, 0, dx, 0, 1, dy, 0, 0, 1}};
}

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)user;
    n_lent++;
    if (!unreadable[frame]) return pixels[frame];
    strcpy(reason, "torn");
    return NULL;
}

static void hear(void *user, const endo_event *event) {
    (void)user;
    if (n_said < 20) snprintf(said[n_said++], sizeof said[0], "%d %s", event->level, event->text);
}

static void keep_progress(void *user, double share) {
    (void)user;
    CHECK(share >= told && share <= 1);
    told = share;
}

static int is_cancelled(void *user) {
    (void)user;
    if (asks_left > 0) asks_left--;
    return asks_left == 0;
}

static int times_said(const char *text) {
    int n = 0;
    for (int i = 0; i < n_said; i++) n += strstr(said[i], text) != NULL;
    return n;
}

/* Everything as it was in the beginning. */
static void reset(void) {
    memset(unreadable, 0, sizeof unreadable);
    n_lent = 0;
    n_said = 0;
    asks_left = -1;
    source = (endo_mosaic_source){.frames = FRAMES, .width = W, .height = H, .type = ENDO_GREY8, .lend = lend};
    options = endo_mosaic_options_default();
    options.context.threads = 1;
    options.field = ENDO_MOSAIC_FIELD_WHOLE;
    options.pattern = 0;
    options.rim = 0;
    for (int i = 0; i < FRAMES; i++) {
        endo_transform pose = shift(i * DX, i * DY);
        frames[i] = (endo_mosaic_frame){.pose = pose, .chained = pose, .reference = -1, .registered = 1, .component = 1};
    }
}

static endo_mosaic *make(int fail_after) {
    endo_mosaic_hooks hooks = {.event = hear, .progress = keep_progress, .cancelled = is_cancelled};
    endo_mosaic *mosaic = NULL;
    told = 0;
    CHECK(endo_mosaic_create(&options, &hooks, &mosaic) == ENDO_OK);
    endo_mosaic_fail_after(mosaic, fail_after);
    return mosaic;
}

static endo_context *one_thread(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context = NULL;
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    return context;
}

/* All frames in a store. */
static endo_frames *store_of_all(endo_context *context, endo_frames_options o) {
    endo_frames *store = NULL;
    o.width = W;
    o.height = H;
    o.capacity = FRAMES;
    CHECK(endo_frames_create(context, &o, &store) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) CHECK(endo_frames_put(store, i, pixels[i], W) == ENDO_OK);
    return store;
}

/* ---------------------------------------------------------------------- quality */

static endo_pose_quality rows[FRAMES];
static int32_t n_rows;

static endo_status measure(int distance, int fail_after) {
    endo_mosaic *mosaic = make(fail_after);
    n_rows = -1;
    endo_status status = endo_mosaic_quality(mosaic, &source, frames, FRAMES, distance, rows, &n_rows);
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* Windows that move by whole pixels are equal where they overlap. */
static void test_true_poses_are_perfect(void) {
    for (int distance = 1; distance < 20; distance += 9) {
        reset();
        CHECK(measure(distance, 0) == ENDO_OK && n_rows == FRAMES - distance && told == 1 && n_lent == FRAMES);
        for (int i = 0; i < n_rows; i++) {
            CHECK(rows[i].frame == i + distance && rows[i].reference == i);
            CHECK_NEAR(rows[i].quality, 1, 1e-12);
        }
    }
    frames[5].pose = shift(5 * DX + 2, 5 * DY);
    CHECK(measure(1, 0) == ENDO_OK && rows[4].quality < 0.95 && rows[5].quality < 0.95);
    CHECK_NEAR(rows[3].quality, 1, 1e-12);
    CHECK_NEAR(rows[6].quality, 1, 1e-12);
}

/* As single calls give it, whatever only registering looks at. */
static void test_quality_is_that_of_its_pairs(void) {
    endo_context *context = one_thread();
    endo_frames_options plain = endo_frames_options_default();
    endo_frames *store = store_of_all(context, plain);
    reset();
    options.highlights = 1;
    options.enhance = 1;
    options.pairs.initial = ENDO_INITIAL_FOURIER;
    options.pairs.template_side = 255;
    for (int i = 0; i < FRAMES; i++) frames[i].pose.matrix[2] += 0.3 * (i % 3);
    CHECK(measure(2, 0) == ENDO_OK && n_rows == FRAMES - 2);
    for (int i = 0; i < n_rows; i++) {
        endo_pair pair = {.reference = i, .current = i + 2};
        endo_transform step = shift(frames[i + 2].pose.matrix[2] - frames[i].pose.matrix[2], 2 * DY);
        double quality;
        CHECK(endo_quality_measure(store, &pair, &step, 1, &quality) == ENDO_OK);
        CHECK_NEAR(rows[i].quality, quality, 1e-12);
    }
    endo_frames_destroy(&store);
    endo_context_destroy(&context);
}

static int has_row(int frame) {
    for (int i = 0; i < n_rows; i++)
        if (rows[i].frame == frame) return 1;
    return 0;
}

static void test_pairs_that_are_left_out(void) {
    reset();
    frames[10].registered = 0;
    frames[20].component = 2;
    unreadable[30] = 1;
    CHECK(measure(1, 0) == ENDO_OK && n_rows == FRAMES - 1 - 6);
    CHECK(!has_row(10) && !has_row(11) && !has_row(20) && !has_row(21) && !has_row(30) && !has_row(31));
    CHECK(n_said == 2 && !strcmp(said[1], "2 frame 31: torn; left out"));
    frames[21].component = 2;
    CHECK(measure(1, 0) == ENDO_OK && n_rows == FRAMES - 1 - 6 && has_row(21) && !has_row(22));
    CHECK(measure(FRAMES - 1, 0) == ENDO_OK && n_rows == 1 && rows[0].frame == FRAMES - 1 && rows[0].reference == 0);
    CHECK(measure(FRAMES, 0) == ENDO_OK && n_rows == 0);
}

/* A step that takes a part of the frame to infinity says nothing, and the pairs around it say what they do. */
static void test_steps_beyond_the_horizon_are_undefined(void) {
    reset();
    frames[1].pose = (endo_transform){.kind = ENDO_TRANSFORM_HOMOGRAPHY, .matrix = {1, 0, DX, 0, 1, DY, -0.02, 0, 1}};
    CHECK(measure(1, 0) == ENDO_OK && n_rows == FRAMES - 1 && isnan(rows[0].quality));
    CHECK_NEAR(rows[2].quality, 1, 1e-12);
}

static void test_quality_survives_a_device(void) {
    endo_pose_quality wanted[FRAMES];
    reset();
    CHECK(measure(3, 0) == ENDO_OK);
    memcpy(wanted, rows, sizeof wanted);
    for (int calls = 1; calls < FRAMES; calls += 11) {
        n_said = 0;
        CHECK(measure(3, calls) == ENDO_OK && n_rows == FRAMES - 3 && !memcmp(rows, wanted, (size_t)n_rows * sizeof *rows));
        CHECK(times_said("; the CPU goes on, nothing is lost") == 1);
    }
}

/* What was measured is there. */
static void test_quality_that_is_cancelled(void) {
    reset();
    options.field = ENDO_MOSAIC_FIELD_WHOLE;
    asks_left = 10;
    CHECK(measure(1, 0) == ENDO_CANCELLED && n_rows > 0 && n_rows < 10 && rows[n_rows - 1].frame == n_rows);
    CHECK_NEAR(rows[n_rows - 1].quality, 1, 1e-12);
    asks_left = 1;
    CHECK(measure(1, 0) == ENDO_CANCELLED && n_rows == 0);
}

static void test_chunks(void) {
    CHECK(pose_quality_chunk(44, 1) == 43 && pose_quality_chunk(44, 22) == 22 && pose_quality_chunk(44, 23) == 22);
    CHECK(pose_quality_chunk(5, 1) == 4 && pose_quality_chunk(5, 2) == 3 && pose_quality_chunk(5, 1000) == 2);
    CHECK(pose_quality_chunk(260, 1) == 64 && pose_quality_chunk(260, 1000) == 64);
}

static void test_what_quality_refuses(void) {
    endo_mosaic *mosaic;
    reset();
    mosaic = make(0);
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, FRAMES, 0, rows, &n_rows), "distance 0: must be 1 or more");
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, 5, 1, rows, &n_rows), "5 poses for a sequence of 70 frames");
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, FRAMES, 1, NULL, &n_rows), "an argument is NULL");
    REFUSES(endo_mosaic_quality(NULL, &source, frames, FRAMES, 1, rows, &n_rows), "mosaic is NULL");
    frames[3].pose.matrix[0] = 0;
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, FRAMES, 1, rows, &n_rows), "frame 3: its transform");
    frames[3].pose.matrix[0] = 1;
    CHECK(endo_mosaic_quality(mosaic, &source, frames, FRAMES, 1, rows, &n_rows) == ENDO_OK);
    CHECK(strstr(endo_mosaic_backend(mosaic), "cpu (") && !strcmp(endo_mosaic_field_description(mosaic), "whole frame"));
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, FRAMES, 1, rows, &n_rows), "this mosaic has run");
    endo_mosaic_destroy(&mosaic);
    source.frames = 1;
    mosaic = make(0);
    REFUSES(endo_mosaic_quality(mosaic, &source, frames, 1, 1, rows, &n_rows), "a sequence of 1 frames: must be 2..");
    endo_mosaic_destroy(&mosaic);
    reset();
    for (int i = 0; i < FRAMES; i++) unreadable[i] = 1;
    options.field = ENDO_MOSAIC_FIELD_AUTO;
    CHECK(measure(1, 0) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "no frame can be read; the last said: frame 70: torn"));
}

/* ------------------------------------------------------------------------ sweep */

enum { COMBINATIONS = 3 };
static endo_pairs_options combinations[COMBINATIONS];
static endo_sweep_result results[COMBINATIONS];

static void set_combinations(void) {
    static const int sides[COMBINATIONS] = {15, 21, 15};
    for (int i = 0; i < COMBINATIONS; i++) {
        combinations[i] = endo_pairs_options_default();
        combinations[i].template_side = sides[i];
        combinations[i].landmarks = i < 2 ? 4 : 5;
    }
}

static endo_status sweep(int fail_after) {
    endo_mosaic *mosaic = make(fail_after);
    endo_status status = endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results);
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* From one call over all pairs that can be read. */
static endo_sweep_result sums_of(endo_frames *store, const endo_pairs_options *o) {
    endo_sweep_result sums = {0};
    for (int i = 1; i < FRAMES; i++) {
        endo_pair pair = {.reference = i - 1, .current = i};
        endo_pair_result r;
        if (unreadable[i] || unreadable[i - 1]) continue;
        CHECK(endo_pairs_register(store, &pair, 1, o, &r) == ENDO_OK);
        sums.pairs++;
        sums.ok += r.status == ENDO_PAIR_OK;
        sums.computed += r.computed;
        sums.reused += r.reused;
        sums.qualities += !isnan(r.quality);
        sums.quality_sum += isnan(r.quality) ? 0 : r.quality;
    }
    return sums;
}

static void check_sums(const endo_sweep_result *found, const endo_sweep_result *wanted) {
    CHECK(found->pairs == wanted->pairs && found->ok == wanted->ok && found->qualities == wanted->qualities);
    CHECK(found->computed == wanted->computed && found->reused == wanted->reused && found->milliseconds > 0);
    CHECK_NEAR(found->quality_sum, wanted->quality_sum, 1e-9);
}

static void check_all_sums(endo_frames *store) {
    for (int i = 0; i < COMBINATIONS; i++) {
        endo_sweep_result wanted = sums_of(store, &combinations[i]);
        check_sums(&results[i], &wanted);
    }
}

/* In one passage over the frames, prepared as the options say. */
static void test_sums_are_those_of_the_pairs(void) {
    for (int best = 0; best < 2; best++) {
        endo_context *context = one_thread();
        endo_frames_options like = endo_frames_options_default();
        like.iir = 7;
        like.highlights = best ? ENDO_HIGHLIGHTS_REFINING : 0;
        endo_frames *store = store_of_all(context, like);
        reset();
        options.iir = 7;
        set_combinations();
        for (int i = 0; i < COMBINATIONS; i++) {
            combinations[i].method = best ? ENDO_METHOD_BEST : ENDO_METHOD_PAPER;
            combinations[i].initial = best ? ENDO_INITIAL_FLOW : ENDO_INITIAL_NONE;
        }
        CHECK(sweep(0) == ENDO_OK && told == 1 && n_lent == FRAMES);
        CHECK(results[0].pairs == FRAMES - 1 && results[0].ok > FRAMES / 2 && results[2].computed > results[0].computed);
        check_all_sums(store);
        unreadable[40] = 1;
        n_said = 0;
        CHECK(sweep(0) == ENDO_OK && results[2].pairs == FRAMES - 3 && times_said("2 frame 41: torn; left out") == 1);
        check_all_sums(store);
        endo_frames_destroy(&store);
        endo_context_destroy(&context);
    }
}

static void test_sweep_survives_a_device(void) {
    endo_sweep_result wanted[COMBINATIONS];
    reset();
    set_combinations();
    CHECK(sweep(0) == ENDO_OK);
    memcpy(wanted, results, sizeof wanted);
    for (int calls = 1; calls < FRAMES + 8; calls += calls < 60 ? 20 : 1) {
        n_said = 0;
        CHECK(sweep(calls) == ENDO_OK);
        for (int i = 0; i < COMBINATIONS; i++) check_sums(&results[i], &wanted[i]);
        CHECK(times_said("; the CPU goes on, nothing is lost") == (calls < FRAMES + 2 * COMBINATIONS));
    }
}

/* The rows hold what was measured until then. */
static void test_sweep_that_is_cancelled(void) {
    int64_t pairs[COMBINATIONS] = {0};
    int is_uneven = 0; /* one had a chunk that others had not */
    reset();
    set_combinations();
    for (int asks = 1; asks < 400; asks += asks > 60 && asks < 80 ? 1 : 7) {
        asks_left = asks;
        endo_status status = sweep(0);
        for (int i = 0; i < COMBINATIONS; i++) {
            CHECK(results[i].pairs >= pairs[i] && (i == 0 || results[i].pairs <= results[i - 1].pairs));
            pairs[i] = results[i].pairs;
        }
        is_uneven |= results[0].pairs > results[2].pairs;
        if (status == ENDO_OK) break;
        CHECK(status == ENDO_CANCELLED);
        if (asks == 1) CHECK(results[0].pairs == 0);
    }
    CHECK(pairs[2] == FRAMES - 1 && is_uneven);
}

static void test_what_a_sweep_refuses(void) {
    endo_mosaic *mosaic;
    reset();
    set_combinations();
    mosaic = make(0);
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, 0, results), "0 combinations of options: must be 1..");
    REFUSES(endo_mosaic_sweep(mosaic, &source, NULL, 1, results), "an argument is NULL");
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, 1, NULL), "an argument is NULL");
    combinations[2].cthresh = 2;
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results), "cthresh 2: must be -1..1");
    set_combinations();
    combinations[2].initial = ENDO_INITIAL_NONE;
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results), "combination 2: initial 0 and method 0");
    set_combinations();
    combinations[1].method = ENDO_METHOD_BEST;
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results), "combination 1: initial 1 and method 1");
    set_combinations();
    combinations[1].template_side = 81;
    REFUSES(endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results), "template 81: larger than the field");
    endo_mosaic_destroy(&mosaic);
}

/* ------------------------------------------------------------------- refinement */

static endo_refined_pair refined;

static endo_status refine(int reference, int current, const endo_transform *start) {
    endo_mosaic *mosaic = make(0);
    const endo_pair pair = {.reference = reference, .current = current};
    endo_status status = endo_mosaic_refine(mosaic, &source, &pair, start, &refined);
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* From a distance from where frame 4 lies in frame 2, px to the left. What does not fit there is found from no motion. */
static void refine_from_the_left(double distance) {
    endo_transform start = shift(2 * DX - distance, 2 * DY);
    CHECK(refine(2, 4, &start) == ENDO_OK);
    CHECK_NEAR(refined.moved, distance, 0.05);
    CHECK(refined.quality > 0.99);
}

static void test_a_pair_is_refined_near_its_start(void) {
    reset();
    refine_from_the_left(11);
    CHECK(refined.refined && !refined.why[0] && refined.edge.reference == 2 && refined.edge.current == 4);
    CHECK_NEAR(refined.edge.transform.matrix[2], 2 * DX, 0.05);
    CHECK_NEAR(refined.edge.transform.matrix[5], 2 * DY, 0.05);
    CHECK(refined.edge.deviation > 0 && refined.edge.deviation < 0.1 && !refined.edge.doubtful);
    refine_from_the_left(13);
    CHECK(!refined.refined && !strcmp(refined.why, "what fits best is 13 px away, and at most 12 px are near"));
    CHECK(refined.edge.deviation == 0);
}

/* Nothing is found from no motion, nor, by landmarks, from further off than half a template. */
static void test_a_pair_is_refined_from_around_its_start(void) {
    static const double off[][2] = {{0, 0}, {8, 0}, {-7, 6}, {0, -9}, {6, 8}};
    reset();
    for (int i = 0; i < 5; i++) {
        endo_transform start = shift(20 * DX + off[i][0], 20 * DY + off[i][1]);
        CHECK(refine(20, 40, &start) == ENDO_OK);
        CHECK(refined.refined);
        CHECK_NEAR(refined.edge.transform.matrix[2], 20 * DX, 0.05);
        CHECK_NEAR(refined.edge.transform.matrix[5], 20 * DY, 0.05);
    }
}

static void test_the_class_of_a_refined_pair(void) {
    reset();
    endo_transform start = shift(8 * DX + 2, 8 * DY);
    start.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    start.matrix[6] = 1e-5;
    CHECK(refine(2, 10, &start) == ENDO_OK && refined.refined);
    CHECK(refined.edge.transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    options.pairs.method = ENDO_METHOD_PAPER;
    options.pairs.transform = ENDO_TRANSFORM_TRANSLATION;
    CHECK(refine(2, 10, &start) == ENDO_OK && refined.refined);
    CHECK(refined.edge.transform.kind == ENDO_TRANSFORM_TRANSLATION);
}

static void test_frames_that_do_not_fit_say_so(void) {
    static uint8_t kept[AREA];
    const endo_transform start = shift(3 * DX, 3 * DY);
    reset();
    memcpy(kept, pixels[5], AREA);
    for (int i = 0; i < AREA; i++) pixels[5][i] = kept[AREA - 1 - i];
    CHECK(refine(2, 5, &start) == ENDO_OK && !refined.refined && refined.why[0] && refined.edge.deviation == 0);
    memset(pixels[5], 90, AREA);
    CHECK(refine(5, 2, &start) == ENDO_OK && !refined.refined && strstr(refined.why, "texture"));
    memcpy(pixels[5], kept, AREA);
    CHECK(refine(2, 5, &start) == ENDO_OK && refined.refined);
    unreadable[5] = 1;
    REFUSES(refine(2, 5, &start), "frames 3 and 6: one of them cannot be read");
}

static void test_what_refine_refuses(void) {
    endo_transform start = shift(3, 1);
    reset();
    REFUSES(refine(0, 0, &start), "frames 0 and 0: must be two of 0..69");
    REFUSES(refine(0, 70, &start), "frames 0 and 70: must be two of 0..69");
    REFUSES(refine(-1, 1, &start), "frames -1 and 1: must be two of 0..69");
    REFUSES(refine(0, 1, NULL), "an argument is NULL");
    options.pairs.template_side = 81;
    REFUSES(refine(0, 1, &start), "template 81: larger than the field of view");
    options.pairs.template_side = 0;
    start.matrix[0] = 0;
    REFUSES(refine(0, 1, &start), "start: it is not finite");
    asks_left = 1;
    start.matrix[0] = 1;
    CHECK(refine(0, 1, &start) == ENDO_CANCELLED);
}

/* --------------------------------------------------------------- aligned frames */

static endo_mosaic *aligned;
static endo_aligned_size size;

static endo_status align(endo_aligned_extent extent, int fail_after) {
    aligned = make(fail_after);
    return endo_mosaic_align(aligned, &source, frames, FRAMES, 1, extent, &size);
}

/* Whole pixels lie where they lie in the scene; beyond the frame there is nothing. */
static int lies_right(int frame, const uint8_t *made) {
    for (int y = 0; y < size.height; y++)
        for (int x = 0; x < size.width; x++) {
            int u = x - size.origin_x - frame * DX;
            int v = y - size.origin_y - frame * DY;
            int there = u >= 0 && v >= 0 && u < W && v < H;
            if (made[y * size.width + x] != (there ? pixels[frame][v * W + u] : 0)) return 0;
        }
    return 1;
}

static void test_frames_lie_where_they_belong(void) {
    static uint8_t made[SCENE_W * SCENE_H];
    static const int order[] = {0, 7, 3, 20, 3};
    for (int all = 0; all < 2; all++) {
        reset();
        for (int i = 30; i < FRAMES; i++) frames[i].component = 2;
        frames[9].registered = 0;
        CHECK(align(all ? ENDO_ALIGNED_ALL : ENDO_ALIGNED_FRAME, 0) == ENDO_OK);
        CHECK(size.width == (all ? W + 29 * DX : W) && size.height == (all ? H + 29 * DY : H));
        CHECK(size.origin_x == 0 && size.origin_y == 0);
        for (int i = 0; i < 5; i++) {
            int32_t readable = -1;
            memset(made, 77, sizeof made);
            CHECK(endo_mosaic_read_aligned(aligned, order[i], made, &readable) == ENDO_OK && readable == 1);
            CHECK(lies_right(order[i], made) && made[size.width * size.height] == 77);
        }
        CHECK(n_lent == 5);
        CHECK(endo_mosaic_read_aligned(aligned, 3, made, NULL) == ENDO_OK && n_lent == 5); /* it is still there */
        REFUSES(endo_mosaic_read_aligned(aligned, 9, made, NULL), "aligned frame 9: must be a registered frame");
        REFUSES(endo_mosaic_read_aligned(aligned, 30, made, NULL), "aligned frame 30: must be");
        REFUSES(endo_mosaic_read_aligned(aligned, -1, made, NULL), "aligned frame -1");
        REFUSES(endo_mosaic_read_aligned(aligned, FRAMES, made, NULL), "of 0..69");
        endo_mosaic_destroy(&aligned);
    }
}

/* The first frame need not be in the corner. */
static void test_origins(void) {
    static uint8_t made[4 * AREA];
    reset();
    for (int i = 0; i < FRAMES; i++) frames[i].registered = i < 3;
    frames[1].pose = shift(-20, 5);
    frames[2].pose = shift(4, -7.5);
    CHECK(align(ENDO_ALIGNED_ALL, 0) == ENDO_OK);
    CHECK(size.width == W + 24 && size.height == H + 13 && size.origin_x == 20 && size.origin_y == 8);
    CHECK(endo_mosaic_read_aligned(aligned, 1, made, NULL) == ENDO_OK);
    CHECK(made[13 * size.width] == pixels[1][0] && made[12 * size.width] == 0 && made[13 * size.width + W] == 0);
    endo_mosaic_destroy(&aligned);
}

/* As a canvas paints it, with the lens taken out of frame and field. */
static void test_frames_without_their_lens(void) {
    static uint8_t made[AREA];
    static uint8_t wanted[AREA];
    static uint8_t straight[AREA];
    static uint8_t mask[AREA];
    const int32_t slot = 0;
    endo_transform pose = {.kind = ENDO_TRANSFORM_AFFINE, .matrix = {1.02, 0.03, 4.3, -0.02, 0.97, 2.6, 0, 0, 1}};
    endo_context *context = one_thread();
    endo_lens *lens = NULL;
    endo_frames *store = NULL;
    endo_canvas *canvas = NULL;
    CHECK(endo_lens_create(context, W, H, 12, &lens) == ENDO_OK && endo_lens_mask(lens, NULL, mask) == ENDO_OK);
    CHECK(endo_lens_undistort(lens, pixels[6], ENDO_GREY8, W, straight, W) == ENDO_OK);
    endo_frames_options o = endo_frames_options_default();
    o.width = W;
    o.height = H;
    o.capacity = 1;
    o.field = mask;
    o.rim = 10;
    CHECK(endo_frames_create(context, &o, &store) == ENDO_OK && endo_frames_put(store, 0, straight, W) == ENDO_OK);
    CHECK(endo_canvas_create(context, ENDO_GREY8, W, H, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, store, POSED(&slot, &pose, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(canvas, 0, 0, W, H, wanted, NULL) == ENDO_OK);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&store);
    endo_lens_destroy(&lens);
    endo_context_destroy(&context);
    reset();
    options.lens = 12;
    options.rim = 10;
    frames[6].pose = pose;
    CHECK(align(ENDO_ALIGNED_FRAME, 0) == ENDO_OK && endo_mosaic_read_aligned(aligned, 6, made, NULL) == ENDO_OK);
    CHECK(!memcmp(made, wanted, AREA));
    endo_mosaic_destroy(&aligned);
}

static void test_aligned_frames_that_cannot_be_read(void) {
    static uint8_t made[AREA];
    int32_t readable = -1;
    reset();
    unreadable[2] = 1;
    CHECK(align(ENDO_ALIGNED_FRAME, 0) == ENDO_OK);
    memset(made, 77, sizeof made);
    CHECK(endo_mosaic_read_aligned(aligned, 2, made, &readable) == ENDO_OK && readable == 0 && all_bytes(made, AREA, 0));
    CHECK(times_said("2 frame 3: torn; left black") == 1);
    CHECK(endo_mosaic_read_aligned(aligned, 3, made, &readable) == ENDO_OK && readable == 1 && lies_right(3, made));
    endo_mosaic_destroy(&aligned);
}

static void test_aligned_frames_survive_a_device(void) {
    static uint8_t made[AREA];
    for (int calls = 1; calls < 8; calls++) {
        reset();
        CHECK(align(ENDO_ALIGNED_FRAME, calls) == ENDO_OK);
        for (int i = 0; i < 4; i++) CHECK(endo_mosaic_read_aligned(aligned, i, made, NULL) == ENDO_OK && lies_right(i, made));
        CHECK(times_said("; the CPU goes on, nothing is lost") == 1);
        endo_mosaic_destroy(&aligned);
    }
}

static void test_what_align_refuses(void) {
    static uint8_t made[AREA];
    static const struct {
        double dx;
        int64_t most;
        const char *text;
    } cases[] = {
        {100, 196 * H - 1, "extent All: with frame 2 the frames take 196 x 80 px; max_canvas allows 0.015679 megapixels"},
        {(1 << 20) - W + 1, 1000000000,
         "extent All: with frame 2 the frames take 1048577 x 80 px; max_canvas allows 1000 megapixels"},
        {1e12, 1000000000, "extent All: with frame 2 the frames take endlessly much; max_canvas allows 1000 megapixels"},
    };
    endo_mosaic *mosaic;
    reset();
    mosaic = make(0);
    REFUSES(endo_mosaic_align(mosaic, &source, frames, FRAMES, 1, (endo_aligned_extent)2, &size), "extent 2: must be 0");
    REFUSES(endo_mosaic_align(mosaic, &source, frames, FRAMES, 0, ENDO_ALIGNED_ALL, &size), "component 0: must be 1 or more");
    REFUSES(endo_mosaic_align(mosaic, &source, frames, FRAMES, 1, ENDO_ALIGNED_ALL, NULL), "size is NULL");
    REFUSES(endo_mosaic_align(mosaic, &source, frames, 3, 1, ENDO_ALIGNED_ALL, &size), "3 poses for a sequence");
    REFUSES(endo_mosaic_read_aligned(mosaic, 0, made, NULL), "nothing was aligned");
    REFUSES(endo_mosaic_align(mosaic, &source, frames, FRAMES, 2, ENDO_ALIGNED_ALL, &size), "component 2: no registered frame");
    REFUSES(endo_mosaic_read_aligned(mosaic, 0, made, NULL), "nothing was aligned");
    REFUSES(endo_mosaic_read_aligned(NULL, 0, made, NULL), "an argument is NULL");
    endo_mosaic_destroy(&mosaic);
    for (int k = 0; k < 3; k++) {
        reset();
        for (int i = 0; i < FRAMES; i++) frames[i].registered = i < 2;
        frames[1].pose = shift(cases[k].dx, 0);
        options.max_canvas = cases[k].most;
        CHECK(align(ENDO_ALIGNED_ALL, 0) == ENDO_ERR_ARGUMENT && !strcmp(endo_last_error(), cases[k].text));
        endo_mosaic_destroy(&aligned);
        options.max_canvas = 196 * H;
        if (k == 0) CHECK(align(ENDO_ALIGNED_ALL, 0) == ENDO_OK && size.width == 196);
        endo_mosaic_destroy(&aligned);
    }
}

/* ------------------------------------------------------------------- wild poses */

/* Frames of 101 x 1 px in one place: the farthest corner of each is about 50 px from the middle of all. */
enum { STRIP = 101, MOST = 8 };
static endo_mosaic_frame strips[MOST];
static endo_wild_pose wild[MOST];
static int32_t n_wild;

static void place(const double *shifts, int n) {
    for (int i = 0; i < n; i++)
        strips[i] = (endo_mosaic_frame){
            .pose = shift(shifts[i], 0),
            .reference = -1,
            .registered = 1,
            .component = 1,
        };
}

static void find_wild(int n, int64_t limit) {
    n_wild = -1;
    CHECK(endo_mosaic_wild_poses(strips, n, STRIP, 1, limit, wild, &n_wild) == ENDO_OK);
}

/* The only one, or -1 for none. */
static int wild_one(int64_t limit, double a, double b, double c, double d, double e) {
    const double shifts[] = {a, b, c, d, e};
    place(shifts, 5);
    find_wild(5, limit);
    return n_wild == 0 ? -1 : n_wild == 1 ? wild[0].frame : -2;
}

static void test_where_all_fit_all_are_believed(void) {
    CHECK(wild_one(10000, 0, 0, 0, 0, 9000) == -1);
    CHECK(wild_one(9101, 0, 0, 0, 0, 9000) == -1 && wild_one(9100, 0, 0, 0, 0, 9000) == 4);
    CHECK(wild_one((int64_t)1 << 40, 0, 0, 0, 0, (1 << 20) - STRIP) == -1);
    CHECK(wild_one((int64_t)1 << 40, 0, 0, 0, 0, (1 << 20) - STRIP + 1) == 4);
}

static void test_the_one_that_is_far_is_wild_wherever_it_stands(void) {
    CHECK(wild_one(1000, 9000, 0, 0, 0, 0) == 0);
    CHECK(wild_one(1000, 0, 0, 9000, 0, 0) == 2);
    CHECK(wild_one(1000, 0, 0, 0, 0, -9000) == 4);
    CHECK(!strcmp(wild[0].why, "its transform takes it 9051 px from the middle of the others, which are 51 px from it"));
}

/* Of two frames none is the one that is far. */
static void test_of_two_frames_neither_is_wild(void) {
    const double shifts[] = {0, 9000};
    place(shifts, 2);
    find_wild(2, 1000);
    CHECK(n_wild == 0);
}

/* 50 times the 50.5 px from the middle to a corner of the others (and half a pixel down), less the half of the frame itself. */
static void test_far_is_fifty_times_as_far_as_usual(void) {
    CHECK(wild_one(1000, 0, 0, 0, 0, 2474) == -1 && wild_one(1000, 0, 0, 0, 0, 2475) == 4);
    CHECK(wild_one(1000, 0, 0, 0, 0, -2474) == -1 && wild_one(1000, 0, 0, 0, 0, -2475) == 4);
}

/* Then painting stops where there is no room. */
static void test_a_long_way_is_not_wild(void) { CHECK(wild_one(1000, 0, 3000, 6000, 9000, 12000) == -1); }

static void test_what_cannot_be_painted_is_wild_even_where_there_is_room(void) {
    const double shifts[] = {0, 0, 0, 1e12};
    place(shifts, 4);
    strips[2].pose = (endo_transform){.kind = ENDO_TRANSFORM_HOMOGRAPHY, .matrix = {1, 0, 0, 0, 1, 0, -0.02, 0, 1}};
    find_wild(4, (int64_t)1 << 40);
    CHECK(n_wild == 2 && wild[0].frame == 2 && wild[1].frame == 3);
    CHECK(!strcmp(wild[0].why, "its transform takes it across its horizon, or more than 2^29 px away"));
    CHECK(!strcmp(wild[1].why, wild[0].why));
}

/* Those that are not registered say nothing, and components have nothing to do with one another. */
static void test_components_by_themselves(void) {
    const double shifts[] = {9000, 0, 0, 9000, 0, 0, 9000, 1e12};
    place(shifts, 8);
    strips[6].registered = 0;
    strips[7].registered = 0;
    strips[0].component = 2;
    strips[3].component = 2;
    find_wild(8, 1000);
    CHECK(n_wild == 0);
    strips[3].component = 1;
    find_wild(8, 1000);
    CHECK(n_wild == 1 && wild[0].frame == 3);
    find_wild(0, 1000);
    CHECK(n_wild == 0);
}

static void test_what_wild_poses_refuse(void) {
    const double shifts[] = {0, 0};
    place(shifts, 2);
    REFUSES(endo_mosaic_wild_poses(strips, 2, 0, 1, 1000, wild, &n_wild), "frames of 0 x 1 px");
    REFUSES(endo_mosaic_wild_poses(strips, 2, STRIP, 32768, 1000, wild, &n_wild), "sides must be 1..32767");
    REFUSES(endo_mosaic_wild_poses(strips, 2, STRIP, 1, 0, wild, &n_wild), "max_canvas 0: must be 1 or more");
    REFUSES(endo_mosaic_wild_poses(strips, -1, STRIP, 1, 1000, wild, &n_wild), "-1 frames: must be 0..");
    REFUSES(endo_mosaic_wild_poses(NULL, 2, STRIP, 1, 1000, wild, &n_wild), "an argument is NULL");
    REFUSES(endo_mosaic_wild_poses(strips, 2, STRIP, 1, 1000, wild, NULL), "an argument is NULL");
    strips[1].pose.matrix[2] = NAN;
    REFUSES(endo_mosaic_wild_poses(strips, 2, STRIP, 1, 1000, wild, &n_wild), "frame 1: its transform");
}

/* ----------------------------------------------------------------------- memory */

/* Whichever allocation of them fails: it is told, or there was another way; nothing is lost. */
typedef endo_status (*tool)(endo_mosaic *mosaic);

static endo_status measure_few(endo_mosaic *mosaic) {
    return endo_mosaic_quality(mosaic, &source, frames, source.frames, 2, rows, &n_rows);
}

static endo_status sweep_few(endo_mosaic *mosaic) {
    return endo_mosaic_sweep(mosaic, &source, combinations, COMBINATIONS, results);
}

static endo_status refine_one(endo_mosaic *mosaic) {
    const endo_pair pair = {.reference = 1, .current = 3};
    const endo_transform start = shift(2 * DX, 2 * DY);
    return endo_mosaic_refine(mosaic, &source, &pair, &start, &refined);
}

static endo_status align_few(endo_mosaic *mosaic) {
    static uint8_t made[SCENE_W * SCENE_H];
    endo_status status = endo_mosaic_align(mosaic, &source, frames, source.frames, 1, ENDO_ALIGNED_ALL, &size);
    return status == ENDO_OK ? endo_mosaic_read_aligned(mosaic, 3, made, NULL) : status;
}

static endo_status find_few(endo_mosaic *mosaic) {
    (void)mosaic;
    return endo_mosaic_wild_poses(frames, source.frames, W, H, 1000, wild, &n_wild);
}

/* 0: no allocation was left that could fail. */
static int fails_at(tool run, int call) {
    endo_mosaic *mosaic = make(0);
    int before = memory_alive;
    memory_arm(call, 0);
    endo_status status = run(mosaic);
    int fired = memory_failures;
    memory_arm(0, 0);
    CHECK(status == ENDO_OK || (fired && status == ENDO_ERR_MEMORY));
    CHECK(status == ENDO_OK || endo_last_error()[0]);
    endo_mosaic_destroy(&mosaic);
    CHECK(memory_alive < before);
    return fired;
}

static void test_memory_that_ends(void) {
    static const tool tools[] = {measure_few, sweep_few, refine_one, align_few, find_few};
    reset();
    set_combinations();
    source.frames = 6;
    for (int i = 0; i < 5; i++) {
        int alive = memory_alive;
        for (int call = 1; fails_at(tools[i], call); call++) CHECK(memory_alive == alive);
        CHECK(memory_alive == alive);
    }
}

int main(void) {
    make_scene();
    for (int i = 0; i < FRAMES; i++) make_frame(i);
    test_true_poses_are_perfect();
    test_quality_is_that_of_its_pairs();
    test_pairs_that_are_left_out();
    test_steps_beyond_the_horizon_are_undefined();
    test_quality_survives_a_device();
    test_quality_that_is_cancelled();
    test_chunks();
    test_what_quality_refuses();
    test_sums_are_those_of_the_pairs();
    test_sweep_survives_a_device();
    test_sweep_that_is_cancelled();
    test_what_a_sweep_refuses();
    test_a_pair_is_refined_near_its_start();
    test_a_pair_is_refined_from_around_its_start();
    test_the_class_of_a_refined_pair();
    test_frames_that_do_not_fit_say_so();
    test_what_refine_refuses();
    test_frames_lie_where_they_belong();
    test_origins();
    test_frames_without_their_lens();
    test_aligned_frames_that_cannot_be_read();
    test_aligned_frames_survive_a_device();
    test_what_align_refuses();
    test_where_all_fit_all_are_believed();
    test_the_one_that_is_far_is_wild_wherever_it_stands();
    test_of_two_frames_neither_is_wild();
    test_far_is_fifty_times_as_far_as_usual();
    test_a_long_way_is_not_wild();
    test_what_cannot_be_painted_is_wild_even_where_there_is_room();
    test_components_by_themselves();
    test_what_wild_poses_refuse();
    test_memory_that_ends();
    return check_summary("test_mosaic_tools");
}
