/* A volume in the grid of another one, in its own grey values. */
#include "cpu.h"

#include "rules/mutual.h"

typedef struct place {
    int whole[3], fraction[3];
} place;

static int within(int v, int side) { return v < 0 ? 0 : v >= side ? side - 1 : v; }

/* Where the 8 neighbours lie, in pixels. */
static void neighbours(const endo_volume *v, const place *at, ptrdiff_t out[8]) {
    ptrdiff_t x[2], y[2], z[2];
    for (int k = 0; k < 2; k++) {
        x[k] = within(at->whole[0] + k, v->width);
        y[k] = within(at->whole[1] + k, v->height) * v->stride;
        z[k] = within(at->whole[2] + k, v->depth) * v->slice;
    }
    for (int k = 0; k < 8; k++) out[k] = z[k >> 2] + y[k >> 1 & 1] + x[k & 1];
}

static void sample(const endo_volume *v, const place *at, void *out, ptrdiff_t to) {
    ptrdiff_t from[8];
    uint16_t grey[8];
    neighbours(v, at, from);
    if (v->type == ENDO_GREY8) {
        for (int k = 0; k < 8; k++) grey[k] = ((const uint8_t *)v->pixels)[from[k]];
        ((uint8_t *)out)[to] = (uint8_t)endo_mutual_resample_grey(grey, at->fraction);
    } else if (v->type == ENDO_GREY16) {
        for (int k = 0; k < 8; k++) grey[k] = ((const uint16_t *)v->pixels)[from[k]];
        ((uint16_t *)out)[to] = endo_mutual_resample_grey(grey, at->fraction);
    } else {
        uint32_t rgb = 0xff000000u;
        for (int shift = 0; shift < 24; shift += 8) {
            for (int k = 0; k < 8; k++) grey[k] = (uint16_t)(((const uint32_t *)v->pixels)[from[k]] >> shift & 255);
            rgb |= (uint32_t)endo_mutual_resample_grey(grey, at->fraction) << shift;
        }
        ((uint32_t *)out)[to] = rgb;
    }
}

static void clear(endo_pixel type, void *out, ptrdiff_t to) {
    if (type == ENDO_GREY8) ((uint8_t *)out)[to] = 0;
    if (type == ENDO_GREY16) ((uint16_t *)out)[to] = 0;
    if (type == ENDO_RGB32) ((uint32_t *)out)[to] = 0xff000000u;
}

static void resample_row(const endo_resample_job *j, int y, int z) {
    const int size[3] = {j->moving.width, j->moving.height, j->moving.depth};
    const endo_mutual_rounding round = endo_mutual_round(j->nearest);
    int32_t start[3] = {0, 0, 0};
    for (int x = 0; x < j->width; x++) {
        int run = x % ENDO_MUTUAL_RUN, inside = 1;
        place at;
        for (int i = 0; i < 3; i++) {
            if (run == 0) start[i] = endo_mutual_run_start(j->map.m + 4 * i, x, y, z);
            int32_t p = start[i] + run * endo_mutual_step(j->map.m[4 * i]);
            inside &= endo_mutual_is_inside(p, size[i]);
            p = (p + round.half) & round.mask;
            at.whole[i] = p >> 16, at.fraction[i] = endo_mutual_fraction(p);
        }
        ptrdiff_t to = z * j->out_slice + y * j->out_stride + x;
        if (inside)
            sample(&j->moving, &at, j->out, to);
        else
            clear(j->moving.type, j->out, to);
    }
}

endo_status cpu_mutual_resample(void *backend, const endo_resample_job *j) {
    const cpu_backend *b = backend;
    ptrdiff_t rows = (ptrdiff_t)j->height * j->depth;
    int threads = cpu_threads(b, (size_t)rows * (size_t)j->width / (CPU_PIXELS_A_THREAD / 8));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (ptrdiff_t i = 0; i < rows; i++) resample_row(j, (int)(i % j->height), (int)(i / j->height));
    return ENDO_OK;
}
