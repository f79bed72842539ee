/* Shifts of exposures where they are used: the path of a video whose exposures alternate, and the start of a mosaic's pair. */
#include "check.h"
#include "exposure_scene.h"

#include "backend/objects.h"

#include <string.h>

#define WIDTH 640
#define HEIGHT 480
#define AREA (WIDTH * HEIGHT)
#define FRAMES 18
#define DROPPED 7
#define BLACK 10

static float brightness[AREA];
static uint8_t image[AREA];

static endo_frames *make_frames(endo_context *context, int capacity) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.capacity = capacity;
    o.flow = 0;
    o.keep_pixels = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* Three exposures in turn from a camera that sways; one frame is missing and one is black. */
static void put_video(endo_frames *frames, double path[FRAMES][2], test_random *random) {
    static const double gains[3] = {0.25, 0.6, 1.4};
    exposure_scene scene;
    exposure_scene_init(&scene, 31);
    for (int i = 0; i < FRAMES; i++) {
        exposure_setting e = {gains[i % 3], 0.8, 0, 1.5};
        path[i][0] = floor(5 * i + 4 * sin(0.5 * i) + 0.5);
        path[i][1] = floor(-3 * i + 3 * cos(0.4 * i) - 3 + 0.5);
        exposure_scene_render(&scene, path[i][0], path[i][1], WIDTH, HEIGHT, brightness);
        exposure_expose(brightness, AREA, &e, random, image);
        if (i == BLACK) memset(image, 0, AREA);
        CHECK(endo_frames_put(frames, i, image, WIDTH) == ENDO_OK);
    }
}

static void test_video(endo_context *context) {
    double path[FRAMES][2];
    test_random random = {17};
    endo_exposure_options options = endo_exposure_options_default();
    endo_frames *frames = make_frames(context, FRAMES);
    endo_exposure_filter filter;
    endo_exposure_position places[FRAMES];
    int last = 0;
    put_video(frames, path, &random);
    CHECK(endo_exposure_filter_begin(&filter, 3) == ENDO_OK);
    CHECK(endo_exposure_filter_start(&filter, 0, path[0][0], path[0][1]) == ENDO_OK);
    places[0] = (endo_exposure_position){path[0][0], path[0][1], 1, 0};
    for (int i = 1; i < FRAMES; i++) {
        if (i == DROPPED) continue;
        endo_pair pair = {last, i};
        endo_exposure_result shift;
        CHECK(endo_exposures_register(frames, &pair, 1, &options, &shift) == ENDO_OK);
        CHECK(endo_exposure_filter_step(&filter, i, places[last].x, places[last].y, &shift, &places[i]) == ENDO_OK);
        CHECK(places[i].known && places[i].predicted == (i == BLACK));
        /* Measured places are exact; a prediction errs by the acceleration. */
        CHECK_NEAR(places[i].x, path[i][0], i == BLACK ? 4 : 0);
        CHECK_NEAR(places[i].y, path[i][1], i == BLACK ? 4 : 0);
        if (i != BLACK) last = i;
    }
    endo_frames_destroy(&frames);
}

/* The searches of the mosaic reach far less than this motion, and the flow does not see it through the jump. */
static void test_mosaic_start(endo_context *context) {
    static const exposure_setting settings[2] = {{0.55, 0.8, 0, 1}, {0.14, 1, 0, 1}};
    exposure_scene scene;
    test_random random = {18};
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair_result result;
    endo_pair pair = {0, 1};
    endo_frames *frames = make_frames(context, 2);
    exposure_scene_init(&scene, 44);
    for (int i = 0; i < 2; i++) {
        exposure_scene_render(&scene, i * 52, i * -37, WIDTH, HEIGHT, brightness);
        exposure_expose(brightness, AREA, &settings[i], &random, image);
        CHECK(endo_frames_put(frames, i, image, WIDTH) == ENDO_OK);
    }
    p.initial = ENDO_INITIAL_EXPOSURES;
    p.cthresh = 0.7;
    CHECK(endo_pairs_register(frames, &pair, 1, &p, &result) == ENDO_OK);
    CHECK(result.status == ENDO_PAIR_OK && result.flow_pixels == 0);
    CHECK_NEAR(result.transform.matrix[2], 52, 0.5);
    CHECK_NEAR(result.transform.matrix[5], -37, 0.5);
    p.initial = ENDO_INITIAL_NONE;
    CHECK(endo_pairs_register(frames, &pair, 1, &p, &result) == ENDO_OK);
    CHECK(result.status != ENDO_PAIR_OK);
    p.initial = (endo_initial)4;
    CHECK(endo_pairs_register(frames, &pair, 1, &p, &result) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "initial 4") != NULL);
    endo_frames_destroy(&frames);
}

int main(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    test_video(context);
    test_mosaic_start(context);
    endo_context_destroy(&context);
    return check_summary("test_exposures_motion");
}
