/* Which frames stay in a store, which come ahead, who sees them, and which are kept instead of read again. */
#include "systems/mosaic/frame_store.h"

#include "api/testing.h"
#include "check.h"
#include "sequence_rig.h"

#include <pthread.h>

#define SIDE 32

static flat_frames flat;
static mosaic_sequence *frames;
static endo_context *context;
static frame_store *store;

static void open_sequence(void) {
    flat_init(&flat, SIDE, SIDE);
    CHECK(sequence_create(&flat.source, 0, 0, NULL, &frames) == ENDO_OK);
}

static void open_context(int fail_after) {
    endo_context_options options = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    endo_context_fail_after(context, fail_after);
}

static void open_store(int slots, int used, int keeps) {
    endo_frames_options options = endo_frames_options_default();
    options.width = SIDE;
    options.height = SIDE;
    options.capacity = slots;
    frame_store_setup setup = {
        .context = context,
        .sequence = frames,
        .options = &options,
        .used = used,
        .keeps = keeps,
    };
    CHECK(frame_store_create(&setup, &store) == ENDO_OK);
}

static void open_all(int slots, int used, int keeps) {
    open_sequence();
    open_context(0);
    open_store(slots, used, keeps);
}

/* Whatever was lent has gone back. */
static void close_all(void) {
    frame_store_destroy(&store);
    endo_context_destroy(&context);
    sequence_destroy(&frames);
    CHECK(!store && !frames && !flat.is_crowded && flat.lent == 0);
}

static int slot_of(int frame) {
    int slot = -7;
    CHECK(frame_store_read(store, frame, &slot) == ENDO_OK);
    return slot;
}

static int grey_of(int slot) {
    uint8_t grey[SIDE * SIDE];
    endo_frames *made;
    if (frame_store_frames(store, &made) != ENDO_OK || endo_frames_get_grey(made, slot, grey) != ENDO_OK) return -1;
    return grey[SIDE];
}

static int shows(int frame) { return grey_of(slot_of(frame)) == 10 * frame; }

static void keep_only(int frame) { frame_store_keep_only(store, &frame, 1); }

static int is_read(const int *wanted) { return flat_is(flat.read, flat.n_read, wanted); }

/* ------------------------------------------------------------------------- slots */

static void test_first_frames_stay_where_there_is_room(void) {
    open_all(6, 2, 1);
    CHECK(frame_store_capacity(store) == 2);
    for (int pass = 0; pass < 2; pass++)
        for (int frame = 0; frame < 8; frame++) {
            CHECK(shows(frame));
            keep_only(frame);
            CHECK(frame_store_has_room(store));
        }
    CHECK(frame_store_unused(store) == 0);
    CHECK(flat_begins(flat.read, flat.n_read, FLAT_LIST(0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7)));
    close_all();
}

static void test_what_is_in_use_stays_and_the_rest_goes_first(void) {
    int slot;
    open_all(3, 3, 1);
    (void)slot_of(4), (void)slot_of(2), (void)slot_of(9);
    CHECK(!frame_store_has_room(store) && !frame_store_can_hold(store, 4, 5) && frame_store_can_hold(store, 4, 9));
    CHECK(frame_store_ask(store, 1, &slot) == ENDO_ERR_INTERNAL);
    keep_only(9);
    CHECK(frame_store_can_hold(store, 4, 5) && frame_store_holds(store, 9) && !frame_store_holds(store, 4));
    CHECK(frame_store_slot(store, 4) == -1 && frame_store_slot(store, -1) == -1);
    CHECK(shows(5) && shows(2));
    CHECK(is_read(FLAT_LIST(4, 2, 9, 1, 5))); /* 4 went for 5 */
    close_all();
}

static void test_frames_before_one_go(void) {
    open_all(4, 4, 0);
    for (int frame = 3; frame < 7; frame++) (void)slot_of(frame);
    frame_store_keep_from(store, 5);
    CHECK(!frame_store_holds(store, 3) && !frame_store_holds(store, 4));
    CHECK(frame_store_holds(store, 5) && frame_store_holds(store, 6) && frame_store_unused(store) == 2);
    frame_store_keep_only(store, (const int[]){-1, 6}, 2);
    CHECK(!frame_store_holds(store, 5) && frame_store_holds(store, 6));
    close_all();
}

