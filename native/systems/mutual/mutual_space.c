/* Coordinates of volumes, levels of the pyramid, parameters of the models. */
#include "mutual_space.h"

#include <string.h>

/* An axis is halved where its new spacing is at most this times that of the level. */
#define FLAT_ENOUGH 1.42
/* Fewest voxels of a side at every level that halves it. */
#define LEAST_SIDE 8
/* Most voxels of the coarsest level, if sides allow. */
#define COARSE_VOLUME 100000
#define COARSE_IMAGE 8000

/* ------------------------------------------------------------------ worlds */

static int is_given(const double world[16]) {
    for (int i = 0; i < 16; i++)
        if (world[i] != 0) return 1;
    return 0;
}

static int keeps_plane(const double w[16]) { return w[2] == 0 && w[6] == 0 && w[8] == 0 && w[9] == 0 && w[11] == 0; }

static void centred_world(const int size[3], const double spacing[3], double world[16]) {
    endo_affine3_identity(world);
    for (int i = 0; i < 3; i++) {
        world[5 * i] = spacing[i];
        world[4 * i + 3] = -spacing[i] * (size[i] - 1) / 2;
    }
}

int endo_volume_world(const endo_volume *v, int planar, double world[16]) {
    const int size[3] = {v->width, v->height, v->depth};
    double inverse[16], spacing[3];
    if (!is_given(v->world)) {
        centred_world(size, v->spacing, world);
        return 1;
    }
    if (!endo_affine3_is_affine(v->world) || !endo_affine3_invert(v->world, inverse)) return 0;
    if (planar && !keeps_plane(v->world)) {
        endo_world_spacing(v->world, spacing);
        centred_world(size, spacing, world);
    } else {
        memcpy(world, v->world, sizeof v->world);
    }
    return 1;
}

void endo_world_spacing(const double world[16], double spacing[3]) {
    for (int i = 0; i < 3; i++)
        spacing[i] = sqrt(world[i] * world[i] + world[4 + i] * world[4 + i] + world[8 + i] * world[8 + i]);
}

/* ------------------------------------------------------------------ levels */

static double voxels(const int size[3]) { return (double)size[0] * size[1] * size[2]; }

/* Halves the axes of a volume that come near a spacing; returns how many. */
static int halve(const endo_mutual_space *from, double target, uint8_t halved[3], endo_mutual_space *to) {
    double spacing[3], coarse[16];
    int n = 0;
    endo_world_spacing(from->world, spacing);
    endo_affine3_identity(coarse); /* voxels of this level -> those of the level before */
    for (int i = 0; i < 3; i++) {
        halved[i] = from->size[i] >= 2 * LEAST_SIDE && 2 * spacing[i] <= FLAT_ENOUGH * target;
        to->size[i] = from->size[i] >> halved[i];
        if (!halved[i]) continue;
        coarse[5 * i] = 2;
        coarse[4 * i + 3] = 0.5;
        n++;
    }
    endo_affine3_product(coarse, from->world, to->world);
    return n;
}

static double smallest_spacing(const endo_mutual *m) {
    double spacing[3];
    endo_world_spacing(m->fixed[0].world, spacing);
    double least = spacing[0] < spacing[1] ? spacing[0] : spacing[1];
    return !m->planar && spacing[2] < least ? spacing[2] : least;
}

/* Bins of a level: 16, or as many as leave 8 voxels for each joint bin. */
static int bins_for(const endo_mutual_space *fixed, int most) {
    int bins = 16;
    while (bins < most && 8.0 * 4 * bins * bins <= voxels(fixed->size)) bins *= 2;
    return bins < most ? bins : most;
}

int endo_mutual_plan_levels(endo_mutual *m, int wanted) {
    double target = smallest_spacing(m), enough = m->planar ? COARSE_IMAGE : COARSE_VOLUME;
    int n = 1, limit = wanted ? wanted : ENDO_MUTUAL_MAX_LEVELS;
    memset(m->plan, 0, sizeof m->plan);
    m->plan[0].bins = m->options.bins;
    while (n < limit && (wanted || voxels(m->fixed[n - 1].size) > enough)) {
        target *= 2;
        if (!halve(&m->fixed[n - 1], target, m->plan[n].halved[0], &m->fixed[n])) break;
        halve(&m->moving[n - 1], target, m->plan[n].halved[1], &m->moving[n]);
        m->plan[n].bins = bins_for(&m->fixed[n], m->options.bins);
        n++;
    }
    return n;
}

/* -------------------------------------------------------------- parameters */

int endo_mutual_parameters(endo_transform_class model, int planar) {
    static const int numbers[2][4] = {{3, 6, 7, 12}, {2, 3, 4, 6}};
    return numbers[planar][model];
}

