/* Tiles of 16-bit pixels: what ahe_16bit.cu and ahe_own.cu share. */
#ifndef ENDO_CUDA_AHE_TILE_CUH
#define ENDO_CUDA_AHE_TILE_CUH

#include "ahe.cuh"

#define AHE_GROUPS 256

/* How the tiles lie in the region, and the memory of one. */
typedef struct ahe_tile_layout {
    int across, window, pitch, rows; /* rows: of the groups' plane */
    size_t members;                  /* places for them */
    /* Where each array of ahe_tile_memory begins, bytes, and how many there are in all. */
    size_t counts, of;
    size_t first, size;
    size_t single, groups;
    size_t places, numbers, sorted;
    size_t ranks;
    size_t bytes;
} ahe_tile_layout;

/* The working memory of a tile. Members: its pixels, and those that windows reach beyond it, by their levels. */
typedef struct ahe_tile_memory {
    uint32_t *counts;       /* of levels; then where their members begin, and when these are there, end */
    uint8_t *of;            /* the group of a level */
    uint32_t *first, *size; /* of the members of a group */
    uint8_t *single, *groups;
    uint32_t *places;       /* of members: column, and row << 16 */
    uint16_t *numbers;      /* of members: that of its group, counted row by row */
    uint2 *sorted;          /* of members, those of a group by their columns: place and number */
    uint32_t *ranks;
} ahe_tile_memory;

__device__ static inline ahe_tile_memory ahe_memory_of(const ahe_tile_layout &l, uint8_t *base) {
    ahe_tile_memory m;
    m.counts = (uint32_t *)(base + l.counts), m.of = base + l.of;
    m.first = (uint32_t *)(base + l.first), m.size = (uint32_t *)(base + l.size);
    m.single = base + l.single, m.groups = base + l.groups;
    m.places = (uint32_t *)(base + l.places), m.numbers = (uint16_t *)(base + l.numbers);
    m.sorted = (uint2 *)(base + l.sorted), m.ranks = (uint32_t *)(base + l.ranks);
    return m;
}

__device__ static inline ahe_tile ahe_tile_number(const ahe_plane &p, const ahe_tile_layout &l, int number) {
    ahe_tile t = {};
    t.x = number % l.across * AHE_TILE_WIDTH, t.y = number / l.across * AHE_TILE_HEIGHT;
    t.width = min(AHE_TILE_WIDTH, p.width - t.x), t.height = min(AHE_TILE_HEIGHT, p.height - t.y);
    return t;
}

__device__ static inline const uint16_t *ahe_row_at(const ahe_plane &p, int i) {
    return p.pixels16 + (size_t)p.row_of[i] * p.pitch;
}

__device__ static inline void ahe_put_16bit(const ahe_plane &p, int x, int y, uint32_t rank) {
    ((uint16_t *)p.out)[(size_t)y * p.out_stride + x] =
        (uint16_t)endo_ahe_plain(rank, (uint32_t)(p.window * p.window), 65535);
}

/* Adds the members of each pixel's own group to its rank, of n tiles from number first on, and puts the levels out. */
endo_status cuda_ahe_own(cuda_backend *b, const ahe_plane *p, const ahe_tile_layout *l, uint8_t *memory, int first, int n);

#endif
