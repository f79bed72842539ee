/* Edges of the pose graph (endo_mosaic_edge), and lists of them. */
#ifndef ENDO_MOSAIC_EDGES_H
#define ENDO_MOSAIC_EDGES_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

typedef struct mosaic_edges {
    endo_mosaic_edge *items;
    int n;
    int capacity;
} mosaic_edges;

/* Each fails with MEMORY alone, and then leaves the list as it was. */
endo_status edges_add(mosaic_edges *list, const endo_mosaic_edge *edge);
endo_status edges_append(mosaic_edges *list, const mosaic_edges *more);
endo_status edges_replace(mosaic_edges *list, const mosaic_edges *by); /* with a copy */
void edges_clear(mosaic_edges *list);                                  /* keeps the memory */
void edges_free(mosaic_edges *list);

/* Pointers to those that are wanted, by their current frames and then by their references; the caller frees them with
 * endo_free. MEMORY alone. */
endo_status edges_in_sequence(const mosaic_edges *list, int (*is_wanted)(const endo_mosaic_edge *edge),
                              const endo_mosaic_edge ***out, int *n);

/* endo_mosaic_edge.doubtful of an edge that may be far off. */
#define EDGE_TORN 2

static inline int edge_says_perspective(const endo_mosaic_edge *e) { return e->perspective_deviation > 0; }
static inline int edge_says_lens(const endo_mosaic_edge *e) { return e->lens_deviation > 0; }

/* Room for n items of a size in a growing array: at least doubles. MEMORY: the array is as it was. */
endo_status mosaic_reserve(void **items, int *capacity, int n, size_t size);

/* A frame of which nothing is known yet: SKIPPED, not registered, the identity. */
endo_mosaic_frame mosaic_unknown_frame(void);

/* As of a frame that was not registered against any. */
void mosaic_forget_pair(endo_mosaic_frame *frame);

#endif
