/* Bytes become a session: a context, then calls of the public functions in any order, with sizes, strides
 * and parameters mostly in range and sometimes far outside. Memory handed to the library has exactly the
 * size that the header asks for, so that a sanitizer sees the first byte too many. */
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>

/* With a device one context serves all inputs: to make one takes longer than what an input does with it. */
static endo_backend backend = ENDO_BACKEND_CPU;
static endo_context *device_context;

endo_status fuzz_use_device(void) {
    endo_context_options o = endo_context_options_default();
    o.backend = backend = ENDO_BACKEND_CUDA;
    return endo_context_create(&o, &device_context);
}

void fuzz_release_device(void) { endo_context_destroy(&device_context); }

static int open_context(fuzz_session *s) {
    endo_context_options o = endo_context_options_default();
    o.backend = backend;
    o.threads = fuzz_wild(&s->in, 1, 3);
    o.cpu = (endo_cpu)fuzz_wild(&s->in, 0, 3);
    if (o.threads > 3) o.threads = 300; /* refused, not started */
    s->context = device_context;
    if (device_context) return 1;
    endo_status status = endo_context_create(&o, &s->context);
    fuzz_checked(status, NULL, 0, "endo_context_create");
    return status == ENDO_OK;
}

static void close_context(fuzz_session *s) {
    if (!device_context) endo_context_destroy(&s->context);
}

/* ------------------------------------------------- what needs no context */

static void fit(fuzz_session *s) {
    fuzz_input *in = &s->in;
    size_t n = (size_t)fuzz_between(in, 0, 12);
    double *from = malloc(2 * n * sizeof *from + !n), *to = malloc(2 * n * sizeof *to + !n);
    double *weights = malloc(n * sizeof *weights + !n);
    endo_transform *out = fuzz_output(sizeof *out);
    int solved = -1, weighted = fuzz_one_in(in, 2);
    fuzz_require(from && to && weights, "memory for points");
    for (size_t i = 0; i < 2 * n; i++) {
        from[i] = fuzz_real(in, -1000, 1000);
        to[i] = fuzz_one_in(in, 3) ? from[i] : fuzz_real(in, -1000, 1000);
    }
    for (size_t i = 0; i < n && weighted; i++) weights[i] = fuzz_one_in(in, 4) ? 0 : fuzz_real(in, 0, 4);
    endo_status status = endo_transform_fit(from, to, weighted ? weights : NULL, n,
                                            (endo_transform_class)fuzz_wild(in, 0, 4), out, &solved);
    fuzz_checked(status, out, sizeof *out, "endo_transform_fit");
    if (status == ENDO_OK) fuzz_require(solved == 0 || solved == 1, "solved is neither 0 nor 1");
    if (status == ENDO_OK && !solved)
        fuzz_require(fuzz_is_untouched(out, sizeof *out), "an unsolved fit touched its transform");
    if (status == ENDO_OK && solved) fuzz_require(endo_transform_check(out) == ENDO_OK, "a fit that is no transform");
    free(from);
    free(to);
    free(weights);
    free(out);
}

/* Whatever can be done to a transform gives numbers, or a failure that says why. */
static void transform(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_transform a = fuzz_transform(in, 1000), b = fuzz_transform(in, 1000);
    double points[4] = {fuzz_real(in, -1000, 1000), fuzz_real(in, -1000, 1000), 0, 1};
    endo_transform *out = fuzz_output(sizeof *out);
    double *moved = fuzz_output(sizeof points);
    endo_status status;
    switch (fuzz_between(in, 0, 3)) {
    case 0: status = fuzz_checked(endo_transform_invert(&a, out), out, sizeof *out, "endo_transform_invert"); break;
    case 1:
        status = fuzz_checked(endo_transform_compose(&a, &b, out), out, sizeof *out, "endo_transform_compose");
        break;
    case 2:
        status = endo_transform_project(&a, (endo_transform_class)fuzz_wild(in, 0, 4), points[0], points[1], out);
        fuzz_checked(status, out, sizeof *out, "endo_transform_project");
        break;
    default:
        status = endo_transform_apply(&a, points, 2, moved);
        fuzz_checked(status, moved, sizeof points, "endo_transform_apply");
        *out = a;
    }
    int known = out->kind >= ENDO_TRANSFORM_TRANSLATION && out->kind <= ENDO_TRANSFORM_HOMOGRAPHY;
    if (status == ENDO_OK) fuzz_require(known && isfinite(out->matrix[0]), "a transform that is none");
    free(out);
    free(moved);
}

static void check_field(const endo_field_info *info, const uint8_t *mask, int width, int height) {
    fuzz_require(info->shape >= ENDO_FIELD_WHOLE && info->shape <= ENDO_FIELD_OTHER, "a field's shape");
    for (int i = 0; i < width * height; i++)
        fuzz_require(mask[i] == 0 || mask[i] == 255, "a field's mask that is neither 0 nor 255");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (mask[y * width + x])
                fuzz_require(x >= info->left && x <= info->right && y >= info->top && y <= info->bottom,
                             "a field that is larger than its box");
}

static void darken_surround(uint8_t *pixels, int width, int height, int stride, int size, int diameter) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int dx = 2 * x - width, dy = 2 * y - height;
            if (dx * dx + dy * dy <= diameter * diameter) continue;
            for (int k = 0; k < size; k++) pixels[(y * stride + x) * size + k] &= 7;
        }
}

