/* The frames from which a static pattern is found: their details, and their coarse pictures, means of cells less the means of
 * those around them, by which a scene that moves behind the pattern is detected (pattern_motion.c). */
#include "pattern.h"

#include <math.h>
#include <string.h>

#define MOST_FRAMES 64
/* Frames at most where frames are large. */
#define LEAST_CAPACITY 12
/* Fewest frames: in the mean of fewer too much is left of a scene. */
#define SHOWN 10
_Static_assert(LEAST_CAPACITY >= SHOWN, "in large frames no pattern would ever be found");
/* Most details that are kept, of all frames together. */
#define MOST_DETAILS ((size_t)64 << 20)
/* How many cells on every side a cell is compared with. */
#define AROUND 2
/* Fewest known cells of a frame. */
#define LEAST_CELLS 16
/* Grey of highlights, and how far they bloom to every side, px. */
#define BRIGHT 235
#define BLOOM 4
/* Fewest independent frames from which common light is found: fewer show much of the same scene at the same pixels, and
 * structures as wide as the frame would be taken out of it. */
#define LIGHT_FRAMES 8
/* Most frames, and pixels of frames, that wait to be handled together. */
#define WAITING 16
#define WAITING_PIXELS ((size_t)16 << 20)

/* A waiting frame, and its pictures. */
typedef struct pattern_frame {
    const pattern_size *size;
    uint8_t *grey, *known;
    uint8_t *brightest; /* of each row */
    uint32_t *scratch;
    uint32_t *quarters; /* sums and counts of quarters of the cells */
    int32_t *means;     /* means of one half of the cells */
    int32_t *coarse;    /* both halves of the cells, as in the finder */
    int16_t *details;
    int counts;
} pattern_frame;

struct endo_pattern_finder {
    pattern_size size;
    int low, high, capacity, n;
    endo_pixel type;
    uint8_t *field, *inner; /* inner: pixels whose detail's square lies in the field */
    pattern_frame waiting[WAITING];
    int most_waiting, n_waiting;
    int64_t *light_sums;   /* sums over the frames of the means of the cells' second halves */
    int32_t *light_counts;
    int16_t *details[MOST_FRAMES];
    int32_t *coarse[MOST_FRAMES]; /* both halves of the cells, one after the other */
};

int endo_pattern_width(const endo_pattern_finder *f) { return f->size.width; }

static pattern_size size_of(const endo_context *context, const endo_pattern_options *o) {
    return (pattern_size){
        .width = o->width,
        .height = o->height,
        .columns = (o->width + PATTERN_CELL - 1) / PATTERN_CELL,
        .rows = (o->height + PATTERN_CELL - 1) / PATTERN_CELL,
        .threads = context->threads,
        .cpu = context->cpu,
    };
}

static int capacity_for(size_t area) {
    size_t capacity = MOST_DETAILS / area;
    return capacity < LEAST_CAPACITY ? LEAST_CAPACITY : capacity > MOST_FRAMES ? MOST_FRAMES : (int)capacity;
}

static int waiting_for(size_t area) {
    size_t n = WAITING_PIXELS / area;
    return n < 1 ? 1 : n > WAITING ? WAITING : (int)n;
}

endo_status endo_pattern_make(endo_context *context, const endo_pattern_options *options, endo_pattern_finder **out) {
    endo_pattern_finder *f = endo_alloc_zeroed(1, sizeof *f);
    size_t area = (size_t)options->width * (size_t)options->height;
    if (f) {
        f->size = size_of(context, options);
        f->low = options->low;
        f->high = options->high;
        f->type = options->type;
        f->capacity = capacity_for(area);
        f->most_waiting = waiting_for(area);
        f->field = endo_alloc(area, 1);
        f->inner = endo_alloc(area, 1);
        f->light_sums = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *f->light_sums);
        f->light_counts = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *f->light_counts);
    }
    if (!f || !f->field || !f->inner || !f->light_sums || !f->light_counts) {
        endo_pattern_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the pattern of %d x %d pixels", options->width, options->height);
    }
    for (size_t i = 0; i < area; i++) f->field[i] = !options->field || options->field[i] ? 255 : 0;
    endo_status status = endo_mask_erode(f->field, options->width, options->height, PATTERN_REACH, f->inner);
    if (status == ENDO_OK)
        *out = f;
    else
        endo_pattern_free(f);
    return status;
}

static void free_frame(pattern_frame *w) {
    void *all[] = {w->grey, w->known, w->brightest, w->scratch, w->quarters, w->means, w->coarse, w->details};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) endo_free(all[i]);
    memset(w, 0, sizeof *w);
}

