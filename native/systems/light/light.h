/* The light of a moving scope. Arguments are checked by api/.
 *
 * In logarithms what a view shows of a place is a sum: scene + fall-off + gain. The scene is known at nodes one cell apart,
 * where the small pictures are interpolated; each node is eliminated, for it is the mean of what its views say. The
 * fall-off, a surface of 15 orthonormal terms, is found first, from some of the views (light_vignetting.c), then the
 * gains of all of them (light_gains.c), both with weights that make them robust. */
#ifndef ENDO_SYSTEMS_LIGHT_H
#define ENDO_SYSTEMS_LIGHT_H

#include "backend/objects.h"

/* Monomials of the orders 1 to 4, and one of the 6th; the constant is the scene's. */
#define LIGHT_TERMS 15
#define LIGHT_CHANNELS 3

/* Cells along a frame's width at most, and pixels along a cell that are read. */
#define LIGHT_CELLS 24
#define LIGHT_READ 16

/* So far is a small picture's cell off, as a logarithm, and so many cells together, like one: tissue moves, and the light
 * has a shape that no few terms describe. As measured where the fall-off was known. */
#define LIGHT_NOISE 0.05
#define LIGHT_ALIKE 10

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
    uint8_t *read;        /* of these, row by row: 255 in the field, else 0 */
    light_cell **pictures; /* by frame; NULL: none */
    int room;             /* of pictures */
};

/* ---------------------------------------------------------------- light.c, light_cells.c, light_find.c */

endo_status light_make(endo_context *context, const light_frame *like, const uint8_t *field, endo_light **out);
void light_free(endo_light *light);
endo_status light_take(endo_light *light, int frame, const void *pixels, ptrdiff_t stride);

void light_count_inside(const light_frame *f, const light_grid *g, const uint8_t *field, uint16_t *inside);
/* Bytes that light_read_field fills at most. */
size_t light_reads(const light_grid *g);
void light_read_field(const light_frame *f, const light_grid *g, const uint8_t *field, uint8_t *out);
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
    double by_monomial[LIGHT_TERMS + 1][LIGHT_TERMS];
} light_surface;

/* Logarithm of the fall-off: a sum of terms, in monomials. */
typedef struct light_shape {
    double x, y, reach, monomials[LIGHT_TERMS + 1];
    double peak, peak_x, peak_y; /* the brightest place in the field */
    double reference;            /* where this is the value pixels stay as they are */
} light_shape;

void light_surface_make(const endo_light *light, light_surface *surface);
void light_surface_terms(const light_surface *surface, double x, double y, double out[LIGHT_TERMS]);
/* Sums of the terms, weighted, at n places. */
void light_surface_values(const light_surface *surface, const double *weights, const float *x, const float *y, size_t n,
                          float *out);
/* The terms' mean over the cells nearest to the field's middle less that over the farthest: a fifth of the cells each. */
void light_surface_vignetting(const endo_light *light, const light_surface *surface, double out[LIGHT_TERMS]);

light_shape light_shape_make(const endo_light *light, const light_surface *surface, const double *weights);
/* The report's place, rim and curve. */
void light_shape_report(const endo_light *light, const light_shape *shape, endo_light_report *report);
void light_shape_correct(const endo_light *light, const light_shape *shape, double limit, uint16_t *correction);

/* ---------------------------------------------------------------- light_samples.c */

/* What the views see of the scene's nodes, sorted by view. */
typedef struct light_samples {
    int channels, threads;
    endo_cpu cpu;   /* the limit of the instruction sets */
    size_t n, nodes, views;
    double alike;   /* so many of them together are off like one */
    size_t *first;  /* of each view, and n */
    int32_t *node;
    float *x, *y;   /* in the frame, px */
    float *values;  /* n a channel: logarithms, less their mean */
    float *share;   /* weight by its pixels */
    float *weight;  /* and by what it contradicts */
    float *fall;    /* logarithm of the fall-off there; 0 until it is known */
} light_samples;

/* Zeros and what was made are for light_samples_free also after a failure. */
endo_status light_samples_make(const endo_light *light, const endo_light_view *views, size_t n, light_samples *s);
void light_samples_free(light_samples *s);

/* ---------------------------------------------------------------- light_weigh.c */

/* Geman's and McClure's weights: what is farther off than `robust` deviations counts a quarter at most. room: for n + 1.
 * Returns the median. */
double light_weigh(const float *residuals, const float *share, size_t n, double robust, int threads, float *room,
                   float *weights);

/* ---------------------------------------------------------------- light_vignetting.c, light_gains.c */

/* Solves, each with the weights that follow from the one before. */
#define LIGHT_ROUNDS 7

/* The fall-off's terms; deviation: by how much its descent from the middle to the rim may be off (light_surface_vignetting). The
 * terms are 0 if that is more than `worst`. */
endo_status light_vignetting_find(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                            const light_samples *s, double robust, double worst, double terms[LIGHT_TERMS],
                            double *deviation);
/* The logarithm of the gain of every view: a list for each channel. Takes the fall-off from the values; rest: the median
 * of what is left of them. Weights are renewed. */
endo_status light_gains_find(const endo_light *light, light_samples *s, double robust, double *gains, double *rest);

#endif
