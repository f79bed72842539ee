/* Kourogi's flow from coarse to fine ([S] section 2.2), pairs side by side. */
#include "cpu.h"

static void add_row(const cpu_flow_row_sums *row, int32_t y, endo_flow_sums *s) {
    s->n += row->n, s->x += row->x, s->y += (int64_t)y * row->n;
    s->xx += row->xx, s->xy += (int64_t)y * row->x, s->yy += (int64_t)y * y * row->n;
    s->d += row->d, s->xd += row->xd, s->yd += (int64_t)y * row->d;
}

static void accumulate(const cpu_store *s, int l, const cpu_frame *reference, const cpu_frame *current,
                       const endo_level_motion *m, endo_flow_sums sums[2]) {
    const cpu_level *level = &s->levels[l];
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
        s->backend->variant->flow_row(&row, out);
        for (int i = 0; i < 2; i++) add_row(&out[i], yc, &sums[i]);
    }
}

/* Returns the vectors that passed in the last iteration of this level; 0: the estimate failed. */
static int refine(const cpu_store *s, int l, const endo_pair *pair, endo_warp warp, endo_motion *motion) {
    const endo_flow_level *level = &s->levels[l].size;
    int passed = 0;
    for (int iteration = 0; iteration < ENDO_FLOW_ITERATIONS; iteration++) {
        endo_level_motion m;
        endo_flow_sums sums[2] = {{0}, {0}};
        endo_motion before = *motion;
        if (!endo_motion_at_level(motion, level, &m)) return 0;
        accumulate(s, l, &s->frames[pair->reference], &s->frames[pair->current], &m, sums);
        int affine = endo_flow_fits_affine(warp, l == s->n_levels - 1, iteration);
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

endo_status cpu_flow(void *store, const endo_pair *pairs, size_t n, endo_warp warp, endo_flow_result *results) {
    cpu_store *s = store;
    endo_status status = cpu_pyramid_build(s, pairs, n);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(s->backend->threads) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        endo_motion motion = {{0, 0, 0, 0, 0, 0}};
        int passed = 0;
        for (int l = s->n_levels - 1; l >= 0; l--) passed = refine(s, l, &pairs[i], warp, &motion);
        endo_flow_to_result(&motion, passed, &results[i]);
    }
    return ENDO_OK;
}
