/* Messages, progress and cancellation of a run: the caller's hooks, and every line that was said. */
#ifndef ENDO_MOSAIC_EVENTS_H
#define ENDO_MOSAIC_EVENTS_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

typedef struct mosaic_events {
    endo_mosaic_hooks hooks;
    char **lines; /* all lines so far */
    int n_lines;
    int capacity;
    const int32_t *numbers; /* of the frames, for people; borrowed; NULL: 1, 2, 3 ... */
    double share; /* largest share that was told in this call */
} mosaic_events;

void events_init(mosaic_events *events, const endo_mosaic_hooks *hooks);
void events_free(mosaic_events *events);

/* Says one line about frames first..last (-1: none), printf style. Never fails: without memory the line is told, not kept. */
#define EVENTS_FORMAT(at, values) __attribute__((format(printf, at, values)))
void events_say(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last, const char *format,
                ...) EVENTS_FORMAT(6, 7);
/* Says a line unless the same one was said before. */
void events_say_once(mosaic_events *events, endo_event_level level, endo_event_kind kind, int first, int last,
                     const char *format, ...) EVENTS_FORMAT(6, 7);

int events_cancelled(const mosaic_events *events);
void events_progress(mosaic_events *events, double share); /* 0..1; a share below the last one is not told */

/* Monotonic clock, s. */
double mosaic_seconds(void);

/* The number of a frame for people, one of `numbers`; NULL: from 1. */
static inline int frame_number(const int32_t *numbers, int frame) { return numbers ? numbers[frame] : frame + 1; }

/* Writes "frame 4" or "frames 4-9" for frames that are counted from 0. out: MOSAIC_RANGE bytes. */
#define MOSAIC_RANGE 48
const char *mosaic_range(const int32_t *numbers, int first, int last, char out[MOSAIC_RANGE]);

#endif
