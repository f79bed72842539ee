/* A blend in device memory, in tiles (endorama/blend.h): what its files share. */
#ifndef ENDO_CUDA_BLEND_CUH
#define ENDO_CUDA_BLEND_CUH

#include "cuda.h"
#include "tiles.h"

#define SIDE ENDO_BLEND_SIDE
#define TILE_COLUMNS (ENDO_TILE_WIDTH / SIDE)
#define TILE_CELLS ((size_t)TILE_COLUMNS * (ENDO_TILE_HEIGHT / SIDE))

/* A tile is the sums of its pixels, then their coverage, then its cells. */
typedef struct cuda_blend {
    cuda_backend *backend;
    endo_blend_setup setup;
    size_t size; /* bytes of a pixel's sums */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
    cuda_buffer factors, factor_means; /* the correction */
    int factor_stride;
    cuda_buffer blocks, clipped, weights; /* of the frames that are added together */
} cuda_blend;

/* endo_blend_kernels.add (blend_add.cu). */
endo_status cuda_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n);
/* endo_blend_kernels.finish (blend_finish.cu). */
endo_status cuda_blend_finish(void *blend, const endo_blend_view *view);

#endif
