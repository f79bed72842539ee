/* Panoramas that are blended band by band: the bytes of one piece, what their frames are worth, and how well poses are
 * known. */
#include "systems/mosaic/uncertainty.h"
#include "canvases_rig.h"
#include "demo_rig.h"
#include "memory_allocator.h"
#include "posed.h"
#include "sequence_rig.h"

/* ---------------------------------------------------------------------- weights */

static int weight(frame_weights *w, double deviation, int doubtful) {
    frame_weights_set(w, 1, deviation, doubtful);
    return w->weights[1];
}

/* 256 / (1 + (deviation / 2 px)^2), rounded, 4 at least. */
static void test_weights_fall_with_the_deviation(void) {
    frame_weights w;
    CHECK(frame_weights_create(3, &w) == ENDO_OK && w.n == 3);
    CHECK(weight(&w, 0, 0) == 256 && weight(&w, NAN, 0) == 256 && weight(&w, 1, 0) == 205 && weight(&w, 2, 0) == 128);
    CHECK(weight(&w, 4, 0) == 51 && weight(&w, 14, 0) == 5 && weight(&w, 20, 0) == 4 && weight(&w, 1000, 0) == 4);
    CHECK(weight(&w, INFINITY, 0) == 4);
    frame_weights_free(&w);
}

static void test_doubtful_frames_show_where_no_other_does(void) {
    frame_weights w;
    CHECK(frame_weights_create(3, &w) == ENDO_OK);
    CHECK(weight(&w, 0, 1) == 4 && w.weights[0] == 4 && isnan(w.deviations[0]) && isnan(w.deviations[2]));
    CHECK(weight(&w, 3.5, 1) == 4 && w.deviations[1] == 3.5);
    frame_weights_free(&w);
}

static int settled(frame_weights *w, int a, int b) {
    const int frames[] = {a, b};
    return frame_weights_settle(w, frames, 2, NULL) == ENDO_OK;
}

/* Doubtful frames alone count in full; beside a good one as before; frames of other components stay. */
static void test_the_best_of_a_component_counts_in_full(void) {
    frame_weights w;
    CHECK(frame_weights_create(3, &w) == ENDO_OK);
    CHECK(settled(&w, 0, 1) && w.weights[0] == 256 && w.weights[1] == 256 && w.weights[2] == 4);
    weight(&w, 2, 0);
    frame_weights_set(&w, 0, 0, 1);
    CHECK(settled(&w, 0, 1) && w.weights[1] == 256 && w.weights[0] == 8);
    weight(&w, 0, 0);
    CHECK(settled(&w, 1, 2) && w.weights[2] == 4);
    CHECK(frame_weights_settle(&w, NULL, 0, NULL) == ENDO_OK && w.weights[2] == 4);
    frame_weights_free(&w);
}

/* A comb of columns and flat frames between combs: of half the contrast it has a part of its neighbours' details. */
#define COMB 32
static void draw_comb(uint8_t *pixels, int contrast) {
    for (int i = 0; i < COMB * COMB; i++) pixels[i] = (uint8_t)(100 + (i % COMB / 2 % 2 ? contrast : -contrast));
}

static void test_blurred_frames_count_less(void) {
    static uint8_t pixels[COMB * COMB];
    static const int contrasts[] = {40, 40, 20, 40, 0, 40, 40};
    enum { N = 7 };
    flat_frames flat;
    mosaic_sequence *sequence = NULL;
    sharpness *sharp = NULL;
    frame_weights w;
    int frames[N];
    double shares[N];
    flat_init(&flat, COMB, COMB);
    rig_must(sequence_create(&flat.source, 0, 0, NULL, &sequence) == ENDO_OK, "a sequence");
    CHECK(sharpness_create(sequence, &sharp) == ENDO_OK && frame_weights_create(N, &w) == ENDO_OK);
    for (int i = 0; i < N; i++) {
        mosaic_observer eye = sharpness_observer(sharp);
        draw_comb(pixels, contrasts[i]);
        CHECK(eye.see(eye.self, i, pixels) == ENDO_OK);
        frame_weights_set(&w, i, i == 3 ? 2 : i == 6 ? 20 : 0, 0);
        frames[i] = i;
    }
    CHECK(sharpness_weights(sharp, frames, N, shares) == ENDO_OK && shares[2] > 0.05 && shares[2] < 0.5 && shares[4] < 0.01);
    CHECK(frame_weights_settle(&w, frames, N, sharp) == ENDO_OK);
    CHECK(w.weights[0] == 256 && w.weights[3] == 128 && w.weights[6] == 4);
    CHECK(w.weights[2] == (int)floor(256 * shares[2] + 0.5) && w.weights[4] == 4);
    frame_weights_free(&w);
    sharpness_destroy(&sharp);
    sequence_destroy(&sequence);
}

