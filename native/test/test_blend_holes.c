/* Holes that highlights leave in a blend: which cells are in one, by how much they are lifted, and what is painted there. */
#include "cpu/blend_holes.h"

#include "blend_rig.h"

enum { COLUMNS = 64, ROWS = 48, CELLS = COLUMNS * ROWS, MIDDLE = ROWS / 2 * COLUMNS + COLUMNS / 2, STEP = 9600 };

static endo_blend_cell cells[CELLS];
static int32_t light[3 * CELLS];
static cpu_blend_holes found = {.of = {.cells = cells, .light = light, .columns = COLUMNS, .rows = ROWS}};

/* Cells about the middle that far fewer frames see, and that are darker by a step; those around contradict themselves. */
static void make_hole(int left, int right, int above, int below) {
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < CELLS; i++) {
        int x = i % COLUMNS - COLUMNS / 2, y = i / COLUMNS - ROWS / 2;
        int within = x > -left && x < right && y > -above && y < below;
        cells[i].first_pass_weight = within ? 100 : 400, cells[i].broad_weight = 1, cells[i].narrow_weight = 2;
        cells[i].best = within ? 50 : 200, cells[i].doubt = 2 * ENDO_BLEND_TOLERANCE;
        for (int c = 0; c < 3; c++) cells[i].narrow[c] = 2 * 625, light[3 * i + c] = (within ? 0 : STEP) + 7 * c;
    }
}

/* By how much the weight in the middle is lifted. */
static int lifted(void) {
    static uint64_t memory[8 * CELLS];
    endo_block block = {(uint8_t *)memory, 0};
    cpu_blend_holes_take(&found, &block);
    CHECK(block.used <= sizeof memory);
    cpu_blend_holes_clear(&found);
    cpu_blend_find_holes(&found, 2);
    for (int i = 0; i < CELLS; i++) {
        const int32_t *lifts = found.of.lifts + 3 * i;
        CHECK(found.of.holes[i] == ENDO_BLEND_IN_HOLE || (!lifts[0] && !lifts[1] && !lifts[2]));
    }
    return found.of.lifts[3 * MIDDLE];
}

/* An edge on two sides that face each other, 16 cells away at most. */
static void test_sides(void) {
    static const struct {
        int left, right, above, below, whole;
    } cases[] = {{3, 3, 3, 3, 1},    {16, 16, 99, 99, 1}, {17, 16, 99, 99, 0}, {16, 17, 99, 99, 0}, {99, 99, 16, 16, 1},
                 {99, 99, 17, 2, 0}, {2, 99, 2, 99, 0},   {1, 1, 99, 2, 1}};
    for (int k = 0; k < 8; k++) {
        make_hole(cases[k].left, cases[k].right, cases[k].above, cases[k].below);
        CHECK(lifted() == (cases[k].whole ? STEP : 0) && (found.of.holes[MIDDLE] == ENDO_BLEND_IN_HOLE) == cases[k].whole);
    }
}

/* Beyond the edge frames see half as much more at least, and within one of them sees it well enough. */
static void test_edge(void) {
    for (int weight = 149; weight <= 151; weight++) {
        make_hole(4, 4, 4, 4);
        for (int i = 0; i < CELLS; i++)
            if (cells[i].first_pass_weight > 100) cells[i].first_pass_weight = (uint32_t)weight;
        CHECK(lifted() == (weight > 150 ? STEP : 0));
    }
    for (int best = 15; best <= 16; best++) {
        make_hole(4, 4, 4, 4);
        cells[MIDDLE].best = (uint16_t)best;
        CHECK(lifted() == (best < 16 ? 0 : STEP));
    }
}

/* Not at all where frames agree within 8 levels, all of it from 16 on. */
static void test_contradiction(void) {
    for (int doubt = 0; doubt < 400; doubt++) {
        make_hole(4, 4, 4, 4);
        for (int i = 0; i < CELLS; i++) cells[i].doubt = (uint16_t)doubt;
        CHECK_NEAR(lifted(), STEP * fmin(fmax(doubt / 128.0 - 1, 0), 1), 1);
    }
}

