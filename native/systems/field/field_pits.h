/* Dark parts of the scene at the border of the field, such as the end of a lumen: the field of a scope has no bays but those that
 * stand still. */
#ifndef ENDO_SYSTEMS_FIELD_PITS_H
#define ENDO_SYSTEMS_FIELD_PITS_H

#include "include/endorama.h"

/* sums: greys of all frames added up, width x height. disc: 255 in the circle that bounds the region; NULL: it has none. region:
 * 255 in the bright region; bays of it that are parts of the scene become 255. Errors: MEMORY. */
ENDO_NODISCARD endo_status endo_field_fill_pits(const uint32_t *sums, int width, int height, const uint8_t *disc,
                                                uint8_t *region);

#endif