static void test_what_lacks_a_use_is_read_again_into_its_slot(void) {
    open_all(3, 3, 1);
    CHECK(frame_store_ask_for(store, ENDO_USE_FIRST_PASS) == ENDO_OK);
    int slot = slot_of(4);
    CHECK(grey_of(slot) == -1);
    (void)slot_of(5);
    keep_only(4);
    CHECK(frame_store_ask_for(store, ENDO_USE_MATCHING) == ENDO_OK);
    CHECK(slot_of(4) == slot);
    CHECK(shows(4) && shows(5) && shows(5));
    CHECK(frame_store_ask_for(store, ENDO_USE_ANY) == ENDO_OK && shows(4));
    CHECK(frame_store_ask_for(store, ENDO_USE_MATCHING) == ENDO_OK && shows(4));
    CHECK(is_read(FLAT_LIST(4, 5, 4, 5, 4)));
    CHECK(frame_store_ask_for(store, 99) == ENDO_ERR_ARGUMENT);
    close_all();
}

static void test_what_is_blended_takes_the_same_slots(void) {
    open_all(6, 6, 1);
    for (int frame = 0; frame < 6; frame++) (void)slot_of(frame);
    frame_store_keep_only(store, NULL, 0);
    CHECK(frame_store_unused(store) == 0);
    CHECK(frame_store_ask_for(store, ENDO_USE_FIRST_PASS + ENDO_USE_PAINTING) == ENDO_OK);
    CHECK(frame_store_unused(store) == 0); /* they serve for anything */
    CHECK(frame_store_ask_for(store, ENDO_USE_MATCHING) == ENDO_OK);
    (void)slot_of(7);
    frame_store_keep_only(store, NULL, 0);
    CHECK(frame_store_ask_for(store, ENDO_USE_FIRST_PASS) == ENDO_OK);
    CHECK(frame_store_unused(store) == 1); /* 7 does not serve for that */
    int slot = slot_of(8);
    for (int frame = 9; frame < 19; frame++) {
        frame_store_keep_only(store, NULL, 0);
        CHECK(frame_store_unused(store) == 1 && slot_of(frame) == slot);
    }
    close_all();
}

static void test_an_ordinary_store_forgets(void) {
    open_all(3, 3, 0);
    (void)slot_of(1);
    frame_store_keep_only(store, NULL, 0);
    CHECK(shows(1) && is_read(FLAT_LIST(1, 1)));
    close_all();
}

static void test_frames_that_wait_are_there_when_the_store_is_used(void) {
    int slot;
    open_all(3, 3, 0);
    for (int frame = 0; frame < 9; frame++) {
        keep_only(frame - 1);
        CHECK(frame_store_ask(store, frame, &slot) == ENDO_OK && slot >= 0);
    }
    CHECK(shows(7) && shows(8));
    CHECK(is_read(FLAT_LIST(0, 1, 2, 3, 4, 5, 6, 7, 8)));
    close_all();
}

static void test_sixteen_are_copied_at_once(void) {
    int slot;
    open_all(20, 20, 0);
    for (int frame = 0; frame < 15; frame++) CHECK(frame_store_ask(store, frame, &slot) == ENDO_OK);
    CHECK(flat.n_back == 0);
    CHECK(frame_store_ask(store, 15, &slot) == ENDO_OK && flat.n_back == 16);
    CHECK(frame_store_ask(store, 16, &slot) == ENDO_OK && flat.n_back == 16);
    for (int frame = 0; frame < 17; frame++) CHECK(shows(frame));
    close_all();
}

/* ---------------------------------------------------------------------- failures */

static void test_frames_that_cannot_be_read_say_so(void) {
    int slot = 0;
    open_all(3, 3, 1);
    flat.failing = 4;
    CHECK(frame_store_read(store, 4, &slot) == ENDO_OK && slot == -1);
    CHECK(!strcmp(sequence_reason(frames), "frame 5 (f5.png): not now"));
    CHECK(!frame_store_holds(store, 4) && frame_store_unused(store) == 3);
    CHECK(shows(4));
    close_all();
}