/* The mean of three cells on either side, and the nearer edge counts more. */
static void test_step(void) {
    make_hole(4, 4, 99, 99);
    for (int k = 4; k <= 7; k++) light[3 * (MIDDLE + k)] += 300 * (k - 4) * (k - 4);
    for (int k = 1; k <= 3; k++) light[3 * (MIDDLE - k)] += 30 * k * k;
    CHECK_NEAR(lifted(), STEP + (500 - 140) / 2.0, 1);
    CHECK(found.of.lifts[3 * MIDDLE + 1] == STEP);
    make_hole(2, 6, 99, 99);
    for (int k = 6; k < 9; k++) light[3 * (MIDDLE + k) + 1] += 800;
    lifted();
    CHECK_NEAR(found.of.lifts[3 * MIDDLE + 1], STEP + 800 * 2 / 8.0, 1);
}

/* Pixels of a hole have all of its lift up to its edge, those beside it a part. */
static void test_pixels(void) {
    make_hole(2, 2, 2, 2);
    lifted();
    for (int i = 0; i < 4; i++) {
        CHECK(endo_blend_lift_at(&found.of, COLUMNS / 2 + 1, ROWS / 2, i, 2, 0) == STEP);
        CHECK(endo_blend_lift_at(&found.of, COLUMNS / 2 + 2, ROWS / 2, i, 2, 0) == (i == 0 ? 3 : i == 1 ? 1 : 0) * STEP / 8);
    }
    CHECK(endo_blend_lift_at(&found.of, 0, 0, 0, 0, 0) == 0);
    CHECK(endo_blend_lift_at(&found.of, COLUMNS - 1, ROWS - 1, 3, 3, 2) == 0);
}

/* --------------------------------------------------------------------- blend */

static uint32_t result[CANVAS], other[CANVAS];

/* Three frames of one level with a highlight of 40 x 24 px, and one of another level without. */
static void fill_highlight(int level, int another) {
    for (int k = 0; k < 4; k++) fill_flat(k, k < 3 ? level : another);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < AREA; i++)
            if (abs(i % WIDTH - 48) < 20 && abs(i / WIDTH - 40) < 12) colour[k][i] = rgb_of(255);
}

static const int32_t weights[4] = {256, 256, 256, 128};

/* Where frames contradict each other a highlight leaves no patch of another brightness. */
static void test_patch(endo_context *context) {
    static const int levels[][2] = {{170, 50}, {70, 190}, {200, 120}};
    int inside = (30 + 40) * SIDE + 30 + 48;
    for (int k = 0; k < 3; k++) {
        plan p = plan_of(4);
        p.weights = weights;
        fill_highlight(levels[k][0], levels[k][1]);
        run(context, &p, result);
        for (int x = -32; x <= 32; x += 64)
            CHECK_NEAR(channel(result[inside], 1), channel(result[inside + x], 1), 20); /* without: 60 to 110 */
        CHECK_NEAR(channel(result[inside + 32], 1), levels[k][0], 15);
    }
}

/* Rows of the whole that are blended alone, with 96 px more: a hole depends on both of its edges. */
static void test_bands(endo_context *context) {
    enum { TOP = 120 };
    plan p = plan_of(4), moved;
    p.weights = weights;
    fill_highlight(170, 50);
    for (int k = 0; k < 4; k++) p.shifts[k][1] = 80;
    run(context, &p, result);
    for (int more = 12; more <= 96; more += 84) {
        int from = TOP - more, differ = 0;
        moved = p;
        for (int k = 0; k < 4; k++) moved.shifts[k][1] -= from;
        run(context, &moved, other);
        for (int y = TOP; y < SIDE; y++)
            differ += memcmp(other + (y - from) * SIDE, result + y * SIDE, sizeof *other * SIDE) != 0;
        CHECK(more == 96 ? differ == 0 : differ > 0);
    }
}

int main(void) {
    test_sides();
    test_edge();
    test_contradiction();
    test_step();
    test_pixels();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_patch(context);
        test_bands(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_blend_holes");
}
