/* The equations of the vignetting, from some of the views: three local unknowns for each view, its gain and a gradient, then
 * the terms of the vignetting. The scene is eliminated node by node, which leaves dense equations. */
#ifndef ENDO_SYSTEMS_LIGHT_VIGNETTING_H
#define ENDO_SYSTEMS_LIGHT_VIGNETTING_H

#include "light.h"

#define VIGNETTING_MOST_VIEWS 128

/* Chooses every k-th view, or runs of these, VIGNETTING_MOST_VIEWS at most, in rising order; returns how many. */
size_t light_choose(const endo_light *light, const endo_light_view *views, size_t n, size_t *chosen);

/* Local unknowns of a view: gain and gradient; and their number padded to a vector. */
#define VIGNETTING_LOCAL 3
#define VIGNETTING_LOCAL_PADDED 4

/* Row of a sample: the terms of the vignetting, then the value that is seen. */
#define VIGNETTING_VALUE LIGHT_TERMS
#define VIGNETTING_ROW 16

typedef struct vignetting_equations {
    const light_samples *s;
    size_t views, unknowns;
    size_t *chosen;            /* the views that are used */
    size_t n, *first, nodes;   /* samples; first sample of each view; nodes */
    int32_t *node;             /* node of each sample */
    size_t *at_node;           /* by node: its first entry in `samples` and `owner` */
    int32_t *samples, *owner;  /* samples sorted by node, then by view; their views */
    int32_t *slot;             /* by sample: its index in `samples` */
    float *share, *weight, *residual, *workspace;
    double (*row)[VIGNETTING_ROW]; /* by sample */
    double *rest;                  /* by sample: residual with the scene still in it */
    double (*local)[VIGNETTING_LOCAL_PADDED];         /* by slot: 1 and the gradient's terms, weighted */
    double *node_weight, (*node_row)[VIGNETTING_ROW]; /* by node: sums of the weights and of the weighted rows */
    double (*products)[LIGHT_TERMS][VIGNETTING_ROW];  /* by view: sums of the products of its rows' numbers */
    double *matrix;                         /* column by column; only the lower triangle is used */
    double *right, *answer, *descent, *work;
    double *likeness;      /* correlation of a view's gradient with that of the view before */
    double gains_alike;    /* number of gains that count as one */
    double gain, wander;   /* prior standard deviations of gains and gradients, logarithms */
    double fall;           /* factor of those of the vignetting */
    double radial[LIGHT_TERMS]; /* the fall-off of a lamp (light_surface_radial) */
    double noise;          /* standard deviation of a sample */
} vignetting_equations;

static inline double *vignetting_number(const vignetting_equations *f, size_t row, size_t column) {
    return f->matrix + column * f->unknowns + row;
}

/* The sample of all views that an entry of `samples` is. */
static inline size_t vignetting_sample(const vignetting_equations *f, size_t slot) {
    size_t view = (size_t)f->owner[slot];
    return f->s->first[f->chosen[view]] + (size_t)f->samples[slot] - f->first[view];
}

/* Fills the matrix and the right side from the weighted samples. */
void vignetting_fill(const vignetting_equations *f);
/* Replaces the matrix by its Cholesky factor L, with so many threads; work: DENSE_WORK numbers for each. 0: it is not
 * positive. */
int vignetting_decompose(const vignetting_equations *f, int threads);
/* answer = matrix^-1 right, after vignetting_decompose. */
void vignetting_substitute(const vignetting_equations *f, const double *right, double *answer);
/* Residual of every sample under the answer, with the scene still in it; and without the scene. */
void vignetting_find_rests(const vignetting_equations *f);
void vignetting_find_residuals(const vignetting_equations *f);

/* Sets the answer by the weights and priors as they are; and by the priors, where the matrix and the right side are filled: 0
 * if they have no solution. */
endo_status vignetting_solve(const endo_light *light, vignetting_equations *f);
int vignetting_solve_filled(const vignetting_equations *f, int threads);
endo_status vignetting_unsolved(void);
/* Drops the views' gradients unless they predict what is held out, and solves again; falls: 1 if a vignetting predicts it. */
endo_status vignetting_choose_model(const endo_light *light, vignetting_equations *f, int *falls);

/* How much nearer walls are at the rim (light_evidence.nearer): the posterior mean, but little where they are farther. */
double light_depth_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                        const vignetting_equations *f);

#endif
