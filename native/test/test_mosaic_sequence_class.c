/* The class of transform of a sequence, by those of its edges. */
#include "systems/mosaic/sequence_class.h"
#include "poses_rig.h"

static poses_rig rig;

static void add_class(int n, int distance, int64_t kind, int doubtful) {
    endo_transform step = pose_translation(3, -2);
    step.kind = kind;
    for (int i = 0; i < n; i++) rig_edge(&rig, i, i + distance, &step, 0.1)->doubtful = doubtful;
}

/* Edges of neighbours, and of frames two apart, by their class. */
static endo_transform_class class_of(const int neighbours[4], const int two_apart[4]) {
    rig_clear(&rig);
    for (int kind = 0; kind < 4; kind++) {
        add_class(neighbours[kind], 1, kind, 0);
        add_class(two_apart[kind], 2, kind, 0);
    }
    add_class(50, 2, ENDO_TRANSFORM_TRANSLATION, 1);
    return sequence_class(&rig.edges);
}

#define COUNTS(a, b, c, d) ((const int[4]){a, b, c, d})

static void test_classes(void) {
    CHECK(class_of(COUNTS(90, 9, 0, 0), COUNTS(8, 1, 1, 0)) == ENDO_TRANSFORM_SIMILARITY);
    CHECK(class_of(COUNTS(0, 0, 99, 0), COUNTS(9, 2, 1, 0)) == ENDO_TRANSFORM_RIGID);
    CHECK(class_of(COUNTS(0, 0, 99, 0), COUNTS(10, 0, 1, 0)) == ENDO_TRANSFORM_TRANSLATION);
    /* Neighbours decide where there is nothing else. */
    CHECK(class_of(COUNTS(0, 20, 0, 0), COUNTS(4, 0, 0, 0)) == ENDO_TRANSFORM_RIGID);
    CHECK(class_of(COUNTS(0, 0, 0, 0), COUNTS(0, 0, 0, 0)) == ENDO_TRANSFORM_TRANSLATION);
    CHECK(class_of(COUNTS(0, 20, 0, 0), COUNTS(5, 0, 0, 0)) == ENDO_TRANSFORM_TRANSLATION);
    /* Shear is never asked for. */
    CHECK(class_of(COUNTS(0, 0, 0, 0), COUNTS(0, 0, 2, 9)) == ENDO_TRANSFORM_SIMILARITY);
}

int main(void) {
    test_classes();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_sequence_class");
}
