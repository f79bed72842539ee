/* Which pixels of a sequence's frames show the scene, for 16 bit the grey values that span it, and what stands still on the
 * sensor. */
#ifndef ENDO_MOSAIC_FIELD_OF_VIEW_H
#define ENDO_MOSAIC_FIELD_OF_VIEW_H

#include "include/endorama/frames.h"
#include "events.h"
#include "sequence.h"

typedef struct field_of_view {
    mosaic_size size;
    uint8_t *mask;      /* width*height, 0 = outside; NULL: every pixel */
    mosaic_rect bounds; /* around it */
    int is_circle;      /* it was found, and is an endoscope's circle */
    int low, high;      /* 16 bit: the grey values that span the scene */
    int16_t *pattern;   /* width*height; NULL: nothing stands still */
    double spread;      /* root mean square distance of its pixels from the frame's middle, px */
    char description[200];
} field_of_view;

/* What the options ask for, in frames without the distortion of their lens; for_matching: with what stands still in it, and
 * a word on interlaced frames. *readable = 0: no frame could be read, and sequence_reason has the last reason. Errors: those
 * of the library; ARGUMENT (a mask that is missing or holds no pixel). */
endo_status field_of_view_find(endo_context *context, mosaic_sequence *sequence, const endo_mosaic_options *options,
                               int for_matching, mosaic_events *events, field_of_view *out, int *readable);
void field_of_view_free(field_of_view *field);

/* Options of a store of such frames. */
endo_frames_options field_of_view_options(const field_of_view *field, endo_pixel type, int capacity);

/* ARGUMENT where a template (0: by the frame's width) does not fit. */
endo_status field_of_view_check_template(const field_of_view *field, int template_side);

#endif
