/* The search of the alignment of exposures and what is said of its answer, against docs/algorithms/exposures.md, steps 5 to 8:
 * landscapes whose lowest point is known, numbers worked out by hand, random bitmaps that must behave as the
 * deviation says, and images whose pixels are counted. */
#include "rules/exposure_result.h"
#include "rules/exposure_search.h"
#include "backends.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ search */

/* Shares that grow from a lowest point; per mille of 1000 pixels. */
typedef struct landscape {
    int x, y;        /* lowest point */
    int questions, asked, finals;
    int rows[6];     /* row steps by phase */
} landscape;

static endo_exposure_overlap share_at(const landscape *l, int dx, int dy) {
    int distance = abs(dx - l->x) + abs(dy - l->y), fine = abs(dx - l->x) * 3 + abs(dy - l->y) * 2;
    endo_exposure_overlap o = {1000, 100 + (distance > 300 ? 600 : 2 * distance) + (fine < 100 ? fine : 100)};
    return o;
}

static void run(endo_exposure_search *s, landscape *l) {
    endo_exposure_overlap answers[ENDO_EXPOSURE_ASKED];
    while (s->asked) {
        if (s->phase == ENDO_EXPOSURE_MATCH) endo_exposure_matched(s);
        CHECK(s->asked <= 16);
        l->rows[s->phase] = s->row_step;
        for (int i = 0; i < s->asked; i++) answers[i] = share_at(l, s->dx[i], s->dy[i]);
        if (s->phase == ENDO_EXPOSURE_FINAL) {
            l->finals++;
            CHECK(s->asked == 1 && s->dx[0] == s->best_dx && s->dy[0] == s->best_dy);
        }
        l->questions++, l->asked += s->asked;
        endo_exposure_answer(s, answers);
    }
}

static void expect_end(const endo_exposure_search *s, const landscape *l, int x, int y) {
    CHECK(s->best_dx == x && s->best_dy == y && l->finals == 1);
    for (int i = 0; i < 9; i++) {
        endo_exposure_overlap o = share_at(l, x + i % 3 - 1, y + i / 3 - 1);
        CHECK(s->near[i].total == o.total && s->near[i].differ == o.differ);
    }
    for (int i = 0; s->subpixel && i < 4; i++) {
        static const int away[4][2] = {{-2, 0}, {2, 0}, {0, -2}, {0, 2}};
        CHECK(s->wide[i].differ == share_at(l, x + away[i][0], y + away[i][1]).differ);
    }
    CHECK(s->usable.differ == share_at(l, x, y).differ);
}

static endo_exposure_search begin(int reach_x, int reach_y, int subpixel, const int32_t *x, int n_x, const int32_t *y, int n_y) {
    endo_exposure_search s = {.reach_x = reach_x, .reach_y = reach_y, .height = 960, .subpixel = subpixel};
    endo_exposure_search_begin(&s, x, n_x, y, n_y);
    CHECK(s.asked == n_x * n_y && s.candidates == n_x * n_y);
    return s;
}

static void test_walks(void) {
    test_random r = {1};
    for (int i = 0; i < 300; i++) {
        landscape l = {test_between(&r, -30, 30), test_between(&r, -30, 30), 0, 0, 0, {0}};
        int32_t x[4] = {-20, 17, 30, 0}, y[4] = {5, -8, 0, 12};
        endo_exposure_search s = begin(40, 40, i % 2, x, 1 + i % 4, y, 4 - i % 4);
        run(&s, &l);
        expect_end(&s, &l, l.x, l.y);
        CHECK(l.rows[ENDO_EXPOSURE_CANDIDATES] == 16 && l.rows[ENDO_EXPOSURE_ROUGH] == 16); /* 60 of 960 rows */
        int apart = s.subpixel ? 1 : 2; /* all of them, or 480 */
        CHECK(l.rows[ENDO_EXPOSURE_EXACT] == apart && l.rows[ENDO_EXPOSURE_FINAL] == apart);
    }
}