static void test_what_cannot_be_read_again_serves_for_what_it_did(void) {
    int slot = 0;
    open_all(3, 3, 1);
    CHECK(frame_store_ask_for(store, ENDO_USE_MATCHING) == ENDO_OK);
    (void)slot_of(4);
    CHECK(frame_store_ask_for(store, ENDO_USE_ANY) == ENDO_OK);
    flat.failing = 4;
    CHECK(frame_store_read(store, 4, &slot) == ENDO_OK && slot == -1);
    CHECK(frame_store_ask_for(store, ENDO_USE_MATCHING) == ENDO_OK);
    CHECK(shows(4) && is_read(FLAT_LIST(4, 4)));
    close_all();
}

static void test_whoever_looks_sees_them_when_they_were_copied(void) {
    int slot;
    open_all(3, 3, 0);
    CHECK(frame_store_ask(store, 4, &slot) == ENDO_OK && frame_store_ask(store, 5, &slot) == ENDO_OK);
    CHECK(flat.n_back == 0);
    CHECK(frame_store_flush(store) == ENDO_OK && flat_is(flat.back, flat.n_back, FLAT_LIST(4, 5)));
    close_all();
}

static void test_no_frame_is_there_where_copying_failed(void) {
    int slot;
    endo_frames *made;
    open_sequence();
    open_context(2);
    open_store(3, 3, 1);
    (void)slot_of(1);
    CHECK(frame_store_ask(store, 2, &slot) == ENDO_OK && frame_store_ask(store, 3, &slot) == ENDO_OK);
    frame_store_keep_only(store, (const int[]){1, 2}, 2);
    CHECK(frame_store_unused(store) == 0);
    CHECK(frame_store_frames(store, &made) == ENDO_ERR_DEVICE && strstr(endo_last_error(), "2 calls"));
    CHECK(frame_store_unused(store) == 2 && frame_store_holds(store, 1) && !frame_store_holds(store, 2));
    CHECK(flat.n_back == 3);
    CHECK(frame_store_ask(store, 3, &slot) == ENDO_OK);
    CHECK(is_read(FLAT_LIST(1, 2, 3, 3))); /* it is read again */
    close_all();
}

/* ----------------------------------------------------------------- frames to come */

static void test_expected_frames_come_as_far_as_there_are_slots(void) {
    open_all(6, 3, 1);
    (void)slot_of(1), (void)slot_of(2);
    CHECK(frame_store_expect(store, 2, FLAT_FRAMES) == ENDO_OK);
    for (int frame = 2; frame < 10; frame++) {
        CHECK(shows(frame));
        keep_only(frame);
    }
    CHECK(is_read(FLAT_LIST(1, 2, 3, 4, 5, 6, 7, 8, 9)));
    close_all();
}

static void test_what_else_is_wanted_comes_first_and_what_has_come_stays(void) {
    open_all(4, 2, 1);
    CHECK(frame_store_expect(store, 5, 8) == ENDO_OK);
    CHECK(shows(5) && shows(15));
    CHECK(flat.read[flat.n_read - 1] == 15); /* nobody reads beside it */
    frame_store_keep_only(store, NULL, 0);
    CHECK(shows(5) && shows(7));
    CHECK(flat.n_read <= 5 && flat_count(flat.read, flat.n_read, 5) == 1);
    close_all();
}

static void test_a_frame_that_fails_ahead_is_read_again(void) {
    open_all(3, 3, 1);
    flat.failing = 4;
    CHECK(frame_store_expect(store, 3, 6) == ENDO_OK);
    CHECK(shows(3) && shows(4) && shows(5));
    CHECK(flat_count(flat.read, flat.n_read, 4) == 2 && frame_store_unused(store) == 0);
    close_all();
}

/* Frames so large that each comes alone: one that has not begun to come does not. */
static void test_what_has_not_begun_to_come_does_not(void) {
    endo_frames_options options = endo_frames_options_default();
    options.width = options.height = 2048;
    options.capacity = 4;
    flat_init(&flat, 2048, 2048);
    flat.delay = 50000;
    CHECK(sequence_create(&flat.source, 0, 0, NULL, &frames) == ENDO_OK);
    open_context(0);
    frame_store_setup setup = {.context = context, .sequence = frames, .options = &options, .used = 1, .keeps = 1};
    CHECK(frame_store_create(&setup, &store) == ENDO_OK && frame_store_expect(store, 3, 7) == ENDO_OK);
    CHECK(frame_store_unused(store) == 0);
    frame_store_settle(store);
    CHECK(flat.n_read < 3 && frame_store_unused(store) == 4 - flat.n_read);
    close_all();
}