/* -------------------------------------------------------------------- sequences */

/* Frames of a demo, px; their poses are made up: what matters is which bytes come of them. */
#define W 128
#define H 96
#define FRAMES 12

static demo_frames demo;
static light_of_scope *light; /* of the demo; NULL: the light stays as it is */
static frame_weights weights;

/* Highlights, which the best frames of a place have in common: the holes that they leave are filled from far around. */
static void add_highlights(void) {
    size_t size = demo.bytes / (W * H);
    for (int i = 0; i < FRAMES; i++)
        for (int y = 20; y < 70; y++)
            memset(demo.pixels + (size_t)i * demo.bytes + (size_t)(y * W + 30 + i) * size, 255, 40 * size);
}

static void make_sequence(demo_kind kind, int highlights) {
    endo_demo_options options = endo_demo_options_default();
    options.width = W;
    options.height = H;
    options.frames = FRAMES;
    demo_make(&demo, &options, FRAMES, kind);
    if (highlights) add_highlights();
    rig_must(frame_weights_create(FRAMES, &weights) == ENDO_OK, "weights");
    for (int i = 0; i < FRAMES; i++) frame_weights_set(&weights, i, i == 0 ? 0 : i == 5 ? NAN : 0.3 * i, i == 7);
}

static void forget_sequence(void) {
    light_of_scope_destroy(&light);
    frame_weights_free(&weights);
    demo_free(&demo);
}

/* Along a path down and to the right, turned a little. */
static placed_frames some_items(int canvas) {
    placed_frames items = {0};
    for (int i = 0; i < FRAMES; i++) {
        double turn = 0.01 * i;
        endo_transform pose = pose_translation(9.3 * i - 20, 31.7 * i + 5);
        pose.kind = ENDO_TRANSFORM_RIGID;
        pose.matrix[0] = pose.matrix[4] = cos(turn);
        pose.matrix[1] = -sin(turn);
        pose.matrix[3] = sin(turn);
        placed_frame item = rig_item(i, pose, canvas);
        CHECK(placed_add(&items, &item) == ENDO_OK);
    }
    return items;
}

static void solve_light(const canvases_rig *rig, const placed_frames *items) {
    mosaic_events events;
    events_init(&events, NULL);
    CHECK(light_of_scope_create(&rig->field, demo.source.type, FRAMES, 1, &light) == ENDO_OK);
    mosaic_observer eye = light_of_scope_observer(light);
    for (int i = 0; i < FRAMES; i++) CHECK(eye.see(eye.self, i, demo.pixels + (size_t)i * demo.bytes) == ENDO_OK);
    CHECK(light_of_scope_solve(light, items, &events) == ENDO_OK);
    events_free(&events);
}

/* ------------------------------------------------------------------------ bands */

/* One step as a stage does it, a few frames more or the end of a pass. */
static endo_status step(canvases_rig *rig, int few) {
    const placed_frame *next = NULL;
    mosaic_canvases *c = rig->canvases;
    if (!canvases_has_band(c)) ENDO_TRY(canvases_begin_band(c));
    int n = canvases_band_next(c, few, &next);
    if (n == 0) return canvases_band_end_pass(c);
    ENDO_TRY(canvases_paint(c, rig->frames, next, n));
    canvases_band_passed(c, n);
    return ENDO_OK;
}

static endo_status go_on(canvases_rig *rig, int few) {
    double share = canvases_blend_share(rig->canvases);
    while (!canvases_blend_is_done(rig->canvases)) {
        ENDO_TRY(step(rig, few));
        double now = canvases_blend_share(rig->canvases);
        CHECK(now >= share && now <= 1);
        share = now;
    }
    CHECK(share == 1);
    return ENDO_OK;
}

