/* endo_check [--filter STEM] [--backend c|avx2|avx512|fakes|cuda|cuda2] [--case N] [--seed N] [--threads N] [--quick]
 *            [--require NAME]
 *
 * Exit code 0: every check that could run agreed. A back end that this machine lacks is reported as
 * SKIP, unless --require names it: then it is a failure. cuda2: two devices behind one context; fakes: the same with
 * devices that are none (fake_devices.h), and fewer cases. */
#include "endo_check.h"

#include "api/testing.h"

#include "fake_devices.h"

#ifdef ENDO_HAS_CUDA
#include "cuda/several.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_ROW(stem, request, setup, result) {#stem, check_##stem},

static const struct {
    const char *stem;
    check_function run;
} checks[] = {
    {"planes", check_planes},
    {"store", check_store},
    ENDO_BATCHES(CHECK_ROW)
    ENDO_DEVICE_BATCHES(CHECK_ROW)
    {"paint", check_paint},
    {"register", check_register},
    {"ahe", check_ahe},
    {"mutual", check_mutual},
    {"lens", check_lens},
    {"blend", check_blend},
    {"beside", check_beside},
    {"upload", check_upload},
};

#define N_CHECKS ((int)(sizeof checks / sizeof checks[0]))

static const struct {
    const char *name;
    const endo_kernels *kernels;
    endo_cpu cpu;
    int devices; /* several: 0 .. devices - 1 */
} backends[] = {
    {"c", &endo_kernels_cpu, ENDO_CPU_C, 0},
    {"avx2", &endo_kernels_cpu, ENDO_CPU_AVX2, 0},
    {"avx512", &endo_kernels_cpu, ENDO_CPU_AVX512, 0},
    {"fakes", &endo_kernels_fakes, ENDO_CPU_BEST, 2},
#ifdef ENDO_HAS_CUDA
    {"cuda", &endo_kernels_cuda, ENDO_CPU_BEST, 0},
    {"cuda2", &endo_kernels_multi, ENDO_CPU_BEST, 2},
#else
    {"cuda", NULL, ENDO_CPU_BEST, 0},
    {"cuda2", NULL, ENDO_CPU_BEST, 2},
#endif
};

#define N_BACKENDS ((int)(sizeof backends / sizeof backends[0]))

static const int sizes[][2] = {{1, 1},   {1, 37},  {37, 1},    {7, 8},     {33, 31},   {40, 64},
                               {65, 47}, {131, 97}, {200, 151}, {360, 288}, {720, 576}, {1280, 1024}};

#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))

typedef struct settings {
    const char *filter, *backend, *require;
    int only, threads, quick;
    uint64_t seed;
} settings;

static int case_count(void) { return N_SIZES * FILL_COUNT * FIELD_COUNT; }

static check_case case_at(int number, uint64_t seed) {
    int size = number / (FILL_COUNT * FIELD_COUNT);
    check_case c = {.number = number,
                    .width = sizes[size][0],
                    .height = sizes[size][1],
                    .fill = number / FIELD_COUNT % FILL_COUNT,
                    .field = number % FIELD_COUNT,
                    .type = (endo_pixel)(number / 2 % 3),
                    .highlights = number % 5 == 0 ? 1 : number % 5 == 1 ? ENDO_HIGHLIGHTS_REFINING : 0,
                    .iir = number % 7 == 0 ? 0 : 1 + number % 9,
                    .seed = seed * 1000003 + number};
    return c;
}

/* Large images only where they show something new: the scene and noise, whole and round. */
static int is_wanted(const check_case *c, const settings *s) {
    if (s->only >= 0) return c->number == s->only;
    int large = c->width >= 360;
    if (large && (c->fill > FILL_RANDOM || c->field > FIELD_CIRCLE)) return 0;
    if (c->width >= 1280 && c->fill != FILL_SCENE) return 0;
    /* A third, another one at every size: the pixel type goes with the number. */
    return !s->quick || (c->width <= 360 && (c->number + c->number / (FILL_COUNT * FIELD_COUNT)) % 3 == 0);
}

long check_difference(const void *a, const void *b, size_t bytes) {
    const uint8_t *p = a, *q = b;
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != q[i]) return (long)i;
    return -1;
}

endo_transform check_random_map(check_rig *rig) {
    test_random *r = &rig->random;
    double wild = test_between(r, 0, 3) == 0 ? 1.0 : 0.05, m[6];
    m[0] = 1 + wild * (test_unit(r) - 0.5), m[1] = wild * (test_unit(r) - 0.5);
    m[3] = wild * (test_unit(r) - 0.5), m[4] = 1 + wild * (test_unit(r) - 0.5);
    m[2] = (test_unit(r) - 0.5) * rig->c->width * (0.2 + wild);
    m[5] = (test_unit(r) - 0.5) * rig->c->height * (0.2 + wild);
    return endo_transform_of_affine(m);
}

