/* The first stage over made-up sequences: which frames a chain takes, where it ends and another begins, what is looked at
 * again, which frames are key frames; and that it goes on where it was after any failure. */
#include "chain_rig.h"

#include <math.h>

static int is_pose(int frame, double x) {
    const endo_transform shift = pose_translation(x, 0);
    return frame_corner_distance((mosaic_size){W, H}, &shift, &record(frame)->pose) < 1e-9;
}

/* ------------------------------------------------------------------------ one chain */

static void test_frames_in_a_row(void) {
    world_clear(20);
    run_world();
    CHECK(are_placed(0, 19, 0, 0) && w->canvases->n == 20 && events.n_lines == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(record(i)->reference == (i ? i - 1 : 0) && record(i)->order == i + 1 && status_of(i) == ENDO_FRAME_OK);
        CHECK(record(i)->dx == (i ? 3 : 0) && record(i)->dy == 0 && record(i)->backend == ENDO_BACKEND_CPU);
        CHECK(w->canvases->order[i] == i && !record(i)->solved && isnan(record(i)->deviation));
    }
    CHECK(record(1)->landmarks == 60 && record(1)->used == 40 && record(0)->landmarks == 0 && isnan(record(0)->quality));
    close_world();
}

/* One is where less than 0.6 of the field is seen from the last one; one frame in four is tied to it. */
static void test_key_frames(void) {
    world_clear(20);
    run_world();
    const key_frames *keys = chain_stage_keys(stage);
    const int ends[] = {9, 18, 19};
    CHECK(keys->n == 3);
    for (int i = 0; i < keys->n && i < 3; i++) CHECK(keys->items[i].frame == 9 * i && keys->items[i].end == ends[i]);
    for (int i = 0; i < 20; i++) CHECK(record(i)->key_frame == (i % 9 == 0));
    for (int i = 1; i < 20; i++) CHECK(has_edge(i - 1, i) == 1);
    CHECK(has_edge(0, 4) && has_edge(0, 8) && has_edge(9, 13) && has_edge(9, 17) && chain_stage_edges(stage)->n == 23);
    close_world();
    set_options();
    options.solve = 0;
    open_world((mosaic_faults){0});
    CHECK(run_chains() == ENDO_OK && chain_stage_edges(stage)->n == 19 && chain_stage_keys(stage)->n == 3);
    close_world();
}

/* A frame that was registered against its key frame anyway is not registered with it again. */
static void test_frames_that_follow_a_key_frame(void) {
    world_clear(20);
    world_scene(10, 12, BLANK);
    run_world();
    CHECK(record(13)->reference == 9 && has_edge(9, 13) == 1 && has_edge(9, 17) == 1);
    close_world();
}

/* How much is shared with a key frame: 26 of 64 columns are too many to miss, 25 are not. */
static void test_key_frames_by_their_overlap(void) {
    for (int far = 0; far < 2; far++) {
        world_clear(3);
        for (int i = 1; i < 3; i++) world.frames[i].x = far ? 26 : 25;
        run_world();
        CHECK(chain_stage_keys(stage)->n == 1 + far && record(1)->key_frame == far);
        close_world();
    }
}

/* A pair with a key frame that lies 8 px from where the chain has it is wrong. */
static void test_pairs_far_from_the_chain_are_left_out(void) {
    for (int far = 0; far < 2; far++) {
        world_clear(10);
        for (int i = 0; i < 10; i++) world.frames[i].x = i;
        world.frames[4].slip = far ? 8.5 : 7.5;
        run_world();
        CHECK(has_edge(0, 4) == !far && has_edge(0, 8) == 1 && world.n_guided == 2 && world.guided[0].distance == 8);
        CHECK(is_pose(4, far ? 12.5 : 11.5));
        close_world();
    }
}

/* A rival that a batch found better is the pair, and the scene is known to repeat itself from there on: pairs after it that
 * were not compared with theirs are torn. */
static void test_a_scene_that_repeats_itself(void) {
    world_clear(8);
    world.repeats_at = 5;
    run_world();
    CHECK(is_pose(4, 12) && is_pose(5, 21) && is_pose(6, 24) && w->repeats_from == 6);
    for (int i = 0; i < chain_stage_edges(stage)->n; i++) {
        const endo_mosaic_edge *edge = &chain_stage_edges(stage)->items[i];
        if (edge->current == edge->reference + 1) CHECK((edge->doubtful == EDGE_TORN) == (edge->current > 5));
    }
    close_world();
}

static void test_frames_that_cannot_be_read(void) {
    world_clear(12);
    world.frames[4].is_unreadable = 1;
    world.frames[5].is_unreadable = 1;
    run_world();
    CHECK(said("frame 5: torn; skipped") && said("frame 6: torn; skipped"));
    for (int i = 4; i < 6; i++) {
        CHECK(status_of(i) == ENDO_FRAME_SKIPPED && !record(i)->registered && record(i)->backend == 0);
        CHECK(is_pose(i, 3 * i) && record(i)->reference == -1);
    }
    CHECK(record(6)->reference == 3 && record(6)->dx == 9 && are_placed(6, 11, 0, 0));
    close_world();
}

