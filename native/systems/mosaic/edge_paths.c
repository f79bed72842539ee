/* Shortest paths by Dijkstra's algorithm (edge_paths.h). */
#include "edge_paths.h"

#include <math.h>

#include "adjacency.h"

/* Relaxes all edges of a frame. */
static endo_status go_on(const mosaic_edges *edges, const int *steps, const adjacency *of, int from, double so_far,
                         double *away, edge_queue *queue) {
    for (int k = of->first[from]; k < of->first[from + 1]; k++) {
        int to = edge_other(&edges->items[of->items[k]], from);
        double there = so_far + steps[of->items[k]];
        if (!(there < away[to])) continue;
        away[to] = there;
        ENDO_TRY(edge_queue_add(queue, &(queued_edge){.cost = there, .edge = of->items[k], .from = from}));
    }
    return ENDO_OK;
}

endo_status edge_paths_from(const mosaic_edges *edges, const int *steps, int from, int frames, double *away) {
    adjacency of;
    edge_queue queue = {.items = NULL};
    ENDO_TRY(adjacency_of(edges, frames, &of));
    for (int i = 0; i < frames; i++) away[i] = INFINITY;
    away[from] = 0;
    endo_status status = go_on(edges, steps, &of, from, 0, away, &queue);
    while (status == ENDO_OK && queue.n > 0) {
        queued_edge way = edge_queue_take(&queue);
        int to = edge_other(&edges->items[way.edge], way.from);
        status = go_on(edges, steps, &of, to, way.cost, away, &queue);
    }
    edge_queue_free(&queue);
    adjacency_free(&of);
    return status;
}
