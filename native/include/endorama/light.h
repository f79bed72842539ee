/* The light of a moving scope: how it falls off over the frame, and each frame's gain, found in frames and their places. */
#ifndef ENDORAMA_LIGHT_H
#define ENDORAMA_LIGHT_H

#include "context.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A frame k shows at its pixel x, in the channel c,
 *     pixel = gain(k, c) * fall_off(x) * scene(place(k, x), c),
 * with a fall-off that moves with the scope and is the same for all channels. Frames are given one by one, in any order
 * and while they are at hand; a small picture of each is kept (some 3 kB). When their places are known, the fall-off is solved
 * for, then the gains: so that they and the scene on a coarse grid contradict the small pictures least. The light may wander
 * on the sensor, slowly. It is bound by its
 * context's threads; the numbers do not depend on them. */
typedef struct endo_light endo_light;

/* Corrections and gains are given in so many parts of 1. */
#define ENDO_LIGHT_ONE 4096
/* Steps of the curve from the brightest place to the farthest. */
#define ENDO_LIGHT_CURVE 33

/* A frame of the solve. */
typedef struct endo_light_view {
    int32_t frame;            /* its number, as it was put; one that was not put has the gain 1 */
    int32_t part;             /* of the panorama: frames of different parts see different scenes; 0.. */
    endo_transform transform; /* frame -> panorama, px; a homography with a denominator that is not positive has no say */
} endo_light_view;

typedef struct endo_light_options {
    int32_t colour; /* 1: every channel has gains of its own; 0: one gain a frame; default 1 */
    double limit;   /* neither corrections nor gains are above it, or below its inverse; 1..16; default 3.99,
                       what a blend takes (blend.h) */
    double robust;  /* a small picture's pixel that is off by so many deviations counts a quarter, and ever less beyond;
                       1..1e6; default 2 */
} endo_light_options;

ENDO_API void endo_light_options_init(endo_light_options *options);
static inline endo_light_options endo_light_options_default(void) {
    endo_light_options options;
    endo_light_options_init(&options);
    return options;
}

typedef struct endo_light_report {
    int64_t found;       /* 1: the fall-off is known; 0: the frames do not tell it from the scene (the scope hardly moves,
                            or nothing is seen twice), and only the gains were solved for */
    double deviation;    /* standard deviation of the fall-off from the field's middle to its rim, of its logarithm: about
                            a factor less 1. Found: 0.25 at most */
    double x, y;         /* the brightest place, px of a frame; the field's middle if the fall-off is not known */
    double rim;          /* brightness at the field's rim, its mean, 0..1 of that of the brightest place; 1: not known */
    double flicker;      /* standard deviation of the frames' gains, of their mean over the channels, as a factor less 1 */
    double colour;       /* the same of a channel's gain against that mean */
    double rest;         /* median of what the small pictures still differ from the scene, as a factor less 1 */
    int64_t frames;      /* that had a say */
    double curve[ENDO_LIGHT_CURVE]; /* mean brightness, 0..1 of the brightest place, at so many 32nds of the distance from
                                       it to the farthest pixel of the field */
} endo_light_report;

/* For frames of one size (px, 1..32767) and type. high: 16 bit: values above it count as clipped, 1..65535 (8 bit and
 * RGB: from 250 on). field: width*height bytes, 0 = outside, where nothing is known of light; NULL = every pixel. Copied.
 * Errors: ARGUMENT (a side, the type, high), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_light_create(endo_context *context, endo_pixel type, int width, int height,
                                                      int high, const uint8_t *field, endo_light **out);
ENDO_API void endo_light_destroy(endo_light **light);

/* Keeps a small picture of the frame, over one that was put as the same number (0..9999999). Its pixels: cells of a 24th
 * of the frame's width, of each the mean of what is neither clipped nor outside the field, over up to 16 x 16 pixels.
 * Several threads may put frames of different numbers at once.
 * Errors: ARGUMENT (stride; a number out of range), MEMORY; the light is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_light_put(endo_light *light, int frame, const void *pixels, ptrdiff_t stride);

/* The light that contradicts the small pictures least (robust least squares in logarithms; a surface of 15 terms).
 * The reference: gains have the geometric mean 1 in every part and channel, and with the correction a twentieth of what is
 * seen is brighter than so much of it is in the frames: the panorama is as bright as what they show brightly.
 *
 * views: n, 0..1000000. correction: width*height factors, in 1/ENDO_LIGHT_ONE, that a pixel of any frame is multiplied
 * with (1 everywhere if the fall-off is not known). gains: three factors a view (red, green, blue; of grey frames three
 * equal ones), in 1/ENDO_LIGHT_ONE, that its pixels are multiplied with. Each output may be NULL. A hook of the context
 * (endo_context_set_cancel) is asked again and again.
 *
 * Errors: ARGUMENT (NULL; an option, frame or part out of range; a transform that cannot be inverted), MEMORY, CANCELLED;
 * outputs are then as they were. */
ENDO_API ENDO_NODISCARD endo_status endo_light_solve(const endo_light *light, const endo_light_view *views, size_t n,
                                                     const endo_light_options *options, uint16_t *correction,
                                                     int32_t *gains, endo_light_report *report);

#ifdef __cplusplus
}
#endif
#endif
