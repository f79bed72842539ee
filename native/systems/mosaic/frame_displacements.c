/* Frames resampled by grids of displacements, in integers (frame_displacements.h). */
#include "frame_displacements.h"

#include "base/memory.h"
#include "base/threads.h"
#include "rules/blend.h"

#include <string.h>

/* Fractional bits of a position between nodes. */
#define BETWEEN_BITS 12
#define BETWEEN (1 << BETWEEN_BITS)
#define ALPHA 0xff000000u

/* ------------------------------------------------------------------------ grids */

static int nodes_along(int side, int longer) {
    int n = (2 * (DISPLACEMENT_NODES - 1) * side + longer) / (2 * longer) + 1;
    return n < 2 ? 2 : n;
}

frame_displacements frame_displacements_of(mosaic_size size, int n) {
    int longer = size.width > size.height ? size.width : size.height;
    return (frame_displacements){
        .size = size,
        .columns = nodes_along(size.width, longer),
        .rows = nodes_along(size.height, longer),
        .n = n,
    };
}

void frame_displacements_free(frame_displacements *displacements) {
    endo_free(displacements->moves);
    displacements->moves = NULL;
}

double frame_displacements_across(const frame_displacements *b) { return (b->size.width - 1.0) / (b->columns - 1); }

double frame_displacements_down(const frame_displacements *b) { return (b->size.height - 1.0) / (b->rows - 1); }

static const int32_t *moves_of(const frame_displacements *b, int frame) {
    return b->moves + 2 * (size_t)frame * (size_t)b->columns * (size_t)b->rows;
}

int frame_displacements_has(const frame_displacements *b, int frame) {
    if (!b || !b->moves || frame >= b->n) return 0;
    const int32_t *moves = moves_of(b, frame);
    for (int i = 0; i < 2 * b->columns * b->rows; i++)
        if (moves[i]) return 1;
    return 0;
}

/* --------------------------------------------------------------------- positions */

/* A position between nodes: after node `first`, in 1/BETWEEN of the way to the next one. */
typedef struct between {
    int first;
    int32_t share;
} between;

/* position: 1/BETWEEN of the way from one node to the next. */
static between between_nodes(int64_t position, int nodes) {
    int first = (int)(position >> BETWEEN_BITS);
    if (first > nodes - 2) first = nodes - 2;
    return (between){.first = first, .share = (int32_t)(position - (int64_t)first * BETWEEN)};
}

/* Between two numbers, with BETWEEN_BITS more fractional bits. */
static int64_t mixed(int64_t a, int64_t b, int32_t share) { return a * BETWEEN + (b - a) * share; }

/* The moves of a row of pixels at each column of nodes, x and y interleaved, BETWEEN_BITS more fractional bits. */
static void mix_rows(const frame_displacements *b, int frame, int y, int64_t *moves) {
    int last = b->size.height > 1 ? b->size.height - 1 : 1;
    between row = between_nodes((int64_t)y * (b->rows - 1) * BETWEEN / last, b->rows);
    const int32_t *above = moves_of(b, frame) + 2 * row.first * b->columns;
    for (int i = 0; i < 2 * b->columns; i++) moves[i] = mixed(above[i], above[i + 2 * b->columns], row.share);
}

/* Where a frame shows what belongs to coordinate `at`, 1/DISPLACEMENT_STEPS px. moves: those of the row, of x or of y. */
static int64_t position_of(const int64_t *moves, between column, int at) {
    int64_t move = mixed(moves[2 * column.first], moves[2 * column.first + 2], column.share);
    return (int64_t)at * DISPLACEMENT_STEPS + ((move + ((int64_t)1 << (2 * BETWEEN_BITS - 1))) >> (2 * BETWEEN_BITS));
}

/* ------------------------------------------------------------------------ pixels */

/* The 4 x 4 pixels around a position: indexes of columns and first pixels of rows, and their weights, in 1/64. */
typedef struct displaced_taps {
    size_t columns[4], rows[4];
    int8_t across[4], down[4];
} displaced_taps;

static size_t within(int64_t i, int side) { return (size_t)(i < 0 ? 0 : i < side ? i : side - 1); }

/* weights: of each fraction of a pixel. */
static displaced_taps taps_at(mosaic_size size, const int8_t weights[][4], int64_t x, int64_t y) {
    displaced_taps t;
    int64_t column = x >> 8;
    int64_t row = y >> 8;
    memcpy(t.across, weights[x & 255], sizeof t.across);
    memcpy(t.down, weights[y & 255], sizeof t.down);
    for (int i = 0; i < 4; i++) {
        t.columns[i] = within(column - 1 + i, size.width);
        t.rows[i] = within(row - 1 + i, size.height) * (size_t)size.width;
    }
    return t;
}

