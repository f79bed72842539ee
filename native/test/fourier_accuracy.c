/* How often, and how exactly, Fourier registration finds what images of a texture were made with.
 *
 * fourier_accuracy [--pairs N] [--seed N] [--size PX] [--scale S] [--angle DEG] [--overlap SHARE] [--noise N]
 *                  [--unrelated] [--paper] [--no-refine] [--gradient 0|1|2] [--window 0|1|2] [--list]
 *                  [--backend cpu|cuda] [--dump FOLDER] [FILE.pgm ...]
 *
 * --dump leaves every pair (NNNN-a.pgm, NNNN-b.pgm), the truth and what was found (pairs.csv) in a folder, for
 * fourier_peers.py to run other chains on. */
#include "fourier_scene.h"

#include "backend/objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
    int pairs, size, unrelated, list, n_files;
    uint64_t seed;
    fourier_limits limits;
    endo_fourier_options options;
    char **files;
    const char *dump; /* folder; NULL: none */
    endo_backend backend;
} settings;

typedef struct score {
    int pairs, found, ok, wrong_ok, missed_ok;
    double angle, scale, shift; /* squares */
    double seconds;
} score;

static int parse(int argc, char **argv, settings *s) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *v = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--unrelated")) s->unrelated = 1;
        else if (!strcmp(argv[i], "--list")) s->list = 1;
        else if (!strcmp(argv[i], "--paper")) s->options.paper = 1;
        else if (!strcmp(argv[i], "--no-refine")) s->options.refine = 0;
        else if (!strcmp(argv[i], "--backend")) s->backend = strcmp(v, "cuda") ? ENDO_BACKEND_CPU : ENDO_BACKEND_CUDA, i++;
        else if (!strcmp(argv[i], "--dump")) s->dump = v, i++;
        else if (!strcmp(argv[i], "--pairs")) s->pairs = atoi(v), i++;
        else if (!strcmp(argv[i], "--seed")) s->seed = strtoull(v, NULL, 10), i++;
        else if (!strcmp(argv[i], "--size")) s->size = atoi(v), i++;
        else if (!strcmp(argv[i], "--scale")) s->limits.scale = atof(v), i++;
        else if (!strcmp(argv[i], "--angle")) s->limits.angle = atof(v), i++;
        else if (!strcmp(argv[i], "--overlap")) s->limits.overlap = atof(v), i++;
        else if (!strcmp(argv[i], "--noise")) s->limits.noise = atof(v), i++;
        else if (!strcmp(argv[i], "--gradient")) s->options.gradient = (endo_fourier_gradient)atoi(v), i++;
        else if (!strcmp(argv[i], "--window")) s->options.window = (endo_fourier_window)atoi(v), i++;
        else if (!strcmp(argv[i], "--candidates")) s->options.candidates = atoi(v), i++;
        else if (!strcmp(argv[i], "--max-scale")) s->options.max_scale = atof(v), i++;
        else return 0;
    }
    s->files = argv + i, s->n_files = argc - i;
    return 1;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int make_texture(const settings *s, int i, fourier_texture *t) {
    if (s->n_files) return fourier_texture_read(s->files[i % s->n_files], t);
    return fourier_texture_make(s->seed * 1000 + (uint64_t)(i % 8), t);
}

static void count(const settings *s, int i, const endo_fourier_result *r, const fourier_truth *t, score *c) {
    double angle = fabs(r->angle - t->angle), scale = fabs(r->scale / t->scale - 1);
    double shift = hypot(r->dx - t->dx, r->dy - t->dy);
    if (angle > 180) angle = 360 - angle;
    /* Shifts are compared in px of the image whose pixels are the larger ones. */
    int found = r->status != ENDO_FOURIER_NO_CONTENT && angle < 1 && scale < 0.02 && shift < (t->scale > 1 ? 2 * t->scale : 2);
    int ok = r->status == ENDO_FOURIER_OK;
    c->pairs++;
    if (s->unrelated) found = 0;
    c->found += found, c->ok += ok, c->wrong_ok += ok && !found, c->missed_ok += found && !ok;
    if (found) c->angle += angle * angle, c->scale += scale * scale, c->shift += shift * shift / (t->scale > 1 ? t->scale * t->scale : 1);
    if (s->list)
        printf("%d,%d,%d,%.3f,%.4f,%.2f,%.2f,%.3f,%.5f,%.6f,%.4f,%.4f,%.4f,%.4f,%.3f\n", i, found, (int)r->status, t->angle, t->scale, t->dx,
               t->dy, t->overlap, angle, scale, shift, r->ncc, r->overlap, r->peak, r->ratio);
}

