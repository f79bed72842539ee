/* Preparing the alignment of exposures before its first pair: levels of the frames, bits of the field, memory. */
#include "cpu_exposures.h"

#include "base/block.h"
#include "derived.h"

#include <string.h>

/* Words of a bitmap's row. */
static int row_words(const cpu_store *s) { return (s->options.width + 63) / 64; }

/* Words from row to row: with room, as far as a shift of the reach, and of two pixels more, reads. */
static int row_pitch(const cpu_store *s) {
    int reach = endo_exposure_reach(ENDO_EXPOSURE_MAX_SEARCH, s->options.width);
    return row_words(s) + (reach + 2) / 64 + 2;
}

/* Rows, and room for one before the first. */
static size_t plane_words(const cpu_store *s) {
    return (size_t)row_pitch(s) * ((size_t)s->options.height + 1);
}

/* ------------------------------------------------------------------ levels */

/* Pixels that follow each other are often equal, and an increment waits for the one before it to the same count. */
#define TABLES 8

static void count_row(const uint8_t *grey, const uint8_t *field, int n, uint32_t tables[TABLES][256]) {
    int x = 0;
    if (field) {
        for (; x < n; x++) tables[x % TABLES][grey[x]] += field[x] & 1;
        return;
    }
    for (; x + TABLES <= n; x += TABLES)
        for (int i = 0; i < TABLES; i++) tables[i][grey[x + i]]++;
    for (; x < n; x++) tables[0][grey[x]]++;
}

static void sum_tables(uint32_t tables[TABLES][256], endo_exposure_levels *l) {
    l->below[0] = 0;
    for (int v = 0; v < 256; v++) {
        uint32_t count = 0;
        for (int i = 0; i < TABLES; i++) count += tables[i][v];
        l->below[v + 1] = l->below[v] + (int32_t)count;
    }
}

static void count_levels(const cpu_store *s, int slot) {
    uint32_t tables[TABLES][256];
    memset(tables, 0, sizeof tables);
    int step = endo_exposure_row_step(s->options.height, ENDO_EXPOSURE_LEVEL_ROWS);
    for (int y = 0; y < s->options.height; y += step)
        count_row(s->frames[slot].plain + y * s->stride, s->field_words ? s->field->mask + y * s->stride : NULL,
                  s->options.width, tables);
    sum_tables(tables, &s->brightness[slot]);
}

int32_t cpu_exposure_overlap_levels(const cpu_aligner *a, const endo_pair *pair, int dx, int dy,
                                    endo_exposure_levels *levels) {
    const cpu_store *s = a->store;
    int width = s->options.width, height = s->options.height;
    int step = endo_exposure_row_step(height, ENDO_EXPOSURE_ROUGH_ROWS);
    int left = dx < 0 ? -dx : 0, n = (dx > 0 ? width - dx : width) - left;
    int bottom = dy > 0 ? height - dy : height;
    int32_t black = 0;
    uint32_t tables[TABLES][256];
    memset(tables, 0, sizeof tables);
    for (int y = dy < 0 ? (step - 1 - dy) / step * step : 0; y < bottom; y += step) {
        ptrdiff_t c = y * s->stride + left, r = (y + dy) * s->stride + left + dx;
        const uint8_t *both = s->field->mask; /* its first row, where all is field */
        if (s->field_words) {
            for (int x = 0; x < n; x++) a->bytes[x] = s->field->mask[c + x] & s->field->mask[r + x];
            both = a->bytes;
        }
        black += s->backend->variant->exposures->not_above(s->frames[pair->reference].plain + r, both,
                                                         a->reference.threshold.level, n);
        count_row(s->frames[pair->current].plain + c, s->field_words ? both : NULL, n, tables);
    }
    sum_tables(tables, levels);
    return black;
}

/* ------------------------------------------------------------------- field */

static int field_is_whole(const cpu_store *s) {
    for (int y = 0; y < s->options.height; y++)
        for (int x = 0; x < s->options.width; x++)
            if (!s->field->mask[y * s->stride + x]) return 0;
    return 1;
}

static void fill_field_words(cpu_store *s) {
    int pitch = row_pitch(s);
    s->field_words = s->field_memory + pitch;
    for (int y = 0; y < s->options.height; y++)
        for (int x = 0; x < s->options.width; x++) {
            int inside = s->field->mask[y * s->stride + x] & 1;
            s->field_words[(size_t)y * pitch + x / 64] |= (uint64_t)inside << x % 64;
            s->field_columns[x] = (int16_t)(s->field_columns[x] + inside);
            s->field_rows[y] = (int16_t)(s->field_rows[y] + inside);
            s->field_pixels += inside;
        }
}

