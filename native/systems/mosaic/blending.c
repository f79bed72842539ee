/* The order in which rows of panoramas are blended (blending.h). */
#include "blending.h"

#include "base/memory.h"
#include "canvas_reach.h"

#include <string.h>

/* Side of a cell of the blend, px; bands begin at one. */
#define CELL 4
/* Memory of the back end that a band takes at most, bytes, and rows of a band at least and at most. */
#define BAND_BYTES ((int64_t)4 << 30)
#define LEAST_ROWS 64
#define MOST_ROWS (1 << 20)
/* Bytes a pixel that a blend takes: 8-bit grey, and other types. */
#define GREY_BYTES 13
#define OTHER_BYTES 21

typedef struct component {
    int canvas;
    placed_frames items; /* poses in pixels of the panorama */
    canvas_reach reach;
    panorama_store *store; /* NULL: not begun, or handed over */
} component;

struct blending {
    blend_scene scene;
    component *components; /* sorted by the number of their canvas */
    int n;
    int capacity;
    int present; /* index of the component that is being blended; n: all are done */
    double area; /* pixels of all components */
    double area_done;
    int top;      /* rows of the present component that are done */
    int rows;     /* rows of a band; 0: by the memory */
    int has_room; /* 0: rows of a panorama could not be stored */
    blend_band *band;
};

/* ------------------------------------------------------------------------ frames */

/* Index of the component of a canvas, or where it would be inserted. */
static int find(const blending *b, int canvas) {
    int low = 0;
    int high = b->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->components[middle].canvas < canvas)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int has(const blending *b, int at, int canvas) { return at < b->n && b->components[at].canvas == canvas; }

static endo_status reserve(blending *b) {
    if (b->n < b->capacity) return ENDO_OK;
    int capacity = b->capacity ? 2 * b->capacity : 4;
    component *components = endo_alloc((size_t)capacity, sizeof *components);
    if (!components) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d panoramas", capacity);
    if (b->n) memcpy(components, b->components, (size_t)b->n * sizeof *components);
    endo_free(b->components);
    b->components = components;
    b->capacity = capacity;
    return ENDO_OK;
}

static endo_status insert(blending *b, int at, int canvas) {
    const canvas_setup *s = b->scene.setup;
    int64_t most = panorama_store_limit(s->options, s->type);
    ENDO_TRY(reserve(b));
    memmove(b->components + at + 1, b->components + at, (size_t)(b->n - at) * sizeof *b->components);
    b->components[at] = (component){.canvas = canvas, .reach = reach_create(s->field->bounds, most, s->numbers)};
    b->n++;
    return ENDO_OK;
}

static endo_status add(blending *b, const placed_frame *item) {
    endo_transform scaling = pose_scaling(b->scene.setup->options->scale);
    placed_frame scaled = *item;
    mosaic_rect wanted;
    int at = find(b, item->canvas);
    if (!has(b, at, item->canvas)) ENDO_TRY(insert(b, at, item->canvas));
    component *c = &b->components[at];
    scaled.pose = pose_times(&scaling, &item->pose);
    ENDO_TRY(placed_add(&c->items, &scaled));
    if (!reach_full(&c->reach) && reach_allows(&c->reach, &scaled, &wanted)) reach_use(&c->reach, wanted);
    return ENDO_OK;
}

/* Frames after the first one that did not fit are kept where they lie within what others cover. */
static void keep_fitting(component *c) {
    int kept = 0;
    for (int i = 0; i < c->items.n; i++) {
        mosaic_rect both;
        if (!reach_with(&c->reach, &c->items.items[i], &both) || !rect_contains(c->reach.used, both)) continue;
        c->items.items[kept++] = c->items.items[i];
    }
    c->items.n = kept;
}

/* Goes on with the first component from index `at` on that has something to paint. */
static void go_on_from(blending *b, int at) {
    while (at < b->n && !b->components[at].reach.is_used) at++;
    b->present = at;
    b->top = 0;
    b->rows = b->scene.setup->band_rows;
}

