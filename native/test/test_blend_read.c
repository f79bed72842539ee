/* Blends: parts and bands of them, and what is refused. */
#include "blend_rig.h"
#include "refuses.h"

#include <stdlib.h>

static uint32_t result[CANVAS], other[CANVAS];

/* ---------------------------------------------------------------------- read */

static void test_parts(endo_context *context) {
    plan p = plan_of(3);
    for (int i = 0; i < 3; i++) fill_flat(i, 90 + 9 * i), p.shifts[i][0] = 5 + 25 * i, p.shifts[i][1] = 20 * i;
    endo_frames *frames = make_frames(context, ENDO_RGB32, 3);
    endo_blend *blend = NULL;
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, NULL, &blend) == ENDO_OK);
    add(blend, frames, &p);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    for (int i = 0; i < CANVAS; i++) CHECK(!result[i] && !painted[i] && !coverage[i]); /* after the first pass only */
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    add(blend, frames, &p);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, SIDE},
                          &(endo_panorama_planes){result, painted, coverage, NULL}) == ENDO_OK);
    const int parts[][4] = {{0, 0, 1, 1}, {37, 41, 50, 3}, {63, 0, 5, 160}, {101, 77, 59, 83}};
    for (int k = 0; k < 4; k++) {
        const int *q = parts[k];
        CHECK(endo_blend_read(blend, &(endo_rectangle){q[0], q[1], q[2], q[3]},
                              &(endo_panorama_planes){.pixels = other}) == ENDO_OK);
        for (int y = 0; y < q[3]; y++)
            CHECK(!memcmp(other + y * q[2], result + (q[1] + y) * SIDE + q[0], sizeof *other * (size_t)q[2]));
    }
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
}

/* A blend is finished in windows of 8192 columns and of 512 rows at most, of which those without a picture are passed over: what
 * is read across their border is what is read on either side of it, and on both. */
static void test_windows(endo_context *context, int is_below) {
    enum { HALF = 40 };
    const int border = is_below ? 512 : 8192;
    const int far = border + 2 * SIDE;
    const int width = is_below ? SIDE : far;
    const int height = is_below ? far : SIDE;
    const endo_rectangle across = {is_below ? 0 : border - HALF, is_below ? border - HALF : 0, is_below ? SIDE : 2 * HALF,
                                   is_below ? 2 * HALF : SIDE};
    plan p = plan_of(3);
    endo_blend *blend = NULL;
    uint32_t *all = calloc((size_t)far * SIDE, sizeof *all);
    for (int i = 0; i < 3; i++) {
        fill_scene(70 + 10 * (uint64_t)is_below + (uint64_t)i);
        p.shifts[i][is_below] = is_below ? border - 70.5 + 25 * i : border - 90.5 + 35 * i;
        p.shifts[i][!is_below] = 3 + 11 * i;
    }
    endo_frames *frames = make_frames(context, ENDO_RGB32, 3);
    CHECK(endo_blend_create(context, ENDO_RGB32, width, height, NULL, &blend) == ENDO_OK);
    add(blend, frames, &p);
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    add(blend, frames, &p);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, width, height}, &(endo_panorama_planes){.pixels = all}) == ENDO_OK);
    CHECK(endo_blend_read(blend, &across, &(endo_panorama_planes){other, painted, NULL, NULL}) == ENDO_OK);
    int seen = 0;
    for (int i = 0; i < SIDE; i++) {
        int at = is_below ? (HALF - 1) * SIDE + i : i * 2 * HALF + HALF - 1;
        seen += painted[at] && painted[at + (is_below ? SIDE : 1)];
    }
    for (int y = 0; y < across.height; y++)
        CHECK(!memcmp(other + y * across.width, all + (across.y + y) * width + across.x, sizeof *other * (size_t)across.width));
    for (int i = 0; i < border - 2 * SIDE; i += 97)
        for (int k = 0; k < SIDE; k++) CHECK(all[is_below ? i * SIDE + k : k * width + i] == 0);
    CHECK(seen > 10);
    free(all);
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------- little device memory */

enum { WINDOW_COLUMNS = 8192, WIDE_BLEND = WINDOW_COLUMNS + 2 * SIDE };

/* Two frames across the border of windows, in both passes. */
static endo_status add_wide(endo_blend *blend, const endo_frames *frames) {
    const int32_t slots[2] = {0, 1};
    endo_transform poses[2];
    for (int i = 0; i < 2; i++) {
        const double m[6] = {1, 0, WINDOW_COLUMNS - 90.5 + 35 * i, 0, 1, 3 + 11 * i};
        poses[i] = endo_transform_of_affine(m);
    }
    endo_status status = endo_blend_add(blend, frames, POSED(slots, poses, .n = 2));
    if (status == ENDO_OK) status = endo_blend_next_pass(blend);
    if (status == ENDO_OK) status = endo_blend_add(blend, frames, POSED(slots, poses, .n = 2));
    return status;
}

