#include "exposures_steps.h"

#include "exposures_baseline.h"

#include "cpu/cpu_exposures.h"

typedef struct step_rig {
    cpu_aligner aligner;
    baseline_counts expected;
} step_rig;

static int counts_equal(step_rig *r, const cpu_bitmap *m, const uint8_t *grey, int level, int tolerance) {
    const baseline_counts *e = &r->expected;
    int equal = 1;
    baseline_project(grey, level, tolerance, &r->expected);
    for (int c = 0; c < 2; c++) {
        for (int x = 0; x < e->width; x++) equal &= e->columns[c][x] == m->columns[c].counts[x];
        for (int y = 0; y < e->height; y++) equal &= e->rows[c][y] == m->rows[c].counts[y];
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
    cpu_bitmap *const bitmaps[2] = {&r->aligner.reference, &r->aligner.current};
    endo_exposure_choice t = {.reference = {.level = levels[0], .tolerance = tolerance, .slice = {0, 255}},
                              .current = {.level = levels[1], .tolerance = tolerance, .slice = {0, 255}}};
    cpu_bitmaps_make(&r->aligner, p, &t);
    timing_add(&out->projected, timing_now() - start);
    for (int i = 0; i < 2; i++)
        if (!counts_equal(r, bitmaps[i], rig->set->frames[slots[i] % rig->set->n], levels[i], tolerance))
            return endo_fail(ENDO_ERR_INTERNAL, "%s: row and column histograms differ from the plain loops'",
                             rig->context->description);
    return ENDO_OK;
}

endo_status exposures_steps_time(exposures_rig *rig, int rounds, exposures_steps *out) {
    const cpu_store *s = rig->frames->store;
    step_rig r = {.aligner = {.memory = NULL}};
    int tolerance = exposures_paper_params().tolerance;
    int ready = baseline_counts_create(&r.expected, s->options.width, s->options.height);
    if (ready) ready = cpu_aligner_create(&r.aligner, s, 1) == ENDO_OK;
    endo_status status = ready ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    for (int round = 0; round < rounds && status == ENDO_OK; round++) {
        status = exposures_rig_refill(rig);
        for (size_t i = 0; i < rig->n_pairs && status == ENDO_OK; i++) status = time_pair(&r, rig, i, tolerance, out);
    }
    cpu_aligner_destroy(&r.aligner);
    baseline_counts_destroy(&r.expected);
    return status;
}
