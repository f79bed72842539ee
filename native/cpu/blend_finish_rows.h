/* Rows of finished pixels in plain C, for the compiler to vectorise: a file for each instruction set includes this. Every
 * operation is an integer's or a single one of doubles, so that all of them give the same bytes. */
#ifndef ENDO_CPU_BLEND_FINISH_ROWS_H
#define ENDO_CPU_BLEND_FINISH_ROWS_H

#include "blend_loops.h"

#include "rules/blend_finish.h"

/* Cells of a run, and one on either side. */
#define FINISH_CELLS (CPU_FINISH_MOST / ENDO_BLEND_SIDE + 2)

/* One channel of a row's cells, interpolated downwards, in an eighth of its unit; at[0] is the cell before the first. */
static inline void take_light(const cpu_light_row *r, int c, int32_t at[FINISH_CELLS]) {
    int32_t down = r->down;
    for (int k = 0; k < r->n; k++) at[k + 1] = down * r->near[3 * k + c] + (8 - down) * r->far[3 * k + c];
    at[0] = r->before ? down * r->near[c - 3] + (8 - down) * r->far[c - 3] : at[1];
    at[r->n + 1] = r->behind ? down * r->near[3 * r->n + c] + (8 - down) * r->far[3 * r->n + c] : at[r->n];
}

static void light_row(const cpu_light_row *r, int channels, int32_t *light[3]) {
    for (int c = 0; c < channels; c++) {
        int32_t at[FINISH_CELLS];
        int32_t *out = light[c];
        take_light(r, c, at);
        for (int k = 0; k < r->n; k++) {
            int32_t before = at[k];
            int32_t own = at[k + 1];
            int32_t behind = at[k + 2];
            out[4 * k] = (5 * own + 3 * before) / 64;
            out[4 * k + 1] = (7 * own + before) / 64;
            out[4 * k + 2] = (7 * own + behind) / 64;
            out[4 * k + 3] = (5 * own + 3 * behind) / 64;
        }
    }
}

/* endo_blend_narrow_mean, with conversions that every instruction set has: numbers below 2^31, so a sum in two parts. */
static inline int32_t narrow_of(uint32_t sum, uint32_t weight) {
    double whole = (double)(int32_t)(sum >> 1) * (2 << ENDO_BLEND_FINE) + (double)(int32_t)((sum & 1) << ENDO_BLEND_FINE);
    return (int32_t)((whole + (double)(int32_t)(weight >> 1)) / (double)(int32_t)weight);
}

/* A division by 1 where there is no weight: its quotient, of a sum of 0, is not used. */
static inline uint32_t divisor_of(uint32_t weight) { return weight ? weight : 1; }

static inline void finish_rgb(const cpu_finish_run *r) {
    const uint32_t *restrict sums = r->sums;
    const int32_t *restrict blue_light = r->light[0];
    const int32_t *restrict green_light = r->light[1];
    const int32_t *restrict red_light = r->light[2];
    uint32_t *restrict out = r->pixels;
    for (int i = 0; i < r->n; i++) {
        uint32_t weight = sums[4 * i + 3];
        uint32_t divisor = divisor_of(weight);
        uint32_t blue = endo_blend_level(narrow_of(sums[4 * i], divisor) + blue_light[i]);
        uint32_t green = endo_blend_level(narrow_of(sums[4 * i + 1], divisor) + green_light[i]);
        uint32_t red = endo_blend_level(narrow_of(sums[4 * i + 2], divisor) + red_light[i]);
        uint32_t pixel = 0xff000000u | red << 16 | green << 8 | blue;
        out[i] = weight ? pixel : 0;
    }
}

static inline void finish_grey(const cpu_finish_run *r) {
    const uint32_t *restrict sums = r->sums;
    const int32_t *restrict light = r->light[0];
    uint8_t *restrict out = r->pixels;
    for (int i = 0; i < r->n; i++) {
        uint32_t weight = sums[2 * i + 1];
        uint32_t level = endo_blend_level(narrow_of(sums[2 * i], divisor_of(weight)) + light[i]);
        out[i] = (uint8_t)(weight ? level : 0);
    }
}

static inline void finish_grey16(const cpu_finish_run *r) {
    const uint64_t *sums = r->sums;
    uint16_t *out = r->pixels;
    for (int i = 0; i < r->n; i++) {
        uint64_t weight = sums[2 * i + 1];
        out[i] = weight ? (uint16_t)endo_blend_level16(endo_blend_narrow_mean16(sums[2 * i], weight) + r->light[0][i]) : 0;
    }
}

static inline uint32_t weight_at(const void *sums, endo_pixel type, int i) {
    if (type == ENDO_GREY16) return (uint32_t)((const uint64_t *)sums)[2 * i + 1];
    return type == ENDO_RGB32 ? ((const uint32_t *)sums)[4 * i + 3] : ((const uint32_t *)sums)[2 * i + 1];
}

static inline int mark_pixels(const cpu_finish_run *r, endo_pixel type) {
    int without = 0;
    for (int i = 0; i < r->n; i++) without += (weight_at(r->sums, type, i) == 0) & (r->coverage[i] != 0);
    for (int i = 0; i < r->n && r->painted; i++) r->painted[i] = weight_at(r->sums, type, i) ? 255 : 0;
    for (int i = 0; i < r->n && r->covered; i++) r->covered[i] = weight_at(r->sums, type, i) ? r->coverage[i] : 0;
    return without;
}

/* Finishes a run of pixels; returns how many are covered without having weight, and so still lack a value. A pixel that has
 * weight is covered. */
static int finish_run(const cpu_finish_run *r, endo_pixel type) {
    switch (type) {
    case ENDO_RGB32: finish_rgb(r); return mark_pixels(r, ENDO_RGB32);
    case ENDO_GREY16: finish_grey16(r); return mark_pixels(r, ENDO_GREY16);
    default: finish_grey(r); return mark_pixels(r, ENDO_GREY8);
    }
}

#define BLEND_FINISH_LOOPS .light_row = light_row, .finish_run = finish_run

#endif
