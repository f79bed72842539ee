/* The frames that a static pattern is looked for in: their details, and their coarse pictures, means of cells less the
 * means of those around them, which say whether a scene moves behind the pattern (pattern_motion.c). */
#include "pattern.h"

#include <math.h>
#include <string.h>

#define MOST_FRAMES 64
#define LEAST_ROOM 8
/* In the mean of fewer frames there is too much left of a scene. */
#define SHOWN 10
/* Details that are kept, all frames together. */
#define MOST_DETAILS ((size_t)64 << 20)
/* Cells on every side whose mean a cell is compared with. */
#define AROUND 2
/* Cells that must be known. */
#define LEAST_CELLS 16
/* Highlights, and what blooms around them, pixels on every side. */
#define BRIGHT 235
#define BLOOM 4
/* Independent frames from which on what they have in common so far away from a pixel is light: fewer show much of the same
 * scene at the same places, and what is as wide as the frame would be taken out of it. */
#define LIGHT_FRAMES 8

struct endo_pattern_finder {
    pattern_size size;
    int low, high, room, n;
    endo_pixel type;
    uint8_t *field, *inner; /* inner: where a detail's square lies in the field */
    uint8_t *grey, *known; /* of one frame */
    uint32_t *scratch;
    uint32_t *quarters;    /* of the cells of one frame */
    int32_t *means;        /* of one half of one frame's cells */
    int64_t *light_sums;   /* of the means of the cells' second halves, over the frames */
    int32_t *light_counts;
    int16_t *details[MOST_FRAMES];
    int32_t *coarse[MOST_FRAMES]; /* both halves of the cells, one after the other */
};

int endo_pattern_width(const endo_pattern_finder *f) { return f->size.width; }

static pattern_size size_of(const endo_context *context, const endo_field_image *like) {
    return (pattern_size){like->width, like->height, (like->width + PATTERN_CELL - 1) / PATTERN_CELL,
                          (like->height + PATTERN_CELL - 1) / PATTERN_CELL, context->threads};
}

static int room_for(size_t area) {
    size_t room = MOST_DETAILS / area;
    return room < LEAST_ROOM ? LEAST_ROOM : room > MOST_FRAMES ? MOST_FRAMES : (int)room;
}

endo_status endo_pattern_make(endo_context *context, const endo_field_image *like, const uint8_t *field,
                              endo_pattern_finder **out) {
    endo_pattern_finder *f = endo_alloc_zeroed(1, sizeof *f);
    size_t area = (size_t)like->width * (size_t)like->height;
    if (f) {
        f->size = size_of(context, like);
        f->low = like->low, f->high = like->high, f->type = like->type, f->room = room_for(area);
        f->field = endo_alloc(area, 1);
        f->inner = endo_alloc(area, 1);
        f->grey = endo_alloc(area, 1);
        f->known = endo_alloc(area, 1);
        f->scratch = endo_alloc(2 * area, sizeof *f->scratch);
        f->quarters = endo_alloc(8 * pattern_cells(&f->size), sizeof *f->quarters);
        f->means = endo_alloc(pattern_cells(&f->size), sizeof *f->means);
        f->light_sums = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *f->light_sums);
        f->light_counts = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *f->light_counts);
    }
    if (!f || !f->field || !f->inner || !f->grey || !f->known || !f->scratch || !f->quarters || !f->means ||
        !f->light_sums || !f->light_counts) {
        endo_pattern_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the pattern of %d x %d pixels", like->width, like->height);
    }
    for (size_t i = 0; i < area; i++) f->field[i] = !field || field[i] ? 255 : 0;
    endo_status status = endo_mask_erode(f->field, like->width, like->height, PATTERN_REACH, f->inner);
    if (status == ENDO_OK)
        *out = f;
    else
        endo_pattern_free(f);
    return status;
}

void endo_pattern_free(endo_pattern_finder *f) {
    if (!f) return;
    for (int i = 0; i < MOST_FRAMES; i++) {
        endo_free(f->details[i]);
        endo_free(f->coarse[i]);
    }
    endo_free(f->field);
    endo_free(f->inner);
    endo_free(f->grey);
    endo_free(f->known);
    endo_free(f->scratch);
    endo_free(f->quarters);
    endo_free(f->means);
    endo_free(f->light_sums);
    endo_free(f->light_counts);
    endo_free(f);
}

/* ------------------------------------------------------------------- frames */

static void leave_out_highlight(const endo_pattern_finder *f, int x, int y) {
    int left = x < BLOOM ? 0 : x - BLOOM, right = x + BLOOM < f->size.width ? x + BLOOM : f->size.width - 1;
    for (int v = y - BLOOM; v <= y + BLOOM; v++)
        if (v >= 0 && v < f->size.height)
            memset(f->known + (size_t)v * f->size.width + left, 0, (size_t)(right - left + 1));
}

