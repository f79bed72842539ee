/* Overlays in the field of view.
 *
 * A drawn stroke has edges at the same pixels, of the same sign, in every frame, and keeps its grey beside a scene that
 * changes. A scene's edges move with it; where it does not move, many of them stand still, and no overlay is reported. Neither
 * is one where few of the edges that stand still look like a stroke's: those are gaps between the fibres of a bundle. */
#include "field_overlay.h"

#include "base/mask.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/status.h"
#include "field_region.h"

/* Greys are in halves of a level, distances in px. */
enum {
    FEWEST = 12,  /* fewest frames from which an edge that stands still is told */
    STEEP = 12,   /* least step over two pixels of an edge */
    STEADY = 8,   /* most that a stroke's grey changes over the frames */
    LIVELY = 12,  /* least that the scene's greys change at most pixels around a stroke */
    NEAR = 4,     /* how far around a stroke these pixels reach */
    RIM = 6,      /* distance from the region's border, which stands still as well */
    AROUND = 3,   /* distance from an edge that belongs to its stroke */
    BETWEEN = 3,  /* half of the gap between strokes that belongs to the text */
    STROKES = 24, /* fewest pixels of edges in a text */
    SHARE = 4,    /* where there is text, at least one in so many still edges is a stroke's */
    RUN = 256     /* pixels that are handled at once */
};

endo_status endo_overlay_make(int width, int height, endo_field_overlay *out) {
    size_t area = (size_t)width * (size_t)height;
    int8_t *planes = endo_alloc(area, 6);
    *out = (endo_field_overlay){.width = width, .height = height};
    if (!planes) return endo_fail(ENDO_ERR_MEMORY, "no memory to find overlays on %d x %d pixels", width, height);
    for (int k = 0; k < 3; k++) {
        out->least[k] = planes + 2 * (size_t)k * area;
        out->most[k] = out->least[k] + area;
    }
    for (int k = 0; k < 3; k++) {
        memset(out->least[k], INT8_MAX, area);
        memset(out->most[k], INT8_MIN, area);
    }
    return ENDO_OK;
}

void endo_overlay_free(endo_field_overlay *overlay) {
    endo_free(overlay->least[0]);
    overlay->least[0] = NULL;
}

ENDO_SIMD_INLINE int steep(int slope) { return (slope >= STEEP) | (slope <= -STEEP); }

/* Updates the ranges of values seen at pixels of a row, without branches, so that it is vectorized. */
ENDO_SIMD_INLINE void take_values(int8_t *restrict least, int8_t *restrict most, const int8_t *restrict values, int n) {
    for (int x = 0; x < n; x++) {
        least[x] = values[x] < least[x] ? values[x] : least[x];
        most[x] = values[x] > most[x] ? values[x] : most[x];
    }
}

/* Halves of slopes across and down, and of greys, of pixels of a row; and which pixels are edges, 1 or 0. */
typedef struct run_values {
    int8_t numbers[3][RUN];
    uint8_t edges[RUN];
} run_values;

ENDO_SIMD_INLINE void find_values(const uint8_t *restrict row, int width, int n, run_values *restrict values) {
    const uint8_t *above = row - width;
    const uint8_t *below = row + width;
    for (int x = 0; x < n; x++) {
        int16_t across = (int16_t)((int16_t)(row[x + 1] - row[x - 1]) / 2);
        int16_t down = (int16_t)((int16_t)(below[x] - above[x]) / 2);
        values->numbers[0][x] = (int8_t)across;
        values->numbers[1][x] = (int8_t)down;
        values->numbers[2][x] = (int8_t)(row[x] / 2);
        values->edges[x] = (uint8_t)(steep(across) | steep(down));
    }
}

