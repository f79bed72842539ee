/* Scenes with something before them, and scenes that repeat themselves: pairs whose two motions are told apart, rivals a period
 * away, and whole sequences, of which no pose that is not called doubtful may be wrong. */
#include "systems/pairs/pair_layers.h"

#include "backends.h"
#include "base/transform.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 256, FRAMES = 24 };

/* A pose is wrong from so far on, px. */
#define WRONG 3

static uint8_t images[FRAMES][WIDTH * HEIGHT];

/* What lies before the scene: 1 where it hides it. */
typedef int (*hides)(int frame, int x, int y);

static int nothing(int frame, int x, int y) {
    (void)frame, (void)x, (void)y;
    return 0;
}

static int still_side(int frame, int x, int y) {
    (void)frame;
    return x + y / 4 < 150;
}

static int moving_bar(int frame, int x, int y) {
    int at = 60 + 5 * frame;
    return x > at && x < at + 110 && y > 30;
}

/* The scene goes by (4, 1) px a frame, what is before it by `front` px along x. */
static void render(hides is_hidden, double front, int frames) {
    static uint8_t before[WIDTH * HEIGHT];
    test_scene scene, instrument;
    test_scene_init(&scene, 11);
    test_scene_init(&instrument, 12);
    for (int i = 0; i < frames; i++) {
        const double map[6] = {1, 0, 4 * i, 0, 1, i};
        const double other[6] = {1, 0, -front * i, 0, 1, 0};
        test_scene_render(&scene, map, WIDTH, HEIGHT, images[i]);
        test_scene_render(&instrument, other, WIDTH, HEIGHT, before);
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            if (is_hidden(i, k % WIDTH, k / WIDTH)) images[i][k] = before[k];
    }
}

/* A weave of this period, px, with a scene behind it at so many hundredths of its contrast. */
static void render_weave(double period, int share, int frames) {
    static uint8_t behind[WIDTH * HEIGHT];
    test_scene scene;
    test_scene_init(&scene, 13);
    for (int i = 0; i < frames; i++) {
        const double map[6] = {1, 0, 16 * i, 0, 1, i};
        test_scene_render(&scene, map, WIDTH, HEIGHT, behind);
        for (int k = 0; k < WIDTH * HEIGHT; k++) {
            double u = 2 * 3.14159265358979 * (k % WIDTH + 16 * i) / period;
            double v = 2 * 3.14159265358979 * (k / WIDTH + i) / period;
            images[i][k] = (uint8_t)(128 + 45 * cos(u) + 40 * cos(v) + share * (behind[k] - 128) / 100 + 0.5);
        }
    }
}

/* ------------------------------------------------------------------------- pairs */

static endo_frames *store_of(endo_context *context, int frames) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *store = NULL;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.capacity = frames;
    CHECK(endo_frames_create(context, &o, &store) == ENDO_OK);
    for (int i = 0; i < frames; i++) CHECK(endo_frames_put(store, i, images[i], WIDTH) == ENDO_OK);
    return store;
}

static endo_pairs_options best_options(void) {
    endo_pairs_options o = endo_pairs_options_default();
    o.method = ENDO_METHOD_BEST;
    o.transform = ENDO_TRANSFORM_AUTO;
    return o;
}

/* How far a transform takes the middle of the frame from where a shift does, px. */
static double apart(const endo_transform *t, double dx, double dy) {
    double x = t->matrix[0] * 160 + t->matrix[1] * 128 + t->matrix[2] - 160;
    double y = t->matrix[3] * 160 + t->matrix[4] * 128 + t->matrix[5] - 128;
    return hypot(x - dx, y - dy);
}

static void register_first(endo_frames *store, endo_pair_result *result, endo_pair_layers *layers) {
    const endo_pair pair = {0, 1};
    endo_pairs_options o = best_options();
    CHECK(endo_pairs_register(store, &pair, 1, &o, result) == ENDO_OK);
    CHECK(endo_pairs_separate(store, &pair, 1, &o, result, layers) == ENDO_OK);
}

