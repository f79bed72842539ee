/* The rules of blending against their definitions in floating point, and its planes of the field by brute force. */
#include "rules/blend.h"
#include "systems/blend/blend_field.h"
#include "systems/field/field_planes.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* Catmull and Rom's spline. */
static void exact_taps(double t, double w[4]) {
    w[0] = (-t * t * t + 2 * t * t - t) / 2, w[1] = (3 * t * t * t - 5 * t * t + 2) / 2;
    w[2] = (-3 * t * t * t + 4 * t * t + t) / 2, w[3] = (t * t * t - t * t) / 2;
}

static void test_taps(void) {
    for (int f = 0; f < 256; f++) {
        double exact[4], linear[4] = {0, 64 - f / 4.0, f / 4.0, 0};
        int8_t taps[4], straight[4];
        exact_taps(f / 256.0, exact);
        endo_blend_taps(1, f, taps);
        endo_blend_taps(0, f, straight);
        CHECK(taps[0] + taps[1] + taps[2] + taps[3] == 64);
        CHECK(straight[0] + straight[1] + straight[2] + straight[3] == 64);
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(taps[k], 64 * exact[k], k == 1 ? 1.5 : 0.5); /* the second has what the others lose by rounding */
            CHECK_NEAR(straight[k], linear[k], 0.5);
        }
    }
}

static void test_values(void) {
    CHECK(endo_blend_value8(4096 * 77) == 77 * 16 && endo_blend_value8(-5000) == 0 && endo_blend_value8(4096 * 300) == 4080);
    CHECK(endo_blend_value16(4096 * 777) == 777 && endo_blend_value16(-9) == 0 && endo_blend_value16(4096 * 70000) == 65535);
    CHECK(endo_blend_shade(1600, 0, 4096, 4096, ENDO_BLEND_MOST) == 1600);
    CHECK(endo_blend_shade(1600, 0, 8192, 6144, ENDO_BLEND_MOST) == 4800); /* 2 times 3/2 */
    CHECK(endo_blend_shade(3568, 0, 16383, 16383, ENDO_BLEND_MOST) == ENDO_BLEND_MOST);
    CHECK(endo_blend_shade(65535, 0, 16383, 16383, ENDO_BLEND_MOST16) == ENDO_BLEND_MOST16);
    CHECK((uint64_t)ENDO_BLEND_MOST * ENDO_BLEND_MOST_WEIGHT <= UINT32_MAX);
}

/* White stays white under any light, without light every value is what it is, and what is brighter stays brighter until it is
 * white; the hue of a pixel one of whose channels is clipped stays. */
static void test_white(void) {
    const uint32_t factors[] = {1027, 2048, 3500, 4096, 5000, 8192};
    CHECK(endo_blend_white(3952) == 0 && endo_blend_white(3953) == 4 && endo_blend_white(4079) == 508);
    CHECK(endo_blend_white(4080) == 511 && endo_blend_white(4095) == 511);
    CHECK(endo_blend_white_of(4000, 0, 0) == 192 && endo_blend_white_of(0, 4000, 0) == 192);
    CHECK(endo_blend_white_of(1, 0, 4000) == 192);
    for (int k = 0; k < 6; k++) {
        uint32_t before = 0;
        for (uint32_t v = 0; v <= 4080; v++) {
            uint32_t shaded = endo_blend_shade(v, endo_blend_white(v), factors[k], 4096, ENDO_BLEND_MOST);
            uint32_t seen = shaded < 4080 ? shaded : 4080;
            CHECK(factors[k] != 4096 || shaded == v);
            CHECK(seen + 8 >= before); /* by half a level at most: the rounding of the factor */
            before = seen > before ? seen : before;
        }
        CHECK_NEAR(endo_blend_shade(4080, 511, factors[k], 4096, ENDO_BLEND_MOST), 4080, 8);
        CHECK_NEAR(endo_blend_shade(1000, 511, factors[k], 4096, ENDO_BLEND_MOST), 1000, 2);
    }
}

static void test_clipped(void) {
    CHECK(!endo_blend_clipped_rgb(0xfff9c8c8) && endo_blend_clipped_rgb(0xfffa0000) && endo_blend_clipped_rgb(0x0000fa00));
    CHECK(endo_blend_clipped_rgb(0x000000fa) && endo_blend_clipped_rgb(0xffcdcdce) && !endo_blend_clipped_rgb(0xffcccdcd));
    CHECK(endo_blend_clipped_rgb(0xfff0f0f0) && !endo_blend_clipped_rgb(0xffefefef));
    const int ranges[][2] = {{0, 65535}, {300, 64000}, {0, 4095}, {7, 9}};
    for (int i = 0; i < 4; i++) {
        uint32_t least = endo_blend_clipped_16(ranges[i][0], ranges[i][1]);
        CHECK(endo_grey_of_16(least, ranges[i][0], ranges[i][1]) >= ENDO_SPECULAR_GREY);
        CHECK(endo_grey_of_16(least - 1, ranges[i][0], ranges[i][1]) < ENDO_SPECULAR_GREY);
    }
}

