/* Kalman filter of a camera's path, [G] section 1.1: constant velocity, an axis at a time.
 *
 * State: position and velocity. From frame to frame the velocity changes by an acceleration that is white and lasts a frame.
 * A measurement is a position; its variance comes from the shape of the peak and from the certainty. Accepted measurements
 * are used unchanged; the filter judges them, and fills in where there are none. */
#include "exposures_filter.h"

/* Standard deviations: velocity at the start, px a frame, and acceleration, px a frame squared. */
#define FIRST_VELOCITY 32.0
#define ACCELERATION 2.0
/* Standard deviation, px, of a measured position whose peak is perfectly sharp. */
#define SHARPEST 0.0625
/* Most standard deviations between the prediction and an accepted measurement. */
#define GATE 5.0
/* Certainty from which on a measurement is accepted however far it is from the prediction. */
#define BELIEVED 0.5

static void start_axis(endo_exposure_filter *f, int axis, double position) {
    f->position[axis] = position;
    f->velocity[axis] = 0;
    f->variance[axis][0] = SHARPEST * SHARPEST;
    f->variance[axis][1] = 0;
    f->variance[axis][2] = FIRST_VELOCITY * FIRST_VELOCITY;
}

void endo_exposures_start(endo_exposure_filter *f, int64_t frame, double x, double y) {
    start_axis(f, 0, x);
    start_axis(f, 1, y);
    f->frame = f->measured = frame;
    f->started = 1;
}

/* Predicts t frames ahead. */
static void predict(endo_exposure_filter *f, int axis, double t) {
    double *v = f->variance[axis], a = ACCELERATION * ACCELERATION;
    f->position[axis] += t * f->velocity[axis];
    v[0] += t * (2 * v[1] + t * v[2]) + a * t * t * t * t / 4;
    v[1] += t * v[2] + a * t * t * t / 2;
    v[2] += a * t * t;
}

static double noise(double deviation, double certainty) {
    return (deviation * deviation + SHARPEST * SHARPEST) / (certainty * certainty);
}

static int is_near(const endo_exposure_filter *f, int axis, double position, double variance) {
    double off = position - f->position[axis];
    return off * off <= GATE * GATE * (f->variance[axis][0] + variance);
}

static void update(endo_exposure_filter *f, int axis, double position, double variance) {
    double *v = f->variance[axis], off = position - f->position[axis];
    double gain = v[0] / (v[0] + variance), gain_velocity = v[1] / (v[0] + variance);
    f->position[axis] += gain * off;
    f->velocity[axis] += gain_velocity * off;
    v[2] -= gain_velocity * v[1];
    v[1] -= gain * v[1];
    v[0] -= gain * v[0];
}

/* Takes a measurement; returns 0 where it is rejected. */
static int take(endo_exposure_filter *f, const endo_exposure_result *shift, double x, double y) {
    double noise_x = noise(shift->deviation_x, shift->certainty), noise_y = noise(shift->deviation_y, shift->certainty);
    if (shift->certainty < BELIEVED && !(is_near(f, 0, x, noise_x) && is_near(f, 1, y, noise_y))) return 0;
    update(f, 0, x, noise_x);
    update(f, 1, y, noise_y);
    return 1;
}

/* Whether a prediction reaches a frame: it does over two brackets, since an exposure that never shows anything comes once in
 * each. Frame numbers rise, and their difference may overflow int64_t. */
static int can_predict(const endo_exposure_filter *f, int64_t frame) {
    return f->period > 0 && (uint64_t)frame - (uint64_t)f->measured <= 2 * (uint64_t)f->period;
}

void endo_exposures_step(endo_exposure_filter *f, int64_t frame, double reference_x, double reference_y,
                         const endo_exposure_result *shift, endo_exposure_position *place) {
    int usable = shift && shift->status == ENDO_EXPOSURE_OK, predicts = can_predict(f, frame);
    double x = usable ? reference_x + shift->dx : f->position[0], y = usable ? reference_y + shift->dy : f->position[1];
    endo_exposure_position here = {x, y, usable, 0};
    if (predicts) {
        double t = (double)(frame - f->frame);
        predict(f, 0, t);
        predict(f, 1, t);
        if (usable && take(f, shift, x, y)) {
            f->measured = frame;
        } else {
            endo_exposure_position there = {f->position[0], f->position[1], 1, 1};
            here = there;
        }
        f->frame = frame;
    } else if (usable) {
        endo_exposures_start(f, frame, x, y);
    } else {
        f->frame = frame;
    }
    *place = here;
}
