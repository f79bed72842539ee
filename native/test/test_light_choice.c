/* Which views say how the light falls off. */
#include "systems/light/light_vignetting.h"

#include "check.h"

#include <stdlib.h>

enum { WIDTH = 240, HEIGHT = 180, MOST = 2000 };

static endo_light *light;
static endo_light_view views[MOST];
static size_t chosen[MOST];

static endo_light_view view_at(int i, int part, double x) {
    return (endo_light_view){i, part, {ENDO_TRANSFORM_TRANSLATION, {1, 0, x, 0, 1, 0, 0, 0, 1}}};
}

/* n views, each `step` px beside the one before. */
static size_t choose(size_t n, double step) {
    for (size_t i = 0; i < n; i++) views[i] = view_at((int)i, 0, step * (double)i);
    return light_choose(light, views, n, chosen);
}

/* Every so many-th from the first one on. */
static void check_even(size_t n, double step, size_t every) {
    size_t made = choose(n, step);
    CHECK(made == (n + every - 1) / every);
    for (size_t i = 0; i < made; i++) CHECK(chosen[i] == i * every);
}

/* Four runs of 32, the first and the last at the ends, the others evenly between. */
static void check_runs(size_t n, double step, size_t every) {
    size_t taken = (n + every - 1) / every, made = choose(n, step);
    CHECK(made == 128);
    for (size_t i = 0; i < made; i++) CHECK(chosen[i] == (i / 32 * (taken - 32) / 3 + i % 32) * every);
    CHECK(chosen[made - 1] == (taken - 1) * every);
}

/* Every k-th view is chosen, so that at most 128 are, while chosen neighbours lie within an eighth of the width: 30 px. */
static void test_even(void) {
    check_even(2, 500, 1);
    check_even(128, 0, 1);
    check_even(128, 100, 1);
    check_even(129, 0, 2);
    check_even(1000, 0, 8);
    check_even(1000, 3, 8);
    check_even(256, 14.9, 2);
}

static void test_runs(void) {
    check_runs(129, 20, 1);
    check_runs(1000, 14.9, 2);
    check_runs(1000, 15.2, 1);
    check_runs(1000, 500, 1);
    check_runs(2000, 9.9, 3);
    check_runs(2000, 10.1, 2);
}

/* Where another part begins the scope has gone no way; and a leap is no longer than a frame is wide. */
static void test_leaps(void) {
    for (int i = 0; i < 256; i++) views[i] = view_at(i, i % 2, 100.0 * i);
    CHECK(light_choose(light, views, 256, chosen) == 128 && chosen[1] == 2);
    for (int i = 0; i < 256; i++) views[i] = view_at(i, 0, i < 100 ? 0 : 1e5);
    CHECK(light_choose(light, views, 256, chosen) == 128 && chosen[1] == 2);
}

int main(void) {
    endo_context *context = NULL;
    const light_frame frame = {ENDO_GREY8, WIDTH, HEIGHT, 255};
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    CHECK(light_make(context, &frame, NULL, &light) == ENDO_OK);
    test_even();
    test_runs();
    test_leaps();
    light_free(light);
    endo_context_destroy(&context);
    return check_summary("test_light_choice");
}
