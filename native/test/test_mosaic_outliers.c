/* Outlier candidates: frames that differ from the chain that they follow, as the pairs of three frames decide on them; what
 * is said of frames that a chain leaves out; and where such frames are taken to lie. No frame has pixels here. */
#include "systems/mosaic/chain_motion.h"
#include "systems/mosaic/outlier_candidates.h"

#include "check.h"

#include <string.h>

#define W 200
#define H 100

static mosaic_events events;
static frame_records records;
static chain_failures failures;
static plausibility usual;
static pair_judge judge;
static outlier_candidates candidates;
static placed_frame last;

static void begin(void) {
    mosaic_size size = {.width = W, .height = H};
    events_init(&events, NULL);
    records = (frame_records){.first = 0};
    CHECK(frame_records_reserve(&records, 20) == ENDO_OK);
    for (records.n = 0; records.n < 20; records.n++) records.items[records.n] = mosaic_unknown_frame();
    chain_failures_init(&failures, &events, &records);
    usual = (plausibility){.count = 0};
    judge = (pair_judge){.size = size, .usual = &usual, .failures = &failures};
    candidates = (outlier_candidates){.judge = &judge};
    last = (placed_frame){.frame = 4, .slot = 0, .pose = pose_identity};
}

static void end(void) {
    chain_failures_free(&failures);
    frame_records_free(&records);
    events_free(&events);
}

/* A good pair in which a share of the tiles differs. */
static pair_match differing(double share) {
    return (pair_match){
        .transform = pose_translation(3, 1),
        .result = {.quality = 0.9, .found = 50, .deviation = 0.1},
        .reference = 4,
        .status = ENDO_FRAME_OK,
        .differing = share,
    };
}

static pair_match turned(double share) {
    const double m[6] = {-1, 0, W, 0, -1, H};
    pair_match match = differing(share);
    match.transform = endo_transform_make(ENDO_TRANSFORM_RIGID, m);
    return match;
}

static pair_match unregistered(void) {
    pair_match match = differing(0);
    match.status = ENDO_FRAME_JUMP;
    match.transform = pose_identity;
    return match;
}

/* Adds a candidate as a chain does. */
static void add(int frame, const pair_match *match) {
    const outlier_candidate one = {
        .frame = frame,
        .slot = frame,
        .match = *match,
        .differing = pair_whole_difference(&judge, &last, match),
    };
    outlier_candidates_add(&candidates, &one);
}

static outlier_decision decided(pair_match before, pair_match to_last, pair_match to_newest) {
    candidates.n = 0;
    add(5, &before);
    return outlier_candidates_decide(&candidates, &last, &to_last, &to_newest);
}

/* ----------------------------------------------------------------------------- pairs */

static void test_which_pairs_are_accepted(void) {
    const double g[2] = {-0.99 / (W - 1), 0};
    begin();
    pair_match m = differing(0.2);
    CHECK(pair_is_accepted(&judge, &last, &m) && pair_difference(&judge, &last, &m) == 0.2);
    m = unregistered();
    CHECK(!pair_is_accepted(&judge, &last, &m) && pair_difference(&judge, &last, &m) == 1);
    m = turned(0.2);
    CHECK(pair_is_accepted(&judge, &last, &m) && pair_difference(&judge, &last, &m) == 1);
    m.transform = pose_scaling(0);
    CHECK(!pair_is_accepted(&judge, &last, &m));
    m.transform = pose_perspective(g, 0, 0);
    CHECK(!pair_is_accepted(&judge, &last, &m));
    m.transform = pose_identity;
    last.pose = pose_perspective(g, 0, 0);
    CHECK(!pair_is_accepted(&judge, &last, &m)); /* where the last good frame lies counts, too */
    end();
}

static void test_more_is_asked_after_a_failure(void) {
    begin();
    pair_match few = differing(0);
    few.status = ENDO_FRAME_FEW_LANDMARKS;
    few.result.quality = 0.59;
    CHECK(pair_is_accepted(&judge, &last, &few));
    chain_failures_add(&failures, 5);
    CHECK(!pair_is_accepted(&judge, &last, &few));
    few.result.quality = 0.61;
    CHECK(pair_is_accepted(&judge, &last, &few));
    chain_failures_clear(&failures);
    few.result.quality = 0.59;
    CHECK(pair_is_accepted(&judge, &last, &few));
    end();
}

static void test_which_pairs_are_suspicious(void) {
    begin();
    for (int i = 0; i < 2; i++) {
        double bound = i ? 0.24 : 0.1; /* where 0.12 is usual, and where nothing is known */
        pair_match m = differing(bound - 0.001);
        CHECK(!pair_is_suspicious(&judge, &last, &m));
        m = differing(bound + 0.001);
        CHECK(pair_is_suspicious(&judge, &last, &m));
        m = turned(0);
        CHECK(pair_is_suspicious(&judge, &last, &m));
        plausibility_add(&usual, 0.12);
    }
    end();
}

