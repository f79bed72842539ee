/* Panels of a sequence: what stands still, grey or bright, while the scene moves, such as the window of a viewer around the
 * picture, a panel with a patient's data beside it, or a frozen picture in its corner. */
#ifndef ENDO_SYSTEMS_FIELD_PANELS_H
#define ENDO_SYSTEMS_FIELD_PANELS_H

#include "field_overlay.h"

/* What frames show, on their way to panels: the first one's greys, and how many of the others differ from them. */
typedef struct endo_field_changes {
    int width, height;
    uint8_t *first, *changed; /* dense; counts up to 255 */
} endo_field_changes;

/* To be freed with endo_changes_free, on failure too. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_changes_make(int width, int height, endo_field_changes *out);
void endo_changes_free(endo_field_changes *changes);

/* Takes a row of frame `frame`, numbered from 0, dense. Threads may take different rows. */
void endo_changes_take_row(endo_field_changes *changes, const uint8_t *grey, int frame, int y);

/* panels: 255 where a panel is, with what is next to it, else 0. ranges: of the same frames. *found: 1 if there are any. Errors:
 * MEMORY. */
ENDO_NODISCARD endo_status endo_panels_find(const endo_field_changes *changes, const endo_field_overlay *ranges, uint8_t *panels,
                                            int *found);

#endif
