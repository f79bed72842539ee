/* Detection of combing, tile by tile (interlacing.h). */
#include "interlacing.h"
#include "base/threads.h"

#include "base/simd.h"

#include <math.h>
#include <stdio.h>

/* Side of the tiles, px; one tile in four is tested, and of large frames fewer, in rows further apart. */
#define TILE 32
#define TILES_ENOUGH 512
/* Distance of the pixels among which the brightest is looked for, px along the rows. Of frames with more pixels some rows are
 * looked at. */
#define PACE (TILE / 2 + 1)
#define PIXELS_ENOUGH 1500000
/* Least standard deviation of a tile with contrast, as a share of the frame's brightest value: 8 grey levels. */
#define CONTRAST (1.0 / 32)
/* Ratio of the mean squared difference of adjacent rows to that of rows two apart, from which on a tile is combed. */
#define COMBED 1.2
/* Share of the tiles with contrast that are combed, from which on a frame is combed. */
#define TILES 0.1
/* Share of combed frames from which on a sequence is interlaced; while the scope stands still no frame is combed. */
#define FRAMES 0.25
#define LEAST_FRAMES 2

/* Grey value; green of colours, which has most of the detail. */
ENDO_SIMD_INLINE int value(endo_pixel type, const void *pixels, size_t i) {
    switch (type) {
    case ENDO_GREY8: return ((const uint8_t *)pixels)[i];
    case ENDO_GREY16: return ((const uint16_t *)pixels)[i];
    case ENDO_RGB32: break;
    }
    return (int)(((const uint32_t *)pixels)[i] >> 8 & 0xff);
}

/* Asks for the memory of a pixel that will be looked at soon, if the frame has it. */
static inline void fetch(const interlacing *rows, const void *pixels, int64_t i) {
    int64_t last = (int64_t)rows->size.width * rows->size.height - 1;
    __builtin_prefetch((const char *)pixels + (size_t)(i < last ? i : last) * endo_pixel_size(rows->type));
}

static int brightest(const interlacing *rows, const void *pixels) {
    int64_t width = rows->size.width;
    int64_t step = 1 + width * rows->size.height / PIXELS_ENOUGH;
    int most = 1;
#pragma omp parallel for num_threads(rows->threads) reduction(max : most) if (width * rows->size.height > ENDO_MANY_PIXELS)
    for (int64_t y = 0; y < rows->size.height; y += step)
        for (int64_t i = (y * width + PACE - 1) / PACE * PACE; i < (y + 1) * width; i += PACE) {
            int v = value(rows->type, pixels, (size_t)i);
            fetch(rows, pixels, i + step * width);
            if (v > most) most = v;
        }
    return most;
}

/* Distance of the rows of tiles that are tested, px. */
static int rows_of_tiles_apart(const interlacing *rows) {
    int tiles = rows->size.width / (2 * TILE) * (rows->size.height / (2 * TILE));
    return 2 * TILE * (1 + tiles / TILES_ENOUGH);
}

/* Copies the rows of a tile, and two more to compare with; dense. A loop for each type, so that it is vectorized. */
ENDO_SIMD_INLINE void take(const interlacing *rows, const void *pixels, int left, int top, int *tile) {
    for (int y = 0; y < TILE + 2; y++, tile += TILE) {
        size_t from = (size_t)(top + y) * (size_t)rows->size.width + (size_t)left;
        fetch(rows, pixels, (int64_t)from + 2 * TILE); /* of the next tile */
        fetch(rows, pixels, (int64_t)from + 2 * TILE + TILE / 2);
        if (rows->type == ENDO_GREY8)
            for (int x = 0; x < TILE; x++) tile[x] = value(ENDO_GREY8, pixels, from + (size_t)x);
        else if (rows->type == ENDO_GREY16)
            for (int x = 0; x < TILE; x++) tile[x] = value(ENDO_GREY16, pixels, from + (size_t)x);
        else
            for (int x = 0; x < TILE; x++) tile[x] = value(ENDO_RGB32, pixels, from + (size_t)x);
    }
}

ENDO_SIMD_INLINE double deviation(const int *tile) {
    int n = TILE * TILE;
    int64_t sum = 0;
    int64_t squares = 0;
    for (int i = 0; i < n; i++) {
        sum += tile[i];
        squares += (int64_t)tile[i] * tile[i];
    }
    double mean = (double)sum / n;
    double variance = (double)squares / n - mean * mean;
    return sqrt(variance > 0 ? variance : 0);
}

ENDO_SIMD_INLINE int is_combed(const int *tile) {
    int64_t one = 0;
    int64_t two = 0;
    for (int i = 0; i < TILE * TILE; i++) {
        int next = tile[i] - tile[i + TILE];
        int other = tile[i] - tile[i + 2 * TILE];
        one += (int64_t)next * next;
        two += (int64_t)other * other;
    }
    return (double)one > COMBED * (double)two;
}

typedef struct tile_counts {
    int tiles;  /* with contrast */
    int combed;
} tile_counts;

ENDO_SIMD_INLINE void count_tiles(const interlacing *rows, const void *pixels, double contrast, int y, tile_counts *counts) {
    int tile[TILE * (TILE + 2)];
    for (int x = 0; x + TILE <= rows->size.width; x += 2 * TILE) {
        take(rows, pixels, x, y, tile);
        if (deviation(tile) < contrast) continue;
        counts->tiles++;
        counts->combed += is_combed(tile);
    }
}

ENDO_SIMD_LOOP(count_row, count_tiles,
               (const interlacing *rows, const void *pixels, double contrast, int y, tile_counts *counts),
               (rows, pixels, contrast, y, counts))

void interlacing_add(interlacing *rows, const void *pixels) {
    double contrast = CONTRAST * brightest(rows, pixels);
    endo_cpu set = endo_simd_best(rows->cpu);
    int step = rows_of_tiles_apart(rows);
    int tiles = 0;
    int odd = 0;
#pragma omp parallel for num_threads(rows->threads) reduction(+ : tiles, odd) if (rows->size.height > 10 * TILE)
    for (int y = 0; y < rows->size.height - TILE - 1; y += step) {
        tile_counts counts = {0};
        count_row[set](rows, pixels, contrast, y, &counts);
        tiles += counts.tiles;
        odd += counts.combed;
    }
    rows->frames++;
    rows->combed += odd > TILES * tiles;
}

void interlacing_warning(const interlacing *rows, char *out, size_t size) {
    out[0] = 0;
    if (rows->combed < LEAST_FRAMES || rows->combed < FRAMES * rows->frames) return;
    snprintf(out, size,
             "the frames look interlaced: every other row is of another time in %d of %d that were looked at; take them apart"
             " before (ffmpeg -i VIDEO -vf bwdif -c:v ffv1 NEW.mkv), or poses are less sure and edges stay combed",
             rows->combed, rows->frames);
}