/* ------------------------------------------------------------------------- decisions */

static void test_the_odd_one_out(void) {
    begin();
    CHECK(decided(differing(0.5), differing(0.02), differing(0.5)) == DECISION_OUTLIERS);
    CHECK(decided(differing(0.5), differing(0.5), differing(0.02)) == DECISION_JOINED);
    CHECK(decided(turned(0.02), differing(0.02), turned(0.02)) == DECISION_OUTLIERS);
    CHECK(decided(turned(0.02), turned(0.02), differing(0.02)) == DECISION_JOINED);
    CHECK(decided(unregistered(), differing(0.02), unregistered()) == DECISION_OUTLIERS);
    CHECK(decided(unregistered(), unregistered(), differing(0.02)) == DECISION_JOINED);
    CHECK(usual.count == 0);
    end();
}

/* 1.75 times as much as the others from each other, beside a tile. */
static void test_how_much_makes_odd(void) {
    begin();
    plausibility_add(&usual, 0.02);
    for (int i = 0; i < 3; i++) {
        double tile = i * 0.02;
        double nothing = tile > 0.01 ? tile : 0.01;
        double bound = 1.75 * (0.1 + nothing) - nothing;
        pair_match above = differing(bound + 0.002);
        pair_match below = differing(bound - 0.002);
        pair_match others = differing(0.1);
        others.tile = tile;
        CHECK(decided(above, others, above) == DECISION_OUTLIERS);
        CHECK(decided(below, others, below) == DECISION_ACCEPTED);
        CHECK(decided(above, above, others) == DECISION_JOINED);
        CHECK(decided(below, below, others) == DECISION_ACCEPTED);
        others.tile = 0;
        below.tile = tile; /* of whichever pair */
        above.tile = tile;
        CHECK(decided(above, others, differing(bound + 0.002)) == DECISION_OUTLIERS);
        CHECK(decided(below, others, differing(bound - 0.002)) == DECISION_ACCEPTED);
        CHECK(decided(differing(bound + 0.002), others, above) == DECISION_OUTLIERS);
        CHECK(decided(differing(bound - 0.002), others, below) == DECISION_ACCEPTED);
    }
    end();
}

/* All three pairs differ, so that no frame is odd: the candidate is left out if it differs wildly on both sides. */
static void test_where_nobody_is_odd(void) {
    begin();
    plausibility_add(&usual, 0.02);
    CHECK(decided(differing(0.31), differing(0.31), differing(0.31)) == DECISION_OUTLIERS);
    CHECK(decided(differing(0.29), differing(0.31), differing(0.31)) == DECISION_ACCEPTED);
    CHECK(decided(differing(0.31), differing(0.31), differing(0.29)) == DECISION_ACCEPTED);
    CHECK(decided(unregistered(), unregistered(), unregistered()) == DECISION_OUTLIERS);
    CHECK(decided(unregistered(), differing(0.9), differing(0.9)) == DECISION_OUTLIERS);
    CHECK(decided(turned(0.2), turned(0.2), turned(0.2)) == DECISION_OUTLIERS);
    end();
}

/* A pair with two motions: the second one explains what differs. */
static pair_match moving(double share) {
    pair_match match = differing(share);
    match.layers.count = 2;
    match.moving = share;
    return match;
}

/* What moves in all three pairs is before the scene. What moves in the candidate alone is damage: it explains nothing. */
static void test_a_second_motion_that_stays_explains_what_differs(void) {
    begin();
    plausibility_add(&usual, 0.02);
    pair_match m = moving(0.5);
    CHECK(pair_difference(&judge, &last, &m) == 0 && pair_whole_difference(&judge, &last, &m) == 0.5);
    m.moving = 0.2;
    CHECK_NEAR(pair_difference(&judge, &last, &m), 0.3, 1e-12);
    CHECK(decided(moving(0.5), moving(0.02), moving(0.5)) == DECISION_ACCEPTED);
    CHECK(decided(moving(0.5), differing(0.02), moving(0.5)) == DECISION_OUTLIERS);
    CHECK(decided(moving(0.5), differing(0.4), moving(0.5)) == DECISION_ACCEPTED);
    CHECK(decided(moving(0.5), differing(0.4), differing(0.5)) == DECISION_OUTLIERS);
    CHECK(decided(moving(0.5), moving(0.5), differing(0.02)) == DECISION_JOINED);
    end();
}

