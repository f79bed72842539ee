/* The pose graph: places of frames from transforms of pairs (endorama/graph.h). */
#ifndef ENDO_SYSTEMS_GRAPH_H
#define ENDO_SYSTEMS_GRAPH_H

#include "../base/transform.h"
#include "../include/endorama/graph.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a place: at most. */
#define GRAPH_MOST 6
/* Points of a frame, with its second moments: sums over them are sums over its pixels. */
#define GRAPH_POINTS 4
/* Of fewer pairs one thread is done before others are awake. */
#define GRAPH_MANY 2048

/* In what a place moves: a translation has 2 numbers, rigid 3, similarity 4, affine 6. All are px: one of them moves the
 * points of the frame by as many px, root mean square. */
typedef struct graph_frame {
    endo_transform_class kind;
    int numbers;
    double x, y, radius; /* centre; root mean square distance of the pixels from it */
    double points[GRAPH_POINTS][2];
} graph_frame;

graph_frame graph_frame_of(int width, int height, endo_transform_class kind);

/* d of the moved point: 2 x numbers, row by row. */
void graph_motion(const graph_frame *f, const double point[2], double rows[2 * GRAPH_MOST]);

/* The place after a step of numbers. */
void graph_move(const graph_frame *f, const double step[GRAPH_MOST], double place[6]);

/* What one pair says: its contradiction in deviations, how much it counts (the caller writes that), and, with_equations,
 * its part of the normal equations of the reference (0) and current (1) frame for weight 1. */
typedef struct graph_term {
    double contradiction, weight;
    double blocks[3][GRAPH_MOST * GRAPH_MOST]; /* 00, 10, 11; row by row, `numbers` apart */
    double right[2][GRAPH_MOST];
    double thirds[3][9]; /* of affine maps, 00, 10, 11: what one row of the two places says were the frames not sheared */
} graph_term;

void graph_term_of(const graph_frame *f, const endo_graph_pair *pair, const double reference[6],
                   const double current[6], int with_equations, graph_term *out);

/* With the second derivative of Cauchy's function, whose weight the term has, in its blocks: the weight falls where the
 * contradiction grows. Where it falls so fast that nothing would be left, less of that. */
void graph_term_bend(const graph_frame *f, double wide, graph_term *term);

/* parts[i]: the part of frame i, numbered by their first frames; returns how many. pairs that are left out: NULL. */
endo_status graph_parts(const endo_graph_pair *pairs, size_t n_pairs, size_t n, int32_t *parts, int32_t *count);

/* Normal equations of free frames, sparse. rows[i]: the block row of frame i, or -1: held. */
typedef struct graph_equations graph_equations;

endo_status graph_equations_create(const endo_graph_pair *pairs, size_t n_pairs, const int32_t *rows,
                                   int32_t free_frames, int numbers, int threads, graph_equations **out);
void graph_equations_destroy(graph_equations *e);
/* For places that the terms are computed at: those of free frames in the order of their rows. */
void graph_equations_clear(graph_equations *e, const double (*places)[6]);
/* What n pairs from `first` on say, by their weights: pair by pair, the same sums at any number of threads. */
void graph_equations_add(graph_equations *e, size_t first, size_t n, const graph_term *terms);
/* (H + damping * diagonal) step = right. steps: `numbers` for each free frame. */
endo_status graph_equations_solve(graph_equations *e, double damping, double *steps);
/* The diagonal blocks of H^-1: numbers x numbers for each free frame; of affine maps as if no frame were sheared. */
endo_status graph_equations_covariances(graph_equations *e, double *blocks);

endo_status endo_graph_run(endo_context *context, const graph_frame *frame, const endo_graph_pair *pairs, size_t n_pairs,
                           const endo_graph_options *options, endo_transform *places, size_t n, double *deviations,
                           double *weights, endo_graph_report *report);

#ifdef __cplusplus
}
#endif
#endif
