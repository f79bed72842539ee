/* Joint histograms of volumes under maps, and what they add up to ([B] sections 1 and 2.4). */
#include "rules/mutual.h"

#include "ref.h"

#include <string.h>

/* Of 65536 steps, dense. */
typedef struct ref_volume {
    int size[3];
    uint16_t *values;
    uint8_t *mask; /* NULL: every voxel counts */
} ref_volume;

typedef struct ref_pair {
    int n_levels, nearest;
    int bins[ENDO_MUTUAL_MAX_LEVELS];
    ref_volume levels[ENDO_MUTUAL_MAX_LEVELS][2];
    uint32_t *counts; /* of the largest histogram */
} ref_pair;

static size_t place(const ref_volume *v, int x, int y, int z) {
    return ((size_t)z * v->size[1] + y) * v->size[0] + x;
}

static int grey_at(const endo_volume *v, int x, int y, int z) {
    size_t i = (size_t)(z * v->slice + y * v->stride + x);
    switch (v->type) {
    case ENDO_GREY8: return ((const uint8_t *)v->pixels)[i];
    case ENDO_GREY16: return ((const uint16_t *)v->pixels)[i];
    default: return endo_grey_of_rgb(((const uint32_t *)v->pixels)[i]);
    }
}

static int make_volume(ref_volume *v, int with_mask) {
    size_t n = (size_t)v->size[0] * v->size[1] * v->size[2];
    v->values = endo_alloc(n, sizeof *v->values);
    v->mask = with_mask ? endo_alloc(n, 1) : NULL;
    return v->values && (!with_mask || v->mask);
}

static int within(int v, int side) { return v < 0 ? 0 : v >= side ? side - 1 : v; }

static int smooth(ref_volume *v, int axis) {
    ref_volume from = *v;
    from.mask = NULL;
    v->values = endo_alloc(place(v, 0, 0, v->size[2]), sizeof *v->values);
    for (int z = 0; z < v->size[2] && v->values; z++)
        for (int y = 0; y < v->size[1]; y++)
            for (int x = 0; x < v->size[0]; x++) {
                size_t beside[2];
                for (int k = 0; k < 2; k++) {
                    int at[3] = {x, y, z};
                    at[axis] = within(at[axis] + 2 * k - 1, v->size[axis]);
                    beside[k] = place(v, at[0], at[1], at[2]);
                }
                size_t i = place(v, x, y, z);
                v->values[i] = endo_mutual_smooth(from.values[beside[0]], from.values[i], from.values[beside[1]]);
            }
    endo_free(from.values);
    return v->values != NULL;
}

static int take(ref_volume *to, const endo_volume *from, int low, int high) {
    to->size[0] = from->width, to->size[1] = from->height, to->size[2] = from->depth;
    if (!make_volume(to, from->mask != NULL)) return 0;
    for (int z = 0; z < from->depth; z++)
        for (int y = 0; y < from->height; y++)
            for (int x = 0; x < from->width; x++)
                to->values[place(to, x, y, z)] = endo_mutual_quantize(grey_at(from, x, y, z), low, high);
    if (to->mask) memcpy(to->mask, from->mask, place(to, 0, 0, to->size[2]));
    return smooth(to, 0) && smooth(to, 1) && smooth(to, 2);
}

/* The mean of a block; a voxel counts where all of the block do. */
static void halve_voxel(ref_volume *to, const ref_volume *from, const uint8_t halved[3], int x, int y, int z) {
    uint32_t sum = 0, n = 0;
    uint8_t counts = 255;
    for (int k = 0; k < 8; k++) {
        int d[3] = {k & 1, k >> 1 & 1, k >> 2};
        if (d[0] > halved[0] || d[1] > halved[1] || d[2] > halved[2]) continue;
        size_t i = place(from, (x << halved[0]) + d[0], (y << halved[1]) + d[1], (z << halved[2]) + d[2]);
        sum += from->values[i], n++;
        if (from->mask && !from->mask[i]) counts = 0;
    }
    to->values[place(to, x, y, z)] = endo_mutual_mean(sum, n);
    if (to->mask) to->mask[place(to, x, y, z)] = counts;
}

