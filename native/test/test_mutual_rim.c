/* Rims of one value around what a volume shows, and dark surrounds of images (mutual_rim.h): where they are, and what they must
 * not decide. */
#include "check.h"
#include "scene.h"

#include "backend/objects.h"
#include "systems/mutual/mutual.h"
#include "systems/mutual/mutual_rim.h"

#include <string.h>

enum { SIDE = 48, DEPTH = 32, BIG = 100, FAR = 40 };

static uint8_t fixed_pixels[SIDE * SIDE * DEPTH], moving_pixels[SIDE * SIDE * DEPTH], big[BIG * BIG * FAR];

static const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static endo_volume volume_of(uint8_t *pixels) {
    endo_volume v = endo_volume_default();
    v.pixels = pixels, v.width = v.height = SIDE, v.depth = DEPTH;
    v.stride = SIDE, v.slice = (ptrdiff_t)SIDE * SIDE;
    return v;
}

/* Soft blobs, the same wherever they are looked at. */
static double scene_at(double x, double y, double z) {
    return sin(0.31 * x + 0.2 * z) * cos(0.27 * y - 0.11 * z) + 0.7 * sin(0.13 * x - 0.21 * y + 0.33 * z + 1);
}

/* The scene, `shift` voxels further along x, inside of a box; 0 around it. */
static void draw(uint8_t *to, double shift, int low, int high, double contrast, int invert, uint64_t seed) {
    test_random r = {seed};
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++, to++) {
                double grey = 128 + (invert ? -contrast : contrast) * scene_at(x - shift, y, z) + 6 * (test_unit(&r) - 0.5);
                int inside = x >= low && x < high && y >= 8 && y < SIDE - 8 && z >= 5 && z < DEPTH - 5;
                *to = inside ? (uint8_t)grey : 0;
            }
}

/* -------------------------------------------------------------------- where */

static void test_place(void) {
    endo_volume v = volume_of(fixed_pixels);
    uint8_t *rim = NULL;
    double share = 0;
    int64_t wrong = 0;
    draw(fixed_pixels, 0, 10, 40, 40, 0, 1);
    CHECK(endo_mutual_find_rim(&v, 2, &rim, &share) == ENDO_OK);
    CHECK(rim != NULL);
    CHECK_NEAR(share, 1 - 30.0 * 32 * 22 / (SIDE * SIDE * DEPTH), 1e-9);
    for (int z = 0; z < DEPTH && rim; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) { /* two voxels further in than where the value ends */
                int shown = x >= 12 && x < 38 && y >= 10 && y < SIDE - 10 && z >= 7 && z < DEPTH - 7;
                wrong += (rim[(z * SIDE + y) * SIDE + x] != 0) == shown;
            }
    CHECK(wrong == 0);
    endo_free(rim);
}

/* A large side, of which only some lines are followed: a plane askew across it. */
static void test_large(void) {
    endo_volume v = endo_volume_default();
    uint8_t *rim = NULL;
    double share = 0;
    int64_t black = 0, found = 0;
    test_random r = {3};
    v.pixels = big, v.width = v.height = BIG, v.depth = FAR, v.stride = BIG, v.slice = BIG * BIG;
    for (int i = 0; i < BIG * BIG * FAR; i++) {
        int x = i % BIG, y = i / BIG % BIG, outside = x < 15 + 0.21 * y;
        big[i] = outside ? 0 : (uint8_t)(100 + 50 * test_unit(&r));
        black += outside;
    }
    CHECK(endo_mutual_find_rim(&v, 2, &rim, &share) == ENDO_OK);
    CHECK_NEAR(share, (double)black / (BIG * BIG * FAR), 0.002);
    for (int i = 0; i < BIG * BIG * FAR && rim; i++) found += rim[i] && !big[i];
    CHECK(found == black);
    endo_free(rim);
}

/* --------------------------------------------------------------------- mask */

/* A voxel is left out in the fixed rim, and where the map takes it into the moving one. */
static void test_mask(endo_context *context) {
    endo_volume fixed = volume_of(fixed_pixels), moving = volume_of(moving_pixels);
    endo_mutual *m = NULL;
    uint8_t *mask = NULL;
    double shifted[16];
    draw(fixed_pixels, 0, 4, 44, 40, 0, 1);
    draw(moving_pixels, 0, 16, 40, 40, 0, 2);
    CHECK(endo_mutual_create(context, &fixed, &moving, NULL, &m) == ENDO_OK);
    if (!m) return;
    CHECK(m->rim[0] && m->rim[1]);
    memcpy(shifted, still, sizeof shifted);
    shifted[3] = 5; /* a fixed voxel lies 5 further on in the moving volume */
    CHECK(endo_mutual_mask_rims(m, shifted, &mask) == ENDO_OK);
    const uint8_t *row = mask + (16 * SIDE + 24) * SIDE;
    for (int x = 0; x < SIDE && mask; x++) {
        int in_fixed = x >= 4 + 2 && x < 44 - 2, in_moving = x + 5 >= 16 + 2 && x + 5 < 40 - 2;
        CHECK((row[x] != 0) == (in_fixed && (in_moving || x + 5 >= SIDE)));
    }
    endo_free(mask);
    endo_mutual_destroy(&m);
}

