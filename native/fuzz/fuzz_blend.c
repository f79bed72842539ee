/* Calls about blends: one from its beginning to its end, with steps left out or made twice. */
#include "fuzz_stores.h"

#include <stdlib.h>

typedef struct fuzz_blending {
    fuzz_session *s;
    endo_blend *blend;
    endo_pixel type;
    int width, height, shrink;
} fuzz_blending;

static int make_blend(fuzz_blending *b) {
    fuzz_input *in = &b->s->in;
    endo_blend_options o = endo_blend_options_default();
    o.interpolation = (endo_interpolation)fuzz_wild(in, 0, 1), o.votes = fuzz_wild(in, 0, 1), o.shrink = fuzz_wild(in, 1, 3);
    b->type = fuzz_one_in(in, 8) ? (endo_pixel)fuzz_wild(in, 0, 2) : b->s->options.type;
    b->width = fuzz_wild(in, 1, 300), b->height = fuzz_wild(in, 1, 300);
    if (b->width > 0 && b->height > 0 && (int64_t)b->width * b->height > FUZZ_PIXELS * 4) return 0;
    int plain = fuzz_one_in(in, 4);
    b->shrink = plain ? 1 : o.shrink;
    endo_status status = endo_blend_create(b->s->context, b->type, b->width, b->height, plain ? NULL : &o, &b->blend);
    return fuzz_checked(status, NULL, 0, "endo_blend_create") == ENDO_OK;
}

static void correct(fuzz_blending *b) {
    fuzz_input *in = &b->s->in;
    int width = fuzz_one_in(in, 8) ? fuzz_wild(in, 1, 60) : b->s->options.width;
    int height = fuzz_one_in(in, 8) ? fuzz_wild(in, 1, 60) : b->s->options.height;
    int valid = width > 0 && height > 0 && width <= 32767 && height <= 32767;
    if (valid && (int64_t)width * height > FUZZ_PIXELS * 4) return;
    uint16_t *factors = fuzz_image(in, valid ? width : 1, valid ? height : 1, valid ? width : 1, sizeof *factors);
    for (int i = 0; valid && !fuzz_one_in(in, 4) && i < width * height; i++) factors[i] = (uint16_t)(factors[i] % 16383 + 1);
    fuzz_checked(endo_blend_set_correction(b->blend, fuzz_one_in(in, 6) ? NULL : factors, width, height), NULL, 0,
                 "endo_blend_set_correction");
    free(factors);
}

static void fuzz_observation(fuzz_input *in) {
    int width = fuzz_wild(in, 1, 300), height = fuzz_wild(in, 1, 200);
    int valid = width > 0 && height > 0 && width <= 300 && height <= 200;
    int stride = (valid ? width : 1) + fuzz_between(in, 0, 5), type = fuzz_wild(in, 0, 2);
    double details = -1;
    if (!valid && width > 0 && height > 0) return; /* what is large is slow, or refused */
    void *pixels = fuzz_image(in, valid ? width : 1, valid ? height : 1, stride, sizeof(uint32_t));
    endo_status status = fuzz_checked(endo_blend_details((endo_pixel)type, width, height, pixels, stride, &details), NULL, 0,
                                      "endo_blend_details");
    /* Pixels at the ends of rows are in differences alone. */
    fuzz_require(status != ENDO_OK || (details >= 0 && details <= 4.0 * 65535 * height), "details beyond their range");
    free(pixels);
}

static void add(fuzz_blending *b) {
    fuzz_input *in = &b->s->in;
    int32_t slots[3], weights[3], gains[9];
    endo_transform poses[3];
    size_t n = (size_t)fuzz_between(in, 0, 3);
    for (size_t i = 0; i < n; i++) {
        slots[i] = fuzz_wild(in, 0, b->s->options.capacity > 1);
        poses[i] = fuzz_transform(in, b->width);
        weights[i] = fuzz_wild(in, 1, 256);
        for (int c = 0; c < 3; c++) gains[3 * i + (size_t)c] = fuzz_wild(in, 1, 16383);
    }
    const endo_posed_frames posed = {
        .slots = fuzz_one_in(in, 60) ? NULL : slots,
        .transforms = fuzz_one_in(in, 60) ? NULL : poses,
        .weights = fuzz_one_in(in, 3) ? NULL : weights,
        .gains = fuzz_one_in(in, 3) ? NULL : gains,
        .n = n,
        .origin_x = fuzz_wild(in, -50, b->width),
        .origin_y = fuzz_wild(in, -50, b->height),
    };
    fuzz_checked(endo_blend_add(b->blend, b->s->frames, fuzz_one_in(in, 60) ? NULL : &posed), NULL, 0, "endo_blend_add");
}

/* Colours of painted pixels are opaque, what is not painted is 0 and has no coverage, unless a part of it has. */
static void check_read(const fuzz_blending *b, const void *pixels, const uint8_t *painted, const uint16_t *coverage,
                       size_t area) {
    for (size_t i = 0; i < area; i++) {
        fuzz_require(painted[i] == 0 || painted[i] == 255, "a painted flag that is neither 0 nor 255");
        fuzz_require(b->shrink > 1 ? coverage[i] || !painted[i] : !painted[i] == !coverage[i], "a painted flag and its coverage disagree");
        if (b->type != ENDO_RGB32) continue;
        uint32_t pixel = ((const uint32_t *)pixels)[i];
        fuzz_require(painted[i] ? pixel >> 24 == 255 : pixel == 0, "a pixel and its painted flag disagree");
    }
}

static void read_blend(fuzz_blending *b) {
    fuzz_input *in = &b->s->in;
    endo_rectangle r = {.x = fuzz_wild(in, 0, b->width - 1), .y = fuzz_wild(in, 0, b->height - 1)};
    int inside = r.x >= 0 && r.y >= 0 && r.x < b->width && r.y < b->height;
    r.width = fuzz_wild(in, 1, inside ? b->width - r.x : 9), r.height = fuzz_wild(in, 1, inside ? b->height - r.y : 9);
    int fits = r.width > 0 && r.height > 0 && r.width <= b->width && r.height <= b->height;
    size_t area = fits ? (size_t)r.width * (size_t)r.height : 1, bytes = area * endo_pixel_size(b->type);
    void *pixels = fuzz_output(bytes);
    uint8_t *painted = fuzz_output(area);
    uint16_t *coverage = fuzz_output(2 * area);
    const endo_panorama_planes planes = {
        .pixels = pixels,
        .painted = painted,
        .coverage = coverage,
        .uncertainty = fuzz_one_in(in, 30) ? coverage : NULL,
    };
    endo_status status = endo_blend_read(b->blend, fuzz_one_in(in, 60) ? NULL : &r, &planes);
    fuzz_checked(status, pixels, bytes, "endo_blend_read");
    if (status == ENDO_OK) check_read(b, pixels, painted, coverage, area);
    free(pixels);
    free(painted);
    free(coverage);
}

void fuzz_blend(fuzz_session *s) {
    fuzz_observation(&s->in);
    fuzz_blending b = {.s = s};
    if (!s->frames || !make_blend(&b)) return;
    for (int i = fuzz_between(&s->in, 2, 8); i > 0; i--) {
        switch (fuzz_between(&s->in, 0, 6)) {
        case 0: correct(&b); break;
        case 1: fuzz_checked(endo_blend_next_pass(b.blend), NULL, 0, "endo_blend_next_pass"); break;
        case 2: read_blend(&b); break;
        default: add(&b);
        }
    }
    read_blend(&b);
    endo_blend_destroy(&b.blend);
}
