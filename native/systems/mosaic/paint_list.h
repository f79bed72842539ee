/* Frames in their poses, as calls of the library take them. */
#ifndef ENDO_MOSAIC_PAINT_LIST_H
#define ENDO_MOSAIC_PAINT_LIST_H

#include "stage.h"

typedef struct paint_list {
    int n;
    int32_t *slots;
    endo_transform *poses;
} paint_list;

/* Empty, with room for `most`. MEMORY alone. */
endo_status paint_list_create(int most, paint_list *out);
void paint_list_free(paint_list *list);

/* There must be room. */
void paint_list_add(paint_list *list, int slot, const endo_transform *pose);

#endif
