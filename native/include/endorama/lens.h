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
 * r = 1 that is the distortion as photographers give it: how much further from the middle than it should be the lens shows what
 * it shows at half of the longer side, % of that; of a barrel it is nearer, below 0. The middle keeps its size. */
typedef struct endo_lens endo_lens;

/* width, height: px, 1..32767 each. percent: -ENDO_LENS_MAX_PERCENT..ENDO_LENS_MAX_PERCENT; 0: frames stay as they are. On the
 * CPU it takes six bytes a pixel. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_create(endo_context *context, int width, int height, double percent,
                                                     endo_lens **out);
ENDO_API void endo_lens_destroy(endo_lens **lens);

/* The frame without the distortion. Where the lens shows a pixel is rounded to 32nds of a pixel, and a value there is the
 * cubic (Catmull and Rom) of the 4 x 4 pixels about it; beyond its border a frame goes on as it ends. A pixel whose position
 * lies further than half a pixel outside is not shown, and black. Alpha: 255.
 * pixels and out: height rows of width pixels of a type, stride and out_stride apart (pixels, at least the width); they must
 * not overlap. Every back end, instruction set and number of threads gives the same bytes. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_undistort(endo_lens *lens, const void *pixels, endo_pixel type, ptrdiff_t stride,
                                                        void *out, ptrdiff_t out_stride);

/* A mask of frames as it lies on them without the distortion: each pixel has what the mask has nearest to where the lens shows
 * it, and 0 where it does not. shown: width*height bytes, dense; NULL: 255 all over. mask: the same; must not overlap it.
 * Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_lens_mask(const endo_lens *lens, const uint8_t *shown, uint8_t *mask);

#ifdef __cplusplus
}
#endif
#endif
