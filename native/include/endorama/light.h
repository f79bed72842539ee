/* The light of a moving scope: its vignetting and the gain of each frame, found from frames and their poses. */
#ifndef ENDORAMA_LIGHT_H
#define ENDORAMA_LIGHT_H

#include "context.h"
#include "registration.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A frame k shows at its pixel x, in the channel c,
 *     pixel = gain(k, c) * vignetting(x) * scene(pose(k)(x), c),
 * with a vignetting that moves with the scope and is the same for all channels. Frames are put one by one, in any order; a
 * small picture of each is kept (some 3 kB). When their poses are known, the vignetting is solved for, then the gains, so that
 * they and the scene on a coarse grid contradict the small pictures least. The light may drift slowly on the sensor. Results do
 * not depend on the number of threads. */
typedef struct endo_light endo_light;

/* The factor 1 in corrections and gains, which are integers. */
#define ENDO_LIGHT_ONE 4096
/* Number of values of the vignetting's curve, from the brightest position to the farthest. */
#define ENDO_LIGHT_CURVE 33

/* A frame of the solve. */
typedef struct endo_light_view {
    int32_t frame;            /* the number under which it was put; a frame that was not put gets the gain 1 */
    int32_t component;        /* connected component: frames of different components see different scenes; 0.. */
    endo_transform transform; /* frame -> panorama, px; a homography with a denominator that is not positive is ignored */
} endo_light_view;

typedef struct endo_light_options {
    int32_t colour; /* 1: every channel has gains of its own where frames tell them; 0: one gain a frame; default 1 */
    double limit;   /* largest correction and gain, its inverse the smallest; 1..16; default 3.99, the largest that a
                       blend takes (blend.h) */
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
    int64_t found;       /* 1: the vignetting is known, or that there is none; 0: frames hardly tell it from the scene (the
                            scope hardly moves, nothing is seen twice, or walls are near), and little of it is corrected, or
                            nothing */
    double deviation;    /* standard deviation of the logarithm of the vignetting from the field's middle to its rim, before
                            it is weighed against what is believed of scopes: about a factor less 1; 0.25 at most where it
                            was found, 99 at most */
    double x, y;         /* the brightest position, px of a frame; the field's middle if nothing is corrected */
    double rim;          /* mean brightness at the field's rim over that of the brightest position that the correction takes
                            out, 0..1; 1: nothing is corrected */
    double flicker;      /* standard deviation of the frames' gains, each the mean over the channels, as a factor less 1 */
    double colour;       /* standard deviation of the channels' gains against that mean, as a factor less 1 */
    double rest;         /* median difference that remains between the small pictures and the scene, as a factor less 1 */
    int64_t frames;      /* number of frames that counted */
    double curve[ENDO_LIGHT_CURVE]; /* mean brightness over that of the brightest position, 0..1; value i is at i / 32 of the
                                       distance from there to the farthest pixel of the field */
} endo_light_report;

/* Creates a solver for frames of one size (px, 1..32767) and type. high: 16 bit: values above it count as clipped, 1..65535
 * (8 bit and RGB: from 250 on). field: width*height bytes, 0 = outside, where pixels are ignored; NULL = every pixel; the mask
 * is copied. Errors: ARGUMENT (a side, the type, high), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_light_create(endo_context *context, endo_pixel type, int width, int height,
                                                      int high, const uint8_t *field, endo_light **out);
ENDO_API void endo_light_destroy(endo_light **light);

/* Keeps a small picture of the frame, in place of one that was put under the same number (0..9999999). Its pixels are cells
 * of a 24th of the frame's width, each the mean of up to 16 x 16 pixels that are neither clipped nor outside the field.
 * Several threads may put frames of different numbers at once.
 * Errors: ARGUMENT (stride; a number out of range), MEMORY; the light is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_light_put(endo_light *light, int frame, const void *pixels, ptrdiff_t stride);

/* Takes into account where a pair of the frames shows the same patches (endo_pairs_locate; of one content that does not move
 * by itself): n of them, 0..ENDO_PATCH_PLACES. Walls of a cavity are nearer at the rim, where they move faster, and make up
 * for the fall-off of a lamp, which is then left, as is the light of a lamp that comes nearer. A few pairs that lie far apart
 * say it all; without any the small pictures say a little. Pairs add up: one that is given twice counts twice. Patches that
 * are too few, or do not move, change nothing. One thread at a time. Errors: ARGUMENT (NULL; n; a number that is none or beyond 1e6 px; a deviation below 0 or such a
 * number); the light is then as before. */
ENDO_API ENDO_NODISCARD endo_status endo_light_put_places(endo_light *light, const endo_patch_place *places, int n);

/* Finds the light that contradicts the small pictures least (robust least squares in logarithms; a surface of 15 terms). The
 * correction is the posterior mean: little evidence gives a little correction; what does not predict places that were held
 * out is none. Frames have gains, and channels gains of their own, as far as parts of the frames bear each other out; where
 * pairs show depth, gains that follow the frames' scale, as those of a lamp that comes nearer do, are left.
 * Its scale is fixed thus: gains have the geometric mean 1 in every component and channel, and the correction keeps the mean
 * brightness of what the frames show: the panorama's mean colour is theirs.
 *
 * views: n, 0..1000000. correction: width*height factors, in 1/ENDO_LIGHT_ONE, by which the pixels of every frame are
 * multiplied (1 everywhere where frames tell nothing of the vignetting). gains: three factors a view (red, green, blue; grey frames have
 * three equal ones), in 1/ENDO_LIGHT_ONE, by which its pixels are multiplied. Each output may be NULL. The cancel hook of the
 * context (endo_context_set_cancel) is asked again and again.
 *
 * Errors: ARGUMENT (NULL; an option, frame or component out of range; a transform that cannot be inverted), MEMORY, CANCELLED;
 * outputs are then as they were. */
ENDO_API ENDO_NODISCARD endo_status endo_light_solve(const endo_light *light, const endo_light_view *views, size_t n,
                                                     const endo_light_options *options, uint16_t *correction,
                                                     int32_t *gains, endo_light_report *report);

#ifdef __cplusplus
}
#endif
#endif
