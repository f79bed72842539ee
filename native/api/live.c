/* Live panoramas: options and their checks, ownership. */
#include "include/endorama/live.h"

#include "base/memory.h"
#include "checks.h"

#include <string.h>

struct endo_live {
    endo_live_options options;
    endo_mosaic *mosaic;
    endo_live_counts counts;
    int has_ended;
};

void endo_live_options_init(endo_live_options *options) {
    endo_live_options defaults = {
        .mosaic = endo_mosaic_options_default(),
        .step = 5,
        .preview = 480,
        .loops = 1,
    };
    if (options) *options = defaults;
}

static endo_status check_options(const endo_live_options *o) {
    if (!(o->step >= 0.1 && o->step <= 50)) return endo_fail(ENDO_ERR_ARGUMENT, "step %g %%: must be 0.1..50", o->step);
    if (o->preview < 64 || o->preview > 4096)
        return endo_fail(ENDO_ERR_ARGUMENT, "preview %d px: must be 64..4096", o->preview);
    return endo_check_flag("loops", o->loops);
}

endo_status endo_live_create_abi(const endo_live_options *options, const endo_mosaic_hooks *hooks, int abi, endo_live **out) {
    endo_live_options defaults = endo_live_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "live: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_options(options));
    endo_live *live = endo_alloc_zeroed(1, sizeof *live);
    if (!live) return endo_fail(ENDO_ERR_MEMORY, "no memory for a live panorama");
    live->options = *options;
    endo_status status = endo_mosaic_create(&options->mosaic, hooks, &live->mosaic);
    if (status == ENDO_OK)
        *out = live;
    else
        endo_live_destroy(&live);
    return status;
}

void endo_live_destroy(endo_live **live) {
    if (!live || !*live) return;
    endo_mosaic_destroy(&(*live)->mosaic);
    endo_free(*live);
    *live = NULL;
}

endo_status endo_live_put(endo_live *live, const void *pixels, endo_pixel type, int width, int height, ptrdiff_t stride,
                          endo_live_frame *frame) {
    if (!live || !pixels || !frame) return endo_fail(ENDO_ERR_ARGUMENT, "live put: an argument is NULL");
    if (live->has_ended) return endo_fail(ENDO_ERR_ARGUMENT, "this live panorama has ended: make another one");
    ENDO_TRY(endo_mosaic_put(live->mosaic, pixels, type, width, height, stride));
    live->counts.put++;
    live->counts.kept++;
    *frame = (endo_live_frame){.number = live->counts.put, .kept = (int32_t)live->counts.kept};
    frame->pose = endo_transform_identity();
    return ENDO_OK;
}

endo_status endo_live_describe(endo_live *live, endo_live_view *view, endo_live_counts *counts) {
    if (!live) return endo_fail(ENDO_ERR_ARGUMENT, "live is NULL");
    if (view) *view = (endo_live_view){.scale = 1};
    if (counts) *counts = live->counts;
    return ENDO_OK;
}

endo_status endo_live_read(endo_live *live, void *pixels, size_t room, endo_live_view *view) {
    (void)room;
    if (!live || !pixels || !view) return endo_fail(ENDO_ERR_ARGUMENT, "live read: an argument is NULL");
    return endo_live_describe(live, view, NULL);
}

endo_status endo_live_finish(endo_live *live, endo_mosaic **mosaic) {
    if (!live || !mosaic) return endo_fail(ENDO_ERR_ARGUMENT, "live finish: an argument is NULL");
    if (live->has_ended) return endo_fail(ENDO_ERR_ARGUMENT, "this live panorama has ended: make another one");
    live->has_ended = 1;
    *mosaic = live->counts.kept < 2 ? NULL : live->mosaic;
    return *mosaic ? endo_mosaic_finish(*mosaic) : ENDO_OK;
}
