/* Planes of the field of view for blending. Depths are chamfer distances between blocks, 3 to a neighbour and 4 across a
 * corner, from the nearest block that does not wholly lie in the field; the frame's border is one. */
#include "blend_field.h"

enum { SIDE = ENDO_BLEND_SIDE, STRAIGHT = 3, ACROSS = 4 };

/* Most blocks along a frame, which is no wider than 32767 px. */
#define MOST_BLOCKS (32768 / SIDE)

void endo_blend_find_bicubic(const uint8_t *mask, int width, int height, ptrdiff_t stride, uint8_t *bicubic) {
    for (int y = 1; y + 2 < height; y++)
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

/* The least distance by way of the neighbours that were visited before; step: 1 downwards, -1 upwards. Saturates. */
static uint8_t way_out(const uint8_t *depths, int columns, int rows, int column, int row, int step) {
    int least = depth_at(depths, columns, rows, column - step, row) + STRAIGHT;
    for (int i = -1; i <= 1; i++) {
        int way = depth_at(depths, columns, rows, column + i, row - step) + (i ? ACROSS : STRAIGHT);
        if (way < least) least = way;
    }
    return (uint8_t)(least < 255 ? least : 255);
}

void endo_blend_find_depths(const uint8_t *mask, int width, int height, uint8_t *depths) {
    int columns = width / SIDE, rows = height / SIDE, deepest = 1;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            depths[(size_t)row * columns + column] =
                block_is_inside(mask, width, column, row) ? way_out(depths, columns, rows, column, row, 1) : 0;
    for (int row = rows - 1; row >= 0; row--)
        for (int column = columns - 1; column >= 0; column--) {
            uint8_t *depth = &depths[(size_t)row * columns + column], way = way_out(depths, columns, rows, column, row, -1);
            if (*depth > way) *depth = way;
            if (*depth > deepest) deepest = *depth;
        }
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

void endo_blend_find_surroundings(const uint8_t *bicubic, ptrdiff_t stride, const uint8_t *depths, int width, int height,
                                  uint8_t *surroundings) {
    int columns = width / SIDE, rows = height / SIDE, blocks = (width + SIDE - 1) / SIDE;
    uint8_t set[3][MOST_BLOCKS];
    for (int i = -1; i <= 0; i++) find_set(bicubic, stride, width, height, i, set[(i + 3) % 3]);
    for (int row = 0; row < rows; row++) {
        find_set(bicubic, stride, width, height, row + 1, set[(row + 1) % 3]);
        for (int column = 0; column < columns; column++) {
            uint8_t *to = &surroundings[(size_t)row * columns + column];
            if (all_deep(depths, columns, rows, column, row)) *to = ENDO_BLEND_ALL;
            else *to = any_set(set, blocks, column) ? ENDO_BLEND_SOME : ENDO_BLEND_NONE;
        }
    }
}

void endo_blend_find_means(const uint16_t *factors, ptrdiff_t stride, int width, int height, uint16_t *blocks) {
    int columns = width / SIDE, rows = height / SIDE;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            const uint16_t *p = factors + row * SIDE * stride + column * SIDE;
            uint32_t sum = SIDE * SIDE / 2;
            for (int v = 0; v < SIDE; v++, p += stride) sum += (uint32_t)p[0] + p[1] + p[2] + p[3];
            blocks[(size_t)row * columns + column] = (uint16_t)(sum / (SIDE * SIDE));
        }
}
