/* Loops of the alignment of exposures in plain C. */
#include "exposure_rows.h"

void exposure_row_c(const cpu_exposure_row *row, int counts[2]) {
    counts[0] = counts[1] = 0;
    for (int i = 0; i < row->words; i++) {
        uint64_t above = 0, used = 0;
        for (int b = 0; b < 64; b++) {
            int x = 64 * i + b, v = row->grey[x], inside = row->field[x] != 0;
            int black = inside & (v < row->black_end), white = inside & (v > row->white_from);
            above |= (uint64_t)(inside & (v > row->level)) << b;
            used |= (uint64_t)(black | white) << b;
            row->black[x] = (uint8_t)(row->black[x] + black);
            row->white[x] = (uint8_t)(row->white[x] + white);
            counts[0] += black;
            counts[1] += white;
        }
        row->above[i] = above;
        row->used[i] = used;
    }
}

int32_t exposure_dot_c(const int16_t *a, const int16_t *b, int n) { return exposure_dot(a, b, n); }
int64_t exposure_differ_c(const cpu_exposure_overlap *o) { return exposure_differ(o); }
endo_exposure_overlap exposure_masked_c(const cpu_exposure_overlap *o) { return exposure_masked(o); }
