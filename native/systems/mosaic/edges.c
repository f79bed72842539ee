/* Lists of edges, growing arrays, and empty frame records (edges.h). */
#include "edges.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry.h"
#include "numbers.h"

/* Initial capacity of an array, items. */
#define FIRST 16

endo_status mosaic_reserve(void *array, int *capacity, int n, size_t size) {
    if (n <= *capacity) return ENDO_OK;
    int64_t wanted = 2 * (int64_t)*capacity;
    if (wanted < FIRST) wanted = FIRST;
    if (wanted < n) wanted = n;
    if (wanted > INT32_MAX) wanted = n;
    void *more = endo_alloc((size_t)wanted, size);
    void *before;
    if (!more)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %lld items of %zu bytes", (long long)wanted, size);
    memcpy(&before, array, sizeof before);
    if (*capacity > 0) memcpy(more, before, (size_t)*capacity * size);
    endo_free(before);
    memcpy(array, &more, sizeof more);
    *capacity = (int)wanted;
    return ENDO_OK;
}

static endo_status reserve(mosaic_edges *list, int64_t n) {
    if (n > INT32_MAX) return endo_fail(ENDO_ERR_MEMORY, "%lld edges: a list holds %d", (long long)n, INT32_MAX);
    return ARRAY_RESERVE(list->items, list->capacity, (int)n);
}

endo_status edges_add(mosaic_edges *list, const endo_mosaic_edge *edge) {
    endo_mosaic_edge added = *edge;
    ENDO_TRY(reserve(list, (int64_t)list->n + 1));
    list->items[list->n++] = added;
    return ENDO_OK;
}

endo_status edges_append(mosaic_edges *list, const mosaic_edges *more) {
    int added = more->n;
    ENDO_TRY(reserve(list, (int64_t)list->n + added));
    if (added > 0) memcpy(list->items + list->n, more->items, (size_t)added * sizeof *list->items);
    list->n += added;
    return ENDO_OK;
}

endo_status edges_replace(mosaic_edges *list, const mosaic_edges *by) {
    ENDO_TRY(reserve(list, by->n));
    if (by->n > 0) memmove(list->items, by->items, (size_t)by->n * sizeof *list->items);
    list->n = by->n;
    return ENDO_OK;
}

void edges_clear(mosaic_edges *list) {
    list->n = 0;
}

void edges_free(mosaic_edges *list) {
    endo_free(list->items);
    *list = (mosaic_edges){.items = NULL};
}

static int by_frames(const void *a, const void *b) {
    const endo_mosaic_edge *one = *(const endo_mosaic_edge *const *)a;
    const endo_mosaic_edge *other = *(const endo_mosaic_edge *const *)b;
    int order = (one->current > other->current) - (one->current < other->current);
    return order ? order : (one->reference > other->reference) - (one->reference < other->reference);
}

endo_status edges_in_sequence(const mosaic_edges *list, int (*is_wanted)(const endo_mosaic_edge *edge),
                              const endo_mosaic_edge ***out, int *n) {
    const endo_mosaic_edge **wanted = endo_alloc(2 * (size_t)list->n, sizeof *wanted);
    int count = 0;
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for the order of %d edges", list->n);
    for (int i = 0; i < list->n; i++)
        if (is_wanted(&list->items[i])) wanted[count++] = &list->items[i];
    sort_in_order(wanted, wanted + list->n, (size_t)count, sizeof *wanted, by_frames);
    *out = wanted;
    *n = count;
    return ENDO_OK;
}

endo_mosaic_frame mosaic_unknown_frame(void) {
    return (endo_mosaic_frame){
        .pose = pose_identity,
        .chained = pose_identity,
        .deviation = NAN,
        .coefficient = NAN,
        .quality = NAN,
        .reference = -1,
        .status = ENDO_FRAME_SKIPPED,
    };
}

void mosaic_forget_pair(endo_mosaic_frame *frame) {
    frame->reference = -1;
    frame->landmarks = 0;
    frame->found = 0;
    frame->used = 0;
    frame->coefficient = NAN;
    frame->quality = NAN;
}
