/* A short sequence through the shared library, from the frames to the panorama, as hashes of what each stage gave: two
 * systems compute the same if they print the same. The places are given to 1e-6 px, since the mathematics of two systems'
 * own libraries may differ in a last bit. */
#include <endorama.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 320, HEIGHT = 256, FRAMES = 8, SIDE = 512 };

static uint32_t images[FRAMES][WIDTH * HEIGHT], panorama[SIDE * SIDE];
static uint8_t field[WIDTH * HEIGHT], painted[SIDE * SIDE];
static uint16_t correction[WIDTH * HEIGHT];
static int32_t gains[3 * FRAMES], slots[FRAMES];
static endo_transform places[FRAMES];
static endo_pair_result results[FRAMES - 1];

/* FNV-1a. */
static void print_hash(const char *what, const void *data, size_t bytes) {
    const uint8_t *p = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 1099511628211u;
    printf("%-12s %016" PRIx64 "\n", what, hash);
}

static endo_status make(endo_context *context, endo_frames *frames) {
    endo_demo_options options = endo_demo_options_default();
    endo_demo *demo = NULL;
    options.width = WIDTH, options.height = HEIGHT, options.frames = FRAMES, options.step = 8;
    endo_status status = endo_demo_create(context, &options, &demo);
    if (status == ENDO_OK) status = endo_demo_field(demo, field);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) {
        slots[i] = i;
        status = endo_demo_render(demo, i, images[i]);
        if (status == ENDO_OK) status = endo_frames_put(frames, i, images[i], WIDTH);
    }
    endo_demo_destroy(&demo);
    print_hash("frames", images, sizeof images);
    return status;
}

static endo_status find_places(endo_context *context, endo_frames *frames) {
    endo_pairs_options options = endo_pairs_options_default();
    endo_graph_options graph = endo_graph_options_default();
    endo_graph_pair edges[FRAMES - 1];
    endo_pair pairs[FRAMES - 1];
    for (int i = 0; i < FRAMES - 1; i++) pairs[i] = (endo_pair){.reference = i, .current = i + 1};
    endo_status status = endo_pairs_register(frames, pairs, FRAMES - 1, &options, results);
    for (int i = 0; i < FRAMES; i++) places[i] = endo_transform_identity();
    for (int i = 0; i < FRAMES - 1; i++) edges[i] = (endo_graph_pair){i, i + 1, results[i].transform, 0.1};
    if (status == ENDO_OK)
        status = endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = edges,
                                  .n_pairs = FRAMES - 1, .poses = places, .n = FRAMES}, &graph, NULL);
    for (int i = 0; i < FRAMES; i++)
        printf("place %d      %.6f %.6f\n", i, places[i].matrix[2], places[i].matrix[5]);
    return status;
}

static endo_status find_light(endo_context *context) {
    endo_light_view views[FRAMES] = {{0}};
    endo_light *light = NULL;
    endo_status status = endo_light_create(context, ENDO_RGB32, WIDTH, HEIGHT, 255, field, &light);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) {
        views[i].frame = i, views[i].transform = places[i];
        status = endo_light_put(light, i, images[i], WIDTH);
    }
    if (status == ENDO_OK) status = endo_light_solve(light, views, FRAMES, NULL, correction, gains, NULL);
    endo_light_destroy(&light);
    print_hash("light", correction, sizeof correction);
    print_hash("gains", gains, sizeof gains);
    return status;
}

static endo_status paint(endo_context *context, endo_frames *frames) {
    endo_blend *blend = NULL;
    const endo_posed_frames posed = {
        .slots = slots,
        .transforms = places,
        .gains = gains,
        .n = FRAMES,
        .origin_x = (SIDE - WIDTH) / 2,
        .origin_y = (SIDE - HEIGHT) / 2,
    };
    const endo_rectangle whole = {.width = SIDE, .height = SIDE};
    const endo_panorama_planes planes = {.pixels = panorama, .painted = painted};
    endo_status status = endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, NULL, &blend);
    if (status == ENDO_OK) status = endo_blend_set_correction(blend, correction, WIDTH, HEIGHT);
    for (int pass = 0; pass < 2 && status == ENDO_OK; pass++) {
        if (pass > 0) status = endo_blend_next_pass(blend);
        if (status == ENDO_OK) status = endo_blend_add(blend, frames, &posed);
    }
    if (status == ENDO_OK) status = endo_blend_read(blend, &whole, &planes);
    endo_blend_destroy(&blend);
    print_hash("panorama", panorama, sizeof panorama);
    return status;
}

static endo_status run(endo_context *context) {
    endo_frames_options options = endo_frames_options_default();
    endo_frames *frames = NULL;
    options.width = WIDTH, options.height = HEIGHT, options.type = ENDO_RGB32, options.capacity = FRAMES;
    options.field = field;
    endo_status status = endo_frames_create(context, &options, &frames);
    if (status == ENDO_OK) status = make(context, frames);
    if (status == ENDO_OK) status = find_places(context, frames);
    if (status == ENDO_OK) status = find_light(context);
    if (status == ENDO_OK) status = paint(context, frames);
    endo_frames_destroy(&frames);
    return status;
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    for (int i = 0; i < WIDTH * HEIGHT; i++) field[i] = 255;
    endo_status status = endo_context_create(&options, &context);
    if (status == ENDO_OK) status = run(context);
    if (status != ENDO_OK) fprintf(stderr, "%s\n", endo_last_error());
    endo_context_destroy(&context);
    return status;
}
