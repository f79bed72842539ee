/* Connected components, and queries of poses (poses.h); poses_solve.c solves for the poses. */
#include "poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "chain_ties.h"
#include "chained_poses.h"
#include "lens_drift.h"
#include "numbers.h"
#include "poses_inside.h"

/* Deviation of an edge, px, up to which it determines a pose well. */
#define WELL 1

endo_status poses_no_memory(int n) {
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the poses of %d frames", n);
}

static endo_status make(endo_mosaic_frame *frames, int n, mosaic_size size, mosaic_poses **out) {
    mosaic_poses *p = endo_alloc_zeroed(1, sizeof *p);
    size_t count = (size_t)n;
    if (!p) return poses_no_memory(n);
    p->frames = frames;
    p->n = n;
    p->size = size;
    p->component = endo_alloc_zeroed(count, sizeof *p->component);
    p->pose = endo_alloc(count, sizeof *p->pose);
    p->chained = endo_alloc(count, sizeof *p->chained);
    p->deviation = endo_alloc(count, sizeof *p->deviation);
    p->doubtful = endo_alloc_zeroed(count, sizeof *p->doubtful);
    p->oblique = endo_alloc_zeroed(count, sizeof *p->oblique);
    if (!p->component || !p->pose || !p->chained || !p->deviation || !p->doubtful || !p->oblique) {
        poses_destroy(&p);
        return poses_no_memory(n);
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
    endo_free(p->doubtful);
    endo_free(p->oblique);
    endo_free(p->canvas);
    endo_free(p);
    *poses = NULL;
}

static endo_status make_canvases(mosaic_poses *p) {
    p->canvas = endo_alloc_zeroed((size_t)p->components + 1, sizeof *p->canvas);
    return p->canvas ? ENDO_OK : poses_no_memory(p->n);
}

/* The frame that stands for the island of a frame: frames that sure edges tie together. */
static int island_of(int *island, int frame) {
    while (island[frame] != frame) {
        island[frame] = island[island[frame]];
        frame = island[frame];
    }
    return frame;
}

static int is_sure(const endo_mosaic_edge *edge) { return edge->by_hand || (!edge->doubtful && edge->deviation <= WELL); }

static void join_islands(mosaic_poses *p, int *island, int *frames) {
    for (int i = 0; i < p->n; i++) island[i] = i;
    for (int i = 0; i < p->edges.n; i++) {
        const endo_mosaic_edge *edge = &p->edges.items[i];
        p->doubtful[edge->reference] = 1;
        p->doubtful[edge->current] = 1;
        if (is_sure(edge)) island[island_of(island, edge->current)] = island_of(island, edge->reference);
    }
    for (int i = 0; i < p->n; i++) frames[island_of(island, i)]++;
}

/* largest: of each component the island with most frames, the earliest of equals. */
static void find_largest(const mosaic_poses *p, int *island, const int *frames, int *largest) {
    for (int c = 0; c <= p->components; c++) largest[c] = -1;
    for (int i = 0; i < p->n; i++) {
        int *most = &largest[p->component[i]];
        int own = island_of(island, i);
        if (*most < 0 || frames[own] > frames[*most]) *most = own;
    }
}

/* Frames that no sure edges tie to the largest island of their component may lie elsewhere. A frame without any edge is as
 * sure as whoever gave its pose. */
static endo_status find_doubtful(mosaic_poses *p) {
    int *island = endo_alloc((size_t)p->n + 1, sizeof *island);
    int *frames = endo_alloc_zeroed((size_t)p->n + 1, sizeof *frames);
    int *largest = endo_alloc_zeroed((size_t)p->components + 1, sizeof *largest);
    endo_status status = island && frames && largest ? ENDO_OK : poses_no_memory(p->n);
    if (status == ENDO_OK) {
        join_islands(p, island, frames);
        find_largest(p, island, frames, largest);
        for (int i = 0; i < p->n; i++) p->doubtful[i] &= island_of(island, i) != largest[p->component[i]];
    }
    endo_free(island);
    endo_free(frames);
    endo_free(largest);
    return status;
}

/* ------------------------------------------------------------------- components */

/* Tied chains: their numbers of frames, and the transforms into the coordinates of the first frame. */
typedef struct tied_chains {
    int *root;              /* one a frame: root of its chain; -1: not registered */
    int *size;              /* one a chain: frames */
    int *number;            /* one a chain: rank by size, from 1 */
    endo_transform *origin; /* one a chain */
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
    return poses_no_memory(n);
}

/* Assigns frames to the root of their chain, in its coordinates; frames that are not registered stay. */
static void tie(mosaic_poses *p, const chain_ties *ties, tied_chains *t) {
    for (int i = 0; i < p->n; i++) {
        const endo_mosaic_frame *frame = &p->frames[i];
        int root = frame->registered ? ties->root[frame->chain] : -1;
        t->root[i] = root;
        p->pose[i] = root < 0 ? frame->pose : chain_ties_pose(ties, i);
        if (root >= 0 && t->size[root]++ == 0) t->origin[root] = pose_inverse(&p->pose[i]);
    }
}

/* A chain and its number of frames; the largest comes first. */
typedef struct sized_chain {
    int chain;
    int size;
} sized_chain;

static int by_size(const void *a, const void *b) {
    const sized_chain *one = a;
    const sized_chain *other = b;
    return (other->size > one->size) - (other->size < one->size);
}

/* Numbers chains with frames by size, equal ones in their order. */
static endo_status number_chains(mosaic_poses *p, int chains, tied_chains *t) {
    sized_chain *order = endo_alloc(2 * (size_t)chains, sizeof *order);
    int count = 0;
    if (!order) return poses_no_memory(p->n);
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

void poses_leave_out_oblique(mosaic_poses *p, int frame) {
    if (p->component[frame] > 0 && !frame_is_shown(p->size, &p->pose[frame])) {
        p->oblique[frame] = 1;
        p->component[frame] = 0;
    }
}

/* Transforms each frame into the coordinates of the first frame of its component. */
static void move_to_origins(mosaic_poses *p, const tied_chains *t) {
    for (int i = 0; i < p->n; i++) {
        int root = t->root[i];
        if (root < 0) continue;
        p->pose[i] = pose_times(&t->origin[root], &p->pose[i]);
        p->component[i] = t->number[root];
        poses_leave_out_oblique(p, i);
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
    return find_doubtful(p);
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
        p->doubtful[i] = frame->doubtful != 0;
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
    return p->component[frame] > 0 && p->doubtful[frame];
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

/* The status of a frame that is registered. */
static int status_of(const mosaic_poses *p, int frame) {
    return poses_is_doubtful(p, frame) ? ENDO_FRAME_DOUBTFUL : ENDO_FRAME_OK;
}

void poses_put(mosaic_poses *p) {
    for (int i = 0; i < p->n; i++) {
        endo_mosaic_frame *frame = &p->frames[i];
        frame->component = p->component[i];
        if (p->oblique[i]) {
            frame->registered = 0;
            frame->status = ENDO_FRAME_OBLIQUE;
        }
        if (frame->registered) frame->status = status_of(p, i);
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
    if (!off) return poses_no_memory(p->n);
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
             "%s%d frame%s stopped before the horizon of the first one, where pairs put them beyond it: register the sequence"
             " in parts (option frames)",
             is_tilted ? "; " : "", p->cut, p->cut == 1 ? " was" : "s were");
}
