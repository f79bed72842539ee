/* How exactly registration by mutual information finds a known motion, over many seeded cases:
 *
 *   mutual_accuracy CASES [SEED [DEGREES MM [RAW WIDTH HEIGHT DEPTH BITS DX DY DZ]]]
 *
 * The cases are heads of ellipsoids (phantom.h) in two modalities or, where RAW is given (voxels of 8 or 16 bits, their
 * spacing in mm), a volume against itself; the moving one is moved, in another grid, inverted or not, with another
 * gamma, a bias field and noise. An error is the mean distance over the head, in voxels of the fixed volume. Of a miss
 * it says whether the measure is larger where the search ended than at the truth: then the measure is what missed.
 *
 * Environment: ENDO_RIM=FIXED, MOVING or BOTH: these are cut to a turned box, with zeros around it; ENDO_MEASURE=NMI,
 * ENDO_BINS, ENDO_OPTIMIZER=GRADIENT, ENDO_STARTS, ENDO_THREADS; ENDO_DUMP=FOLDER: writes every pair (MetaImage), its truth and what was found there, for mutual_peers.py. */
#include "phantom.h"

#include "backend/objects.h"
#include "systems/mutual/affine3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXACT 0.1 /* voxels: found */
#define WRONG 1.0 /* voxels: must not be called ok */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double between(test_random *r, double low, double high) { return low + (high - low) * test_unit(r); }

/* ------------------------------------------------------------------- cases */

/* The volume that cases are made of. */
typedef struct source {
    int width, height, depth;
    double spacing[3];
    float *values; /* 0..1; NULL: phantoms */
} source;

typedef struct pair {
    endo_volume fixed, moving;
    void *pixels[2];
    double truth[16]; /* fixed -> moving, mm */
    phantom_appearance look;
} pair;

static void free_pair(pair *p) {
    free(p->pixels[0]);
    free(p->pixels[1]);
}

static void make_room(pair *p) {
    const endo_volume *v[2] = {&p->fixed, &p->moving};
    for (int k = 0; k < 2; k++) p->pixels[k] = malloc((size_t)v[k]->width * v[k]->height * v[k]->depth * 2);
    p->fixed.pixels = p->pixels[0], p->moving.pixels = p->pixels[1];
}

static void phantom_pair(uint64_t seed, test_random *r, pair *p) {
    static const double spacing[3] = {1.6, 1.6, 2.5};
    phantom head;
    phantom_appearance plain = {.gamma = 1, .noise = 0.02, .seed = seed};
    double back[16];
    phantom_init(&head, seed);
    phantom_invert_motion(p->truth, back);
    p->look.modality = 1;
    p->fixed.width = 128, p->fixed.height = 144, p->fixed.depth = 64;
    p->moving.width = test_between(r, 120, 150), p->moving.height = test_between(r, 130, 160);
    p->moving.depth = test_between(r, 64, 80);
    for (int i = 0; i < 3; i++) {
        p->fixed.spacing[i] = spacing[i];
        p->moving.spacing[i] = between(r, 1.4, 1.8) + (i == 2);
    }
    make_room(p);
    phantom_render(&head, &plain, &p->fixed, NULL, p->pixels[0]);
    phantom_render(&head, &p->look, &p->moving, back, p->pixels[1]);
}

/* Catmull and Rom's cubic. */
static void cubic(double t, double w[4]) {
    w[0] = ((2 - t) * t - 1) * t / 2, w[1] = ((3 * t - 5) * t * t + 2) / 2;
    w[2] = ((4 - 3 * t) * t + 1) * t / 2, w[3] = (t - 1) * t * t / 2;
}

/* The coordinate that is shown at `at`: beyond the border the volume goes on, mirrored, for no scanner paints it black. */
static int mirrored(int at, int side) {
    int period = 2 * side, k = (at % period + period) % period;
    return k < side ? k : period - 1 - k;
}

