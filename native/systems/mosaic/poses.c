/* Components by what edges tie together, and their poses by endo_graph_solve (poses.h). */
#include "poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../base/memory.h"
#include "../../include/endorama/graph.h"
#include "chain_ties.h"
#include "chained_poses.h"
#include "consistency.h"
#include "edge_paths.h"
#include "lens_drift.h"
#include "numbers.h"
#include "perspective_check.h"
#include "stretch_edges.h"

/* Deviations by which an edge contradicts the others that then counts half. */
#define ROBUST 3
#define ITERATIONS 50
/* Deviation of an edge, px, up to which it says well where a frame lies. */
#define WELL 1

struct mosaic_poses {
    endo_mosaic_frame *frames;
    int n;
    mosaic_size size;
    mosaic_edges edges;
    int *component;          /* of each frame; 0: none */
    endo_transform *pose;
    endo_transform *chained; /* the poses before they were solved for */
    double *deviation;       /* px; NaN: it was not solved for */
    double *support;         /* least deviation of the frame's edges, px; 0: it has none, and is not wrong */
    uint8_t *oblique;        /* it is tilted too far to be painted, and in no component */
    perspective_check *perspective; /* NULL of poses that were solved for before */
    int components;
    int *canvas; /* of each component, from 1 */
    int cut;     /* frames that were stopped before they went to infinity */
};

static endo_status no_memory(int n) {
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the poses of %d frames", n);
}

static endo_status make(endo_mosaic_frame *frames, int n, mosaic_size size, mosaic_poses **out) {
    mosaic_poses *p = endo_alloc_zeroed(1, sizeof *p);
    size_t count = (size_t)n;
    if (!p) return no_memory(n);
    p->frames = frames;
    p->n = n;
    p->size = size;
    p->component = endo_alloc_zeroed(count, sizeof *p->component);
    p->pose = endo_alloc(count, sizeof *p->pose);
    p->chained = endo_alloc(count, sizeof *p->chained);
    p->deviation = endo_alloc(count, sizeof *p->deviation);
    p->support = endo_alloc_zeroed(count, sizeof *p->support);
    p->oblique = endo_alloc_zeroed(count, sizeof *p->oblique);
    if (!p->component || !p->pose || !p->chained || !p->deviation || !p->support || !p->oblique) {
        poses_destroy(&p);
        return no_memory(n);
    }
    for (int i = 0; i < n; i++) p->deviation[i] = NAN;
    *out = p;
    return ENDO_OK;
}

void poses_destroy(mosaic_poses **poses) {
    mosaic_poses *p = *poses;
    if (!p) return;
    perspective_check_destroy(&p->perspective);
    edges_free(&p->edges);
    endo_free(p->component);
    endo_free(p->pose);
    endo_free(p->chained);
    endo_free(p->deviation);
    endo_free(p->support);
    endo_free(p->oblique);
    endo_free(p->canvas);
    endo_free(p);
    *poses = NULL;
}

static endo_status make_canvases(mosaic_poses *p) {
    p->canvas = endo_alloc_zeroed((size_t)p->components + 1, sizeof *p->canvas);
    return p->canvas ? ENDO_OK : no_memory(p->n);
}

/* A frame without an edge stands alone, and is not wrong. */
static void find_support(mosaic_poses *p) {
    for (int i = 0; i < p->edges.n; i++) {
        const endo_mosaic_edge *edge = &p->edges.items[i];
        const int ends[2] = {edge->reference, edge->current};
        double of = edge->doubtful ? INFINITY : edge->deviation;
        for (int k = 0; k < 2; k++) {
            double *support = &p->support[ends[k]];
            *support = *support == 0 ? of : lesser_of(*support, of);
        }
    }
}

/* ------------------------------------------------------------------- components */

/* Chains that are tied together: how many frames each has, and what puts them into the coordinates of its first one. */
typedef struct tied_chains {
    int *root;              /* of each frame the chain; -1: it is not registered */
    int *size;              /* of each chain, in frames */
    int *number;            /* of each chain, by its size, from 1 */
    endo_transform *origin; /* of each chain */
} tied_chains;

