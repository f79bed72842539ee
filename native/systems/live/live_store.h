/* Small copies of frames in the back end: the present one, the one before it, and kept frames spread over what was seen, which
 * the present one is compared with when the scope was lost. */
#ifndef ENDO_LIVE_STORE_H
#define ENDO_LIVE_STORE_H

#include "systems/mosaic/back_end.h"
#include "live_field.h"
#include "live_kept.h"

#define LIVE_SLOTS 32

/* What a slot holds: a kept frame, from 0, or one of these. */
#define LIVE_EMPTY (-1)
#define LIVE_PRESENT (-2) /* the frame that is put now */
#define LIVE_WAITING (-3) /* the frame before it, which is not kept, but perhaps begins a component */

/* Lends the small copy of a kept frame, which is given back by `give_back`; NULL, and a message: it cannot be read. */
typedef struct live_copies {
    const void *(*lend)(void *user, int kept);
    void (*give_back)(void *user, int kept, const void *small);
    void *user;
} live_copies;

typedef struct live_store {
    const endo_mosaic_options *options; /* borrowed, as all pointers */
    const live_field *field;
    const live_kept *kept;
    live_copies copies;
    int factor;
    back_end computing;
    endo_frames *frames; /* NULL: none yet */
    int holds[LIVE_SLOTS];
} live_store;

/* Options of a store of small copies. */
endo_frames_options live_store_options(const endo_mosaic_options *o, const live_field *field, int factor, int slots);

/* Makes the store anew, with the present field, and puts the kept frames into it that were in the one before. Where one of
 * them fails it and those after it are left out. */
endo_status live_store_open(live_store *s);
void live_store_close(live_store *s);

/* The slot of what is held; -1: none. */
int live_store_find(const live_store *s, int held);

/* Puts a copy into a slot as `held`, in place of the frame with the same mark, or of the kept frame whose neighbours are
 * nearest; never in that of kept frame `reference`. */
endo_status live_store_put(live_store *s, int held, int reference, const void *small);

/* The slot of a kept frame, which is put there if need be. */
endo_status live_store_need(live_store *s, int kept, int reference, int *slot);

#endif
