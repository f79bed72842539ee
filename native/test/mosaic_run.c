/* Makes a panorama of PGM or PPM images (8 bit) that come one after the other through standard input, as ffmpeg's image2pipe
 * writes them, and writes it and the poses: for comparisons with other ways to run the same engine.
 *     mosaic_run OUT.ppm POSES.csv [KEY=VALUE ..] < frames
 * Keys: backend (auto, cpu, cuda), threads, method (best, paper), warp (-1 auto .. 4), solve, light, painting (0..2), lens,
 * pattern, memory, scratch, live (1: looks at the panorama while it grows). */
#include <endorama.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(void *user, const endo_event *event) {
    static const char *const levels[] = {"note", "log", "lost", "warning"};
    (void)user;
    fprintf(stderr, "%s: %s\n", levels[event->level], event->text);
}

static endo_mosaic *growing;

static void look(void *user, int32_t canvas) {
    endo_mosaic_panorama seen;
    (void)user;
    if (endo_mosaic_snapshot(growing, canvas) == ENDO_OK && endo_mosaic_describe(growing, 0, &seen) == ENDO_OK)
        fprintf(stderr, "live: %d x %d px\n", seen.width, seen.height);
}

/* ---------------------------------------------------------------------- input */

static void *read_image(FILE *in, endo_pixel *type, int *width, int *height) {
    char kind;
    if (fscanf(in, " P%c %d %d 255", &kind, width, height) != 3 || fgetc(in) == EOF) return NULL;
    size_t n = (size_t)*width * (size_t)*height;
    size_t channels = kind == '5' ? 1 : 3;
    uint8_t *bytes = malloc(n * channels);
    uint32_t *pixels = malloc(n * sizeof *pixels);
    if (!bytes || !pixels || fread(bytes, 1, n * channels, in) != n * channels) exit(3);
    *type = channels == 1 ? ENDO_GREY8 : ENDO_RGB32;
    for (size_t i = 0; i < n && channels == 3; i++)
        pixels[i] = 0xff000000u | (uint32_t)bytes[3 * i] << 16 | (uint32_t)bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
    if (channels == 1) memcpy(pixels, bytes, n);
    free(bytes);
    return pixels;
}

static endo_status put_all(endo_mosaic *mosaic, FILE *in) {
    endo_status status = ENDO_OK;
    while (status == ENDO_OK) {
        endo_pixel type;
        int width;
        int height;
        void *pixels = read_image(in, &type, &width, &height);
        if (!pixels) break;
        status = endo_mosaic_put(mosaic, pixels, type, width, height, width);
        free(pixels);
    }
    return status;
}

/* --------------------------------------------------------------------- options */

static int is(const char *key, const char *name) { return strcmp(key, name) == 0; }

static void set(endo_mosaic_options *o, const char *key, const char *value, int *live) {
    double number = atof(value);
    if (is(key, "backend")) o->context.backend = is(value, "cuda") ? ENDO_BACKEND_CUDA : is(value, "cpu") ? ENDO_BACKEND_CPU : ENDO_BACKEND_AUTO;
    else if (is(key, "threads")) o->context.threads = (int)number;
    else if (is(key, "method")) o->pairs.method = is(value, "paper") ? ENDO_METHOD_PAPER : ENDO_METHOD_BEST;
    else if (is(key, "warp")) o->pairs.transform = (endo_transform_class)(int)number;
    else if (is(key, "solve")) o->solve = (int)number;
    else if (is(key, "light")) o->light = (int)number;
    else if (is(key, "painting")) o->painting = (endo_mosaic_painting)(int)number;
    else if (is(key, "lens")) o->lens = number;
    else if (is(key, "pattern")) o->pattern = (int)number;
    else if (is(key, "memory")) o->memory = (int64_t)number;
    else if (is(key, "scratch")) o->scratch = value;
    else if (is(key, "live")) *live = (int)number;
    else fprintf(stderr, "unknown key %s\n", key), exit(2);
}

/* --------------------------------------------------------------------- output */