static double source_at(const source *s, const double mm[3]) {
    const int size[3] = {s->width, s->height, s->depth};
    int whole[3];
    double w[3][4], sum = 0;
    for (int i = 0; i < 3; i++) {
        double at = mm[i] / s->spacing[i] + (size[i] - 1) / 2.0;
        whole[i] = (int)floor(at);
        cubic(at - whole[i], w[i]);
    }
    for (int k = 0; k < 64; k++) {
        int at[3] = {whole[0] + k % 4 - 1, whole[1] + k / 4 % 4 - 1, whole[2] + k / 16 - 1};
        for (int i = 0; i < 3; i++) at[i] = mirrored(at[i], size[i]);
        sum += w[0][k % 4] * w[1][k / 4 % 4] * w[2][k / 16] *
               (double)s->values[((size_t)at[2] * size[1] + at[1]) * size[0] + at[0]];
    }
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

static void draw_source(const source *s, const phantom_appearance *look, const endo_volume *v, const double *map, uint16_t *to) {
    const int size[3] = {v->width, v->height, v->depth};
    test_random way = {look->seed * 31 + 9};
    double bias[3];
    for (int i = 0; i < 3; i++) bias[i] = between(&way, -1, 1) / 1.7;
#pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < v->depth; z++) {
        test_random r = {look->seed * 1000003 + (uint64_t)z};
        for (size_t i = 0; i < (size_t)v->width * v->height; i++) {
            double at[3] = {(double)(i % (size_t)v->width), (double)(i / (size_t)v->width), z}, field = 1, noise = -2;
            for (int k = 0; k < 3; k++) at[k] = v->spacing[k] * (at[k] - (size[k] - 1) / 2.0);
            for (int k = 0; k < 3; k++) field += look->bias * bias[k] * at[k] / 80;
            if (map) endo_affine3_apply(map, at, at);
            double grey = source_at(s, at);
            for (int k = 0; k < 4; k++) noise += test_unit(&r);
            if (grey > 0 || !look->invert) grey = pow(look->invert ? 1 - grey : grey, look->gamma) * field;
            grey += look->noise * 1.7320508 * noise;
            to[(size_t)z * v->width * v->height + i] = (uint16_t)(4000 * (grey < 0 ? 0 : grey > 1.4 ? 1.4 : grey) + 0.5);
        }
    }
}

static void source_pair(const source *s, test_random *r, pair *p) {
    const int size[3] = {s->width, s->height, s->depth};
    int *sides[3] = {&p->moving.width, &p->moving.height, &p->moving.depth};
    phantom_appearance plain = {.gamma = 1, .noise = 0.01, .seed = p->look.seed + 77};
    double back[16];
    phantom_invert_motion(p->truth, back);
    p->fixed.width = s->width, p->fixed.height = s->height, p->fixed.depth = s->depth, p->fixed.type = ENDO_GREY16;
    for (int i = 0; i < 3; i++) {
        double scale = between(r, 0.85, 1.2);
        p->fixed.spacing[i] = s->spacing[i], p->moving.spacing[i] = scale * s->spacing[i];
        *sides[i] = (int)(size[i] / scale + 0.5) + test_between(r, 0, 5);
    }
    make_room(p);
    draw_source(s, &plain, &p->fixed, NULL, p->pixels[0]);
    draw_source(s, &p->look, &p->moving, back, p->pixels[1]);
}

/* As ENDO_RIM says. */
static void cut_pair(test_random *r, pair *p) {
    const char *rim = getenv("ENDO_RIM");
    if (!rim) return;
    if (strcmp(rim, "MOVING")) phantom_cut(r, &p->fixed, between(r, 0.6, 0.9), 20, p->pixels[0]);
    if (strcmp(rim, "FIXED")) phantom_cut(r, &p->moving, between(r, 0.6, 0.9), 20, p->pixels[1]);
}

static void make_pair(const source *s, uint64_t seed, double degrees, double mm, pair *p) {
    test_random r = {seed * 1234567 + 1};
    phantom_motion(&r, degrees * test_unit(&r), mm * test_unit(&r), p->truth);
    p->look = (phantom_appearance){.invert = test_between(&r, 0, 1), .gamma = between(&r, 0.6, 1.6), .seed = seed + 500};
    p->look.bias = 0.1 * test_unit(&r), p->look.noise = between(&r, 0.01, 0.04);
    p->fixed = p->moving = endo_volume_default();
    p->moving.type = ENDO_GREY16;
    if (s->values) source_pair(s, &r, p);
    else phantom_pair(seed, &r, p);
    cut_pair(&r, p);
}

