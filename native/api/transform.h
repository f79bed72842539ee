/* Checks of transforms that several entry points make. */
#ifndef ENDO_API_TRANSFORM_H
#define ENDO_API_TRANSFORM_H

#include "base/transform.h"

/* A class that is one. `what` begins the message. */
endo_status endo_check_class(const char *what, int64_t kind);

/* The same for what takes no homographies yet. */
endo_status endo_check_no_homography(const char *what, int64_t kind);

/* n transforms for what takes affine maps. Their numbers are left to whoever inverts them. */
endo_status endo_check_affine(const char *what, const endo_transform *transforms, size_t n);

/* The panorama's origin on a canvas: within +-2^21. */
endo_status endo_check_origin(const char *what, int x, int y);

#endif
