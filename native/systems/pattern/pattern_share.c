/* The share of the details of frames that is the same in all of them.
 *
 * Details are divided by the contrast around them, so that neither an edge nor a highlight counts more than a plain wall.
 * Over pairs of different frames the mean product of such details at a pixel is the square of the static part; moving parts
 * add only chance, whose mean is zero however few the frames. At the field's rim, where light falls off and squares are cut,
 * details stand still in every sequence, and are left out.
 *
 * The pixels of a cell's row are summed over all frames before the next ones: their sums stay in registers. */
#include "pattern.h"

#include "base/openmp.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Contrasts below 2 grey levels are noise. */
#define LEAST_CONTRAST (4 * 256)
/* A detail over its contrast, in 64ths, and its bound of two and a half contrasts. */
#define UNIT 64
#define MOST 160

typedef struct share_rig {
    const pattern_size *size;
    const uint8_t *inner;
    int16_t *const *details; /* n frames of them */
    int n;
    int32_t *scales; /* scale_of by frame and cell */
} share_rig;

/* Sums over all pixels. */
typedef struct share_sums {
    int64_t products; /* of pairs of different frames, counted both ways */
    int64_t pairs;
    int64_t squares;
    int64_t values;
} share_sums;

/* ---------------------------------------------------------------------- contrast */

/* Factor of a detail: the product, shifted by 16 bits, is in 64ths of its contrast. */
static int32_t scale_of(uint64_t contrast) { return (int32_t)(65536.0 * UNIT / sqrt((double)contrast)); }

/* cells: workspace of two numbers a cell; counts: of one. */
static void find_scales(const share_rig *r, int frame, uint64_t *cells, uint32_t *counts) {
    size_t n = pattern_cells(r->size);
    int32_t *scales = r->scales + (size_t)frame * n;
    uint64_t *contrast = cells + n;
    endo_pattern_contrast(r->size, r->details[frame], NULL, LEAST_CONTRAST, cells, counts, contrast);
    for (size_t i = 0; i < n; i++) scales[i] = scale_of(contrast[i]);
}

static endo_status find_all_scales(const share_rig *r) {
    size_t cells = pattern_cells(r->size);
    size_t threads = (size_t)r->size->threads;
    uint64_t *workspace = endo_alloc(2 * cells * threads, sizeof *workspace);
    uint32_t *counts = endo_alloc(cells * threads, sizeof *counts);
    endo_status status = workspace && counts ? ENDO_OK : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) {
#pragma omp parallel for num_threads(r->size->threads) if (pattern_area(r->size) > 100000)
        for (int i = 0; i < r->n; i++) {
            size_t thread = (size_t)omp_get_thread_num();
            find_scales(r, i, workspace + 2 * cells * thread, counts + cells * thread);
        }
    }
    endo_free(workspace);
    endo_free(counts);
    return status;
}

/* -------------------------------------------------------------------------- sums */

/* The pixels of a row of a cell, and sums by pixel; what is known is -1, else 0. */
typedef int32_t cell_numbers __attribute__((vector_size(PATTERN_CELL * sizeof(int32_t))));
typedef int16_t cell_details __attribute__((vector_size(PATTERN_CELL * sizeof(int16_t))));
typedef uint8_t cell_bytes __attribute__((vector_size(PATTERN_CELL)));

/* Sums over the frames by pixel, 64ths. */
typedef struct pixel_sums {
    cell_numbers inner; /* -1: it counts */
    cell_numbers sums;
    cell_numbers squares;
    cell_numbers counts; /* less than 0 */
} pixel_sums;

/* Adds the pixels of a frame; the product is below 2^30. */
ENDO_SIMD_INLINE void add_pixels(const int16_t *details, int32_t scale, pixel_sums *s) {
    const cell_numbers none = {0};
    cell_details row;
    memcpy(&row, details, sizeof row);
    cell_numbers values = __builtin_convertvector(row, cell_numbers);
    cell_numbers known = (values != PATTERN_UNKNOWN) & s->inner;
    cell_numbers z = ((values & known) * scale) >> 16;
    cell_numbers above = z > MOST;
    cell_numbers below = z < -MOST;
    z = (z & ~(above | below)) | ((none + MOST) & above) | ((none - MOST) & below);
    s->sums += z;
    s->squares += z * z;
    s->counts += known;
}

