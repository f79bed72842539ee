/* Sequences of frames whose poses are known, with pairs that err by a known amount, for the tests of pose graphs. */
#ifndef ENDO_TEST_GRAPH_SCENE_H
#define ENDO_TEST_GRAPH_SCENE_H

#include "include/endorama.h"
#include "systems/graph/graph.h"
#include "check.h"
#include "scene.h"

enum { GRAPH_SCENE_WIDTH = 320, GRAPH_SCENE_HEIGHT = 240 };

typedef struct graph_scene {
    int n, n_pairs;
    double (*truth)[9]; /* of the n frames */
    endo_graph_pair *pairs;
    endo_transform *poses;
    double *deviations, *weights;
    graph_frame frame;
} graph_scene;

/* On the CPU; here, because checks are counted by each test. */
static inline endo_context *graph_scene_context(int threads) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = threads;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    return context;
}

/* Room for n frames and most_pairs pairs; all zero but the frame. */
graph_scene graph_scene_make(int n, int most_pairs, endo_transform_class kind);
void graph_scene_free(graph_scene *g);

/* Truth on a lying eight of this half width in px, that many rounds of it, turning a little, and of homographies slanted:
 * frames meet where it crosses and in every round. */
void graph_scene_path(graph_scene *g, int rounds, double size);

/* One more pair, the true motion moved by numbers of this deviation, px; its own deviation says so. */
void graph_scene_connect(graph_scene *g, int reference, int current, double deviation, test_random *r);

/* Poses: where the pairs of neighbours lead from the first frame's true pose. */
void graph_scene_chain(graph_scene *g);

/* Root mean square error of the places without the first, px an axis; normalised (may be NULL): by their deviations. */
double graph_scene_error(const graph_scene *g, double *normalised);

/* The error of one frame's pose, px an axis, in the px of the frame. */
double graph_scene_error_of(const graph_scene *g, int frame);

/* A pose of the frame's class. */
endo_transform graph_scene_pose(const graph_frame *f, const double matrix[9]);

/* A place moved by numbers of this deviation, in px. */
void graph_scene_disturb(const graph_frame *f, double deviation, test_random *r, double pose[9]);

#endif
