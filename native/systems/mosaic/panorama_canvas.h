/* A growing canvas: one of the library's, and where it lies. It never grows beyond its limit; what was painted stays. */
#ifndef ENDO_MOSAIC_PANORAMA_CANVAS_H
#define ENDO_MOSAIC_PANORAMA_CANVAS_H

#include "canvas_setup.h"
#include "panorama_store.h"
#include "stage.h"

typedef struct panorama_canvas panorama_canvas;

/* Empty. MEMORY alone. */
endo_status panorama_canvas_create(const canvas_setup *setup, panorama_canvas **out);
void panorama_canvas_destroy(panorama_canvas **canvas);

/* Why nothing more is painted; NULL while there is room. */
const char *panorama_canvas_full(const panorama_canvas *canvas);

/* Out of memory is from here on a reason to paint no more; until then it is an error, and can be tried again. */
void panorama_canvas_stop_where_memory_ends(panorama_canvas *canvas);

/* Paints frames in order, up to the first for which there is no room. Where memory does not suffice, what is in use stays as it
 * was. */
endo_status panorama_canvas_paint(panorama_canvas *canvas, endo_frames *frames, const placed_frame *items, int n);

/* A copy of what the painted frames reach; *out = NULL: nothing was painted. */
endo_status panorama_canvas_snapshot(panorama_canvas *canvas, panorama_store **out);

/* Keeps a copy of itself, with which it goes on in another context. */
endo_status panorama_canvas_leave(panorama_canvas *canvas);

/* Goes on in the context as it is now, with the copy. 0: there is no room, and it is empty. */
int panorama_canvas_enter(panorama_canvas *canvas);

#endif
