/* The image of an equalization as its loops want it: padded with its mirror image, in rows that can be walked
 * without asking for borders. */
#ifndef ENDO_CPU_AHE_PLANE_H
#define ENDO_CPU_AHE_PLANE_H

#include "cpu.h"

/* row(i)[k]: image pixel (region.x - r - 1 + k, region.y - r - 1 + i), r = window / 2. So the window of output pixel
 * (x, y) covers columns x + 1 .. x + window of rows y + 1 .. y + window; column x leaves as it comes, and its own
 * pixel is (x + r + 1, y + r + 1). Readable CPU_AHE_STRIP + ENDO_PLANE_ROW elements beyond the last window. */
typedef struct cpu_ahe_plane {
    const endo_ahe_job *job;
    int columns, n_rows;
    ptrdiff_t pitch;   /* elements */
    void *pixels;      /* one byte, or with `is_16bit` two, each */
    uint8_t *parts;    /* 16 bit with a limit: endo_ahe_bin.part - 1, as the pixels; else NULL */
    int is_16bit;
    int first_row, last_row; /* of the image, as stored */
    int *row_of;       /* padded row -> stored row */
} cpu_ahe_plane;

/* Takes memory for the plane; its pixels come with cpu_ahe_plane_fill(). keep_16bit: 16-bit pixels stay; otherwise they
 * become their bins. job must live as long. */
endo_status cpu_ahe_plane_create(const endo_ahe_job *job, int keep_16bit, cpu_ahe_plane *out);
/* Copies the pixels of the job into the plane. invert: exclusive-or'ed to those of 8 bits. */
void cpu_ahe_plane_fill(const cpu_ahe_plane *plane, int invert, int threads);
void cpu_ahe_plane_destroy(cpu_ahe_plane *plane);

static inline const uint8_t *cpu_ahe_row8(const cpu_ahe_plane *p, int i) {
    return (const uint8_t *)p->pixels + (size_t)p->row_of[i] * p->pitch;
}

static inline const uint16_t *cpu_ahe_row16(const cpu_ahe_plane *p, int i) {
    return (const uint16_t *)p->pixels + (size_t)p->row_of[i] * p->pitch;
}

static inline const uint8_t *cpu_ahe_parts(const cpu_ahe_plane *p, int i) {
    return p->parts + (size_t)p->row_of[i] * p->pitch;
}

/* Pixels of 16 bits in groups of levels, which the plane holds: what is asked of each group (how many pixels lie in the
 * groups up to that), and what is added to the answers before these are mapped to 16 bits. */
typedef struct cpu_ahe_refined {
    uint8_t asked[256];  /* of a group as it stands in the plane, inverted as that is */
    int none;            /* the group, as it stands there, of which nothing is asked: 0 is the answer; -1: there is none */
    const uint16_t *own; /* of each pixel of the region, rows of `stride` elements, a multiple of CPU_AHE_STRIP */
    ptrdiff_t stride;
} cpu_ahe_refined;

/* A run of output rows, or with cpu_ahe_way.width of columns in it, the piece of work of one thread. */
typedef struct cpu_ahe_band {
    const cpu_ahe_plane *plane;
    const cpu_ahe_loops *loops;
    int from, to, left, right;
    uint8_t *scratch; /* cpu_ahe_way.bytes, of this thread */
    const cpu_ahe_refined *refined; /* cpu_ahe_counted without a limit; NULL: as usual */
} cpu_ahe_band;

/* How many bands an image is cut into. Each starts by counting a whole window, so that few are better. */
int cpu_ahe_bands(const endo_ahe_job *job, int threads);

/* A way to equalize a band, and the bytes that a thread takes for it. width: of the pieces that a band is cut into; 0: it
 * is not. */
typedef struct cpu_ahe_way {
    void (*run)(const cpu_ahe_band *band);
    size_t (*bytes)(const endo_ahe_job *job, const cpu_ahe_loops *loops);
    int width;
} cpu_ahe_way;

/* Pixels of 8 bits, or bins. */
extern const cpu_ahe_way cpu_ahe_counted;
/* 16-bit pixels without a limit. */
extern const cpu_ahe_way cpu_ahe_16bit;

#endif
