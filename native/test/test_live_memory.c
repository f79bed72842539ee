/* Live panoramas where memory ends at its Nth call: the status, the untouched output, no leak, and that frames go on to be
 * found and are finished afterwards. */
#include "include/endorama/live.h"
#include "demo_rig.h"
#include "memory_allocator.h"

enum { W = 320, H = 256, FRAMES = 10 };

static demo_frames demo;

static endo_status put(endo_live *live, int i, endo_live_frame *frame) {
    return endo_live_put(live, demo.pixels + (size_t)i * demo.bytes, ENDO_RGB32, W, H, W, frame);
}

static endo_live *make(void) {
    endo_live_options options = endo_live_options_default();
    endo_live *live = NULL;
    options.mosaic.context.backend = ENDO_BACKEND_CPU;
    options.mosaic.context.threads = 1;
    options.mosaic.picture = 0;
    options.preview = 160;
    options.loops = 0;
    endo_status status = endo_live_create(&options, NULL, &live);
    CHECK((status == ENDO_OK) == (live != NULL) && (status == ENDO_OK || status == ENDO_ERR_MEMORY));
    return live;
}

/* Puts frames of which each may fail, and all of them on the way back. Returns the number of calls of the allocator that
 * failed. */
static int run(int at) {
    endo_live_frame f = {.number = -1};
    endo_live_frame before;
    endo_live_counts counts;
    memory_arm(at, 0);
    endo_live *live = make();
    for (int i = 0; live && i < FRAMES; i++) {
        before = f;
        endo_status status = put(live, i, &f);
        CHECK(status == ENDO_OK || (status == ENDO_ERR_MEMORY && !memcmp(&before, &f, sizeof f)));
    }
    int failures = memory_failures;
    memory_arm(0, 0);
    if (!live) live = make();
    int64_t refused = 0;
    for (int i = FRAMES - 1; i >= 0; i--) refused += put(live, i, &f) != ENDO_OK;
    CHECK(endo_live_describe(live, NULL, &counts) == ENDO_OK);
    CHECK(refused == 0 ? f.state == ENDO_LIVE_FOUND && counts.components == 1 : counts.kept > 0);
    endo_mosaic *mosaic = NULL;
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && (mosaic != NULL) == (counts.kept > 1));
    int32_t n = 0;
    if (mosaic) endo_mosaic_frames(mosaic, &n);
    CHECK(!mosaic || n == counts.kept);
    endo_live_destroy(&live);
    return failures;
}

int main(void) {
    endo_demo_options options = endo_demo_options_default();
    options.width = W;
    options.height = H;
    options.frames = 60;
    options.step = 6;
    demo_make(&demo, &options, FRAMES, DEMO_RGB);
    int alive = memory_alive;
    int at = 1;
    while (run(at) > 0) at += at < 80 ? 1 : 13;
    printf("%d calls of the allocator\n", at);
    CHECK(at > 200);
    CHECK(memory_alive == alive);
    demo_free(&demo);
    return check_summary("test_live_memory");
}
