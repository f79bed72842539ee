/* Patches compared under a map (rules/patches.h) on the CPU: frames are smoothed once, patches side by side. */
#include "derived.h"

#include "base/openmp.h"

#include "rules/patches.h"

#include <string.h>

/* ---------------------------------------------------------------- smoothed */

/* A level before it is smoothed. mask: 255 where a pixel has a value, else 0. */
typedef struct grey_level {
    int width, height;
    ptrdiff_t stride; /* of both, and of what is made of it */
    uint8_t *grey, *mask;
} grey_level;

/* Elements from row to row of a level. */
static ptrdiff_t stride_of(const cpu_store *s, int level) { return endo_plane_stride(s->options.width >> level, 1); }

/* Elements of a frame before a level; for the number of levels: of the whole frame. Rows are followed by as many elements
 * as vector loads may read beyond them. */
static size_t offset_of(const cpu_store *s, int level) {
    size_t offset = ENDO_PLANE_ROW;
    for (int l = 0; l < level; l++) offset += (size_t)stride_of(s, l) * (size_t)((s->options.height >> l) + 2);
    return offset;
}

static int16_t *smoothed_level(const cpu_store *s, int slot, int level) {
    return s->smoothed + (size_t)slot * offset_of(s, ENDO_PATCH_LEVELS) + offset_of(s, level);
}

static void no_values(int16_t *row, int width) {
    for (int x = 0; x < width; x++) row[x] = ENDO_PATCH_INVALID;
}

/* Row y, not the first or the last one. */
static void smooth_row(const cpu_patch_loops *loops, const grey_level *g, int y, int16_t *out) {
    const uint8_t *grey = g->grey + y * g->stride, *mask = g->mask + y * g->stride;
    cpu_smooth_row row = {{grey - g->stride, grey, grey + g->stride}, {mask - g->stride, mask, mask + g->stride}, g->width - 2};
    int16_t *to = out + y * g->stride;
    loops->smooth(&row, to + 1);
    to[0] = to[g->width - 1] = ENDO_PATCH_INVALID;
}

/* Bytes of the masks of all levels of a frame; their grey values take as many. */
static size_t masks_size(const cpu_store *s) { return offset_of(s, ENDO_PATCH_LEVELS); }

/* The next smaller level, to be filled: its grey values and its mask lie in `workspace`. */
static grey_level level_above(const cpu_store *s, const grey_level *below, int level, uint8_t *workspace) {
    size_t at = offset_of(s, level);
    grey_level g = {below->width / 2, below->height / 2, stride_of(s, level), workspace + masks_size(s) + at, workspace + at};
    return g;
}

/* Rows y and y + 1 of a level to one of the level above. */
static void halve_rows(const cpu_patch_loops *loops, const grey_level *g, int y, const grey_level *above) {
    const uint8_t *grey = g->grey + y * g->stride, *mask = g->mask + y * g->stride;
    ptrdiff_t at = y / 2 * above->stride;
    loops->halve(grey, grey + g->stride, above->width, above->grey + at);
    loops->halve_mask(mask, mask + g->stride, above->width, above->mask + at);
}

/* A level in one pass: its rows are halved and smoothed as soon as the next one is there. bright: NULL, or what its mask
 * still has to lose. */
static void pass(const cpu_patch_loops *loops, const grey_level *g, const uint8_t *field, const uint8_t *bright,
                 const grey_level *above, int16_t *out) {
    int whole = g->height >= 3 && g->width >= 3;
    for (int y = 0; y < g->height; y++) {
        ptrdiff_t at = y * g->stride;
        if (bright) loops->less(field + at, bright + at, g->width, g->mask + at);
        if (above && y % 2) halve_rows(loops, g, y - 1, above);
        if (whole && y >= 2) smooth_row(loops, g, y - 1, out);
        if (!whole || y == 0 || y == g->height - 1) no_values(out + at, g->width);
    }
}

static void build_frame(const cpu_store *s, int slot, uint8_t *workspace) {
    const cpu_frame *f = &s->frames[slot];
    const cpu_patch_loops *loops = s->backend->variant->patch;
    const uint8_t *field = s->field->mask;
    int n = endo_patch_levels(s->options.width, s->options.height);
    const uint8_t *bright = f->is_marked ? f->bright : NULL;
    grey_level g = {s->options.width, s->options.height, s->stride, f->grey, bright ? workspace : (uint8_t *)field};
    for (int l = 0; l < n; l++) {
        grey_level above = level_above(s, &g, l + 1 < n ? l + 1 : l, workspace);
        pass(loops, &g, field, l ? NULL : bright, l + 1 < n ? &above : NULL, smoothed_level(s, slot, l));
        g = above;
    }
}

