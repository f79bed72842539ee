/* Panels by the range of each pixel's grey over the frames.
 *
 * Pixels of a panel keep their grey in all frames, to the noise of a video's coding, and right beside it the scene's do not. A
 * part of the scene that hardly changes, because it is smooth or in the shade, has no such border: there the range grows step by
 * step. One that is overexposed has: so what is bright counts only where the scene beside it stays darker. Where most of the image
 * stands still, or is as it was in the first frame in most of the frames, it is the scene that does, and something passes before
 * it: no panel is reported. */
#include "field_panels.h"

#include "base/mask.h"
#include "base/memory.h"
#include "base/status.h"
#include "field_region.h"

/* Greys are in halves of a level, distances in px. */
enum {
    FEWEST = 12,  /* fewest frames from which a pixel that stands still is told */
    QUIET = 3,    /* most that the grey of a panel's pixel changes over the frames */
    LIVELY = 12,  /* least that the scene's changes at most pixels beside a panel */
    DIFFERS = 8,  /* a scene's pixel differs by this from the first frame, whole levels, */
    OFTEN = 3,    /* in one of so many frames at least */
    DARK = 20,    /* darker pixels may be a surround, which is found otherwise, or the end of a lumen */
    WHITE = 110,  /* from here on pixels may be overexposed */
    BELOW = 4,    /* least that the scene beside such pixels stays below them */
    REACH = 8,    /* how far from a panel the scene must be lively: the coding of a video blurs what is between them */
    LEAST = 400,  /* a panel is at least one in so many pixels of the image */
    ISLAND = 50,  /* what a panel encloses belongs to it up to one in so many pixels, such as a clock that runs */
    AROUND = 2    /* distance from a panel that belongs to it */
};

/* --------------------------------------------------------------------------- changes */

endo_status endo_changes_make(int width, int height, endo_field_changes *out) {
    size_t area = (size_t)width * (size_t)height;
    *out = (endo_field_changes){.width = width, .height = height, .first = endo_alloc_zeroed(area, 2)};
    if (!out->first) return endo_fail(ENDO_ERR_MEMORY, "no memory to find panels on %d x %d pixels", width, height);
    out->changed = out->first + area;
    return ENDO_OK;
}

void endo_changes_free(endo_field_changes *changes) {
    endo_free(changes->first);
    changes->first = NULL;
}

void endo_changes_take_row(endo_field_changes *c, const uint8_t *grey, int frame, int y) {
    size_t at = (size_t)y * (size_t)c->width;
    uint8_t *first = c->first + at, *changed = c->changed + at;
    const uint8_t *row = grey + at;
    if (frame == 0) memcpy(first, row, (size_t)c->width);
    for (int x = 0; x < c->width; x++) {
        int differ = row[x] > first[x] ? row[x] - first[x] : first[x] - row[x];
        changed[x] = (uint8_t)(changed[x] + (differ >= DIFFERS && changed[x] < 255));
    }
}

/* ---------------------------------------------------------------------------- search */

typedef struct panel_search {
    const endo_field_changes *changes;
    const endo_field_overlay *ranges;
    int width, height;
    uint8_t *still; /* 255: keeps its grey; then workspace, of two planes */
} panel_search;

/* A pixel of which ranges are known: those at the image's border have none. */
static size_t inner(const panel_search *s, int x, int y) {
    x = x < 1 ? 1 : x > s->width - 2 ? s->width - 2 : x;
    y = y < 1 ? 1 : y > s->height - 2 ? s->height - 2 : y;
    return (size_t)y * (size_t)s->width + (size_t)x;
}

static int range_at(const panel_search *s, size_t i) { return s->ranges->most[2][i] - s->ranges->least[2][i]; }

static int is_lively(const panel_search *s, size_t i) {
    int changed = s->changes->changed[i], frames = s->ranges->frames < 255 ? s->ranges->frames : 255;
    return range_at(s, i) >= LIVELY && OFTEN * changed >= frames;
}

/* Marks the pixels that keep their grey; 0: they are too few for a panel, or less than half of what is not dark is lively. */
static int mark_still(const panel_search *s) {
    size_t lively = 0, lit = 0, still = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = inner(s, x, y);
            int is_still = range_at(s, i) <= QUIET && s->ranges->least[2][i] >= DARK;
            s->still[(size_t)y * (size_t)s->width + (size_t)x] = is_still ? 255 : 0;
            still += (size_t)is_still;
            lit += s->ranges->most[2][i] >= DARK;
            lively += (size_t)is_lively(s, i);
        }
    return LEAST * still >= (size_t)s->width * (size_t)s->height && 2 * lively > lit;
}

/* What a row of pixels that leads away from a panel comes to. */
typedef enum beyond {
    BEYOND_STILL, /* the panel again, or another still thing such as its text, or the end of the image */
    BEYOND_VAGUE, /* what changes a little */
    BEYOND_SCENE
} beyond;

static beyond look_beyond(const panel_search *s, int x, int y, int dx, int dy) {
    int grey = s->ranges->least[2][inner(s, x, y)];
    for (int k = 1; k <= REACH; k++) {
        int u = x + k * dx, v = y + k * dy;
        if (u < 0 || v < 0 || u >= s->width || v >= s->height) return BEYOND_STILL;
        size_t i = inner(s, u, v);
        int is_below = s->ranges->most[2][i] <= grey - BELOW;
        if (range_at(s, i) <= QUIET) return BEYOND_STILL;
        if (is_lively(s, i)) return grey < WHITE || is_below ? BEYOND_SCENE : BEYOND_VAGUE;
    }
    return BEYOND_VAGUE;
}

