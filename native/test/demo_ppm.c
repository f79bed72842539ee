/* Writes the demo to standard output as PPM images one after the other, for the example that makes a panorama of them.
 *     demo_ppm [BACKEND]
 * Exit code 77: BACKEND is cuda, and there is no CUDA device. */
#include <endorama.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 77 };

static int failed(void) {
    fprintf(stderr, "demo_ppm: %s\n", endo_last_error());
    return 1;
}

static void write_frame(const uint32_t *pixels, int width, int height) {
    printf("P6 %d %d 255\n", width, height);
    for (int i = 0; i < width * height; i++)
        for (int shift = 16; shift >= 0; shift -= 8) putchar(pixels[i] >> shift & 255);
}

static endo_status write_all(endo_context *context) {
    endo_demo_options options = endo_demo_options_default();
    endo_demo *demo = NULL;
    options.width = 200;
    options.height = 160;
    options.frames = 24;
    uint32_t *pixels = malloc(sizeof *pixels * (size_t)options.width * (size_t)options.height);
    endo_status status = pixels ? endo_demo_create(context, &options, &demo) : ENDO_ERR_MEMORY;
    for (int i = 0; i < options.frames && status == ENDO_OK; i++) {
        status = endo_demo_render(demo, i, pixels);
        if (status == ENDO_OK) write_frame(pixels, options.width, options.height);
    }
    endo_demo_destroy(&demo);
    free(pixels);
    return status;
}

int main(int argc, char **argv) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    char reason[256] = "";
    options.backend = argc > 1 && !strcmp(argv[1], "cuda") ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU;
    if (options.backend == ENDO_BACKEND_CUDA && endo_device_count(reason, sizeof reason) == 0) {
        fprintf(stderr, "SKIP cuda: %s\n", reason);
        return NO_DEVICE;
    }
    if (endo_context_create(&options, &context) != ENDO_OK) return failed();
    endo_status status = write_all(context);
    endo_context_destroy(&context);
    return status != ENDO_OK ? failed() : fflush(stdout) != 0;
}
