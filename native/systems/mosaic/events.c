/* Messages of a run go to the caller at once and are kept, so that some are not repeated (events.h). */
#include "events.h"

#include "base/memory.h"
#include "base/openmp.h"
#include "edges.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of a line that is told without memory for the whole of it, bytes. */
#define SHORT_LINE 512

void events_init(mosaic_events *events, const endo_mosaic_hooks *hooks) {
    *events = (mosaic_events){0};
    if (hooks) events->hooks = *hooks;
}

void events_free(mosaic_events *events) {
    for (int i = 0; i < events->n_lines; i++) endo_free(events->lines[i]);
    endo_free(events->lines);
    events->lines = NULL;
    events->n_lines = 0;
    events->capacity = 0;
}

/* ---------------------------------------------------------------------- lines */

/* Makes space for one more line; 0: there is no memory. */
static int has_room(mosaic_events *events) {
    if (events->n_lines < events->capacity) return 1;
    int capacity = events->capacity ? 2 * events->capacity : 32;
    char **lines = endo_alloc((size_t)capacity, sizeof *lines);
    if (!lines) return 0;
    if (events->n_lines) memcpy(lines, events->lines, (size_t)events->n_lines * sizeof *lines);
    endo_free(events->lines);
    events->lines = lines;
    events->capacity = capacity;
    return 1;
}

static int was_said(const mosaic_events *events, const char *line) {
    for (int i = 0; i < events->n_lines; i++)
        if (!strcmp(events->lines[i], line)) return 1;
    return 0;
}

static void tell(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last, const char *line) {
    endo_event event = {.level = level, .kind = kind, .first = first, .last = last, .text = line};
    if (events->hooks.event) events->hooks.event(events->hooks.user, &event);
}

/* Counts warnings, and keeps those of a lens or a tilted plane, which name the option that helps. line: kept; NULL: none is. */
static void count_warning(mosaic_events *events, endo_event_kind kind, const char *line) {
    events->warnings++;
    if (!line || (kind != ENDO_EVENT_LENS && kind != ENDO_EVENT_PERSPECTIVE)) return;
    if (events->n_remedies < ENDO_VERDICT_ADVICE) events->remedies[events->n_remedies++] = line;
}

static char *written(const char *format, va_list values) {
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *line = length < 0 ? NULL : endo_alloc((size_t)length + 1, 1);
    if (line) vsnprintf(line, (size_t)length + 1, format, values);
    return line;
}

static void say(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last, int once,
                const char *format, va_list values) {
    char shorter[SHORT_LINE];
    va_list again;
    va_copy(again, values);
    char *line = written(format, values);
    if (!line) vsnprintf(shorter, sizeof shorter, format, again);
    va_end(again);
    const char *text = line ? line : shorter;
    if (!once || !was_said(events, text)) {
        int kept = line && has_room(events);
        if (kept) events->lines[events->n_lines++] = line;
        if (level == ENDO_EVENT_WARNING) count_warning(events, kind, kept ? line : NULL);
        tell(events, level, kind, first, last, text);
        if (kept) return;
    }
    endo_free(line);
}

void events_say(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last, const char *format,
                ...) {
    va_list values;
    va_start(values, format);
    say(events, level, kind, first, last, 0, format, values);
    va_end(values);
}

void events_say_once(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last,
                     const char *format, ...) {
    va_list values;
    va_start(values, format);
    say(events, level, kind, first, last, 1, format, values);
    va_end(values);
}

/* ------------------------------------------------------------------- progress */

int events_cancelled(const mosaic_events *events) {
    return events->hooks.cancelled && events->hooks.cancelled(events->hooks.user);
}

void events_progress(mosaic_events *events, double share) {
    if (!(share >= events->share)) return;
    events->share = share < 1 ? share : 1;
    if (events->hooks.progress) events->hooks.progress(events->hooks.user, events->share);
}

double mosaic_seconds(void) { return omp_get_wtime(); }

static const char *write_range(int from, int to, char out[MOSAIC_RANGE]) {
    if (from == to)
        snprintf(out, MOSAIC_RANGE, "frame %d", from);
    else
        snprintf(out, MOSAIC_RANGE, "frames %d-%d", from, to);
    return out;
}

const char *mosaic_range(const int32_t *numbers, int first, int last, char out[MOSAIC_RANGE]) {
    return write_range(frame_number(numbers, first), frame_number(numbers, last), out);
}

const char *record_range(const endo_mosaic_frame *frames, int first, int last, char out[MOSAIC_RANGE]) {
    return write_range(record_number(frames, first), record_number(frames, last), out);
}
