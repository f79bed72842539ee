/* Dark parts of the scene at the border of the field (field_pits.h).
 *
 * A bay is what the circle of the region, or its convex hull, holds beyond it. Where it belongs to the surround its border
 * stands still, and is as sharp in the mean of all frames as the rim of the field. A dark part of the scene fades, or moves
 * with the scene: in the mean of all frames its border is wide. */
#include "field_pits.h"

#include "base/memory.h"
#include "base/status.h"
#include "field_region.h"

#include <math.h>

/* A border is from BEFORE px outside to NEAR px inside of it, if it is sharp, and to FAR px, if it is wide; px of the grid. */
enum { BEFORE = 2, NEAR = 2, FAR = 9 };
/* Depth from which on a bay is more than an uneven rim, px, and fewest pixels of its border that are so deep. */
enum { DEPTH = 4, FEWEST = 16 };
/* Share of a step that a sharp border has over its nearer pixels; and of that share, what one of the scene has at most. */
#define SHARP 0.8
#define WIDE 0.6
/* Share of the rim's step below which a border is none. */
#define FAINT 0.25

/* Steps of the mean grey across a border, added up over its pixels. */
typedef struct border {
    int64_t sharp, whole; /* over the nearer pixels, and over all of them */
    int64_t pixels;
} border;

typedef struct bays {
    const uint32_t *sums;
    uint8_t *region;
    uint8_t *bays; /* 255 in a bay */
    int width, height;
    border rim;
} bays;

static int64_t sum_at(const bays *b, int x, int y) {
    x = x < 0 ? 0 : x >= b->width ? b->width - 1 : x;
    y = y < 0 ? 0 : y >= b->height ? b->height - 1 : y;
    return b->sums[(size_t)y * (size_t)b->width + (size_t)x];
}

static int is_bay(const bays *b, int x, int y) {
    return x >= 0 && y >= 0 && x < b->width && y < b->height && b->bays[(size_t)y * (size_t)b->width + (size_t)x];
}

/* Adds the borders between a pixel that is not in the region and its four neighbours that are, where a bay is deep, or where
 * none is. There the whole step begins as far outside: a rim that moves is wide. */
static void measure(const bays *b, int x, int y, int deep, border *out) {
    static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < 4; k++) {
        int dx = steps[k][0], dy = steps[k][1];
        if (x + dx < 0 || y + dy < 0 || x + dx >= b->width || y + dy >= b->height) continue;
        if (!b->region[(size_t)(y + dy) * (size_t)b->width + (size_t)(x + dx)]) continue;
        if (is_bay(b, x - DEPTH * dx, y - DEPTH * dy) != deep) continue;
        int64_t outside = sum_at(b, x - BEFORE * dx, y - BEFORE * dy);
        out->sharp += sum_at(b, x + NEAR * dx, y + NEAR * dy) - outside;
        if (!deep) outside = sum_at(b, x - FAR * dx, y - FAR * dy);
        out->whole += sum_at(b, x + FAR * dx, y + FAR * dy) - outside;
        out->pixels++;
    }
}

/* Pixels that are looked at together. */
enum { EIGHT = 8 };

static uint64_t eight_at(const uint8_t *pixels) {
    uint64_t eight;
    memcpy(&eight, pixels, sizeof eight);
    return eight;
}

/* Whether some of eight pixels from column x on may have a border: they are not all in the region, and it is in them or beside
 * them. */
static int may_have_border(const bays *b, int x, int y) {
    const uint8_t *row = b->region + (size_t)y * (size_t)b->width + (size_t)x;
    if (x < 1 || y < 1 || x + EIGHT >= b->width || y + 1 >= b->height) return 1;
    if (!~eight_at(row)) return 0;
    return (eight_at(row - 1) | eight_at(row + 1) | eight_at(row - b->width) | eight_at(row + b->width)) != 0;
}

/* Measures the pixels of a row from x to before end that are not in the region. */
static void measure_run(const bays *b, int x, int end, int y, int deep, border *out) {
    const uint8_t *row = b->region + (size_t)y * (size_t)b->width;
    for (int from = x; from < end; from += EIGHT) {
        if (!may_have_border(b, from, y)) continue;
        for (int i = from; i < from + EIGHT && i < end; i++)
            if (!row[i]) measure(b, i, y, deep, out);
    }
}

/* The rim: the border of the region where no bay is deep. */
static void measure_rim(bays *b) {
    b->rim = (border){0};
    for (int y = 0; y < b->height; y++) measure_run(b, 0, b->width, y, 0, &b->rim);
}

