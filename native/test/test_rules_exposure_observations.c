/* The looks of the alignment of exposures, against docs/algorithms/exposures.md, step 9: which one follows what was
 * seen, and what is said in the end. */
#include "rules/exposure_observations.h"
#include "check.h"

#include <string.h>

static const endo_pair pair = {0, 1}, itself = {1, 1};

/* n pixels of level low, and as many of each level up to high. */
static endo_exposure_levels even_levels(int low, int high, int n) {
    endo_exposure_levels l = {{0}};
    for (int v = 0; v < 256; v++) l.below[v + 1] = l.below[v] + (v >= low && v <= high ? n : 0);
    return l;
}

static endo_exposure_observations begin(const endo_exposure_levels *l) {
    endo_exposure_options p = {64, 4, 64, ENDO_PERCENTILE_ADAPTIVE, 0};
    endo_exposure_observations s;
    memset(&s, 0x5a, sizeof s);
    endo_exposure_observations_begin(&s, &pair, l, l, &p);
    CHECK(s.stage == ENDO_EXPOSURE_FIRST && s.observation.step == 4 && s.observation.tolerance == 4 && !s.observation.deep);
    return s;
}

/* Three quarters darker than 32. */
static void test_dark(void) {
    endo_exposure_levels just = {{0}}, not = {{0}};
    for (int v = 1; v <= 256; v++) just.below[v] = v >= 32 ? (v == 256 ? 400 : 300) : 0;
    not = just;
    for (int v = 32; v < 256; v++) not.below[v] = 299;
    CHECK(endo_exposure_is_dark(&just) && !endo_exposure_is_dark(&not));
    endo_exposure_observations s;
    endo_exposure_options p = {64, 4, 64, ENDO_PERCENTILE_ADAPTIVE, 0};
    endo_exposure_observations_begin(&s, &pair, &just, &not, &p);
    CHECK(!s.dark);
    endo_exposure_observations_begin(&s, &pair, &just, &just, &p);
    CHECK(s.dark);
    endo_exposure_observations_begin(&s, &itself, &just, &just, &p);
    CHECK(!s.dark);
}

/* Thresholds of 1000 pixels: black up to level 10, and so many white ones. */
static endo_exposure_choice choice(int white) {
    endo_exposure_threshold t = {10, 1, {0, 255}, 1000, 1000 - white, white, white};
    endo_exposure_choice c = {0, t, t};
    return c;
}

static endo_exposure_result seen(double dx, double dy, double certainty) {
    endo_exposure_result r = {.dx = dx, .dy = dy, .certainty = certainty, .deviation_x = 0.1, .deviation_y = 0.1};
    r.status = certainty >= 0.1 ? ENDO_EXPOSURE_OK : ENDO_EXPOSURE_LOW_CERTAINTY;
    return r;
}

/* The stage after a first look. */
static endo_exposure_observations after_first(int dark, int white, double dx, double dy, double certainty) {
    endo_exposure_levels l = dark ? even_levels(0, 15, 100) : even_levels(0, 255, 100);
    endo_exposure_observations s = begin(&l);
    endo_exposure_choice c = choice(white);
    endo_exposure_result r = seen(dx, dy, certainty);
    CHECK(s.dark == dark);
    endo_exposure_observations_take(&s, &c, &r);
    return s;
}

/* One look is enough, unless both images are dark and the shift may be that of what stands still. */
static void test_first(void) {
    CHECK(after_first(0, 300, 0, 0, 0.9).stage == ENDO_EXPOSURE_DONE);
    CHECK(after_first(0, 300, 9, 9, 0.01).stage == ENDO_EXPOSURE_DONE);
    CHECK(after_first(1, 300, 9, -7, 0.15).stage == ENDO_EXPOSURE_DONE);
    CHECK(after_first(1, 300, 9, -7, 0.14).stage == ENDO_EXPOSURE_LARGER);
    CHECK(after_first(1, 300, 5, -2, 0.2).stage == ENDO_EXPOSURE_DONE);
    CHECK(after_first(1, 300, 4, -4, 0.2).stage == ENDO_EXPOSURE_LARGER);
    CHECK(after_first(1, 300, 0, 0, 0.999).stage == ENDO_EXPOSURE_LARGER);
    CHECK(after_first(1, 300, 30, 1, 0.9).stage == ENDO_EXPOSURE_LARGER); /* a straight edge holds one axis */
    CHECK(after_first(1, 300, -1.75, 30, 0.9).stage == ENDO_EXPOSURE_LARGER);
    CHECK(after_first(1, 300, 9, -7, 0.05).stage == ENDO_EXPOSURE_LARGER);
}

