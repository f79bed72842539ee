/* Bytes become a session: a context, then calls of the public functions in any order, with sizes, strides
 * and parameters mostly in range and sometimes far outside. Memory handed to the library has exactly the
 * size that the header asks for, so that a sanitizer sees the first byte too many. */
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>

static int open_context(fuzz_session *s) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    o.threads = fuzz_wild(&s->in, 1, 3);
    o.cpu = (endo_cpu)fuzz_wild(&s->in, 0, 3);
    if (o.threads > 3) o.threads = 300; /* refused, not started */
    endo_status status = endo_context_create(&o, &s->context);
    fuzz_checked(status, NULL, 0, "endo_context_create");
    return status == ENDO_OK;
}

/* ---------------------------------------------------------------- canvas */

static int within_pixels(int width, int height) {
    return width < 1 || height < 1 || (int64_t)width * height <= FUZZ_PIXELS * 4;
}

static void make_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_canvas *made = NULL;
    endo_pixel type = s->frames && !fuzz_one_in(in, 8) ? s->options.type : (endo_pixel)fuzz_wild(in, 0, 2);
    int width = fuzz_wild(in, 1, 400), height = fuzz_wild(in, 1, 400);
    if (!within_pixels(width, height)) return;
    endo_status status = endo_canvas_create(s->context, type, width, height, &made);
    fuzz_checked(status, NULL, 0, "endo_canvas_create");
    if (status != ENDO_OK) return;
    endo_canvas_destroy(&s->canvas);
    s->canvas = made, s->canvas_type = type;
    s->canvas_width = width, s->canvas_height = height;
}

static void resize_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int width = fuzz_wild(in, 1, 400), height = fuzz_wild(in, 1, 400);
    if (!s->canvas || !within_pixels(width, height)) return;
    endo_status status = endo_canvas_resize(s->canvas, width, height, fuzz_wild(in, -400, 400),
                                            fuzz_wild(in, -400, 400));
    fuzz_checked(status, NULL, 0, "endo_canvas_resize");
    if (status == ENDO_OK) s->canvas_width = width, s->canvas_height = height;
}

static void clear_canvas(fuzz_session *s) {
    if (s->canvas) fuzz_checked(endo_canvas_clear(s->canvas), NULL, 0, "endo_canvas_clear");
}

static void paint(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int32_t slots[3];
    endo_transform places[3];
    size_t n = (size_t)fuzz_between(in, 0, 3);
    if (!s->canvas || !s->frames) return;
    for (size_t i = 0; i < n; i++) {
        slots[i] = fuzz_wild(in, 0, s->options.capacity > 1);
        places[i] = fuzz_transform(in, s->canvas_width);
    }
    endo_painting painting = (endo_painting)fuzz_wild(in, 1, 2);
    fuzz_checked(endo_canvas_paint(s->canvas, s->frames, slots, places, n, 0, 0, painting), NULL, 0, "endo_canvas_paint");
}

/* Colours of painted pixels are opaque, and what is not painted is 0. */
static void check_pixels(const fuzz_session *s, const void *pixels, const uint8_t *painted, size_t area) {
    for (size_t i = 0; i < area; i++) {
        fuzz_require(painted[i] == 0 || painted[i] == 255, "a painted flag that is neither 0 nor 255");
        if (s->canvas_type != ENDO_RGB32) continue;
        uint32_t pixel = ((const uint32_t *)pixels)[i];
        fuzz_require(painted[i] ? pixel >> 24 == 255 : pixel == 0, "a pixel and its painted flag disagree");
    }
}

static void read_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->canvas) return;
    int x = fuzz_wild(in, 0, s->canvas_width - 1), y = fuzz_wild(in, 0, s->canvas_height - 1);
    int inside = x >= 0 && y >= 0 && x < s->canvas_width && y < s->canvas_height;
    int width = fuzz_wild(in, 1, inside ? s->canvas_width - x : 9);
    int height = fuzz_wild(in, 1, inside ? s->canvas_height - y : 9);
    size_t area = width > 0 && height > 0 && width <= s->canvas_width && height <= s->canvas_height
                      ? (size_t)width * (size_t)height
                      : 1;
    size_t bytes = area * endo_pixel_size(s->canvas_type);
    void *pixels = fuzz_output(bytes);
    uint8_t *painted = fuzz_one_in(in, 4) ? NULL : fuzz_output(area);
    endo_status status = endo_canvas_read(s->canvas, x, y, width, height, pixels, painted);
    fuzz_checked(status, pixels, bytes, "endo_canvas_read");
    if (status == ENDO_OK && painted) check_pixels(s, pixels, painted, area);
    free(pixels);
    free(painted);
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
                           : endo_field_accumulate(s->context, pixels, type, width, height, stride, low, high, brightest);
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
    fuzz_put,    fuzz_get_grey, fuzz_register, fuzz_register, fuzz_register_landmarks, make_canvas,   paint,
    paint,       paint,         read_canvas,   read_canvas,   resize_canvas, clear_canvas,
    fit,         transform,     field,         demo,          fuzz_equalize, fuzz_equalize, fuzz_exposure_filter,
    fuzz_make_frames,
};

#define N_OPERATIONS (sizeof operations / sizeof operations[0])
#define MAX_CALLS 24

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_session s = {.in = {bytes, size}};
    if (!open_context(&s)) return 0;
    fuzz_make_frames(&s);
    make_canvas(&s);
    for (int i = 0; i < MAX_CALLS && s.in.left > 0; i++) operations[fuzz_byte(&s.in) % N_OPERATIONS](&s);
    endo_canvas_destroy(&s.canvas);
    endo_frames_destroy(&s.frames);
    endo_context_destroy(&s.context);
    return 0;
}
