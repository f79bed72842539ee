/* Registers frames of a store against one another for a chain: a chunk of neighbours with one call, and single pairs. The
 * latest pairs are cached, for a chain that begins where another one ended asks for many of them again. */
#ifndef ENDO_MOSAIC_FRAME_MATCHER_H
#define ENDO_MOSAIC_FRAME_MATCHER_H

#include "include/endorama/registration.h"
#include "pair_match.h"
#include "stage.h"

/* A cache of the latest 512 registered pairs, shared by all chains. */
typedef struct pair_cache pair_cache;
endo_status pair_cache_create(pair_cache **out);
void pair_cache_destroy(pair_cache **pairs);

/* The cached pair, valid until the next one is added; NULL: not in the cache. */
const pair_match *pair_cache_get(const pair_cache *pairs, int reference, int frame);
void pair_cache_add(pair_cache *pairs, int frame, const pair_match *match); /* replaces the pair if it is there */

/* frames: another store after a failure. All pointers are borrowed. */
typedef struct frame_matcher {
    endo_frames *frames;
    endo_pairs_options options;
    pair_cache *known;
    const int *repeats_from; /* of the workspace; NULL: rivals are not asked for */
} frame_matcher;

/* Whether a pair is compared with its rivals, by its frame: one in so many, and each once the scene repeats itself. */
int frame_matcher_asks_rivals(const frame_matcher *m, int frame);

/* Frames that were registered and compared with one call each, every one against the readable one before it. */
typedef struct pair_batch pair_batch;

/* Registers n frames from `from` on; the first readable one against `before` (NULL: none). slots: one a frame; -1 where it
 * could not be read. Cached pairs are left out, the others cached. */
endo_status pair_batch_create(frame_matcher *m, const placed_frame *before, int from, const int *slots, int n,
                              pair_batch **out);
void pair_batch_destroy(pair_batch **batch);

/* The reference of a frame of the batch; -1: it was not registered. */
int pair_batch_reference(const pair_batch *batch, int frame);

/* Matches a frame with a reference: from the cache, from the batch (NULL: none), or by registering the pair now. */
endo_status frame_matcher_match(frame_matcher *m, const placed_frame *reference, int frame, int slot, const pair_batch *batch,
                                pair_match *out);

/* The same without what follows where the flow does not lead to the right place: the search of overlaps and of spectra, which
 * takes twenty times as long. The cache is neither asked nor changed: what is in it depends on the lengths of batches. */
endo_status frame_matcher_match_nearby(frame_matcher *m, const placed_frame *reference, int frame, int slot, pair_match *out);

/* Returns whether a frame has any texture, by registering it with itself. */
endo_status frame_matcher_has_texture(frame_matcher *m, int slot, int *has);

#endif
