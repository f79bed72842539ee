/* Tiles in device memory: what canvases and blends have in common. */
#ifndef ENDO_CUDA_TILES_H
#define ENDO_CUDA_TILES_H

#include "cuda.h"

#include "base/canvas_tiles.h"

/* Slabs are multiples of `step` bytes, and at least a part in eight of what there is, so that there are few. */
endo_slab_source cuda_slab_source(cuda_backend *b, size_t step);
/* The tiles that a frame reaches, all of them, or none; new ones are cleared in the stream. */
endo_status cuda_take_tiles(cuda_backend *b, endo_canvas_tiles *tiles, endo_reach *reach, const endo_frames_options *frame,
                            const endo_canvas_map *map);

#endif
