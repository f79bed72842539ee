/* Uses that frames are put for: calls that serve those give the same as if frames served for everything, and the others are
 * refused. On every back end of the CPU. */
#include "blend_rig.h"

enum { FRAMES = 3, NOBODY_SAYS = 0 };

static const void *image(endo_pixel type, int k) {
    return type == ENDO_GREY8 ? (const void *)grey : type == ENDO_GREY16 ? (const void *)deep : (const void *)colour[k];
}

static void put_all(endo_frames *frames, endo_pixel type, int uses) {
    if (uses != NOBODY_SAYS) CHECK(endo_frames_put_for(frames, uses) == ENDO_OK);
    for (int k = 0; k < FRAMES; k++) CHECK(endo_frames_put(frames, k, image(type, k), WIDTH) == ENDO_OK);
}

/* A circle, so that rows have ends that nobody looks at. */
static endo_frames *round_store(endo_context *context, endo_pixel type, int capacity) {
    static uint8_t field[AREA];
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH - WIDTH / 2, y = i / WIDTH - HEIGHT / 2;
        field[i] = x * x + y * y < 33 * 33;
    }
    o.width = WIDTH, o.height = HEIGHT, o.capacity = capacity, o.type = type, o.field = field, o.rim = 4;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* The slots have other frames in the meantime. */
static void put_others(endo_frames *frames, endo_pixel type) {
    CHECK(endo_frames_put_for(frames, ENDO_USE_ANY) == ENDO_OK);
    for (int k = 0; k < FRAMES; k++) CHECK(endo_frames_put(frames, k, image(type, (k + 1) % FRAMES), WIDTH) == ENDO_OK);
}

/* Both passes, frames put anew for each. */
static void blend(endo_context *context, endo_frames *frames, endo_pixel type, const int uses[2], int is_between,
                  uint32_t *pixels) {
    static const int32_t gains[3 * FRAMES] = {4096, 4000, 4200, 4096, 4096, 4096, 3900, 4096, 4300}, weights[] = {256, 80, 200};
    plan p = plan_of(FRAMES);
    endo_blend *made = NULL;
    p.gains = gains, p.weights = weights;
    p.shifts[1][0] = 41.5, p.shifts[2][1] = 22.25;
    memset(pixels, 0, CANVAS * sizeof *pixels);
    CHECK(endo_blend_create(context, type, SIDE, SIDE, &p.options, &made) == ENDO_OK);
    put_all(frames, type, uses[0]);
    add(made, frames, &p);
    CHECK(endo_blend_next_pass(made) == ENDO_OK);
    if (is_between) put_others(frames, type);
    put_all(frames, type, uses[1]);
    add(made, frames, &p);
    CHECK(endo_blend_read(made, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){pixels, painted, coverage, NULL}) == ENDO_OK);
    endo_blend_destroy(&made);
}

/* Whatever is said, and however often a slot was used before: the same bytes. */
static void test_blends(endo_context *context, endo_pixel type, int capacity) {
    static const int uses[][2] = {{NOBODY_SAYS, NOBODY_SAYS},
                                  {ENDO_USE_FIRST_PASS, ENDO_USE_FIRST_PASS | ENDO_USE_PAINTING},
                                  {ENDO_USE_PAINTING, ENDO_USE_PAINTING},
                                  {ENDO_USE_FIRST_PASS, ENDO_USE_PAINTING | ENDO_USE_MATCHING},
                                  {ENDO_USE_ANY, ENDO_USE_ANY}};
    static uint32_t wanted[CANVAS], found[CANVAS];
    endo_frames *fresh = round_store(context, type, FRAMES), *used = round_store(context, type, capacity);
    blend(context, fresh, type, uses[0], 0, wanted);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        blend(context, used, type, uses[i], i % 2, found);
        CHECK(memcmp(wanted, found, sizeof wanted) == 0);
    }
    endo_frames_destroy(&fresh);
    endo_frames_destroy(&used);
}