static void test_weights(void) {
    for (int below = 0; below < 256; below++) {
        double exact = 4095 * pow(2, -below / 16.0) * (255 - below) / 255;
        CHECK_NEAR(endo_blend_narrow(255, 255u - (uint32_t)below), exact < 1 ? 1 : exact, 2);
    }
    CHECK(endo_blend_narrow(100, 200) == 4095);
    for (uint32_t d = 0; d < 8192; d += 13) CHECK_NEAR(endo_blend_vote(d, 128), 256 / (1 + pow(d / 128.0, 4)), 1);
    CHECK(endo_blend_vote(128, 128) == 128);
    CHECK(endo_blend_tolerance(0, 0, 9) == 128 && endo_blend_tolerance(1, 0, 65535) == 128);
    CHECK(endo_blend_tolerance(1, 1000, 5096) == 8 && endo_blend_tolerance(1, 0, 1) == 1);
    CHECK(endo_blend_score(255, 256, 0) == 255 && endo_blend_score(255, 128, 0) == 127 && endo_blend_score(0, 256, 0) == 0);
    CHECK(endo_blend_score(255, 256, 1) == 3 && endo_blend_score(1, 1, 1) == 1 && endo_blend_score(0, 256, 1) == 0);
    CHECK(endo_blend_share(4095, 256) == 4095 && endo_blend_share(100, 128) == 50 && endo_blend_share(3, 1) == 1);
}

/* The middle of a cell is one and a half pixels behind its first, as that of a block. */
static void test_positions(void) {
    const double one = 4294967296.0;
    for (int i = 0; i < 200; i++) {
        double at = 0.37 * i, step = 0.8 + 0.002 * i;
        double middle = at + step / 2, exact = (middle - 1.5) / 4;
        int64_t got = endo_blend_block_position((int64_t)(at * one), (int64_t)(step * one) >> 1);
        CHECK_NEAR(got / 256.0, exact, 0.5 / 256 + 1e-6);
    }
    for (int i = 0; i < 4; i++) {
        double from_middle = fabs(i - 1.5); /* px; the neighbour's middle is 4 - that away */
        CHECK_NEAR(endo_blend_cell_share(i), 8 * (4 - from_middle) / 4, 1e-9);
        CHECK((endo_blend_neighbour(i) > 0) == (i > 1.5));
    }
}

/* ------------------------------------------------------------------- cells */

static void test_cell(void) {
    endo_blend_cell cell = {.best = 0};
    const endo_blend_observation looks[] = {{{1000, 2000, 3000}, 200}, {{1100, 2100, 3100}, 100}};
    for (int i = 0; i < 2; i++) endo_blend_first_pass(&cell, &looks[i]);
    CHECK(cell.best == 200 && cell.first_pass_weight == 300);
    endo_blend_settle(&cell);
    CHECK(cell.first_pass[0] == 1033 && cell.first_pass[2] == 3033); /* (2 * 1000 + 1100) / 3 */
    endo_blend_observation like = {{1033, 2033, 3033}, 200}, unlike = {{1033, 2033, 3033 + 1280}, 200};
    CHECK(endo_blend_weigh(&cell, &like, 128) == 4095 && cell.broad_weight == 200 && cell.broad[1] == 200 * 2033);
    CHECK(endo_blend_weigh(&cell, &unlike, 128) == 0 && cell.broad_weight == 201); /* ten times the tolerance */
    CHECK(endo_blend_weigh(&cell, &unlike, 0) == 4095 && cell.broad_weight == 401);
    CHECK(cell.narrow_weight == 2 * 4095 && cell.narrow[0] == cell.narrow_weight * 1033);
    endo_blend_cell unseen = {.best = 0};
    CHECK(endo_blend_weigh(&unseen, &like, 128) == endo_blend_narrow(255, 200));
    for (int i = 0; i < 3000; i++) endo_blend_weigh(&cell, &like, 128);
    CHECK(cell.broad_weight <= ENDO_BLEND_MOST_WEIGHT && cell.broad_weight > ENDO_BLEND_MOST_WEIGHT - 200);
}

