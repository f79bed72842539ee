/* The pose graph: the poses of all frames of a sequence from the transforms of its pairs. */
#ifndef ENDORAMA_GRAPH_H
#define ENDORAMA_GRAPH_H

#include "context.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pair of registered frames: an edge of the graph. */
typedef struct endo_graph_pair {
    int32_t reference, current; /* frames, 0..n-1; not the same */
    endo_transform transform;   /* current -> reference, px; a homography only where the poses are */
    double deviation;           /* standard deviation, px, of where the transform takes a point of the frame (root mean
                                   square over the frame and both axes); > 0 */
} endo_graph_pair;

typedef struct endo_graph_options {
    endo_transform_class transform; /* class of the poses; default AFFINE */
    int32_t fixed;                  /* the frame whose pose stays as it is given; default 0 */
    int32_t iterations;             /* most iterations, 1..1000; default 50 */
    double robust;                  /* a pair that contradicts the others by so many of its deviations counts half, and
                                       ever less beyond; 0: all count alike (least squares); default 3 */
} endo_graph_options;

typedef struct endo_graph_report {
    double before, after;   /* root mean square of the pairs' contradictions over their deviations, with the final weights,
                               before and after the solve; 0 without pairs. Independent errors leave 1 at most */
    int32_t iterations;     /* iterations that were done */
    int32_t settled;        /* 1: the poses converged; 0: the iterations were used up */
    int32_t components;     /* connected components of the graph. In each that the fixed frame is not in, the first frame
                               keeps the pose that was given */
    int32_t doubtful;       /* pairs that count less than half */
    int32_t cut;            /* homographies: frames that would have gone to infinity in the last iteration, and were
                               stopped before: their pairs do not agree with a pose */
} endo_graph_report;

ENDO_API void endo_graph_options_init(endo_graph_options *options);
static inline endo_graph_options endo_graph_options_default(void) {
    endo_graph_options options;
    endo_graph_options_init(&options);
    return options;
}

/* A pose graph: frames, and pairs of them. */
typedef struct endo_graph {
    int width, height;            /* size of every frame, px, 1..65536 */
    const endo_graph_pair *pairs; /* n_pairs of them; NULL where there are none */
    size_t n_pairs;
    endo_transform *poses;        /* n of them, in: initial poses (for example along the chain); out: solved, all of the class
                                     asked for */
    size_t n;                     /* number of frames, 1..1000000 */
    double *deviations;           /* n numbers, or NULL; out: the standard deviation of each pose, px, root mean square over its
                                     frame, were the pairs' deviations right and independent; 0 for the fixed frame, NaN in
                                     connected components that it is not in */
    double *weights;              /* n_pairs numbers, or NULL; out: 0..1, how much each pair counted in the end */
} endo_graph;

/* Finds the poses (frame -> panorama, px) that contradict the pairs least. For a pair of frames i and j with the transform T
 * the contradiction is how far P_i^-1 P_j is from T, in px of the frame i, root mean square over the frame (width x
 * height px, both 1..65536). The sum over all pairs of robust functions of contradiction / deviation is lowest, found by
 * Gauss-Newton from the poses given, with a robust function that begins wide. Contradictions are in px of the frames: in px of
 * the panorama smaller frames would contradict each other less, and long sequences shrink.
 *
 * Homographies: the frame must be in front of its pose and of the transforms of its pairs, that is, all its pixels have
 * positive denominators, those in the corners at least 1e-6 of the middle's; their last number becomes 1. Solved poses meet
 * the same condition: no step takes more than nine tenths of a denominator. A frame beyond the horizon of another one, so
 * that P_i^-1 P_j is undefined, contradicts the pair infinitely, and the pair counts 0; no step makes more of these.
 * Frames that only such pairs hold stay about where they were given; their deviations are thousands of px or more.
 *
 * report may be NULL. The cancel hook of the context (endo_context_set_cancel) is asked at every iteration. Results do not
 * depend on the number of threads.
 *
 * Errors: ARGUMENT (NULL; an option, a frame or a size out of range; a deviation that is not above 0; a transform that
 * cannot be inverted, or that a frame is not in front of; pairs that do not determine the poses), UNSUPPORTED (a
 * homography where the class of the poses is another), MEMORY, CANCELLED; poses, deviations, weights and report are then as
 * they were. */
ENDO_API ENDO_NODISCARD endo_status endo_graph_solve(endo_context *context, const endo_graph *graph,
                                                     const endo_graph_options *options, endo_graph_report *report);

#ifdef __cplusplus
}
#endif
#endif
