/* Live panoramas: options and their checks, ownership. */
#include "base/memory.h"
#include "base/openmp.h"
#include "systems/live/live_session.h"
#include "checks.h"
#include "mosaic_checks.h"
#include "testing.h"

void endo_live_options_init(endo_live_options *options) {
    endo_live_options defaults = {
        .mosaic = endo_mosaic_options_default(),
        .step = 3,
        .preview = 480,
        .loops = 1,
    };
    if (options) *options = defaults;
}

static endo_status check_options(const endo_live_options *o) {
    if (!(o->step >= 0.1 && o->step <= 50)) return endo_fail(ENDO_ERR_ARGUMENT, "step %g %%: must be 0.1..50", o->step);
    if (o->preview < 64 || o->preview > 4096)
        return endo_fail(ENDO_ERR_ARGUMENT, "preview %d px: must be 64..4096", o->preview);
    ENDO_TRY(endo_check_pairs_options(&o->mosaic.pairs));
    return endo_check_flag("loops", o->loops);
}

/* With loops one processor is left to the thread that solves for them. */
static endo_context_options preview_context(const endo_live_options *o) {
    endo_context_options context = o->mosaic.context;
    int most = omp_get_num_procs() - 1;
    if (context.threads == 0 && o->loops && most > 0) context.threads = most < 256 ? most : 256;
    return context;
}

endo_status endo_live_create_abi(const endo_live_options *options, const endo_mosaic_hooks *hooks, int abi, endo_live **out) {
    endo_live_options defaults = endo_live_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "live: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_options(options));
    endo_mosaic *mosaic = NULL;
    ENDO_TRY(endo_mosaic_create(&options->mosaic, hooks, &mosaic));
    endo_live *live = endo_alloc_zeroed(1, sizeof *live);
    if (!live) {
        endo_mosaic_destroy(&mosaic);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a live panorama");
    }
    live->options = *options;
    live->options.mosaic.scratch = mosaic->options.scratch;
    live->context = preview_context(options);
    live->mosaic = mosaic;
    events_init(&live->events, hooks);
    live_session_init(live);
    *out = live;
    return ENDO_OK;
}

void endo_live_destroy(endo_live **live) {
    if (!live || !*live) return;
    live_session_free(*live);
    endo_mosaic_destroy(&(*live)->mosaic);
    endo_free((*live)->mask);
    endo_free(*live);
    *live = NULL;
}

/* The first frame sets size and type. */
static endo_status begin(endo_live *live, endo_pixel type, int width, int height) {
    endo_mosaic_source like = {.frames = 2, .width = width, .height = height, .type = type};
    like.lend = spool_source(NULL).lend;
    ENDO_TRY(mosaic_check_source(&like, 2));
    return live_session_begin(live, type, (mosaic_size){.width = width, .height = height});
}

endo_status endo_live_put(endo_live *live, const void *pixels, endo_pixel type, int width, int height, ptrdiff_t stride,
                          endo_live_frame *frame) {
    if (!live || !pixels || !frame) return endo_fail(ENDO_ERR_ARGUMENT, "live put: an argument is NULL");
    if (live->has_ended) return endo_fail(ENDO_ERR_ARGUMENT, "this live panorama has ended: make another one");
    if (stride < width) return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width %d", stride, width);
    if (!live->has_begun) ENDO_TRY(begin(live, type, width, height));
    const live_reducer *first = &live->reducer;
    if (type != first->type || width != first->full.width || height != first->full.height)
        return endo_fail(ENDO_ERR_ARGUMENT, "a frame of %d x %d px, type %d: must be like the first one, %d x %d px, type %d",
                         width, height, (int)type, first->full.width, first->full.height, (int)first->type);
    return live_session_put(live, pixels, stride, frame);
}

endo_status endo_live_describe(endo_live *live, endo_live_view *view, endo_live_counts *counts) {
    if (!live) return endo_fail(ENDO_ERR_ARGUMENT, "live describe: live is NULL");
    live_session_describe(live, view, counts);
    return ENDO_OK;
}

endo_status endo_live_read(endo_live *live, void *pixels, size_t room, endo_live_view *view) {
    if (!live || !pixels || !view) return endo_fail(ENDO_ERR_ARGUMENT, "live read: an argument is NULL");
    return live_session_read(live, pixels, room, view);
}

endo_status endo_live_finish(endo_live *live, endo_mosaic **mosaic) {
    if (!live || !mosaic) return endo_fail(ENDO_ERR_ARGUMENT, "live finish: an argument is NULL");
    if (live->has_ended) return endo_fail(ENDO_ERR_ARGUMENT, "this live panorama has ended: make another one");
    live_session_end(live);
    *mosaic = live->kept.n < 2 ? NULL : live->mosaic;
    return *mosaic ? live_session_finish(live) : ENDO_OK;
}

void endo_live_fail_after(endo_live *live, int calls) { live->fail_after = calls; }