/* ------------------------------------------------------------------ opinions */

/* Both boxes lie at one place, what they show does not: the rims say that nothing has moved. */
static void test_disagreement(endo_context *context) {
    endo_volume fixed = volume_of(fixed_pixels), moving = volume_of(moving_pixels);
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *plain = NULL, *m = NULL;
    endo_mutual_result with, r;
    o.model = ENDO_TRANSFORM_TRANSLATION, o.starts = 27, o.shift_range = 6;
    draw(fixed_pixels, 0, 10, 38, 6, 0, 1);
    draw(moving_pixels, 4, 10, 38, 6, 1, 2);
    CHECK(endo_mutual_make_plain(context, &fixed, &moving, &o, &plain) == ENDO_OK);
    CHECK(endo_mutual_create(context, &fixed, &moving, &o, &m) == ENDO_OK);
    if (plain && m && endo_mutual_run(plain, &with) == ENDO_OK && endo_mutual_register(m, &r) == ENDO_OK) {
        printf("with the rims %.2f voxels, status %d; without %.2f, status %d, certainty %.2f\n", with.voxels[3], with.status,
               r.voxels[3], r.status, r.certainty);
        CHECK(with.status == ENDO_MUTUAL_OK && fabs(with.voxels[3]) < 1); /* they would have decided */
        CHECK(r.status == ENDO_MUTUAL_LOW_CERTAINTY);
        CHECK(r.certainty < 0.7 * with.certainty && r.certainty > 0);
    }
    endo_mutual_destroy(&m);
    endo_mutual_destroy(&plain);
}

/* Where they agree the result is believed. */
static void test_agreement(endo_context *context) {
    endo_volume fixed = volume_of(fixed_pixels), moving = volume_of(moving_pixels);
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
    endo_mutual_result r;
    o.model = ENDO_TRANSFORM_TRANSLATION, o.starts = 27, o.shift_range = 6;
    draw(fixed_pixels, 0, 10, 38, 40, 0, 1);
    draw(moving_pixels, 4, 14, 42, 40, 1, 2);
    CHECK(endo_mutual_create(context, &fixed, &moving, &o, &m) == ENDO_OK);
    if (m && endo_mutual_register(m, &r) == ENDO_OK) {
        CHECK_NEAR(r.voxels[3], 4, 0.2);
        CHECK(r.status == ENDO_MUTUAL_OK && r.rim[0] > 0.2 && r.rim[1] > 0.2);
    }
    endo_mutual_destroy(&m);
}

/* ----------------------------------------------------------------- surround */

enum { IMAGE = 160 };

static uint8_t image[2][IMAGE * IMAGE];

/* The round picture of an endoscope, which stands still, of a scene `shift` pixels further along x; contrast 0: two pictures
 * without a scene. The surround is dark and noisy. */
static endo_volume draw_round(uint8_t *to, double shift, double contrast, int invert, uint64_t seed) {
    endo_volume v = endo_volume_default();
    test_random r = {seed};
    v.pixels = to, v.width = v.height = IMAGE, v.stride = IMAGE, v.slice = IMAGE * IMAGE;
    for (int y = 0; y < IMAGE; y++)
        for (int x = 0; x < IMAGE; x++, to++) {
            double grey = 128 + (invert ? -contrast : contrast) * scene_at(0.5 * (x - shift), 0.5 * y, 3);
            double noise = (contrast > 0 ? 8 : 60) * (test_unit(&r) - 0.5);
            int inside = (x - 80) * (x - 80) + (y - 80) * (y - 80) < 70 * 70;
            *to = (uint8_t)(inside ? grey + noise : 4 * test_unit(&r));
        }
    return v;
}