static FILE *open_in(const settings *s, const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", s->dump, name);
    FILE *f = fopen(path, mode);
    if (!f) fprintf(stderr, "%s: cannot be written\n", path);
    return f;
}

static int dump_image(const settings *s, int i, char which, const uint8_t *pixels) {
    char name[32];
    snprintf(name, sizeof name, "%04d-%c.pgm", i, which);
    FILE *f = open_in(s, name, "wb");
    if (!f) return 0;
    fprintf(f, "P5\n%d %d\n255\n", s->size, s->size);
    size_t area = (size_t)s->size * s->size, written = fwrite(pixels, 1, area, f);
    return fclose(f) == 0 && written == area;
}

static int dump_pair(const settings *s, int i, uint8_t *const images[2], const fourier_truth *t,
                     const endo_fourier_result *r, double took) {
    FILE *f = open_in(s, "pairs.csv", "a");
    if (!f || !dump_image(s, i, 'a', images[0]) || !dump_image(s, i, 'b', images[1])) return 0;
    if (ftell(f) == 0) fprintf(f, "pair,angle,scale,dx,dy,overlap,our_angle,our_scale,our_dx,our_dy,our_status,our_ms\n");
    fprintf(f, "%d,%.9g,%.9g,%.9g,%.9g,%.4f,%.9g,%.9g,%.9g,%.9g,%d,%.3f\n", i, t->angle, t->scale, t->dx, t->dy, t->overlap,
            r->angle, r->scale, r->dx, r->dy, (int)r->status, 1e3 * took);
    return fclose(f) == 0;
}

static int run(const settings *s, endo_context *context, score *c) {
    size_t area = (size_t)s->size * s->size;
    uint8_t *images[2] = {malloc(area), malloc(area)}, *other = malloc(area);
    fourier_texture texture = {0, 0, NULL}, second = {0, 0, NULL};
    test_random r = {s->seed};
    int period = s->n_files ? s->n_files : 8;
    for (int k = 0; k < period; k++) {
        if (!make_texture(s, k, &texture)) return 0;
        if (s->unrelated && !make_texture(s, k + period / 2, &second)) return 0;
        for (int i = k; i < s->pairs; i += period) {
            fourier_truth truth, none;
            endo_fourier_result result;
            r.state = s->seed * 7919 + (uint64_t)i * 104729;
            fourier_pair_make(&texture, &s->limits, s->size, &r, images[0], images[1], &truth);
            if (s->unrelated) fourier_pair_make(&second, &s->limits, s->size, &r, images[1], other, &none);
            endo_fourier_image a = {images[0], ENDO_GREY8, s->size, s->size, s->size, 0, 65535}, b = a;
            b.pixels = images[1];
            double start = seconds();
            if (endo_fourier_register_images(context, &a, &b, &s->options, &result) != ENDO_OK) {
                fprintf(stderr, "%s\n", endo_last_error());
                return 0;
            }
            double took = seconds() - start;
            c->seconds += took;
            if (s->dump && !dump_pair(s, i, images, &truth, &result, took)) return 0;
            count(s, i, &result, &truth, c);
        }
        fourier_texture_free(&texture);
        fourier_texture_free(&second);
    }
    free(images[0]);
    free(images[1]);
    free(other);
    return 1;
}

int main(int argc, char **argv) {
    settings s = {.pairs = 200, .size = 512, .seed = 1, .limits = {4, 180, 0.5, 3, 0.2}, .backend = ENDO_BACKEND_CPU};
    score c = {0};
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    s.options = endo_fourier_options_default();
    if (!parse(argc, argv, &s)) return 2;
    o.backend = s.backend;
    if (endo_context_create(&o, &context) != ENDO_OK || !run(&s, context, &c)) return 1;
    endo_context_destroy(&context);
    int n = c.found ? c.found : 1;
    printf("%d pairs of %d x %d: found %d (%.1f %%), ok %d, wrong and ok %d, right and not ok %d\n", c.pairs, s.size, s.size,
           c.found, 100.0 * c.found / c.pairs, c.ok, c.wrong_ok, c.missed_ok);
    printf("of those found, root mean square: angle %.4f degrees, scale %.6f, shift %.4f px; %.2f ms a pair\n",
           sqrt(c.angle / n), sqrt(c.scale / n), sqrt(c.shift / n), 1e3 * c.seconds / c.pairs);
    return 0;
}
