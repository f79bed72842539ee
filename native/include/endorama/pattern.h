/* What stands still on the sensor while the scene moves: found in frames without their help. */
#ifndef ENDORAMA_PATTERN_H
#define ENDORAMA_PATTERN_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The static pattern of a sequence: pixels and fibres of the sensor, dust, overlays. Give it some frames, spread over
 * the sequence, then ask. Registration would follow such a pattern and stand still.
 *
 * A scope that is frozen or hardly moves has no pattern that could be told from its scene: something must be seen, by
 * details of 8 px and more, to move behind what stands still. It is bound by its context's threads; the numbers do not depend
 * on them. */
typedef struct endo_pattern_finder endo_pattern_finder;

/* Below this share there is no pattern (see endo_pattern_info). */
#define ENDO_PATTERN_LEAST_SHARE 0.05
/* With fewer independent frames, or fewer than 10 in all, nothing is said to be static. */
#define ENDO_PATTERN_LEAST_FRAMES 3.5

typedef struct endo_pattern_info {
    int64_t found;      /* 1: there is a pattern; 0: none, or it cannot be told from the scene */
    int64_t frames;     /* taken in, and different from each other */
    double independent; /* what they are worth: n^2 over the sum of the squared coefficients of what moves in them;
                           0..frames; 0: nothing is seen to move */
    double share;       /* of the frames' details, each over the contrast around it, that is the same in all: about 0
                           (chance may take it below) where all moves, 1 where nothing does; 0 with too few frames */
    double rms;         /* of the pattern in the field, grey levels; 0: none */
} endo_pattern_info;

/* For frames of one size (px, 1..32767) and type; low, high: 16 bit, as endo_frames_options.
 * field: width*height bytes, 0 = outside, where nothing is looked for; NULL = every pixel. Copied.
 * Errors: ARGUMENT (a side, the type, a grey range that does not grow), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_create(endo_context *context, endo_pixel type, int width,
                                                               int height, int low, int high, const uint8_t *field,
                                                               endo_pattern_finder **out);
ENDO_API void endo_pattern_finder_destroy(endo_pattern_finder **finder);
/* Takes a frame in, if it is not one of those before, and there is room: 64 frames, and fewer of those above a megapixel
 * (8 at least). 2 bytes a pixel each. Errors: ARGUMENT (stride), MEMORY; the finder is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_add(endo_pattern_finder *finder, const void *pixels,
                                                            ptrdiff_t stride);
/* pattern: width*height grey values, -255..255, for endo_frames_options.pattern: what all frames have in common beyond
 * what chance leaves of a moving scene; zeros where there is none, outside the field, and everywhere if nothing was
 * found. Frames can be added afterwards. Errors: ARGUMENT, MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_pattern_finder_find(const endo_pattern_finder *finder, int16_t *pattern,
                                                             endo_pattern_info *info);

#ifdef __cplusplus
}
#endif
#endif
