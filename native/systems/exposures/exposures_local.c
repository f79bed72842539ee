/* Local bitmaps: thresholds by the mean of a square, in integers, and the correlation of both bitmaps under a shift. */
#include "exposures_local.h"

#include "rules/exposure_observations.h"

#include <math.h>
#include <string.h>

/* Side of the square, px: 16 * 16 * 255 fits into 16 bits. The pixel is the first one behind its middle, in both images. */
#define SIDE 16
#define HALF (SIDE / 2)
/* Rows of the current image that are compared, about. */
#define ROWS 240
/* Most steps to better neighbours. */
#define STEPS 4
/* Distance of rivals, px: beyond the width of a peak. */
#define AWAY 8

static size_t area_of(const endo_frames *f) { return (size_t)f->options.width * (size_t)f->options.height; }

static int row_step(const exposures_local *l) { return endo_exposure_row_step(l->frames->options.height, ROWS); }

/* ----------------------------------------------------------------- bitmaps */

static void add_row(const uint8_t *restrict enters, const uint8_t *restrict leaves, int n, uint16_t *restrict columns) {
    if (!leaves)
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x]);
    else
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x] - leaves[x]);
}

/* The squares of a row, the first of them around pixel HALF, from the sums of SIDE pixels above each other; sums of 2, 4, 8 and
 * 16 neighbours. */
static void sum_squares(const uint16_t *restrict columns, int width, uint16_t *restrict squares) {
    int n = width;
    for (int x = 0; x < n - 1; x++) squares[x] = (uint16_t)(columns[x] + columns[x + 1]);
    for (int apart = 2; apart < SIDE; apart *= 2)
        for (int x = 0; x < n - 2 * apart + 1; x++) squares[x] = (uint16_t)(squares[x] + squares[x + apart]);
}

static void threshold(const uint8_t *restrict grey, const uint16_t *restrict squares, int n, uint8_t *restrict bits) {
    for (int x = 0; x < n; x++) {
        int16_t above = (int16_t)(grey[x] - (uint16_t)(squares[x] + SIDE * SIDE / 2) / (SIDE * SIDE));
        bits[x] = (uint8_t)((above > 0) * LOCAL_WHITE + (above < 0) * LOCAL_BLACK);
    }
}

static void mark_inside(const uint16_t *restrict squares, int n, uint8_t *restrict inside) {
    for (int x = 0; x < n; x++) inside[x] = squares[x] == 255 * SIDE * SIDE ? 255 : 0;
}

/* Thresholds the pixels of every step-th row whose square lies in the image (inside 0), or marks those whose square is all
 * 255. */
static void walk_rows(const exposures_local *l, const uint8_t *image, int inside, int step, uint8_t *out) {
    int width = l->frames->options.width, height = l->frames->options.height, n = width - SIDE + 1;
    uint16_t *columns = l->columns, *squares = columns + width;
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (int y = 0; y < height && n > 0; y++) {
        const uint8_t *enters = image + (size_t)y * width, *leaves = enters - (ptrdiff_t)SIDE * width;
        add_row(enters, y < SIDE ? NULL : leaves, width, columns);
        if (y < SIDE - 1 || (y + 1 - HALF) % step != 0) continue;
        ptrdiff_t first = (ptrdiff_t)(y + 1 - HALF) * width + HALF;
        sum_squares(columns, width, squares);
        if (inside)
            mark_inside(squares, n, out + first);
        else
            threshold(image + first, squares, n, out + first);
    }
}

endo_status exposures_local_create(endo_frames *frames, exposures_local *out) {
    size_t area = area_of(frames), width = (size_t)frames->options.width;
    exposures_local l = {.frames = frames,
                         .reference = endo_alloc_zeroed(area, 1),
                         .current = endo_alloc_zeroed(area, 1),
                         .columns = endo_alloc(2 * width, sizeof *l.columns),
                         .counts = endo_alloc(4 * width, 1),
                         .grey = endo_alloc(area, 1)};
    int whole = memchr(frames->field, 0, area) == NULL;
    if (!whole) l.inside = endo_alloc_zeroed(area, 1);
    *out = l;
    if (!l.reference || !l.current || !l.columns || !l.counts || !l.grey || !(whole || l.inside))
        return endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    if (!whole) walk_rows(out, frames->field, 1, 1, l.inside);
    return ENDO_OK;
}

void exposures_local_destroy(exposures_local *l) {
    endo_free(l->reference);
    endo_free(l->current);
    endo_free(l->columns);
    endo_free(l->counts);
    endo_free(l->grey);
    endo_free(l->inside);
}

/* endo_exposure_is_dark, of all rows. */
static int is_dark(const exposures_local *l) {
    int64_t below = 0, all = 0;
    for (size_t i = 0; i < area_of(l->frames); i++) {
        int in = l->frames->field[i] & 1;
        all += in;
        below += in & (l->grey[i] < ENDO_EXPOSURE_DARK);
    }
    return 4 * below >= ENDO_EXPOSURE_DARK_QUARTERS * all;
}

static endo_status make_bits(exposures_local *l, int slot, int step, uint8_t *bits) {
    endo_status status = l->frames->context->kernels->frames->get_grey(l->frames->store, slot, l->grey);
    if (status != ENDO_OK) return status;
    walk_rows(l, l->grey, 0, step, bits);
    for (size_t i = 0; l->inside && i < area_of(l->frames); i++) bits[i] &= l->inside[i];
    return ENDO_OK;
}

