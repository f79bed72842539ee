/* The numbers that are compared in a patch (rules/patches.h): a place between pixels of one frame, and a pixel of the other
 * that shows the same point of the scene, are the same number, wherever between the pixels it lies. */
#include "rules/patches.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

#define AMPLITUDE 440.0

/* A wave across, sampled; the same along every column. */
static int32_t wave(double x, double frequency, double phase) {
    return (int32_t)floor(AMPLITUDE * sin(frequency * x + phase) + 0.5);
}

/* The greatest difference over all fractions, of values of 1/4 of a grey level; is_down: the wave runs down, not across. */
static int worst_difference(double frequency, int is_down, int upright) {
    int worst = 0;
    for (int f = 0; f < 256; f++)
        for (double phase = 0; phase < 6.2; phase += 0.3) {
            double at = f / 256.0;
            int32_t a = wave(0, frequency, phase), b = wave(1, frequency, phase), here = wave(at, frequency, phase);
            int32_t between = is_down ? endo_patch_between(a, a, b, b, 77, f) : endo_patch_between(a, b, a, b, f, 77);
            endo_patch_line flat = {here, here, here, here};
            endo_patch_line line = {wave(at - 1, frequency, phase), wave(at + 1, frequency, phase),
                                    wave(at - 2, frequency, phase), wave(at + 2, frequency, phase)};
            int32_t pixel = is_down ? endo_patch_blunt(here, &flat, &line, 77, f, upright)
                                    : endo_patch_blunt(here, &line, &flat, f, 77, upright);
            if (abs(between - pixel) > worst) worst = abs(between - pixel);
        }
    return worst;
}

/* Waves of 25, 13 and 8 px. The plain pixel would be 3, 14 and 35 off. */
static void test_same_number(void) {
    for (int is_down = 0; is_down < 2; is_down++) {
        CHECK(worst_difference(0.25, is_down, 1) <= 1);
        CHECK(worst_difference(0.5, is_down, 1) <= 1);
        CHECK(worst_difference(0.8, is_down, 1) <= 2);
        CHECK(worst_difference(0.8, is_down, 0) > 3);
    }
}

/* Without the far neighbours a pixel is as smooth, but does not lean. */
static void test_rim(void) {
    for (int f = 0; f < 256; f++) {
        endo_patch_line whole = {-200, 100, -300, 400}, rims[2] = {whole, whole}, flat = {60, 60, 60, 60};
        rims[0].far_before = rims[1].far_behind = ENDO_PATCH_INVALID;
        for (int k = 0; k < 2; k++)
            CHECK(endo_patch_blunt(60, &rims[k], &flat, f, 0, 1) == endo_patch_blunt(60, &whole, &flat, f, 0, 0));
    }
}

/* Nothing overflows 16 bits on the way. */
static void test_bounds(void) {
    const int32_t low = -ENDO_PATCH_MIDDLE, high = 255 * ENDO_PATCH_ONE - ENDO_PATCH_MIDDLE;
    for (int f = 0; f < 256; f++) {
        CHECK(abs(endo_patch_curvature(2 * (high - low), f)) <= 4080 && abs(endo_patch_curvature(2 * (low - high), f)) <= 4080);
        CHECK(abs(endo_patch_lean(3 * (high - low), f)) <= 400 && abs(endo_patch_lopsidedness(f)) <= 530);
        endo_patch_line above = {high, high, high, high};
        CHECK(endo_patch_blunt(high, &above, &above, f, 255 - f, 1) == high);
    }
}

/* By their steps: turned by 44 and 46 degrees either way, and round. */
static void test_upright(void) {
    for (int degrees = -180; degrees <= 180; degrees += 2) {
        double turn = degrees * acos(-1.0) / 180;
        int32_t c = (int32_t)(65536 * cos(turn)), s = (int32_t)(65536 * sin(turn)), step[4] = {c, s, -s, c};
        CHECK(endo_patch_is_upright(step) == (abs(degrees) < 45));
    }
    const int32_t mirrored[4] = {65536, 0, 0, -65536};
    CHECK(!endo_patch_is_upright(mirrored));
}

int main(void) {
    test_same_number();
    test_rim();
    test_bounds();
    test_upright();
    return check_summary("test_rules_patches");
}