/* Borders of a component: places from which something else than still things is seen, and from how many of them the scene is. */
typedef struct border {
    uint32_t places, sharp;
} border;

static void add_place(const panel_search *s, int x, int y, int dx, int dy, border *b) {
    beyond seen = look_beyond(s, x, y, dx, dy);
    b->places += seen != BEYOND_STILL;
    b->sharp += seen == BEYOND_SCENE;
}

static void look_around(const panel_search *s, const run *r, border *b) {
    add_place(s, r->left, r->y, -1, 0, b);
    add_place(s, r->right, r->y, 1, 0, b);
    for (int x = r->left; x <= r->right; x++) {
        add_place(s, x, r->y, 0, -1, b);
        add_place(s, x, r->y, 0, 1, b);
    }
}

/* Keeps the components that are large enough and have a sharp border for the most part; returns how many these are. */
static int keep_panels(const panel_search *s, run *runs, size_t n, border *borders, uint8_t *panels) {
    size_t least = (size_t)s->width * (size_t)s->height / LEAST;
    int kept = 0;
    for (size_t i = 0; i < n; i++) look_around(s, &runs[i], &borders[find_root(runs, (uint32_t)i)]);
    for (size_t i = 0; i < n; i++) {
        uint32_t root = find_root(runs, (uint32_t)i);
        if (runs[root].area < least || !borders[root].sharp || 3 * borders[root].sharp < 2 * borders[root].places) continue;
        fill_run(panels, s->width, &runs[i], 255);
        kept += root == i;
    }
    return kept;
}

static endo_status choose(const panel_search *s, uint8_t *panels, int *found) {
    size_t n;
    run *runs = connected_components(s->still, s->width, s->height, 255, &n);
    border *borders = runs ? endo_alloc_zeroed(n ? n : 1, sizeof *borders) : NULL;
    if (borders) *found = keep_panels(s, runs, n, borders, panels) > 0;
    endo_status status = borders ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu parts of panels", n);
    endo_free(borders);
    endo_free(runs);
    return status;
}

/* Fills what panels enclose, if it is small. */
static endo_status fill_islands(const panel_search *s, uint8_t *panels) {
    size_t n, most = (size_t)s->width * (size_t)s->height / ISLAND;
    run *runs = connected_components(panels, s->width, s->height, 0, &n);
    if (!runs) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu parts of a field", n);
    for (size_t i = 0; i < n; i++)
        if (runs[find_root(runs, (uint32_t)i)].area <= most) fill_run(panels, s->width, &runs[i], 255);
    endo_free(runs);
    return ENDO_OK;
}

static int within(int at, int least, int most) { return at < least ? least : at > most ? most : at; }

/* out: 255 further than `far` from every panel, else 0; close to the border of the image as at the next pixel that is not.
 * inverse: workspace. */
static endo_status far_from(const panel_search *s, const uint8_t *panels, int far, uint8_t *inverse, uint8_t *out) {
    size_t area = (size_t)s->width * (size_t)s->height;
    int right = s->width - 1 - far, bottom = s->height - 1 - far;
    for (size_t i = 0; i < area; i++) inverse[i] = panels[i] ^ 255;
    endo_status status = endo_mask_erode(inverse, s->width, s->height, far, 1, out);
    for (int y = 0; status == ENDO_OK && y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            int u = within(x, far, right), v = within(y, far, bottom);
            if (u != x || v != y) out[(size_t)y * (size_t)s->width + (size_t)x] = out[(size_t)v * (size_t)s->width + (size_t)u];
        }
    return status;
}

/* Grows panels into what is next to them, and into what hardly changes within their reach. scratch: workspace of two planes. */
static endo_status grow(const panel_search *s, uint8_t *panels, uint8_t *scratch) {
    size_t area = (size_t)s->width * (size_t)s->height;
    uint8_t *away = scratch + area;
    ENDO_TRY(far_from(s, panels, REACH, scratch, away));
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * (size_t)s->width + (size_t)x;
            if (!away[i] && !is_lively(s, inner(s, x, y))) panels[i] = 255;
        }
    ENDO_TRY(far_from(s, panels, AROUND, scratch, away));
    for (size_t i = 0; i < area; i++) panels[i] = away[i] ^ 255;
    return ENDO_OK;
}

endo_status endo_panels_find(const endo_field_changes *changes, const endo_field_overlay *ranges, uint8_t *panels, int *found) {
    panel_search s = {.changes = changes, .ranges = ranges, .width = ranges->width, .height = ranges->height};
    size_t area = (size_t)s.width * (size_t)s.height;
    *found = 0;
    memset(panels, 0, area);
    if (ranges->frames < FEWEST || s.width <= 2 * REACH || s.height <= 2 * REACH) return ENDO_OK;
    s.still = endo_alloc(area, 2);
    if (!s.still) return endo_fail(ENDO_ERR_MEMORY, "no memory to find panels on %d x %d pixels", s.width, s.height);
    endo_status status = mark_still(&s) ? choose(&s, panels, found) : ENDO_OK;
    if (status == ENDO_OK && *found) status = fill_islands(&s, panels);
    if (status == ENDO_OK && *found) status = grow(&s, panels, s.still);
    endo_free(s.still);
    return status;
}
