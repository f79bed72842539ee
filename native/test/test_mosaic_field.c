/* The field of view of a sequence, the grey values that span it, what stands still in it, and interlaced rows. */
#include "systems/mosaic/field_of_view.h"

#include "systems/mosaic/grey_range.h"
#include "systems/mosaic/interlacing.h"
#include "demo_rig.h"

/* -------------------------------------------------------------------- grey range */

static grey_range range;

static int ends_are(int low, int high) {
    int l;
    int h;
    grey_range_ends(&range, &l, &h);
    return l == low && h == high;
}

static void clear(void) { memset(&range, 0, sizeof range); }

/* 10,000 pixels of 1000..1099, a hundred each, and so many of them changed to the value. */
static void add_ramp(int changed, int value) {
    uint16_t pixels[10000];
    for (int i = 0; i < 10000; i++) pixels[i] = (uint16_t)(i >= 5000 && i < 5000 + changed ? value : 1000 + i % 100);
    grey_range_add(&range, pixels, 10000);
}

static int ramp_ends_are(int changed, int value, int low, int high) {
    clear();
    add_ramp(changed, value);
    return ends_are(low, high);
}

static void test_hot_and_dead_pixels_do_not_count(void) {
    CHECK(ramp_ends_are(0, 0, 1000, 1099));
    CHECK(ramp_ends_are(10, 65535, 1000, 1099));
    CHECK(ramp_ends_are(11, 65535, 1000, 65535));
    CHECK(ramp_ends_are(10, 0, 1000, 1099));
    CHECK(ramp_ends_are(11, 0, 0, 1099));
}

static void test_frames_are_taken_together(void) {
    clear();
    add_ramp(20, 65535);
    add_ramp(0, 0);
    CHECK(ends_are(1000, 1099));
}

static int few_end_at(const uint16_t *pixels, size_t n, int low, int high) {
    clear();
    grey_range_add(&range, pixels, n);
    return ends_are(low, high);
}

static void test_few_values(void) {
    uint16_t flat[5000] = {0};
    CHECK(few_end_at(flat, 100, 0, 65535));
    CHECK(few_end_at((const uint16_t[]){7, 7}, 2, 6, 7));
    CHECK(few_end_at((const uint16_t[]){3, 9}, 2, 3, 9));
    for (int i = 0; i < 5000; i++) flat[i] = i == 9 ? 700 : 500;
    CHECK(few_end_at(flat, 5000, 500, 700));
}

/* ------------------------------------------------------------------- interlacing */

#define COMB_W 320
#define COMB_H 256
#define COMB_AREA (COMB_W * COMB_H)
#define COMB_FRAMES 16

static demo_frames scene;

static const uint32_t *scene_frame(int i) { return (const uint32_t *)(scene.pixels + (size_t)i * scene.bytes); }

/* Rows in turn of a frame and of the next one, or a frame as it is. */
static void weave(int frame, int is_woven, uint32_t *to) {
    for (int y = 0; y < COMB_H; y++)
        memcpy(to + y * COMB_W, scene_frame(frame + (is_woven && y % 2)) + y * COMB_W, COMB_W * sizeof *to);
}

static const char *warning_of(const interlacing *rows) {
    static char text[400];
    interlacing_warning(rows, text, sizeof text);
    return text;
}

static interlacing of_type(endo_pixel type) {
    return interlacing_of(type, (mosaic_size){.width = COMB_W, .height = COMB_H}, 3, ENDO_CPU_BEST);
}

/* The warning on frames first .. end - 1, of which those before `woven` are woven of two fields. */
static const char *warning(int woven, int first, int end) {
    static uint32_t frame[COMB_AREA];
    interlacing rows = of_type(ENDO_RGB32);
    for (int i = first; i < end; i++) {
        weave(i, i < woven, frame);
        interlacing_add(&rows, frame);
    }
    return warning_of(&rows);
}

/* A quarter of the frames has to be combed, and two. */
static void test_says_so_of_woven_frames(void) {
    CHECK(!strncmp(warning(16, 0, 16), "the frames look interlaced: every other row is of another time in 16 of 16 that", 79));
    CHECK(strstr(warning(4, 0, 16), "in 4 of 16 that"));
    CHECK(!*warning(3, 0, 16));
    CHECK(strstr(warning(3, 1, 5), "in 2 of 4 that"));
    CHECK(!*warning(1, 0, 2));
    CHECK(!*warning(0, 0, 16));
}

