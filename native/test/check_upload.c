/* A frame that goes up in one large piece, copied by many threads; frames of endo_check's own sizes are smaller. */
#include "endo_check.h"

/* 9.0 and 18.0 MB of colour: from 8 MB on, and in more than one piece. */
#define WIDTH 2048
#define FEW_ROWS 1100
#define MANY_ROWS 2200

static endo_status grey_of(endo_context *context, int height, int stride, const uint32_t *pixels, uint8_t *grey) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = height, o.type = ENDO_RGB32, o.capacity = 2, o.flow = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    for (int slot = 0; slot < 2 && status == ENDO_OK; slot++)
        status = endo_frames_put(frames, slot, pixels + slot, stride);
    for (int slot = 0; slot < 2 && status == ENDO_OK; slot++)
        status = endo_frames_get_grey(frames, slot, grey + (size_t)slot * WIDTH * (size_t)height);
    endo_frames_destroy(&frames);
    return status;
}

static int compare(check_rig *rig, int height, int stride, const uint32_t *pixels, uint8_t *grey, char *text, size_t size) {
    size_t bytes = (size_t)2 * WIDTH * (size_t)height;
    uint8_t *a = grey, *b = grey + bytes;
    CHECK_BOTH(grey_of(rig->reference_context, height, stride, pixels, a), grey_of(rig->tested_context, height, stride, pixels, b),
               a, b, bytes, "a large frame");
    return 0;
}

/* In one case. */
int check_upload(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    if (c->width != 65 || c->fill != FILL_SCENE || c->field != 0) return CHECK_NOT_FOR_CASE;
    size_t n = (size_t)(WIDTH + 3) * MANY_ROWS + 1;
    uint32_t *pixels = endo_alloc(n, sizeof *pixels);
    uint8_t *grey = endo_alloc((size_t)4 * WIDTH * MANY_ROWS, 1);
    int failed = !pixels || !grey;
    for (size_t i = 0; i < n && !failed; i++) pixels[i] = test_next(&rig->random);
    if (failed) snprintf(text, size, "no memory");
    if (!failed) failed = compare(rig, FEW_ROWS, WIDTH, pixels, grey, text, size);
    if (!failed) failed = compare(rig, MANY_ROWS, WIDTH + 3, pixels, grey, text, size);
    endo_free(pixels);
    endo_free(grey);
    return failed;
}