/* The surround says that nothing has moved, of pictures that show a scene and of those that show noise alone. */
static void test_surround(endo_context *context) {
    endo_mutual_options o = endo_mutual_options_default();
    o.model = ENDO_TRANSFORM_RIGID;
    for (int noise = 0; noise < 2; noise++) {
        endo_volume fixed = draw_round(image[0], 0, noise ? 0 : 5, 0, 1);
        endo_volume moving = draw_round(image[1], 9, noise ? 0 : 5, 1, 2);
        endo_mutual *plain = NULL, *m = NULL;
        endo_mutual_result with, r;
        CHECK(endo_mutual_make_plain(context, &fixed, &moving, &o, &plain) == ENDO_OK);
        CHECK(endo_mutual_create(context, &fixed, &moving, &o, &m) == ENDO_OK);
        if (plain && m && endo_mutual_run(plain, &with) == ENDO_OK && endo_mutual_register(m, &r) == ENDO_OK) {
            printf("round pictures of %s: with the surround %.2f px, status %d; without %.2f, status %d, certainty %.2f\n",
                   noise ? "noise" : "a scene", with.voxels[3], with.status, r.voxels[3], r.status, r.certainty);
            CHECK(with.status == ENDO_MUTUAL_OK && fabs(with.voxels[3]) < 1);
            CHECK(r.rim[0] > 0.3 && r.rim[1] > 0.3);
            CHECK(noise ? r.status == ENDO_MUTUAL_LOW_CERTAINTY : r.status == ENDO_MUTUAL_OK && fabs(r.voxels[3] - 9) < 0.5);
        }
        endo_mutual_destroy(&m);
        endo_mutual_destroy(&plain);
    }
}

/* Runs with and without looking at surrounds. */
static int run_both(endo_context *context, const endo_volume *fixed, const endo_volume *moving, const endo_mutual_options *o,
                    endo_mutual_result *with, endo_mutual_result *r) {
    endo_mutual *plain = NULL, *m = NULL;
    CHECK(endo_mutual_make_plain(context, fixed, moving, o, &plain) == ENDO_OK);
    CHECK(endo_mutual_create(context, fixed, moving, o, &m) == ENDO_OK);
    int done = plain && m && endo_mutual_run(plain, with) == ENDO_OK && endo_mutual_register(m, r) == ENDO_OK;
    CHECK(done);
    endo_mutual_destroy(&m);
    endo_mutual_destroy(&plain);
    return done;
}

/* Silhouettes are nothing without their surround: what it says is reported, and not believed. */
static void test_silhouettes(endo_context *context) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual_result with, r;
    o.model = ENDO_TRANSFORM_TRANSLATION;
    endo_volume fixed = draw_round(image[0], 0, 5, 0, 1), moving = draw_round(image[1], 0, 5, 0, 2);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < IMAGE * IMAGE; i++) {
            int x = i % IMAGE - 80 - 9 * k, y = i / IMAGE - 80;
            image[k][i] = x * x + 2 * y * y < 60 * 60 ? 255 : 0;
        }
    if (!run_both(context, &fixed, &moving, &o, &with, &r)) return;
    CHECK(with.status == ENDO_MUTUAL_OK && fabs(with.voxels[3] - 9) < 0.5);
    CHECK(r.status == ENDO_MUTUAL_LOW_CERTAINTY && r.voxels[3] == with.voxels[3]);
}

/* Where the moving image alone has a surround, whole images are not searched twice: two searches without it follow. */
static void test_surround_of_moving_image(endo_context *context) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual_result with, r;
    o.model = ENDO_TRANSFORM_TRANSLATION;
    endo_volume fixed = draw_round(image[0], 0, 5, 0, 1), moving = draw_round(image[1], 9, 5, 1, 2);
    for (int i = 0; i < IMAGE * IMAGE; i++) image[0][i] = (uint8_t)(128 + 5 * scene_at(0.5 * (i % IMAGE), 0.5 * (i / IMAGE), 3));
    if (!run_both(context, &fixed, &moving, &o, &with, &r)) return;
    CHECK(r.rim[0] == 0 && r.rim[1] > 0.3);
    CHECK(r.evaluations > with.evaluations && r.evaluations < 3.4 * (double)with.evaluations);
    CHECK(r.status == ENDO_MUTUAL_OK && fabs(r.voxels[3] - 9) < 0.5);
}

/* A result with the surround is of low certainty where max_evaluations leaves none for the search without the surround. */
static void test_no_evaluations_left(endo_context *context) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual_result with, r;
    o.model = ENDO_TRANSFORM_RIGID;
    endo_volume fixed = draw_round(image[0], 0, 5, 0, 1), moving = draw_round(image[1], 9, 5, 1, 2);
    if (!run_both(context, &fixed, &moving, &o, &with, &r)) return;
    o.max_evaluations = (int)with.evaluations;
    if (!run_both(context, &fixed, &moving, &o, &with, &r)) return;
    CHECK(with.status == ENDO_MUTUAL_OK && with.evaluations == o.max_evaluations);
    CHECK(r.status == ENDO_MUTUAL_LOW_CERTAINTY && r.stop == ENDO_MUTUAL_EVALUATIONS);
}

int main(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.backend = ENDO_BACKEND_CPU, o.threads = 1;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    test_place();
    test_large();
    test_mask(context);
    test_disagreement(context);
    test_agreement(context);
    test_surround(context);
    test_silhouettes(context);
    test_surround_of_moving_image(context);
    test_no_evaluations_left(context);
    endo_context_destroy(&context);
    return check_summary("test_mutual_rim");
}
