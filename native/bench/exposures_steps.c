#include "exposures_steps.h"

#include "exposures_baseline.h"

#include "../cpu/cpu_exposures.h"

#include <string.h>

#define BYTE_ROWS 255 /* rows whose column counts fit a byte */

/* Counts of one image, and what the back end's loops write on the way. */
typedef struct step_image {
    int16_t *columns, *rows[2]; /* columns: black, then white, `wide` each */
    uint8_t *bytes;             /* as columns */
    uint64_t *above, *used;     /* one row */
} step_image;

typedef struct step_rig {
    const cpu_store *store;
    int words, wide;
    step_image images[2];
    baseline_counts expected;
} step_rig;

static int create(step_rig *r, const cpu_store *s) {
    int ready = baseline_counts_create(&r->expected, s->options.width, s->options.height);
    r->store = s;
    r->words = cpu_exposure_words(s);
    r->wide = 64 * r->words;
    for (int i = 0; i < 2; i++) {
        step_image *m = &r->images[i];
        m->columns = endo_alloc(2 * (size_t)r->wide, sizeof *m->columns);
        m->bytes = endo_alloc(2 * (size_t)r->wide, 1);
        m->above = endo_alloc((size_t)r->words, sizeof *m->above);
        m->used = endo_alloc((size_t)r->words, sizeof *m->used);
        ready &= m->columns && m->bytes && m->above && m->used;
        for (int c = 0; c < 2; c++) ready &= !!(m->rows[c] = endo_alloc((size_t)s->options.height, sizeof(int16_t)));
    }
    return ready;
}

static void destroy(step_rig *r) {
    baseline_counts_destroy(&r->expected);
    for (int i = 0; i < 2; i++) {
        step_image *m = &r->images[i];
        void *const parts[] = {m->columns, m->bytes, m->above, m->used, m->rows[0], m->rows[1]};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) endo_free(parts[k]);
    }
}

static void project(const step_rig *r, step_image *m, const uint8_t *grey, int level, int tolerance) {
    const cpu_store *s = r->store;
    cpu_exposure_row row = {.words = r->words, .level = level, .black_end = level - tolerance + 1,
                            .white_from = level + tolerance, .field = s->field, .above = m->above, .used = m->used,
                            .black = m->bytes, .white = m->bytes + r->wide};
    memset(m->columns, 0, 2 * (size_t)r->wide * sizeof *m->columns);
    memset(m->bytes, 0, 2 * (size_t)r->wide);
    for (int y = 0; y < s->options.height; y++) {
        int counts[2];
        row.grey = grey + y * s->stride;
        s->backend->variant->exposure_row(&row, counts);
        m->rows[0][y] = (int16_t)counts[0], m->rows[1][y] = (int16_t)counts[1];
        if (y % BYTE_ROWS != BYTE_ROWS - 1 && y + 1 < s->options.height) continue;
        for (int i = 0; i < 2 * r->wide; i++) m->columns[i] = (int16_t)(m->columns[i] + m->bytes[i]);
        memset(m->bytes, 0, 2 * (size_t)r->wide);
    }
}

static int counts_equal(step_rig *r, const step_image *m, const uint8_t *grey, int level, int tolerance) {
    const baseline_counts *e = &r->expected;
    int equal = 1;
    baseline_project(grey, level, tolerance, &r->expected);
    for (int c = 0; c < 2; c++) {
        for (int x = 0; x < e->width; x++) equal &= e->columns[c][x] == m->columns[(size_t)c * r->wide + x];
        for (int y = 0; y < e->height; y++) equal &= e->rows[c][y] == m->rows[c][y];
    }
    return equal;
}

static endo_status time_pair(step_rig *r, exposures_rig *rig, size_t pair, int tolerance, exposures_steps *out) {
    const endo_pair *p = &rig->pairs[pair];
    const endo_exposure_result *e = &rig->results[pair];
    const int slots[2] = {p->reference, p->current}, levels[2] = {e->threshold_reference, e->threshold_current};
    double start = timing_now();
    endo_status status = cpu_exposures_prepare((cpu_store *)rig->frames->store, p, 1);
    timing_add(&out->brightness, (timing_now() - start) / 2);
    if (status != ENDO_OK) return status;
    start = timing_now();
    for (int i = 0; i < 2; i++)
        project(r, &r->images[i], r->store->frames[slots[i]].grey, levels[i], tolerance);
    timing_add(&out->projected, timing_now() - start);
    for (int i = 0; i < 2; i++)
        if (!counts_equal(r, &r->images[i], rig->set->frames[slots[i] % rig->set->n], levels[i], tolerance))
            return endo_fail(ENDO_ERR_INTERNAL, "%s: row and column histograms differ from the plain loops'",
                             rig->context->description);
    return ENDO_OK;
}

endo_status exposures_steps_time(exposures_rig *rig, int rounds, exposures_steps *out) {
    step_rig r = {.words = 0};
    int tolerance = exposures_paper_params().tolerance;
    endo_status status = create(&r, rig->frames->store) ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    for (int round = 0; round < rounds && status == ENDO_OK; round++) {
        status = exposures_rig_refill(rig);
        for (size_t i = 0; i < rig->n_pairs && status == ENDO_OK; i++) status = time_pair(&r, rig, i, tolerance, out);
    }
    destroy(&r);
    return status;
}
