/* The surround of an image, and the region within it.
 *
 * The bright region is what is above the surround's level. It is the field, whatever its shape; where a circle explains it,
 * marks in the surround that touch it are cut off by the circle. */
#include "field_shape.h"

#include "base/memory.h"
#include "base/status.h"
#include "field_circle.h"
#include "field_region.h"

#include <math.h>
#include <string.h>

/* Pixels that are counted in 16 bits. */
enum { MANY = 4096 };

static size_t count_some(const uint8_t *region, int n) {
    uint16_t count = 0;
    for (int i = 0; i < n; i++) count = (uint16_t)(count + (region[i] & 1));
    return count;
}

static size_t count_inside(const uint8_t *region, int width, int height) {
    size_t count = 0;
    size_t area = (size_t)width * (size_t)height;
    size_t i = 0;
    for (; i + MANY <= area; i += MANY) count += count_some(region + i, MANY);
    return count + count_some(region + i, (int)(area - i));
}

static int is_within(double dx, double dy, double radius) { return dx * dx + dy * dy <= radius * radius; }

/* How many columns after one that is within the circle are within it, too; the distance grows with each. step: -1 or 1; most:
 * how many columns follow; half: half of the chord, but for rounding. */
static int count_within(int column, int step, int most, double x, double dy, double radius, double half) {
    double guess = step * (x - column) + half;
    int within = guess < 0 ? 0 : guess > most ? most : (int)guess;
    while (within > 0 && !is_within(column + step * within - x, dy, radius)) within--;
    while (within < most && is_within(column + step * (within + 1) - x, dy, radius)) within++;
    return within;
}

/* The columns of a row, from *first to before *end, that are within the circle; 0 and 0 if none is. dy: from its centre. */
static void columns_within(int width, double x, double dy, double radius, int *first, int *end) {
    int nearest = x < 0 ? 0 : x > width - 1 ? width - 1 : (int)(x + 0.5);
    *first = *end = 0;
    if (!is_within(nearest - x, dy, radius)) return;
    double half = sqrt(radius * radius - dy * dy);
    *first = nearest - count_within(nearest, -1, nearest, x, dy, radius, half);
    *end = nearest + count_within(nearest, 1, width - 1 - nearest, x, dy, radius, half) + 1;
}

void endo_field_cut(uint8_t *region, int width, int height, double x, double y, double radius) {
    for (int row = 0; row < height; row++, region += width) {
        int first, end;
        columns_within(width, x, row - y, radius, &first, &end);
        memset(region, 0, (size_t)first);
        memset(region + end, 0, (size_t)(width - end));
    }
}

/* ------------------------------------------------------------------ circle */

/* Area of the circle within the box, and of its intersection with the region, px. */
static void count_in_circle(const endo_field_scan *s, const endo_field_circle *c, endo_box box, size_t *circle,
                            size_t *both) {
    *circle = *both = 0;
    for (int y = box.top; y <= box.bottom; y++) {
        const uint8_t *row = s->region + (size_t)y * (size_t)s->width;
        int first, end;
        columns_within(s->width, c->x, y - c->y, c->radius, &first, &end);
        if (first < box.left) first = box.left;
        if (end > box.right + 1) end = box.right + 1;
        if (first >= end) continue;
        *circle += (size_t)(end - first);
        *both += count_inside(row + first, end - first, 1);
    }
}

/* Intersection of circle and region over their union. 0 where more than a hundredth of the region, as much as a touching mark
 * may be, lies beyond the circle: then the field has another shape. */
static double agreement(const endo_field_scan *s, const endo_field_circle *c) {
    const double blur = 1.5;
    endo_field_circle rim = {c->x, c->y, c->radius + blur};
    size_t region = count_inside(s->region, s->width, s->height), circle, both;
    count_in_circle(s, &rim, s->box, &circle, &both);
    return 100 * (region - both) > region ? 0.0 : (double)both / (double)(region + circle - both);
}

static int corners_outside(const endo_field_scan *s) {
    size_t right = (size_t)s->width - 1, last = (size_t)(s->height - 1) * (size_t)s->width;
    return !s->region[0] + !s->region[right] + !s->region[last] + !s->region[last + right];
}

/* ------------------------------------------------------------------ region */

/* Whether the dark is a surround: it reaches all four corners, or leaves a rectangle; else it is a dark part of the scene. */
static int is_framed(const endo_field_scan *s) {
    size_t inside = count_inside(s->region, s->width, s->height);
    double box = (double)(s->box.right - s->box.left + 1) * (s->box.bottom - s->box.top + 1);
    return corners_outside(s) == 4 || (double)inside >= 0.97 * box;
}

/* The shape of a region with an outline. */
static endo_field_info judge(endo_field_scan *s, uint8_t *region) {
    endo_field_circle c;
    endo_field_info info = {.shape = ENDO_FIELD_WHOLE};
    endo_field_trace(s);
    if (!endo_field_has_edge(s)) return info;
    int framed = is_framed(s);
    double agreed = corners_outside(s) > 0 && endo_field_fit_circle(s, &c) ? agreement(s, &c) : 0.0;
    if (agreed >= 0.7) {
        endo_field_cut(region, s->width, s->height, c.x, c.y, c.radius);
        info.x = c.x;
        info.y = c.y;
        info.radius = c.radius;
    }
    info.shape = agreed >= 0.9 ? ENDO_FIELD_CIRCLE : framed ? ENDO_FIELD_OTHER : ENDO_FIELD_WHOLE;
    return info;
}

/* Whether the region is at least a twentieth of the image, and the surround at least a two-hundredth, or a whole side. */
static int is_large(const endo_field_scan *s) {
    size_t area = (size_t)s->width * (size_t)s->height, bright = count_inside(s->region, s->width, s->height);
    int sides = s->box.left > 0 || s->box.top > 0 || s->box.right < s->width - 1 || s->box.bottom < s->height - 1;
    return 20 * bright >= area && (sides || 200 * (area - bright) >= area);
}

/* Judges a region brighter than the surround; cuts and fills it. */
static endo_status judge_region(const uint8_t *grey, int width, int height, uint8_t *region, endo_field_info *info) {
    endo_field_scan s = {.grey = grey, .region = region, .width = width, .height = height};
    s.points = endo_alloc(2 * ((size_t)width + (size_t)height), sizeof *s.points);
    int enough = s.points && keep_largest_component(region, width, height) && fill_holes(region, width, height);
    if (enough) {
        s.box = endo_mask_bounds(region, width, height);
        if (is_large(&s)) *info = judge(&s, region);
    }
    endo_free(s.points);
    return enough ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory to find a field on %d x %d pixels", width, height);
}

/* 255 where a grey is above the level, else 0. */
static void threshold(const uint8_t *restrict grey, size_t area, uint8_t level, uint8_t *restrict region) {
    for (size_t i = 0; i < area; i++) region[i] = grey[i] > level ? 255 : 0;
}

endo_status endo_field_shape_of(const uint8_t *grey, int width, int height, uint8_t *region, endo_field_info *info) {
    size_t area = (size_t)width * (size_t)height;
    int level = surround_level(grey, area);
    endo_field_info found = {.shape = ENDO_FIELD_WHOLE};
    endo_status status = ENDO_OK;
    if (level >= 0) threshold(grey, area, (uint8_t)level, region);
    if (level >= 0) status = judge_region(grey, width, height, region, &found);
    if (status != ENDO_OK) return status;
    if (found.shape == ENDO_FIELD_WHOLE) memset(region, 255, area);
    *info = found;
    return ENDO_OK;
}
