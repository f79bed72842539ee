/* Rims of volumes (mutual_rim.h).
 *
 * The air around a head may have one value, too, and belongs to the image: its border is what two images have in common. A
 * filling around an image ends in planes, for images are boxes, however they are turned. From each side of a volume, lines
 * are followed along an axis to where the value ends; if many of these points lie on a plane, the voxels of the value outside
 * of it are the rim. */
#include "mutual_rim.h"

#include "mutual_samples.h"
#include "endorama/field.h"
#include "rules/grey.h"

#include <string.h>

#define LEAST_SHARE 0.03 /* share of the voxels; a thinner rim does not matter */
#define REACH 2          /* voxels */
#define MOST_LINES 2500  /* lines that are followed from one side, about */
#define MANY 100000      /* voxels on lines that several threads follow */
#define TRIES 400        /* planes through three points each */
#define COMPARED 1000    /* points that are compared with each plane, about */
#define ON_PLANE 0.75    /* voxels */
#define LEAST_RUN 4      /* voxels of the value at the beginning of a line; runs of noise clipped at 0 are shorter */
#define LEAST_SEEN 0.1   /* share of the lines from a side that have such a run with an end */
#define LEAST_FLAT 0.4   /* share of the points from a side that lie on the plane; of an ellipsoid 3 over its radius do */

static size_t voxels_of(const endo_volume *v) { return (size_t)v->width * v->height * v->depth; }

/* ------------------------------------------------------------------- value */

/* The grey value that most corners have. */
static int corner_value(const endo_volume *v) {
    int values[8], best = 0, most = 0;
    for (int i = 0; i < 8; i++)
        values[i] = endo_volume_grey(v, i & 1 ? v->width - 1 : 0, i & 2 ? v->height - 1 : 0, i & 4 ? v->depth - 1 : 0);
    for (int i = 0; i < 8; i++) {
        int n = 0;
        for (int k = 0; k < 8; k++) n += values[k] == values[i];
        if (n > most) {
            most = n;
            best = values[i];
        }
    }
    return best;
}

/* ------------------------------------------------------------------ planes */

/* An axis: its length, and the offset of the next voxel along it in a dense array. */
typedef struct axis {
    int length;
    size_t step;
} axis;

static void find_axes(const endo_volume *v, axis a[3]) {
    a[0] = (axis){v->width, 1};
    a[1] = (axis){v->height, (size_t)v->width};
    a[2] = (axis){v->depth, (size_t)v->width * v->height};
}

/* Depth of a plane: a[0] + a[1] * u + a[2] * v. */
typedef struct plane {
    double a[3];
} plane;

/* All lines from one side of a volume inwards. */
typedef struct side {
    const endo_volume *volume;
    int value;           /* grey value of the corners */
    int axis, backwards; /* axis of the lines; whether they begin at its end */
    size_t first;        /* index of the first voxel of the first line in a dense array */
    ptrdiff_t along;     /* offset of the next voxel of a line in a dense array */
    int length;
    axis across[2];      /* axes of the other lines */
    int apart;           /* distance of the lines that are followed, along both */
    int lines[2];        /* number of these lines along both */
    int32_t *depths;     /* by line: voxels of the value at its beginning; -1: all, or hardly any */
} side;

/* Chooses the lines that are followed: on a large side not all are needed. */
static void choose_lines(side *s) {
    int64_t all = (int64_t)s->across[0].length * s->across[1].length;
    s->apart = 1;
    while (all > (int64_t)MOST_LINES * s->apart * s->apart) s->apart++;
    for (int k = 0; k < 2; k++) s->lines[k] = (s->across[k].length + s->apart - 1) / s->apart;
}

static size_t lines_of(const side *s) { return (size_t)s->lines[0] * (size_t)s->lines[1]; }

/* Coordinates of a line, voxels. */
static int line_u(const side *s, size_t i) { return s->apart * (int)(i % (size_t)s->lines[0]); }
static int line_v(const side *s, size_t i) { return s->apart * (int)(i / (size_t)s->lines[0]); }

static double plane_at(const plane *p, int u, int v) { return p->a[0] + p->a[1] * u + p->a[2] * v; }

