/* Walls as pairs see them: patches of a pair that moves as walls, a lens or a turn of the scope make it; and what the light does
 * with that. */
#include "light_rig.h"
#include "refuses.h"

#include "systems/light/light.h"

/* What moves patches beside an affine transform, over the motion of the pair: |q|^2 d and q (q . d), q over half of the width. */
typedef struct place_terms {
    double rim, turn;
} place_terms;

static const place_terms FLAT = {0, 0};

static double chance(void) {
    static uint32_t state = 5;
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        state = state * 1664525u + 1013904223u;
        sum += (state >> 8) / 16777216.0;
    }
    return sum;
}

/* Patches of a pair that moves by `right` and `down` px at the middle, n at most, that err by `noise` px. */
static int32_t see(const place_terms *b, double right, double down, double noise, int32_t n, endo_patch_place *places) {
    const double d[2] = {right / 120, down / 120};
    int32_t count = 0;
    for (int k = 0; k < 192 && count < n; k++) {
        double at[2] = {15 * (k % 16) + 7, 15 * (k / 16) + 7};
        double q[2] = {(at[0] - 119.5) / 120, (at[1] - 89.5) / 120};
        double square = q[0] * q[0] + q[1] * q[1];
        double along = q[0] * d[0] + q[1] * d[1];
        double moved[2];
        for (int i = 0; i < 2; i++)
            moved[i] = 120 * (d[i] + 0.03 * q[1 - i] + b->rim * square * d[i] + b->turn * along * q[i]) + noise * chance();
        places[count++] = (endo_patch_place){
            .x = (float)(at[0] - moved[0] / 2),
            .y = (float)(at[1] - moved[1] / 2),
            .current_x = (float)(at[0] + moved[0] / 2),
            .current_y = (float)(at[1] + moved[1] / 2),
            .deviation = 0.1f,
        };
    }
    return count;
}

static void put_pair(endo_light *light, const place_terms *b, double right, double down, double noise) {
    endo_patch_place places[ENDO_PATCH_PLACES];
    int32_t n = see(b, right, down, noise, ENDO_PATCH_PLACES, places);
    CHECK(endo_light_put_places(light, places, n) == ENDO_OK);
}

/* In units of half of the width in place of the field's reach. */
static light_nearer nearer_by_pairs(endo_light *light) {
    light_surface surface;
    light_surface_make(light, &surface);
    double rim = pow(surface.reach / 120, 2);
    light_nearer found = light_nearer_of_pairs(light, &surface);
    return (light_nearer){found.share / rim, found.variance / rim / rim};
}

/* How near walls are by two pairs whose patches are displaced by the terms given. */
static light_nearer nearer_of(place_terms one, place_terms other, double noise) {
    endo_light *light = make(ENDO_RGB32, NULL);
    put_pair(light, &one, 20, 5, noise);
    put_pair(light, &other, -4, 22, noise);
    light_nearer found = nearer_by_pairs(light);
    endo_light_destroy(&light);
    return found;
}

/* Walls are found; a lens or a turn alone is half of each, and as uncertain; a lens and walls alike. */
static void test_what_bends(void) {
    const place_terms hollow = {0.12, 0};
    const place_terms hill = {-0.12, 0};
    const place_terms lens = {0.1, 0.2};
    const place_terms turn = {0, 0.2};
    light_nearer flat = nearer_of(FLAT, FLAT, 0.1);
    light_nearer walls = nearer_of(hollow, hollow, 0.1);
    light_nearer dome = nearer_of(hill, hill, 0.1);
    light_nearer distorted = nearer_of(lens, lens, 0.1);
    light_nearer turned = nearer_of(turn, turn, 0.1);
    CHECK_NEAR(flat.share, 0, 0.01);
    CHECK_NEAR(sqrt(flat.variance), 0.0025, 0.0003);
    CHECK_NEAR(walls.share, 0.12, 0.01);
    CHECK_NEAR(sqrt(walls.variance), hypot(0.0025, 0.012), 0.001); /* a tenth of it may be wrong */
    CHECK_NEAR(dome.share, -0.12, 0.01);
    CHECK_NEAR(distorted.share, 0.05, 0.01);
    CHECK_NEAR(sqrt(distorted.variance), 0.0455, 0.003);
    CHECK_NEAR(turned.share, -0.05, 0.01);
    CHECK_NEAR(sqrt(turned.variance), hypot(0.05, 0.0055), 0.004);
}