/* The larger side of the threshold, in levels of one. */
static void test_sides(void) {
    endo_exposure_observations black = after_first(1, 300, 0, 0, 0.9), white = after_first(1, 600, 0, 0, 0.9);
    CHECK(black.observation.reference.from == 0 && black.observation.reference.to == 10 && black.observation.current.to == 10);
    CHECK(white.observation.reference.from == 11 && white.observation.reference.to == 255 && white.observation.current.from == 11);
    CHECK(black.observation.deep && black.observation.step == 1 && black.observation.tolerance == 0 && !black.observation.median);
}

static endo_exposure_observations after_larger(int white, double certainty, endo_exposure_result side) {
    endo_exposure_observations s = after_first(1, white, 0, 0, certainty);
    endo_exposure_choice c = choice(white);
    endo_exposure_observations_take(&s, &c, &side);
    return s;
}

/* A witness has its lowest share at the same shift, and is sharp; how certain it is does not matter. */
static void test_witness(void) {
    endo_exposure_observations s = after_larger(300, 0.9, seen(1, -1, 0.003));
    CHECK(s.stage == ENDO_EXPOSURE_INNER && s.result.status == ENDO_EXPOSURE_OK && s.result.certainty == 0.9);
    CHECK(s.result.dx == 0 && s.result.dy == 0);
    endo_exposure_result blunt = seen(0, 0, 0.003);
    blunt.deviation_y = 0.51;
    CHECK(after_larger(300, 0.9, blunt).stage == ENDO_EXPOSURE_SMALLER);
    CHECK(after_larger(300, 0.9, seen(0, 0, 0)).stage == ENDO_EXPOSURE_SMALLER);
    CHECK(after_larger(300, 0.9, seen(0, 2, 0.09)).stage == ENDO_EXPOSURE_SMALLER);
}

/* The end after what the inner side of a witness saw. */
static endo_exposure_result after_inner(endo_exposure_result inner) {
    endo_exposure_observations s = after_larger(300, 0.9, seen(0, 0, 0.05));
    endo_exposure_choice c = choice(300);
    CHECK(s.stage == ENDO_EXPOSURE_INNER && s.observation.reference.from == 0 && s.observation.reference.to == 10);
    endo_exposure_observations_take(&s, &c, &inner);
    CHECK(s.stage == ENDO_EXPOSURE_DONE);
    return s.result;
}

/* The inner observation may object: with another shift that is seen, or with no lowest share at all. */
static void test_inner(void) {
    endo_exposure_choice c = choice(300);
    endo_exposure_result nothing, flat = seen(0, 0, 0.001);
    endo_exposure_nothing(&c, &nothing);
    CHECK(after_inner(nothing).status == ENDO_EXPOSURE_OK && after_inner(nothing).certainty == 0.9);
    CHECK(after_inner(seen(1, 0, 0.001)).status == ENDO_EXPOSURE_OK);
    CHECK(after_inner(seen(7, 0, 0.019)).status == ENDO_EXPOSURE_OK);
    CHECK(after_inner(seen(7, 0, 0.02)).status == ENDO_EXPOSURE_NO_CONTENT);
    CHECK(after_inner(seen(7, -9, 0.15)).dx == 7);
    flat.deviation_y = 7.9;
    CHECK(after_inner(flat).status == ENDO_EXPOSURE_OK);
    flat.deviation_y = 8;
    CHECK(after_inner(flat).status == ENDO_EXPOSURE_NO_CONTENT);
}

