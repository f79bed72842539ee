/* Lists of edges by frame, built by counting sort, and a binary heap of edges by cost (adjacency.h). */
#include "adjacency.h"

#include "base/memory.h"
#include "numbers.h"

static void count(const mosaic_edges *edges, int frames, int *first) {
    for (int i = 0; i < edges->n; i++) {
        first[edges->items[i].reference + 1]++;
        first[edges->items[i].current + 1]++;
    }
    for (int i = 0; i < frames; i++) first[i + 1] += first[i];
}

/* Fills each list backwards, from its end; `end` is left at the start of every list. */
static void fill(const mosaic_edges *edges, int *end, int *items) {
    for (int i = edges->n - 1; i >= 0; i--) {
        items[--end[edges->items[i].current]] = i;
        items[--end[edges->items[i].reference]] = i;
    }
}

endo_status adjacency_of(const mosaic_edges *edges, int frames, adjacency *out) {
    adjacency made = {
        .first = endo_alloc_zeroed((size_t)frames + 2, sizeof(int)),
        .items = endo_alloc(2 * (size_t)edges->n + 1, sizeof(int)),
    };
    if (!made.first || !made.items) {
        adjacency_free(&made);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the lists of %d edges of %d frames", edges->n, frames);
    }
    count(edges, frames, made.first);
    made.first[frames + 1] = made.first[frames];
    fill(edges, made.first + 1, made.items);
    /* After fill() each start lies one index too far. */
    for (int i = 0; i <= frames; i++) made.first[i] = made.first[i + 1];
    *out = made;
    return ENDO_OK;
}

void adjacency_free(adjacency *a) {
    endo_free(a->first);
    endo_free(a->items);
    *a = (adjacency){.first = NULL};
}

/* ------------------------------------------------------------------------ queue */

endo_status edge_queue_add(edge_queue *queue, const queued_edge *way) {
    const queued_edge added = *way;
    ENDO_TRY(ARRAY_RESERVE(queue->items, queue->capacity, queue->n + 1));
    int at = queue->n++;
    while (at > 0) {
        int above = (at - 1) / 2;
        if (compare_numbers(added.cost, queue->items[above].cost) >= 0) break;
        queue->items[at] = queue->items[above];
        at = above;
    }
    queue->items[at] = added;
    return ENDO_OK;
}

/* Sifts the item down from the top of a heap of n. */
static void sink(queued_edge *items, int n, queued_edge item) {
    int at = 0;
    while (at < n / 2) {
        int least = 2 * at + 1;
        int right = least + 1;
        if (right < n && compare_numbers(items[least].cost, items[right].cost) > 0) least = right;
        if (compare_numbers(item.cost, items[least].cost) <= 0) break;
        items[at] = items[least];
        at = least;
    }
    items[at] = item;
}

queued_edge edge_queue_take(edge_queue *queue) {
    queued_edge taken = queue->items[0];
    int n = --queue->n;
    if (n > 0) sink(queue->items, n, queue->items[n]);
    return taken;
}

void edge_queue_free(edge_queue *queue) {
    endo_free(queue->items);
    *queue = (edge_queue){.items = NULL};
}