/* Pairs that differ are less sure; of several that are alike what the patches say themselves counts. */
static void test_pairs_that_differ(void) {
    const place_terms one = {0, 0};
    const place_terms other = {0.2, 0};
    light_nearer torn = nearer_of(one, other, 0.02);
    CHECK_NEAR(torn.share, 0.1, 0.04);
    CHECK_NEAR(sqrt(torn.variance), 0.1, 0.02);
    CHECK_NEAR(sqrt(nearer_of(one, one, 0.02).variance), 0.00114, 0.0002); /* half of the deviations of the patches, at least */
}

/* Patches on something that moves by itself, or that were mistaken, have no say. */
static void test_patches_that_err(void) {
    endo_light *light = make(ENDO_RGB32, NULL);
    endo_patch_place places[ENDO_PATCH_PLACES];
    const place_terms hollow = {0.12, 0};
    int32_t n = see(&hollow, 20, 5, 0.1, ENDO_PATCH_PLACES, places);
    for (int32_t i = 0; i < n; i += 6) places[i].current_x += 3;
    for (int32_t i = 150; i < n; i++) places[i].current_y -= 4;
    CHECK(endo_light_put_places(light, places, n) == ENDO_OK);
    CHECK_NEAR(nearer_by_pairs(light).share, 0.12, 0.02);
    endo_light_destroy(&light);
}

/* Too few patches, and such as do not move. */
static void test_nothing_is_known(void) {
    endo_light *light = make(ENDO_RGB32, NULL);
    endo_patch_place places[ENDO_PATCH_PLACES];
    int32_t n = see(&FLAT, 20, 5, 0.1, 19, places);
    CHECK(n == 19 && endo_light_put_places(light, places, n) == ENDO_OK);
    for (int i = 0; i < 30; i++) {
        float x = (float)(8 * i);
        float y = (float)(5 * (i % 7));
        places[i] = (endo_patch_place){x, y, x, y, 0.1f};
    }
    CHECK(endo_light_put_places(light, places, 30) == ENDO_OK && endo_light_put_places(light, NULL, 0) == ENDO_OK);
    CHECK(isinf(nearer_by_pairs(light).variance));
    n = see(&FLAT, 20, 5, 0.1, ENDO_PATCH_PLACES, places);
    for (int i = 0; i < 20; i++) places[i] = places[9 * i]; /* 20 of them, from all of the frame */
    CHECK(endo_light_put_places(light, places, 20) == ENDO_OK && nearer_by_pairs(light).variance < 0.1);
    endo_light_destroy(&light);
}

/* The deviation of the fall-off of frames on a small circle, after pairs showed a scene that bends thus; NULL: no pairs. */
static double told_by(const place_terms *b) {
    endo_light *light = make(ENDO_RGB32, NULL);
    for (int i = 0; i < FRAMES; i++) {
        double right = 14 * sin(2 * M_PI * i / FRAMES);
        double down = 14 * cos(2 * M_PI * i / FRAMES);
        const double m[6] = {1, 0, right, 0, 1, down};
        for (int k = 0; k < AREA; k++) {
            double value = scene(k % WIDTH + right, k / WIDTH + down, 0) * fall_off(&ORDINARY, k % WIDTH, k / WIDTH);
            image[k] = level(value) * 0x010101;
        }
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, endo_transform_of_affine(m)};
    }
    for (int k = 0; b && k < 6; k++) put_pair(light, b, 20 * cos(k), 20 * sin(k), 0.1);
    solve(&light, FRAMES);
    return report.deviation;
}

/* A fall-off before a plane is surer with pairs than without; in a cavity it is left. */
static void test_light_hears_of_walls(void) {
    const place_terms hollow = {0.12, 0};
    double alone = told_by(NULL);
    double rim = report.rim;
    double before_a_plane = told_by(&FLAT);
    CHECK(rim < 0.7 && report.rim < 0.7 && before_a_plane < alone);
    CHECK(told_by(&hollow) > 3 * alone && report.rim > 0.9 && report.found == 0);
}

