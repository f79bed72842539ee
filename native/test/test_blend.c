/* Blends against what they promise: exact copies of one frame, known factors, no seams between frames of different
 * light, details of few frames, and outliers that do not show. */
#include "blend_rig.h"

#include <string.h>

static uint32_t result[CANVAS], other[CANVAS];
static uint16_t deep_result[CANVAS];
static uint8_t grey_result[CANVAS];

/* ----------------------------------------------------------------- one frame */

/* At whole pixels a frame comes back as it is, where the 16 pixels around lie in the field. */
static void test_copy(endo_context *context) {
    plan p = plan_of(1);
    fill_scene(5);
    run(context, &p, result);
    for (int i = 0; i < CANVAS; i++) {
        int x = i % SIDE - 30, y = i / SIDE - 30, inside = x >= 1 && y >= 1 && x < WIDTH - 2 && y < HEIGHT - 2;
        CHECK(painted[i] == (inside ? 255 : 0) && coverage[i] == inside);
        CHECK(result[i] == (inside ? colour[0][y * WIDTH + x] : 0));
    }
    p.type = ENDO_GREY8;
    run(context, &p, grey_result);
    p.type = ENDO_GREY16;
    run(context, &p, deep_result);
    for (int i = 0; i < CANVAS; i++) {
        int x = i % SIDE - 30, y = i / SIDE - 30;
        if (!painted[i]) continue;
        CHECK(grey_result[i] == grey[y * WIDTH + x] && deep_result[i] == deep[y * WIDTH + x]);
    }
}

/* A frame of little weight reaches pixels at its edge without weight, in cells of which neither frame shows the middle: they
 * are not painted, and nothing is divided by nothing. */
static void test_pixels_without_weight(endo_context *context) {
    static const double at[2][6] = {{0.942492, 0.334230, 25.504615, -0.334230, 0.942492, 29.795940},
                                    {0.857388, 0.287393, 40.582859, -0.287393, 0.857388, 32.323918}};
    static const int32_t weights[2] = {256, 3};
    static const int32_t slots[2] = {0, 1};
    const endo_blend_options o = endo_blend_options_default();
    const endo_transform poses[2] = {endo_transform_of_affine(at[0]), endo_transform_of_affine(at[1])};
    fill_scene(3);
    for (int i = 0; i < AREA; i++) colour[1][i] = colour[0][AREA - 1 - i];
    endo_frames *frames = make_frames(context, ENDO_RGB32, 2);
    endo_blend *blend = NULL;
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, &o, &blend) == ENDO_OK);
    CHECK(endo_blend_add(blend, frames, POSED(slots, poses, .weights = weights, .n = 2)) == ENDO_OK);
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    CHECK(endo_blend_add(blend, frames, POSED(slots, poses, .weights = weights, .n = 2)) == ENDO_OK);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    CHECK(!painted[92 * SIDE + 84] && !coverage[92 * SIDE + 84] && result[92 * SIDE + 84] == 0);
    CHECK(painted[92 * SIDE + 78] && coverage[92 * SIDE + 78]);
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
}

/* Both frames blended at one pose, and a pixel of the left half and one of the right. */
static void blend_both(endo_context *context, endo_frames *frames, int *left, int *right) {
    static const int32_t slots[2] = {0, 1};
    const endo_transform poses[2] = {endo_transform_still, endo_transform_still};
    endo_blend_options o = endo_blend_options_default();
    endo_blend *blend = NULL;
    o.votes = 0;
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, &o, &blend) == ENDO_OK);
    for (int pass = 0; pass < 2; pass++) {
        CHECK(endo_blend_add(blend, frames, POSED(slots, poses, .n = 2)) == ENDO_OK);
        if (pass == 0) CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    }
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    CHECK(painted[HEIGHT / 2 * SIDE + WIDTH / 4] && coverage[HEIGHT / 2 * SIDE + WIDTH / 4] == 2);
    *left = channel(result[HEIGHT / 2 * SIDE + WIDTH / 4], 1);
    *right = channel(result[HEIGHT / 2 * SIDE + WIDTH * 3 / 4], 1);
    endo_blend_destroy(&blend);
}