/* Whatever the type, and in 16 bit whatever the range. */
static void test_sees_every_type(void) {
    static uint32_t frame[COMB_AREA];
    static uint16_t deep[COMB_AREA];
    static uint8_t grey[COMB_AREA];
    for (int factor = 4; factor <= 200; factor += 196) {
        interlacing of_deep = of_type(ENDO_GREY16);
        interlacing of_grey = of_type(ENDO_GREY8);
        for (int i = 0; i < COMB_FRAMES; i++) {
            weave(i, 1, frame);
            for (int k = 0; k < COMB_AREA; k++) {
                grey[k] = (uint8_t)(frame[k] >> 8);
                deep[k] = (uint16_t)(grey[k] * factor);
            }
            interlacing_add(&of_deep, deep);
            interlacing_add(&of_grey, grey);
        }
        CHECK(strstr(warning_of(&of_deep), "in 16 of 16 that"));
        CHECK(strstr(warning_of(&of_grey), "in 16 of 16 that"));
    }
}

/* Neither noise, however strong, nor stripes two rows wide, nor the least picture. */
static void test_says_nothing_of_noise_and_stripes(void) {
    static uint8_t noise[COMB_AREA];
    static uint8_t stripes[COMB_AREA];
    interlacing of_noise = of_type(ENDO_GREY8);
    interlacing of_stripes = of_type(ENDO_GREY8);
    interlacing least = interlacing_of(ENDO_GREY8, (mosaic_size){.width = 1, .height = 1}, 1, ENDO_CPU_BEST);
    uint32_t state = 5;
    for (int k = 0; k < COMB_FRAMES; k++) {
        for (int i = 0; i < COMB_AREA; i++) {
            noise[i] = (uint8_t)(demo_random(&state) >> 7);
            stripes[i] = (uint8_t)((i / COMB_W & 2) * 50);
        }
        interlacing_add(&of_noise, noise);
        interlacing_add(&of_stripes, stripes);
        interlacing_add(&least, noise);
    }
    CHECK(!*warning_of(&of_noise) && !*warning_of(&of_stripes) && !*warning_of(&least));
}

/* Two frames with a white pixel between tiles, and with so many of their 20 tiles combed by so many levels each way. */
static const char *tiles(int combed, int levels) {
    static uint8_t frame[COMB_AREA];
    interlacing rows = of_type(ENDO_GREY8);
    for (int i = 0; i < COMB_AREA; i++) {
        int tile = i % COMB_W / 64 + 5 * (i / COMB_W / 64);
        int sign = i / COMB_W % 2 == 0 ? 1 : -1;
        frame[i] = (uint8_t)(tile < combed ? 100 + sign * levels : 100 + i % COMB_W % 64);
    }
    frame[40 * COMB_W + 35] = 255;
    interlacing_add(&rows, frame);
    interlacing_add(&rows, frame);
    return warning_of(&rows);
}

/* More than a tenth of the tiles, and 8 levels of 255. */
static void test_knows_its_limits(void) {
    CHECK(!*tiles(2, 20));
    CHECK(strstr(tiles(3, 20), "in 2 of 2 that"));
    CHECK(!*tiles(20, 7));
    CHECK(strstr(tiles(20, 9), "in 2 of 2 that"));
}

/* Two frames whose rows rise by five levels each, every other one by so many more. */
static const char *rising(int more) {
    static uint8_t frame[COMB_AREA];
    interlacing rows = of_type(ENDO_GREY8);
    for (int i = 0; i < COMB_AREA; i++) {
        int y = i / COMB_W;
        frame[i] = (uint8_t)(y % 64 < 34 ? 5 * (y % 64) + (y % 2 ? more : 0) : 0);
    }
    interlacing_add(&rows, frame);
    interlacing_add(&rows, frame);
    return warning_of(&rows);
}

/* Of large frames a part of the tiles is tested, and their brightest pixel is looked for in a part of the rows: here of 600
 * tiles, a woven picture thirty times. */
static void test_tests_a_part_of_large_frames(void) {
    enum { ACROSS = 5, DOWN = 6, WIDTH = ACROSS * COMB_W, HEIGHT = DOWN * COMB_H };
    static uint32_t frame[COMB_AREA];
    uint32_t *large = malloc((size_t)WIDTH * HEIGHT * sizeof *large);
    for (int woven = 0; woven < 2; woven++) {
        interlacing rows = interlacing_of(ENDO_RGB32, (mosaic_size){.width = WIDTH, .height = HEIGHT}, 2, ENDO_CPU_BEST);
        for (int i = 0; i < 3; i++) {
            weave(i, woven, frame);
            for (int k = 0; k < WIDTH * HEIGHT; k++) large[k] = frame[k / WIDTH % COMB_H * COMB_W + k % COMB_W];
            interlacing_add(&rows, large);
        }
        CHECK(woven ? strstr(warning_of(&rows), "in 3 of 3 that") != NULL : !*warning_of(&rows));
    }
    free(large);
}

