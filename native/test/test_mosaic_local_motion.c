/* Two images whose parts have moved against each other, and small copies of frames. */
#include "systems/mosaic/local_motion.h"
#include "systems/mosaic/reduced_frames.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 180, AREA = WIDTH * HEIGHT };

static const mosaic_size size = {WIDTH, HEIGHT};
static uint8_t reference[AREA], current[AREA], mask[AREA];

/* A scene of blobs: noise of a seed at every seventh place, and cubics between. */
static double node(uint64_t seed, int x, int y) {
    uint64_t h = seed * 0x9E3779B97F4A7C15u + (uint64_t)(x + 1000) * 0xC2B2AE3D27D4EB4Fu + (uint64_t)(y + 1000) * 0x165667B19E3779F9u;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    return (double)(h & 0xFFFF) / 65535;
}

static double smooth(double t) { return t * t * (3 - 2 * t); }

static double scene(uint64_t seed, double x, double y) {
    int i = (int)floor(x / 7);
    int j = (int)floor(y / 7);
    double u = smooth(x / 7 - i);
    double v = smooth(y / 7 - j);
    double upper = (1 - u) * node(seed, i, j) + u * node(seed, i + 1, j);
    double lower = (1 - u) * node(seed, i, j + 1) + u * node(seed, i + 1, j + 1);
    return 60 + 120 * ((1 - v) * upper + v * lower);
}

/* The scene at a shift, with waves of so many px, in the columns from .. to - 1. */
static void draw(uint8_t *image, uint64_t seed, double shift, double waves, int from, int to) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = from; x < to; x++) {
            double u = x + shift + waves * sin(y / 24.0);
            double v = y + waves * sin(x / 28.0);
            image[y * WIDTH + x] = (uint8_t)(scene(seed, u, v) + 0.5);
        }
}

static local_motion find(double start) {
    local_motion found;
    endo_transform t = pose_translation(start, 0);
    CHECK(local_motion_find(reference, current, NULL, size, &t, &found) == ENDO_OK);
    return found;
}

/* No one transform holds the waves to less than a pixel; the shift is right nevertheless. */
static void test_tissue_that_has_moved(void) {
    draw(reference, 1, 0, 0, 0, WIDTH);
    draw(current, 1, 20, 3, 0, WIDTH);
    local_motion m = find(17);
    CHECK(m.is_same && m.patches > 60 && 10 * m.alike > 9 * m.patches);
    CHECK(fabs(pose_x(&m.transform, 120, 90) - 140) < 3 && fabs(pose_y(&m.transform, 120, 90) - 90) < 3);
    CHECK(m.deviation > 1 && m.deviation < 4);
    draw(current, 1, 20, 0, 0, WIDTH);
    m = find(17);
    CHECK(m.is_same && m.deviation < 0.5 && fabs(pose_x(&m.transform, 120, 90) - 140) < 0.5);
}

/* Two scenes that look alike: 200 pairs. */
static void test_scenes_that_have_nothing_in_common(void) {
    int most = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        draw(reference, seed, 0, 0, 0, WIDTH);
        draw(current, seed + 1000, 0, 0, 0, WIDTH);
        local_motion m = find((double)(seed % 40));
        CHECK(!m.is_same && m.patches > 30);
        if (m.alike > most) most = m.alike;
    }
    CHECK(most < 16);
}

/* The scene in some columns, another one in the others. */
static local_motion find_in_part(int columns) {
    draw(reference, 1, 0, 0, 0, WIDTH);
    draw(current, 1, 5, 0, 0, columns);
    draw(current, 2, 5, 0, columns, WIDTH);
    return find(5);
}

static void test_how_much_has_to_be_the_same(void) {
    local_motion a = find_in_part(84);
    local_motion b = find_in_part(68);
    CHECK(a.is_same && a.alike >= 0.3 * a.patches && a.alike < 0.4 * a.patches);
    CHECK(!b.is_same && b.alike >= 16 && b.alike < 0.3 * b.patches && b.alike > 0.2 * b.patches);
}

/* Few patches say nothing, however alike they are. */
static void test_few_patches(void) {
    const endo_transform t = pose_translation(4, 0);
    local_motion m;
    draw(reference, 1, 0, 0, 0, WIDTH);
    draw(current, 1, 4, 0, 0, WIDTH);
    for (int side = 90; side <= 110; side += 20) {
        for (int i = 0; i < AREA; i++) mask[i] = i % WIDTH < side && i / WIDTH < side;
        CHECK(local_motion_find(reference, current, mask, size, &t, &m) == ENDO_OK);
        CHECK(m.alike >= 9 && m.alike == m.patches && m.is_same == (m.patches >= 16) && m.is_same == (side == 110));
    }
}