static endo_status blend(canvases_rig *rig, const placed_frames *items, int band_rows, int few) {
    canvases_set_band_rows(rig->canvases, band_rows);
    ENDO_TRY(canvases_start_blending(rig->canvases, items, light, &weights, NULL));
    CHECK(canvases_is_blending(rig->canvases) && !canvases_full(rig->canvases));
    return go_on(rig, few);
}

#define BOTH (ENDO_MOSAIC_COVERAGE | ENDO_MOSAIC_UNCERTAINTY)

static picture blended(canvases_rig *rig, const placed_frames *items, int band_rows, int few) {
    CHECK(blend(rig, items, band_rows, few) == ENDO_OK);
    picture p = rig_picture(rig, items->items[0].canvas, rig->options.extras);
    picture again = rig_picture(rig, items->items[0].canvas, 0);
    CHECK(p.pixels && !again.pixels);
    return p;
}

/* ------------------------------------------------------------- against the library */

static mosaic_rect reach_of(const canvases_rig *rig, const placed_frames *items) {
    mosaic_rect used = {0};
    for (int i = 0; i < items->n; i++) {
        mosaic_rect one = {0};
        endo_transform scaling = pose_scaling(rig->options.scale);
        endo_transform pose = pose_times(&scaling, &items->items[i].pose);
        CHECK(rect_transformed(rig->field.bounds, &pose, &one));
        used = i == 0 ? one : rect_union(used, one);
    }
    return used;
}

static endo_status add_all(const canvases_rig *rig, endo_blend *b, const placed_frames *items, mosaic_rect used) {
    endo_transform scaling = pose_scaling(rig->options.scale);
    for (int i = 0; i < items->n; i++) {
        const placed_frame *item = &items->items[i];
        endo_transform pose = pose_times(&scaling, &item->pose);
        const int32_t *gains = light ? light_of_scope_gains(light, item->frame) : NULL;
        ENDO_TRY(endo_blend_add(b, rig->frames, POSED(&item->slot, &pose, .weights = &weights.weights[item->frame],
                                                      .gains = gains, .n = 1, .origin_x = -used.left, .origin_y = -used.top)));
    }
    return ENDO_OK;
}

/* One blend of all frames, as the library makes it where it is asked directly; without uncertainty. */
static picture direct(const canvases_rig *rig, const placed_frames *items, int shrink) {
    mosaic_rect used = reach_of(rig, items);
    size_t area = (size_t)rect_area(used);
    picture p = {.rect = used, .scale = rig->options.scale, .size = endo_pixel_size(demo.source.type)};
    endo_blend_options options = endo_blend_options_default();
    endo_blend *b = NULL;
    p.pixels = malloc(area * p.size);
    p.painted = malloc(area);
    p.coverage = malloc(area * sizeof *p.coverage);
    options.interpolation = rig->options.interpolation;
    options.shrink = shrink;
    int made = endo_blend_create(rig->context, demo.source.type, rect_width(used), rect_height(used), &options, &b) == ENDO_OK;
    if (light) made = made && endo_blend_set_correction(b, light_of_scope_correction(light), W, H) == ENDO_OK;
    made = made && add_all(rig, b, items, used) == ENDO_OK && endo_blend_next_pass(b) == ENDO_OK;
    made = made && add_all(rig, b, items, used) == ENDO_OK;
    rig_must(made && endo_blend_read(b, &(endo_rectangle){0, 0, rect_width(used), rect_height(used)},
                                     &(endo_panorama_planes){p.pixels, p.painted, p.coverage, NULL}) == ENDO_OK, "a blend");
    endo_blend_destroy(&b);
    return p;
}

/* Canvases refer to their rig: it stays where it is. */
static void start(canvases_rig *rig, double scale, int extras) {
    *rig = (canvases_rig){.options = rig_options()};
    rig->options.scale = scale;
    rig->options.extras = extras;
    rig_open(rig, &demo.source);
}

/* A panorama has the bytes of one blend of the library, of any pixels, with and without light, at any scale; and in bands it
 * has the bytes of one piece. */