static int halve(ref_volume *to, const ref_volume *from, const uint8_t halved[3]) {
    for (int i = 0; i < 3; i++) to->size[i] = from->size[i] >> halved[i];
    if (!make_volume(to, from->mask != NULL)) return 0;
    for (int z = 0; z < to->size[2]; z++)
        for (int y = 0; y < to->size[1]; y++)
            for (int x = 0; x < to->size[0]; x++) halve_voxel(to, from, halved, x, y, z);
    return 1;
}

static void destroy(void *pair) {
    ref_pair *p = pair;
    if (!p) return;
    for (int i = 0; i < ENDO_MUTUAL_MAX_LEVELS; i++)
        for (int k = 0; k < 2; k++) {
            endo_free(p->levels[i][k].values);
            endo_free(p->levels[i][k].mask);
        }
    endo_free(p->counts);
    endo_free(p);
}

static int fill(ref_pair *p, const endo_mutual_setup *s) {
    int most = 0;
    for (int i = 0; i < s->n_levels; i++) {
        p->bins[i] = s->levels[i].bins;
        if (p->bins[i] > most) most = p->bins[i];
        for (int k = 0; k < 2; k++) {
            ref_volume *v = &p->levels[i][k];
            if (i == 0 && !take(v, k ? &s->moving : &s->fixed, s->low[k], s->high[k])) return 0;
            if (i > 0 && !halve(v, &p->levels[i - 1][k], s->levels[i].halved[k])) return 0;
        }
    }
    p->counts = endo_alloc((size_t)most * most, sizeof *p->counts);
    return p->counts != NULL;
}

static endo_status create(void *backend, const endo_mutual_setup *s, void **pair) {
    (void)backend;
    ref_pair *p = endo_alloc_zeroed(1, sizeof *p);
    if (p) p->n_levels = s->n_levels, p->nearest = s->nearest;
    if (!p || !fill(p, s)) {
        destroy(p);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for volumes of %d x %d x %d and %d x %d x %d", s->fixed.width,
                         s->fixed.height, s->fixed.depth, s->moving.width, s->moving.height, s->moving.depth);
    }
    *pair = p;
    return ENDO_OK;
}

/* A row of a map at a voxel: one coordinate of where it lies in the moving volume, 16 fractional bits. */
static int32_t value_at(const int64_t row[4], const int at[3]) {
    int start = at[0] / ENDO_MUTUAL_RUN * ENDO_MUTUAL_RUN;
    return endo_mutual_run_start(row, start, at[1], at[2]) + (at[0] - start) * endo_mutual_step(row[0]);
}

/* Where a voxel lies: whole[] and fraction[]. 0: outside. */
static int locate(const endo_mutual_map *map, int nearest, const int at[3], const int size[3], int whole[3],
                  int fraction[3]) {
    endo_mutual_rounding round = endo_mutual_round(nearest);
    for (int i = 0; i < 3; i++) {
        int32_t p = value_at(map->m + 4 * i, at);
        if (!endo_mutual_is_inside(p, size[i])) return 0;
        p = (p + round.half) & round.mask;
        whole[i] = p >> 16, fraction[i] = endo_mutual_fraction(p);
    }
    return 1;
}

static uint32_t bin_at(const ref_volume *v, const int whole[3], const int fraction[3], int32_t gain, int bins) {
    uint8_t level[8];
    for (int k = 0; k < 8; k++)
        level[k] = endo_mutual_moving_level(v->values[place(v, within(whole[0] + (k & 1), v->size[0]),
                                                            within(whole[1] + (k >> 1 & 1), v->size[1]),
                                                            within(whole[2] + (k >> 2), v->size[2]))]);
    return endo_mutual_moving_bin(endo_mutual_interpolate(level, fraction), gain, (uint32_t)bins);
}

static int is_in_window(const endo_mutual_window *window, const int at[3], const int size[3]) {
    for (int i = 0; i < 3; i++)
        if (!endo_mutual_is_within(value_at(window->map.m + 4 * i, at), size[i], window->margin[i])) return 0;
    return 1;
}

