/* A part of a run that proceeds step by step, each of a tenth of a second or so. After a failure of the library the failed step
 * can be called again: it changes nothing before what may fail is done, or only what may be done twice. */
#ifndef ENDO_MOSAIC_STAGE_H
#define ENDO_MOSAIC_STAGE_H

#include "include/endorama/frames.h"
#include "include/endorama/mosaic.h"
#include "geometry.h"

/* A frame in its pose: to be painted, or for others to be registered against. */
typedef struct placed_frame {
    int frame;
    int slot; /* in the store; -1: none */
    endo_transform pose;
    int canvas; /* number of the canvas: that of the (first) chain of its component */
} placed_frame;

typedef struct placed_frames {
    placed_frame *items;
    int n;
    int capacity;
} placed_frames;

endo_status placed_add(placed_frames *list, const placed_frame *item);
endo_status placed_append(placed_frames *list, const placed_frame *items, int n);
/* Adds those of n frames that are in a panorama: on the canvases of their chains or, where poses are solved for and have no
 * chains, on those of their components. */
endo_status placed_add_registered(placed_frames *list, const endo_mosaic_frame *frames, int n);
void placed_remove_first(placed_frames *list, int n);
void placed_free(placed_frames *list);

/* Frames that the next step of a stage refers to, and which must stay in the store. */
#define STAGE_HELD 8
typedef struct mosaic_stage_calls {
    int (*done)(void *stage);
    endo_status (*step)(void *stage);
    double (*share)(void *stage);                                     /* how much of it is done, 0..1 */
    void (*where)(void *stage, char *out, size_t size);               /* where it is, for people */
    endo_status (*painted)(void *stage, placed_frames *out);          /* frames painted when none waits, in order; NULL: none */
    int (*held)(void *stage, int frames[STAGE_HELD]);                 /* number of held frames; NULL: none. -1: no frame */
    void (*move_to)(void *stage, endo_frames *frames, const int *slots, int backend); /* uses another store; NULL: no-op */
} mosaic_stage_calls;

typedef struct mosaic_stage {
    const mosaic_stage_calls *calls;
    void *self;
} mosaic_stage;

#endif
