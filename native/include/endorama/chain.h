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
    int32_t period;               /* of a bracketed video: exposures in a bracket, 0..1000; default 0: a single bracket */
    int32_t kalman;               /* 1: shifts are checked against the motion of the frames before (endo_exposure_filter), whose
                                     prediction stands in where none is believed; not with a period of 0; default 0 */
    int32_t reserved;             /* 0 */
} endo_exposure_chain_options;

/* Part of an image, px; right and bottom are exclusive. All 0: the whole image. */
typedef struct endo_chain_part {
    int32_t left, top, right, bottom;
} endo_chain_part;

typedef struct endo_fourier_chain_options {
    endo_context_options context;   /* as above */
    endo_fourier_options pairs;     /* how a pair is registered */
    int32_t reference;              /* as above; of no use with `onto` */
    int32_t reserved;               /* 0 */
    const endo_mosaic_source *onto; /* another image, of any size and type: the first frame of this, which every frame is
                                       registered onto. Borrowed until the run ends; NULL (default): none */
    endo_chain_part part;           /* what is compared of every frame, within it; default: all of it */
    endo_chain_part onto_part;      /* the same of `onto` */
    const uint8_t *mask;            /* of `part`: its width*height bytes, 0 = takes no part. Borrowed until the run ends; not
                                       with `onto`; NULL (default): all of it does */
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
    ENDO_CHAIN_NEW_START = 3,     /* exposures: its place is not measured, but the frames that follow were aligned with it */
    ENDO_CHAIN_SKIPPED = 4        /* unreadable */
} endo_chain_status;

/* How well a frame and its reference go together. Numbers of the other kind of chain are 0, or NaN. */
typedef struct endo_chain_scores {
    double peak;      /* as endo_exposure_result (NaN: none), or endo_fourier_result (0: none) */
    double certainty; /* as endo_exposure_result */
    double mismatch;
    double usable;
    double angle;     /* as endo_fourier_result */
    double scale;
    double ratio;
    double overlap;
    double ncc;
} endo_chain_scores;

/* What is known of one frame. */
typedef struct endo_chain_frame {
    endo_transform place;     /* frame -> first registered frame, or what all are registered with; of whole images, px. Where
                                 the frame is not registered: that of the last one that was, or what the motion predicts */
    double dx, dy;            /* exposures: pixel (x, y) lies at (x + dx, y + dy) in the reference; Fourier: where the middle of
                                 the frame lies in the reference, less its own coordinates; px */
    endo_chain_scores scores; /* against the reference */
    int32_t reference;        /* frame that it was compared with; itself where the chain begins; -1: none, or another image */
    int32_t status;           /* endo_chain_status */
    int32_t registered;       /* 1: the place is an estimate, and no prediction or last known one */
    int32_t predicted;        /* 1: the place is what the Kalman filter predicts */
    int32_t backend;          /* what computed: endo_backend, CPU or CUDA; 0: nothing did */
    int32_t reserved;         /* 0 */
} endo_chain_frame;

/* A frame that cannot be registered costs itself alone: the next one is compared with the last that could be. The first frame
 * with content begins a chain.
 *
 * Exposures: where a frame cannot be aligned with the last aligned one, but with the one before it, that one is a new start, at
 * the place where the last one lay; if nothing had been aligned with the first frame so far, the chain begins with the new
 * start instead. A first frame after others without content is not registered until another one is aligned with it.
 *
 * Fourier: where nothing can be registered with the first frame, but two frames after it with each other, the chain begins with
 * the first of these. */
typedef struct endo_chain endo_chain;

/* ---------------------------------------------------------------------- runs */

/* options: NULL = the defaults. hooks: copied; may be NULL; `painted` is never called. The back end starts with the run.
 * Errors: ARGUMENT (an option out of range: the message has its name, its value and what is allowed; a program that was compiled with
 * other headers: its ENDO_ABI is compared), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_exposure_chain_create_abi(const endo_exposure_chain_options *options,
                                                                   const endo_mosaic_hooks *hooks, int abi, endo_chain **out);
ENDO_NODISCARD static inline endo_status endo_exposure_chain_create(const endo_exposure_chain_options *options,
                                                                    const endo_mosaic_hooks *hooks, endo_chain **out) {
    return endo_exposure_chain_create_abi(options, hooks, ENDO_ABI, out);
}

/* The same by spectra. Errors: as above. */
ENDO_API ENDO_NODISCARD endo_status endo_fourier_chain_create_abi(const endo_fourier_chain_options *options,
                                                                  const endo_mosaic_hooks *hooks, int abi, endo_chain **out);
ENDO_NODISCARD static inline endo_status endo_fourier_chain_create(const endo_fourier_chain_options *options,
                                                                   const endo_mosaic_hooks *hooks, endo_chain **out) {
    return endo_fourier_chain_create_abi(options, hooks, ENDO_ABI, out);
}
ENDO_API void endo_chain_destroy(endo_chain **chain);

/* Over a sequence; with `onto` of one frame or more. Once a chain. OK if every frame was looked at; CANCELLED if the hook asked
 * for an end; else what went wrong. Whatever ended it: the frames up to there can be read. An endoscope's circle is looked for,
 * and the rest takes no part, but where parts are compared, or images of several sizes. Errors: ARGUMENT (a sequence of fewer
 * than 2 frames; a reference or a part beyond it; no frame, or the one that all are compared with, can be read), MEMORY,
 * DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_chain_run(endo_chain *chain, const endo_mosaic_source *source);

/* Every frame up to where the run came. Valid while the chain lives. */
ENDO_API const endo_chain_frame *endo_chain_frames(const endo_chain *chain, int32_t *n);

/* What computed, for people: "cpu (avx512, 2 threads)"; "": nothing did. */
ENDO_API const char *endo_chain_backend(const endo_chain *chain);

/* The field of view, for people; "": the run did not come so far. And its mask, of the part that is compared: width*height
 * bytes, 0 = outside; NULL: every pixel. */
ENDO_API const char *endo_chain_field_description(const endo_chain *chain);
ENDO_API const uint8_t *endo_chain_field_mask(const endo_chain *chain);

#ifdef __cplusplus
}
#endif
#endif