void endo_pattern_free(endo_pattern_finder *f) {
    if (!f) return;
    for (int i = 0; i < MOST_FRAMES; i++) {
        endo_free(f->details[i]);
        endo_free(f->coarse[i]);
    }
    for (int i = 0; i < WAITING; i++) free_frame(&f->waiting[i]);
    endo_free(f->field);
    endo_free(f->inner);
    endo_free(f->light_sums);
    endo_free(f->light_counts);
    endo_free(f);
}

/* ------------------------------------------------------------------- frames */

static int brightest_of(const uint8_t *grey, int n) {
    uint8_t most = 0;
    for (int x = 0; x < n; x++) most = grey[x] > most ? grey[x] : most;
    return most;
}

static void read_frame(const endo_pattern_finder *f, const void *pixels, ptrdiff_t stride, pattern_frame *w) {
    endo_field_image image = {
        .pixels = pixels,
        .type = f->type,
        .width = f->size.width,
        .height = f->size.height,
        .stride = stride,
        .low = f->low,
        .high = f->high,
    };
    memset(w->grey, 0, pattern_area(&f->size));
    endo_field_brighten(&image, f->size.threads, f->size.cpu, w->grey);
}

/* Leaves out what is near the highlights of a row, along it. Most runs of pixels have none. */
static void leave_out_highlights(const uint8_t *row, int width, uint8_t *known) {
    enum { RUN = 64 };
    for (int at = 0; at < width; at += RUN) {
        int end = at + RUN < width ? at + RUN : width;
        if (brightest_of(row + at, end - at) < BRIGHT) continue;
        for (int x = at; x < end; x++) {
            if (row[x] < BRIGHT) continue;
            int left = x < BLOOM ? 0 : x - BLOOM;
            int right = x + BLOOM < width ? x + BLOOM : width - 1;
            memset(known + left, 0, (size_t)(right - left + 1));
        }
    }
}

/* The field of a row without what is near highlights, of this row or of those above and below. */
static void find_known_of_row(const uint8_t *field, const pattern_frame *w, int y) {
    int width = w->size->width;
    uint8_t *known = w->known + (size_t)y * (size_t)width;
    memcpy(known, field + (size_t)y * (size_t)width, (size_t)width);
    for (int v = y - BLOOM; v <= y + BLOOM; v++)
        if (v >= 0 && v < w->size->height && w->brightest[v] >= BRIGHT)
            leave_out_highlights(w->grey + (size_t)v * (size_t)width, width, known);
}

