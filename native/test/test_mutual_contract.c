/* Promises of endorama/mutual.h: refused arguments, volumes without an answer, ends before the end, every model, and the
 * resampled volume. */
#include "backends.h"
#include "refuses.h"
#include "phantom.h"

#include "systems/mutual/affine3.h"
#include "systems/mutual/mutual_space.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 72, DEPTH = 52, VOXELS = WIDTH * HEIGHT * DEPTH, SIDE = 160 };

static uint8_t fixed_pixels[VOXELS], moving_pixels[VOXELS], out[VOXELS], mask[VOXELS], image[2][SIDE * SIDE];

static endo_volume volume_of(const uint8_t *pixels) {
    endo_volume v = endo_volume_default();
    v.pixels = pixels, v.width = WIDTH, v.height = HEIGHT, v.depth = DEPTH;
    v.spacing[0] = v.spacing[1] = 3.2, v.spacing[2] = 3.4;
    return v;
}

/* Voxels of another size: a shift of equal grids by fractions has its own artefact, which is not what is tested here. */
static endo_volume moving_volume(void) {
    endo_volume v = volume_of(moving_pixels);
    v.spacing[0] = 3.05, v.spacing[1] = 3.3, v.spacing[2] = 3.6;
    return v;
}

static endo_volume image_of(const uint8_t *pixels) {
    endo_volume v = endo_volume_default();
    v.pixels = pixels, v.width = v.height = SIDE, v.spacing[0] = v.spacing[1] = 1.5;
    return v;
}

/* Two modalities, the second one moved. */
static void draw_volumes(const double truth[16]) {
    phantom head;
    phantom_appearance looks[2] = {{.gamma = 1, .noise = 0.01, .seed = 1},
                                   {.modality = 1, .invert = 1, .gamma = 0.8, .noise = 0.01, .seed = 2}};
    endo_volume v = volume_of(NULL);
    double back[16];
    phantom_init(&head, 3);
    endo_affine3_invert(truth, back);
    phantom_render(&head, &looks[0], &v, NULL, fixed_pixels);
    v = moving_volume();
    phantom_render(&head, &looks[1], &v, back, moving_pixels);
}

static void draw_images(const double truth[16]) {
    phantom head;
    phantom_appearance looks[2] = {{.gamma = 1, .noise = 0.01, .seed = 1},
                                   {.modality = 1, .gamma = 1.2, .noise = 0.01, .seed = 2}};
    endo_volume v = image_of(NULL);
    double back[16];
    phantom_init(&head, 4);
    endo_affine3_invert(truth, back);
    phantom_render(&head, &looks[0], &v, NULL, image[0]);
    phantom_render(&head, &looks[1], &v, back, image[1]);
}

static endo_mutual_result register_volumes(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                                           const endo_mutual_options *o) {
    endo_mutual *m = NULL;
    endo_mutual_result r;
    memset(&r, 0x5a, sizeof r);
    CHECK(endo_mutual_create(context, fixed, moving, o, &m) == ENDO_OK);
    if (m) CHECK(endo_mutual_register(m, &r) == ENDO_OK);
    endo_mutual_destroy(&m);
    CHECK(m == NULL);
    return r;
}

/* ---------------------------------------------------------------- arguments */

