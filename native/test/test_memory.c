/* Every public function with an allocator that fails at its Nth call, N from the first to one beyond the last: the
 * status is MEMORY, the outputs hold what they held, so do the objects, nothing is lost, and the same call works
 * afterwards. */
#include "check.h"
#include "memory_allocator.h"
#include "memory_calls.h"

#include <string.h>

/* Reads the state of the objects that callers can see. */
static void state_of(world *w, uint8_t *state) {
    memset(state, 0, STATE);
    if (w->canvas) {
        int width = endo_canvas_read(w->canvas, 0, 0, 150, 130, state, state + 4 * 160 * 160) == ENDO_OK ? 150 : CANVAS;
        if (width == CANVAS) CHECK(endo_canvas_read(w->canvas, 0, 0, width, width, state, state + 4 * 160 * 160) == ENDO_OK);
    } else if (w->blend) {
        CHECK(endo_blend_read(w->blend, &(endo_rectangle){0, 0, CANVAS, CANVAS},
                              &(endo_panorama_planes){state, state + 4 * 160 * 160, NULL, NULL}) == ENDO_OK);
    } else if (w->frames) {
        endo_transform still = endo_transform_identity();
        double quality[SLOTS] = {0}; /* of the pixels before they were enhanced */
        for (int k = 0; k < SLOTS; k++) {
            endo_pair pair = {0, k};
            if (endo_frames_get_grey(w->frames, k, state + k * AREA) != ENDO_OK) state[k * AREA] = 1;
            else CHECK(endo_quality_measure(w->frames, &pair, &still, 1, &quality[k]) == ENDO_OK);
        }
        memcpy(state + SLOTS * AREA, quality, sizeof quality);
    } else if (w->finder) {
        endo_field_info info;
        CHECK(endo_field_finder_find(w->finder, state, &info) == ENDO_OK);
    } else if (w->pattern) {
        endo_pattern_info info;
        CHECK(endo_pattern_finder_find(w->pattern, (int16_t *)state, &info) == ENDO_OK);
    } else if (w->light) {
        CHECK(memory_solve_light_into(w, state) == ENDO_OK);
    }
}

static uint8_t outs[2][OUT], states[3][STATE];

/* One N; returns whether the call got that far. */
static int run(const memory_call *s, int at, int all_after) {
    world w = {.out = outs[1]};
    int before = memory_alive;
    if (s->build) s->build(&w);
    state_of(&w, states[1]);
    world handles = w;
    memset(outs[1], 0xa5, OUT);
    memory_arm(at, all_after);
    endo_status status = s->call(&w);
    int fired = memory_failures;
    memory_arm(0, 0);
    if (fired) {
        int touched = 0;
        for (int i = 0; i < OUT; i++) touched += outs[1][i] != 0xa5;
        state_of(&w, states[2]);
        int good = status == ENDO_ERR_MEMORY && endo_last_error()[0] && touched == 0 &&
                   !memcmp(&handles, &w, sizeof w) && !memcmp(states[1], states[2], STATE);
        if (!good)
            printf("     %s, allocation %d%s: status %d, %d bytes touched, objects %s\n", s->name, at,
                   all_after ? " and all after" : "", (int)status, touched,
                   memcmp(states[1], states[2], STATE) ? "changed" : "as before");
        CHECK(good);
        status = s->call(&w);
    }
    CHECK(status == ENDO_OK);
    state_of(&w, states[2]);
    CHECK(!memcmp(outs[0], outs[1], OUT) && !memcmp(states[0], states[2], STATE));
    memory_destroy(&w);
    if (memory_alive != before) printf("     %s, allocation %d: %d blocks lost\n", s->name, at, memory_alive - before);
    CHECK(memory_alive == before);
    memory_alive = before;
    return fired;
}

static void sweep(const memory_call *s) {
    world w = {.out = outs[0]};
    int at = 1;
    if (s->build) s->build(&w);
    memset(outs[0], 0xa5, OUT);
    CHECK(s->call(&w) == ENDO_OK);
    state_of(&w, states[0]);
    memory_destroy(&w);
    for (int all_after = 0; all_after < 2; all_after++)
        for (at = 1; run(s, at, all_after); at++) {}
    CHECK(at - 1 >= s->least);
    if (at - 1 < s->least) printf("     %s: %d allocations\n", s->name, at - 1);
}

/* The self-test makes contexts of its own; that every tenth of its allocations fails will do. */
static void test_self_test(void) {
    endo_context_options o = endo_context_options_default();
    int fired = 1, before = memory_alive, at = 1;
    o.backend = ENDO_BACKEND_CPU, o.threads = 1;
    for (; fired; at += at < 4 ? 1 : 10) {
        int agrees = 77;
        double seconds = 77;
        memory_arm(at, 0);
        endo_status status = endo_self_test(&o, &agrees, &seconds);
        fired = memory_failures;
        memory_arm(0, 0);
        CHECK(fired ? status == ENDO_ERR_MEMORY && agrees == 77 && seconds == 77 : status == ENDO_OK && agrees == 1);
        CHECK(memory_alive == before);
        memory_alive = before;
    }
    CHECK(at > 30);
}

int main(int argc, char **argv) {
    memory_fill_pictures();
    for (int i = 0; i < memory_call_count; i++)
        if (argc < 2 || !strcmp(argv[1], memory_calls[i].name)) sweep(&memory_calls[i]);
    if (argc < 2) test_self_test();
    return check_summary("test_memory");
}
