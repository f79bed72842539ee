/* The endoscope's field of view: found in frames without their help. */
#ifndef ENDORAMA_FIELD_H
#define ENDORAMA_FIELD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum endo_field_shape {
    ENDO_FIELD_WHOLE = 0, /* no dark surround: every pixel */
    ENDO_FIELD_CIRCLE = 1, /* a bright circle, perhaps cut by the borders of the image or of the
                              sensor, or by notches */
    ENDO_FIELD_OTHER = 2   /* a bright region of another shape: bowed sides, cut corners, a letterbox; or a whole image
                              with something drawn over it */
} endo_field_shape;

typedef struct endo_field_info {
    int64_t shape;                /* endo_field_shape */
    double x, y, radius;          /* circle; 0 if it is none */
    int left, top, right, bottom; /* bounding box of the field, inclusive */
} endo_field_info;

/* brightest[] = max(brightest[], grey of the image), width x height each; start from zeros. Feed it
 * some frames of a sequence: a pixel outside the field of view stays dark in all of them. On as many threads of the
 * CPU as the context has, whatever computes for it else; the bytes do not depend on them.
 * Grey: RGB by ENDO grey weights (see endo_frames_put); 16 bit scaled from low..high.
 * brightest: width*height bytes, dense. Errors: ARGUMENT (sides are 1..32767; type; stride; a grey range that does not
 * grow). */
ENDO_API ENDO_NODISCARD endo_status endo_field_accumulate(endo_context *context, const endo_image *image, int low, int high,
                                                          uint8_t *brightest);

/* Finds the endoscope's field of view in an accumulated image: its bright region, whatever the shape, with a smooth border
 * one to three pixels inside the rim. Of sides longer than 640 every second pixel is looked at, beyond 1280 every third, and so
 * on; the border is as many times further inside. Marks in the surround are passed over, and holes filled; what is dark at the
 * rim, as a notch is, stays outside.
 * mask: width*height bytes, 255 inside, 0 outside. An image without a dark surround, or dark all over,
 * gives ENDO_FIELD_WHOLE. Errors: ARGUMENT (sides are 1..32767); MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_detect(const uint8_t *brightest, int width, int height,
                                                      uint8_t *mask, endo_field_info *info);

/* The field of view of a sequence: give it some frames, spread over the sequence, then ask. It is what several of them show
 * bright (one of up to three frames, two from four on, three from seven on), as by endo_field_detect: tissue in the shade at
 * the rim is inside as soon as so many frames show it. Where they show circles, it is what lies in all of them: the circle of
 * some scopes moves a little; circles far from the median (by a sixteenth of the longer side, in place or radius) are left
 * out where they are a third at most. Where most frames show no dark surround it is the whole image. From twelve frames on
 * text and logos that stand still while the scene moves are taken from it, with three pixels around them.
 * context, type, width, height, low and high as in endo_field_accumulate. */
typedef struct endo_field_finder endo_field_finder;

/* Errors: ARGUMENT (as endo_field_accumulate), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_create(endo_context *context, endo_pixel type, int width,
                                                             int height, int low, int high, endo_field_finder **out);
ENDO_API void endo_field_finder_destroy(endo_field_finder **finder);
/* One frame votes. Errors: ARGUMENT (stride), MEMORY; the finder is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_add(endo_field_finder *finder, const void *pixels,
                                                          ptrdiff_t stride);
/* mask and info as in endo_field_detect. Without any frame: the whole image. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_find(const endo_field_finder *finder, uint8_t *mask,
                                                           endo_field_info *info);

#ifdef __cplusplus
}
#endif
#endif