/* Reads a wide blend. is_added: whether there was memory up to that. */
static endo_status blend_wide(endo_context *context, uint32_t *pixels, int *is_added) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_blend *blend = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.type = ENDO_RGB32, o.flow = 0, o.rim = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    for (int k = 0; k < 2 && status == ENDO_OK; k++) status = endo_frames_put(frames, k, colour[k], WIDTH);
    if (status == ENDO_OK) status = endo_blend_create(context, ENDO_RGB32, WIDE_BLEND, SIDE, NULL, &blend);
    if (status == ENDO_OK) status = add_wide(blend, frames);
    *is_added = status == ENDO_OK;
    if (status == ENDO_OK)
        status = endo_blend_read(blend, &(endo_rectangle){0, 0, WIDE_BLEND, SIDE}, &(endo_panorama_planes){.pixels = pixels});
    endo_blend_destroy(&blend);
    endo_frames_destroy(&frames);
    return status;
}

/* On a device with so much memory, bytes; 0: all of it. */
static endo_status blend_wide_within(size_t limit, uint32_t *pixels, int *is_added) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.backend = ENDO_BACKEND_CUDA;
    o.memory_limit = limit;
    *is_added = 0;
    endo_status status = endo_context_create(&o, &context);
    if (status == ENDO_OK) status = blend_wide(context, pixels, is_added);
    endo_context_destroy(&context);
    return status;
}

/* Windows become smaller where memory is short: what can be added can be read with hardly more, and whatever the memory, the
 * bytes are the same. A window of 8192 columns and one row of cells alone would take 9 MB. */
static void test_little_device_memory(void) {
    enum { MB = 1000000, MOST_MB = 64, HARDLY_MORE = 4, SIZES = 16 };
    if (endo_device_count(NULL, 0) == 0) {
        printf("SKIP blends in little device memory: no CUDA device\n");
        return;
    }
    size_t bytes = sizeof(uint32_t) * WIDE_BLEND * SIDE;
    uint32_t *wanted = malloc(bytes);
    uint32_t *got = malloc(bytes);
    int first_added = 0;
    int first_read = 0;
    int is_added = 0;
    fill_scene(71);
    memcpy(colour[1], colour[0], sizeof colour[1]);
    fill_scene(70);
    CHECK(blend_wide_within(0, wanted, &is_added) == ENDO_OK);
    for (int limit = 1; limit <= MOST_MB && (!first_read || limit < first_read + SIZES); limit++) {
        memset(got, 0x55, bytes);
        endo_status status = blend_wide_within((size_t)limit * MB, got, &is_added);
        CHECK(status == ENDO_OK || status == ENDO_ERR_MEMORY);
        if (is_added && !first_added) first_added = limit;
        if (status != ENDO_OK) continue;
        if (!first_read) first_read = limit;
        CHECK(!memcmp(got, wanted, bytes));
    }
    CHECK(first_added > 0 && first_read > 0 && first_read - first_added <= HARDLY_MORE);
    free(wanted);
    free(got);
}

/* ---------------------------------------------------------------------- bands */

/* Rows from `from` on, n of them, blended alone; what comes out lies in other and coverage. */
static void blend_rows(endo_context *context, const endo_frames *frames, const plan *p, int from, int n) {
    plan moved = *p;
    endo_blend *blend = NULL;
    for (int i = 0; i < p->n; i++) moved.shifts[i][1] -= from;
    CHECK(endo_blend_create(context, p->type, SIDE, n, NULL, &blend) == ENDO_OK);
    add(blend, frames, &moved);
    CHECK(endo_blend_next_pass(blend) == ENDO_OK);
    add(blend, frames, &moved);
    CHECK(endo_blend_read(blend, &(endo_rectangle){0, 0, SIDE, n},
                          &(endo_panorama_planes){other, NULL, coverage, NULL}) == ENDO_OK);
    endo_blend_destroy(&blend);
}

/* A band that begins and ends with a cell has the bytes of the whole but for 20 rows, where no highlight leaves a hole; with
 * one cell less it has not. */
