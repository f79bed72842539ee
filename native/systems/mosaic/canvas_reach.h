/* How far a canvas reaches, and how far it may: the first frame that does not fit is where painting stops. */
#ifndef ENDO_MOSAIC_CANVAS_REACH_H
#define ENDO_MOSAIC_CANVAS_REACH_H

#include "stage.h"

/* Longest side of a canvas or of a blend of the library, px. */
#define CANVAS_LONGEST (1 << 20)

typedef struct canvas_reach {
    mosaic_rect field; /* rectangle around the field of view in a frame */
    int64_t limit;     /* largest area, pixels */
    int is_used;       /* 0: it reaches nothing so far */
    mosaic_rect used;
    char full[700];    /* why nothing more is painted; "": there is room */
} canvas_reach;

/* Of nothing so far. */
canvas_reach reach_create(mosaic_rect field, int64_t limit);

/* NULL while there is room. */
const char *reach_full(const canvas_reach *reach);

void reach_use(canvas_reach *reach, mosaic_rect rect);

/* What is in use with a frame more; 0: endless. */
int reach_with(const canvas_reach *reach, const placed_frame *item, mosaic_rect *out);

/* The same, if it is allowed; 0: it is not, and nothing more is painted. */
int reach_allows(canvas_reach *reach, const placed_frame *item, mosaic_rect *out);

/* Nothing more is painted from a frame on. why: part of a sentence. */
void reach_stop(canvas_reach *reach, const placed_frame *item, const char *why);

#endif
