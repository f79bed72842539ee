/* Whole sequences whose frames are registered one after the other, as exposures (exposures.h) or by their spectra (fourier.h):
 * every frame against the one before it, against one frame of the sequence, or against another image.
 *
 * Frames come through a source (mosaic.h) and are numbered from 0. Memory does not depend on their number. Frames of 16 bit are
 * each spread over 8 bits by itself: one pixel in a thousand may be darker, and one brighter, than what becomes 0 and 255. */
#ifndef ENDORAMA_CHAIN_H
#define ENDORAMA_CHAIN_H

#include "exposures.h"
#include "fourier.h"
#include "mosaic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ options */

/* endo_*_chain_options.reference: every frame is compared with the one before it that could be registered. */
#define ENDO_CHAIN_PREVIOUS (-1)

typedef struct endo_exposure_chain_options {
    endo_context_options context; /* what computes. ENDO_BACKEND_AUTO takes the faster for the job, and goes on with the CPU
                                     where a device fails */
    endo_exposure_options pairs;  /* how a pair is aligned */
    int32_t reference;            /* ENDO_CHAIN_PREVIOUS (default), or the frame that every other one is compared with, 0.. */
    int32_t period;               /* exposures in a bracket of a bracketed video, 0..1000; default 0: a single bracket */
    int32_t kalman;               /* 1: shifts are checked against the motion of the frames before (endo_exposure_filter), whose
                                     prediction replaces a shift that is not believed; not with a period of 0; default 0 */
    int32_t reserved;             /* 0 */
} endo_exposure_chain_options;

/* A rectangle of an image, px; right and bottom are exclusive. All 0: the whole image. */
typedef struct endo_chain_part {
    int32_t left, top, right, bottom;
} endo_chain_part;

typedef struct endo_fourier_chain_options {
    endo_context_options context;   /* as endo_exposure_chain_options.context */
    endo_fourier_options pairs;     /* how a pair is registered */
    int32_t reference;              /* as endo_exposure_chain_options.reference; ignored with `onto` */
    int32_t reserved;               /* 0 */
    const endo_mosaic_source *onto; /* another image, of any size and type, that every frame is registered onto: the first frame
                                       of this source. Borrowed until the run ends; NULL (default): none */
    endo_chain_part part;           /* the rectangle of every frame that is compared; default: the whole frame */
    endo_chain_part onto_part;      /* the rectangle of `onto` that is compared; default: the whole image */
    const uint8_t *mask;            /* pixels of `part` that are compared: width*height bytes of the rectangle, 0 = left out.
                                       Borrowed until the run ends; not with `onto`; NULL (default): all of them */
} endo_fourier_chain_options;

ENDO_API void endo_exposure_chain_options_init(endo_exposure_chain_options *options);
static inline endo_exposure_chain_options endo_exposure_chain_options_default(void) {
    endo_exposure_chain_options options;
    endo_exposure_chain_options_init(&options);
    return options;
}

ENDO_API void endo_fourier_chain_options_init(endo_fourier_chain_options *options);
static inline endo_fourier_chain_options endo_fourier_chain_options_default(void) {
    endo_fourier_chain_options options;
    endo_fourier_chain_options_init(&options);
    return options;
}

/* ------------------------------------------------------------ what was found */

typedef enum endo_chain_status {
    ENDO_CHAIN_OK = 0,            /* registered */
    ENDO_CHAIN_LOW_CERTAINTY = 1, /* the best that was found, but it may be another; or the motion so far speaks against it */
    ENDO_CHAIN_NO_CONTENT = 2,    /* nothing to align: this frame, or the one it was compared with, is black, white or flat */
    ENDO_CHAIN_NEW_START = 3,     /* exposures: its pose is not measured, but the frames that follow were aligned with it */
    ENDO_CHAIN_SKIPPED = 4        /* unreadable */
} endo_chain_status;

/* How well a frame and its reference agree. Scores that belong to the other kind of chain are 0, or NaN. */
typedef struct endo_chain_scores {
    double peak;                              /* as endo_exposure_result (NaN: none), or endo_fourier_result (0: none) */
    double certainty, mismatch, usable;       /* as endo_exposure_result */
    double angle, scale, ratio, overlap, ncc; /* as endo_fourier_result */
} endo_chain_scores;

