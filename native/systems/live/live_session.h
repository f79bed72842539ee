/* A live panorama: each frame is registered, in small, with the last kept one. It is kept where it has moved, and looked for
 * beside earlier kept frames where it is not found; if it is found nowhere and the next ones agree with one another, they begin
 * a component. Frames were checked. */
#ifndef ENDO_LIVE_SESSION_H
#define ENDO_LIVE_SESSION_H

#include "base/outcome.h"
#include "include/endorama/live.h"
#include "systems/mosaic/session.h"
#include "live_loops.h"
#include "live_picture.h"
#include "live_store.h"

#include <pthread.h>

struct endo_live {
    endo_live_options options; /* the mask points to the copy below */
    endo_mosaic *mosaic;       /* the panorama at the end, into which kept frames are put */
    mosaic_events events;
    endo_context_options context; /* of the preview */
    uint8_t *mask;         /* NULL: not copied yet, or none */
    mosaic_size mask_size; /* of the frames that the mask was copied for */
    int has_begun; /* the first frame was put */
    int has_ended;
    int fail_after; /* for tests: calls after which the first context fails as a broken device would; 0: never */

    /* the present frame */
    live_reducer reducer;
    live_field field;
    live_store store;
    int has_changed; /* the field or the range of grey values is another one than that of the store */
    void *small;
    int64_t number;
    void *waiting;          /* pixels of the frame before, if that is not in a component: it may begin one */
    void *small_waiting;    /* its copy */
    int64_t waiting_number; /* 0: there is none */

    /* where the scope is */
    int reference;           /* kept frame that the next one is registered with; -1: none */
    endo_transform last;     /* frame before -> reference */
    endo_transform velocity; /* frame before -> the one before that */
    int lost;                /* frames in a row that were not found */
    int sought;              /* those of them that show enough to be looked for */
    int turn;                /* slot from which on kept frames are tried next */
    endo_outcome stuck;      /* why no frame can be kept any more */

    pthread_mutex_t lock; /* guards what follows, which the calling thread alone changes, against other threads that read */
    live_kept kept;
    mosaic_spool *copies; /* small copies of kept frames; NULL: frames are small, and those of `mosaic` are taken */
    live_pictures pictures;
    int painted;         /* kept frames that are in the pictures */
    endo_live_view view; /* component, scale and changes; the rest is the picture's */
    endo_live_counts counts;
    live_loops loops;
};

void live_session_init(endo_live *live); /* options, context and mosaic are set */
void live_session_free(endo_live *live);

endo_status live_session_begin(endo_live *live, endo_pixel type, mosaic_size size);
endo_status live_session_put(endo_live *live, const void *pixels, ptrdiff_t stride, endo_live_frame *frame);
void live_session_describe(endo_live *live, endo_live_view *view, endo_live_counts *counts);
endo_status live_session_read(endo_live *live, void *pixels, size_t room, endo_live_view *view);

/* Ends the preview, of which pictures and counts stay; then the panorama of two kept frames or more can be made. */
void live_session_end(endo_live *live);
endo_status live_session_finish(endo_live *live);

/* Lends small copies of kept frames, to any thread that does not hold the lock. */
live_copies live_session_copies(endo_live *live);

#endif