static int brightest_of_row(const endo_pattern_finder *f, int y) {
    const uint8_t *row = f->grey + (size_t)y * f->size.width;
    uint8_t most = 0;
    for (int x = 0; x < f->size.width; x++) most = row[x] > most ? row[x] : most;
    return most;
}

static void read_frame(const endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    endo_field_image image = {pixels, f->type, f->size.width, f->size.height, stride, f->low, f->high};
    memset(f->grey, 0, pattern_area(&f->size));
    endo_field_brighten(&image, f->size.threads, f->grey);
    memcpy(f->known, f->field, pattern_area(&f->size));
    for (int y = 0; y < f->size.height; y++) {
        if (brightest_of_row(f, y) < BRIGHT) continue;
        for (int x = 0; x < f->size.width; x++)
            if (f->grey[(size_t)y * f->size.width + x] >= BRIGHT) leave_out_highlight(f, x, y);
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Half as wide and as high as a cell: sums of the known pixels, and how many they are. */
#define QUARTER (PATTERN_CELL / 2)
typedef struct quarters {
    uint32_t *sums, *counts; /* two rows of a row of cells */
} quarters;

static quarters quarters_of(const endo_pattern_finder *f, int row) {
    size_t n = 4 * (size_t)f->size.columns;
    uint32_t *at = f->quarters + 2 * n * (size_t)row;
    return (quarters){at, at + n};
}

/* The four bytes of a number together. */
static inline uint32_t sum_bytes(uint32_t v) {
    uint32_t pairs = (v & 0xff00ff) + (v >> 8 & 0xff00ff);
    return (pairs & 0xffff) + (pairs >> 16);
}

static void add_quarters(const endo_pattern_finder *f, int y, uint32_t *sums, uint32_t *counts) {
    const uint8_t *grey = f->grey + (size_t)y * f->size.width, *known = f->known + (size_t)y * f->size.width;
    int whole = f->size.width / QUARTER;
    for (int i = 0; i < whole; i++) {
        uint32_t values, counted;
        memcpy(&values, grey + QUARTER * i, sizeof values), memcpy(&counted, known + QUARTER * i, sizeof counted);
        sums[i] += sum_bytes(values & counted), counts[i] += sum_bytes(counted & 0x01010101); /* 0 or 255 */
    }
    for (int x = whole * QUARTER; x < f->size.width; x++) sums[whole] += grey[x] & known[x], counts[whole] += known[x] & 1;
}

static void sum_quarters(const endo_pattern_finder *f) {
#pragma omp parallel for num_threads(f->size.threads) if (pattern_area(&f->size) > 100000)
    for (int row = 0; row < f->size.rows; row++) {
        quarters q = quarters_of(f, row);
        int n = 2 * f->size.columns, bottom = smaller((row + 1) * PATTERN_CELL, f->size.height);
        memset(q.sums, 0, 8 * (size_t)f->size.columns * sizeof *q.sums);
        for (int y = row * PATTERN_CELL; y < bottom; y++) {
            int lower = y % PATTERN_CELL >= QUARTER ? n : 0;
            add_quarters(f, y, q.sums + lower, q.counts + lower);
        }
    }
}

/* The mean of the known pixels of half a cell, two of its quarters that face each other, sixteenths of a level; none where
 * fewer than half of a whole one's are. */
static int32_t mean_of_half(const endo_pattern_finder *f, int half, int column, int row) {
    quarters q = quarters_of(f, row);
    int upper = 2 * column + half, lower = 2 * f->size.columns + 2 * column + 1 - half;
    uint32_t sum = q.sums[upper] + q.sums[lower], count = q.counts[upper] + q.counts[lower];
    return 4 * count < PATTERN_CELL * PATTERN_CELL ? PATTERN_NO_CELL : (int32_t)(16 * sum / count);
}

static int32_t cell_at(const endo_pattern_finder *f, int column, int row) {
    int inside = row >= 0 && row < f->size.rows && column >= 0 && column < f->size.columns;
    return inside ? f->means[row * f->size.columns + column] : PATTERN_NO_CELL;
}

/* Cells that face each other across a cell, where both are known. */
static inline void add_pair(int32_t one, int32_t other, int32_t *sum, int32_t *count) {
    int counts = one != PATTERN_NO_CELL && other != PATTERN_NO_CELL;
    *sum += counts ? one + other : 0, *count += 2 * counts;
}

/* What a cell has over those around it, by pairs that face each other across it: light that falls off towards the rim,
 * where one of them is missing, would be a picture that stands still. None where there is no pair. */
static int32_t coarse_detail(const endo_pattern_finder *f, int column, int row) {
    int inside = column >= AROUND && column < f->size.columns - AROUND && row >= AROUND && row < f->size.rows - AROUND;
    int32_t own = cell_at(f, column, row), sum = 0, count = 0;
    const int32_t *at = f->means + row * f->size.columns + column;
    if (own == PATTERN_NO_CELL) return PATTERN_NO_CELL;
    for (int v = -AROUND; v <= 0; v++)
        for (int u = -AROUND; u <= AROUND; u++) {
            int step = v * f->size.columns + u;
            if (!u && !v) continue;
            if (inside) add_pair(at[step], at[-step], &sum, &count);
            else add_pair(cell_at(f, column + u, row + v), cell_at(f, column - u, row - v), &sum, &count);
        }
    return count == 0 ? PATTERN_NO_CELL : own - sum / count;
}

static void make_coarse(const endo_pattern_finder *f, int half, int32_t *coarse) {
#pragma omp parallel for num_threads(f->size.threads) if (pattern_area(&f->size) > 100000)
    for (int row = 0; row < f->size.rows; row++)
        for (int column = 0; column < f->size.columns; column++)
            f->means[row * f->size.columns + column] = mean_of_half(f, half, column, row);
#pragma omp parallel for num_threads(f->size.threads) if (pattern_area(&f->size) > 100000)
    for (int row = 0; row < f->size.rows; row++)
        for (int column = 0; column < f->size.columns; column++)
            coarse[row * f->size.columns + column] = coarse_detail(f, column, row);
}

/* There is something that can be seen to move. */
static int shows_something(const pattern_size *s, const int32_t *coarse) {
    int known = 0, structured = 0;
    for (size_t i = 0; i < pattern_cells(s); i++) {
        if (coarse[i] == PATTERN_NO_CELL) continue;
        known++, structured |= coarse[i] != 0;
    }
    return structured && known >= LEAST_CELLS;
}

/* The light of the frame that was made coarse last. */
static void add_light(const endo_pattern_finder *f) {
    for (size_t i = 0; i < pattern_cells(&f->size); i++)
        if (f->means[i] != PATTERN_NO_CELL) f->light_sums[i] += f->means[i], f->light_counts[i]++;
}

static int is_new(const endo_pattern_finder *f, const int32_t *coarse) {
    for (int i = 0; i < f->n; i++)
        if (!memcmp(coarse, f->coarse[i], 2 * pattern_cells(&f->size) * sizeof *coarse)) return 0;
    return 1;
}

endo_status endo_pattern_take(endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    if (f->n == f->room) return ENDO_OK;
    int32_t *coarse = endo_alloc(2 * pattern_cells(&f->size), sizeof *coarse);
    int16_t *details = endo_alloc(pattern_area(&f->size), sizeof *details);
    int counts = 0;
    if (coarse && details) {
        read_frame(f, pixels, stride);
        sum_quarters(f);
        make_coarse(f, 0, coarse);
        make_coarse(f, 1, coarse + pattern_cells(&f->size));
        counts = shows_something(&f->size, coarse) && is_new(f, coarse);
    }
    if (counts) {
        endo_pattern_details(&f->size, f->grey, f->known, f->scratch, details);
        add_light(f);
        f->coarse[f->n] = coarse, f->details[f->n] = details, f->n++;
        return ENDO_OK;
    }
    int full = coarse && details;
    endo_free(coarse);
    endo_free(details);
    return full ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for another frame of %d x %d", f->size.width,
                                      f->size.height);
}

/* ----------------------------------------------------------------- decision */

static double rms_of(const endo_pattern_finder *f, const int16_t *pattern) {
    int64_t sum = 0, count = 0;
    for (size_t i = 0; i < pattern_area(&f->size); i++)
        if (f->field[i]) sum += (int64_t)pattern[i] * pattern[i], count++;
    return count ? sqrt((double)sum / (double)count) : 0;
}

endo_status endo_pattern_decide(const endo_pattern_finder *f, int16_t *pattern, endo_pattern_info *info) {
    endo_pattern_info found = {.frames = f->n};
    endo_status status = endo_pattern_motion(&f->size, f->coarse, f->n, &found.independent);
    if (status == ENDO_OK && f->n >= SHOWN && found.independent >= ENDO_PATTERN_LEAST_FRAMES)
        status = endo_pattern_share(&f->size, f->details, f->n, f->inner, &found.share);
    if (status != ENDO_OK) return status;
    if (found.share >= ENDO_PATTERN_LEAST_SHARE) {
        status = endo_pattern_estimate(&f->size, f->details, f->n, pattern);
        if (status != ENDO_OK) return status;
        found.rms = rms_of(f, pattern);
        found.found = found.rms > 0;
        if (found.found && found.independent >= LIGHT_FRAMES)
            endo_pattern_add_light(&f->size, f->light_sums, f->light_counts, f->n, f->field, pattern);
    } else {
        memset(pattern, 0, pattern_area(&f->size) * sizeof *pattern);
    }
    *info = found;
    return ENDO_OK;
}
