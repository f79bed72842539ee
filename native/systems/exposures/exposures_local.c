/* Local bitmaps at the full size: the correlation of both under a shift, and its highest point nearby. */
#include "exposures_local.h"

#include "rules/exposure_observations.h"

#include <math.h>
#include <string.h>

/* Side of the square, px. */
#define SIDE 16
/* Rows of the current image that are compared, about. */
#define ROWS 240
/* Most steps to better neighbours. */
#define STEPS 4
/* Farthest that the top of a quadratic surface may be from the best whole pixel, px. */
#define FRACTION 0.75
/* Distance of rivals, px: beyond the width of a peak. */
#define AWAY 8

static size_t area_of(const endo_frames *f) { return (size_t)f->options.width * (size_t)f->options.height; }

endo_status exposures_local_create(endo_frames *frames, exposures_local *out) {
    size_t area = area_of(frames);
    int whole = memchr(frames->field, 0, area) == NULL;
    *out = (exposures_local){
        .frames = frames,
        .grey = endo_alloc(2 * area, 1),
        .inside = whole ? NULL : endo_alloc_zeroed(area, 1),
    };
    ENDO_TRY(exposures_bits_create(frames->context, frames->options.width, frames->options.height, SIDE, ROWS, &out->bits));
    if (!out->grey || !(whole || out->inside)) return endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    if (!whole) exposures_bits_mark(&out->bits, frames->field, out->inside);
    return ENDO_OK;
}

void exposures_local_destroy(exposures_local *l) {
    exposures_bits_free(&l->bits);
    endo_free(l->grey);
    endo_free(l->inside);
}

/* endo_exposure_is_dark, of all rows. */
static int is_dark(const exposures_local *l, const uint8_t *grey) {
    int64_t below = 0, all = 0;
    for (size_t i = 0; i < area_of(l->frames); i++) {
        int in = l->frames->field[i] & 1;
        all += in;
        below += in & (grey[i] < ENDO_EXPOSURE_DARK);
    }
    return 4 * below >= ENDO_EXPOSURE_DARK_QUARTERS * all;
}

static void make_bits(exposures_local *l, const uint8_t *grey, int step, uint8_t *bits) {
    exposures_bits_threshold(&l->bits, grey, step, bits);
    if (l->inside) exposures_bits_keep(l->inside, area_of(l->frames), bits);
}

endo_status exposures_local_fetch(exposures_local *l, const endo_pair *pair) {
    void *store = l->frames->store;
    const endo_frames_kernels *frames = l->frames->context->kernels->frames;
    ENDO_TRY(frames->get_grey(store, pair->reference, l->grey));
    return frames->get_grey(store, pair->current, l->grey + area_of(l->frames));
}

void exposures_local_make(exposures_local *l, int *dark) {
    const uint8_t *current = l->grey + area_of(l->frames);
    make_bits(l, l->grey, 1, l->bits.reference);
    make_bits(l, current, l->bits.step, l->bits.current);
    if (dark) *dark = is_dark(l, l->grey) && is_dark(l, current);
}