/* Several that agree with one another are believed, whatever a frame after them shows. */
static void test_two_are_believed(void) {
    pair_match wild = differing(0.31);
    pair_match nothing = unregistered();
    begin();
    plausibility_add(&usual, 0.02);
    add(5, &wild);
    CHECK(outlier_candidates_decide(&candidates, &last, &wild, &wild) == DECISION_OUTLIERS);
    add(6, &wild);
    CHECK(outlier_candidates_decide(&candidates, &last, &wild, &wild) == DECISION_ACCEPTED);
    CHECK(outlier_candidates_decide_last(&candidates, &last, 0) == DECISION_ACCEPTED);
    candidates.items[1].match = nothing;
    candidates.items[1].differing = 1;
    CHECK(outlier_candidates_decide(&candidates, &last, &nothing, &nothing) == DECISION_ACCEPTED);
    end();
}

/* The differences of the three first frames are usual from then on, if they are alike; not where the scope would have leapt,
 * nor where one of the pairs does not count. */
static void test_the_first_frames_say_what_is_usual(void) {
    begin();
    decided(differing(0.35), differing(0.25), differing(0.3));
    CHECK(usual.count == 3 && usual.recent[0] == 0.35 && usual.recent[1] == 0.3 && usual.recent[2] == 0.25);
    decided(differing(0.35), differing(0.25), differing(0.3));
    CHECK(usual.count == 3);
    usual.count = 0;
    decided(differing(0.35), differing(0.24), differing(0.3));
    CHECK(usual.count == 0);
    decided(turned(0.3), turned(0.3), turned(0.3));
    CHECK(usual.count == 0);
    decided(unregistered(), differing(0.9), differing(0.9));
    decided(differing(0.9), unregistered(), differing(0.9));
    decided(differing(0.9), differing(0.9), unregistered());
    CHECK(usual.count == 0);
    end();
}

/* A difference is wild by what was usual before the three first frames were added. */
static void test_what_was_wild_stays_it(void) {
    begin();
    CHECK(decided(differing(0.35), differing(0.35), differing(0.35)) == DECISION_ACCEPTED);
    CHECK(usual.count == 3);
    CHECK(decided(differing(0.71), differing(0.71), differing(0.71)) == DECISION_OUTLIERS);
    CHECK(decided(differing(0.69), differing(0.69), differing(0.69)) == DECISION_ACCEPTED);
    end();
}

static outlier_decision decided_last(pair_match match, int alone) {
    candidates.n = 0;
    add(5, &match);
    return outlier_candidates_decide_last(&candidates, &last, alone);
}

static void test_no_frame_follows(void) {
    begin();
    for (int alone = 0; alone < 2; alone++) {
        CHECK(decided_last(differing(0.29), alone) == DECISION_ACCEPTED);
        CHECK(decided_last(differing(0.31), alone) == DECISION_OUTLIERS);
        CHECK(decided_last(unregistered(), alone) == DECISION_OUTLIERS);
        CHECK(decided_last(turned(0.29), alone) == (alone ? DECISION_ACCEPTED : DECISION_OUTLIERS));
        CHECK(decided_last(turned(0.31), alone) == DECISION_OUTLIERS);
    }
    end();
}

static void test_candidates(void) {
    outlier_candidate released[OUTLIER_PATIENCE];
    pair_match m = differing(0.5);
    begin();
    CHECK(!outlier_candidates_any(&candidates));
    for (int i = 0; i < 3; i++) {
        CHECK(!outlier_candidates_are_scene(&candidates));
        add(5 + i, &m);
        CHECK(outlier_candidates_any(&candidates) && outlier_candidates_newest(&candidates)->frame == 5 + i);
        CHECK(outlier_candidates_frame(&candidates).frame == 5 + i && outlier_candidates_frame(&candidates).slot == 5 + i);
    }
    CHECK(outlier_candidates_are_scene(&candidates));
    CHECK(outlier_candidates_release(&candidates, released) == 3 && !outlier_candidates_any(&candidates));
    CHECK(released[0].frame == 5 && released[1].frame == 6 && released[2].frame == 7);
    CHECK(outlier_candidates_release(&candidates, released) == 0);
    end();
}

/* -------------------------------------------------------------------------- failures */

static void fail(int frame, endo_frame_status status) {
    records.items[frame].status = status;
    chain_failures_add(&failures, frame);
}

static int said(const char *line) { return events.n_lines == 1 && !strcmp(events.lines[0], line); }

static void test_frames_between_good_ones(void) {
    begin();
    fail(2, ENDO_FRAME_FEW_LANDMARKS);
    fail(3, ENDO_FRAME_OUTLIER);
    CHECK(failures.first == 2 && failures.count == 2);
    CHECK(chain_failures_close(&failures, 1, 4) == ENDO_OK);
    CHECK(said("frames 3-4 left out (frame 3: too few landmarks fit); tracking from frame 2 goes on with frame 5"));
    CHECK(failures.gaps.n == 1 && failures.gaps.items[0].first == 2 && failures.gaps.items[0].last == 3);
    chain_failures_clear(&failures);
    CHECK(!chain_failures_any(&failures) && failures.count == 0);
    CHECK(chain_failures_close(&failures, 1, 6) == ENDO_OK && failures.gaps.n == 1 && events.n_lines == 1);
    end();
}