static void test_one_motion(endo_context *context) {
    endo_pair_result result;
    endo_pair_layers layers;
    render(nothing, 0, 2);
    endo_frames *store = store_of(context, 2);
    register_first(store, &result, &layers);
    CHECK(layers.count == 1 && result.status == ENDO_PAIR_OK && apart(&result.transform, 4, 1) < 0.05);
    int others = 0;
    for (int i = 0; i < layers.columns * layers.rows; i++) others += layers.cells[i] == 2;
    CHECK(others == 0 && layers.columns == ENDO_LAYER_ACROSS);
    endo_frames_destroy(&store);
}

/* Cells of the left sixth are the instrument's, those of the right third the scene's. */
static void check_cells(const endo_pair_layers *layers, int scene) {
    int wrong = 0;
    for (int i = 0; i < layers->columns * layers->rows; i++) {
        int column = i % layers->columns;
        if (column < layers->columns / 6) wrong += layers->cells[i] == scene;
        if (column >= layers->columns - layers->columns / 3) wrong += layers->cells[i] == 3 - scene;
    }
    CHECK(wrong == 0);
}

static void test_two_motions(endo_context *context) {
    for (int front = 0; front <= 14; front += 7) {
        endo_pair_result result;
        endo_pair_layers layers;
        render(still_side, front, 2);
        endo_frames *store = store_of(context, 2);
        register_first(store, &result, &layers);
        CHECK(layers.count == 2);
        int is_scene = apart(&result.transform, 4, 1) < apart(&layers.second.transform, 4, 1);
        const endo_transform *scene = is_scene ? &result.transform : &layers.second.transform;
        const endo_transform *other = is_scene ? &layers.second.transform : &result.transform;
        CHECK(apart(scene, 4, 1) < 0.05 && apart(other, -front, 0) < 0.05);
        check_cells(&layers, is_scene ? 1 : 2);
        endo_frames_destroy(&store);
    }
}

/* The motion of some of the cells alone, from a start some pixels away. */
static void test_motion_of_cells(endo_context *context) {
    const endo_pair pair = {0, 1};
    endo_transform start = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 2, 0, 1, 2, 0, 0, 1}};
    endo_pairs_options o = best_options();
    endo_pair_layers layers = {.columns = 2, .rows = 1, .cells = {1, 2}};
    endo_pair_result result;
    render(still_side, 7, 2);
    endo_frames *store = store_of(context, 2);
    CHECK(endo_pairs_register(store, &pair, 1, &o, &result) == ENDO_OK);
    CHECK(endo_pairs_register_layer(store, &pair, &start, &layers, 1, &o, &result) == ENDO_OK);
    CHECK(result.status != ENDO_PAIR_JUMP && apart(&result.transform, 4, 1) < 0.05);
    layers.cells[0] = 2;
    layers.cells[1] = 1;
    start.matrix[2] = -5;
    CHECK(endo_pairs_register_layer(store, &pair, &start, &layers, 1, &o, &result) == ENDO_OK);
    CHECK(apart(&result.transform, -7, 0) < 0.1);
    endo_frames_destroy(&store);
}

static void test_refused(endo_context *context) {
    const endo_pair pair = {0, 1};
    const endo_transform start = endo_transform_still;
    endo_pairs_options o = best_options();
    endo_pair_layers layers = {.columns = 0, .rows = 1};
    endo_pair_result result;
    int32_t repeats;
    endo_frames *store = store_of(context, 2);
    CHECK(endo_pairs_register(store, &pair, 1, &o, &result) == ENDO_OK);
    CHECK(endo_pairs_register_layer(store, &pair, &start, &layers, 1, &o, &result) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "0 x 1 cells") != NULL);
    CHECK(endo_pairs_separate(store, &pair, 1, &o, &result, NULL) == ENDO_ERR_ARGUMENT);
    CHECK(endo_pairs_separate(store, &pair, 1, NULL, &result, &layers) == ENDO_ERR_ARGUMENT);
    o.method = ENDO_METHOD_PAPER;
    o.transform = ENDO_TRANSFORM_AFFINE;
    CHECK(endo_pairs_separate(store, &pair, 1, &o, &result, &layers) == ENDO_ERR_UNSUPPORTED);
    CHECK(endo_pairs_try_rivals(store, &pair, 1, &o, &result, &repeats) == ENDO_ERR_UNSUPPORTED);
    endo_frames_destroy(&store);
}

