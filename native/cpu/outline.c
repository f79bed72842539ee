/* Outlines in floating point: they only say where nothing is to be found, and stay well clear of what is. */
#include "outline.h"

/* Pixels of the frame between the outline and what it encloses: far more than positions with 32 fractional bits are rounded
 * by. */
#define MARGIN 2.0

static const double normals[CPU_OUTLINE_SIDES][2] = {
    {1, 0},  {0.9238795, 0.3826834},   {0.7071068, 0.7071068},   {0.3826834, 0.9238795},
    {0, 1},  {-0.3826834, 0.9238795},  {-0.7071068, 0.7071068},  {-0.9238795, 0.3826834},
    {-1, 0}, {-0.9238795, -0.3826834}, {-0.7071068, -0.7071068}, {-0.3826834, -0.9238795},
    {0, -1}, {0.3826834, -0.9238795},  {0.7071068, -0.7071068},  {0.9238795, -0.3826834}};

/* The four corners of a row's pixels from .. to. */
static void include_row(cpu_outline *o, int from, int to, int y) {
    for (int k = 0; k < CPU_OUTLINE_SIDES; k++) {
        double x = normals[k][0] > 0 ? to + 1 : from, below = normals[k][1] > 0 ? y + 1 : y;
        double reach = normals[k][0] * x + normals[k][1] * below + MARGIN;
        if (reach > o->reach[k]) o->reach[k] = reach;
    }
}

cpu_outline cpu_outline_find(const uint8_t *marks, ptrdiff_t stride, int width, int height) {
    cpu_outline o;
    for (int k = 0; k < CPU_OUTLINE_SIDES; k++) o.reach[k] = -1e6; /* nothing reaches as far */
    for (int y = 0; y < height; y++) {
        const uint8_t *row = marks + y * stride;
        int from = 0, to = width - 1;
        while (from <= to && !row[from]) from++;
        while (to >= from && !row[to]) to--;
        if (from <= to) include_row(&o, from, to, y);
    }
    return o;
}

/* A side of the outline in the panorama: what is not outside of it has n[0] x + n[1] y <= n[2]. */
static void place_side(const endo_fixed_affine *map, const double normal[2], double reach, double n[3]) {
    const double one = 4294967296.0;
    for (int i = 0; i < 3; i++) n[i] = (normal[0] * (double)map->m[i] + normal[1] * (double)map->m[3 + i]) / one;
    n[2] = reach - n[2];
}

/* place_side() under a homography, times its denominator; positions err by more than roundings, so that a margin is added. */
static void project_side(const endo_projection *p, const double normal[2], double reach, double n[3]) {
    const double *m = p->m, margin = endo_projection_margin(p);
    for (int i = 0; i < 3; i++)
        n[i] = normal[0] * m[i] + normal[1] * m[3 + i] - (reach + margin) * m[6 + i];
    n[2] = n[0] * p->origin_x + n[1] * p->origin_y - n[2];
}

/* A side along which x does not change what is left out is taken as steep as changes nothing within a panorama. */
cpu_outline_lines cpu_outline_place(const cpu_outline *outline, const endo_canvas_map *map) {
    const double least = 1e-9;
    cpu_outline_lines l = {.from_left = 0};
    for (int k = 0; k < CPU_OUTLINE_SIDES; k++) {
        double n[3];
        if (map->projection.bits) project_side(&map->projection, normals[k], outline->reach[k], n);
        else place_side(&map->affine, normals[k], outline->reach[k], n);
        if (n[0] < 0) l.from_left |= 1 << k;
        if (n[0] > -least && n[0] < least) n[0] = n[0] < 0 ? -least : least;
        l.at[k] = n[2] / n[0], l.step[k] = -n[1] / n[0];
    }
    return l;
}

void cpu_outline_clip(const cpu_outline_lines *lines, int y, int *from, int *to) {
    double left = *from, right = *to - 1;
    for (int k = 0; k < CPU_OUTLINE_SIDES; k++) {
        double x = lines->at[k] + lines->step[k] * y;
        if (lines->from_left >> k & 1) left = x > left ? x : left;
        else right = x < right ? x : right;
    }
    if (left > right) *to = *from;
    else *from = (int)left, *to = (int)right + 1;
}
