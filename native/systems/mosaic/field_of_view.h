/* The pixels of a sequence's frames that show the scene, the grey values that span it in 16 bit, and the fixed pattern. */
#ifndef ENDO_MOSAIC_FIELD_OF_VIEW_H
#define ENDO_MOSAIC_FIELD_OF_VIEW_H

#include "include/endorama/frames.h"
#include "events.h"
#include "sequence.h"

typedef struct field_of_view {
    mosaic_size size;
    uint8_t *mask;      /* width*height, 0: outside; NULL: every pixel is inside */
    mosaic_rect bounds; /* smallest rectangle around the mask */
    int is_circle;      /* found as an endoscope's circle */
    int low;            /* 16 bit: grey value that becomes 0 for matching */
    int high;           /* 16 bit: grey value that becomes 255 */
    int16_t *pattern;   /* fixed pattern, width*height; NULL: none */
    double spread;      /* root mean square distance of the field's pixels from the frame's centre, px */
    char description[200];
} field_of_view;

/* Finds the field that the options ask for, in frames without the distortion of their lens. for_matching: also estimates the
 * fixed pattern and tests for interlacing. *readable = 0: no frame could be read; sequence_reason has the last reason. Fails as
 * the library does, or with ARGUMENT: the mask is missing or empty. */
endo_status field_of_view_find(endo_context *context, mosaic_sequence *sequence, const endo_mosaic_options *options,
                               int for_matching, mosaic_events *events, field_of_view *out, int *readable);
void field_of_view_free(field_of_view *field);

/* Options for a frame store with this field. */
endo_frames_options field_of_view_options(const field_of_view *field, endo_pixel type, int capacity);

/* ARGUMENT where a template (0: chosen by the frame's width) does not fit. */
endo_status field_of_view_check_template(const field_of_view *field, int template_side);

#endif