/* The walk starts at the candidate of the least share, the first of equals. */
static void test_candidates(void) {
    landscape l = {10, 10, 0, 0, 0, {0}};
    int32_t x[2] = {10, 13}, y[3] = {7, 13, 10};
    endo_exposure_search s = begin(40, 40, 0, x, 2, y, 3);
    endo_exposure_overlap answers[16];
    for (int i = 0; i < 6; i++) answers[i] = share_at(&l, s.dx[i], s.dy[i]);
    CHECK(s.dx[0] == 10 && s.dy[0] == 7 && s.dy[1] == 13 && s.dx[5] == 13 && s.dy[5] == 10);
    endo_exposure_answer(&s, answers);
    CHECK(s.best_dx == 10 && s.best_dy == 10 && s.phase == ENDO_EXPOSURE_ROUGH && s.asked == 9);
    CHECK(s.candidate_dx[1] == 10 && s.candidate_dy[1] == 13 && s.candidate[1].differ == answers[1].differ);
    answers[2] = answers[0] = answers[4];
    s = begin(40, 40, 0, x, 2, y, 3);
    for (int i = 0; i < 6; i++) answers[i].differ = 300, answers[i].total = 1000;
    endo_exposure_answer(&s, answers);
    CHECK(s.best_dx == 10 && s.best_dy == 7);
}

/* A walk stays within reach and ends after 64 steps. */
static void test_limits(void) {
    int32_t zero = 0;
    landscape far = {20, -9, 0, 0, 0, {0}}, away = {90, 0, 0, 0, 0, {0}};
    endo_exposure_search s = begin(12, 40, 0, &zero, 1, &zero, 1);
    run(&s, &far);
    expect_end(&s, &far, 12, -9);
    s = begin(200, 200, 0, &zero, 1, &zero, 1);
    run(&s, &away);
    CHECK(s.best_dx == 64 && s.moves == 64);
}

/* After a step only the neighbours are asked for that were not before: three, or five. */
static void test_questions(void) {
    int32_t zero = 0;
    landscape l = {3, 0, 0, 0, 0, {0}}, diagonal = {2, 2, 0, 0, 0, {0}};
    endo_exposure_search s = begin(40, 40, 0, &zero, 1, &zero, 1);
    run(&s, &l);
    CHECK(l.asked == 1 + 9 + 3 * 3 + 9 + 1);
    s = begin(40, 40, 1, &zero, 1, &zero, 1);
    run(&s, &diagonal);
    CHECK(diagonal.asked == 1 + 9 + 2 * 5 + 9 + 4 + 1);
}

static void test_better(void) {
    endo_exposure_overlap a = {100, 10}, equal = {200, 20}, worse = {100, 11}, none = {0, 0};
    CHECK(endo_exposure_is_better(&a, &worse) && !endo_exposure_is_better(&a, &equal) && !endo_exposure_is_better(&worse, &a));
    CHECK(endo_exposure_is_better(&a, &none) && !endo_exposure_is_better(&none, &a) && !endo_exposure_is_better(&none, &none));
    CHECK(endo_exposure_share(&a) == 0.1 && endo_exposure_share(&none) == 1);
}

/* ------------------------------------------------------------------ result */

/* Shares k |s - f| at -2, -1, 1, 2: the fraction is f, at most 0.75. */
static void test_fraction(void) {
    test_random r = {2};
    for (int i = 0; i < 200; i++) {
        double f = 1.4 * (test_unit(&r) - 0.5), k = 0.01 + 0.2 * test_unit(&r), c = 0.3 * test_unit(&r);
        CHECK_NEAR(endo_exposure_fraction(c + k * (2 + f), c + k * (1 + f), c + k * (1 - f), c + k * (2 - f)), f, 1e-9);
    }
    CHECK(endo_exposure_fraction(0.2, 0.1, 0.1, 0.2) == 0);
    CHECK(endo_exposure_fraction(0.31, 0.3, 0.1, 0.2) == 0.75 && endo_exposure_fraction(0.2, 0.1, 0.3, 0.31) == -0.75);
    CHECK(endo_exposure_fraction(0.1, 0.1, 0.2, 0.2) == 0 && endo_exposure_fraction(0, 0.1, 0.2, 0) == 0); /* flat; no valley */
}

