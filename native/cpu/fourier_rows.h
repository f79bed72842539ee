/* The loops of Fourier registration in plain C, for the compiler to vectorise: a file for each instruction set includes
 * this. No operation is reordered, so that all of them give the same bytes. Compilers do not vectorise arithmetic of floats
 * that depends on a condition, so it is in a loop of its own, and the choice in the next one. */
#ifndef ENDO_CPU_FOURIER_ROWS_H
#define ENDO_CPU_FOURIER_ROWS_H

#include "fourier_loops.h"

#include <string.h>

/* Numbers that are taken together. */
#define BLOCK 64

/* ------------------------------------------------------------------ values */

static void add_row(const uint8_t *grey, const uint8_t *valid, int sign, int n, int32_t *values, int32_t *counts) {
    for (int x = 0; x < n && valid; x++) {
        values[x] += sign * grey[x] * valid[x];
        counts[x] += sign * valid[x];
    }
    for (int x = 0; x < n && !valid; x++) values[x] += sign * grey[x];
}

/* endo_fourier_highpass() with a division in float: its operands are below 2^24, and the quotient, below 2^10, is at least
 * 1 / 1250 away from a whole number it does not reach, so that its cut is that of the integers. */
static void highpass(const uint8_t *grey, const int32_t *values_before, const int32_t *counts_before, int half, int area,
                     int from, int to, int16_t *out) {
    const int32_t *left = values_before - half, *right = values_before + half + 1;
    const int32_t *left_count = counts_before - half, *right_count = counts_before + half + 1;
    for (int at = from; at < to; at += BLOCK) {
        int n = to - at < BLOCK ? to - at : BLOCK;
        int32_t means[BLOCK], counts[BLOCK];
        for (int i = 0; i < n; i++) {
            int32_t sum = right[at + i] - left[at + i], count = right_count[at + i] - left_count[at + i];
            float mean = (float)(2 * ENDO_FOURIER_ONE * sum + count) / (float)(2 * (count + !count)); /* 0: not valid itself */
            means[i] = (int32_t)mean, counts[i] = count;
        }
        for (int i = 0; i < n; i++) {
            int32_t value = ENDO_FOURIER_ONE * grey[at + i] - means[i];
            out[at + i] = (int16_t)(endo_fourier_has_mean(counts[i], area) ? value : ENDO_FOURIER_INVALID);
        }
    }
}

/* By sums of 1, 2, 4 .. values. */
static void window_sums(const int32_t *values, int length, int n, int32_t *work, int32_t *sums) {
    int done = 0, end = n + length - 1; /* values so far of each sum */
    for (int of = 1; of <= length; of *= 2) {
        if (of > 1) {
            end -= of / 2;
            for (int x = 0; x < end; x++) work[x] = values[x] + values[x + of / 2];
            values = work;
        }
        if (!(length & of)) continue;
        for (int x = 0; x < n; x++) sums[x] = (done ? sums[x] : 0) + values[done + x];
        done += of;
    }
}

static void highpass_whole(const uint8_t *grey, const int32_t *sums, int area, int n, int16_t *out) {
    float factor = 1.0f / (float)(2 * area);
    for (int x = 0; x < n; x++) out[x] = (int16_t)endo_fourier_highpass_by(grey[x], sums[x], area, factor);
}

static void sobel(const uint8_t *a, const uint8_t *b, const uint8_t *c, int n, int16_t *out) {
    for (int x = 0; x < n; x++) {
        int32_t gx = a[x + 1] + 2 * b[x + 1] + c[x + 1] - a[x - 1] - 2 * b[x - 1] - c[x - 1];
        int32_t gy = c[x - 1] + 2 * c[x] + c[x + 1] - a[x - 1] - 2 * a[x] - a[x + 1];
        out[x] = (int16_t)(int32_t)sqrtf((float)(gx * gx + gy * gy));
    }
}

static void weigh(const int16_t *values, const float *across, float down, float mean, int n, float *out) {
    for (int x = 0; x < n; x++) out[x] = (values[x] - mean) * (across[x] * down);
    for (int x = 0; x < n; x++) out[x] = values[x] == ENDO_FOURIER_INVALID ? 0 : out[x];
}

/* ----------------------------------------------------------------- spectra */

/* A block at a time: out may be where the numbers are. */
static void magnitudes(const float *spectrum, int n, float *out) {
    for (int from = 0; from < n; from += BLOCK) {
        const float *in = spectrum + 2 * from;
        float made[BLOCK];
        int count = n - from < BLOCK ? n - from : BLOCK;
        for (int x = 0; x < count; x++) made[x] = sqrtf(in[2 * x] * in[2 * x] + in[2 * x + 1] * in[2 * x + 1]);
        memcpy(out + from, made, (size_t)count * sizeof *made);
    }
}

