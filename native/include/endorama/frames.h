/* Frame stores: frames of one size in the memory of a back end. */
#ifndef ENDORAMA_FRAMES_H
#define ENDORAMA_FRAMES_H

#include "context.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A store of frames of one size in the memory of the context's back end. A frame is copied in once and is then known by its
 * slot, 0..capacity-1. Images derived from it (the equalized grey image, the flow pyramid, ...) are computed when a call
 * first needs them, and kept until another frame is put into the slot. */
typedef struct endo_frames endo_frames;

#define ENDO_HIGHLIGHTS_REFINING 2

typedef struct endo_frames_options {
    int width, height;    /* px, 1..32767; default 0: to be set */
    endo_pixel type;      /* default ENDO_GREY8 */
    int capacity;         /* slots, 1..65536; default 0: to be set */
    const uint8_t *field; /* field of view, width*height bytes, 0 = outside; NULL (default) = every pixel. The mask is
                             copied when the store is created */
    int rim;              /* erode_rim: painting leaves out rim / 2 pixels, rounded down, along the field's edge,
                             on every side alike: 0 and 1 none, the default 8 leaves out 4; 0..1000 */
    int iir;              /* a_IIR: time constant in pixels of the recursive smoothing subtracted
                             before differencing, 0 (none) .. 255; default 4 */
    int highlights;       /* where specular pixels are ignored: 1: in matching; ENDO_HIGHLIGHTS_REFINING: in spectra, and
                             where ENDO_METHOD_BEST refines and judges pairs; 0 (default): nowhere */
    int flow;             /* 1 (default): frames can be asked for their optical flow */
    int keep_pixels;      /* 1 (default): keep the original pixels for painting */
    int low, high;        /* 16 bit: the grey values that become 0 and 255 for matching, low < high;
                             default 0, 65535 */
    int enhance;          /* side of the windows in which grey images are equalized for matching, px, odd, 3..1023
                             (endorama/ahe.h); painting and quality use the originals. 0 (default): no equalization */
    double enhance_limit; /* contrast limit of the equalization: 0 (default, none) or above 1, up to 1000 */
    const int16_t *pattern; /* fixed pattern of the sensor (endorama/pattern.h), width*height grey values, -255..255:
                               subtracted from the grey image of matching and quality, before `enhance`, saturating
                               at 0 and 255; pixels of 0 and 255 stay, for they were clipped there. Painting uses the
                               pixels as they are. Copied when the store is created; NULL (default): none */
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

typedef enum endo_use {
    ENDO_USE_MATCHING = 1,   /* grey images are compared */
    ENDO_USE_FIRST_PASS = 2, /* the first pass of a blend */
    ENDO_USE_PAINTING = 4,   /* canvases, and both passes of a blend */
    ENDO_USE_ANY = 7
} endo_use;

/* Sets the uses of the frames that are put from now on, one endo_use or the sum of several; ENDO_USE_ANY in a new store. A back
 * end keeps and derives only images that one of these uses needs. A frame is refused for any other use (ARGUMENT), as an empty
 * slot is, until it is put again. Errors: ARGUMENT (uses: 1..7). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put_for(endo_frames *frames, int uses);

/* Copies one image (the store's size and type) into a slot, whose old image is replaced. stride >= width. Errors:
 * ARGUMENT (slot, stride); MEMORY; DEVICE. On failure the slot is as it was.
 * One thread other than that of the context's calls may put frames while a call works, or puts, into slots that these do not use;
 * copies to a device then overlap with the call.
 * Grey of a colour pixel: (77 R + 150 G + 29 B + 128) >> 8. Grey of a 16-bit pixel v:
 * clamp(floor((v - low) * 255 / (high - low) + 1/2), 0, 255). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put(endo_frames *frames, int slot, const void *pixels,
                                                    ptrdiff_t stride);

/* Copies n images, pixels[i] into slots[i], by several threads. Errors: as endo_frames_put; ARGUMENT also for a slot that is
 * named twice. On failure each slot has its old image or its new one. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put_list(endo_frames *frames, const int32_t *slots, size_t n,
                                                         const void *const *pixels, ptrdiff_t stride);

/* What a cell of a frame shows (endo_frames_hide). */
typedef enum endo_hiding {
    ENDO_SHOWN = 0,
    ENDO_PARTLY_HIDDEN = 1, /* perhaps: it counts an eighth */
    ENDO_HIDDEN = 2         /* something before the scene: it counts as little as can be */
} endo_hiding;

/* Most cells of endo_frames_hide. */
#define ENDO_MOST_HIDDEN 256

/* Tells blends which parts of the frame in a slot to leave to other frames, as an instrument that moves before the scene:
 * columns x rows cells over all of the frame, row by row, each an endo_hiding. All of them are painted where nothing else is
 * seen. Holds for the frames that are added to blends from now on, until another
 * frame is put into the slot. Errors: ARGUMENT (slot; nothing was put there; columns, rows: 1 or more, at most
 * ENDO_MOST_HIDDEN cells; a cell that is no endo_hiding). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_hide(endo_frames *frames, int slot, int columns, int rows,
                                                     const uint8_t *cells);

/* Makes n pixels of type ENDO_RGB32 of bytes of red, green and blue, as files and cameras have them. samples: bytes of a
 * pixel, 3..65535; those behind the third do not count. n * samples bytes are read, and the pixels must not lie among them.
 * Errors: ARGUMENT (NULL, also if n is 0; samples). */
ENDO_API ENDO_NODISCARD endo_status endo_colours_from_bytes(const uint8_t *bytes, int samples, size_t n, uint32_t *pixels);

/* Frames of a store, each at its pose in a panorama (endo_canvas_paint, endo_blend_add). */
typedef struct endo_posed_frames {
    const int32_t *slots;             /* n slots of the store; NULL only if n is 0 */
    const endo_transform *transforms; /* n of them, frame -> panorama, px: the denominators of a homography must be positive in
                                         all of the frame, and positions may err by 1/8 px; NULL only if n is 0 */
    const int32_t *weights;           /* blends: n numbers 1..256, 256 for the best frames; NULL: 256 each. Canvases: NULL */
    const int32_t *gains;             /* blends: three factors a frame, red, green and blue, in 1/4096, 1..16383 (grey: the
                                         first of the three); NULL: 4096 each. Canvases: NULL */
    size_t n;                         /* number of frames; 0: nothing happens */
    int origin_x, origin_y;           /* the pixel at which the panorama's point (0, 0) lies, each within +-2^21 */
} endo_posed_frames;

/* Reads back the grey image that matching uses: width*height bytes, dense. Errors: ARGUMENT (slot; nothing was put
 * there); MEMORY; DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_get_grey(const endo_frames *frames, int slot, uint8_t *grey);

#ifdef __cplusplus
}
#endif
#endif