/* By hand: sqrt(0.6 / 600) / 0.4 = 0.07906; flat or a hill: the limit. */
static void test_deviation(void) {
    CHECK_NEAR(endo_exposure_deviation(0.3, 0.1, 0.3, 600, 64), 0.0790569, 1e-6);
    CHECK_NEAR(endo_exposure_deviation(0.25, 0.15, 0.15, 100, 64), 0.6324555, 1e-6); /* sqrt(0.4 / 100) / 0.1 */
    CHECK(endo_exposure_deviation(0.2, 0.2, 0.2, 600, 64) == 64 && endo_exposure_deviation(0.1, 0.2, 0.1, 600, 32) == 32);
    CHECK(endo_exposure_deviation(0.3, 0.2999, 0.3, 10, 8) == 8);
}

/* The deviation that is told is the spread of (l' - r') / 2k, where independent pixels differ with shares l and r. */
static void test_deviation_is_one(void) {
    test_random r = {3};
    double sum = 0, squares = 0, twice_k = 0.12 + 0.10 - 2 * 0.05;
    enum { TRIALS = 400, N = 2000 };
    for (int i = 0; i < TRIALS; i++) {
        int left = 0, right = 0;
        for (int k = 0; k < N; k++) left += test_unit(&r) < 0.12, right += test_unit(&r) < 0.10;
        double f = (left - right) / (double)N / twice_k;
        sum += f, squares += f * f;
    }
    double spread = sqrt(squares / TRIALS - sum * sum / TRIALS / TRIALS);
    /* 400 trials: 3.5 % of standard error, and sqrt(1 - share) of Poisson's spread, 6 %. */
    CHECK_NEAR(spread / endo_exposure_deviation(0.12, 0.05, 0.10, N, 64), 0.95, 0.12);
}

/* By chance 0.3 * 0.6 + 0.7 * 0.4 = 0.46 of the pixels differ. */
static void test_agreement(void) {
    endo_exposure_choice t = {0, {.pixels = 1000, .above = 300}, {.pixels = 500, .above = 200}};
    CHECK(endo_exposure_agreement(0, &t) == 1);
    CHECK_NEAR(endo_exposure_agreement(0.46, &t), 0, 1e-12);
    CHECK_NEAR(endo_exposure_agreement(0.046, &t), 0.9, 1e-12);
}

/* The second of a search that ended at (10, -3): a good candidate at (x, y), and two that are worse than chance. */
static double second_with(int x, int y) {
    endo_exposure_choice t = {0, {.pixels = 1000, .above = 500}, {.pixels = 1000, .above = 500}}; /* by chance: a half */
    endo_exposure_search s = {.best_dx = 10, .best_dy = -3, .candidates = 3, .candidate_dx = {x, 30, 30},
                              .candidate_dy = {y, 20, 21}, .candidate = {{100, 5}, {100, 90}, {100, 80}}};
    return endo_exposure_second(&s, &t);
}

/* Candidates within four pixels of the shift are the same peak; below 0 there is no second. */
static void test_second(void) {
    CHECK(second_with(14, -7) == 0 && second_with(6, 1) == 0 && second_with(10, -3) == 0);
    CHECK_NEAR(second_with(15, -7), 0.9, 1e-12);
    CHECK_NEAR(second_with(5, -3), 0.9, 1e-12);
    CHECK_NEAR(second_with(10, 2), 0.9, 1e-12);
    CHECK_NEAR(second_with(14, -8), 0.9, 1e-12);
}

