/* Which pairs are compared next, and in how many rounds, when loops are searched for. */
#include "systems/mosaic/loop_queue.h"
#include "check.h"

/* Key frames 0 and 50; the other frames of pairs from 100 on. */
static key_frame key_items[] = {{.frame = 0}, {.frame = 50}};
static const key_frames two_keys = {.items = key_items, .n = 2};
static const loop_candidates no_pairs = {.n = 0};

enum { MOST_PAIRS = 8 };

typedef struct queued {
    loop_candidate items[MOST_PAIRS];
    loop_candidates list;
} queued;

/* Adds n pairs with a key frame. */
static const loop_candidates *queue_up(queued *q, int key, int n) {
    for (int i = 0; i < n; i++) q->items[q->list.n + i] = (loop_candidate){.key = key, .frame = 100 + i, .overlap = 1};
    q->list.items = q->items;
    q->list.n += n;
    return &q->list;
}

static void go_round(loop_queue *q, queued *one, int found) {
    loop_queue_next_round(q, &one->list, &no_pairs);
    CHECK(!loop_queue_is_last_round(q));
    loop_queue_done(q, 1, found);
}

static void test_five_rounds_though_all_of_them_find_pairs(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    CHECK_NEAR(loop_queue_share(&q), 1 / 7.0, 1e-12);
    for (int i = 1; i <= 5; i++) {
        CHECK(!loop_queue_is_last_round(&q));
        go_round(&q, &one, 1);
    }
    CHECK(loop_queue_is_last_round(&q));
    CHECK_NEAR(loop_queue_share(&q), 6 / 7.0, 1e-12);
}

/* The first round has poses that the pairs which tie components gave; the second those of the loops that it closed. */
static void test_a_round_that_finds_nothing_is_the_last_unless_it_is_the_first(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    go_round(&q, &one, 0);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 1);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 0);
    CHECK(loop_queue_is_last_round(&q));
}

static void test_a_round_without_pairs_is_the_last(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    loop_queue_next_round(&q, &no_pairs, &no_pairs);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 1);
    loop_queue_next_round(&q, &no_pairs, &no_pairs);
    CHECK(loop_queue_is_last_round(&q) && q.found == 0);
}

static void test_near_pairs_come_first_as_many_as_the_store_holds(void) {
    loop_queue q;
    queued near = {.list = {.n = 0}};
    queued far = {.list = {.n = 0}};
    loop_queue_init(&q, &two_keys, queue_up(&near, 0, 6), queue_up(&far, 0, 1));
    CHECK(loop_queue_next_near(&q, 16, 7) == 6 && loop_queue_first(&q) == near.items);
    CHECK(loop_queue_next_near(&q, 16, 6) == 5);
    CHECK(loop_queue_next_near(&q, 4, 7) == 4 && loop_queue_next_near(&q, 6, 7) == 6);
    CHECK_NEAR(loop_queue_share(&q), 0, 1e-12);
    loop_queue_done(&q, 6, 2);
    CHECK_NEAR(loop_queue_share(&q), (1 - 1 / 7.0) / 7, 1e-12);
    CHECK(!loop_queue_has_near(&q) && !loop_queue_is_empty(&q) && q.found == 2 && loop_queue_first(&q) == far.items);
    loop_queue_also_found(&q, 3);
    CHECK(q.found == 5);
}

/* A frame that is in several pairs takes one slot, as the key frame or as the other. */
static void test_frames_are_counted_once(void) {
    loop_queue q;
    queued near = {.list = {.n = 0}};
    queue_up(&near, 0, 2);
    queue_up(&near, 1, 2);
    near.items[1].frame = 50;
    loop_queue_init(&q, &two_keys, &near.list, &no_pairs);
    CHECK(loop_queue_next_near(&q, 16, 4) == 4 && loop_queue_next_near(&q, 16, 3) == 3 && loop_queue_next_near(&q, 16, 2) == 1);
    near.items[0].frame = 0;
    CHECK(loop_queue_next_near(&q, 16, 3) == 3 && loop_queue_next_near(&q, 16, 1) == 1);
}

/* Pairs of a step that failed are asked for again. */
static void test_far_pairs_come_four_at_a_time_against_one_key_frame(void) {
    loop_queue q;
    queued far = {.list = {.n = 0}};
    queue_up(&far, 0, 6);
    queue_up(&far, 1, 2);
    loop_queue_init(&q, &two_keys, &no_pairs, &far.list);
    for (int i = 0; i < 2; i++) CHECK(loop_queue_next_far(&q) == 4 && loop_queue_first(&q) == far.items);
    loop_queue_done(&q, 4, 0);
    CHECK(loop_queue_next_far(&q) == 2 && loop_queue_first(&q) == far.items + 4);
    loop_queue_done(&q, 2, 0);
    CHECK(loop_queue_next_far(&q) == 2 && loop_queue_first(&q) == far.items + 6 && loop_queue_first(&q)->key == 1);
    loop_queue_done(&q, 2, 0);
    CHECK(loop_queue_is_empty(&q));
}

int main(void) {
    test_five_rounds_though_all_of_them_find_pairs();
    test_a_round_that_finds_nothing_is_the_last_unless_it_is_the_first();
    test_a_round_without_pairs_is_the_last();
    test_near_pairs_come_first_as_many_as_the_store_holds();
    test_frames_are_counted_once();
    test_far_pairs_come_four_at_a_time_against_one_key_frame();
    return check_summary("test_mosaic_loop_queue");
}