static void check_blend(double scale, int shrink, int with_light, endo_interpolation interpolation) {
    canvases_rig rig;
    start(&rig, scale, BOTH);
    placed_frames items = some_items(3);
    rig.options.interpolation = interpolation;
    if (with_light) solve_light(&rig, &items);
    picture wanted = direct(&rig, &items, shrink);
    picture whole = blended(&rig, &items, 0, 5);
    uint16_t *unsure = whole.uncertainty;
    CHECK(rect_height(whole.rect) > 100);
    whole.uncertainty = NULL;
    CHECK(picture_is(&wanted, &whole));
    whole.uncertainty = unsure;
    for (int rows = 48; rows <= 100; rows += 52) {
        picture bands = blended(&rig, &items, rows, 4);
        CHECK(picture_is(&whole, &bands));
        picture_free(&bands);
    }
    picture_free(&wanted);
    picture_free(&whole);
    placed_free(&items);
    light_of_scope_destroy(&light);
    rig_close(&rig);
}

static void test_bands_have_the_bytes_of_one_piece(void) {
    static const demo_kind kinds[] = {DEMO_RGB, DEMO_GREY16, DEMO_GREY8};
    for (int i = 0; i < 3; i++) {
        make_sequence(kinds[i], 0);
        check_blend(1.3, 1, 1, ENDO_INTERPOLATION_CUBIC);
        forget_sequence();
    }
    make_sequence(DEMO_GREY8, 1);
    check_blend(1, 1, 0, ENDO_INTERPOLATION_CUBIC);
    check_blend(0.5, 2, 0, ENDO_INTERPOLATION_LINEAR);
    check_blend(0.37, 3, 1, ENDO_INTERPOLATION_CUBIC);
    check_blend(2.5, 1, 0, ENDO_INTERPOLATION_LINEAR);
    forget_sequence();
}

/* A texture that is darker to the rim of each frame, at whole pixels. */
static void draw_darkened(int frame, int left, int top) {
    uint8_t *pixels = demo.pixels + (size_t)frame * demo.bytes;
    for (int i = 0; i < W * H; i++) {
        double x = i % W;
        double y = i / W;
        double scene = 150 + 40 * sin((x + left) / 11) * cos((y + top) / 8) + 30 * sin((x + left) / 37 + (y + top) / 29);
        double dx = (x - W / 2.0) / (W / 2.0);
        double dy = (y - H / 2.0) / (W / 2.0);
        pixels[i] = (uint8_t)(scene * (1 - 0.4 * (dx * dx + dy * dy)));
    }
}

/* Vignetting is taken out of every frame. */
static void test_fall_off_is_taken_out(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    placed_frames items = {0};
    for (int i = 0; i < FRAMES; i++) {
        int left = i % 4 * 31;
        int top = i / 4 * 23;
        placed_frame item = rig_at(i, left, top, 0);
        CHECK(placed_add(&items, &item) == ENDO_OK);
        draw_darkened(i, left, top);
    }
    start(&rig, 1, ENDO_MOSAIC_COVERAGE);
    picture dark = blended(&rig, &items, 0, 8);
    solve_light(&rig, &items);
    CHECK(light_of_scope_report(light)->found && light_of_scope_correction(light)[0] > 1.2 * ENDO_LIGHT_ONE);
    picture wanted = direct(&rig, &items, 1);
    picture even = blended(&rig, &items, 60, 8);
    CHECK(picture_is(&wanted, &even) && !picture_is(&dark, &even));
    picture_free(&dark);
    picture_free(&wanted);
    picture_free(&even);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* A panorama that is in a file while it is made. */
static void test_bands_on_the_disk(void) {
    make_sequence(DEMO_RGB, 0);
    canvases_rig rig;
    start(&rig, 1, BOTH);
    placed_frames items = some_items(0);
    picture whole = blended(&rig, &items, 0, 8);
    rig.options.memory = 1;
    rig.options.scratch = ".";
    picture bands = blended(&rig, &items, 64, 8);
    CHECK(picture_is(&whole, &bands));
    picture_free(&bands);
    picture_free(&whole);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* ----------------------------------------------------------------------- passes */

static void test_passes(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, 0);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = some_items(0);
    const placed_frame *next = NULL;
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && !canvases_has_band(c));
    CHECK(canvases_uses(c) == ENDO_USE_ANY && canvases_blend_share(c) == 0 && !canvases_blend_is_done(c));
    CHECK(canvases_begin_band(c) == ENDO_OK && canvases_has_band(c) && canvases_uses(c) == ENDO_USE_FIRST_PASS);
    CHECK(canvases_band_next(c, 5, &next) == 5 && next[0].frame == 0 && next[4].frame == 4);
    canvases_band_passed(c, 5);
    CHECK(fabs(canvases_blend_share(c) - 5.0 / (2 * FRAMES)) < 1e-12);
    CHECK(canvases_band_next(c, 50, &next) == FRAMES - 5 && next[0].frame == 5);
    canvases_band_passed(c, FRAMES - 5);
    CHECK(canvases_band_next(c, 5, &next) == 0 && canvases_band_end_pass(c) == ENDO_OK && canvases_has_band(c));
    CHECK(canvases_uses(c) == ENDO_USE_FIRST_PASS + ENDO_USE_PAINTING && canvases_band_next(c, 50, &next) == FRAMES);
    CHECK(fabs(canvases_blend_share(c) - 0.5) < 1e-12);
    canvases_drop_band(c);
    CHECK(!canvases_has_band(c) && canvases_blend_share(c) == 0 && canvases_uses(c) == ENDO_USE_ANY);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* A band reaches a few frames only; shares go by rows. */
static void test_shares_of_bands(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, 0);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = some_items(0);
    mosaic_rect used = reach_of(&rig, &items);
    const placed_frame *next = NULL;
    canvases_set_band_rows(c, 100);
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && canvases_begin_band(c) == ENDO_OK);
    int n = canvases_band_next(c, FRAMES, &next);
    CHECK(n > 2 && n < FRAMES && next[0].frame == 0);
    while (step(&rig, FRAMES) == ENDO_OK && canvases_has_band(c)) continue;
    CHECK(fabs(canvases_blend_share(c) - 100.0 / rect_height(used)) < 1e-12);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* A band that was dropped, and another context: as if nothing had been. */