/* The last motion of neighbours is repeated nine times at most. */
static void test_predicted_poses(void) {
    world_clear(30);
    world.frames[5].x = 13;
    for (int i = 6; i < 18; i++) world.frames[i].is_unreadable = 1;
    run_world();
    for (int i = 6; i < 18; i++) CHECK(is_pose(i, 13 + fmin(i - 5, 9)));
    CHECK(are_placed(18, 29, 0, 0) && record(18)->reference == 5);
    close_world();
}

static void test_a_black_start(void) {
    world_clear(8);
    world_scene(0, 1, BLANK);
    run_world();
    CHECK(said("frames 1-2: no texture; the panorama starts with frame 3") == 1 && lines_with("no texture; the") == 1);
    CHECK(status_of(1) == ENDO_FRAME_NO_TEXTURE && is_pose(1, 0) && is_pose(2, 0) && are_placed(2, 7, 0, 2));
    CHECK(record(2)->reference == 2);
    close_world();
}

static void test_nothing_but_black(void) {
    world_clear(5);
    world_scene(0, 4, BLANK);
    run_world();
    CHECK(!some_are_registered(0, 4) && status_of(4) == ENDO_FRAME_NO_TEXTURE && w->canvases->n == 0);
    close_world();
}

/* ---------------------------------------------------------------------- interruptions */

/* Eight frames after a failed one are tried against the last good one. */
static void test_how_far_a_chain_reaches(void) {
    for (int gap = 8; gap < 10; gap++) {
        world_clear(40);
        for (int i = 20; i < 40; i++) world.frames[i].x = 58; /* next to frame 19, whatever was between */
        world_scene(20, 19 + gap, BLANK);
        run_world();
        CHECK(are_placed(0, 19, 0, 0) && are_placed(20 + gap, 39, 0, 0) && !some_are_registered(20, 19 + gap));
        CHECK(status_of(20) == ENDO_FRAME_NO_TEXTURE && record(20 + gap)->reference == 19);
        CHECK(said("frames 21-28 left out (frame 21: no texture); tracking from frame 1 goes on with frame 29") ==
              (gap == 8));
        CHECK(said("tracking from frame 1 lost at frame 21 (no texture); another panorama starts there, unless later"
                " frames show this one again") == (gap == 9));
        CHECK(said("frame 30: found beside frame 20") == (gap == 9) && lines_with("left out (") == (gap == 8));
        CHECK(record(29)->key_frame == (gap == 9) && has_edge(19, 20 + gap) == 1);
        close_world();
    }
}

/* Of the frames after a failed one the first two, and one in three of the others, are searched for everywhere, however few frames
 * a batch has. */
static void test_which_frames_are_searched_for(void) {
    const int nearby[] = {23, 24, 26, 27};
    for (int delay = 0; delay < 60000; delay += 50000) {
        int searched = 0;
        world_clear(40);
        world_scene(20, 28, BLANK);
        for (int i = 20; i < 40; i++) world.frames[i].x = 58;
        world.delay = delay;
        run_world();
        CHECK(world.n_nearby == 4 && !memcmp(world.nearby, nearby, sizeof nearby));
        for (int i = 0; i < world.n_searched; i++) {
            const world_pair *p = &world.searched[i];
            searched += p->reference == 19 && p->current > 19 && p->current < 29;
            for (int k = 0; k < 4; k++) CHECK(p->reference != 19 || p->current != nearby[k]);
        }
        CHECK(delay == 0 || searched > 1);
        close_world();
    }
}

/* A frame that is found far from where the scope was lost, by a key frame. */
static void test_found_by_a_key_frame(void) {
    world_clear(40);
    world_scene(20, 30, BLANK);
    world_scene(31, 39, 0);
    world.frames[19].damage = 7; /* beside it nothing is found */
    world.frames[19].share = 0.2;
    for (int i = 31; i < 40; i++) world.frames[i].x = i - 30;
    run_world();
    CHECK(said("frame 32: found beside frame 1") == 1 && are_placed(31, 39, 0, 0) && has_edge(0, 31) == 1);
    CHECK(record(31)->reference == 0 && record(31)->dx == 1 && record(31)->order == 21);
    close_world();
}

static void test_two_scenes_are_two_panoramas(void) {
    world_clear(30);
    world_scene(12, 29, 1);
    run_world();
    CHECK(are_placed(0, 11, 0, 0) && are_placed(12, 29, 1, 12) && record(12)->reference == 12);
    CHECK(said("tracking from frame 1 lost at frame 13 (another scene, or moved too far); another panorama starts"
            " there, unless later frames show this one again") == 1);
    CHECK(w->canvases->n == 30);
    close_world();
}