static void count(const ref_pair *p, int level, const endo_mutual_window *window, const endo_mutual_map *map,
                  uint32_t *counts) {
    const ref_volume *fixed = &p->levels[level][0], *moving = &p->levels[level][1];
    int bins = p->bins[level], whole[3], fraction[3];
    memset(counts, 0, (size_t)bins * bins * sizeof *counts);
    for (int z = 0; z < fixed->size[2]; z++)
        for (int y = 0; y < fixed->size[1]; y++)
            for (int x = 0; x < fixed->size[0]; x++) {
                const int at[3] = {x, y, z};
                size_t i = place(fixed, x, y, z);
                if (fixed->mask && !fixed->mask[i]) continue;
                if (window && !is_in_window(window, at, moving->size)) continue;
                if (!locate(map, p->nearest, at, moving->size, whole, fraction)) continue;
                uint32_t row = endo_mutual_fixed_bin(fixed->values[i], (uint32_t)bins);
                counts[row * (uint32_t)bins + bin_at(moving, whole, fraction, value_at(map->gain, at), bins)]++;
            }
}

static endo_status histogram(void *pair, int level, const endo_mutual_map *map, uint32_t *counts) {
    count(pair, level, NULL, map, counts);
    return ENDO_OK;
}

static endo_mutual_sums add_up(const uint32_t *counts, int bins) {
    endo_mutual_sums s = {0, 0, 0, 0};
    for (int a = 0; a < bins; a++) {
        uint32_t row = 0, column = 0;
        for (int b = 0; b < bins; b++) {
            row += counts[a * bins + b], column += counts[b * bins + a];
            s.joint += endo_mutual_term(counts[a * bins + b]);
        }
        s.n += row, s.fixed += endo_mutual_term(row), s.moving += endo_mutual_term(column);
    }
    return s;
}

static endo_status measure(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps,
                           size_t n, endo_mutual_sums *sums) {
    ref_pair *p = pair;
    for (size_t i = 0; i < n; i++) {
        count(p, level, window, &maps[i], p->counts);
        sums[i] = add_up(p->counts, p->bins[level]);
    }
    return ENDO_OK;
}

/* ---------------------------------------------------------------- resample */

static uint32_t sample(const endo_volume *v, const int whole[3], const int fraction[3], int shift) {
    uint16_t grey[8];
    for (int k = 0; k < 8; k++) {
        size_t i = (size_t)(within(whole[2] + (k >> 2), v->depth) * v->slice +
                            within(whole[1] + (k >> 1 & 1), v->height) * v->stride +
                            within(whole[0] + (k & 1), v->width));
        grey[k] = v->type == ENDO_GREY8    ? ((const uint8_t *)v->pixels)[i]
                  : v->type == ENDO_GREY16 ? ((const uint16_t *)v->pixels)[i]
                                           : (uint16_t)(((const uint32_t *)v->pixels)[i] >> shift & 255);
    }
    return endo_mutual_resample_grey(grey, fraction);
}

static void put(const endo_resample_job *j, ptrdiff_t i, int inside, const int whole[3], const int fraction[3]) {
    const endo_volume *v = &j->moving;
    uint32_t value = inside ? sample(v, whole, fraction, 0) : 0;
    if (v->type == ENDO_GREY8) ((uint8_t *)j->out)[i] = (uint8_t)value;
    if (v->type == ENDO_GREY16) ((uint16_t *)j->out)[i] = (uint16_t)value;
    if (v->type != ENDO_RGB32) return;
    for (int shift = 8; shift < 24 && inside; shift += 8) value |= sample(v, whole, fraction, shift) << shift;
    ((uint32_t *)j->out)[i] = 0xff000000u | value;
}

static endo_status resample(void *backend, const endo_resample_job *j) {
    (void)backend;
    const int size[3] = {j->moving.width, j->moving.height, j->moving.depth};
    int whole[3] = {0, 0, 0}, fraction[3] = {0, 0, 0};
    for (int z = 0; z < j->depth; z++)
        for (int y = 0; y < j->height; y++)
            for (int x = 0; x < j->width; x++) {
                const int at[3] = {x, y, z};
                int inside = locate(&j->map, j->nearest, at, size, whole, fraction);
                put(j, z * j->out_slice + y * j->out_stride + x, inside, whole, fraction);
            }
    return ENDO_OK;
}

const endo_mutual_kernels ref_mutual = {
    .create = create,
    .destroy = destroy,
    .measure = measure,
    .histogram = histogram,
    .resample = resample,
};
