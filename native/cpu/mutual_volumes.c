/* Pyramids of two volumes: grey values in 65536 steps, halved level by level, and from each level bins of the fixed
 * one and neighbours of the moving one. */
#include "mutual_volumes.h"

#include "rules/grey.h"

#include <string.h>

/* Of 65536 steps, dense. */
typedef struct grey_volume {
    int size[3];
    uint16_t *values;
    uint8_t *mask; /* NULL: every voxel counts */
} grey_volume;

static size_t voxels(const int size[3]) { return (size_t)size[0] * size[1] * size[2]; }

static ptrdiff_t rows_of(const int size[3]) { return (ptrdiff_t)size[1] * size[2]; }

static int threads_for(const cpu_backend *b, const int size[3]) {
    return cpu_threads(b, voxels(size) / CPU_PIXELS_A_THREAD);
}

static void volume_free(grey_volume *v) {
    endo_free(v->values);
    endo_free(v->mask);
    v->values = NULL, v->mask = NULL;
}

static int volume_make(grey_volume *v, int with_mask) {
    v->values = endo_alloc(voxels(v->size), sizeof *v->values);
    v->mask = with_mask ? endo_alloc(voxels(v->size), 1) : NULL;
    return v->values && (!with_mask || v->mask);
}

/* ------------------------------------------------------------------- take */

static void take_row(const endo_volume *from, size_t at, const uint16_t *table, uint16_t *to) {
    int n = from->width;
    if (from->type == ENDO_GREY8)
        for (int x = 0; x < n; x++) to[x] = table[((const uint8_t *)from->pixels)[at + x]];
    else if (from->type == ENDO_GREY16)
        for (int x = 0; x < n; x++) to[x] = table[((const uint16_t *)from->pixels)[at + x]];
    else
        for (int x = 0; x < n; x++) to[x] = table[endo_grey_of_rgb(((const uint32_t *)from->pixels)[at + x])];
}

static int within(int v, int side) { return v < 0 ? 0 : v >= side ? side - 1 : v; }

static void smooth_row(const uint16_t *restrict before, const uint16_t *restrict row, const uint16_t *restrict after, int n,
                       uint16_t *restrict to) {
    for (int x = 0; x < n; x++) to[x] = endo_mutual_smooth(before[x], row[x], after[x]);
}

static void smooth_along_row(const uint16_t *restrict row, int n, uint16_t *restrict to) {
    for (int x = 1; x + 1 < n; x++) to[x] = endo_mutual_smooth(row[x - 1], row[x], row[x + 1]);
    to[0] = endo_mutual_smooth(row[0], row[0], row[n > 1]);
    to[n - 1] = endo_mutual_smooth(row[n > 1 ? n - 2 : 0], row[n - 1], row[n - 1]);
}

/* Along one axis, into new memory. */
static int smooth(const cpu_backend *b, grey_volume *v, int axis) {
    int width = v->size[0], height = v->size[1], depth = v->size[2];
    uint16_t *from = v->values, *to = endo_alloc(voxels(v->size), sizeof *to);
    if (!to) return 0;
#pragma omp parallel for num_threads(threads_for(b, v->size)) schedule(static)
    for (ptrdiff_t i = 0; i < rows_of(v->size); i++) {
        int y = (int)(i % height), z = (int)(i / height);
        ptrdiff_t before = axis == 1 ? (ptrdiff_t)z * height + within(y - 1, height)
                                     : (ptrdiff_t)within(z - 1, depth) * height + y;
        ptrdiff_t after = axis == 1 ? (ptrdiff_t)z * height + within(y + 1, height)
                                    : (ptrdiff_t)within(z + 1, depth) * height + y;
        if (axis == 0) smooth_along_row(from + i * width, width, to + i * width);
        else smooth_row(from + before * width, from + i * width, from + after * width, width, to + i * width);
    }
    endo_free(from);
    v->values = to;
    return 1;
}

