/* Calls about brightness: adaptive equalization, which is held against the reference, exposures and their filter. */
#include "api/testing.h"
#include "backend/objects.h"
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ equalization */

typedef struct equalization {
    endo_pixel type;
    int width, height, whole; /* whole: no region is named */
    ptrdiff_t stride, out_stride;
    endo_region region;
    endo_ahe_options params;
    size_t bytes; /* of the output */
} equalization;

static endo_ahe_options ahe_params(fuzz_input *in) {
    endo_ahe_options p = endo_ahe_options_default();
    p.method = (endo_ahe_method)(fuzz_one_in(in, 4) ? fuzz_wild(in, 0, 1) : 0);
    p.window = fuzz_one_in(in, 8) ? fuzz_wild(in, 3, 1023) : 2 * fuzz_between(in, 1, fuzz_one_in(in, 4) ? 511 : 12) + 1;
    if (fuzz_one_in(in, 2)) p.limit = fuzz_real(in, 1.001, fuzz_one_in(in, 2) ? 4 : 1000);
    if (fuzz_one_in(in, 3)) p.low = fuzz_wild(in, 0, 30000), p.high = fuzz_wild(in, 30000, 65535);
    return p;
}

/* Options that endorama/ahe.h allows. */
static int params_are_valid(const endo_ahe_options *p) {
    return (p->method == ENDO_AHE_WINDOW || p->method == ENDO_AHE_GLOBAL) && p->window >= 3 && p->window <= 1023 &&
           p->window % 2 && (p->limit == 0 || (p->limit > 1 && p->limit <= 1000)) && p->low >= 0 &&
           p->high <= 65535 && p->low <= p->high;
}

static int image_is_valid(const equalization *e) {
    const endo_region *r = &e->region;
    return endo_pixel_size(e->type) && e->width >= 1 && e->width <= 32767 && e->height >= 1 && e->height <= 32767 &&
           e->stride >= e->width && r->x >= 0 && r->y >= 0 && r->width >= 1 && r->height >= 1 &&
           (int64_t)r->x + r->width <= e->width && (int64_t)r->y + r->height <= e->height && e->out_stride >= r->width;
}

static equalization make_equalization(fuzz_input *in) {
    equalization e = {.type = (endo_pixel)fuzz_wild(in, 0, 2)};
    int most = fuzz_one_in(in, 3) ? 9 : 150;
    e.width = fuzz_wild(in, 1, most), e.height = fuzz_wild(in, 1, fuzz_one_in(in, 4) ? 3 : 90);
    e.whole = fuzz_one_in(in, 3);
    endo_region all = {0, 0, e.width, e.height};
    e.region = all;
    if (!e.whole && e.width > 0 && e.height > 0) {
        int x = fuzz_wild(in, 0, e.width - 1), y = fuzz_wild(in, 0, e.height - 1);
        int inside = x >= 0 && y >= 0 && x < e.width && y < e.height;
        e.region.x = x, e.region.y = y;
        e.region.width = fuzz_wild(in, 1, inside ? e.width - x : 9);
        e.region.height = fuzz_wild(in, 1, inside ? e.height - y : 9);
    }
    e.stride = (ptrdiff_t)e.width + fuzz_between(in, 0, 5) - fuzz_one_in(in, 24);
    e.out_stride = (ptrdiff_t)e.region.width + fuzz_between(in, 0, 5) - fuzz_one_in(in, 24);
    e.params = ahe_params(in);
    if (image_is_valid(&e))
        e.bytes = ((size_t)(e.region.height - 1) * (size_t)e.out_stride + (size_t)e.region.width) *
                  endo_pixel_size(e.type);
    return e;
}

static endo_status equalize(endo_context *context, const equalization *e, const void *pixels, void *out) {
    return endo_ahe_apply(context, &(endo_image){pixels, e->type, e->width, e->height, e->stride},
                          e->whole ? NULL : &e->region, &e->params, out, e->out_stride);
}

static void check_padding(const equalization *e, const uint8_t *out) {
    size_t size = endo_pixel_size(e->type), used = (size_t)e->region.width * size, pitch = (size_t)e->out_stride * size;
    for (int y = 0; y + 1 < e->region.height; y++)
        fuzz_require(fuzz_is_untouched(out + (size_t)y * pitch + used, pitch - used), "a call wrote between rows");
}

/* One pixel, again by the reference. */
static void check_pixel(fuzz_input *in, const equalization *e, const void *pixels, const uint8_t *out) {
    endo_context_options options = endo_context_options_default();
    endo_context *reference = NULL;
    equalization one = *e;
    uint8_t pixel[4];
    size_t size = endo_pixel_size(e->type);
    int x = fuzz_between(in, 0, e->region.width - 1), y = fuzz_between(in, 0, e->region.height - 1);
    one.whole = 0, one.out_stride = 1;
    one.region.x += x, one.region.y += y, one.region.width = one.region.height = 1;
    fuzz_require(endo_context_create_with(&endo_kernels_ref, &options, &reference) == ENDO_OK, "a reference");
    fuzz_require(equalize(reference, &one, pixels, pixel) == ENDO_OK, "an equalization by the reference");
    fuzz_require(!memcmp(pixel, out + ((size_t)y * (size_t)e->out_stride + (size_t)x) * size, size),
                 "an equalized pixel that is not the reference's");
    endo_context_destroy(&reference);
}

