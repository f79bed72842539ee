/* Local bitmaps at the full size: the correlation of both under a shift, and its highest point nearby. */
#include "exposures_local.h"

#include "rules/exposures.h"

#include <math.h>

/* Most steps to better neighbours. */
#define STEPS 4
/* Farthest that the top of a quadratic surface may be from the best whole pixel, px. */
#define FRACTION 0.75
/* Distance of rivals, px: beyond the width of a peak. */
#define AWAY 8

/* The shifts around a place, row by row, beside it. */
static endo_bitmap_request beside(const endo_bitmap_request *place, int i, int distance) {
    endo_bitmap_request q = *place;
    q.dx += distance * (i % 3 - 1);
    q.dy += distance * (i / 3 - 1);
    return q;
}

endo_status exposures_local_compare(endo_frames *frames, endo_bitmap_scale scale, const endo_bitmap_request *requests, size_t n,
                                    endo_bitmap_overlap *overlaps) {
    endo_bitmap_setup setup = {scale};
    return frames->context->kernels->batches->bitmaps(frames->store, requests, n, &setup, overlaps);
}

double exposures_local_coefficient(const endo_bitmap_overlap *o) {
    return o->reference && o->current ? (double)o->excess / sqrt((double)o->reference * (double)o->current) : 0;
}

endo_status exposures_local_rival(endo_frames *frames, const endo_bitmap_request *shift, double *rival) {
    endo_bitmap_request around[9];
    endo_bitmap_overlap overlaps[9];
    for (int i = 0; i < 9; i++) around[i] = beside(shift, i, AWAY);
    ENDO_TRY(exposures_local_compare(frames, ENDO_BITMAP_WHOLE, around, 9, overlaps));
    *rival = -1;
    for (int i = 0; i < 9; i++)
        if (i != 4) *rival = fmax(*rival, exposures_local_coefficient(&overlaps[i]));
    return ENDO_OK;
}

/* ---------------------------------------------------------------- judgement */

/* The deviation along an axis, as that of bitmaps whose share that differs is half of what the coefficient lacks to 1. */
static double deviation(double left, double centre, double right, const endo_bitmap_overlap *o, int search) {
    return endo_exposure_deviation((1 - left) / 2, (1 - centre) / 2, (1 - right) / 2, (double)o->both, search);
}

static int within(int v, int reach) { return v < -reach ? -reach : v > reach ? reach : v; }

/* The top of the quadratic surface that is nearest to the coefficients of 3 x 3 pixels, row by row, as a distance from their
 * middle, px; 0, 0 where it has no top, or where the middle is not the greatest of them. With unit weights the fit
 * has this closed form. */
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

/* A shift on its way to better neighbours, and those around it, row by row. */
typedef struct climb {
    endo_bitmap_request place;
    endo_bitmap_overlap overlap[9];
    uint16_t known; /* bit i: overlap[i] was counted */
    uint8_t steps;
    uint8_t is_done;
} climb;

/* The range of shifts, px. */
typedef struct shift_range {
    int search, x, y;
} shift_range;

/* Adds requests for what a shift's surroundings lack; returns their number. */
static size_t ask(const climb *c, endo_bitmap_request *requests) {
    size_t n = 0;
    for (int i = 0; i < 9; i++)
        if (!(c->known >> i & 1)) requests[n++] = beside(&c->place, i, 1);
    return n;
}

/* Takes the answers to these requests; returns their number. */
static size_t take(climb *c, const endo_bitmap_overlap *answers) {
    size_t n = 0;
    for (int i = 0; i < 9; i++)
        if (!(c->known >> i & 1)) c->overlap[i] = answers[n++];
    c->known = 0x1ff;
    return n;
}

/* The greatest coefficient in range, of equal ones the middle, then the first. */
static int best_of(const climb *c, const shift_range *range) {
    double greatest = exposures_local_coefficient(&c->overlap[4]);
    int best = 4;
    for (int i = 0; i < 9; i++) {
        endo_bitmap_request q = beside(&c->place, i, 1);
        double coefficient = exposures_local_coefficient(&c->overlap[i]);
        if (within(q.dx, range->x) != q.dx || within(q.dy, range->y) != q.dy || coefficient <= greatest) continue;
        greatest = coefficient;
        best = i;
    }
    return best;
}

/* Moves to neighbour `to`, and keeps what is known around it. */
static void step_to(climb *c, int to) {
    climb old = *c;
    c->place = beside(&old.place, to, 1);
    c->known = 0;
    c->steps++;
    for (int i = 0; i < 9; i++) {
        int x = i % 3 + to % 3 - 1;
        int y = i / 3 + to / 3 - 1;
        if (x < 0 || x > 2 || y < 0 || y > 2) continue;
        c->overlap[i] = old.overlap[3 * y + x];
        c->known |= (uint16_t)(1 << i);
    }
}

