/* The demo sequence: argument checks. */
#include "systems/demo/demo.h"

#include "backend/objects.h"

void endo_demo_options_init(endo_demo_options *options) {
    const endo_demo_options defaults = {.width = 720, .height = 576, .frames = 60, .path = ENDO_DEMO_LOOP,
                              .step = 6.0, .rotation = 10.0, .zoom = 8.0, .noise = 2.0,
                              .flicker = 3.0, .highlights = 12, .seed = 1};
    if (options) *options = defaults;
}

static endo_status check_int(const char *name, int value, int low, int high) {
    if (value >= low && value <= high) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "demo %s %d: must be %d..%d", name, value, low, high);
}

/* Checks that a number is within its range; NaN is not. */
static endo_status check_real(const char *name, double value, double high) {
    if (value >= 0.0 && value <= high) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "demo %s %g: must be 0..%g", name, value, high);
}

static endo_status check_options(const endo_demo_options *p) {
    endo_status status = check_int("width", p->width, 64, 4096);
    if (!status) status = check_int("height", p->height, 64, 4096);
    if (!status) status = check_int("frames", p->frames, 2, 100000);
    if (!status) status = check_int("path", (int)p->path, ENDO_DEMO_LOOP, ENDO_DEMO_SPIRAL);
    if (!status) status = check_real("step", p->step, 64.0);
    if (!status) status = check_real("rotation", p->rotation, 180.0);
    if (!status) status = check_real("zoom", p->zoom, 50.0);
    if (!status) status = check_real("noise", p->noise, 64.0);
    if (!status) status = check_real("flicker", p->flicker, 50.0);
    if (!status) status = check_int("highlights", p->highlights, 0, 1000);
    return status;
}

endo_status endo_demo_create(endo_context *context, const endo_demo_options *options, endo_demo **out) {
    if (!context || !options || !out)
        return endo_fail(ENDO_ERR_ARGUMENT, "demo %s: must not be NULL",
                         !context ? "context" : !options ? "options" : "out");
    endo_status status = check_options(options);
    return status == ENDO_OK ? endo_demo_build(options, context->threads, out) : status;
}

void endo_demo_destroy(endo_demo **demo) {
    if (!demo || !*demo) return;
    endo_demo_free(*demo);
    *demo = NULL;
}

static endo_status check_index(const endo_demo *demo, int index) {
    if (!demo) return endo_fail(ENDO_ERR_ARGUMENT, "demo: must not be NULL");
    return check_int("frame", index, 0, endo_demo_options_of(demo)->frames - 1);
}

endo_status endo_demo_render(endo_demo *demo, int index, uint32_t *pixels) {
    ENDO_TRY(check_index(demo, index));
    if (!pixels) return endo_fail(ENDO_ERR_ARGUMENT, "demo pixels: must not be NULL");
    return endo_demo_draw(demo, index, pixels);
}

endo_status endo_demo_truth(const endo_demo *demo, int index, endo_transform *transform) {
    ENDO_TRY(check_index(demo, index));
    if (!transform) return endo_fail(ENDO_ERR_ARGUMENT, "demo transform: must not be NULL");
    *transform = endo_demo_pose(demo, index);
    return ENDO_OK;
}

endo_status endo_demo_field(const endo_demo *demo, uint8_t *mask) {
    ENDO_TRY(check_index(demo, 0));
    if (!mask) return endo_fail(ENDO_ERR_ARGUMENT, "demo mask: must not be NULL");
    endo_demo_mask(demo, mask);
    return ENDO_OK;
}
