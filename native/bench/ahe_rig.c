#include "ahe_rig.h"

#include "api/testing.h"

#include "ahe_baselines.h"
#include "images.h"

#include <math.h>
#include <string.h>

#define STRIP_PIXELS 98304 /* of Algorithm 2, in full columns: enough for its first windows not to count much */
#define CHECKED_SIDE 12

const int ahe_windows[AHE_WINDOWS] = {31, 63, 127, 255, 511};
const int ahe_megapixels[AHE_SIZES] = {1, 2, 4, 8, 16};

int ahe_rig_create(ahe_rig *r) {
    size_t n = (size_t)AHE_SIDE * AHE_SIDE;
    memset(r, 0, sizeof *r);
    r->rgb = image_tissue(AHE_SIDE, AHE_SIDE);
    r->grey = r->rgb ? image_grey(r->rgb, n) : NULL;
    r->deep = r->grey ? image_deep(r->grey, n) : NULL;
    r->noise = image_noise(n);
    for (int i = 0; i < 2; i++) r->out[i] = endo_alloc_zeroed(n, 4); /* zeroed: its pages are there */
    return r->rgb && r->grey && r->deep && r->noise && r->out[0] && r->out[1];
}

void ahe_rig_destroy(ahe_rig *r) {
    for (int i = 0; i < r->n; i++) endo_context_destroy(&r->contenders[i].context);
    endo_free(r->rgb);
    endo_free(r->grey);
    endo_free(r->deep);
    endo_free(r->noise);
    endo_free(r->out[0]);
    endo_free(r->out[1]);
}

ahe_image ahe_cut(const void *pixels, endo_pixel type, const char *name, int megapixels) {
    int side = (int)(sqrt(1e6 * megapixels) + 0.5), at = (AHE_SIDE - side) / 2;
    size_t first = (size_t)at * AHE_SIDE + at;
    ahe_image cut = {name, (const uint8_t *)pixels + first * endo_pixel_size(type), type, side, side, AHE_SIDE};
    return cut;
}

static endo_status apply(endo_context *c, const ahe_image *i, const endo_region *region, const endo_ahe_options *p,
                         void *out) {
    return endo_ahe_apply(c, &(endo_image){i->pixels, i->type, i->width, i->height, i->stride}, region, p, out,
                          region ? region->width : i->width);
}

int ahe_rig_add(ahe_rig *r, const char *name, const endo_kernels *kernels, const endo_context_options *options,
                int most_megapixels) {
    ahe_contender c = {.name = name, .most_megapixels = most_megapixels};
    endo_ahe_options params = endo_ahe_options_default();
    uint8_t pixels[64] = {0}, out[64];
    ahe_image small = {"", pixels, ENDO_GREY8, 8, 8, 8};
    endo_status status = endo_context_create_with(kernels, options, &c.context);
    if (status == ENDO_OK) status = apply(c.context, &small, NULL, &params, out);
    if (status == ENDO_OK) {
        c.threads = options->backend == ENDO_BACKEND_CUDA ? 1 : c.context->threads;
        r->contenders[r->n++] = c;
        return 1;
    }
    endo_context_destroy(&c.context);
    if (status != ENDO_ERR_UNSUPPORTED) return 0;
    printf("SKIP %s: %s\n", name, endo_last_error());
    return 1;
}

void ahe_rig_add_algorithm2(ahe_rig *r, int threads) {
    ahe_contender c = {.name = "Algorithm 2", .threads = threads};
    r->contenders[r->n++] = c;
}

/* Adjacent columns from the middle of the image. */
static int make_strip(ahe_strip *s, const ahe_image *i, int window) {
    int columns = STRIP_PIXELS / i->height;
    if (columns < 1) columns = 1;
    if (columns > i->width) columns = i->width;
    return ahe_strip_create(s, (const uint8_t *)i->pixels, i->width, i->height, i->stride, (i->width - columns) / 2,
                            columns, window);
}

/* One repeat of one contender. */
static endo_status run(ahe_contender *c, const ahe_image *i, const endo_ahe_options *p, const ahe_strip *strip,
                       void *out) {
    if (c->context) return apply(c->context, i, NULL, p, out);
    ahe_algorithm2(strip, c->threads, (uint8_t *)out);
    return ENDO_OK;
}

static int strip_equal(const ahe_strip *s, const uint8_t *strip, const uint8_t *whole, int width) {
    for (int y = 0; y < s->height; y++)
        if (memcmp(strip + (size_t)y * s->columns, whole + (size_t)y * width + s->left, (size_t)s->columns)) return 0;
    return 1;
}