/* Each too short for the chain before to end: what it left out is looked at again, and what that leaves out. */
static void test_short_scenes(void) {
    world_clear(9);
    world_scene(4, 6, 1);
    world_scene(7, 8, 2);
    run_world();
    CHECK(are_placed(0, 3, 0, 0) && are_placed(4, 6, 1, 4) && are_placed(7, 8, 2, 7));
    CHECK(said("tracking from frame 1 ends with frame 4; frames 5-9 left out (frame 5: another scene, or moved too far)"));
    CHECK(said("tracking from frame 5 ends with frame 7; frames 8-9 left out (frame 8: another scene, or moved too far)"));
    CHECK(has_edge(4, 5) == 1 && has_edge(7, 8) == 1 && record(7)->order == 8 && w->canvases->n == 9);
    close_world();
}

static void test_one_frame_of_another_scene_is_no_panorama(void) {
    world_clear(12);
    world_scene(5, 5, 1);
    run_world();
    CHECK(are_placed(0, 4, 0, 0) && are_placed(6, 11, 0, 0) && !record(5)->registered && status_of(5) == ENDO_FRAME_JUMP);
    CHECK(record(5)->reference == 4 && w->canvases->n == 11);
    close_world();
}

/* A frame that shows nothing is no scene: it parts a stretch that was left out, and is not registered again. */
static void test_what_is_looked_at_again(void) {
    world_clear(16);
    for (int i = 5; i < 8; i++) world.frames[i].is_lost = 1;
    world_scene(6, 6, BLANK);
    world.frames[7].x = 23; /* nearer to the key frame 9 than to frame 5, which is one when it is found */
    run_world();
    CHECK(said("frames 6-8 left out (frame 6: another scene, or moved too far); tracking from frame 1 goes on with frame 9"));
    CHECK(said("frame 6: found beside frame 10") == 1 && said("frame 8: found beside frame 10") == 1);
    CHECK(are_placed(5, 5, 0, 0) && are_placed(7, 7, 0, 0) && !record(6)->registered);
    CHECK(status_of(6) == ENDO_FRAME_NO_TEXTURE && record(5)->order == 14 && record(7)->order == 15);
    close_world();
}

/* Few landmarks, too: beside frames of no use, such a stretch is one. */
static void test_few_landmarks_are_looked_at_again(void) {
    world_clear(16);
    world.frames[5].quality = 0.2;
    run_world();
    CHECK(status_of(5) == ENDO_FRAME_OK && record(5)->registered && said("frame 6: found beside frame 10") == 1);
    close_world();
}

/* The frames before and after it are there, and it would be turned against both. */
static void test_what_is_found_turned(void) {
    for (int others = 0; others < 3; others++) {
        world_clear(16);
        world.frames[5].is_lost = 1;
        world_turn(5, 5);
        if (others == 1) world_turn(6, 15);
        if (others == 2) world_scene(6, 15, 1);
        run_world();
        CHECK(record(5)->registered == (others > 0));
        CHECK(others == 2 || are_placed(6, 15, 0, 0));
        close_world();
    }
}

static endo_mosaic_frame neighbour(int chain, int registered, int is_turned) {
    endo_mosaic_frame record = mosaic_unknown_frame();
    record.chain = chain;
    record.registered = registered;
    if (is_turned) record.pose = world_between(1, 0);
    return record;
}

/* Against neighbours that are there, in the panorama in which it was found: both. */
static void test_which_neighbours_count(void) {
    key_frames keys = {.n = 0};
    relocaliser finder;
    found_frame found;
    int index;
    world_clear(3);
    world_turn(1, 1);
    set_options();
    open_world((mosaic_faults){0});
    CHECK(relocaliser_init(&finder, w, &keys) == ENDO_OK);
    CHECK(key_frames_add(&keys, 2, 4, &pose_identity, &index) == ENDO_OK);
    chain_begin begin = {.finder = &finder, .size = {W, H}};
    CHECK(chain_begin_find(&begin, 1, -1, &found) == ENDO_OK && found.is_found);
    CHECK(found.chain == 4 && found.edge.reference == 2);
    begin.is_between = 1;
    for (int i = 0; i < 2 * 2 * 2 * 2 * 2 * 2; i++) {
        endo_mosaic_frame sides[2];
        int turned = 0;
        for (int k = 0; k < 2; k++) {
            int bits = i >> (3 * k) & 7;
            sides[k] = neighbour(bits & 1 ? 4 : 3, bits >> 1 & 1, bits >> 2);
            turned += bits == 3;
        }
        begin.before = sides[0];
        begin.after = sides[1];
        CHECK(chain_begin_find(&begin, 1, -1, &found) == ENDO_OK && found.is_found == (turned < 2));
    }
    keys.items[0].pose = world_oblique();
    begin.is_between = 0;
    CHECK(chain_begin_find(&begin, 1, -1, &found) == ENDO_OK && !found.is_found);
    relocaliser_free(&finder);
    key_frames_free(&keys);
    close_world();
}

