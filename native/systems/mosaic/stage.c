/* Lists of frames in their poses. */
#include "stage.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

static endo_status reserve(placed_frames *list, int n) {
    if (n <= list->capacity) return ENDO_OK;
    int capacity = list->capacity < 16 ? 16 : 2 * list->capacity;
    if (capacity < n) capacity = n;
    placed_frame *items = endo_alloc((size_t)capacity, sizeof *items);
    if (!items) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames in their poses", capacity);
    if (list->n) memcpy(items, list->items, (size_t)list->n * sizeof *items);
    endo_free(list->items);
    list->items = items;
    list->capacity = capacity;
    return ENDO_OK;
}

endo_status placed_add(placed_frames *list, const placed_frame *item) { return placed_append(list, item, 1); }

endo_status placed_append(placed_frames *list, const placed_frame *items, int n) {
    ENDO_TRY(reserve(list, list->n + n));
    if (n) memcpy(list->items + list->n, items, (size_t)n * sizeof *items);
    list->n += n;
    return ENDO_OK;
}

endo_status placed_add_registered(placed_frames *list, const endo_mosaic_frame *frames, int n) {
    for (int i = 0; i < n; i++) {
        const endo_mosaic_frame *frame = &frames[i];
        const placed_frame item = {
            .frame = i,
            .slot = -1,
            .pose = frame->pose,
            .canvas = frame->solved ? frame->component : frame->chain,
        };
        if (frame->registered) ENDO_TRY(placed_add(list, &item));
    }
    return ENDO_OK;
}

void placed_remove_first(placed_frames *list, int n) {
    list->n -= n;
    if (list->n) memmove(list->items, list->items + n, (size_t)list->n * sizeof *list->items);
}

void placed_free(placed_frames *list) {
    endo_free(list->items);
    *list = (placed_frames){0};
}