/* The block in the middle, by the definition. */
static endo_status check_block(const ahe_image *i, const endo_ahe_options *p, const void *whole) {
    endo_context *ref = NULL;
    endo_context_options o = endo_context_options_default();
    endo_region block = {i->width / 2, i->height / 2, CHECKED_SIDE, CHECKED_SIDE};
    uint32_t expected[CHECKED_SIDE * CHECKED_SIDE];
    size_t size = endo_pixel_size(i->type), row = CHECKED_SIDE * size;
    endo_status status = endo_context_create_with(&endo_kernels_ref, &o, &ref);
    if (status == ENDO_OK) status = apply(ref, i, &block, p, expected);
    for (int y = 0; y < CHECKED_SIDE && status == ENDO_OK; y++) {
        size_t at = (size_t)(block.y + y) * i->width + block.x;
        if (memcmp((uint8_t *)expected + y * row, (const uint8_t *)whole + at * size, row))
            status = endo_fail(ENDO_ERR_INTERNAL, "window %d, %s: pixels differ from the definition", p->window,
                               i->name);
    }
    endo_context_destroy(&ref);
    return status;
}

/* No figure for a wrong result. Also warms up; *round: seconds of all contenders once. */
static endo_status check(ahe_rig *r, const ahe_image *i, const endo_ahe_options *p, const ahe_strip *strip,
                         double *round) {
    endo_status status = ENDO_OK;
    const ahe_contender *whole = NULL, *part = NULL; /* whose pixels out[0] and out[1] hold */
    size_t bytes = (size_t)i->width * i->height * endo_pixel_size(i->type);
    *round = 0;
    for (int k = r->n - 1; k >= 0 && status == ENDO_OK; k--) { /* from the end: Algorithm 2, added first, comes last */
        ahe_contender *c = &r->contenders[k];
        if (!c->active) continue;
        void *out = r->out[whole != NULL];
        double start = timing_now();
        status = run(c, i, p, strip, out);
        *round += timing_now() - start;
        if (status != ENDO_OK || whole == NULL) {
            whole = c;
            continue;
        }
        int equal = c->context ? !memcmp(r->out[0], r->out[1], bytes)
                               : strip_equal(strip, (uint8_t *)r->out[1], (uint8_t *)r->out[0], i->width);
        if (!c->context) part = c;
        if (!equal)
            status = endo_fail(ENDO_ERR_INTERNAL, "window %d, %s: %s and %s differ", p->window, i->name, whole->name,
                               c->name);
    }
    return status == ENDO_OK && whole && !part ? check_block(i, p, r->out[0]) : status;
}

/* Algorithm 2 knows one form: 8 bits, no limit. */
static void choose(ahe_rig *r, const ahe_image *i, const endo_ahe_options *p, const ahe_strip *strip) {
    double megapixels = 1e-6 * i->width * i->height;
    for (int k = 0; k < r->n; k++) {
        ahe_contender *c = &r->contenders[k];
        c->active = c->context ? !c->most_megapixels || megapixels <= c->most_megapixels + 0.1
                               : i->type == ENDO_GREY8 && p->limit == 0;
        c->megapixels = c->context ? megapixels : 1e-6 * strip->columns * strip->height;
        c->time.n = 0;
    }
}

int ahe_measure(ahe_rig *r, const ahe_image *image, const endo_ahe_options *params, double budget, int least_repeats) {
    ahe_strip strip = {.pixels = NULL};
    double round = 1;
    if (image->type == ENDO_GREY8 && params->limit == 0 && !make_strip(&strip, image, params->window)) {
        endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
        return 0;
    }
    choose(r, image, params, &strip);
    endo_status status = check(r, image, params, &strip, &round);
    int repeats = (int)(budget / round);
    if (repeats < least_repeats) repeats = least_repeats;
    if (repeats > 31) repeats = 31;
    for (int repeat = 0; repeat < repeats; repeat++)
        for (int k = 0; k < r->n && status == ENDO_OK; k++) {
            ahe_contender *c = &r->contenders[k];
            if (!c->active) continue;
            double start = timing_now();
            status = run(c, image, params, &strip, r->out[0]);
            timing_add(&c->time, timing_now() - start);
        }
    ahe_strip_destroy(&strip);
    return status == ENDO_OK;
}

double ahe_ms_a_megapixel(const ahe_contender *c, double quantile) {
    return c->active && c->time.n ? 1e3 * timing_quantile(&c->time, quantile) / c->megapixels : 0;
}