/* Whatever is asked for, in whatever order, with frames that come: every slot shows its frame. */
static void test_any_order(void) {
    unsigned seed = 1;
    open_all(7, 4, 1);
    flat.failing = 11;
    for (int round = 0; round < 300; round++) {
        seed = seed * 1664525u + 1013904223u;
        int frame = (int)(seed >> 16) % FLAT_FRAMES;
        if (seed >> 28 == 3) CHECK(frame_store_expect(store, frame, frame + 5 < 20 ? frame + 5 : 20) == ENDO_OK);
        if (seed >> 28 == 4) frame_store_settle(store);
        if (!frame_store_has_room(store)) keep_only((frame + 7) % FLAT_FRAMES);
        int slot = slot_of(frame);
        CHECK(slot >= 0 ? grey_of(slot) == 10 * frame : frame == 11);
    }
    frame_store_settle(store);
    CHECK(flat.n_read > 100 && flat.failing == -1);
    close_all();
}

/* --------------------------------------------------------------------- observers */

typedef struct watcher {
    pthread_mutex_t lock;
    int seen[FLAT_FRAMES];
    int failures; /* that are still to come */
    int wrong;
} watcher;

static int is_new(void *self, int frame) {
    watcher *w = self;
    pthread_mutex_lock(&w->lock);
    int new = !w->seen[frame];
    pthread_mutex_unlock(&w->lock);
    return new;
}

static endo_status see(void *self, int frame, const void *pixels) {
    watcher *w = self;
    endo_status status = ENDO_OK;
    pthread_mutex_lock(&w->lock);
    if (w->failures > 0) {
        w->failures--;
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to look");
    } else {
        w->seen[frame]++;
        w->wrong |= ((const uint8_t *)pixels)[5] != 10 * frame;
    }
    pthread_mutex_unlock(&w->lock);
    return status;
}

static watcher one;
static mosaic_observers *observers;

static void open_observers(int processors) {
    one = (watcher){.lock = PTHREAD_MUTEX_INITIALIZER};
    mosaic_observer all[] = {{is_new, see, &one}};
    CHECK(observers_create(frames, all, 1, processors, &observers) == ENDO_OK);
}

static const void *lent(int frame) { return sequence_lend(frames, frame, 0); }

static void test_frames_go_back_when_they_were_seen(void) {
    open_sequence();
    open_observers(4);
    CHECK(observers_see(observers, 0, lent(0)) == ENDO_OK && observers_see(observers, 1, lent(1)) == ENDO_OK);
    CHECK(observers_await(observers) == ENDO_OK);
    CHECK(flat_is(flat.back, flat.n_back, FLAT_LIST(0, 1)) && one.seen[0] == 1 && one.seen[1] == 1 && !one.wrong);
    CHECK(observers_see(observers, 1, lent(1)) == ENDO_OK && flat.n_back == 3 && one.seen[1] == 1);
    observers_destroy(&observers);
    close_all();
}

/* While nobody can look. */
static void test_few_frames_wait_and_none_twice(void) {
    open_sequence();
    open_observers(1);
    one.failures = 1000;
    for (int i = 0; i < OBSERVERS_MOST; i++) CHECK(observers_see(observers, i, lent(i)) == ENDO_OK);
    CHECK(flat.n_back == 0);
    CHECK(observers_see(observers, 3, lent(3)) == ENDO_OK && flat.n_back == 1 && flat.back[0] == 3);
    const void *more = lent(9);
    CHECK(observers_see(observers, 9, more) == ENDO_ERR_MEMORY);
    pthread_mutex_lock(&one.lock);
    one.failures = 0;
    pthread_mutex_unlock(&one.lock);
    CHECK(observers_see(observers, 9, more) == ENDO_OK && flat_count(flat.back, flat.n_back, 0) == 1);
    CHECK(observers_await(observers) == ENDO_OK && flat.n_back == 10 && one.seen[9] == 1 && one.seen[3] == 1);
    observers_destroy(&observers);
    close_all();
}