static void tied_chains_free(tied_chains *t) {
    endo_free(t->root);
    endo_free(t->size);
    endo_free(t->number);
    endo_free(t->origin);
}

static endo_status tied_chains_make(int n, int chains, tied_chains *t) {
    size_t count = (size_t)chains;
    *t = (tied_chains){
        .root = endo_alloc((size_t)n, sizeof *t->root),
        .size = endo_alloc_zeroed(count, sizeof *t->size),
        .number = endo_alloc_zeroed(count, sizeof *t->number),
        .origin = endo_alloc(count, sizeof *t->origin),
    };
    if (t->root && t->size && t->number && t->origin) return ENDO_OK;
    tied_chains_free(t);
    return no_memory(n);
}

/* Frames by the chain that their own is tied to, in its coordinates; those that are not registered where they were. */
static void tie(mosaic_poses *p, const chain_ties *ties, tied_chains *t) {
    for (int i = 0; i < p->n; i++) {
        const endo_mosaic_frame *frame = &p->frames[i];
        int root = frame->registered ? ties->root[frame->chain] : -1;
        t->root[i] = root;
        p->pose[i] = root < 0 ? frame->pose : chain_ties_pose(ties, i);
        if (root >= 0 && t->size[root]++ == 0) t->origin[root] = pose_inverse(&p->pose[i]);
    }
}

/* A chain and how many frames it has, the largest first. */
typedef struct sized_chain {
    int chain, size;
} sized_chain;

static int by_size(const void *a, const void *b) {
    const sized_chain *one = a;
    const sized_chain *other = b;
    return (other->size > one->size) - (other->size < one->size);
}

/* Numbers chains that have frames by their size; of as large ones the first comes first. */
static endo_status number_chains(mosaic_poses *p, int chains, tied_chains *t) {
    sized_chain *order = endo_alloc(2 * (size_t)chains, sizeof *order);
    int count = 0;
    if (!order) return no_memory(p->n);
    for (int chain = 0; chain < chains; chain++)
        if (t->size[chain] > 0) order[count++] = (sized_chain){.chain = chain, .size = t->size[chain]};
    sort_in_order(order, order + chains, (size_t)count, sizeof *order, by_size);
    p->components = count;
    endo_status status = make_canvases(p);
    for (int i = 0; status == ENDO_OK && i < count; i++) {
        t->number[order[i].chain] = i + 1;
        p->canvas[i + 1] = order[i].chain;
    }
    endo_free(order);
    return status;
}

static void leave_out_oblique(mosaic_poses *p, int frame) {
    if (p->component[frame] > 0 && !frame_is_shown(p->size, &p->pose[frame])) {
        p->oblique[frame] = 1;
        p->component[frame] = 0;
    }
}

/* Each frame into the coordinates of the first one of its component. */
static void move_to_origins(mosaic_poses *p, const tied_chains *t) {
    for (int i = 0; i < p->n; i++) {
        int root = t->root[i];
        if (root < 0) continue;
        p->pose[i] = pose_times(&t->origin[root], &p->pose[i]);
        p->component[i] = t->number[root];
        leave_out_oblique(p, i);
    }
}

static endo_status find_components(mosaic_poses *p) {
    chain_ties ties;
    tied_chains tied;
    ENDO_TRY(chained_poses(p->frames, p->n, &p->edges, p->chained));
    ENDO_TRY(chain_ties_find(p->frames, p->n, &p->edges, p->chained, p->size, &ties));
    endo_status status = tied_chains_make(p->n, ties.chains, &tied);
    if (status == ENDO_OK) {
        tie(p, &ties, &tied);
        status = number_chains(p, ties.chains, &tied);
        if (status == ENDO_OK) move_to_origins(p, &tied);
        tied_chains_free(&tied);
    }
    chain_ties_free(&ties);
    return status;
}

