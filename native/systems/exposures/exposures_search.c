/* Every shift of shrunken images, by local bitmaps. */
#include "exposures_search.h"

#include "rules/exposure_observations.h"

#include <string.h>

/* The largest factor, and pixels of the shorter side of shrunken images at least. From a multiple of the factor the shift must be
 * within reach of exposures_local_judge. */
#define FACTOR 4
#define SHORTER 40
/* Side of the square, shrunken px. */
#define SIDE 8
/* Rows of the current image that are compared, about. */
#define ROWS 60
/* Distance of shifts that are found, shrunken px: nearer ones are of the same peak. */
#define APART 2

static int factor_of(int width, int height) {
    int factor = (width < height ? width : height) / SHORTER;
    return factor < 1 ? 1 : factor > FACTOR ? FACTOR : factor;
}

/* Range of shifts along an axis, shrunken px. */
static int reach_of(int search, int n, int factor) {
    int reach = (endo_exposure_reach(search, n) + factor - 1) / factor;
    int most = n / factor / 2;
    return reach < most ? reach : most;
}

/* Means of factor x factor pixels, rounded. */
static void shrink(const exposures_search *s, const uint8_t *image, uint8_t *out) {
    int factor = s->factor;
    int area = factor * factor;
    ptrdiff_t width = s->frames->options.width;
    for (int y = 0; y < s->bits.height; y++)
        for (int x = 0; x < s->bits.width; x++) {
            const uint8_t *first = image + y * factor * width + (ptrdiff_t)x * factor;
            int sum = area / 2;
            for (int v = 0; v < factor; v++)
                for (int u = 0; u < factor; u++) sum += first[v * width + u];
            *out++ = (uint8_t)(sum / area);
        }
}

/* A pixel lies in the field if all do that it is the mean of. */
static void mark_inside(const exposures_search *s) {
    size_t area = (size_t)s->bits.width * (size_t)s->bits.height;
    size_t all = (size_t)s->frames->options.width * (size_t)s->frames->options.height;
    for (size_t i = 0; i < all; i++) s->grey[i] = s->frames->field[i] ? 255 : 0;
    shrink(s, s->grey, s->small);
    /* The rounded mean of 16 pixels, one of them outside, is 239 at most. */
    for (size_t i = 0; i < area; i++) s->small[i] = s->small[i] == 255 ? 255 : 0;
    exposures_bits_mark(&s->bits, s->small, s->inside);
}

endo_status exposures_search_create(endo_frames *frames, int search, exposures_search *out) {
    int factor = factor_of(frames->options.width, frames->options.height);
    int width = frames->options.width / factor;
    int height = frames->options.height / factor;
    int reach_x = reach_of(search, frames->options.width, factor);
    int reach_y = reach_of(search, frames->options.height, factor);
    size_t area = (size_t)width * (size_t)height;
    size_t all = (size_t)frames->options.width * (size_t)frames->options.height;
    int whole = memchr(frames->field, 0, all) == NULL;
    *out = (exposures_search){
        .frames = frames,
        .factor = factor,
        .reach_x = reach_x,
        .reach_y = reach_y,
        .grey = endo_alloc(all, 1),
        .small = endo_alloc(area, 1),
        .inside = whole ? NULL : endo_alloc_zeroed(area, 1),
        .coefficients = endo_alloc((2 * (size_t)reach_x + 1) * (2 * (size_t)reach_y + 1), sizeof(double)),
    };
    ENDO_TRY(exposures_bits_create(frames->context, width, height, SIDE, ROWS, &out->bits));
    if (!out->grey || !out->small || !(whole || out->inside) || !out->coefficients)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
    if (!whole) mark_inside(out);
    return ENDO_OK;
}

void exposures_search_destroy(exposures_search *s) {
    exposures_bits_free(&s->bits);
    endo_free(s->grey);
    endo_free(s->small);
    endo_free(s->inside);
    endo_free(s->coefficients);
}

static endo_status make_bits(exposures_search *s, int slot, int step, uint8_t *bits) {
    size_t area = (size_t)s->bits.width * (size_t)s->bits.height;
    endo_status status = s->frames->context->kernels->frames->get_grey(s->frames->store, slot, s->grey);
    if (status != ENDO_OK) return status;
    shrink(s, s->grey, s->small);
    exposures_bits_threshold(&s->bits, s->small, step, bits);
    if (s->inside) exposures_bits_keep(s->inside, area, bits);
    return ENDO_OK;
}

/* Whether a shift is one of the peaks found already, or near to one. */
static int is_found(int dx, int dy, int found[SEARCH_FOUND][2], int n) {
    for (int i = 0; i < n; i++) {
        int x = dx - found[i][0];
        int y = dy - found[i][1];
        if (x >= -APART && x <= APART && y >= -APART && y <= APART) return 1;
    }
    return 0;
}

/* Adds the shift of greatest coefficient that is not near to those found; of equal ones the first, row by row. */
static int add_greatest(const exposures_search *s, int found[SEARCH_FOUND][2], int n) {
    const double *c = s->coefficients;
    double greatest = -2;
    for (int dy = -s->reach_y; dy <= s->reach_y; dy++)
        for (int dx = -s->reach_x; dx <= s->reach_x; dx++, c++) {
            if (*c <= greatest || is_found(dx, dy, found, n)) continue;
            greatest = *c;
            found[n][0] = dx;
            found[n][1] = dy;
        }
    return greatest > -2 ? n + 1 : n;
}

endo_status exposures_search_find(exposures_search *s, const endo_pair *pair, int found[SEARCH_FOUND][2], int *n) {
    double *c = s->coefficients;
    endo_status status = make_bits(s, pair->reference, 1, s->bits.reference);
    if (status == ENDO_OK) status = make_bits(s, pair->current, s->bits.step, s->bits.current);
    if (status != ENDO_OK) return status;
    for (int dy = -s->reach_y; dy <= s->reach_y; dy++)
        for (int dx = -s->reach_x; dx <= s->reach_x; dx++) {
            exposures_overlap o = exposures_bits_compare(&s->bits, dx, dy);
            *c++ = exposures_bits_coefficient(&o);
        }
    *n = 0;
    for (int i = 0; i < SEARCH_FOUND; i++) *n = add_greatest(s, found, *n);
    for (int i = 0; i < *n; i++) {
        found[i][0] *= s->factor;
        found[i][1] *= s->factor;
    }
    return ENDO_OK;
}
