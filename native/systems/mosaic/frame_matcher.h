/* Registers frames of a store against one another, as a chain asks for it: a chunk of neighbours with one call, and single
 * pairs. The latest pairs are remembered: a chain that begins where another one ended asks for many of them again. */
#ifndef ENDO_MOSAIC_FRAME_MATCHER_H
#define ENDO_MOSAIC_FRAME_MATCHER_H

#include "include/endorama/registration.h"
#include "pair_match.h"
#include "stage.h"

/* The latest 512 pairs that were registered; chains have them in common. */
typedef struct remembered_pairs remembered_pairs;
endo_status remembered_pairs_create(remembered_pairs **out);
void remembered_pairs_destroy(remembered_pairs **pairs);

/* NULL: not known, or not any more; valid until the next one is added. */
const pair_match *remembered_pairs_get(const remembered_pairs *pairs, int reference, int frame);
void remembered_pairs_add(remembered_pairs *pairs, int frame, const pair_match *match); /* where it was, if it is there */

/* frames: another store after a failure. All are borrowed. */
typedef struct frame_matcher {
    endo_frames *frames;
    endo_pairs_options options;
    remembered_pairs *known;
} frame_matcher;

/* Frames that were registered and compared in one call each, every one against the readable one before it. */
typedef struct pair_batch pair_batch;

/* Frames from.., n of them; the first readable one against `before` (NULL: none). slots: of the frames; -1 where one could not
 * be read. Pairs that are remembered are left out. */
endo_status pair_batch_create(frame_matcher *m, const placed_frame *before, int from, const int *slots, int n,
                              pair_batch **out);
void pair_batch_destroy(pair_batch **batch);

/* The frame that this one was registered against; -1: it was not. */
int pair_batch_reference(const pair_batch *batch, int frame);

/* A frame against a reference: what is remembered, or of the batch (NULL: none) if that has the pair, or registered now. */
endo_status frame_matcher_match(frame_matcher *m, const placed_frame *reference, int frame, int slot, const pair_batch *batch,
                                pair_match *out);

/* A template compared with its own frame tells whether the frame has any texture. */
endo_status frame_matcher_has_texture(frame_matcher *m, int slot, int *has);

#endif
