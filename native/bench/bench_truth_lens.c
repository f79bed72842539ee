/* `endo_bench truth`, lenses: the distortion that is taken out of frames without being asked for, and what it does to poses. Frames
 * are those of a scope over a plane or in a cavity (look_lamp.h), then distorted by the division model. */
#include "bench_truth.h"
#include "look_lamp.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 256, AREA = WIDTH * HEIGHT, FRAMES = 24 };

/* Halves of the longer side, px. */
#define HALF (WIDTH / 2.0)

typedef struct lens_row {
    const char *name;
    lamp_scene scene;
    double percent; /* of the lens */
    int is_quick;
} lens_row;

static const lens_row rows[] = {
    {"plane", LAMP_PLANE, -10, 1}, {"plane", LAMP_PLANE, -5, 0}, {"plane", LAMP_PLANE, 0, 0}, {"plane", LAMP_PLANE, 5, 0},
    {"bowl", LAMP_BOWL, 0, 1},     {"bowl", LAMP_BOWL, -8, 0},   {"hill", LAMP_HILL, 0, 0},   {"hill", LAMP_HILL, -8, 0},
    {"tube", LAMP_TUBE, 0, 0},
};

/* One channel at (x, y), px; bilinear, black outside. */
static double channel_at(const uint32_t *image, double x, double y, int shift) {
    int left = (int)floor(x);
    int top = (int)floor(y);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        int u = left + i % 2;
        int v = top + i / 2;
        if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT) continue;
        sum += (1 - fabs(x - u)) * (1 - fabs(y - v)) * (image[v * WIDTH + u] >> shift & 255);
    }
    return sum;
}

static uint32_t pixel_at(const uint32_t *image, double x, double y) {
    uint32_t pixel = 0xff;
    for (int shift = 16; shift >= 0; shift -= 8) pixel = pixel << 8 | (uint32_t)lrint(channel_at(image, x, y, shift));
    return pixel;
}

/* A pixel at distance r from the middle, in halves of the longer side, shows what lies at r / (1 + lambda r^2). */
static void distort(const uint32_t *image, double lambda, uint32_t *out) {
    for (int i = 0; i < AREA; i++) {
        double x = i % WIDTH - (WIDTH - 1) / 2.0;
        double y = i / WIDTH - (HEIGHT - 1) / 2.0;
        double factor = 1 / (1 + lambda * (x * x + y * y) / (HALF * HALF));
        out[i] = pixel_at(image, (WIDTH - 1) / 2.0 + factor * x, (HEIGHT - 1) / 2.0 + factor * y);
    }
}

/* Root mean square of the errors of registered poses, seen from frame 0, px; NaN: it is lost. */
static double error_of(const endo_mosaic_frame *records, const endo_transform *truth, int *registered) {
    const truth_frame_size size = {WIDTH, HEIGHT};
    double squares = 0;
    *registered = 0;
    for (int i = 0; i < FRAMES; i++) {
        if (!records[i].registered || records[i].component != records[0].component) continue;
        double error = truth_pose_error(&size, &records[i].pose, &records[0].pose, &truth[i], &truth[0]);
        squares += error * error;
        ++*registered;
    }
    return records[0].registered ? sqrt(squares / *registered) : NAN;
}

typedef struct lens_outcome {
    double taken; /* percent */
    double error; /* px */
    int registered;
} lens_outcome;

static endo_status run_with(uint32_t **frames, const endo_transform *truth, double lens, lens_outcome *out) {
    const truth_frame_size size = {WIDTH, HEIGHT};
    endo_mosaic_options options = endo_mosaic_options_default();
    const endo_mosaic_frame *records = NULL;
    endo_mosaic *mosaic = NULL;
    options.lens = lens;
    endo_status status = truth_mosaic_by(&options, frames, FRAMES, &size, &mosaic, &records);
    if (status == ENDO_OK) {
        out->taken = endo_mosaic_lens(mosaic);
        out->error = error_of(records, truth, &out->registered);
    }
    endo_mosaic_destroy(&mosaic);
    return status;
}

static endo_status run_row(const lens_row *row) {
    const lamp_options options = {
        .scene = row->scene,
        .width = WIDTH,
        .height = HEIGHT,
        .frames = FRAMES,
        .step = 5,
        .fall = 0.4,
        .view = lamp_usual_view(row->scene),
    };
    lamp_frames lit;
    lens_outcome none;
    lens_outcome found;
    uint32_t *copy = endo_alloc(AREA, sizeof *copy);
    endo_status status = copy ? lamp_frames_make(&options, &lit) : endo_fail(ENDO_ERR_MEMORY, "no memory for a frame");
    for (int i = 0; i < FRAMES && status == ENDO_OK && row->percent != 0; i++) {
        memcpy(copy, lit.images[i], AREA * sizeof *copy);
        distort(copy, row->percent / 100, lit.images[i]);
    }
    if (status == ENDO_OK) status = run_with(lit.images, lit.poses, 0, &none);
    if (status == ENDO_OK) status = run_with(lit.images, lit.poses, ENDO_MOSAIC_LENS_AUTO, &found);
    if (status == ENDO_OK)
        printf("%-6s %6.1f %9.1f %8d/%d %9.2f %8.2f\n", row->name, row->percent, found.taken, found.registered, FRAMES, none.error,
               found.error);
    if (copy) lamp_frames_free(&lit);
    endo_free(copy);
    return status;
}

int bench_truth_lens(endo_context *context, int quick) {
    endo_status status = ENDO_OK;
    (void)context;
    printf("\nlenses, percent; errors of poses, px: without correction and with what is found. In a cavity the true poses are the\n"
           "affine maps that fit its points best\n%-6s %6s %9s %11s %9s %8s\n", "scene", "lens", "taken out", "registered", "lens=0",
           "Auto");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == ENDO_OK; i++)
        if (!quick || rows[i].is_quick) status = run_row(&rows[i]);
    if (status != ENDO_OK) printf("lenses: %s\n", endo_last_error());
    return status != ENDO_OK;
}
