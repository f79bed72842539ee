/* The lens distortion that all edges of a sequence show together, and whether it is one. A scene whose depth changes with the
 * distance from the middle of the view, a hollow or a hill, moves the patches of a pair as a lens does, but for one term: a lens
 * of lambda also moves a patch at q by 2 lambda q (q . d) where the pair moves by d (in halves of the longer side), which to a
 * hollow scene, for which the fit takes the same lens, is a perspective of 2 lambda d against it. A scope that turns shows
 * perspective along its motion as well, but by its own amount. */
#ifndef ENDO_MOSAIC_LENS_ESTIMATE_H
#define ENDO_MOSAIC_LENS_ESTIMATE_H

#include "edges.h"
#include "geometry.h"

typedef struct lens_estimate {
    double lambda;    /* lambda of the division model (endo_pair_result.lens); NaN: unknown */
    double deviation; /* standard deviation of lambda */
    double hollow;    /* half of the perspective along the motion, per motion: 0 for a lens, lambda for a hollow scene; NaN:
                         unknown */
    double hollow_deviation; /* its standard deviation */
} lens_estimate;

typedef enum lens_finding {
    LENS_NONE,   /* nothing significant */
    LENS_SEEN,   /* it is a lens */
    LENS_HOLLOW, /* it is the depth of the scene */
    LENS_TORN    /* it may be either */
} lens_finding;

/* Fails with MEMORY alone. */
endo_status lens_estimate_of(const mosaic_edges *edges, mosaic_size size, lens_estimate *out);

int lens_is_seen(const lens_estimate *lens); /* whether lambda is significant, of a lens or of a hollow scene */

lens_finding lens_find(const lens_estimate *lens);

/* The distortion, percent, that may be taken out of the frames without being asked for, beside what is taken out of them already;
 * 0: none. */
double lens_to_take(const lens_estimate *lens, double taken);

/* Returns whether deviations of poses are to grow by the lens. taken: distortion removed from the frames before, percent. */
int lens_widens(const lens_estimate *lens, double taken);

/* Writes a warning for people; "" where no lens is seen, and where it is the scene. */
void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size);

#endif
