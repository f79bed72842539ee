/* Loops of the alignment of exposures in plain C. */
#include "exposure_rows.h"

static void take_word(const cpu_exposure_rows *r, int y, int i) {
    uint64_t above = 0, used = 0;
    for (int b = 0; b < 64; b++) {
        int x = 64 * i + b, v = r->grey[y * r->stride + x], inside = r->field[y * r->field_stride + x] != 0;
        int black = inside & (v < r->black_end), white = inside & (v > r->white_from);
        above |= (uint64_t)(inside & (v > r->level)) << b;
        used |= (uint64_t)(black | white) << b;
        r->black[x] = (uint8_t)(r->black[x] + black);
        r->white[x] = (uint8_t)(r->white[x] + white);
    }
    r->above[y * r->pitch + i] = above;
    r->used[y * r->pitch + i] = used;
}

static void exposure_rows_c(const cpu_exposure_rows *r) {
    for (int y = 0; y < r->rows; y++)
        for (int i = 0; i < r->words; i++) take_word(r, y, i);
}

static void exposure_count_c(const uint64_t *above, const uint64_t *used, int words, int counts[2]) {
    exposure_count(above, used, words, counts);
}

static int32_t exposure_not_above_c(const uint8_t *grey, const uint8_t *field, int level, int n) {
    return exposure_not_above(grey, field, level, n);
}

static int32_t exposure_dot_c(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }
static int64_t exposure_differ_c(const cpu_exposure_overlap *o) { return exposure_differ(o); }
static endo_exposure_overlap exposure_masked_c(const cpu_exposure_overlap *o) { return exposure_masked(o); }

const cpu_exposures_loops cpu_exposures_c = {
    .rows = exposure_rows_c,
    .count = exposure_count_c,
    .not_above = exposure_not_above_c,
    .dot = exposure_dot_c,
    .differ = exposure_differ_c,
    .masked = exposure_masked_c,
};