/* A stretch that is looked at again and finds nobody says nothing of what comes after it. */
static void test_each_stretch_is_looked_at_again(void) {
    world_clear(16);
    for (int i = 2; i < 12; i += 2) world.frames[i].scene = i;
    world.frames[12].is_lost = 1;
    run_world();
    for (int i = 2; i < 12; i += 2) CHECK(!record(i)->registered && status_of(i) == ENDO_FRAME_JUMP);
    CHECK(are_placed(12, 12, 0, 0) && lines_with("frame 13: found beside") == 1);
    close_world();
}

/* Nothing goes with anything: the first frame is the panorama. */
static void test_unrelated_frames(void) {
    world_clear(30);
    for (int i = 0; i < 30; i++) world.frames[i].scene = i;
    run_world();
    CHECK(record(0)->registered && !some_are_registered(1, 29) && w->canvases->n == 1 && w->canvases->painted[0] == 1);
    CHECK(record(0)->order == 1 && status_of(0) == ENDO_FRAME_OK && record(0)->reference == 0);
    for (int i = 1; i < 30; i++) CHECK(status_of(i) == ENDO_FRAME_JUMP);
    CHECK(record(1)->reference == -1 && lines_with("ends with") == 0 && lines_with("lost at") == 0);
    close_world();
}

/* After three chains that found nobody, two failed frames end one: most of an interruption is not read again and again. */
static void test_chains_that_find_nobody_reach_less_far(void) {
    for (int alone = 2; alone < 4; alone++) {
        frame_chain chain;
        frame_records records = {.first = 0};
        key_frames keys = {.n = 0};
        relocaliser finder;
        endo_frames *frames;
        placed_frames paint = {0};
        int slots[12];
        world_clear(12);
        for (int i = 0; i < 12; i++) world.frames[i].scene = i;
        set_options();
        open_world((mosaic_faults){0});
        for (int i = 0; i < 12; i++) CHECK(frame_store_ask(w->store, i, &slots[i]) == ENDO_OK);
        CHECK(frame_store_frames(w->store, &frames) == ENDO_OK && relocaliser_init(&finder, w, &keys) == ENDO_OK);
        finder.alone = alone;
        frame_chain_init(&chain, &finder, frames, &records, 0, 0);
        CHECK(frame_chain_add(&chain, slots, 12, &paint) == ENDO_OK && chain.has_ended && chain.is_alone && paint.n == 0);
        CHECK(frame_chain_next(&chain) == 1 && chain.failures.count == (alone < 3 ? 9 : 2));
        frame_chain_move_to(&chain, frames, slots + 5, ENDO_BACKEND_CUDA);
        CHECK(chain.last.slot == slots[5] && chain.backend == ENDO_BACKEND_CUDA);
        frame_chain_free(&chain);
        frame_records_free(&records);
        key_frames_free(&keys);
        relocaliser_free(&finder);
        placed_free(&paint);
        close_world();
    }
}

/* After three, one in eight looks for its first frame at once. */
static void test_chains_that_find_nobody_look_seldom(void) {
    for (int alone = 0; alone < 30; alone++) {
        const relocaliser finder = {.alone = alone};
        CHECK(relocaliser_finds_nobody(&finder) == (alone >= 3));
        CHECK(relocaliser_searches_at_once(&finder) == (alone < 3 || alone % 8 == 0));
    }
}

/* The key frame beside which a frame is found that lies where another one does; -1: none. */
static int found_where(relocaliser *finder, int frame, int other) {
    found_frame found;
    world.frames[frame].x = world.frames[other].x;
    CHECK(relocaliser_find(finder, frame, &found) == ENDO_OK);
    CHECK(!found.is_found || found.by_spectrum);
    return found.is_found ? found.spectrum.reference : -1;
}

/* The nine latest of forty, and where none of them shows the same, nine of the rest. */
static void test_the_latest_key_frames_come_first(void) {
    key_frames keys = {.n = 0};
    relocaliser finder;
    int index;
    world_clear(50);
    set_options();
    open_world((mosaic_faults){0});
    for (int i = 0; i < 40; i++) CHECK(key_frames_add(&keys, i, 0, &pose_identity, &index) == ENDO_OK);
    CHECK(relocaliser_init(&finder, w, &keys) == ENDO_OK);
    CHECK(found_where(&finder, 45, 33) == 33 && found_where(&finder, 45, 5) == 31);
    world_scene(31, 39, 1);
    CHECK(found_where(&finder, 45, 20) == 20 && found_where(&finder, 45, 30) == 27 && found_where(&finder, 45, 1) == 0);
    world_scene(0, 30, 1);
    CHECK(found_where(&finder, 45, 20) == -1);
    relocaliser_free(&finder);
    key_frames_free(&keys);
    close_world();
}

/* ---------------------------------------------------------------------------- outliers */

