/* A scope over a plane, tilted or tilting, from pairs with errors of 0.05 px: what homographies are for. Solved as
 * homographies the poses are right within their deviations; as affine maps, all of whose pairs err alike, they are not, and
 * their deviations are too small. Prints the figures of docs/algorithms/pose-graph.md. */
#include "base/transform.h"
#include "include/endorama.h"
#include "systems/graph/graph.h"
#include "check.h"
#include "graph_scene.h"

#include <math.h>
#include <string.h>

enum { WIDTH = GRAPH_SCENE_WIDTH, HEIGHT = GRAPH_SCENE_HEIGHT, FRAMES = 100 };
#define FOCAL (0.9 * WIDTH)
#define DEVIATION 0.05

typedef struct flight {
    const char *name;
    double fixed, turning; /* degrees: always, and at most to either side */
} flight;

/* The homography plane -> frame of a scope that goes round in a circle, as high as its focal length. */
static endo_transform view_of(const flight *f, int frame) {
    const double t = 2 * acos(-1.0) * frame / FRAMES, degree = acos(-1.0) / 180;
    const double a = degree * (f->fixed + f->turning * sin(2 * t)), b = degree * 0.7 * f->turning * sin(3 * t);
    /* Rows of the turn about both axes, and the scope's place. */
    const double turn[9] = {cos(a), 0, -sin(a), sin(a) * sin(b), cos(b), cos(a) * sin(b),
                            sin(a) * cos(b), -sin(b), cos(a) * cos(b)};
    const double at[3] = {0.4 * WIDTH * cos(t), 0.4 * WIDTH * sin(t), -FOCAL};
    const double middle[3] = {(WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0, 0};
    double own[9];
    endo_transform view = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    for (int r = 0; r < 3; r++) {
        const double *row = turn + 3 * r;
        own[3 * r] = row[0], own[3 * r + 1] = row[1];
        own[3 * r + 2] = -(row[0] * at[0] + row[1] * at[1] + row[2] * at[2]);
    }
    for (int i = 0; i < 9; i++) view.matrix[i] = (i < 6 ? FOCAL * own[i] : own[i]) + middle[i / 3] * own[6 + i % 3];
    for (int i = 6; i < 9; i++) view.matrix[i] = own[i];
    return view;
}

/* Places in the coordinates of the first frame. */
static void fly(graph_scene *g, const flight *f) {
    const endo_transform first = view_of(f, 0);
    for (int i = 0; i < g->n; i++) {
        endo_transform view = view_of(f, i), back, place;
        CHECK(endo_transform_invert(&view, &back) == ENDO_OK);
        CHECK(endo_transform_compose(&back, &first, &place) == ENDO_OK);
        memcpy(g->truth[i], place.matrix, sizeof place.matrix);
        CHECK(graph_homography_scale(&g->frame, g->truth[i]));
    }
    memcpy(g->truth[0], endo_transform_still.matrix, sizeof g->truth[0]); /* but for rounding */
}

/* Neighbours, four apart, and with every tenth frame. */
static void connect(graph_scene *g) {
    test_random r = {21};
    for (int i = 1; i < g->n; i++) {
        int tenth = (i - 1) / 10 * 10;
        graph_scene_connect(g, i - 1, i, DEVIATION, &r);
        if (i >= 4) graph_scene_connect(g, i - 4, i, DEVIATION, &r);
        if (tenth < i - 1 && tenth != i - 4) graph_scene_connect(g, tenth, i, DEVIATION, &r);
    }
}

/* Replaces the homographies of all pairs by the affine maps nearest over the frame. */
static void flatten(graph_scene *g) {
    const graph_frame *f = &g->frame;
    for (int i = 0; i < g->n_pairs; i++) {
        double to[2 * GRAPH_POINTS];
        int solved = 0;
        CHECK(endo_transform_apply(&g->pairs[i].transform, f->points[0], (size_t)f->n_points, to) == ENDO_OK);
        CHECK(endo_transform_fit(f->points[0], to, f->shares, (size_t)f->n_points, ENDO_TRANSFORM_AFFINE,
                                 &g->pairs[i].transform, &solved) == ENDO_OK && solved);
    }
}

/* Root mean square error, px of the frames, and the share of frames within three deviations. */
static double solve(graph_scene *g, endo_context *context, endo_transform_class kind, double *within) {
    const graph_frame frame = g->frame;
    endo_graph_options o = endo_graph_options_default();
    double squares = 0;
    o.transform = kind;
    g->frame.kind = kind;
    graph_scene_chain(g);
    g->frame = frame;
    CHECK(endo_graph_solve(context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = g->pairs,
                           .n_pairs = (size_t)g->n_pairs, .poses = g->poses, .n = (size_t)g->n,
                           .deviations = g->deviations, .weights = g->weights}, &o, NULL) == ENDO_OK);
    *within = 0;
    for (int i = 1; i < g->n; i++) {
        double e = graph_scene_error_of(g, i);
        squares += e * e / (g->n - 1);
        *within += (e < 3 * g->deviations[i]) / (g->n - 1.0);
    }
    return sqrt(squares);
}

static void test_flight(endo_context *context, const flight *f) {
    graph_scene g = graph_scene_make(FRAMES, 3 * FRAMES, ENDO_TRANSFORM_HOMOGRAPHY);
    double homographies, affine, within[2];
    fly(&g, f);
    connect(&g);
    homographies = solve(&g, context, ENDO_TRANSFORM_HOMOGRAPHY, &within[0]);
    flatten(&g);
    affine = solve(&g, context, ENDO_TRANSFORM_AFFINE, &within[1]);
    printf("%-28s homographies %.3f px, %3.0f %% within three deviations; affine %.1f px, %3.0f %%\n", f->name, homographies,
           100 * within[0], affine, 100 * within[1]);
    CHECK(homographies < 0.2 && within[0] > 0.99);
    CHECK(affine > 10 * homographies && within[1] < 0.5);
    graph_scene_free(&g);
}

int main(void) {
    const flight flights[] = {{"looks at it at 10 degrees", 10, 0}, {"looks at it at 25 degrees", 25, 0},
                              {"looks at it at 45 degrees", 45, 0}, {"tilts by up to 10 degrees", 0, 10},
                              {"tilts by up to 20 degrees", 0, 20}, {"tilts by up to 35 degrees", 0, 35}};
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = 1;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    for (size_t i = 0; i < sizeof flights / sizeof flights[0]; i++) test_flight(context, &flights[i]);
    endo_context_destroy(&context);
    return check_summary("test_graph_planes");
}
