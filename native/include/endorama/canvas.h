/* Canvases: where registered frames are painted into a panorama. */
#ifndef ENDORAMA_CANVAS_H
#define ENDORAMA_CANVAS_H

#include "frames.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_canvas endo_canvas;

typedef enum endo_painting {
    ENDO_PAINT_RING = 1, /* XMethod 1: only pixels that nothing has painted yet */
    ENDO_PAINT_UNION = 2 /* XMethod 2: every pixel that the frame reaches */
} endo_painting;

/* An unpainted (all zero) canvas of width x height pixels, each 1..2^20, at most 2^40 together. Memory is taken in tiles as
 * the canvas is painted, and kept until endo_canvas_destroy: an unpainted canvas costs next to nothing, whatever its size.
 * Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_create(endo_context *context, endo_pixel type, int width,
                                                       int height, endo_canvas **out);
ENDO_API void endo_canvas_destroy(endo_canvas **canvas);

/* Changes the size: the pixel (x, y) moves to (x + dx, y + dy), pixels that leave the canvas are lost, new ones are unpainted.
 * Growing copies nothing, on whichever side. On failure the canvas is as before. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_resize(endo_canvas *canvas, int width, int height, int dx,
                                                       int dy);

/* Makes the whole canvas unpainted; the memory is kept for what is painted next. Errors: ARGUMENT, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_clear(endo_canvas *canvas);

/* Paints frames of the store at their poses, in order, bilinear, inside the field eroded by the store's rim. The pixels do not
 * depend on the origin of the canvas. Store and canvas must have the same context and pixel type, the store keep_pixels = 1.
 * Errors: ARGUMENT (also weights or gains, which only blends take; a transform that cannot be inverted; a homography with a
 * denominator that is not positive, or whose step in the frame changes by more than 3/4 px from one pixel of the canvas to the
 * next): nothing is painted; MEMORY (too little for the tiles that a frame reaches: only the frames before it are painted),
 * DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_paint(endo_canvas *canvas, const endo_frames *frames,
                                                      const endo_posed_frames *posed, endo_painting painting);

/* Reads a rectangle that lies in the canvas. pixels: width*height of the canvas's type, dense.
 * painted: width*height bytes, 255 where painted; may be NULL. Errors: ARGUMENT (a rectangle that does not lie in the
 * canvas), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_read(endo_canvas *canvas, int x, int y, int width, int height,
                                                     void *pixels, uint8_t *painted);

#ifdef __cplusplus
}
#endif
#endif
