/* What becomes of differently exposed frames that can be aligned, or cannot, by scores that are written by hand. */
#include "systems/chains/exposure_rules.h"
#include "chain_scores_rig.h"

static exposure_chain chain;

static chain_rows *make(int fixed, int period, int whole) {
    CHECK(exposure_chain_begin(&chain, fixed, HAND_FRAMES, period, whole) == ENDO_OK);
    return &chain.rows;
}

static chain_rows *previous(void) { return make(-1, 0, 1); }

static void test_shifts_add_up(void) {
    hand_reset();
    hand_good(0, 1, 3, -2);
    hand_good(1, 2, 0.5, 4);
    chain_rows *c = previous();
    hand_add(c, 3);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 0) && hand_lies_at(&c->rows[0], 0, 0) && hand_describes(&c->rows[0], 0, 0));
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 0) && hand_lies_at(&c->rows[1], 3, -2) && hand_describes(&c->rows[1], 0, 1));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[2], 3.5, 2));
    CHECK(c->rows[2].dx == 0.5 && c->rows[2].dy == 4 && c->rows[2].backend == ENDO_BACKEND_CPU);
    CHECK(c->rows[2].pose.kind == ENDO_TRANSFORM_TRANSLATION && !c->rows[2].predicted);
    CHECK(hand.n_asked == 3); /* no pair that nobody needs */
    chain_rows_free(c);
}

static void test_what_cannot_be_aligned_stays_with_the_last(void) {
    hand_reset();
    hand_good(0, 1, 3, -2);
    hand_black(2);
    hand_good(1, 3, 1, 1);
    chain_rows *c = previous();
    hand_add(c, 4);
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_NO_CONTENT, 0, 1) && hand_lies_at(&c->rows[2], 3, -2) && c->rows[2].dx == 0);
    CHECK(hand_describes(&c->rows[2], 1, 2));
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[3], 4, -1));
    CHECK(!hand.asked[2][3]); /* it goes with the last aligned one */
    chain_rows_free(c);
}

static void test_a_new_scene_makes_a_new_start(void) {
    hand_reset();
    hand_good(0, 1, 3, -2);
    hand_good(2, 3, 5, 6);
    hand_good(3, 4, 1, 0);
    chain_rows *c = previous();
    hand_add(c, 5);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 0) && hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 0));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_NEW_START, 1, 1) && hand_lies_at(&c->rows[2], 3, -2));
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_OK, 1, 2) && hand_lies_at(&c->rows[3], 8, 4) && hand_describes(&c->rows[3], 2, 3));
    CHECK(c->rows[3].dx == 5 && c->rows[3].dy == 6);
    CHECK(hand_is(&c->rows[4], ENDO_CHAIN_OK, 1, 3) && hand_lies_at(&c->rows[4], 9, 4));
    CHECK(c->registered == 5 && c->last == 4 && c->before == 4);
    chain_rows_free(c);
}

static void test_a_first_frame_that_goes_with_none_is_given_up(void) {
    hand_reset();
    hand_set(0, 1, ENDO_CHAIN_NO_CONTENT, 0, 0);
    hand_good(1, 2, 7, 8);
    chain_rows *c = previous();
    hand_add(c, 3);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_NO_CONTENT, 0, 0) && hand_describes(&c->rows[0], 0, 1));
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[1], 0, 0));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[2], 7, 8));
    CHECK(c->registered == 2);
    chain_rows_free(c);
}

/* It sees itself well, but nothing has been measured until another one is aligned with it. */
static void test_a_beginning_after_black_is_not_sure(void) {
    hand_reset();
    hand_black(0);
    hand_good(1, 2, 2, 2);
    chain_rows *c = previous();
    hand_add(c, 2);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_NO_CONTENT, 0, 0) && hand_describes(&c->rows[0], 0, 0));
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_NO_CONTENT, 0, 0) && hand_describes(&c->rows[1], 0, 1));
    hand_add(c, 1);
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 1) && hand_describes(&c->rows[1], 1, 1));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[2], 2, 2));
    chain_rows_free(c);
}

static void test_a_beginning_that_is_given_up_is_never_sure(void) {
    hand_reset();
    hand_black(0);
    hand_good(2, 3, 1, 1);
    hand_good(3, 4, 1, 1);
    chain_rows *c = previous();
    hand_add(c, 5);
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_LOW_CERTAINTY, 0, 0) && hand_describes(&c->rows[1], 1, 2));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 2) && hand_is(&c->rows[3], ENDO_CHAIN_OK, 1, 2));
    CHECK(hand_describes(&c->rows[2], 1, 2) && hand_describes(&c->rows[3], 2, 3));
    CHECK(hand_lies_at(&c->rows[4], 2, 2));
    chain_rows_free(c);
}

/* Neither shows much by itself. */
static void test_two_dark_frames_may_go_together(void) {
    hand_reset();
    hand_set(0, 0, ENDO_CHAIN_NO_CONTENT, 0, 0);
    hand_set(1, 1, ENDO_CHAIN_NO_CONTENT, 0, 0);
    hand_good(0, 1, 4, 5);
    chain_rows *c = previous();
    hand_add(c, 2);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 0) && hand_lies_at(&c->rows[0], 0, 0));
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 0) && hand_lies_at(&c->rows[1], 4, 5) && c->registered == 2);
    chain_rows_free(c);
}

