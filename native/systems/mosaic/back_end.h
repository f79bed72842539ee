/* The back end of a run. AUTO takes the faster one for the job, and the CPU where a device does not start or fails later; a
 * back end that is named is used, or a failure says why not. */
#ifndef ENDO_MOSAIC_BACK_END_H
#define ENDO_MOSAIC_BACK_END_H

#include "events.h"
#include "geometry.h"

typedef struct back_end {
    endo_context *context;             /* replaced after a failure */
    int kind;                          /* endo_backend of the context: CPU or CUDA */
    char description[300];             /* every back end that computed, for people */
    int is_replaceable;                /* AUTO chose it, so that the CPU can go on for it */
    const endo_context_options *asked; /* borrowed */
    mosaic_events *events;
} back_end;

/* The properties of a run that AUTO chooses by. */
typedef struct back_end_job {
    mosaic_size size; /* size of a frame, px */
    endo_pixel type;
    int64_t frames;
    int fail_after; /* for tests: calls after which the first context fails as a broken device would; 0: never */
} back_end_job;

/* Starts the back end that was asked for, and reports what AUTO took and why. */
endo_status back_end_start(back_end *b, const endo_context_options *asked, const back_end_job *job, mosaic_events *events);

/* Returns whether the CPU can go on after this failure. */
int back_end_replaces(const back_end *b, endo_status failure);

/* Puts the CPU in place of the present back end, whose context the caller destroys when nothing is left in it. */
endo_status back_end_replace(back_end *b, endo_context **before);

/* Bytes of device memory that a run may still take: of the devices that were asked for the least; 0: not known. */
int64_t back_end_free_memory(const back_end *b);

const char *back_end_name(int kind); /* "cpu" or "cuda" */

#endif