static void test_a_failure_comes_to_the_one_who_waits(void) {
    open_sequence();
    open_observers(2);
    one.failures = 1000;
    CHECK(observers_see(observers, 0, lent(0)) == ENDO_OK);
    for (int i = 0; i < 2; i++)
        CHECK(observers_await(observers) == ENDO_ERR_MEMORY && !strcmp(endo_last_error(), "no memory to look"));
    CHECK(flat.n_back == 0 && one.seen[0] == 0);
    observers_destroy(&observers);
    CHECK(flat.n_back == 1);
    close_all();
}

/* Observers see every frame once, by whatever way it comes, with any number of threads. */
static void test_every_frame_is_seen_once(void) {
    for (int processors = 1; processors <= 16; processors *= 4) {
        endo_frames_options options = endo_frames_options_default();
        options.width = options.height = SIDE;
        options.capacity = 5;
        open_sequence();
        open_context(0);
        open_observers(processors);
        frame_store_setup setup = {
            .context = context, .sequence = frames, .options = &options, .used = 2, .keeps = 1, .observers = observers};
        CHECK(frame_store_create(&setup, &store) == ENDO_OK);
        for (int frame = 0; frame < FLAT_FRAMES; frame++) {
            if (frame % 3 == 0) CHECK(frame_store_expect(store, frame, FLAT_FRAMES) == ENDO_OK);
            CHECK(shows(frame));
            keep_only(frame);
        }
        CHECK(observers_await(observers) == ENDO_OK && !one.wrong);
        for (int frame = 0; frame < FLAT_FRAMES; frame++) CHECK(one.seen[frame] == 1);
        frame_store_destroy(&store);
        observers_destroy(&observers);
        close_all();
    }
}

/* A frame that nobody could look at stays with the store, is looked at later, and is not put a second time. */
static void test_what_could_not_be_seen_is_seen_later(void) {
    endo_frames_options options = endo_frames_options_default();
    int slot;
    options.width = options.height = SIDE;
    options.capacity = 20;
    open_sequence();
    open_context(17); /* a frame more that is put would fail */
    open_observers(1);
    one.failures = 1000;
    frame_store_setup setup = {
        .context = context, .sequence = frames, .options = &options, .used = 20, .keeps = 1, .observers = observers};
    CHECK(frame_store_create(&setup, &store) == ENDO_OK);
    endo_status status = ENDO_OK;
    for (int frame = 0; frame < 16; frame++) status = frame_store_ask(store, frame, &slot);
    CHECK(status == ENDO_ERR_MEMORY);
    CHECK(frame_store_ask(store, 16, &slot) == ENDO_ERR_MEMORY && !frame_store_holds(store, 16));
    pthread_mutex_lock(&one.lock);
    one.failures = 0;
    pthread_mutex_unlock(&one.lock);
    for (int frame = 0; frame < 17; frame++) CHECK(shows(frame));
    CHECK(observers_await(observers) == ENDO_OK);
    for (int frame = 0; frame < 17; frame++) CHECK(one.seen[frame] == 1);
    CHECK(flat_count(flat.read, flat.n_read, 3) == 1 && flat_count(flat.read, flat.n_read, 16) == 2);
    frame_store_destroy(&store);
    observers_destroy(&observers);
    close_all();
}

/* ------------------------------------------------------------------- kept frames */

static void test_first_frames_are_kept(void) {
    const void *first[4];
    flat_init(&flat, 3, 2);
    CHECK(sequence_create(&flat.source, 0, 3 * 6 + 5, NULL, &frames) == ENDO_OK);
    for (int i = 0; i < 4; i++) {
        CHECK(!sequence_is_at_hand(frames, i));
        first[i] = lent(i);
        sequence_give_back(frames, i, first[i], 0);
        CHECK(sequence_is_at_hand(frames, i) == (i < 3));
    }
    for (int i = 0; i < 3; i++) CHECK(lent(i) == first[i]);
    sequence_give_back(frames, 3, lent(3), 1);
    CHECK(is_read(FLAT_LIST(0, 1, 2, 3, 3)) && flat_is(flat.back, flat.n_back, FLAT_LIST(3, 3)));
    sequence_destroy(&frames);
    CHECK(flat_is(flat.back, flat.n_back, FLAT_LIST(3, 3, 0, 1, 2)));
}