static int take(const cpu_backend *b, const endo_volume *from, int low, int high, grey_volume *to) {
    int values = from->type == ENDO_GREY16 ? 65536 : 256;
    uint16_t *table = endo_alloc((size_t)values, sizeof *table);
    to->size[0] = from->width, to->size[1] = from->height, to->size[2] = from->depth;
    if (!table || !volume_make(to, from->mask != NULL)) {
        endo_free(table);
        return 0;
    }
    for (int v = 0; v < values; v++) table[v] = endo_mutual_quantize(v, low, high);
#pragma omp parallel for num_threads(threads_for(b, to->size)) schedule(static)
    for (ptrdiff_t i = 0; i < rows_of(to->size); i++)
        take_row(from, (size_t)(i / from->height * from->slice + i % from->height * from->stride), table,
                 to->values + (size_t)i * from->width);
    if (to->mask) memcpy(to->mask, from->mask, voxels(to->size));
    endo_free(table);
    return smooth(b, to, 0) && smooth(b, to, 1) && smooth(b, to, 2);
}

/* ------------------------------------------------------------------ halve */

/* Where the 1, 2 or 4 rows of a row's blocks begin. */
static int source_rows(const grey_volume *from, const uint8_t halved[3], int y, int z, size_t rows[4]) {
    int n = 0;
    for (int dz = 0; dz <= halved[2]; dz++)
        for (int dy = 0; dy <= halved[1]; dy++)
            rows[n++] = (((size_t)(z << halved[2]) + dz) * from->size[1] + (size_t)(y << halved[1]) + dy) * from->size[0];
    return n;
}

static void halve_row(const grey_volume *from, const size_t *rows, int n, int halved_x, int width, uint16_t *to) {
    uint32_t all = (uint32_t)n << halved_x;
    for (int x = 0; x < width; x++) {
        uint32_t sum = 0;
        for (int k = 0; k < n; k++) {
            const uint16_t *v = from->values + rows[k] + (x << halved_x);
            sum += v[0] + (halved_x ? v[1] : 0u);
        }
        to[x] = endo_mutual_mean(sum, all);
    }
}

static void halve_mask_row(const grey_volume *from, const size_t *rows, int n, int halved_x, int width, uint8_t *to) {
    for (int x = 0; x < width; x++) {
        int all = 1;
        for (int k = 0; k < n; k++) {
            const uint8_t *v = from->mask + rows[k] + (x << halved_x);
            all &= v[0] && v[halved_x];
        }
        to[x] = all ? 255 : 0;
    }
}

static int halve(const cpu_backend *b, const grey_volume *from, const uint8_t halved[3], grey_volume *to) {
    for (int i = 0; i < 3; i++) to->size[i] = from->size[i] >> halved[i];
    if (!volume_make(to, from->mask != NULL)) return 0;
#pragma omp parallel for num_threads(threads_for(b, from->size)) schedule(static)
    for (ptrdiff_t i = 0; i < rows_of(to->size); i++) {
        size_t rows[4];
        int n = source_rows(from, halved, (int)(i % to->size[1]), (int)(i / to->size[1]), rows);
        halve_row(from, rows, n, halved[0], to->size[0], to->values + (size_t)i * to->size[0]);
        if (to->mask) halve_mask_row(from, rows, n, halved[0], to->size[0], to->mask + (size_t)i * to->size[0]);
    }
    return 1;
}

/* ------------------------------------------------------------------ level */

static int most_frequent(const uint32_t *counts, int bins) {
    int best = 0;
    for (int i = 1; i < bins; i++)
        if (counts[i] > counts[best]) best = i;
    return best;
}

static int make_fixed(const cpu_backend *b, const grey_volume *v, cpu_mutual_volumes *out) {
    cpu_mutual_level *l = &out->level;
    l->fixed_stride = endo_plane_stride(v->size[0], 0); /* whole registers are read */
    out->fixed = endo_alloc((size_t)rows_of(v->size), (size_t)l->fixed_stride * sizeof *out->fixed);
    if (!out->fixed) return 0;
    l->fixed = out->fixed;
#pragma omp parallel for num_threads(threads_for(b, v->size)) schedule(static)
    for (ptrdiff_t i = 0; i < rows_of(v->size); i++) {
        const uint16_t *from = v->values + (size_t)i * v->size[0];
        const uint8_t *mask = v->mask ? v->mask + (size_t)i * v->size[0] : NULL;
        uint16_t *to = out->fixed + i * l->fixed_stride;
        memset(to + v->size[0], 0, (size_t)(l->fixed_stride - v->size[0]) * sizeof *to);
        for (int x = 0; x < v->size[0]; x++) to[x] = (uint16_t)endo_mutual_fixed_bin(from[x], (uint32_t)l->bins);
        for (int x = 0; mask && x < v->size[0]; x++)
            if (!mask[x]) to[x] = (uint16_t)l->bins;
    }
    return 1;
}

