/* The check of mutual information: joint histograms and their sums at every level under maps of all kinds, the resampled
 * volume, and now and then a whole registration. Sizes, types, strides and masks come from the case. */
#include "endo_check.h"

#include "systems/mutual/affine3.h"
#include "systems/mutual/mutual.h"

#include <math.h>

static const int sizes[][3] = {{1, 1, 1},   {37, 1, 1},  {1, 29, 5},   {7, 8, 9},    {64, 64, 1},  {65, 33, 1},
                               {33, 31, 17}, {16, 128, 3}, {129, 40, 9}, {66, 70, 24}, {200, 151, 1}, {20, 20, 40}};

#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))
#define MAPS 9
#define SEARCHED 40

typedef struct volume_pair {
    endo_volume volumes[2];
    void *memory[2];
    uint8_t *mask;
} volume_pair;

static uint32_t value_of(const check_case *c, test_random *r, int x, int y, int z) {
    uint32_t noise = test_next(r) >> 16;
    switch (c->fill) {
    case FILL_SCENE: return (uint32_t)(128 + 90 * sin(0.2 * x + 0.1 * z) * cos(0.15 * y)) * 257u + noise % 3000;
    case FILL_RANDOM: return noise;
    case FILL_EXTREME: return noise & 1 ? 65535 : 0;
    case FILL_GRADIENT: return (uint32_t)(300 * x + 170 * y + 900 * z) & 65535;
    case FILL_MAX: return 65535;
    case FILL_ONE_PIXEL: return x == 3 && y == 0 ? 65535 : 0;
    default: return 0;
    }
}

static void put_value(void *to, endo_pixel type, size_t i, uint32_t value) {
    if (type == ENDO_GREY8) ((uint8_t *)to)[i] = (uint8_t)(value >> 8);
    if (type == ENDO_GREY16) ((uint16_t *)to)[i] = (uint16_t)value;
    if (type == ENDO_RGB32) ((uint32_t *)to)[i] = value * 40503u;
}

static void make_volume(check_rig *rig, const int *size, endo_pixel type, endo_volume *v, void **memory) {
    test_random *r = &rig->random;
    *v = endo_volume_default();
    v->type = type, v->width = size[0], v->height = size[1], v->depth = size[2];
    v->stride = size[0] + test_between(r, 0, 5), v->slice = v->stride * (size[1] + test_between(r, 0, 2));
    for (int i = 0; i < 3; i++) v->spacing[i] = 0.5 + test_unit(r) * (i == 2 ? 3 : 0.4);
    *memory = endo_alloc((size_t)v->slice * size[2], endo_pixel_size(type));
    memset(*memory, 0x77, (size_t)v->slice * size[2] * endo_pixel_size(type));
    for (int z = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int x = 0; x < size[0]; x++)
                put_value(*memory, type, (size_t)(z * v->slice + y * v->stride + x), value_of(rig->c, r, x, y, z));
    v->pixels = *memory;
}

static void make_pair(check_rig *rig, volume_pair *p) {
    const check_case *c = rig->c;
    const int *fixed = sizes[c->number % N_SIZES], *moving = sizes[c->number / 3 % N_SIZES];
    if (fixed[2] == 1 || c->number % 4 == 0) moving = fixed; /* else hardly anything meets */
    make_volume(rig, fixed, c->type, &p->volumes[0], &p->memory[0]);
    make_volume(rig, moving, (endo_pixel)(c->number / 5 % 3), &p->volumes[1], &p->memory[1]);
    size_t n = (size_t)fixed[0] * fixed[1] * fixed[2];
    p->mask = c->field == FIELD_WHOLE ? NULL : endo_alloc_zeroed(n, 1);
    for (size_t i = 0; p->mask && i < n; i++)
        p->mask[i] = c->field == FIELD_EMPTY ? 0 : test_between(&rig->random, 0, c->field == FIELD_CIRCLE ? 20 : 1) != 0;
    p->volumes[0].mask = p->mask;
}

static void free_pair(volume_pair *p) {
    endo_free(p->memory[0]);
    endo_free(p->memory[1]);
    endo_free(p->mask);
}

