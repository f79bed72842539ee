/* Deviations painted as grey values (uncertainty.h). */
#include "uncertainty.h"

#include "base/memory.h"
#include "numbers.h"
#include "paint_list.h"

#include <math.h>

/* Unit of a value, px. */
#define STEP 0.01

struct uncertainty {
    endo_canvas *canvas;
    int width;
};

/* A frame of the panorama, and its value. */
typedef struct level {
    int value;
    const endo_transform *pose;
} level;

/* Paints frames of one value by means of an image that has that value everywhere. */
typedef struct painter {
    endo_frames *frames;
    uint16_t *pixels;
    size_t area;
    int width;
    paint_list list; /* frames of the present value */
} painter;

int uncertainty_value(double deviation) {
    if (isnan(deviation)) return UNCERTAINTY_UNKNOWN;
    double value = floor(deviation / STEP + 0.5);
    return (int)(value < 1 ? 1 : value > UNCERTAINTY_UNKNOWN - 1 ? UNCERTAINTY_UNKNOWN - 1 : value);
}

/* Order from the most uncertain frame to the surest. */
static int compare_levels(const void *a, const void *b) { return ((const level *)b)->value - ((const level *)a)->value; }

static endo_status levels_of(const frame_weights *weights, const placed_frame *items, int n, level **out) {
    level *levels = endo_alloc((size_t)n + 1, sizeof *levels);
    level *rest = endo_alloc((size_t)n + 1, sizeof *rest);
    if (levels && rest) {
        for (int i = 0; i < n; i++)
            levels[i] = (level){.value = uncertainty_value(weights->deviations[items[i].frame]), .pose = &items[i].pose};
        sort_in_order(levels, rest, (size_t)n, sizeof *levels, compare_levels);
        endo_free(rest);
        *out = levels;
        return ENDO_OK;
    }
    endo_free(levels);
    endo_free(rest);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the deviations of %d frames", n);
}

/* ---------------------------------------------------------------------- painting */

static void free_painter(painter *p) {
    paint_list_free(&p->list);
    endo_free(p->pixels);
    endo_frames_destroy(&p->frames);
}

static endo_status make_painter(const canvas_setup *setup, int most, painter *p) {
    endo_frames_options options = field_of_view_options(setup->field, ENDO_GREY16, 1);
    options.rim = setup->options->rim;
    options.flow = 0;
    options.pattern = NULL;
    options.low = 0;
    options.high = UNCERTAINTY_UNKNOWN;
    p->width = options.width;
    p->area = (size_t)options.width * (size_t)options.height;
    p->pixels = endo_alloc(p->area, sizeof *p->pixels);
    if (!p->pixels)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame of %d x %d px", options.width, options.height);
    ENDO_TRY(paint_list_create(most, &p->list));
    return endo_frames_create(*setup->context, &options, &p->frames);
}

static endo_status paint_level(uncertainty *u, painter *p, const level *levels, int n, mosaic_rect rows) {
    for (size_t i = 0; i < p->area; i++) p->pixels[i] = (uint16_t)levels[0].value;
    p->list.n = 0;
    for (int i = 0; i < n; i++) paint_list_add(&p->list, 0, levels[i].pose);
    ENDO_TRY(endo_frames_put(p->frames, 0, p->pixels, p->width));
    const endo_posed_frames posed = {
        .slots = p->list.slots,
        .transforms = p->list.poses,
        .n = (size_t)n,
        .origin_x = -rows.left,
        .origin_y = -rows.top,
    };
    return endo_canvas_paint(u->canvas, p->frames, &posed, ENDO_PAINT_UNION);
}

static endo_status paint_levels(uncertainty *u, const canvas_setup *setup, const level *levels, int n, mosaic_rect rows) {
    painter p = {0};
    endo_status status = make_painter(setup, n, &p);
    int to;
    for (int from = 0; from < n && status == ENDO_OK; from = to) {
        for (to = from + 1; to < n && levels[to].value == levels[from].value;) to++;
        status = paint_level(u, &p, levels + from, to - from, rows);
    }
    free_painter(&p);
    return status;
}

static endo_status paint(uncertainty *u, const canvas_setup *setup, const frame_weights *weights, const placed_frame *items,
                         int n, mosaic_rect rows) {
    level *levels = NULL;
    ENDO_TRY(endo_canvas_create(*setup->context, ENDO_GREY16, rect_width(rows), rect_height(rows), &u->canvas));
    if (n == 0) return ENDO_OK;
    ENDO_TRY(levels_of(weights, items, n, &levels));
    endo_status status = paint_levels(u, setup, levels, n, rows);
    endo_free(levels);
    return status;
}

/* -------------------------------------------------------------------------- uses */

endo_status uncertainty_create(const canvas_setup *setup, const frame_weights *weights, const placed_frame *items, int n,
                               mosaic_rect rows, uncertainty **out) {
    uncertainty *u = endo_alloc_zeroed(1, sizeof *u);
    if (!u) return endo_fail(ENDO_ERR_MEMORY, "no memory for the uncertainty of a panorama");
    u->width = rect_width(rows);
    endo_status status = paint(u, setup, weights, items, n, rows);
    if (status == ENDO_OK)
        *out = u;
    else
        uncertainty_destroy(&u);
    return status;
}

void uncertainty_destroy(uncertainty **u) {
    if (*u) endo_canvas_destroy(&(*u)->canvas);
    endo_free(*u);
    *u = NULL;
}

endo_status uncertainty_read(uncertainty *u, int first, int n, const uint8_t *painted, uint16_t *values) {
    size_t area = (size_t)n * (size_t)u->width;
    ENDO_TRY(endo_canvas_read(u->canvas, 0, first, u->width, n, values, NULL));
    for (size_t i = 0; i < area; i++)
        if (!painted[i]) values[i] = 0;
    return ENDO_OK;
}
