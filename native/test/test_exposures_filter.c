/* The filter of a camera's path against a Kalman filter as textbooks write it, with matrices: place and velocity of an
 * axis, a white acceleration of 2 px a frame squared that lasts a frame, and the noise that docs/algorithms/exposures.md gives
 * a measurement. */
#include "include/endorama.h"
#include "check.h"
#include "scene.h"

#include <string.h>

typedef struct kalman {
    double x[2], p[2][2];
} kalman;

static kalman started(double place) {
    kalman k = {{place, 0}, {{1 / 256.0, 0}, {0, 32 * 32}}}; /* (1/16 px)^2, (32 px a frame)^2 */
    return k;
}

/* x = F x, P = F P F' + Q; F = {1 t; 0 1}, Q = 2^2 g g', g = (t^2 / 2, t). */
static void predict(kalman *k, double t) {
    double f[2][2] = {{1, t}, {0, 1}}, g[2] = {t * t / 2, t}, p[2][2];
    k->x[0] += t * k->x[1];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            p[i][j] = 4 * g[i] * g[j];
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) p[i][j] += f[i][a] * k->p[a][b] * f[j][b];
        }
    memcpy(k->p, p, sizeof p);
}

/* Joseph's form: P = (1 - K H) P (1 - K H)' + K R K', H = (1, 0). */
static void update(kalman *k, double place, double noise) {
    double s = k->p[0][0] + noise, gain[2] = {k->p[0][0] / s, k->p[1][0] / s}, off = place - k->x[0];
    double a[2][2] = {{1 - gain[0], 0}, {-gain[1], 1}}, p[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            p[i][j] = gain[i] * noise * gain[j];
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++) p[i][j] += a[i][u] * k->p[u][v] * a[j][v];
        }
    memcpy(k->p, p, sizeof p);
    k->x[0] += gain[0] * off;
    k->x[1] += gain[1] * off;
}

/* (d^2 + (1/16)^2) / c^2 */
static double noise_of(double deviation, double certainty) {
    return (deviation * deviation + 1 / 256.0) / certainty / certainty;
}

static void expect(const endo_exposure_filter *f, const kalman axes[2]) {
    for (int i = 0; i < 2; i++) {
        double scale = 1 + fabs(axes[i].x[0]);
        CHECK_NEAR(f->position[i], axes[i].x[0], 1e-9 * scale);
        CHECK_NEAR(f->velocity[i], axes[i].x[1], 1e-9 * scale);
        CHECK_NEAR(f->variance[i][0], axes[i].p[0][0], 1e-9 * (1 + axes[i].p[0][0]));
        CHECK_NEAR(f->variance[i][1], axes[i].p[0][1], 1e-9 * (1 + fabs(axes[i].p[0][1])));
        CHECK_NEAR(f->variance[i][2], axes[i].p[1][1], 1e-9 * (1 + axes[i].p[1][1]));
    }
}

static endo_exposure_result shift_of(double dx, double dy, double certainty, double deviation_x, double deviation_y) {
    endo_exposure_result r = {.dx = dx, .dy = dy, .certainty = certainty, .deviation_x = deviation_x,
                              .deviation_y = deviation_y, .status = ENDO_EXPOSURE_OK};
    return r;
}

static endo_exposure_filter begin(int period, double x, double y) {
    endo_exposure_filter f;
    CHECK(endo_exposure_filter_begin(&f, period) == ENDO_OK);
    CHECK(endo_exposure_filter_start(&f, 0, x, y) == ENDO_OK);
    return f;
}

/* Certain measurements are always believed, and used as they are. */
static void test_textbook(void) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        test_random r = {seed};
        endo_exposure_filter f = begin(5, 3, -4);
        kalman axes[2] = {started(3), started(-4)};
        int64_t frame = 0;
        expect(&f, axes);
        for (int i = 0; i < 25; i++) {
            int step = test_between(&r, 1, 4);
            endo_exposure_result s = shift_of(8 * test_unit(&r), -6 * test_unit(&r), 0.5 + 0.5 * test_unit(&r),
                                              test_unit(&r), 0.3 * test_unit(&r));
            endo_exposure_position place, before = {f.position[0], f.position[1], 1, 0};
            frame += step;
            CHECK(endo_exposure_filter_step(&f, frame, before.x, before.y, &s, &place) == ENDO_OK);
            CHECK(place.x == before.x + s.dx && place.y == before.y + s.dy && place.known && !place.predicted);
            for (int k = 0; k < 2; k++) {
                predict(&axes[k], step);
                update(&axes[k], k ? place.y : place.x, noise_of(k ? s.deviation_y : s.deviation_x, s.certainty));
            }
            expect(&f, axes);
            CHECK(f.frame == frame && f.measured == frame);
        }
    }
}