/* Squares of 5^2 + more^2 a row, of 10^2 two rows apart: a fifth more are combs. */
static void test_a_comb_is_sharper_than_a_slope(void) {
    CHECK(!*rising(9));
    CHECK(strstr(rising(10), "in 2 of 2 that"));
}

/* ------------------------------------------------------------------------- field */

#define W 240
#define H 200
#define AREA (W * H)
#define FRAMES 24

static endo_context *context;
static uint8_t selection[AREA];
static char said[1000];

static void keep_line(void *user, const endo_event *event) {
    (void)user;
    CHECK(event->level == ENDO_EVENT_LOG && event->kind == ENDO_EVENT_FIELD);
    strcat(said, event->text);
}

static int asked; /* how often whether the run is cancelled */
static int noes = -1; /* answers before it is; -1: never */

static int is_cancelled(void *user) {
    (void)user;
    return ++asked > noes && noes >= 0;
}

static endo_mosaic_options options_of(endo_mosaic_field field, double lens) {
    endo_mosaic_options options = {.field = field, .mask = selection, .pattern = 1, .lens = lens};
    return options;
}

static endo_status find(demo_frames *demo, const endo_mosaic_options *options, field_of_view *out, int *readable) {
    mosaic_sequence *sequence;
    mosaic_events events;
    endo_mosaic_hooks hooks = {.event = keep_line, .cancelled = is_cancelled};
    said[0] = 0;
    asked = 0;
    *readable = -1;
    events_init(&events, &hooks);
    CHECK(sequence_create(&demo->source, options->lens, 0, NULL, &sequence) == ENDO_OK);
    endo_status status = field_of_view_find(context, sequence, options, 1, &events, out, readable);
    if (status == ENDO_OK && !*readable) CHECK(!strcmp(sequence_reason(sequence), "frame 24: gone"));
    sequence_destroy(&sequence);
    events_free(&events);
    return status;
}

static uint64_t mix(uint64_t h, uint32_t v) { return (h ^ v) * 0x100000001b3u; }

typedef struct found_field {
    demo_kind kind;
    double lens;
    endo_mosaic_field field;
    const char *description;
    uint64_t mask, pattern; /* FNV-1a; that of nothing where there is none */
    double spread;
    int low, high;
    mosaic_rect bounds;
    int is_circle;
    const char *said;
} found_field;

#define NOTHING 0xcbf29ce484222325u

/* The numbers that an implementation of its own gave, in Java, on the same library. */
static const found_field wanted[] = {
    {DEMO_RGB, 0, ENDO_MOSAIC_FIELD_AUTO, "circle of radius 112.2 px about (119.5, 99.5), columns 8-231, rows 0-199",
     0xc7146666c572df5d, NOTHING, 0x1.35ff219713834p6, 0, 65535, {8, 0, 232, 200}, 1, ""},
    {DEMO_RGB, 0, ENDO_MOSAIC_FIELD_MASK, "selection", 0x919ea83e8df3367e, NOTHING, 0x1.aff277a3652bap5, 0, 65535,
     {31, 21, 170, 160}, 0, ""},
    {DEMO_RGB, 0, ENDO_MOSAIC_FIELD_WHOLE, "whole frame", NOTHING, 0x04f9e20cba5f26a1, 0x1.68bc7d1d64642p6, 0, 65535,
     {0, 0, 240, 200}, 0,
     "fixed sensor pattern ignored in matching: 8.1 grey levels RMS, 17 % of the details of 24 frames"},
    {DEMO_RGB, -15, ENDO_MOSAIC_FIELD_WHOLE, "whole frame, seen without the lens", 0x0ac0a3a7b24e29a5, NOTHING,
     0x1.68bc7d1d64642p6, 0, 65535, {0, 0, 240, 200}, 0, ""},
    {DEMO_RGB, 20, ENDO_MOSAIC_FIELD_AUTO,
     "circle of radius 112.2 px about (119.5, 99.5), columns 8-231, rows 0-199, seen without the lens", 0xd1b8fb6530aa6e8f,
     NOTHING, 0x1.096fe94c5aa47p6, 0, 65535, {25, 12, 215, 188}, 1, ""},
    {DEMO_GREY16, 0, ENDO_MOSAIC_FIELD_AUTO, "circle of radius 112.2 px about (119.4, 99.5), columns 8-231, rows 0-199",
     0x657c1c3e19a9fe33, NOTHING, 0x1.360cb2a44f79p6, 1000, 3288, {8, 0, 232, 200}, 1, ""},
    {DEMO_GREY16, 20, ENDO_MOSAIC_FIELD_MASK, "selection, seen without the lens", 0xcaaa53aa85668e29, NOTHING,
     0x1.8899bcb8a9a5dp5, 1000, 3288, {40, 27, 168, 157}, 0, ""},
    {DEMO_GREY8, -15, ENDO_MOSAIC_FIELD_AUTO,
     "circle of radius 112.2 px about (119.4, 99.5), columns 8-230, rows 0-199, seen without the lens", 0x286bcb2543a8c546,
     NOTHING, 0x1.54c880ddfb236p6, 0, 65535, {0, 0, 240, 200}, 1, ""},
    {DEMO_GRAINY, 0, ENDO_MOSAIC_FIELD_AUTO, "circle of radius 112.4 px about (119.4, 99.5), columns 8-231, rows 0-199",
     0x5e9c2c0fcdb37ec0, 0x1475e37f28f700c7, 0x1.3663cf5284c8ap6, 0, 65535, {8, 0, 232, 200}, 1,
     "fixed sensor pattern ignored in matching: 9.5 grey levels RMS, 83 % of the details of 24 frames"},
    {DEMO_GRAINY, 20, ENDO_MOSAIC_FIELD_WHOLE, "whole frame, seen without the lens", 0xf2b00a091fb45143, 0x6ec55002f973e394,
     0x1.21e3b3230bbaap6, 0, 65535, {20, 12, 220, 188}, 0,
     "fixed sensor pattern ignored in matching: 12.4 grey levels RMS, 78 % of the details of 24 frames"},
};

