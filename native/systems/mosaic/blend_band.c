/* One blend of the library for a band of rows of a panorama (blend_band.h). */
#include "blend_band.h"

#include "base/memory.h"
#include "canvas_reach.h"
#include "paint_list.h"
#include "uncertainty.h"

#include <math.h>
#include <string.h>

/* Additional rows above and below a band: a pixel depends on up to 24 cells of 4 x 4 px each way. */
#define MARGIN 96
/* Largest factor by which a blend is larger than the panorama along each side. */
#define MOST_SHRINK 8

struct blend_band {
    blend_scene scene;
    mosaic_rect used;
    int top;    /* first row of the panorama */
    int bottom; /* exclusive */
    int from;   /* first row of the blend */
    placed_frames items;
    endo_blend *blend;
    int is_second;
    int added; /* frames added in the present pass */
};

static int smaller(int a, int b) { return a < b ? a : b; }

/* Factor by which a panorama is blended larger; `scale`: its pixels along one of a frame. */
static int shrink_of(double scale, mosaic_rect used) {
    int longest = rect_width(used) > rect_height(used) ? rect_width(used) : rect_height(used);
    double wanted = floor(1 / scale + 0.5);
    int most = smaller(wanted < MOST_SHRINK ? (int)wanted : MOST_SHRINK, CANVAS_LONGEST / longest);
    return most > 1 ? most : 1;
}

static endo_status choose_items(blend_band *b, const placed_frames *all, int to) {
    mosaic_rect field = b->scene.setup->field->bounds;
    for (int i = 0; i < all->n; i++) {
        mosaic_rect shown;
        if (!rect_transformed(field, &all->items[i].pose, &shown)) continue;
        if (shown.bottom <= b->used.top + b->from || shown.top >= b->used.top + to) continue;
        ENDO_TRY(placed_add(&b->items, &all->items[i]));
    }
    return ENDO_OK;
}

static endo_status begin(blend_band *b, const placed_frames *all) {
    const canvas_setup *setup = b->scene.setup;
    mosaic_size size = setup->field->size;
    int to = smaller(rect_height(b->used), b->bottom + MARGIN);
    endo_blend_options options = endo_blend_options_default();
    options.interpolation = setup->options->interpolation;
    options.votes = 1;
    options.shrink = shrink_of(setup->options->scale, b->used);
    ENDO_TRY(choose_items(b, all, to));
    ENDO_TRY(endo_blend_create(*setup->context, setup->type, rect_width(b->used), to - b->from, &options, &b->blend));
    if (!b->scene.light) return ENDO_OK;
    return endo_blend_set_correction(b->blend, light_of_scope_correction(b->scene.light), size.width, size.height);
}

endo_status blend_band_create(const blend_scene *scene, const placed_frames *all, mosaic_rect used, int top, int bottom,
                              blend_band **out) {
    blend_band *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a band of a panorama");
    b->scene = *scene;
    b->used = used;
    b->top = top;
    b->bottom = bottom;
    b->from = top > MARGIN ? top - MARGIN : 0;
    endo_status status = begin(b, all);
    if (status == ENDO_OK)
        *out = b;
    else
        blend_band_destroy(&b);
    return status;
}

void blend_band_destroy(blend_band **band) {
    blend_band *b = *band;
    *band = NULL;
    if (!b) return;
    endo_blend_destroy(&b->blend);
    placed_free(&b->items);
    endo_free(b);
}

/* ------------------------------------------------------------------------ passes */

double blend_band_share(const blend_band *band) {
    int n = band->items.n;
    return n ? ((band->is_second ? n : 0) + band->added) / (2.0 * n) : 1;
}

int blend_band_next(const blend_band *band, int most, const placed_frame **items) {
    *items = band->items.items + band->added;
    return smaller(most, band->items.n - band->added);
}

void blend_band_passed(blend_band *band, int n) { band->added += n; }

int blend_band_is_second(const blend_band *band) { return band->is_second; }

endo_status blend_band_next_pass(blend_band *band) {
    ENDO_TRY(endo_blend_next_pass(band->blend));
    band->added = 0;
    band->is_second = 1;
    return ENDO_OK;
}

/* The store's slots may hold other frames at every call. */
static endo_status hide(const blend_band *b, endo_frames *frames, const placed_frame *item) {
    if (!b->scene.frames || b->scene.setup->options->instruments == ENDO_MOSAIC_KEEP) return ENDO_OK;
    const endo_mosaic_frame *record = &b->scene.frames[item->frame];
    if (record->hidden_columns == 0) return ENDO_OK;
    return endo_frames_hide(frames, item->slot, record->hidden_columns, record->hidden_rows, record->hidden);
}