static void test_arguments(void) {
    endo_light *light = make(ENDO_RGB32, NULL);
    endo_patch_place places[ENDO_PATCH_PLACES];
    see(&FLAT, 20, 5, 0.1, 30, places);
    REFUSES(endo_light_put_places(NULL, places, 3), "NULL");
    REFUSES(endo_light_put_places(light, NULL, 3), "NULL");
    REFUSES(endo_light_put_places(light, places, -1), "-1 places");
    REFUSES(endo_light_put_places(light, places, 257), "257 places: must be 0..256");
    places[2].current_y = NAN;
    REFUSES(endo_light_put_places(light, places, 30), "place 2: ");
    see(&FLAT, 20, 5, 0.1, 30, places);
    places[29].x = -1.1e6f;
    REFUSES(endo_light_put_places(light, places, 30), "place 29: -1.1e+06 px");
    places[29].x = 1;
    places[28].deviation = -1;
    REFUSES(endo_light_put_places(light, places, 30), "place 28: deviation -1 px");
    CHECK(isinf(nearer_by_pairs(light).variance));
    endo_light_destroy(&light);
}

/* Zoom of frame i: a scope that is turned, on a circle, comes nearer and goes away; in its second component all are larger. */
static double zoom_at(int i) { return 0.12 * sin(6 * M_PI * i / FRAMES) + (i % 2 ? 0.5 : 0); }

/* The pose of frame i: the frame's middle lies on the circle. */
static void pose_at(int i, double m[6]) {
    double side = exp(-0.5 * zoom_at(i));
    double across = side * cos(0.7);
    double up = side * sin(0.7);
    const double turned[6] = {across, -up, 0, up, across, 0};
    memcpy(m, turned, sizeof turned);
    m[2] = 0.5 * WIDTH + 14 * sin(2 * M_PI * i / FRAMES) - across * 0.5 * WIDTH + up * 0.5 * HEIGHT;
    m[5] = 0.5 * HEIGHT + 14 * cos(2 * M_PI * i / FRAMES) - up * 0.5 * WIDTH - across * 0.5 * HEIGHT;
}

/* Slope of the gains that are found over the zooms; `slope`: as it is. Of two pairs one shows patches that are displaced by the
 * terms given. */
static double zoom_slope_found(double slope, place_terms one, place_terms other) {
    endo_light *light = make(ENDO_RGB32, NULL);
    double product = 0;
    double square = 0;
    put_pair(light, &one, 20, 5, 0.1);
    put_pair(light, &other, -4, 22, 0.1);
    for (int i = 0; i < FRAMES; i++) {
        double m[6];
        double zoom = zoom_at(i) - (i % 2 ? 0.5 : 0);
        pose_at(i, m);
        for (int k = 0; k < AREA; k++) {
            double x = k % WIDTH;
            double y = k / WIDTH;
            double value = 0.6 * exp(slope * zoom) * scene(m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5], 0);
            image[k] = level(value) * 0x010101;
        }
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, i % 2, endo_transform_of_affine(m)};
    }
    solve(&light, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        double zoom = zoom_at(i) - (i % 2 ? 0.5 : 0);
        product -= zoom * log(gains[3 * i] / (double)ENDO_LIGHT_ONE);
        square += zoom * zoom;
    }
    return product / square;
}

/* A near lamp's gains are the zooms, and are left as they are where there is depth; others are a camera's, and those between in
 * part. Where the scene is flat, or pairs do not agree on walls or have a lens, all are a camera's. */
static void test_approach(void) {
    const place_terms hollow = {0.12, 0};
    const place_terms hill = {-0.12, 0};
    const place_terms lens = {0.1, 0.2};
    const place_terms deeper = {0.2, 0};
    const double depth = 1 - 4 * (pow(0.0025, 2) + pow(0.012, 2)) / pow(0.12, 2); /* deviations: of the patches, of the model */
    CHECK_NEAR(zoom_slope_found(1, hollow, hollow), 1 - depth, 0.03);
    CHECK_NEAR(zoom_slope_found(1, hill, hill), 1 - depth, 0.03);
    CHECK_NEAR(zoom_slope_found(2, hollow, hollow), 2 - depth / 2, 0.05);
    CHECK_NEAR(zoom_slope_found(-1, hollow, hollow), -1, 0.05);
    CHECK_NEAR(zoom_slope_found(1, FLAT, FLAT), 1, 0.03);
    CHECK_NEAR(zoom_slope_found(1, lens, lens), 1, 0.03);
    CHECK_NEAR(zoom_slope_found(1, FLAT, deeper), 1, 0.03);
}

int main(void) {
    open_light_world();
    test_what_bends();
    test_pairs_that_differ();
    test_patches_that_err();
    test_nothing_is_known();
    test_light_hears_of_walls();
    test_approach();
    test_arguments();
    endo_context_destroy(&context);
    return check_summary("test_light_places");
}