static void test_a_fixed_reference_is_the_only_one(void) {
    hand_reset();
    hand_good(2, 0, 1, 2);
    hand_good(0, 1, 9, 9);
    hand_set(2, 2, ENDO_CHAIN_OK, 0, 0);
    hand_good(2, 3, -3, 4);
    hand_good(4, 5, 5, 5);
    chain_rows *c = make(2, 0, 1);
    hand_add(c, 6);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 2) && hand_lies_at(&c->rows[0], 1, 2) && c->rows[0].dx == 1);
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_LOW_CERTAINTY, 0, 2) && hand_lies_at(&c->rows[1], 1, 2) && c->rows[1].dx == 1);
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 2) && hand_lies_at(&c->rows[2], 0, 0));
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_OK, 1, 2) && hand_lies_at(&c->rows[3], -3, 4) && c->rows[3].dy == 4);
    CHECK(hand_is(&c->rows[4], ENDO_CHAIN_LOW_CERTAINTY, 0, 2) && hand_lies_at(&c->rows[4], -3, 4));
    CHECK(hand_is(&c->rows[5], ENDO_CHAIN_LOW_CERTAINTY, 0, 2) && !hand.asked[0][1] && !hand.asked[4][5]);
    chain_rows_free(c);
}

static void test_a_black_reference_aligns_nothing(void) {
    hand_reset();
    hand_black(0);
    chain_rows *c = make(0, 0, 1);
    hand_add(c, 2);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_NO_CONTENT, 0, 0) && hand_is(&c->rows[1], ENDO_CHAIN_NO_CONTENT, 0, 0));
    CHECK(c->registered == 0);
    chain_rows_free(c);
}

static void test_unreadable_frames_cost_themselves(void) {
    hand_reset();
    hand_good(0, 1, 3, -2);
    hand_good(1, 3, 1, 1);
    chain_rows *c = previous();
    hand_add(c, 2);
    CHECK(chain_rows_skip(c) == ENDO_OK);
    hand_add(c, 1);
    const endo_chain_frame *skipped = &c->rows[2];
    CHECK(hand_is(skipped, ENDO_CHAIN_SKIPPED, 0, -1) && hand_lies_at(skipped, 3, -2) && skipped->backend == 0);
    CHECK(isnan(skipped->scores.peak) && isnan(skipped->scores.mismatch) && skipped->scores.certainty == 0);
    CHECK(skipped->dx == 0 && skipped->dy == 0);
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[3], 4, -1));
    CHECK(chain_rows_skip(c) == ENDO_OK);
    hand_good(4, 5, 1, 1);
    hand_add(c, 1);
    CHECK(hand_is(&c->rows[5], ENDO_CHAIN_LOW_CERTAINTY, 0, 3) && !hand.asked[4][5]);
    chain_rows_free(c);
}

/* Every rule is met on the way: black, unsure, given up, a new start. */
static void test_failures_change_nothing(void) {
    hand_reset();
    hand_black(0);
    hand_good(2, 3, 1, 1);
    hand_good(3, 4, 1, 1);
    hand_black(5);
    hand_good(4, 6, 2, 0);
    hand_good(7, 8, 1, 3);
    hand_good(8, 9, 1, 3);
    hand_check_failures(previous, 10);
    CHECK(hand.asked[7][8] && hand.asked[6][8]);
}

/* ------------------------------------------------------------------ what comes next */

static void test_expected_pairs_and_frames_that_stay(void) {
    const int frames[] = {4, 6, 7};
    int pairs[3][2];
    int held[CHAIN_HELD];
    hand_reset();
    chain_rows *c = previous();
    chain_rows_expected(c, frames, 3, pairs);
    CHECK(pairs[0][0] == 4 && pairs[0][1] == 4 && pairs[1][0] == 4 && pairs[1][1] == 6 && pairs[2][0] == 6 && pairs[2][1] == 7);
    c->last = 1;
    c->before = 3;
    chain_rows_expected(c, frames, 3, pairs);
    chain_rows_held(c, held);
    CHECK(pairs[0][0] == 1 && pairs[1][0] == 4 && held[0] == -1 && held[1] == 1 && held[2] == 3);
    c->fixed = 2;
    chain_rows_expected(c, frames, 3, pairs);
    chain_rows_held(c, held);
    CHECK(pairs[0][0] == 2 && pairs[1][0] == 2 && pairs[2][0] == 2 && pairs[2][1] == 7);
    CHECK(held[0] == 2 && held[1] == -1 && held[2] == -1);
    chain_rows_free(c);
}

/* --------------------------------------------------------------------------- videos */

/* A camera that moves on by (4, -2) a frame, and a frame that is black. */
static void move_on(int black) {
    hand_reset();
    for (int i = 1; i < 16; i++) hand_good(i - 1, i, 4, -2);
    hand_black(black);
    hand_good(black - 1, black + 1, 8, -4);
}

