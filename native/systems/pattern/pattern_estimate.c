/* The pattern that frames have in common.
 *
 * A pixel's pattern is the weighted mean of its details, each weighted by the inverse variance of its frame's residuals there:
 * plain tissue tells more of the sensor than an edge does. Residuals above three deviations count as three (Huber). Weights
 * depend on the pattern and it on the weights, so there are some rounds.
 *
 * The remnant of the scene in such a mean has a variance, which follows from the residuals. By region, where the mean square
 * of the pattern is at least twice that variance, the part beyond it is kept (Wiener's gain); the rest is chance. */
#include "pattern.h"

#include <math.h>
#include <string.h>

#define ROUNDS 3
/* Least variance, sixteenths of a level squared: the noise of a sensor, two levels squared. */
#define LEAST_VARIANCE (2 * 256)
#define WEIGHT_ONE ((uint64_t)1 << 24)
#define CLIPPED_AT 3
/* A pixel must be known in one of so many frames. */
#define LEAST_SHARE 8

typedef struct estimate {
    const pattern_size *size;
    int16_t *pattern;  /* sixteenths of a level */
    int64_t *weighted; /* by pixel, sums over the frames: values times weights, or squares of weighted residuals */
    uint32_t *weights;
    uint8_t *counts;
    uint64_t *cell_sums, *variance, *square; /* by cell */
    uint32_t *cell_counts;
    struct cell_weight *cells; /* cells of one frame */
} estimate;

/* Weight of a cell's pixels in one frame, and the bounds of their residuals. */
typedef struct cell_weight {
    int32_t weight, most;
} cell_weight;

static cell_weight weight_of(uint64_t variance) {
    uint64_t weight = WEIGHT_ONE / variance;
    return (cell_weight){weight ? (int32_t)weight : 1, (int32_t)(CLIPPED_AT * sqrt((double)variance))};
}

/* A residual, clamped to its bounds. */
static int32_t bounded(int32_t residual, const cell_weight *w) {
    return residual < -w->most ? -w->most : residual > w->most ? w->most : residual;
}

typedef void (*row_function)(const estimate *e, const int16_t *details, const cell_weight *cells, int y);

static void add_values(const estimate *e, const int16_t *details, const cell_weight *cells, int y) {
    for (int x = 0; x < e->size->width; x++) {
        size_t i = (size_t)y * e->size->width + x;
        if (details[i] == PATTERN_UNKNOWN) continue;
        const cell_weight *w = &cells[x / PATTERN_CELL];
        e->weighted[i] += (int64_t)w->weight * (e->pattern[i] + bounded(details[i] - e->pattern[i], w));
        e->weights[i] += (uint32_t)w->weight;
        e->counts[i]++;
    }
}

static void add_residuals(const estimate *e, const int16_t *details, const cell_weight *cells, int y) {
    for (int x = 0; x < e->size->width; x++) {
        size_t i = (size_t)y * e->size->width + x;
        if (details[i] == PATTERN_UNKNOWN) continue;
        const cell_weight *w = &cells[x / PATTERN_CELL];
        int64_t residual = (int64_t)w->weight * bounded(details[i] - e->pattern[i], w);
        e->weighted[i] += residual * residual;
    }
}

static void over_rows(const estimate *e, const int16_t *details, row_function add) {
    const pattern_size *s = e->size;
    endo_pattern_contrast(s, details, e->pattern, LEAST_VARIANCE, e->cell_sums, e->cell_counts, e->variance);
    for (size_t i = 0; i < pattern_cells(s); i++) e->cells[i] = weight_of(e->variance[i]);
#pragma omp parallel for num_threads(s->threads) if (pattern_area(s) > 100000)
    for (int y = 0; y < s->height; y++) add(e, details, e->cells + y / PATTERN_CELL * s->columns, y);
}

static endo_status over_frames(const estimate *e, int16_t *const *details, int n, row_function add) {
    for (int i = 0; i < n; i++) {
        ENDO_TRY(endo_context_go_on(e->size->context));
        over_rows(e, details[i], add);
    }
    return ENDO_OK;
}

static void take_mean(const estimate *e) {
    for (size_t i = 0; i < pattern_area(e->size); i++) {
        int64_t weight = e->weights[i], half = e->weighted[i] < 0 ? -weight / 2 : weight / 2;
        e->pattern[i] = weight ? (int16_t)((e->weighted[i] + half) / weight) : 0;
    }
}

