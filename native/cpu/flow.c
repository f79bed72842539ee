/* Kourogi's flow from coarse to fine ([S] section 2.2), pairs side by side. */
#include "derived.h"

static void add_row(const cpu_flow_row_sums *row, int32_t y, endo_flow_sums *s) {
    s->n += row->n, s->x += row->x, s->y += (int64_t)y * row->n;
    s->xx += row->xx, s->xy += (int64_t)y * row->x, s->yy += (int64_t)y * y * row->n;
    s->d += row->d, s->xd += row->xd, s->yd += (int64_t)y * row->d;
}

static void accumulate(const cpu_store *s, int l, const cpu_frame *reference, const cpu_frame *current,
                       const endo_level_motion *m, endo_flow_sums sums[2]) {
    const endo_field_level *level = &s->field->levels[l];
    int width = level->size.width, height = level->size.height, half = width / 2;
    for (int y = 1; y < height - 1; y += endo_flow_row_step(width, height)) {
        int32_t yc = y - height / 2;
        cpu_flow_row row = {.reference = reference->levels[l] + y * level->stride,
                            .current = current->levels[l],
                            .stride = level->stride,
                            .width = width,
                            .height = height,
                            .px = m->a[0] - m->a[1] * half + m->a[2] * yc,
                            .py = (y << 16) + m->a[3] - m->a[4] * half + m->a[5] * yc,
                            .step_x = 65536 + m->a[1],
                            .step_y = m->a[4]};
        cpu_flow_row_sums out[2] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
        s->backend->variant->flow->flow_row(&row, out);
        for (int i = 0; i < 2; i++) add_row(&out[i], yc, &sums[i]);
    }
}

/* Returns the vectors that passed in the last iteration of this level; 0: the estimate failed. */
static int refine(const cpu_store *s, int l, const endo_pair *pair, endo_transform_class kind, endo_motion *motion) {
    const endo_flow_level *level = &s->field->levels[l].size;
    int passed = 0;
    for (int iteration = 0; iteration < ENDO_FLOW_ITERATIONS; iteration++) {
        endo_level_motion m;
        endo_flow_sums sums[2] = {{0}, {0}};
        endo_motion before = *motion;
        if (!endo_motion_at_level(motion, level, &m)) return 0;
        accumulate(s, l, &s->frames[pair->reference], &s->frames[pair->current], &m, sums);
        int affine = endo_flow_fits_affine(kind, l == s->field->n_levels - 1, iteration);
        if (!(endo_motion_update(&sums[0], level, affine, motion->a) &
              endo_motion_update(&sums[1], level, affine, motion->a + 3))) {
            *motion = before;
            return 0;
        }
        passed = (int)(sums[0].n + sums[1].n);
        if (endo_motion_change(&before, motion, level) < ENDO_FLOW_SETTLED) break;
    }
    return passed;
}

static endo_shift_sums compare_shifted(const cpu_store *s, const endo_field_level *level, const int16_t *reference,
                                       const int16_t *current, int dx, int dy) {
    endo_shift_sums sums = {0, 0};
    int width = level->size.width, height = level->size.height;
    int left = dx < 0 ? -dx : 0, right = dx > 0 ? width - dx : width;
    int top = dy < 0 ? -dy : 0, bottom = dy > 0 ? height - dy : height;
    s->backend->variant->flow->shift_rows(reference + top * level->stride + left,
                                          current + (top + dy) * level->stride + left + dx, level->stride, right - left,
                                          bottom - top, &sums);
    return sums;
}

static int32_t count_valid(const endo_field_level *level, const int16_t *image) {
    int32_t count = 0;
    for (int y = 0; y < level->size.height; y++)
        for (int x = 0; x < level->size.width; x++) count += image[y * level->stride + x] != ENDO_FLOW_INVALID;
    return count;
}

/* No shift is tried first and wins a tie; then row by row. */
static void first_shift(const cpu_store *s, const endo_pair *pair, endo_motion *motion) {
    const endo_field_level *level = &s->field->levels[s->field->n_levels - 1];
    const int16_t *reference = s->frames[pair->reference].levels[s->field->n_levels - 1];
    const int16_t *current = s->frames[pair->current].levels[s->field->n_levels - 1];
    int reach = endo_shift_reach(&level->size), best_x = 0, best_y = 0;
    int32_t pixels = count_valid(level, reference);
    endo_shift_sums best = {0, 0}, still = compare_shifted(s, level, reference, current, 0, 0);
    if (endo_shift_is_better(&still, &best, pixels)) best = still;
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            endo_shift_sums sums = compare_shifted(s, level, reference, current, dx, dy);
            if (!endo_shift_is_better(&sums, &best, pixels)) continue;
            best = sums, best_x = dx, best_y = dy;
        }
    motion->a[0] = (double)best_x * level->size.scale;
    motion->a[3] = (double)best_y * level->size.scale;
}

endo_status cpu_flow(void *store, const endo_pair *pairs, size_t n, const endo_flow_setup *setup,
                     endo_flow_result *results) {
    cpu_store *s = store;
    int last = endo_flow_last_level(s->options.width, s->options.height, setup->rough);
    endo_status status = cpu_derive(s, last > 0 ? CPU_ROUGH_PYRAMID : CPU_PYRAMID, pairs, n, sizeof *pairs);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(cpu_threads(s->backend, n)) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        endo_motion motion = {{0, 0, 0, 0, 0, 0}};
        int passed = 0;
        if (s->field->n_levels > 0) first_shift(s, &pairs[i], &motion);
        for (int l = s->field->n_levels - 1; l >= last; l--) passed = refine(s, l, &pairs[i], setup->kind, &motion);
        endo_flow_to_result(&motion, setup->kind, passed, &results[i]);
    }
    return ENDO_OK;
}