static void advance(climb *c, const shift_range *range) {
    int best = c->steps < STEPS ? best_of(c, range) : 4;
    c->is_done = best == 4;
    if (!c->is_done) step_to(c, best);
}

/* One step of all that are on their way; *asked: requests that it took. Memory for 9 requests and overlaps each. */
static endo_status advance_all(endo_frames *frames, const shift_range *range, climb *climbs, size_t n,
                               endo_bitmap_request *requests, endo_bitmap_overlap *overlaps, size_t *asked) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!climbs[i].is_done) count += ask(&climbs[i], requests + count);
    *asked = count;
    if (count == 0) return ENDO_OK;
    ENDO_TRY(exposures_local_compare(frames, ENDO_BITMAP_WHOLE, requests, count, overlaps));
    for (size_t i = 0; i < n; i++) {
        if (climbs[i].is_done) continue;
        overlaps += take(&climbs[i], overlaps);
        advance(&climbs[i], range);
    }
    return ENDO_OK;
}

/* Sets the pixel of a judgement, and what the bitmaps say of it. */
static void set_pixel(int dx, int dy, const endo_bitmap_overlap *o, exposures_judgement *j) {
    j->dx = dx;
    j->dy = dy;
    j->coefficient = exposures_local_coefficient(o);
    j->mismatch = o->both ? (double)(o->both - o->excess) / (2 * (double)o->both) : NAN;
    j->usable = o->pixels ? (double)o->both / (double)o->pixels : 0;
}

static shift_range range_of(const endo_frames *frames, int search) {
    return (shift_range){
        .search = search,
        .x = endo_exposure_reach(search, frames->options.width),
        .y = endo_exposure_reach(search, frames->options.height),
    };
}

endo_status exposures_local_move(endo_frames *frames, int search, const endo_pair *pair, double x, double y,
                                 exposures_judgement *j) {
    shift_range range = range_of(frames, search);
    endo_bitmap_request to = {.reference = pair->reference, .current = pair->current};
    endo_bitmap_overlap overlap;
    x = fmax(-range.x, fmin(range.x, x));
    y = fmax(-range.y, fmin(range.y, y));
    to.dx = (int)rint(x);
    to.dy = (int)rint(y);
    ENDO_TRY(exposures_local_compare(frames, ENDO_BITMAP_WHOLE, &to, 1, &overlap));
    set_pixel(to.dx, to.dy, &overlap, j);
    j->x = x;
    j->y = y;
    return ENDO_OK;
}

/* The pixel nearest to the top of the surface, and what the bitmaps say of it. */
static exposures_judgement settle(const climb *c, const shift_range *range) {
    exposures_judgement j;
    double k[9];
    double x;
    double y;
    for (int i = 0; i < 9; i++) k[i] = exposures_local_coefficient(&c->overlap[i]);
    find_top(k, &x, &y);
    j.x = fmax(-range->x, fmin(range->x, c->place.dx + x));
    j.y = fmax(-range->y, fmin(range->y, c->place.dy + y));
    int right = (int)rint(j.x) - c->place.dx;
    int down = (int)rint(j.y) - c->place.dy;
    set_pixel(c->place.dx + right, c->place.dy + down, &c->overlap[4 + right + 3 * down], &j);
    j.deviation_x = deviation(k[3], k[4], k[5], &c->overlap[4], range->search);
    j.deviation_y = deviation(k[1], k[4], k[7], &c->overlap[4], range->search);
    return j;
}

endo_status exposures_local_judge(endo_frames *frames, int search, const endo_bitmap_request *starts, size_t n,
                                  exposures_judgement *judgements) {
    shift_range range = range_of(frames, search);
    climb *climbs = endo_alloc_zeroed(n, sizeof *climbs);
    endo_bitmap_request *requests = endo_alloc(9 * n, sizeof *requests);
    endo_bitmap_overlap *overlaps = endo_alloc(9 * n, sizeof *overlaps);
    size_t asked = n;
    endo_status status = climbs && requests && overlaps ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu shifts", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        climbs[i].place = starts[i];
        climbs[i].place.dx = within(starts[i].dx, range.x);
        climbs[i].place.dy = within(starts[i].dy, range.y);
    }
    while (asked > 0 && status == ENDO_OK) status = advance_all(frames, &range, climbs, n, requests, overlaps, &asked);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) judgements[i] = settle(&climbs[i], &range);
    endo_free(climbs);
    endo_free(requests);
    endo_free(overlaps);
    return status;
}
