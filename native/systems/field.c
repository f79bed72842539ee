/* Field of view: brightest image of a sequence, and the scope's circle in it.
 *
 * A pixel outside the field stays dark in every frame. The bright region is cut out above the
 * surround's level, a circle is fitted to those of its outermost points that no straight side explains,
 * by random sampling and then least squares, and the region itself stands in where no circle fits. */
#include "field.h"

#include "../base/mask.h"
#include "../base/memory.h"
#include "../base/status.h"
#include "../rules/grey.h"
#include "field_region.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------- accumulation */

static void raise_row(const void *pixels, endo_pixel type, int width, int low, int high,
                      uint8_t *brightest) {
    for (int x = 0; x < width; x++) {
        uint8_t grey = type == ENDO_GREY8    ? ((const uint8_t *)pixels)[x]
                       : type == ENDO_GREY16 ? endo_grey_of_16(((const uint16_t *)pixels)[x], low, high)
                                             : endo_grey_of_rgb(((const uint32_t *)pixels)[x]);
        if (grey > brightest[x]) brightest[x] = grey;
    }
}

void endo_field_brighten(const endo_field_image *image, int threads, uint8_t *brightest) {
    size_t size = endo_pixel_size(image->type), width = (size_t)image->width, area = width * (size_t)image->height;
#pragma omp parallel for num_threads(threads) if (area > 1000000)
    for (int y = 0; y < image->height; y++)
        raise_row((const uint8_t *)image->pixels + (size_t)y * (size_t)image->stride * size, image->type, image->width,
                  image->low, image->high, brightest + (size_t)y * width);
}

/* ----------------------------------------------------------------- outline */

typedef struct outline_point {
    float x, y;
    int step; /* how much brighter it is just inside than just outside */
} outline_point;

typedef struct scan {
    const uint8_t *brightest, *region;
    int width, height;
    endo_box box;
    outline_point *points;
    size_t n;
} scan;

static int grey_at(const scan *s, int x, int y) {
    x = x < 0 ? 0 : x >= s->width ? s->width - 1 : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    return s->brightest[(size_t)y * (size_t)s->width + (size_t)x];
}

/* (dx, dy) points inward. The half pixel puts the point on the border between in and out. */
static void add_point(scan *s, int x, int y, int dx, int dy) {
    /* There the image ends, not the field. */
    if (x == 0 || y == 0 || x == s->width - 1 || y == s->height - 1) return;
    int step = grey_at(s, x + 6 * dx, y + 6 * dy) - grey_at(s, x - 4 * dx, y - 4 * dy);
    s->points[s->n++] = (outline_point){(float)x - 0.5f * (float)dx, (float)y - 0.5f * (float)dy, step};
}

/* First and last pixel of the region in every row and column: its outline without inner bays. */
static void trace_outline(scan *s) {
    for (int y = s->box.top; y <= s->box.bottom; y++) {
        const uint8_t *row = s->region + (size_t)y * (size_t)s->width;
        const uint8_t *first = memchr(row, 255, (size_t)s->width);
        if (!first) continue;
        int last = s->width - 1;
        while (!row[last]) last--;
        add_point(s, (int)(first - row), y, 1, 0);
        add_point(s, last, y, -1, 0);
    }
    for (int x = s->box.left; x <= s->box.right; x++) {
        const uint8_t *column = s->region + x;
        int first = s->box.top, last = s->box.bottom;
        while (first <= last && !column[(size_t)first * (size_t)s->width]) first++;
        while (last > first && !column[(size_t)last * (size_t)s->width]) last--;
        if (first > last) continue;
        add_point(s, x, first, 0, 1);
        add_point(s, x, last, 0, -1);
    }
}

/* Whether the outline is an edge at all, and not where tissue fades away into shade. */
static int has_edge(const scan *s) {
    enum { LEAST_STEP = 8 };
    size_t steep = 0;
    for (size_t i = 0; i < s->n; i++) steep += s->points[i].step >= LEAST_STEP;
    return s->n > 0 && 2 * steep >= s->n;
}

/* Drops the points on the box's sides, where a sensor narrower than the circle cuts it straight. */
static void drop_straight_sides(scan *s) {
    size_t kept = 0;
    const float margin = 2.0f;
    for (size_t i = 0; i < s->n; i++) {
        outline_point p = s->points[i];
        if (p.x < (float)s->box.left + margin || p.x > (float)s->box.right - margin ||
            p.y < (float)s->box.top + margin || p.y > (float)s->box.bottom - margin)
            continue;
        s->points[kept++] = p;
    }
    s->n = kept;
}

/* ------------------------------------------------------------------ circle */

typedef struct circle {
    double x, y, radius;
} circle;

static int near_circle(const circle *c, const outline_point *p, double tolerance) {
    double dx = p->x - c->x, dy = p->y - c->y;
    return fabs(sqrt(dx * dx + dy * dy) - c->radius) <= tolerance;
}

