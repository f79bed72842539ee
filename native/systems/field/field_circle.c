/* The outline of a bright region, and the circle in it: by random sampling of its outermost points that are not on straight
 * sides, and then least squares. */
#include "field_circle.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- outline */

static int grey_at(const endo_field_scan *s, int x, int y) {
    x = x < 0 ? 0 : x >= s->width ? s->width - 1 : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    return s->grey[(size_t)y * (size_t)s->width + (size_t)x];
}

/* Adds a point of the outline; (dx, dy) points inward. The half pixel puts it on the border between inside and outside. */
static void add_point(endo_field_scan *s, int x, int y, int dx, int dy) {
    /* At these pixels the image ends, not the field. */
    if (x == 0 || y == 0 || x == s->width - 1 || y == s->height - 1) return;
    int step = grey_at(s, x + 6 * dx, y + 6 * dy) - grey_at(s, x - 4 * dx, y - 4 * dy);
    s->points[s->n++] = (endo_field_point){(float)x - 0.5f * (float)dx, (float)y - 0.5f * (float)dy, step};
}

void endo_field_trace(endo_field_scan *s) {
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

int endo_field_has_edge(const endo_field_scan *s) {
    enum { LEAST_STEP = 8 };
    size_t steep = 0;
    for (size_t i = 0; i < s->n; i++) steep += s->points[i].step >= LEAST_STEP;
    return s->n > 0 && 2 * steep >= s->n;
}

/* Drops the points on the box's sides, where a sensor narrower than the circle cuts it straight. */
static void drop_straight_sides(endo_field_scan *s) {
    size_t kept = 0;
    const float margin = 2.0f;
    for (size_t i = 0; i < s->n; i++) {
        endo_field_point p = s->points[i];
        if (p.x < (float)s->box.left + margin || p.x > (float)s->box.right - margin ||
            p.y < (float)s->box.top + margin || p.y > (float)s->box.bottom - margin)
            continue;
        s->points[kept++] = p;
    }
    s->n = kept;
}

/* ------------------------------------------------------------------ circle */

static int near_circle(const endo_field_circle *c, const endo_field_point *p, double tolerance) {
    double dx = p->x - c->x, dy = p->y - c->y;
    return fabs(sqrt(dx * dx + dy * dy) - c->radius) <= tolerance;
}

/* The circle through three points; 0 if they are nearly on a line. */
static int circle_through(const endo_field_point *a, const endo_field_point *b, const endo_field_point *c,
                          endo_field_circle *out) {
    double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
    double d = 2.0 * (bx * cy - by * cx), bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    if (fabs(d) < 1.0) return 0;
    double ux = (cy * bb - by * cc) / d, uy = (bx * cc - cx * bb) / d;
    *out = (endo_field_circle){a->x + ux, a->y + uy, sqrt(ux * ux + uy * uy)};
    return 1;
}

/* Least squares through the points within the tolerance (Kasa's: linear, and unbiased enough for
 * an outline with errors below a pixel). */
static void refine_circle(const endo_field_scan *s, double tolerance, endo_field_circle *c) {
    double n = 0, mx = 0, my = 0, uu = 0, uv = 0, vv = 0, pu = 0, pv = 0, pp = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->n; i++) {
            if (!near_circle(c, &s->points[i], tolerance)) continue;
            double u = s->points[i].x - mx, v = s->points[i].y - my, p = u * u + v * v;
            if (pass == 0) {
                n++;
                pu += s->points[i].x;
                pv += s->points[i].y;
            } else {
                uu += u * u;
                uv += u * v;
                vv += v * v;
                pu += p * u;
                pv += p * v;
                pp += p;
            }
        }
        if (n < 3) return;
        if (pass == 0) {
            mx = pu / n;
            my = pv / n;
            pu = pv = 0;
        }
    }
    double d = 2.0 * (uu * vv - uv * uv);
    if (fabs(d) < 1e-9 * uu * vv) return;
    double x = (pu * vv - pv * uv) / d, y = (pv * uu - pu * uv) / d;
    *c = (endo_field_circle){mx + x, my + y, sqrt(x * x + y * y + pp / n)};
}

/* How many of every stride-th point lie on the circle, within the tolerance, px; by squares of distances, which need no root.
 * Counting ends, with a number no larger than `best`, where there cannot be more. */
static size_t count_near(const endo_field_scan *s, size_t stride, const endo_field_circle *c, double tolerance, size_t best) {
    enum { BLOCK = 64 };
    double least = c->radius > tolerance ? c->radius - tolerance : 0, most = c->radius + tolerance;
    double least_square = least * least, most_square = most * most;
    size_t n = 0, left = (s->n + stride - 1) / stride;
    for (size_t i = 0; left > 0 && n + left > best;) {
        size_t block = left < BLOCK ? left : BLOCK;
        left -= block;
        for (; block > 0; block--, i += stride) {
            double dx = s->points[i].x - c->x, dy = s->points[i].y - c->y, square = dx * dx + dy * dy;
            n += (size_t)((square >= least_square) & (square <= most_square));
        }
    }
    return n;
}

/* The random numbers are a fixed sequence, so that results are repeatable. */
int endo_field_fit_circle(endo_field_scan *s, endo_field_circle *out) {
    enum { TRIALS = 400, SCORED = 1500 };
    int side = s->width > s->height ? s->width : s->height;
    double tolerance = 1.5 + 0.002 * side;
    drop_straight_sides(s);
    size_t stride = s->n / SCORED + 1, best = 0;
    uint32_t random = 1;
    for (int trial = 0; trial < TRIALS && s->n >= 12; trial++) {
        size_t pick[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            pick[k] = (size_t)((uint64_t)random * s->n >> 32);
        }
        endo_field_circle c;
        if (!circle_through(&s->points[pick[0]], &s->points[pick[1]], &s->points[pick[2]], &c)) continue;
        if (c.radius > 1.5 * side || c.radius < 0.05 * side) continue;
        size_t score = count_near(s, stride, &c, tolerance, best);
        if (score > best) {
            best = score;
            *out = c;
        }
    }
    /* Less than two fifths of the outline on it, or a centre out of view, is the edge of a shadow. */
    if (best == 0 || 5 * best * stride < 2 * s->n) return 0;
    for (int k = 0; k < 4; k++) refine_circle(s, tolerance, out);
    return out->x >= 0 && out->x < s->width && out->y >= 0 && out->y < s->height;
}