static endo_status find_all(mosaic_poses *p, const mosaic_edges *edges) {
    ENDO_TRY(edges_replace(&p->edges, edges));
    ENDO_TRY(find_components(p));
    ENDO_TRY(perspective_check_create(p->frames, p->n, &p->edges, p->size, &p->perspective));
    for (int c = 1; c <= p->components; c++) {
        int first = poses_next(p, c, 0);
        if (first >= 0) ENDO_TRY(perspective_check_follow(p->perspective, first));
    }
    memcpy(p->chained, p->pose, (size_t)p->n * sizeof *p->chained);
    find_support(p);
    return ENDO_OK;
}

endo_status poses_create(endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size, mosaic_poses **out) {
    mosaic_poses *p;
    ENDO_TRY(make(frames, n, size, &p));
    endo_status status = find_all(p, edges);
    if (status == ENDO_OK)
        *out = p;
    else
        poses_destroy(&p);
    return status;
}

static void take_solved(mosaic_poses *p) {
    for (int i = 0; i < p->n; i++) {
        const endo_mosaic_frame *frame = &p->frames[i];
        p->component[i] = frame->component;
        p->pose[i] = frame->pose;
        p->chained[i] = frame->solved ? frame->chained : frame->pose;
        p->deviation[i] = frame->deviation;
        p->support[i] = frame->doubtful ? INFINITY : 0;
        if (frame->component > p->components) p->components = frame->component;
    }
}

