/* The frames that a static pattern is looked for in.
 *
 * A frame counts if it shows another part of the scene than those before it: its coarse picture, means of cells less the
 * means of those around them, correlates with none of theirs. Pixels and fibres are too fine to show in it. */
#include "pattern.h"

#include <math.h>
#include <string.h>

#define MOST_FRAMES 64
#define LEAST_ROOM 8
/* Details that are kept, all frames together. */
#define MOST_DETAILS ((size_t)64 << 20)
/* Coefficient of coarse pictures from which two frames show the same. */
#define SAME 0.8
/* Cells on every side whose mean a cell is compared with. */
#define AROUND 2
/* Cells that two coarse pictures must have in common. */
#define LEAST_CELLS 16
/* Highlights, and what blooms around them, pixels on every side. */
#define BRIGHT 235
#define BLOOM 4
/* A cell of a coarse picture that is not known. */
#define NO_CELL INT32_MIN

struct endo_pattern_finder {
    pattern_size size;
    int low, high, room, n;
    endo_pixel type;
    uint8_t *field, *inner; /* inner: where a detail's square lies in the field */
    uint8_t *grey, *known; /* of one frame */
    uint32_t *scratch;
    int32_t *means;        /* of one frame's cells */
    int16_t *details[MOST_FRAMES];
    int32_t *coarse[MOST_FRAMES];
    double squares; /* of the coefficients of all frames with all, their own left out */
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
        f->means = endo_alloc(pattern_cells(&f->size), sizeof *f->means);
    }
    if (!f || !f->field || !f->inner || !f->grey || !f->known || !f->scratch || !f->means) {
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
    endo_free(f->means);
    endo_free(f);
}

/* ------------------------------------------------------------------- frames */

static void leave_out_highlight(const endo_pattern_finder *f, int x, int y) {
    int left = x < BLOOM ? 0 : x - BLOOM, right = x + BLOOM < f->size.width ? x + BLOOM : f->size.width - 1;
    for (int v = y - BLOOM; v <= y + BLOOM; v++)
        if (v >= 0 && v < f->size.height)
            memset(f->known + (size_t)v * f->size.width + left, 0, (size_t)(right - left + 1));
}

static void read_frame(const endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    endo_field_image image = {pixels, f->type, f->size.width, f->size.height, stride, f->low, f->high};
    memset(f->grey, 0, pattern_area(&f->size));
    endo_field_brighten(&image, f->size.threads, f->grey);
    memcpy(f->known, f->field, pattern_area(&f->size));
    for (int y = 0; y < f->size.height; y++)
        for (int x = 0; x < f->size.width; x++)
            if (f->grey[(size_t)y * f->size.width + x] >= BRIGHT) leave_out_highlight(f, x, y);
}

/* The mean of a cell's known pixels, sixteenths of a level; none where fewer than half of a whole cell's are. */
static int32_t mean_of_cell(const endo_pattern_finder *f, int column, int row) {
    int32_t sum = 0, count = 0;
    for (int y = row * PATTERN_CELL; y < f->size.height && y < (row + 1) * PATTERN_CELL; y++)
        for (int x = column * PATTERN_CELL; x < f->size.width && x < (column + 1) * PATTERN_CELL; x++) {
            size_t i = (size_t)y * f->size.width + x;
            if (f->known[i]) sum += f->grey[i], count++;
        }
    return 2 * count < PATTERN_CELL * PATTERN_CELL ? NO_CELL : 16 * sum / count;
}

static int32_t cell_at(const endo_pattern_finder *f, int column, int row) {
    int inside = row >= 0 && row < f->size.rows && column >= 0 && column < f->size.columns;
    return inside ? f->means[row * f->size.columns + column] : NO_CELL;
}

/* What a cell has over those around it, by pairs that face each other across it: light that falls off towards the rim,
 * where one of them is missing, would be a picture that stands still. None where there is no pair. */