static void test_refusals(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels), w = v;
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
#define WITH(object, field_, value, text)                           \
    do {                                                            \
        endo_volume keep_v = v, keep_w = w;                         \
        endo_mutual_options keep_o = o;                             \
        object.field_ = (value);                                    \
        REFUSES(endo_mutual_create(c, &v, &w, &o, &m), text);       \
        v = keep_v, w = keep_w, o = keep_o;                         \
        CHECK(m == NULL);                                           \
    } while (0)
    REFUSES(endo_mutual_create(NULL, &v, &w, &o, &m), "NULL");
    WITH(w, pixels, NULL, "NULL");
    WITH(v, width, 0, "fixed volume of 0 x 72 x 52");
    WITH(w, height, 16385, "must be 1..16384");
    WITH(w, depth, -1, "moving");
    WITH(v, type, (endo_pixel)3, "pixel type 3");
    WITH(v, stride, WIDTH - 1, "stride 63");
    WITH(v, slice, WIDTH * HEIGHT - 1, "slice");
    WITH(v, spacing[1], 0, "spacing 0 mm");
    WITH(v, spacing[2], NAN, "spacing nan mm");
    WITH(v, world[0], 1, "world of the fixed volume");
    WITH(w, mask, mask, "mask");
    WITH(o, bins, 15, "bins 15");
    WITH(o, bins, 257, "bins 257");
    WITH(o, model, ENDO_TRANSFORM_HOMOGRAPHY, "model 4");
    WITH(o, levels, 9, "levels 9");
    WITH(o, starts, -1, "starts -1");
    WITH(o, turn_range, 181, "turn range 181");
    WITH(o, shift_range, -1, "shift range -1");
    WITH(o, overlap, 0, "overlap 0");
    WITH(o, tolerance, NAN, "tolerance nan");
    WITH(o, max_evaluations, 0, "max evaluations 0");
    WITH(o, low[1], 5, "grey range 5..0");
    WITH(o, optimizer, (endo_mutual_optimizer)2, "optimizer 2");
    o.initial = ENDO_MUTUAL_GIVEN;
    WITH(o, initial_map[15], 2, "last row 0 0 0 1");
    WITH(o, initial_map[0], 1e9, "must be less than");
    v.width = v.height = 16384, v.depth = 5, v.stride = v.slice = 0;
    REFUSES(endo_mutual_create(c, &v, &w, &o, &m), "at most 2^30 voxels"); /* and nothing was allocated for it */
}

/* ----------------------------------------------------------- without answer */

static void test_no_content(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels), w = volume_of(out);
    endo_mutual_options o = endo_mutual_options_default();
    memset(out, 77, sizeof out);
    for (int k = 0; k < 2; k++) {
        endo_mutual_result r = register_volumes(c, k ? &v : &w, k ? &w : &v, &o);
        CHECK(r.status == ENDO_MUTUAL_NO_CONTENT && r.certainty == 0 && r.after == 0);
    }
    memset(mask, 0, sizeof mask);
    v.mask = mask;
    w = moving_volume();
    endo_mutual_result r = register_volumes(c, &v, &w, &o);
    CHECK(r.status == ENDO_MUTUAL_NO_OVERLAP || r.status == ENDO_MUTUAL_NO_CONTENT);
}

static void test_no_overlap(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels), w = moving_volume();
    endo_mutual_options o = endo_mutual_options_default();
    o.initial = ENDO_MUTUAL_GIVEN;
    o.initial_map[3] = 5000;
    endo_mutual_result r = register_volumes(c, &v, &w, &o);
    CHECK(r.status == ENDO_MUTUAL_NO_OVERLAP && r.certainty == 0 && r.overlap == 0 && isnan(r.before));
}

static void test_noise(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels), w = volume_of(out);
    endo_mutual_options o = endo_mutual_options_default();
    test_random random = {8};
    for (int i = 0; i < VOXELS; i++) out[i] = (uint8_t)(test_next(&random) >> 24);
    endo_mutual_result r = register_volumes(c, &v, &w, &o);
    CHECK(r.status == ENDO_MUTUAL_LOW_CERTAINTY || r.status == ENDO_MUTUAL_NO_OVERLAP);
}

static int asked;
static int stop_after(void *user) { return ++asked > *(int *)user; }

