/* The equations of the fall-off, from some of the views: of each three numbers, its gain and a gradient, then the terms of
 * the fall-off. The scene is eliminated node by node, which leaves dense equations. */
#ifndef ENDO_SYSTEMS_LIGHT_FALL_H
#define ENDO_SYSTEMS_LIGHT_FALL_H

#include "light.h"

#define FALL_MOST_VIEWS 128

/* The numbers of the views that are taken, rising, FALL_MOST_VIEWS at most; returns how many: all of every so many-th, or runs
 * of these. */
size_t light_choose(const endo_light *light, const endo_light_view *views, size_t n, size_t *chosen);

/* Numbers of a view, and room for them. */
#define FALL_OWN 3
#define FALL_OWN_ROOM 4

/* What is known at a sight: the fall-off's terms, and what is seen. */
#define FALL_VALUE LIGHT_TERMS
#define FALL_ROW 16

typedef struct fall {
    const light_sights *s;
    size_t views, unknowns;
    size_t *chosen;           /* views */
    size_t n, *first, nodes;  /* sights, of each view the first; nodes that they see */
    int32_t *node;            /* of each sight */
    size_t *at_node;          /* of each node the first of .. */
    int32_t *sights, *owner;  /* .. its sights, sorted by view, and their views */
    int32_t *place;           /* of each sight among those */
    float *share, *weight, *residual, *room;
    double (*row)[FALL_ROW];  /* of each sight */
    double *rest;             /* of each sight: what is left, the scene with it */
    double (*own)[FALL_OWN_ROOM];                    /* of each place: 1 and the gradient's terms, weighted */
    double *node_weight, (*node_row)[FALL_ROW];      /* sums */
    double (*products)[LIGHT_TERMS][FALL_ROW];       /* of each view: sums of what its rows' numbers are with each other */
    double *matrix, *right, *answer, *fall, *work;   /* the matrix column by column, of which the lower triangle counts */
    double *likeness;           /* of a view's gradient to the one before */
    double gain, wander, noise; /* deviations: that are believed beforehand, and of a sight */
} fall;

static inline double *fall_number(const fall *f, size_t row, size_t column) {
    return f->matrix + column * f->unknowns + row;
}

/* The matrix and the right side by what the sights say, as they are weighted. */
void fall_fill(const fall *f);
/* L with L L' = matrix, in its place. 0: it is not positive. */
int fall_decompose(const fall *f);
/* Then answers = matrix^-1 right. */
void fall_substitute(const fall *f, const double *right, double *answer);
/* What is left of every sight with the answer, but for the scene. */
void fall_find_residuals(const fall *f);

#endif
