/* The public functions with arguments they must refuse: the status, a message that names the value, and
 * outputs left alone. */
#include "api/testing.h"
#include "include/endorama.h"
#include "check.h"
#include "posed.h"
#include "refuses.h"

#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 48];

static endo_frames *make_frames(endo_context *context, int flow, int keep) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = 64, o.height = 48, o.capacity = 3, o.flow = flow, o.keep_pixels = keep;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int i = 0; i < 64 * 48; i++) pixels[i] = (uint8_t)(i * 2654435761u >> 24);
    CHECK(endo_frames_put(frames, 0, pixels, 64) == ENDO_OK);
    CHECK(endo_frames_put(frames, 1, pixels, 64) == ENDO_OK);
    return frames;
}

static void test_context(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.threads = 257;
    REFUSES(endo_context_create(&o, &context), "threads 257");
    o.threads = 1;
    o.cpu = (endo_cpu)9;
    REFUSES(endo_context_create(&o, &context), "cpu 9");
    o.cpu = ENDO_CPU_BEST;
    o.backend = (endo_backend)7;
    REFUSES(endo_context_create(&o, &context), "backend 7");
    CHECK(context == NULL);
    REFUSES(endo_context_create(&o, NULL), "NULL");
    endo_context_destroy(&context); /* nothing made: nothing to do */
    endo_context_destroy(NULL);
    CHECK(!strcmp(endo_version(), ENDO_VERSION) && endo_abi() == ENDO_ABI);
}

/* Auto computes somewhere, and where it is not CUDA it says why. */
static void test_note(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    int on_cpu = !strncmp(endo_context_description(context), "cpu", 3);
    CHECK(on_cpu == (endo_context_note(context)[0] != 0));
    if (on_cpu) CHECK(!strncmp(endo_context_note(context), "CUDA: ", 6) && strlen(endo_context_note(context)) > 10);
    endo_context_destroy(&context);
    o.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    CHECK(!strcmp(endo_context_note(context), "") && !strcmp(endo_context_note(NULL), ""));
    endo_context_destroy(&context);
    o.backend = ENDO_BACKEND_AUTO, o.device = 99; /* no machine has as many */
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    CHECK(strstr(endo_context_note(context), "CUDA: ") == endo_context_note(context));
    endo_context_destroy(&context);
}

static void test_frames(endo_context *context) {
    endo_frames_options good = endo_frames_options_default(), o;
    endo_frames *frames = NULL;
    good.width = 64, good.height = 48, good.capacity = 3;
#define WITH(field_, value, text)                                       \
    o = good, o.field_ = (value);                                       \
    REFUSES(endo_frames_create(context, &o, &frames), text)
    WITH(width, 0, "0 x 48");
    WITH(height, 40000, "64 x 40000");
    WITH(capacity, 0, "capacity 0");
    WITH(type, (endo_pixel)5, "type 5");
    WITH(rim, -1, "rim -1");
    WITH(iir, 256, "iir 256");
    o = good, o.type = ENDO_GREY16, o.low = 9, o.high = 9;
    REFUSES(endo_frames_create(context, &o, &frames), "9..9");
    CHECK(frames == NULL);
    frames = make_frames(context, 1, 1);
    REFUSES(endo_frames_put(frames, 3, pixels, 64), "slot 3: must be 0..2");
    REFUSES(endo_frames_put(frames, 0, pixels, 63), "stride 63");
    REFUSES(endo_frames_put(frames, 0, NULL, 64), "NULL");
    REFUSES(endo_frames_get_grey(frames, 2, pixels), "slot 2: no frame");
    endo_frames_destroy(&frames);
    CHECK(frames == NULL);
}

/* The frames option enhance takes odd windows within bounds; its limit means nothing without it. */
static void test_enhance(endo_context *context) {
    endo_frames_options good = endo_frames_options_default(), o;
    endo_frames *frames = NULL;
    good.width = 64, good.height = 48, good.capacity = 1, good.enhance = 31;
    WITH(enhance, 30, "window 30: must be odd, 3..1023");
    WITH(enhance, 1, "window 1: must be odd, 3..1023");
    WITH(enhance, -3, "window -3: must be odd, 3..1023");
    WITH(enhance, 1025, "window 1025: must be odd, 3..1023");
    WITH(enhance_limit, 1, "limit 1: must be 0 (none) or above 1, up to 1000");
    WITH(enhance_limit, -2, "limit -2: must be 0 (none) or above 1");
    WITH(enhance_limit, 1000.5, "limit 1000.5: must be");
    WITH(enhance_limit, NAN, "nan: must be");
    CHECK(frames == NULL);
    o = good, o.enhance = 0, o.enhance_limit = NAN;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    endo_frames_destroy(&frames);
}

