/* Loops of the optical flow: what the compiler vectorises, and the row of pseudo motions in plain C. */
#ifndef ENDO_FLOW_ROWS_H
#define ENDO_FLOW_ROWS_H

#include "rules/sampling.h"
#include "flow_loops.h"

#include <stdlib.h>

/* Differences stay below 2^15 and a row below 2^10 pixels: sums fit 32 bits. */
static inline void shift_pixels(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums) {
    int32_t difference = 0, count = 0;
    for (int i = 0; i < n; i++) {
        int32_t r = reference[i], c = current[i];
        int32_t use = -(int32_t)((r != ENDO_FLOW_INVALID) & (c != ENDO_FLOW_INVALID));
        difference += abs(c - r) & use;
        count -= use;
    }
    sums->difference += difference;
    sums->n += count;
}

static inline void shift_by_rows(const int16_t *reference, const int16_t *current, ptrdiff_t stride, int n, int rows,
                                 endo_shift_sums *sums) {
    for (int y = 0; y < rows; y++) shift_pixels(reference + y * stride, current + y * stride, n, sums);
}

static inline int flow_sample(const cpu_flow_row *r, int32_t px, int32_t py, int32_t *out) {
    int x = px >> 16, y = py >> 16;
    if (x < 0 || y < 0 || x + 1 >= r->width || y + 1 >= r->height) return 0;
    const int16_t *p = r->current + y * r->stride + x, *q = p + r->stride;
    if (p[0] == ENDO_FLOW_INVALID || p[1] == ENDO_FLOW_INVALID || q[0] == ENDO_FLOW_INVALID ||
        q[1] == ENDO_FLOW_INVALID)
        return 0;
    *out = endo_bilinear(p[0], p[1], q[0], q[1], (px >> 8) & 255, (py >> 8) & 255);
    return 1;
}

/* One pseudo motion: x or y component, its slope given. */
static inline void flow_component(const cpu_flow_row *r, int32_t px, int32_t py, int vertical, int32_t reference,
                                  int32_t difference, int32_t slope, int32_t xc, cpu_flow_row_sums *s) {
    int32_t moved;
    if (abs(slope) < ENDO_FLOW_SLOPE) return;
    int32_t d = endo_pseudo_motion(difference, slope);
    if (abs(d) > ENDO_FLOW_REACH) return;
    if (!flow_sample(r, px + (vertical ? 0 : d * 256), py + (vertical ? d * 256 : 0), &moved)) return;
    if (abs(moved - reference) >= ENDO_FLOW_THRESHOLD) return;
    s->n += 1, s->x += xc, s->xx += xc * xc, s->d += d, s->xd += xc * d;
}

static inline void flow_pixel(const cpu_flow_row *r, int x, cpu_flow_row_sums sums[2]) {
    const int16_t *p = r->reference + x;
    if (p[0] == ENDO_FLOW_INVALID || p[-1] == ENDO_FLOW_INVALID || p[1] == ENDO_FLOW_INVALID ||
        p[-r->stride] == ENDO_FLOW_INVALID || p[r->stride] == ENDO_FLOW_INVALID)
        return;
    int32_t px = r->px + x * r->step_x, py = r->py + x * r->step_y, compensated;
    if (!flow_sample(r, px, py, &compensated)) return;
    int32_t difference = compensated - p[0], xc = x - r->width / 2;
    flow_component(r, px, py, 0, p[0], difference, p[1] - p[-1], xc, &sums[0]);
    flow_component(r, px, py, 1, p[0], difference, p[r->stride] - p[-r->stride], xc, &sums[1]);
}

static inline void flow_pixels(const cpu_flow_row *r, int from, int to, cpu_flow_row_sums sums[2]) {
    for (int x = from; x < to; x++) flow_pixel(r, x, sums);
}

#endif
