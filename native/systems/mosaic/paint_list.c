/* Arrays of slots and poses (paint_list.h). */
#include "paint_list.h"

#include "base/memory.h"
#include "base/status.h"

endo_status paint_list_create(int most, paint_list *out) {
    paint_list list = {
        .slots = endo_alloc((size_t)most, sizeof *list.slots),
        .poses = endo_alloc((size_t)most, sizeof *list.poses),
    };
    if (!list.slots || !list.poses) {
        paint_list_free(&list);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames to paint", most);
    }
    *out = list;
    return ENDO_OK;
}

void paint_list_free(paint_list *list) {
    endo_free(list->slots);
    endo_free(list->poses);
    *list = (paint_list){0};
}

void paint_list_add(paint_list *list, int slot, const endo_transform *pose) {
    list->slots[list->n] = slot;
    list->poses[list->n] = *pose;
    list->n++;
}
