/* Blends: frames of known poses, painted together into one panorama of even light without seams. */
#ifndef ENDORAMA_BLEND_H
#define ENDORAMA_BLEND_H

#include "frames.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A blend takes every frame twice. The first pass finds, in cells of 4 x 4 px of the panorama, the mean of all frames and the
 * score of the frame that sees the cell best. The second pass paints: each pixel is a mean of the few frames that see it best
 * (narrow weights keep details sharp and double nothing; where the best observation agrees with the first pass, weights below a
 * 64th of the largest are 0), and a frame that differs there from the first pass (a highlight, an instrument) hardly counts.
 * The panorama has the details of the narrow mean and the light of the mean of all frames (two bands, after Burt and Adelson, A
 * multiresolution spline with application to image mosaics, ACM Transactions on Graphics 2(4), 1983). Where a highlight leaves
 * a hole in what the best frames show, the other frames, which paint it, are lifted to the brightness around.
 *
 * The score of a frame at a pixel is its depth, the distance to the edge of the field, times the weight of the frame.
 * Near-clipped pixels and their neighbours (a block of 4 x 4 px and those around it) count next to nothing, but are painted
 * where nothing else is seen; parts that endo_frames_hide names likewise. A pixel is painted only where the 16 pixels of the
 * frame around its position lie in the field less the store's rim. The arithmetic is integer: the same bytes on every back end
 * and number of threads, in any order of frames, as long as no pixel is seen by more than 128 of its best frames (2048 in the
 * first pass): later ones do not count. */
typedef struct endo_blend endo_blend;

typedef enum endo_interpolation {
    ENDO_INTERPOLATION_LINEAR = 0,
    ENDO_INTERPOLATION_CUBIC = 1 /* Catmull-Rom, saturating at the ends of the range */
} endo_interpolation;

typedef struct endo_blend_options {
    endo_interpolation interpolation; /* default ENDO_INTERPOLATION_CUBIC */
    int votes;                        /* 1 (default): pixels unlike the first pass hardly count; 0: they count as the rest */
    int shrink;                       /* panoramas much smaller than their frames would alias: they are blended shrink times as
                                         large along each side, and each pixel read is the mean of shrink x shrink; 1..8,
                                         default 1. All coordinates are those of the panorama as it is read */
} endo_blend_options;

ENDO_API void endo_blend_options_init(endo_blend_options *options);
static inline endo_blend_options endo_blend_options_default(void) {
    endo_blend_options options;
    endo_blend_options_init(&options);
    return options;
}

/* An empty blend of width x height pixels, each 1..2^20, in its first pass. Memory is taken where frames reach the blend, in
 * tiles: 21 bytes a pixel (13 for 8-bit grey; with shrink: a pixel that is blended), and is kept until endo_blend_destroy.
 * With shrink neither side may be above 2^20 / shrink. options: NULL for the default.
 * Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_create(endo_context *context, endo_pixel type, int width, int height,
                                                      const endo_blend_options *options, endo_blend **out);
ENDO_API void endo_blend_destroy(endo_blend **blend);

/* Sets the factors by which the pixels of every frame that is added from now on are multiplied, in 1/4096, 1..16383 each;
 * towards white (from 247 of 255 in the brightest channel on) they and the gains are drawn to 1:
 * width*height of them, dense, the size of the frames. NULL: no correction (width and height are ignored). The plane is copied.
 * Errors: ARGUMENT; MEMORY, DEVICE: the blend then has no correction. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_set_correction(endo_blend *blend, const uint16_t *correction, int width,
                                                              int height);

/* Adds frames of the store at their poses to the present pass. Both passes must get the same frames with the same poses,
 * weights and gains. Store and blend must have the same context and pixel type, the store keep_pixels = 1. Corrected pixels
 * saturate at twice the largest value. Errors: ARGUMENT (a transform that cannot be inverted; a homography with a denominator
 * that is not positive, or whose step in the frame changes by more than 3/4 px from one pixel of the panorama to the next;
 * frames that differ in size from the correction): nothing is added; MEMORY (too little for the tiles that a frame reaches:
 * the frames before it are added), DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_add(endo_blend *blend, const endo_frames *frames,
                                                   const endo_posed_frames *posed);

/* Ends the first pass and begins the second. Errors: ARGUMENT (the second has begun), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_next_pass(endo_blend *blend);

/* The caller's memory for a rectangle of a panorama: width*height numbers each, dense; NULL: not wanted. */
typedef struct endo_panorama_planes {
    void *pixels;          /* of the type of the frames; 0 where nothing is painted */
    uint8_t *painted;      /* 255 where painted, else 0 */
    uint16_t *coverage;    /* numbers of frames that reach the pixel, at most 65535 */
    uint16_t *uncertainty; /* of a mosaic: standard deviation of the pixel's position, 1/100 px of the first frame, 1..65534;
                              65535 where it is not known, 0 where nothing is painted. A blend knows none: NULL */
} endo_panorama_planes;

/* Reads a rectangle that lies in the blend, as the frames that were added so far in the second pass paint it. `pixels` must not
 * be NULL, `uncertainty` must be. Takes up to 50 MB of the back end's memory while it reads; a device that has not as much left
 * reads in smaller pieces. A pixel depends on what lies up to 96 px from its cell (20 px where no highlight leaves a hole): a
 * blend of a region of a larger panorama, whose origin differs by multiples of 4, has the same bytes except within that
 * distance of its borders. Errors: ARGUMENT, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_read(endo_blend *blend, const endo_rectangle *rectangle,
                                                    const endo_panorama_planes *planes);

/* Measures how much detail a frame shows: a blurred frame has less than its neighbours, and may be given a lower weight. The
 * measure is the mean second difference of sums of two pixels, two apart, over the mean grey value (of colour: green), in
 * evenly spaced rows, at least 64 of them where the frame has so many; 0 where nothing is seen. width, height: px, 1..32767.
 * Errors: ARGUMENT (NULL, the type, a side, stride); *details is then as it was. */
ENDO_API ENDO_NODISCARD endo_status endo_blend_details(endo_pixel type, int width, int height, const void *pixels,
                                                       ptrdiff_t stride, double *details);

#ifdef __cplusplus
}
#endif
#endif