/* What is hidden of one frame shows the other one; what is hidden of both shows both, and what is partly hidden an eighth. */
static void test_hidden(endo_context *context) {
    static const uint8_t first_left[2] = {ENDO_HIDDEN, ENDO_SHOWN};
    static const uint8_t partly_left[2] = {ENDO_PARTLY_HIDDEN, ENDO_SHOWN};
    static const uint8_t right_row[4] = {ENDO_SHOWN, ENDO_HIDDEN, ENDO_SHOWN, ENDO_HIDDEN};
    static const uint8_t all = ENDO_HIDDEN;
    static const uint8_t none = ENDO_HIDDEN + 1;
    int left;
    int right;
    fill_flat(0, 100);
    fill_flat(1, 200);
    endo_frames *frames = make_frames(context, ENDO_RGB32, 2);
    blend_both(context, frames, &left, &right);
    CHECK_NEAR(left, 150, 1);
    CHECK_NEAR(right, 150, 1);
    CHECK(endo_frames_hide(frames, 0, 2, 1, first_left) == ENDO_OK && endo_frames_hide(frames, 1, 2, 2, right_row) == ENDO_OK);
    blend_both(context, frames, &left, &right);
    CHECK_NEAR(left, 200, 2);
    CHECK_NEAR(right, 100, 2);
    CHECK(endo_frames_hide(frames, 0, 2, 1, partly_left) == ENDO_OK);
    blend_both(context, frames, &left, &right);
    CHECK_NEAR(left, (8 * 200 + 100) / 9.0, 2);
    CHECK(endo_frames_hide(frames, 0, 1, 1, &all) == ENDO_OK && endo_frames_hide(frames, 1, 1, 1, &all) == ENDO_OK);
    blend_both(context, frames, &left, &right);
    CHECK_NEAR(left, 150, 1);
    CHECK(endo_frames_hide(frames, 0, 2, 1, first_left) == ENDO_OK && endo_frames_put(frames, 1, colour[1], WIDTH) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, colour[0], WIDTH) == ENDO_OK);
    blend_both(context, frames, &left, &right);
    CHECK_NEAR(left, 150, 1);
    CHECK_NEAR(right, 150, 1);
    CHECK(endo_frames_hide(frames, 2, 1, 1, &all) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "slot 2"));
    CHECK(endo_frames_hide(frames, 0, 0, 1, &all) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "0 x 1 cells"));
    CHECK(endo_frames_hide(frames, 0, 17, 16, &all) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "17 x 16 cells"));
    CHECK(endo_frames_hide(frames, 0, 1, 1, &none) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "cell 0 is 3"));
    CHECK(endo_frames_hide(frames, 0, 1, 1, NULL) == ENDO_ERR_ARGUMENT && endo_frames_hide(NULL, 0, 1, 1, &all) == ENDO_ERR_ARGUMENT);
    endo_frames_destroy(&frames);
}

/* Halfway between pixels: (-1, 9, 9, -1) / 16 of a row of Catmull and Rom's, (1, 1) / 2 of the linear. */
static void test_halfway(endo_context *context) {
    plan p = plan_of(1);
    fill_scene(6);
    p.shifts[0][0] = 30.5;
    for (int cubic = 0; cubic < 2; cubic++) {
        p.options.interpolation = cubic ? ENDO_INTERPOLATION_CUBIC : ENDO_INTERPOLATION_LINEAR;
        run(context, &p, result);
        for (int i = 0; i < CANVAS; i++) {
            if (!painted[i]) continue;
            const uint32_t *at = colour[0] + (i / SIDE - 30) * WIDTH + (i % SIDE - 31);
            for (int c = 0; c < 3; c++) {
                double inner = channel(at[0], c) + channel(at[1], c), outer = channel(at[-1], c) + channel(at[2], c);
                double exact = cubic ? (9 * inner - outer) / 16 : inner / 2;
                CHECK_NEAR(channel(result[i], c), exact < 0 ? 0 : exact, 1);
            }
        }
    }
}

