/* What all pictures of a run have in common. All is borrowed. */
#ifndef ENDO_MOSAIC_CANVAS_SETUP_H
#define ENDO_MOSAIC_CANVAS_SETUP_H

#include "field_of_view.h"

typedef struct canvas_setup {
    endo_context *const *context; /* where something is made: another one after a failure */
    const endo_mosaic_options *options;
    const field_of_view *field;
    endo_pixel type;
    int band_rows; /* of a band of a blend, a multiple of 4; 0: by the memory */
} canvas_setup;

/* Pixels that are moved at once, unless a row is longer. */
#define CANVAS_MOVED (1 << 22)

/* Rows of a width that are moved at once. */
static inline int canvas_rows_at_once(int width) { return width < CANVAS_MOVED ? CANVAS_MOVED / width : 1; }

#endif