static void test_bands_begun_again(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, BOTH);
    placed_frames items = some_items(0);
    picture whole = blended(&rig, &items, 0, 8);
    for (int when = 0; when < 30; when += 3) {
        canvases_set_band_rows(rig.canvases, 100);
        CHECK(canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK);
        for (int i = 0; i < when && !canvases_blend_is_done(rig.canvases); i++) CHECK(step(&rig, 4) == ENDO_OK);
        if (when % 2)
            canvases_drop_band(rig.canvases);
        else
            CHECK(rig_move(&rig));
        CHECK(!canvases_has_band(rig.canvases) && go_on(&rig, 4) == ENDO_OK);
        picture p = rig_picture(&rig, 0, BOTH);
        CHECK(picture_is(&whole, &p));
        picture_free(&p);
    }
    picture_free(&whole);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* Canvases that were painted along the chain are there until the blend is done, and when it is dropped. */
static void test_canvases_stay(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, 0);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = some_items(2);
    CHECK(canvases_paint(c, rig.frames, items.items, 4) == ENDO_OK);
    picture before = rig_picture(&rig, 2, 0);
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK);
    CHECK(canvases_paint(c, rig.frames, items.items, 4) == ENDO_OK && step(&rig, 4) == ENDO_OK);
    picture now = rig_picture(&rig, 2, 0);
    CHECK(before.pixels && picture_is(&before, &now));
    canvases_drop_blending(c);
    picture after = rig_picture(&rig, 2, 0);
    CHECK(!canvases_is_blending(c) && !canvases_has_band(c) && picture_is(&before, &after));
    CHECK(blend(&rig, &items, 0, 8) == ENDO_OK);
    picture done = rig_picture(&rig, 2, 0);
    CHECK(done.pixels && !picture_is(&before, &done));
    picture_free(&before);
    picture_free(&now);
    picture_free(&after);
    picture_free(&done);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* Each has its own panorama, whatever the order in which they come; the one of the least number is blended first. */
static void test_several_components(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, 0);
    placed_frames items = some_items(9);
    placed_frames first = {0};
    placed_frames second = {0};
    for (int i = 0; i < FRAMES; i++) {
        items.items[i].canvas = i < 7 ? 9 : 4;
        CHECK(placed_add(i < 7 ? &first : &second, &items.items[i]) == ENDO_OK);
    }
    picture one = blended(&rig, &first, 0, 8);
    picture two = blended(&rig, &second, 0, 8);
    const placed_frame *next = NULL;
    CHECK(canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK);
    CHECK(canvases_begin_band(rig.canvases) == ENDO_OK && canvases_band_next(rig.canvases, 1, &next) == 1);
    CHECK(next[0].frame == 7);
    CHECK(blend(&rig, &items, 64, 8) == ENDO_OK);
    picture both[] = {rig_picture(&rig, 9, 0), rig_picture(&rig, 4, 0), rig_picture(&rig, 5, 0)};
    CHECK(picture_is(&one, &both[0]) && picture_is(&two, &both[1]) && !both[2].pixels);
    picture_free(&one);
    picture_free(&two);
    picture_free(&both[0]);
    picture_free(&both[1]);
    placed_free(&items);
    placed_free(&first);
    placed_free(&second);
    rig_close(&rig);
    forget_sequence();
}