/* The turn about an axis by its length (Rodrigues' formula). */
static void turn(const double axis[3], double out[9]) {
    double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double a = angle > 1e-12 ? sin(angle) / angle : 1, b = angle > 1e-12 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    for (int i = 0; i < 9; i++) {
        double square = axis[i / 3] * axis[i % 3] - (i % 4 == 0 ? angle * angle : 0);
        out[i] = (i % 4 == 0) + a * cross[i] + b * square;
    }
}

/* Upper triangular: scales on the diagonal, shears above. */
static void stretch(const double logarithms[3], const double shears[3], double out[9]) {
    for (int i = 0; i < 9; i++) out[i] = 0;
    for (int i = 0; i < 3; i++) out[4 * i] = exp(logarithms[i]);
    out[1] = shears[0];
    out[2] = shears[1];
    out[5] = shears[2];
}

/* Splits parameters of any model into shift, turn, logarithms of scales, and shears. */
static void spread(const endo_mutual *m, const double *p, double shift[3], double axis[3], double logarithms[3],
                   double shears[3]) {
    int model = m->options.model, first = m->planar ? 3 : 6;
    for (int i = 0; i < 3; i++) shift[i] = axis[i] = logarithms[i] = shears[i] = 0;
    for (int i = 0; i < (m->planar ? 2 : 3); i++) shift[i] = p[i];
    if (model >= ENDO_TRANSFORM_RIGID && m->planar) axis[2] = p[2] / m->radius;
    for (int i = 0; i < 3 && model >= ENDO_TRANSFORM_RIGID && !m->planar; i++) axis[i] = p[3 + i] / m->radius;
    for (int i = 0; i < (m->planar ? 2 : 3); i++) {
        if (model == ENDO_TRANSFORM_SIMILARITY) logarithms[i] = p[first] / m->radius;
        if (model == ENDO_TRANSFORM_AFFINE) logarithms[i] = p[first + i] / m->radius;
    }
    if (model != ENDO_TRANSFORM_AFFINE) return;
    if (m->planar) shears[0] = p[5] / m->radius;
    for (int i = 0; i < 3 && !m->planar; i++) shears[i] = p[9 + i] / m->radius;
}

void endo_mutual_world(const endo_mutual *m, const double *p, double world[16]) {
    double shift[3], axis[3], logarithms[3], shears[3];
    double turned[9], stretched[9]; /* 3 x 3, row by row */
    double about_centre[16];
    spread(m, p, shift, axis, logarithms, shears);
    turn(axis, turned);
    stretch(logarithms, shears, stretched);
    endo_affine3_identity(about_centre);
    for (int i = 0; i < 3; i++) {
        double *row = about_centre + 4 * i;
        for (int k = 0; k < 3; k++)
            row[k] = turned[3 * i] * stretched[k] + turned[3 * i + 1] * stretched[3 + k] +
                     turned[3 * i + 2] * stretched[6 + k];
        row[3] = m->centre[i] + shift[i] - (row[0] * m->centre[0] + row[1] * m->centre[1] + row[2] * m->centre[2]);
    }
    endo_affine3_product(about_centre, m->initial, world);
}

void endo_mutual_in_voxels(const endo_mutual *m, int level, const double world[16], double out[16]) {
    double half[16];
    endo_affine3_product(m->fixed[level].world, world, half);
    endo_affine3_product(half, m->to_moving[level], out);
}

void endo_mutual_set_gain(const endo_mutual *m, int level, const double slopes[3], endo_mutual_map *map) {
    const double *world = m->fixed[level].world, one = 4294967296.0;
    double row[4] = {0, 0, 0, 1};
    for (int i = 0; i < (m->planar ? 2 : 3); i++) {
        double slope = slopes[i] / (m->radius * m->radius);
        for (int k = 0; k < 3; k++) row[k] += slope * world[4 * i + k];
        row[3] += slope * (world[4 * i + 3] - m->centre[i]);
    }
    for (int k = 0; k < 4; k++) {
        double most = k == 3 ? ENDO_MUTUAL_MAX_SHIFT : ENDO_MUTUAL_MAX_STEP;
        map->gain[k] = (int64_t)floor(fmax(fmin(row[k], most), -most) * one + 0.5);
    }
}

void endo_mutual_find_centre(endo_mutual *m) {
    const endo_mutual_space *s = &m->fixed[0];
    double middle[3], spacing[3], square = 0;
    endo_world_spacing(s->world, spacing);
    for (int i = 0; i < 3; i++) {
        double side = spacing[i] * s->size[i];
        middle[i] = (s->size[i] - 1) / 2.0;
        if (i < 2 || !m->planar) square += side * side / 12;
    }
    endo_affine3_apply(s->world, middle, m->centre);
    m->radius = sqrt(square);
}