/* A weave alone: nothing tells one period from the next. With something behind it the right one is found. */
static void test_rivals(endo_context *context) {
    const endo_pair pair = {0, 1};
    endo_pairs_options o = best_options();
    for (int share = 0; share <= 20; share += 20) {
        endo_pair_result result;
        int32_t repeats = -1;
        render_weave(24, share, 2);
        endo_frames *store = store_of(context, 2);
        CHECK(endo_pairs_register(store, &pair, 1, &o, &result) == ENDO_OK);
        CHECK(endo_pairs_try_rivals(store, &pair, 1, &o, &result, &repeats) == ENDO_OK);
        CHECK(repeats == 1 && (result.status == ENDO_PAIR_OK) == (share > 0));
        CHECK(share == 0 || apart(&result.transform, 16, 1) < 0.1);
        endo_frames_destroy(&store);
    }
    render(nothing, 0, 2);
    endo_pair_result result;
    int32_t repeats = -1;
    endo_frames *store = store_of(context, 2);
    CHECK(endo_pairs_register(store, &pair, 1, &o, &result) == ENDO_OK);
    CHECK(endo_pairs_try_rivals(store, &pair, 1, &o, &result, &repeats) == ENDO_OK);
    CHECK(repeats == 0 && result.status == ENDO_PAIR_OK);
    endo_frames_destroy(&store);
}

/* --------------------------------------------------------------------- sequences */

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)user, (void)reason;
    return images[frame];
}

static const endo_mosaic_source source = {
    .frames = FRAMES,
    .width = WIDTH,
    .height = HEIGHT,
    .type = ENDO_GREY8,
    .lend = lend,
    .at_hand = 1,
};

static int n_layers_events;

static void hear(void *user, const endo_event *event) {
    (void)user;
    n_layers_events += event->kind == ENDO_EVENT_LAYERS;
}

/* The first frame that is registered and not doubtful; poses are compared with its own. */
static int first_sure(const endo_mosaic_frame *frames, int n) {
    for (int i = 0; i < n; i++)
        if (frames[i].registered && !frames[i].doubtful) return i;
    return 0;
}

/* Frames whose poses are right to 1 px; *wrong: others that are not called doubtful. */
static int run(double dx, double dy, int *wrong) {
    endo_mosaic_options o = endo_mosaic_options_default();
    const endo_mosaic_hooks hooks = {.event = hear};
    endo_mosaic *mosaic = NULL;
    int right = 0;
    int32_t n = 0;
    n_layers_events = 0;
    o.context.backend = ENDO_BACKEND_CPU;
    o.field = ENDO_MOSAIC_FIELD_WHOLE;
    o.picture = 0;
    CHECK(endo_mosaic_create(&o, &hooks, &mosaic) == ENDO_OK && endo_mosaic_run(mosaic, &source) == ENDO_OK);
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    *wrong = 0;
    int first = first_sure(frames, n);
    endo_transform back;
    CHECK(endo_transform_inverse(&frames[first].pose, &back));
    for (int i = 0; i < n; i++) {
        endo_transform step;
        CHECK(endo_transform_product(&back, &frames[i].pose, &step));
        double off = apart(&step, dx * (i - first), dy * (i - first));
        right += frames[i].registered && off < 1;
        *wrong += frames[i].registered && !frames[i].doubtful && !(off < WRONG);
    }
    endo_mosaic_destroy(&mosaic);
    return right;
}

static void test_sequences(void) {
    int wrong = 0;
    render(nothing, 0, FRAMES);
    CHECK(run(4, 1, &wrong) == FRAMES && wrong == 0 && n_layers_events == 0);
    render(still_side, 0, FRAMES);
    run(4, 1, &wrong);
    CHECK(wrong == 0);
    render(moving_bar, -5, FRAMES);
    CHECK(run(4, 1, &wrong) >= 20 && wrong == 0);
    render_weave(24, 0, FRAMES);
    run(16, 1, &wrong);
    CHECK(wrong == 0);
}