/* Both axes and both diagonals, whose pixels are sqrt(2) apart. */
static void test_worst(void) {
    double level[9], sharp = sqrt(0.6 / 600) / 0.4, wide = sqrt(0.44 / 600) / 0.24;
    for (int i = 0; i < 9; i++) level[i] = i == 4 ? 0.1 : 0.3;
    CHECK_NEAR(endo_exposure_worst_deviation(level, 600, 64), sharp * sqrt(2.0), 1e-12);
    level[3] = level[5] = 0.22;
    CHECK_NEAR(endo_exposure_worst_deviation(level, 600, 64), fmax(wide, sharp * sqrt(2.0)), 1e-12);
    level[0] = level[8] = 0.22;
    CHECK_NEAR(endo_exposure_worst_deviation(level, 600, 64), wide * sqrt(2.0), 1e-12);
    level[1] = level[7] = 0.1;
    CHECK(endo_exposure_worst_deviation(level, 600, 64) == 64);
}

/* 0.9 * (0.9 - 0.4) / 0.6 / (1 + 1): a sixth of a pixel makes a half. */
static void test_certainty(void) {
    CHECK_NEAR(endo_exposure_certainty(0.9, 0.4, 1 / 6.0), 0.375, 1e-12);
    CHECK_NEAR(endo_exposure_certainty(1, 0, 0), 1, 0);
    CHECK_NEAR(endo_exposure_certainty(0.8, 0.2, 0.5), 0.8 * 0.75 / 10, 1e-12);
    CHECK(endo_exposure_certainty(0.5, 0.5, 0) == 0 && endo_exposure_certainty(0.4, 0.5, 0) == 0);
}

/* A search that has ended: shares in the overlap of 4000 pixels, of which 3000 are usable. */
static endo_exposure_search ended(int subpixel) {
    endo_exposure_search s = {.best_dx = 7, .best_dy = -2, .subpixel = subpixel, .usable = {3000, 60}};
    static const int differ[9] = {900, 800, 900, 700, 200, 500, 900, 800, 900}, wide[4] = {1500, 1300, 1600, 1600};
    for (int i = 0; i < 9; i++) s.near[i] = (endo_exposure_overlap){4000, differ[i]};
    for (int i = 0; i < 4; i++) s.wide[i] = (endo_exposure_overlap){4000, wide[i]};
    return s;
}

static void test_finish(void) {
    /* Of 4000: by chance a half. */
    endo_exposure_choice t = {0, {.level = 100, .pixels = 4000, .above = 2000}, {.level = 61, .pixels = 4000, .above = 2000}};
    endo_exposure_threshold matched = {.level = 60, .pixels = 1000, .black = 400, .white = 500};
    endo_exposure_search s = ended(0);
    endo_exposure_result r;
    endo_exposure_finish(&s, &t, &matched, 0.8, 0.6, 64, &r);
    CHECK(r.dx == 7 && r.dy == -2 && r.status == ENDO_EXPOSURE_OK);
    CHECK(r.threshold_reference == 100 && r.threshold_current == 60);
    CHECK_NEAR(r.peak, 0.7, 1e-12);
    CHECK_NEAR(r.mismatch, 0.02, 1e-12);
    CHECK_NEAR(r.usable, 0.75, 1e-12);
    CHECK_NEAR(r.deviation_x, sqrt(0.3 / 4000) / 0.2, 1e-12); /* 0.175, 0.05, 0.125 */
    CHECK_NEAR(r.deviation_y, sqrt(0.4 / 4000) / 0.3, 1e-12); /* 0.2, 0.05, 0.2 */
    double agreement = 1 - 0.05 / 0.5, d = sqrt(0.45 / 4000) / 0.35 * sqrt(2.0), x = sqrt(0.3 / 4000) / 0.2;
    CHECK_NEAR(r.certainty, agreement * agreement / (1 + 36 * fmax(d * d, x * x)), 1e-12);
    s = ended(1);
    endo_exposure_finish(&s, &t, &matched, NAN, 0.6, 64, &r);
    CHECK_NEAR(r.dx, 7 + (0.175 - 0.125) / (0.375 - 0.175 + 0.325 - 0.125), 1e-12);
    CHECK(r.dy == -2 && r.peak == 0.6);
    matched.white = 15; /* black lies on black */
    endo_exposure_finish(&s, &t, &matched, NAN, 0.6, 64, &r);
    CHECK(r.certainty == 0 && r.status == ENDO_EXPOSURE_LOW_CERTAINTY);
    matched.white = 500;
    s.near[4].differ = 620; /* no certainty is left, and none usable */
    s.usable = (endo_exposure_overlap){0, 0};
    endo_exposure_finish(&s, &t, &matched, NAN, NAN, 64, &r);
    CHECK(r.status == ENDO_EXPOSURE_LOW_CERTAINTY && r.certainty < 0.1 && isnan(r.mismatch) && r.usable == 0 && isnan(r.peak));
    CHECK(ENDO_EXPOSURE_CERTAIN == 0.1);
}

