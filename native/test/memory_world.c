#include "memory_world.h"
#include "posed.h"

#include "scene.h"

uint8_t memory_grey[SLOTS + 1][AREA], memory_field[AREA];
endo_cpu memory_cpu;
uint32_t memory_large[LARGE], memory_colours[SLOTS + 1][AREA];

void memory_fill_pictures(void) {
    test_scene scene;
    test_random r = {5};
    test_scene_init(&scene, 3);
    for (int k = 0; k <= SLOTS; k++) {
        double map[6] = {1, 0.01 * k, 1.5 * k, -0.01 * k, 1, -1.2 * k};
        test_scene_render(&scene, map, WIDTH, HEIGHT, memory_grey[k]);
        for (int i = 0; i < AREA; i++) memory_colours[k][i] = 0x010101u * memory_grey[k][i] ^ (test_next(&r) & 0x070707);
    }
    for (int i = 0; i < AREA; i++) memory_field[i] = i % WIDTH > 3 || i / WIDTH > 5;
    for (int i = 0; i < LARGE; i++) memory_large[i] = test_next(&r);
}

void memory_open_context(world *w) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    o.threads = 3;
    o.cpu = memory_cpu;
    MUST(endo_context_create(&o, &w->context) == ENDO_OK);
}

endo_frames_options memory_frames_options(void) {
    endo_frames_options o = endo_frames_options_default();
    o.width = WIDTH, o.height = HEIGHT, o.capacity = SLOTS, o.type = ENDO_RGB32, o.field = memory_field, o.highlights = 1;
    return o;
}

static void make_frames(world *w, int enhance) {
    endo_frames_options o = memory_frames_options();
    memory_open_context(w);
    o.enhance = enhance;
    MUST(endo_frames_create(w->context, &o, &w->frames) == ENDO_OK);
    for (int k = 0; k < SLOTS; k++) MUST(endo_frames_put(w->frames, k, memory_colours[k], WIDTH) == ENDO_OK);
}

void memory_plain_frames(world *w) { make_frames(w, 0); }
void memory_enhanced_frames(world *w) { make_frames(w, 31); }

void memory_with_empty_canvas(world *w) {
    make_frames(w, 0);
    MUST(endo_canvas_create(w->context, ENDO_RGB32, CANVAS, CANVAS, &w->canvas) == ENDO_OK);
}

void memory_with_canvas(world *w) {
    const double numbers[6] = {1, 0, 20, 0, 1, 10};
    endo_transform map = endo_transform_of_affine(numbers);
    int32_t slot = 1;
    memory_with_empty_canvas(w);
    MUST(endo_canvas_paint(w->canvas, w->frames, POSED(&slot, &map, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
}

endo_status memory_add_to_blend(world *w, int32_t slot, double shift) {
    const double numbers[6] = {1, 0, shift, 0, 1, 10};
    endo_transform map = endo_transform_of_affine(numbers);
    return endo_blend_add(w->blend, w->frames, POSED(&slot, &map, .n = 1));
}

void memory_with_empty_blend(world *w) {
    make_frames(w, 0);
    MUST(endo_blend_create(w->context, ENDO_RGB32, CANVAS, CANVAS, NULL, &w->blend) == ENDO_OK);
    MUST(endo_blend_next_pass(w->blend) == ENDO_OK);
}

void memory_with_blend(world *w) {
    memory_with_empty_blend(w);
    MUST(memory_add_to_blend(w, 1, 20) == ENDO_OK);
}

void memory_draw_scope(uint8_t *image, int cx) {
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH - cx, y = i / WIDTH - 40;
        image[i] = x * x + y * y < 34 * 34 ? (uint8_t)(90 + i % 70) : (uint8_t)(i % 5);
    }
}

/* Circles: near each other, so that they are intersected, or far apart, so that all frames together are looked at. */
static void add_scopes(world *w, int apart, int n) {
    static uint8_t image[AREA];
    memory_open_context(w);
    MUST(endo_field_finder_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, &w->finder) == ENDO_OK);
    for (int i = 0; i < n; i++) {
        memory_draw_scope(image, 48 + (i ? apart : -apart));
        MUST(endo_field_finder_add(w->finder, image, WIDTH) == ENDO_OK);
    }
}

void memory_near_scopes(world *w) { add_scopes(w, 2, 2); }
void memory_far_scopes(world *w) { add_scopes(w, 13, 2); }
void memory_same_scopes(world *w) { add_scopes(w, 0, 4); }

/* Plain squares that change from frame to frame, under a grain that does not. */
void memory_draw_grained(uint8_t *image, int frame) {
    test_random squares = {100 + (uint64_t)frame}, grain = {7};
    uint8_t light[(WIDTH / 16) * (HEIGHT / 16)];
    for (size_t i = 0; i < sizeof light; i++) light[i] = (uint8_t)test_between(&squares, 80, 140);
    for (int i = 0; i < AREA; i++)
        image[i] = (uint8_t)(light[i / WIDTH / 16 * (WIDTH / 16) + i % WIDTH / 16] + test_between(&grain, -15, 15));
}

endo_status memory_create_pattern(world *w) {
    return endo_pattern_finder_create(w->context, &(endo_pattern_options){.width = WIDTH, .height = HEIGHT,
                                                                          .field = memory_field}, &w->pattern);
}

void memory_grained(world *w) {
    static uint8_t image[AREA];
    memory_open_context(w);
    MUST(memory_create_pattern(w) == ENDO_OK);
    for (int i = 0; i < 12; i++) {
        memory_draw_grained(image, i);
        MUST(endo_pattern_finder_add(w->pattern, image, WIDTH) == ENDO_OK);
    }
}

endo_status memory_create_light(world *w) {
    return endo_light_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, memory_field, &w->light);
}

void memory_lit(world *w) {
    static uint8_t image[AREA];
    memory_open_context(w);
    MUST(memory_create_light(w) == ENDO_OK);
    for (int i = 0; i < 4; i++) {
        memory_draw_grained(image, i);
        MUST(endo_light_put(w->light, i, image, WIDTH) == ENDO_OK);
    }
}

/* The poses of four frames that were put, and one that was not. */
endo_status memory_solve_light_into(const world *w, uint8_t *out) {
    endo_light_view views[5];
    for (int i = 0; i < 5; i++) {
        const double m[6] = {1, 0, 11 * i, 0, 1, 7 * (i % 2)};
        views[i] = (endo_light_view){i, i == 3, endo_transform_of_affine(m)};
    }
    return endo_light_solve(w->light, views, 5, NULL, (uint16_t *)out, (int32_t *)(out + 2 * AREA),
                            (endo_light_report *)(out + 2 * AREA + 64));
}

endo_demo_options memory_demo_options(void) {
    endo_demo_options o = endo_demo_options_default();
    o.width = 80, o.height = 64, o.frames = 4;
    return o;
}

void memory_with_demo(world *w) {
    endo_demo_options o = memory_demo_options();
    memory_open_context(w);
    MUST(endo_demo_create(w->context, &o, &w->demo) == ENDO_OK);
}

void memory_destroy(world *w) {
    endo_canvas_destroy(&w->canvas);
    endo_blend_destroy(&w->blend);
    endo_frames_destroy(&w->frames);
    endo_field_finder_destroy(&w->finder);
    endo_pattern_finder_destroy(&w->pattern);
    endo_light_destroy(&w->light);
    endo_demo_destroy(&w->demo);
    endo_mutual_destroy(&w->mutual);
    endo_lens_destroy(&w->lens);
    endo_context_destroy(&w->context);
}