/* Frames with a dark surround, more or less; then the field by one way or the other. */
static void field(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int width = fuzz_between(in, 1, 200), height = fuzz_between(in, 1, 150), stride = width + fuzz_between(in, 0, 5);
    int low = fuzz_wild(in, 0, 30000), high = fuzz_wild(in, 30001, 65535), by_finder = fuzz_one_in(in, 2);
    endo_pixel type = (endo_pixel)fuzz_wild(in, 0, 2);
    size_t area = (size_t)width * (size_t)height, size = endo_pixel_size(type) ? endo_pixel_size(type) : 1;
    uint8_t *brightest = calloc(area, 1), *mask = fuzz_output(area);
    endo_field_info info;
    endo_field_finder *finder = NULL;
    endo_status status = ENDO_OK;
    fuzz_require(brightest != NULL, "memory for a field");
    if (by_finder)
        status = fuzz_checked(endo_field_finder_create(s->context, type, width, height, low, high, &finder), NULL, 0,
                              "endo_field_finder_create");
    for (int i = fuzz_between(in, 0, 3); i > 0 && status == ENDO_OK; i--) {
        uint8_t *pixels = fuzz_image(in, width, height, stride, size);
        darken_surround(pixels, width, height, stride, (int)size, fuzz_between(in, 1, 120));
        status = by_finder ? endo_field_finder_add(finder, pixels, stride)
                           : endo_field_accumulate(s->context, &(endo_image){pixels, type, width, height, stride}, low,
                                                   high, brightest);
        fuzz_checked(status, NULL, 0, "a frame for the field");
        free(pixels);
    }
    if (status == ENDO_OK) {
        status = by_finder ? endo_field_finder_find(finder, mask, &info)
                           : endo_field_detect(brightest, width, height, mask, &info);
        fuzz_checked(status, mask, area, "the field");
        if (status == ENDO_OK) check_field(&info, mask, width, height);
    }
    endo_field_finder_destroy(&finder);
    free(brightest);
    free(mask);
}

static endo_demo_options demo_params(fuzz_input *in) {
    endo_demo_options p = endo_demo_options_default();
    p.width = fuzz_wild(in, 64, 90), p.height = fuzz_wild(in, 64, 90), p.frames = fuzz_wild(in, 2, 9);
    p.path = (endo_demo_path)fuzz_wild(in, 0, 2);
    p.step = fuzz_real(in, 0, 8), p.rotation = fuzz_real(in, 0, 180), p.zoom = fuzz_real(in, 0, 50);
    p.noise = fuzz_real(in, 0, 64), p.flicker = fuzz_real(in, 0, 50);
    p.highlights = fuzz_wild(in, 0, 30), p.seed = fuzz_byte(in);
    return p;
}

static void demo(fuzz_session *s) {
    endo_demo_options p = demo_params(&s->in);
    endo_demo *made = NULL;
    if (p.width > 100 || p.height > 100 || p.frames > 20) p.width = 0; /* large is slow, too large is refused */
    endo_status status = endo_demo_create(s->context, &p, &made);
    fuzz_checked(status, NULL, 0, "endo_demo_create");
    if (status != ENDO_OK) return;
    size_t area = (size_t)p.width * (size_t)p.height;
    uint32_t *pixels = fuzz_output(area * sizeof *pixels);
    uint8_t *mask = fuzz_output(area);
    endo_transform truth = {-1, {0}};
    int index = fuzz_wild(&s->in, 0, p.frames - 1);
    fuzz_checked(endo_demo_render(made, index, pixels), pixels, area * sizeof *pixels, "endo_demo_render");
    fuzz_checked(endo_demo_field(made, mask), mask, area, "endo_demo_field");
    status = fuzz_checked(endo_demo_truth(made, index, &truth), NULL, 0, "endo_demo_truth");
    fuzz_require((status == ENDO_OK) == (truth.kind >= 0), "a demo's truth and its status disagree");
    endo_demo_destroy(&made);
    free(pixels);
    free(mask);
}

typedef void (*operation)(fuzz_session *s);

#define FUZZ_OPERATION(stem, request, setup, result) fuzz_##stem, fuzz_##stem,

static const operation operations[] = {
    ENDO_BATCHES(FUZZ_OPERATION)
    fuzz_put,         fuzz_get_grey,    fuzz_register,      fuzz_register,     fuzz_register_landmarks,
    fuzz_make_canvas, fuzz_paint,       fuzz_paint,         fuzz_paint,        fuzz_read_canvas,
    fuzz_read_canvas, fuzz_clear_canvas, fuzz_resize_canvas, fit,              transform,
    field,            demo,             fuzz_equalize,      fuzz_equalize,     fuzz_exposure_filter,
    fuzz_make_frames, fuzz_library,     fuzz_options,       fuzz_cancelled,    fuzz_mutual,
    fuzz_pattern,     fuzz_graph,       fuzz_blend,         fuzz_blend,        fuzz_light,
    fuzz_put_list,    fuzz_put_for,     fuzz_lens,          fuzz_mosaic,       fuzz_hide,
    fuzz_records,     fuzz_records,     fuzz_chain,         fuzz_live,         fuzz_colours,
};

#define N_OPERATIONS (sizeof operations / sizeof operations[0])
#define MAX_CALLS 24

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_session s = {.in = {bytes, size}};
    if (!open_context(&s)) return 0;
    fuzz_make_frames(&s);
    fuzz_make_canvas(&s);
    for (int i = 0; i < MAX_CALLS && s.in.left > 0; i++) operations[fuzz_byte(&s.in) % N_OPERATIONS](&s);
    endo_canvas_destroy(&s.canvas);
    endo_frames_destroy(&s.frames);
    close_context(&s);
    return 0;
}