/* Steady motion, and how uncertain the next place is. */
static endo_exposure_filter steady(kalman axes[2]) {
    endo_exposure_filter f = begin(3, 0, 0);
    endo_exposure_position place = {0, 0, 0, 0};
    axes[0] = started(0), axes[1] = started(0);
    for (int i = 1; i <= 6; i++) {
        endo_exposure_result s = shift_of(4, 1, 0.8, 0.1, 0.1);
        CHECK(endo_exposure_filter_step(&f, i, 4 * (i - 1), i - 1, &s, &place) == ENDO_OK);
        for (int k = 0; k < 2; k++) predict(&axes[k], 1), update(&axes[k], k ? i : 4 * i, noise_of(0.1, 0.8));
    }
    for (int k = 0; k < 2; k++) predict(&axes[k], 1);
    return f;
}

/* Below a certainty of 0.5 the prediction judges: five standard deviations of both together, on either axis. */
static void test_gate(double certainty, double deviations, int axis, int believed) {
    kalman axes[2];
    endo_exposure_filter f = steady(axes);
    double off = deviations * sqrt(axes[axis].p[0][0] + noise_of(0.2, certainty));
    endo_exposure_result s = shift_of(axes[0].x[0] + (axis ? 0 : off), axes[1].x[0] + (axis ? off : 0), certainty, 0.2, 0.2);
    endo_exposure_position place;
    CHECK(endo_exposure_filter_step(&f, 7, 0, 0, &s, &place) == ENDO_OK);
    CHECK(place.known && place.predicted == !believed);
    CHECK_NEAR(place.x, believed ? s.dx : axes[0].x[0], 1e-9);
    CHECK_NEAR(place.y, believed ? s.dy : axes[1].x[0], 1e-9);
    CHECK(f.measured == (believed ? 7 : 6) && f.frame == 7);
    if (!believed) expect(&f, axes);
}

static void test_gates(void) {
    for (int axis = 0; axis < 2; axis++)
        for (int side = -1; side < 2; side += 2) {
            test_gate(0.49, 4.99 * side, axis, 1);
            test_gate(0.49, 5.01 * side, axis, 0);
            test_gate(0.2, 4.99 * side, axis, 1);
            test_gate(0.2, 5.01 * side, axis, 0);
            test_gate(0.5, 50 * side, axis, 1);
        }
}

/* Two brackets, and not a frame more; then the next measurement starts anew. */
static void test_reach(int period) {
    endo_exposure_filter f = begin(period, 0, 0);
    endo_exposure_result s = shift_of(5, -3, 0.9, 0, 0), low = shift_of(2, 2, 0.15, 0, 0);
    endo_exposure_position place;
    CHECK(endo_exposure_filter_step(&f, 1, 0, 0, &s, &place) == ENDO_OK);
    kalman axes[2] = {started(0), started(0)};
    for (int k = 0; k < 2; k++) predict(&axes[k], 1), update(&axes[k], k ? -3 : 5, noise_of(0, 0.9));
    for (int i = 2; i <= 1 + 2 * period; i++) {
        CHECK(endo_exposure_filter_step(&f, i, 0, 0, NULL, &place) == ENDO_OK);
        CHECK(place.known && place.predicted);
        for (int k = 0; k < 2; k++) predict(&axes[k], 1);
        CHECK_NEAR(place.x, axes[0].x[0], 1e-9 * i);
        CHECK_NEAR(place.y, axes[1].x[0], 1e-9 * i);
    }
    endo_exposure_filter copy = f;
    CHECK(endo_exposure_filter_step(&f, 2 + 2 * period, 0, 0, NULL, &place) == ENDO_OK);
    CHECK(!place.known && !place.predicted);
    CHECK(endo_exposure_filter_step(&copy, 2 + 2 * period, 100, 200, &low, &place) == ENDO_OK);
    CHECK(place.known && !place.predicted && place.x == 102 && place.y == 202);
    kalman anew[2] = {started(102), started(202)};
    expect(&copy, anew);
}