/* Factors of the frame and of its places. */
static void test_factors(endo_context *context) {
    static uint16_t correction[AREA];
    static const int32_t gains[3] = {4096, 6144, 2048}; /* red, green, blue */
    plan p = plan_of(1);
    fill_flat(0, 80);
    for (int i = 0; i < AREA; i++) correction[i] = (uint16_t)(4096 + 20 * (i % WIDTH));
    p.gains = gains, p.correction = correction;
    run(context, &p, result);
    for (int i = 0; i < CANVAS; i++) {
        if (!painted[i]) continue;
        double factor = correction[i % SIDE - 30] / 4096.0;
        CHECK_NEAR(channel(result[i], 2), 80 * factor, 0.7);
        CHECK_NEAR(channel(result[i], 1), 80 * factor * 1.5, 0.7);
        CHECK_NEAR(channel(result[i], 0), 80 * factor * 0.5, 0.7);
    }
}

/* Three times smaller: each pixel is the mean of nine of the frame, around the same place. Details that the frame has and
 * the panorama cannot do not alias. */
static void test_shrink(endo_context *context) {
    enum { K = 3 };
    plan p = plan_of(1);
    fill_scene(7);
    endo_frames *frames = make_frames(context, ENDO_RGB32, 1);
    endo_blend *blend = NULL;
    const double m[6] = {1.0 / K, 0, 10 - (K - 1) / (2.0 * K), 0, 1.0 / K, 20 - (K - 1) / (2.0 * K)};
    const endo_transform pose = endo_transform_of_affine(m);
    const int32_t slot = 0;
    p.options.shrink = K;
    CHECK(endo_blend_create(context, ENDO_RGB32, 60, 70, &p.options, &blend) == ENDO_OK);
    for (int pass = 0; pass < 2; pass++) {
        CHECK(endo_blend_add(blend, frames, POSED(&slot, &pose, .n = 1, .origin_x = 2, .origin_y = -3)) == ENDO_OK);
        if (pass == 0) CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    }
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, 60, 71},
                          &(endo_panorama_planes){.pixels = result}) == ENDO_ERR_ARGUMENT);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 1, 60, 69},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    for (int y = 18; y < 40; y++)
        for (int x = 13; x < 43; x++) {
            int i = (y - 1) * 60 + x, sum = 0;
            for (int k = 0; k < K * K; k++)
                sum += channel(colour[0][(K * (y - 17) + k / K) * WIDTH + K * (x - 12) + k % K], 1);
            CHECK(painted[i] == 255 && coverage[i] == 1);
            CHECK_NEAR(channel(result[i], 1), sum / 9.0, 0.7);
        }
    CHECK(painted[0] == 0 && result[0] == 0);
    endo_blend_destroy(&blend);
    p.options.shrink = 9;
    CHECK(endo_blend_create(context, ENDO_RGB32, 60, 70, &p.options, &blend) == ENDO_ERR_ARGUMENT);
    p.options.shrink = 2;
    CHECK(endo_blend_create(context, ENDO_RGB32, 1 << 20, 70, &p.options, &blend) == ENDO_ERR_ARGUMENT);
    endo_frames_destroy(&frames);
}

/* -------------------------------------------------------------- many frames */

static int largest_step(const uint32_t *pixels) {
    int most = 0;
    for (int i = 0; i + SIDE < CANVAS; i++)
        for (int k = 0; k < 2; k++) {
            int beside = i + (k ? SIDE : 1);
            if (!painted[i] || !painted[beside] || (!k && i % SIDE == SIDE - 1)) continue;
            int step = channel(pixels[beside], 1) - channel(pixels[i], 1);
            if (abs(step) > most) most = abs(step);
        }
    return most;
}

/* Light that differs by 4 levels leaves no rim, not even in the corner where both see next to nothing, and what one frame
 * alone sees has that frame's. */
static void test_seams(endo_context *context) {
    plan p = plan_of(2);
    fill_flat(0, 100);
    fill_flat(1, 104);
    p.shifts[0][0] = 4, p.shifts[1][0] = 44;
    run(context, &p, result);
    CHECK(largest_step(result) <= 2);
    CHECK(channel(result[70 * SIDE + 6], 1) == 100 && channel(result[70 * SIDE + 44 + 92], 1) == 104);
    CHECK(coverage[70 * SIDE + 6] == 1 && coverage[70 * SIDE + 70] == 2);
}