/* A cell after the first pass: two looks of the best score, whose channels differ from the third look, of 50. */
static endo_blend_cell settled(uint32_t first, uint32_t second, uint32_t third) {
    endo_blend_cell cell = {.best = 0};
    const endo_blend_observation looks[] = {{{1000, second, 0}, 100}, {{first, 1000, 0}, 100}, {{1000, 1000, third}, 50}};
    for (int i = 0; i < 3; i++) endo_blend_first_pass(&cell, &looks[i]);
    endo_blend_settle(&cell);
    return cell;
}

/* An observation that is faint beside the best has no part in the pixels, unless the best itself is doubtful. */
static void test_faint(void) {
    endo_blend_cell sure = settled(1213, 1213, 0), doubtful = settled(1000, 1217, 0), order = settled(1217, 1000, 0);
    CHECK(sure.first_pass[0] == 1085 && sure.doubt == 128 && doubtful.doubt == 130 && order.doubt == 130);
    CHECK(sure.best == 100 && settled(1000, 1000, 300).doubt == 60); /* of the third channel the best shows nothing */
    CHECK(!sure.narrow[0] && !sure.narrow[1] && !sure.narrow[2]);
    for (uint32_t score = 1; score <= 100; score++) {
        endo_blend_observation look = {{1085, 1085, 0}, score};
        uint32_t weight = endo_blend_narrow(100, score);
        CHECK(endo_blend_weigh(&sure, &look, 128) == (weight < 4096 / 64 ? 0 : weight));
        CHECK(endo_blend_weigh(&sure, &look, 0) == (weight < 4096 / 64 ? 0 : weight));
        look.value[0] = doubtful.first_pass[0], look.value[1] = doubtful.first_pass[1];
        CHECK(endo_blend_weigh(&doubtful, &look, 128) == weight);
        CHECK(endo_blend_weigh(&doubtful, &look, 0) == (weight < 4096 / 64 ? 0 : weight));
    }
    CHECK(endo_blend_narrow(100, 20) < 64 && endo_blend_narrow(100, 40) > 64);
}

/* Between four blocks of which one may be outside the field: as the mean of the others, with less of a score. */
static void test_look(void) {
    const endo_blend_block blocks[4] = {{{100, 0, 5}, 40}, {{200, 0, 5}, 80}, {{300, 0, 5}, 120}, {{400, 0, 5}, 0}};
    endo_blend_observation look;
    for (int u = -256; u <= 511; u += 37)
        for (int v = -256; v <= 511; v += 41) {
            double sum = 0, value = 0, score = 0;
            for (int i = 0; i < 3; i++) {
                double dx = 1 - fabs(u / 256.0 - i % 2), dy = 1 - fabs(v / 256.0 - i / 2), share = dx > 0 && dy > 0 ? dx * dy : 0;
                sum += share, value += share * blocks[i].value[0], score += share * blocks[i].score;
            }
            int seen = endo_blend_observe(blocks, 2, 2, u, v, &look);
            if (seen != (score >= 0.5)) CHECK_NEAR(score, 0.5, 1e-9);
            if (!seen) continue;
            CHECK_NEAR(look.value[0], value / sum, 0.5001);
            CHECK_NEAR(look.score, score, 0.5001);
            CHECK(look.value[2] == 5);
        }
    CHECK(!endo_blend_observe(blocks, 2, 2, -257, 0, &look) && !endo_blend_observe(blocks, 2, 2, 0, 512, &look));
}

/* ------------------------------------------------------------------- field */

enum { WIDTH = 63, HEIGHT = 47, COLUMNS = WIDTH / 4, ROWS = HEIGHT / 4 };

static int all_inside(const uint8_t *mask, int x, int y) {
    for (int v = y; v < y + 4; v++)
        for (int u = x; u < x + 4; u++)
            if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT || !mask[v * WIDTH + u]) return 0;
    return 1;
}

/* The way to the nearest block that is not inside, those beyond the frame among them: 3 straight, 4 across. */
static int distance(const uint8_t *mask, int column, int row) {
    int least = 255;
    for (int v = -1; v <= ROWS; v++)
        for (int u = -1; u <= COLUMNS; u++) {
            int inside = u >= 0 && v >= 0 && u < COLUMNS && v < ROWS && all_inside(mask, 4 * u, 4 * v);
            int dx = abs(u - column), dy = abs(v - row), shorter = dx < dy ? dx : dy, longer = dx < dy ? dy : dx;
            int way = 4 * shorter + 3 * (longer - shorter);
            if (!inside && way < least) least = way;
        }
    return least;
}