/* Makes bits and counts of the field, none where every pixel is in it. Memory that a failure leaves is freed with the
 * store. */
static endo_status make_field_words(cpu_store *s) {
    if (!s->has_field_words && !field_is_whole(s)) {
        if (!s->field_memory) s->field_memory = endo_alloc_zeroed(plane_words(s), sizeof(uint64_t));
        if (!s->field_columns) s->field_columns = endo_alloc_zeroed(s->options.width, sizeof(int16_t));
        if (!s->field_rows) s->field_rows = endo_alloc_zeroed(s->options.height, sizeof(int16_t));
        if (!s->field_memory || !s->field_columns || !s->field_rows) return ENDO_ERR_MEMORY;
        fill_field_words(s);
    }
    s->has_field_words = 1;
    return ENDO_OK;
}

static endo_status build_levels(cpu_store *s, const int32_t *slots, size_t n) {
    if (!s->brightness) {
        void *levels = NULL;
        ENDO_TRY(cpu_arena_add(&s->arena, (size_t)s->options.capacity, sizeof *s->brightness, &levels));
        s->brightness = levels;
    }
    size_t counted = n * ENDO_EXPOSURE_LEVEL_ROWS * (size_t)s->options.width;
#pragma omp parallel for num_threads(cpu_threads(s->backend, counted / CPU_EXPOSURE_PIXELS_A_THREAD)) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) count_levels(s, slots[i]);
    return ENDO_OK;
}

const cpu_derivation cpu_brightness = {
    .from = CPU_GREY,
    .build = build_levels,
};

endo_status cpu_exposures_prepare(cpu_store *s, const endo_pair *pairs, size_t n) {
    endo_status status = make_field_words(s);
    return status == ENDO_OK ? cpu_derive(s, CPU_BRIGHTNESS, pairs, n, sizeof *pairs) : status;
}

/* ------------------------------------------------------------------ memory */

static void take_profiles(cpu_profile profiles[2], int n, endo_block *b) {
    for (int c = 0; c < 2; c++) {
        profiles[c].n = n;
        profiles[c].counts = endo_block_take(b, n, sizeof(int16_t));
        profiles[c].sums = endo_block_take(b, n + 1, sizeof(int64_t));
        profiles[c].squares = endo_block_take(b, n + 1, sizeof(int64_t));
    }
}

static void take_all(cpu_aligner *a, endo_block *b) {
    const cpu_store *s = a->store;
    cpu_bitmap *bitmaps[2] = {&a->reference, &a->current};
    for (int i = 0; i < 2; i++) {
        bitmaps[i]->above = endo_block_take(b, plane_words(s), sizeof(uint64_t));
        bitmaps[i]->used = endo_block_take(b, plane_words(s), sizeof(uint64_t));
        take_profiles(bitmaps[i]->columns, s->options.width, b);
        take_profiles(bitmaps[i]->rows, s->options.height, b);
    }
    a->columns = endo_block_take(b, (size_t)2 * 2 * 64 * a->words * a->threads, sizeof(int16_t));
    a->bytes = endo_block_take(b, 2 * cpu_exposure_bytes(a) * a->threads, 1);
    a->slice = endo_block_take(b, s->options.width > s->options.height ? s->options.width : s->options.height,
                               sizeof(int16_t));
}

static void skip_first_row(const cpu_aligner *a, uint64_t **plane) {
    memset(*plane, 0, (size_t)a->pitch * sizeof **plane);
    *plane += a->pitch;
}

endo_status cpu_aligner_create(cpu_aligner *a, const cpu_store *s, int threads) {
    endo_block b = {NULL, 0};
    a->store = s;
    a->threads = threads;
    a->words = row_words(s);
    a->pitch = row_pitch(s);
    take_all(a, &b);
    a->memory = b.memory = endo_alloc(b.used, 1);
    if (!a->memory) return ENDO_ERR_MEMORY;
    b.used = 0;
    take_all(a, &b);
    skip_first_row(a, &a->reference.above);
    skip_first_row(a, &a->reference.used);
    skip_first_row(a, &a->current.above);
    skip_first_row(a, &a->current.used);
    return ENDO_OK;
}

void cpu_aligner_destroy(cpu_aligner *a) { endo_free(a->memory); }
