/* What surrounds the scene: a dark panel that stands still is left out of what is compared by spectra, the dark around an object
 * that moves is not. */
#include "include/endorama.h"
#include "systems/chains/still_surround.h"
#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ votes */

enum { WIDTH = 160, HEIGHT = 120 };

static const mosaic_size size = {WIDTH, HEIGHT};

static endo_fourier_result result(double dx, int64_t status, double ncc) {
    return (endo_fourier_result){.transform = pose_translation(dx, 0), .status = status, .ncc = ncc};
}

static int vote(double field_dx, int64_t field_status, double field_ncc, double whole_dx, int64_t whole_status, double whole_ncc) {
    endo_fourier_result field = result(field_dx, field_status, field_ncc);
    endo_fourier_result whole = result(whole_dx, whole_status, whole_ncc);
    return still_surround_vote(size, &field, &whole);
}

static void test_a_pair_votes_for_what_explains_it(void) {
    enum { OK = ENDO_FOURIER_OK, UNSURE = ENDO_FOURIER_LOW_CERTAINTY };
    /* Both find the same. */
    CHECK(vote(10, OK, 0.9, 11.9, OK, 0.7) == 0);
    CHECK(vote(10, OK, 0.9, 12.1, OK, 0.7) == 1 && vote(10, OK, 0.7, 12.1, OK, 0.9) == -1);
    /* What is drawn to no motion loses, however well it fits. */
    CHECK(vote(10, OK, 0.7, 0.9, OK, 0.95) == 1 && vote(0.9, OK, 0.95, 10, OK, 0.7) == -1);
    CHECK(vote(10, OK, 0.7, 3.2, OK, 0.95) == 1 && vote(3.2, OK, 0.95, 10, OK, 0.7) == -1);
    CHECK(vote(10, OK, 0.7, 3.4, OK, 0.95) == -1);
    CHECK(vote(2.6, OK, 0.7, -0.9, OK, 0.95) == 1 && vote(2.6, OK, 0.7, -1.1, OK, 0.95) == -1);
    CHECK(vote(0, OK, 0.95, 0, OK, 0.9) == 0 && vote(0, OK, 0.9, 10, UNSURE, 0.5) == 0);
    /* One alone is sure, or none. */
    CHECK(vote(10, OK, 0.8, 10, UNSURE, 0.9) == 1 && vote(10, UNSURE, 0.9, 10, OK, 0.8) == -1);
    CHECK(vote(10, UNSURE, 0.9, 20, UNSURE, 0.8) == 0);
}

/* ------------------------------------------------------------------------- sequences */

enum { FRAMES = 14 };

static struct {
    uint8_t frames[FRAMES][WIDTH * HEIGHT];
    int broken; /* -1: none */
    int reads;
} shown;

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)user;
    (void)reason;
    shown.reads++;
    return frame == shown.broken ? NULL : shown.frames[frame];
}

static double pace; /* px from frame to frame */
static double x_at(int frame) { return pace * frame; }
static double y_at(int frame) { return pace < 1 ? 0 : 2 * (frame % 3); }

/* A bright scene, seen by a scope that moves. */
static void render(double px) {
    test_scene scene;
    test_scene_init(&scene, 20);
    shown.broken = -1;
    pace = px;
    for (int i = 0; i < FRAMES; i++)
        for (int k = 0; k < WIDTH * HEIGHT; k++) {
            double v = test_scene_at(&scene, k % WIDTH + x_at(i), k / WIDTH + y_at(i)) + 20;
            shown.frames[i][k] = (uint8_t)(v < 50 ? 50 : v > 240 ? 240 : v);
        }
}

/* The part of a frame that shows the scene: a tall picture whose corners are cut. */
static int is_seen(int x, int y) {
    int from_side = x < 100 ? x - 56 : 147 - x;
    int from_end = y < HEIGHT / 2 ? y - 4 : HEIGHT - 5 - y;
    return from_side >= 0 && from_end >= 0 && from_side + from_end >= 24;
}

/* Lines of strokes beside it, the same in every frame. */
static int is_written(int x, int y) { return x > 6 && x < 44 && x % 5 < 2 && y > 12 && y % 20 < 8; }

