/* The check of canvases: painting, growth on every side and back, reading, with guard bands around what is read. */
#include "base/tiles.h"
#include "endo_check.h"
#include "posed.h"

#include <stdio.h>
#include <string.h>

#define GUARD 64

typedef struct reading {
    uint8_t *pixels, *painted; /* with GUARD bytes of 0xc3 on either side */
    size_t area, bytes;
} reading;

static reading reading_create(int width, int height, endo_pixel type) {
    reading r = {.area = (size_t)width * height};
    r.bytes = r.area * endo_pixel_size(type);
    r.pixels = endo_alloc(r.bytes + 2 * GUARD, 1);
    r.painted = endo_alloc(r.area + 2 * GUARD, 1);
    memset(r.pixels, 0xc3, r.bytes + 2 * GUARD);
    memset(r.painted, 0xc3, r.area + 2 * GUARD);
    return r;
}

static void reading_free(reading *r) {
    endo_free(r->pixels);
    endo_free(r->painted);
}

/* One canvas in the reference and in the tested back end; the tested one may be larger, and show the other's at (x, y). */
typedef struct twins {
    check_rig *rig;
    endo_canvas *reference, *tested;
    int width, height; /* of the reference */
    int x, y;
    char *text;
    size_t size;
} twins;

static int say(twins *t, const char *what) {
    snprintf(t->text, t->size, "%s: %s", what, endo_last_error());
    return 1;
}

/* All of these return 1 after writing what went wrong. */
static int create(twins *t, int width, int height, int tested_width, int tested_height) {
    endo_pixel type = t->rig->c->type;
    t->width = width, t->height = height;
    endo_status status = endo_canvas_create(t->rig->reference_context, type, width, height, &t->reference);
    if (status == ENDO_OK)
        status = endo_canvas_create(t->rig->tested_context, type, tested_width, tested_height, &t->tested);
    return status == ENDO_OK ? 0 : say(t, "create");
}

static void destroy(twins *t) {
    endo_canvas_destroy(&t->reference);
    endo_canvas_destroy(&t->tested);
}

static int compare(twins *t, int x, int y, int width, int height) {
    reading a = reading_create(width, height, t->rig->c->type), b = reading_create(width, height, t->rig->c->type);
    endo_status status = endo_canvas_read(t->reference, x, y, width, height, a.pixels + GUARD, a.painted + GUARD);
    if (status == ENDO_OK)
        status = endo_canvas_read(t->tested, t->x + x, t->y + y, width, height, b.pixels + GUARD, b.painted + GUARD);
    long pixel = check_difference(a.pixels, b.pixels, a.bytes + 2 * GUARD);
    long painted = check_difference(a.painted, b.painted, a.area + 2 * GUARD);
    int failed = status != ENDO_OK ? say(t, "read") : pixel >= 0 || painted >= 0;
    if (status == ENDO_OK && failed)
        snprintf(t->text, t->size, "%d x %d of a canvas of %d x %d: pixel byte %ld, painted byte %ld differ (-%d: guard)",
                 width, height, t->width, t->height, pixel, painted, GUARD);
    reading_free(&a);
    reading_free(&b);
    return failed;
}

static int compare_all(twins *t) { return compare(t, 0, 0, t->width, t->height); }

static int compare_part(twins *t) {
    test_random *r = &t->rig->random;
    int x = test_between(r, 0, t->width - 1), y = test_between(r, 0, t->height - 1);
    return compare(t, x, y, test_between(r, 1, t->width - x), test_between(r, 1, t->height - y));
}

/* n frames by random maps, the panorama's origin at (x, y) of the reference. */
enum { MOST_FRAMES = ENDO_PAINT_LIST + 3 };

static int paint_list(twins *t, int n, int x, int y, endo_painting painting) {
    int32_t slots[MOST_FRAMES];
    endo_transform maps[MOST_FRAMES];
    for (int i = 0; i < n; i++) maps[i] = check_random_place(t->rig), slots[i] = i & 1;
    endo_status status = endo_canvas_paint(t->reference, t->rig->reference,
                                           POSED(slots, maps, .n = (size_t)n, .origin_x = x, .origin_y = y), painting);
    if (status == ENDO_OK)
        status = endo_canvas_paint(t->tested, t->rig->tested,
                                   POSED(slots, maps, .n = (size_t)n, .origin_x = x + t->x, .origin_y = y + t->y), painting);
    return status == ENDO_OK ? 0 : say(t, "paint");
}

static int paint(twins *t, int x, int y, endo_painting painting) { return paint_list(t, 2, x, y, painting); }

static int paint_anywhere(twins *t, endo_painting painting) {
    test_random *r = &t->rig->random;
    int w = t->rig->c->width, h = t->rig->c->height;
    return paint(t, test_between(r, -w / 2, t->width - w / 2), test_between(r, -h / 2, t->height - h / 2), painting);
}

static int resize(twins *t, int width, int height, int dx, int dy) {
    endo_status status = endo_canvas_resize(t->reference, width, height, dx, dy);
    if (status == ENDO_OK) status = endo_canvas_resize(t->tested, width, height, dx, dy);
    t->width = width, t->height = height;
    return status == ENDO_OK ? 0 : say(t, "resize");
}

static int clear(twins *t) {
    endo_status status = endo_canvas_clear(t->reference);
    if (status == ENDO_OK) status = endo_canvas_clear(t->tested);
    return status == ENDO_OK ? 0 : say(t, "clear");
}

