/* The chain of poses over a stretch of the sequence, and the rule for frames that cannot be registered. Such a frame gets the
 * predicted pose (the last good motion repeated) and is not painted; the frames after it are registered against the last good
 * one. If CHAIN_REACH of them fail too, the chain ends before the first of them, and another one can begin there: in the
 * panorama in which its first frame is found, or in one of its own.
 *
 * A frame that was registered, but does not show what the last good one shows, or shows it turned by more than a right angle,
 * is an outlier candidate: the next frames decide. The first frame, too, is a candidate until another frame agrees with it; if
 * the next frames agree with one another and not with it, the panorama starts with them. */
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
    frame_records *records; /* records of this chain: the last ones, beginning with frame `from` */
    int from;
    int number;  /* number of the canvas: a new one, or that on which the first frame was found */
    int reach;   /* failed frames, after the first, that do not end it */
    int backend; /* endo_backend that registers its frames */
    frame_matcher matcher;
    scene_layers *layers; /* NULL: nobody asks which of two motions is the scene's */
    mosaic_edges edges; /* pairs of the chain, and the pair by which the first frame was found */
    int *late;          /* frames that joined it after later frames were matched, in order */
    int n_late;
    int late_capacity;
    chain_failures failures;
    pair_judge judge;
    outlier_candidates candidates;
    chain_begin beginning;
    chain_motion motion;
    int searched_for;    /* the latest frame that was searched for in other chains; -1: none */
    int elsewhere;     /* a first frame that was left out, of which nothing showed the same; -1: none */
    found_frame found; /* result of that search */
    int first;         /* first frame; -1 until there is one */
    placed_frame last; /* last good frame; the number is -1 until there is one */
    int is_alone;      /* there is a first frame, and none has agreed with it */
    int has_ended;     /* too many frames failed; the chain goes up to the first of them */
} frame_chain;

/* Allocates nothing. The chain refers to itself, so it must not be moved. finder, records: borrowed; records up to before
 * `from` exist. number: of its canvas, unless its first frame is found on another one. */
void frame_chain_init(frame_chain *c, relocaliser *finder, endo_frames *frames, frame_records *records, int from, int number);
void frame_chain_free(frame_chain *c);

/* The chain is a stretch that another one left out, between these frames, which are copied. */
void frame_chain_lies_between(frame_chain *c, const endo_mosaic_frame *before, const endo_mosaic_frame *after);

/* Lists the frames that the next ones refer to, and which must stay in the store (-1: none); returns their number. */
#define CHAIN_HELD 2
int frame_chain_held(const frame_chain *c, int frames[CHAIN_HELD]);

/* Goes on with another store, in which the held frames are in these slots. */
void frame_chain_move_to(frame_chain *c, endo_frames *frames, const int *slots, int backend);

static inline int frame_chain_next(const frame_chain *c) { return frame_records_next(c->records); } /* no record yet */
static inline int frame_chain_is_empty(const frame_chain *c) { return frame_chain_next(c) == c->from; }

/* Returns whether the edge's frame joined the chain after later frames were matched, so that it may have left the store. */
int frame_chain_is_late(const frame_chain *c, const endo_mosaic_edge *edge);

/* Registers the next n frames, with one call of the library for all, and appends their records. If the library fails, the
 * records end before the frame at which it did, and another call can go on with that frame. slots: one a frame; -1 where it
 * could not be read. paint: gets the frames to paint, in order. */
endo_status frame_chain_add(frame_chain *c, const int *slots, int n, placed_frames *paint);

/* Ends the chain and reports what is missing at the end, if that was not done before. paint: gets the candidates that are
 * accepted. It may be called again. */
endo_status frame_chain_finish(frame_chain *c, placed_frames *paint);

/* Puts a frame into its panorama. Fails with MEMORY alone, and then changes nothing. */
endo_status frame_admit(relocaliser *finder, endo_mosaic_frame *record, const placed_frame *item, placed_frames *paint);

#endif
