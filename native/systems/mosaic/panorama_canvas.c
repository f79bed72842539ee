/* A canvas that grows as frames are painted, over what a canvas of another context had painted (panorama_canvas.h). */
#include "panorama_canvas.h"

#include "base/memory.h"
#include "canvas_reach.h"
#include "paint_list.h"

#include <string.h>

struct panorama_canvas {
    const canvas_setup *setup;
    canvas_reach reach;
    endo_canvas *canvas;    /* NULL: nothing was painted yet */
    mosaic_rect bounds;     /* area of the canvas in the plane */
    int stops;              /* painting stops where memory ends */
    panorama_store *before; /* painted in another context; NULL: nothing */
    panorama_store *copy;   /* copy for another context; NULL: not taken, or empty */
};

/* An empty extent with the limits of the options. */
static canvas_reach empty_reach(const canvas_setup *s) {
    return reach_create(s->field->bounds, panorama_store_limit(s->options, s->type), s->numbers);
}

endo_status panorama_canvas_create(const canvas_setup *setup, panorama_canvas **out) {
    panorama_canvas *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas");
    c->setup = setup;
    c->reach = empty_reach(setup);
    *out = c;
    return ENDO_OK;
}

void panorama_canvas_destroy(panorama_canvas **canvas) {
    panorama_canvas *c = *canvas;
    *canvas = NULL;
    if (!c) return;
    endo_canvas_destroy(&c->canvas);
    panorama_store_destroy(&c->before);
    panorama_store_destroy(&c->copy);
    endo_free(c);
}

const char *panorama_canvas_full(const panorama_canvas *canvas) { return reach_full(&canvas->reach); }

void panorama_canvas_stop_where_memory_ends(panorama_canvas *canvas) { canvas->stops = 1; }

/* ---------------------------------------------------------------------- painting */

/* Growing copies nothing, and the library's canvas takes memory only for what is painted. */
static endo_status grow(panorama_canvas *c, mosaic_rect wanted) {
    if (c->canvas && rect_contains(c->bounds, wanted)) return ENDO_OK;
    mosaic_rect both = c->canvas ? rect_union(c->bounds, wanted) : wanted;
    int fits = rect_width(both) <= CANVAS_LONGEST && rect_height(both) <= CANVAS_LONGEST;
    mosaic_rect target = fits ? both : wanted;
    int width = rect_width(target);
    int height = rect_height(target);
    if (c->canvas)
        ENDO_TRY(endo_canvas_resize(c->canvas, width, height, c->bounds.left - target.left, c->bounds.top - target.top));
    else
        ENDO_TRY(endo_canvas_create(*c->setup->context, c->setup->type, width, height, &c->canvas));
    c->bounds = target;
    return ENDO_OK;
}

/* Extends the canvas by as many frames as fit, and adds these to the list. */
static endo_status reserve(panorama_canvas *c, const placed_frame *items, int n, paint_list *list) {
    for (int i = 0; i < n && !reach_full(&c->reach); i++) {
        mosaic_rect wanted;
        if (!reach_allows(&c->reach, &items[i], &wanted)) break;
        ENDO_TRY(grow(c, wanted));
        reach_use(&c->reach, wanted);
        paint_list_add(list, items[i].slot, &items[i].pose);
    }
    return ENDO_OK;
}

static endo_status paint_fitting(panorama_canvas *c, endo_frames *frames, const placed_frame *items, int n, paint_list *list) {
    canvas_reach *reach = &c->reach;
    mosaic_rect used = reach->used;
    int was_used = reach->is_used;
    endo_painting painting = (endo_painting)c->setup->options->painting;
    if (painting != ENDO_PAINT_RING) painting = ENDO_PAINT_UNION; /* the blend comes later */
    ENDO_TRY(reserve(c, items, n, list));
    if (!list->n) return ENDO_OK;
    const endo_posed_frames posed = {
        .slots = list->slots,
        .transforms = list->poses,
        .n = (size_t)list->n,
        .origin_x = -c->bounds.left,
        .origin_y = -c->bounds.top,
    };
    endo_status status = endo_canvas_paint(c->canvas, frames, &posed, painting);
    if (status == ENDO_OK) return ENDO_OK;
    reach->used = used;
    reach->is_used = was_used;
    return status;
}

static endo_status paint_together(panorama_canvas *c, endo_frames *frames, const placed_frame *items, int n) {
    paint_list list = {0};
    ENDO_TRY(paint_list_create(n, &list));
    endo_status status = paint_fitting(c, frames, items, n, &list);
    paint_list_free(&list);
    return status;
}

/* Paints a single frame, so that it is known which one lacks memory. */
static endo_status paint_alone(panorama_canvas *c, endo_frames *frames, const placed_frame *item) {
    endo_status status = paint_together(c, frames, item, 1);
    if (status != ENDO_ERR_MEMORY) return status;
    reach_stop(&c->reach, item, endo_last_error());
    return ENDO_OK;
}

endo_status panorama_canvas_paint(panorama_canvas *canvas, endo_frames *frames, const placed_frame *items, int n) {
    if (!canvas->stops) return paint_together(canvas, frames, items, n);
    for (int i = 0; i < n; i++) ENDO_TRY(paint_alone(canvas, frames, &items[i]));
    return ENDO_OK;
}

/* ---------------------------------------------------------------------- snapshots */

/* Rows of a picture, and where they lie in the plane. */
typedef struct picture_rows {
    mosaic_rect rect;
    uint8_t *pixels;
    uint8_t *painted;
} picture_rows;