static void test_pairs_options(endo_frames *frames) {
    endo_pair pair = {0, 1}, empty = {0, 2};
    endo_pair_result result;
    endo_pairs_options good = endo_pairs_options_default(), p;
    memset(&result, 0x33, sizeof result);
#define WITH_PARAM(field_, value, text)                                            \
    p = good, p.field_ = (value);                                                  \
    REFUSES(endo_pairs_register(frames, &pair, 1, &p, &result), text)
    WITH_PARAM(template_side, 52, "template 52: must be odd, 3..255");
    WITH_PARAM(template_side, 257, "template 257");
    WITH_PARAM(cross, 3, "cross 3");
    WITH_PARAM(cross, 0, "cross 0");
    WITH_PARAM(landmarks, 65, "landmarks 65");
    WITH_PARAM(cthresh, 1.5, "cthresh 1.5");
    WITH_PARAM(cthresh, NAN, "cthresh");
    WITH_PARAM(uthresh, 0, "uthresh 0");
    WITH_PARAM(guarantee, -0.1, "guarantee -0.1");
    WITH_PARAM(transform, (endo_transform_class)7, "transform class 7: must be 0");
    WITH_PARAM(transform, (endo_transform_class)-1, "transform class -1");
    WITH_PARAM(initial, (endo_initial)4, "initial 4");
    REFUSES(endo_pairs_register(frames, &empty, 1, &good, &result), "slot 2: no frame");
    CHECK(all_bytes(&result, sizeof result, 0x33));
    CHECK(endo_pairs_register(frames, &pair, 0, &good, NULL) == ENDO_OK);
    p = good, p.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    REFUSES_WITH(endo_pairs_register(frames, &pair, 1, &p, &result), ENDO_ERR_UNSUPPORTED, "transform: a homography: the method paper");
    CHECK(all_bytes(&result, sizeof result, 0x33));
    /* A template larger than the frame: nothing can be placed, and that is a result. */
    p = good, p.template_side = 255;
    CHECK(endo_pairs_register(frames, &pair, 1, &p, &result) == ENDO_OK);
    CHECK(result.status == ENDO_PAIR_NO_TEXTURE && result.landmarks == 0);
}

/* plain: a store without the optical flow. */
static void test_pairs_starts(endo_frames *frames, endo_frames *plain) {
    endo_pair pair = {0, 1};
    endo_pair_result result;
    endo_pairs_options good = endo_pairs_options_default(), p = good;
    endo_transform start = endo_transform_identity();
    memset(&result, 0x33, sizeof result);
    REFUSES(endo_pairs_register(plain, &pair, 1, &good, &result), "without it");
    p.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    REFUSES(endo_pairs_register_from(frames, &pair, NULL, 1, &good, &result), "starts is NULL");
    REFUSES_WITH(endo_pairs_register_from(frames, &pair, &start, 1, &p, &result), ENDO_ERR_UNSUPPORTED, "transform: a homography");
    start.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    REFUSES_WITH(endo_pairs_register_from(frames, &pair, &start, 1, &good, &result), ENDO_ERR_UNSUPPORTED, "start: a homography");
    start.kind = ENDO_TRANSFORM_AFFINE, start.matrix[6] = 0.5;
    REFUSES(endo_pairs_register_from(frames, &pair, &start, 1, &good, &result), "start: transform 0 is called affine");
    CHECK(all_bytes(&result, sizeof result, 0x33));
}

static void test_flow_and_quality(endo_frames *frames) {
    endo_pair pair = {0, 1};
    endo_flow_result flow = {.pixels = 7};
    REFUSES_WITH(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_RIGID, &flow), ENDO_ERR_UNSUPPORTED, "flow: transform class 1");
    REFUSES(endo_flow_estimate(frames, &pair, 1, (endo_transform_class)9, &flow), "flow: transform class 9");
    CHECK(flow.pixels == 7);
    endo_transform wrong = endo_transform_identity();
    double quality = 5;
    wrong.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    wrong.matrix[6] = -1 / 20.0;
    REFUSES(endo_quality_measure(frames, &pair, &wrong, 1, &quality), "quality: transform 0 is a homography with the denominator");
    wrong.matrix[6] = NAN;
    REFUSES(endo_quality_measure(frames, &pair, &wrong, 1, &quality), "above 0 over the frame");
    endo_agreement agreement = {-1, -1};
    REFUSES(endo_agreement_measure(frames, &pair, &wrong, 1, &agreement), "agreement: transform 0 is a homography");
    CHECK(agreement.tiles == -1);
    wrong.kind = ENDO_TRANSFORM_AFFINE;
    REFUSES(endo_quality_measure(frames, &pair, &wrong, 1, &quality), "quality: transform 0 is called affine");
    REFUSES(endo_quality_measure(frames, &pair, NULL, 1, &quality), "transforms is NULL");
    CHECK(quality == 5);
}