static int32_t coarse_detail(const endo_pattern_finder *f, int column, int row) {
    int32_t own = cell_at(f, column, row), sum = 0, count = 0;
    for (int v = -AROUND; v <= 0; v++)
        for (int u = -AROUND; u <= AROUND; u++) {
            int32_t one = cell_at(f, column + u, row + v), other = cell_at(f, column - u, row - v);
            if (one != NO_CELL && other != NO_CELL && (u || v)) sum += one + other, count += 2;
        }
    return own == NO_CELL || count == 0 ? NO_CELL : own - sum / count;
}

static void make_coarse(const endo_pattern_finder *f, int32_t *coarse) {
    for (int row = 0; row < f->size.rows; row++)
        for (int column = 0; column < f->size.columns; column++)
            f->means[row * f->size.columns + column] = mean_of_cell(f, column, row);
    for (int row = 0; row < f->size.rows; row++)
        for (int column = 0; column < f->size.columns; column++)
            coarse[row * f->size.columns + column] = coarse_detail(f, column, row);
}

/* The coefficient of two coarse pictures; 1 where they have too little in common to tell. */
static double coefficient(const pattern_size *s, const int32_t *a, const int32_t *b) {
    int64_t ab = 0, aa = 0, bb = 0, n = 0;
    for (size_t i = 0; i < pattern_cells(s); i++) {
        if (a[i] == NO_CELL || b[i] == NO_CELL) continue;
        ab += (int64_t)a[i] * b[i], aa += (int64_t)a[i] * a[i], bb += (int64_t)b[i] * b[i], n++;
    }
    return n < LEAST_CELLS || aa == 0 || bb == 0 ? 1 : (double)ab / sqrt((double)aa * (double)bb);
}

/* There is something that can be seen to move. */
static int shows_something(const pattern_size *s, const int32_t *coarse) {
    int known = 0, structured = 0;
    for (size_t i = 0; i < pattern_cells(s); i++) {
        if (coarse[i] == NO_CELL) continue;
        known++, structured |= coarse[i] != 0;
    }
    return structured && known >= LEAST_CELLS;
}

/* The sum of the squared coefficients with the frames before; negative: the frame shows what one of them shows, or
 * nothing. */
static double compare(const endo_pattern_finder *f, const int32_t *coarse) {
    double sum = 0;
    if (!shows_something(&f->size, coarse)) return -1;
    for (int i = 0; i < f->n; i++) {
        double c = coefficient(&f->size, coarse, f->coarse[i]);
        if (c >= SAME) return -1;
        sum += c * c;
    }
    return sum;
}

endo_status endo_pattern_take(endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    if (f->n == f->room) return ENDO_OK;
    int32_t *coarse = endo_alloc(pattern_cells(&f->size), sizeof *coarse);
    int16_t *details = endo_alloc(pattern_area(&f->size), sizeof *details);
    double squares = -1;
    if (coarse && details) {
        read_frame(f, pixels, stride);
        make_coarse(f, coarse);
        squares = compare(f, coarse);
    }
    if (squares >= 0) {
        endo_pattern_details(&f->size, f->grey, f->known, f->scratch, details);
        f->coarse[f->n] = coarse, f->details[f->n] = details, f->n++;
        f->squares += 2 * squares;
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
    endo_pattern_info found = {.frames = f->n, .independent = f->n ? f->n * f->n / (f->n + f->squares) : 0};
    endo_status status = ENDO_OK;
    if (found.independent >= ENDO_PATTERN_LEAST_FRAMES)
        status = endo_pattern_share(&f->size, f->details, f->n, f->inner, &found.share);
    if (status != ENDO_OK) return status;
    if (found.share >= ENDO_PATTERN_LEAST_SHARE) {
        status = endo_pattern_estimate(&f->size, f->details, f->n, pattern);
        if (status != ENDO_OK) return status;
        found.rms = rms_of(f, pattern);
        found.found = found.rms > 0;
    } else {
        memset(pattern, 0, pattern_area(&f->size) * sizeof *pattern);
    }
    *info = found;
    return ENDO_OK;
}