static void test_run_skipping(endo_context *c) {
    const double moved[16] = {cos(0.2), -sin(0.2), 0, 8, sin(0.2), cos(0.2), 0, -9, 0, 0, 1, 7, 0, 0, 0, 1};
    endo_volume v = volume_of(fixed_pixels), w = moving_volume();
    endo_mutual_options o = endo_mutual_options_default();
    draw_volumes(moved);
    for (int after = 0; after < 140; after += after < 4 ? 1 : 45) {
        asked = 0;
        endo_context_set_cancel(c, stop_after, &after);
        endo_mutual_result r = register_volumes(c, &v, &w, &o);
        CHECK(r.stop == ENDO_MUTUAL_CANCELLED && r.status != ENDO_MUTUAL_OK);
        CHECK(after < 45 ? r.after >= r.before : r.after > r.before); /* the best so far */
    }
    endo_context_set_cancel(c, NULL, NULL);
    o.max_evaluations = 1200;
    endo_mutual_result r = register_volumes(c, &v, &w, &o);
    CHECK(r.stop == ENDO_MUTUAL_EVALUATIONS && r.evaluations <= 1202 && r.after > r.before);
}

/* ------------------------------------------------------------------- models */

static double distance_of(const double a[16], const double b[16], int planar) {
    double sum = 0;
    int n = 0;
    for (int z = planar ? 0 : -60; z <= (planar ? 0 : 60); z += 30)
        for (int y = -70; y <= 70; y += 35)
            for (int x = -70; x <= 70; x += 35, n++) {
                double at[3] = {x, y, z}, p[3], q[3];
                endo_affine3_apply(a, at, p);
                endo_affine3_apply(b, at, q);
                sum += sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
            }
    return sum / n;
}

static void test_models(endo_context *c) {
    static const char *const names[] = {"translation", "rigid", "similarity", "affine"};
    for (int model = 0; model < 8; model++) {
        int planar = model >= 4, kind = model % 4;
        double a = kind ? 0.15 : 0, s = kind >= 2 ? 1.08 : 1, shear = kind == 3 ? 0.05 : 0;
        const double truth[16] = {s * cos(a), -s * sin(a) + shear, 0, 9, s * sin(a), s * cos(a), 0, -6,
                                  0, 0, planar ? 1 : s, planar ? 0 : 5, 0, 0, 0, 1};
        endo_mutual_options o = endo_mutual_options_default();
        o.model = (endo_transform_class)kind;
        if (planar) draw_images(truth);
        else draw_volumes(truth);
        endo_volume v = planar ? image_of(image[0]) : volume_of(fixed_pixels);
        endo_volume w = planar ? image_of(image[1]) : moving_volume();
        endo_mutual_result r = register_volumes(c, &v, &w, &o);
        double error = distance_of(r.world, truth, planar) / v.spacing[0];
        printf("%s in %s: %.3f voxels off, certainty %.2f, %lld evaluations\n", names[kind], planar ? "the plane" : "space",
               error, r.certainty, (long long)r.evaluations);
        /* Inverted, the head's edge is a thin bright rim, whose smoothed outer side looks like a larger head; and few
         * voxels say little of a shear. */
        CHECK(error < (kind == 3 || (kind == 2 && !planar) ? 0.3 : 0.15));
        CHECK(r.status == ENDO_MUTUAL_OK && r.stop == ENDO_MUTUAL_CONVERGED);
        if (planar) CHECK(r.world[2] == 0 && r.world[6] == 0 && r.world[8] == 0 && r.world[10] == 1 && r.world[11] == 0);
    }
}

