/* The share of the details of frames that is the same in all of them.
 *
 * Details are divided by the contrast around them, so that neither an edge nor a highlight counts more than a plain wall.
 * Over pairs of different frames the mean product of such details at a pixel is the square of the static part; moving parts
 * add only chance, whose mean is zero however few the frames. At the field's rim, where light falls off and squares are cut,
 * details stand still in every sequence, and are left out. */
#include "pattern.h"

#include "base/simd.h"

#include <math.h>

/* Contrasts below 2 grey levels are noise. */
#define LEAST_CONTRAST (4 * 256)
/* A detail over its contrast, in 64ths, and its bound of two and a half contrasts. */
#define UNIT 64
#define MOST 160

typedef struct share_rig {
    const pattern_size *size;
    const uint8_t *inner;
    int32_t *sums, *squares; /* by pixel, over the frames, 64ths */
    uint8_t *counts;
    uint64_t *cell_sums, *contrast;
    uint32_t *cell_counts;
    int32_t *scales; /* scale_of by cell */
} share_rig;

/* Factor of a detail: the product, shifted by 16 bits, is in 64ths of its contrast. */
static int32_t scale_of(uint64_t contrast) { return (int32_t)(65536.0 * UNIT / sqrt((double)contrast)); }

/* Adds n pixels of a row, which lie in one cell, without branches; the product is below 2^30. */
ENDO_SIMD_INLINE void add_run(const share_rig *r, const int16_t *details, int32_t scale, size_t from, int n) {
    const uint8_t *inner = r->inner + from;
    int32_t *sums = r->sums + from, *squares = r->squares + from;
    uint8_t *counts = r->counts + from;
    for (int i = 0; i < n; i++) {
        int32_t known = (details[from + i] != PATTERN_UNKNOWN) & (inner[i] != 0);
        int32_t z = ((known ? details[from + i] : 0) * scale) >> 16;
        z = z < -MOST ? -MOST : z > MOST ? MOST : z;
        sums[i] += z;
        squares[i] += z * z;
        counts[i] = (uint8_t)(counts[i] + known);
    }
}

ENDO_SIMD_INLINE void add_row(const share_rig *r, const int16_t *details, int y) {
    const int32_t *scales = r->scales + y / PATTERN_CELL * r->size->columns;
    int width = r->size->width, left = width / PATTERN_CELL * PATTERN_CELL;
    size_t row = (size_t)y * width;
    for (int x = 0; x < left; x += PATTERN_CELL) add_run(r, details, scales[x / PATTERN_CELL], row + x, PATTERN_CELL);
    if (left < width) add_run(r, details, scales[left / PATTERN_CELL], row + left, width - left);
}

ENDO_SIMD_LOOP(add_rows, add_row, (const share_rig *r, const int16_t *details, int y), (r, details, y))

static void add_frame(const share_rig *r, const int16_t *details) {
    const pattern_size *s = r->size;
    endo_pattern_contrast(s, details, NULL, LEAST_CONTRAST, r->cell_sums, r->cell_counts, r->contrast);
    for (size_t i = 0; i < pattern_cells(s); i++) r->scales[i] = scale_of(r->contrast[i]);
    endo_cpu set = endo_simd_best(s->cpu);
#pragma omp parallel for num_threads(s->threads) if (pattern_area(s) > 100000)
    for (int y = 0; y < s->height; y++) add_rows[set](r, details, y);
}

/* The mean product of two frames over the mean square of one. */
static double share_of(const share_rig *r) {
    int64_t products = 0, pairs = 0, squares = 0, values = 0;
    for (size_t i = 0; i < pattern_area(r->size); i++) {
        int64_t n = r->counts[i], sum = r->sums[i];
        products += sum * sum - r->squares[i];
        pairs += n * (n - 1);
        squares += r->squares[i];
        values += n;
    }
    if (pairs == 0 || squares == 0) return 0;
    return ((double)products / (double)pairs) / ((double)squares / (double)values);
}

endo_status endo_pattern_share(const pattern_size *s, int16_t *const *details, int n, const uint8_t *inner, double *share) {
    share_rig r = {.size = s, .inner = inner};
    r.sums = endo_alloc_zeroed(pattern_area(s), sizeof *r.sums);
    r.squares = endo_alloc_zeroed(pattern_area(s), sizeof *r.squares);
    r.counts = endo_alloc_zeroed(pattern_area(s), 1);
    r.cell_sums = endo_alloc(pattern_cells(s), sizeof *r.cell_sums);
    r.contrast = endo_alloc(pattern_cells(s), sizeof *r.contrast);
    r.cell_counts = endo_alloc(pattern_cells(s), sizeof *r.cell_counts);
    r.scales = endo_alloc(pattern_cells(s), sizeof *r.scales);
    endo_status status = ENDO_OK;
    if (r.sums && r.squares && r.counts && r.cell_sums && r.contrast && r.cell_counts && r.scales) {
        for (int i = 0; i < n; i++) add_frame(&r, details[i]);
        *share = share_of(&r);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to compare %d frames of %d x %d", n, s->width, s->height);
    }
    endo_free(r.sums);
    endo_free(r.squares);
    endo_free(r.counts);
    endo_free(r.cell_sums);
    endo_free(r.contrast);
    endo_free(r.cell_counts);
    endo_free(r.scales);
    return status;
}
