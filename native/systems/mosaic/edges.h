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

/* These functions fail with MEMORY alone, and then leave the list unchanged. */
endo_status edges_add(mosaic_edges *list, const endo_mosaic_edge *edge);
endo_status edges_append(mosaic_edges *list, const mosaic_edges *more);
endo_status edges_replace(mosaic_edges *list, const mosaic_edges *by); /* copies `by` */
void edges_clear(mosaic_edges *list);                                  /* keeps the memory */
void edges_free(mosaic_edges *list);

/* Lists pointers to the edges that are wanted, by current frame and then by reference; the caller frees the list with
 * endo_free. Fails with MEMORY alone. */
endo_status edges_in_sequence(const mosaic_edges *list, int (*is_wanted)(const endo_mosaic_edge *edge),
                              const endo_mosaic_edge ***out, int *n);

/* endo_mosaic_edge.doubtful of an edge that may be far off. */
#define EDGE_TORN 2

static inline int edge_says_perspective(const endo_mosaic_edge *e) { return e->perspective_deviation > 0; }
static inline int edge_says_lens(const endo_mosaic_edge *e) { return e->lens_deviation > 0; }

/* Makes a growing array hold n items; it at least doubles. items: the pointer to them; capacity: an int. MEMORY: both are
 * unchanged. */
#define ARRAY_RESERVE(items, capacity, n) mosaic_reserve(&(items), &(capacity), n, sizeof *(items))

/* The same, of items of a size. array: the address of the pointer to them. */
endo_status mosaic_reserve(void *array, int *capacity, int n, size_t size);

/* Record of an unknown frame: SKIPPED, not registered, identity pose. */
endo_mosaic_frame mosaic_unknown_frame(void);

/* The number of a frame for people, of records from the first frame on. */
static inline int record_number(const endo_mosaic_frame *frames, int frame) {
    return frames[frame].number ? frames[frame].number : frame + 1;
}

/* Sets the fields of a frame that describe a registration as if there had been none. */
void mosaic_forget_pair(endo_mosaic_frame *frame);

#endif