/* Voxels of the value at the beginning of a line. */
static int depth_of(const side *s, int u, int v) {
    const endo_volume *from = s->volume;
    const ptrdiff_t steps[3] = {1, from->stride, from->slice};
    ptrdiff_t step = s->backwards ? -steps[s->axis] : steps[s->axis];
    ptrdiff_t at = u * steps[(s->axis + 1) % 3] + v * steps[(s->axis + 2) % 3];
    int n = 0;
    if (s->backwards) at += (s->length - 1) * steps[s->axis];
    if (from->type == ENDO_GREY8) {
        const uint8_t *line = (const uint8_t *)from->pixels + at;
        while (n < s->length && line[n * step] == s->value) n++;
    } else if (from->type == ENDO_GREY16) {
        const uint16_t *line = (const uint16_t *)from->pixels + at;
        while (n < s->length && line[n * step] == s->value) n++;
    } else {
        const uint32_t *line = (const uint32_t *)from->pixels + at;
        while (n < s->length && endo_grey_of_rgb(line[n * step]) == s->value) n++;
    }
    return n;
}

static int64_t find_depths(side *s, int threads) {
    int64_t seen = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : seen) if (s->length * lines_of(s) > MANY)
    for (size_t i = 0; i < lines_of(s); i++) {
        int n = depth_of(s, line_u(s, i), line_v(s, i));
        s->depths[i] = n >= LEAST_RUN && n < s->length ? n : -1;
        seen += s->depths[i] >= 0;
    }
    return seen;
}

/* The plane through three points; 0: they are on one line. */
static int plane_through(const side *s, const size_t points[3], plane *p) {
    double at[3][3];
    for (int i = 0; i < 3; i++) {
        at[i][0] = line_u(s, points[i]);
        at[i][1] = line_v(s, points[i]);
        at[i][2] = s->depths[points[i]];
    }
    double ux = at[1][0] - at[0][0], uy = at[1][1] - at[0][1], vx = at[2][0] - at[0][0], vy = at[2][1] - at[0][1];
    double uz = at[1][2] - at[0][2], vz = at[2][2] - at[0][2], area = ux * vy - uy * vx;
    if (fabs(area) < 0.5) return 0;
    p->a[1] = (uz * vy - uy * vz) / area;
    p->a[2] = (ux * vz - uz * vx) / area;
    p->a[0] = at[0][2] - p->a[1] * at[0][0] - p->a[2] * at[0][1];
    return 1;
}

/* Share of the points that lie on a plane, by every so-many-th. */
static double flatness(const side *s, const plane *p, size_t every) {
    size_t seen = 0, on = 0;
    for (size_t i = 0; i < lines_of(s); i += every) {
        if (s->depths[i] < 0) continue;
        double depth = plane_at(p, line_u(s, i), line_v(s, i));
        seen++;
        on += fabs(depth - s->depths[i]) <= ON_PLANE;
    }
    return seen ? (double)on / (double)seen : 0;
}

/* A random point, by splitmix64: the same ones each time. */
static size_t random_point(uint64_t *state, const side *s) {
    size_t n = lines_of(s);
    for (;;) {
        uint64_t z = *state += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        size_t i = (size_t)((z ^ (z >> 31)) % n);
        if (s->depths[i] >= 0) return i;
    }
}

/* The plane with most points on it, of planes through any three of them. Returns whether they are enough. */
static int find_plane(const side *s, int64_t seen, plane *best) {
    size_t n = lines_of(s), every = 1 + (size_t)seen / COMPARED;
    uint64_t state = 1;
    double most = 0;
    if ((double)seen < LEAST_SEEN * (double)n || seen < COMPARED / 10) return 0;
    for (int i = 0; i < TRIES; i++) {
        size_t points[3] = {random_point(&state, s), random_point(&state, s), random_point(&state, s)};
        plane p = {{0, 0, 0}};
        if (!plane_through(s, points, &p)) continue;
        double flat = flatness(s, &p, every);
        if (flat > most) {
            most = flat;
            *best = p;
        }
    }
    return most >= LEAST_FLAT;
}

/* Finds the plane of one side. */
static endo_status search_side(const endo_volume *v, int value, int number, int threads, side *s, plane *p, int *found) {
    axis a[3];
    *found = 0;
    find_axes(v, a);
    *s = (side){.volume = v, .value = value, .axis = number / 2, .backwards = number % 2,
                .along = (ptrdiff_t)a[number / 2].step, .length = a[number / 2].length,
                .across = {a[(number / 2 + 1) % 3], a[(number / 2 + 2) % 3]}};
    if (s->backwards) {
        s->first = (size_t)(s->length - 1) * a[s->axis].step;
        s->along = -s->along;
    }
    choose_lines(s);
    s->depths = endo_alloc(lines_of(s), sizeof *s->depths);
    if (!s->depths) return endo_fail(ENDO_ERR_MEMORY, "no memory for the rim of a volume");
    int64_t seen = find_depths(s, threads);
    *found = find_plane(s, seen, p);
    endo_free(s->depths);
    return ENDO_OK;
}

/* -------------------------------------------------------------------- mark */