endo_transform check_random_place(check_rig *rig) {
    test_random *r = &rig->random;
    endo_transform map = check_random_map(rig);
    if (test_between(r, 0, 2)) return map;
    double wild = test_between(r, 0, 3) == 0 ? 1 : 0.1; /* of 1: denominators may all but vanish in a corner */
    map.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    map.matrix[6] = wild * (test_unit(r) - 0.5) / (rig->c->width + 40);
    map.matrix[7] = wild * (test_unit(r) - 0.5) / (rig->c->height + 40);
    return map;
}

void check_distortion(check_rig *rig, endo_transform *map) {
    test_random *r = &rig->random;
    double most = test_between(r, 0, 1) ? 0.4 : 0.002;
    map->kind = ENDO_TRANSFORM_HOMOGRAPHY;
    map->matrix[6] = most * (2 * test_unit(r) - 1) / rig->c->width;
    map->matrix[7] = most * (2 * test_unit(r) - 1) / rig->c->height;
}

/* Images, mask and journals of a case: the same for every back end. */
typedef struct case_material {
    const check_case *c;
    uint8_t *images[2], *mask;
    check_journal journals[N_CHECKS];
} case_material;

static void material_create(const check_case *c, case_material *m) {
    size_t area = (size_t)c->width * c->height;
    memset(m, 0, sizeof *m);
    m->c = c;
    m->images[0] = endo_alloc(area, 1), m->images[1] = endo_alloc(area, 1), m->mask = endo_alloc(area, 1);
    test_fill_pair(c->fill, c->width, c->height, c->seed, m->images[0], m->images[1]);
    test_fill_field(c->field, c->width, c->height, c->seed, m->mask);
}

static void material_destroy(case_material *m) {
    for (int i = 0; i < N_CHECKS; i++) endo_free(m->journals[i].bytes);
    endo_free(m->images[0]);
    endo_free(m->images[1]);
    endo_free(m->mask);
}

/* A fixed pattern, as of a fibre bundle and a sensor; one pixel in 16 lies beyond what grey values can lose. */
static void fill_pattern(const check_case *c, int16_t *pattern) {
    test_random r = {c->seed + 5};
    for (int i = 0; i < c->width * c->height; i++)
        pattern[i] = (int16_t)(test_between(&r, 0, 15) ? test_between(&r, -20, 20) : test_between(&r, -255, 255));
}

static endo_frames *make_frames(endo_context *context, const case_material *m) {
    const check_case *c = m->c;
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    int stride = c->width + c->number % 9;
    void *wide = endo_alloc((size_t)stride * c->height, 4);
    o.width = c->width, o.height = c->height, o.type = c->type, o.capacity = 2, o.field = m->mask;
    if (c->number % 4 == 1 && c->width < 200) o.enhance = 3 + 2 * (c->number % 13), o.enhance_limit = c->number % 8 == 1 ? 2.5 : 0;
    int16_t *pattern = c->number % 3 == 1 ? endo_alloc((size_t)c->width * c->height, sizeof *pattern) : NULL;
    if (pattern) fill_pattern(c, pattern);
    o.pattern = pattern;
    o.highlights = c->highlights, o.iir = c->iir, o.rim = c->number % 11, o.low = 300, o.high = 64000;
    if (endo_frames_create(context, &o, &frames) == ENDO_OK)
        for (int i = 0; i < 2; i++) {
            test_widen(m->images[i], c->width, c->height, c->type, stride, wide);
            if (endo_frames_put(frames, i, wide, stride) != ENDO_OK) endo_frames_destroy(&frames);
        }
    endo_free(wide);
    endo_free(pattern);
    return frames;
}

/* A back end under test, and what its checks came to. */
typedef struct tested {
    const char *name;
    endo_context *context;
    int done, failed;
    int small_only; /* images */
} tested;

static int is_filtered(const settings *s, int check) { return s->filter && strcmp(s->filter, checks[check].stem); }