/* Origins and directions count: the head is the same, its volumes' matrices are turned, and so is the answer. */
static void test_worlds(endo_context *c) {
    const double truth[16] = {1, 0, 0, 6, 0, 1, 0, 0, 0, 0, 1, -5, 0, 0, 0, 1};
    const double turned[16] = {0, -1, 0, 50, 1, 0, 0, -80, 0, 0, 1, 7, 0, 0, 0, 1};
    draw_volumes(truth);
    endo_volume v = volume_of(fixed_pixels), w = moving_volume();
    endo_mutual_options o = endo_mutual_options_default();
    double to_head[2][16];
    o.model = ENDO_TRANSFORM_TRANSLATION;
    for (int k = 0; k < 2; k++) {
        endo_volume *one = k ? &w : &v;
        CHECK(endo_volume_world(one, 0, to_head[k]));
        endo_affine3_product(to_head[k], turned, one->world);
    }
    endo_mutual_result r = register_volumes(c, &v, &w, &o);
    CHECK_NEAR(r.world[3], 0, 0.4);
    CHECK_NEAR(r.world[7], 6, 0.4);
    CHECK_NEAR(r.world[11], -5, 0.4);
    double voxel[3] = {10, 20, 30}, by_voxels[3], by_world[3];
    endo_affine3_apply(r.voxels, voxel, by_voxels);
    endo_affine3_apply(w.world, by_voxels, by_voxels);
    endo_affine3_apply(v.world, voxel, by_world);
    endo_affine3_apply(r.world, by_world, by_world);
    for (int i = 0; i < 3; i++) CHECK_NEAR(by_voxels[i], by_world[i], 1e-9); /* one transform in two units */
}

/* ------------------------------------------------------ measure and pictures */

static void test_measure(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels);
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
    static uint32_t counts[256 * 256];
    double worlds[2][16], values[2], overlaps[2], entropy = 0;
    endo_affine3_identity(worlds[0]);
    endo_affine3_identity(worlds[1]);
    worlds[1][3] = 3.2 * WIDTH / 2; /* half of the voxels leave */
    o.bins = 32;
    CHECK(endo_mutual_create(c, &v, &v, &o, &m) == ENDO_OK && endo_mutual_bins(m) == 32);
    CHECK(endo_mutual_evaluate(m, worlds[0], 2, values, overlaps) == ENDO_OK);
    CHECK(endo_mutual_histogram(m, worlds[0], counts) == ENDO_OK);
    for (int i = 0; i < 32 * 32; i++) {
        CHECK(i / 32 == i % 32 || counts[i] == 0); /* itself: the diagonal */
        if (counts[i]) entropy -= counts[i] / (double)VOXELS * log2(counts[i] / (double)VOXELS);
    }
    CHECK_NEAR(values[0], entropy, 1e-6); /* what a volume tells of itself is all that is in it */
    CHECK(overlaps[0] == 1 && overlaps[1] == 0.5 && values[1] < values[0]);
    worlds[1][0] = 70;
    REFUSES(endo_mutual_evaluate(m, worlds[0], 2, values, NULL), "must be less than 60");
    worlds[1][0] = INFINITY;
    REFUSES(endo_mutual_evaluate(m, worlds[0], 2, values, NULL), "transform 1");
    endo_mutual_destroy(&m);
}

/* A range that is given is used, for the volume it is given for; the other's is found. */
static void test_given_range(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels);
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
    static uint32_t counts[256 * 256];
    double world[16];
    uint32_t lowest[2] = {0, 0}; /* of the bins, by the first index and by the second */
    endo_affine3_identity(world);
    o.bins = 32;
    o.low[0] = 254;
    o.high[0] = 255;
    CHECK(endo_mutual_create(c, &v, &v, &o, &m) == ENDO_OK && endo_mutual_histogram(m, world, counts) == ENDO_OK);
    for (int i = 0; i < 32; i++) {
        lowest[0] += counts[i];
        lowest[1] += counts[32 * i];
    }
    CHECK((lowest[0] == VOXELS) != (lowest[1] == VOXELS));
    endo_mutual_destroy(&m);
}

