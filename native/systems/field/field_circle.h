/* The outline of a bright region, and the circle in it. */
#ifndef ENDO_SYSTEMS_FIELD_CIRCLE_H
#define ENDO_SYSTEMS_FIELD_CIRCLE_H

#include "base/mask.h"

typedef struct endo_field_point {
    float x, y;
    int step; /* grey levels by which it is brighter just inside than just outside */
} endo_field_point;

typedef struct endo_field_scan {
    const uint8_t *grey, *region; /* dense; the region is 0 or 255 */
    int width, height;
    endo_box box;             /* bounds of the region */
    endo_field_point *points; /* memory for 2 * (width + height) */
    size_t n;
} endo_field_scan;

typedef struct endo_field_circle {
    double x, y, radius;
} endo_field_circle;

/* First and last pixel of the region in every row and column: its outline without inner bays, and without the borders of the
 * image. */
void endo_field_trace(endo_field_scan *scan);

/* Whether the outline is an edge, and not where tissue fades into shade. */
int endo_field_has_edge(const endo_field_scan *scan);

/* The circle through most of the points that are not on the box's sides; 0 if there is none. Keeps only those points. */
int endo_field_fit_circle(endo_field_scan *scan, endo_field_circle *out);

#endif
