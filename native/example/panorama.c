/* The panorama of a sequence of PGM or PPM images (8 bit) that come one after the other through a pipe:
 *     cat frame_??.ppm | panorama OUT.ppm      ffmpeg -i clip.mp4 -f image2pipe -c:v ppm - | panorama OUT.ppm
 * Built by: cc panorama.c $(pkg-config --cflags --libs endorama) -o panorama */
#include <endorama.h>
#include <stdio.h>
#include <stdlib.h>

static endo_status put_all(endo_mosaic *mosaic, FILE *in) {
    endo_status status = ENDO_OK;
    char kind;
    for (int w, h; status == ENDO_OK && fscanf(in, " P%c %d %d 255", &kind, &w, &h) == 3 && fgetc(in) != EOF;) {
        size_t n = (size_t)w * (size_t)h, channels = kind == '6' ? 3 : 1;
        uint8_t *b = malloc(4 * n);
        if (!b || fread(b, channels, n, in) != n) exit(1);
        for (size_t i = n; kind == '6' && i-- > 0;)
            ((uint32_t *)b)[i] = (uint32_t)b[3 * i] << 16 | (uint32_t)b[3 * i + 1] << 8 | b[3 * i + 2];
        status = endo_mosaic_put(mosaic, b, kind == '6' ? ENDO_RGB32 : ENDO_GREY8, w, h, w);
        free(b);
    }
    return status;
}

int main(int argc, char **argv) {
    endo_mosaic *mosaic = NULL;
    endo_mosaic_panorama p = {0};
    endo_status status = argc == 2 ? endo_mosaic_create(NULL, NULL, &mosaic) : ENDO_ERR_ARGUMENT;
    if (status == ENDO_OK) status = put_all(mosaic, stdin);
    if (status == ENDO_OK) status = endo_mosaic_finish(mosaic);
    if (status == ENDO_OK) status = endo_mosaic_describe(mosaic, 1, &p);
    uint32_t *pixels = malloc(4 * (size_t)p.width * (size_t)p.height);
    FILE *out = status == ENDO_OK ? fopen(argv[1], "wb") : NULL;
    if (out) status = endo_mosaic_read(mosaic, 1, 0, 0, p.width, p.height, pixels, NULL, NULL, NULL);
    if (out) fprintf(out, "P%c %d %d 255\n", p.type == ENDO_GREY8 ? '5' : '6', p.width, p.height);
    for (size_t i = 0, n = (size_t)p.width * (size_t)p.height; out && i < n; i++)
        for (int c = p.type == ENDO_GREY8 ? 0 : 2; c >= 0; c--)
            fputc(p.type == ENDO_GREY8 ? ((uint8_t *)pixels)[i] : (int)(pixels[i] >> 8 * c & 255), out);
    if (!out || fclose(out)) fprintf(stderr, "%s\n", endo_last_error());
    endo_mosaic_destroy(&mosaic);
    return status != ENDO_OK || !out;
}
