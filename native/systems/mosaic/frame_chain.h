/* The chain of poses over a stretch of the sequence, and the rule for frames that cannot be registered. Such a frame gets the
 * predicted pose (the last good motion repeated) and is not painted; the frames after it are registered against the last good
 * one. If CHAIN_REACH of them fail too, the chain ends before the first of them, and another one can begin there: in the
 * panorama in which its first frame is found, or in one of its own.
 *
 * A frame that was registered, but does not show what the last good one shows, or shows it turned by more than a right angle,
 * is a candidate for an outlier: the next frames decide. So does the first frame stand until the next ones agree with one
 * another and not with it: then the panorama starts with them. */
#ifndef ENDO_MOSAIC_FRAME_CHAIN_H
#define ENDO_MOSAIC_FRAME_CHAIN_H

#include "chain_begin.h"
#include "chain_failures.h"
#include "chain_motion.h"
#include "outlier_candidates.h"
#include "scene_layers.h"

typedef struct frame_chain {
    relocaliser *finder;
    mosaic_events *events;
    mosaic_sequence *sequence;
    frame_records *records; /* those of this chain begin with `from` and are the last ones */
    int from;
    int number;  /* of its canvas: its own, or that of the chain in which its first frame was found */
    int reach;   /* failed frames, after the first, that do not end it */
    int backend; /* that registers its frames */
    frame_matcher matcher;
    scene_layers *layers; /* NULL: nobody asks which of two motions is the scene's */
    mosaic_edges edges; /* the pairs that it consists of, and that with which it was found */
    int *late;          /* frames that joined it after others had been looked at, in order */
    int n_late;
    int late_capacity;
    chain_failures failures;
    pair_judge judge;
    outlier_candidates candidates;
    chain_begin beginning;
    chain_motion motion;
    int looked_for;    /* the latest frame that was looked for as the first one; -1: none was */
    found_frame found; /* where that was found */
    int first;         /* its first frame; -1 before there is one */
    placed_frame last; /* its last good frame; its number is -1 before there is one */
    int is_alone;      /* it has a first frame, and none has agreed with it */
    int has_ended;     /* too many frames failed; it goes up to the first of them */
} frame_chain;

/* Nothing is allocated. It refers to itself: it stays where it is. finder, records: borrowed; records up to before `from` are
 * there. number: of its canvas, unless its first frame is found on another one. */
void frame_chain_init(frame_chain *c, relocaliser *finder, endo_frames *frames, frame_records *records, int from, int number);
void frame_chain_free(frame_chain *c);

/* It is a stretch that another chain left out, between these frames, which are copied. */
void frame_chain_lies_between(frame_chain *c, const endo_mosaic_frame *before, const endo_mosaic_frame *after);

/* Frames that the next ones refer to; they must stay in the store: how many. -1 in place of none. */
#define CHAIN_HELD 2
int frame_chain_held(const frame_chain *c, int frames[CHAIN_HELD]);

/* Goes on with another store, in which the frames that are held are in these slots. */
void frame_chain_move_to(frame_chain *c, endo_frames *frames, const int *slots, int backend);

static inline int frame_chain_next(const frame_chain *c) { return frame_records_next(c->records); } /* has no record yet */
static inline int frame_chain_is_empty(const frame_chain *c) { return frame_chain_next(c) == c->from; }

/* The edge's frame joined the chain after others had been looked at, and may have left the store. */
int frame_chain_is_late(const frame_chain *c, const endo_mosaic_edge *edge);

/* Registers the next n frames, one call of the library for all, and appends their records. If the library fails on the way, the
 * records end before the frame at which it did, and another call can go on with that frame. slots: of the frames; -1 where one
 * could not be read. paint: gets the frames to paint, in order. */
endo_status frame_chain_add(frame_chain *c, const int *slots, int n, placed_frames *paint);

/* No frame follows: says what is missing at the end, if that was not said before. paint: gets the frames that waited for a
 * witness, and are to be painted. It may be called again. */
endo_status frame_chain_finish(frame_chain *c, placed_frames *paint);

/* Puts a frame into its panorama. MEMORY alone; nothing has changed then. */
endo_status frame_admit(relocaliser *finder, endo_mosaic_frame *record, const placed_frame *item, placed_frames *paint);

#endif
