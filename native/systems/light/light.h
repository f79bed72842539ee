/* The light of a moving scope. Arguments are checked by api/.
 *
 * In logarithms the brightness of a scene point in a view is a sum: scene + vignetting + gain. The scene is sampled at nodes
 * one cell apart, where the small pictures are interpolated; each node is eliminated as the mean of its samples. The
 * vignetting, a surface of 15 orthonormal terms, is found first, from some of the views (light_vignetting.c), then the
 * gains of all of them (light_gains.c), both with robust weights. */
#ifndef ENDO_SYSTEMS_LIGHT_H
#define ENDO_SYSTEMS_LIGHT_H

#include "backend/objects.h"
#include "include/endorama/light.h"

/* Terms of the vignetting: orders 1 to 4, and one of the 6th; the constant belongs to the scene. */
#define LIGHT_TERMS 15
#define LIGHT_CHANNELS 3

/* Most cells along a frame's width, and most pixels read along a cell. */
#define LIGHT_CELLS 24
#define LIGHT_READ 16

/* Standard deviation of a small picture's cell, as a logarithm, and how many cells err together like one: tissue moves, and
 * few terms do not describe the light exactly. Both were measured where the vignetting was known. */
#define LIGHT_NOISE 0.05
#define LIGHT_ALIKE 10

/* Prior deviation of a gradient of the light over the frame, as a logarithm: root mean square over the field. */
#define LIGHT_GRADIENT 0.1

typedef struct light_frame {
    endo_pixel type;
    int width, height;
    int high; /* the largest value that is not clipped, but for 8 bits, where it is 255 */
} light_frame;

/* A cell of a small picture. */
typedef struct light_cell {
    uint16_t mean[LIGHT_CHANNELS]; /* mean of the pixels that count; 8 bits: in 1/256 */
    uint16_t share;                /* share of its pixels that count, 0..65535; 0: unknown */
} light_cell;

/* How the frame is cut into cells. */
typedef struct light_grid {
    int side, step;    /* side of a cell, px; distance of the pixels that are read, px */
    int columns, rows; /* the last ones may be cut */
} light_grid;

static inline size_t light_cells(const light_grid *g) { return (size_t)g->columns * (size_t)g->rows; }
static inline double light_centre(const light_grid *g, int i, int length) {
    int first = i * g->side, end = first + g->side < length ? first + g->side : length;
    return 0.5 * (first + end - 1);
}
static inline int light_channels(const light_frame *f) { return f->type == ENDO_RGB32 ? LIGHT_CHANNELS : 1; }

/* What pairs say of walls, one number each (light_places.c): sums of weights, weighted values and their squares. */
typedef struct light_walls {
    double weight, value, square;
    int pairs;
} light_walls;

struct endo_light {
    endo_context *context;
    light_frame frame;
    light_grid grid;
    uint8_t *field;       /* 0 or 255 */
    uint16_t *inside;     /* by cell: pixels in the field among those that are read */
    uint8_t *read;        /* the pixels that are read, row by row: 255 in the field, else 0 */
    light_cell **pictures; /* by frame; NULL: none */
    int capacity;         /* number of `pictures` that there is memory for */
    light_walls walls[2]; /* if there is no lens; if the scope does not turn */
};

/* ---------------------------------------------------------------- light.c, light_cells.c, light_find.c */

endo_status light_make(endo_context *context, const light_frame *like, const uint8_t *field, endo_light **out);
void light_free(endo_light *light);
endo_status light_take(endo_light *light, int frame, const void *pixels, ptrdiff_t stride);

void light_count_inside(const light_frame *f, const light_grid *g, const uint8_t *field, int threads, uint16_t *inside);
/* Bytes that light_read_field fills at most. */
size_t light_reads(const light_grid *g);
void light_read_field(const light_frame *f, const light_grid *g, const uint8_t *field, uint8_t *out);
void light_shrink(const endo_light *light, const void *pixels, ptrdiff_t stride, light_cell *cells);

/* endo_light_solve. */
endo_status light_find(const endo_light *light, const endo_light_view *views, size_t n,
                       const endo_light_options *options, uint16_t *correction, int32_t *gains,
                       endo_light_report *report);

/* ---------------------------------------------------------------- light_surface.c */

/* Terms of the vignetting: orthonormal over the field's cells, with means of 0. */
typedef struct light_surface {
    double x, y, reach; /* monomials are of (px - x) / reach, (py - y) / reach */
    double terms[LIGHT_TERMS][LIGHT_TERMS + 1]; /* coefficients of the monomials, the constant first */
    double by_monomial[LIGHT_TERMS + 1][LIGHT_TERMS];
} light_surface;

/* Logarithm of the vignetting, as a polynomial. */
typedef struct light_shape {
    double x, y, reach, monomials[LIGHT_TERMS + 1];
    double peak, peak_x, peak_y; /* the brightest point of the field */
    double reference;            /* value at which pixels are left as they are */
} light_shape;

void light_surface_make(const endo_light *light, light_surface *surface);
void light_surface_terms(const light_surface *surface, double x, double y, double out[LIGHT_TERMS]);
/* Weighted sums of the terms at n points. */
void light_surface_values(const light_surface *surface, const double *weights, const float *x, const float *y, size_t n,
                          float *out);
