/* The share of the details of frames that is the same in all of them.
 *
 * Details are divided by the contrast around them, so that neither an edge nor a highlight counts more than a plain wall.
 * Over pairs of different frames the mean product of such details at a pixel is the square of the static part; moving parts
 * add only chance, whose mean is zero however few the frames. At the field's rim, where light falls off and squares are cut,
 * details stand still in every sequence, and are left out.
 *
 * A row of pixels is summed over all frames before the next one: its sums stay in the cache. */
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

/* Sums over the frames by pixel of a row, 64ths. */
typedef struct row_sums {
    int32_t *sums;
    int32_t *squares;
    uint8_t *counts;
} row_sums;

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

/* Adds n pixels of a row, which lie in one cell, without branches; the product is below 2^30. */
ENDO_SIMD_INLINE void add_run(const int16_t *details, const uint8_t *inner, int32_t scale, int from, int n, const row_sums *s) {
    int32_t *sums = s->sums;
    int32_t *squares = s->squares;
    uint8_t *counts = s->counts;
    for (int x = from; x < from + n; x++) {
        int32_t known = (details[x] != PATTERN_UNKNOWN) & (inner[x] != 0);
        int32_t z = ((known ? details[x] : 0) * scale) >> 16;
        z = z < -MOST ? -MOST : z > MOST ? MOST : z;
        sums[x] += z;
        squares[x] += z * z;
        counts[x] = (uint8_t)(counts[x] + known);
    }
}

ENDO_SIMD_INLINE void add_frame(const share_rig *r, int frame, int y, const row_sums *s) {
    const pattern_size *size = r->size;
    const int32_t *scales = r->scales + (size_t)frame * pattern_cells(size) + (size_t)(y / PATTERN_CELL) * (size_t)size->columns;
    const int16_t *details = r->details[frame] + (size_t)y * (size_t)size->width;
    const uint8_t *inner = r->inner + (size_t)y * (size_t)size->width;
    int whole = size->width / PATTERN_CELL;
    int left = whole * PATTERN_CELL;
    for (int i = 0; i < whole; i++) add_run(details, inner, scales[i], i * PATTERN_CELL, PATTERN_CELL, s);
    if (left < size->width) add_run(details, inner, scales[whole], left, size->width - left, s);
}

ENDO_SIMD_INLINE void add_frames(const share_rig *r, int y, const row_sums *s) {
    for (int i = 0; i < r->n; i++) add_frame(r, i, y, s);
}

ENDO_SIMD_LOOP(sum_row, add_frames, (const share_rig *r, int y, const row_sums *s), (r, y, s))

static void add_row(const share_rig *r, int y, const row_sums *s, share_sums *all) {
    size_t width = (size_t)r->size->width;
    memset(s->sums, 0, width * sizeof *s->sums);
    memset(s->squares, 0, width * sizeof *s->squares);
    memset(s->counts, 0, width);
    sum_row[endo_simd_best(r->size->cpu)](r, y, s);
    for (size_t x = 0; x < width; x++) {
        int64_t n = s->counts[x];
        int64_t sum = s->sums[x];
        all->products += sum * sum - s->squares[x];
        all->pairs += n * (n - 1);
        all->squares += s->squares[x];
        all->values += n;
    }
}

/* Workspace of a thread: its sums start on a cache line of their own. */
static size_t row_of(const pattern_size *s) { return ((size_t)s->width + 15) / 16 * 16; }

static endo_status add_rows(const share_rig *r, share_sums *out) {
    size_t row = row_of(r->size);
    int32_t *memory = endo_alloc(3 * row * (size_t)r->size->threads, sizeof *memory);
    int64_t products = 0;
    int64_t pairs = 0;
    int64_t squares = 0;
    int64_t values = 0;
    if (!memory) return ENDO_ERR_MEMORY;
#pragma omp parallel for num_threads(r->size->threads) reduction(+ : products, pairs, squares, values) \
    if (pattern_area(r->size) > 100000)
    for (int y = 0; y < r->size->height; y++) {
        int32_t *at = memory + 3 * row * (size_t)omp_get_thread_num();
        const row_sums sums = {.sums = at, .squares = at + row, .counts = (uint8_t *)(at + 2 * row)};
        share_sums added = {0};
        add_row(r, y, &sums, &added);
        products += added.products;
        pairs += added.pairs;
        squares += added.squares;
        values += added.values;
    }
    endo_free(memory);
    *out = (share_sums){.products = products, .pairs = pairs, .squares = squares, .values = values};
    return ENDO_OK;
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
    if (status == ENDO_OK) status = add_rows(&r, &sums);
    if (status == ENDO_OK)
        *share = share_of(&sums);
    else if (status == ENDO_ERR_MEMORY)
        endo_fail(status, "no memory to compare %d frames of %d x %d", n, s->width, s->height);
    endo_free(r.scales);
    return status;
}