static void test_damaged_frames_are_left_out(void) {
    for (int n = 1; n < 3; n++) {
        world_clear(14);
        world_damage(6, 6, 1, 0.5);
        world_damage(7, 5 + n, 1, 0.5);
        run_world();
        CHECK(!some_are_registered(6, 5 + n) && are_placed(0, 5, 0, 0) && are_placed(6 + n, 13, 0, 0));
        for (int i = 6; i < 6 + n; i++) CHECK(status_of(i) == ENDO_FRAME_OUTLIER && !w->canvases->painted[i]);
        CHECK(record(6 + n)->reference == 5 && w->canvases->n == 14 - n);
        CHECK(said("frame 7 left out (a part of it does not show what the frames around it show); tracking from frame 1"
                " goes on with frame 8") == (n == 1));
        close_world();
    }
}

/* Two that are damaged in ways of their own. */
static void test_damaged_frames_that_differ(void) {
    world_clear(14);
    world_damage(6, 6, 1, 0.5);
    world_damage(7, 7, 2, 0.5);
    run_world();
    CHECK(!some_are_registered(6, 7) && are_placed(8, 13, 0, 0));
    close_world();
}

/* Three that agree are the scene: an instrument that came in. The first two of them join late: they are not looked at beside
 * key frames. */
static void test_three_frames_are_the_scene(void) {
    world_clear(14);
    for (int i = 0; i < 14; i++) world.frames[i].x = i;
    world_damage(7, 13, 1, 0.5);
    run_world();
    CHECK(are_placed(0, 13, 0, 0) && w->canvases->n == 14 && events.n_lines == 0);
    CHECK(has_edge(0, 4) == 1 && has_edge(0, 8) == 0 && has_edge(0, 12) == 1);
    close_world();
}

/* Every frame differs from every other one, as in smoke: nobody is odd, and each follows the one before it. */
static void test_frames_that_all_differ(void) {
    world_clear(14);
    for (int i = 6; i < 14; i++) world_damage(i, i, i, 0.2);
    run_world();
    CHECK(are_placed(0, 13, 0, 0));
    for (int i = 1; i < 14; i++) CHECK(record(i)->reference == i - 1);
    close_world();
}

static void test_a_turned_frame(void) {
    world_clear(14);
    world_turn(6, 6);
    run_world();
    CHECK(status_of(6) == ENDO_FRAME_OUTLIER && are_placed(7, 13, 0, 0));
    close_world();
    world_clear(14);
    world_turn(6, 13); /* and stays so */
    run_world();
    CHECK(are_placed(0, 13, 0, 0));
    close_world();
    world_clear(14);
    world_turn(6, 6);
    world_scene(7, 7, BLANK); /* no frame decides */
    run_world();
    CHECK(status_of(6) == ENDO_FRAME_OUTLIER && status_of(7) == ENDO_FRAME_NO_TEXTURE && are_placed(8, 13, 0, 0));
    close_world();
    world_clear(2);
    world_turn(1, 1); /* nobody knows how this scope moves */
    run_world();
    CHECK(are_placed(0, 1, 0, 0));
    close_world();
}

/* After a change of scene the first frame shows a third one: the panorama itself starts where it did. */
static void test_the_first_frame_of_a_later_chain_is_wrong(void) {
    world_clear(20);
    world_scene(8, 8, 5);
    world_scene(9, 19, 6);
    run_world();
    CHECK(status_of(8) == ENDO_FRAME_OUTLIER || status_of(8) == ENDO_FRAME_JUMP);
    CHECK(record(0)->registered && record(19)->registered);
    CHECK(said("frame 9 left out (the frames after agree with one another and not with frame 9); the part after the gap"
            " starts with frame 10") == 1);
    close_world();
}

/* The first frame may be the damaged one, or one of another scene. */
static void test_the_first_frame_is_wrong(void) {
    for (int foreign = 0; foreign < 2; foreign++) {
        world_clear(12);
        if (foreign) world_scene(0, 0, 5);
        if (!foreign) world_damage(0, 0, 1, 0.5);
        run_world();
        CHECK(status_of(0) == ENDO_FRAME_OUTLIER && !record(0)->registered && are_placed(1, 11, 0, 1));
        CHECK(said("frame 1 left out (the frames after agree with one another and not with frame 1); the panorama"
                " starts with frame 2") == 1);
        CHECK(record(1)->reference == 1 && record(1)->landmarks == 0 && isnan(record(1)->quality) && record(1)->order == 1);
        close_world();
    }
    world_clear(12);
    world_scene(0, 0, BLANK);
    world_scene(1, 1, 5);
    run_world();
    CHECK(status_of(0) == ENDO_FRAME_NO_TEXTURE && status_of(1) == ENDO_FRAME_OUTLIER && are_placed(2, 11, 0, 2));
    close_world();
}

/* Two frames agree with one another more than with the first one, and the third with nobody: too little to leave it out, unless
 * much of it differs. */
static void test_the_first_frame_is_not_odd_enough(void) {
    for (int much = 0; much < 2; much++) {
        world_clear(12);
        world_damage(0, 0, 1, much ? 0.31 : 0.29);
        world_damage(3, 3, 2, 0.45);
        run_world();
        CHECK(record(0)->registered == !much && are_placed(1, 2, 0, much) && are_placed(4, 11, 0, much));
        CHECK(lines_with("left out (the frames after agree") == much);
        close_world();
    }
}

