/* What a run says, where it is, and whether it should stop: the caller's hooks, and every line that was said. */
#ifndef ENDO_MOSAIC_EVENTS_H
#define ENDO_MOSAIC_EVENTS_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

typedef struct mosaic_events {
    endo_mosaic_hooks hooks;
    char **lines; /* that were said */
    int n_lines;
    int capacity;
    double share; /* of the call that was told last */
} mosaic_events;

void events_init(mosaic_events *events, const endo_mosaic_hooks *hooks);
void events_free(mosaic_events *events);

/* One line about frames first..last (-1: none), printf style. Never fails: without memory it is only told. */
#define EVENTS_FORMAT(at, values) __attribute__((format(printf, at, values)))
void events_say(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last, const char *format,
                ...) EVENTS_FORMAT(6, 7);
/* The same, where that line was not said before. */
void events_say_once(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last,
                     const char *format, ...) EVENTS_FORMAT(6, 7);

int events_cancelled(const mosaic_events *events);
void events_progress(mosaic_events *events, double share); /* 0..1; what is less than before is not told */

/* Seconds of a clock that only goes on. */
double mosaic_seconds(void);

/* "frame 4" or "frames 4-9", of frames numbered from 0. out: bytes enough for any (48). */
#define MOSAIC_RANGE 48
const char *mosaic_range(int first, int last, char out[MOSAIC_RANGE]);

#endif