static int is_of_scene(const bays *b, const border *o) {
    double sharp = b->rim.whole > 0 ? (double)b->rim.sharp / (double)b->rim.whole : SHARP;
    double faint = b->rim.pixels ? FAINT * (double)b->rim.whole * (double)o->pixels / (double)b->rim.pixels : 0;
    return o->pixels >= FEWEST && (double)o->sharp <= WIDE * sharp * fmax((double)o->whole, faint);
}

/* Fills the bays that are parts of the scene. */
static endo_status fill(bays *b) {
    size_t n;
    run *runs = connected_components(b->bays, b->width, b->height, 255, &n);
    border *borders = runs ? endo_alloc_zeroed(n + 1, sizeof *borders) : NULL;
    if (borders && n > 0) {
        measure_rim(b);
        for (size_t i = 0; i < n; i++)
            measure_run(b, runs[i].left, runs[i].right + 1, runs[i].y, 1, &borders[find_root(runs, (uint32_t)i)]);
        for (size_t i = 0; i < n; i++) {
            uint32_t root = find_root(runs, (uint32_t)i);
            if (is_of_scene(b, &borders[root])) fill_run(b->region, b->width, &runs[i], 255);
        }
    }
    endo_free(borders);
    endo_free(runs);
    return borders ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu bays of a field", n);
}

/* ---------------------------------------------------------------- convex hull */

/* The side of a convex hull: its column in each row. ends: the outermost column of the region in each row, -1: none. side: 1
 * the left, -1 the right. stack: workspace of a number a row. out: NaN where the hull has no pixel. */
static void envelope(const int *ends, int rows, int side, int *stack, double *out) {
    int n = 0;
    for (int y = 0; y < rows; y++) {
        out[y] = NAN;
        if (ends[y] < 0) continue;
        while (n > 1) {
            int a = stack[n - 2], c = stack[n - 1];
            if (side * ((ends[c] - ends[a]) * (y - a) - (ends[y] - ends[a]) * (c - a)) < 0) break;
            n--;
        }
        stack[n++] = y;
    }
    for (int k = 0; k + 1 < n; k++)
        for (int y = stack[k]; y <= stack[k + 1]; y++)
            out[y] = ends[stack[k]] + (double)(ends[stack[k + 1]] - ends[stack[k]]) * (y - stack[k]) / (stack[k + 1] - stack[k]);
    if (n == 1) out[stack[0]] = ends[stack[0]];
}

/* Marks what the convex hull of the region holds beyond it. ends, stack, left, right: workspaces of a number a row. */
static void mark_hull(const bays *b, int *ends, int *stack, double *left, double *right) {
    for (int side = 1; side >= -1; side -= 2) {
        for (int y = 0; y < b->height; y++) {
            const uint8_t *row = b->region + (size_t)y * (size_t)b->width;
            int x = side > 0 ? 0 : b->width - 1;
            while (x >= 0 && x < b->width && !row[x]) x += side;
            ends[y] = x < b->width ? x : -1;
        }
        envelope(ends, b->height, side, stack, side > 0 ? left : right);
    }
    memset(b->bays, 0, (size_t)b->width * (size_t)b->height);
    for (int y = 0; y < b->height; y++) {
        if (isnan(left[y])) continue;
        size_t row = (size_t)y * (size_t)b->width;
        int end = (int)floor(right[y]) + 1;
        for (int x = (int)ceil(left[y]); x < end; x++) b->bays[row + (size_t)x] = (uint8_t)~b->region[row + (size_t)x];
    }
}

static endo_status fill_in_hull(bays *b) {
    size_t rows = (size_t)b->height;
    int *ends = endo_alloc(2 * rows, sizeof *ends);
    double *sides = endo_alloc(2 * rows, sizeof *sides);
    endo_status status = ends && sides ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu rows of a field", rows);
    if (status == ENDO_OK) {
        mark_hull(b, ends, ends + rows, sides, sides + rows);
        status = fill(b);
    }
    endo_free(sides);
    endo_free(ends);
    return status;
}

static endo_status fill_in_disc(bays *b, const uint8_t *disc) {
    size_t area = (size_t)b->width * (size_t)b->height;
    for (size_t i = 0; i < area; i++) b->bays[i] = (uint8_t)(disc[i] & ~b->region[i]);
    return fill(b);
}

endo_status endo_field_fill_pits(const uint32_t *sums, int width, int height, const uint8_t *disc, uint8_t *region) {
    bays b = {.sums = sums, .width = width, .height = height, .region = region};
    b.bays = endo_alloc((size_t)width * (size_t)height, 1);
    if (!b.bays) return endo_fail(ENDO_ERR_MEMORY, "no memory for bays of a field of %d x %d pixels", width, height);
    endo_status status = fill_in_hull(&b);
    if (status == ENDO_OK && disc) status = fill_in_disc(&b, disc);
    endo_free(b.bays);
    return status;
}
