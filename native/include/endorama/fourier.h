/* Fourier registration: rotation, scale and translation between two images from their spectra.
 *
 * Source: [F] S. Sah, J. Vanek, Y. Roh, R. Wasnik, GPU Accelerated Real Time Rotation, Scale and Translation Invariant
 * Image Registration Method; section numbers refer to it. There are two modes:
 *
 *   paper    [F] and no more: spectra of the images at full size, one peak of the phase correlation of their log-polar
 *            magnitudes for rotation and scale, both of its 180-degree twins turned back, one peak for the shift.
 *   default  spectra of reduced images, high-passed and tapered at their borders; the best few log-polar peaks, each
 *            with its twin and best shifts, are compared by the correlation of the true overlap; where none
 *            holds, tiles of one image are compared with the whole other one, for large scales; then the transform is
 *            refined on the intensities down to the full size.
 *
 * Unlike [F], the shorter image is not resized to the other one: both are read pixel by pixel into spectra of one size,
 * so that a scale of 1 means pixels of the same size, whatever the sizes of the images. */
#ifndef ENDORAMA_FOURIER_H
#define ENDORAMA_FOURIER_H

#include "registration.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_FOURIER_MAX_SCALE 8.0
#define ENDO_FOURIER_MAX_CANDIDATES 16

typedef enum endo_fourier_window {
    ENDO_WINDOW_NONE = 0,
    ENDO_WINDOW_HANN = 1,
    ENDO_WINDOW_TUKEY = 2 /* flat but for an eighth of the image at each border */
} endo_fourier_window;

typedef enum endo_fourier_gradient {
    ENDO_GRADIENT_NONE = 0,    /* grey values less their mean */
    ENDO_GRADIENT_SOBEL = 1,   /* magnitude of the gradient by 3 x 3 kernels, as in [F] section 4 */
    ENDO_GRADIENT_HIGHPASS = 2 /* grey values less the mean of the 17 x 17 pixels around (near a border, of fewer) */
} endo_fourier_gradient;

typedef struct endo_fourier_options {
    endo_transform_class model;     /* TRANSLATION, RIGID or SIMILARITY (default) */
    double max_scale;               /* largest change of scale each way, 1..8; default 4; SIMILARITY only */
    double max_angle;               /* largest rotation each way, degrees, 0..180; default 180; not for TRANSLATION */
    endo_fourier_window window;     /* default ENDO_WINDOW_TUKEY; also tapers at the edge of the field of view */
    endo_fourier_gradient gradient; /* the image whose spectra are taken; default ENDO_GRADIENT_SOBEL */
    int refine;                     /* 1 (default): least squares on the intensities; 0: peaks interpolated between bins */
    int candidates;                 /* log-polar peaks that are tried, 1..16; default 5; paper: 1 */
    int paper;                      /* 1: [F] and no more: `refine` and `candidates` are ignored, window and gradient
                                       are those asked for ([F] has no window, and Sobel); default 0 */
} endo_fourier_options;

typedef enum endo_fourier_status {
    ENDO_FOURIER_OK = 0,
    ENDO_FOURIER_LOW_CERTAINTY = 1, /* the best transform that was found, but the images do not agree well enough in it */
    ENDO_FOURIER_NO_CONTENT = 2     /* nothing to align: an image is flat, black, or has fewer than 16 pixels a side at
                                       the size that is compared; the transform is the identity */
} endo_fourier_status;

/* A pair of stored frames; each shows an image of width x height pixels in its top left corner (0, 0: the store's own
 * size), and nothing else takes part. */
typedef struct endo_fourier_pair {
    int32_t reference, current; /* slots */
    int32_t reference_width, reference_height; /* px */
    int32_t current_width, current_height;     /* px */
} endo_fourier_pair;

typedef struct endo_fourier_result {
    endo_transform transform; /* current -> reference, of the class asked for */
    double angle;             /* degrees, -180 (excluded) .. 180; positive: x turns towards y, clockwise on the screen */
    double scale;             /* px of the reference that one px of the current image covers */
    double dx, dy;            /* where the centre of the current image lies in the reference, less its own coordinates,
                                 px: for a TRANSLATION pixel (x, y) lies at (x + dx, y + dy) */
    double peak;              /* height of the log-polar peak, 0..1 (TRANSLATION: of the shift's) */
    double ratio;             /* height of the second best peak over that of the best, 0..1: 1 is ambiguous */
    double overlap;           /* share of the smaller image's footprint that both images show, 0..1 */
    double ncc;               /* correlation of the overlap, high-passed, after alignment, -1..1; NaN: undefined */
    int64_t status;           /* endo_fourier_status */
} endo_fourier_result;

ENDO_API void endo_fourier_options_init(endo_fourier_options *options);
static inline endo_fourier_options endo_fourier_options_default(void) {
    endo_fourier_options options;
    endo_fourier_options_init(&options);
    return options;
}

/* Registers every pair of a chunk in one call, on the store's grey images (not the enhanced ones); pixels outside the store's
 * field of view and, with the option, its highlights are ignored. The spectrum of a frame is kept until another frame is put
 * into its slot, so a frame against many costs one spectrum each. Decisions, transforms, overlap and ncc are
 * computed in integers from the positions of peaks: equal in every back end unless two peaks are as high as each other
 * within the rounding of the transforms; peak and ratio have a tolerance of 1e-4.
 * Errors: ARGUMENT (an option out of range; a slot without a frame; a size that is not 1 .. the store's; one slot with
 * two sizes), UNSUPPORTED (a build without FFTW on the CPU; no cuFFT on a CUDA device), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_fourier_register(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                                                          const endo_fourier_options *options,
                                                          endo_fourier_result *results);

/* An image in memory: height rows of width pixels, stride apart. low, high: as in endo_frames_options, for 16 bit. */
typedef struct endo_fourier_image {
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
    int low, high;
} endo_fourier_image;

/* Registers two images of any sizes and types (grey as in endo_frames_put) without a frame store. Errors: ARGUMENT
 * (also sides outside 1..32767, a stride below the width, a grey range that does not grow), UNSUPPORTED, MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_fourier_register_images(endo_context *context,
                                                                 const endo_fourier_image *reference,
                                                                 const endo_fourier_image *current,
                                                                 const endo_fourier_options *options,
                                                                 endo_fourier_result *result);

#ifdef __cplusplus
}
#endif
#endif
