/* The frames from which a static pattern is found: their grey images and the means of their cells, made when a frame is added,
 * and their coarse pictures, means of cells less the means of those around them, by which a scene that moves behind the
 * pattern is detected (pattern_motion.c), made for many frames together when the finder is full or asked. Details are made of
 * the grey images when it is asked. */
#include "pattern.h"
#include "base/threads.h"

#include "base/openmp.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

#define MOST_FRAMES 64
/* Frames at most where frames are large. */
#define LEAST_CAPACITY 12
/* Fewest frames: in the mean of fewer too much is left of a scene. */
#define SHOWN 10
_Static_assert(LEAST_CAPACITY >= SHOWN, "in large frames no pattern would ever be found");
/* Most details of all frames together, unless these are fewer than LEAST_CAPACITY frames. */
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
/* Rows of a band, and most pixels of the bands of a frame in which static details are looked for: a pattern is everywhere, and
 * more pixels would not tell more. */
#define BAND (8 * PATTERN_CELL)
#define SAMPLE ((size_t)1 << 19)

/* A frame, and its pictures. */
typedef struct pattern_frame {
    int32_t *coarse;    /* both halves of the cells, one after the other; in its memory are the others, too */
    int32_t *means;     /* of the halves of the cells */
    uint8_t *grey;
    uint8_t *brightest; /* of each row */
} pattern_frame;

struct endo_pattern_finder {
    pattern_size size;
    int low, high, capacity;
    endo_pixel type;
    uint8_t *field;
    pattern_frame frames[MOST_FRAMES];
    int n, n_waiting;       /* frames that are kept; frames after them whose coarse pictures are not made yet */
    uint8_t *cells;         /* workspace of each thread for a row of cells */
};

int endo_pattern_width(const endo_pattern_finder *f) { return f->size.width; }

static pattern_size size_of(endo_context *context, const endo_pattern_options *o) {
    return (pattern_size){
        .width = o->width,
        .height = o->height,
        .columns = (o->width + PATTERN_CELL - 1) / PATTERN_CELL,
        .rows = (o->height + PATTERN_CELL - 1) / PATTERN_CELL,
        .threads = context->threads,
        .cpu = context->cpu,
        .context = endo_context_keep(context),
    };
}

/* Side of a quarter, px: half as wide and as high as a cell. */
#define QUARTER (PATTERN_CELL / 2)

/* Sums of the known greys along the columns of the upper and the lower quarters of a row of cells, and above COUNTED bits how
 * many they are. */
typedef struct quarters {
    uint16_t *columns[2]; /* as many as the cells have, zeros beyond the frame */
    uint32_t *sums[2];    /* by quarter (sum_quarters) */
    uint8_t *known;       /* of the row of cells */
} quarters;

#define COUNTED 11
_Static_assert(QUARTER * 255 < 1 << COUNTED, "sums of columns");

/* Columns of whole cells. */
static size_t whole_columns(const pattern_size *s) { return (size_t)s->columns * PATTERN_CELL; }

/* Bytes of the quarters of a row of cells. */
static size_t quarters_size(const pattern_size *s) {
    size_t columns = 2 * whole_columns(s) * sizeof(uint16_t);
    size_t sums = 4 * (size_t)s->columns * sizeof(uint32_t);
    return columns + sums + PATTERN_CELL * whole_columns(s);
}

static quarters quarters_at(const pattern_size *s, uint8_t *memory) {
    uint16_t *columns = (uint16_t *)memory;
    uint32_t *sums = (uint32_t *)(columns + 2 * whole_columns(s));
    size_t n = 2 * (size_t)s->columns;
    return (quarters){{columns, columns + whole_columns(s)}, {sums, sums + n}, (uint8_t *)(sums + 2 * n)};
}

static int capacity_for(size_t area) {
    size_t capacity = MOST_DETAILS / area;
    return capacity < LEAST_CAPACITY ? LEAST_CAPACITY : capacity > MOST_FRAMES ? MOST_FRAMES : (int)capacity;
}