/* Takes n pixels from index `first` on; returns how many are edges. */
ENDO_SIMD_INLINE uint32_t take_run(const endo_field_overlay *o, const uint8_t *grey, size_t first, int n) {
    run_values values;
    uint32_t edges = 0;
    find_values(grey + first, o->width, n, &values);
    for (int k = 0; k < 3; k++) take_values(o->least[k] + first, o->most[k] + first, values.numbers[k], n);
    for (int x = 0; x < n; x++) edges += values.edges[x];
    return edges;
}

ENDO_SIMD_INLINE void take_runs(const endo_field_overlay *o, const uint8_t *grey, int y, uint64_t *edges) {
    *edges = 0;
    for (int x = 1; x < o->width - 1; x += RUN) {
        int n = o->width - 1 - x < RUN ? o->width - 1 - x : RUN;
        *edges += take_run(o, grey, (size_t)y * (size_t)o->width + (size_t)x, n);
    }
}

ENDO_SIMD_LOOP(take_rows, take_runs, (const endo_field_overlay *o, const uint8_t *grey, int y, uint64_t *edges),
               (o, grey, y, edges))

uint64_t endo_overlay_take_row(endo_field_overlay *o, const uint8_t *grey, int y, endo_cpu cpu) {
    uint64_t edges;
    if (y < 1 || y >= o->height - 1) return 0;
    take_rows[endo_simd_best(cpu)](o, grey, y, &edges);
    return edges;
}

void endo_overlay_count(endo_field_overlay *o, int n, uint64_t edges) { o->frames += n, o->edges += edges; }

/* ----------------------------------------------------------------- deciding */

/* Whether each of n pixels from index `first` on is an edge that stands still inside the region; returns whether some are. */
static int find_still_edges(const endo_field_overlay *o, const uint8_t *restrict inner, size_t first, int n,
                            uint8_t *restrict still) {
    uint8_t some = 0;
    memset(still, 0, (size_t)n);
    for (int k = 0; k < 2; k++) {
        const int8_t *least = o->least[k] + first;
        const int8_t *most = o->most[k] + first;
        for (int x = 0; x < n; x++) still[x] |= (uint8_t)((least[x] >= STEEP) | (most[x] <= -STEEP));
    }
    for (int x = 0; x < n; x++) some |= still[x] &= inner[first + (size_t)x] != 0;
    return some;
}

static int range_of_grey(const endo_field_overlay *o, size_t i) { return o->most[2][i] - o->least[2][i]; }

/* Whether some pixel beside the edge keeps its grey, and most of those around it do not. */
static int is_stroke(const endo_field_overlay *o, int x, int y) {
    int least = 255, lively = 0;
    for (int dy = -NEAR; dy <= NEAR; dy++)
        for (int dx = -NEAR; dx <= NEAR; dx++) {
            int range = range_of_grey(o, (size_t)(y + dy) * (size_t)o->width + (size_t)(x + dx));
            if (dx * dx + dy * dy <= 8 && range < least) least = range;
            lively += range >= LIVELY;
        }
    return least <= STEADY && 2 * lively > (2 * NEAR + 1) * (2 * NEAR + 1);
}

/* Edges that stand still inside the region, and how many of them are a stroke's. */
typedef struct still_edges {
    size_t all;
    size_t strokes;
} still_edges;

/* Marks with 255 strokes' edges that stand still inside the region, of n pixels of row y from x on. */
static void mark_run(const endo_field_overlay *o, const uint8_t *inner, int x, int y, int n, uint8_t *marks, still_edges *edges) {
    uint8_t still[RUN];
    size_t first = (size_t)y * (size_t)o->width + (size_t)x;
    if (!find_still_edges(o, inner, first, n, still)) return;
    for (int i = 0; i < n; i++) {
        if (!still[i]) continue;
        edges->all++;
        if (is_stroke(o, x + i, y)) marks[first + (size_t)i] = 255, edges->strokes++;
    }
}

