/* The inner loops of adaptive equalization, compiled once per instruction set: loops over counters that lie side by
 * side, which the compiler turns into the widest registers it may use. Included by ahe_c.c, ahe_avx2.c and
 * ahe_avx512.c only, after AHE_LANE_BYTES.
 *
 * A window moves one pixel to the right by the *difference* of the column that enters it and the column that leaves
 * it. Differences are kept for a strip of output pixels and slide down the image by four pixels each; so the cost
 * of a pixel does not depend on the window.
 *
 * Without a limit, counters are cumulative: within each group of 16 levels, and over the groups (counters 256 up:
 * what lies in the groups below). A rank is then the sum of two of them. Levels are taken four pixels at a time: the
 * state is brought behind all four, and ranks further left are put right by the differences between. */
#ifndef ENDO_CPU_AHE_ROWS_H
#define ENDO_CPU_AHE_ROWS_H

#include "ahe_loops.h"

#define BLOCK 4

typedef uint16_t counters16 __attribute__((vector_size(32), may_alias));
typedef uint16_t counters16_anywhere __attribute__((vector_size(32), may_alias, aligned(2)));

/* Loaded from ramp + 16 - k on: 16 counters, 1 from number k on. */
static const uint16_t ramp[32] __attribute__((aligned(64))) = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Row g: 1 for every group above g, as a pixel of group g adds to their cumulative counters. */
static const uint16_t above[16][16] __attribute__((aligned(64))) = {
    {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

/* Pixels come with their lower four bits inverted (CPU_AHE_INVERT), which saves taking 16 - k. */
static inline const counters16_anywhere *within_group(unsigned inverted) {
    return (const counters16_anywhere *)(ramp + 1 + (inverted & 15));
}

static inline const counters16 *groups_above(unsigned inverted) {
    return (const counters16 *)((const uint16_t *)above + (inverted & 0xf0));
}

static inline counters16 *group_of(uint16_t *difference, unsigned inverted) {
    return (counters16 *)(difference + (inverted & 0xf0));
}

/* The first window of a band, row by row: nothing leaves yet. A mirrored row counts several times. */
static void add_row(uint16_t *differences, const uint8_t *row, int window, int n, int times) {
    for (int x = 0; x < n; x++) {
        uint16_t *d = differences + x * CPU_AHE_COUNTERS;
        unsigned in = row[x + window], out = row[x];
        *group_of(d, in) += *within_group(in) * (uint16_t)times;
        *group_of(d, out) -= *within_group(out) * (uint16_t)times;
        *(counters16 *)(d + 256) += (*groups_above(in) - *groups_above(out)) * (uint16_t)times;
    }
}

static void slide_down(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window, int n) {
    for (int x = 0; x < n; x++) {
        uint16_t *d = differences + x * CPU_AHE_COUNTERS;
        unsigned in = enter[x + window], in_leaves = leave[x + window], out = enter[x], out_leaves = leave[x];
        *group_of(d, in) += *within_group(in);
        *group_of(d, in_leaves) -= *within_group(in_leaves);
        *group_of(d, out) -= *within_group(out);
        *group_of(d, out_leaves) += *within_group(out_leaves);
        *(counters16 *)(d + 256) +=
            (*groups_above(in) - *groups_above(in_leaves)) - (*groups_above(out) - *groups_above(out_leaves));
    }
}

/* The sum of counter v's differences over the pixels of a block behind pixel j. */
static inline unsigned later(const uint16_t *d, int j, unsigned v) {
    unsigned sum = 0;
    for (int m = j + 1; m < BLOCK; m++) sum += d[m * CPU_AHE_COUNTERS + v];
    return sum;
}

/* Windows of up to 255 x 255 pixels: all counts, and all ranks, fit 16 bits. */
static void slide_right(uint16_t *restrict state, const uint16_t *restrict differences, const uint8_t *centres, int n,
                        uint32_t *ranks) {
    counters16 sums = *(counters16 *)(state + 256);
    uint16_t groups[16] __attribute__((aligned(32)));
    for (int x = 0; x < n; x += BLOCK) {
        const uint16_t *a = differences + x * CPU_AHE_COUNTERS, *b = a + CPU_AHE_COUNTERS;
        const uint16_t *c = b + CPU_AHE_COUNTERS, *d = c + CPU_AHE_COUNTERS;
        for (int i = 0; i < 256; i++) state[i] += a[i] + b[i] + c[i] + d[i];
        for (int j = 0; j < BLOCK; j++) {
            unsigned v = centres[x + j] ^ CPU_AHE_INVERT;
            sums += *(const counters16 *)(a + j * CPU_AHE_COUNTERS + 256);
            *(counters16 *)groups = sums;
            ranks[x + j] = (uint16_t)(state[v] + groups[v >> 4] - later(a, j, v));
        }
    }
    *(counters16 *)(state + 256) = sums;
}

/* Larger ones: counts need 32 bits. Four differences together still fit 16, with their sign; so the groups are taken
 * four pixels at a time, too. */
static void slide_right_wide(uint32_t *restrict state, const uint16_t *restrict differences, const uint8_t *centres,
                             int n, uint32_t *ranks) {
    for (int x = 0; x < n; x += BLOCK) {
        const uint16_t *a = differences + x * CPU_AHE_COUNTERS, *b = a + CPU_AHE_COUNTERS;
        const uint16_t *c = b + CPU_AHE_COUNTERS, *d = c + CPU_AHE_COUNTERS;
        for (int i = 0; i < 272; i++) state[i] += (uint32_t)(int16_t)(a[i] + b[i] + c[i] + d[i]);
        for (int j = 0; j < BLOCK; j++) {
            unsigned v = centres[x + j] ^ CPU_AHE_INVERT, group = 256 + (v >> 4);
            int16_t behind = (int16_t)(later(a, j, v) + later(a, j, group));
            ranks[x + j] = state[v] + state[group] - (uint32_t)(int32_t)behind;
        }
    }
}

/* ------------------------------------------------ with a limit, the counters are a histogram */

static void add_row_counts(uint16_t *differences, const uint8_t *row, int window, int n, int times) {
    for (int x = 0; x < n; x++) {
        uint16_t *d = differences + x * CPU_AHE_COUNTERS;
        d[row[x + window]] += (uint16_t)times;
        d[row[x]] -= (uint16_t)times;
    }
}

static void slide_down_counts(uint16_t *differences, const uint8_t *enter, const uint8_t *leave, int window,
                                     int n) {
    for (int x = 0; x < n; x++) {
        uint16_t *d = differences + x * CPU_AHE_COUNTERS;
        d[enter[x + window]]++;
        d[leave[x + window]]--;
        d[enter[x]]--;
        d[leave[x]]++;
    }
}

static void slide_right_limited(uint16_t *restrict state, const uint16_t *restrict differences,
                                       const uint8_t *centres, int n, uint16_t clip, cpu_ahe_counts *counts) {
    for (int x = 0; x < n; x++) {
        const uint16_t *d = differences + x * CPU_AHE_COUNTERS;
        uint16_t kept = 0, below = 0, centre = centres[x];
        for (uint16_t i = 0; i < 256; i++) {
            state[i] += d[i];
            uint16_t clipped = state[i] < clip ? state[i] : clip;
            kept += clipped;
            below += i < centre ? clipped : 0;
        }
        counts[x].kept = (int32_t)kept;
        counts[x].below = (int32_t)below;
        counts[x].own = (int32_t)(state[centre] < clip ? state[centre] : clip);
    }
}

static void slide_right_limited_wide(uint32_t *restrict state, const uint16_t *restrict differences,
                                            const uint8_t *centres, int n, uint32_t clip, cpu_ahe_counts *counts) {
    for (int x = 0; x < n; x++) {
        const int16_t *d = (const int16_t *)differences + x * CPU_AHE_COUNTERS;
        uint32_t kept = 0, below = 0, centre = centres[x];
        for (uint32_t i = 0; i < 256; i++) {
            state[i] += (uint32_t)(int32_t)d[i];
            uint32_t clipped = state[i] < clip ? state[i] : clip;
            kept += clipped;
            below += i < centre ? clipped : 0;
        }
        counts[x].kept = (int32_t)kept;
        counts[x].below = (int32_t)below;
        counts[x].own = (int32_t)(state[centre] < clip ? state[centre] : clip);
    }
}

/* ---------------------------------------- small windows: centres against every pixel around them */

typedef uint8_t lanes8 __attribute__((vector_size(AHE_LANE_BYTES), may_alias));
typedef uint16_t lanes16 __attribute__((vector_size(AHE_LANE_BYTES), may_alias));
/* Types to load through only: a variable of them may be put where aligned instructions cannot reach it. */
typedef lanes8 lanes8_anywhere __attribute__((aligned(1)));
typedef lanes16 lanes16_anywhere __attribute__((aligned(2)));

/* Windows up to 255: a row's count fits a byte, and the count of all rows 16 bits. */
static void compare8(const uint8_t *const *rows, int window, int n, uint32_t *ranks) {
    int r = window / 2;
    for (int x = 0; x < n; x += AHE_LANE_BYTES) {
        lanes8 centre = *(const lanes8_anywhere *)(rows[r] + x + r);
        uint16_t sums[AHE_LANE_BYTES] = {0};
        for (int v = 0; v < window; v++) {
            lanes8 count = {0};
            for (int u = 0; u < window; u++) count -= (lanes8)(*(const lanes8_anywhere *)(rows[v] + x + u) <= centre);
            for (int i = 0; i < AHE_LANE_BYTES; i++) sums[i] += count[i];
        }
        for (int i = 0; i < AHE_LANE_BYTES; i++) ranks[x + i] = sums[i];
    }
}

static void compare16(const uint16_t *const *rows, int window, int n, uint32_t *ranks) {
    int r = window / 2;
    for (int x = 0; x < n; x += AHE_LANE_BYTES / 2) {
        lanes16 centre = *(const lanes16_anywhere *)(rows[r] + x + r), count = {0};
        for (int v = 0; v < window; v++)
            for (int u = 0; u < window; u++) count -= (lanes16)(*(const lanes16_anywhere *)(rows[v] + x + u) <= centre);
        for (int i = 0; i < AHE_LANE_BYTES / 2; i++) ranks[x + i] = count[i];
    }
}

/* ------------------------------------------------------------------------------ ranks to levels */

/* floor(255 * rank / n) by a division that is exact where it matters: 255 * rank fits the fraction of a float up to
 * 255 x 255 pixels, of a double above, and a quotient below an integer is further from it (1/n) than the spacing. */
static void map8(const uint32_t *ranks, int n, uint32_t pixels, uint8_t *out) {
    if (pixels <= 65025)
        for (int x = 0; x < n; x++) out[x] = (uint8_t)(int32_t)((float)(int32_t)(ranks[x] * 255) / (float)pixels);
    else
        for (int x = 0; x < n; x++) out[x] = (uint8_t)(int32_t)((double)(int32_t)(ranks[x] * 255) / (double)pixels);
}

/* floor(65535 * rank / n) in the same way, in doubles: 65535 * rank lies below 2^37. */
static void map16(const uint32_t *ranks, int n, uint32_t pixels, uint16_t *out) {
    double scale = pixels;
    for (int x = 0; x < n; x++) out[x] = (uint16_t)(int32_t)((double)(int32_t)ranks[x] * 65535 / scale);
}

/* endo_ahe_limited, in doubles: every number is an integer below 2^53, and a quotient below an integer is further from
 * it (2^-36 at least) than the spacing. */
static void map_limited(const cpu_ahe_mapping *m, uint32_t *values) {
    double scale = 256.0 * m->pixels * m->bin_width, width = m->bin_width, top = m->top;
    for (int i = 0; i < m->n; i++) {
        const cpu_ahe_counts *c = &m->counts[i];
        double cut = m->pixels - c->kept, part = m->parts ? m->parts[i] + 1 : 1;
        double cdf = (256.0 * c->below + cut * m->bins[i]) * width + part * (256.0 * c->own + cut);
        values[i] = (uint32_t)(int32_t)(cdf * top / scale);
    }
}

/* The entries that the tables of all instruction sets share. */
#define AHE_LOOPS                                                                                             \
    .add_row = add_row, .slide_down = slide_down, .slide_right = slide_right,                                 \
    .slide_right_wide = slide_right_wide, .add_row_counts = add_row_counts,                                   \
    .slide_down_counts = slide_down_counts, .slide_right_limited = slide_right_limited,                       \
    .slide_right_limited_wide = slide_right_limited_wide, .compare8 = compare8, .compare16 = compare16,       \
    .map8 = map8, .map16 = map16, .map_limited = map_limited

#endif