static void test_what_failed_is_read_again(void) {
    flat_init(&flat, 3, 2);
    CHECK(sequence_create(&flat.source, 0, 1000, NULL, &frames) == ENDO_OK);
    CHECK(sequence_count(frames) == FLAT_FRAMES && sequence_size(frames).width == 3 && sequence_size(frames).height == 2);
    flat.failing = 4;
    CHECK(!lent(4) && !sequence_is_at_hand(frames, 4));
    CHECK(lent(4) && sequence_is_at_hand(frames, 4));
    flat.failing = 3;
    CHECK(!lent(3) && !strcmp(sequence_reason(frames), "frame 4: not now"));
    CHECK(!strcmp(sequence_name(frames, 3), "frame 4") && !strcmp(sequence_name(frames, 0), "frame 1 (f1.png)"));
    sequence_destroy(&frames);
    CHECK(flat.n_back == 1);
}

/* They are asked for again; not so what the distortion of a lens has to be taken out of. */
static void test_frames_at_hand_are_not_kept(void) {
    for (int lens = 0; lens < 2; lens++) {
        flat_init(&flat, 64, 64);
        flat.source.at_hand = 1;
        CHECK(sequence_create(&flat.source, 10 * lens, 100000, NULL, &frames) == ENDO_OK);
        CHECK(sequence_is_at_hand(frames, 4) == !lens);
        sequence_give_back(frames, 4, lent(4), 0);
        CHECK(sequence_is_at_hand(frames, 4));
        sequence_give_back(frames, 4, lent(4), 0);
        CHECK(lens ? is_read(FLAT_LIST(4)) : is_read(FLAT_LIST(4, 4)));
        sequence_destroy(&frames);
        CHECK(flat.n_back == flat.n_read);
    }
}

static const char *long_name(void *user, int32_t frame) {
    static char name[1000];
    (void)user, (void)frame;
    for (int i = 0; i < 998; i += 2) memcpy(name + i, "\xc3\xa9", 2);
    return name;
}

static const void *no_reason(void *user, int32_t frame, char *reason) {
    (void)user, (void)frame, (void)reason;
    return NULL;
}

static void test_names_are_cut_between_letters(void) {
    flat_init(&flat, 3, 2);
    flat.source.name = long_name;
    flat.source.lend = no_reason;
    CHECK(sequence_create(&flat.source, 0, 0, NULL, &frames) == ENDO_OK);
    const char *name = sequence_name(frames, 6);
    size_t n = strlen(name);
    CHECK(n > 300 && !strncmp(name, "frame 7 (\xc3\xa9", 11) && name[n - 1] == ')' && !memcmp(name + n - 3, "\xc3\xa9", 2));
    CHECK(!lent(6) && strstr(sequence_reason(frames), "\xc3\xa9): cannot be read"));
    sequence_destroy(&frames);
}

int main(void) {
    test_first_frames_stay_where_there_is_room();
    test_what_is_in_use_stays_and_the_rest_goes_first();
    test_frames_before_one_go();
    test_what_lacks_a_use_is_read_again_into_its_slot();
    test_what_is_blended_takes_the_same_slots();
    test_an_ordinary_store_forgets();
    test_frames_that_wait_are_there_when_the_store_is_used();
    test_sixteen_are_copied_at_once();
    test_frames_that_cannot_be_read_say_so();
    test_what_cannot_be_read_again_serves_for_what_it_did();
    test_whoever_looks_sees_them_when_they_were_copied();
    test_no_frame_is_there_where_copying_failed();
    test_expected_frames_come_as_far_as_there_are_slots();
    test_what_else_is_wanted_comes_first_and_what_has_come_stays();
    test_a_frame_that_fails_ahead_is_read_again();
    test_what_has_not_begun_to_come_does_not();
    test_any_order();
    test_frames_go_back_when_they_were_seen();
    test_few_frames_wait_and_none_twice();
    test_a_failure_comes_to_the_one_who_waits();
    test_every_frame_is_seen_once();
    test_what_could_not_be_seen_is_seen_later();
    test_first_frames_are_kept();
    test_what_failed_is_read_again();
    test_frames_at_hand_are_not_kept();
    test_names_are_cut_between_letters();
    return check_summary("test_mosaic_store");
}
