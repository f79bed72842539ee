/* A frame's small picture: integer means of its cells. Within a row of cells the pixels are added along each column, and then
 * the columns of each cell. */
#include "light.h"

#include "base/simd.h"
#include "rules/grey.h"

#include <string.h>

/* 8-bit value from which on a pixel counts as clipped. */
#define CLIPPED 250

/* Bounds of the pixels that are read of a cell: every `step` pixels from half a step on; right and bottom exclusive. */
typedef struct span {
    int left, top, right, bottom;
} span;

static span span_of(const light_frame *f, const light_grid *g, size_t cell) {
    int x = (int)(cell % (size_t)g->columns) * g->side, y = (int)(cell / (size_t)g->columns) * g->side;
    int half = g->step / 2, right = x + g->side, bottom = y + g->side;
    span s = {x + half, y + half, right < f->width ? right : f->width, bottom < f->height ? bottom : f->height};
    return s;
}

void light_count_inside(const light_frame *f, const light_grid *g, const uint8_t *field, int threads, uint16_t *inside) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < light_cells(g); i++) {
        span s = span_of(f, g, i);
        for (int y = s.top; y < s.bottom; y += g->step)
            for (int x = s.left; x < s.right; x += g->step) inside[i] += field[(size_t)y * (size_t)f->width + x] & 1;
    }
}

/* ------------------------------------------------------------- what is read */

/* The columns of a row that are read, and the first of them in each cell. */
typedef struct columns {
    int n, first[LIGHT_CELLS + 1];
    int even; /* distance between all of them, the first half of it from the edge; 0: it is less at the cells' borders */
    int32_t x[LIGHT_CELLS * LIGHT_READ];
} columns;

static void find_columns(const light_frame *f, const light_grid *g, columns *out) {
    out->n = 0;
    out->even = g->side % g->step ? 0 : g->step;
    for (int c = 0; c < g->columns; c++) {
        span s = span_of(f, g, (size_t)c);
        out->first[c] = out->n;
        for (int x = s.left; x < s.right; x += g->step) out->x[out->n++] = x;
    }
    out->first[g->columns] = out->n;
}

/* Rows that are read of a row of cells, unless the frame ends in it. */
static int rows_of(const light_grid *g) { return (g->side - g->step / 2 + g->step - 1) / g->step; }

size_t light_reads(const light_grid *g) { return (size_t)(g->rows * rows_of(g)) * LIGHT_CELLS * LIGHT_READ; }

void light_read_field(const light_frame *f, const light_grid *g, const uint8_t *field, uint8_t *out) {
    columns c;
    find_columns(f, g, &c);
    for (int row = 0; row < g->rows; row++) {
        span at = span_of(f, g, (size_t)row * (size_t)g->columns);
        uint8_t *to = out + (size_t)(row * rows_of(g) * c.n);
        for (int y = at.top; y < at.bottom; y += g->step, to += c.n)
            for (int i = 0; i < c.n; i++) to[i] = field[(size_t)y * (size_t)f->width + (size_t)c.x[i]] & 1 ? 255 : 0;
    }
}

/* Values of a row at the columns; most frames have them one or two apart. */
#define ENDO_LIGHT_PICK(name, type)                                                     \
    ENDO_SIMD_INLINE void name(const columns *c, const type *row, uint32_t *out) {      \
        if (c->even == 1)                                                               \
            for (int i = 0; i < c->n; i++) out[i] = row[i];                             \
        else if (c->even == 2)                                                          \
            for (int i = 0; i < c->n; i++) out[i] = row[2 * i + 1];                     \
        else                                                                            \
            for (int i = 0; i < c->n; i++) out[i] = row[c->x[i]];                       \
    }
ENDO_LIGHT_PICK(pick_8, uint8_t)
ENDO_LIGHT_PICK(pick_16, uint16_t)
ENDO_LIGHT_PICK(pick_32, uint32_t)

ENDO_SIMD_INLINE void pick(const columns *c, endo_pixel type, const void *row, uint32_t *out) {
    if (type == ENDO_GREY8) pick_8(c, row, out);
    else if (type == ENDO_GREY16) pick_16(c, row, out);
    else pick_32(c, row, out);
}

/* ----------------------------------------------------------------- addition */

/* Sums of every column, two in a number, the first in the upper half: red and blue, and the count and green; or grey, and the
 * count. At most sixteen rows are added, so that none overflows. */
typedef struct column_sums {
    uint32_t outer[LIGHT_CELLS * LIGHT_READ], inner[LIGHT_CELLS * LIGHT_READ];
} column_sums;

/* The highest bit of every byte of a pixel that is `level` or more; level: above 128. */
ENDO_SIMD_INLINE uint32_t at_least(uint32_t rgb, uint32_t level) {
    return ((rgb & 0x7f7f7f) + (256 - level) * 0x010101) & rgb & 0x808080;
}

/* All ones where the field, 255 or 0, is. */
ENDO_SIMD_INLINE uint32_t inside(uint8_t field) { return (uint32_t)(int8_t)field; }

