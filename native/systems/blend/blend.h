/* Finishes a blend: its two bands are put together. */
#ifndef ENDO_SYSTEMS_BLEND_H
#define ENDO_SYSTEMS_BLEND_H

#include "backend/objects.h"

/* A rectangle that lies in the blend, and where it is written; painted and coverage may be NULL. */
typedef struct endo_blend_view {
    int x, y, width, height;
    void *pixels;
    uint8_t *painted;
    uint16_t *coverage;
} endo_blend_view;

endo_status endo_blend_finish(const endo_blend *blend, const endo_blend_view *view);

#endif
