/* Joint histograms in plain C. */
#include "mutual_rows.h"

/* Levels of the voxels of an element and of its right neighbour, x fastest. */
static inline void take_eight(const uint32_t *at, uint8_t level[8]) {
    for (int k = 0; k < 8; k++) level[k] = (uint8_t)(at[k & 1] >> 8 * (k >> 1) ^ 0x80);
}

static inline __attribute__((always_inline)) void count_run(mutual_walk *w, const mutual_run *run) {
    for (int k = run->from; k < run->to; k++) {
        int32_t at[3];
        int fraction[3];
        uint8_t level[8];
        for (int i = 0; i < 3; i++) {
            at[i] = run->position[i] + k * w->step[i];
            fraction[i] = endo_mutual_fraction(at[i]) & w->fraction_mask;
        }
        const uint32_t *place = w->moving + (ptrdiff_t)(at[2] >> 16) * w->slice + (ptrdiff_t)(at[1] >> 16) * w->stride +
                                (at[0] >> 16);
        take_eight(place, level);
        uint32_t bin = endo_mutual_moving_bin(endo_mutual_interpolate(level, fraction), run->gain + k * w->gain_step,
                                              w->bins);
        w->counts[run->fixed[k] * w->bins + bin]++;
    }
}

static void mutual_count_c(const cpu_mutual_rows *rows) { mutual_walk_rows(rows, count_run); }

const cpu_mutual_loops cpu_mutual_c = {
    .count = mutual_count_c,
};
