/* The check of blends: both passes of several frames with corrections, gains and weights of their own; what is read, the
 * sums behind it, and the cells. */
#include "endo_check.h"

#include <stdio.h>
#include <string.h>

/* More than are added at a time. */
#define FRAMES (ENDO_BLEND_BATCH + 1)

/* One blend in the reference and in the tested back end. */
typedef struct blend_twins {
    check_rig *rig;
    endo_blend *reference, *tested;
    int width, height;
    char *text;
    size_t size;
} blend_twins;

static int say(blend_twins *t, const char *what) {
    snprintf(t->text, t->size, "%s: %s", what, endo_last_error());
    return 1;
}

/* All of these return 1 after writing what went wrong. */
static int create(blend_twins *t, int width, int height) {
    endo_blend_options o = {t->rig->c->number % 5 ? ENDO_INTERPOLATION_CUBIC : ENDO_INTERPOLATION_LINEAR,
                            t->rig->c->number % 7 != 0, 1};
    endo_pixel type = t->rig->c->type;
    t->width = width, t->height = height;
    endo_status status = endo_blend_create(t->rig->reference_context, type, width, height, &o, &t->reference);
    if (status == ENDO_OK) status = endo_blend_create(t->rig->tested_context, type, width, height, &o, &t->tested);
    return status == ENDO_OK ? 0 : say(t, "create");
}

/* Now and then none, or extreme ones. */
static int correct(blend_twins *t) {
    test_random *r = &t->rig->random;
    int w = t->rig->c->width, h = t->rig->c->height, extreme = test_between(r, 0, 3) == 0;
    if (test_between(r, 0, 3) == 0) return 0;
    uint16_t *factors = endo_alloc((size_t)w * h, sizeof *factors);
    for (int i = 0; i < w * h; i++)
        factors[i] = (uint16_t)(extreme ? test_between(r, 1, 16383) : 4096 + 7000 * (i % w) / w + test_between(r, 0, 9));
    endo_status status = endo_blend_set_correction(t->reference, factors, w, h);
    if (status == ENDO_OK) status = endo_blend_set_correction(t->tested, factors, w, h);
    endo_free(factors);
    return status == ENDO_OK ? 0 : say(t, "correct");
}

/* Now and then some cells of a frame, the same in both passes. */
static int hide(blend_twins *t) {
    test_random *r = &t->rig->random;
    uint8_t cells[ENDO_MOST_HIDDEN];
    for (int slot = 0; slot < 2; slot++) {
        int columns = test_between(r, 1, 16);
        int rows = test_between(r, 1, 16);
        if (test_between(r, 0, 1)) continue;
        for (int i = 0; i < columns * rows; i++) cells[i] = (uint8_t)test_between(r, ENDO_SHOWN, ENDO_HIDDEN);
        endo_status status = endo_frames_hide(t->rig->reference, slot, columns, rows, cells);
        if (status == ENDO_OK) status = endo_frames_hide(t->rig->tested, slot, columns, rows, cells);
        if (status != ENDO_OK) return say(t, "hide");
    }
    return 0;
}

/* The frames of a pass, drawn from the state of a generator. */
static int add(blend_twins *t, uint64_t state) {
    test_random *r = &t->rig->random;
    int32_t slots[FRAMES], weights[FRAMES], gains[3 * FRAMES];
    endo_transform maps[FRAMES];
    r->state = state;
    int x = test_between(r, -9, t->width / 2), y = test_between(r, -9, t->height / 2), plain = test_between(r, 0, 3) == 0;
    for (int i = 0; i < FRAMES; i++) {
        slots[i] = i % 2, weights[i] = test_between(r, 0, 2) ? test_between(r, 200, 256) : test_between(r, 1, 256);
        maps[i] = check_random_place(t->rig);
    }
    for (int i = 0; i < 3 * FRAMES; i++) gains[i] = test_between(r, 0, 9) ? test_between(r, 3500, 4800) : test_between(r, 1, 16383);
    const endo_posed_frames posed = {
        .slots = slots,
        .transforms = maps,
        .weights = plain ? NULL : weights,
        .gains = plain ? NULL : gains,
        .n = FRAMES,
        .origin_x = x,
        .origin_y = y,
    };
    endo_status status = endo_blend_add(t->reference, t->rig->reference, &posed);
    if (status == ENDO_OK)
        status = endo_blend_add(t->tested, t->rig->tested, &posed);
    return status == ENDO_OK ? 0 : say(t, "add");
}

static int next_pass(blend_twins *t) {
    endo_status status = endo_blend_next_pass(t->reference);
    if (status == ENDO_OK) status = endo_blend_next_pass(t->tested);
    return status == ENDO_OK ? 0 : say(t, "next pass");
}