static void compare_8(const uint8_t *restrict from, uint8_t value, int n, uint8_t *restrict to) {
    for (int x = 0; x < n; x++) to[x] = from[x] == value;
}

static void compare_16(const uint16_t *restrict from, uint16_t value, int n, uint8_t *restrict to) {
    for (int x = 0; x < n; x++) to[x] = from[x] == value;
}

/* Sets a dense array to 1 where the volume has the value, else 0. */
static void compare(const endo_volume *v, int value, uint8_t *is) {
    for (int z = 0; z < v->depth; z++)
        for (int y = 0; y < v->height; y++, is += v->width) {
            ptrdiff_t at = z * v->slice + y * v->stride;
            if (v->type == ENDO_GREY8) compare_8((const uint8_t *)v->pixels + at, (uint8_t)value, v->width, is);
            else if (v->type == ENDO_GREY16) compare_16((const uint16_t *)v->pixels + at, (uint16_t)value, v->width, is);
            else
                for (int x = 0; x < v->width; x++) is[x] = endo_volume_grey(v, x, y, z) == value;
        }
}

/* Marks with 2 the voxels of the value outside of the plane. */
static void mark_outside(const side *s, const plane *p, uint8_t *is) {
    for (int v = 0; v < s->across[1].length; v++)
        for (int u = 0; u < s->across[0].length; u++) {
            uint8_t *line = is + s->first + u * s->across[0].step + v * s->across[1].step;
            double depth = plane_at(p, u, v) + ON_PLANE;
            for (int i = 0; i < s->length && i < depth; i++)
                if (line[i * s->along]) line[i * s->along] = 2;
        }
}

/* Spreads every 1 along a line by REACH voxels. */
static void grow_line(uint8_t *line, int length, size_t step) {
    int last = -REACH - 1; /* where the last 1 was */
    for (int i = 0; i < length; i++) {
        uint8_t *v = line + i * step;
        if (*v == 1) last = i;
        else if (i - last <= REACH) *v = 2;
    }
    last = length + REACH;
    for (int i = length - 1; i >= 0; i--) {
        uint8_t *v = line + i * step;
        if (*v == 1) last = i;
        else if (last - i <= REACH) *v = 2;
    }
    for (int i = 0; i < length; i++) line[i * step] = line[i * step] != 0;
}

static void grow(uint8_t *rim, const axis a[3]) {
    for (int k = 0; k < 3; k++) {
        const axis *u = &a[(k + 1) % 3], *v = &a[(k + 2) % 3];
        for (int i = 0; i < u->length; i++)
            for (int j = 0; j < v->length; j++) grow_line(rim + i * u->step + j * v->step, a[k].length, a[k].step);
    }
}

/* Sets `rim` to 1 in the rim; returns how many voxels are in it. */
static size_t draw_rim(const endo_volume *v, int value, const side *sides, const plane *planes, int n, uint8_t *rim) {
    size_t counted = 0;
    compare(v, value, rim);
    for (int i = 0; i < n; i++) mark_outside(&sides[i], &planes[i], rim);
    for (size_t i = 0; i < voxels_of(v); i++) counted += rim[i] = rim[i] == 2;
    return counted;
}

endo_status endo_mutual_find_rim(const endo_volume *v, int threads, uint8_t **rim, double *share) {
    size_t all = voxels_of(v), counted;
    int value = corner_value(v), n = 0, found = 0;
    side sides[6];
    plane planes[6];
    axis axes[3];
    *rim = NULL, *share = 0;
    for (int k = 0; k < 6; k++, n += found) ENDO_TRY(search_side(v, value, k, threads, &sides[n], &planes[n], &found));
    if (n == 0) return ENDO_OK;
    uint8_t *is = endo_alloc(all, 1);
    if (!is) return endo_fail(ENDO_ERR_MEMORY, "no memory for the rim of a volume");
    counted = draw_rim(v, value, sides, planes, n, is);
    if (counted < LEAST_SHARE * (double)all || counted == all) {
        endo_free(is);
        return ENDO_OK;
    }
    find_axes(v, axes);
    grow(is, axes);
    *rim = is, *share = (double)counted / (double)all;
    return ENDO_OK;
}

/* ---------------------------------------------------------------- surround */