/* The result of one frame. */
typedef struct endo_chain_frame {
    endo_transform pose;      /* frame -> first registered frame, or the image that all are registered with; whole images, px.
                                 A frame that is not registered has the pose of the last one that was, or the predicted one */
    double dx, dy;            /* exposures: pixel (x, y) lies at (x + dx, y + dy) in the reference; Fourier: where the middle of
                                 the frame lies in the reference, less its own coordinates; px */
    endo_chain_scores scores; /* against the reference */
    int32_t reference;        /* frame that it was compared with; itself where the chain begins; -1: none, or another image */
    int32_t status;           /* endo_chain_status */
    int32_t registered;       /* 1: the pose is an estimate; 0: a prediction, or the last known pose */
    int32_t predicted;        /* 1: the pose is the prediction of the Kalman filter */
    int32_t backend;          /* the back end that computed it: endo_backend, CPU or CUDA; 0: none */
    int32_t reserved;         /* 0 */
} endo_chain_frame;

/* A chain of frames. A frame that cannot be registered is left out: the next one is compared with the last registered one. The
 * first frame with content begins a chain.
 *
 * Exposures: where a frame cannot be aligned with the last aligned one, but with the one before it, that one is a new start, in
 * the pose of the last aligned frame; if nothing had been aligned with the first frame so far, the chain begins with the new
 * start instead. A first frame after others without content is not registered until another one is aligned with it.
 *
 * Fourier: where nothing can be registered with the first frame, but two frames after it with each other, the chain begins with
 * the first of these. */
typedef struct endo_chain endo_chain;

/* ---------------------------------------------------------------------- runs */

/* Creates a chain of exposures. options: NULL = the defaults. hooks: copied; may be NULL; `painted` is never called. The back
 * end starts with the run. Errors: ARGUMENT (an option out of range: the message has its name, its value and what is allowed; a
 * program that was compiled with other headers: its ENDO_ABI is compared), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_exposure_chain_create_abi(const endo_exposure_chain_options *options,
                                                                   const endo_mosaic_hooks *hooks, int abi, endo_chain **out);
ENDO_NODISCARD static inline endo_status endo_exposure_chain_create(const endo_exposure_chain_options *options,
                                                                    const endo_mosaic_hooks *hooks, endo_chain **out) {
    return endo_exposure_chain_create_abi(options, hooks, ENDO_ABI, out);
}

/* Creates a chain by spectra. Arguments: as endo_exposure_chain_create_abi. Errors: those of that call. */
ENDO_API ENDO_NODISCARD endo_status endo_fourier_chain_create_abi(const endo_fourier_chain_options *options,
                                                                  const endo_mosaic_hooks *hooks, int abi, endo_chain **out);
ENDO_NODISCARD static inline endo_status endo_fourier_chain_create(const endo_fourier_chain_options *options,
                                                                   const endo_mosaic_hooks *hooks, endo_chain **out) {
    return endo_fourier_chain_create_abi(options, hooks, ENDO_ABI, out);
}
ENDO_API void endo_chain_destroy(endo_chain **chain);

/* Registers a sequence, of one frame or more with `onto`, else of two or more; once in the life of a chain. OK if every frame
 * was compared; CANCELLED if the hook asked for an end. In any case the frames up to there can be read. The field of view is
 * found, and the rest ignored, unless rectangles or images of several sizes are compared. Errors: ARGUMENT (too few
 * frames; a reference or a rectangle beyond the sequence; no frame, or not the common reference, can be read), MEMORY, DEVICE,
 * UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_chain_run(endo_chain *chain, const endo_mosaic_source *source);

/* The frames that the run has reached, n of them. Valid until the chain is destroyed. */
ENDO_API const endo_chain_frame *endo_chain_frames(const endo_chain *chain, int32_t *n);

/* The back end that computed, for people: "cpu (avx512, 2 threads)"; "": none did. */
ENDO_API const char *endo_chain_backend(const endo_chain *chain);

/* The field of view. Its description is for people; "": the run did not find it yet. The mask is that of the rectangle that is
 * compared: width*height bytes, 0 = outside; NULL: every pixel. */
ENDO_API const char *endo_chain_field_description(const endo_chain *chain);
ENDO_API const uint8_t *endo_chain_field_mask(const endo_chain *chain);

#ifdef __cplusplus
}
#endif
#endif