/* Through three points; 0 if they are all but on a line. */
static int circle_through(const outline_point *a, const outline_point *b, const outline_point *c,
                          circle *out) {
    double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
    double d = 2.0 * (bx * cy - by * cx), bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    if (fabs(d) < 1.0) return 0;
    double ux = (cy * bb - by * cc) / d, uy = (bx * cc - cx * bb) / d;
    *out = (circle){a->x + ux, a->y + uy, sqrt(ux * ux + uy * uy)};
    return 1;
}

/* Least squares through the points within the tolerance (Kasa's: linear, and unbiased enough for
 * an outline with errors below a pixel). */
static void refine_circle(const scan *s, double tolerance, circle *c) {
    double n = 0, mx = 0, my = 0, uu = 0, uv = 0, vv = 0, pu = 0, pv = 0, pp = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->n; i++) {
            if (!near_circle(c, &s->points[i], tolerance)) continue;
            double u = s->points[i].x - mx, v = s->points[i].y - my, p = u * u + v * v;
            if (pass == 0) {
                n++, pu += s->points[i].x, pv += s->points[i].y;
            } else {
                uu += u * u, uv += u * v, vv += v * v, pu += p * u, pv += p * v, pp += p;
            }
        }
        if (n < 3) return;
        if (pass == 0) mx = pu / n, my = pv / n, pu = pv = 0;
    }
    double d = 2.0 * (uu * vv - uv * uv);
    if (fabs(d) < 1e-9 * uu * vv) return;
    double x = (pu * vv - pv * uv) / d, y = (pv * uu - pu * uv) / d;
    *c = (circle){mx + x, my + y, sqrt(x * x + y * y + pp / n)};
}

/* The circle that most points lie on; 0 if there is none. Repeatable: the samples are a fixed sequence. */
static int fit_circle(const scan *s, circle *out) {
    enum { TRIALS = 400, SCORED = 1500 };
    int side = s->width > s->height ? s->width : s->height;
    double tolerance = 1.5 + 0.002 * side;
    size_t stride = s->n / SCORED + 1, best = 0;
    uint32_t random = 1;
    for (int trial = 0; trial < TRIALS && s->n >= 12; trial++) {
        size_t pick[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            pick[k] = (size_t)((uint64_t)random * s->n >> 32);
        }
        circle c;
        if (!circle_through(&s->points[pick[0]], &s->points[pick[1]], &s->points[pick[2]], &c)) continue;
        if (c.radius > 1.5 * side || c.radius < 0.05 * side) continue;
        size_t score = 0;
        for (size_t i = 0; i < s->n; i += stride) score += (size_t)near_circle(&c, &s->points[i], tolerance);
        if (score > best) best = score, *out = c;
    }
    /* Less than two fifths of the outline on it, or a centre out of view, is the edge of a shadow. */
    if (best == 0 || 5 * best * stride < 2 * s->n) return 0;
    for (int k = 0; k < 4; k++) refine_circle(s, tolerance, out);
    return out->x >= 0 && out->x < s->width && out->y >= 0 && out->y < s->height;
}

/* ------------------------------------------------------------------- masks */

static int in_circle(const circle *c, int x, int y, double radius) {
    double dx = x - c->x, dy = y - c->y;
    return radius > 0 && dx * dx + dy * dy <= radius * radius;
}

/* mask = circle and box; returns how well it agrees with the region, intersection over union. */
static double draw_circle(const scan *s, const circle *c, double radius, endo_box box, uint8_t *mask) {
    size_t both = 0, either = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * (size_t)s->width + (size_t)x;
            int in = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom &&
                     in_circle(c, x, y, radius);
            mask[i] = in ? 255 : 0;
            both += in && s->region[i];
            either += in || s->region[i];
        }
    return either ? (double)both / (double)either : 0.0;
}

/* Bounds of what the region has inside the circle: marks that touch its rim stay out. */
static endo_box box_in_circle(const scan *s, const circle *c, uint8_t *scratch) {
    draw_circle(s, c, c->radius + 1.0, s->box, scratch);
    for (size_t i = 0; i < (size_t)s->width * (size_t)s->height; i++) scratch[i] &= s->region[i];
    return endo_mask_bounds(scratch, s->width, s->height);
}

/* Sides on the border of the image stay: nothing dark is beyond them. */
static endo_box shrink_box(const scan *s, endo_box box) {
    box.left += box.left > 0;
    box.top += box.top > 0;
    box.right -= box.right < s->width - 1;
    box.bottom -= box.bottom < s->height - 1;
    return box;
}

static int corners_outside(const scan *s) {
    size_t right = (size_t)s->width - 1, last = (size_t)(s->height - 1) * (size_t)s->width;
    return !s->region[0] + !s->region[right] + !s->region[last] + !s->region[last + right];
}