/* Until the first check that fails. */
static void run_checks(check_rig *rig, case_material *m, tested *t, const settings *s) {
    const check_case *c = m->c;
    for (int i = 0; i < N_CHECKS; i++) {
        char text[200] = "";
        if (is_filtered(s, i)) continue;
        rig->random.state = c->seed + 77u * (unsigned)i;
        rig->journal = &m->journals[i];
        rig->journal->at = 0;
        int outcome = checks[i].run(rig, text, sizeof text);
        t->done += outcome != CHECK_NOT_FOR_CASE;
        if (outcome == 0 || outcome == CHECK_NOT_FOR_CASE) continue;
        t->failed++;
        printf("FAIL %s (%d x %d, fill %d, field %d, type %d, highlights %d, iir %d): %s\n"
               "     repeat: endo_check --filter %s --backend %s --case %d --seed %llu --threads %d\n",
               checks[i].stem, c->width, c->height, c->fill, c->field, c->type, c->highlights, c->iir, text,
               checks[i].stem, t->name, c->number, (unsigned long long)s->seed, s->threads);
        return;
    }
}

static void run_case(endo_context *reference, const check_case *c, tested *list, int n, const settings *s) {
    case_material m;
    material_create(c, &m);
    for (int b = 0; b < n; b++) {
        if (list[b].small_only && c->width >= 360) continue;
        check_rig rig = {.c = c, .reference_context = reference, .tested_context = list[b].context};
        rig.reference = make_frames(reference, &m);
        rig.tested = make_frames(list[b].context, &m);
        if (rig.reference && rig.tested) {
            run_checks(&rig, &m, &list[b], s);
        } else {
            printf("FAIL case %d: %s\n", c->number, endo_last_error());
            list[b].failed++;
        }
        endo_frames_destroy(&rig.reference);
        endo_frames_destroy(&rig.tested);
    }
    material_destroy(&m);
}

/* Into *t, where this machine has it. Returns whether it is missing although it is required. */
static int open_backend(int b, const settings *s, tested *t) {
    endo_context_options o = endo_context_options_default();
    tested none = {backends[b].name, NULL, 0, 0, backends[b].kernels == &endo_kernels_fakes};
    *t = none;
    o.cpu = backends[b].cpu;
    o.threads = s->threads;
    o.n_devices = backends[b].devices;
    for (int i = 0; i < o.n_devices; i++) o.devices[i] = i;
    if (!backends[b].kernels)
        endo_fail(ENDO_ERR_UNSUPPORTED, "this build has no CUDA");
    else if (endo_context_create_with(backends[b].kernels, &o, &t->context) == ENDO_OK)
        return 0;
    int required = s->require && !strcmp(s->require, t->name);
    printf("%s %s: %s\n", required ? "FAIL" : "SKIP", t->name, endo_last_error());
    return required;
}

/* Returns the number of failures. */
static int close_backend(tested *t) {
    printf("%-7s %5d checks, %d failed   [%s]\n", t->name, t->done, t->failed, endo_context_description(t->context));
    endo_context_destroy(&t->context);
    return t->failed + (t->done == 0);
}

/* Every case on all back ends, so that the reference works once. Returns the number of failures. */
static int run_backends(const settings *s, endo_context *reference) {
    tested list[N_BACKENDS];
    int n = 0, failed = 0, known = 0;
    for (int b = 0; b < N_BACKENDS; b++) {
        if (s->backend && strcmp(s->backend, backends[b].name)) continue;
        known = 1;
        failed += open_backend(b, s, &list[n]);
        n += list[n].context != NULL;
    }
    if (!known) printf("no back end of that name in this build\n");
    for (int i = 0; i < case_count() && n; i++) {
        check_case c = case_at(i, s->seed);
        if (is_wanted(&c, s)) run_case(reference, &c, list, n, s);
    }
    for (int b = 0; b < n; b++) failed += close_backend(&list[b]);
    return failed + !known;
}

static int parse(int argc, char **argv, settings *s) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--quick")) {
            s->quick = 1;
            continue;
        }
        if (!value) return 0;
        if (!strcmp(argv[i], "--filter")) s->filter = value;
        else if (!strcmp(argv[i], "--backend")) s->backend = value;
        else if (!strcmp(argv[i], "--require")) s->require = value;
        else if (!strcmp(argv[i], "--case")) s->only = atoi(value);
        else if (!strcmp(argv[i], "--seed")) s->seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--threads")) s->threads = atoi(value);
        else return 0;
        i++;
    }
    return 1;
}

int main(int argc, char **argv) {
    settings s = {.only = -1, .threads = 3, .seed = 1};
    endo_context *reference = NULL;
    endo_context_options o = endo_context_options_default();
    if (!parse(argc, argv, &s)) {
        fprintf(stderr, "usage: endo_check [--filter STEM] [--backend NAME] [--case N] [--seed N] [--threads N] "
                        "[--quick] [--require NAME]\n");
        return 2;
    }
    if (endo_context_create_with(&endo_kernels_ref, &o, &reference) != ENDO_OK) return 1;
    int failed = run_backends(&s, reference);
    endo_context_destroy(&reference);
    return failed != 0;
}
