/* Local bitmaps of a frame (docs/algorithms/exposures.md, Second opinion): each pixel is white, black or neither against the
 * mean of the square around it. An exposure changes grey levels but not which of two neighbours is the brighter one, so that
 * such bitmaps hardly depend on response, clipping, vignetting or light that changes across the image. A batch counts where
 * the bitmaps of two frames agree under a shift. Integers throughout. */
#ifndef ENDO_RULES_LOCAL_BITMAPS_H
#define ENDO_RULES_LOCAL_BITMAPS_H

#include "base/host_device.h"
#include "exposure_thresholds.h"

#include <stdint.h>

/* Bitmaps of the frame itself, and of the frame shrunken. */
typedef enum endo_bitmap_scale { ENDO_BITMAP_WHOLE, ENDO_BITMAP_SMALL, ENDO_BITMAP_SCALES } endo_bitmap_scale;

/* The largest factor by which a frame is shrunken, and pixels that its shorter side keeps at least. */
#define ENDO_BITMAP_FACTOR 4
#define ENDO_BITMAP_SHORTER 40
/* Side of the square, px: of the frame, and of the shrunken one. Powers of two up to 16: 16 * 16 * 255 fits into 16 bits. */
#define ENDO_BITMAP_SIDE 16
#define ENDO_BITMAP_SMALL_SIDE 8
/* Rows of the current frame that are compared, about. */
#define ENDO_BITMAP_ROWS 240
#define ENDO_BITMAP_SMALL_ROWS 60

/* Sizes of the bitmaps of a scale. */
typedef struct endo_bitmap_layout {
    int32_t factor;        /* a pixel is the rounded mean of factor x factor pixels of the frame */
    int32_t width, height; /* px */
    int32_t side;          /* of the square, px. The pixel is the first one behind its middle */
    int32_t area_bits;     /* logarithm of the square's pixels to base 2 */
    int32_t step;          /* every step-th row of the current frame is compared, from row 0 on */
} endo_bitmap_layout;

/* What a call compares. */
typedef struct endo_bitmap_setup {
    endo_bitmap_scale scale;
} endo_bitmap_setup;

/* Pixel (x, y) of the current frame lies at (x + dx, y + dy) in the reference. */
typedef struct endo_bitmap_request {
    int32_t reference, current; /* slots */
    int32_t dx, dy;             /* px of the scale */
} endo_bitmap_request;

/* Pixels of the rows compared that lie in both frames: all; of these black or white in the reference, in the current frame, in
 * both; and equal less unequal ones of the last. */
typedef struct endo_bitmap_overlap {
    int32_t pixels;
    int32_t reference;
    int32_t current;
    int32_t both;
    int32_t excess;
} endo_bitmap_overlap;

ENDO_HD int32_t endo_bitmap_factor(int32_t width, int32_t height) {
    int32_t factor = (width < height ? width : height) / ENDO_BITMAP_SHORTER;
    return factor < 1 ? 1 : factor > ENDO_BITMAP_FACTOR ? ENDO_BITMAP_FACTOR : factor;
}

ENDO_HD endo_bitmap_layout endo_bitmap_layout_of(int32_t width, int32_t height, endo_bitmap_scale scale) {
    int small = scale == ENDO_BITMAP_SMALL;
    endo_bitmap_layout l;
    l.factor = small ? endo_bitmap_factor(width, height) : 1;
    l.width = width / l.factor;
    l.height = height / l.factor;
    l.side = small ? ENDO_BITMAP_SMALL_SIDE : ENDO_BITMAP_SIDE;
    l.area_bits = small ? 6 : 8;
    l.step = endo_exposure_row_step(l.height, small ? ENDO_BITMAP_SMALL_ROWS : ENDO_BITMAP_ROWS);
    return l;
}

/* The rounded mean of factor x factor pixels, from their sum. */
ENDO_HD int32_t endo_bitmap_shrunken(const endo_bitmap_layout *l, int32_t sum) {
    int32_t area = l->factor * l->factor;
    return (sum + area / 2) / area;
}

/* The rounded mean of a square, from the sum of its pixels. */
ENDO_HD int32_t endo_bitmap_mean(const endo_bitmap_layout *l, int32_t sum) {
    return (sum + (1 << (l->area_bits - 1))) >> l->area_bits;
}

/* Columns and rows of the current frame that a shift leaves: from, and behind the last one. */
typedef struct endo_bitmap_range {
    int32_t left, right, top, bottom;
} endo_bitmap_range;

/* top is a row that is compared; the next ones are l->step apart. */
ENDO_HD endo_bitmap_range endo_bitmap_range_of(const endo_bitmap_layout *l, int32_t dx, int32_t dy) {
    endo_bitmap_range r;
    r.left = dx < 0 ? -dx : 0;
    r.right = dx < 0 ? l->width : l->width - dx;
    r.top = dy < 0 ? (l->step - 1 - dy) / l->step * l->step : 0;
    r.bottom = dy < 0 ? l->height : l->height - dy;
    return r;
}

/* Rows compared; 0 where nothing overlaps. */
ENDO_HD int32_t endo_bitmap_rows(const endo_bitmap_layout *l, const endo_bitmap_range *r) {
    return r->bottom > r->top && r->right > r->left ? (r->bottom - r->top + l->step - 1) / l->step : 0;
}

#endif