/* Adds n pixels of a cell, from index x of row y on, to the sums over all pixels. n < PATTERN_CELL: the last cell of a row. */
ENDO_SIMD_INLINE void add_cell(const share_rig *r, int y, int x, int n, share_sums *all) {
    const pattern_size *size = r->size;
    size_t at = (size_t)y * (size_t)size->width + (size_t)x;
    size_t cell = (size_t)(y / PATTERN_CELL) * (size_t)size->columns + (size_t)(x / PATTERN_CELL);
    cell_bytes inside = {0};
    pixel_sums s = {{0}};
    memcpy(&inside, r->inner + at, (size_t)n);
    s.inner = __builtin_convertvector(inside, cell_numbers) != 0;
    for (int i = 0; i < r->n; i++) {
        int16_t last[PATTERN_CELL] = {0};
        const int16_t *details = r->details[i] + at;
        if (n < PATTERN_CELL) details = memcpy(last, details, (size_t)n * sizeof *last);
        add_pixels(details, r->scales[(size_t)i * pattern_cells(size) + cell], &s);
    }
    cell_numbers products = s.sums * s.sums - s.squares;
    cell_numbers pairs = s.counts * (s.counts + 1);
    for (int k = 0; k < PATTERN_CELL; k++) {
        all->products += products[k];
        all->pairs += pairs[k];
        all->squares += s.squares[k];
        all->values -= s.counts[k];
    }
}

ENDO_SIMD_INLINE void add_cells(const share_rig *r, int y, share_sums *all) {
    int width = r->size->width;
    int whole = width / PATTERN_CELL * PATTERN_CELL;
    share_sums sums = {0};
    for (int x = 0; x < whole; x += PATTERN_CELL) add_cell(r, y, x, PATTERN_CELL, &sums);
    if (whole < width) add_cell(r, y, whole, width - whole, &sums);
    *all = sums;
}

ENDO_SIMD_LOOP(sum_row, add_cells, (const share_rig *r, int y, share_sums *all), (r, y, all))

static void add_rows(const share_rig *r, share_sums *out) {
    endo_cpu set = endo_simd_best(r->size->cpu);
    int64_t products = 0;
    int64_t pairs = 0;
    int64_t squares = 0;
    int64_t values = 0;
#pragma omp parallel for num_threads(r->size->threads) reduction(+ : products, pairs, squares, values) \
    if (pattern_area(r->size) > 100000)
    for (int y = 0; y < r->size->height; y++) {
        share_sums added;
        sum_row[set](r, y, &added);
        products += added.products;
        pairs += added.pairs;
        squares += added.squares;
        values += added.values;
    }
    *out = (share_sums){.products = products, .pairs = pairs, .squares = squares, .values = values};
}

/* The mean product of two frames over the mean square of one. */
static double share_of(const share_sums *s) {
    if (s->pairs == 0 || s->squares == 0) return 0;
    return ((double)s->products / (double)s->pairs) / ((double)s->squares / (double)s->values);
}

endo_status endo_pattern_share(const pattern_size *s, int16_t *const *details, int n, const uint8_t *inner, double *share) {
    share_rig r = {.size = s, .inner = inner, .details = details, .n = n};
    share_sums sums;
    r.scales = endo_alloc(pattern_cells(s) * (size_t)n, sizeof *r.scales);
    endo_status status = r.scales ? find_all_scales(&r) : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) status = endo_context_go_on(s->context);
    if (status == ENDO_OK) {
        add_rows(&r, &sums);
        *share = share_of(&sums);
    }
    if (status == ENDO_ERR_MEMORY)
        endo_fail(status, "no memory to compare %d frames of %d x %d", n, s->width, s->height);
    endo_free(r.scales);
    return status;
}