/* Six frames of a flat scene, one of which shows something else in a square of 24 px. */
static void test_outliers(endo_context *context) {
    static const struct {
        int level, votes;
        double allowed;
    } cases[] = {{255, 0, 1}, {255, 1, 1}, {190, 1, 2.5}};
    int inside = (30 + 40) * SIDE + 30 + 48;
    for (int k = 0; k < 3; k++) {
        plan p = plan_of(6);
        p.options.votes = cases[k].votes;
        for (int i = 0; i < 6; i++) fill_flat(i, 100), p.shifts[i][0] = 30 + 3 * (i - 2);
        for (int i = 0; i < AREA; i++)
            if (abs(i % WIDTH - 48) < 12 && abs(i / WIDTH - 40) < 12) colour[2][i] = rgb_of(cases[k].level);
        run(context, &p, result);
        CHECK_NEAR(channel(result[inside], 1), 100, cases[k].allowed);
        if (cases[k].level == 255) CHECK(largest_step(result) <= 2);
    }
    plan alone = plan_of(1);
    memcpy(colour[0], colour[2], sizeof colour[0]);
    for (int i = 0; i < AREA; i++)
        if (channel(colour[0][i], 1) == 190) colour[0][i] = rgb_of(255);
    run(context, &alone, result);
    CHECK(painted[inside] && channel(result[inside], 1) == 255);
}

/* Where two frames see a place, the one that sees it deep in its field decides the details; weights may turn that round. */
static void test_details(endo_context *context) {
    static const int32_t weights[2] = {64, 256};
    plan p = plan_of(2);
    for (int i = 0; i < AREA; i++) {
        int odd = (i % WIDTH + i / WIDTH) & 1;
        colour[0][i] = rgb_of(odd ? 104 : 96), colour[1][i] = rgb_of(odd ? 96 : 104);
    }
    p.shifts[0][0] = 4, p.shifts[1][0] = 44; /* both even: their patterns are opposite */
    int deep_in_first = 70 * SIDE + 58, even = (58 + 70 - 4 - 30) % 2 == 0;
    run(context, &p, result);
    CHECK_NEAR(channel(result[deep_in_first], 1), even ? 96 : 104, 1.5);
    p.weights = weights;
    run(context, &p, result);
    CHECK_NEAR(channel(result[deep_in_first], 1), even ? 104 : 96, 1.5);
}

/* Details of the frame that sees best, light of both: (255 * 100 + 63 * 110) / 318. */
static void test_light(endo_context *context) {
    static const int32_t weights[2] = {256, 64};
    plan p = plan_of(2);
    fill_flat(0, 100);
    fill_flat(1, 110);
    for (int i = 0; i < AREA; i += 2) colour[0][i] = rgb_of(90), colour[0][i + 1] = rgb_of(110);
    p.weights = weights, p.options.votes = 0;
    run(context, &p, result);
    int middle = (30 + HEIGHT / 2) * SIDE + 30 + WIDTH / 2;
    CHECK_NEAR(channel(result[middle], 1), 92, 0.6);
    CHECK_NEAR(channel(result[middle + 1], 1), 112, 0.6);
}

