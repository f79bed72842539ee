/* Where a lens shows what, and frames resampled by that (lens.h). */
#include "lens.h"

#include "base/thread_pool.h"
#include "base/memory.h"

#include <math.h>
#include <omp.h>

double lens_shown(double percent, mosaic_size size, double square) {
    double lambda = percent / 100;
    double half = (size.width > size.height ? size.width : size.height) / 2.0;
    double root = 1 - 4 * lambda * square / (half * half);
    return root < 0 ? (double)NAN : 2 / (1 + sqrt(root));
}

/* ---------------------------------------------------------------------- table */

#define ENTRIES 4096
#define FACTOR_BITS 24
/* Places are in half pixels about the middle; so many bits less make 32nds of a pixel of them. */
#define PLACE_BITS (FACTOR_BITS - 4)

struct lens_table {
    mosaic_size size;
    int shift; /* squares of distances, quarters of px^2, are so many bits finer than the entries */
    int known; /* entries before that of the first place that no frame shows */
    int64_t factors[ENTRIES + 2];
};

endo_status lens_table_create(double percent, mosaic_size size, lens_table **out) {
    lens_table *t = endo_alloc_zeroed(1, sizeof *t);
    if (!t) return endo_fail(ENDO_ERR_MEMORY, "no memory for the table of a lens");
    int64_t most = (int64_t)size.width * size.width + (int64_t)size.height * size.height;
    t->size = size;
    while (most >> t->shift >= ENTRIES) t->shift++;
    int n = (int)(most >> t->shift) + 2;
    for (; t->known < n; t->known++) {
        double factor = lens_shown(percent, size, (double)((int64_t)t->known << t->shift) / 4.0);
        if (isnan(factor)) break;
        t->factors[t->known] = (int64_t)floor(factor * (1 << FACTOR_BITS) + 0.5);
    }
    *out = t;
    return ENDO_OK;
}

void lens_table_destroy(lens_table **table) {
    endo_free(*table);
    *table = NULL;
}

static int place(int64_t about_the_middle, int side) {
    int64_t rounded = (about_the_middle + ((int64_t)1 << (PLACE_BITS - 1))) >> PLACE_BITS;
    return (int)(LENS_STEPS / 2 * (side - 1) + rounded);
}

static int is_inside(int place, int side) {
    return place >= -LENS_STEPS / 2 && place < LENS_STEPS * side - LENS_STEPS / 2;
}

void lens_table_row(const lens_table *t, int y, int32_t *columns, int32_t *rows) {
    int width = t->size.width;
    int height = t->size.height;
    int64_t down = 2 * (int64_t)y - (height - 1);
    for (int x = 0; x < width; x++) {
        int64_t across = 2 * (int64_t)x - (width - 1);
        int64_t square = across * across + down * down;
        int entry = (int)(square >> t->shift);
        if (entry + 1 >= t->known) {
            columns[x] = LENS_NOWHERE;
            continue;
        }
        int64_t part = square & (((int64_t)1 << t->shift) - 1);
        int64_t factor = t->factors[entry] + (((t->factors[entry + 1] - t->factors[entry]) * part) >> t->shift);
        int column = place(across * factor, width);
        int row = place(down * factor, height);
        columns[x] = is_inside(column, width) && is_inside(row, height) ? column : LENS_NOWHERE;
        rows[x] = row;
    }
}

static int nearest(int place) { return (place + LENS_STEPS / 2) >> 5; }

endo_status lens_table_mask(const lens_table *t, const uint8_t *of_frames, uint8_t *mask) {
    int width = t->size.width;
    int32_t *places = endo_alloc(2 * (size_t)width, sizeof *places);
    if (!places) return endo_fail(ENDO_ERR_MEMORY, "no memory for a row of %d places of a lens", width);
    int32_t *columns = places;
    int32_t *rows = places + width;
    for (int y = 0; y < t->size.height; y++) {
        uint8_t *to = mask + (size_t)y * (size_t)width;
        lens_table_row(t, y, columns, rows);
        for (int x = 0; x < width; x++) {
            to[x] = 0;
            if (columns[x] == LENS_NOWHERE) continue;
            to[x] = of_frames ? of_frames[(size_t)nearest(rows[x]) * (size_t)width + (size_t)nearest(columns[x])] : 255;
        }
    }
    endo_free(places);
    return ENDO_OK;
}

