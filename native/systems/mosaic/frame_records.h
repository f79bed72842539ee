/* Records of frames in a row, and stretches of frames. */
#ifndef ENDO_MOSAIC_FRAME_RECORDS_H
#define ENDO_MOSAIC_FRAME_RECORDS_H

#include "base/memory.h"
#include "edges.h"

/* Records of frames, one a frame, from `first` on. */
typedef struct frame_records {
    endo_mosaic_frame *items;
    int n;
    int capacity;
    int first; /* number of the first frame */
} frame_records;

/* The first frame without a record. */
static inline int frame_records_next(const frame_records *r) { return r->first + r->n; }

static inline endo_mosaic_frame *frame_record(const frame_records *r, int frame) { return &r->items[frame - r->first]; }

/* Reserves memory for n more records. MEMORY: the records are unchanged. */
static inline endo_status frame_records_reserve(frame_records *r, int n) {
    return ARRAY_RESERVE(r->items, r->capacity, r->n + n);
}

static inline void frame_records_free(frame_records *r) {
    endo_free(r->items);
    *r = (frame_records){0};
}

typedef struct frame_stretch {
    int first;
    int last;
} frame_stretch;

typedef struct frame_stretches {
    frame_stretch *items;
    int n;
    int capacity;
} frame_stretches;

static inline endo_status frame_stretches_reserve(frame_stretches *s, int n) {
    return ARRAY_RESERVE(s->items, s->capacity, s->n + n);
}

static inline endo_status frame_stretches_add(frame_stretches *s, frame_stretch stretch) {
    ENDO_TRY(frame_stretches_reserve(s, 1));
    s->items[s->n++] = stretch;
    return ENDO_OK;
}

static inline void frame_stretches_free(frame_stretches *s) {
    endo_free(s->items);
    *s = (frame_stretches){0};
}

#endif
