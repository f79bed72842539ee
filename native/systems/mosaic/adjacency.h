/* Which edges are those of each frame, and edges in the order of a cost. */
#ifndef ENDO_MOSAIC_ADJACENCY_H
#define ENDO_MOSAIC_ADJACENCY_H

#include "edges.h"

/* Of frame i the indices of its edges, in their order: items[first[i]] up to items[first[i + 1] - 1]. */
typedef struct adjacency {
    int *first;
    int *items;
} adjacency;

/* frames: how many. MEMORY alone. */
endo_status adjacency_of(const mosaic_edges *edges, int frames, adjacency *out);
void adjacency_free(adjacency *a);

/* The other frame of an edge. */
static inline int edge_other(const endo_mosaic_edge *edge, int frame) {
    return edge->reference == frame ? edge->current : edge->reference;
}

/* A way on from a frame that is reached. */
typedef struct edge_way {
    double cost;
    int edge; /* its index */
    int from; /* the frame */
} edge_way;

/* A binary heap, the least cost first. Which of equal ones comes first follows from the order in which all came. */
typedef struct edge_queue {
    edge_way *items;
    int n;
    int capacity;
} edge_queue;

endo_status edge_queue_add(edge_queue *queue, const edge_way *way);
edge_way edge_queue_take(edge_queue *queue); /* of a queue that is not empty */
void edge_queue_free(edge_queue *queue);

#endif
