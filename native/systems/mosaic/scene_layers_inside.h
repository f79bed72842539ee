/* Cells of layers and motions of them, for scene_layers.c and scene_layers_settle.c. */
#ifndef ENDO_MOSAIC_SCENE_LAYERS_INSIDE_H
#define ENDO_MOSAIC_SCENE_LAYERS_INSIDE_H

#include "scene_layers.h"

/* Two layers are known again where so many times as many cells say so as say the opposite. */
#define KNOWN_AGAIN 2.0
/* Cells that decide nothing. */
#define FEW_CELLS 4

/* The middle of a cell, px. */
void scene_layers_middle(const scene_layers *s, int cell, double *x, double *y);

/* The cell at a position, px; -1 outside of the frame. */
int scene_layers_cell(const scene_layers *s, double x, double y);

/* Writes into the records of all frames which cells show what moves before the scene. Needs the edges of the layers. */
void scene_layers_mark(const scene_layers *s, frame_records *records);

/* 0: there is no inverse. */
int scene_layers_invert(const endo_transform *t, endo_transform *out);

#endif
