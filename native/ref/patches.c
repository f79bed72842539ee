/* Patches compared under a map (rules/patches.h). */
#include "ref.h"

#include "rules/patches.h"

/* Smoothed values, dense; NULL until they are asked for. */
typedef struct levels {
    const ref_store *store;
    int32_t **of; /* ENDO_PATCH_LEVELS a slot */
} levels;

/* -1: no value. */
static int32_t grey_at(const ref_store *s, int slot, int level, int x, int y) {
    const ref_frame *f = &s->frames[slot];
    int32_t p[4];
    if (x < 0 || y < 0 || x >= s->options.width >> level || y >= s->options.height >> level) return -1;
    if (level == 0) {
        size_t at = (size_t)y * s->options.width + (size_t)x;
        return s->field[at] && !f->bright[at] ? f->grey[at] : -1;
    }
    for (int i = 0; i < 4; i++) {
        p[i] = grey_at(s, slot, level - 1, 2 * x + i % 2, 2 * y + i / 2);
        if (p[i] < 0) return -1;
    }
    return endo_patch_halve(p[0], p[1], p[2], p[3]);
}

static int32_t smoothed(const ref_store *s, int slot, int level, int x, int y) {
    uint8_t g[9];
    for (int i = 0; i < 9; i++) {
        int32_t grey = grey_at(s, slot, level, x + i % 3 - 1, y + i / 3 - 1);
        if (grey < 0) return ENDO_PATCH_INVALID;
        g[i] = (uint8_t)grey;
    }
    return endo_patch_smooth(g);
}

static endo_status make_level(levels *l, int slot, int level) {
    int width = l->store->options.width >> level, height = l->store->options.height >> level;
    int32_t **to = &l->of[slot * ENDO_PATCH_LEVELS + level];
    if (*to) return ENDO_OK;
    *to = endo_alloc((size_t)width * (size_t)height, sizeof **to);
    if (!*to) return endo_fail(ENDO_ERR_MEMORY, "no memory for smoothed frames");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) (*to)[(size_t)y * width + x] = smoothed(l->store, slot, level, x, y);
    return ENDO_OK;
}

static int32_t value(const levels *l, int slot, int level, int x, int y) {
    int width = l->store->options.width >> level, height = l->store->options.height >> level;
    if (x < 0 || y < 0 || x >= width || y >= height) return ENDO_PATCH_INVALID;
    return l->of[slot * ENDO_PATCH_LEVELS + level][(size_t)y * width + x];
}

/* The neighbours of a pixel in the direction (dx, dy); 0: it or one beside it has no value. */
static int line_of(const levels *l, const endo_patch_request *q, int x, int y, int dx, int dy, endo_patch_line *line) {
    int32_t v[5];
    for (int k = -2; k <= 2; k++) v[k + 2] = value(l, q->reference, q->level, x + k * dx, y + k * dy);
    endo_patch_line made = {v[1], v[3], v[0], v[4]};
    *line = made;
    return v[1] != ENDO_PATCH_INVALID && v[2] != ENDO_PATCH_INVALID && v[3] != ENDO_PATCH_INVALID;
}

static int reference_numbers(const levels *l, const endo_patch_request *q, int x, int y, const int32_t f[2],
                             int32_t numbers[ENDO_PATCH_NUMBERS]) {
    endo_patch_line across, down;
    if (!line_of(l, q, x, y, 1, 0, &across) || !line_of(l, q, x, y, 0, 1, &down)) return 0;
    numbers[0] = across.behind - across.before, numbers[1] = down.behind - down.before;
    numbers[2] = endo_patch_blunt(value(l, q->reference, q->level, x, y), &across, &down, f[0], f[1],
                                  endo_patch_is_upright(q->step));
    return 1;
}

static int current_number(const levels *l, const endo_patch_request *q, int32_t px, int32_t py, int32_t *number) {
    int32_t p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = value(l, q->current, q->level, (px >> 8) + i % 2, (py >> 8) + i / 2);
        if (p[i] == ENDO_PATCH_INVALID) return 0;
    }
    *number = endo_patch_between(p[0], p[1], p[2], p[3], px & 255, py & 255);
    return 1;
}

static endo_patch_sums compare(const levels *l, const endo_patch_request *q, int side) {
    endo_patch_sums sums = {0, {0}, {0}};
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            int32_t px = endo_patch_position8(q->at[0] + i * q->step[0] + j * q->step[2]);
            int32_t py = endo_patch_position8(q->at[1] + i * q->step[1] + j * q->step[3]);
            int32_t f[2] = {px & 255, py & 255}, numbers[ENDO_PATCH_NUMBERS];
            numbers[4] = endo_patch_off_middle(i, side), numbers[5] = endo_patch_off_middle(j, side);
            if (reference_numbers(l, q, q->x + i, q->y + j, f, numbers) && current_number(l, q, px, py, &numbers[3]))
                endo_patch_add(&sums, numbers);
        }
    return sums;
}

endo_status ref_patches(void *store, const endo_patch_request *requests, size_t n, const endo_patches_setup *setup,
                        endo_patch_sums *results) {
    const ref_store *s = store;
    size_t count = (size_t)s->options.capacity * ENDO_PATCH_LEVELS;
    levels l = {s, endo_alloc_zeroed(count, sizeof *l.of)};
    endo_status status = l.of ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for smoothed frames");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        status = make_level(&l, requests[i].reference, requests[i].level);
        if (status == ENDO_OK) status = make_level(&l, requests[i].current, requests[i].level);
        if (status == ENDO_OK) results[i] = compare(&l, &requests[i], setup->side);
    }
    for (size_t i = 0; l.of && i < count; i++) endo_free(l.of[i]);
    endo_free(l.of);
    return status;
}