static void test_coefficients(endo_frames *frames) {
    double c = 5;
    endo_ncc_request q = {0, 1, 30, 20, 30, 20};
    REFUSES(endo_ncc_compute(frames, &q, 1, 16, &c), "template 16");
    CHECK(c == 5);
    endo_search_options search = endo_search_options_default();
    endo_search_request far = {0, 1, 30, 20, 2147483647, 20};
    endo_search_result found;
    REFUSES(endo_search_run(frames, &far, 1, &search, &found), "start (2147483647, 20)");
}

static void test_registration(endo_context *context) {
    endo_frames *frames = make_frames(context, 1, 1), *plain = make_frames(context, 0, 0);
    test_pairs_options(frames);
    test_pairs_starts(frames, plain);
    test_flow_and_quality(frames);
    test_coefficients(frames);
    endo_frames_destroy(&frames);
    endo_frames_destroy(&plain);
}

static void test_canvas(endo_context *context) {
    endo_frames *frames = make_frames(context, 0, 1), *plain = make_frames(context, 0, 0);
    endo_canvas *canvas = NULL;
    const double zeros[6] = {0}, bad[6] = {NAN, 0, 0, 0, 1, 0};
    endo_transform flat = endo_transform_of_affine(zeros), nan = endo_transform_of_affine(bad);
    endo_transform still = endo_transform_identity(), wrong = still;
    const int32_t ones[3] = {1, 1, 1};
    int32_t slot = 0;
    uint8_t out[16];
    REFUSES(endo_canvas_create(context, ENDO_GREY8, 0, 5, &canvas), "0 x 5");
    REFUSES(endo_canvas_create(context, ENDO_GREY8, 5, 1 << 21, &canvas), "2097152");
    CHECK(endo_canvas_create(context, ENDO_GREY8, 50, 40, &canvas) == ENDO_OK);
    REFUSES(endo_canvas_paint(canvas, frames, NULL, ENDO_PAINT_UNION), "paint: an argument is NULL");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(NULL, &still, .n = 1), ENDO_PAINT_UNION), "paint: an argument is NULL");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, NULL, .n = 1), ENDO_PAINT_UNION), "paint: an argument is NULL");
    CHECK(endo_canvas_paint(canvas, frames, POSED(NULL, NULL, .n = 0), ENDO_PAINT_UNION) == ENDO_OK);
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1, .weights = ones), ENDO_PAINT_UNION), "weights");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1, .gains = ones), ENDO_PAINT_UNION), "gains");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &flat, .n = 1), ENDO_PAINT_UNION), "cannot be inverted");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &nan, .n = 1), ENDO_PAINT_UNION), "cannot be inverted");
    REFUSES(endo_canvas_paint(canvas, plain, POSED(&slot, &still, .n = 1), ENDO_PAINT_UNION), "keeps no pixels");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1), (endo_painting)0), "painting 0");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1, .origin_x = 5000000), ENDO_PAINT_UNION),
            "origin (5000000, 0)");
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1, .origin_y = -5000000), ENDO_PAINT_UNION),
            "origin (0, -5000000)");
    wrong.kind = 5;
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION), "paint: transform class 5");
    wrong.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    wrong.matrix[6] = -1;
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION), "must be positive");
    wrong.matrix[6] = NAN;
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION), "number 6 of its matrix is");
    wrong.matrix[6] = 1;
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION), "too steep");
    wrong.matrix[6] = 0;
    wrong.kind = ENDO_TRANSFORM_RIGID, wrong.matrix[7] = 1;
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &wrong, .n = 1), ENDO_PAINT_UNION), "called rigid");
    REFUSES(endo_canvas_read(canvas, 47, 0, 4, 4, out, NULL), "not inside");
    REFUSES(endo_canvas_resize(canvas, -1, 4, 0, 0), "-1 x 4");
    endo_canvas_destroy(&canvas);
    CHECK(endo_canvas_create(context, ENDO_RGB32, 50, 40, &canvas) == ENDO_OK);
    REFUSES(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1), ENDO_PAINT_UNION), "type");
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
    endo_frames_destroy(&plain);
}

