/* The extent of a canvas, and its limit: painting stops at the first frame that does not fit. */
#ifndef ENDO_MOSAIC_CANVAS_REACH_H
#define ENDO_MOSAIC_CANVAS_REACH_H

#include "stage.h"

/* Longest side of a canvas or of a blend, px. */
#define CANVAS_LONGEST (1 << 20)

typedef struct canvas_reach {
    mosaic_rect field; /* bounds of the field of view, px of a frame */
    int64_t limit;     /* largest area, pixels */
    const int32_t *numbers; /* of frames, for people; NULL: 1, 2, 3 ... */
    int is_used;       /* 0: empty so far */
    mosaic_rect used;
    char full[700]; /* why nothing more is painted; "": there is space */
} canvas_reach;

canvas_reach reach_create(mosaic_rect field, int64_t limit, const int32_t *numbers);

/* Why nothing more is painted; NULL while there is space. */
const char *reach_full(const canvas_reach *reach);

void reach_use(canvas_reach *reach, mosaic_rect rect);

/* Computes the extent with one more frame; 0: it is infinite. */
int reach_with(const canvas_reach *reach, const placed_frame *item, mosaic_rect *out);

/* Computes the extent with one more frame; 0: it is not allowed, and nothing more is painted. */
int reach_allows(canvas_reach *reach, const placed_frame *item, mosaic_rect *out);

/* Stops painting at a frame. why: part of a sentence. */
void reach_stop(canvas_reach *reach, const placed_frame *item, const char *why);

#endif
