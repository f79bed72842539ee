/* Overlays of a sequence: text and logos, whose edges stand still while the scene moves. */
#ifndef ENDO_SYSTEMS_FIELD_OVERLAY_H
#define ENDO_SYSTEMS_FIELD_OVERLAY_H

#include "include/endorama.h"

typedef struct endo_field_overlay {
    int width, height, frames;
    int8_t *least[3], *most[3]; /* range of slopes across and down, and of greys, over the frames; halves of a level */
    uint64_t edges;             /* pixels of edges in all frames */
} endo_field_overlay;

/* To be freed with endo_overlay_free, on failure too. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_overlay_make(int width, int height, endo_field_overlay *out);
void endo_overlay_free(endo_field_overlay *overlay);

/* Takes a row of a frame, dense; returns how many pixels of edges it has. Threads may take different rows; the first and the
 * last row are ignored. cpu: the limit of the instruction sets. */
uint64_t endo_overlay_take_row(endo_field_overlay *overlay, const uint8_t *grey, int y, endo_cpu cpu);
/* Counts n frames, all rows of which were taken, with so many pixels of edges. */
void endo_overlay_count(endo_field_overlay *overlay, int n, uint64_t edges);

/* Takes overlays from a region; *carved: 1 if there were any, else 0. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_overlay_carve(const endo_field_overlay *overlay, uint8_t *region, int *carved);

#endif
