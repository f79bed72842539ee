/* Registration by mutual information of phantoms whose motion is known. test_mutual [CASES [SEED [DEGREES MM]]]: so many
 * cases (default 2). */
#include "check.h"
#include "phantom.h"

#include "backend/objects.h"
#include "systems/mutual/mutual_space.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- accuracy */

typedef struct pair {
    endo_volume fixed, moving;
    void *pixels[2];
    double truth[16]; /* fixed -> moving, mm */
} pair;

static void free_pair(pair *p) {
    free(p->pixels[0]);
    free(p->pixels[1]);
}

/* Two modalities of one head, of other sizes and spacings, the second one moved. bias: below 0: any up to 0.1. */
static void make_pair(uint64_t seed, double degrees, double mm, double bias, pair *p) {
    test_random r = {seed * 1234567 + 1};
    phantom head;
    phantom_appearance looks[2] = {{.gamma = 1, .noise = 0.02, .seed = seed}, {.modality = 1, .seed = seed + 500}};
    double back[16];
    phantom_init(&head, seed);
    phantom_motion(&r, degrees * test_unit(&r), mm * test_unit(&r), p->truth);
    phantom_invert_motion(p->truth, back);
    looks[1].invert = test_between(&r, 0, 1), looks[1].gamma = 0.6 + test_unit(&r);
    looks[1].bias = 0.1 * test_unit(&r);
    if (bias >= 0) looks[1].bias = bias;
    looks[1].noise = 0.01 + 0.03 * test_unit(&r);
    p->fixed = p->moving = endo_volume_default();
    p->fixed.width = 128, p->fixed.height = 144, p->fixed.depth = 64;
    p->moving.width = test_between(&r, 120, 150), p->moving.height = test_between(&r, 130, 160);
    p->moving.depth = test_between(&r, 64, 80);
    const double fixed_spacing[3] = {1.6, 1.6, 2.5};
    for (int i = 0; i < 3; i++) {
        p->fixed.spacing[i] = fixed_spacing[i];
        p->moving.spacing[i] = 1.4 + 0.4 * test_unit(&r) + (i == 2);
    }
    p->moving.type = ENDO_GREY16;
    p->pixels[0] = malloc((size_t)p->fixed.width * p->fixed.height * p->fixed.depth);
    p->pixels[1] = malloc((size_t)p->moving.width * p->moving.height * p->moving.depth * 2);
    phantom_render(&head, &looks[0], &p->fixed, NULL, p->pixels[0]);
    phantom_render(&head, &looks[1], &p->moving, back, p->pixels[1]);
    p->fixed.pixels = p->pixels[0], p->moving.pixels = p->pixels[1];
}

static void register_pair(endo_context *context, const pair *p, const endo_mutual_options *o, endo_mutual_result *result) {
    endo_mutual *m = NULL;
    CHECK(endo_mutual_create(context, &p->fixed, &p->moving, o, &m) == ENDO_OK);
    CHECK(m && endo_mutual_register(m, result) == ENDO_OK);
    endo_mutual_destroy(&m);
}

static void test_accuracy(endo_context *context, int cases, uint64_t seed, double degrees, double mm) {
    endo_mutual_options o = endo_mutual_options_default();
    const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int good = 0, wrong_ok = 0;
    if (degrees > 25) o.turn_range = degrees;
    if (mm > 25) o.shift_range = mm;
    double sum = 0, worst = 0;
    for (int i = 0; i < cases; i++) {
        pair p = {.fixed = {.width = 0}};
        endo_mutual_result r;
        make_pair(seed + (uint64_t)i, degrees, mm, -1, &p);
        double begun = now();
        register_pair(context, &p, &o, &r);
        double took = now() - begun, error = phantom_distance(r.world, p.truth, p.fixed.spacing);
        int is_good = error <= 0.1;
        good += is_good, wrong_ok += error > 0.5 && r.status == ENDO_MUTUAL_OK;
        sum += error, worst = fmax(worst, error);
        printf("case %3d: %.3f voxels off, was %.1f; status %d, certainty %.2f, %.3f bits, were %.3f; %lld evaluations, %.0f ms\n",
               i, error, phantom_distance(p.truth, still, p.fixed.spacing), r.status, r.certainty, r.after, r.before,
               (long long)r.evaluations, 1e3 * took);
        free_pair(&p);
    }
    printf("within %g degrees and %g mm: %d of %d within 0.1 voxel, mean %.4f, worst %.4f; %d wrong ones ok\n", degrees, mm, good,
           cases, sum / cases, worst, wrong_ok);
    CHECK(worst <= 0.15);
    CHECK(wrong_ok == 0);
}

