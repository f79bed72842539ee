/* Colour frames that go up in one large piece, copied by many threads, in smaller pieces, or several together; frames of
 * endo_check's own sizes are smaller. Every bit of the pixels is random: their fourth byte must not count. Their grey images
 * are compared, and the pixels of the smaller ones, which are painted. */
#include "endo_check.h"
#include "posed.h"

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
    {1023, 767, 1023, 3, 1}, /* 2.35 MB each: three go up together, and not a fourth */
    {719, 575, 719, 7, 1},   /* some together, which end within words */
    {719, 575, 722, 2, 0},
    {721, 3, 724, 7, 1},
};

#define MOST_FRAMES 7
#define MOST_PIXELS ((size_t)4096 * 2800)
#define MOST_RESULTS (2 * MOST_PIXELS) /* bytes of a case: grey images, and pixels of frames up to the size that is painted */
#define MOST_PAINTED ((size_t)719 * 575)

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

static size_t area_of(const upload_case *u) { return (size_t)u->width * (size_t)u->height; }

static int is_painted(const upload_case *u) { return area_of(u) <= MOST_PAINTED; }

/* Bytes of the pixels, which come first, of all frames. */
static size_t painted_bytes(const upload_case *u) {
    return is_painted(u) ? (size_t)u->n * area_of(u) * sizeof(uint32_t) : 0;
}

/* Paints slot after slot where it is, all of its pixels. */
static endo_status paint_slots(endo_context *context, const endo_frames *frames, const upload_case *u, uint32_t *pixels) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    const endo_transform place = endo_transform_of_affine(still);
    endo_canvas *canvas = NULL;
    endo_status status = endo_canvas_create(context, ENDO_RGB32, u->width, u->height, &canvas);
    for (int32_t slot = 0; slot < u->n && status == ENDO_OK; slot++) {
        uint32_t *to = pixels + (size_t)slot * area_of(u);
        status = endo_canvas_paint(canvas, frames, POSED(&slot, &place, .n = 1), ENDO_PAINT_UNION);
        if (status == ENDO_OK) status = endo_canvas_read(canvas, 0, 0, u->width, u->height, to, NULL);
        if (status == ENDO_OK) status = endo_canvas_clear(canvas);
        if (status == ENDO_OK && !to[area_of(u) - 1]) status = endo_fail(ENDO_ERR_ARGUMENT, "the last pixel is not painted");
    }
    endo_canvas_destroy(&canvas);
    return status;
}

static endo_status send_up(endo_context *context, const upload_case *u, const uint32_t *pixels, uint8_t *results) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    uint8_t *grey = results + painted_bytes(u);
    o.width = u->width, o.height = u->height, o.type = ENDO_RGB32, o.capacity = u->n, o.flow = 0, o.rim = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    if (status == ENDO_OK) status = put_all(frames, u, pixels);
    if (status == ENDO_OK && is_painted(u)) status = paint_slots(context, frames, u, (uint32_t *)(void *)results);
    for (int slot = 0; slot < u->n && status == ENDO_OK; slot++)
        status = endo_frames_get_grey(frames, slot, grey + (size_t)slot * area_of(u));
    endo_frames_destroy(&frames);
    return status;
}

static int compare(check_rig *rig, const upload_case *u, const uint32_t *pixels, uint8_t *results, char *text, size_t size) {
    size_t bytes = painted_bytes(u) + (size_t)u->n * area_of(u);
    uint8_t *a = results;
    uint8_t *b = results + MOST_RESULTS;
    CHECK_BOTH(send_up(rig->reference_context, u, pixels, a), send_up(rig->tested_context, u, pixels, b), a, b, bytes,
               "frames that went up");
    return 0;
}

/* In one case. */
int check_upload(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    if (c->width != 65 || c->fill != FILL_SCENE || c->field != 0) return CHECK_NOT_FOR_CASE;
    size_t n = MOST_PIXELS + MOST_FRAMES;
    uint32_t *pixels = endo_alloc(n, sizeof *pixels);
    uint8_t *results = endo_alloc(2 * MOST_RESULTS, 1);
    int failed = !pixels || !results;
    for (size_t i = 0; i < n && !failed; i++) pixels[i] = test_next(&rig->random);
    if (failed) snprintf(text, size, "no memory");
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !failed; i++)
        failed = compare(rig, &cases[i], pixels, results, text, size);
    endo_free(pixels);
    endo_free(results);
    return failed;
}
