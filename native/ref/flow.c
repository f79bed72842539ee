/* Kourogi's optical flow, [S] section 2.2: pseudo motion, its test, affine least squares, compensated
 * motion, iterated from the coarsest level of a pyramid to the finest. */
#include "ref.h"

#include <stdlib.h>
#include <string.h>

/* One frame at one level: the image minus its recursively smoothed copy, ENDO_FLOW_INVALID outside. */
typedef struct level_image {
    int16_t *difference;
} level_image;

typedef struct plane {
    int width, height;
    uint8_t *grey, *valid;
} plane;

static plane plane_create(int width, int height) {
    plane p = {width, height, endo_alloc((size_t)width * height, 1), endo_alloc((size_t)width * height, 1)};
    return p;
}

static void plane_free(plane *p) {
    endo_free(p->grey);
    endo_free(p->valid);
}

static plane halve(const plane *in) {
    plane out = plane_create(in->width / 2, in->height / 2);
    for (int y = 0; y < out.height; y++)
        for (int x = 0; x < out.width; x++) {
            size_t i = (size_t)2 * y * in->width + 2 * x, j = i + in->width, o = (size_t)y * out.width + x;
            out.grey[o] = (uint8_t)((in->grey[i] + in->grey[i + 1] + in->grey[j] + in->grey[j + 1] + 2) >> 2);
            out.valid[o] = in->valid[i] & in->valid[i + 1] & in->valid[j] & in->valid[j + 1];
        }
    return out;
}

static void smooth_line(int16_t *v, int n, ptrdiff_t step, int k) {
    for (int i = 1; i < n; i++) v[i * step] = (int16_t)endo_smooth_step(v[(i - 1) * step], v[i * step], k);
    for (int i = n - 2; i >= 0; i--) v[i * step] = (int16_t)endo_smooth_step(v[(i + 1) * step], v[i * step], k);
}

/* Forward and backward along columns, then along rows. */
static void smooth(int16_t *image, int width, int height, int k) {
    for (int x = 0; x < width; x++) smooth_line(image + x, height, width, k);
    for (int y = 0; y < height; y++) smooth_line(image + (size_t)y * width, width, 1, k);
}

/* field: the field of view at this level, without highlights: the same for every frame. */
static int16_t *subtract_smoothed(const plane *p, const uint8_t *field, int k) {
    size_t area = (size_t)p->width * p->height;
    int16_t *image = endo_alloc(area, 2), *mask = endo_alloc(area, 2);
    for (size_t i = 0; i < area; i++) {
        image[i] = field[i] ? (int16_t)(p->grey[i] * ENDO_FLOW_ONE) : 0;
        mask[i] = field[i] ? ENDO_FLOW_FULL : 0;
    }
    if (k) {
        smooth(image, p->width, p->height, k);
        smooth(mask, p->width, p->height, k);
    }
    for (size_t i = 0; i < area; i++) {
        int difference = k ? endo_smooth_difference(p->grey[i], image[i], endo_smooth_gain(mask[i]))
                           : p->grey[i] * ENDO_FLOW_ONE;
        image[i] = (int16_t)(p->valid[i] ? difference : ENDO_FLOW_INVALID);
    }
    endo_free(mask);
    return image;
}

static plane frame_plane(const ref_store *s, int slot, int with_highlights) {
    plane p = plane_create(s->options.width, s->options.height);
    size_t area = (size_t)p.width * p.height;
    memcpy(p.grey, s->frames[slot].grey, area);
    for (size_t i = 0; i < area; i++)
        p.valid[i] = s->field[i] && !(with_highlights && s->frames[slot].specular[i]) ? 255 : 0;
    return p;
}

static void build(const ref_store *s, int slot, const endo_flow_level *levels, int n, level_image *out) {
    plane p = frame_plane(s, slot, 1), field = frame_plane(s, slot, 0);
    int k = endo_smooth_coefficient(s->options.iir);
    for (int i = 0; i < n; i++) {
        while (p.width != levels[i].width || p.height != levels[i].height) {
            plane half = halve(&p), half_field = halve(&field);
            plane_free(&p);
            plane_free(&field);
            p = half, field = half_field;
        }
        out[i].difference = subtract_smoothed(&p, field.valid, k);
    }
    plane_free(&p);
    plane_free(&field);
}

/* Bilinear sample at 16 fractional bits; 0 if a pixel it needs takes no part. */
static int sample(const int16_t *image, int width, int height, int32_t px, int32_t py, int32_t *out) {
    int x = px >> 16, y = py >> 16;
    if (x < 0 || y < 0 || x + 1 >= width || y + 1 >= height) return 0;
    const int16_t *p = image + (size_t)y * width + x;
    if (p[0] == ENDO_FLOW_INVALID || p[1] == ENDO_FLOW_INVALID || p[width] == ENDO_FLOW_INVALID ||
        p[width + 1] == ENDO_FLOW_INVALID)
        return 0;
    *out = endo_bilinear(p[0], p[1], p[width], p[width + 1], (px >> 8) & 255, (py >> 8) & 255);
    return 1;
}

/* The pseudo motions of one reference pixel, tested one by one ([S] eq. 2.7, 2.10, 2.11): a pseudo
 * motion replaces one component of the compensated motion. */
