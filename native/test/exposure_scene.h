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

#endif