/* weights: one a frame; gains: three a frame. */
static endo_status add(blend_band *b, endo_frames *frames, const placed_frame *items, int n, int32_t *weights,
                       int32_t *gains) {
    const light_of_scope *light = b->scene.light;
    paint_list list = {0};
    for (int i = 0; i < n; i++) ENDO_TRY(hide(b, frames, &items[i]));
    ENDO_TRY(paint_list_create(n, &list));
    for (int i = 0; i < n; i++) {
        paint_list_add(&list, items[i].slot, &items[i].pose);
        weights[i] = b->scene.weights->weights[items[i].frame];
        if (light) memcpy(gains + 3 * i, light_of_scope_gains(light, items[i].frame), 3 * sizeof *gains);
    }
    const endo_posed_frames posed = {
        .slots = list.slots,
        .transforms = list.poses,
        .weights = weights,
        .gains = light ? gains : NULL,
        .n = (size_t)n,
        .origin_x = -b->used.left,
        .origin_y = -b->used.top - b->from,
    };
    endo_status status = endo_blend_add(b->blend, frames, &posed);
    paint_list_free(&list);
    return status;
}

endo_status blend_band_add(blend_band *band, endo_frames *frames, const placed_frame *items, int n) {
    if (n == 0) return ENDO_OK;
    int32_t *numbers = endo_alloc((size_t)n, 4 * sizeof *numbers);
    if (!numbers) return endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of %d frames", n);
    endo_status status = add(band, frames, items, n, numbers, numbers + n);
    endo_free(numbers);
    return status;
}

/* ------------------------------------------------------------------------- rows */

/* Buffers for rows of the panorama, where these are in a file; NULL: not asked for. */
typedef struct band_rows {
    int most; /* rows at once */
    endo_panorama_planes planes;
} band_rows;

static void free_rows(band_rows *rows) {
    endo_free(rows->planes.pixels);
    endo_free(rows->planes.painted);
    endo_free(rows->planes.coverage);
    endo_free(rows->planes.uncertainty);
}

static endo_status make_rows(const blend_band *b, band_rows *rows) {
    const canvas_setup *setup = b->scene.setup;
    endo_panorama_planes *p = &rows->planes;
    int width = rect_width(b->used);
    int covered = setup->options->extras & ENDO_MOSAIC_COVERAGE;
    int unsure = setup->options->extras & ENDO_MOSAIC_UNCERTAINTY;
    rows->most = smaller(b->bottom - b->top, canvas_rows_at_once(width));
    size_t area = (size_t)rows->most * (size_t)width;
    p->pixels = endo_alloc(area, endo_pixel_size(setup->type));
    p->painted = endo_alloc(area, 1);
    p->coverage = covered ? endo_alloc(area, sizeof *p->coverage) : NULL;
    p->uncertainty = unsure ? endo_alloc(area, sizeof *p->uncertainty) : NULL;
    if (p->pixels && p->painted && (p->coverage || !covered) && (p->uncertainty || !unsure)) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d rows of a panorama of %d px", rows->most, width);
}

static endo_status read_rows(blend_band *b, uncertainty *unsure, int first, int n, const endo_panorama_planes *rows) {
    const endo_rectangle where = {.y = first - b->from, .width = rect_width(b->used), .height = n};
    const endo_panorama_planes planes = {.pixels = rows->pixels, .painted = rows->painted, .coverage = rows->coverage};
    ENDO_TRY(endo_blend_read(b->blend, &where, &planes));
    return unsure ? uncertainty_read(unsure, first - b->top, n, rows->painted, rows->uncertainty) : ENDO_OK;
}

static endo_status put_rows(int first, int n, const endo_panorama_planes *rows, panorama_store *to, int *has_room) {
    endo_status status = panorama_store_put(to, first, n, rows->pixels, rows->painted, rows->coverage, rows->uncertainty);
    *has_room = status == ENDO_OK;
    return status;
}

static endo_status copy_rows(blend_band *b, uncertainty *unsure, panorama_store *to, int *has_room) {
    endo_panorama_planes in_place;
    band_rows rows = {0};
    if (panorama_store_rows(to, b->top, &in_place)) return read_rows(b, unsure, b->top, b->bottom - b->top, &in_place);
    endo_status status = make_rows(b, &rows);
    for (int y = b->top; y < b->bottom && status == ENDO_OK; y += rows.most) {
        int n = smaller(rows.most, b->bottom - y);
        status = read_rows(b, unsure, y, n, &rows.planes);
        if (status == ENDO_OK) status = put_rows(y, n, &rows.planes, to, has_room);
    }
    free_rows(&rows);
    return status;
}

static mosaic_rect own_rows(const blend_band *b) {
    mosaic_rect rows = b->used;
    rows.top = b->used.top + b->top;
    rows.bottom = b->used.top + b->bottom;
    return rows;
}

endo_status blend_band_read(blend_band *band, panorama_store *to, int *has_room) {
    const blend_scene *s = &band->scene;
    uncertainty *unsure = NULL;
    *has_room = 1;
    if (s->setup->options->extras & ENDO_MOSAIC_UNCERTAINTY)
        ENDO_TRY(uncertainty_create(s->setup, s->weights, band->items.items, band->items.n, own_rows(band), &unsure));
    endo_status status = copy_rows(band, unsure, to, has_room);
    uncertainty_destroy(&unsure);
    return status;
}
