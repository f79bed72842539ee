/* The scene that the demo's scope looks at. */
#ifndef ENDO_SYSTEMS_DEMO_SCENE_H
#define ENDO_SYSTEMS_DEMO_SCENE_H

#include "include/endorama.h"

/* Tissue seen without a scope: width*height pixels of red, green, blue and an unused byte. */
typedef struct demo_scene {
    uint8_t *pixels;
    int width, height;
} demo_scene;

#define DEMO_SCENE_LIMIT 120000000.0 /* pixels */

endo_status demo_scene_create(int width, int height, uint64_t seed, int threads, demo_scene *out);
void demo_scene_destroy(demo_scene *scene);

#endif
