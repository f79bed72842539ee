/* The distortion of a lens, taken out of frames. */
#ifndef ENDORAMA_LENS_H
#define ENDORAMA_LENS_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest distortion, either way, %. */
#define ENDO_LENS_MAX_PERCENT 40

/* A lens, for frames of one size. With r the distance of a pixel from the frame's middle over half of the longer side, it
 * shows at r what lies at r / (1 + lambda r^2) in a frame without distortion (division model); lambda = percent / 100. At
 * r = 1 this is the distortion as photographers give it: how far a point is moved away from the middle, in percent of its
 * undistorted distance; negative for a barrel. The scale at the middle is kept. */
typedef struct endo_lens endo_lens;

/* Creates a lens. width, height: px, 1..32767 each. percent: -ENDO_LENS_MAX_PERCENT..ENDO_LENS_MAX_PERCENT; 0: frames stay as
 * they are. A lens on the CPU takes six bytes a pixel. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_create(endo_context *context, int width, int height, double percent,
                                                     endo_lens **out);
ENDO_API void endo_lens_destroy(endo_lens **lens);

/* Takes the distortion out of a frame. Positions in the frame are rounded to 1/32 px, and values are interpolated by the
 * cubic (Catmull and Rom) of the 4 x 4 pixels around; beyond its border a frame repeats its outermost pixels. A pixel whose
 * position lies further than half a pixel outside is black. Alpha: 255.
 * pixels and out: height rows of width pixels of a type, stride and out_stride apart (pixels, at least the width); they must
 * not overlap. Every back end, instruction set and number of threads gives the same bytes. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_undistort(endo_lens *lens, const void *pixels, endo_pixel type, ptrdiff_t stride,
                                                        void *out, ptrdiff_t out_stride);

/* Takes the distortion out of a mask: each pixel has the value of the nearest pixel of the mask, and 0 where its position lies
 * outside the frame. shown and mask: width*height bytes each, dense, which must not overlap; shown NULL: all 255.
 * Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_mask(const endo_lens *lens, const uint8_t *shown, uint8_t *mask);

#ifdef __cplusplus
}
#endif
#endif