/* mm: still, near, wild, mirrored, away; in the plane where both are of one slice. */
static void random_world(check_rig *rig, int kind, int planar, double world[16]) {
    test_random *r = &rig->random;
    double wild = kind < 4 ? 0.1 : kind < 7 ? 1.5 : 8;
    for (int i = 0; i < 16; i++) world[i] = i % 5 == 0;
    if (kind == 0) return;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) world[4 * i + k] += wild * (test_unit(r) - 0.5);
        world[4 * i + 3] = (kind == 7 ? 500 : 20 * wild) * (test_unit(r) - 0.5);
    }
    if (kind == 1) /* a shift by halves */
        for (int i = 0; i < 12; i++) world[i] = i % 4 == 3 ? 0.5 * test_between(r, -9, 9) : i % 5 == 0;
    if (planar) world[2] = world[6] = world[8] = world[9] = world[11] = 0, world[10] = 1;
}

/* One pair of volumes in the reference and in the tested back end. */
typedef struct twins {
    endo_mutual *reference, *tested;
} twins;

/* At full size; whole registrations show the coarser levels. */
static int compare_maps(check_rig *rig, const twins *t, int planar, char *text, size_t size) {
    static uint32_t counts[2][256 * 256];
    double worlds[MAPS][16], values[2][MAPS], overlaps[2][MAPS];
    int bins = endo_mutual_bins(t->reference);
    for (int i = 0; i < MAPS; i++) random_world(rig, i, planar, worlds[i]);
    for (size_t n = 1; n <= MAPS; n += MAPS - 1)
        CHECK_BOTH(endo_mutual_evaluate(t->reference, worlds[0], n, values[0], overlaps[0]),
                   endo_mutual_evaluate(t->tested, worlds[0], n, values[1], overlaps[1]), values[0], values[1],
                   n * sizeof **values, "measure");
    for (int i = 0; i < MAPS; i += 1 + rig->c->number % 3)
        CHECK_BOTH(endo_mutual_histogram(t->reference, worlds[i], counts[0]),
                   endo_mutual_histogram(t->tested, worlds[i], counts[1]), counts[0], counts[1],
                   (size_t)bins * bins * sizeof **counts, "histogram");
    return 0;
}

/* Compares what a search measures at every level: many maps at once, each with a gain, within a window. */
static int compare_searched(check_rig *rig, const twins *t, int planar, char *text, size_t size) {
    test_random *r = &rig->random;
    endo_mutual_map maps[SEARCHED];
    endo_mutual_sums sums[2][SEARCHED];
    double world[16];
    for (int level = 0; level < t->reference->options.levels; level++) {
        size_t n = 0;
        endo_mutual_window window = {.margin = {test_between(r, 0, 99999), test_between(r, 0, 99999), planar ? 0 : 9999}};
        for (int i = 0; i < SEARCHED; i++) {
            random_world(rig, i % MAPS, planar, world);
            if (!endo_affine3_to_fixed(world, &maps[n])) continue;
            for (int k = 0; k < 4 && i % 3; k++)
                maps[n].gain[k] = (int64_t)((test_unit(r) - (k < 3 ? 0.5 : -0.5)) * (k < 3 ? 2e8 : 4e9));
            n++;
        }
        window.map = maps[1];
        for (int k = 0; k < 2; k++) { /* with the window, without it */
            endo_mutual *a = t->reference, *b = t->tested;
            const endo_mutual_window *w = k ? NULL : &window;
            CHECK_BOTH(a->context->kernels->mutual->measure(a->pair, level, w, maps, n, sums[0]),
                       b->context->kernels->mutual->measure(b->pair, level, w, maps, n, sums[1]), sums[0], sums[1],
                       n * sizeof **sums, k ? "gains" : "window");
        }
    }
    return 0;
}

