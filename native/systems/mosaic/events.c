/* Messages of a run go to the caller at once and are kept, so that some are not repeated (events.h). */
#include "events.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

double mosaic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *mosaic_range(const int32_t *numbers, int first, int last, char out[MOSAIC_RANGE]) {
    if (first == last)
        snprintf(out, MOSAIC_RANGE, "frame %d", frame_number(numbers, first));
    else
        snprintf(out, MOSAIC_RANGE, "frames %d-%d", frame_number(numbers, first), frame_number(numbers, last));
    return out;
}
