/* One canvas for the visible part of the first frame's plane, painted and read back frame by frame (aligned_frames.h). */
#include "aligned_frames.h"

#include "base/memory.h"
#include "include/endorama/canvas.h"
#include "tool_run.h"
#include "wild_poses.h"
#include "workspace_state.h"

#include <stdio.h>
#include <string.h>

struct aligned_frames {
    tool_run run;
    int count;            /* frames of the sequence */
    endo_transform *pose; /* one a frame */
    uint8_t *is_shown;    /* one a frame: it belongs to the component */
    mosaic_rect rect;
    endo_canvas *canvas;   /* NULL until first used */
    endo_context *made_in; /* context of the canvas */
};

/* -------------------------------------------------------------------- what is shown */

static endo_status refuse(const endo_mosaic_options *o, int number, const char *takes) {
    return endo_fail(ENDO_ERR_ARGUMENT, "extent All: with frame %d the frames take %s; max_canvas allows %.12g megapixels",
                     number, takes, (double)o->max_canvas / 1e6);
}

static int is_too_large(mosaic_rect r, int64_t limit) {
    return rect_area(r) > limit || rect_width(r) > WILD_LONGEST_SIDE || rect_height(r) > WILD_LONGEST_SIDE;
}

/* Bounds of all frames that are shown. */
static endo_status find_all(const aligned_frames *a, const endo_mosaic_frame *frames, mosaic_rect frame,
                            const endo_mosaic_options *o, mosaic_rect *all) {
    int n = 0;
    for (int i = 0; i < a->count; i++) {
        char takes[64];
        mosaic_rect there;
        if (!a->is_shown[i]) continue;
        if (!rect_transformed(frame, &a->pose[i], &there)) return refuse(o, record_number(frames, i), "endlessly much");
        *all = n++ ? rect_union(*all, there) : there;
        if (!is_too_large(*all, o->max_canvas)) continue;
        snprintf(takes, sizeof takes, "%d x %d px", rect_width(*all), rect_height(*all));
        return refuse(o, record_number(frames, i), takes);
    }
    return ENDO_OK;
}

static endo_status take_frames(aligned_frames *a, const endo_mosaic_frame *frames, int component) {
    int n = 0;
    a->pose = endo_alloc((size_t)a->count, sizeof *a->pose);
    a->is_shown = endo_alloc((size_t)a->count, 1);
    if (!a->pose || !a->is_shown) return endo_fail(ENDO_ERR_MEMORY, "no memory for the poses of %d frames", a->count);
    for (int i = 0; i < a->count; i++) {
        a->pose[i] = frames[i].pose;
        a->is_shown[i] = frames[i].registered && frames[i].component == component;
        n += a->is_shown[i];
    }
    return n ? ENDO_OK : endo_fail(ENDO_ERR_ARGUMENT, "component %d: no registered frame is in it", component);
}

/* ------------------------------------------------------------------ create, destroy */

static endo_status fill(aligned_frames *a, endo_mosaic *m, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                        int component, endo_aligned_extent extent) {
    a->rect = (mosaic_rect){.right = source->width, .bottom = source->height};
    ENDO_TRY(take_frames(a, frames, component));
    if (extent == ENDO_ALIGNED_ALL) ENDO_TRY(find_all(a, frames, a->rect, &m->options, &a->rect));
    return tool_run_open(&a->run, m, source, &(tool_use){.most_slots = 1, .paints = 1});
}

endo_status aligned_create(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                           int component, endo_aligned_extent extent, aligned_frames **out) {
    aligned_frames *a = endo_alloc_zeroed(1, sizeof *a);
    if (!a) return endo_fail(ENDO_ERR_MEMORY, "no memory for aligned frames");
    a->count = source->frames;
    endo_status status = fill(a, mosaic, source, frames, component, extent);
    if (status == ENDO_OK)
        *out = a;
    else
        aligned_destroy(&a);
    return status;
}

void aligned_destroy(aligned_frames **aligned) {
    aligned_frames *a = *aligned;
    *aligned = NULL;
    if (!a) return;
    endo_canvas_destroy(&a->canvas);
    tool_run_close(&a->run);
    endo_free(a->pose);
    endo_free(a->is_shown);
    endo_free(a);
}

mosaic_rect aligned_rect(const aligned_frames *a) { return a->rect; }

/* ------------------------------------------------------------------------- reading */

typedef struct reading {
    aligned_frames *aligned;
    int frame;
    void *pixels;
    int is_readable;
} reading;

/* Makes an empty canvas; after a failure the context may be another one. */
static endo_status clear_canvas(aligned_frames *a) {
    mosaic_workspace *w = a->run.workspace;
    if (a->canvas && a->made_in == w->computing.context) return endo_canvas_clear(a->canvas);
    endo_canvas_destroy(&a->canvas);
    a->made_in = w->computing.context;
    return endo_canvas_create(w->computing.context, sequence_type(w->sequence), rect_width(a->rect), rect_height(a->rect),
                              &a->canvas);
}

static endo_status paint(aligned_frames *a, int frame, int slot) {
    endo_frames *store;
    const int32_t one = slot;
    const endo_posed_frames posed = {
        .slots = &one,
        .transforms = &a->pose[frame],
        .n = 1,
        .origin_x = -a->rect.left,
        .origin_y = -a->rect.top,
    };
    ENDO_TRY(frame_store_frames(a->run.workspace->store, &store));
    ENDO_TRY(clear_canvas(a));
    return endo_canvas_paint(a->canvas, store, &posed, ENDO_PAINT_UNION);
}

static endo_status read_one(void *job) {
    reading *r = job;
    aligned_frames *a = r->aligned;
    int slot;
    ENDO_TRY(workspace_need_store(a->run.workspace));
    ENDO_TRY(frame_store_read(a->run.workspace->store, r->frame, &slot));
    r->is_readable = slot >= 0;
    if (!r->is_readable) return ENDO_OK;
    ENDO_TRY(paint(a, r->frame, slot));
    return endo_canvas_read(a->canvas, 0, 0, rect_width(a->rect), rect_height(a->rect), r->pixels, NULL);
}

static void leave_black(const aligned_frames *a, int frame, void *pixels) {
    mosaic_workspace *w = a->run.workspace;
    memset(pixels, 0, (size_t)rect_area(a->rect) * endo_pixel_size(sequence_type(w->sequence)));
    events_say(w->events, ENDO_EVENT_LOST, ENDO_EVENT_UNREADABLE, frame, frame, "%s; left black", sequence_reason(w->sequence));
}

endo_status aligned_read(aligned_frames *a, int frame, void *pixels, int *is_readable) {
    reading r = {.aligned = a, .frame = frame, .pixels = pixels};
    if (frame < 0 || frame >= a->count || !a->is_shown[frame])
        return endo_fail(ENDO_ERR_ARGUMENT, "aligned frame %d: must be a registered frame of the component, of 0..%d", frame,
                         a->count - 1);
    endo_status status = workspace_persist(a->run.workspace, NULL, read_one, &r);
    if (a->run.workspace->store) frame_store_keep_only(a->run.workspace->store, NULL, 0);
    if (status != ENDO_OK) return status;
    if (!r.is_readable) leave_black(a, frame, pixels);
    *is_readable = r.is_readable;
    return ENDO_OK;
}
