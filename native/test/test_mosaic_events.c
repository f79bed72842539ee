/* The lines and the progress of a run; lists of frames in their poses. */
#include "systems/mosaic/events.h"
#include "systems/mosaic/stage.h"

#include "check.h"

#include <string.h>

typedef struct listener {
    endo_event last;
    char text[2000];
    int n;
    double shares[10];
    int n_shares;
    int ends;
} listener;

static void hear(void *user, const endo_event *event) {
    listener *l = user;
    l->last = *event;
    snprintf(l->text, sizeof l->text, "%s", event->text);
    l->n++;
}

static void watch(void *user, double share) {
    listener *l = user;
    l->shares[l->n_shares++] = share;
}

static int ends(void *user) { return ((listener *)user)->ends; }

static endo_mosaic_hooks hooks_of(listener *l) {
    return (endo_mosaic_hooks){.event = hear, .progress = watch, .cancelled = ends, .user = l};
}

static void test_lines_are_told_and_kept(void) {
    listener l = {0};
    mosaic_events events;
    endo_mosaic_hooks hooks = hooks_of(&l);
    char most[1500];
    events_init(&events, &hooks);
    events_say(&events, ENDO_EVENT_LOST, ENDO_EVENT_LEFT_OUT, 3, 5, "%s: %d", "left out", 3);
    CHECK(l.n == 1 && !strcmp(l.text, "left out: 3") && l.last.level == ENDO_EVENT_LOST);
    CHECK(l.last.kind == ENDO_EVENT_LEFT_OUT && l.last.first == 3 && l.last.last == 5);
    events_say_once(&events, ENDO_EVENT_LOG, ENDO_EVENT_OTHER, -1, -1, "left out: %d", 3);
    CHECK(l.n == 1 && events.n_lines == 1);
    events_say_once(&events, ENDO_EVENT_LOG, ENDO_EVENT_OTHER, -1, -1, "left out: %d", 4);
    events_say(&events, ENDO_EVENT_LOG, ENDO_EVENT_OTHER, -1, -1, "left out: %d", 4);
    CHECK(l.n == 3 && events.n_lines == 3 && !strcmp(events.lines[2], "left out: 4"));
    memset(most, 'x', sizeof most - 1);
    most[sizeof most - 1] = 0;
    for (int i = 0; i < 100; i++) events_say(&events, ENDO_EVENT_NOTE, ENDO_EVENT_OTHER, -1, -1, "%s%d", most, i);
    CHECK(events.n_lines == 103 && strlen(l.text) == 1501 && strlen(events.lines[40]) == 1501);
    events_free(&events);
    CHECK(events.n_lines == 0);
}

static void test_progress_never_falls(void) {
    listener l = {0};
    mosaic_events events;
    endo_mosaic_hooks hooks = hooks_of(&l);
    events_init(&events, &hooks);
    events_progress(&events, 0.25);
    events_progress(&events, 0.125);
    events_progress(&events, NAN);
    events_progress(&events, 0.5);
    events_progress(&events, 1.5);
    CHECK(l.n_shares == 3 && l.shares[0] == 0.25 && l.shares[1] == 0.5 && l.shares[2] == 1);
    CHECK(!events_cancelled(&events));
    l.ends = 1;
    CHECK(events_cancelled(&events));
    events_free(&events);
}

static void test_nobody_need_listen(void) {
    mosaic_events events;
    events_init(&events, NULL);
    events_say(&events, ENDO_EVENT_LOG, ENDO_EVENT_OTHER, -1, -1, "to nobody");
    events_progress(&events, 0.5);
    CHECK(events.n_lines == 1 && !events_cancelled(&events));
    events_free(&events);
}

static void test_ranges_and_the_clock(void) {
    char out[MOSAIC_RANGE];
    double start = mosaic_seconds();
    CHECK(!strcmp(mosaic_range(NULL, 3, 3, out), "frame 4") && !strcmp(mosaic_range(NULL, 3, 8, out), "frames 4-9"));
    CHECK(mosaic_range(NULL, -1, 2147483646, out) == out && !strcmp(out, "frames 0-2147483647"));
    CHECK(mosaic_seconds() >= start && mosaic_seconds() < start + 60);
}

static void test_lists_of_frames(void) {
    placed_frames list = {0};
    placed_frames other = {0};
    for (int i = 0; i < 50; i++) {
        placed_frame item = {.frame = i, .slot = 100 + i, .canvas = i % 3};
        item.pose.matrix[2] = i;
        CHECK(placed_add(&list, &item) == ENDO_OK);
    }
    placed_remove_first(&list, 7);
    CHECK(list.n == 43 && list.items[0].frame == 7 && list.items[42].frame == 49 && list.items[42].pose.matrix[2] == 49);
    CHECK(placed_append(&other, list.items, 3) == ENDO_OK && placed_append(&other, list.items + 5, 38) == ENDO_OK);
    CHECK(other.n == 41 && other.items[2].slot == 109 && other.items[3].frame == 12 && other.items[40].canvas == 1);
    CHECK(placed_append(&other, NULL, 0) == ENDO_OK && other.n == 41);
    placed_remove_first(&other, 41);
    CHECK(other.n == 0);
    placed_free(&list);
    placed_free(&other);
    CHECK(!list.items && list.n == 0 && list.capacity == 0);
}

int main(void) {
    test_lines_are_told_and_kept();
    test_progress_never_falls();
    test_nobody_need_listen();
    test_ranges_and_the_clock();
    test_lists_of_frames();
    return check_summary("test_mosaic_events");
}
