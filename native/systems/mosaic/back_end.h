/* What computes a run. AUTO takes the back end that is the faster for it, and the CPU where a device does not start or fails on
 * the way; what is named is what it says, or a failure that says why. */
#ifndef ENDO_MOSAIC_BACK_END_H
#define ENDO_MOSAIC_BACK_END_H

#include "events.h"
#include "geometry.h"

typedef struct back_end {
    endo_context *context;             /* it is another one after a failure */
    int kind;                          /* endo_backend of it: CPU or CUDA */
    char description[300];             /* everything that computed, for people */
    int is_replaceable;                /* AUTO chose it: the CPU can go on for it */
    const endo_context_options *asked; /* borrowed */
    mosaic_events *events;
} back_end;

/* What AUTO chooses by. */
typedef struct back_end_job {
    mosaic_size size; /* of a frame */
    endo_pixel type;
    int64_t frames;
    int fail_after; /* for tests: calls after which the first context fails as a broken device would; 0: never */
} back_end_job;

/* Starts what was asked for, and says what AUTO took and why. */
endo_status back_end_start(back_end *b, const endo_context_options *asked, const back_end_job *job, mosaic_events *events);

/* The CPU can go on after this failure. */
int back_end_replaces(const back_end *b, endo_status failure);

/* The CPU in place of what was there, which the caller destroys when nothing is left in it. */
endo_status back_end_replace(back_end *b, endo_context **before);

const char *back_end_name(int kind); /* "cpu" or "cuda" */

#endif
