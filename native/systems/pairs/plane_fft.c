/* Transforms of planes (plane_fft.h): radix 2 along the columns, all columns at a time, then a transposition, then again. */
#include "plane_fft.h"

#include <math.h>

#define SIDE ENDO_PLANE_SIDE
/* Side of the blocks of a transposition. */
#define BLOCK 8

static void swap_rows(endo_complex *a, endo_complex *b) {
    for (int x = 0; x < SIDE; x++) {
        endo_complex kept = a[x];
        a[x] = b[x];
        b[x] = kept;
    }
}

static int reversed(int i) {
    int r = 0;
    for (int bit = 0; bit < ENDO_PLANE_BITS; bit++) r |= (i >> bit & 1) << (ENDO_PLANE_BITS - 1 - bit);
    return r;
}

/* Sum and difference of one row and another one times (re, im). */
static void combine(float *restrict a, float *restrict b, float re, float im) {
    for (int x = 0; x < 2 * SIDE; x += 2) {
        float u = b[x] * re - b[x + 1] * im;
        float v = b[x] * im + b[x + 1] * re;
        b[x] = a[x] - u;
        b[x + 1] = a[x + 1] - v;
        a[x] += u;
        a[x + 1] += v;
    }
}

static void transform_columns(endo_complex *plane, int is_inverse) {
    const double turn = (is_inverse ? 2 : -2) * acos(-1);
    for (int i = 0; i < SIDE; i++)
        if (reversed(i) > i) swap_rows(plane + i * SIDE, plane + reversed(i) * SIDE);
    for (int half = 1; half < SIDE; half *= 2)
        for (int k = 0; k < half; k++) {
            float re = (float)cos(turn * k / (2 * half));
            float im = (float)sin(turn * k / (2 * half));
            for (int i = k; i < SIDE; i += 2 * half)
                combine(&plane[i * SIDE].re, &plane[(i + half) * SIDE].re, re, im);
        }
}

static void transpose(endo_complex *plane) {
    for (int y = 0; y < SIDE; y += BLOCK)
        for (int x = y; x < SIDE; x += BLOCK)
            for (int j = y; j < y + BLOCK; j++)
                for (int i = x > j ? x : j + 1; i < x + BLOCK; i++) {
                    endo_complex kept = plane[j * SIDE + i];
                    plane[j * SIDE + i] = plane[i * SIDE + j];
                    plane[i * SIDE + j] = kept;
                }
}

void endo_plane_fft(endo_complex *plane, int is_inverse) {
    transform_columns(plane, is_inverse);
    transpose(plane);
    transform_columns(plane, is_inverse);
}
