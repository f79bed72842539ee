/* What computes a run. AUTO takes the back end that is the faster for it, and the CPU where a device does not start or fails on
 * the way; what is named is what it says, or a failure that says why. */
#include "workspace_state.h"

#include "include/endorama/devices.h"

#include <stdio.h>
#include <string.h>

/* As native/api/testing.h has it. */
void endo_context_fail_after(endo_context *context, int calls);

static void set(mosaic_workspace *w, endo_context *context) {
    size_t said = strlen(w->description);
    w->context = context;
    w->backend = strstr(endo_context_description(context), "cuda") ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU;
    snprintf(w->description + said, sizeof w->description - said, "%s%s", said ? ", then " : "",
             endo_context_description(context));
}

static void say(mosaic_workspace *w, endo_event_level level, const char *before, const char *line) {
    events_say(w->events, level, ENDO_EVENT_BACKEND, -1, -1, "%s%s", before, line);
}

/* The devices that are named, where there are any. */
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

static void choose(mosaic_workspace *w, endo_context_options *options) {
    char reason[256];
    mosaic_size size = sequence_size(w->sequence);
    int64_t frames = sequence_count(w->sequence) * w->state->passes;
    endo_backend_choose(size.width, size.height, sequence_type(w->sequence), frames, options->threads, &options->backend,
                        reason, sizeof reason);
    say(w, ENDO_EVENT_NOTE, "backend ", reason);
}

static endo_status start(mosaic_workspace *w, const endo_context_options *options) {
    endo_context *context = NULL;
    endo_status status = endo_context_create(options, &context);
    if (status == ENDO_OK) {
        endo_context_fail_after(context, w->faults.fail_after);
        set(w, context);
        return ENDO_OK;
    }
    if (!back_end_replaces(w, status)) return status;
    say(w, ENDO_EVENT_LOG, "backend CPU: CUDA does not start: ", endo_last_error());
    return back_end_replace(w, &context);
}

endo_status back_end_start(mosaic_workspace *w) {
    endo_context_options options = w->options->context;
    int is_open = options.backend == ENDO_BACKEND_AUTO;
    if (is_open) choose(w, &options);
    if (options.backend == ENDO_BACKEND_CUDA) ENDO_TRY(check_devices(&options));
    w->state->is_replaceable = is_open && (options.backend == ENDO_BACKEND_CUDA || w->faults.fail_after > 0);
    ENDO_TRY(start(w, &options));
    const char *note = endo_context_note(w->context);
    if (note[0]) say(w, ENDO_EVENT_LOG, "", note);
    return ENDO_OK;
}

int back_end_replaces(const mosaic_workspace *w, endo_status failure) {
    int helps = failure == ENDO_ERR_DEVICE || failure == ENDO_ERR_MEMORY || failure == ENDO_ERR_UNSUPPORTED;
    return w->state->is_replaceable && helps;
}

endo_status back_end_replace(mosaic_workspace *w, endo_context **before) {
    const endo_context_options *asked = &w->options->context;
    endo_context_options options = {.backend = ENDO_BACKEND_CPU, .threads = asked->threads, .cpu = asked->cpu};
    endo_context *made = NULL;
    w->state->is_replaceable = 0;
    ENDO_TRY(endo_context_create(&options, &made));
    *before = w->context;
    set(w, made);
    return ENDO_OK;
}