/* A status that is not OK is no measurement, however certain. */
static void test_status(void) {
    kalman axes[2];
    endo_exposure_filter f = steady(axes);
    endo_exposure_result s = shift_of(70, 70, 0.95, 0.1, 0.1);
    endo_exposure_position place;
    s.status = ENDO_EXPOSURE_LOW_CERTAINTY;
    CHECK(endo_exposure_filter_step(&f, 7, 0, 0, &s, &place) == ENDO_OK && place.predicted);
    expect(&f, axes);
}

/* A steady motion of (4, -2) a frame, then measurements that are not to be believed. */
static void test_doubts(void) {
    endo_exposure_filter f = begin(3, 10, 20);
    endo_exposure_position place = {0, 0, 0, 0};
    endo_exposure_result good = shift_of(4, -2, 0.9, 0.05, 0.05);
    endo_exposure_result far = shift_of(40, 30, 0.3, 0.05, 0.05);
    endo_exposure_result sure = shift_of(40, 30, 0.9, 0.05, 0.05);
    endo_exposure_result none = {.status = ENDO_EXPOSURE_NO_CONTENT};
    for (int i = 1; i <= 8; i++)
        CHECK(endo_exposure_filter_step(&f, i, 10 + 4 * (i - 1), 20 - 2 * (i - 1), &good, &place) == ENDO_OK);
    CHECK(place.x == 42 && place.y == 4 && !place.predicted);
    endo_exposure_filter copy = f;
    CHECK(endo_exposure_filter_step(&f, 9, 42, 4, &far, &place) == ENDO_OK);
    CHECK(place.predicted && place.known);
    CHECK_NEAR(place.x, 46, 0.2);
    CHECK_NEAR(place.y, 2, 0.2);
    CHECK(endo_exposure_filter_step(&copy, 9, 42, 4, &sure, &place) == ENDO_OK);
    CHECK(!place.predicted && place.x == 82 && place.y == 34);
    for (int i = 10; i <= 14; i++) {
        CHECK(endo_exposure_filter_step(&f, i, 0, 0, i % 2 ? &none : NULL, &place) == ENDO_OK);
        CHECK(place.predicted && place.known);
        CHECK_NEAR(place.x, 10 + 4 * i, 0.5);
    }
    CHECK(endo_exposure_filter_step(&f, 15, 0, 0, NULL, &place) == ENDO_OK);
    CHECK(!place.known && !place.predicted);
    CHECK(endo_exposure_filter_step(&f, 16, 0, 0, &far, &place) == ENDO_OK); /* nothing speaks against it */
    CHECK(place.known && !place.predicted && place.x == 40 && place.y == 30);
}

/* Without a motion model only measured shifts are known. */
static void test_single_bracket(void) {
    endo_exposure_filter f = begin(0, 0, 0);
    endo_exposure_position place;
    endo_exposure_result good = shift_of(4, -2, 0.2, 0.05, 0.05), low = shift_of(9, 9, 0.05, 0.05, 0.05);
    low.status = ENDO_EXPOSURE_LOW_CERTAINTY;
    CHECK(endo_exposure_filter_step(&f, 1, 0, 0, &good, &place) == ENDO_OK);
    CHECK(place.known && !place.predicted && place.x == 4 && place.y == -2);
    CHECK(endo_exposure_filter_step(&f, 2, 0, 0, &low, &place) == ENDO_OK);
    CHECK(!place.known && !place.predicted && place.x == 4 && place.y == -2);
}

static void refuses(endo_status status, const char *text) {
    CHECK(status == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), text) != NULL);
}

static void test_arguments(void) {
    endo_exposure_filter f;
    endo_exposure_position place;
    refuses(endo_exposure_filter_begin(&f, -1), "period -1");
    CHECK(endo_exposure_filter_begin(&f, 3) == ENDO_OK);
    refuses(endo_exposure_filter_step(&f, 1, 0, 0, NULL, &place), "not started");
    refuses(endo_exposure_filter_start(&f, 4, NAN, 0), "finite");
    CHECK(endo_exposure_filter_start(&f, 4, 0, 0) == ENDO_OK);
    refuses(endo_exposure_filter_step(&f, 4, 0, 0, NULL, &place), "frame 4: must be above the last, 4");
    refuses(endo_exposure_filter_step(&f, 5, 0, INFINITY, NULL, &place), "finite");
}

int main(void) {
    test_textbook();
    test_gates();
    test_reach(1);
    test_reach(4);
    test_status();
    test_doubts();
    test_single_bracket();
    test_arguments();
    return check_summary("test_exposures_filter");
}