/* 1 at the fixed volume's centre, wherever its world lies, and more by a slope over the radius at the radius. */
static void test_gain_of_map(endo_context *context) {
    static const uint8_t pixels[20 * 30 * 10] = {0};
    const double slopes[3] = {3, -2, 5};
    endo_volume v = endo_volume_default();
    endo_mutual *m = NULL;
    endo_mutual_map map;
    v.pixels = pixels, v.width = 20, v.height = 30, v.depth = 10;
    for (int i = 0; i < 3; i++) v.world[5 * i] = 2 + i, v.world[4 * i + 3] = 100 - 70 * i;
    v.world[15] = 1;
    CHECK(endo_mutual_create(context, &v, &v, NULL, &m) == ENDO_OK);
    if (!m) return;
    endo_mutual_set_gain(m, 0, slopes, &map);
    const double centre[3] = {9.5, 14.5, 4.5}, one = 4294967296.0;
    double at_centre = (double)map.gain[3];
    for (int i = 0; i < 3; i++) {
        at_centre += (double)map.gain[i] * centre[i];
        CHECK_NEAR((double)map.gain[i] * m->radius / (2 + i) / one, slopes[i] / m->radius, 1e-6);
    }
    CHECK_NEAR(at_centre / one, 1, 1e-6);
    endo_mutual_destroy(&m);
}

/* Brightness that changes by a fifth from the centre of the head to its border must not move it. */
static void test_bias(endo_context *context) {
    endo_mutual_options o = endo_mutual_options_default();
    pair p = {.fixed = {.width = 0}};
    endo_mutual_result r;
    make_pair(19, 10, 10, 0.2, &p);
    register_pair(context, &p, &o, &r);
    double error = phantom_distance(r.world, p.truth, p.fixed.spacing);
    printf("with a bias field: %.3f voxels off, status %d\n", error, r.status);
    CHECK(error <= 0.1 && r.status == ENDO_MUTUAL_OK);
    free_pair(&p);
}

/* Zeros around a part of the head, in either image: what is told as certain is right. */
static void test_rims(endo_context *context) {
    for (int i = 0; i < 3; i++) {
        endo_mutual_options o = endo_mutual_options_default();
        test_random random = {(uint64_t)i + 40};
        pair p = {.fixed = {.width = 0}};
        endo_mutual_result r;
        make_pair(31 + (uint64_t)i, 8, 8, -1, &p);
        if (i != 1) phantom_cut(&random, &p.fixed, 0.7, 15, p.pixels[0]);
        if (i != 0) phantom_cut(&random, &p.moving, 0.7, 15, p.pixels[1]);
        register_pair(context, &p, &o, &r);
        double error = phantom_distance(r.world, p.truth, p.fixed.spacing);
        printf("rims %.2f, %.2f: %.3f voxels off, status %d, certainty %.2f\n", r.rim[0], r.rim[1], error, r.status,
               r.certainty);
        CHECK((r.rim[0] > 0.2) == (i != 1) && (r.rim[1] > 0.2) == (i != 0));
        CHECK(error <= 0.3 || r.status != ENDO_MUTUAL_OK);
        CHECK(error <= 0.5);
        free_pair(&p);
    }
}

int main(int argc, char **argv) {
    int cases = argc > 1 ? atoi(argv[1]) : 2;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    double degrees = argc > 4 ? atof(argv[3]) : 20, mm = argc > 4 ? atof(argv[4]) : 20;
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    test_accuracy(context, cases, seed, degrees, mm);
    test_gain_of_map(context);
    test_bias(context);
    test_rims(context);
    endo_context_destroy(&context);
    return check_summary("test_mutual");
}