static void test_devices(void) {
    char reason[200] = "x";
    int devices = endo_device_count(reason, sizeof reason), agrees = 0;
    endo_device_info info;
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    double seconds = 0;
    if (devices == 0) printf("SKIP CUDA devices: %s\n", reason);
    CHECK((devices == 0) == (reason[0] != 0));
    CHECK(endo_device_describe(devices, &info) != ENDO_OK); /* one beyond the last */
    CHECK(endo_device_count(NULL, 0) == devices);
    o.device = devices;
    o.backend = ENDO_BACKEND_CUDA;
    CHECK(endo_context_create(&o, &context) != ENDO_OK && context == NULL);
    CHECK(endo_last_error()[0] != 0);
    o.backend = ENDO_BACKEND_AUTO; /* falls back */
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    CHECK(strstr(endo_context_description(context), "cpu") != NULL);
    endo_context_destroy(&context);
    o.device = -1;
    REFUSES(endo_context_create(&o, &context), "device -1");
    o.device = 0, o.n_devices = 2, o.devices[0] = o.devices[1] = 3;
    REFUSES(endo_context_create(&o, &context), "device 3: named twice");
    o.n_devices = 9;
    REFUSES(endo_context_create(&o, &context), "9 devices");
    o = endo_context_options_default();
    CHECK(endo_self_test(&o, &agrees, &seconds) == ENDO_OK && agrees == 1 && seconds > 0);
}

static endo_backend choose(int width, int height, int64_t frames, char reason[200]) {
    const endo_backend_job job = {.width = width, .height = height, .type = ENDO_RGB32, .frames = frames, .threads = 2};
    endo_backend choice = (endo_backend)9;
    endo_backend_choose(&job, &choice, reason, 200);
    return choice;
}

static endo_backend choose_mutual(int side, int depth, int threads, char reason[200]) {
    const endo_backend_mutual_job job = {
        .width = side,
        .height = side,
        .depth = depth,
        .registrations = 1,
        .threads = threads,
    };
    endo_backend choice = (endo_backend)9;
    endo_backend_choose_mutual(&job, &choice, reason, 200);
    return choice;
}

static void test_choices(void) {
    char reason[200];
    int devices = endo_device_count(NULL, 0);
    CHECK(choose(720, 576, 2, reason) == ENDO_BACKEND_CPU && strstr(reason, "CPU") == reason); /* two frames never pay */
    CHECK(choose(3840, 2160, 100000, reason) == (devices ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU));
    CHECK(!devices || strstr(reason, "100000 frames of 3840 x 2160 take about"));
    /* A small image is there before CUDA has started. */
    CHECK(choose_mutual(128, 1, 2, reason) == ENDO_BACKEND_CPU);
    CHECK(choose_mutual(256, 60, 2, reason) == (devices ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU));
    CHECK(!devices || strstr(reason, "1 registrations onto 256 x 256 x 60 voxels take about 0.9 s on the CPU, 0.4 s"));
    CHECK(choose_mutual(16, 16, 64, reason) == ENDO_BACKEND_CPU);
    endo_backend choice = ENDO_BACKEND_CUDA;
    endo_backend_choose(NULL, &choice, reason, sizeof reason);
    CHECK(choice == ENDO_BACKEND_CPU && strstr(reason, "job is NULL"));
    choice = ENDO_BACKEND_CUDA;
    endo_backend_choose_mutual(NULL, &choice, NULL, 0);
    CHECK(choice == ENDO_BACKEND_CPU);
}

static endo_status work(endo_context *context, int *done) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = 64, o.height = 48, o.capacity = 3;
    endo_status status = endo_frames_create(context, &o, &frames);
    for (*done = 0; status == ENDO_OK && *done < 10; ++*done) status = endo_frames_put(frames, 0, pixels, 64);
    endo_frames_destroy(&frames);
    return status;
}

/* A device that breaks in mid-work, and one with too little memory: errors, and nothing else is harmed. */
static void test_failures(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    int done = 0;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    endo_context_fail_after(context, 4);
    REFUSES_WITH(work(context, &done), ENDO_ERR_DEVICE, "after 4 calls");
    CHECK(done == 5); /* the fifth failed */
    endo_context_destroy(&context);
    o.backend = ENDO_BACKEND_CUDA;
    o.memory_limit = 10000;
    if (endo_device_count(NULL, 0) == 0) {
        printf("SKIP device memory limit: no CUDA device\n");
        return;
    }
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    REFUSES_WITH(work(context, &done), ENDO_ERR_MEMORY, "MB are free");
    endo_context_destroy(&context);
}

int main(void) {
    endo_context *context = NULL;
    test_context();
    test_note();
    test_devices();
    test_choices();
    test_failures();
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    test_frames(context);
    test_enhance(context);
    test_registration(context);
    test_canvas(context);
    endo_context_destroy(&context);
    CHECK(context == NULL);
    return check_summary("test_api");
}