static void write_poses(const endo_mosaic *mosaic, const char *name) {
    int32_t n;
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    FILE *out = fopen(name, "w");
    if (!out) exit(2);
    fprintf(out, "frame,status,reference,dx,dy,registered,component,doubtful,deviation,key,coefficient,quality,landmarks,found,"
                 "used,order,h0,h1,h2,h3,h4,h5,h6,h7,h8,c0,c1,c2,c3,c4,c5,c6,c7,c8\n");
    for (int i = 0; i < n; i++) {
        const endo_mosaic_frame *f = &frames[i];
        fprintf(out, "%d,%d,%d,%.17g,%.17g,%d,%d,%d,%.17g,%d,%.17g,%.17g,%d,%d,%d,%d", i + 1, f->status, f->reference + 1, f->dx,
                f->dy, f->registered, f->component, f->doubtful, f->deviation, f->key_frame, f->coefficient, f->quality,
                f->landmarks, f->found, f->used, f->order);
        for (int k = 0; k < 9; k++) fprintf(out, ",%.17g", f->pose.matrix[k]);
        for (int k = 0; k < 9; k++) fprintf(out, ",%.17g", f->chained.matrix[k]);
        fprintf(out, "\n");
    }
    fclose(out);
}

static endo_status write_panorama(const endo_mosaic *mosaic, int component, const char *name) {
    endo_mosaic_panorama p;
    endo_status status = endo_mosaic_describe(mosaic, component, &p);
    if (status != ENDO_OK || p.width == 0) return status;
    fprintf(stderr, "panorama %d: %d x %d px, %d frames, first frame at (%g, %g)\n", component, p.width, p.height, p.frames,
            p.origin_x, p.origin_y);
    uint32_t *pixels = malloc((size_t)p.width * (size_t)p.height * sizeof *pixels);
    if (!pixels) exit(5);
    status = endo_mosaic_read(mosaic, component, &(endo_rectangle){0, 0, p.width, p.height},
                              &(endo_panorama_planes){.pixels = pixels});
    FILE *out = status == ENDO_OK ? fopen(name, "wb") : NULL;
    if (out) {
        fprintf(out, "P%c %d %d 255\n", p.type == ENDO_GREY8 ? '5' : '6', p.width, p.height);
        for (size_t i = 0, n = (size_t)p.width * (size_t)p.height; i < n; i++) {
            if (p.type == ENDO_GREY8) putc(((uint8_t *)pixels)[i], out);
            else putc(pixels[i] >> 16 & 255, out), putc(pixels[i] >> 8 & 255, out), putc(pixels[i] & 255, out);
        }
        fclose(out);
    }
    free(pixels);
    return status;
}

int main(int argc, char **argv) {
    endo_mosaic_options options = endo_mosaic_options_default();
    endo_mosaic_hooks hooks = {.event = say};
    int live = 0;
    if (argc < 3) return 2;
    for (int i = 3; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) return 2;
        *equals = 0;
        set(&options, argv[i], equals + 1, &live);
    }
    if (live) hooks.painted = look;
    endo_mosaic *mosaic = NULL;
    endo_status status = endo_mosaic_create(&options, &hooks, &mosaic);
    growing = mosaic;
    if (status == ENDO_OK) status = put_all(mosaic, stdin);
    if (status == ENDO_OK) status = endo_mosaic_finish(mosaic);
    if (status != ENDO_OK) fprintf(stderr, "status %d: %s\n", status, endo_last_error());
    fprintf(stderr, "backend: %s\nfield: %s\nlight: %s\n", endo_mosaic_backend(mosaic), endo_mosaic_field_description(mosaic),
            endo_mosaic_light_description(mosaic));
    if (mosaic) write_poses(mosaic, argv[2]);
    for (int i = 1; i <= endo_mosaic_components(mosaic); i++) {
        char name[1000];
        snprintf(name, sizeof name, i == 1 ? "%s" : "%s.%d.ppm", argv[1], i);
        if (write_panorama(mosaic, i, name) != ENDO_OK) fprintf(stderr, "%s\n", endo_last_error());
    }
    endo_mosaic_destroy(&mosaic);
    return status;
}
