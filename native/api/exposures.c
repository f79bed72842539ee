/* Exposures: argument checks. */
#include "checks.h"

#include "systems/exposures/exposures.h"
#include "systems/exposures/exposures_filter.h"

#include <math.h>

void endo_exposure_options_init(endo_exposure_options *options) {
    if (options) *options = endo_exposure_defaults;
}

endo_status endo_exposure_check(const endo_exposure_options *p) {
    if (p->search < 1 || p->search > ENDO_EXPOSURE_MAX_SEARCH)
        return endo_fail(ENDO_ERR_ARGUMENT, "search %d: must be 1..%d", p->search, ENDO_EXPOSURE_MAX_SEARCH);
    if (p->tolerance < 0 || p->tolerance > 127)
        return endo_fail(ENDO_ERR_ARGUMENT, "tolerance %d: must be 0..127", p->tolerance);
    if (p->bins != 64 && p->bins != 256)
        return endo_fail(ENDO_ERR_ARGUMENT, "bins %d: must be 64 or 256", p->bins);
    if (p->percentile != ENDO_PERCENTILE_MEDIAN && p->percentile != ENDO_PERCENTILE_ADAPTIVE)
        return endo_fail(ENDO_ERR_ARGUMENT, "percentile %d: must be 0 (median) or 1 (adaptive)", (int)p->percentile);
    return endo_check_flag("subpixel", p->subpixel);
}

endo_status endo_exposures_register(endo_frames *frames, const endo_pair *pairs, size_t n,
                                    const endo_exposure_options *options, endo_exposure_result *results) {
    if (!frames || !options || (n && (!pairs || !results)))
        return endo_fail(ENDO_ERR_ARGUMENT, "exposures: an argument is NULL");
    endo_status status = endo_exposure_check(options);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        status = endo_check_slot(frames, pairs[i].reference, ENDO_USE_MATCHING);
        if (status == ENDO_OK) status = endo_check_slot(frames, pairs[i].current, ENDO_USE_MATCHING);
    }
    if (status == ENDO_OK) status = endo_context_step(frames->context);
    return status == ENDO_OK && n ? endo_exposures_align(frames, pairs, n, options, results) : status;
}

endo_status endo_check_period(int period) {
    if (period >= 0 && period <= 1000) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "period %d: must be 0..1000", period);
}

endo_status endo_exposure_filter_begin(endo_exposure_filter *filter, int period) {
    if (!filter) return endo_fail(ENDO_ERR_ARGUMENT, "exposure filter: an argument is NULL");
    ENDO_TRY(endo_check_period(period));
    endo_exposure_filter none = {.period = period};
    *filter = none;
    return ENDO_OK;
}

endo_status endo_exposure_filter_start(endo_exposure_filter *filter, int64_t frame, double x, double y) {
    if (!filter) return endo_fail(ENDO_ERR_ARGUMENT, "exposure filter: an argument is NULL");
    if (!isfinite(x) || !isfinite(y)) return endo_fail(ENDO_ERR_ARGUMENT, "position %g, %g: must be finite", x, y);
    endo_exposures_start(filter, frame, x, y);
    return ENDO_OK;
}

/* Checks a result of endo_exposures_register, whose numbers must be finite. */
static endo_status check_shift(const endo_exposure_result *s) {
    if (!isfinite(s->dx) || !isfinite(s->dy))
        return endo_fail(ENDO_ERR_ARGUMENT, "shift %g, %g: must be finite", s->dx, s->dy);
    if (!(s->certainty >= 0 && s->certainty <= 1))
        return endo_fail(ENDO_ERR_ARGUMENT, "certainty %g: must be 0..1", s->certainty);
    if (!(s->deviation_x >= 0 && s->deviation_y >= 0 && isfinite(s->deviation_x) && isfinite(s->deviation_y)))
        return endo_fail(ENDO_ERR_ARGUMENT, "deviation %g, %g: must be finite, 0 or above", s->deviation_x,
                         s->deviation_y);
    return ENDO_OK;
}

endo_status endo_exposure_filter_step(endo_exposure_filter *filter, int64_t frame, double reference_x,
                                      double reference_y, const endo_exposure_result *shift,
                                      endo_exposure_position *position) {
    if (!filter || !position) return endo_fail(ENDO_ERR_ARGUMENT, "exposure filter: an argument is NULL");
    if (!filter->started) return endo_fail(ENDO_ERR_ARGUMENT, "exposure filter: it was not started");
    if (frame <= filter->frame)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %lld: must be above the last, %lld", (long long)frame,
                         (long long)filter->frame);
    if (!isfinite(reference_x) || !isfinite(reference_y))
        return endo_fail(ENDO_ERR_ARGUMENT, "position %g, %g: must be finite", reference_x, reference_y);
    if (shift && shift->status == ENDO_EXPOSURE_OK) {
        ENDO_TRY(check_shift(shift));
    }
    endo_exposures_step(filter, frame, reference_x, reference_y, shift, position);
    return ENDO_OK;
}