static void test_resampled(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels);
    double world[16];
    endo_affine3_identity(world);
    for (int nearest = 0; nearest < 2; nearest++) {
        world[3] = 3 * 3.2, world[7] = 0, world[11] = -2 * 3.4; /* whole voxels */
        CHECK(endo_mutual_resample(c, &v, &v, world, (endo_mutual_interpolation)nearest,
                                   &(endo_volume_output){.pixels = out}) == ENDO_OK);
        for (int i = 0; i < VOXELS; i++) {
            int x = i % WIDTH + 3, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT - 2;
            int inside = x < WIDTH && z >= 0;
            CHECK(out[i] == (inside ? fixed_pixels[(z * HEIGHT + y) * WIDTH + x] : 0));
        }
        world[3] = 0, world[11] = 0, world[7] = 0.5 * 3.2;
        CHECK(endo_mutual_resample(c, &v, &v, world, (endo_mutual_interpolation)nearest,
                                   &(endo_volume_output){.pixels = out}) == ENDO_OK);
        for (int i = 0; i + WIDTH < VOXELS && !nearest; i++)
            if (i / WIDTH % HEIGHT < HEIGHT - 1)
                CHECK(out[i] == (fixed_pixels[i] + fixed_pixels[i + WIDTH] + 1) / 2);
    }
}

/* Rows and slices that lie apart; what is between them is left alone. */
static void test_resampled_apart(endo_context *c) {
    enum { ROW = WIDTH + 2, SLICE = ROW * (HEIGHT + 1) };
    endo_volume v = volume_of(fixed_pixels);
    uint8_t *apart = malloc((size_t)SLICE * DEPTH);
    const endo_volume_output to = {.pixels = apart, .stride = ROW, .slice = SLICE};
    double world[16];
    int differ = 0;
    endo_affine3_identity(world);
    memset(apart, 0x77, (size_t)SLICE * DEPTH);
    CHECK(endo_mutual_resample(c, &v, &v, world, ENDO_MUTUAL_NEAREST, &to) == ENDO_OK);
    for (int i = 0; i < SLICE * DEPTH; i++) {
        int x = i % ROW, y = i % SLICE / ROW, z = i / SLICE;
        differ += apart[i] != (x < WIDTH && y < HEIGHT ? fixed_pixels[(z * HEIGHT + y) * WIDTH + x] : 0x77);
    }
    CHECK(differ == 0);
    free(apart);
}

static void test_what_is_not_resampled(endo_context *c) {
    endo_volume v = volume_of(fixed_pixels);
    const endo_volume_output to = {.pixels = out}, nowhere = {.pixels = NULL};
    const endo_volume_output narrow = {.pixels = out, .stride = 3}, flat = {.pixels = out, .slice = 5};
    double world[16];
    endo_affine3_identity(world);
    REFUSES(endo_mutual_resample(c, &v, &v, world, (endo_mutual_interpolation)2, &to), "interpolation 2");
    REFUSES(endo_mutual_resample(c, &v, &v, world, ENDO_MUTUAL_LINEAR, &narrow), "stride 3");
    REFUSES(endo_mutual_resample(c, &v, &v, world, ENDO_MUTUAL_LINEAR, &flat), "slice 5");
    REFUSES(endo_mutual_resample(c, &v, &v, world, ENDO_MUTUAL_LINEAR, &nowhere), "resampling: an argument is NULL");
    REFUSES(endo_mutual_resample(c, &v, &v, world, ENDO_MUTUAL_LINEAR, NULL), "resampling: an argument is NULL");
}

int main(void) {
    const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    endo_context_options o = endo_context_options_default();
    endo_context *c = NULL;
    o.backend = ENDO_BACKEND_CPU, o.threads = 2;
    CHECK(endo_context_create(&o, &c) == ENDO_OK);
    draw_volumes(still);
    test_refusals(c);
    test_no_content(c);
    test_no_overlap(c);
    test_noise(c);
    test_run_skipping(c);
    test_measure(c);
    test_given_range(c);
    test_resampled(c);
    test_resampled_apart(c);
    test_what_is_not_resampled(c);
    test_worlds(c);
    test_models(c);
    endo_context_destroy(&c);
    return check_summary("test_mutual_contract");
}