/* ----------------------------------------------------------------------- panoramas */

/* Pixels of the panorama that differ from the scene by more than noise does. */
static int unlike_scene(endo_mosaic *mosaic) {
    static uint8_t scene_pixels[600 * 400];
    static uint8_t pixels[600 * 400];
    static uint8_t marks[600 * 400];
    endo_mosaic_panorama p;
    test_scene scene;
    int n = 0;
    CHECK(endo_mosaic_describe(mosaic, 1, &p) == ENDO_OK && p.width <= 600 && p.height <= 400);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.width, p.height},
                           &(endo_panorama_planes){pixels, marks, NULL, NULL}) == ENDO_OK);
    const double map[6] = {1, 0, -p.origin_x, 0, 1, -p.origin_y};
    test_scene_init(&scene, 11);
    test_scene_render(&scene, map, p.width, p.height, scene_pixels);
    for (int i = 0; i < p.width * p.height; i++) n += marks[i] && abs(pixels[i] - scene_pixels[i]) > 25;
    return n;
}

/* Cells of frames that lie wholly in the bar and are hidden, that lie so and are not, and that lie outside and are. */
static void count_hidden(const endo_mosaic_frame *frames, int counts[3]) {
    memset(counts, 0, 3 * sizeof *counts);
    for (int i = 1; i + 1 < FRAMES; i++) {
        const endo_mosaic_frame *f = &frames[i];
        for (int c = 0; c < f->hidden_columns * f->hidden_rows; c++) {
            int left = c % f->hidden_columns * WIDTH / f->hidden_columns;
            int right = (c % f->hidden_columns + 1) * WIDTH / f->hidden_columns;
            int y = c / f->hidden_columns * HEIGHT / f->hidden_rows;
            int is_in = moving_bar(i, left, y) && moving_bar(i, right, y);
            int is_out = !moving_bar(i, left - 12, HEIGHT / 2) && !moving_bar(i, right + 12, HEIGHT / 2);
            int is_hidden = f->hidden[c] == ENDO_HIDDEN;
            counts[0] += is_in && is_hidden;
            counts[1] += is_in && !is_hidden;
            counts[2] += is_out && is_hidden;
        }
    }
}

static int paint_bar(endo_mosaic_instruments instruments, int counts[3]) {
    endo_mosaic_options o = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    int32_t n;
    o.context.backend = ENDO_BACKEND_CPU;
    o.field = ENDO_MOSAIC_FIELD_WHOLE;
    o.light = 0;
    o.instruments = instruments;
    CHECK(endo_mosaic_create(&o, NULL, &mosaic) == ENDO_OK && endo_mosaic_run(mosaic, &source) == ENDO_OK);
    int unlike = unlike_scene(mosaic);
    count_hidden(endo_mosaic_frames(mosaic, &n), counts);
    endo_mosaic_destroy(&mosaic);
    return unlike;
}

/* The bar moves on before the scene: all of it is seen in some frame, and the panorama shows it without the bar. */
static void test_left_out(void) {
    int counts[3];
    render(moving_bar, 5, FRAMES);
    int kept = paint_bar(ENDO_MOSAIC_KEEP, counts);
    int left = paint_bar(ENDO_MOSAIC_LEAVE_OUT, counts);
    printf("     unlike the scene: %d pixels kept, %d left out; cells of the bar %d hidden, %d not; %d others hidden\n", kept, left,
           counts[0], counts[1], counts[2]);
    CHECK(kept > 1000 && left < kept / 4);
    CHECK(counts[0] > 500 && counts[1] < counts[0] / 10 && counts[2] < counts[0] / 20);
    endo_mosaic_options o = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    o.instruments = 2;
    CHECK(endo_mosaic_create(&o, NULL, &mosaic) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "instruments 2"));
}

int main(void) {
    endo_context *context = test_open(1);
    test_one_motion(context);
    test_two_motions(context);
    test_motion_of_cells(context);
    test_refused(context);
    test_rivals(context);
    endo_context_destroy(&context);
    test_sequences();
    test_left_out();
    return check_summary("test_mosaic_layers");
}
