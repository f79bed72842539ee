/* Solves for the poses of one component after the other by endo_graph_solve, and for their deviations (poses.h). */
#include <math.h>

#include "base/memory.h"
#include "include/endorama/graph.h"
#include "consistency.h"
#include "edge_paths.h"
#include "numbers.h"
#include "poses_inside.h"
#include "stretch_edges.h"

/* Scale of the robust fit: contradiction of an edge, in deviations, at which it counts half. */
#define ROBUST 3
#define ITERATIONS 50

/* One component in the form that the solver takes. */
typedef struct component_graph {
    int frames;
    int *index;             /* one a frame of the sequence: its index in the component; -1: not in it */
    mosaic_edges inside;
    endo_transform_class kind; /* most general class of the edges */
    endo_graph_pair *pairs; /* one an edge */
    double *weights;
    endo_transform *poses;  /* one a frame of the component */
    double *deviations;
    double *wider;          /* one a frame: factor of its deviation */
    endo_graph_report report;
} component_graph;

static void component_graph_free(component_graph *g) {
    endo_free(g->index);
    edges_free(&g->inside);
    endo_free(g->pairs);
    endo_free(g->weights);
    endo_free(g->poses);
    endo_free(g->deviations);
    endo_free(g->wider);
}

static void find_frames(const mosaic_poses *p, int component, component_graph *g) {
    g->frames = 0;
    for (int i = 0; i < p->n; i++) g->index[i] = p->component[i] == component ? g->frames++ : -1;
}

static endo_status find_edges(const mosaic_poses *p, component_graph *g) {
    g->kind = ENDO_TRANSFORM_TRANSLATION;
    for (int i = 0; i < p->edges.n; i++) {
        const endo_mosaic_edge *edge = &p->edges.items[i];
        if (g->index[edge->reference] < 0 || g->index[edge->current] < 0) continue;
        ENDO_TRY(edges_add(&g->inside, edge));
        if (edge->transform.kind > (int64_t)g->kind) g->kind = (endo_transform_class)edge->transform.kind;
    }
    return ENDO_OK;
}

static endo_status allocate(component_graph *g) {
    size_t edges = (size_t)g->inside.n;
    size_t frames = (size_t)g->frames;
    g->pairs = endo_alloc_zeroed(edges, sizeof *g->pairs);
    g->weights = endo_alloc(edges, sizeof *g->weights);
    g->poses = endo_alloc(frames, sizeof *g->poses);
    g->deviations = endo_alloc(frames, sizeof *g->deviations);
    g->wider = endo_alloc(frames, sizeof *g->wider);
    if (g->pairs && g->weights && g->poses && g->deviations && g->wider) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for a graph of %d frames and %d edges", g->frames, g->inside.n);
}

/* Weights edges within a stretch relative to the chain. */
static void fill_pairs(component_graph *g, const stretch_edges *stretch) {
    double factor = stretch_edges_factor(stretch);
    for (int i = 0; i < g->inside.n; i++) {
        const endo_mosaic_edge *edge = &g->inside.items[i];
        int is_within = stretch_edges_is_within(stretch, edge);
        g->pairs[i] = (endo_graph_pair){
            .reference = g->index[edge->reference],
            .current = g->index[edge->current],
            .transform = edge->transform,
            .deviation = is_within ? factor * edge->deviation : edge->deviation,
        };
    }
}

/* Factor by which deviations of independent edges are too small: the root of the weighted sum of their squared contradictions,
 * over the edges in excess of those that connect the frames; 1 at least. */
static double contradiction_factor(const component_graph *g) {
    int beyond = g->inside.n - (g->frames - 1);
    double weight = 0;
    for (int i = 0; i < g->inside.n; i++) weight += g->weights[i];
    double factor = beyond > 0 ? g->report.after * sqrt(weight / beyond) : 1;
    return factor > 1 ? factor : 1;
}

/* Counts the edges of neighbours between each frame and the first one of the component, into `wider`. */
static endo_status find_paths(component_graph *g, const stretch_edges *stretch) {
    int n = g->inside.n;
    mosaic_edges local = {.items = NULL};
    int *steps = endo_alloc((size_t)n, sizeof *steps);
    endo_status status = steps ? edges_replace(&local, &g->inside) : poses_no_memory(g->frames);
    for (int i = 0; status == ENDO_OK && i < n; i++) {
        steps[i] = stretch_edges_steps(stretch, &g->inside.items[i]);
        local.items[i].reference = g->index[local.items[i].reference];
        local.items[i].current = g->index[local.items[i].current];
    }
    if (status == ENDO_OK) status = edge_paths_from(&local, steps, 0, g->frames, g->wider);
    edges_free(&local);
    endo_free(steps);
    return status;
}

