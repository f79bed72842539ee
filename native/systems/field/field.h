/* The field of view in an accumulated image. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FIELD_H
#define ENDO_SYSTEMS_FIELD_H

#include "field_border.h"

/* One frame, as endo_field_accumulate takes it. */
typedef struct endo_field_image {
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
    int low, high;
} endo_field_image;

/* Sets a row of grey values, as wide as the frame. cpu: the limit of the instruction sets. */
void endo_field_grey_row(const endo_field_image *image, int y, endo_cpu cpu, uint8_t *grey);

/* Raises brightest, dense, to the frame's grey values. */
void endo_field_brighten(const endo_field_image *image, int threads, endo_cpu cpu, uint8_t *brightest);

/* The image's grey values on a grid of its pixels: columns x rows, dense. */
void endo_field_sample(const endo_field_image *image, const endo_field_grid *grid, int threads, endo_cpu cpu, uint8_t *grey);

/* Converts a circle from pixels of the grid to those of the frame. */
void endo_field_enlarge(const endo_field_grid *grid, endo_field_info *info);

/* Draws the mask of a region; the bounding box and radius of info become those of the mask. A region of which nothing is
 * left within its rim gives the whole image. */
endo_status endo_field_finish(const endo_field_grid *grid, uint8_t *region, endo_field_info *info, int threads,
                              uint8_t *mask);

/* endo_field_detect. */
endo_status endo_field_find(const uint8_t *brightest, int width, int height, uint8_t *mask, endo_field_info *info);

#endif
