/* Detail of a frame (endorama/blend.h): the mean second difference along some of its rows, over the mean. Sums of two pixels,
 * two apart, are compared, since single pixels are noise. Integers up to the quotient. */
#include "blend_details.h"

#include "base/simd.h"

#include <stdlib.h>

/* Rows that are read; up to twice as many of a frame whose height is no multiple. */
enum { ROWS = 64 };

/* Positions of a row whose sums fit 32 bits, whatever its pixels are: a difference is at most 4 * 65535. A piece reads two
 * pixels before its first position, and three behind its last. */
enum { PIECE = 4096, BEFORE = 2, BEHIND = 3, READ = PIECE + BEFORE + BEHIND };

typedef struct details {
    uint64_t differences, sums;
} details;

/* Reads n pixels of a row: grey, or green. */
ENDO_SIMD_INLINE void take(endo_pixel type, const void *row, int from, int n, int32_t *out) {
    if (type == ENDO_GREY8)
        for (int i = 0; i < n; i++) out[i] = ((const uint8_t *)row)[from + i];
    else if (type == ENDO_GREY16)
        for (int i = 0; i < n; i++) out[i] = ((const uint16_t *)row)[from + i];
    else
        for (int i = 0; i < n; i++) out[i] = (int32_t)(((const uint32_t *)row)[from + i] >> 8 & 255);
}

/* Adds n positions, the first of which is the pixel `from` of a row. */
ENDO_SIMD_INLINE void add_piece(endo_pixel type, const void *row, int from, int n, details *d) {
    int32_t values[READ], differences = 0, sums = 0;
    take(type, row, from - BEFORE, n + BEFORE + BEHIND, values);
    for (int i = 0; i < n; i++) {
        const int32_t *v = values + i;
        int32_t here = v[2] + v[3];
        differences += abs(2 * here - v[0] - v[1] - v[4] - v[5]);
        sums += here;
    }
    d->differences += (uint32_t)differences;
    d->sums += (uint32_t)sums;
}

ENDO_SIMD_LOOP(add_pieces, add_piece, (endo_pixel type, const void *row, int from, int n, details *d),
               (type, row, from, n, d))

double endo_details_of(endo_pixel type, int width, int height, const void *pixels, ptrdiff_t stride) {
    details d = {0, 1};
    size_t size = endo_pixel_size(type);
    int step = height < ROWS ? 1 : height / ROWS;
    endo_cpu set = endo_simd_best(ENDO_CPU_BEST); /* without a context there is no limit */
    for (int y = step / 2; y < height; y += step) {
        const uint8_t *row = (const uint8_t *)pixels + (size_t)y * (size_t)stride * size;
        for (int x = BEFORE; x < width - BEHIND; x += PIECE) {
            int n = width - BEHIND - x < PIECE ? width - BEHIND - x : PIECE;
            add_pieces[set](type, row, x, n, &d);
        }
    }
    return (double)d.differences / (double)d.sums;
}