/* --------------------------------------------------------------------- pixels */

#define TAPS 16
#define BITS 11
/* Pixels that a frame is continued by on each side. */
#define EDGE 2
/* Bits of a colour in 64. */
#define LANE 21
/* Added to each colour, so that none is negative; and what rounds it. */
#define BIAS ((uint64_t)1 << (LANE - 1))
#define BIASES ((BIAS + (1 << (BITS - 1))) * (1 + ((uint64_t)1 << LANE) + ((uint64_t)1 << 2 * LANE)))

#define MOST_BANDS 8
/* Rows that are worth a thread. */
#define LEAST_ROWS 32

struct straight_pixels {
    const lens_table *table;
    endo_pixel type;
    mosaic_size size;
    size_t stride;
    int32_t *grey;     /* the frame with its edge, where it is of one colour */
    uint64_t *colours; /* or of three in 64 bits */
    int16_t weights[LENS_STEPS * LENS_STEPS * TAPS];
    int keeps;        /* the places of all rows are there; else of one row a band */
    int32_t *first;   /* the first of the 4 x 4 pixels around each place; negative: no frame shows it */
    int16_t *weight;  /* number of their weights */
    int32_t *scratch; /* columns and rows, of one row a band */
    int bands;
    endo_thread_pool *crew;
    const void *shown;
    void *made;
};

static double cubic(double t) {
    double a = fabs(t);
    return a < 1 ? (1.5 * a - 2.5) * a * a + 1 : a < 2 ? ((-0.5 * a + 2.5) * a - 4) * a + 2 : 0;
}

/* The tap that has most weight bears what rounding leaves. */
static int heaviest(int step) {
    int down = step / LENS_STEPS < LENS_STEPS / 2 ? 4 : 8;
    return down + (step % LENS_STEPS < LENS_STEPS / 2 ? 1 : 2);
}

/* For each step down and across 16 weights, row by row, that add up to 2^11. */
static void make_weights(int16_t *all) {
    for (int step = 0; step < LENS_STEPS * LENS_STEPS; step++) {
        int16_t *of_step = all + step * TAPS;
        int left = 1 << BITS;
        for (int tap = 0; tap < TAPS; tap++) {
            double down = cubic(tap / 4 - 1 - (double)(step / LENS_STEPS) / LENS_STEPS);
            double across = cubic(tap % 4 - 1 - (double)(step % LENS_STEPS) / LENS_STEPS);
            of_step[tap] = (int16_t)floor(down * across * (1 << BITS) + 0.5);
            left -= of_step[tap];
        }
        of_step[heaviest(step)] = (int16_t)(of_step[heaviest(step)] + left);
    }
}

/* The places of a row, to at on of first and weight. */
static void find_row(straight_pixels *s, int y, size_t at, int32_t *scratch) {
    int32_t *columns = scratch;
    int32_t *rows = scratch + s->size.width;
    lens_table_row(s->table, y, columns, rows);
    for (int x = 0; x < s->size.width; x++) {
        s->first[at + (size_t)x] = -1;
        if (columns[x] == LENS_NOWHERE) continue;
        int row = (rows[x] >> 5) - 1 + EDGE;
        int column = (columns[x] >> 5) - 1 + EDGE;
        s->first[at + (size_t)x] = (int32_t)((size_t)row * s->stride + (size_t)column);
        s->weight[at + (size_t)x] = (int16_t)((rows[x] & (LENS_STEPS - 1)) * LENS_STEPS + (columns[x] & (LENS_STEPS - 1)));
    }
}