static void test_bands(endo_context *context) {
    enum { TOP = 44, BOTTOM = 92, SMOOTH = 20 };
    plan p = plan_of(4);
    for (int i = 0; i < 4; i++) {
        fill_scene(20 + (uint64_t)i);
        if (i) memcpy(colour[i], colour[0], sizeof colour[0]);
        p.shifts[i][0] = 3.5 + 17 * i, p.shifts[i][1] = 1.25 + 21 * i;
    }
    run(context, &p, result);
    endo_frames *frames = make_frames(context, ENDO_RGB32, 4);
    for (int less = 0; less < 2; less++) {
        int margin = SMOOTH - 4 * less, from = TOP - margin, differ = 0;
        blend_rows(context, frames, &p, from, BOTTOM + margin - from);
        for (int y = TOP; y < BOTTOM; y++)
            differ += memcmp(other + (y - from) * SIDE, result + y * SIDE, sizeof *other * SIDE) != 0;
        CHECK(less ? differ > 0 : differ == 0);
    }
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------------------ contract */

static void test_what_is_not_read(endo_blend *b) {
    const endo_rectangle whole = {0, 0, SIDE, SIDE};
    const endo_rectangle outside[] = {{1, 0, SIDE, SIDE}, {0, 1, SIDE, SIDE}, {0, 0, SIDE, 0}, {-1, 0, 9, 9}};
    const endo_panorama_planes pixels = {.pixels = result}, no_pixels = {.painted = painted};
    const endo_panorama_planes unsure = {.pixels = result, .uncertainty = coverage};
    memset(result, 0x77, sizeof result);
    REFUSES(endo_blend_read(NULL, &whole, &pixels), "read: an argument is NULL");
    REFUSES(endo_blend_read(b, NULL, &pixels), "read: an argument is NULL");
    REFUSES(endo_blend_read(b, &whole, NULL), "read: an argument is NULL");
    REFUSES(endo_blend_read(b, &whole, &no_pixels), "read: an argument is NULL");
    REFUSES(endo_blend_read(b, &whole, &unsure), "a blend knows no uncertainty");
    for (int i = 0; i < 4; i++) REFUSES(endo_blend_read(b, &outside[i], &pixels), "is not inside the blend of");
    CHECK(all_bytes(result, sizeof result, 0x77));
}

static void test_contract(endo_context *context) {
    const int32_t slot = 0, none = 0, gains[3] = {4096, 16384, 4096};
    static uint16_t correction[AREA];
    endo_transform pose = endo_transform_identity(), warped = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 0, 0, 1, 0, -0.02, 0, 1}};
    endo_blend_options wrong = {(endo_interpolation)2, 1, 1};
    fill_flat(0, 9);
    endo_frames *frames = make_frames(context, ENDO_RGB32, 1), *deeper = make_frames(context, ENDO_GREY16, 1);
    endo_blend *b = NULL;
    CHECK(endo_blend_create(context, ENDO_RGB32, 0, 5, NULL, &b) == ENDO_ERR_ARGUMENT && !b);
    CHECK(endo_blend_create(context, ENDO_RGB32, 5, 5, &wrong, &b) == ENDO_ERR_ARGUMENT && !b);
    CHECK(endo_blend_create(context, ENDO_RGB32, SIDE, SIDE, NULL, &b) == ENDO_OK);
    REFUSES(endo_blend_add(b, frames, NULL), "blend: an argument is NULL");
    REFUSES(endo_blend_add(b, NULL, POSED(&slot, &pose, .n = 1)), "blend: an argument is NULL");
    REFUSES(endo_blend_add(b, frames, POSED(NULL, &pose, .n = 1)), "blend: an argument is NULL");
    REFUSES(endo_blend_add(b, frames, POSED(&slot, NULL, .n = 1)), "blend: an argument is NULL");
    CHECK(endo_blend_add(b, frames, POSED(NULL, NULL, .n = 0)) == ENDO_OK);
    CHECK(endo_blend_add(b, deeper, POSED(&slot, &pose, .n = 1)) == ENDO_ERR_ARGUMENT);
    CHECK(endo_blend_add(b, frames, POSED(&slot, &warped, .n = 1)) == ENDO_ERR_ARGUMENT); /* 1 - 0.02 x */
    REFUSES(endo_blend_add(b, frames, POSED(&slot, &pose, .weights = &none, .n = 1)), "weight 0: must be 1..256");
    REFUSES(endo_blend_add(b, frames, POSED(&slot, &pose, .gains = gains, .n = 1)), "gain 16384: must be 1..16383");
    REFUSES(endo_blend_add(b, frames, POSED(&slot, &pose, .n = 1, .origin_x = 1 << 22)), "origin (4194304, 0)");
    REFUSES(endo_blend_add(b, frames, POSED(&slot, &pose, .n = 1, .origin_y = 1 << 22)), "origin (0, 4194304)");
    memset(correction, 0, sizeof correction);
    CHECK(endo_blend_set_correction(b, correction, WIDTH, HEIGHT) == ENDO_ERR_ARGUMENT);
    for (int i = 0; i < AREA; i++) correction[i] = 4096;
    CHECK(endo_blend_set_correction(b, correction, HEIGHT, WIDTH) == ENDO_OK);
    CHECK(endo_blend_add(b, frames, POSED(&slot, &pose, .n = 1)) == ENDO_ERR_ARGUMENT); /* of another size */
    CHECK(endo_blend_set_correction(b, NULL, 0, 0) == ENDO_OK);
    CHECK(endo_blend_add(b, frames, POSED(&slot, &pose, .n = 1)) == ENDO_OK);
    CHECK(endo_blend_next_pass(b) == ENDO_OK && endo_blend_next_pass(b) == ENDO_ERR_ARGUMENT);
    test_what_is_not_read(b);
    endo_blend_destroy(&b);
    CHECK(!b);
    endo_blend_destroy(&b);
    endo_frames_destroy(&frames);
    endo_frames_destroy(&deeper);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_parts(context);
        test_windows(context, 0);
        test_windows(context, 1);
        test_bands(context);
        test_contract(context);
        endo_context_destroy(&context);
    }
    test_little_device_memory();
    return check_summary("test_blend_read");
}
