/* Frames in their poses, in the form that calls of the library take. */
#ifndef ENDO_MOSAIC_PAINT_LIST_H
#define ENDO_MOSAIC_PAINT_LIST_H

#include "stage.h"

typedef struct paint_list {
    int n;
    int32_t *slots;
    endo_transform *poses;
} paint_list;

/* An empty list with capacity for `most` frames. Fails with MEMORY alone. */
endo_status paint_list_create(int most, paint_list *out);
void paint_list_free(paint_list *list);

/* The list must not be full. */
void paint_list_add(paint_list *list, int slot, const endo_transform *pose);

#endif
