/* How much of the method ENDO_METHOD_BEST is done for a pair: little where all is clear, everything where it is not. */
#include "backends.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 400, HEIGHT = 320, AREA = WIDTH * HEIGHT };

static uint8_t first[AREA], second[AREA];

/* Patches that were asked, by level. */
static size_t asked[ENDO_PATCH_LEVELS];
static const endo_batch_kernels *counted;

static endo_status count_patches(void *store, const endo_patch_request *requests, size_t n, const endo_patches_setup *setup,
                                 endo_patch_sums *results) {
    for (size_t i = 0; i < n; i++) asked[requests[i].level]++;
    return counted->patches(store, requests, n, setup, results);
}

/* The flow that was asked for last. */
static int rough;

static endo_status note_flow(void *store, const endo_pair *pairs, size_t n, const endo_flow_setup *setup,
                             endo_flow_result *results) {
    rough = setup->rough;
    return counted->flow(store, pairs, n, setup, results);
}

static void add_noise(uint8_t *image, double amplitude, test_random *r) {
    for (int i = 0; i < AREA; i++) {
        double v = image[i] + amplitude * (test_unit(r) + test_unit(r) - 1) + 0.5;
        image[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

static void render(const double to[6], double noise) {
    static const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene scene;
    test_random r = {11};
    test_scene_init(&scene, 90);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    test_scene_render(&scene, to, WIDTH, HEIGHT, second);
    add_noise(first, noise, &r);
    add_noise(second, noise, &r);
}

static endo_pair_result register_by(endo_context *context, endo_pairs_method method) {
    endo_frames_options f = endo_frames_options_default();
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_pair_result r;
    endo_frames *frames = NULL;
    memset(asked, 0, sizeof asked);
    memset(&r, 0, sizeof r);
    f.width = WIDTH, f.height = HEIGHT, f.capacity = 2;
    o.method = method, o.quality = 0;
    o.transform = method == ENDO_METHOD_BEST ? ENDO_TRANSFORM_AUTO : ENDO_TRANSFORM_AFFINE;
    CHECK(endo_frames_create(context, &f, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &r) == ENDO_OK);
    endo_frames_destroy(&frames);
    return r;
}

static endo_pair_result register_pair(endo_context *context) { return register_by(context, ENDO_METHOD_BEST); }

/* Patches of the grids: in the frames themselves and in the level of 1/2 22 x 17, or every other one of them; in that of
 * 1/4, the first one here, 12 x 10. A judge asks three questions of 7 x 5 in two levels, and then of 14 x 11 and 12 x 10. */
enum { ALL = 374, HALF = 187, FIRST = 120, FEW = 3 * 35, MANY = 3 * 154, MANY_COARSE = 3 * 120 };

static int asks(size_t frames, size_t halved, size_t first_level) {
    return asked[0] == frames && asked[1] == halved && asked[2] == first_level;
}

/* The landmarks' start is so near that one step tells so; no motion, the other start, arrives at the same in the second round,
 * from afar in the third. */
static void test_clear(endo_context *context) {
    static const double near[6] = {1, 0, 7.3, 0, 1, -2.6}, far[6] = {1, 0, 17.3, 0, 1, -12.6};
    render(near, 35);
    CHECK(register_pair(context).status == ENDO_PAIR_OK && asks(HALF + FEW, HALF, 3 * FIRST + FEW));
    render(far, 2);
    CHECK(register_pair(context).status == ENDO_PAIR_OK && asks(HALF + FEW, HALF, 4 * FIRST + FEW));
}

/* Half of the patches do not say enough: all are asked, from where those began, until steps are short; at last in further
 * levels, too. */
static void test_noisy(endo_context *context) {
    static const double moved[6] = {1, 0, 7.3, 0, 1, -2.6};
    render(moved, 44);
    CHECK(register_pair(context).status == ENDO_PAIR_OK && asks(HALF + 2 * ALL + FEW, HALF, 3 * FIRST + FEW));
    render(moved, 80);
    CHECK(register_pair(context).status == ENDO_PAIR_OK && asks(HALF + 2 * ALL + FEW, HALF, 4 * FIRST + FEW));
    render(moved, 160);
    CHECK(register_pair(context).status == ENDO_PAIR_OK && asks(HALF + 3 * ALL + FEW, HALF + 2 * ALL, 5 * FIRST + FEW));
}

/* Patches of the windows of two places where frames share little: some of those in the frames themselves, in the levels of 1/2
 * and of 1/4. */
enum { IN_WINDOWS = 660, IN_HALVED_WINDOWS = 432, IN_COARSE_WINDOWS = 160 };

/* A pair that is not clear is judged by all patches; and then once more from each of three places where both may overlap, and
 * in windows there. */
static void test_nothing(endo_context *context) {
    static const double moved[6] = {1, 0, 7.3, 0, 1, -2.6};
    test_random r = {5};
    render(moved, 3);
    memset(second, 128, AREA);
    add_noise(second, 60, &r);
    CHECK(register_pair(context).status == ENDO_PAIR_JUMP &&
          asks(4 * (FEW + MANY) + IN_WINDOWS, IN_HALVED_WINDOWS, 4 * (2 * FIRST + FEW + MANY_COARSE) + IN_COARSE_WINDOWS));
}

/* Where intensities say the rest the finest level of the flow is left out; the method of the paper has it. */
static void test_flow(endo_context *context) {
    static const double moved[6] = {1, 0, 7.3, 0, 1, -2.6};
    render(moved, 3);
    rough = -1;
    CHECK(register_by(context, ENDO_METHOD_BEST).status == ENDO_PAIR_OK && rough == 1);
    CHECK(register_by(context, ENDO_METHOD_PAPER).status == ENDO_PAIR_OK && rough == 0);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        const endo_kernels *own = context->kernels;
        endo_kernels kernels = *own;
        endo_batch_kernels batches = *own->batches;
        counted = own->batches;
        batches.patches = count_patches, batches.flow = note_flow, kernels.batches = &batches;
        context->kernels = &kernels;
        test_clear(context);
        test_noisy(context);
        test_nothing(context);
        test_flow(context);
        context->kernels = own;
        endo_context_destroy(&context);
    }
    return check_summary("test_pair_rounds");
}
