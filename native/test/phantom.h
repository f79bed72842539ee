/* A head made of ellipsoids, which can be seen from anywhere in any of two modalities: volumes whose motion is known. */
#ifndef ENDO_TEST_PHANTOM_H
#define ENDO_TEST_PHANTOM_H

#include "scene.h"

#define PHANTOM_PARTS 40
#define PHANTOM_WAVES 12

typedef struct phantom_part {
    double centre[3], inverse[9]; /* |inverse * (x - centre)| < 1: inside */
    double softness;              /* of its edge, as a part of the radius */
    double reach;                 /* square of how far from its centre it ends at the latest */
    double grey[2];               /* in either modality, 0..1 */
} phantom_part;

typedef struct phantom {
    phantom_part parts[PHANTOM_PARTS]; /* a later one lies over an earlier one */
    double wave[PHANTOM_WAVES][3], phase[PHANTOM_WAVES]; /* texture of what is inside the first part */
} phantom;

/* About 180 x 210 x 150 mm, around the origin. */
void phantom_init(phantom *p, uint64_t seed);

/* How a modality is seen. */
typedef struct phantom_appearance {
    int modality, invert;
    double gamma, bias, noise; /* bias: part by which the gain changes across the head; noise: standard deviation, 0..1 */
    uint64_t seed;             /* of bias and noise */
} phantom_appearance;

/* volume: sizes, spacing or world, and a type of 8 or 16 bits; pixels is written. map: world of the volume -> the head's
 * (16 numbers); NULL: the same. */
void phantom_render(const phantom *p, const phantom_appearance *look, const endo_volume *volume, const double *map,
                    void *pixels);

/* Sets to 0 what lies outside of a box, of `share` of the volume's sides, that is turned by up to `degrees`: as a program
 * leaves a volume that it has resampled. */
void phantom_cut(test_random *r, const endo_volume *volume, double share, double degrees, void *pixels);

/* A turn of `degrees` about a random axis and a shift of `mm` in a random direction. */
void phantom_motion(test_random *r, double degrees, double mm, double map[16]);
void phantom_invert_motion(const double map[16], double inverse[16]);

/* Mean distance between where two maps take points of the head, in voxels of this spacing. */
double phantom_distance(const double a[16], const double b[16], const double spacing[3]);

#endif
