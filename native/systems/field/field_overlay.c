/* Overlays in the field of view.
 *
 * A drawn stroke has edges at the same pixels, of the same sign, in every frame, and keeps its grey beside a scene that
 * changes. A scene's edges move with it; where it does not move, many of them stand still, and no overlay is reported. Neither
 * is one where few of the edges that stand still look like a stroke's: those are gaps between the fibres of a bundle. */
#include "field_overlay.h"

#include "base/mask.h"
#include "base/memory.h"
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
    for (size_t i = 0; i < area; i++)
        for (int k = 0; k < 3; k++) {
            out->least[k][i] = INT8_MAX;
            out->most[k][i] = INT8_MIN;
        }
    return ENDO_OK;
}

void endo_overlay_free(endo_field_overlay *overlay) {
    endo_free(overlay->least[0]);
    overlay->least[0] = NULL;
}

static int steep(int slope) { return slope >= STEEP || slope <= -STEEP; }

/* Updates the ranges of values seen at pixels of a row, without branches, so that it is vectorized. */
static void take_values(int8_t *restrict least, int8_t *restrict most, const int8_t *restrict values, int n) {
    for (int x = 0; x < n; x++) {
        least[x] = values[x] < least[x] ? values[x] : least[x];
        most[x] = values[x] > most[x] ? values[x] : most[x];
    }
}

/* Takes n pixels from index `first` on; returns how many are edges. values: workspace of slopes across, down, and greys. */
static uint64_t take_run(endo_field_overlay *o, const uint8_t *grey, size_t first, int n, int8_t (*values)[RUN]) {
    const uint8_t *row = grey + first, *above = row - o->width, *below = row + o->width;
    int edges = 0;
    for (int x = 0; x < n; x++) {
        int across = (row[x + 1] - row[x - 1]) / 2, down = (below[x] - above[x]) / 2;
        values[0][x] = (int8_t)across;
        values[1][x] = (int8_t)down;
        values[2][x] = (int8_t)(row[x] / 2);
        edges += steep(across) | steep(down);
    }
    for (int k = 0; k < 3; k++) take_values(o->least[k] + first, o->most[k] + first, values[k], n);
    return (uint64_t)edges;
}

uint64_t endo_overlay_take_row(endo_field_overlay *o, const uint8_t *grey, int y) {
    int8_t values[3][RUN];
    uint64_t edges = 0;
    if (y < 1 || y >= o->height - 1) return 0;
    for (int x = 1; x < o->width - 1; x += RUN) {
        int n = o->width - 1 - x < RUN ? o->width - 1 - x : RUN;
        edges += take_run(o, grey, (size_t)y * (size_t)o->width + (size_t)x, n, values);
    }
    return edges;
}

void endo_overlay_count(endo_field_overlay *o, int n, uint64_t edges) { o->frames += n, o->edges += edges; }

/* ----------------------------------------------------------------- deciding */

static int is_still_edge(const endo_field_overlay *o, size_t i) {
    for (int k = 0; k < 2; k++)
        if (o->least[k][i] >= STEEP || o->most[k][i] <= -STEEP) return 1;
    return 0;
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

/* Marks with 255 strokes' edges that stand still inside the region; returns how many edges stand still. *strokes: how many of
 * them are a stroke's. */
static size_t mark(const endo_field_overlay *o, const uint8_t *inner, uint8_t *marks, size_t *strokes) {
    size_t still = 0;
    *strokes = 0;
    memset(marks, 0, (size_t)o->width * (size_t)o->height);
    for (int y = NEAR; y < o->height - NEAR; y++)
        for (int x = NEAR; x < o->width - NEAR; x++) {
            size_t i = (size_t)y * (size_t)o->width + (size_t)x;
            if (!inner[i] || !is_still_edge(o, i)) continue;
            still++;
            if (is_stroke(o, x, y)) marks[i] = 255, ++*strokes;
        }
    return still;
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
    size_t strokes, still = mark(o, scratch, marks, &strokes);
    memset(text, 0, area);
    /* Where more than a third of a frame's edges stand still, these are the scene's, or a bundle's fibres. */
    if (still == 0 || 3 * still * (size_t)o->frames > o->edges || SHARE * strokes < still) return ENDO_OK;
    status = gather(o, marks, scratch, text);
    return status == ENDO_OK ? drop_specks(o, marks, text) : status;
}

endo_status endo_overlay_carve(const endo_field_overlay *o, uint8_t *region, int *carved) {
    *carved = 0;
    if (o->frames < FEWEST) return ENDO_OK;
    size_t area = (size_t)o->width * (size_t)o->height;
    uint8_t *planes = endo_alloc(area, 3);
    if (!planes) return endo_fail(ENDO_ERR_MEMORY, "no memory to find overlays on %d x %d pixels", o->width, o->height);
    endo_status status = find_text(o, region, planes);
    for (size_t i = 0; status == ENDO_OK && i < area; i++) {
        *carved |= planes[i];
        region[i] &= (uint8_t)~planes[i];
    }
    endo_free(planes);
    return status;
}