/* The dark surround of an image, as a rim; *rim stays NULL where there is hardly any. */
static endo_status find_surround(const endo_mutual *m, const endo_volume *v, uint8_t **rim, double *share) {
    size_t all = voxels_of(v), dark = 0;
    endo_grey_range range = {0, 255};
    endo_field_info info;
    if (v->type == ENDO_GREY16) ENDO_TRY(endo_volume_range(v, &range));
    if (range.low >= range.high) return ENDO_OK;
    const endo_image image = {.pixels = v->pixels, .type = v->type, .width = v->width, .height = v->height,
                              .stride = v->stride};
    uint8_t *grey = endo_alloc_zeroed(all, 1), *is = endo_alloc(all, 1);
    endo_status status = grey && is ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the surround of an image");
    if (status == ENDO_OK) status = endo_field_accumulate(m->context, &image, range.low, range.high, grey);
    if (status == ENDO_OK) status = endo_field_detect(grey, v->width, v->height, is, &info);
    endo_free(grey);
    for (size_t i = 0; i < all && status == ENDO_OK; i++) dark += is[i] = is[i] == 0;
    if (status == ENDO_OK && dark >= LEAST_SHARE * (double)all && dark < all) {
        *rim = is, *share = (double)dark / (double)all;
        return ENDO_OK;
    }
    endo_free(is);
    return status;
}

/* -------------------------------------------------------------------- kept */

/* Makes a dense copy. */
static endo_status copy_volume(const endo_volume *from, endo_volume *to) {
    size_t pixel = endo_pixel_size(from->type), row = (size_t)from->width * pixel;
    uint8_t *copy = endo_alloc(voxels_of(from), pixel);
    if (!copy) return endo_fail(ENDO_ERR_MEMORY, "no memory for a copy of a volume");
    *to = *from;
    to->pixels = copy;
    to->mask = NULL;
    to->stride = from->width;
    to->slice = (ptrdiff_t)from->width * from->height;
    for (int z = 0; z < from->depth; z++)
        for (int y = 0; y < from->height; y++, copy += row)
            memcpy(copy, (const uint8_t *)from->pixels + (z * from->slice + y * from->stride) * (ptrdiff_t)pixel, row);
    return ENDO_OK;
}

static endo_status copy_mask(const endo_volume *from, endo_volume *to) {
    if (!from->mask) return ENDO_OK;
    uint8_t *copy = endo_alloc(voxels_of(from), 1);
    if (!copy) return endo_fail(ENDO_ERR_MEMORY, "no memory for a copy of a mask");
    memcpy(copy, from->mask, voxels_of(from));
    to->mask = copy;
    return ENDO_OK;
}

endo_status endo_mutual_keep_rims(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving) {
    const endo_volume *volumes[2] = {fixed, moving};
    for (int k = 0; k < 2; k++) {
        if (m->planar) ENDO_TRY(find_surround(m, volumes[k], &m->rim[k], &m->rim_share[k]));
        else ENDO_TRY(endo_mutual_find_rim(volumes[k], m->context->threads, &m->rim[k], &m->rim_share[k]));
    }
    for (int k = 0; k < 2 && (m->rim[0] || m->rim[1]); k++) {
        ENDO_TRY(copy_volume(volumes[k], &m->kept[k]));
        ENDO_TRY(copy_mask(volumes[k], &m->kept[k]));
    }
    return ENDO_OK;
}

void endo_mutual_free_rims(endo_mutual *m) {
    for (int k = 0; k < 2; k++) {
        endo_free((void *)m->kept[k].pixels);
        endo_free((void *)m->kept[k].mask);
        endo_free(m->rim[k]);
    }
}

/* -------------------------------------------------------------------- mask */

/* Whether a point, voxels, is in the rim of the moving volume; outside of the volume: 0. */
static int in_moving_rim(const endo_mutual *m, const double at[3]) {
    const endo_volume *v = &m->kept[1];
    const int size[3] = {v->width, v->height, v->depth};
    size_t i = 0;
    for (int k = 2; k >= 0; k--) {
        double whole = floor(at[k] + 0.5);
        if (!(whole >= 0 && whole < size[k])) return 0;
        i = i * (size_t)size[k] + (size_t)whole;
    }
    return m->rim[1][i];
}

endo_status endo_mutual_mask_rims(const endo_mutual *m, const double voxels[16], uint8_t **mask) {
    const endo_volume *v = &m->kept[0];
    size_t i = 0;
    *mask = endo_alloc(voxels_of(v), 1);
    if (!*mask) return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask");
    for (int z = 0; z < v->depth; z++)
        for (int y = 0; y < v->height; y++)
            for (int x = 0; x < v->width; x++, i++) {
                double at[3] = {x, y, z};
                int counts = (!v->mask || v->mask[i]) && !(m->rim[0] && m->rim[0][i]);
                if (voxels) endo_affine3_apply(voxels, at, at);
                (*mask)[i] = (uint8_t)(counts && !(voxels && m->rim[1] && in_moving_rim(m, at)));
            }
    return ENDO_OK;
}