static void test_one_frame_between_good_ones(void) {
    begin();
    fail(2, ENDO_FRAME_JUMP);
    records.items[2].status = ENDO_FRAME_OUTLIER; /* as it was found later */
    CHECK(chain_failures_close(&failures, 0, 3) == ENDO_OK);
    CHECK(said("frame 3 left out (a part of it does not show what the frames around it show); tracking from frame 1"
            " goes on with frame 4"));
    end();
}

static void test_frames_at_the_end(void) {
    begin();
    fail(5, ENDO_FRAME_OBLIQUE);
    CHECK(chain_failures_close_last(&failures, 5, 1, 4) == ENDO_OK && !chain_failures_any(&failures));
    CHECK(said("tracking from frame 2 ends with frame 5; frame 6 left out (tilted too far to be painted)"));
    CHECK(failures.gaps.n == 1 && failures.gaps.items[0].first == 5 && failures.gaps.items[0].last == 5);
    end();
}

static void test_a_frame_that_none_follows(void) {
    begin();
    fail(1, ENDO_FRAME_JUMP);
    fail(2, ENDO_FRAME_JUMP);
    CHECK(chain_failures_close_last(&failures, 2, 0, 0) == ENDO_OK);
    CHECK(said("frame 1 matches no frame after it, up to frame 3 (frame 2: another scene, or moved too far)"));
    end();
}

static void test_too_many_frames(void) {
    begin();
    fail(5, ENDO_FRAME_NO_TEXTURE);
    chain_failures_say_end(&failures, 0, 4);
    CHECK(said("tracking from frame 1 lost at frame 6 (no texture); another panorama starts there, unless later frames"
            " show this one again") && failures.gaps.n == 0);
    end();
}

/* ---------------------------------------------------------------------------- motion */

static void test_motion(void) {
    const double m[6] = {1, 0, 2, 0, 2, 1};
    chain_motion motion;
    endo_mosaic_frame row = mosaic_unknown_frame();
    placed_frame from = {.frame = 7, .pose = pose_translation(5, 0)};
    chain_motion_init(&motion, (mosaic_size){.width = W, .height = H});
    CHECK(chain_motion_predicted(&motion, &from, 9).matrix[2] == 5);
    endo_transform step = endo_transform_make(ENDO_TRANSFORM_AFFINE, m);
    chain_motion_describe(&motion, &step, &row);
    CHECK(row.dx == 2 && row.dy == 1 + (H - 1) / 2.0);
    motion.last = pose_translation(3, -1);
    for (int after = 0; after < 14; after++) {
        endo_transform pose = chain_motion_predicted(&motion, &from, 7 + after);
        int steps = after < 9 ? after : 9;
        CHECK(pose.matrix[2] == 5 + 3 * steps && pose.matrix[5] == -steps);
    }
}

/* Where the motion repeated would take the frame over the horizon, it stays. */
static void test_motion_to_the_horizon(void) {
    const double tilt[2] = {-0.2 / (W - 1), 0};
    chain_motion motion;
    placed_frame from = {.frame = 7, .pose = pose_translation(5, 0)};
    chain_motion_init(&motion, (mosaic_size){.width = W, .height = H});
    motion.last = pose_perspective(tilt, 0, 0);
    CHECK(chain_motion_predicted(&motion, &from, 11).kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(chain_motion_predicted(&motion, &from, 12).kind == ENDO_TRANSFORM_TRANSLATION);
    CHECK(chain_motion_predicted(&motion, &from, 12).matrix[2] == 5);
    motion.last = pose_scaling(0);
    CHECK(chain_motion_predicted(&motion, &from, 8).matrix[0] == 1);
}

int main(void) {
    test_which_pairs_are_accepted();
    test_more_is_asked_after_a_failure();
    test_which_pairs_are_suspicious();
    test_the_odd_one_out();
    test_how_much_makes_odd();
    test_where_nobody_is_odd();
    test_a_second_motion_that_stays_explains_what_differs();
    test_two_are_believed();
    test_the_first_frames_say_what_is_usual();
    test_what_was_wild_stays_it();
    test_no_frame_follows();
    test_candidates();
    test_frames_between_good_ones();
    test_one_frame_between_good_ones();
    test_frames_at_the_end();
    test_a_frame_that_none_follows();
    test_too_many_frames();
    test_motion();
    test_motion_to_the_horizon();
    return check_summary("test_mosaic_outliers");
}
