/* The edges of each frame, and a queue of edges in the order of a cost. */
#ifndef ENDO_MOSAIC_ADJACENCY_H
#define ENDO_MOSAIC_ADJACENCY_H

#include "edges.h"

/* The edges of frame i have the indices items[first[i]] .. items[first[i + 1] - 1], ascending. */
typedef struct adjacency {
    int *first;
    int *items;
} adjacency;

/* frames: number of frames. Fails with MEMORY alone. */
endo_status adjacency_of(const mosaic_edges *edges, int frames, adjacency *out);
void adjacency_free(adjacency *a);

static inline int edge_other(const endo_mosaic_edge *edge, int frame) {
    return edge->reference == frame ? edge->current : edge->reference;
}

/* An edge that leads on from a reached frame. */
typedef struct queued_edge {
    double cost;
    int edge; /* index of the edge */
    int from; /* the reached frame */
} queued_edge;

/* A binary heap, the least cost first; the order of equal costs is determined by the order of insertion. */
typedef struct edge_queue {
    queued_edge *items;
    int n;
    int capacity;
} edge_queue;

endo_status edge_queue_add(edge_queue *queue, const queued_edge *way);
queued_edge edge_queue_take(edge_queue *queue); /* the queue must not be empty */
void edge_queue_free(edge_queue *queue);

#endif
