/* Small pictures of all frames, and the light model that endo_light fits to them (light_of_scope.h). */
#include "light_of_scope.h"

#include "base/memory.h"
#include "include/endorama/light.h"

#include <math.h>
#include <stdio.h>

struct light_of_scope {
    endo_context *context;
    endo_light *light;
    mosaic_size size;
    int frames;    /* frames of the sequence */
    uint8_t *seen; /* one a frame: its small picture was taken */
    int is_solved;
    uint16_t *correction; /* vignetting correction, width*height */
    int32_t *gains;       /* three a frame; 1 for frames in no panorama */
    endo_light_report report;
    char description[240];
};

/* -------------------------------------------------------------- create, destroy */

static endo_status make(const field_of_view *field, endo_pixel type, int threads, light_of_scope *l) {
    endo_context_options options = endo_context_options_default();
    endo_frames_options frames = field_of_view_options(field, type, 1);
    size_t area = (size_t)field->size.width * (size_t)field->size.height;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = threads;
    l->seen = endo_alloc_zeroed((size_t)l->frames, sizeof *l->seen);
    l->gains = endo_alloc((size_t)l->frames, 3 * sizeof *l->gains);
    l->correction = endo_alloc(area, sizeof *l->correction);
    if (!l->seen || !l->gains || !l->correction)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %d frames of %d x %d px", l->frames, field->size.width,
                         field->size.height);
    ENDO_TRY(endo_context_create(&options, &l->context));
    return endo_light_create(l->context, type, field->size.width, field->size.height, frames.high, field->mask, &l->light);
}

endo_status light_of_scope_create(const field_of_view *field, endo_pixel type, int frames, int threads, light_of_scope **out) {
    light_of_scope *l = endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %d frames", frames);
    l->size = field->size;
    l->frames = frames;
    endo_status status = make(field, type, threads, l);
    if (status == ENDO_OK)
        *out = l;
    else
        light_of_scope_destroy(&l);
    return status;
}

void light_of_scope_destroy(light_of_scope **light) {
    light_of_scope *l = *light;
    *light = NULL;
    if (!l) return;
    endo_light_destroy(&l->light);
    endo_context_destroy(&l->context);
    endo_free(l->seen);
    endo_free(l->gains);
    endo_free(l->correction);
    endo_free(l);
}

/* ------------------------------------------------------------------------ looks */

static int is_new(void *self, int frame) {
    const light_of_scope *l = self;
    return !l->seen[frame];
}

/* Takes a small picture of a frame when it is seen first. */
static endo_status see(void *self, int frame, const void *pixels) {
    light_of_scope *l = self;
    if (!is_new(l, frame)) return ENDO_OK;
    ENDO_TRY(endo_light_put(l->light, frame, pixels, l->size.width));
    l->seen[frame] = 1;
    return ENDO_OK;
}

mosaic_observer light_of_scope_observer(light_of_scope *l) {
    return (mosaic_observer){
        .is_new = is_new,
        .see = see,
        .self = l,
    };
}

endo_status light_of_scope_see_walls(light_of_scope *l, const endo_patch_place *places, int n) {
    return endo_light_put_places(l->light, places, n);
}

/* ---------------------------------------------------------------------- solving */

typedef struct light_job {
    endo_light_view *views;
    int32_t *gains; /* three a view */
    int *numbers;   /* one a canvas: its number from 0 in the order of first use; -1: none yet */
} light_job;

static void job_free(light_job *job) {
    endo_free(job->views);
    endo_free(job->gains);
    endo_free(job->numbers);
}

static endo_status job_make(const placed_frames *items, int canvases, light_job *job) {
    size_t n = (size_t)items->n;
    *job = (light_job){
        .views = endo_alloc(n, sizeof *job->views),
        .gains = endo_alloc(n, 3 * sizeof *job->gains),
        .numbers = endo_alloc((size_t)canvases, sizeof *job->numbers),
    };
    if (job->views && job->gains && job->numbers) return ENDO_OK;
    job_free(job);
    return endo_fail(ENDO_ERR_MEMORY, "no memory to solve for the light of %d frames", items->n);
}