/* A row with its border from the rows at y, y + 1 and, in the slice behind, y, y + 1. */
static void join_rows(const uint16_t *const rows[4], int width, uint32_t *restrict to) {
    const uint16_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2], *restrict d = rows[3];
    for (int x = 0; x < width; x++)
        to[x] = (a[x] >> 8 | (b[x] & 0xff00u) | (c[x] & 0xff00u) << 8 | (d[x] & 0xff00u) << 16) ^ 0x80808080u;
    to[-1] = to[0], to[width] = to[width + 1] = to[width - 1];
}

static int make_moving(const cpu_backend *b, const grey_volume *v, cpu_mutual_volumes *out) {
    cpu_mutual_level *l = &out->level;
    int width = v->size[0], height = v->size[1], depth = v->size[2], rows = height + 2;
    l->moving_stride = (ptrdiff_t)width + 3; /* an element and the next are read */
    l->moving_slice = l->moving_stride * rows;
    out->moving = endo_alloc((size_t)l->moving_slice, ((size_t)depth + 2) * sizeof *out->moving);
    if (!out->moving) return 0;
    uint32_t *first = out->moving + l->moving_slice + l->moving_stride + 1;
    l->moving = first;
#pragma omp parallel for num_threads(threads_for(b, v->size)) schedule(static)
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows * (depth + 2); i++) {
        int y = (int)(i % rows) - 1, z = (int)(i / rows) - 1;
        const uint16_t *from[4];
        for (int k = 0; k < 4; k++)
            from[k] = v->values + ((size_t)within(z + (k >> 1), depth) * height + within(y + (k & 1), height)) * width;
        join_rows(from, width, first + z * l->moving_slice + y * l->moving_stride);
    }
    return 1;
}

/* The place where the fullest row and column of a histogram cross. */
static void find_hot(cpu_mutual_level *l, const grey_volume v[2]) {
    uint32_t counts[2][256] = {{0}};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < voxels(v[k].size); i += 7)
            counts[k][endo_mutual_fixed_bin(v[k].values[i], (uint32_t)l->bins)]++;
    l->hot = (uint32_t)(most_frequent(counts[0], l->bins) * l->bins + most_frequent(counts[1], l->bins));
}

static int make_level(const cpu_backend *b, const grey_volume v[2], cpu_mutual_volumes *out) {
    memcpy(out->level.size, v[0].size, sizeof v[0].size);
    memcpy(out->level.moving_size, v[1].size, sizeof v[1].size);
    find_hot(&out->level, v);
    return make_fixed(b, &v[0], out) && make_moving(b, &v[1], out);
}

endo_status cpu_mutual_volumes_make(const cpu_backend *b, const endo_mutual_setup *s, cpu_mutual_volumes *levels) {
    grey_volume now[2] = {{.values = NULL}}, next[2] = {{.values = NULL}};
    int ready = take(b, &s->fixed, s->low[0], s->high[0], &now[0]) &&
                take(b, &s->moving, s->low[1], s->high[1], &now[1]);
    for (int i = 0; i < s->n_levels && ready; i++) {
        levels[i].level.bins = s->levels[i].bins;
        for (int k = 0; k < 2 && ready && i > 0; k++) {
            ready = halve(b, &now[k], s->levels[i].halved[k], &next[k]);
            volume_free(&now[k]);
            now[k] = next[k], next[k] = (grey_volume){.values = NULL};
        }
        ready = ready && make_level(b, now, &levels[i]);
    }
    volume_free(&now[0]);
    volume_free(&now[1]);
    if (ready) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for volumes of %d x %d x %d and %d x %d x %d", s->fixed.width,
                     s->fixed.height, s->fixed.depth, s->moving.width, s->moving.height, s->moving.depth);
}

void cpu_mutual_volumes_free(cpu_mutual_volumes *levels, int n) {
    for (int i = 0; i < n; i++) {
        endo_free(levels[i].fixed);
        endo_free(levels[i].moving);
    }
}
