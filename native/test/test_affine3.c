/* Affine maps of space against their definitions: products, inverses, what counts as flat, and fixed point. */
#include "systems/mutual/affine3.h"
#include "check.h"
#include "scene.h"

#include <string.h>

/* Numbers of a map at random: axes of lengths about 1, shifts up to 50. */
static void random_map(test_random *r, double m[16]) {
    endo_affine3_identity(m);
    for (int i = 0; i < 12; i++) m[i] += i % 4 == 3 ? 100 * test_unit(r) - 50 : 0.6 * test_unit(r) - 0.3;
}

static void test_product(void) {
    test_random r = {1};
    for (int run = 0; run < 50; run++) {
        double first[16], second[16], both[16], from[3], once[3], twice[3], at_once[3];
        random_map(&r, first);
        random_map(&r, second);
        for (int i = 0; i < 3; i++) from[i] = 200 * test_unit(&r) - 100;
        endo_affine3_product(first, second, both);
        endo_affine3_apply(first, from, once);
        endo_affine3_apply(second, once, twice);
        endo_affine3_apply(both, from, at_once);
        for (int i = 0; i < 3; i++) CHECK_NEAR(at_once[i], twice[i], 1e-11 * 400);
        endo_affine3_product(first, second, first); /* out may be either */
        CHECK(memcmp(first, both, sizeof both) == 0);
    }
}

static void test_inverse(void) {
    test_random r = {2};
    for (int run = 0; run < 50; run++) {
        double map[16], back[16], both[16], still[16];
        random_map(&r, map);
        endo_affine3_identity(still);
        CHECK(endo_affine3_invert(map, back));
        endo_affine3_product(map, back, both);
        for (int i = 0; i < 16; i++) CHECK_NEAR(both[i], still[i], 1e-12 * 1000);
        CHECK(back[12] == 0 && back[13] == 0 && back[14] == 0 && back[15] == 1);
    }
}

/* A map is flat where its axes lie in a plane, whatever their lengths: its volume is a billionth of their product. */
static void test_flat(void) {
    for (int size = -6; size <= 6; size += 3)
        for (int axis = 0; axis < 3; axis++) {
            double length = pow(10, size), map[16], out[16], before[16];
            endo_affine3_identity(map);
            endo_affine3_identity(before);
            for (int i = 0; i < 3; i++) map[5 * i] = length;
            for (int i = 0; i < 3; i++) map[4 * i + axis] = i == (axis + 1) % 3 ? length : 0; /* along another one */
            map[5 * axis] = 1.1e-9 * length;
            CHECK(endo_affine3_invert(map, out));
            map[5 * axis] = 0.9e-9 * length;
            memcpy(out, before, sizeof out);
            CHECK(!endo_affine3_invert(map, out) && memcmp(out, before, sizeof out) == 0);
            map[5 * axis] = NAN;
            CHECK(!endo_affine3_invert(map, out));
        }
}

static void test_affine(void) {
    double map[16];
    endo_affine3_identity(map);
    CHECK(endo_affine3_is_affine(map));
    for (int i = 0; i < 16; i++) {
        endo_affine3_identity(map);
        map[i] = INFINITY;
        CHECK(!endo_affine3_is_affine(map));
        map[i] = 0.5;
        CHECK(endo_affine3_is_affine(map) == (i < 12));
    }
}

/* 32 fractional bits, rounded half up, also below zero; less than 60 voxels a step and 2^24 a shift. */
static void test_fixed(void) {
    static const struct {
        double value;
        int64_t fixed;
    } cases[] = {{0.4, 0}, {0.5, 1}, {1.49, 1}, {-0.4, 0}, {-0.5, 0}, {-0.51, -1}, {-1.5, -1}, {4294967296.0, 4294967296}};
    const double one = 1 / 4294967296.0;
    endo_mutual_map map;
    double m[16];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int i = 0; i < 12; i++) {
            endo_affine3_identity(m);
            m[i] = cases[c].value * one;
            CHECK(endo_affine3_to_fixed(m, &map) && map.m[i] == cases[c].fixed);
            CHECK(map.gain[0] == 0 && map.gain[1] == 0 && map.gain[2] == 0 && map.gain[3] == (int64_t)1 << 32);
        }
    for (int i = 0; i < 12; i++)
        for (int side = -1; side < 2; side += 2) {
            double most = i % 4 == 3 ? 16777216 : 60;
            endo_affine3_identity(m);
            m[i] = side * most;
            CHECK(!endo_affine3_to_fixed(m, &map));
            m[i] = side * (most - 0.001);
            CHECK(endo_affine3_to_fixed(m, &map));
        }
}

int main(void) {
    test_product();
    test_inverse();
    test_flat();
    test_affine();
    test_fixed();
    return check_summary("test_affine3");
}
