/* Where a registration by mutual information begins, how far it looks about, and of what its overlap is a share. */
#include "systems/mutual/mutual.h"
#include "check.h"

#include <string.h>

enum { WIDTH = 24, HEIGHT = 20, DEPTH = 16, VOXELS = WIDTH * HEIGHT * DEPTH };

static endo_context *context;
static uint8_t fixed_pixels[VOXELS], moving_pixels[VOXELS], mask[VOXELS];

static endo_volume volume_of(const uint8_t *pixels, int width, int height, int depth, double x, double y, double z) {
    endo_volume v = endo_volume_default();
    v.pixels = pixels;
    v.width = width;
    v.height = height;
    v.depth = depth;
    v.stride = width;
    v.slice = (ptrdiff_t)width * height;
    v.spacing[0] = x;
    v.spacing[1] = y;
    v.spacing[2] = z;
    return v;
}

static endo_volume fixed_volume(void) { return volume_of(fixed_pixels, WIDTH, HEIGHT, DEPTH, 1, 2, 1.5); }
static endo_volume moving_volume(void) { return volume_of(moving_pixels, 20, 16, 14, 1.2, 2.2, 2); }

static endo_mutual *begin(const endo_mutual_options *options) {
    endo_volume fixed = fixed_volume(), moving = moving_volume();
    endo_mutual *m = NULL;
    CHECK(endo_mutual_make_plain(context, &fixed, &moving, options, &m) == ENDO_OK);
    return m;
}

/* The initial map takes a place of the fixed volume to one of the moving volume, both in voxels, and only shifts. */
static void check_meets(const endo_mutual *m, const double fixed[3], const double moving[3]) {
    double from[3], expected[3], to[3];
    endo_affine3_apply(m->fixed[0].world, fixed, from);
    endo_affine3_apply(m->moving[0].world, moving, expected);
    endo_affine3_apply(m->initial, from, to);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(to[i], expected[i], 1e-9);
        for (int k = 0; k < 3; k++) CHECK(m->initial[4 * i + k] == (i == k));
    }
}

static void test_initial(void) {
    const double middle[2][3] = {{11.5, 9.5, 7.5}, {9.5, 7.5, 6.5}}, bright[2][3] = {{5, 6, 7}, {11, 3, 9}};
    double still[16];
    endo_mutual_options o = endo_mutual_options_default();
    memset(fixed_pixels, 0, sizeof fixed_pixels);
    memset(moving_pixels, 0, sizeof moving_pixels);
    fixed_pixels[(7 * HEIGHT + 6) * WIDTH + 5] = 200;
    moving_pixels[(9 * 16 + 3) * 20 + 11] = 100;
    endo_affine3_identity(still);

    o.initial = ENDO_MUTUAL_HEADER;
    endo_mutual *m = begin(&o);
    CHECK(memcmp(m->initial, still, sizeof still) == 0);
    endo_mutual_free(m);

    o.initial = ENDO_MUTUAL_CENTRES;
    m = begin(&o);
    check_meets(m, middle[0], middle[1]);
    endo_mutual_free(m);

    o.initial = ENDO_MUTUAL_MOMENTS;
    m = begin(&o);
    check_meets(m, bright[0], bright[1]);
    endo_mutual_free(m);

    o.initial = ENDO_MUTUAL_GIVEN;
    o.initial_map[3] = 4.5;
    m = begin(&o);
    CHECK(memcmp(m->initial, o.initial_map, sizeof still) == 0);
    endo_mutual_free(m);
}

/* An eighth of the longest side, in mm: of 24, 40 and 24. */
static void test_ranges(void) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = begin(&o);
    CHECK_NEAR(m->options.shift_range, 5, 1e-12);
    CHECK(m->options.bins == 64);
    endo_mutual_free(m);
    o.shift_range = 3;
    o.bins = 100;
    m = begin(&o);
    CHECK(m->options.shift_range == 3 && m->options.bins == 100);
    endo_mutual_free(m);
}

/* A volume onto itself: all voxels of the mask meet; of that many at least a quarter must. */
static void test_mask(void) {
    endo_volume fixed = fixed_volume();
    endo_mutual_options o = endo_mutual_options_default();
    endo_mutual *m = NULL;
    double still[16], value, overlap;
    int counted = 0;
    endo_affine3_identity(still);
    for (int i = 0; i < VOXELS; i++) {
        fixed_pixels[i] = (uint8_t)(i * 37 % 251);
        mask[i] = i % WIDTH < 9 ? 3 : 0;
        counted += mask[i] != 0;
    }
    fixed.mask = mask;
    CHECK(endo_mutual_make_plain(context, &fixed, &fixed, &o, &m) == ENDO_OK);
    CHECK(m->counted == counted);
    CHECK_NEAR(m->least[0], 0.25 * counted, 1e-9);
    CHECK(endo_mutual_values(m, still, 1, &value, &overlap) == ENDO_OK);
    CHECK(overlap == 1);
    endo_mutual_free(m);
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    test_initial();
    test_ranges();
    test_mask();
    endo_context_destroy(&context);
    return check_summary("test_mutual_start");
}