static int compare_resampled(check_rig *rig, const volume_pair *p, int planar, char *text, size_t size) {
    const endo_volume *f = &p->volumes[0], *m = &p->volumes[1];
    size_t bytes = (size_t)(f->width + 3) * f->height * f->depth * endo_pixel_size(m->type);
    uint8_t *out[2] = {endo_alloc(bytes, 1), endo_alloc(bytes, 1)};
    int failed = 0;
    for (int i = 0; i < MAPS && !failed; i += 2) {
        endo_mutual_interpolation way = (endo_mutual_interpolation)(i / 2 % 2);
        double world[16];
        random_world(rig, i, planar, world);
        memset(out[0], 0x5a, bytes);
        memset(out[1], 0x5a, bytes); /* the padding stays */
        const endo_volume_output to[2] = {
            {.pixels = out[0], .stride = f->width + 3},
            {.pixels = out[1], .stride = f->width + 3},
        };
        failed = CHECK_REFERENCE(rig, endo_mutual_resample(rig->reference_context, f, m, world, way, &to[0]), out[0],
                                 bytes) != ENDO_OK ||
                 endo_mutual_resample(rig->tested_context, f, m, world, way, &to[1]) != ENDO_OK;
        long at = failed ? 0 : check_difference(out[0], out[1], bytes);
        if (failed) snprintf(text, size, "resample: %s", endo_last_error());
        else if (at >= 0) snprintf(text, size, "resample: byte %ld of %ld differs", at, (long)bytes);
        failed |= at >= 0;
    }
    endo_free(out[0]);
    endo_free(out[1]);
    return failed;
}

static void forget_seconds(endo_mutual_result *r) {
    for (int i = 0; i < ENDO_MUTUAL_MAX_LEVELS; i++) r->level[i].seconds = 0;
}

static int compare_registered(check_rig *rig, const twins *t, char *text, size_t size) {
    endo_mutual_result a, b;
    endo_status first = CHECK_REFERENCE(rig, endo_mutual_register(t->reference, &a), &a, sizeof a), second = endo_mutual_register(t->tested, &b);
    if (first != ENDO_OK || second != ENDO_OK) {
        snprintf(text, size, "register: %s", endo_last_error());
        return 1;
    }
    forget_seconds(&a);
    forget_seconds(&b);
    long at = check_difference(&a, &b, sizeof a);
    if (at >= 0)
        snprintf(text, size, "register: byte %ld of the result differs (%.17g, %.17g after %lld, %lld)", at, a.after,
                 b.after, (long long)a.evaluations, (long long)b.evaluations);
    return at >= 0;
}

static endo_mutual_options options_of(const check_case *c) {
    static const int bins[] = {16, 64, 240, 256, 33, 0};
    endo_mutual_options o = endo_mutual_options_default();
    o.bins = bins[c->number % 6];
    o.interpolation = (endo_mutual_interpolation)(c->number / 2 % 2);
    o.measure = (endo_mutual_measure)(c->number / 4 % 2);
    o.model = (endo_transform_class)(c->number % 4);
    o.optimizer = (endo_mutual_optimizer)(c->number / 7 % 2);
    o.levels = c->number % 5;
    o.starts = 1 + c->number % 9;
    o.max_evaluations = 150;
    return o;
}

int check_mutual(check_rig *rig, char *text, size_t size) {
    volume_pair p;
    twins t = {NULL, NULL};
    endo_mutual_options o = options_of(rig->c);
    if (rig->c->width > 200) return CHECK_NOT_FOR_CASE; /* sizes are its own: enough cases have shown them */
    make_pair(rig, &p);
    int planar = p.volumes[0].depth == 1 && p.volumes[1].depth == 1;
    endo_status status = endo_mutual_create(rig->reference_context, &p.volumes[0], &p.volumes[1], &o, &t.reference);
    if (status == ENDO_OK)
        status = endo_mutual_create(rig->tested_context, &p.volumes[0], &p.volumes[1], &o, &t.tested);
    int failed = status == ENDO_ERR_UNSUPPORTED ? CHECK_NOT_FOR_CASE : status != ENDO_OK; /* a back end without it */
    if (failed) snprintf(text, size, "create: %s", endo_last_error());
    if (!failed) failed = compare_maps(rig, &t, planar, text, size);
    if (!failed) failed = compare_searched(rig, &t, planar, text, size);
    if (!failed) failed = compare_resampled(rig, &p, planar, text, size);
    if (!failed && rig->c->number % 8 == 3) failed = compare_registered(rig, &t, text, size);
    endo_mutual_destroy(&t.reference);
    endo_mutual_destroy(&t.tested);
    free_pair(&p);
    return failed;
}