/* How much of the 12 x 12 px around a block may be sampled; beyond the last blocks nothing is known to be whole. */
static void test_surroundings(const uint8_t *mask, const uint8_t *around) {
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        int x = i % COLUMNS * 4, y = i / COLUMNS * 4, whole = 0, sampled = 0;
        for (int k = 0; k < 144; k++) {
            int u = x - 4 + k % 12, v = y - 4 + k / 12;
            if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT) continue;
            whole += u < COLUMNS * 4 && v < ROWS * 4 && mask[v * WIDTH + u];
            sampled += all_inside(mask, u - 1, v - 1);
        }
        CHECK(around[i] == (whole == 144 ? ENDO_BLEND_ALL : sampled ? ENDO_BLEND_SOME : ENDO_BLEND_NONE));
    }
}

static void test_planes(void) {
    static uint8_t mask[WIDTH * HEIGHT], bicubic[HEIGHT * 64], depths[COLUMNS * ROWS], around[COLUMNS * ROWS];
    for (int field = FIELD_WHOLE; field <= FIELD_CIRCLE; field++) {
        int deepest = 1;
        test_fill_field((enum test_field)field, WIDTH, HEIGHT, 3, mask);
        for (int i = 0; i < WIDTH * HEIGHT; i++) mask[i] = mask[i] ? 255 : 0;
        mask[20 * WIDTH + 30] = 0;
        for (int y = 24; y < 44; y++) memset(mask + y * WIDTH + WIDTH - 13, 0, 9); /* beside what is sampled at the edge */
        memset(bicubic, 0, sizeof bicubic);
        endo_blend_find_bicubic(mask, WIDTH, HEIGHT, 64, 3, bicubic);
        endo_blend_find_depths(mask, WIDTH, HEIGHT, 3, depths);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) CHECK(bicubic[y * 64 + x] == (all_inside(mask, x - 1, y - 1) ? 255 : 0));
        endo_blend_find_surroundings(bicubic, 64, depths, WIDTH, HEIGHT, 3, around);
        test_surroundings(mask, around);
        for (int i = 0; i < COLUMNS * ROWS; i++)
            if (distance(mask, i % COLUMNS, i / COLUMNS) > deepest) deepest = distance(mask, i % COLUMNS, i / COLUMNS);
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            double exact = 255.0 * distance(mask, i % COLUMNS, i / COLUMNS) / deepest;
            CHECK(depths[i] == (int)ceil(exact - 1e-9));
        }
    }
    static uint16_t factors[HEIGHT * 64], means[COLUMNS * ROWS];
    for (int i = 0; i < HEIGHT * 64; i++) factors[i] = (uint16_t)(i % 64 * 100);
    endo_blend_find_means(factors, 64, WIDTH, HEIGHT, 2, means);
    CHECK(means[0] == 150 && means[COLUMNS + 3] == 1350);
}

/* ------------------------------------------------------------------ threads */

/* Sums of the bytes of all planes, each times its place. */
static uint64_t sum_planes(const endo_field_planes *p, int width, int height) {
    size_t rows = (size_t)p->stride * (size_t)height;
    size_t blocks = endo_blend_blocks(width, height);
    const uint8_t *masks[] = {p->mask, p->bilinear, p->paint_bilinear, p->bicubic, p->depths, p->surroundings};
    uint64_t sum = 0;
    for (int k = 0; k < 6; k++)
        for (size_t i = 0; i < (k < 4 ? rows : blocks); i++) sum = 31 * sum + masks[k][i];
    for (int l = 0; l < p->n_levels; l++) {
        const endo_field_level *level = &p->levels[l];
        for (int i = 0; i < level->size.width * level->size.height; i++) sum = 31 * sum + level->mask[i];
        for (int i = 0; i < (int)level->stride * level->size.height; i++) sum = 31 * sum + (uint16_t)level->gain[i];
    }
    return sum;
}

/* Rows, strips and columns of large frames are shared among threads. */
static void test_planes_of_threads(void) {
    enum { LARGE_W = 721, LARGE_H = 577 };
    static uint8_t field[LARGE_W * LARGE_H];
    endo_frames_options options = endo_frames_options_default();
    uint64_t first = 0;
    test_fill_field(FIELD_CIRCLE, LARGE_W, LARGE_H, 3, field);
    options.width = LARGE_W;
    options.height = LARGE_H;
    options.field = field;
    for (int threads = 1; threads <= 5; threads += 2) {
        endo_field_planes planes;
        CHECK(endo_field_planes_create(&options, threads, &planes) == ENDO_OK);
        uint64_t sum = sum_planes(&planes, LARGE_W, LARGE_H);
        if (threads == 1) first = sum;
        CHECK(planes.n_levels > 1 && sum == first);
        endo_field_planes_destroy(&planes);
    }
}

int main(void) {
    test_taps();
    test_values();
    test_white();
    test_clipped();
    test_weights();
    test_positions();
    test_cell();
    test_faint();
    test_look();
    test_planes();
    test_planes_of_threads();
    return check_summary("test_rules_blend");
}
