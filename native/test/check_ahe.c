/* The check of adaptive equalization: whole images with small windows, parts of them with large ones, whose brute-force
 * count would take too long. Only the first of the pair of images; type and fill come from the case. */
#include "endo_check.h"

#include <stdio.h>
#include <string.h>

static const int windows[] = {3, 5, 9, 15, 17, 23, 31, 63, 127, 255, 257, 511, 1023};

#define N_WINDOWS ((int)(sizeof windows / sizeof windows[0]))
/* Window pixels that the reference may look at in one call. */
#define WORK 4000000

/* 16-bit values of all kinds: wide, narrow, few. */
static uint16_t grey16_of(const check_case *c, uint8_t grey, size_t i) {
    switch (c->number / 3 % 3) {
    case 0: return (uint16_t)(grey * 257u ^ (i * 2654435761u >> 24 & 255));
    case 1: return (uint16_t)(1000 + 16 * grey);
    default: return (uint16_t)(grey >> 5);
    }
}

static void *make_image(check_rig *rig, int stride) {
    const check_case *c = rig->c;
    size_t area = (size_t)c->width * c->height, n = (size_t)stride * c->height, size = endo_pixel_size(c->type);
    uint8_t *first = endo_alloc(2 * area, 1), *image = endo_alloc(n, size);
    memset(image, 0xee, n * size);
    test_fill_pair(c->fill, c->width, c->height, c->seed, first, first + area);
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            size_t at = (size_t)y * stride + x, from = (size_t)y * c->width + x;
            if (c->type == ENDO_GREY8) image[at] = first[from];
            else if (c->type == ENDO_GREY16) ((uint16_t *)image)[at] = grey16_of(c, first[from], from);
            else ((uint32_t *)image)[at] = 0xff000000u | first[from] << 16 | first[area + from] << 8 | first[from] / 2;
        }
    endo_free(first);
    return image;
}

/* A part of the image that the reference can afford; all of it where it can. */
static endo_region choose_region(check_rig *rig, int window) {
    endo_region r = {0, 0, rig->c->width, rig->c->height};
    int64_t most = WORK / ((int64_t)window * window) + 1;
    if ((int64_t)r.width * r.height > most) {
        r.width = (int)(most < rig->c->width ? most : rig->c->width);
        r.height = (int)(most / r.width < rig->c->height ? most / r.width : rig->c->height);
        r.x = test_between(&rig->random, 0, rig->c->width - r.width);
        r.y = test_between(&rig->random, 0, rig->c->height - r.height);
    }
    return r;
}

static endo_status run(endo_context *context, const check_case *c, const void *image, int stride, const endo_region *r,
                       const endo_ahe_options *p, void *out, int out_stride) {
    return endo_ahe_apply(context, &(endo_image){image, c->type, c->width, c->height, stride}, r, p, out, out_stride);
}

static int check_one(check_rig *rig, const void *image, int stride, const endo_ahe_options *p, char *text, size_t size) {
    const check_case *c = rig->c;
    endo_region r = choose_region(rig, p->window);
    int out_stride = r.width + test_between(&rig->random, 0, 5), differs = 0;
    size_t bytes = (size_t)out_stride * r.height * endo_pixel_size(c->type);
    uint8_t *a = endo_alloc(bytes + 64, 1), *b = endo_alloc(bytes + 64, 1);
    memset(a, 0x5a, bytes + 64); /* neither padding nor what follows may change */
    memset(b, 0x5a, bytes + 64);
    if (CHECK_REFERENCE(rig, run(rig->reference_context, c, image, stride, &r, p, a, out_stride), a, bytes + 64) != ENDO_OK ||
        run(rig->tested_context, c, image, stride, &r, p, b, out_stride) != ENDO_OK) {
        snprintf(text, size, "window %d, limit %g: %s", p->window, p->limit, endo_last_error());
        differs = 1;
    } else if (check_difference(a, b, bytes + 64) >= 0) {
        snprintf(text, size, "window %d, limit %g, region %d x %d at (%d, %d): byte %ld differs", p->window, p->limit,
                 r.width, r.height, r.x, r.y, check_difference(a, b, bytes + 64));
        differs = 1;
    }
    endo_free(a);
    endo_free(b);
    return differs;
}

int check_ahe(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    if (c->field > 0) return CHECK_NOT_FOR_CASE; /* fields play no part */
    int stride = c->width + c->number % 7, failed = 0;
    void *image = make_image(rig, stride);
    for (int i = 0; i < N_WINDOWS && !failed; i++) {
        double limits[] = {0, 1.01 + 5 * test_unit(&rig->random)};
        for (int k = 0; k < 2 && !failed; k++) {
            endo_ahe_options p = endo_ahe_options_default();
            p.window = windows[i], p.limit = limits[k];
            if (c->type == ENDO_GREY16 && i % 3 == 1) p.low = 900, p.high = 4000;
            failed = check_one(rig, image, stride, &p, text, size);
        }
    }
    endo_free(image);
    return failed;
}