static void accumulate(const int16_t *reference, const int16_t *current, const endo_flow_level *level,
                       const endo_level_motion *m, int x, int y, endo_flow_sums sums[2]) {
    int width = level->width, height = level->height, xc = x - width / 2, yc = y - height / 2;
    const int16_t *r = reference + (size_t)y * width + x;
    if (r[0] == ENDO_FLOW_INVALID || r[-1] == ENDO_FLOW_INVALID || r[1] == ENDO_FLOW_INVALID ||
        r[-width] == ENDO_FLOW_INVALID || r[width] == ENDO_FLOW_INVALID)
        return;
    int32_t px = (x << 16) + m->a[0] + m->a[1] * xc + m->a[2] * yc;
    int32_t py = (y << 16) + m->a[3] + m->a[4] * xc + m->a[5] * yc;
    int32_t compensated, moved;
    if (!sample(current, width, height, px, py, &compensated)) return;
    int32_t difference = compensated - r[0];
    int32_t slope[2] = {r[1] - r[-1], r[width] - r[-width]};
    for (int i = 0; i < 2; i++) {
        if (abs(slope[i]) < ENDO_FLOW_SLOPE) continue;
        int32_t d = endo_pseudo_motion(difference, slope[i]);
        if (abs(d) > ENDO_FLOW_REACH) continue;
        if (!sample(current, width, height, px + (i ? 0 : d * 256), py + (i ? d * 256 : 0), &moved)) continue;
        if (abs(moved - r[0]) < ENDO_FLOW_THRESHOLD) endo_flow_accumulate(&sums[i], xc, yc, d);
    }
}

/* Returns the vectors that passed in the last iteration of this level; 0: the estimate failed. */
static int refine(const level_image *reference, const level_image *current, const endo_flow_level *level,
                  endo_transform_class kind, int coarsest, endo_motion *motion) {
    int passed = 0;
    for (int iteration = 0; iteration < ENDO_FLOW_ITERATIONS; iteration++) {
        endo_level_motion m;
        endo_flow_sums sums[2] = {{0}, {0}};
        endo_motion before = *motion;
        if (!endo_motion_at_level(motion, level, &m)) return 0;
        for (int y = 1; y < level->height - 1; y += endo_flow_row_step(level->width, level->height))
            for (int x = 1; x < level->width - 1; x++)
                accumulate(reference->difference, current->difference, level, &m, x, y, sums);
        int affine = endo_flow_fits_affine(kind, coarsest, iteration);
        int fitted = endo_motion_update(&sums[0], level, affine, motion->a) &
                     endo_motion_update(&sums[1], level, affine, motion->a + 3);
        if (!fitted) {
            *motion = before;
            return 0;
        }
        passed = (int)(sums[0].n + sums[1].n);
        if (endo_motion_change(&before, motion, level) < ENDO_FLOW_SETTLED) break;
    }
    return passed;
}

static endo_shift_sums compare_shifted(const int16_t *reference, const int16_t *current,
                                       const endo_flow_level *level, int dx, int dy) {
    endo_shift_sums s = {0, 0};
    for (int y = 0; y < level->height; y++)
        for (int x = 0; x < level->width; x++) {
            if (x + dx < 0 || y + dy < 0 || x + dx >= level->width || y + dy >= level->height) continue;
            int r = reference[y * level->width + x], c = current[(y + dy) * level->width + x + dx];
            if (r == ENDO_FLOW_INVALID || c == ENDO_FLOW_INVALID) continue;
            s.difference += abs(c - r);
            s.n++;
        }
    return s;
}

/* No shift is tried first and wins a tie; then row by row. */
static void first_shift(const int16_t *reference, const int16_t *current, const endo_flow_level *level,
                        endo_motion *motion) {
    int reach = endo_shift_reach(level), pixels = 0, best_x = 0, best_y = 0;
    for (int i = 0; i < level->width * level->height; i++) pixels += reference[i] != ENDO_FLOW_INVALID;
    endo_shift_sums best = {0, 0}, still = compare_shifted(reference, current, level, 0, 0);
    if (endo_shift_is_better(&still, &best, pixels)) best = still;
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            endo_shift_sums s = compare_shifted(reference, current, level, dx, dy);
            if (!endo_shift_is_better(&s, &best, pixels)) continue;
            best = s, best_x = dx, best_y = dy;
        }
    motion->a[0] = (double)best_x * level->scale;
    motion->a[3] = (double)best_y * level->scale;
}

static void flow_of_pair(const ref_store *s, const endo_pair *pair, const endo_flow_setup *setup, endo_flow_result *out) {
    endo_flow_level levels[ENDO_FLOW_MAX_LEVELS] = {{0, 0, 0}};
    level_image reference[ENDO_FLOW_MAX_LEVELS], current[ENDO_FLOW_MAX_LEVELS];
    int n = endo_flow_levels(s->options.width, s->options.height, levels), passed = 0;
    endo_motion motion = {{0, 0, 0, 0, 0, 0}};
    build(s, pair->reference, levels, n, reference);
    build(s, pair->current, levels, n, current);
    if (n > 0) first_shift(reference[n - 1].difference, current[n - 1].difference, &levels[n - 1], &motion);
    for (int i = n - 1; i >= endo_flow_last_level(s->options.width, s->options.height, setup->rough); i--)
        passed = refine(&reference[i], &current[i], &levels[i], setup->kind, i == n - 1, &motion);
    for (int i = 0; i < n; i++) {
        endo_free(reference[i].difference);
        endo_free(current[i].difference);
    }
    endo_flow_to_result(&motion, setup->kind, passed, out);
}

endo_status ref_flow(void *store, const endo_pair *pairs, size_t n, const endo_flow_setup *setup,
                     endo_flow_result *results) {
    for (size_t i = 0; i < n; i++) flow_of_pair(store, &pairs[i], setup, &results[i]);
    return ENDO_OK;
}
