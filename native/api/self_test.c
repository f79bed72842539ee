/* The self-test: a short sequence is registered and painted with plain C and with the tested back end. */
#include "backend/objects.h"
#include "base/openmp.h"

#include <string.h>

enum { WIDTH = 240, HEIGHT = 192, FRAMES = 6, PAIRS = FRAMES - 1, CANVAS = 320 };

typedef struct outcome {
    endo_pair_result pairs[PAIRS];
    uint32_t canvas[CANVAS * CANVAS];
} outcome;

static endo_status make_sequence(endo_context *context, uint32_t *pixels) {
    endo_demo_options params = endo_demo_options_default();
    endo_demo *demo = NULL;
    params.width = WIDTH;
    params.height = HEIGHT;
    params.frames = FRAMES;
    params.step = 4;
    params.rotation = 2;
    endo_status status = endo_demo_create(context, &params, &demo);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++)
        status = endo_demo_render(demo, i, pixels + (size_t)i * WIDTH * HEIGHT);
    endo_demo_destroy(&demo);
    return status;
}

static endo_status paint(endo_context *context, endo_frames *frames, outcome *out) {
    endo_canvas *canvas = NULL;
    endo_transform pose = {ENDO_TRANSFORM_SIMILARITY, {0.98, 0.05, 20, -0.05, 0.98, 40, 0, 0, 1}};
    endo_status status = endo_canvas_create(context, ENDO_RGB32, CANVAS, CANVAS, &canvas);
    for (int32_t slot = 0; slot < FRAMES && status == ENDO_OK; slot++) {
        const endo_posed_frames posed = {.slots = &slot, .transforms = &pose, .n = 1};
        status = endo_canvas_paint(canvas, frames, &posed, ENDO_PAINT_UNION);
        pose.matrix[2] += 3.25;
    }
    if (status == ENDO_OK) status = endo_canvas_read(canvas, 0, 0, CANVAS, CANVAS, out->canvas, NULL);
    endo_canvas_destroy(&canvas);
    return status;
}

static endo_status run(endo_context *context, const uint32_t *pixels, outcome *out) {
    endo_frames_options options = endo_frames_options_default();
    endo_pairs_options params = endo_pairs_options_default();
    endo_pair pairs[PAIRS];
    endo_frames *frames = NULL;
    options.width = WIDTH;
    options.height = HEIGHT;
    options.type = ENDO_RGB32;
    options.capacity = FRAMES;
    endo_status status = endo_frames_create(context, &options, &frames);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++)
        status = endo_frames_put(frames, i, pixels + (size_t)i * WIDTH * HEIGHT, WIDTH);
    for (int i = 0; i < PAIRS; i++) pairs[i] = (endo_pair){i, i + 1};
    if (status == ENDO_OK) status = endo_pairs_register(frames, pairs, PAIRS, &params, out->pairs);
    if (status == ENDO_OK) status = paint(context, frames, out);
    endo_frames_destroy(&frames);
    return status;
}

static endo_status run_with(const endo_context_options *options, uint32_t *pixels, int make, outcome *out) {
    endo_context *context = NULL;
    endo_status status = endo_context_create(options, &context);
    if (status == ENDO_OK && make) status = make_sequence(context, pixels);
    if (status == ENDO_OK) status = run(context, pixels, out);
    endo_context_destroy(&context);
    return status;
}

endo_status endo_self_test(const endo_context_options *options, int *agrees, double *seconds) {
    if (!options || !agrees || !seconds) return endo_fail(ENDO_ERR_ARGUMENT, "self test: an argument is NULL");
    endo_context_options plain = endo_context_options_default();
    plain.backend = ENDO_BACKEND_CPU;
    plain.cpu = ENDO_CPU_C;
    plain.threads = 1;
    uint32_t *pixels = endo_alloc((size_t)FRAMES * WIDTH * HEIGHT, sizeof *pixels);
    outcome *expected = endo_alloc_zeroed(2, sizeof *expected);
    endo_status status = ENDO_ERR_MEMORY;
    if (pixels && expected)
        status = run_with(&plain, pixels, 1, &expected[0]);
    else
        endo_fail(status, "no memory for the self test");
    double start = omp_get_wtime();
    if (status == ENDO_OK) status = run_with(options, pixels, 0, &expected[1]);
    if (status == ENDO_OK) {
        *seconds = omp_get_wtime() - start;
        *agrees = memcmp(&expected[0], &expected[1], sizeof *expected) == 0;
    }
    endo_free(pixels);
    endo_free(expected);
    return status;
}