static void check_field(const found_field *w, const field_of_view *f) {
    uint64_t mask = NOTHING;
    uint64_t pattern = NOTHING;
    for (int i = 0; f->mask && i < AREA; i++) mask = mix(mask, f->mask[i]);
    for (int i = 0; f->pattern && i < AREA; i++) pattern = mix(pattern, (uint16_t)f->pattern[i]);
    CHECK(f->size.width == W && f->size.height == H);
    CHECK(!strcmp(f->description, w->description));
    CHECK(mask == w->mask && pattern == w->pattern && f->spread == w->spread);
    CHECK(f->low == w->low && f->high == w->high && f->is_circle == w->is_circle);
    CHECK(!memcmp(&f->bounds, &w->bounds, sizeof f->bounds));
    CHECK(!strcmp(said, w->said));
}

static void test_fields(demo_frames *demos) {
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        endo_mosaic_options options = options_of(wanted[i].field, wanted[i].lens);
        field_of_view field = {0};
        int readable;
        CHECK(find(&demos[wanted[i].kind], &options, &field, &readable) == ENDO_OK && readable == 1);
        check_field(&wanted[i], &field);
        field_of_view_free(&field);
        CHECK(!field.mask && !field.pattern);
    }
}

/* All 24 frames (64 at most) are asked for where the first 16 show a pattern; without `pattern` none but those of the field. */
static void test_frames_that_are_looked_at(demo_frames *demo) {
    endo_mosaic_options options = options_of(ENDO_MOSAIC_FIELD_AUTO, 0);
    field_of_view field = {0};
    int readable;
    demo->n_lent = 0;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && field.pattern);
    field_of_view_free(&field);
    CHECK(demo->n_lent == 16 + 16 + FRAMES);
    options.pattern = 0;
    demo->n_lent = 0;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && !field.pattern && demo->n_lent == 16);
    field_of_view_free(&field);
}

static void test_what_cannot_be_found(demo_frames *demo) {
    endo_mosaic_options options = options_of(ENDO_MOSAIC_FIELD_AUTO, 0);
    field_of_view field = {0};
    int readable;
    demo->unreadable = 1;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && readable == 0 && !field.mask);
    demo->unreadable = 0;
    demo->n_lent = 0;
    noes = 0;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && readable == 1 && demo->n_lent == 0);
    noes = -1;
    CHECK(!strcmp(field.description, "whole frame (no dark surround)") && !field.mask);
    field_of_view_free(&field);
    options = options_of(ENDO_MOSAIC_FIELD_MASK, 0);
    options.mask = NULL;
    CHECK(find(demo, &options, &field, &readable) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "mask is NULL"));
    static const uint8_t nothing[AREA];
    options.mask = nothing;
    CHECK(find(demo, &options, &field, &readable) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "holds no pixel"));
    CHECK(!field.mask && readable == -1);
}

/* A run asks whether it is cancelled for each frame that is sampled, and of each of four rounds of the pattern; one that is
 * cancelled there has no pattern. */