static int canvases_of(const placed_frames *items) {
    int most = -1;
    for (int i = 0; i < items->n; i++)
        if (items->items[i].canvas > most) most = items->items[i].canvas;
    return most + 1;
}

/* One view a frame; frames of one canvas show one scene. */
static void fill_views(const placed_frames *items, int canvases, light_job *job) {
    int count = 0;
    for (int c = 0; c < canvases; c++) job->numbers[c] = -1;
    for (int i = 0; i < items->n; i++) {
        const placed_frame *item = &items->items[i];
        if (job->numbers[item->canvas] < 0) job->numbers[item->canvas] = count++;
        job->views[i] = (endo_light_view){
            .frame = item->frame,
            .component = job->numbers[item->canvas],
            .transform = item->pose,
        };
    }
}

static void keep_gains(light_of_scope *l, const placed_frames *items, const int32_t *gains) {
    for (int i = 0; i < 3 * l->frames; i++) l->gains[i] = ENDO_LIGHT_ONE;
    for (int i = 0; i < items->n; i++)
        for (int c = 0; c < 3; c++) l->gains[3 * items->items[i].frame + c] = gains[3 * i + c];
}

/* A rim from which on there is no fall-off to tell of: 100 %. */
#define EVEN 0.995

static void describe(light_of_scope *l) {
    const endo_light_report *r = &l->report;
    char fall[140] = "vignetting not corrected: frames move too little, or walls are too near, to tell it from the scene's "
                     "shades";
    if (r->found && r->rim < EVEN)
        snprintf(fall, sizeof fall, "falls off to %.0f %% at the rim, sure to %.0f %%, taken out", 100 * r->rim,
                 100 * r->deviation);
    else if (r->found)
        snprintf(fall, sizeof fall, "is even, sure to %.0f %%: what frames show alike tells of no fall-off",
                 100 * r->deviation);
    else if (r->rim < 1)
        snprintf(fall, sizeof fall,
                 "fall-off known within a factor of %.1f alone, for the scene has shades, too: a part is taken out, to %.0f "
                 "%% at the rim",
                 exp(r->deviation), 100 * r->rim);
    snprintf(l->description, sizeof l->description,
             "%s; brightness of frames varies by %.1f %%, their colour by %.1f %%, taken out", fall, 100 * r->flicker,
             100 * r->colour);
}

static endo_status solve(light_of_scope *l, const placed_frames *items, mosaic_events *events, light_job *job) {
    endo_light_options options = endo_light_options_default();
    endo_context_set_cancel(l->context, events->hooks.cancelled, events->hooks.user);
    endo_status status = endo_light_solve(l->light, job->views, (size_t)items->n, &options, l->correction, job->gains,
                                          &l->report);
    endo_context_set_cancel(l->context, NULL, NULL);
    return status;
}

endo_status light_of_scope_solve(light_of_scope *l, const placed_frames *items, mosaic_events *events) {
    light_job job;
    int canvases = canvases_of(items);
    ENDO_TRY(job_make(items, canvases, &job));
    fill_views(items, canvases, &job);
    endo_status status = solve(l, items, events, &job);
    if (status == ENDO_OK) {
        l->is_solved = 1;
        keep_gains(l, items, job.gains);
        describe(l);
        events_say(events, ENDO_EVENT_NOTE, ENDO_EVENT_LIGHT, -1, -1, "light %s", l->description);
    }
    job_free(&job);
    return status;
}

/* ------------------------------------------------------------------------ asked */

int light_of_scope_is_solved(const light_of_scope *l) { return l->is_solved; }

const uint16_t *light_of_scope_correction(const light_of_scope *l) { return l->correction; }

const int32_t *light_of_scope_gains(const light_of_scope *l, int frame) { return l->gains + 3 * frame; }

const char *light_of_scope_description(const light_of_scope *l) { return l->description; }

const endo_light_report *light_of_scope_report(const light_of_scope *l) { return l->is_solved ? &l->report : NULL; }
