/* Planes of the field of view for blending. Depths are chamfer distances between blocks, 3 to a neighbour and 4 across a
 * corner, from the nearest block that does not wholly lie in the field; the frame's border is one. */
#include "blend_field.h"

enum { SIDE = ENDO_BLEND_SIDE, STRAIGHT = 3, ACROSS = 4 };

/* Most blocks along a frame, which is no wider than 32767 px. */
#define MOST_BLOCKS (32768 / SIDE)

void endo_blend_find_bicubic(const uint8_t *mask, int width, int height, ptrdiff_t stride, int threads, uint8_t *bicubic) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 1; y < height - 2; y++)
        for (int x = 1; x + 2 < width; x++) {
            const uint8_t *p = mask + (size_t)(y - 1) * width + x - 1;
            uint8_t all = 255;
            for (int v = 0; v < 4; v++, p += width) all &= p[0] & p[1] & p[2] & p[3];
            bicubic[y * stride + x] = all;
        }
}

static int block_is_inside(const uint8_t *mask, int width, int column, int row) {
    const uint8_t *p = mask + (size_t)row * SIDE * width + (size_t)column * SIDE;
    uint8_t all = 255;
    for (int v = 0; v < SIDE; v++, p += width) all &= p[0] & p[1] & p[2] & p[3];
    return all != 0;
}

static int depth_at(const uint8_t *depths, int columns, int rows, int column, int row) {
    if (column < 0 || row < 0 || column >= columns || row >= rows) return 0;
    return depths[(size_t)row * columns + column];
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Lowers the depths of a row of blocks to the least distance by way of the row that was visited before (NULL: the border). */
static void step_from(const uint8_t *before, int columns, uint8_t *row) {
    if (!before) {
        for (int i = 0; i < columns; i++) row[i] = (uint8_t)smaller(row[i], STRAIGHT);
        return;
    }
    for (int i = 0; i < columns; i++) row[i] = (uint8_t)smaller(row[i], before[i] + STRAIGHT);
    for (int i = 1; i < columns; i++) row[i] = (uint8_t)smaller(row[i], before[i - 1] + ACROSS);
    for (int i = 0; i + 1 < columns; i++) row[i] = (uint8_t)smaller(row[i], before[i + 1] + ACROSS);
}

/* The same by way of the blocks of the row itself, from a side of the frame on. step: 1 from the left, -1 from the right. */
static void step_along(uint8_t *row, int columns, int step) {
    int depth = 0;
    for (int i = step > 0 ? 0 : columns - 1; i >= 0 && i < columns; i += step)
        row[i] = (uint8_t)(depth = smaller(row[i], depth + STRAIGHT));
}

void endo_blend_find_depths(const uint8_t *mask, int width, int height, int threads, uint8_t *depths) {
    int columns = width / SIDE, rows = height / SIDE, deepest = 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            depths[(size_t)row * columns + column] = block_is_inside(mask, width, column, row) ? 255 : 0;
    for (int row = 0; row < rows; row++) {
        uint8_t *at = depths + (size_t)row * columns;
        step_from(row > 0 ? at - columns : NULL, columns, at);
        step_along(at, columns, 1);
    }
    for (int row = rows - 1; row >= 0; row--) {
        uint8_t *at = depths + (size_t)row * columns;
        step_from(row + 1 < rows ? at + columns : NULL, columns, at);
        step_along(at, columns, -1);
    }
    for (int i = 0; i < columns * rows; i++)
        if (depths[i] > deepest) deepest = depths[i];
    for (int i = 0; i < columns * rows; i++) depths[i] = (uint8_t)((depths[i] * ENDO_BLEND_FULL_SCORE + deepest - 1) / deepest);
}

/* Finds the blocks of a row in which a pixel is set; the last one may reach over the edge. There are none outside the frame. */
static void find_set(const uint8_t *bicubic, ptrdiff_t stride, int width, int height, int row, uint8_t *set) {
    int top = row * SIDE, bottom = top + SIDE < height ? top + SIDE : height, blocks = (width + SIDE - 1) / SIDE;
    for (int i = 0; i < blocks; i++) set[i] = 0;
    for (int y = top < 0 ? bottom : top; y < bottom; y++) {
        const uint8_t *p = bicubic + y * stride;
        for (int i = 0; i < width / SIDE; i++) set[i] |= p[SIDE * i] | p[SIDE * i + 1] | p[SIDE * i + 2] | p[SIDE * i + 3];
        for (int x = width / SIDE * SIDE; x < width; x++) set[blocks - 1] |= p[x];
    }
}

static int all_deep(const uint8_t *depths, int columns, int rows, int column, int row) {
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++)
            if (!depth_at(depths, columns, rows, x, y)) return 0;
    return 1;
}

/* Whether a block or one beside it is set, in three rows. */
static int any_set(uint8_t set[3][MOST_BLOCKS], int blocks, int column) {
    int any = 0;
    for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < blocks; x++) any |= set[0][x] | set[1][x] | set[2][x];
    return any;
}

/* The rows of blocks from `first` to before `end`. */
static void surround(const uint8_t *bicubic, ptrdiff_t stride, const uint8_t *depths, int width, int height, int first, int end,
                     uint8_t *surroundings) {
    int columns = width / SIDE, rows = height / SIDE, blocks = (width + SIDE - 1) / SIDE;
    uint8_t set[3][MOST_BLOCKS];
    for (int row = first - 1; row <= first; row++) find_set(bicubic, stride, width, height, row, set[(row + 3) % 3]);
    for (int row = first; row < end; row++) {
        find_set(bicubic, stride, width, height, row + 1, set[(row + 1) % 3]);
        for (int column = 0; column < columns; column++) {
            uint8_t *to = &surroundings[(size_t)row * columns + column];
            if (all_deep(depths, columns, rows, column, row)) *to = ENDO_BLEND_ALL;
            else *to = any_set(set, blocks, column) ? ENDO_BLEND_SOME : ENDO_BLEND_NONE;
        }
    }
}

void endo_blend_find_surroundings(const uint8_t *bicubic, ptrdiff_t stride, const uint8_t *depths, int width, int height,
                                  int threads, uint8_t *surroundings) {
    int rows = height / SIDE;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < threads; k++)
        surround(bicubic, stride, depths, width, height, (int)((int64_t)rows * k / threads),
                 (int)((int64_t)rows * (k + 1) / threads), surroundings);
}

void endo_blend_find_means(const uint16_t *factors, ptrdiff_t stride, int width, int height, int threads,
                           uint16_t *blocks) {
    int columns = width / SIDE, rows = height / SIDE;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            const uint16_t *p = factors + row * SIDE * stride + column * SIDE;
            uint32_t sum = SIDE * SIDE / 2;
            for (int v = 0; v < SIDE; v++, p += stride) sum += (uint32_t)p[0] + p[1] + p[2] + p[3];
            blocks[(size_t)row * columns + column] = (uint16_t)(sum / (SIDE * SIDE));
        }
}
