/* The equations of the fall-off, from some of the views: of each three numbers, its gain and a gradient, then the terms of
 * the fall-off. The scene is eliminated node by node, which leaves dense equations. */
#ifndef ENDO_SYSTEMS_LIGHT_FALL_H
#define ENDO_SYSTEMS_LIGHT_FALL_H

#include "light.h"

#define VIGNETTING_MOST_VIEWS 128

/* The numbers of the views that are taken, rising, VIGNETTING_MOST_VIEWS at most; returns how many: all of every so many-th,
 * or runs of these. */
size_t light_choose(const endo_light *light, const endo_light_view *views, size_t n, size_t *chosen);

/* Numbers of a view, and room for them. */
#define VIGNETTING_OWN 3
#define VIGNETTING_OWN_ROOM 4

/* What is known at a sample: the fall-off's terms, and what is seen. */
#define VIGNETTING_VALUE LIGHT_TERMS
#define VIGNETTING_ROW 16

typedef struct fall {
    const light_samples *s;
    size_t views, unknowns;
    size_t *chosen;           /* views */
    size_t n, *first, nodes;  /* samples, of each view the first; nodes that they see */
    int32_t *node;            /* of each sample */
    size_t *at_node;          /* of each node the first of .. */
    int32_t *samples, *owner;  /* .. its samples, sorted by view, and their views */
    int32_t *place;           /* of each sample among those */
    float *share, *weight, *residual, *room;
    double (*row)[VIGNETTING_ROW];  /* of each sample */
    double *rest;             /* of each sample: what is left, the scene with it */
    double (*own)[VIGNETTING_OWN_ROOM];                    /* of each place: 1 and the gradient's terms, weighted */
    double *node_weight, (*node_row)[VIGNETTING_ROW];      /* sums */
    double (*products)[LIGHT_TERMS][VIGNETTING_ROW];       /* of each view: sums of what its rows' numbers are with each other */
    double *matrix, *right, *answer, *fall, *work;   /* the matrix column by column, of which the lower triangle counts */
    double *likeness;           /* of a view's gradient to the one before */
    double gain, wander, noise; /* deviations: that are believed beforehand, and of a sample */
} fall;

static inline double *vignetting_number(const fall *f, size_t row, size_t column) {
    return f->matrix + column * f->unknowns + row;
}

/* The matrix and the right side by what the samples say, as they are weighted. */
void vignetting_fill(const fall *f);
/* L with L L' = matrix, in its place. 0: it is not positive. */
int vignetting_decompose(const fall *f);
/* Then answers = matrix^-1 right. */
void vignetting_substitute(const fall *f, const double *right, double *answer);
/* What is left of every sample with the answer, but for the scene. */
void vignetting_find_residuals(const fall *f);

#endif