/* The failures of a first frame that was wrong are no gap of the panorama that starts later. */
static void test_what_failed_with_a_wrong_first_frame(void) {
    world_clear(12);
    world_scene(0, 0, 5);
    world.frames[2].is_unreadable = 1;
    run_world();
    CHECK(are_placed(1, 1, 0, 1) && are_placed(3, 11, 0, 1) && record(3)->reference == 1 && lines_with("goes on with") == 0);
    close_world();
}

static void test_short_sequences(void) {
    world_clear(3);
    world_scene(0, 0, 5);
    run_world();
    CHECK(!record(0)->registered && are_placed(1, 2, 0, 1));
    close_world();
    world_clear(2);
    world_scene(0, 0, 5);
    run_world();
    CHECK(record(0)->registered && !record(1)->registered && status_of(1) == ENDO_FRAME_JUMP);
    CHECK(said("frame 1 matches no frame after it, up to frame 2 (another scene, or moved too far)") == 1);
    close_world();
}

/* No frame tells who is right: from 0.3 on the last one is left out. */
static void test_the_last_frame(void) {
    for (int wild = 0; wild < 2; wild++) {
        world_clear(12);
        world_damage(11, 11, 1, wild ? 0.31 : 0.29);
        run_world();
        CHECK(record(11)->registered == !wild && status_of(11) == (wild ? ENDO_FRAME_OUTLIER : ENDO_FRAME_OK));
        CHECK(w->canvases->painted[11] == !wild);
        close_world();
    }
}

/* After a failed frame more is asked of one with few landmarks. */
static void test_few_landmarks(void) {
    const double qualities[] = {0.29, 0.31, 0.59, 0.61};
    for (int after = 0; after < 2; after++)
        for (int i = 0; i < 4; i++) {
            world_clear(12);
            options.solve = 0;
            world.frames[6].quality = qualities[i];
            if (after) world_scene(5, 5, BLANK);
            run_world();
            int is_taken = qualities[i] > (after ? 0.6 : 0.3);
            CHECK(record(7)->reference == (is_taken ? 6 : after ? 4 : 5));
            CHECK(!is_taken || status_of(6) == ENDO_FRAME_FEW_LANDMARKS);
            close_world();
        }
}

static void test_frames_that_are_tilted_too_far(void) {
    world_clear(12);
    world.frames[6].is_oblique = 1;
    run_world();
    CHECK(status_of(6) == ENDO_FRAME_OBLIQUE && !record(6)->registered && is_pose(6, 18) && are_placed(7, 11, 0, 0));
    CHECK(said("frame 7 left out (tilted too far to be painted); tracking from frame 1 goes on with frame 8") == 1);
    close_world();
}

/* ------------------------------------------------------------------------------- steps */

static int chunk_at(int i) { return world.batches[i]; }

/* Ten frames as long as nobody knows whether the chain goes on; then as many as there were meant to be. */
static void test_the_first_chunk(void) {
    world_clear(150);
    run_world();
    CHECK(world.n_batches == 2 && chunk_at(0) == 10 && chunk_at(1) == 140);
    close_world();
}

/* A tenth of a second, so that a cancel is answered, and twice as many frames as before at most. */
static void test_chunks_take_a_tenth_of_a_second(void) {
    mosaic_stage calls;
    world_clear(190);
    world.delay = 40000;
    set_options();
    open_world((mosaic_faults){0});
    CHECK(chain_stage_create(w, &stage) == ENDO_OK);
    calls = chain_stage_calls(stage);
    CHECK(calls.calls->step(stage) == ENDO_OK && calls.calls->step(stage) == ENDO_OK);
    CHECK(chunk_at(0) == 10 && (chunk_at(1) == 1 || chunk_at(1) == 2));
    world.delay = 0;
    for (int i = 2; i < 5; i++) CHECK(calls.calls->step(stage) == ENDO_OK);
    CHECK(chunk_at(3) == 2 * chunk_at(2) && chunk_at(4) == 2 * chunk_at(3));
    close_world();
}

static void test_where_it_is(void) {
    char where[100];
    int held[STAGE_HELD];
    mosaic_stage calls;
    placed_frames painted = {0};
    world_clear(40);
    world_scene(4, 4, BLANK);
    world_scene(15, 39, 1);
    set_options();
    open_world((mosaic_faults){0});
    CHECK(chain_stage_create(w, &stage) == ENDO_OK);
    calls = chain_stage_calls(stage);
    calls.calls->where(stage, where, sizeof where);
    CHECK(!strcmp(where, "frame 1") && calls.calls->share(stage) == 0 && !calls.calls->done(stage));
    CHECK(calls.calls->held(stage, held) == 3 && held[0] == -1 && held[1] == -1 && held[2] == -1);
    CHECK(calls.calls->step(stage) == ENDO_OK && chain_stage_frames(stage) == 10);
    calls.calls->where(stage, where, sizeof where);
    CHECK(!strcmp(where, "frame 11") && calls.calls->share(stage) == 0.25);
    CHECK(calls.calls->held(stage, held) == 2 && held[0] == 9 && held[1] == 9);
    while (!calls.calls->done(stage)) CHECK(calls.calls->step(stage) == ENDO_OK);
    calls.calls->where(stage, where, sizeof where);
    CHECK(!strcmp(where, "frame 40") && calls.calls->share(stage) == 1);
    CHECK(calls.calls->painted(stage, &painted) == ENDO_OK && painted.n == 39);
    CHECK(painted.items[4].frame == 5 && painted.items[4].slot == -1 && painted.items[4].pose.matrix[2] == 15);
    CHECK(painted.items[38].frame == 39 && painted.items[38].canvas == 1 && painted.items[3].canvas == 0);
    CHECK(n_told > 0 && canvases_told[0] == 0 && canvases_told[n_told - 1] == 1);
    placed_free(&painted);
    close_world();
}