static void test_matching(endo_context *context, endo_pixel type) {
    static uint8_t wanted[AREA], found[AREA];
    endo_frames *frames = round_store(context, type, FRAMES);
    put_all(frames, type, NOBODY_SAYS);
    CHECK(endo_frames_get_grey(frames, 1, wanted) == ENDO_OK);
    for (int uses = 1; uses <= ENDO_USE_ANY; uses++) {
        CHECK(endo_frames_put_for(frames, ENDO_USE_PAINTING) == ENDO_OK); /* another frame, never matched */
        CHECK(endo_frames_put(frames, 1, image(type, 2), WIDTH) == ENDO_OK);
        put_all(frames, type, uses);
        CHECK(endo_frames_get_grey(frames, 1, found) == (uses & ENDO_USE_MATCHING ? ENDO_OK : ENDO_ERR_ARGUMENT));
        CHECK(memcmp(wanted, found, sizeof wanted) == 0);
    }
    endo_frames_destroy(&frames);
}

/* ---------------------------------------------------------------- refusals */

static int says(const char *text) { return strstr(endo_last_error(), text) != NULL; }

static endo_status paint(endo_context *context, const endo_frames *frames) {
    const int32_t slot = 1;
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, ENDO_RGB32, SIDE, SIDE, &canvas) == ENDO_OK);
    endo_status status = endo_canvas_paint(canvas, frames, POSED(&slot, &endo_transform_still, .n = 1), ENDO_PAINT_UNION);
    endo_canvas_destroy(&canvas);
    return status;
}

static endo_status add_in_pass(endo_context *context, const endo_frames *frames, int second) {
    const int32_t slot = 1;
    endo_blend *made = NULL;
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, NULL, &made) == ENDO_OK);
    if (second) CHECK(endo_blend_next_pass(made) == ENDO_OK);
    endo_status status = endo_blend_add(made, frames, POSED(&slot, &endo_transform_still, .n = 1));
    endo_blend_destroy(&made);
    return status;
}

/* Each use alone, and with another. */
static void test_refusals(endo_context *context) {
    endo_frames *frames = round_store(context, ENDO_RGB32, FRAMES);
    for (int uses = 1; uses <= ENDO_USE_ANY; uses++) {
        const endo_pair pair = {0, 1};
        const endo_ncc_request request = {0, 1, 48, 40, 48, 40};
        double quality, coefficient;
        put_all(frames, ENDO_RGB32, uses);
        int matches = uses & ENDO_USE_MATCHING, paints = uses & ENDO_USE_PAINTING, looks = uses != ENDO_USE_MATCHING;
        CHECK((endo_quality_measure(frames, &pair, &endo_transform_still, 1, &quality) == ENDO_OK) == (matches != 0));
        CHECK(matches || says("its frame was put for uses"));
        CHECK((endo_ncc_compute(frames, &request, 1, 9, &coefficient) == ENDO_OK) == (matches != 0));
        CHECK((paint(context, frames) == ENDO_OK) == (paints != 0));
        CHECK((add_in_pass(context, frames, 0) == ENDO_OK) == looks);
        CHECK((add_in_pass(context, frames, 1) == ENDO_OK) == (paints != 0));
    }
    CHECK(endo_frames_put_for(frames, 0) == ENDO_ERR_ARGUMENT && says("uses 0: must be 1..7"));
    CHECK(endo_frames_put_for(frames, 8) == ENDO_ERR_ARGUMENT && says("uses 8"));
    CHECK(endo_frames_put_for(NULL, 1) == ENDO_ERR_ARGUMENT && says("NULL"));
    endo_frames_destroy(&frames);
}

static void fill(void) {
    fill_scene(3);
    for (int i = 0; i < AREA; i++) {
        colour[1][i] = colour[0][i] ^ ((uint32_t)i * 2654435761u >> 8 & 0x0f0f0f);
        colour[2][i] = i % 97 < 3 ? 0xffffffffu : colour[0][i]; /* some are clipped */
        if (i % 89 == 0) grey[i] = 250, deep[i] = 65000;
    }
}

int main(void) {
    fill();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        for (int type = 0; type < 3; type++) {
            test_blends(context, (endo_pixel)type, FRAMES);
            test_blends(context, (endo_pixel)type, 2200); /* more pixels than caches hold */
            test_matching(context, (endo_pixel)type);
        }
        test_refusals(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_frames_uses");
}