static int first_row(const straight_pixels *s, size_t band) {
    return (int)((int64_t)s->size.height * (int64_t)band / s->bands);
}

static void find_band(void *straight, size_t band, int member) {
    straight_pixels *s = straight;
    int32_t *scratch = s->scratch + band * 2 * (size_t)s->size.width;
    (void)member;
    for (int y = first_row(s, band); y < first_row(s, band + 1); y++)
        find_row(s, y, (size_t)y * (size_t)s->size.width, scratch);
}

static endo_status allocate(straight_pixels *s) {
    size_t width = (size_t)s->size.width;
    size_t area = s->stride * ((size_t)s->size.height + 2 * EDGE);
    size_t places = width * (size_t)(s->keeps ? s->size.height : s->bands);
    if (s->type == ENDO_RGB32)
        s->colours = endo_alloc(area, sizeof *s->colours);
    else
        s->grey = endo_alloc(area, sizeof *s->grey);
    s->first = endo_alloc(places, sizeof *s->first);
    s->weight = endo_alloc_zeroed(places, sizeof *s->weight);
    s->scratch = endo_alloc((size_t)s->bands * 2 * width, sizeof *s->scratch);
    if ((s->colours || s->grey) && s->first && s->weight && s->scratch) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for frames of %d x %d px without the distortion of their lens", s->size.width,
                     s->size.height);
}

endo_status straight_pixels_create(const lens_table *table, endo_pixel type, mosaic_size size, int threads, int64_t most_kept,
                                   straight_pixels **out) {
    straight_pixels *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory to take out the distortion of a lens");
    int most = size.height / LEAST_ROWS;
    if (threads < 1) threads = omp_get_num_procs();
    s->table = table;
    s->type = type;
    s->size = size;
    s->stride = (size_t)size.width + 2 * EDGE;
    s->keeps = (int64_t)size.width * size.height <= most_kept;
    s->bands = threads < MOST_BANDS ? threads : MOST_BANDS;
    if (s->bands > most) s->bands = most < 1 ? 1 : most;
    make_weights(s->weights);
    endo_status status = allocate(s);
    if (status != ENDO_OK) {
        straight_pixels_destroy(&s);
        return status;
    }
    if (s->bands > 1) s->crew = endo_thread_pool_create(s->bands);
    if (s->keeps) endo_thread_pool_run(s->crew, (size_t)s->bands, find_band, s);
    *out = s;
    return ENDO_OK;
}

void straight_pixels_destroy(straight_pixels **straight) {
    straight_pixels *s = *straight;
    *straight = NULL;
    if (!s) return;
    endo_thread_pool_destroy(&s->crew);
    endo_free(s->grey);
    endo_free(s->colours);
    endo_free(s->first);
    endo_free(s->weight);
    endo_free(s->scratch);
    endo_free(s);
}

/* -------------------------------------------------------------------- reading */

static void read_colours(straight_pixels *s, const uint32_t *from, uint64_t *to) {
    int width = s->size.width;
    for (int x = 0; x < width; x++) {
        uint64_t rgb = from[x];
        to[EDGE + x] = (rgb & 0xff0000) << (2 * LANE - 16) | (rgb & 0xff00) << (LANE - 8) | (rgb & 0xff);
    }
    for (int i = 0; i < EDGE; i++) {
        to[i] = to[EDGE];
        to[EDGE + width + i] = to[EDGE + width - 1];
    }
}

static void read_grey(straight_pixels *s, size_t from, int32_t *to) {
    int width = s->size.width;
    const uint8_t *grey8 = (const uint8_t *)s->shown + from;
    const uint16_t *grey16 = (const uint16_t *)s->shown + from;
    if (s->type == ENDO_GREY8)
        for (int x = 0; x < width; x++) to[EDGE + x] = grey8[x];
    else
        for (int x = 0; x < width; x++) to[EDGE + x] = grey16[x];
    for (int i = 0; i < EDGE; i++) {
        to[i] = to[EDGE];
        to[EDGE + width + i] = to[EDGE + width - 1];
    }
}