/* What stands still with the scope, as an overlay does, is no scene. */
static void test_what_stands_still(void) {
    draw(reference, 1, 0, 0, 0, WIDTH);
    draw(current, 1, 1, 0, 0, WIDTH);
    local_motion still = find(0);
    CHECK(!still.is_same && still.patches > 60 && still.alike == 0);
    draw(current, 1, 2, 0, 0, WIDTH);
    CHECK(find(0).is_same);
}

static void test_images_without_texture(void) {
    local_motion m;
    endo_transform none = pose_scaling(0);
    memset(reference, 90, AREA);
    memset(current, 90, AREA);
    CHECK(!find(3).is_same && find(3).patches == 0);
    for (int i = 0; i < AREA; i++) reference[i] = current[i] = (uint8_t)(100 + 90 * sin(i % WIDTH / 4.0)); /* edges of one direction */
    CHECK(!find(3).is_same && find(3).patches == 0);
    CHECK(local_motion_find(reference, current, NULL, size, &none, &m) == ENDO_OK && !m.is_same && m.patches == 0);
    const mosaic_size tiny = {30, 20};
    none = pose_identity;
    CHECK(local_motion_find(reference, current, NULL, tiny, &none, &m) == ENDO_OK && !m.is_same && m.patches == 0);
}

/* -------------------------------------------------------------------- small copies */

static void test_the_size_of_copies(void) {
    CHECK(reduced_frames_factor((mosaic_size){320, 256}) == 1 && reduced_frames_factor((mosaic_size){321, 256}) == 2);
    CHECK(reduced_frames_factor((mosaic_size){512, 640}) == 2 && reduced_frames_factor((mosaic_size){836, 532}) == 3);
}

/* A copy has the mean of four pixels, where all of them are in the field; places of a copy lie in the middle of theirs. */
static void test_copies(void) {
    enum { W = 401, H = 120 };
    static uint8_t grey[W * H], inside[W * H], copy[200 * 60];
    field_of_view field = {.size = {W, H}, .mask = inside};
    endo_frames_options options = endo_frames_options_default();
    endo_context *context = NULL;
    endo_frames *frames = NULL;
    reduced_frames *r = NULL;
    for (int i = 0; i < W * H; i++) grey[i] = (uint8_t)(i % W % 2 + 4 * (i / W % 2) + (i % W) / 2);
    memset(inside, 1, sizeof inside);
    inside[3 * W + 9] = 0;
    options.width = W;
    options.height = H;
    options.capacity = 2;
    CHECK(endo_context_create(NULL, &context) == ENDO_OK && endo_frames_create(context, &options, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 1, grey, W) == ENDO_OK && reduced_frames_create(context, &field, 2, &r) == ENDO_OK);
    CHECK(reduced_frames_size(r).width == 200 && reduced_frames_size(r).height == 60);
    CHECK(reduced_frames_take(r, frames, 7, 1) == ENDO_OK);
    CHECK(endo_frames_get_grey(reduced_frames_store(r), 1, copy) == ENDO_OK);
    CHECK(copy[0] == 3 && copy[200 * 30 + 50] == 53 && copy[199] == 202); /* (0 + 1 + 4 + 5) / 4 = 2.5, and the column */
    CHECK(reduced_frames_mask(r)[1 * 200 + 4] == 0 && reduced_frames_mask(r)[1 * 200 + 5] == 1);
    memset(grey, 9, sizeof grey);
    CHECK(endo_frames_put(frames, 1, grey, W) == ENDO_OK && reduced_frames_take(r, frames, 7, 1) == ENDO_OK);
    CHECK(endo_frames_get_grey(reduced_frames_store(r), 1, copy) == ENDO_OK && copy[0] == 3); /* it was there */
    CHECK(reduced_frames_take(r, frames, 8, 1) == ENDO_OK);
    CHECK(endo_frames_get_grey(reduced_frames_store(r), 1, copy) == ENDO_OK && copy[0] == 9);

    endo_transform shift = pose_translation(3, -1);
    endo_transform up = reduced_frames_up(r, &shift);
    CHECK(up.kind == ENDO_TRANSFORM_TRANSLATION && up.matrix[2] == 6 && up.matrix[5] == -2 && up.matrix[0] == 1);
    endo_transform growth = pose_scaling(1.5);
    up = reduced_frames_up(r, &growth);
    CHECK(fabs(pose_x(&up, 0.5, 0.5) - 1) < 1e-12 && fabs(pose_x(&up, 20.5, 0.5) - 31) < 1e-12); /* 1.5 x + 0.25 of 10 is 15.25 */
    reduced_frames_destroy(&r);
    endo_frames_destroy(&frames);
    endo_context_destroy(&context);
}

int main(void) {
    test_tissue_that_has_moved();
    test_scenes_that_have_nothing_in_common();
    test_how_much_has_to_be_the_same();
    test_few_patches();
    test_what_stands_still();
    test_images_without_texture();
    test_the_size_of_copies();
    test_copies();
    return check_summary("test_mosaic_local_motion");
}
