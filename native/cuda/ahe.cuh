/* Adaptive equalization on a device: what the files of it share. */
#ifndef ENDO_CUDA_AHE_CUH
#define ENDO_CUDA_AHE_CUH

#include "cuda.h"

extern "C" {
#include "rules/ahe.h"
}

/* A padded image in device memory, as native/cpu/ahe_plane.h lays it out: row(i)[k] is the image's pixel
 * (region.x - r - 1 + k, region.y - r - 1 + i), r = window / 2, mirrored at the borders. */
typedef struct ahe_plane {
    const uint8_t *pixels;
    const uint8_t *parts;    /* endo_ahe_bin.part - 1; NULL: one level a bin */
    const uint16_t *pixels16; /* instead of pixels, where 16 bits stay */
    const int *row_of;       /* padded row -> stored row */
    int pitch;
    int width, height; /* of the region */
    int window, clip, bin_width;
    void *out;
    int out_stride;
    int out_16bit;
} ahe_plane;

/* A tile of an image of 16 bits whose levels are put into groups. What is asked of a pixel: the groups up to its own less
 * one, or up to it where that has one level. */
typedef struct ahe_tile {
    int x, y, width, height;  /* of the region */
    const uint8_t *groups;    /* padded, pitch of the tiles */
    const uint8_t *single;    /* of each group: 1 where it has one level */
    uint32_t *ranks;          /* of all pixels of the groups asked for: height rows of AHE_TILE_WIDTH */
} ahe_tile;

#define AHE_TILE_WIDTH 256
#define AHE_TILE_HEIGHT 1024

typedef struct ahe_tiles {
    const ahe_tile *tiles; /* n, in device memory */
    const int *row_of;     /* each row is its own */
    int n, height, pitch, window; /* height: of the highest; pitch: of their groups */
} ahe_tiles;

/* How the work is cut: strips of 32 * warps columns, bands of rows; a block takes one of each. */
typedef struct ahe_plan {
    int warps, bands;
} ahe_plan;

ahe_plan cuda_ahe_choose_plan(const cuda_backend *b, const ahe_plane *p);
/* Windows of any size over 8-bit pixels or bins. */
endo_status cuda_ahe_slide(cuda_backend *b, const ahe_plane *p, const ahe_plan *plan);
/* The ranks of tiles, without a limit. */
endo_status cuda_ahe_slide_tiles(cuda_backend *b, const ahe_tiles *t);
/* 16-bit pixels without a limit. */
endo_status cuda_ahe_16bit(cuda_backend *b, const ahe_plane *p);

/* Columns that any plan reads beyond the region's windows. */
#define AHE_PAD 1024

/* An image in device memory, equalized in the context's stream; pixels of `job` and its strides are taken from the
 * arguments. in and out may be the same. */
endo_status cuda_ahe_device(cuda_backend *b, const endo_ahe_job *job, const void *in, int in_stride, void *out,
                            int out_stride);

#endif