static void find_known(const uint8_t *field, const pattern_frame *w) {
    int width = w->size->width;
#pragma omp parallel num_threads(w->size->threads) if (pattern_area(w->size) > 100000)
    {
#pragma omp for schedule(static)
        for (int y = 0; y < w->size->height; y++)
            w->brightest[y] = (uint8_t)brightest_of(w->grey + (size_t)y * (size_t)width, width);
#pragma omp for schedule(static)
        for (int y = 0; y < w->size->height; y++) find_known_of_row(field, w, y);
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Side of a quarter, px: half as wide and as high as a cell. */
#define QUARTER (PATTERN_CELL / 2)
typedef struct quarters {
    uint32_t *sums, *counts; /* two rows of a row of cells */
} quarters;

static quarters quarters_of(const pattern_frame *w, int row) {
    size_t n = 4 * (size_t)w->size->columns;
    uint32_t *at = w->quarters + 2 * n * (size_t)row;
    return (quarters){at, at + n};
}

/* Sum of the four bytes of a number. */
static inline uint32_t sum_bytes(uint32_t v) {
    uint32_t pairs = (v & 0xff00ff) + (v >> 8 & 0xff00ff);
    return (pairs & 0xffff) + (pairs >> 16);
}

static void add_quarters(const pattern_frame *w, int y, uint32_t *sums, uint32_t *counts) {
    const uint8_t *grey = w->grey + (size_t)y * w->size->width, *known = w->known + (size_t)y * w->size->width;
    int whole = w->size->width / QUARTER;
    for (int i = 0; i < whole; i++) {
        uint32_t values, counted;
        memcpy(&values, grey + QUARTER * i, sizeof values), memcpy(&counted, known + QUARTER * i, sizeof counted);
        sums[i] += sum_bytes(values & counted), counts[i] += sum_bytes(counted & 0x01010101); /* 0 or 255 */
    }
    for (int x = whole * QUARTER; x < w->size->width; x++) {
        sums[whole] += grey[x] & known[x];
        counts[whole] += known[x] & 1;
    }
}

static void sum_quarters(const pattern_frame *w) {
#pragma omp parallel for num_threads(w->size->threads) if (pattern_area(w->size) > 100000)
    for (int row = 0; row < w->size->rows; row++) {
        quarters q = quarters_of(w, row);
        int n = 2 * w->size->columns, bottom = smaller((row + 1) * PATTERN_CELL, w->size->height);
        memset(q.sums, 0, 8 * (size_t)w->size->columns * sizeof *q.sums);
        for (int y = row * PATTERN_CELL; y < bottom; y++) {
            int lower = y % PATTERN_CELL >= QUARTER ? n : 0;
            add_quarters(w, y, q.sums + lower, q.counts + lower);
        }
    }
}

/* Mean of the known pixels of half a cell, two of its quarters that face each other, sixteenths of a level; PATTERN_NO_CELL
 * where fewer than half of the pixels are known. */
static int32_t mean_of_half(const pattern_frame *w, int half, int column, int row) {
    quarters q = quarters_of(w, row);
    int upper = 2 * column + half, lower = 2 * w->size->columns + 2 * column + 1 - half;
    uint32_t sum = q.sums[upper] + q.sums[lower], count = q.counts[upper] + q.counts[lower];
    return 4 * count < PATTERN_CELL * PATTERN_CELL ? PATTERN_NO_CELL : (int32_t)(16 * sum / count);
}

static int32_t cell_at(const pattern_frame *w, int column, int row) {
    int inside = row >= 0 && row < w->size->rows && column >= 0 && column < w->size->columns;
    return inside ? w->means[row * w->size->columns + column] : PATTERN_NO_CELL;
}

/* Adds two cells that face each other across a cell, where both are known. */
static inline void add_pair(int32_t one, int32_t other, int32_t *sum, int32_t *count) {
    int counts = one != PATTERN_NO_CELL && other != PATTERN_NO_CELL;
    *sum += counts ? one + other : 0, *count += 2 * counts;
}

/* A cell less the mean of those around it, by pairs that face each other across it: where one of a pair is missing, vignetting
 * would remain as a picture that stands still. PATTERN_NO_CELL where there is no pair. */
static int32_t coarse_detail(const pattern_frame *w, int column, int row) {
    int inside = column >= AROUND && column < w->size->columns - AROUND && row >= AROUND && row < w->size->rows - AROUND;
    int32_t value = cell_at(w, column, row), sum = 0, count = 0;
    const int32_t *at = w->means + row * w->size->columns + column;
    if (value == PATTERN_NO_CELL) return PATTERN_NO_CELL;
    for (int v = -AROUND; v <= 0; v++)
        for (int u = -AROUND; u <= AROUND; u++) {
            int step = v * w->size->columns + u;
            if (!u && !v) continue;
            if (inside) add_pair(at[step], at[-step], &sum, &count);
            else add_pair(cell_at(w, column + u, row + v), cell_at(w, column - u, row - v), &sum, &count);
        }
    return count == 0 ? PATTERN_NO_CELL : value - sum / count;
}

static void make_coarse(const pattern_frame *w, int half) {
    int32_t *coarse = w->coarse + (size_t)half * pattern_cells(w->size);
#pragma omp parallel for num_threads(w->size->threads) if (pattern_area(w->size) > 100000)
    for (int row = 0; row < w->size->rows; row++)
        for (int column = 0; column < w->size->columns; column++)
            w->means[row * w->size->columns + column] = mean_of_half(w, half, column, row);
#pragma omp parallel for num_threads(w->size->threads) if (pattern_area(w->size) > 100000)
    for (int row = 0; row < w->size->rows; row++)
        for (int column = 0; column < w->size->columns; column++)
            coarse[row * w->size->columns + column] = coarse_detail(w, column, row);
}

/* Whether enough cells are known and structured for motion to be seen. */
static int shows_something(const pattern_size *s, const int32_t *coarse) {
    int known = 0, structured = 0;
    for (size_t i = 0; i < pattern_cells(s); i++) {
        if (coarse[i] == PATTERN_NO_CELL) continue;
        known++;
        structured |= coarse[i] != 0;
    }
    return structured && known >= LEAST_CELLS;
}

static void add_light(const endo_pattern_finder *f, const pattern_frame *w) {
    for (size_t i = 0; i < pattern_cells(&f->size); i++)
        if (w->means[i] != PATTERN_NO_CELL) {
            f->light_sums[i] += w->means[i];
            f->light_counts[i]++;
        }
}

static int is_new(const endo_pattern_finder *f, const int32_t *coarse) {
    for (int i = 0; i < f->n; i++)
        if (!memcmp(coarse, f->coarse[i], 2 * pattern_cells(&f->size) * sizeof *coarse)) return 0;
    return 1;
}

/* Makes the coarse picture of a frame, both halves of the cells; the means of the second half are kept. */
static void make_pictures(const endo_pattern_finder *f, pattern_frame *w) {
    find_known(f->field, w);
    sum_quarters(w);
    make_coarse(w, 0);
    make_coarse(w, 1);
    w->counts = shows_something(w->size, w->coarse);
}

/* Hands a frame's coarse picture and details over to the finder. */
static void keep(endo_pattern_finder *f, pattern_frame *w) {
    add_light(f, w);
    f->coarse[f->n] = w->coarse;
    f->details[f->n] = w->details;
    f->n++;
    w->coarse = NULL;
    w->details = NULL;
}

/* Handles the waiting frames: a thread each, or, where they are few, one after another by all threads. */
static void take_waiting(endo_pattern_finder *f) {
    int n = f->n_waiting, some = n > 1 && 2 * n >= f->size.threads && pattern_area(&f->size) > 10000;
#pragma omp parallel for num_threads(f->size.threads) schedule(dynamic) if (some)
    for (int i = 0; i < n; i++) make_pictures(f, &f->waiting[i]);
    for (int i = 0; i < n; i++) {
        pattern_frame *w = &f->waiting[i];
        w->counts = w->counts && f->n < f->capacity && is_new(f, w->coarse);
        if (w->counts) keep(f, w);
    }
    int first = f->n;
    for (int i = 0; i < n; i++) first -= f->waiting[i].counts;
#pragma omp parallel for num_threads(f->size.threads) schedule(dynamic) if (some)
    for (int i = 0; i < n; i++) {
        const pattern_frame *w = &f->waiting[i];
        int index = first;
        for (int k = 0; k < i; k++) index += f->waiting[k].counts;
        if (w->counts) endo_pattern_details(w->size, w->grey, w->known, w->scratch, f->details[index]);
    }
    f->n_waiting = 0;
}

/* Makes memory for a waiting frame, unless an earlier one left it there. */
static endo_status prepare(const endo_pattern_finder *f, pattern_frame *w) {
    size_t area = pattern_area(&f->size), cells = pattern_cells(&f->size);
    w->size = &f->size;
    if (!w->grey) w->grey = endo_alloc(area, 1);
    if (!w->known) w->known = endo_alloc(area, 1);
    if (!w->brightest) w->brightest = endo_alloc((size_t)f->size.height, 1);
    if (!w->scratch) w->scratch = endo_alloc(endo_pattern_workspace(&f->size), sizeof *w->scratch);
    if (!w->quarters) w->quarters = endo_alloc(8 * cells, sizeof *w->quarters);
    if (!w->means) w->means = endo_alloc(cells, sizeof *w->means);
    if (!w->coarse) w->coarse = endo_alloc(2 * cells, sizeof *w->coarse);
    if (!w->details) w->details = endo_alloc(area, sizeof *w->details);
    if (w->grey && w->known && w->brightest && w->scratch && w->quarters && w->means && w->coarse && w->details) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for another frame of %d x %d", f->size.width, f->size.height);
}

endo_status endo_pattern_take(endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    if (f->n_waiting == f->most_waiting || f->n + f->n_waiting == f->capacity) take_waiting(f);
    if (f->n == f->capacity) return ENDO_OK;
    pattern_frame *w = &f->waiting[f->n_waiting];
    endo_status status = prepare(f, w);
    if (status != ENDO_OK) return status;
    read_frame(f, pixels, stride, w);
    f->n_waiting++;
    return ENDO_OK;
}

/* ----------------------------------------------------------------- decision */

static double rms_of(const endo_pattern_finder *f, const int16_t *pattern) {
    int64_t sum = 0, count = 0;
    for (size_t i = 0; i < pattern_area(&f->size); i++)
        if (f->field[i]) {
            sum += (int64_t)pattern[i] * pattern[i];
            count++;
        }
    return count ? sqrt((double)sum / (double)count) : 0;
}

endo_status endo_pattern_decide(endo_pattern_finder *f, int16_t *pattern, endo_pattern_info *info) {
    take_waiting(f); /* the last ones */
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
