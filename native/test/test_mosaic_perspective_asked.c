/* When the edges of a sequence ask for homographies. */
#include "systems/mosaic/consistency.h"
#include "poses_rig.h"

static poses_rig rig;

static void say(const endo_transform *step, double x, double y) {
    endo_mosaic_edge *edge = rig_edge(&rig, rig.edges.n, rig.edges.n + 1, step, 0.1);
    edge->perspective[0] = x * 1e-6;
    edge->perspective[1] = y * 1e-6;
    edge->perspective_deviation = 1e-6;
}

/* Adds edges that each tell of so many deviations of perspective, in turn along x and y. */
static void say_often(int n, double deviations) {
    endo_transform step = pose_translation(4, 0);
    for (int i = 0; i < n; i++) {
        double away = (i % 4 < 2 ? 1 : -1) * deviations;
        say(&step, i % 2 == 0 ? away : 0, i % 2 == 0 ? 0 : away);
    }
}

/* "": perspective is not asked for. */
static const char *asked(void) {
    static char reason[100];
    int is_asked = perspective_is_asked(&rig.edges, reason, sizeof reason);
    CHECK(is_asked == (reason[0] != 0));
    return reason;
}

static void test_edges_that_say_more_than_errors_do_ask(void) {
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.6));
    CHECK(strcmp(asked(), "pairs show perspective (1.6 times as much as errors would)") == 0);
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.51));
    CHECK(asked()[0] != 0);
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.49));
    CHECK(asked()[0] == 0);
}

static void test_few_edges_do_not_ask(void) {
    endo_transform step = pose_translation(4, 0);
    rig_clear(&rig);
    CHECK(asked()[0] == 0);
    say_often(7, 3);
    CHECK(asked()[0] == 0);
    say(&step, 3, 0);
    rig.edges.items[7].perspective_deviation = 0;
    say(&step, 3, 0);
    rig.edges.items[8].doubtful = 1;
    CHECK(asked()[0] == 0);
    rig.edges.items[8].doubtful = 0;
    CHECK(asked()[0] != 0);
}

/* An edge that says a hundred counts as three: with 15 that say 1.4 that is 1.2, and with 15 that say 1.66 1.57. */
static void test_no_edge_asks_alone(void) {
    endo_transform step = pose_translation(4, 0);
    rig_clear(&rig);
    say(&step, 100, 0);
    say_often(15, 1.4);
    CHECK(asked()[0] == 0);
    rig_clear(&rig);
    say(&step, 100, 0);
    say_often(15, 1.66);
    CHECK(strcmp(asked(), "pairs show perspective (1.6 times as much as errors would)") == 0);
}

/* Half of them take all six numbers, without saying more of perspective than errors do. */
static void test_where_most_edges_are_affine_maps_they_may_ask_for_more(void) {
    endo_transform sheared = rig_affine(1, 0.01, 4, 0, 1, 0);
    rig_clear(&rig);
    say_often(5, 0.5);
    for (int i = 0; i < 5; i++) say(&sheared, 0.5, 0);
    rig.edges.items[9].doubtful = 1;
    CHECK(asked()[0] == 0);
    rig.edges.items[9].doubtful = 0;
    CHECK(strcmp(asked(), "50 % of the pairs are affine maps") == 0);
}

int main(void) {
    test_edges_that_say_more_than_errors_do_ask();
    test_few_edges_do_not_ask();
    test_no_edge_asks_alone();
    test_where_most_edges_are_affine_maps_they_may_ask_for_more();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_perspective_asked");
}