static void test_nothing_to_blend(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, 0);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = {0};
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && canvases_blend_is_done(c));
    CHECK(canvases_blend_share(c) == 1 && !canvases_full(c));
    placed_frame away = rig_at(0, 1 << 30, 0, 1);
    CHECK(placed_add(&items, &away) == ENDO_OK && canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK);
    CHECK(canvases_blend_is_done(c) && canvases_full(c));
    CHECK(strstr(canvases_full(c), "frame 1: the panorama would be endlessly large"));
    picture none = rig_picture(&rig, 1, 0);
    CHECK(!none.pixels);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* ----------------------------------------------------------------------- limits */

static placed_frames column(const int *tops, int n) {
    placed_frames items = {0};
    for (int i = 0; i < n; i++) {
        placed_frame item = rig_at(i, 0, tops[i], 2);
        if (tops[i] >= 0) CHECK(placed_add(&items, &item) == ENDO_OK);
    }
    return items;
}

/* Frames at these rows where there is room for 10 rows more than one has: those that are shown are `wanted` (-1: not), and it
 * is said of the frame `first`, from 1. */
static void check_limit(const int *tops, const int *wanted, int n, int first, int rows) {
    canvases_rig rig;
    char says[100];
    start(&rig, 1, ENDO_MOSAIC_COVERAGE);
    placed_frames items = column(tops, n);
    placed_frames shown = column(wanted, n);
    picture expected = blended(&rig, &shown, 0, 8);
    rig.options.max_canvas = W * (H + 10);
    CHECK(canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK);
    const char *full = canvases_full(rig.canvases);
    snprintf(says, sizeof says, "frame %d: the panorama would be 128 x %d px, it may have 0.013568 megapixels (max_", first,
             rows);
    CHECK(full && strstr(full, says) == full);
    CHECK(go_on(&rig, 8) == ENDO_OK);
    picture p = rig_picture(&rig, 2, ENDO_MOSAIC_COVERAGE);
    CHECK(picture_is(&expected, &p));
    picture_free(&expected);
    picture_free(&p);
    placed_free(&items);
    placed_free(&shown);
    rig_close(&rig);
}

/* The first frame without room is where a panorama ends; frames behind it that lie within are there. */
static void test_the_limit_of_a_blend(void) {
    make_sequence(DEMO_GREY8, 0);
    check_limit((const int[]){0, 10, 5, 11, 3, 12}, (const int[]){0, 10, 5, -1, 3, -1}, 6, 4, H + 11);
    check_limit((const int[]){0, 11, 5, 0}, (const int[]){0, -1, -1, 0}, 4, 2, H + 11);
    forget_sequence();
}

static void test_scale_counts(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1.5, 0);
    placed_frames items = {0};
    placed_frame one = rig_at(0, 0, 0, 2);
    rig.options.max_canvas = W * H * 9 / 4 - 1;
    CHECK(placed_add(&items, &one) == ENDO_OK && canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK);
    mosaic_rect wanted = reach_of(&rig, &items);
    CHECK(rect_area(wanted) > W * H * 9 / 4 - 1 && canvases_full(rig.canvases));
    rig.options.max_canvas = rect_area(wanted);
    CHECK(canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK && !canvases_full(rig.canvases));
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* ----------------------------------------------------------------------- memory */

