/* Checks of transforms that several entry points make. */
#ifndef ENDO_API_TRANSFORM_H
#define ENDO_API_TRANSFORM_H

#include "base/transform.h"

/* Checks that a class is valid. `what` begins the message. */
endo_status endo_check_class(const char *what, int64_t kind);

/* Checks that n transforms are affine; their numbers are checked when they are inverted. */
endo_status endo_check_affine(const char *what, const endo_transform *transforms, size_t n);

/* Checks that the panorama's origin on a canvas is within +-2^21. */
endo_status endo_check_origin(const char *what, int x, int y);

#endif