static void test_a_run_that_is_cancelled(void) {
    world_clear(60);
    cancels_after = 25;
    set_options();
    open_world((mosaic_faults){0});
    CHECK(run_chains() == ENDO_OK);
    CHECK(chain_stage_frames(stage) == 10 && w->canvases->n == 10 && are_placed(0, 9, 0, 0));
    CHECK(chain_stage_calls(stage).calls->done(stage));
    cancels_after = 0;
    close_world();
}

/* Outlier candidates that wait for another frame are settled when a run is cancelled; a first frame that is alone is the
 * panorama. */
static void test_what_waits_when_a_run_is_cancelled(void) {
    world_clear(60);
    world_damage(9, 59, 1, 0.25);
    cancels_after = 25;
    set_options();
    open_world((mosaic_faults){0});
    CHECK(run_chains() == ENDO_OK && chain_stage_frames(stage) == 10 && are_placed(0, 9, 0, 0));
    cancels_after = 0;
    close_world();
    world_clear(60);
    world_scene(1, 59, BLANK);
    cancels_after = 25;
    set_options();
    open_world((mosaic_faults){0});
    CHECK(run_chains() == ENDO_OK && record(0)->registered && w->canvases->n == 1);
    cancels_after = 0;
    close_world();
}

/* ---------------------------------------------------------------------------- failures */

/* Everything that may happen, in one sequence. */
static void eventful_world(void) {
    world_clear(111);
    world_scene(0, 0, BLANK);
    world_damage(1, 1, 1, 0.5);
    world_damage(8, 8, 1, 0.5);
    world_damage(12, 40, 2, 0.4);
    world.frames[15].is_lost = 1;
    world.frames[20].is_unreadable = 1;
    world_scene(41, 52, BLANK);
    for (int i = 53; i < 66; i++) world.frames[i].scene = i;
    for (int i = 66; i < 82; i++) world.frames[i].x = 3 * (i - 30);
    world_damage(66, 81, 2, 0.4);
    world_scene(70, 72, 3);
    world_scene(82, 110, 4);
    world_turn(88, 88);
    world_scene(96, 107, BLANK);
    world_scene(108, 108, 5); /* and two frames, which are the scene when none follows */
}

typedef struct outcome {
    endo_mosaic_frame records[WORLD];
    int n_edges;
    int guided;
} outcome;

static outcome outcome_of(void) {
    outcome o = {.n_edges = chain_stage_edges(stage)->n, .guided = world.n_guided};
    memcpy(o.records, chain_stage_records(stage), (size_t)world.n * sizeof *o.records);
    return o;
}

static int is_same(const endo_mosaic_frame *a, const endo_mosaic_frame *b) {
    return !memcmp(&a->pose, &b->pose, sizeof a->pose) && a->dx == b->dx && a->reference == b->reference &&
           a->status == b->status && a->registered == b->registered && a->key_frame == b->key_frame && a->chain == b->chain &&
           a->order == b->order && a->landmarks == b->landmarks && a->backend == b->backend;
}

static int same_outcome(const outcome *a, const outcome *b) {
    int wrong = a->n_edges != b->n_edges;
    for (int i = 0; i < world.n; i++) wrong += !is_same(&a->records[i], &b->records[i]);
    return !wrong;
}

static int all_are_painted_once(void) {
    for (int i = 0; i < world.n; i++)
        if (w->canvases->painted[i] != record(i)->registered) return 0;
    return 1;
}

static outcome undisturbed(int *calls) {
    eventful_world();
    run_world();
    outcome o = outcome_of();
    *calls = world.calls;
    CHECK(all_are_painted_once());
    close_world();
    return o;
}