static endo_status collect(blending *b, const placed_frames *items) {
    for (int i = 0; i < items->n; i++) ENDO_TRY(add(b, &items->items[i]));
    for (int i = 0; i < b->n; i++) {
        component *c = &b->components[i];
        if (!c->reach.is_used) continue;
        keep_fitting(c);
        b->area += (double)rect_area(c->reach.used);
    }
    go_on_from(b, 0);
    return ENDO_OK;
}

endo_status blending_create(const blend_scene *scene, const placed_frames *items, blending **out) {
    blending *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for what panoramas are blended with");
    b->scene = *scene;
    b->has_room = 1;
    endo_status status = collect(b, items);
    if (status == ENDO_OK)
        *out = b;
    else
        blending_destroy(&b);
    return status;
}

void blending_destroy(blending **blend) {
    blending *b = *blend;
    *blend = NULL;
    if (!b) return;
    blend_band_destroy(&b->band);
    for (int i = 0; i < b->n; i++) {
        placed_free(&b->components[i].items);
        panorama_store_destroy(&b->components[i].store);
    }
    endo_free(b->components);
    endo_free(b);
}

const char *blending_full(const blending *b) {
    for (int i = 0; i < b->n; i++)
        if (reach_full(&b->components[i].reach)) return reach_full(&b->components[i].reach);
    return NULL;
}

int blending_is_done(const blending *b) { return b->present == b->n; }

/* ------------------------------------------------------------------------- bands */

static component *present(const blending *b) { return &b->components[b->present]; }

static mosaic_rect used(const blending *b) { return present(b)->reach.used; }

static int rows_by_memory(const blending *b) {
    int64_t bytes = (int64_t)(b->scene.setup->type == ENDO_GREY8 ? GREY_BYTES : OTHER_BYTES) * rect_width(used(b));
    int64_t rows = BAND_BYTES / bytes / CELL * CELL;
    if (rows > MOST_ROWS) rows = MOST_ROWS;
    return rows > LEAST_ROWS ? (int)rows : LEAST_ROWS;
}

/* First row below the band. */
static int bottom(const blending *b) {
    int end = b->top + (b->rows ? b->rows : rows_by_memory(b));
    int height = rect_height(used(b));
    return end < height ? end : height;
}

double blending_share(const blending *b) {
    if (blending_is_done(b)) return 1;
    double now = b->band ? blend_band_share(b->band) * (bottom(b) - b->top) * rect_width(used(b)) : 0;
    return (b->area_done + now) / b->area;
}

blend_band *blending_band(const blending *b) { return b->band; }

void blending_drop_band(blending *b) { blend_band_destroy(&b->band); }

static endo_status need_store(blending *b) {
    const canvas_setup *s = b->scene.setup;
    component *c = present(b);
    if (c->store) return ENDO_OK;
    endo_status status = panorama_store_create(s->options, s->type, c->reach.used, s->options->scale, 1, &c->store);
    b->has_room = status == ENDO_OK;
    return status;
}

endo_status blending_begin_band(blending *b) {
    blending_drop_band(b);
    b->has_room = 1;
    ENDO_TRY(need_store(b));
    return blend_band_create(&b->scene, &present(b)->items, used(b), b->top, bottom(b), &b->band);
}

static endo_status take_rows(blending *b) {
    int end = bottom(b);
    ENDO_TRY(blend_band_read(b->band, present(b)->store, &b->has_room));
    blending_drop_band(b);
    b->area_done += (double)(end - b->top) * rect_width(used(b));
    b->top = end;
    if (end == rect_height(used(b))) go_on_from(b, b->present + 1);
    return ENDO_OK;
}

endo_status blending_end_pass(blending *b) {
    return blend_band_is_second(b->band) ? take_rows(b) : blend_band_next_pass(b->band);
}

int blending_halve(blending *b) {
    if (blending_is_done(b) || !b->has_room) return 0;
    int half = (bottom(b) - b->top) / 2 / CELL * CELL;
    if (half < LEAST_ROWS) return 0;
    blending_drop_band(b);
    b->rows = half;
    return half;
}

panorama_store *blending_take_panorama(blending *b, int canvas) {
    int at = find(b, canvas);
    if (!has(b, at, canvas)) return NULL;
    panorama_store *store = b->components[at].store;
    b->components[at].store = NULL;
    return store;
}
