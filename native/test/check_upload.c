/* Colour frames that go up in one large piece, copied by many threads, in smaller pieces, or several together; frames of
 * endo_check's own sizes are smaller. Every bit of the pixels is random: their fourth byte must not count. */
#include "endo_check.h"

typedef struct upload_case {
    int width, height;
    int stride;
    int n;        /* frames */
    int together; /* in one list */
} upload_case;

static const upload_case cases[] = {
    {4096, 2800, 4096, 2, 0}, /* 34.4 MB packed: a whole large piece, and part of one */
    {2048, 2800, 2051, 2, 0}, /* 17.2 MB: from 16 MiB on, by plain stores; row by row */
    {2048, 1300, 2048, 3, 0}, /* less */
    {1281, 1023, 1281, 3, 1},
    {719, 575, 719, 7, 1}, /* some together, which end within words */
    {719, 575, 722, 2, 0},
    {721, 3, 724, 7, 1},
};

#define MOST_FRAMES 7
#define MOST_PIXELS ((size_t)4096 * 2800)
#define MOST_GREYS (2 * MOST_PIXELS)

/* Frames begin one pixel behind each other. */
static endo_status put_all(endo_frames *frames, const upload_case *u, const uint32_t *pixels) {
    const void *images[MOST_FRAMES];
    int32_t slots[MOST_FRAMES];
    endo_status status = ENDO_OK;
    for (int32_t i = 0; i < u->n; i++) images[i] = pixels + i, slots[i] = u->n - 1 - i;
    if (u->together) return endo_frames_put_list(frames, slots, (size_t)u->n, images, u->stride);
    for (int i = 0; i < u->n && status == ENDO_OK; i++) status = endo_frames_put(frames, slots[i], images[i], u->stride);
    return status;
}

static endo_status greys_of(endo_context *context, const upload_case *u, const uint32_t *pixels, uint8_t *grey) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = u->width, o.height = u->height, o.type = ENDO_RGB32, o.capacity = u->n, o.flow = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    if (status == ENDO_OK) status = put_all(frames, u, pixels);
    for (int slot = 0; slot < u->n && status == ENDO_OK; slot++)
        status = endo_frames_get_grey(frames, slot, grey + (size_t)slot * (size_t)u->width * (size_t)u->height);
    endo_frames_destroy(&frames);
    return status;
}

static int compare(check_rig *rig, const upload_case *u, const uint32_t *pixels, uint8_t *grey, char *text, size_t size) {
    size_t bytes = (size_t)u->n * (size_t)u->width * (size_t)u->height;
    uint8_t *a = grey, *b = grey + MOST_GREYS;
    CHECK_BOTH(greys_of(rig->reference_context, u, pixels, a), greys_of(rig->tested_context, u, pixels, b), a, b, bytes,
               "frames that went up");
    return 0;
}

/* In one case. */
int check_upload(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    if (c->width != 65 || c->fill != FILL_SCENE || c->field != 0) return CHECK_NOT_FOR_CASE;
    size_t n = MOST_PIXELS + MOST_FRAMES;
    uint32_t *pixels = endo_alloc(n, sizeof *pixels);
    uint8_t *grey = endo_alloc(2 * MOST_GREYS, 1);
    int failed = !pixels || !grey;
    for (size_t i = 0; i < n && !failed; i++) pixels[i] = test_next(&rig->random);
    if (failed) snprintf(text, size, "no memory");
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !failed; i++)
        failed = compare(rig, &cases[i], pixels, grey, text, size);
    endo_free(pixels);
    endo_free(grey);
    return failed;
}