/* -------------------------------------------------------------------- dump */

static void dump_volume(const char *folder, uint64_t seed, const char *name, const endo_volume *v) {
    size_t n = (size_t)v->width * v->height * v->depth;
    const double *s = v->spacing;
    char path[600];
    snprintf(path, sizeof path, "%s/%04llu-%s.raw", folder, (unsigned long long)seed, name);
    FILE *f = fopen(path, "wb");
    if (f) fwrite(v->pixels, endo_pixel_size(v->type), n, f), fclose(f);
    snprintf(path, sizeof path, "%s/%04llu-%s.mhd", folder, (unsigned long long)seed, name);
    f = fopen(path, "w");
    if (!f) return;
    fprintf(f, "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
               "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = %.9g %.9g %.9g\nElementSpacing = %.9g %.9g %.9g\n"
               "DimSize = %d %d %d\nElementType = %s\nElementDataFile = %04llu-%s.raw\n", -s[0] * (v->width - 1) / 2,
            -s[1] * (v->height - 1) / 2, -s[2] * (v->depth - 1) / 2, s[0], s[1], s[2], v->width, v->height, v->depth,
            v->type == ENDO_GREY16 ? "MET_USHORT" : "MET_UCHAR", (unsigned long long)seed, name);
    fclose(f);
}

/* Truth, found, seconds, spacing. */
static void dump(const char *folder, uint64_t seed, const pair *p, const double *found, double seconds) {
    char path[600];
    dump_volume(folder, seed, "fixed", &p->fixed);
    dump_volume(folder, seed, "moving", &p->moving);
    snprintf(path, sizeof path, "%s/%04llu.case", folder, (unsigned long long)seed);
    FILE *f = fopen(path, "w");
    if (!f) return;
    for (int i = 0; i < 16; i++) fprintf(f, "%.12g ", p->truth[i]);
    for (int i = 0; i < 16; i++) fprintf(f, "%.12g ", found[i]);
    fprintf(f, "%.4f %.9g %.9g %.9g\n", seconds, p->fixed.spacing[0], p->fixed.spacing[1], p->fixed.spacing[2]);
    fclose(f);
}

/* ------------------------------------------------------------------ search */

static endo_mutual_options options_for(double degrees, double mm) {
    endo_mutual_options o = endo_mutual_options_default();
    const char *measure = getenv("ENDO_MEASURE"), *optimizer = getenv("ENDO_OPTIMIZER");
    if (measure) o.measure = strcmp(measure, "NMI") ? ENDO_MUTUAL_MI : ENDO_MUTUAL_NMI;
    if (optimizer && !strcmp(optimizer, "GRADIENT")) o.optimizer = ENDO_MUTUAL_GRADIENT;
    if (getenv("ENDO_BINS")) o.bins = atoi(getenv("ENDO_BINS"));
    if (getenv("ENDO_STARTS")) o.starts = atoi(getenv("ENDO_STARTS"));
    if (degrees > o.turn_range) o.turn_range = degrees;
    if (mm > 25) o.shift_range = mm;
    return o;
}

typedef struct tally {
    int cases, exact, wrong_ok, low;
    double sum, worst, seconds;
} tally;

static int is_ok(const endo_mutual_result *r) { return r->status == ENDO_MUTUAL_OK; }