static endo_status make_rows(mosaic_rect rect, size_t bytes, picture_rows *out) {
    size_t area = (size_t)rect_area(rect);
    picture_rows rows = {
        .rect = rect,
        .pixels = endo_alloc(area, bytes),
        .painted = endo_alloc(area, 1),
    };
    *out = rows;
    if (rows.pixels && rows.painted) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d rows of a panorama of %d px", rect_height(rect), rect_width(rect));
}

static void free_rows(picture_rows *rows) {
    endo_free(rows->pixels);
    endo_free(rows->painted);
}

/* Adds a row of what was painted in another context where nothing was painted since; with ring painting, everywhere. */
static void add_row_before(const uint8_t *earlier, const uint8_t *marks, int width, size_t bytes, int everywhere,
                           uint8_t *pixels, uint8_t *painted) {
    int end;
    for (int x = 0; x < width; x = end + 1) {
        for (end = x; end < width && marks[end] && (everywhere || !painted[end]); end++) continue;
        memcpy(pixels + (size_t)x * bytes, earlier + (size_t)x * bytes, (size_t)(end - x) * bytes);
        memcpy(painted + x, marks + x, (size_t)(end - x));
    }
}

static void merge_before(const panorama_canvas *c, const picture_rows *earlier, picture_rows *rows) {
    size_t bytes = endo_pixel_size(c->setup->type);
    int everywhere = c->setup->options->painting == ENDO_MOSAIC_RING;
    int width = rect_width(earlier->rect);
    for (int y = earlier->rect.top; y < earlier->rect.bottom; y++) {
        size_t from = (size_t)(y - earlier->rect.top) * (size_t)width;
        size_t to = (size_t)(y - rows->rect.top) * (size_t)rect_width(rows->rect);
        to += (size_t)(earlier->rect.left - rows->rect.left);
        add_row_before(earlier->pixels + from * bytes, earlier->painted + from, width, bytes, everywhere,
                       rows->pixels + to * bytes, rows->painted + to);
    }
}

/* The picture painted in another context lies within the present extent. */
static endo_status add_before(const panorama_canvas *c, picture_rows *rows) {
    mosaic_rect bounds = panorama_store_rect(c->before);
    mosaic_rect both = bounds;
    picture_rows earlier;
    if (both.top < rows->rect.top) both.top = rows->rect.top;
    if (both.bottom > rows->rect.bottom) both.bottom = rows->rect.bottom;
    if (both.top >= both.bottom) return ENDO_OK;
    endo_status status = make_rows(both, endo_pixel_size(c->setup->type), &earlier);
    const endo_rectangle where = {.y = both.top - bounds.top, .width = rect_width(both), .height = rect_height(both)};
    const endo_panorama_planes planes = {.pixels = earlier.pixels, .painted = earlier.painted};
    if (status == ENDO_OK) status = panorama_store_read(c->before, &where, &planes);
    if (status == ENDO_OK) merge_before(c, &earlier, rows);
    free_rows(&earlier);
    return status;
}

static endo_status copy_rows(panorama_canvas *c, picture_rows *rows, panorama_store *to) {
    mosaic_rect used = c->reach.used;
    mosaic_rect rect = rows->rect;
    ENDO_TRY(endo_canvas_read(c->canvas, rect.left - c->bounds.left, rect.top - c->bounds.top, rect_width(rect),
                              rect_height(rect), rows->pixels, rows->painted));
    if (c->before) ENDO_TRY(add_before(c, rows));
    return panorama_store_put(to, rect.top - used.top, rect_height(rect), rows->pixels, rows->painted, NULL, NULL);
}

static int rows_at_once(const panorama_store *store, int width) {
    int best = panorama_store_band(store);
    int most = canvas_rows_at_once(width);
    return best < most ? best : most;
}

static endo_status copy_all(panorama_canvas *c, panorama_store *to) {
    mosaic_rect used = c->reach.used;
    int step = rows_at_once(to, rect_width(used));
    picture_rows rows;
    mosaic_rect first = used;
    if (rect_height(used) > step) first.bottom = used.top + step;
    endo_status status = make_rows(first, endo_pixel_size(c->setup->type), &rows);
    for (int y = used.top; y < used.bottom && status == ENDO_OK; y += step) {
        rows.rect.top = y;
        rows.rect.bottom = used.bottom - y < step ? used.bottom : y + step;
        status = copy_rows(c, &rows, to);
    }
    free_rows(&rows);
    return status;
}

endo_status panorama_canvas_snapshot(panorama_canvas *canvas, panorama_store **out) {
    panorama_store *store = NULL;
    const canvas_setup *s = canvas->setup;
    *out = NULL;
    if (!canvas->reach.is_used) return ENDO_OK;
    ENDO_TRY(panorama_store_create(s->options, s->type, canvas->reach.used, 1, 0, &store));
    endo_status status = copy_all(canvas, store);
    if (status == ENDO_OK)
        *out = store;
    else
        panorama_store_destroy(&store);
    return status;
}

/* ---------------------------------------------------------------- another context */

endo_status panorama_canvas_leave(panorama_canvas *canvas) {
    panorama_store_destroy(&canvas->copy);
    return panorama_canvas_snapshot(canvas, &canvas->copy);
}

int panorama_canvas_enter(panorama_canvas *c) {
    canvas_reach left = c->reach;
    panorama_store_destroy(&c->before);
    endo_canvas_destroy(&c->canvas);
    c->reach = empty_reach(c->setup);
    if (!c->copy) return 1;
    if (grow(c, left.used) != ENDO_OK) {
        panorama_store_destroy(&c->copy);
        return 0;
    }
    c->reach = left;
    c->before = c->copy;
    c->copy = NULL;
    return 1;
}
