/* Connected components of frames, by union and find. */
#include "graph.h"

#include "base/memory.h"
#include "base/status.h"

/* The first frame of a component; shortens the path to it. */
static int32_t root_of(int32_t *parents, int32_t i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

endo_status graph_components(const endo_graph_pair *pairs, size_t n_pairs, size_t n, int32_t *components, int32_t *count) {
    int32_t *parents = endo_alloc(n, sizeof *parents);
    if (!parents) return endo_fail(ENDO_ERR_MEMORY, "no memory for a graph of %zu frames", n);
    for (size_t i = 0; i < n; i++) parents[i] = (int32_t)i;
    for (size_t i = 0; i < n_pairs; i++) {
        int32_t a = root_of(parents, pairs[i].reference), b = root_of(parents, pairs[i].current);
        if (a < b) parents[b] = a;
        if (b < a) parents[a] = b;
    }
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t root = root_of(parents, (int32_t)i);
        components[i] = root == (int32_t)i ? (*count)++ : components[root];
    }
    endo_free(parents);
    return ENDO_OK;
}
