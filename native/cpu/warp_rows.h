/* Rows of bilinear samples in plain C: warping a grey image, and painting. */
#ifndef ENDO_WARP_ROWS_H
#define ENDO_WARP_ROWS_H

#include "warp_loops.h"

/* Rows below a place that are fetched before they are needed. */
enum { WARP_AHEAD = 4 };

typedef struct warp_place {
    ptrdiff_t index;
    int32_t fx, fy;
} warp_place;

static inline warp_place warp_place_at(const cpu_warp_row *r, int i) {
    int32_t px = (int32_t)endo_position8(r->px + i * r->step_x), py = (int32_t)endo_position8(r->py + i * r->step_y);
    warp_place p = {(py >> 8) * r->stride + (px >> 8), px & 255, py & 255};
    return p;
}

/* Steps, at least 1, until the whole part of a coordinate with these fractional bits changes. */
static inline int64_t warp_until_change(uint32_t fraction, int64_t drift) {
    if (drift > 0) return (int64_t)(UINT32_MAX - fraction) / drift + 1;
    return drift < 0 ? (int64_t)fraction / -drift + 1 : INT32_MAX;
}

/* How many places from i on follow one another in a row. */
static inline int warp_run_from(const cpu_warp_row *r, int i) {
    uint64_t x = (uint64_t)(r->px + i * r->step_x + (1 << 23)), y = (uint64_t)(r->py + i * r->step_y + (1 << 23));
    int64_t along = warp_until_change((uint32_t)x, r->step_x - ((int64_t)1 << 32));
    int64_t down = warp_until_change((uint32_t)y, r->step_y);
    int64_t run = along < down ? along : down;
    return run < r->n - i ? (int)run : r->n - i;
}

static inline void warp_pixels(const cpu_warp_row *r, int from, uint8_t *warped, uint8_t *valid) {
    for (int i = from; i < r->n; i++) {
        warp_place p = warp_place_at(r, i);
        const uint8_t *top = r->pixels + p.index, *bottom = top + r->stride;
        valid[i] = r->bilinear[p.index];
        warped[i] = (uint8_t)(endo_bilinear(top[0], top[1], bottom[0], bottom[1], p.fx, p.fy) & valid[i]);
    }
}

/* Differences fit 16 bits, of which compilers make products in pairs. */
static inline void comb_row(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int n, endo_comb_sums *out) {
    int32_t inside = 0, one = 0, two = 0;
    for (int i = 0; i < n; i++) {
        int16_t keep = (int16_t)-(field[i] & 1);
        int16_t a = (int16_t)(keep & endo_comb_step(row[i], row[i - stride], row[i + stride]));
        int16_t b = (int16_t)(keep & endo_comb_step(row[i], row[i - 2 * stride], row[i + 2 * stride]));
        inside -= keep, one += a * a, two += b * b;
    }
    out->n += inside, out->one += one, out->two += two;
}

static inline uint32_t warp_rgb(const uint32_t *top, const uint32_t *bottom, int32_t fx, int32_t fy) {
    uint32_t rgb = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8)
        rgb |= (uint32_t)endo_bilinear(top[0] >> shift & 255, top[1] >> shift & 255, bottom[0] >> shift & 255,
                                       bottom[1] >> shift & 255, fx, fy)
               << shift;
    return rgb;
}

static inline int warp_paints(const cpu_warp_row *r, const warp_place *p, const uint8_t *painted, int i) {
    return r->bilinear[p->index] >> endo_sampled(p->fx, p->fy) & 1 && !painted[i];
}

static inline void paint_rgb_pixels(const cpu_warp_row *r, uint32_t *out, uint8_t *painted) {
    for (int i = 0; i < r->n; i++) {
        warp_place p = warp_place_at(r, i);
        if (!warp_paints(r, &p, painted, i)) continue;
        const uint32_t *top = (const uint32_t *)r->pixels + p.index;
        out[i] = warp_rgb(top, top + r->stride, p.fx, p.fy);
        painted[i] = 255;
    }
}

static inline void paint_grey16_pixels(const cpu_warp_row *r, uint16_t *out, uint8_t *painted) {
    for (int i = 0; i < r->n; i++) {
        warp_place p = warp_place_at(r, i);
        if (!warp_paints(r, &p, painted, i)) continue;
        const uint16_t *top = (const uint16_t *)r->pixels + p.index, *bottom = top + r->stride;
        out[i] = (uint16_t)endo_bilinear16(top[0], top[1], bottom[0], bottom[1], p.fx, p.fy);
        painted[i] = 255;
    }
}

static inline void paint_grey8_pixels(const cpu_warp_row *r, uint8_t *out, uint8_t *painted) {
    for (int i = 0; i < r->n; i++) {
        warp_place p = warp_place_at(r, i);
        if (!warp_paints(r, &p, painted, i)) continue;
        const uint8_t *top = r->pixels + p.index, *bottom = top + r->stride;
        out[i] = (uint8_t)endo_bilinear(top[0], top[1], bottom[0], bottom[1], p.fx, p.fy);
        painted[i] = 255;
    }
}

#endif