static int differ(blend_twins *t, const char *what, const void *a, const void *b, size_t bytes) {
    long at = check_difference(a, b, bytes);
    if (at >= 0)
        snprintf(t->text, t->size, "%s of %d x %d: byte %ld of %zu differs", what, t->width, t->height, at, bytes);
    return at >= 0;
}

/* A multiple of 8, as the elements' addresses are. */
static size_t aligned(size_t bytes) { return (bytes + 7) / 8 * 8; }

/* The whole of what back ends hold. */
static int compare_sums(blend_twins *t) {
    endo_blend *blends[2] = {t->reference, t->tested};
    size_t area = (size_t)t->width * t->height, bytes = area * endo_blend_sum_size(t->rig->c->type);
    int columns = endo_blend_cells(t->width), rows = endo_blend_cells(t->height), failed = 0;
    size_t cell_bytes = (size_t)columns * rows * sizeof(endo_blend_cell);
    size_t all = aligned(bytes) + aligned(cell_bytes) + aligned(2 * area);
    uint8_t *memory = endo_alloc(2, all), *parts[2][3];
    for (int i = 0; i < 2 && !failed; i++) {
        const endo_blend_kernels *kernels = blends[i]->context->kernels->blend;
        parts[i][0] = memory + (size_t)i * all;
        parts[i][1] = parts[i][0] + aligned(bytes);
        parts[i][2] = parts[i][1] + aligned(cell_bytes);
        endo_status status = kernels->read(blends[i]->blend, 0, 0, t->width, t->height, parts[i][0], (uint16_t *)parts[i][2]);
        if (status == ENDO_OK)
            status = kernels->read_cells(blends[i]->blend, 0, 0, columns, rows, (endo_blend_cell *)parts[i][1]);
        if (status != ENDO_OK) failed = say(t, "read sums");
    }
    failed = failed || differ(t, "cells", parts[0][1], parts[1][1], cell_bytes) ||
             differ(t, "sums", parts[0][0], parts[1][0], bytes) || differ(t, "coverage", parts[0][2], parts[1][2], 2 * area);
    endo_free(memory);
    return failed;
}

/* A rectangle as it is read. */
static int compare_part(blend_twins *t) {
    test_random *r = &t->rig->random;
    int x = test_between(r, 0, t->width - 1), y = test_between(r, 0, t->height - 1);
    int width = test_between(r, 1, t->width - x), height = test_between(r, 1, t->height - y);
    size_t area = (size_t)width * height, bytes = area * endo_pixel_size(t->rig->c->type);
    uint32_t *pixels[2] = {endo_alloc_zeroed(area, 4), endo_alloc_zeroed(area, 4)};
    uint16_t *coverage[2] = {endo_alloc_zeroed(area, 2), endo_alloc_zeroed(area, 2)};
    uint8_t *painted[2] = {endo_alloc_zeroed(area, 1), endo_alloc_zeroed(area, 1)};
    const endo_rectangle where = {x, y, width, height};
    /* Whether they are wanted of the tested one, too: both, one without the other, or pixels alone. */
    int marks = test_between(r, 0, 1);
    int numbers = test_between(r, 0, 1);
    const endo_panorama_planes planes[2] = {
        {.pixels = pixels[0], .painted = painted[0], .coverage = coverage[0]},
        {.pixels = pixels[1], .painted = marks ? painted[1] : NULL, .coverage = numbers ? coverage[1] : NULL},
    };
    endo_status status = endo_blend_read(t->reference, &where, &planes[0]);
    if (status == ENDO_OK) status = endo_blend_read(t->tested, &where, &planes[1]);
    int failed = status != ENDO_OK ? say(t, "read")
                                   : differ(t, "read pixels", pixels[0], pixels[1], bytes) ||
                                         (marks && differ(t, "read marks", painted[0], painted[1], area)) ||
                                         (numbers && differ(t, "read coverage", coverage[0], coverage[1], 2 * area));
    for (int i = 0; i < 2; i++) endo_free(pixels[i]), endo_free(coverage[i]), endo_free(painted[i]);
    return failed;
}

int check_blend(check_rig *rig, char *text, size_t size) {
    blend_twins t = {.rig = rig, .text = text, .size = size};
    test_random *r = &rig->random;
    int w = rig->c->width, h = rig->c->height;
    uint64_t first = rig->c->seed + 1, second = rig->c->seed + 2;
    int failed = create(&t, test_between(r, 1, 2 * w), test_between(r, 1, 2 * h)) || correct(&t) || hide(&t) || add(&t, first) ||
                 add(&t, second) || compare_sums(&t) || next_pass(&t) || add(&t, first) || add(&t, second) ||
                 compare_sums(&t) || compare_part(&t) || compare_part(&t);
    endo_blend_destroy(&t.reference);
    endo_blend_destroy(&t.tested);
    return failed;
}