/* ------------------------------------------------------------------ images */

enum { WIDTH = 150, HEIGHT = 118 };

static uint8_t image[2][WIDTH * HEIGHT], field[WIDTH * HEIGHT];

/* A scene in two exposures, the second seen from (dx, dy) on; a round field. */
static endo_frames *expose(endo_context *context, uint64_t seed, int dx, int dy) {
    test_scene scene;
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.flow = 0, o.keep_pixels = 0;
    test_fill_field(seed % 2 ? FIELD_CIRCLE : FIELD_WHOLE, WIDTH, HEIGHT, seed, field);
    o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    test_scene_init(&scene, seed);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double v = test_scene_at(&scene, i % WIDTH + k * dx, i / WIDTH + k * dy) / 255;
            v = 255 * pow(v < 0 ? 0 : v > 1 ? 1 : v, k ? 1.6 : 0.8);
            image[k][i] = (uint8_t)v;
        }
        CHECK(endo_frames_put(frames, k, image[k], WIDTH) == ENDO_OK);
    }
    return frames;
}

/* Step 8 by looking at every pixel of the overlap: every row counts of so low an image. */
static void expect_shares(const endo_exposure_result *r) {
    double total = 0, usable = 0, differ = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int u = x + (int)r->dx, v = y + (int)r->dy;
            if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT || !field[y * WIDTH + x] || !field[v * WIDTH + u]) continue;
            int a = image[0][v * WIDTH + u] - r->threshold_reference, b = image[1][y * WIDTH + x] - r->threshold_current;
            total++;
            if (a == 0 || b == 0 || a == 1 || b == 1) continue; /* within 1 of the threshold */
            usable++;
            differ += (a > 0) != (b > 0);
        }
    CHECK_NEAR(r->usable, usable / total, 1e-12);
    CHECK_NEAR(r->mismatch, differ / usable, 1e-12);
}

static void test_images(endo_context *context) {
    for (int i = 0; i < 6; i++) {
        int dx = 5 * i - 14, dy = 9 - 4 * i;
        endo_frames *frames = expose(context, 70 + (uint64_t)i, dx, dy);
        endo_exposure_options p = {40, 1, i % 3 ? 64 : 256, ENDO_PERCENTILE_ADAPTIVE, 0};
        endo_exposure_result r;
        endo_pair pair = {0, 1};
        CHECK(endo_exposures_register(frames, &pair, 1, &p, &r) == ENDO_OK);
        CHECK(r.status == ENDO_EXPOSURE_OK && r.dx == dx && r.dy == dy);
        expect_shares(&r);
        endo_frames_destroy(&frames);
    }
}

int main(void) {
    test_walks();
    test_candidates();
    test_limits();
    test_questions();
    test_better();
    test_fraction();
    test_deviation();
    test_deviation_is_one();
    test_agreement();
    test_second();
    test_worst();
    test_certainty();
    test_finish();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (context) test_images(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_rules_exposure_search");
}