static still_edges mark(const endo_field_overlay *o, const uint8_t *inner, uint8_t *marks) {
    still_edges edges = {0};
    memset(marks, 0, (size_t)o->width * (size_t)o->height);
    for (int y = NEAR; y < o->height - NEAR; y++)
        for (int x = NEAR; x < o->width - NEAR; x += RUN) {
            int n = o->width - NEAR - x < RUN ? o->width - NEAR - x : RUN;
            mark_run(o, inner, x, y, n, marks, &edges);
        }
    return edges;
}

static void invert(uint8_t *mask, size_t area) {
    for (size_t i = 0; i < area; i++) mask[i] ^= 255;
}

/* text: the marks, and pixels around and between them. scratch: workspace of that size. */
static endo_status gather(const endo_field_overlay *o, const uint8_t *marks, uint8_t *scratch, uint8_t *text) {
    size_t area = (size_t)o->width * (size_t)o->height;
    memcpy(text, marks, area);
    invert(text, area);
    endo_status status = endo_mask_erode(text, o->width, o->height, AROUND + BETWEEN, 1, scratch);
    invert(scratch, area);
    return status == ENDO_OK ? endo_mask_erode(scratch, o->width, o->height, BETWEEN, 1, text) : status;
}

/* Keeps the connected components of a text that have enough marks. */
static endo_status drop_specks(const endo_field_overlay *o, const uint8_t *marks, uint8_t *text) {
    size_t n;
    run *runs = connected_components(text, o->width, o->height, 255, &n);
    if (!runs) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu parts of overlays", n);
    for (size_t i = 0; i < n; i++) runs[i].area = 0;
    for (size_t i = 0; i < n; i++)
        for (int x = runs[i].left; x <= runs[i].right; x++)
            runs[find_root(runs, (uint32_t)i)].area += marks[(size_t)runs[i].y * (size_t)o->width + (size_t)x] & 1;
    for (size_t i = 0; i < n; i++)
        if (runs[find_root(runs, (uint32_t)i)].area < STROKES) fill_run(text, o->width, &runs[i], 0);
    endo_free(runs);
    return ENDO_OK;
}

/* Finds the text. planes: workspace of three planes of the region's size; the first becomes the text. */
static endo_status find_text(const endo_field_overlay *o, const uint8_t *region, uint8_t *planes) {
    size_t area = (size_t)o->width * (size_t)o->height;
    uint8_t *text = planes, *marks = planes + area, *scratch = planes + 2 * area;
    endo_status status = endo_mask_erode(region, o->width, o->height, RIM, 1, scratch);
    if (status != ENDO_OK) return status;
    still_edges still = mark(o, scratch, marks);
    memset(text, 0, area);
    /* Where more than a third of a frame's edges stand still, these are the scene's, or a bundle's fibres. */
    if (still.all == 0 || 3 * still.all * (size_t)o->frames > o->edges || SHARE * still.strokes < still.all) return ENDO_OK;
    status = gather(o, marks, scratch, text);
    return status == ENDO_OK ? drop_specks(o, marks, text) : status;
}

/* Returns whether there was something to take away. */
static int take_away(const uint8_t *restrict text, size_t area, uint8_t *restrict region) {
    uint8_t some = 0;
    for (size_t i = 0; i < area; i++) {
        some |= text[i];
        region[i] &= (uint8_t)~text[i];
    }
    return some != 0;
}

endo_status endo_overlay_carve(const endo_field_overlay *o, uint8_t *region, int *carved) {
    *carved = 0;
    if (o->frames < FEWEST) return ENDO_OK;
    size_t area = (size_t)o->width * (size_t)o->height;
    uint8_t *planes = endo_alloc(area, 3);
    if (!planes) return endo_fail(ENDO_ERR_MEMORY, "no memory to find overlays on %d x %d pixels", o->width, o->height);
    endo_status status = find_text(o, region, planes);
    if (status == ENDO_OK) *carved = take_away(planes, area, region);
    endo_free(planes);
    return status;
}
