/* The light of a moving scope. Arguments are checked by api/.
 *
 * In logarithms a cell of a small picture is a sum: scene + fall-off + gain. The scene has nodes one cell apart, between
 * which it is bilinear; the fall-off is a surface of the 4th order in orthonormal terms; each view has a gain a channel.
 * Everything is found together by conjugate gradients on the normal equations, with weights that make it robust. */
#ifndef ENDO_SYSTEMS_LIGHT_H
#define ENDO_SYSTEMS_LIGHT_H

#include "../objects.h"

/* Monomials of the orders 1 to 4; the constant is the scene's. */
#define LIGHT_TERMS 14
#define LIGHT_CHANNELS 3

/* So far is a small picture's cell off, as a logarithm, and so many cells together, like one: the light wanders on the
 * sensor, and tissue moves. As measured where the fall-off was known. */
#define LIGHT_NOISE 0.05
#define LIGHT_ALIKE 100

typedef struct light_frame {
    endo_pixel type;
    int width, height;
    int high; /* the largest value that is not clipped, but for 8 bits, where it is 255 */
} light_frame;

/* A cell of a small picture. */
typedef struct light_cell {
    uint16_t mean[LIGHT_CHANNELS]; /* of what counts; 8 bits: in 1/256 */
    uint16_t share;                /* of its pixels that count, 0..65535; 0: nothing is known */
} light_cell;

/* How the frame is cut into cells. */
typedef struct light_grid {
    int side, step;    /* of a cell, px; every so many pixels are read */
    int columns, rows; /* the last ones may be cut */
} light_grid;

static inline size_t light_cells(const light_grid *g) { return (size_t)g->columns * (size_t)g->rows; }
static inline double light_centre(const light_grid *g, int i, int length) {
    int first = i * g->side, end = first + g->side < length ? first + g->side : length;
    return 0.5 * (first + end - 1);
}
static inline int light_channels(const light_frame *f) { return f->type == ENDO_RGB32 ? LIGHT_CHANNELS : 1; }

struct endo_light {
    endo_context *context;
    light_frame frame;
    light_grid grid;
    uint8_t *field;       /* 0 or 255 */
    uint16_t *inside;     /* of every cell: pixels in the field among those that are read */
    light_cell **pictures; /* by frame; NULL: none */
    int room;             /* of pictures */
};

/* ---------------------------------------------------------------- light.c, light_cells.c, light_find.c */

endo_status light_make(endo_context *context, const light_frame *like, const uint8_t *field, endo_light **out);
void light_free(endo_light *light);
endo_status light_take(endo_light *light, int frame, const void *pixels, ptrdiff_t stride);

void light_count_inside(const light_frame *f, const light_grid *g, const uint8_t *field, uint16_t *inside);
void light_shrink(const endo_light *light, const void *pixels, ptrdiff_t stride, light_cell *cells);

/* endo_light_solve. */
endo_status light_find(const endo_light *light, const endo_light_view *views, size_t n,
                       const endo_light_options *options, uint16_t *correction, int32_t *gains,
                       endo_light_report *report);

/* ---------------------------------------------------------------- light_surface.c */

/* The surface's terms: at the field's cells their means are 0, and they are orthonormal. */
typedef struct light_surface {
    double x, y, reach; /* monomials are of (px - x) / reach, (py - y) / reach */
    double terms[LIGHT_TERMS][LIGHT_TERMS + 1]; /* each in monomials, the constant first */
} light_surface;

/* Logarithm of the fall-off: a sum of terms, in monomials. */
typedef struct light_shape {
    double x, y, reach, monomials[LIGHT_TERMS + 1];
    double peak, peak_x, peak_y; /* the brightest place in the field */
    double reference;            /* where this is the value pixels stay as they are */
} light_shape;

void light_surface_make(const endo_light *light, light_surface *surface);
void light_surface_terms(const light_surface *surface, double x, double y, double out[LIGHT_TERMS]);
/* The terms' mean over the cells nearest to the field's middle less that over the farthest: a fifth of the cells each. */
void light_surface_fall(const endo_light *light, const light_surface *surface, double out[LIGHT_TERMS]);

light_shape light_shape_make(const endo_light *light, const light_surface *surface, const double *weights);
/* The report's place, rim and curve. */
void light_shape_report(const endo_light *light, const light_shape *shape, endo_light_report *report);
void light_shape_correct(const endo_light *light, const light_shape *shape, double limit, uint16_t *correction);

/* ---------------------------------------------------------------- light_sights.c, light_equations.c */

/* One cell seen in one view. */
typedef struct light_sight {
    int32_t node; /* upper left one of the four that it lies between */
    float fx, fy; /* where between them, 0..1 */
    int32_t view, cell;
    float share;  /* weight by its pixels */
    float weight; /* and by what it contradicts */
} light_sight;

typedef struct light_equations {
    int channels, threads;
    int terms; /* LIGHT_TERMS, or 0: no fall-off */
    size_t n, room, nodes, views, cells;
    ptrdiff_t stride;     /* from a node to the one below */
    light_sight *sights;
    float *values;        /* room a channel: logarithms */
    double *basis;        /* LIGHT_TERMS a cell */
} light_equations;

/* An unknown's place: the terms, then of each channel its nodes and its views' gains. */
static inline size_t light_unknowns(const light_equations *e) {
    return (size_t)e->terms + (size_t)e->channels * (e->nodes + e->views);
}
static inline double *light_scene(const light_equations *e, double *unknowns, int channel) {
    return unknowns + e->terms + (size_t)channel * (e->nodes + e->views);
}
static inline double *light_gains(const light_equations *e, double *unknowns, int channel) {
    return light_scene(e, unknowns, channel) + e->nodes;
}

/* What the views see of the small pictures, over zeros. light_sights_free what was made, also after a failure. */
endo_status light_sights_make(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                              size_t n, light_equations *e);
void light_sights_free(light_equations *e);

/* Solves the normal equations, beginning at the unknowns given: for the values, or (direction not NULL) for a right side
 * that is `direction` in the terms and 0 else. */
endo_status light_equations_solve(endo_context *context, const light_equations *e, const double *direction,
                                  double *unknowns);
/* What is left of the values: of every sight the root mean square over its channels. */
void light_equations_residuals(const light_equations *e, const double *unknowns, float *residuals);

#endif