/* The circle in the scan's region: 1 and its mask if it explains at least nine tenths of it. */
static int find_circle(scan *s, uint8_t *mask, endo_field_info *info) {
    const double inset = 1.5; /* no pixel of the dark or blurred rim may stay inside */
    circle c;
    if (corners_outside(s) < 1 || !fit_circle(s, &c)) return 0;
    endo_box box = box_in_circle(s, &c, mask);
    if (draw_circle(s, &c, c.radius, box, mask) < 0.9) return 0;
    c.radius -= inset;
    draw_circle(s, &c, c.radius, shrink_box(s, box), mask);
    *info = (endo_field_info){.shape = ENDO_FIELD_CIRCLE, .x = c.x, .y = c.y, .radius = c.radius};
    return 1;
}

/* A surround reaches all four corners, or leaves a rectangle; anything else is rather a dark part of
 * the scene. */
static int is_framed(const scan *s) {
    size_t inside = 0;
    for (int y = s->box.top; y <= s->box.bottom; y++)
        for (int x = s->box.left; x <= s->box.right; x++)
            inside += s->region[(size_t)y * (size_t)s->width + (size_t)x] & 1;
    double box = (double)(s->box.right - s->box.left + 1) * (s->box.bottom - s->box.top + 1);
    return corners_outside(s) == 4 || (double)inside >= 0.97 * box;
}

/* The region with every row filled from end to end, less one pixel along its rim. 1: taken, 0: it is no
 * field, -1: out of memory. */
static int take_region(const scan *s, uint8_t *mask, endo_field_info *info) {
    if (!is_framed(s)) return 0;
    size_t width = (size_t)s->width, area = width * (size_t)s->height;
    uint8_t *filled = endo_alloc_zeroed(area, 1);
    if (!filled) return -1;
    for (size_t row = 0; row < area; row += width) {
        size_t left = 0, right = width;
        while (left < width && !s->region[row + left]) left++;
        while (right > left && !s->region[row + right - 1]) right--;
        memset(filled + row + left, 255, right - left);
    }
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * width + (size_t)x;
            mask[i] = filled[i] & (x == 0 ? 255 : filled[i - 1]) & (x == s->width - 1 ? 255 : filled[i + 1]) &
                      (y == 0 ? 255 : filled[i - width]) & (y == s->height - 1 ? 255 : filled[i + width]);
        }
    endo_free(filled);
    *info = (endo_field_info){.shape = ENDO_FIELD_OTHER};
    return 1;
}

/* ------------------------------------------------------------------ detect */

/* 1: a field was found, 0: none, -1: out of memory. s->region: the thresholded image on entry. */
static int find_field(scan *s, uint8_t *region, uint8_t *mask, endo_field_info *info) {
    size_t area = (size_t)s->width * (size_t)s->height, bright = 0;
    if (!keep_largest_part(region, s->width, s->height) || !fill_holes(region, s->width, s->height)) return -1;
    for (size_t i = 0; i < area; i++) bright += region[i] & 1;
    /* Less than a twentieth is no field, all but a two-hundredth has no surround worth the name. */
    if (20 * bright < area || 200 * (area - bright) < area) return 0;
    s->box = endo_mask_bounds(region, s->width, s->height);
    s->points = endo_alloc(2 * ((size_t)s->width + (size_t)s->height), sizeof *s->points);
    if (!s->points) return -1;
    trace_outline(s);
    int found = has_edge(s);
    if (found) {
        drop_straight_sides(s);
        found = find_circle(s, mask, info);
        if (!found) found = take_region(s, mask, info);
    }
    endo_free(s->points);
    return found;
}

endo_status endo_field_find(const uint8_t *brightest, int width, int height, uint8_t *mask, endo_field_info *info) {
    size_t area = (size_t)width * (size_t)height;
    uint8_t *region = endo_alloc(area, 1), *drawn = endo_alloc(area, 1);
    int level = surround_level(brightest, area), found = -1;
    endo_field_info result = {.shape = ENDO_FIELD_WHOLE};
    if (region && drawn) {
        for (size_t i = 0; i < area; i++) region[i] = brightest[i] > level ? 255 : 0;
        scan s = {.brightest = brightest, .region = region, .width = width, .height = height};
        found = level < 0 ? 0 : find_field(&s, region, drawn, &result);
    }
    endo_box box = {0, 0, width - 1, height - 1};
    if (found > 0) box = endo_mask_bounds(drawn, width, height);
    if (found == 0 || (found > 0 && box.left > box.right)) { /* nothing, or nothing without its rim */
        memset(drawn, 255, area);
        result = (endo_field_info){.shape = ENDO_FIELD_WHOLE};
        box = (endo_box){0, 0, width - 1, height - 1};
    }
    if (found >= 0) {
        result.left = box.left, result.top = box.top, result.right = box.right, result.bottom = box.bottom;
        memcpy(mask, drawn, area);
        *info = result;
    }
    endo_free(region);
    endo_free(drawn);
    if (found < 0)
        return endo_fail(ENDO_ERR_MEMORY, "no memory to find the field of %d x %d pixels", width, height);
    return ENDO_OK;
}
