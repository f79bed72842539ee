/* The canvases of a run, one for every component: painted frame by frame, and finally replaced by a blend. */
#ifndef ENDO_MOSAIC_CANVASES_H
#define ENDO_MOSAIC_CANVASES_H

#include "field_of_view.h"
#include "light_of_scope.h"
#include "panorama_store.h"
#include "sharpness.h"
#include "stage.h"

typedef struct mosaic_canvases mosaic_canvases;

/* context: read whenever something is created, as the back end may be replaced. All pointers are borrowed. */
endo_status canvases_create(endo_context *const *context, const endo_mosaic_options *options, mosaic_sequence *sequence,
                            const field_of_view *field, mosaic_canvases **out);
void canvases_destroy(mosaic_canvases **canvases);

/* Sets, for tests, the rows of a band of the next blend, a multiple of 4; 0: by the memory. */
void canvases_set_band_rows(mosaic_canvases *c, int rows);

/* Why nothing more is painted on one of the canvases, and from which frame on; NULL while there is space on all. */
const char *canvases_full(const mosaic_canvases *c);

/* Uses (endo_use) that frames to be painted have to be stored for. */
int canvases_uses(const mosaic_canvases *c);

/* Paints frames of a store; frames of one canvas are adjacent in the list. */
endo_status canvases_paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n);

/* Copies a canvas; *out = NULL if it is empty. The caller owns the copy. The panorama of a finished blend
 * (canvases_is_blending) is not copied, but handed over once. */
endo_status canvases_snapshot(mosaic_canvases *c, int canvas, panorama_store **out);

/* ------------------------------------------------------------------ painted anew */

/* Paints on empty canvases from here on, except those of `kept`; the old ones are set aside for keep_new or take_back. */
endo_status canvases_start_over(mosaic_canvases *c, const int *kept, int n);
void canvases_keep_new(mosaic_canvases *c);
void canvases_take_back(mosaic_canvases *c);

/* -------------------------------------------------------------------- blending */

/* Weights of frames for blending, 1..256, and standard deviations of their poses, px; one entry a frame. */
typedef struct frame_weights {
    int n;
    int32_t *weights;
    double *deviations;
} frame_weights;

endo_status frame_weights_create(int frames, frame_weights *out);
void frame_weights_free(frame_weights *w);
void frame_weights_set(frame_weights *w, int frame, double deviation, int doubtful);
/* Settles the weights of a component's frames (ascending): blurred ones count less, the best fully. sharp: NULL: unknown. */
endo_status frame_weights_settle(frame_weights *w, const int *frames, int n, const sharpness *sharp);

/* Blends what is painted from here on. items: all frames, component after component, in the order in which they are fitted in;
 * light: NULL: uncorrected. frames: records of all frames, for what is hidden of them; NULL: nothing. All are borrowed. */
endo_status canvases_start_blending(mosaic_canvases *c, const placed_frames *items, const light_of_scope *light,
                                    const frame_weights *weights, const endo_mosaic_frame *frames);
int canvases_is_blending(const mosaic_canvases *c);
int canvases_blend_is_done(const mosaic_canvases *c);
double canvases_blend_share(const mosaic_canvases *c);

/* A blend goes in bands of rows, each in two passes over the frames that reach it. */
int canvases_has_band(const mosaic_canvases *c);
endo_status canvases_begin_band(mosaic_canvases *c); /* the next band, or again the one that was dropped */
int canvases_band_next(mosaic_canvases *c, int most, const placed_frame **items); /* how many come next; 0: the pass ends */
void canvases_band_passed(mosaic_canvases *c, int n); /* n of those were painted, or cannot be read */
endo_status canvases_band_end_pass(mosaic_canvases *c); /* the second pass also copies the rows */
void canvases_drop_band(mosaic_canvases *c);
int canvases_halve_bands(mosaic_canvases *c); /* rows of a band from here on; 0: they cannot be fewer */
void canvases_drop_blending(mosaic_canvases *c); /* back to the painted canvases */

/* -------------------------------------------------------------------- failures */

/* Makes lack of memory a reason to stop painting; 0: it was one already. */
int canvases_stop_where_memory_ends(mosaic_canvases *c);

/* canvases_leave copies all canvases for another back end; 0: one of them cannot be copied. canvases_enter restores them in the
 * present back end; 1: all are restored, 0: they are empty. */
int canvases_leave(mosaic_canvases *c);
int canvases_enter(mosaic_canvases *c);
void canvases_clear(mosaic_canvases *c);

#endif
