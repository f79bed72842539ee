/* Textures that two images look at from places that are known: turned, scaled, moved, with noise and another brightness. */
#ifndef ENDO_TEST_FOURIER_SCENE_H
#define ENDO_TEST_FOURIER_SCENE_H

#include "scene.h"

/* Grey values that are sampled between pixels. */
typedef struct fourier_texture {
    int width, height;
    float *grey;
} fourier_texture;

/* Makes a texture like the demo's tissue, or like the B-spline scenes, by the seed; 0: no memory. */
int fourier_texture_make(uint64_t seed, fourier_texture *out);
/* A binary PGM or PPM file; 0 where it is none. */
int fourier_texture_read(const char *path, fourier_texture *out);
void fourier_texture_free(fourier_texture *t);

typedef struct fourier_truth {
    double angle, scale, dx, dy; /* as in endo_fourier_result */
    double matrix[6];            /* current -> reference */
    double overlap;              /* share of the smaller footprint */
} fourier_truth;

typedef struct fourier_limits {
    double scale, angle, overlap; /* largest scale each way, largest angle (degrees), least overlap */
    double noise, gain;           /* standard deviation, grey levels; largest relative change of brightness */
} fourier_limits;

/* Two images of side x side pixels. */
void fourier_pair_make(const fourier_texture *t, const fourier_limits *limits, int side, test_random *r, uint8_t *reference,
                       uint8_t *current, fourier_truth *truth);

/* A pair with this truth, without noise. */
void fourier_known_pair(const fourier_texture *t, int side, double degrees, double scale, double dx, double dy,
                        uint8_t *reference, uint8_t *current, fourier_truth *truth);

#endif
