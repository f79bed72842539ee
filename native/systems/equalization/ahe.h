/* Adaptive equalization: what is common to all back ends. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_AHE_H
#define ENDO_SYSTEMS_AHE_H

#include "backend/objects.h"

/* An image and the output of its equalized region. */
typedef struct endo_ahe_image {
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
    endo_region region;
    void *out;
    ptrdiff_t out_stride;
} endo_ahe_image;

endo_status endo_ahe_run(endo_context *context, const endo_ahe_image *image, const endo_ahe_options *options);

#endif