/* Each term's mean over the cells nearest to the field's middle less that over the farthest: a fifth of the cells each. */
void light_surface_vignetting(const endo_light *light, const light_surface *surface, double out[LIGHT_TERMS]);

/* The fall-off of a lamp beside the lens, as weights of the terms with the sum of squares 1: its logarithm is a multiple of
 * -log(1 + r^2), r the distance from the field's middle over the field's reach: of 1 / (1 + r^2), the inverse square of the
 * distance, as of cos^4 = 1 / (1 + r^2)^2. */
void light_surface_radial(const endo_light *light, const light_surface *surface, double out[LIGHT_TERMS]);

light_shape light_shape_make(const endo_light *light, const light_surface *surface, const double *weights);
/* Sets the report's brightest point, rim and curve. */
ENDO_NODISCARD endo_status light_shape_report(const endo_light *light, const light_shape *shape, endo_light_report *report);
void light_shape_correct(const endo_light *light, const light_shape *shape, double limit, uint16_t *correction);

/* ---------------------------------------------------------------- light_places.c */

/* By which share of its motion the scene moves faster at the field's rim than the poses say: walls that are nearer there. */
typedef struct light_nearer {
    double share, variance; /* INFINITY: nothing is known */
} light_nearer;

/* endo_light_put_places. */
void light_take_places(endo_light *light, const endo_patch_place *places, size_t n);
light_nearer light_nearer_of_pairs(const endo_light *light, const light_surface *surface);

/* ---------------------------------------------------------------- light_samples.c */

/* Samples: what the views show at the nodes of the scene, sorted by view. */
typedef struct light_samples {
    int channels, threads;
    endo_cpu cpu;   /* the limit of the instruction sets */
    size_t n, nodes, views;
    size_t stride;  /* nodes in a row of the lattice */
    double alike;   /* number of samples that err together like one */
    size_t *first;  /* first sample of each view, and n */
    int32_t *node;
    float *x, *y;   /* position in the frame, px */
    float *values;  /* n a channel: logarithms, less their mean */
    float *share;   /* weight by the share of pixels that count */
    float *weight;  /* `share` times the robust weight */
    float *vignetting; /* logarithm of the vignetting; 0 until it is known */
} light_samples;

/* To be freed with light_samples_free, also after a failure. */
endo_status light_samples_make(const endo_light *light, const endo_light_view *views, size_t n, light_samples *s);
void light_samples_free(light_samples *s);
/* Slope of the logarithm of a view's small picture at a position of the frame, 1/px, right and down; zeros outside. */
void light_samples_slope(const endo_light *light, const endo_light_view *view, double x, double y, double out[2]);

/* ---------------------------------------------------------------- light_weigh.c */

/* Geman's and McClure's weights: residuals above `robust` deviations count a quarter at most. workspace: n + 1 numbers.
 * Returns the median of the residuals. */
double light_weigh(const float *residuals, const float *share, size_t n, double robust, int threads, float *workspace,
                   float *weights);

/* ---------------------------------------------------------------- light_vignetting.c, light_gains.c */

/* Solutions, each with the weights by the residuals of the one before. */
#define LIGHT_ROUNDS 7

/* How well the frames determine the vignetting. */
typedef struct light_evidence {
    int falls;        /* 1: a fall-off predicts what views show at places that were held out (light_held_out.c) */
    double deviation; /* standard deviation of its fall from the middle to the rim, as a logarithm (light_surface_vignetting),
                         by the samples' noise and the priors */
    double seen;      /* share of a lamp's fall-off, as a variance over the samples, by which frames differ at the same
                         nodes, 0..1: 0 where they do not move, near 1 where each node is seen anywhere in the frame */
    double nearer;    /* how much of light_nearer is believed, 0 or more; a share of its deviation at least */
} light_evidence;

/* Finds the terms of the vignetting. */
endo_status light_vignetting_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                                  const light_samples *s, double robust, double terms[LIGHT_TERMS], light_evidence *evidence);
/* Finds the logarithm of the gain of every view, a list for each channel, without the vignetting of the samples. rest: the
 * median of the residuals. Sets the weights. */
endo_status light_gains_find(const endo_light *light, light_samples *s, double robust, double *gains, double *rest);

/* ---------------------------------------------------------------- light_share.c */

/* Standard deviation of the vignetting's fall from the middle to the rim with what no residual shows, as a logarithm. */
double light_honest_deviation(const light_evidence *evidence);
/* How much of a fall-off of that deviation is taken out, 0..1: its posterior mean over what the frames say. */
double light_share_of(double deviation);

/* How much of the gains is believed, 0..1: of what all channels share, and of their differences from that. */
typedef struct light_shares {
    double level, colours;
} light_shares;

/* By what pieces of the frames say about those that are held out: three quarters about the fourth, and the field's middle and
 * what is around it about each other. gains: as light_gains_find sets them. */
endo_status light_gains_share(const endo_light *light, const light_surface *surface, const light_samples *s,
                              const double *gains, light_shares *shares);

#endif
