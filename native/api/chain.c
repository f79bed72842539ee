/* Chains: options and their checks, ownership, results. */
#include "base/memory.h"
#include "systems/chains/chain_session.h"
#include "checks.h"
#include "mosaic_checks.h"
#include "testing.h"

/* --------------------------------------------------------------------- options */

void endo_exposure_chain_options_init(endo_exposure_chain_options *options) {
    endo_exposure_chain_options defaults = {
        .context = endo_context_options_default(),
        .pairs = endo_exposure_options_default(),
        .reference = ENDO_CHAIN_PREVIOUS,
    };
    if (options) *options = defaults;
}

void endo_fourier_chain_options_init(endo_fourier_chain_options *options) {
    endo_fourier_chain_options defaults = {
        .context = endo_context_options_default(),
        .pairs = endo_fourier_options_default(),
        .reference = ENDO_CHAIN_PREVIOUS,
    };
    if (options) *options = defaults;
}

/* frames: length of the sequence; 0: not known yet. */
static endo_status check_reference(int reference, int frames) {
    if (reference < ENDO_CHAIN_PREVIOUS)
        return endo_fail(ENDO_ERR_ARGUMENT, "reference %d: must be -1 (previous), or the number of a frame", reference);
    if (frames && reference >= frames)
        return endo_fail(ENDO_ERR_ARGUMENT, "reference %d: there are %d frames, 0..%d", reference, frames, frames - 1);
    return ENDO_OK;
}

static int is_given(const endo_chain_part *p) { return p->left || p->top || p->right || p->bottom; }

static endo_status check_part(const char *name, const endo_chain_part *p, const endo_mosaic_source *source) {
    if (!is_given(p)) return ENDO_OK;
    if (p->left >= 0 && p->top >= 0 && p->left < p->right && p->top < p->bottom && p->right <= source->width &&
        p->bottom <= source->height)
        return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d, %d .. %d, %d: must lie in the image, %d x %d px", name, p->left, p->top,
                     p->right, p->bottom, source->width, source->height);
}

static endo_status check_exposures(const endo_exposure_chain_options *o) {
    ENDO_TRY(endo_exposure_check(&o->pairs));
    ENDO_TRY(check_reference(o->reference, 0));
    ENDO_TRY(endo_check_period(o->period));
    return endo_check_flag("kalman", o->kalman);
}

static endo_status check_fourier(const endo_fourier_chain_options *o) {
    ENDO_TRY(endo_fourier_check(&o->pairs));
    ENDO_TRY(check_reference(o->reference, 0));
    if (o->onto && o->mask)
        return endo_fail(ENDO_ERR_ARGUMENT, "mask: must be NULL where frames are registered onto another image");
    if (!o->onto) return ENDO_OK;
    ENDO_TRY(mosaic_check_source(o->onto, 1));
    return check_part("onto_part", &o->onto_part, o->onto);
}

/* ----------------------------------------------------------------- create, free */

static endo_status create(chain_kind kind, const endo_mosaic_hooks *hooks, endo_chain **out) {
    endo_chain *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a chain");
    c->kind = kind;
    events_init(&c->events, hooks);
    *out = c;
    return ENDO_OK;
}

endo_status endo_exposure_chain_create_abi(const endo_exposure_chain_options *options, const endo_mosaic_hooks *hooks, int abi,
                                           endo_chain **out) {
    endo_exposure_chain_options defaults = endo_exposure_chain_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "chain: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_exposures(options));
    ENDO_TRY(create(CHAIN_OF_EXPOSURES, hooks, out));
    (*out)->exposures = *options;
    return ENDO_OK;
}

endo_status endo_fourier_chain_create_abi(const endo_fourier_chain_options *options, const endo_mosaic_hooks *hooks, int abi,
                                          endo_chain **out) {
    endo_fourier_chain_options defaults = endo_fourier_chain_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "chain: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_fourier(options));
    ENDO_TRY(create(CHAIN_BY_SPECTRA, hooks, out));
    (*out)->fourier = *options;
    return ENDO_OK;
}

void endo_chain_destroy(endo_chain **chain) {
    if (!chain || !*chain) return;
    chain_session_free(*chain);
    events_free(&(*chain)->events);
    endo_free(*chain);
    *chain = NULL;
}

void endo_chain_fail_after(endo_chain *chain, int calls) { chain->fail_after = calls; }

/* ------------------------------------------------------------------------ runs */

static endo_status check_run(const endo_chain *c, const endo_mosaic_source *source) {
    int is_fourier = c->kind == CHAIN_BY_SPECTRA;
    int has_onto = is_fourier && c->fourier.onto;
    ENDO_TRY(mosaic_check_source(source, has_onto ? 1 : 2));
    if (is_fourier) ENDO_TRY(check_part("part", &c->fourier.part, source));
    if (has_onto) return ENDO_OK;
    return check_reference(is_fourier ? c->fourier.reference : c->exposures.reference, source->frames);
}

endo_status endo_chain_run(endo_chain *chain, const endo_mosaic_source *source) {
    if (!chain) return endo_fail(ENDO_ERR_ARGUMENT, "chain is NULL");
    if (chain->has_run) return endo_fail(ENDO_ERR_ARGUMENT, "this chain has run: make another one");
    ENDO_TRY(check_run(chain, source));
    chain->has_run = 1;
    return chain_session_run(chain, source);
}

/* --------------------------------------------------------------------- results */

const endo_chain_frame *endo_chain_frames(const endo_chain *chain, int32_t *n) {
    const chain_rows *rows = chain ? chain_session_rows((endo_chain *)chain) : NULL;
    if (n) *n = rows ? rows->n : 0;
    return rows ? rows->rows : NULL;
}

const char *endo_chain_backend(const endo_chain *chain) { return chain ? chain->backend : ""; }

const char *endo_chain_field_description(const endo_chain *chain) {
    return chain && chain->has_begun ? chain->field.description : "";
}

const uint8_t *endo_chain_field_mask(const endo_chain *chain) { return chain ? chain->field.mask : NULL; }
