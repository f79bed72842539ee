/* The settings common to all canvases of a run; everything is borrowed. */
#ifndef ENDO_MOSAIC_CANVAS_SETUP_H
#define ENDO_MOSAIC_CANVAS_SETUP_H

#include "field_of_view.h"

typedef struct canvas_setup {
    endo_context *const *context; /* replaced after a failure */
    const endo_mosaic_options *options;
    const field_of_view *field;
    const int32_t *numbers; /* of frames, for people; NULL: 1, 2, 3 ... */
    endo_pixel type;
    int band_rows; /* rows of a band of a blend, a multiple of 4; 0: by the memory */
} canvas_setup;

/* Pixels that are copied at once, unless a row is longer. */
#define CANVAS_MOVED (1 << 22)

static inline int canvas_rows_at_once(int width) { return width < CANVAS_MOVED ? CANVAS_MOVED / width : 1; }

#endif