static int run_case(endo_context *context, const source *s, uint64_t seed, double degrees, double mm, tally *t) {
    static const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    endo_mutual_options o = options_for(degrees, mm);
    endo_mutual *m = NULL;
    endo_mutual_result r;
    pair p;
    double at_truth = 0;
    make_pair(s, seed, degrees, mm, &p);
    double begun = now();
    endo_status status = endo_mutual_create(context, &p.fixed, &p.moving, &o, &m);
    if (status == ENDO_OK) status = endo_mutual_register(m, &r);
    double took = now() - begun;
    if (status == ENDO_OK) status = endo_mutual_evaluate(m, p.truth, 1, &at_truth, NULL);
    endo_mutual_destroy(&m);
    if (status == ENDO_OK && getenv("ENDO_DUMP")) dump(getenv("ENDO_DUMP"), seed, &p, r.world, took);
    if (status == ENDO_OK) {
        double error = phantom_distance(r.world, p.truth, p.fixed.spacing);
        t->cases++, t->exact += error <= EXACT, t->low += !is_ok(&r);
        t->wrong_ok += error > WRONG && is_ok(&r);
        t->sum += error, t->worst = fmax(t->worst, error), t->seconds += took;
        printf("seed %llu: %.3f voxels off, was %.1f; %s, certainty %.2f; measure %.5f, at the truth %.5f; %lld "
               "evaluations, %.0f ms; bias %.2f, noise %.3f%s%s\n",
               (unsigned long long)seed, error, phantom_distance(p.truth, still, p.fixed.spacing),
               is_ok(&r) ? "ok" : "uncertain", r.certainty, r.after, at_truth, (long long)r.evaluations, 1e3 * took,
               p.look.bias, p.look.noise, p.look.invert ? ", inverted" : "",
               error <= EXACT ? "" : r.after >= at_truth ? " <- the measure" : " <- the search");
    }
    free_pair(&p);
    return status == ENDO_OK;
}

/* -------------------------------------------------------------------- main */

/* All but a thousandth are below: noise is a part of it. */
static float brightest(const float *values, size_t n) {
    size_t *counts = calloc(65536, sizeof *counts), above = 0;
    int v = 65535;
    for (size_t i = 0; i < n && counts; i++) counts[(int)values[i]]++;
    while (counts && v > 1 && above + counts[v] <= n / 1000) above += counts[v--];
    free(counts);
    return (float)v;
}

static int read_source(char **a, source *s) {
    int bits = atoi(a[4]);
    size_t n;
    s->width = atoi(a[1]), s->height = atoi(a[2]), s->depth = atoi(a[3]);
    for (int i = 0; i < 3; i++) s->spacing[i] = atof(a[5 + i]);
    n = (size_t)s->width * s->height * s->depth;
    uint8_t *bytes = malloc(n * bits / 8);
    FILE *f = fopen(a[0], "rb");
    int ready = f && bytes && fread(bytes, bits / 8, n, f) == n;
    if (f) fclose(f);
    s->values = malloc(n * sizeof *s->values);
    if (!ready || !s->values) {
        free(bytes);
        return 0;
    }
    for (size_t i = 0; i < n; i++) s->values[i] = bits == 16 ? ((uint16_t *)bytes)[i] : bytes[i];
    float white = brightest(s->values, n);
    for (size_t i = 0; i < n; i++) s->values[i] = s->values[i] < white ? s->values[i] / white : 1;
    free(bytes);
    return 1;
}

int main(int argc, char **argv) {
    int cases = argc > 1 ? atoi(argv[1]) : 2;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    double degrees = argc > 4 ? atof(argv[3]) : 20, mm = argc > 4 ? atof(argv[4]) : 20;
    source s = {.values = NULL};
    tally t = {.cases = 0};
    endo_context *context = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    endo_context_options o = endo_context_options_default();
    if (argc > 5 && (argc < 13 || !read_source(argv + 5, &s))) {
        fprintf(stderr, "mutual_accuracy: cannot read %s, or one of WIDTH HEIGHT DEPTH BITS DX DY DZ is missing\n", argv[5]);
        return 2;
    }
    o.backend = ENDO_BACKEND_CPU;
    if (getenv("ENDO_THREADS")) o.threads = atoi(getenv("ENDO_THREADS"));
    int ready = endo_context_create(&o, &context) == ENDO_OK;
    for (int i = 0; i < cases && ready; i++) ready = run_case(context, &s, seed + (uint64_t)i, degrees, mm, &t);
    if (!ready) fprintf(stderr, "mutual_accuracy: %s\n", endo_last_error());
    printf("within %g degrees and %g mm: %d of %d within %g voxel, mean %.4f, worst %.4f; %d uncertain, %d wrong ones ok; "
           "%.0f ms each\n", degrees, mm, t.exact, t.cases, EXACT, t.cases ? t.sum / t.cases : 0, t.worst, t.low,
           t.wrong_ok, t.cases ? 1e3 * t.seconds / t.cases : 0);
    endo_context_destroy(&context);
    free(s.values);
    return ready ? 0 : 1;
}