void fuzz_equalize(fuzz_session *s) {
    fuzz_input *in = &s->in;
    equalization e = make_equalization(in);
    int valid = image_is_valid(&e) && params_are_valid(&e.params), missing = fuzz_one_in(in, 30);
    void *pixels = image_is_valid(&e) ? fuzz_image(in, e.width, e.height, e.stride, endo_pixel_size(e.type))
                                      : fuzz_output(1);
    void *out = fuzz_guarded(e.bytes);
    endo_status status = equalize(s->context, &e, missing ? NULL : pixels, out);
    fuzz_checked(status, out, e.bytes, "endo_ahe_apply");
    fuzz_require((status == ENDO_OK) == (valid && !missing), "an equalization that is taken or refused wrongly");
    if (status == ENDO_OK) check_padding(&e, out);
    if (status == ENDO_OK && e.params.method == ENDO_AHE_WINDOW && (e.params.window < 256 || fuzz_one_in(in, 4)))
        check_pixel(in, &e, pixels, out);
    fuzz_release(out, e.bytes);
    free(pixels);
}

/* --------------------------------------------------------------- exposures */

static endo_exposure_options exposure_params(fuzz_input *in) {
    endo_exposure_options p = endo_exposure_options_default();
    p.search = fuzz_one_in(in, 3) ? fuzz_wild(in, 1, ENDO_EXPOSURE_MAX_SEARCH) : fuzz_between(in, 1, 30);
    p.tolerance = fuzz_one_in(in, 4) ? fuzz_wild(in, 0, 127) : fuzz_between(in, 0, 8);
    p.bins = fuzz_one_in(in, 16) ? fuzz_wild(in, 64, 256) : fuzz_one_in(in, 2) ? 64 : 256;
    p.percentile = (endo_percentile)fuzz_wild(in, 0, 1);
    p.subpixel = fuzz_wild(in, 0, 1);
    return p;
}

static int params_of_exposures_are_valid(const endo_exposure_options *p) {
    return p->search >= 1 && p->search <= ENDO_EXPOSURE_MAX_SEARCH && p->tolerance >= 0 && p->tolerance <= 127 &&
           (p->bins == 64 || p->bins == 256) && (p->percentile == 0 || p->percentile == 1) &&
           (p->subpixel == 0 || p->subpixel == 1);
}

static int is_level(int32_t level) { return level >= 0 && level <= 255; }

static void check_nothing(const endo_exposure_result *r) {
    fuzz_require(r->dx == 0 && r->dy == 0 && r->certainty == 0, "a shift without content");
    fuzz_require(isnan(r->peak) && isnan(r->deviation_x) && isnan(r->deviation_y) && isnan(r->mismatch),
                 "numbers without content");
}

static void check_shift(const endo_exposure_result *r, const endo_exposure_options *p) {
    double most = p->search + (p->subpixel ? 1 : 0);
    fuzz_require(r->status >= ENDO_EXPOSURE_OK && r->status <= ENDO_EXPOSURE_NO_CONTENT, "a shift's status");
    fuzz_require(fabs(r->dx) <= most && fabs(r->dy) <= most, "a shift beyond the search");
    fuzz_require(r->certainty >= 0 && r->certainty <= 1 && r->usable >= 0 && r->usable <= 1, "a shift's shares");
    fuzz_require(isnan(r->mismatch) || (r->mismatch >= 0 && r->mismatch <= 1), "a shift's mismatch");
    fuzz_require(fuzz_is_coefficient(r->peak), "a shift's coefficient");
    fuzz_require(is_level(r->threshold_reference) && is_level(r->threshold_current), "a threshold that is no level");
    if (r->status == ENDO_EXPOSURE_NO_CONTENT)
        check_nothing(r);
    else
        fuzz_require(r->deviation_x >= 0 && r->deviation_x <= p->search && r->deviation_y >= 0 &&
                         r->deviation_y <= p->search,
                     "a shift's deviation");
}

void fuzz_exposures(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(endo_exposure_result);
    endo_exposure_options p = exposure_params(&s->in);
    endo_exposure_result *out = fuzz_guarded(bytes);
    fuzz_pairs(s, pairs, n);
    endo_status status = endo_exposures_register(s->frames, pairs, n, &p, out);
    fuzz_checked(status, out, bytes, "endo_exposures_register");
    if (!params_of_exposures_are_valid(&p)) fuzz_require(status == ENDO_ERR_ARGUMENT, "bad parameters were taken");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        check_shift(&out[i], &p);
        if (pairs[i].reference == pairs[i].current && out[i].status == ENDO_EXPOSURE_OK)
            fuzz_require(fabs(out[i].dx) < 0.5 && fabs(out[i].dy) < 0.5, "a frame that moves against itself");
    }
    fuzz_release(out, bytes);
}

