/* The frame store of a stretch of the sequence: which frame is in which slot. Frames out of use may stay, so that they need not
 * be read again. */
#ifndef ENDO_MOSAIC_FRAME_STORE_H
#define ENDO_MOSAIC_FRAME_STORE_H

#include "frame_displacements.h"
#include "include/endorama/frames.h"
#include "observers.h"

typedef struct frame_store frame_store;

typedef struct frame_store_setup {
    endo_context *context;
    mosaic_sequence *sequence;
    const endo_frames_options *options; /* capacity: slots */
    int used;                           /* frames in use at once at most, 1..capacity */
    int keeps;                          /* frames out of use stay as long as there are slots */
    mosaic_observers *observers;        /* see the frames that are read, and outlive the store; NULL: none */
    const frame_displacements *displacements; /* by which frames are stored; observers see them as they are */
    int devices;                        /* that frames are copied to at the same time; 0: one */
    int threads;                        /* that displace a frame */
    double *reading;                    /* gets the time of reading added, s; NULL: not measured */
    double *putting;                    /* gets the time of copying added, s; NULL: not measured */
} frame_store_setup;

endo_status frame_store_create(const frame_store_setup *setup, frame_store **out);
void frame_store_destroy(frame_store **store);

int frame_store_capacity(const frame_store *s); /* frames that may be in use at once */
int frame_store_unused(const frame_store *s);   /* frames that can be read before one has to go */
int frame_store_holds(const frame_store *s, int frame); /* the frame is in use */
int frame_store_slot(const frame_store *s, int frame);  /* slot of a frame in use; else -1 */
int frame_store_can_hold(const frame_store *s, int one, int other);
int frame_store_has_room(const frame_store *s);

/* Sets what frames are stored for from now on (endo_use); those that lack a use are read again. */
endo_status frame_store_ask_for(frame_store *s, int uses);

/* Takes a frame into use and finds its slot; -1: it cannot be read, and sequence_reason says why. Its pixels are there after
 * the next flush, which frame_store_frames does. Fails only as the library does. */
endo_status frame_store_ask(frame_store *s, int frame, int *slot);
endo_status frame_store_flush(frame_store *s);
endo_status frame_store_read(frame_store *s, int frame, int *slot); /* asks and flushes */

/* Gives up every frame: those in use, too. */
endo_status frame_store_forget(frame_store *s);

/* Announces frames first..end-1: on a device another thread loads them ahead. */
endo_status frame_store_expect(frame_store *s, int first, int end);
void frame_store_settle(frame_store *s); /* cancels loading ahead; frames that are nearly there are kept */

/* Takes all frames out of use except these (-1: none), or except those from one on. */
void frame_store_keep_only(frame_store *s, const int *frames, int n);
void frame_store_keep_from(frame_store *s, int first);

/* The library's store, after a flush. */
endo_status frame_store_frames(frame_store *s, endo_frames **frames);

#endif