endo_status exposures_local_take(exposures_local *l, const endo_pair *pair, int *dark) {
    endo_status status = make_bits(l, pair->reference, 1, l->reference);
    if (status == ENDO_OK && dark) *dark = is_dark(l);
    if (status == ENDO_OK) status = make_bits(l, pair->current, row_step(l), l->current);
    if (status == ENDO_OK && dark) *dark = *dark && is_dark(l);
    return status;
}

/* ------------------------------------------------------------------- shifts */

/* Pixels of the overlap; of these not 0 in the reference, in the current image, in both; and agreeing less differing. */
typedef struct overlap {
    int64_t pixels, reference, current, both, excess;
} overlap;

/* Counts of columns in some rows, fewer than 256. */
static void count_row(const uint8_t *restrict r, const uint8_t *restrict c, int n, uint8_t *restrict reference,
                      uint8_t *restrict current, uint8_t *restrict alike, uint8_t *restrict unlike) {
    for (int x = 0; x < n; x++) {
        reference[x] = (uint8_t)(reference[x] + (r[x] != 0));
        current[x] = (uint8_t)(current[x] + (c[x] != 0));
        alike[x] = (uint8_t)(alike[x] + ((r[x] & c[x]) != 0));
        unlike[x] = (uint8_t)(unlike[x] + ((r[x] | c[x]) == (LOCAL_WHITE | LOCAL_BLACK)));
    }
}

static void add_counts(const uint8_t *restrict reference, const uint8_t *restrict current, const uint8_t *restrict alike,
                       const uint8_t *restrict unlike, int n, overlap *o) {
    int32_t in_reference = 0, in_current = 0, both = 0, excess = 0;
    for (int x = 0; x < n; x++) {
        in_reference += reference[x];
        in_current += current[x];
        both += alike[x] + unlike[x];
        excess += alike[x] - unlike[x];
    }
    o->reference += in_reference;
    o->current += in_current;
    o->both += both;
    o->excess += excess;
}

static overlap compare(const exposures_local *l, int dx, int dy) {
    int width = l->frames->options.width, height = l->frames->options.height;
    int left = dx < 0 ? -dx : 0, n = width - (dx < 0 ? -dx : dx), step = row_step(l);
    int y = dy < 0 ? (step - 1 - dy) / step * step : 0, end = dy < 0 ? height : height - dy;
    uint8_t *reference = l->counts, *current = reference + width, *alike = current + width, *unlike = alike + width;
    overlap o = {0, 0, 0, 0, 0};
    while (y < end && n > 0) {
        memset(l->counts, 0, 4 * (size_t)width);
        for (int rows = 0; rows < 255 && y < end; rows++, y += step) {
            count_row(l->reference + (ptrdiff_t)(y + dy) * width + left + dx, l->current + (ptrdiff_t)y * width + left, n,
                      reference, current, alike, unlike);
            o.pixels += n;
        }
        add_counts(reference, current, alike, unlike, n, &o);
    }
    return o;
}

static double coefficient(const overlap *o) {
    return o->reference && o->current ? (double)o->excess / sqrt((double)o->reference * (double)o->current) : 0;
}

/* The deviation along an axis, as that of bitmaps whose share that differs is half of what the coefficient lacks to 1. */
static double deviation(double left, double centre, double right, const overlap *o, int search) {
    return endo_exposure_deviation((1 - left) / 2, (1 - centre) / 2, (1 - right) / 2, (double)o->both, search);
}

double exposures_local_rival(const exposures_local *l, int dx, int dy) {
    double rival = -1;
    for (int i = 0; i < 9; i++) {
        overlap o = compare(l, dx + AWAY * (i % 3 - 1), dy + AWAY * (i / 3 - 1));
        if (i != 4) rival = fmax(rival, coefficient(&o));
    }
    return rival;
}

static int within(int v, int reach) { return v < -reach ? -reach : v > reach ? reach : v; }

exposures_judgement exposures_local_judge(const exposures_local *l, int search, int dx, int dy) {
    int reach_x = endo_exposure_reach(search, l->frames->options.width);
    int reach_y = endo_exposure_reach(search, l->frames->options.height);
    overlap o[9];
    double c[9];
    exposures_judgement j = {.dx = within(dx, reach_x), .dy = within(dy, reach_y)};
    for (int steps = 0, best = 0; best != 4; steps++) {
        best = 4;
        for (int i = 0; i < 9; i++) {
            o[i] = compare(l, j.dx + i % 3 - 1, j.dy + i / 3 - 1);
            c[i] = coefficient(&o[i]);
        }
        for (int i = 0; i < 9 && steps < STEPS; i++) {
            int x = j.dx + i % 3 - 1, y = j.dy + i / 3 - 1;
            if (within(x, reach_x) == x && within(y, reach_y) == y && c[i] > c[best]) best = i;
        }
        j.dx += best % 3 - 1;
        j.dy += best / 3 - 1;
    }
    j.coefficient = c[4];
    j.mismatch = o[4].both ? (double)(o[4].both - o[4].excess) / (2 * (double)o[4].both) : NAN;
    j.usable = o[4].pixels ? (double)o[4].both / (double)o[4].pixels : 0;
    j.deviation_x = deviation(c[3], c[4], c[5], &o[4], search);
    j.deviation_y = deviation(c[1], c[4], c[7], &o[4], search);
    return j;
}
