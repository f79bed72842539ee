/* The panorama of PPM images (P6, 8 bit) that come through a pipe:  cat frame_??.ppm | panorama [cpu|cuda] > OUT.ppm
 * cc panorama.c $(pkg-config --cflags --libs endorama) -o panorama; ffmpeg -i FILM -c:v ppm -f image2pipe - | ./panorama */
#include <endorama.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *put_all(endo_mosaic *mosaic, FILE *in) { /* NULL: done; else what is wrong */
    int head[3]; /* width and height, px; the value of white. One white space follows */
    for (int n; (n = fscanf(in, " P6 %d %d %d%*c", &head[0], &head[1], &head[2])) != EOF;) {
        if (n != 3 || head[0] < 1 || head[1] < 1 || head[2] != 255) return "the input is not PPM images (P6) of 8 bit";
        size_t bytes = 3 * (size_t)head[0] * (size_t)head[1];
        uint32_t *pixels = calloc(bytes / 3, sizeof *pixels); /* 0xrrggbb; the byte above, alpha, says nothing */
        for (size_t i = 0; pixels && i < bytes && !feof(in); i++) pixels[i / 3] = pixels[i / 3] << 8 | (fgetc(in) & 255);
        const char *why = !pixels ? "no memory for an image" : feof(in) ? "the input ends within an image" : NULL;
        if (!why && endo_mosaic_put(mosaic, pixels, ENDO_RGB32, head[0], head[1], head[0])) why = endo_last_error();
        free(pixels);
        if (why) return why;
    }
    return NULL;
}

int main(int argc, char **argv) {
    endo_mosaic *mosaic = NULL;
    endo_mosaic_panorama p = {0};
    endo_mosaic_verdict v;
    endo_mosaic_options options = endo_mosaic_options_default();
    if (argc > 1) options.context.backend = strcmp(argv[1], "cuda") ? ENDO_BACKEND_CPU : ENDO_BACKEND_CUDA;
    const char *why = endo_mosaic_create(&options, NULL, &mosaic) == ENDO_OK ? put_all(mosaic, stdin) : endo_last_error();
    if (!why && (endo_mosaic_finish(mosaic) || endo_mosaic_describe(mosaic, 1, &p))) why = endo_last_error();
    uint32_t *pixels = calloc((size_t)p.width * (size_t)p.height + 1, sizeof *pixels);
    if (!why && !pixels) why = "no memory for the panorama";
    endo_panorama_planes planes = {.pixels = pixels};
    if (!why && endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.width, p.height}, &planes)) why = endo_last_error();
    if (!why && endo_mosaic_judge(mosaic, 0, &v) == ENDO_OK)
        fprintf(stderr, "%s: %s%s%s\n", v.word, v.why, v.next[0] ? ". Next: " : "", v.next);
    if (!why) printf("P6 %d %d 255\n", p.width, p.height);
    for (int64_t i = 0; !why && i < 3LL * p.width * p.height; i++) putchar(pixels[i / 3] >> (16 - 8 * (i % 3)) & 255);
    if (why || fflush(stdout)) fprintf(stderr, "panorama: %s\n", why ? why : "the output is full");
    endo_mosaic_destroy(&mosaic);
    free(pixels);
    return why || ferror(stdout);
}
