/* The pose graph: poses of frames from transforms of pairs (endorama/graph.h). */
#ifndef ENDO_SYSTEMS_GRAPH_H
#define ENDO_SYSTEMS_GRAPH_H

#include "base/transform.h"
#include "include/endorama/graph.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most parameters of a pose. */
#define GRAPH_MOST 8
/* Most points that stand for a frame. */
#define GRAPH_POINTS 9
/* Fewest pairs for which threads are used: with fewer one thread is done before others are awake. */
#define GRAPH_MANY 512

/* Frame size and parameters of a pose: a translation has 2, rigid 3, similarity 4, affine 6, a homography 8. All are px: one
 * of them moves the points of the frame by about as many px, root mean square.
 *
 * Sums over the points, by their shares, stand for sums over the pixels. Motions are squared in them, so for affine maps
 * second moments are enough: four points. A homography's motions have products of two coordinates: fourth moments, by
 * Gauss's rule with 3 x 3 points. (At four points x^2 and y^2 are the same everywhere, and perspective would look like a
 * shift.) */
typedef struct graph_frame {
    endo_transform_class kind;
    int numbers, n_points;
    double width, height;
    double x, y, radius; /* centre; root mean square distance of the pixels from it */
    double points[GRAPH_POINTS][2], shares[GRAPH_POINTS];
} graph_frame;

graph_frame graph_frame_of(int width, int height, endo_transform_class kind);

/* Derivative of a point by the parameters of its pose: 2 x numbers, row by row. */
void graph_motion(const graph_frame *f, const double point[2], double rows[2 * GRAPH_MOST]);

/* Moves a pose by a step of its parameters. A homography, whose step graph_homography_cut did not shorten any further, gets
 * 1 as its last number. */
void graph_move(const graph_frame *f, const double step[GRAPH_MOST], double pose[9]);

/* The term of one pair: its contradiction in deviations, its weight (set by the caller), and, with_equations, its
 * contribution to the normal equations of the reference (0) and current (1) frame for weight 1. */
typedef struct graph_term {
    double contradiction, weight;
    double blocks[3][GRAPH_MOST * GRAPH_MOST]; /* 00, 10, 11; row by row, `numbers` apart */
    double right[2][GRAPH_MOST];
    double thirds[3][9]; /* affine maps, 00, 10, 11: equations of one row of the two poses, were the frames not sheared */
} graph_term;

/* Computes the term of a pair. Where the reference cannot be inverted, or a homography takes the frame beyond the horizon,
 * the contradiction is INFINITY, and all else 0. */
void graph_term_of(const graph_frame *f, const endo_graph_pair *pair, const double reference[9],
                   const double current[9], int with_equations, graph_term *out);

/* Adds the second derivative of Cauchy's function to the blocks of a term that has its weight, which falls as the
 * contradiction grows; no more of it than leaves the blocks positive. */
void graph_term_distortion(const graph_frame *f, double wide, graph_term *term);

/* ------------------------------------------------------------- homographies
 * A point is in front of a homography where its denominator is positive, and a frame where all its pixels are. */

/* Scales a homography to 1 as its last number. Returns 0 unless the frame is in front of it, every corner with at least 1e-6
 * of the middle's denominator. */
int graph_homography_scale(const graph_frame *f, double m[9]);

/* b = reference^-1 current; b's denominators have the right sign. 0: the reference cannot be inverted. */
int graph_homography_between(const double reference[9], const double current[9], double b[9]);

/* Maps a point, and sets the derivative there, row by row; 0: the point is not in front. */
int graph_homography_apply(const double m[9], const double point[2], double to[2], double linear[4]);

/* Shortens a step so that no corner loses more than nine tenths of its denominator over the middle's. Returns 1 if it
 * did. */
int graph_homography_cut(const graph_frame *f, const double pose[9], double step[GRAPH_MOST]);
void graph_homography_move(const graph_frame *f, const double step[GRAPH_MOST], double pose[9]);

/* components[i]: the connected component of frame i, numbered in the order of their first frames; *count: how many. */
endo_status graph_components(const endo_graph_pair *pairs, size_t n_pairs, size_t n, int32_t *components, int32_t *count);

/* Sparse normal equations of the free frames. rows[i]: the block row of frame i; -1: it is held. */
typedef struct graph_equations graph_equations;

endo_status graph_equations_create(const endo_graph_pair *pairs, size_t n_pairs, const int32_t *rows,
                                   int32_t free_frames, int numbers, int threads, endo_cpu cpu, graph_equations **out);
void graph_equations_destroy(graph_equations *e);
/* Sets the equations to zero. poses: those that the terms are computed at, of the free frames in the order of their rows. */
void graph_equations_clear(graph_equations *e, const double (*poses)[9]);
/* Adds the terms of n pairs from `first` on, by their weights: pair by pair, the same sums at any number of threads. */
void graph_equations_add(graph_equations *e, size_t first, size_t n, const graph_term *terms);
/* Solves (H + damping * diagonal) step = right. steps: `numbers` for each free frame. */
endo_status graph_equations_solve(graph_equations *e, double damping, double *steps);
/* The diagonal blocks of H^-1: numbers x numbers for each free frame; for affine maps as if no frame were sheared. */
endo_status graph_equations_covariances(graph_equations *e, double *blocks);

endo_status endo_graph_run(endo_context *context, const graph_frame *frame, const endo_graph_pair *pairs, size_t n_pairs,
                           const endo_graph_options *options, endo_transform *poses, size_t n, double *deviations,
                           double *weights, endo_graph_report *report);

#ifdef __cplusplus
}
#endif
#endif
