/* One session with the library: a context and what was made from it; and the calls that need frames. */
#ifndef ENDO_FUZZ_STORES_H
#define ENDO_FUZZ_STORES_H

#include "backend/batches.h"
#include "fuzz_input.h"

/* Pixels of one frame or canvas: what makes a call slow finds nothing that a small one does not. */
#define FUZZ_PIXELS 40000

#define FUZZ_MAX_PAIRS 3

typedef struct fuzz_session {
    fuzz_input in;
    endo_context *context;
    endo_frames *frames;
    endo_frames_options options; /* of frames */
    endo_canvas *canvas;
    endo_pixel canvas_type;
    int canvas_width, canvas_height;
} fuzz_session;

/* Pairs of slots, mostly of those that were filled. */
void fuzz_pairs(fuzz_session *s, endo_pair pairs[FUZZ_MAX_PAIRS], size_t n);

int fuzz_is_coefficient(double c); /* -1..1, or NaN */

/* Each is one call with arguments from the input; they do nothing without the store they need. */
void fuzz_make_frames(fuzz_session *s);
void fuzz_put(fuzz_session *s);
void fuzz_put_list(fuzz_session *s);
void fuzz_put_for(fuzz_session *s);
void fuzz_hide(fuzz_session *s);
void fuzz_colours(fuzz_session *s);
void fuzz_get_grey(fuzz_session *s);
void fuzz_register(fuzz_session *s);
void fuzz_register_landmarks(fuzz_session *s);

/* fuzz_<stem> for every line of batches.h. */
#define FUZZ_PROTOTYPE(stem, request, setup, result) void fuzz_##stem(fuzz_session *s);
ENDO_BATCHES(FUZZ_PROTOTYPE)

/* fuzz_canvas.c */
void fuzz_make_canvas(fuzz_session *s);
void fuzz_resize_canvas(fuzz_session *s);
void fuzz_clear_canvas(fuzz_session *s);
void fuzz_paint(fuzz_session *s);
void fuzz_read_canvas(fuzz_session *s);

/* fuzz_blend.c */
void fuzz_blend(fuzz_session *s);

/* fuzz_library.c */
void fuzz_library(fuzz_session *s);
void fuzz_options(fuzz_session *s);
void fuzz_cancelled(fuzz_session *s);

/* fuzz_api.c: all inputs that follow run on a CUDA device. */
endo_status fuzz_use_device(void);
void fuzz_release_device(void);

/* fuzz_images.c */
void fuzz_equalize(fuzz_session *s);
void fuzz_exposure_filter(fuzz_session *s);

/* fuzz_pattern.c */
void fuzz_pattern(fuzz_session *s);

/* fuzz_graph.c */
void fuzz_graph(fuzz_session *s);

/* fuzz_light.c */
void fuzz_light(fuzz_session *s);

/* fuzz_mosaic.c */
void fuzz_mosaic(fuzz_session *s);
/* fuzz_records.c */
void fuzz_records(fuzz_session *s);

/* fuzz_chain.c */
void fuzz_chain(fuzz_session *s);

/* fuzz_live.c */
void fuzz_live(fuzz_session *s);

/* fuzz_lens.c */
void fuzz_lens(fuzz_session *s);

/* fuzz_mutual.c */
void fuzz_mutual(fuzz_session *s);

#endif
