/* The field of view of a live panorama, and the range of grey values: found in the frames 1, 2, 4, 8, ... so that the first
 * ones need not wait, and what is dark at first does not stay outside. */
#ifndef ENDO_LIVE_FIELD_H
#define ENDO_LIVE_FIELD_H

#include "include/endorama/field.h"
#include "include/endorama/mosaic.h"
#include "systems/mosaic/grey_range.h"
#include "live_reduce.h"

typedef struct live_field {
    endo_mosaic_field kind;
    mosaic_size size; /* of small copies */
    endo_pixel type;
    uint8_t *mask;  /* 0: outside; NULL: every pixel is inside */
    uint8_t *found; /* the next mask */
    int low;        /* 16 bit: the grey values that become 0 and 255 for matching */
    int high;
    grey_range *range; /* NULL: of 8 bits */
    endo_field_finder *finder;
} live_field;

/* mask: of frames; only with ENDO_MOSAIC_FIELD_MASK. */
endo_status live_field_init(live_field *f, const live_reducer *reducer, endo_mosaic_field kind, const uint8_t *mask);
void live_field_free(live_field *f);

/* Looks at a small copy of frame `number`, from 1, if it is one of the frames that count. *changed = 1: mask or range did. */
endo_status live_field_see(live_field *f, endo_context *context, int64_t number, const void *small, int *changed);

#endif
