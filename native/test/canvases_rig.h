/* Canvases of a made-up sequence, for tests: all frames in one store, in any poses, and copies of what is painted. */
#ifndef ENDO_TEST_CANVASES_RIG_H
#define ENDO_TEST_CANVASES_RIG_H

#include "systems/mosaic/canvases.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

typedef struct canvases_rig {
    endo_mosaic_options options;
    mosaic_sequence *sequence;
    field_of_view field;
    endo_context *context; /* the present one */
    endo_frames *frames;   /* in it: a slot each */
    mosaic_canvases *canvases;
} canvases_rig;

static inline void rig_must(int done, const char *what) {
    if (done) return;
    printf("FAIL: %s: %s\n", what, endo_last_error());
    exit(1);
}

/* ------------------------------------------------------------------------- rigs */

static inline void rig_put(canvases_rig *rig, int frame) {
    const void *pixels = sequence_lend(rig->sequence, frame, 0);
    rig_must(pixels && endo_frames_put(rig->frames, frame, pixels, rig->field.size.width) == ENDO_OK, "a frame");
    sequence_give_back(rig->sequence, frame, pixels, 0);
}

/* The options of a run where a test asks for no others. */
static inline endo_mosaic_options rig_options(void) {
    return (endo_mosaic_options){
        .painting = ENDO_MOSAIC_BLEND,
        .picture = 1,
        .interpolation = ENDO_INTERPOLATION_CUBIC,
        .scale = 1,
        .rim = 8,
        .max_canvas = 1000000000,
        .memory = (int64_t)1 << 32,
    };
}

/* A context, with all frames in a store of it. */
static inline void rig_start_context(canvases_rig *rig) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    int n = sequence_count(rig->sequence);
    endo_frames_options options = field_of_view_options(&rig->field, sequence_type(rig->sequence), n);
    options.rim = rig->options.rim;
    rig_must(endo_context_create(&cpu, &rig->context) == ENDO_OK, "a context");
    rig_must(endo_frames_create(rig->context, &options, &rig->frames) == ENDO_OK, "a store");
    for (int i = 0; i < n; i++) rig_put(rig, i);
}

static inline void rig_start_canvases(canvases_rig *rig) {
    endo_status status = canvases_create(&rig->context, &rig->options, rig->sequence, &rig->field, &rig->canvases);
    rig_must(status == ENDO_OK, "canvases");
}

/* The whole frame is its field. options.rim has to be set before. */
static inline void rig_open(canvases_rig *rig, const endo_mosaic_source *source) {
    rig_must(sequence_create(source, 0, 0, NULL, &rig->sequence) == ENDO_OK, "a sequence");
    rig->field = (field_of_view){
        .size = {.width = source->width, .height = source->height},
        .bounds = {.left = 0, .top = 0, .right = source->width, .bottom = source->height},
        .low = 0,
        .high = 65535,
    };
    rig_start_context(rig);
    rig_start_canvases(rig);
}

static inline void rig_close(canvases_rig *rig) {
    canvases_destroy(&rig->canvases);
    endo_frames_destroy(&rig->frames);
    endo_context_destroy(&rig->context);
    sequence_destroy(&rig->sequence);
}

/* Canvases go to another context; 0: they could not, and are empty. */
static inline int rig_move(canvases_rig *rig) {
    endo_context *before = rig->context;
    int moved = canvases_leave(rig->canvases);
    canvases_drop_band(rig->canvases);
    endo_frames_destroy(&rig->frames);
    rig_start_context(rig);
    moved = moved && canvases_enter(rig->canvases);
    if (!moved) canvases_clear(rig->canvases);
    endo_context_destroy(&before);
    return moved;
}

static inline placed_frame rig_item(int frame, endo_transform pose, int canvas) {
    return (placed_frame){.frame = frame, .slot = frame, .pose = pose, .canvas = canvas};
}

/* A frame at (x, y). */
static inline placed_frame rig_at(int frame, double x, double y, int canvas) {
    return rig_item(frame, pose_translation(x, y), canvas);
}

static inline endo_status rig_paint_at(canvases_rig *rig, int frame, double x, double y, int canvas) {
    placed_frame item = rig_at(frame, x, y, canvas);
    return canvases_paint(rig->canvases, rig->frames, &item, 1);
}

/* --------------------------------------------------------------------- pictures */

/* A copy of a panorama; pixels NULL: nothing is painted. */
typedef struct picture {
    mosaic_rect rect;
    double scale;
    size_t size; /* bytes of a pixel */
    uint8_t *pixels;
    uint8_t *painted;
    uint16_t *coverage, *uncertainty; /* NULL: not asked for */
} picture;

static inline void picture_free(picture *p) {
    free(p->pixels);
    free(p->painted);
    free(p->coverage);
    free(p->uncertainty);
    *p = (picture){0};
}

static inline size_t picture_area(const picture *p) { return (size_t)rect_area(p->rect); }

/* extras: sum of endo_mosaic_extra. */
static inline picture picture_of(const panorama_store *store, endo_pixel type, int extras) {
    picture p = {.rect = panorama_store_rect(store), .scale = panorama_store_scale(store), .size = endo_pixel_size(type)};
    size_t area = picture_area(&p);
    p.pixels = malloc(area * p.size);
    p.painted = malloc(area);
    if (extras & ENDO_MOSAIC_COVERAGE) p.coverage = malloc(area * sizeof *p.coverage);
    if (extras & ENDO_MOSAIC_UNCERTAINTY) p.uncertainty = malloc(area * sizeof *p.uncertainty);
    endo_status status = panorama_store_read(store, &(endo_rectangle){0, 0, rect_width(p.rect), rect_height(p.rect)},
                                             &(endo_panorama_planes){p.pixels, p.painted, p.coverage, p.uncertainty});
    rig_must(status == ENDO_OK, "a panorama");
    return p;
}

/* A canvas as it is; empty where that fails, or nothing is painted. */
static inline picture rig_picture(canvases_rig *rig, int canvas, int extras) {
    panorama_store *store = NULL;
    picture p = {0};
    CHECK(canvases_snapshot(rig->canvases, canvas, &store) == ENDO_OK);
    if (store) p = picture_of(store, sequence_type(rig->sequence), extras);
    panorama_store_destroy(&store);
    return p;
}

static inline int same_rect(mosaic_rect a, mosaic_rect b) {
    return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

static inline int same_numbers(const uint16_t *a, const uint16_t *b, size_t n) {
    return !a || !b ? a == b : !memcmp(a, b, n * sizeof *a);
}

static inline int picture_is(const picture *a, const picture *b) {
    size_t area = picture_area(a);
    if (!a->pixels || !b->pixels) return a->pixels == b->pixels;
    return same_rect(a->rect, b->rect) && a->scale == b->scale && !memcmp(a->pixels, b->pixels, area * a->size) &&
           !memcmp(a->painted, b->painted, area) && same_numbers(a->coverage, b->coverage, area) &&
           same_numbers(a->uncertainty, b->uncertainty, area);
}

#endif