/* Beyond the spectrum the places are moved to its middle, and the values to 0. */
static void polar(const cpu_polar_row *r, float *out) {
    float last = (float)(r->side / 2 - 1);
    for (int from = 0; from < r->n; from += BLOCK) {
        int n = r->n - from < BLOCK ? r->n - from : BLOCK;
        int32_t top[BLOCK], bottom[BLOCK];
        float px[BLOCK], py[BLOCK], fx[BLOCK], fy[BLOCK], inside[BLOCK], above_two[BLOCK][2], below_two[BLOCK][2];
        for (int i = 0; i < n; i++) {
            float x = r->radius[from + i] * r->cosine, y = r->radius[from + i] * r->sine;
            px[i] = x, py[i] = y;
            inside[i] = (x <= last) & (y <= last) & (y >= -last) ? 1.0f : 0.0f;
        }
        for (int i = 0; i < n; i++) px[i] = inside[i] > 0 ? px[i] : 0, py[i] = inside[i] > 0 ? py[i] : 0;
        for (int i = 0; i < n; i++) {
            int32_t x0 = (int32_t)px[i];
            int32_t y0 = (int32_t)(py[i] + 65536.0f) - 65536;
            y0 -= (float)y0 > py[i]; /* cut downwards */
            int32_t y1 = y0 + 1;
            fx[i] = px[i] - (float)x0, fy[i] = py[i] - (float)y0;
            top[i] = (y0 < 0 ? y0 + r->side : y0) * (int32_t)r->stride + x0;
            bottom[i] = (y1 < 0 ? y1 + r->side : y1) * (int32_t)r->stride + x0;
        }
        for (int i = 0; i < n; i++) { /* two neighbours at a time */
            memcpy(above_two[i], r->magnitudes + top[i], sizeof *above_two);
            memcpy(below_two[i], r->magnitudes + bottom[i], sizeof *below_two);
        }
        for (int i = 0; i < n; i++) {
            float a = above_two[i][0], b = above_two[i][1], c = below_two[i][0], d = below_two[i][1];
            float above = a + fx[i] * (b - a), below = c + fx[i] * (d - c);
            out[from + i] = (above + fy[i] * (below - above)) * inside[i];
        }
    }
}

static void turn(const cpu_turn_row *r, float *out) {
    for (int from = r->from; from < r->to; from += BLOCK) {
        int n = r->to - from < BLOCK ? r->to - from : BLOCK;
        int32_t at[BLOCK];
        float fx[BLOCK], fy[BLOCK], above_two[BLOCK][2], below_two[BLOCK][2];
        for (int i = 0; i < n; i++) {
            float x = (float)(r->x + r->step_x * (from + i)), y = (float)(r->y + r->step_y * (from + i));
            int32_t x0 = (int32_t)x, y0 = (int32_t)y;
            fx[i] = x - (float)x0, fy[i] = y - (float)y0;
            at[i] = y0 * r->width + x0;
        }
        for (int i = 0; i < n; i++) { /* two neighbours at a time */
            memcpy(above_two[i], r->values + at[i], sizeof *above_two);
            memcpy(below_two[i], r->values + at[i] + r->width, sizeof *below_two);
        }
        for (int i = 0; i < n; i++) {
            float a = above_two[i][0], b = above_two[i][1], c = below_two[i][0], d = below_two[i][1];
            float above = a + fx[i] * (b - a), below = c + fx[i] * (d - c);
            out[from + i] = above + fy[i] * (below - above);
        }
    }
}

/* log(2^e m) = e log 2 + 2 artanh(t), t = (m - 1) / (m + 1), m from 0.7 to 1.4; its series to t^9, within 1e-9. */
static void logarithms(float *values, float least, int n) {
    for (int i = 0; i < n; i++) {
        float value = values[i] + least, m;
        int32_t bits, exponent;
        memcpy(&bits, &value, sizeof bits);
        exponent = (bits - 0x3f330000) >> 23;
        bits -= exponent * (1 << 23);
        memcpy(&m, &bits, sizeof m);
        float t = (m - 1) / (m + 1), u = t * t;
        float series = 1 + u * (1 / 3.0f + u * (1 / 5.0f + u * (1 / 7.0f + u * (1 / 9.0f))));
        values[i] = (float)exponent * 0.693147181f + 2 * t * series;
    }
}

static void whiten(float *row, float least, int n) {
    for (int x = 0; x < n; x++) {
        float w = 1 / (sqrtf(row[2 * x] * row[2 * x] + row[2 * x + 1] * row[2 * x + 1]) + least);
        row[2 * x] *= w, row[2 * x + 1] *= w;
    }
}

static void half_whiten(float *row, const float *across, float down, float least, int n) {
    for (int x = 0; x < n; x++) {
        float magnitude = sqrtf(row[2 * x] * row[2 * x] + row[2 * x + 1] * row[2 * x + 1]) + least;
        float w = across[x] * down / sqrtf(magnitude);
        row[2 * x] *= w, row[2 * x + 1] *= w;
    }
}

static void scale(float *row, float by, int n) {
    for (int x = 0; x < n; x++) row[x] *= by;
}

static void multiply(const float *a, const float *b, float sign, int n, float *out) {
    for (int x = 0; x < n; x++) {
        float b_im = sign * b[2 * x + 1];
        float re = a[2 * x] * b[2 * x] - a[2 * x + 1] * b_im, im = a[2 * x + 1] * b[2 * x] + a[2 * x] * b_im;
        out[2 * x] = re, out[2 * x + 1] = im;
    }
}

static float largest(const float *row, int n) {
    float lanes[16], most;
    for (int i = 0; i < 16; i++) lanes[i] = row[i < n ? i : 0];
    int x = 0;
    for (; x + 16 <= n; x += 16)
        for (int i = 0; i < 16; i++) lanes[i] = row[x + i] > lanes[i] ? row[x + i] : lanes[i];
    most = lanes[0];
    for (int i = 1; i < 16; i++) most = lanes[i] > most ? lanes[i] : most;
    for (; x < n; x++) most = row[x] > most ? row[x] : most;
    return most;
}

#define FOURIER_LOOPS                                                                                                   \
    .add_row = add_row, .highpass = highpass, .window_sums = window_sums, .highpass_whole = highpass_whole,             \
    .sobel = sobel, .weigh = weigh, .magnitudes = magnitudes, .polar = polar, .turn = turn,                             \
    .logarithms = logarithms, .whiten = whiten, .half_whiten = half_whiten,                                             \
    .scale = scale, .multiply = multiply, .largest = largest

#endif
