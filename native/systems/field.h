/* What the two files of the field of view share. */
#ifndef ENDO_FIELD_H
#define ENDO_FIELD_H

#include "../objects.h"

/* The arguments that say what frames are like (endo_field_accumulate). */
endo_status endo_field_check_image(endo_pixel type, int width, int height, int low, int high);

#endif