static void test_cancel(demo_frames *demo) {
    endo_mosaic_options options = options_of(ENDO_MOSAIC_FIELD_AUTO, 0);
    field_of_view field = {0};
    int readable;
    demo->n_lent = 0;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && field.pattern);
    field_of_view_free(&field);
    int all = asked;
    CHECK(all > demo->n_lent + 4 * FRAMES);
    noes = all - 1;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK && readable == 1 && !field.pattern && !said[0]);
    CHECK(asked == all && field.bounds.right == 232);
    field_of_view_free(&field);
    noes = -1;
}

static void test_interlaced_frames_are_told(void) {
    demo_frames woven = scene;
    endo_mosaic_options options = options_of(ENDO_MOSAIC_FIELD_WHOLE, 0);
    woven.pixels = malloc(COMB_FRAMES * scene.bytes);
    woven.source.frames = COMB_FRAMES;
    woven.source.user = &woven;
    for (int i = 0; i < COMB_FRAMES; i++) weave(i, 1, (uint32_t *)(woven.pixels + (size_t)i * woven.bytes));
    for (int k = 0; k < 2; k++) {
        /* Where a lens is taken out, rows are those of the frames as they are shown. */
        field_of_view field = {0};
        int readable;
        options.lens = k ? -15 : 0;
        CHECK(find(&woven, &options, &field, &readable) == ENDO_OK && readable);
        CHECK(!strncmp(said, "the frames look interlaced: every other row is of another time in 16 of 16 that", 79));
        field_of_view_free(&field);
    }
    demo_free(&woven);
}

static void test_templates_and_stores(demo_frames *demo) {
    endo_mosaic_options options = options_of(ENDO_MOSAIC_FIELD_MASK, 0);
    field_of_view field = {0};
    int readable;
    CHECK(find(demo, &options, &field, &readable) == ENDO_OK);
    CHECK(field_of_view_check_template(&field, 139) == ENDO_OK && field_of_view_check_template(&field, 0) == ENDO_OK);
    CHECK(field_of_view_check_template(&field, 141) == ENDO_ERR_ARGUMENT);
    CHECK(!strcmp(endo_last_error(), "template 141: larger than the field of view, 139 x 139 px of a frame of 240 x 200"));
    field.bounds.right = field.bounds.left + 14; /* 0 stands for 15 here */
    CHECK(field_of_view_check_template(&field, 0) == ENDO_ERR_ARGUMENT);
    endo_frames_options store = field_of_view_options(&field, ENDO_GREY16, 7);
    CHECK(store.width == W && store.height == H && store.type == ENDO_GREY16 && store.capacity == 7);
    CHECK(store.field == field.mask && store.pattern == field.pattern && store.low == 1000 && store.high == 3288);
    field_of_view_free(&field);
}

static void make_demos(demo_frames *demos) {
    endo_demo_options demo = endo_demo_options_default();
    demo.width = W;
    demo.height = H;
    demo.step = 8;
    demo.highlights = 0;
    for (int kind = DEMO_RGB; kind <= DEMO_GRAINY; kind++) demo_make(&demos[kind], &demo, FRAMES, (demo_kind)kind);
    demo = endo_demo_options_default();
    demo.width = COMB_W;
    demo.height = COMB_H;
    demo_make(&scene, &demo, COMB_FRAMES + 1, DEMO_RGB);
    for (int i = 0; i < AREA; i++) {
        int x = i % W - 100;
        int y = i / W - 90;
        selection[i] = x * x + y * y < 4900 ? 255 : 0;
    }
}

int main(void) {
    static demo_frames demos[4];
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 2};
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    make_demos(demos);
    test_hot_and_dead_pixels_do_not_count();
    test_frames_are_taken_together();
    test_few_values();
    test_says_so_of_woven_frames();
    test_sees_every_type();
    test_says_nothing_of_noise_and_stripes();
    test_knows_its_limits();
    test_a_comb_is_sharper_than_a_slope();
    test_tests_a_part_of_large_frames();
    test_fields(demos);
    test_frames_that_are_looked_at(&demos[DEMO_GRAINY]);
    test_cancel(&demos[DEMO_GRAINY]);
    test_what_cannot_be_found(&demos[DEMO_RGB]);
    test_interlaced_frames_are_told();
    test_templates_and_stores(&demos[DEMO_GREY16]);
    for (int kind = DEMO_RGB; kind <= DEMO_GRAINY; kind++) demo_free(&demos[kind]);
    demo_free(&scene);
    endo_context_destroy(&context);
    return check_summary("test_mosaic_field");
}
