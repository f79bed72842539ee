/* Textured scenes that can be seen from any place, and exposures of them. */
#ifndef ENDO_TEST_EXPOSURE_SCENE_H
#define ENDO_TEST_EXPOSURE_SCENE_H

#include "scene.h"

#define EXPOSURE_OCTAVES 5

/* Random numbers on lattices of several pitches, interpolated by cubic B-splines: smooth, without end. */
typedef struct exposure_scene {
    uint64_t seed;
    double pitch[EXPOSURE_OCTAVES], weight[EXPOSURE_OCTAVES];
} exposure_scene;

/* Fine or coarse texture, by the seed. */
void exposure_scene_init(exposure_scene *s, uint64_t seed);

/* Brightness, positive, about 1; the first pixel lies at (left, top) of the scene. */
void exposure_scene_render(const exposure_scene *s, double left, double top, int width, int height, float *out);

typedef struct exposure_setting {
    double gain;  /* brightness 1 / gain becomes white */
    double gamma; /* of the response */
    double floor; /* brightness that becomes black */
    double noise; /* standard deviation, grey levels */
} exposure_setting;

/* Two settings: up to 30 % of the brighter one clipped at white (of the darker one, sometimes, at black), up to 8
 * times apart, each with its response and noise; in either order. */
void exposure_settings_draw(test_random *r, const float *brightness, int n, exposure_setting settings[2]);

void exposure_expose(const float *brightness, int n, const exposure_setting *e, test_random *r, uint8_t *out);

/* -------------------------------------------------------------- near black */

/* Things that stand still in every image while the scene moves. */
typedef enum exposure_still {
    EXPOSURE_STILL_NOTHING,
    EXPOSURE_STILL_PATTERN,    /* of the sensor: each pixel its own, up to two levels */
    EXPOSURE_STILL_HOT,        /* single bright pixels, up to two in a hundred */
    EXPOSURE_STILL_ROUND,      /* a dark surround */
    EXPOSURE_STILL_RECTANGLE,  /* the same */
    EXPOSURE_STILL_REFLECTION, /* bright discs */
    EXPOSURE_STILL_KINDS
} exposure_still;

/* Draws what stands still, width * height pixels each. added: grey levels; shown: 1 where the scene shows. */
void exposure_still_draw(exposure_still kind, test_random *r, int width, int height, float *added, uint8_t *shown);

/* The scene at a mean of some levels (flat: at that level), with noise of this standard deviation and what stands
 * still. */
void exposure_darken(const float *brightness, int n, double mean, double noise, const float *added,
                     const uint8_t *shown, test_random *r, uint8_t *out);

#endif
