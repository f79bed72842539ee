/* The fixed pattern: found in frames as what stands still on the sensor while the scene moves. */
#ifndef ENDORAMA_PATTERN_H
#define ENDORAMA_PATTERN_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the fixed pattern of a sequence (pixels and fibres of the sensor, dust, overlays) from some frames, spread over it.
 * Registration would follow such a pattern and stand still.
 *
 * Where the scope is frozen or hardly moves, a pattern cannot be told from the scene: details of 8 px and more must be seen to
 * move behind it. Results do not depend on the number of threads. */
typedef struct endo_pattern_finder endo_pattern_finder;

/* Smallest share at which a pattern is found (endo_pattern_info.share). */
#define ENDO_PATTERN_LEAST_SHARE 0.05
/* Fewest independent frames with which a pattern is found; at least 10 frames are needed in all. */
#define ENDO_PATTERN_LEAST_FRAMES 3.5

typedef struct endo_pattern_info {
    int64_t found;      /* 1: there is a pattern; 0: none, or it cannot be told from the scene */
    int64_t frames;     /* frames that were taken in: they differ from each other */
    double independent; /* effective number of independent frames: n^2 over the sum of the squared coefficients between
                           their moving details; 0..frames; 0: nothing is seen to move */
    double share;       /* share of the frames' details, each over the contrast around it, that is the same in all: about 0
                           (by chance below) where all moves, 1 where nothing does; 0 with too few frames */
    double rms;         /* root mean square of the pattern in the field, grey levels; 0: none */
} endo_pattern_info;

typedef struct endo_pattern_options {
    int width, height;    /* of a frame, px, 1..32767; default 0: to be set */
    endo_pixel type;      /* default ENDO_GREY8 */
    int low, high;        /* 16 bit: as endo_frames_options, low < high; default 0, 65535 */
    const uint8_t *field; /* width*height bytes, 0 = outside, where pixels are ignored; NULL (default): every pixel. The mask
                             is copied when the finder is created */
} endo_pattern_options;

ENDO_API void endo_pattern_options_init(endo_pattern_options *options);
static inline endo_pattern_options endo_pattern_options_default(void) {
    endo_pattern_options options;
    endo_pattern_options_init(&options);
    return options;
}

/* Creates a finder for frames of one size and type. Errors: ARGUMENT (a side, the type, a grey range that does not grow),
 * MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_create(endo_context *context, const endo_pattern_options *options,
                                                               endo_pattern_finder **out);
ENDO_API void endo_pattern_finder_destroy(endo_pattern_finder **finder);
/* Takes a frame in, unless it equals one of those before or the finder is full: 64 frames, fewer of those above a megapixel
 * (8 at least), 2 bytes a pixel each. Errors: ARGUMENT (stride), MEMORY, CANCELLED; the finder is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_add(endo_pattern_finder *finder, const void *pixels,
                                                            ptrdiff_t stride);
/* Finds the pattern: width*height grey values, -255..255, for endo_frames_options.pattern, which all frames have in common
 * beyond what chance leaves of a moving scene; zeros where there is none, outside the field, and everywhere if nothing was
 * found. Frames can be added afterwards. Errors: ARGUMENT, MEMORY, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_find(const endo_pattern_finder *finder, int16_t *pattern,
                                                             endo_pattern_info *info);

#ifdef __cplusplus
}
#endif
#endif
