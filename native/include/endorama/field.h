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
                              with an overlay or beside a panel */
} endo_field_shape;

typedef struct endo_field_info {
    int64_t shape;                /* endo_field_shape */
    double x, y, radius;          /* centre and radius of the circle, px; 0 for the other shapes */
    int left, top, right, bottom; /* bounding box of the field, inclusive */
} endo_field_info;

/* Takes the maximum of `brightest` and the grey values of an image, width x height each; begin with zeros. Called for some
 * frames of a sequence: a pixel outside the field of view stays dark in all of them. Computed on the CPU by the threads of the
 * context; the bytes do not depend on their number. Grey as in endo_frames_put; 16 bit is scaled from low..high.
 * brightest: width*height bytes, dense. Errors: ARGUMENT (sides are 1..32767; type; stride; a grey range that does not
 * grow). */
ENDO_API ENDO_NODISCARD endo_status endo_field_accumulate(endo_context *context, const endo_image *image, int low, int high,
                                                          uint8_t *brightest);

/* Finds the endoscope's field of view in an accumulated image: its bright region, whatever the shape, with a smooth border
 * one to three pixels inside the rim. Sides longer than 640 px are sampled at every second pixel, beyond 1280 at every third,
 * and so on; the border then lies as many times further inside. Marks in the surround are ignored, and holes filled; dark
 * pixels at the rim, such as a notch, stay outside.
 * mask: width*height bytes, 255 inside, 0 outside. An image without a dark surround, or dark all over,
 * gives ENDO_FIELD_WHOLE. Errors: ARGUMENT (sides are 1..32767); MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_detect(const uint8_t *brightest, int width, int height,
                                                      uint8_t *mask, endo_field_info *info);

/* Finds the field of view of a sequence from some frames, spread over it: the pixels that several of them show bright (one of
 * up to three frames, two from four on, three from seven on), as by endo_field_detect. Tissue in the shade at the rim is
 * inside as soon as so many frames show it. Where the frames show circles, the field is the intersection of all of them, since
 * the circle of some scopes moves a little; circles far from the median (by a sixteenth of the longer side, in position or
 * radius) are left out where they are a third at most. Where most frames show no dark surround the field is the whole image.
 * From twelve frames on, what stands still while the scene moves is left out, with some pixels around it: text and logos, and
 * panels of a 400th of the image or more that are not dark, such as the window of a viewer or a patient's data. Shapes of frames
 * that endo_field_finder_find has judged before panels were found are not judged again.
 * context, type, width, height, low and high as in endo_field_accumulate. */
typedef struct endo_field_finder endo_field_finder;

/* Errors: ARGUMENT (as endo_field_accumulate), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_create(endo_context *context, endo_pixel type, int width,
                                                             int height, int low, int high, endo_field_finder **out);
ENDO_API void endo_field_finder_destroy(endo_field_finder **finder);
/* Takes one frame in. Errors: ARGUMENT (stride), MEMORY; the finder is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_add(endo_field_finder *finder, const void *pixels,
                                                          ptrdiff_t stride);
/* Finds the field; mask and info as in endo_field_detect. Without any frame: the whole image. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_find(const endo_field_finder *finder, uint8_t *mask,
                                                           endo_field_info *info);

#ifdef __cplusplus
}
#endif
#endif