/* 255 in the field (NULL: everywhere), row by row. */
static void copy_field(const pattern_size *s, const uint8_t *field, uint8_t *out) {
#pragma omp parallel for num_threads(s->threads) schedule(static) if (pattern_area(s) > ENDO_MANY_PIXELS)
    for (int y = 0; y < s->height; y++) {
        size_t at = (size_t)y * (size_t)s->width;
        for (size_t i = at; i < at + (size_t)s->width; i++) out[i] = !field || field[i] ? 255 : 0;
    }
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
        f->field = endo_alloc(area, 1);
        f->cells = endo_alloc((size_t)f->size.threads, quarters_size(&f->size));
    }
    if (!f || !f->field || !f->cells) {
        endo_pattern_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the pattern of %d x %d pixels", options->width, options->height);
    }
    copy_field(&f->size, options->field, f->field);
    *out = f;
    return ENDO_OK;
}

void endo_pattern_free(endo_pattern_finder *f) {
    if (!f) return;
    endo_context_let_go(f->size.context);
    for (int i = 0; i < MOST_FRAMES; i++) endo_free(f->frames[i].coarse);
    endo_free(f->field);
    endo_free(f->cells);
    endo_free(f);
}

/* ------------------------------------------------------------------- frames */

static int brightest_of(const uint8_t *grey, int n) {
    uint8_t most = 0;
    for (int x = 0; x < n; x++) most = grey[x] > most ? grey[x] : most;
    return most;
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Leaves out what is near the highlights of a row, along it, of `rows` rows of known pixels. Most runs of pixels have none. */
static void leave_out_highlights(const uint8_t *row, int width, int rows, uint8_t *known) {
    enum { RUN = 64 };
    for (int at = 0; at < width; at += RUN) {
        int end = smaller(at + RUN, width);
        if (brightest_of(row + at, end - at) < BRIGHT) continue;
        for (int x = at; x < end; x++) {
            if (row[x] < BRIGHT) continue;
            int left = larger(x - BLOOM, 0);
            while (x + 1 < end && row[x + 1] >= BRIGHT) x++;
            int right = smaller(x + BLOOM, width - 1);
            for (int y = 0; y < rows; y++) memset(known + (size_t)y * (size_t)width + left, 0, (size_t)(right - left + 1));
        }
    }
}

/* The field of the rows from top to before bottom without what is near highlights, of these rows or of those around. */
static void find_known(const endo_pattern_finder *f, const pattern_frame *w, int top, int bottom, uint8_t *known) {
    size_t width = (size_t)f->size.width;
    memcpy(known, f->field + (size_t)top * width, (size_t)(bottom - top) * width);
    for (int v = larger(top - BLOOM, 0); v < smaller(bottom + BLOOM, f->size.height); v++) {
        if (w->brightest[v] < BRIGHT) continue;
        int first = larger(v - BLOOM, top), end = smaller(v + BLOOM + 1, bottom);
        leave_out_highlights(w->grey + (size_t)v * width, f->size.width, end - first, known + (size_t)(first - top) * width);
    }
}

/* Adds a row of pixels; what is known is 255, else 0. */
ENDO_SIMD_INLINE void add_known(const uint8_t *restrict grey, const uint8_t *restrict known, int width,
                                uint16_t *restrict columns) {
    for (int x = 0; x < width; x++) columns[x] = (uint16_t)(columns[x] + (grey[x] & known[x]) + ((known[x] & 1) << COUNTED));
}

/* The four numbers of 16 bits of a number. */
#define EACH UINT64_C(0x0001000100010001)
_Static_assert(QUARTER * sizeof(uint16_t) == sizeof(uint64_t), "the columns of a quarter are one number");

/* The sum of the known greys of n quarters, below 2^12, and above 16 bits how many they are. */
ENDO_SIMD_INLINE void sum_quarters(const uint16_t *columns, int n, uint32_t *out) {
    for (int i = 0; i < n; i++) {
        uint64_t four;
        memcpy(&four, columns + i * QUARTER, sizeof four);
        uint64_t sums = four & (((1 << COUNTED) - 1) * EACH);
        uint64_t counts = four >> COUNTED & (((1 << (16 - COUNTED)) - 1) * EACH);
        sums += sums >> 32;
        counts += counts >> 32;
        uint64_t sum = (sums & 0xffff) + (sums >> 16 & 0xffff);
        uint64_t count = (counts & 0xffff) + (counts >> 16 & 0xffff);
        out[i] = (uint32_t)(sum + (count << 16));
    }
}

/* Mean of the known pixels of half a cell, two of its quarters that face each other, sixteenths of a level; PATTERN_NO_CELL
 * where fewer than half of the pixels are known. The sum is below 2^17, its quotient below 2^12: single precision, which is
 * vectorized, truncates to the right integer. */
ENDO_SIMD_INLINE int32_t mean_of_half(uint32_t upper, uint32_t lower) {
    int32_t sum = (int32_t)((upper & 0xffff) + (lower & 0xffff));
    int32_t count = (int32_t)((upper >> 16) + (lower >> 16));
    int32_t mean = (int32_t)((float)(16 * sum) / (float)(count + !count));
    return 4 * count < PATTERN_CELL * PATTERN_CELL ? PATTERN_NO_CELL : mean;
}

/* Sets the means of both halves of a row of cells. grey, q->known: its rows from the first one on. */
ENDO_SIMD_INLINE void find_means(const pattern_size *s, const uint8_t *grey, int rows, const quarters *q, int32_t *means) {
    memset(q->columns[0], 0, 2 * whole_columns(s) * sizeof *q->columns[0]);
    for (int y = 0; y < rows; y++) {
        size_t at = (size_t)y * (size_t)s->width;
        add_known(grey + at, q->known + at, s->width, q->columns[y / QUARTER]);
    }
    for (int k = 0; k < 2; k++) sum_quarters(q->columns[k], 2 * s->columns, q->sums[k]);
    const uint32_t *restrict upper = q->sums[0];
    const uint32_t *restrict lower = q->sums[1];
    int32_t *others = means + pattern_cells(s);
    for (int i = 0; i < s->columns; i++) means[i] = mean_of_half(upper[2 * i], lower[2 * i + 1]);
    for (int i = 0; i < s->columns; i++) others[i] = mean_of_half(upper[2 * i + 1], lower[2 * i]);
}

ENDO_SIMD_LOOP(find_row_of_means, find_means,
               (const pattern_size *s, const uint8_t *grey, int rows, const quarters *q, int32_t *means),
               (s, grey, rows, q, means))

/* Whether there may be highlights in rows, or in those around that bloom into them. */
static int may_have_highlights(const endo_pattern_finder *f, const pattern_frame *w, int top, int bottom) {
    int first = larger(top - BLOOM, 0);
    return brightest_of(w->brightest + first, smaller(bottom + BLOOM, f->size.height) - first) >= BRIGHT;
}

/* cells: workspace of the thread. */
static void make_means(const endo_pattern_finder *f, const pattern_frame *w, int row, uint8_t *cells) {
    int top = row * PATTERN_CELL;
    int bottom = smaller(top + PATTERN_CELL, f->size.height);
    quarters q = quarters_at(&f->size, cells);
    if (may_have_highlights(f, w, top, bottom)) find_known(f, w, top, bottom, q.known);
    else q.known = f->field + (size_t)top * (size_t)f->size.width;
    find_row_of_means[endo_simd_best(f->size.cpu)](&f->size, w->grey + (size_t)top * (size_t)f->size.width, bottom - top, &q,
                                                   w->means + (size_t)row * (size_t)f->size.columns);
}

/* Makes a row of cells of the grey image. */
static void read_row(const endo_pattern_finder *f, const endo_field_image *image, int row, const pattern_frame *w) {
    int bottom = smaller((row + 1) * PATTERN_CELL, f->size.height);
    for (int y = row * PATTERN_CELL; y < bottom; y++) {
        uint8_t *grey = w->grey + (size_t)y * (size_t)f->size.width;
        endo_field_grey_row(image, y, f->size.cpu, grey);
        w->brightest[y] = (uint8_t)brightest_of(grey, f->size.width);
    }
}

/* Makes the grey image and the means of a frame. A thread finds the means of the rows that it has read, in its cache. */
static void read_frame(const endo_pattern_finder *f, const void *pixels, ptrdiff_t stride, const pattern_frame *w) {
    const endo_field_image image = {
        .pixels = pixels,
        .type = f->type,
        .width = f->size.width,
        .height = f->size.height,
        .stride = stride,
        .low = f->low,
        .high = f->high,
    };
#pragma omp parallel num_threads(f->size.threads) if (pattern_area(&f->size) > ENDO_MANY_PIXELS)
    {
        uint8_t *cells = f->cells + (size_t)omp_get_thread_num() * quarters_size(&f->size);
#pragma omp for schedule(static)
        for (int row = 0; row < f->size.rows; row++) read_row(f, &image, row, w);
#pragma omp for schedule(static)
        for (int row = 0; row < f->size.rows; row++) make_means(f, w, row, cells);
    }
}

/* Adds a pair of cells that face each other across a cell, where both are known. */
ENDO_SIMD_INLINE void add_pair(int32_t one, int32_t other, int32_t *sum, int32_t *count) {
    int32_t known = -((one != PATTERN_NO_CELL) & (other != PATTERN_NO_CELL)); /* all bits */
    *sum += (int32_t)((uint32_t)one + (uint32_t)other) & known;
    *count -= 2 * known;
}

/* Adds the pairs across n cells that lie so many rows above and below; those in the row of the cells come twice. */
ENDO_SIMD_INLINE void add_pairs(const int32_t *at, ptrdiff_t columns, int n, int above, int32_t *restrict sums,
                                int32_t *restrict counts) {
    for (int i = 0; i < n; i++) {
        int32_t sum = sums[i];
        int32_t count = counts[i];
        for (int u = -AROUND; u <= AROUND; u++) {
            ptrdiff_t step = u - above * columns;
            if (u || above) add_pair(at[i + step], at[i - step], &sum, &count);
        }
        sums[i] = sum;
        counts[i] = count;
    }
}

/* The same for a cell that is nearer than AROUND cells to an end of its row. */
ENDO_SIMD_INLINE void add_pairs_at_end(const int32_t *at, ptrdiff_t columns, int x, int above, int32_t *sum, int32_t *count) {
    for (int u = -AROUND; u <= AROUND; u++) {
        ptrdiff_t step = u - above * columns;
        if (!u && !above) continue;
        if (x + u >= 0 && x - u >= 0 && x + u < columns && x - u < columns) add_pair(at[step], at[-step], sum, count);
    }
}

/* A row of cells less the means of those around each, by pairs that face each other across it: where one of a pair is missing,
 * vignetting would remain as a picture that stands still. PATTERN_NO_CELL where there is no pair. Sums are below 2^17, counts
 * below 2^5: single precision, which is vectorized, truncates to the right integer. sums, counts: zeros, workspace. */
ENDO_SIMD_INLINE void take_around(const pattern_size *s, const int32_t *means, int row, int32_t *sums, int32_t *counts,
                                  int32_t *coarse) {
    const int32_t *at = means + row * s->columns;
    for (int above = 0; above <= AROUND && row - above >= 0 && row + above < s->rows; above++) {
        if (above == 0) add_pairs(at + AROUND, s->columns, s->columns - 2 * AROUND, 0, sums + AROUND, counts + AROUND);
        else add_pairs(at + AROUND, s->columns, s->columns - 2 * AROUND, above, sums + AROUND, counts + AROUND);
        for (int x = 0; x < s->columns; x++) {
            if (x == AROUND && s->columns > 2 * AROUND) x = s->columns - AROUND;
            add_pairs_at_end(at + x, s->columns, x, above, &sums[x], &counts[x]);
        }
    }
    for (int x = 0; x < s->columns; x++) {
        int32_t mean = (int32_t)((float)sums[x] / (float)(counts[x] + !counts[x]));
        coarse[x] = at[x] == PATTERN_NO_CELL || !counts[x] ? PATTERN_NO_CELL : at[x] - mean;
    }
}

ENDO_SIMD_LOOP(take_means_around, take_around,
               (const pattern_size *s, const int32_t *means, int row, int32_t *sums, int32_t *counts, int32_t *coarse),
               (s, means, row, sums, counts, coarse))

/* cells: workspace of the thread. */
static void make_coarse(const endo_pattern_finder *f, const pattern_frame *w, int row, uint8_t *cells) {
    size_t columns = (size_t)f->size.columns;
    int32_t *sums = (int32_t *)cells;
    for (size_t half = 0; half < 2; half++) {
        size_t at = half * pattern_cells(&f->size);
        memset(sums, 0, 2 * columns * sizeof *sums);
        take_means_around[endo_simd_best(f->size.cpu)](&f->size, w->means + at, row, sums, sums + columns,
                                                       w->coarse + at + (size_t)row * columns);
    }
}

/* Whether enough cells are known and structured for motion to be seen. */
static int shows_something(const pattern_size *s, const int32_t *coarse) {
    int known = 0;
    int structured = 0;
    for (size_t i = 0; i < pattern_cells(s); i++) {
        int is_known = coarse[i] != PATTERN_NO_CELL;
        known += is_known;
        structured |= is_known & (coarse[i] != 0);
    }
    return structured && known >= LEAST_CELLS;
}

static int is_new(const endo_pattern_finder *f, const int32_t *coarse) {
    for (int i = 0; i < f->n; i++)
        if (!memcmp(coarse, f->frames[i].coarse, 2 * pattern_cells(&f->size) * sizeof *coarse)) return 0;
    return 1;
}

/* Makes the coarse pictures of the waiting frames. */
static endo_status make_waiting(const endo_pattern_finder *f) {
    int rows = f->size.rows;
    int all = f->n_waiting * rows;
    int step = pattern_pieces_of_step(&f->size, PATTERN_CELL * (size_t)f->size.width);
    for (int from = 0; from < all; from += step) {
        int to = smaller(from + step, all);
        ENDO_TRY(endo_context_go_on(f->size.context));
#pragma omp parallel for num_threads(f->size.threads) schedule(static) \
    if ((size_t)f->n_waiting * pattern_area(&f->size) > 100000)
        for (int i = from; i < to; i++)
            make_coarse(f, &f->frames[f->n + i / rows], i % rows,
                        f->cells + (size_t)omp_get_thread_num() * quarters_size(&f->size));
    }
    return ENDO_OK;
}

/* Makes the coarse pictures of the waiting frames, and keeps those that show something new; on failure they still wait. */
static endo_status take_waiting(endo_pattern_finder *f) {
    ENDO_TRY(make_waiting(f));
    for (int i = f->n, end = f->n + f->n_waiting; i < end; i++) {
        pattern_frame w = f->frames[i];
        if (!shows_something(&f->size, w.coarse) || !is_new(f, w.coarse)) continue;
        f->frames[i] = f->frames[f->n];
        f->frames[f->n++] = w;
    }
    f->n_waiting = 0;
    return ENDO_OK;
}

/* Makes memory for a frame, unless one that was not kept left it there. */
static endo_status prepare(const endo_pattern_finder *f, pattern_frame *w) {
    size_t area = pattern_area(&f->size), cells = pattern_cells(&f->size);
    if (w->coarse) return ENDO_OK;
    w->coarse = endo_alloc(4 * cells * sizeof *w->coarse + area + (size_t)f->size.height, 1);
    if (!w->coarse)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for another frame of %d x %d", f->size.width, f->size.height);
    w->means = w->coarse + 2 * cells;
    w->grey = (uint8_t *)(w->means + 2 * cells);
    w->brightest = w->grey + area;
    return ENDO_OK;
}

endo_status endo_pattern_take(endo_pattern_finder *f, const void *pixels, ptrdiff_t stride) {
    if (f->n_waiting && f->n + f->n_waiting == f->capacity) ENDO_TRY(take_waiting(f));
    if (f->n == f->capacity) return ENDO_OK;
    pattern_frame *w = &f->frames[f->n + f->n_waiting];
    ENDO_TRY(prepare(f, w));
    read_frame(f, pixels, stride, w);
    f->n_waiting++;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ details */

/* The details of all frames, in all of their rows or in bands of them. */
typedef struct pattern_details {
    pattern_size size; /* of the bands together */
    int bands;
    uint8_t *inner; /* pixels whose detail's square lies in the field */
    int16_t *memory;
    int16_t *frames[MOST_FRAMES];
} pattern_details;

static int bands_of(const pattern_size *s) { return (s->height + BAND - 1) / BAND; }

/* How many bands are looked at: all of them where frames are small. */
static int bands_of_sample(const pattern_size *s) {
    int all = bands_of(s);
    size_t most = SAMPLE / ((size_t)BAND * (size_t)s->width);
    return most < 1 ? 1 : most < (size_t)all ? (int)most : all;
}

/* The first row of a band: one after the other if they are all, else each in the middle of its share of the frame. */
static int top_of_band(const pattern_size *s, int bands, int k) {
    if (bands == bands_of(s)) return k * BAND;
    return (int)((2 * k + 1) * (int64_t)s->height / (2 * bands) - BAND / 2) / PATTERN_CELL * PATTERN_CELL;
}

/* Workspace of a thread for the details of a band: rows of known pixels, and sums. */
static size_t band_workspace(const pattern_size *s) {
    size_t known = (size_t)(BAND + 2 * PATTERN_REACH) * (size_t)s->width;
    return endo_pattern_workspace(s) + (known + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

static void make_band(const endo_pattern_finder *f, const pattern_details *d, int frame, int k, uint32_t *memory) {
    const pattern_frame *w = &f->frames[frame];
    size_t width = (size_t)f->size.width;
    int top = top_of_band(&f->size, d->bands, k), bottom = smaller(top + BAND, f->size.height);
    int first = top < PATTERN_REACH ? 0 : top - PATTERN_REACH, end = smaller(bottom + PATTERN_REACH, f->size.height);
    uint8_t *known = (uint8_t *)(memory + endo_pattern_workspace(&f->size));
    pattern_size block = f->size;
    block.height = end - first;
    find_known(f, w, first, end, known);
    endo_pattern_details(&block, w->grey + (size_t)first * width, known, top - first, bottom - first, memory,
                         d->frames[frame] + (size_t)k * BAND * width);
}

static void free_details(pattern_details *d) {
    endo_free(d->inner);
    endo_free(d->memory);
}

/* Takes the pixels whose details' squares do not lie in a mask of so many rows; 0 if there is not enough memory. */
static int erode(const pattern_size *s, const uint8_t *mask, int rows, uint8_t *out) {
    return endo_mask_erode(mask, s->width, rows, PATTERN_REACH, s->threads, out) == ENDO_OK;
}

/* Rows of a band with those that the squares of its details reach. */
#define BAND_AROUND (BAND + 2 * PATTERN_REACH)

/* Copies the field around a band; beyond the frame there is none. */
static void copy_around(const endo_pattern_finder *f, int top, uint8_t *out) {
    size_t width = (size_t)f->size.width;
    int from = top - PATTERN_REACH;
    int first = larger(from, 0);
    int end = smaller(from + BAND_AROUND, f->size.height);
    memset(out, 0, BAND_AROUND * width);
    memcpy(out + (size_t)(first - from) * width, f->field + (size_t)first * width, (size_t)(end - first) * width);
}

/* Sets d->inner for bands of some rows, with memory of two copies of the field around them; 0 if there is not enough. */
static int erode_bands(const endo_pattern_finder *f, const pattern_details *d) {
    size_t width = (size_t)f->size.width;
    size_t around = BAND_AROUND * width;
    uint8_t *fields = endo_alloc((size_t)d->bands * around, 2);
    if (!fields) return 0;
    uint8_t *inner = fields + (size_t)d->bands * around;
    for (int k = 0; k < d->bands; k++) copy_around(f, top_of_band(&f->size, d->bands, k), fields + (size_t)k * around);
    int done = erode(&f->size, fields, d->bands * BAND_AROUND, inner);
    for (int k = 0; k < d->bands && done; k++)
        memcpy(d->inner + (size_t)k * BAND * width, inner + (size_t)k * around + PATTERN_REACH * width, BAND * width);
    endo_free(fields);
    return done;
}

/* Makes memory for the details in so many bands; 0 if there is not enough. */
static int reserve_details(const endo_pattern_finder *f, int bands, pattern_details *d) {
    *d = (pattern_details){.size = f->size, .bands = bands};
    if (bands < bands_of(&f->size)) d->size.height = bands * BAND;
    d->size.rows = (d->size.height + PATTERN_CELL - 1) / PATTERN_CELL;
    size_t area = pattern_area(&d->size);
    d->inner = endo_alloc(area, 1);
    d->memory = endo_alloc((size_t)f->n * area, sizeof *d->memory);
    if (!d->inner || !d->memory) return 0;
    for (int i = 0; i < f->n; i++) d->frames[i] = d->memory + (size_t)i * area;
    return bands < bands_of(&f->size) ? erode_bands(f, d) : erode(&f->size, f->field, f->size.height, d->inner);
}

/* memory: workspace of every thread. */
static endo_status make_bands(const endo_pattern_finder *f, const pattern_details *d, uint32_t *memory) {
    int all = f->n * d->bands;
    int step = pattern_pieces_of_step(&f->size, BAND * (size_t)f->size.width);
    size_t workspace = band_workspace(&f->size);
    for (int from = 0; from < all; from += step) {
        int to = smaller(from + step, all);
        ENDO_TRY(endo_context_go_on(f->size.context));
#pragma omp parallel for num_threads(f->size.threads) schedule(dynamic) if ((size_t)f->n * pattern_area(&d->size) > 100000)
        for (int i = from; i < to; i++)
            make_band(f, d, i / d->bands, i % d->bands, memory + (size_t)omp_get_thread_num() * workspace);
    }
    return ENDO_OK;
}

static endo_status make_details(const endo_pattern_finder *f, int bands, pattern_details *d) {
    uint32_t *memory = endo_alloc((size_t)f->size.threads * band_workspace(&f->size), sizeof *memory);
    if (!reserve_details(f, bands, d) || !memory) {
        endo_free(memory);
        free_details(d);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the details of %d frames of %d x %d", f->n, f->size.width,
                         f->size.height);
    }
    endo_status status = make_bands(f, d, memory);
    endo_free(memory);
    if (status != ENDO_OK) free_details(d);
    return status;
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

/* Sums of the means of the cells' second halves over all frames, and in how many frames each is known. */
static void sum_light(const endo_pattern_finder *f, int64_t *sums, int32_t *counts) {
    for (int k = 0; k < f->n; k++) {
        const int32_t *means = f->frames[k].means + pattern_cells(&f->size);
        for (size_t i = 0; i < pattern_cells(&f->size); i++) {
            int is_known = means[i] != PATTERN_NO_CELL;
            sums[i] += is_known ? means[i] : 0;
            counts[i] += is_known;
        }
    }
}

static endo_status add_light(const endo_pattern_finder *f, int16_t *pattern) {
    int64_t *sums = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *sums);
    int32_t *counts = endo_alloc_zeroed(pattern_cells(&f->size), sizeof *counts);
    int enough = sums && counts;
    if (enough) {
        sum_light(f, sums, counts);
        endo_pattern_add_light(&f->size, sums, counts, f->n, f->field, pattern);
    }
    endo_free(sums);
    endo_free(counts);
    if (enough) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %d x %d pixels", f->size.width, f->size.height);
}

/* Finds the pattern, with the details of all rows. */
static endo_status estimate(const endo_pattern_finder *f, const pattern_details *d, int16_t *pattern, endo_pattern_info *info) {
    ENDO_TRY(endo_pattern_estimate(&f->size, d->frames, f->n, pattern));
    info->rms = rms_of(f, pattern);
    info->found = info->rms > 0;
    return info->found && info->independent >= LIGHT_FRAMES ? add_light(f, pattern) : ENDO_OK;
}

/* Looks for static details in a sample of the rows, and for the pattern in all of them where there are enough. */
static endo_status look(const endo_pattern_finder *f, int16_t *pattern, endo_pattern_info *info) {
    pattern_details details;
    int all = bands_of(&f->size), some = bands_of_sample(&f->size);
    ENDO_TRY(make_details(f, some, &details));
    endo_status status = endo_context_go_on(f->size.context);
    if (status == ENDO_OK) status = endo_pattern_share(&details.size, details.frames, f->n, details.inner, &info->share);
    int found = status == ENDO_OK && info->share >= ENDO_PATTERN_LEAST_SHARE;
    if (found && some < all) {
        free_details(&details);
        ENDO_TRY(make_details(f, all, &details));
    }
    if (found) status = estimate(f, &details, pattern, info);
    free_details(&details);
    return status;
}

/* Sets a pattern to zeros, row by row: where it lies in memory that was not used yet, that takes longer than to find it. */
static void clear(const pattern_size *s, int16_t *pattern) {
    size_t width = (size_t)s->width;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (pattern_area(s) > ENDO_MANY_PIXELS)
    for (int y = 0; y < s->height; y++) memset(pattern + (size_t)y * width, 0, width * sizeof *pattern);
}

endo_status endo_pattern_decide(endo_pattern_finder *f, int16_t *pattern, endo_pattern_info *info) {
    ENDO_TRY(take_waiting(f)); /* the last ones */
    endo_pattern_info found = {.frames = f->n};
    int32_t *coarse[MOST_FRAMES];
    for (int i = 0; i < f->n; i++) coarse[i] = f->frames[i].coarse;
    ENDO_TRY(endo_context_go_on(f->size.context));
    ENDO_TRY(endo_pattern_motion(&f->size, coarse, f->n, &found.independent));
    if (f->n >= SHOWN && found.independent >= ENDO_PATTERN_LEAST_FRAMES) ENDO_TRY(look(f, pattern, &found));
    if (found.share < ENDO_PATTERN_LEAST_SHARE) clear(&f->size, pattern);
    *info = found;
    return ENDO_OK;
}