/* A shift that is seen, though 0 is seen, too, is that of the scene: what moved cannot stand still. */
static void test_moved(void) {
    endo_exposure_observations s = after_larger(300, 0.9, seen(17, -9, 0.15));
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.dx == 17 && s.result.dy == -9 && s.result.certainty == 0.15);
    endo_exposure_choice c = choice(300);
    endo_exposure_result moved = seen(17, -9, 0.15), held = seen(0, 0, 0.9);
    s = after_larger(300, 0.9, seen(17, -9, 0.14));
    CHECK(s.stage == ENDO_EXPOSURE_SMALLER && s.observation.reference.from == 11);
    endo_exposure_observations_take(&s, &c, &moved);
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.dx == 17 && s.result.status == ENDO_EXPOSURE_OK);
    s = after_larger(300, 0.9, seen(17, -9, 0.05)); /* the smaller side is no witness */
    endo_exposure_observations_take(&s, &c, &held);
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.status == ENDO_EXPOSURE_NO_CONTENT && s.result.certainty == 0);
    CHECK(isnan(s.result.mismatch) && s.result.dx == 0);
    s = after_larger(124, 0.9, seen(17, -9, 0.05)); /* below an eighth it is not looked at */
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.status == ENDO_EXPOSURE_NO_CONTENT);
    CHECK(after_larger(125, 0.9, seen(17, -9, 0.05)).stage == ENDO_EXPOSURE_SMALLER);
    s = after_larger(100, 0.05, seen(0, 0, 0.05)); /* what was uncertain before stays so, witness or not */
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.status == ENDO_EXPOSURE_LOW_CERTAINTY && s.result.certainty == 0.05);
}

/* Without content, thresholds near to black are tried, in a dark pair alone. */
static void test_deep(void) {
    endo_exposure_levels dark = even_levels(0, 15, 100), bright = even_levels(240, 255, 100);
    endo_exposure_choice c = choice(300);
    endo_exposure_result nothing, faint = seen(30, 30, 0.019), weak = seen(30, 30, 0.02), good = seen(30, 30, 0.2);
    endo_exposure_nothing(&c, &nothing);
    endo_exposure_observations s = begin(&bright);
    endo_exposure_observations_take(&s, &c, &nothing);
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.status == ENDO_EXPOSURE_NO_CONTENT);
    s = begin(&dark);
    endo_exposure_observations_take(&s, &c, &nothing);
    CHECK(s.stage == ENDO_EXPOSURE_DEEP && s.observation.deep && s.observation.reference.from == 0 && s.observation.reference.to == 255);
    endo_exposure_observations deep = s;
    endo_exposure_observations_take(&s, &c, &nothing);
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.status == ENDO_EXPOSURE_NO_CONTENT);
    s = deep;
    endo_exposure_observations_take(&s, &c, &good);
    CHECK(s.stage == ENDO_EXPOSURE_DONE && s.result.dx == 30 && s.result.status == ENDO_EXPOSURE_OK);
    s = deep;
    endo_exposure_observations_take(&s, &c, &faint);
    CHECK(s.stage == ENDO_EXPOSURE_LARGER && s.result.status == ENDO_EXPOSURE_NO_CONTENT);
    s = deep;
    endo_exposure_observations_take(&s, &c, &weak);
    CHECK(s.stage == ENDO_EXPOSURE_LARGER && s.result.status == ENDO_EXPOSURE_LOW_CERTAINTY);
}

/* ------------------------------------------------------------------- levels */

/* Thresholds near to black: the first look avoids them, a deep one takes the middle. */
static void test_deep_thresholds(void) {
    endo_exposure_levels l = even_levels(0, 15, 100), few = even_levels(4, 6, 100);
    endo_exposure_options p = {64, 4, 64, ENDO_PERCENTILE_ADAPTIVE, 0};
    endo_exposure_observation first = endo_exposure_first_observation(&p);
    endo_exposure_slice all = {0, 255}, upper = {4, 11};
    endo_exposure_observation deep = endo_exposure_deep_observation(all, all);
    endo_exposure_observation sliced = endo_exposure_deep_observation(upper, upper);
    endo_exposure_choice t = endo_exposure_thresholds(&few, &few, &first);
    CHECK(t.reference.level >= 12 && !endo_exposure_shows(&t));
    t = endo_exposure_thresholds(&few, &few, &deep);
    CHECK(t.reference.level == 4 && t.reference.black == 100 && t.reference.white == 200 && endo_exposure_shows(&t));
    t = endo_exposure_thresholds(&l, &l, &deep);
    CHECK(t.reference.level == 7 && t.current.level == 7 && t.reference.black == 800 && t.reference.white == 800);
    t = endo_exposure_thresholds(&l, &l, &sliced);
    CHECK(t.reference.level == 7 && t.reference.pixels == 800 && t.reference.black == 400 && t.reference.above == 400);
    CHECK(endo_exposure_is_slice(&t.reference) && endo_exposure_shows(&t));
    endo_exposure_slice one = {5, 5};
    endo_exposure_observation flat = endo_exposure_deep_observation(one, one);
    t = endo_exposure_thresholds(&l, &l, &flat);
    CHECK(t.reference.pixels == 100 && t.reference.white == 0 && !endo_exposure_shows(&t));
}