/* Grows on all sides, shrinks, grows back: what was lost must be unpainted. */
static int check_changes(twins *t, endo_painting painting) {
    test_random *r = &t->rig->random;
    int w = t->rig->c->width, h = t->rig->c->height, left = test_between(r, 0, w), top = test_between(r, 0, h);
    return create(t, (w + 1) / 2, (h + 1) / 2, (w + 1) / 2, (h + 1) / 2) || paint(t, 0, 0, painting) || compare_all(t) ||
           resize(t, w + left + 9, h + top + 5, left + 1, top) || compare_all(t) || paint_anywhere(t, painting) ||
           compare_all(t) || resize(t, w, (h + 1) / 2, -left / 2, -top - 1) || compare_all(t) ||
           paint_anywhere(t, painting) || resize(t, w + 3, h + 7, test_between(r, -w, w), test_between(r, -h, h)) ||
           compare_all(t) || paint_anywhere(t, painting) || compare_part(t) || compare_part(t) || compare_all(t) ||
           clear(t) || compare_all(t) || paint_anywhere(t, painting) || compare_all(t);
}

/* Frames over frames, more than are painted at once: as one after the other. */
static int check_list(twins *t, endo_painting painting) {
    int w = t->rig->c->width, h = t->rig->c->height, n = w * h < 20000 ? MOST_FRAMES : 5;
    return create(t, w + w / 2, h + h / 2, w + w / 2, h + h / 2) || paint(t, w / 5, h / 5, painting) ||
           paint_list(t, n, w / 4, h / 4, painting) || compare_all(t) || paint_list(t, 1, 0, 0, painting) || compare_all(t);
}

/* The largest canvas: the reference is a window of it, which sees all of a tile and a little of its neighbours. Paints across
 * the right border of that tile, moves everything, paints again. */
static int check_window(twins *t, endo_painting painting) {
    const int longest = 1 << 20, seen = 4;
    test_random *r = &t->rig->random;
    int w = t->rig->c->width + ENDO_TILE_WIDTH + 2 * seen, h = t->rig->c->height + 30;
    int last = longest / ENDO_TILE_WIDTH - 1 - w / ENDO_TILE_WIDTH, border = ENDO_TILE_WIDTH + seen;
    t->x = ENDO_TILE_WIDTH * (test_between(r, 0, 3) ? test_between(r, 1, last) : last) - seen;
    t->y = test_between(r, 0, 3) ? test_between(r, 0, longest - h) : longest - h;
    if (create(t, w, h, longest, longest) || paint(t, border - test_between(r, 0, t->rig->c->width), 5, painting) ||
        compare_all(t))
        return 1;
    int dx = test_between(r, -t->x, longest - w - t->x), dy = test_between(r, -t->y, longest - h - t->y);
    if (endo_canvas_resize(t->tested, longest, longest, dx, dy) != ENDO_OK) return say(t, "resize");
    t->x += dx, t->y += dy;
    return compare_all(t) || paint(t, test_between(r, -9, w / 2), -2, painting) || compare_all(t);
}

/* Far longer than wide: the reference looks at every pixel, so few cases. */
static int check_long(twins *t, endo_painting painting) {
    int wide = t->rig->c->number % 2, width = wide ? 300000 : 40, height = wide ? 40 : 600000;
    int far_x = wide ? 299900 : -3, far_y = wide ? -3 : 599900;
    if (create(t, width, height, width, height) || paint(t, far_x, far_y, painting) || compare_all(t)) return 1;
    return resize(t, width + 7, height + 5, 7, 5) || paint_anywhere(t, painting) || compare_all(t);
}

/* A frame so large on the canvas that no machine has the memory: everything stays, and work goes on. */
static int check_refused(twins *t, endo_painting painting) {
    const endo_transform vast = {ENDO_TRANSFORM_AFFINE, {60000, 0, -1e6, 0, 60000, -1e6, 0, 0, 1}};
    const int32_t slot = 0;
    if (t->rig->c->width < 30 || t->rig->c->height < 30) return 0;
    if (create(t, 700, 300, 1 << 20, 1 << 20) || paint_anywhere(t, painting)) return 1;
    endo_status status = endo_canvas_paint(t->tested, t->rig->tested, POSED(&slot, &vast, .n = 1), painting);
    if (status != ENDO_ERR_MEMORY) return say(t, status == ENDO_OK ? "vast: painted" : "vast");
    return compare_all(t) || paint_anywhere(t, painting) || compare_all(t);
}

static int run(check_rig *rig, int (*check)(twins *, endo_painting), endo_painting painting, char *text, size_t size) {
    twins t = {.rig = rig, .text = text, .size = size};
    int failed = check(&t, painting);
    size_t length = strlen(text);
    if (failed) snprintf(text + length, size - length, ", painting %d", painting);
    destroy(&t);
    return failed;
}

int check_paint(check_rig *rig, char *text, size_t size) {
    endo_painting some = rig->c->number % 4 < 2 ? ENDO_PAINT_RING : ENDO_PAINT_UNION;
    if (run(rig, check_changes, ENDO_PAINT_UNION, text, size) || run(rig, check_changes, ENDO_PAINT_RING, text, size))
        return 1;
    if (run(rig, check_list, some, text, size) || run(rig, check_window, some, text, size)) return 1;
    if (rig->c->number % 45 || rig->c->width >= 200) return 0;
    return run(rig, check_refused, some, text, size) || run(rig, check_long, some, text, size);
}