static void test_bands_are_halved(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, BOTH);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = some_items(0);
    int height = rect_height(reach_of(&rig, &items));
    picture whole = blended(&rig, &items, 0, 8);
    canvases_set_band_rows(c, 0);
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && step(&rig, 8) == ENDO_OK);
    CHECK(height > 4 * 64 && canvases_halve_bands(c) == height / 2 / 4 * 4 && !canvases_has_band(c));
    CHECK(step(&rig, 8) == ENDO_OK);
    int rows = canvases_halve_bands(c);
    CHECK(rows == height / 2 / 4 * 4 / 2 / 4 * 4);
    for (int half = rows; half > 0; half = canvases_halve_bands(c)) rows = half;
    CHECK(rows >= 64 && rows < 136);
    CHECK(go_on(&rig, 8) == ENDO_OK);
    picture p = rig_picture(&rig, 0, BOTH);
    CHECK(picture_is(&whole, &p) && canvases_halve_bands(c) == 0);
    picture_free(&whole);
    picture_free(&p);
    canvases_set_band_rows(c, 128);
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && canvases_halve_bands(c) == 64);
    canvases_set_band_rows(c, 124);
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && canvases_halve_bands(c) == 0);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* The widest panorama has as many rows as 4 GB hold at 13 bytes a pixel, or at 21. */
static void check_rows_by_memory(demo_kind kind, int half) {
    make_sequence(kind, 0);
    canvases_rig rig;
    placed_frames items = {0};
    const placed_frame both[] = {rig_at(0, 0, 0, 0), rig_at(1, (1 << 20) - W, 400, 0)};
    start(&rig, 1, 0);
    CHECK(placed_append(&items, both, 2) == ENDO_OK);
    CHECK(canvases_start_blending(rig.canvases, &items, NULL, &weights, NULL) == ENDO_OK && !canvases_full(rig.canvases));
    CHECK(canvases_halve_bands(rig.canvases) == half);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

static void test_rows_by_memory(void) {
    check_rows_by_memory(DEMO_GREY8, 312 / 2);
    check_rows_by_memory(DEMO_GREY16, 192 / 2);
    check_rows_by_memory(DEMO_RGB, 192 / 2);
}

/* Smaller bands do not help where the panorama itself has no room. */
static void test_no_room_for_the_panorama(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, BOTH);
    mosaic_canvases *c = rig.canvases;
    placed_frames items = some_items(0);
    rig.options.memory = 1;
    rig.options.scratch = "there/is/no/such/folder";
    CHECK(canvases_start_blending(c, &items, NULL, &weights, NULL) == ENDO_OK && canvases_begin_band(c) == ENDO_ERR_MEMORY);
    CHECK(strstr(endo_last_error(), "no room for the panorama of ") && !canvases_has_band(c) && canvases_halve_bands(c) == 0);
    rig.options.memory = (int64_t)1 << 32;
    CHECK(canvases_begin_band(c) == ENDO_OK && canvases_halve_bands(c) > 0 && go_on(&rig, 8) == ENDO_OK);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* Every allocation fails once: the band is begun again, and nothing else changes. */
static int blends_without(int call, const placed_frames *items, const picture *wanted) {
    canvases_rig rig;
    start(&rig, 1, BOTH);
    int alive = memory_alive;
    canvases_set_band_rows(rig.canvases, 152);
    memory_arm(call, 0);
    endo_status status = canvases_start_blending(rig.canvases, items, NULL, &weights, NULL);
    if (status == ENDO_OK) status = go_on(&rig, FRAMES);
    int fired = memory_failures;
    memory_arm(0, 0);
    CHECK(status == ENDO_OK || (fired && status == ENDO_ERR_MEMORY)); /* the library may have found another way */
    if (status != ENDO_OK) {
        CHECK(strstr(endo_last_error(), "memory") || strstr(endo_last_error(), "room"));
        canvases_drop_band(rig.canvases);
        if (!canvases_is_blending(rig.canvases))
            CHECK(canvases_start_blending(rig.canvases, items, NULL, &weights, NULL) == ENDO_OK);
        CHECK(go_on(&rig, FRAMES) == ENDO_OK);
    }
    picture p = rig_picture(&rig, 0, BOTH);
    CHECK(picture_is(wanted, &p));
    picture_free(&p);
    canvases_drop_blending(rig.canvases);
    CHECK(memory_alive <= alive + 64);
    rig_close(&rig);
    return fired;
}

static void test_want_of_memory(void) {
    make_sequence(DEMO_GREY8, 0);
    int alive = memory_alive;
    canvases_rig rig;
    start(&rig, 1, BOTH);
    placed_frames items = some_items(0);
    picture wanted = blended(&rig, &items, 0, 8);
    rig_close(&rig);
    int n = 1;
    while (blends_without(n, &items, &wanted)) n++;
    CHECK(n > 30);
    picture_free(&wanted);
    placed_free(&items);
    CHECK(memory_alive == alive);
    forget_sequence();
}

/* ------------------------------------------------------------------ uncertainty */

static void test_uncertainty_is_in_hundredths_of_a_pixel(void) {
    CHECK(uncertainty_value(0) == 1 && uncertainty_value(0.251) == 25 && uncertainty_value(1e9) == 65534);
    CHECK(uncertainty_value(NAN) == 65535 && uncertainty_value(INFINITY) == 65534);
    CHECK(uncertainty_value(0.014) == 1 && uncertainty_value(0.016) == 2 && uncertainty_value(655.34) == 65534);
    CHECK(uncertainty_value(655.33) == 65533);
}

/* A pixel is as sure as the surest frame that reaches it, whatever the order in which they come. */
static void test_the_surest_counts(void) {
    static const double deviations[] = {3, NAN, 0.5, 0.5, 20, 0};
    enum { N = 6 };
    static const int at[N][2] = {{0, 0}, {40, 3}, {20, 20}, {70, 50}, {-30, 60}, {100, 120}};
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig = {.options = rig_options()};
    placed_frames items = {0};
    rig.options.extras = BOTH;
    rig.options.rim = 0;
    rig_open(&rig, &demo.source);
    for (int i = 0; i < N; i++) {
        placed_frame item = rig_at(i, at[i][0], at[i][1], 0);
        CHECK(placed_add(&items, &item) == ENDO_OK);
        frame_weights_set(&weights, i, deviations[i], 0);
    }
    picture p = blended(&rig, &items, 80, 8);
    int wrong = 0;
    for (size_t k = 0; k < picture_area(&p); k++) {
        int x = p.rect.left + (int)k % rect_width(p.rect);
        int y = p.rect.top + (int)k / rect_width(p.rect);
        int least = 0;
        int reach = 0;
        for (int i = 0; i < N; i++) {
            if (x < at[i][0] || y < at[i][1] || x >= at[i][0] + W || y >= at[i][1] + H) continue;
            int value = uncertainty_value(deviations[i]);
            least = least == 0 || value < least ? value : least;
            reach++;
        }
        wrong += p.uncertainty[k] != (p.painted[k] ? least : 0) || (p.painted[k] && p.coverage[k] > reach);
        wrong += (p.painted[k] == 0) != (p.coverage[k] == 0);
    }
    CHECK(wrong == 0);
    picture_free(&p);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

/* A panorama has only the planes that were asked for. */
static void test_extras(void) {
    make_sequence(DEMO_GREY8, 0);
    canvases_rig rig;
    start(&rig, 1, BOTH);
    placed_frames items = some_items(0);
    picture both = blended(&rig, &items, 0, 8);
    for (int extras = 0; extras < BOTH; extras++) {
        rig.options.extras = extras;
        picture p = blended(&rig, &items, 100, 8);
        size_t area = picture_area(&p);
        CHECK(!memcmp(p.pixels, both.pixels, area));
        CHECK(!p.coverage || same_numbers(p.coverage, both.coverage, area));
        CHECK(!p.uncertainty || same_numbers(p.uncertainty, both.uncertainty, area));
        picture_free(&p);
    }
    picture_free(&both);
    placed_free(&items);
    rig_close(&rig);
    forget_sequence();
}

int main(void) {
    test_weights_fall_with_the_deviation();
    test_doubtful_frames_show_where_no_other_does();
    test_the_best_of_a_component_counts_in_full();
    test_blurred_frames_count_less();
    test_bands_have_the_bytes_of_one_piece();
    test_fall_off_is_taken_out();
    test_bands_on_the_disk();
    test_passes();
    test_shares_of_bands();
    test_bands_begun_again();
    test_canvases_stay();
    test_several_components();
    test_nothing_to_blend();
    test_the_limit_of_a_blend();
    test_scale_counts();
    test_bands_are_halved();
    test_rows_by_memory();
    test_no_room_for_the_panorama();
    test_want_of_memory();
    test_uncertainty_is_in_hundredths_of_a_pixel();
    test_the_surest_counts();
    test_extras();
    return check_summary("test_mosaic_blending");
}
