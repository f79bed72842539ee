/* Registration of pairs again in a more general class, from their present transforms (reregistration.h). */
#include "reregistration.h"

#include "base/memory.h"
#include "sequence_class.h"
#include "stored_pairs.h"

/* Pairs of a step. */
#define BATCH 16
/* Largest root mean square distance between a pair's new and old transform, px; beyond it the old one is kept. */
#define SAME 0.5
/* Limit of the distance for homographies, px: these take corners where no simpler class does. */
#define SAME_TILTED 12

struct reregistration {
    mosaic_workspace *workspace;
    endo_pairs_options options;
    mosaic_edges *edges;
    double distance;
    int *waiting; /* indices of edges */
    int n;
    int next; /* edges done */
};

int reregistration_chooses(const endo_pairs_options *options) {
    return options->method == ENDO_METHOD_BEST && options->transform == ENDO_TRANSFORM_AUTO;
}

/* -------------------------------------------------------------- create, destroy */

/* Lists the edges of simpler classes than `kind`. */
static void find(reregistration *r, endo_transform_class kind) {
    r->options.transform = kind;
    for (int i = 0; i < r->edges->n; i++) {
        const endo_mosaic_edge *edge = &r->edges->items[i];
        if (!edge->doubtful && (int)edge->transform.kind < (int)kind) r->waiting[r->n++] = i;
    }
}

/* Creates it with an empty list. */
static endo_status make(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges, double distance,
                        reregistration **out) {
    reregistration *r = endo_alloc_zeroed(1, sizeof *r);
    int *waiting = endo_alloc((size_t)edges->n, sizeof *waiting);
    if (!r || !waiting) {
        endo_free(r);
        endo_free(waiting);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d pairs to register again", edges->n);
    }
    r->workspace = workspace;
    r->options = *options;
    r->edges = edges;
    r->distance = distance;
    r->waiting = waiting;
    *out = r;
    return ENDO_OK;
}

endo_status reregistration_create(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                  reregistration **out) {
    ENDO_TRY(make(workspace, options, edges, SAME, out));
    if (reregistration_chooses(options)) find(*out, sequence_class(edges));
    return ENDO_OK;
}

endo_status reregistration_create_tilted(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                         reregistration **out) {
    ENDO_TRY(make(workspace, options, edges, SAME_TILTED, out));
    if (reregistration_chooses(options)) find(*out, ENDO_TRANSFORM_HOMOGRAPHY);
    return ENDO_OK;
}

void reregistration_destroy(reregistration **reregistered) {
    reregistration *r = *reregistered;
    *reregistered = NULL;
    if (!r) return;
    endo_free(r->waiting);
    endo_free(r);
}

int reregistration_done(const reregistration *r) { return r->next == r->n; }

/* ------------------------------------------------------------------- registering */

static endo_mosaic_edge *waiting_edge(const reregistration *r, int i) { return &r->edges->items[r->waiting[r->next + i]]; }

/* *taken: pairs that are registered together, or cannot be read. */
static endo_status add_next(const reregistration *r, guided_pairs *pairs, int *taken) {
    mosaic_workspace *w = r->workspace;
    const endo_mosaic_edge *first = waiting_edge(r, 0);
    const int kept[] = {first->reference, first->current};
    int left = r->n - r->next;
    frame_store_keep_only(w->store, kept, 2);
    for (*taken = 0; *taken < BATCH && *taken < left; ++*taken) {
        const endo_mosaic_edge *edge = waiting_edge(r, *taken);
        if (*taken > 0 && !frame_store_can_hold(w->store, edge->reference, edge->current)) break;
        ENDO_TRY(stored_pairs_add(pairs, w, edge->reference, edge->current, &edge->transform));
    }
    return ENDO_OK;
}

static void replace(reregistration *r, int taken, const mosaic_edges *found) {
    for (int i = 0; i < taken; i++) {
        endo_mosaic_edge *edge = waiting_edge(r, i);
        for (int k = 0; k < found->n; k++) {
            const endo_mosaic_edge *by = &found->items[k];
            if (by->reference == edge->reference && by->current == edge->current) *edge = *by;
        }
    }
}

static endo_status register_next(reregistration *r, guided_pairs *pairs, mosaic_edges *found) {
    int taken = 0;
    ENDO_TRY(add_next(r, pairs, &taken));
    ENDO_TRY(stored_pairs_near(pairs, r->workspace, &r->options, r->distance, found));
    replace(r, taken, found);
    r->next += taken;
    return ENDO_OK;
}

endo_status reregistration_step(reregistration *r) {
    guided_pairs pairs = {.items = NULL};
    mosaic_edges found = {.items = NULL};
    endo_status status = register_next(r, &pairs, &found);
    guided_pairs_free(&pairs);
    edges_free(&found);
    return status;
}
