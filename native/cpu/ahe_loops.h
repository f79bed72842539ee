/* Inner loops of adaptive equalization. */
#ifndef ENDO_CPU_AHE_LOOPS_H
#define ENDO_CPU_AHE_LOOPS_H

#include "ahe_members.h"

#include <stddef.h>
#include <stdint.h>

/* Counters of adaptive equalization for one pixel: 256 levels, 16 groups of them, and room to the next cache line. */
#define CPU_AHE_COUNTERS 288
/* Pixels of a strip: their counters fit the first cache. A multiple of everything that loops take at a time. */
#define CPU_AHE_STRIP 64
/* Rows whose windows are counted by groups carry their pixels with the lower bits inverted. */
#define CPU_AHE_INVERT 15

/* A pixel in the clipped histogram of its window: counts kept of all bins, of those below its bin, and of its own bin. */
typedef struct cpu_ahe_counts {
    int32_t kept, below, own;
} cpu_ahe_counts;

/* Pixels to be mapped by their clipped histograms (rules/ahe.h). */
typedef struct cpu_ahe_mapping {
    const cpu_ahe_counts *counts;
    const uint8_t *bins, *parts; /* parts: part - 1; NULL: bins of one level */
    int n;
    int32_t pixels, bin_width, top;
} cpu_ahe_mapping;

/* The loops of adaptive equalization (ahe_rows.h). Rows are padded: [x] leaves the window of pixel x, [x + window]
 * enters it. differences: CPU_AHE_COUNTERS a pixel. state: the window left of the strip, after the call its last. */
typedef struct cpu_ahe_loops {
    int largest_compared, largest_compared16; /* windows up to these are faster compared than counted */
    void (*add_row)(uint16_t *differences, const uint8_t *row, int window, int n, int times);
    void (*slide_down)(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window, int n);
    void (*slide_right)(uint16_t *state, const uint16_t *differences, const uint8_t *centres, int n, uint32_t *ranks);
    void (*slide_right_wide)(uint32_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                             uint32_t *ranks);
    void (*add_row_counts)(uint16_t *differences, const uint8_t *row, int window, int n, int times);
    void (*slide_down_counts)(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window, int n);
    void (*slide_right_limited)(uint16_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                                uint16_t clip, cpu_ahe_counts *counts);
    void (*slide_right_limited_wide)(uint32_t *state, const uint16_t *differences, const uint8_t *centres, int n,
                                     uint32_t clip, cpu_ahe_counts *counts);
    /* rows[v][x + u]: the windows of n pixels from x = 0. */
    void (*compare8)(const uint8_t *const *rows, int window, int n, uint32_t *ranks);
    void (*compare16)(const uint16_t *const *rows, int window, int n, uint32_t *ranks);
    /* For every member that is asked about: how many of its group its window holds that are not above it (ahe_members.h). */
    void (*count_members)(const cpu_ahe_members *m);
    void (*map8)(const uint32_t *ranks, int n, uint32_t pixels, uint8_t *out);
    void (*map16)(const uint32_t *ranks, int n, uint32_t pixels, uint16_t *out);
    void (*map_limited)(const cpu_ahe_mapping *m, uint32_t *values);
} cpu_ahe_loops;

extern const cpu_ahe_loops cpu_ahe_c;
#ifdef ENDO_X86
extern const cpu_ahe_loops cpu_ahe_avx2;
extern const cpu_ahe_loops cpu_ahe_avx512;
#endif

#endif