static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
    int workers = cpu_threads(s->backend, n);
    size_t bytes = 2 * masks_size(s);
    uint8_t *workspaces = cpu_frame_scratch(s->backend, (size_t)workers, bytes);
    if (workspaces && !s->smoothed) {
        void *all = NULL;
        if (cpu_arena_add(&s->arena, (size_t)s->options.capacity * masks_size(s), sizeof *s->smoothed, &all) == ENDO_OK)
            s->smoothed = all;
    }
    if (workspaces && s->smoothed) {
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++) build_frame(s, slots[i], workspaces + bytes * (size_t)omp_get_thread_num());
    }
    cpu_frame_scratch_end(s->backend);
    if (workspaces && s->smoothed) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory to smooth %d frames", s->options.capacity);
}

const cpu_derivation cpu_smoothed = {.from = CPU_ENHANCED, .build = build};

/* ----------------------------------------------------------------- patches */

/* The level that a patch is compared in. */
typedef struct compared_level {
    const int16_t *reference, *current;
    ptrdiff_t stride; /* of both */
    int width, height;
} compared_level;

static compared_level level_of(const cpu_store *s, const endo_patch_request *q) {
    compared_level l = {smoothed_level(s, q->reference, q->level), smoothed_level(s, q->current, q->level),
                        stride_of(s, q->level), s->options.width >> q->level, s->options.height >> q->level};
    return l;
}

static int within(int32_t v, int most) { return v < 0 ? 0 : v > most ? most : v; }

/* Where row j of a patch begins in the reference, and about where in the current frame. */
static void find_row(const compared_level *l, const endo_patch_request *q, int j, const int16_t *begin[2]) {
    int32_t x = within((q->at[0] + j * q->step[2]) >> 16, l->width - 1);
    int32_t y = within((q->at[1] + j * q->step[3]) >> 16, l->height - 1);
    begin[0] = l->reference + (q->y + j) * l->stride + q->x;
    begin[1] = l->current + y * l->stride + x;
}

/* A pixel in the first or last column or row has no value, and neighbours that are not its own; so those beside them do
 * not count. next: the patch that is compared after this one. */
static endo_patch_sums compare(const cpu_store *s, const endo_patch_request *q, const endo_patch_request *next, int side,
                               cpu_patch_numbers *numbers) {
    const cpu_patch_loops *loops = s->backend->variant->patch;
    compared_level l = level_of(s, q), ahead = level_of(s, next);
    const int limit[2] = {l.width - 1, l.height - 1};
    endo_patch_sums sums = {0, {0}, {0}};
    cpu_patch_row rows[ENDO_PATCH_MOST_SIDE];
    int from = q->y < 2 ? 2 - q->y : 0, to = q->y + side > limit[1] - 1 ? limit[1] - 1 - q->y : side;
    for (int j = from; j < to; j++) {
        cpu_patch_row row = {l.reference + (q->y + j) * l.stride + q->x, l.current, l.stride,
                             {q->at[0] + j * q->step[2], q->at[1] + j * q->step[3]}, {q->step[0], q->step[1]},
                             {limit[0], limit[1]}, side, endo_patch_is_upright(q->step), j, {NULL, NULL}};
        find_row(&ahead, next, j, row.next);
        rows[j - from] = row;
    }
    if (from >= to) return sums;
    sums.n = loops->rows(rows, to - from, numbers, from * side);
    for (int k = 0; k < ENDO_PATCH_NUMBERS && to - from < side; k++) {
        memset(numbers->of[k], 0, (size_t)(from * side) * sizeof(int16_t));
        memset(numbers->of[k] + to * side, 0, (size_t)((side - to) * side) * sizeof(int16_t));
    }
    if (sums.n > 0) loops->add(numbers, side * side, &sums);
    return sums;
}

endo_status cpu_patches(void *store, const endo_patch_request *requests, size_t n, const endo_patches_setup *setup,
                        endo_patch_sums *results) {
    cpu_store *s = store;
    ENDO_TRY(cpu_derive(s, CPU_SMOOTHED, requests, n, sizeof *requests));
#pragma omp parallel for num_threads(cpu_threads(s->backend, n / 64)) schedule(dynamic, 64)
    for (size_t i = 0; i < n; i++) {
        cpu_patch_numbers numbers;
        results[i] = compare(s, &requests[i], &requests[i + 1 < n ? i + 1 : i], setup->side, &numbers);
    }
    return ENDO_OK;
}