static int32_t rounded(int32_t sum, int32_t most) {
    int32_t value = (sum + 2048) >> 12;
    return value < 0 ? 0 : value > most ? most : value;
}

/* Sums are below 2^16 * (64 * 1.25)^2 < 2^30. */
#define SUM_OF_TAPS(VALUE)                                                                                    \
    int32_t sum = 0;                                                                                          \
    for (int v = 0; v < 4; v++) {                                                                             \
        int32_t along = 0;                                                                                    \
        for (int u = 0; u < 4; u++) along += t->across[u] * (int32_t)(VALUE);                                 \
        sum += t->down[v] * along;                                                                            \
    }

static int32_t grey8(const uint8_t *pixels, const displaced_taps *t) {
    SUM_OF_TAPS(pixels[t->rows[v] + t->columns[u]])
    return rounded(sum, 255);
}

static int32_t grey16(const uint16_t *pixels, const displaced_taps *t) {
    SUM_OF_TAPS(pixels[t->rows[v] + t->columns[u]])
    return rounded(sum, 65535);
}

/* Four channels of a pixel side by side, or of two. */
typedef uint8_t two_pixels __attribute__((vector_size(8)));
typedef int16_t one_pixel_along __attribute__((vector_size(8)));
typedef int16_t two_pixels_along __attribute__((vector_size(16)));
typedef int32_t one_pixel_sum __attribute__((vector_size(16)));

/* Sums along a row are below 255 * 64 * 1.25 < 2^15. */
static uint32_t colour(const uint32_t *pixels, const displaced_taps *t) {
    const int8_t *a = t->across;
    const two_pixels_along left = {a[0], a[0], a[0], a[0], a[1], a[1], a[1], a[1]};
    const two_pixels_along right = {a[2], a[2], a[2], a[2], a[3], a[3], a[3], a[3]};
    one_pixel_sum sum = {0};
    for (int v = 0; v < 4; v++) {
        uint32_t row[4];
        two_pixels pair[2];
        one_pixel_along half[2];
        for (int u = 0; u < 4; u++) row[u] = pixels[t->rows[v] + t->columns[u]];
        memcpy(pair, row, sizeof pair);
        two_pixels_along along = __builtin_convertvector(pair[0], two_pixels_along) * left +
                                 __builtin_convertvector(pair[1], two_pixels_along) * right;
        memcpy(half, &along, sizeof half);
        sum += __builtin_convertvector(half[0] + half[1], one_pixel_sum) * t->down[v];
    }
    return ALPHA | (uint32_t)rounded(sum[2], 255) << 16 | (uint32_t)rounded(sum[1], 255) << 8 | (uint32_t)rounded(sum[0], 255);
}

/* A frame that is resampled. */
typedef struct displaced_frame {
    const frame_displacements *displacements;
    int frame;
    const void *pixels;
    endo_pixel type;
    int8_t weights[256][4];
} displaced_frame;

static void displace_row(const displaced_frame *f, int y, void *out) {
    const frame_displacements *b = f->displacements;
    const void *pixels = f->pixels;
    int64_t moves[2 * DISPLACEMENT_NODES];
    size_t at = (size_t)y * (size_t)b->size.width;
    int last = b->size.width > 1 ? b->size.width - 1 : 1;
    int whole = (b->columns - 1) * BETWEEN / last; /* between two pixels, and what is left of the division */
    int part = (b->columns - 1) * BETWEEN % last;
    int position = 0;
    int rest = 0;
    mix_rows(b, f->frame, y, moves);
    for (int x = 0; x < b->size.width; x++) {
        between column = between_nodes(position, b->columns);
        displaced_taps t = taps_at(b->size, f->weights, position_of(moves, column, x), position_of(moves + 1, column, y));
        position += whole;
        rest += part;
        if (rest >= last) {
            rest -= last;
            position++;
        }
        switch (f->type) {
        case ENDO_GREY8: ((uint8_t *)out)[at + (size_t)x] = (uint8_t)grey8(pixels, &t); break;
        case ENDO_GREY16: ((uint16_t *)out)[at + (size_t)x] = (uint16_t)grey16(pixels, &t); break;
        case ENDO_RGB32:
            ((uint32_t *)out)[at + (size_t)x] = colour(pixels, &t);
            break;
        }
    }
}

void frame_displacements_apply(const frame_displacements *b, int frame, const void *pixels, endo_pixel type, int threads,
                               void *out) {
    int height = b->size.height;
    size_t bytes = (size_t)b->size.width * (size_t)height * endo_pixel_size(type);
    displaced_frame f = {.displacements = b, .frame = frame, .pixels = pixels, .type = type};
    for (int i = 0; i < 256; i++) endo_blend_taps(1, i, f.weights[i]);
#pragma omp parallel for num_threads(endo_frame_threads(threads, bytes)) schedule(static)
    for (int y = 0; y < height; y++) displace_row(&f, y, out);
}