static void cover(void) {
    for (int i = 0; i < FRAMES; i++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                if (!is_seen(x, y)) shown.frames[i][y * WIDTH + x] = is_written(x, y) ? 230 : 6;
}

static endo_chain *run(int frames) {
    endo_fourier_chain_options o = endo_fourier_chain_options_default();
    endo_mosaic_source source = {.frames = frames, .width = WIDTH, .height = HEIGHT, .type = ENDO_GREY8, .lend = lend};
    endo_chain *chain = NULL;
    o.context.backend = ENDO_BACKEND_CPU;
    o.context.threads = 1;
    o.pairs.max_scale = 1.2;
    CHECK(endo_fourier_chain_create(&o, NULL, &chain) == ENDO_OK);
    CHECK(endo_chain_run(chain, &source) == ENDO_OK);
    return chain;
}

/* Pixels that the frames with a number are off by, at most; those that are not registered count as the whole width. */
static double worst(const endo_chain *chain, int moving) {
    int n;
    double most = 0;
    const endo_chain_frame *f = endo_chain_frames(chain, &n);
    for (int i = 0; i < n; i++) {
        if (i == shown.broken) continue;
        double off = hypot(f[i].pose.matrix[2] - moving * x_at(i), f[i].pose.matrix[5] - moving * y_at(i));
        if (!f[i].registered) off = WIDTH;
        if (off > most) most = off;
    }
    return most;
}

static void test_a_panel_takes_no_part(void) {
    for (int broken = -1; broken < 8; broken += 8) {
        render(5);
        cover();
        shown.broken = broken;
        endo_chain *chain = run(FRAMES);
        const uint8_t *mask = endo_chain_field_mask(chain);
        CHECK(mask && mask[60 * WIDTH + 100] && !mask[60 * WIDTH + 20] && !mask[8 * WIDTH + 60]);
        CHECK(worst(chain, 1) < 0.5);
        endo_chain_destroy(&chain);
    }
}

/* A scope that moves by less than a pixel from frame to frame: frames further on tell. */
static void test_a_slow_scope_tells_as_well(void) {
    render(0.9);
    cover();
    endo_chain *chain = run(FRAMES);
    CHECK(endo_chain_field_mask(chain) != NULL && worst(chain, 1) < 0.5);
    endo_chain_destroy(&chain);
}

/* An object before black: what it covers moves with it. */
static void test_the_dark_around_an_object_stays(void) {
    test_scene scene;
    test_scene_init(&scene, 20);
    shown.broken = -1;
    for (int i = 0; i < FRAMES; i++)
        for (int k = 0; k < WIDTH * HEIGHT; k++) {
            double x = k % WIDTH - 50 - 2 * i;
            double y = k / WIDTH - 50 - i;
            double v = test_scene_at(&scene, x, y) + 20;
            shown.frames[i][k] = x * x / 900 + y * y / 1400 < 1 ? (uint8_t)(v < 50 ? 50 : v > 240 ? 240 : v) : 0;
        }
    endo_chain *chain = run(FRAMES);
    CHECK(!endo_chain_field_mask(chain) && !strcmp(endo_chain_field_description(chain), "whole frame"));
    CHECK(endo_chain_frames(chain, NULL)[FRAMES - 1].registered);
    CHECK_NEAR(endo_chain_frames(chain, NULL)[FRAMES - 1].pose.matrix[2], -2 * (FRAMES - 1), 1);
    endo_chain_destroy(&chain);
}

/* Six pairs are tried, in two ways; of short sequences all, whose pairs share frames. Each frame is also read for the field, and
 * for the chain. */
static void test_few_pairs_are_tried(void) {
    static const int counts[] = {4, FRAMES};
    static const int tried[] = {4, 12}; /* frames of the pairs */
    for (int i = 0; i < 2; i++) {
        render(5);
        cover();
        shown.reads = 0;
        endo_chain *chain = run(counts[i]);
        CHECK(shown.reads == 2 * counts[i] + 2 * tried[i]);
        endo_chain_destroy(&chain);
    }
}

int main(void) {
    test_a_pair_votes_for_what_explains_it();
    test_a_panel_takes_no_part();
    test_a_slow_scope_tells_as_well();
    test_the_dark_around_an_object_stays();
    test_few_pairs_are_tried();
    return check_summary("test_still_surround");
}
