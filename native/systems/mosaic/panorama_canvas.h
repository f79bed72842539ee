/* A growing canvas: one of the library's, and where it lies. It never exceeds its limit; what was painted stays. */
#ifndef ENDO_MOSAIC_PANORAMA_CANVAS_H
#define ENDO_MOSAIC_PANORAMA_CANVAS_H

#include "canvas_setup.h"
#include "panorama_store.h"
#include "stage.h"

typedef struct panorama_canvas panorama_canvas;

/* Creates an empty canvas. Fails with MEMORY alone. */
endo_status panorama_canvas_create(const canvas_setup *setup, panorama_canvas **out);
void panorama_canvas_destroy(panorama_canvas **canvas);

/* Why nothing more is painted; NULL while there is space. */
const char *panorama_canvas_full(const panorama_canvas *canvas);

/* Makes lack of memory a reason to stop painting; until then it is an error, and painting can be tried again. */
void panorama_canvas_stop_where_memory_ends(panorama_canvas *canvas);

/* Paints frames in order, up to the first that does not fit. After a lack of memory the extent is unchanged. */
endo_status panorama_canvas_paint(panorama_canvas *canvas, endo_frames *frames, const placed_frame *items, int n);

/* Copies what the painted frames cover; *out = NULL: nothing was painted. */
endo_status panorama_canvas_snapshot(panorama_canvas *canvas, panorama_store **out);

/* Keeps a copy of the canvas, to go on with in another context. */
endo_status panorama_canvas_leave(panorama_canvas *canvas);

/* Goes on in the present context with the copy. 0: it does not fit, and the canvas is empty. */
int panorama_canvas_enter(panorama_canvas *canvas);

#endif