/* Computes the factors of the frames' deviations: the contradiction factor at least, and what common errors add up to. */
static endo_status find_wider(component_graph *g, const stretch_edges *stretch) {
    double least = contradiction_factor(g);
    double common = stretch_edges_common(stretch);
    if (common > 0) ENDO_TRY(find_paths(g, stretch));
    for (int i = 0; i < g->frames; i++)
        g->wider[i] = common > 0 ? greater_of(least, sqrt(1 + common * g->wider[i])) : least;
    return ENDO_OK;
}

static endo_status solve_graph(const mosaic_poses *p, endo_context *context, component_graph *g, const stretch_edges *stretch) {
    endo_graph_options options = endo_graph_options_default();
    options.transform = g->kind;
    options.fixed = 0;
    options.iterations = ITERATIONS;
    options.robust = ROBUST;
    fill_pairs(g, stretch);
    for (int i = 0; i < p->n; i++)
        if (g->index[i] >= 0) g->poses[g->index[i]] = p->pose[i];
    ENDO_TRY(endo_graph_solve(context, &(endo_graph){.width = p->size.width, .height = p->size.height, .pairs = g->pairs,
                              .n_pairs = (size_t)g->inside.n, .poses = g->poses, .n = (size_t)g->frames,
                              .deviations = g->deviations, .weights = g->weights}, &options, &g->report));
    return find_wider(g, stretch);
}

static void take(mosaic_poses *p, const component_graph *g) {
    for (int i = 0; i < p->n; i++) {
        int k = g->index[i];
        if (k < 0) continue;
        if (k > 0) p->pose[i] = g->poses[k];
        p->deviation[i] = g->wider[k] * poses_scale(p, i) * g->deviations[k];
    }
}

/* Frames beside a tear deviate by half of it at least, except the first frame, whose pose is fixed. */
static void widen_at_tears(mosaic_poses *p, const int *index) {
    for (int i = 0; i < p->n; i++) {
        int of = p->frames[i].reference;
        if (index[i] < 0 || of < 0 || of == i || index[of] < 0 || poses_is_doubtful(p, i) || poses_is_doubtful(p, of)) continue;
        double half = tear_half(&p->pose[of], &p->pose[i], &p->chained[of], &p->chained[i], p->size);
        const int ends[2] = {of, i};
        half = poses_scale(p, of) * half;
        for (int k = 0; k < 2; k++)
            if (index[ends[k]] > 0) p->deviation[ends[k]] = greater_of(p->deviation[ends[k]], half);
    }
}

static void take_solution(mosaic_poses *p, const component_graph *g) {
    p->cut += g->report.cut;
    take(p, g);
    widen_at_tears(p, g->index);
    for (int i = 0; i < p->n; i++) {
        if (g->index[i] > 0)
            p->deviation[i] = length_of(p->deviation[i], perspective_check_distance(p->perspective, i));
        poses_leave_out_oblique(p, i);
    }
}

static endo_status solve_edges(mosaic_poses *p, endo_context *context, component_graph *g) {
    stretch_edges stretch;
    ENDO_TRY(allocate(g));
    ENDO_TRY(stretch_edges_create(p->frames, p->n, p->chained, &g->inside, p->size, &stretch));
    endo_status status = solve_graph(p, context, g, &stretch);
    if (status == ENDO_OK) take_solution(p, g);
    stretch_edges_free(&stretch);
    return status;
}

static endo_status solve_component(mosaic_poses *p, endo_context *context, int component) {
    component_graph g = {.index = endo_alloc((size_t)p->n, sizeof *g.index)};
    if (!g.index) return poses_no_memory(p->n);
    find_frames(p, component, &g);
    endo_status status = find_edges(p, &g);
    if (status == ENDO_OK && g.inside.n > 0) status = solve_edges(p, context, &g);
    component_graph_free(&g);
    return status;
}

endo_status poses_solve(mosaic_poses *p, endo_context *context) {
    for (int component = 1; component <= p->components; component++) ENDO_TRY(solve_component(p, context, component));
    return ENDO_OK;
}