/* A field of 10 x 10 px: where the better frame ends within a cell, what the other shows beyond is faint and yet seen. */
static void test_run_skipping(endo_context *context) {
    static const int32_t weights[2] = {256, 1};
    static uint8_t field[AREA];
    for (int i = 0; i < AREA; i++) field[i] = i % WIDTH / 10 == 4 && i / WIDTH / 10 == 4 ? 255 : 0;
    plan p = plan_of(2);
    endo_frames_options o = endo_frames_options_default();
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.flow = 0, o.rim = 0, o.field = field;
    p.weights = weights, p.shifts[1][0] = 32, p.shifts[1][1] = 32;
    for (int deep_colour = 0; deep_colour < 2; deep_colour++) {
        endo_frames *frames = NULL;
        endo_blend *blend = NULL;
        o.type = deep_colour ? ENDO_GREY16 : ENDO_RGB32;
        CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
        for (int i = 0; i < AREA; i++) deep[i] = 30000, colour[0][i] = rgb_of(100);
        for (int i = 0; i < 2; i++)
            CHECK(endo_frames_put(frames, i, deep_colour ? (void *)deep : (void *)colour[0], WIDTH) == ENDO_OK);
        CHECK(endo_blend_create(context, o.type, SIDE, SIDE, NULL, &blend) == ENDO_OK);
        add(blend, frames, &p);
        CHECK(endo_blend_next_pass(blend) == ENDO_OK);
        add(blend, frames, &p);
        CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                              &(endo_panorama_planes){deep_colour ? (void *)deep_result : (void *)result, painted, coverage,
                                                      NULL}) == ENDO_OK);
        for (int i = 0; i < CANVAS; i++) {
            int first = abs(2 * (i % SIDE) - 148) < 8 && abs(2 * (i / SIDE) - 148) < 8;
            int second = abs(2 * (i % SIDE) - 152) < 8 && abs(2 * (i / SIDE) - 152) < 8;
            CHECK(coverage[i] == first + second && painted[i] == (first || second ? 255 : 0));
            if (painted[i] && deep_colour) CHECK_NEAR(deep_result[i], 30000, 16);
            if (painted[i] && !deep_colour) CHECK(result[i] == rgb_of(100));
        }
        endo_blend_destroy(&blend);
        endo_frames_destroy(&frames);
    }
}

/* Where the second pass lacks the frame that saw best in the first, the others do what they can. */
static void test_missing(endo_context *context) {
    static const int32_t weights[2] = {256, 16};
    const int32_t slots[2] = {0, 1};
    const double m[6] = {1, 0, 30, 0, 1, 30};
    const endo_transform poses[2] = {endo_transform_of_affine(m), endo_transform_of_affine(m)};
    endo_blend *blend = NULL;
    fill_flat(0, 100);
    fill_flat(1, 104);
    endo_frames *frames = make_frames(context, ENDO_RGB32, 2);
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, NULL, &blend) == ENDO_OK);
    CHECK(endo_blend_add(blend, frames, POSED(slots, poses, .weights = weights, .n = 2)) == ENDO_OK);
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    CHECK(endo_blend_add(blend, frames, POSED(slots + 1, poses, .weights = weights + 1, .n = 1)) == ENDO_OK);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    for (int i = 0; i < CANVAS; i++)
        if (coverage[i]) CHECK(painted[i] && result[i] == rgb_of(104));
    CHECK(coverage[70 * SIDE + 78] == 1);
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
}

/* A blend has the same bytes whatever the order of its frames, and however often the same is seen. */
static void test_order(endo_context *context) {
    plan p = plan_of(MOST), back = plan_of(MOST);
    test_random r = {11};
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < AREA; k++) colour[i][k] = rgb_of(test_between(&r, 90, 110));
        p.shifts[i][0] = 30 + 10 * test_unit(&r), p.shifts[i][1] = 30 + 10 * test_unit(&r);
    }
    run(context, &p, result);
    for (int i = 0; i < MOST / 2; i++)
        for (int k = 0; k < AREA; k++) {
            uint32_t kept = colour[i][k];
            colour[i][k] = colour[MOST - 1 - i][k], colour[MOST - 1 - i][k] = kept;
        }
    for (int i = 0; i < MOST; i++) memcpy(back.shifts[i], p.shifts[MOST - 1 - i], sizeof back.shifts[i]);
    run(context, &back, other);
    CHECK(!memcmp(result, other, sizeof result));
}

static void test_full(endo_context *context) {
    plan p = plan_of(1);
    fill_flat(0, 240);
    p.repeats = 3000;
    static const int32_t gains[3] = {8192, 4096, 4096}; /* twice the range is the most */
    p.gains = gains;
    run(context, &p, result);
    for (int i = 0; i < CANVAS; i++)
        if (painted[i]) CHECK(result[i] == 0xfffff0f0u && coverage[i] == 3000);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_copy(context);
        test_pixels_without_weight(context);
    test_halfway(context);
        test_hidden(context);
        test_factors(context);
        test_shrink(context);
        test_seams(context);
        test_outliers(context);
        test_details(context);
        test_light(context);
        test_run_skipping(context);
        test_missing(context);
        test_order(context);
        if (i) test_full(context); /* the reference is slow */
        endo_context_destroy(&context);
    }
    return check_summary("test_blend");
}
