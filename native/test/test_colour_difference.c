/* CIEDE2000 against pairs of the test data that Sharma, Wu and Dalal published with the formula (Table 1), which reach each
 * of its discontinuities; and CIE Lab of colours of sRGB. */
#include "bench/colour_difference.h"

#include "check.h"

typedef struct pair {
    colour_lab one, other;
    double difference;
} pair;

static const pair published[] = {
    {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
    {{50, 3.1571, -77.2803}, {50, 0, -82.7485}, 2.8615},
    {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
    {{50, 0, 0}, {50, -1, 2}, 2.3669},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0009}, 7.1792},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
    {{50, -0.001, 2.49}, {50, 0.0009, -2.49}, 4.8045},
    {{50, -0.001, 2.49}, {50, 0.0011, -2.49}, 4.7461},
    {{50, 2.5, 0}, {50, 0, -2.5}, 4.3065},
    {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
    {{50, 2.5, 0}, {61, -5, 29}, 22.8977},
    {{50, 2.5, 0}, {56, -27, -3}, 31.9030},
    {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
    {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
    {{63.0109, -31.0961, -5.8663}, {62.8187, -29.7946, -4.0864}, 1.2630},
    {{22.7233, 20.0904, -46.694}, {23.0331, 14.973, -42.5619}, 2.0373},
    {{90.8027, -2.0831, 1.441}, {91.1528, -1.6435, 0.0447}, 1.4441},
    {{2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}, 0.9082},
};

static void test_published(void) {
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const pair *p = &published[i];
        CHECK_NEAR(colour_difference(p->one, p->other), p->difference, 6e-5);
        CHECK_NEAR(colour_difference(p->other, p->one), p->difference, 6e-5);
        CHECK(colour_difference(p->one, p->one) == 0);
    }
}

static void test_lab(void) {
    static const struct {
        uint32_t rgb;
        colour_lab lab;
    } known[] = {{0xffffff, {100, 0, 0}}, {0x000000, {0, 0, 0}}, {0xff0000, {53.241, 80.092, 67.203}},
                 {0x00ff00, {87.735, -86.183, 83.179}}, {0x0000ff, {32.297, 79.188, -107.860}}, {0x777777, {50.034, 0, 0}}};
    for (int i = 0; i < 6; i++) {
        colour_lab lab = colour_lab_of_rgb(known[i].rgb);
        CHECK_NEAR(lab.l, known[i].lab.l, 0.01);
        CHECK_NEAR(lab.a, known[i].lab.a, 0.02);
        CHECK_NEAR(lab.b, known[i].lab.b, 0.02);
    }
}

static void test_hue(void) {
    const colour_lab red = {50, 20, 0};
    const colour_lab up = {50, 0, 20};
    const colour_lab down = {50, 20 * cos(0.1), -20 * sin(0.1)};
    CHECK_NEAR(colour_hue_shift(red, up, 5), 90, 1e-9);
    CHECK_NEAR(colour_hue_shift(red, down, 5), 0.1 * 180 / 3.14159265358979, 1e-9);
    CHECK(colour_hue_shift(red, up, 21) == 0);
}

int main(void) {
    test_published();
    test_lab();
    test_hue();
    return check_summary("test_colour_difference");
}
