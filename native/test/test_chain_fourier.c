/* What becomes of frames that are registered by their spectra, or are not, by scores that are written by hand. */
#include "systems/chains/fourier_rules.h"
#include "chain_scores_rig.h"

static chain_rows chain;

static chain_rows *make(int fixed) {
    chain = fourier_chain_of(fixed, HAND_FRAMES);
    return &chain;
}

static chain_rows *previous(void) { return make(-1); }

/* A quarter turn, and a shift. */
static void turn(int reference, int frame, double dx, double dy) {
    hand_good(reference, frame, dx, dy);
    hand.pairs[reference][frame].transform =
        (endo_transform){.kind = ENDO_TRANSFORM_RIGID, .matrix = {0, -1, dx, 1, 0, dy, 0, 0, 1}};
}

static void test_places_are_products(void) {
    hand_reset();
    turn(0, 1, 10, 0);
    hand_good(1, 2, 3, 4);
    chain_rows *c = previous();
    hand_add(c, 3);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 0) && hand_lies_at(&c->rows[0], 0, 0) && hand_describes(&c->rows[0], 0, 0));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && c->rows[2].pose.kind == ENDO_TRANSFORM_RIGID);
    /* First the shift, then the turn. */
    CHECK(c->rows[2].pose.matrix[1] == -1 && hand_lies_at(&c->rows[2], 10 - 4, 3));
    CHECK(c->rows[2].dx == 3 && c->rows[2].dy == 4 && c->rows[2].backend == ENDO_BACKEND_CPU && hand.n_asked == 3);
    chain_rows_free(c);
}

static void test_what_cannot_be_registered_stays_out(void) {
    hand_reset();
    hand_good(0, 1, 1, 2);
    hand_set(1, 2, ENDO_CHAIN_LOW_CERTAINTY, 8, 9);
    hand_good(2, 3, 5, 5);
    hand_good(1, 4, 3, 3);
    chain_rows *c = previous();
    hand_add(c, 5);
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_LOW_CERTAINTY, 0, 1) && hand_lies_at(&c->rows[2], 1, 2));
    CHECK(c->rows[2].dx == 8 && c->rows[2].dy == 9);
    /* Two that go with each other alone are no beginning where there is a chain. */
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_LOW_CERTAINTY, 0, 1) && !hand.asked[2][3]);
    CHECK(hand_is(&c->rows[4], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[4], 4, 5));
    chain_rows_free(c);
}

static void test_a_first_frame_that_goes_with_none_is_left_behind(void) {
    for (int status = ENDO_CHAIN_OK; status <= ENDO_CHAIN_NO_CONTENT; status++) {
        hand_reset();
        hand_set(1, 0, status, 6, 7);
        turn(1, 2, 4, 4);
        chain_rows *c = previous();
        hand_add(c, 3);
        /* It may look good from the other side. */
        int said = status == ENDO_CHAIN_OK ? ENDO_CHAIN_LOW_CERTAINTY : status;
        CHECK(hand_is(&c->rows[0], said, 0, 1) && c->rows[0].dx == 6 && hand_describes(&c->rows[0], 1, 0));
        CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[1], 0, 0));
        CHECK(hand_describes(&c->rows[1], 1, 1));
        CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && c->rows[2].pose.matrix[1] == -1 && c->registered == 2);
        chain_rows_free(c);
    }
}

static void test_a_frame_without_content_is_no_beginning(void) {
    hand_reset();
    hand_good(1, 2, 4, 4);
    hand_set(1, 1, ENDO_CHAIN_NO_CONTENT, 0, 0);
    chain_rows *c = previous();
    hand_add(c, 3);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 0) && hand_is(&c->rows[2], ENDO_CHAIN_LOW_CERTAINTY, 0, 0));
    chain_rows_free(c);
    hand_reset();
    hand_black(0);
    hand_good(1, 2, 4, 4);
    c = previous();
    hand_add(c, 3);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_NO_CONTENT, 0, 0) && hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 1));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_OK, 1, 1) && c->registered == 2);
    chain_rows_free(c);
}

static void test_a_fixed_reference_is_the_only_one(void) {
    hand_reset();
    hand_good(1, 0, 2, 3);
    hand_good(2, 3, 5, 5);
    chain_rows *c = make(1);
    hand_add(c, 4);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[0], 2, 3));
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_OK, 1, 1) && hand_lies_at(&c->rows[1], 0, 0));
    CHECK(hand_is(&c->rows[2], ENDO_CHAIN_LOW_CERTAINTY, 0, 1) && hand_lies_at(&c->rows[2], 0, 0));
    CHECK(hand_is(&c->rows[3], ENDO_CHAIN_LOW_CERTAINTY, 0, 1) && !hand.asked[2][3]);
    chain_rows_free(c);
}

static void test_another_image_is_no_frame(void) {
    hand_reset();
    turn(HAND_FRAMES, 0, 2, 3);
    chain_rows *c = make(HAND_FRAMES);
    hand_add(c, 2);
    CHECK(hand_is(&c->rows[0], ENDO_CHAIN_OK, 1, -1) && hand_lies_at(&c->rows[0], 2, 3) && c->rows[0].pose.matrix[1] == -1);
    CHECK(hand_is(&c->rows[1], ENDO_CHAIN_LOW_CERTAINTY, 0, -1) && hand_lies_at(&c->rows[1], 0, 0));
    chain_rows_free(c);
}

static void test_unreadable_frames_cost_themselves(void) {
    hand_reset();
    hand_good(0, 1, 1, 2);
    hand_good(1, 3, 3, 3);
    chain_rows *c = previous();
    hand_add(c, 2);
    CHECK(chain_rows_skip(c) == ENDO_OK);
    hand_add(c, 1);
    const endo_chain_frame *skipped = &c->rows[2];
    CHECK(hand_is(skipped, ENDO_CHAIN_SKIPPED, 0, -1) && hand_lies_at(skipped, 1, 2) && skipped->backend == 0);
    CHECK(skipped->scores.scale == 1 && isnan(skipped->scores.ncc) && skipped->scores.peak == 0);
    CHECK(hand_lies_at(&c->rows[3], 4, 5));
    chain_rows_free(c);
}

static void test_failures_change_nothing(void) {
    hand_reset();
    hand_black(0);
    hand_good(2, 3, 4, 4);
    turn(3, 4, 1, 1);
    hand_good(4, 6, 2, 0);
    hand_check_failures(previous, 7);
    CHECK(hand.asked[2][1] && hand.asked[2][2]);
}

int main(void) {
    test_places_are_products();
    test_what_cannot_be_registered_stays_out();
    test_a_first_frame_that_goes_with_none_is_left_behind();
    test_a_frame_without_content_is_no_beginning();
    test_a_fixed_reference_is_the_only_one();
    test_another_image_is_no_frame();
    test_unreadable_frames_cost_themselves();
    test_failures_change_nothing();
    return check_summary("test_chain_fourier");
}