/* Adds pixels without branches, by masks of all ones or zeros. */
ENDO_SIMD_INLINE void add_rgb(const uint32_t *rgb, const uint8_t *field, int n, column_sums *s) {
    for (int i = 0; i < n; i++) {
        uint32_t may_shine = at_least(rgb[i], ENDO_SPECULAR_RGB) == 0x808080 && !endo_is_grey_rgb(rgb[i]);
        uint32_t counts = at_least(rgb[i], CLIPPED) == 0 && !may_shine;
        uint32_t all = inside(field[i]) & (0 - counts);
        s->outer[i] += rgb[i] & 0xff00ff & all;
        s->inner[i] += ((rgb[i] >> 8 & 255) | 0x10000) & all;
    }
}

ENDO_SIMD_INLINE void add_grey(const uint32_t *grey, const uint8_t *field, int n, uint32_t most, column_sums *s) {
    for (int i = 0; i < n; i++) {
        uint32_t all = inside(field[i]) & (0 - (uint32_t)(grey[i] <= most));
        s->outer[i] += grey[i] & all;
        s->inner[i] += 1 & all;
    }
}

/* Adds a row of the frame. field: 255 or 0 at the columns. */
ENDO_SIMD_INLINE void add_any(const light_frame *f, const columns *c, const void *row, const uint8_t *field,
                              column_sums *s) {
    uint32_t values[LIGHT_CELLS * LIGHT_READ];
    pick(c, f->type, row, values);
    if (f->type == ENDO_RGB32) add_rgb(values, field, c->n, s);
    else add_grey(values, field, c->n, f->type == ENDO_GREY8 ? CLIPPED - 1 : (uint32_t)f->high, s);
}

ENDO_SIMD_LOOP(add_row, add_any,
               (const light_frame *f, const columns *c, const void *row, const uint8_t *field, column_sums *s),
               (f, c, row, field, s))

/* ------------------------------------------------------------------- cells */

typedef struct sums {
    uint32_t channels[LIGHT_CHANNELS], n;
} sums;

static sums add_columns(endo_pixel type, const column_sums *s, int first, int end) {
    sums out = {{0}, 0};
    for (int i = first; i < end && type == ENDO_RGB32; i++) {
        out.channels[0] += s->outer[i] >> 16;
        out.channels[1] += s->inner[i] & 0xffff;
        out.channels[2] += s->outer[i] & 0xffff;
        out.n += s->inner[i] >> 16;
    }
    for (int i = first; i < end && type != ENDO_RGB32; i++) {
        out.channels[0] += s->outer[i];
        out.n += s->inner[i];
    }
    return out;
}

/* Mean and share of a cell. whole: pixels that are read of a full cell. */
static light_cell cell_of(const endo_light *light, const sums *s, uint32_t inside, uint32_t whole) {
    uint32_t unit = light->frame.type == ENDO_GREY16 ? 1 : 256;
    light_cell cell = {{0}, 0};
    /* Without its bright pixels a cell would look darker than it is. */
    if (4 * s->n < 3 * inside || 4 * s->n < whole) return cell;
    for (int c = 0; c < LIGHT_CHANNELS; c++) cell.mean[c] = (uint16_t)((s->channels[c] * unit + s->n / 2) / s->n);
    cell.share = (uint16_t)(65535u * s->n / whole);
    return cell;
}

/* Longest row that is asked for beforehand, bytes. */
#define FETCHED 8192

/* Asks memory for the row that is read next: no processor foresees rows that are apart. */
static void fetch(const uint8_t *row, size_t bytes) {
    for (size_t i = 0; i < bytes && bytes <= FETCHED; i += 64) __builtin_prefetch(row + i);
}

/* The columns' sums over a row of cells. inside: the field in its first row. */
static void add_rows(const endo_light *light, const columns *c, const span *at, const uint8_t *inside, const void *pixels,
                     ptrdiff_t stride, column_sums *s) {
    const light_frame *f = &light->frame;
    size_t size = endo_pixel_size(f->type), n = (size_t)c->n * sizeof(uint32_t);
    endo_cpu set = endo_simd_best(light->context->cpu);
    size_t next = (size_t)light->grid.step * (size_t)stride * size;
    memset(s->outer, 0, n), memset(s->inner, 0, n);
    for (int y = at->top; y < at->bottom; y += light->grid.step, inside += c->n) {
        const uint8_t *row = (const uint8_t *)pixels + (size_t)y * (size_t)stride * size;
        if (y + light->grid.step < f->height) fetch(row + next, (size_t)f->width * size);
        add_row[set](f, c, row, inside, s);
    }
}

void light_shrink(const endo_light *light, const void *pixels, ptrdiff_t stride, light_cell *cells) {
    const light_grid *g = &light->grid;
    uint32_t along = (uint32_t)((g->side + g->step - 1) / g->step);
    columns c;
    column_sums all;
    find_columns(&light->frame, g, &c);
    for (int row = 0; row < g->rows; row++) {
        size_t first = (size_t)row * (size_t)g->columns;
        span at = span_of(&light->frame, g, first);
        add_rows(light, &c, &at, light->read + (size_t)(row * rows_of(g) * c.n), pixels, stride, &all);
        for (int i = 0; i < g->columns; i++) {
            sums s = add_columns(light->frame.type, &all, c.first[i], c.first[i + 1]);
            cells[first + (size_t)i] = cell_of(light, &s, light->inside[first + (size_t)i], along * along);
        }
    }
}
