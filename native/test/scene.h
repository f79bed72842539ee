/* Test images: a smooth random scene that can be sampled anywhere, and hostile fills. */
#ifndef ENDO_TEST_SCENE_H
#define ENDO_TEST_SCENE_H

#include "include/endorama.h"

typedef struct test_random {
    uint64_t state;
} test_random;

uint32_t test_next(test_random *r);
int test_between(test_random *r, int low, int high); /* inclusive */
double test_unit(test_random *r);                    /* 0..1 */
double test_normal(test_random *r);                  /* nearly normal, of deviation 1 */

#define SCENE_WAVES 40

/* A sum of plane waves of 5 to 60 px: band-limited, so its samples under any map are exact. */
typedef struct test_scene {
    double kx[SCENE_WAVES], ky[SCENE_WAVES], phase[SCENE_WAVES], amplitude[SCENE_WAVES];
} test_scene;

void test_scene_init(test_scene *s, uint64_t seed);
double test_scene_at(const test_scene *s, double x, double y); /* about 128 +- 100 */

/* The scene seen through a map of image to scene coordinates. */
void test_scene_render(const test_scene *s, const double map[6], int width, int height, uint8_t *out);

typedef enum test_fill {
    FILL_SCENE,
    FILL_RANDOM,
    FILL_EXTREME, /* 0 or 255 at random */
    FILL_GRADIENT,
    FILL_ZERO,
    FILL_MAX,
    FILL_ONE_PIXEL,
    FILL_COUNT
} test_fill;

/* Two images that belong together (the second moved a little where that means something). */
void test_fill_pair(test_fill fill, int width, int height, uint64_t seed, uint8_t *first, uint8_t *second);

typedef enum test_field {
    FIELD_WHOLE,
    FIELD_CIRCLE,
    FIELD_RAGGED, /* random holes */
    FIELD_EMPTY,
    FIELD_COUNT
} test_field;

void test_fill_field(test_field field, int width, int height, uint64_t seed, uint8_t *mask);

/* Widens 8-bit pixels to a pixel type, with a stride; the padding is poisoned. */
void test_widen(const uint8_t *grey, int width, int height, endo_pixel type, int stride, void *out);

#endif