static void test_within(void) {
    endo_exposure_slice s = {4, 11}, one = {5, 5};
    CHECK(endo_exposure_within(s, 0) == 4 && endo_exposure_within(s, 7) == 7 && endo_exposure_within(s, 11) == 10);
    CHECK(endo_exposure_within(one, 0) == 5 && endo_exposure_within(one, 200) == 5);
}

/* -------------------------------------------------------------------- spike */

/* A scene's shares, k |s| + c and c + k s^2, have none; what a pattern takes from the middle comes back. */
static void test_spike(void) {
    CHECK_NEAR(endo_exposure_spike(0.5, 0.3, 0.1, 0.3, 0.5), 0, 1e-12);
    CHECK(endo_exposure_spike(0.45, 0.2, 0.1, 0.2, 0.45) == 0);
    CHECK_NEAR(endo_exposure_spike(0.5, 0.3, 0.02, 0.3, 0.5), 0.08, 1e-12);
    CHECK_NEAR(endo_exposure_spike(0.5, 0.5, 0.1, 0.5, 0.5), 0.4, 1e-12);
}

/* Only of a dark pair, and only along an axis that did not move. */
static void test_clean_share(void) {
    endo_exposure_search s = {.best_dx = 3, .best_dy = 2};
    endo_exposure_evidence e = {.near = {0.5, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5}, .wide = {0.5, 0.5, 0.5, 0.5}};
    CHECK(endo_exposure_clean_share(&s, &e) == 0.1);
    s.dark = 1;
    CHECK(endo_exposure_clean_share(&s, &e) == 0.1);
    s.best_dx = 0;
    CHECK_NEAR(endo_exposure_clean_share(&s, &e), 0.5, 1e-12);
    s.best_dx = 3, s.best_dy = 0;
    CHECK_NEAR(endo_exposure_clean_share(&s, &e), 0.5, 1e-12);
    s.best_dx = 0;
    CHECK_NEAR(endo_exposure_clean_share(&s, &e), 0.9, 1e-12);
}

/* Shares of what was asked for; of the wider shifts only where a fraction or a dark pair wants them. */
static void test_evidence(void) {
    endo_exposure_search s = {.near = {{8, 2}, {8, 4}}, .wide = {{10, 5}, {10, 1}, {0, 0}, {10, 5}}};
    endo_exposure_choice t = {.reference = {.above = 5, .pixels = 10}, .current = {.above = 5, .pixels = 10}};
    endo_exposure_evidence plain = endo_exposure_evidence_of(&s, &t);
    CHECK(plain.near[0] == 0.25 && plain.near[1] == 0.5 && plain.near[2] == 1);
    CHECK(plain.wide[0] == 1 && plain.wide[1] == 1 && plain.second == 0);
    s.subpixel = 1;
    endo_exposure_evidence fine = endo_exposure_evidence_of(&s, &t);
    CHECK(fine.wide[0] == 0.5 && fine.wide[1] == 0.1 && fine.wide[2] == 1);
    s.subpixel = 0, s.dark = 1;
    CHECK(endo_exposure_evidence_of(&s, &t).wide[1] == 0.1);
}

int main(void) {
    test_dark();
    test_first();
    test_sides();
    test_witness();
    test_inner();
    test_moved();
    test_deep();
    test_deep_thresholds();
    test_within();
    test_spike();
    test_clean_share();
    test_evidence();
    return check_summary("test_rules_exposure_observations");
}
