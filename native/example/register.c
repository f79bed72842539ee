/* Where does the second frame of a sequence lie in the first? With an installed library:
 *     cc register.c $(pkg-config --cflags --libs endorama) -o register && ./register */
#include <endorama.h>
#include <stdio.h>
#include <stdlib.h>

static endo_status run(endo_context *context, endo_pair_result *result) {
    endo_demo_options demo_options = endo_demo_options_default(); /* in the place of your own images */
    endo_frames_options frame_options = endo_frames_options_default();
    endo_pairs_options options = endo_pairs_options_default();
    endo_pair pair = {.reference = 0, .current = 1};
    endo_demo *demo = NULL;
    endo_frames *frames = NULL;
    uint32_t *pixels = malloc(sizeof *pixels * (size_t)demo_options.width * (size_t)demo_options.height);

    frame_options.width = demo_options.width, frame_options.height = demo_options.height;
    frame_options.type = ENDO_RGB32, frame_options.capacity = 2;
    endo_status status = pixels ? endo_demo_create(context, &demo_options, &demo) : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) status = endo_frames_create(context, &frame_options, &frames);
    for (int i = 0; i < 2 && status == ENDO_OK; i++) {
        status = endo_demo_render(demo, i, pixels);
        if (status == ENDO_OK) status = endo_frames_put(frames, i, pixels, demo_options.width);
    }
    if (status == ENDO_OK) status = endo_pairs_register(frames, &pair, 1, &options, result);
    endo_frames_destroy(&frames);
    endo_demo_destroy(&demo);
    free(pixels);
    return status;
}

int main(void) {
    endo_context *context = NULL;
    endo_pair_result result;
    endo_status status = endo_context_create(NULL, &context);
    if (status == ENDO_OK) status = run(context, &result);
    if (status == ENDO_OK)
        printf("moved by %.2f, %.2f px; quality %.3f; %s\n", result.transform.matrix[2], result.transform.matrix[5], result.quality,
               endo_context_description(context));
    else
        fprintf(stderr, "%s\n", endo_last_error());
    endo_context_destroy(&context);
    return status;
}
