/* Tiles in host memory: what canvases and blends have in common. */
#ifndef ENDO_CPU_TILES_H
#define ENDO_CPU_TILES_H

#include "cpu.h"

#include "base/canvas_tiles.h"

/* Slabs for these tiles, as far as the memory holds them. */
endo_slab_source cpu_slab_source(endo_canvas_tiles *tiles);
/* The tiles that a frame reaches, all of them, or none; new ones are cleared. */
endo_status cpu_take_tiles(endo_canvas_tiles *tiles, endo_reach *reach, const endo_frames_options *frame,
                           const endo_canvas_map *map, int threads);

#endif
