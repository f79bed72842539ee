/* Blends of homographies: what lies where they say, without a step where runs or cells end. */
#include "blend_rig.h"

static uint16_t deep_result[CANVAS];

/* Adds one frame at a pose in both passes; what comes out lies in pixels, `painted` and `coverage`. */
static void blend_at(endo_context *context, const endo_frames *frames, endo_pixel type, const endo_transform *pose,
                     int shrink, int side, void *pixels) {
    endo_blend_options o = endo_blend_options_default();
    endo_blend *blend = NULL;
    const int32_t slot = 0;
    o.shrink = shrink;
    CHECK(endo_blend_create(context, type, side, side, &o, &blend) == ENDO_OK);
    for (int pass = 0; pass < 2; pass++) {
        CHECK(endo_blend_add(blend, frames, POSED(&slot, pose, .n = 1, .origin_x = 7, .origin_y = -2)) == ENDO_OK);
        if (pass == 0) CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    }
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, side, side},
                          &(endo_panorama_planes){pixels, painted, coverage, NULL}) == ENDO_OK);
    endo_blend_destroy(&blend);
}

/* A picture that is a + b x + c y shows everywhere what that is where the pixel lies, but for 1/8 px of its slope and the
 * rounding of places, weights and values: so there are no steps where runs or cells end. One frame covers a pixel once. */
static void test_homography(endo_context *context) {
    const double a = 30000, b = 150, c = -220;
    static const double perspective[5][2] = {{0, 0.0001}, {0.0004, 0.0002}, {-0.0012, 0.001}, {0.003, -0.0015}, {-0.002, 0}};
    for (int i = 0; i < AREA; i++) deep[i] = (uint16_t)(a + b * (i % WIDTH) + c * (i / WIDTH));
    endo_frames *frames = make_frames(context, ENDO_GREY16, 1);
    for (int k = 0; k < 5; k++) {
        endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {0.9, 0.2, 20.3, -0.25, 1, 40.7, perspective[k][0],
                                                      perspective[k][1], 1}}, back;
        int reached = 0, wrong = 0;
        CHECK(endo_transform_inverse(&t, &back));
        blend_at(context, frames, ENDO_GREY16, &t, 1, SIDE, deep_result);
        for (int i = 0; i < CANVAS; i++) {
            double x, y;
            CHECK(endo_transform_point(&back, i % SIDE - 7, i / SIDE + 2, &x, &y));
            double beyond = fmax(fmax(1 - x, x - WIDTH + 2), fmax(1 - y, y - HEIGHT + 2));
            if (fabs(beyond) < 0.13) continue;
            wrong += coverage[i] != (beyond < 0) || painted[i] != (beyond < 0 ? 255 : 0);
            if (beyond < 0) wrong += fabs(deep_result[i] - (a + b * x + c * y)) > (b - c) * (0.125 + 2.0 / 256) + 16;
            reached += beyond < 0;
        }
        CHECK(wrong == 0 && reached > 3000);
    }
    endo_frames_destroy(&frames);
}

/* Three times smaller: means of what is three times larger. */
static void test_homography_shrink(endo_context *context) {
    enum { K = 3, PART = SIDE / K };
    endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {0.9, 0.2, 20.3, -0.25, 1, 40.7, -0.0012, 0.001, 1}}, small = t, back;
    const double a = 30000, b = 150, c = -220;
    int reached = 0, wrong = 0;
    for (int i = 0; i < AREA; i++) deep[i] = (uint16_t)(a + b * (i % WIDTH) + c * (i / WIDTH));
    for (int i = 0; i < 6; i++) small.matrix[i] /= K;
    endo_frames *frames = make_frames(context, ENDO_GREY16, 1);
    blend_at(context, frames, ENDO_GREY16, &small, K, PART, deep_result);
    CHECK(endo_transform_inverse(&small, &back));
    for (int i = 0; i < PART * PART; i++) {
        double x, y;
        CHECK(endo_transform_point(&back, i % PART - 7, i / PART + 2, &x, &y));
        if (x < 6 || y < 6 || x > WIDTH - 7 || y > HEIGHT - 7) continue;
        wrong += coverage[i] != 1 || fabs(deep_result[i] - (a + b * x + c * y)) > (b - c) * 0.25 + 16;
        reached++;
    }
    CHECK(wrong == 0 && reached > 500);
    endo_frames_destroy(&frames);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_homography(context);
        test_homography_shrink(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_blend_homography");
}
