/* The field of view in an accumulated image. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FIELD_H
#define ENDO_SYSTEMS_FIELD_H

#include "../include/endorama.h"

/* One frame, as endo_field_accumulate takes it. */
typedef struct endo_field_image {
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
    int low, high;
} endo_field_image;

/* Raises brightest, dense, to the frame's grey values. */
void endo_field_brighten(const endo_field_image *image, int threads, uint8_t *brightest);

/* endo_field_detect. */
endo_status endo_field_find(const uint8_t *brightest, int width, int height, uint8_t *mask, endo_field_info *info);

#endif