endo_status exposures_local_take(exposures_local *l, const endo_pair *pair, int *dark) {
    ENDO_TRY(exposures_local_fetch(l, pair));
    exposures_local_make(l, dark);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- shifts */

/* The deviation along an axis, as that of bitmaps whose share that differs is half of what the coefficient lacks to 1. */
static double deviation(double left, double centre, double right, const exposures_overlap *o, int search) {
    return endo_exposure_deviation((1 - left) / 2, (1 - centre) / 2, (1 - right) / 2, (double)o->both, search);
}

double exposures_local_rival(const exposures_local *l, int dx, int dy) {
    double rival = -1;
    for (int i = 0; i < 9; i++) {
        exposures_overlap o = exposures_bits_compare(&l->bits, dx + AWAY * (i % 3 - 1), dy + AWAY * (i / 3 - 1));
        if (i != 4) rival = fmax(rival, exposures_bits_coefficient(&o));
    }
    return rival;
}

static int within(int v, int reach) { return v < -reach ? -reach : v > reach ? reach : v; }

/* The top of the quadratic surface that is nearest to the coefficients of 3 x 3 pixels, row by row, as a distance from their
 * middle, px; 0, 0 where it has no top, or where the middle is not the greatest of them. With unit weights the fit has this closed form. */
static void find_top(const double c[9], double *x, double *y) {
    double slope_x = (c[2] + c[5] + c[8] - c[0] - c[3] - c[6]) / 6;
    double slope_y = (c[6] + c[7] + c[8] - c[0] - c[1] - c[2]) / 6;
    double bend_x = (c[0] + c[2] + c[3] + c[5] + c[6] + c[8] - 2 * (c[1] + c[4] + c[7])) / 3;
    double bend_y = (c[0] + c[6] + c[1] + c[7] + c[2] + c[8] - 2 * (c[3] + c[4] + c[5])) / 3;
    double twist = (c[0] + c[8] - c[2] - c[6]) / 4;
    double determinant = bend_x * bend_y - twist * twist;
    *x = 0;
    *y = 0;
    for (int i = 0; i < 9; i++)
        if (c[i] > c[4]) return;
    if (!(bend_x < 0 && determinant > 0)) return;
    *x = fmax(-FRACTION, fmin(FRACTION, (twist * slope_y - bend_y * slope_x) / determinant));
    *y = fmax(-FRACTION, fmin(FRACTION, (twist * slope_x - bend_x * slope_y) / determinant));
}

/* The shifts around a place, row by row. */
typedef struct surroundings {
    exposures_overlap overlap[9];
    double coefficient[9];
} surroundings;

static void look_around(const exposures_local *l, int dx, int dy, surroundings *s) {
    for (int i = 0; i < 9; i++) {
        s->overlap[i] = exposures_bits_compare(&l->bits, dx + i % 3 - 1, dy + i / 3 - 1);
        s->coefficient[i] = exposures_bits_coefficient(&s->overlap[i]);
    }
}

/* Sets the place to the pixel nearest to the top of the surface, and what the bitmaps say of it. */
static void settle(const surroundings *s, int reach_x, int reach_y, int search, exposures_judgement *j) {
    const double *c = s->coefficient;
    double x;
    double y;
    find_top(c, &x, &y);
    j->x = fmax(-reach_x, fmin(reach_x, j->dx + x));
    j->y = fmax(-reach_y, fmin(reach_y, j->dy + y));
    int right = (int)rint(j->x) - j->dx;
    int down = (int)rint(j->y) - j->dy;
    const exposures_overlap *o = &s->overlap[4 + right + 3 * down];
    j->dx += right;
    j->dy += down;
    j->coefficient = c[4 + right + 3 * down];
    j->mismatch = o->both ? (double)(o->both - o->excess) / (2 * (double)o->both) : NAN;
    j->usable = o->pixels ? (double)o->both / (double)o->pixels : 0;
    j->deviation_x = deviation(c[3], c[4], c[5], &s->overlap[4], search);
    j->deviation_y = deviation(c[1], c[4], c[7], &s->overlap[4], search);
}

exposures_judgement exposures_local_judge(const exposures_local *l, int search, int dx, int dy) {
    int reach_x = endo_exposure_reach(search, l->bits.width);
    int reach_y = endo_exposure_reach(search, l->bits.height);
    surroundings s;
    exposures_judgement j = {.dx = within(dx, reach_x), .dy = within(dy, reach_y)};
    for (int steps = 0, best = 0; best != 4; steps++) {
        best = 4;
        look_around(l, j.dx, j.dy, &s);
        for (int i = 0; i < 9 && steps < STEPS; i++) {
            int x = j.dx + i % 3 - 1, y = j.dy + i / 3 - 1;
            if (within(x, reach_x) == x && within(y, reach_y) == y && s.coefficient[i] > s.coefficient[best]) best = i;
        }
        j.dx += best % 3 - 1;
        j.dy += best / 3 - 1;
    }
    settle(&s, reach_x, reach_y, search, &j);
    return j;
}
