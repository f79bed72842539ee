/* The rules by which a blend is finished against their definitions: quotients of integers, interpolation in floating point. */
#include "rules/blend_holes.h"
#include "check.h"
#include "scene.h"

#include <string.h>

/* -------------------------------------------------------------------- light */

/* Binomial coefficients of the 8th row: together 256, with a variance of 2. */
static void test_kernel(void) {
    int32_t sum = 0, squares = 0, choose = 1;
    for (int k = -ENDO_BLEND_LIGHT_REACH; k <= ENDO_BLEND_LIGHT_REACH; k++) {
        int at = k + ENDO_BLEND_LIGHT_REACH;
        CHECK(endo_blend_light_share(k) == choose);
        sum += endo_blend_light_share(k);
        squares += k * k * endo_blend_light_share(k);
        choose = choose * (8 - at) / (at + 1);
    }
    CHECK(sum == 256 && squares == 2 * 256 && ENDO_BLEND_LIGHT_REACH == 4);
}

static void test_light(void) {
    endo_blend_cell cell = {.broad = {1000, 2000, 3001}, .broad_weight = 10, .narrow = {99, 400, 7}, .narrow_weight = 2};
    endo_blend_light light = endo_blend_light_of(&cell), total = {{1, 2, 3}, 4};
    CHECK(light.weight == 1 && light.value[0] == 100 - 50 && light.value[1] == 200 - 200 && light.value[2] == 300 - 4);
    endo_blend_light_add(&total, -1, &light);
    endo_blend_light_add(&total, 0, &light);
    CHECK(total.value[0] == 1 + 126 * 50 && total.value[1] == 2 && total.value[2] == 3 + 126 * 296 && total.weight == 4 + 126);
    cell.narrow_weight = 0;
    light = endo_blend_light_of(&cell);
    CHECK(!light.weight && !light.value[0] && !light.value[1] && !light.value[2]);
    CHECK(endo_blend_light_mean(100, 0) == 0 && endo_blend_light_mean(100, 256) == 6 && endo_blend_light_mean(-100, 256) == -6);
    CHECK(endo_blend_light_mean(65536 * 8191, 65536) == 16 * 8191); /* beyond 31 bits with its fraction */
}

/* Pixels lie 1/8 and 3/8 of a cell from its middle. */
static void test_interpolation(void) {
    const double aside[4] = {3 / 8.0, 1 / 8.0, 1 / 8.0, 3 / 8.0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) {
                int32_t of[4] = {0, 0, 0, 0};
                double across = k & 1 ? aside[i] : 1 - aside[i], down = k & 2 ? aside[j] : 1 - aside[j];
                of[k] = 64 * 77;
                CHECK(endo_blend_between(i, j, of) == 64 * 77 * across * down);
                of[k] = -63;
                CHECK_NEAR(endo_blend_between(i, j, of), -63 * across * down + 0.5, 0.5); /* towards 0 */
            }
}

/* At the edge of the blend a cell stands for what is missing. */
static void test_around(void) {
    size_t at[4];
    endo_blend_cells_around(5, 3, 2, 1, 0, 0, at);
    CHECK(at[0] == 7 && at[1] == 6 && at[2] == 2 && at[3] == 1);
    endo_blend_cells_around(5, 3, 2, 1, 2, 3, at);
    CHECK(at[0] == 7 && at[1] == 8 && at[2] == 12 && at[3] == 13);
    endo_blend_cells_around(5, 3, 0, 0, 1, 1, at);
    CHECK(at[0] == 0 && at[1] == 0 && at[2] == 0 && at[3] == 0);
    endo_blend_cells_around(5, 3, 4, 2, 3, 2, at);
    CHECK(at[0] == 14 && at[1] == 14 && at[2] == 14 && at[3] == 14);
}

/* ------------------------------------------------------------------- pixels */

static void check_mean(uint32_t sum, uint32_t weight) {
    CHECK((uint64_t)endo_blend_narrow_mean(sum, weight) == ((uint64_t)sum * 16 + weight / 2) / weight);
}

static void check_mean16(uint64_t sum, uint64_t weight) {
    CHECK((uint64_t)endo_blend_narrow_mean16(sum, weight) == (sum + weight / 2) / weight);
}

/* Quotients of doubles are those of integers, also beside whole numbers. */
static void test_means(void) {
    test_random r = {.state = 5};
    check_mean(ENDO_BLEND_MOST_WEIGHT * ENDO_BLEND_MOST, ENDO_BLEND_MOST_WEIGHT);
    check_mean16((uint64_t)ENDO_BLEND_MOST_WEIGHT * ENDO_BLEND_MOST16, ENDO_BLEND_MOST_WEIGHT);
    for (int i = 0; i < 20000; i++) {
        uint32_t weight = (uint32_t)test_between(&r, 1, i % 2 ? 9 : ENDO_BLEND_MOST_WEIGHT);
        uint32_t value = (uint32_t)test_between(&r, 0, ENDO_BLEND_MOST);
        uint32_t deep = (uint32_t)test_between(&r, 0, ENDO_BLEND_MOST16);
        uint32_t sum = weight * value;
        uint64_t deep_sum = (uint64_t)weight * deep;
        check_mean(sum, weight);
        check_mean(sum ? sum - 1 : 0, weight);
        check_mean(sum + weight / 32, weight);
        check_mean16(deep_sum, weight);
        check_mean16(deep_sum ? deep_sum - 1 : 0, weight);
        check_mean16(deep_sum + weight / 2, weight);
    }
}

static void test_levels(void) {
    for (int v = 0; v < 255; v++) {
        CHECK(endo_blend_level(256 * v + 127) == (uint32_t)v);
        CHECK(endo_blend_level(256 * v + 128) == (uint32_t)v + 1);
    }
    CHECK(endo_blend_level(-129) == 0 && endo_blend_level(-1) == 0 && endo_blend_level(70000) == 255);
    CHECK(endo_blend_level16(-1) == 0 && endo_blend_level16(777) == 777 && endo_blend_level16(65536) == 65535);
}

/* What is covered is painted where the pixel or its cell weighs something; without weight a pixel is as its cell. */
static void test_painted(void) {
    endo_blend_cell none = {0}, seen = {.broad = {0, 45, 0}, .broad_weight = 2};
    CHECK(endo_blend_is_painted(1, 1, &none) && endo_blend_is_painted(1, 0, &seen));
    CHECK(!endo_blend_is_painted(1, 0, &none) && !endo_blend_is_painted(0, 0, &seen));
    CHECK(endo_blend_broad_value(&seen, 1) == 16 * 23 && endo_blend_broad_value(&seen, 0) == 0);
}

/* A pixel depends on what lies up to 96 px from its cell (endorama/blend.h). */
static void test_reach(void) {
    endo_blend_cell cell = {.first_pass_weight = 7};
    CHECK(ENDO_BLEND_REACH * ENDO_BLEND_SIDE == 96);
    CHECK(endo_blend_hole_weight(&cell) == 0); /* nothing of the second pass */
    cell.broad_weight = 1;
    CHECK(endo_blend_hole_weight(&cell) == 7);
    for (int k = 1; k <= ENDO_BLEND_HOLE_FAR; k++) CHECK(ENDO_BLEND_HOLE_WHOLE % k == 0);
}

int main(void) {
    test_kernel();
    test_light();
    test_interpolation();
    test_around();
    test_means();
    test_levels();
    test_painted();
    test_reach();
    return check_summary("test_rules_blend_finish");
}