/* Rows of a band, and beside the first and the last row of the frame the edge. */
static void read_band(void *straight, size_t band, int member) {
    straight_pixels *s = straight;
    int height = s->size.height;
    int from = band == 0 ? -EDGE : first_row(s, band);
    int to = band + 1 == (size_t)s->bands ? height + EDGE : first_row(s, band + 1);
    (void)member;
    for (int y = from; y < to; y++) {
        int row = y < 0 ? 0 : y < height ? y : height - 1;
        size_t at = (size_t)row * (size_t)s->size.width;
        size_t edged = (size_t)(y + EDGE) * s->stride;
        if (s->colours)
            read_colours(s, (const uint32_t *)s->shown + at, s->colours + edged);
        else
            read_grey(s, at, s->grey + edged);
    }
}

/* -------------------------------------------------------------------- writing */

/* Of a sum of colours with its biases: 0..255. */
static uint32_t colour(uint64_t sum, int lane) {
    int value = (int)(sum >> (lane * LANE + BITS) & ((1 << (LANE - BITS)) - 1)) - (int)(BIAS >> BITS);
    return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void write_colours(const straight_pixels *s, size_t places, uint32_t *to) {
    for (int x = 0; x < s->size.width; x++) {
        int32_t first = s->first[places + (size_t)x];
        to[x] = 0xff000000;
        if (first < 0) continue;
        const uint64_t *from = s->colours + first;
        const int16_t *weights = s->weights + s->weight[places + (size_t)x] * TAPS;
        uint64_t sum = BIASES;
        for (int j = 0; j < 4; j++, from += s->stride, weights += 4)
            for (int i = 0; i < 4; i++) sum += from[i] * (uint64_t)(int64_t)weights[i];
        to[x] |= colour(sum, 2) << 16 | colour(sum, 1) << 8 | colour(sum, 0);
    }
}

static int grey(const straight_pixels *s, size_t place, int most) {
    int32_t first = s->first[place];
    if (first < 0) return 0;
    const int32_t *from = s->grey + first;
    const int16_t *weights = s->weights + s->weight[place] * TAPS;
    int sum = 1 << (BITS - 1);
    for (int j = 0; j < 4; j++, from += s->stride, weights += 4)
        for (int i = 0; i < 4; i++) sum += from[i] * weights[i];
    int value = sum >> BITS;
    return value < 0 ? 0 : value > most ? most : value;
}

static void write_row(const straight_pixels *s, int y, size_t places) {
    size_t width = (size_t)s->size.width;
    size_t at = (size_t)y * width;
    if (s->colours) {
        write_colours(s, places, (uint32_t *)s->made + at);
    } else if (s->type == ENDO_GREY8) {
        for (size_t x = 0; x < width; x++) ((uint8_t *)s->made)[at + x] = (uint8_t)grey(s, places + x, 255);
    } else {
        for (size_t x = 0; x < width; x++) ((uint16_t *)s->made)[at + x] = (uint16_t)grey(s, places + x, 65535);
    }
}

static void write_band(void *straight, size_t band, int member) {
    straight_pixels *s = straight;
    size_t width = (size_t)s->size.width;
    (void)member;
    for (int y = first_row(s, band); y < first_row(s, band + 1); y++) {
        size_t places = (s->keeps ? (size_t)y : band) * width;
        if (!s->keeps) find_row(s, y, places, s->scratch + band * 2 * width);
        write_row(s, y, places);
    }
}

void straight_pixels_resample(straight_pixels *s, const void *shown, void *made) {
    s->shown = shown;
    s->made = made;
    endo_thread_pool_run(s->crew, (size_t)s->bands, read_band, s);
    endo_thread_pool_run(s->crew, (size_t)s->bands, write_band, s);
}