endo_status poses_of_solved(endo_mosaic_frame *frames, int n, mosaic_size size, mosaic_poses **out) {
    mosaic_poses *p;
    ENDO_TRY(make(frames, n, size, &p));
    take_solved(p);
    endo_status status = make_canvases(p);
    if (status != ENDO_OK) {
        poses_destroy(&p);
        return status;
    }
    for (int c = 1; c <= p->components; c++) p->canvas[c] = c;
    *out = p;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ asked */

int poses_components(const mosaic_poses *p) {
    return p->components;
}

int poses_canvas(const mosaic_poses *p, int component) {
    return p->canvas[component];
}

int poses_component(const mosaic_poses *p, int frame) {
    return p->component[frame];
}

const endo_transform *poses_pose(const mosaic_poses *p, int frame) {
    return &p->pose[frame];
}

double poses_deviation(const mosaic_poses *p, int frame) {
    return p->deviation[frame];
}

double poses_scale(const mosaic_poses *p, int frame) {
    return frame_scale(p->size, &p->pose[frame]);
}

int poses_is_doubtful(const mosaic_poses *p, int frame) {
    return p->component[frame] > 0 && p->support[frame] > WELL;
}

int poses_doubtful(const mosaic_poses *p) {
    int n = 0;
    for (int i = 0; i < p->n; i++) n += poses_is_doubtful(p, i);
    return n;
}

int poses_frames(const mosaic_poses *p, int component) {
    int n = 0;
    for (int i = 0; i < p->n; i++) n += p->component[i] == component;
    return n;
}

int poses_next(const mosaic_poses *p, int component, int from) {
    for (int i = from; i < p->n; i++)
        if (p->component[i] == component) return i;
    return -1;
}

int poses_has_doubts(const mosaic_poses *p, int component) {
    for (int i = 0; i < p->n; i++)
        if (p->component[i] == component && poses_is_doubtful(p, i)) return 1;
    return 0;
}

void poses_keep_chained(mosaic_poses *p, int component) {
    for (int i = 0; i < p->n; i++)
        if (p->component[i] == component) p->pose[i] = p->chained[i];
}

void poses_put(mosaic_poses *p) {
    for (int i = 0; i < p->n; i++) {
        endo_mosaic_frame *frame = &p->frames[i];
        frame->component = p->component[i];
        if (p->oblique[i]) {
            frame->registered = 0;
            frame->status = ENDO_FRAME_OBLIQUE;
        }
        frame->deviation = p->deviation[i];
        frame->doubtful = poses_is_doubtful(p, i);
        frame->chained = p->chained[i];
        frame->pose = p->pose[i];
        frame->solved = 1;
    }
}

endo_status poses_widen(mosaic_poses *p, double lambda, double spread) {
    const lens_drift lens = lens_drift_of(lambda, p->size, spread);
    double *off = endo_alloc((size_t)p->n, sizeof *off);
    if (!off) return no_memory(p->n);
    endo_status status = lens_drift_distances(&lens, &p->edges, p->pose, p->component, p->n, off);
    for (int i = 0; status == ENDO_OK && i < p->n; i++) p->deviation[i] = length_of(p->deviation[i], off[i]);
    endo_free(off);
    return status;
}

/* ------------------------------------------------------------------- for people */

int poses_sees_tilt(const mosaic_poses *p) {
    char ignored[1];
    return p->perspective && perspective_check_warning(p->perspective, ignored, sizeof ignored);
}

void poses_tilt(const mosaic_poses *p, char *out, size_t size) {
    if (size > 0) out[0] = 0;
    if (p->perspective) perspective_check_seen(p->perspective, out, size);
}

void poses_warning(const mosaic_poses *p, const char *remedy, char *out, size_t size) {
    char tilt[200];
    int is_tilted = p->perspective && perspective_check_warning(p->perspective, tilt, sizeof tilt);
    int written = is_tilted ? snprintf(out, size, "%s; %s", tilt, remedy) : 0;
    size_t used = written < 0 ? 0 : (size_t)written;
    if (!is_tilted && size > 0) out[0] = 0;
    if (p->cut == 0 || used >= size) return;
    snprintf(out + used, size - used,
             "%s%d frame%s stopped before the horizon of the first one, where pairs put them beyond it: register the sequence in"
             " parts (option frames)",
             is_tilted ? "; " : "", p->cut, p->cut == 1 ? " was" : "s were");
}

/* ------------------------------------------------------------------------ solve */

/* One component as the solver takes it. */
typedef struct component_graph {
    int frames;
    int *index;             /* of each frame of the sequence in the component; -1: it is not in it */
    mosaic_edges inside;
    endo_transform_class kind; /* the most general of them */
    endo_graph_pair *pairs; /* one an edge */
    double *weights;
    endo_transform *poses;  /* one a frame of the component */
    double *deviations;
    double *wider;          /* by what to multiply them */
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

static endo_status make_room(component_graph *g) {
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

/* Edges within a stretch by what they are worth beside the chain. */
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

/* By how much deviations are too small, were the edges independent: the root of the sum of the squares of their contradictions,
 * each by its weight, over the edges that there are beyond those that it takes to connect the frames. 1 at least. */
static double contradiction_factor(const component_graph *g) {
    int beyond = g->inside.n - (g->frames - 1);
    double weight = 0;
    for (int i = 0; i < g->inside.n; i++) weight += g->weights[i];
    double factor = beyond > 0 ? g->report.after * sqrt(weight / beyond) : 1;
    return factor > 1 ? factor : 1;
}

/* By how many edges of neighbours each frame of the component is away from its first one, into `wider`. */
static endo_status find_paths(component_graph *g, const stretch_edges *stretch) {
    int n = g->inside.n;
    mosaic_edges local = {.items = NULL};
    int *steps = endo_alloc((size_t)n, sizeof *steps);
    endo_status status = steps ? edges_replace(&local, &g->inside) : no_memory(g->frames);
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

/* By what to multiply the deviations of frames: by as much at least, and by what common errors add up to. */
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
    ENDO_TRY(endo_graph_solve(context, p->size.width, p->size.height, g->pairs, (size_t)g->inside.n, &options, g->poses,
                              (size_t)g->frames, g->deviations, g->weights, &g->report));
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

/* Frames beside a tear deviate by half of it at least, except the first one, which lies where it is said to. */
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
        leave_out_oblique(p, i);
    }
}

static endo_status solve_edges(mosaic_poses *p, endo_context *context, component_graph *g) {
    stretch_edges stretch;
    ENDO_TRY(make_room(g));
    ENDO_TRY(stretch_edges_create(p->frames, p->n, p->chained, &g->inside, p->size, &stretch));
    endo_status status = solve_graph(p, context, g, &stretch);
    if (status == ENDO_OK) take_solution(p, g);
    stretch_edges_free(&stretch);
    return status;
}

static endo_status solve_component(mosaic_poses *p, endo_context *context, int component) {
    component_graph g = {.index = endo_alloc((size_t)p->n, sizeof *g.index)};
    if (!g.index) return no_memory(p->n);
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