static void test_motion_predicts_a_black_frame(void) {
    move_on(9);
    chain_rows *c = make(-1, 3, 1);
    hand_add(c, 12);
    for (int i = 0; i < 12; i++) {
        const endo_chain_frame *row = &c->rows[i];
        CHECK(row->predicted == (i == 9) && row->registered == (i != 9));
        CHECK_NEAR(row->pose.matrix[2], 4 * i, i == 9 ? 1 : 0);
        CHECK_NEAR(row->pose.matrix[5], -2 * i, i == 9 ? 1 : 0);
    }
    CHECK(c->rows[9].dx == c->rows[9].pose.matrix[2] - 32 && c->rows[9].status == ENDO_CHAIN_NO_CONTENT);
    chain_rows_free(c);
}

static void test_predictions_are_whole_where_shifts_are(void) {
    for (int whole = 0; whole < 2; whole++) {
        hand_reset();
        for (int i = 1; i < 8; i++) hand_good(i - 1, i, i % 2 ? 4 : 5, 1);
        hand_black(8);
        chain_rows *c = make(-1, 3, whole);
        hand_add(c, 9);
        double x = c->rows[8].pose.matrix[2];
        CHECK(c->rows[8].predicted && x > 33 && x < 39 && (x == rint(x)) == whole);
        chain_rows_free(c);
    }
}

static void test_what_the_motion_speaks_against_is_not_believed(void) {
    move_on(14);
    hand_good(8, 9, 70, 60);
    hand_good(8, 10, 8, -4);
    chain_rows *c = make(-1, 3, 1);
    hand_add(c, 11);
    CHECK(hand_is(&c->rows[9], ENDO_CHAIN_LOW_CERTAINTY, 0, 8) && c->rows[9].predicted && hand_describes(&c->rows[9], 8, 9));
    CHECK_NEAR(c->rows[9].pose.matrix[2], 36, 1);
    CHECK_NEAR(c->rows[9].dx, 4, 1);
    CHECK(hand_is(&c->rows[10], ENDO_CHAIN_OK, 1, 8) && hand_lies_at(&c->rows[10], 40, -20) && !c->rows[10].predicted);
    chain_rows_free(c);
    /* Without a filter it is. */
    c = previous();
    hand_add(c, 10);
    CHECK(hand_is(&c->rows[9], ENDO_CHAIN_OK, 1, 8) && hand_lies_at(&c->rows[9], 102, 44));
    chain_rows_free(c);
}

/* Nothing is known before the path begins; and a fixed reference is passed like any other frame. */
static void test_a_path_begins_with_what_is_measured(void) {
    hand_reset();
    hand_black(0);
    hand_good(2, 1, 30, 40);
    hand_good(2, 3, -30, -40);
    chain_rows *c = make(2, 3, 1);
    CHECK(chain_rows_skip(c) == ENDO_OK);
    hand_add(c, 3);
    CHECK(hand_lies_at(&c->rows[0], 0, 0) && !c->rows[0].predicted && !c->rows[0].registered);
    CHECK(hand_lies_at(&c->rows[1], 30, 40) && c->rows[1].registered);
    CHECK(hand_lies_at(&c->rows[2], 0, 0) && hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 2));
    CHECK(hand_lies_at(&c->rows[3], -30, -40) && c->rows[3].registered);
    chain_rows_free(c);
}

static void test_a_new_start_begins_the_path_anew(void) {
    move_on(20);
    hand_set(5, 6, ENDO_CHAIN_LOW_CERTAINTY, 0, 0);
    hand_good(6, 7, -30, 20); /* another scene moves otherwise */
    hand_good(7, 8, -30, 20);
    chain_rows *c = make(-1, 3, 1);
    hand_add(c, 9);
    const endo_chain_frame *start = &c->rows[6];
    CHECK(hand_is(start, ENDO_CHAIN_NEW_START, 1, 5));
    CHECK(hand_lies_at(&c->rows[7], start->pose.matrix[2] - 30, start->pose.matrix[5] + 20));
    CHECK(chain.path.filter.measured == 8 && chain.path.filter.frame == 8);
    chain_rows_free(c);
}

int main(void) {
    test_shifts_add_up();
    test_what_cannot_be_aligned_stays_with_the_last();
    test_a_new_scene_makes_a_new_start();
    test_a_first_frame_that_goes_with_none_is_given_up();
    test_a_beginning_after_black_is_not_sure();
    test_a_beginning_that_is_given_up_is_never_sure();
    test_two_dark_frames_may_go_together();
    test_a_fixed_reference_is_the_only_one();
    test_a_black_reference_aligns_nothing();
    test_unreadable_frames_cost_themselves();
    test_failures_change_nothing();
    test_expected_pairs_and_frames_that_stay();
    test_motion_predicts_a_black_frame();
    test_predictions_are_whole_where_shifts_are();
    test_what_the_motion_speaks_against_is_not_believed();
    test_a_path_begins_with_what_is_measured();
    test_a_new_start_begins_the_path_anew();
    return check_summary("test_chain_exposures");
}
