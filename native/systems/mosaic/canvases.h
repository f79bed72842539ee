/* The pictures of a run, one of every component: canvases that are painted frame by frame, and in their place, in the end, a
 * blend. */
#ifndef ENDO_MOSAIC_CANVASES_H
#define ENDO_MOSAIC_CANVASES_H

#include "field_of_view.h"
#include "light_of_scope.h"
#include "panorama_store.h"
#include "sharpness.h"
#include "stage.h"

typedef struct mosaic_canvases mosaic_canvases;

/* context: asked for whenever something is made in it, as the back end may be replaced. All are borrowed. */
endo_status canvases_create(endo_context *const *context, const endo_mosaic_options *options, mosaic_sequence *sequence,
                            const field_of_view *field, mosaic_canvases **out);
void canvases_destroy(mosaic_canvases **canvases);

/* For tests: rows of a band of a blend that is begun from here on, a multiple of 4; 0: by the memory. */
void canvases_set_band_rows(mosaic_canvases *c, int rows);

/* Why nothing more is painted in one of them, and from which frame on; NULL while there is room in all. */
const char *canvases_full(const mosaic_canvases *c);

/* What frames that are to be painted have to be put for (endo_use). */
int canvases_uses(const mosaic_canvases *c);

/* Paints frames that a store holds; those of one canvas follow one another. */
endo_status canvases_paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n);

/* A canvas as it is: *out = NULL if nothing of it was painted. The caller owns it, except of a blend that is done
 * (canvases_is_blending): that is handed over once. */
endo_status canvases_snapshot(mosaic_canvases *c, int canvas, panorama_store **out);

/* ------------------------------------------------------------------ painted anew */

/* Paints on empty canvases from here on, but for `kept`; what was there is set aside until one of the two below. */
endo_status canvases_start_over(mosaic_canvases *c, const int *kept, int n);
void canvases_keep_new(mosaic_canvases *c);
void canvases_take_back(mosaic_canvases *c);

/* -------------------------------------------------------------------- blending */

/* What the poses of frames are worth: by their number, weights for blending, 1..256, and standard deviations, px. */
typedef struct frame_weights {
    int n;
    int32_t *weights;
    double *deviations;
} frame_weights;

endo_status frame_weights_create(int frames, frame_weights *out);
void frame_weights_free(frame_weights *w);
void frame_weights_set(frame_weights *w, int frame, double deviation, int doubtful);
/* Frames of one component, ascending: blurred ones count less, and the best in full. sharp: NULL, or has seen them. */
endo_status frame_weights_settle(frame_weights *w, const int *frames, int n, const sharpness *sharp);

/* From here on what is painted is blended. items: all of it, component after component, in the order in which they find
 * room; light: NULL: as it is. weights and light are borrowed. */
endo_status canvases_start_blending(mosaic_canvases *c, const placed_frames *items, const light_of_scope *light,
                                    const frame_weights *weights);
int canvases_is_blending(const mosaic_canvases *c);
int canvases_blend_is_done(const mosaic_canvases *c);
double canvases_blend_share(const mosaic_canvases *c);

/* The blend goes in bands of rows, each in two passes over the frames that reach it. */
int canvases_has_band(const mosaic_canvases *c);
endo_status canvases_begin_band(mosaic_canvases *c); /* the next one, or again the one that was dropped */
int canvases_band_next(mosaic_canvases *c, int most, const placed_frame **items); /* of this pass, how many; 0: it ends */
void canvases_band_passed(mosaic_canvases *c, int n); /* so many of these were painted, or cannot be read */
endo_status canvases_band_end_pass(mosaic_canvases *c); /* and takes the rows over after the second */
void canvases_drop_band(mosaic_canvases *c);
int canvases_halve_bands(mosaic_canvases *c); /* rows from here on; 0: they cannot have fewer */
void canvases_drop_blending(mosaic_canvases *c); /* back to what was painted before */

/* -------------------------------------------------------------------- failures */

/* Out of memory is from here on a reason to paint no more; 0 if it was before. */
int canvases_stop_where_memory_ends(mosaic_canvases *c);

/* Copies of all canvases, for another back end: 0: one of them cannot be had. Then, with the back end as it is now: 1 if they
 * are as they were, 0 if they are empty and were not before. */
int canvases_leave(mosaic_canvases *c);
int canvases_enter(mosaic_canvases *c);
void canvases_clear(mosaic_canvases *c);

#endif