/* Pairs of the frames that were put last, with the whole range of shifts: most show little, and local bitmaps are asked. */
void fuzz_bitmaps(fuzz_session *s) {
    endo_exposure_options p = endo_exposure_options_default();
    endo_pair pairs[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t bytes = FUZZ_MAX_PAIRS * sizeof(endo_exposure_result);
    endo_exposure_result *out = fuzz_guarded(bytes);
    p.subpixel = fuzz_between(&s->in, 0, 1);
    fuzz_pairs(s, pairs, FUZZ_MAX_PAIRS);
    endo_status status = endo_exposures_register(s->frames, pairs, FUZZ_MAX_PAIRS, &p, out);
    fuzz_checked(status, out, bytes, "endo_exposures_register");
    for (int i = 0; i < FUZZ_MAX_PAIRS && status == ENDO_OK; i++) check_shift(&out[i], &p);
    fuzz_release(out, bytes);
}

/* ------------------------------------------------------------------ filter */

static int64_t next_frame(fuzz_input *in, int64_t last) {
    if (fuzz_one_in(in, 24)) return fuzz_one_in(in, 2) ? INT64_MAX : INT64_MIN;
    int64_t step = fuzz_one_in(in, 8) ? fuzz_wild(in, -1, 3000) : fuzz_between(in, 0, 3);
    return step > 0 && last > INT64_MAX - step ? last : step < 0 && last < INT64_MIN - step ? last : last + step;
}

static endo_exposure_result made_shift(fuzz_input *in) {
    endo_exposure_result r = {.dx = fuzz_real(in, -40, 40), .dy = fuzz_real(in, -40, 40)};
    r.certainty = fuzz_real(in, 0, 1);
    r.deviation_x = fuzz_real(in, 0, 20), r.deviation_y = fuzz_real(in, 0, 20);
    r.status = fuzz_wild(in, 0, 2);
    return r;
}

/* A failure leaves the filter as it was, too. */
static void check_filter(endo_status status, const endo_exposure_filter *before, const endo_exposure_filter *after,
                         const char *function) {
    fuzz_checked(status, NULL, 0, function);
    if (status != ENDO_OK) fuzz_require(!memcmp(before, after, sizeof *before), "a failure touched the filter");
    for (int i = 0; i < 2 && after->started; i++)
        fuzz_require(isfinite(after->position[i]) && isfinite(after->velocity[i]) && after->variance[i][0] >= 0,
                     "a filter that holds no numbers");
}

static void step(fuzz_input *in, endo_exposure_filter *filter) {
    endo_exposure_filter before = *filter;
    endo_exposure_result shift = made_shift(in);
    endo_exposure_position *place = fuzz_guarded(sizeof *place);
    int64_t frame = next_frame(in, filter->frame);
    double x = fuzz_real(in, -500, 500), y = fuzz_real(in, -500, 500);
    endo_status status = endo_exposure_filter_step(filter, frame, x, y, fuzz_one_in(in, 5) ? NULL : &shift, place);
    fuzz_checked(status, place, sizeof *place, "endo_exposure_filter_step");
    check_filter(status, &before, filter, "endo_exposure_filter_step");
    if (frame <= before.frame || !before.started) fuzz_require(status == ENDO_ERR_ARGUMENT, "a frame that goes back");
    if (status == ENDO_OK) {
        fuzz_require(filter->frame == frame && isfinite(place->x) && isfinite(place->y), "a place that is no number");
        fuzz_require(place->known == 0 || place->known == 1, "a place's flags");
        fuzz_require(place->predicted == 0 || (place->predicted == 1 && place->known), "a prediction nobody knows");
    }
    fuzz_release(place, sizeof *place);
}

void fuzz_exposure_filter(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_exposure_filter *filter = fuzz_guarded(sizeof *filter);
    int period = fuzz_one_in(in, 4) ? fuzz_wild(in, 0, 1000) : fuzz_between(in, 0, 4);
    endo_status status = endo_exposure_filter_begin(filter, period);
    fuzz_checked(status, filter, sizeof *filter, "endo_exposure_filter_begin");
    fuzz_require((status == ENDO_OK) == (period >= 0 && period <= 1000), "a period that is taken wrongly");
    for (int i = status == ENDO_OK ? fuzz_between(in, 0, 20) : 0; i > 0; i--) {
        if (!fuzz_one_in(in, 8) && filter->started) {
            step(in, filter);
            continue;
        }
        endo_exposure_filter before = *filter;
        int64_t frame = next_frame(in, filter->frame);
        status = endo_exposure_filter_start(filter, frame, fuzz_real(in, -500, 500), fuzz_real(in, -500, 500));
        check_filter(status, &before, filter, "endo_exposure_filter_start");
    }
    fuzz_release(filter, sizeof *filter);
}
