/* The frame store of a stretch of the sequence: which frame is in which slot. Frames that nobody uses any more may stay, so
 * that they need not be read again. */
#ifndef ENDO_MOSAIC_FRAME_STORE_H
#define ENDO_MOSAIC_FRAME_STORE_H

#include "include/endorama/frames.h"
#include "observers.h"

typedef struct frame_store frame_store;

typedef struct frame_store_setup {
    endo_context *context;
    mosaic_sequence *sequence;
    const endo_frames_options *options; /* capacity: slots */
    int used;                           /* frames in use at once at most, 1..capacity */
    int keeps;                          /* frames of no use stay as long as there are slots */
    mosaic_observers *observers;        /* who see what is read; they outlive the store. NULL: nobody */
    double *reading, *putting;          /* get what that takes more, s; NULL: nobody asks */
} frame_store_setup;

endo_status frame_store_create(const frame_store_setup *setup, frame_store **out);
void frame_store_destroy(frame_store **store);

int frame_store_capacity(const frame_store *s); /* frames that may be in use at once */
int frame_store_unused(const frame_store *s);   /* that can be read before one that is there has to go */
int frame_store_holds(const frame_store *s, int frame); /* it is in use */
int frame_store_slot(const frame_store *s, int frame);  /* of a frame in use; else -1 */
int frame_store_can_hold(const frame_store *s, int one, int other);
int frame_store_has_room(const frame_store *s);

/* What frames are asked for from now on (endo_use): those that lack it are read again. */
endo_status frame_store_ask_for(frame_store *s, int uses);

/* Takes a frame into use: its slot; -1: it cannot be read, and sequence_reason says why. It is in its slot after the next
 * flush, which frame_store_frames does. A failure is the library's own. */
endo_status frame_store_ask(frame_store *s, int frame, int *slot);
endo_status frame_store_flush(frame_store *s);
endo_status frame_store_read(frame_store *s, int frame, int *slot); /* both */

/* Frames first..end-1 will be wanted: on a device they come beside its work, on another thread. */
endo_status frame_store_expect(frame_store *s, int first, int end);
void frame_store_settle(frame_store *s); /* nothing comes any more */

/* No frame is of use any more but these (-1: none), or those from one on. */
void frame_store_keep_only(frame_store *s, const int *frames, int n);
void frame_store_keep_from(frame_store *s, int first);

/* The library's store, with all that was asked for. */
endo_status frame_store_frames(frame_store *s, endo_frames **frames);

#endif
