/* Start and replacement of a run's back end (back_end.h). */
#include "back_end.h"

#include "include/endorama/devices.h"

#include <stdio.h>
#include <string.h>

/* Declared in native/api/testing.h, too. */
void endo_context_fail_after(endo_context *context, int calls);

static void set(back_end *b, endo_context *context) {
    size_t said = strlen(b->description);
    b->context = context;
    b->kind = strstr(endo_context_description(context), "cuda") ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU;
    snprintf(b->description + said, sizeof b->description - said, "%s%s", said ? ", then " : "",
             endo_context_description(context));
}

static void say(back_end *b, endo_event_level level, const char *before, const char *line) {
    events_say(b->events, level, ENDO_EVENT_BACKEND, -1, -1, "%s%s", before, line);
}

/* Checks the devices that the options name against those that exist. */
static endo_status check_devices(const endo_context_options *o) {
    int n = endo_device_count(NULL, 0);
    int named = o->n_devices > 0 ? o->n_devices : 1;
    for (int i = 0; i < named; i++) {
        int device = o->n_devices > 0 ? o->devices[i] : o->device;
        if (n == 1 && device >= n)
            return endo_fail(ENDO_ERR_ARGUMENT, "devices %d: there is 1 device, number 0", device);
        if (n > 1 && device >= n)
            return endo_fail(ENDO_ERR_ARGUMENT, "devices %d: there are %d devices, 0..%d", device, n, n - 1);
    }
    return ENDO_OK;
}

static void choose(back_end *b, const back_end_job *job, endo_context_options *options) {
    char reason[256];
    const endo_backend_job size = {
        .width = job->size.width,
        .height = job->size.height,
        .type = job->type,
        .frames = job->frames,
        .threads = options->threads,
    };
    endo_backend_choose(&size, &options->backend, reason, sizeof reason);
    say(b, ENDO_EVENT_NOTE, "backend ", reason);
}

static endo_status start(back_end *b, const back_end_job *job, const endo_context_options *options) {
    endo_context *context = NULL;
    endo_status status = endo_context_create(options, &context);
    if (status == ENDO_OK) {
        endo_context_fail_after(context, job->fail_after);
        set(b, context);
        return ENDO_OK;
    }
    if (!back_end_replaces(b, status)) return status;
    say(b, ENDO_EVENT_LOG, "backend CPU: CUDA does not start: ", endo_last_error());
    return back_end_replace(b, &context);
}

endo_status back_end_start(back_end *b, const endo_context_options *asked, const back_end_job *job, mosaic_events *events) {
    endo_context_options options = *asked;
    int is_open = options.backend == ENDO_BACKEND_AUTO;
    *b = (back_end){.asked = asked, .events = events};
    if (is_open) choose(b, job, &options);
    if (options.backend == ENDO_BACKEND_CUDA) ENDO_TRY(check_devices(&options));
    b->is_replaceable = is_open && (options.backend == ENDO_BACKEND_CUDA || job->fail_after > 0);
    ENDO_TRY(start(b, job, &options));
    const char *note = endo_context_note(b->context);
    if (note[0]) say(b, ENDO_EVENT_LOG, "", note);
    return ENDO_OK;
}

int back_end_replaces(const back_end *b, endo_status failure) {
    int helps = failure == ENDO_ERR_DEVICE || failure == ENDO_ERR_MEMORY || failure == ENDO_ERR_UNSUPPORTED;
    return b->is_replaceable && helps;
}

endo_status back_end_replace(back_end *b, endo_context **before) {
    endo_context_options options = {.backend = ENDO_BACKEND_CPU, .threads = b->asked->threads, .cpu = b->asked->cpu};
    endo_context *made = NULL;
    b->is_replaceable = 0;
    ENDO_TRY(endo_context_create(&options, &made));
    *before = b->context;
    set(b, made);
    return ENDO_OK;
}

int64_t back_end_free_memory(const back_end *b) {
    const endo_context_options *o = b->asked;
    uint64_t least = o->memory_limit ? o->memory_limit : UINT64_MAX;
    int n = o->n_devices > 0 ? o->n_devices : 1;
    for (int i = 0; i < n; i++) {
        endo_device_info device;
        if (endo_device_describe(o->n_devices > 0 ? o->devices[i] : o->device, &device) != ENDO_OK) return 0;
        if (device.free_memory < least) least = device.free_memory;
    }
    return (int64_t)least;
}

const char *back_end_name(int kind) { return kind == ENDO_BACKEND_CUDA ? "cuda" : "cpu"; }
