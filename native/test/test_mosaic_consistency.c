/* Warnings of poses that cannot be right: shapes that frames do not have, and tears between frames. */
#include "systems/mosaic/consistency.h"
#include "poses_rig.h"

static poses_rig rig;

/* ----------------------------------------------------------------------- shapes */

static const mosaic_size tall = {300, 400};

static endo_transform stretched(double x, double y) {
    return rig_affine(x, 0, 7, 0, y, -3);
}

/* The warning on a sequence whose fifth frame has this pose, and deviation, px. */
static const char *shape(endo_transform pose, double deviation) {
    static char said[300];
    rig_clear(&rig);
    for (int i = 0; i < 5; i++) rig_frame_at(&rig, 0, i);
    rig.frames[2].pose = stretched(0.1, 3);
    rig.frames[2].registered = 0;
    rig.frames[4].pose = pose;
    rig.frames[4].deviation = deviation;
    shape_warning(rig.frames, 5, tall, said, sizeof said);
    return said;
}

static const char *shape_of(double area, double ratio) {
    double y = sqrt(area / fabs(ratio));
    return shape(stretched(ratio * y, y), NAN);
}

static void test_usual_is_up_to_six_tenths_of_the_area_and_a_quarter_of_the_shape(void) {
    const double usual[5][2] = {{0.61, 1}, {1.66, 1}, {0.62, 1.249}, {1.64, 1.249}, {0.61, -1}};
    for (int i = 0; i < 5; i++) CHECK(shape_of(usual[i][0], usual[i][1])[0] == 0);
    CHECK(rig_begins(shape_of(0.59, 1), "frame 5: against the first frame the sequence has shrunk ("));
    CHECK(rig_begins(shape_of(1.68, 1), "frame 5: against the first frame the sequence has grown ("));
    CHECK(rig_begins(shape_of(1, 1.251), "frame 5: against the first frame the sequence has been sheared ("));
    CHECK(rig_begins(shape_of(1, 0.799), "frame 5: against the first frame the sequence has been sheared ("));
    CHECK(strstr(shape_of(0.25, 1), "area scale 0.250, usual are 0.60 to 1.67"));
    CHECK(strstr(shape_of(1, 1.3), "ratio of singular values 1.300, usual are 1.00 to 1.25"));
}

/* The warning names the first frame whose shape is not usual. */
static void test_shapes_are_said_once(void) {
    char said[300];
    shape_of(0.25, 1);
    rig.frames[1].pose = stretched(1.5, 1.5);
    shape_warning(rig.frames, 5, tall, said, sizeof said);
    CHECK(rig_begins(said, "frame 2: against the first frame the sequence has grown"));
}

/* Frames whose diagonal is 500 px may have any shape where their poses are known to 5 px: the tilt makes it. The second
 * homography is as large as the first frame at its middle, and twice as large at its first pixel. */
static void test_homographies_may_be_of_any_shape_where_their_poses_are_known(void) {
    endo_transform tilted = rig_times(stretched(0.7, 0.7), rig_perspective(1e-4, 0, 149.5, 199.5));
    endo_transform flat = rig_perspective(4e-4, 8e-4, 149.5, 199.5);
    endo_transform corner = pose_tangent(&flat, 0, 0);
    CHECK(shape(tilted, NAN)[0] == 0);
    CHECK(shape(tilted, 4.9)[0] == 0);
    CHECK(shape(tilted, 5.1)[0] != 0);
    CHECK(fabs(pose_determinant(&corner)) > 1.67);
    CHECK(shape(flat, 100)[0] == 0);
}

/* ------------------------------------------------------------------------ tears */

/* Three frames 10 px apart, of which the last lies further than it was registered. */
static void torn(double further) {
    rig_clear(&rig);
    for (int i = 0; i < 3; i++) {
        endo_transform pose = pose_translation(10 * i + (i == 2 ? further : 0), 3);
        rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose);
        rig.frames[i].component = 1;
        rig.frames[i].chained = pose_translation(10 * i, 0);
        rig.frames[i].solved = 1;
    }
}

static const char *tear(void) {
    static char said[300];
    tear_warning(rig.frames, rig.n, (mosaic_size){320, 240}, said, sizeof said);
    return said;
}

static void test_tears_are_told_where_and_how_wide(void) {
    torn(7.9);
    CHECK(tear()[0] == 0);
    torn(-7.9);
    CHECK(tear()[0] == 0);
    torn(8.1);
    CHECK(strcmp(tear(), "frame 3: lies 8 px from where it was registered with frame 2, since other frames contradict that: the"
                         " panorama is torn between the two; register it in parts (option frames)") == 0);
    torn(20);
    rig.frames[1].pose = pose_translation(10 + 9, 3);
    CHECK(rig_begins(tear(), "frame 3: lies 11 px"));
}

static double half(double further) {
    torn(further);
    return tear_half(&rig.frames[1].pose, &rig.frames[2].pose, &rig.frames[1].chained, &rig.frames[2].chained,
                     (mosaic_size){320, 240});
}

/* Half of a tear, px: narrow tears are not told, but count as errors from 1 px on. */
static void test_half_of_a_tear_may_be_wrong(void) {
    endo_transform flat = rig_affine(1, 1, 0, 1, 1, 0);
    CHECK(half(0.9) == 0);
    CHECK_NEAR(half(-1.1), 0.55, 1e-9);
    CHECK_NEAR(half(9), 4.5, 1e-9);
    CHECK(tear_half(&flat, &rig.frames[2].pose, &rig.frames[1].chained, &rig.frames[2].chained, tall) == 0);
    CHECK(tear_half(&rig.frames[1].pose, &rig.frames[2].pose, &flat, &rig.frames[2].chained, tall) == 0);
}

/* A frame that is only predicted or doubtful, the first one, one of another component or without a chain says nothing. */
static void test_only_what_was_registered_is_torn(void) {
    torn(100);
    rig.frames[2].registered = 0;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[1].doubtful = 1;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].component = 2;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].solved = 0;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].reference = -1;
    CHECK(tear()[0] == 0);
    rig.frames[2].reference = 3;
    CHECK(tear()[0] == 0);
    rig.frames[2].reference = 1;
    CHECK(tear()[0] != 0);
}

int main(void) {
    test_usual_is_up_to_six_tenths_of_the_area_and_a_quarter_of_the_shape();
    test_shapes_are_said_once();
    test_homographies_may_be_of_any_shape_where_their_poses_are_known();
    test_tears_are_told_where_and_how_wide();
    test_half_of_a_tear_may_be_wrong();
    test_only_what_was_registered_is_torn();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_consistency");
}