/* One round: weights from the pattern so far, then the pattern. */
static endo_status improve(const estimate *e, int16_t *const *details, int n) {
    size_t area = pattern_area(e->size);
    memset(e->weighted, 0, area * sizeof *e->weighted);
    memset(e->weights, 0, area * sizeof *e->weights);
    memset(e->counts, 0, area);
    ENDO_TRY(over_frames(e, details, n, add_values));
    take_mean(e);
    return ENDO_OK;
}

/* ----------------------------------------------------------------- shrinking */

/* Variance of a pixel's mean, from its residuals about it; sixteenths of a level squared. */
static uint64_t variance_of(const estimate *e, size_t i) {
    uint64_t n = e->counts[i], weight = e->weights[i];
    return n < 2 ? 0 : (uint64_t)e->weighted[i] / (weight * weight / n * (n - 1) + 1);
}

static int is_known(const estimate *e, size_t i, int n) { return e->counts[i] > 1 && e->counts[i] * LEAST_SHARE >= n; }

/* Mean by cells of a number of the known pixels: the square of the pattern (squares), or its variance. */
static void mean_of_cells(const estimate *e, int n, int squares, uint64_t *out) {
    const pattern_size *s = e->size;
    memset(e->cell_sums, 0, pattern_cells(s) * sizeof *e->cell_sums);
    memset(e->cell_counts, 0, pattern_cells(s) * sizeof *e->cell_counts);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * s->width + x, cell = (size_t)(y / PATTERN_CELL) * s->columns + x / PATTERN_CELL;
            if (!is_known(e, i, n)) continue;
            e->cell_sums[cell] += squares ? (uint64_t)((int64_t)e->pattern[i] * e->pattern[i]) : variance_of(e, i);
            e->cell_counts[cell]++;
        }
    endo_pattern_smooth_cells(s, e->cell_sums, e->cell_counts, out);
}

/* The pattern shrunk by Wiener's gain, (square - variance) / square, in grey levels. */
static int16_t shrunk(int16_t pattern, uint64_t square, uint64_t variance) {
    if (square == 0 || square < 2 * variance) return 0;
    int64_t over = 16 * (int64_t)square, part = pattern * (int64_t)(square - variance);
    int64_t level = (part + (part < 0 ? -over / 2 : over / 2)) / over;
    return (int16_t)(level < -255 ? -255 : level > 255 ? 255 : level);
}

static endo_status shrink(const estimate *e, int16_t *const *details, int n, int16_t *out) {
    const pattern_size *s = e->size;
    memset(e->weighted, 0, pattern_area(s) * sizeof *e->weighted);
    ENDO_TRY(over_frames(e, details, n, add_residuals));
    mean_of_cells(e, n, 1, e->square);
    mean_of_cells(e, n, 0, e->variance);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * s->width + x, cell = (size_t)(y / PATTERN_CELL) * s->columns + x / PATTERN_CELL;
            out[i] = is_known(e, i, n) ? shrunk(e->pattern[i], e->square[cell], e->variance[cell]) : 0;
        }
    return ENDO_OK;
}

/* ------------------------------------------------------------------- memory */

static int reserve(estimate *e, const pattern_size *s) {
    size_t area = pattern_area(s), cells = pattern_cells(s);
    *e = (estimate){.size = s};
    return (e->pattern = endo_alloc_zeroed(area, sizeof *e->pattern)) && (e->weighted = endo_alloc(area, sizeof *e->weighted)) &&
           (e->weights = endo_alloc(area, sizeof *e->weights)) && (e->counts = endo_alloc(area, 1)) &&
           (e->cell_sums = endo_alloc(cells, sizeof *e->cell_sums)) &&
           (e->variance = endo_alloc(cells, sizeof *e->variance)) && (e->square = endo_alloc(cells, sizeof *e->square)) &&
           (e->cell_counts = endo_alloc(cells, sizeof *e->cell_counts)) && (e->cells = endo_alloc(cells, sizeof *e->cells));
}

static void release(estimate *e) {
    endo_free(e->pattern);
    endo_free(e->weighted);
    endo_free(e->weights);
    endo_free(e->counts);
    endo_free(e->cell_sums);
    endo_free(e->variance);
    endo_free(e->square);
    endo_free(e->cell_counts);
    endo_free(e->cells);
}

endo_status endo_pattern_estimate(const pattern_size *s, int16_t *const *details, int n, int16_t *pattern) {
    estimate e;
    endo_status status = ENDO_OK;
    if (reserve(&e, s)) {
        for (int round = 0; round < ROUNDS && status == ENDO_OK; round++) status = improve(&e, details, n);
        if (status == ENDO_OK) status = shrink(&e, details, n, pattern);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for the static pattern of %d x %d pixels", s->width, s->height);
    }
    release(&e);
    return status;
}
