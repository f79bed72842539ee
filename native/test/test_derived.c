/* Data derived from frames: made when first needed, once, and never from a frame that is gone. */
#include "backends.h"
#include "scene.h"

#include "cpu/derived.h"

#include <string.h>

#define WIDTH 131
#define HEIGHT 97
#define AREA (WIDTH * HEIGHT)

/* ------------------------------------------------------------------- slots */

static void test_slots(void) {
    endo_slots s;
    const endo_pair pairs[] = {{3, 1}, {1, 3}, {2, 2}, {3, 4}};
    const endo_search_request requests[] = {{5, 6, 1, 1, 1, 1}, {6, 7, 2, 2, 2, 2}};
    CHECK(endo_slots_create(&s, 9) == ENDO_OK);
    CHECK(endo_slots_claim(&s, 0, pairs, 4, sizeof *pairs) == 4);
    CHECK(s.claimed[0] == 3 && s.claimed[1] == 1 && s.claimed[2] == 2 && s.claimed[3] == 4);
    CHECK(endo_slots_claim(&s, 0, pairs, 4, sizeof *pairs) == 0);
    CHECK(endo_slots_claim(&s, 7, pairs, 2, sizeof *pairs) == 2); /* another kind */
    endo_slots_give_up(&s, 7, 1);
    CHECK(endo_slots_claim(&s, 7, pairs, 2, sizeof *pairs) == 1 && s.claimed[0] == 3);
    CHECK(endo_slots_claim(&s, 0, pairs, 4, sizeof *pairs) == 0);
    endo_slots_forget(&s, 3);
    CHECK(endo_slots_claim(&s, 0, pairs, 4, sizeof *pairs) == 1 && s.claimed[0] == 3);
    CHECK(endo_slots_claim(&s, 7, pairs, 2, sizeof *pairs) == 1 && s.claimed[0] == 3);
    CHECK(endo_slots_claim(&s, 1, requests, 2, sizeof *requests) == 3);
    CHECK(s.claimed[0] == 5 && s.claimed[1] == 6 && s.claimed[2] == 7);
    endo_slots_destroy(&s);
}

/* ------------------------------------------------------------------ frames */

static void make_images(uint8_t images[4][AREA]) {
    test_fill_pair(FILL_SCENE, WIDTH, HEIGHT, 5, images[0], images[1]);
    test_fill_pair(FILL_SCENE, WIDTH, HEIGHT, 6, images[2], images[3]);
}

static endo_frames *make_frames(endo_context *context, int enhance) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 3, o.enhance = enhance;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

static void put(endo_frames *frames, uint8_t (*images)[AREA]) {
    CHECK(endo_frames_put(frames, 0, images[0], WIDTH) == ENDO_OK);
    CHECK(endo_frames_put(frames, 2, images[1], WIDTH) == ENDO_OK);
}

/* Everything that depends on something derived. */
typedef struct answers {
    uint8_t grey[2][AREA];
    endo_flow_result flow;
    endo_exposure_result exposures;
    endo_search_result search;
    double coefficient;
} answers;

static const endo_pair pair = {0, 2};

static void ask_grey(endo_frames *frames, answers *a) {
    CHECK(endo_frames_get_grey(frames, 0, a->grey[0]) == ENDO_OK);
    CHECK(endo_frames_get_grey(frames, 2, a->grey[1]) == ENDO_OK);
}

static void ask_flow(endo_frames *frames, answers *a) {
    CHECK(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &a->flow) == ENDO_OK);
}

static void ask_exposures(endo_frames *frames, answers *a) {
    endo_exposure_options o = endo_exposure_options_default();
    o.search = 8;
    CHECK(endo_exposures_register(frames, &pair, 1, &o, &a->exposures) == ENDO_OK);
}

static void ask_search(endo_frames *frames, answers *a) {
    const endo_search_request start = {0, 2, 60, 50, 58, 51};
    endo_search_options o = endo_search_options_default();
    CHECK(endo_search_run(frames, &start, 1, &o, &a->search) == ENDO_OK);
}

static void ask_coefficient(endo_frames *frames, answers *a) {
    const endo_ncc_request place = {0, 2, 60, 50, 59, 50};
    CHECK(endo_ncc_compute(frames, &place, 1, 31, &a->coefficient) == ENDO_OK);
}

static void (*const questions[])(endo_frames *frames, answers *a) = {ask_grey, ask_flow, ask_exposures, ask_search,
                                                                     ask_coefficient};

#define N_QUESTIONS ((int)(sizeof questions / sizeof questions[0]))

static void ask(endo_frames *frames, answers *a) {
    memset(a, 0, sizeof *a);
    for (int i = 0; i < N_QUESTIONS; i++) questions[i](frames, a);
}

/* A store that held other frames before answers as a new one. */
static void test_put_again(endo_context *context, int enhance) {
    static uint8_t images[4][AREA];
    static answers before, after, fresh;
    make_images(images);
    endo_frames *used = make_frames(context, enhance), *new = make_frames(context, enhance);
    put(used, images);
    ask(used, &before);
    put(used, images + 2);
    ask(used, &after);
    put(new, images + 2);
    ask(new, &fresh);
    CHECK(memcmp(&after, &fresh, sizeof after) == 0);
    CHECK(memcmp(before.grey, after.grey, sizeof after.grey) != 0);
    CHECK(memcmp(&before.flow, &after.flow, sizeof after.flow) != 0);
    endo_frames_destroy(&used);
    endo_frames_destroy(&new);
}

/* Whichever question is the first. */
static void test_first(endo_context *context, int enhance) {
    static uint8_t images[4][AREA];
    static answers all, each;
    make_images(images);
    memset(&each, 0, sizeof each);
    for (int i = 0; i < N_QUESTIONS; i++) {
        endo_frames *frames = make_frames(context, enhance);
        put(frames, images);
        questions[i](frames, &each);
        if (i == N_QUESTIONS - 1) ask(frames, &all);
        endo_frames_destroy(&frames);
    }
    CHECK(memcmp(&all, &each, sizeof all) == 0);
}

/* -------------------------------------------------------------- when, on the CPU */

static int has(const endo_frames *frames, int slot, cpu_derived kind) {
    return ((const cpu_store *)frames->store)->slots.has[slot] >> kind & 1;
}

static void test_when(endo_context *context) {
    static uint8_t images[4][AREA], grey[AREA];
    endo_flow_result flow;
    make_images(images);
    endo_frames *frames = make_frames(context, 9);
    put(frames, images);
    for (int kind = 0; kind < CPU_DERIVED; kind++) CHECK(!has(frames, 0, kind)); /* nothing while it is put */
    CHECK(endo_frames_get_grey(frames, 0, grey) == ENDO_OK);
    CHECK(has(frames, 0, CPU_ENHANCED) && !has(frames, 2, CPU_ENHANCED) && !has(frames, 0, CPU_PYRAMID));
    CHECK(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &flow) == ENDO_OK);
    CHECK(has(frames, 2, CPU_ENHANCED) && has(frames, 2, CPU_PYRAMID) && !has(frames, 1, CPU_PYRAMID));
    CHECK(endo_frames_put(frames, 2, images[2], WIDTH) == ENDO_OK);
    for (int kind = 0; kind < CPU_DERIVED; kind++) CHECK(!has(frames, 2, kind));
    CHECK(has(frames, 0, CPU_PYRAMID));
    endo_frames_destroy(&frames);
}

int main(void) {
    test_slots();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_put_again(context, 0);
        test_put_again(context, 9);
        test_first(context, 0);
        test_first(context, 9);
        if (context->kernels == &endo_kernels_cpu) test_when(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_derived");
}