static void test_what_happens_in_an_eventful_world(void) {
    int calls;
    undisturbed(&calls);
    eventful_world();
    run_world();
    CHECK(are_placed(2, 7, 0, 2) && are_placed(9, 14, 0, 2) && are_placed(15, 19, 0, 2) && are_placed(21, 40, 0, 2));
    CHECK(are_placed(66, 69, 0, 2) && are_placed(73, 81, 0, 2) && are_placed(70, 72, record(70)->chain, 70));
    CHECK(are_placed(82, 87, record(82)->chain, 82) && are_placed(89, 95, record(82)->chain, 82));
    CHECK(record(70)->chain != 0 && record(82)->chain != 0 && record(82)->chain != record(70)->chain);
    CHECK(!some_are_registered(0, 1) && !some_are_registered(8, 8) && !some_are_registered(20, 20));
    CHECK(are_placed(109, 110, record(82)->chain, 82) && !some_are_registered(96, 108));
    CHECK(!some_are_registered(41, 65) && !some_are_registered(88, 88));
    close_world();
}

/* Wherever memory ends, once or until the store is as small as it gets: nothing is lost, and no frame is taken for another. */
static void test_memory_that_ends(void) {
    int calls;
    outcome wanted = undisturbed(&calls);
    CHECK(calls > 200);
    for (int n = 1; n < 6; n += 4)
        for (int at = 0; at < calls; at += n == 1 ? 1 : 7) {
            eventful_world();
            set_options();
            open_world((mosaic_faults){0});
            world.fails_at = at;
            world.n_fails = n;
            world.fails = ENDO_ERR_MEMORY;
            CHECK(run_chains() == ENDO_OK && chain_stage_frames(stage) == world.n);
            outcome o = outcome_of();
            int is_right = same_outcome(&o, &wanted) && all_are_painted_once() && !world.is_wrong;
            if (!is_right) printf("failing %d times from call %d on: %s\n", n, at, endo_last_error());
            CHECK(is_right);
            close_world();
        }
}

/* A device that fails: the CPU goes on, with what was painted or by painting it again. */
static void test_a_device_that_fails(void) {
    int calls;
    outcome wanted = undisturbed(&calls);
    for (int at = 0; at < 3 * calls; at += 11) {
        eventful_world();
        set_options();
        options.context.backend = ENDO_BACKEND_AUTO;
        open_world((mosaic_faults){.fail_after = 1 << 30, .canvas_lost = at % 2});
        world.fails_at = at / 3;
        world.n_fails = 1;
        world.fails = ENDO_ERR_DEVICE;
        CHECK(run_chains() == ENDO_OK);
        outcome o = outcome_of();
        CHECK(same_outcome(&o, &wanted));
        CHECK(at % 2 || all_are_painted_once());
        close_world();
    }
}

/* Nothing helps: what was done until then is there, in order, and can be finished. */
static void test_a_failure_that_stays(void) {
    for (int at = 0; at < 200; at += 9) {
        eventful_world();
        set_options();
        open_world((mosaic_faults){0});
        world.fails_at = at;
        world.n_fails = 1;
        world.fails = ENDO_ERR_DEVICE;
        CHECK(run_chains() == ENDO_ERR_DEVICE);
        CHECK(chain_stage_finish(stage) == ENDO_OK && chain_stage_frames(stage) <= world.n);
        for (int i = 0; i < chain_stage_frames(stage); i++)
            CHECK(record(i)->registered == w->canvases->painted[i] && (record(i)->registered || !record(i)->order));
        close_world();
    }
}

int main(void) {
    test_frames_in_a_row();
    test_key_frames();
    test_frames_that_follow_a_key_frame();
    test_key_frames_by_their_overlap();
    test_pairs_far_from_the_chain_are_left_out();
    test_a_scene_that_repeats_itself();
    test_frames_that_cannot_be_read();
    test_predicted_poses();
    test_a_black_start();
    test_nothing_but_black();
    test_how_far_a_chain_reaches();
    test_which_frames_are_searched_for();
    test_found_by_a_key_frame();
    test_two_scenes_are_two_panoramas();
    test_short_scenes();
    test_one_frame_of_another_scene_is_no_panorama();
    test_what_is_looked_at_again();
    test_few_landmarks_are_looked_at_again();
    test_what_is_found_turned();
    test_which_neighbours_count();
    test_each_stretch_is_looked_at_again();
    test_unrelated_frames();
    test_chains_that_find_nobody_reach_less_far();
    test_chains_that_find_nobody_look_seldom();
    test_the_latest_key_frames_come_first();
    test_damaged_frames_are_left_out();
    test_damaged_frames_that_differ();
    test_three_frames_are_the_scene();
    test_frames_that_all_differ();
    test_a_turned_frame();
    test_the_first_frame_is_wrong();
    test_the_first_frame_is_not_odd_enough();
    test_the_first_frame_of_a_later_chain_is_wrong();
    test_what_failed_with_a_wrong_first_frame();
    test_short_sequences();
    test_the_last_frame();
    test_few_landmarks();
    test_frames_that_are_tilted_too_far();
    test_the_first_chunk();
    test_chunks_take_a_tenth_of_a_second();
    test_where_it_is();
    test_a_run_that_is_cancelled();
    test_what_waits_when_a_run_is_cancelled();
    test_what_happens_in_an_eventful_world();
    test_memory_that_ends();
    test_a_device_that_fails();
    test_a_failure_that_stays();
    return check_summary("test_mosaic_chains");
}
