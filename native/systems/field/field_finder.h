/* The field of view of a sequence, by the votes of its frames. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FIELD_FINDER_H
#define ENDO_SYSTEMS_FIELD_FINDER_H

#include "backend/objects.h"
#include "field.h"

/* like: a frame without its pixels. */
endo_status endo_finder_make(const endo_context *context, const endo_field_image *like, endo_field_finder **out);
void endo_finder_free(endo_field_finder *finder);

/* Frames are handled together, one a thread, when several wait or at endo_finder_decide. */
endo_status endo_finder_take(endo_field_finder *finder, const void *pixels, ptrdiff_t stride);
int endo_finder_width(const endo_field_finder *finder);

endo_status endo_finder_decide(endo_field_finder *finder, uint8_t *mask, endo_field_info *info);

#endif
