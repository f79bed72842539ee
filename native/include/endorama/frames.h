/* Frame stores: frames of one size in the memory of a back end. */
#ifndef ENDORAMA_FRAMES_H
#define ENDORAMA_FRAMES_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A store of frames of one size in the memory of the context's back end. A frame is copied in once
 * and is then known by its slot, 0..capacity-1. What is derived from it (the equalized grey image, the
 * flow pyramid, ...) is made when a call first needs it, and kept until another frame is put there. */
typedef struct endo_frames endo_frames;

#define ENDO_HIGHLIGHTS_REFINING 2

typedef struct endo_frames_options {
    int width, height;    /* px, 1..32767; default 0: to be set */
    endo_pixel type;      /* default ENDO_GREY8 */
    int capacity;         /* slots, 1..65536; default 0: to be set */
    const uint8_t *field; /* field of view, width*height bytes, 0 = outside; NULL (default) = every pixel.
                             Copied; the caller's mask is not needed afterwards */
    int rim;              /* erode_rim: painting leaves out rim / 2 pixels, rounded down, along the field's edge,
                             on every side alike: 0 and 1 none, the default 8 leaves out 4. 0..1000 */
    int iir;              /* a_IIR: time constant in pixels of the recursive smoothing subtracted
                             before differencing, 0 (none) .. 255; default 4 */
    int highlights;       /* specular pixels take no part: 1: in matching; ENDO_HIGHLIGHTS_REFINING: in spectra, and
                             in what ENDO_METHOD_BEST refines and judges pairs on; default 0: they do */
    int flow;             /* 1 (default): frames can be asked for their optical flow */
    int keep_pixels;      /* 1 (default): keep the original pixels for painting */
    int low, high;        /* 16 bit: the grey values that become 0 and 255 for matching, low < high;
                             default 0, 65535 */
    int enhance;          /* matching works on grey images that are equalized in windows of this side, odd,
                             3..1023 (endorama/ahe.h); painting and quality on the originals. 0 (default): no */
    double enhance_limit; /* contrast limit of that: 0 (default, none) or above 1, up to 1000 */
    const int16_t *pattern; /* what stands still on the sensor (endorama/pattern.h), width*height grey values,
                               -255..255: taken out of the grey image that matching and quality work on, before
                               `enhance`, saturating at 0 and 255, where pixels stay (they were cut off there);
                               painting has the pixels as they are. Copied. NULL (default): none */
} endo_frames_options;

ENDO_API void endo_frames_options_init(endo_frames_options *options);
static inline endo_frames_options endo_frames_options_default(void) {
    endo_frames_options options;
    endo_frames_options_init(&options);
    return options;
}

/* An empty store, which belongs to the context. Errors: ARGUMENT (an option out of its range: the message has the value
 * and what is allowed); MEMORY (of the host or the device); DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_create(endo_context *context,
                                                       const endo_frames_options *options,
                                                       endo_frames **out);
ENDO_API void endo_frames_destroy(endo_frames **frames);

/* Width and height of the store's frames, px; 0 for NULL. */
ENDO_API void endo_frames_get_size(const endo_frames *frames, int *width, int *height);

/* What frames are put for: grey images to compare; the first pass of a blend; canvases, and both passes of a blend. */
typedef enum endo_use { ENDO_USE_MATCHING = 1, ENDO_USE_SURVEY = 2, ENDO_USE_PAINTING = 4, ENDO_USE_ANY = 7 } endo_use;

/* What the frames are for that are put from now on, one use or the sum of several; ENDO_USE_ANY in a new store. A back end
 * need not keep, or make, what serves none of them. A frame is refused for another use (ARGUMENT), as an empty slot is, until
 * it is put again. Errors: ARGUMENT (uses: 1..7). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put_for(endo_frames *frames, int uses);

/* Copies one image (the store's size and type) into a slot, whose old image is replaced. stride >= width. Errors:
 * ARGUMENT (slot, stride); MEMORY; DEVICE. On failure the slot is as it was.
 * One other thread than that of the context's calls may put frames while a call works, into slots that the call is not
 * about; on a device their way there then takes no time of the call's.
 * Grey of a colour pixel: (77 R + 150 G + 29 B + 128) >> 8. Grey of a 16-bit pixel v:
 * clamp(floor((v - low) * 255 / (high - low) + 1/2), 0, 255). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put(endo_frames *frames, int slot, const void *pixels,
                                                    ptrdiff_t stride);

/* Copies n images at once, pixels[i] into slots[i]: several threads share them, where a single image is soon copied. Errors:
 * as above; ARGUMENT also where a slot comes twice. On failure each slot has its old image or its new one. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put_list(endo_frames *frames, const int32_t *slots, size_t n,
                                                         const void *const *pixels, ptrdiff_t stride);

/* Reads back the grey image that matching uses: width*height bytes, dense. Errors: ARGUMENT (slot; nothing was put
 * there); MEMORY; DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_get_grey(const endo_frames *frames, int slot, uint8_t *grey);

#ifdef __cplusplus
}
#endif
#endif
