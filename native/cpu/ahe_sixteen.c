/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels: a window histogram of two levels walks along
 * each row and back along the next ([P] section 2, "bi-directional"), so that a pixel costs 2 * window updates and one
 * look at no more than 512 counters. Small windows are compared. */
#include "ahe_plane.h"

#include "../rules/ahe.h"

#include <string.h>

#define LEVELS 65536
#define GROUP 256

typedef struct tally {
    uint32_t fine[LEVELS], coarse[LEVELS / GROUP];
} tally;

static inline void change(tally *t, uint16_t value, uint32_t by) {
    t->fine[value] += by;
    t->coarse[value / GROUP] += by;
}

static uint32_t rank_of(const tally *t, uint16_t value) {
    uint32_t rank = 0;
    for (int i = 0; i < value / GROUP; i++) rank += t->coarse[i];
    for (int i = value & ~(GROUP - 1); i <= value; i++) rank += t->fine[i];
    return rank;
}

/* rows[v] + column, v = 0 .. window - 1 */
static void change_column(tally *t, const uint16_t *const *rows, int window, int column, uint32_t by) {
    for (int v = 0; v < window; v++) change(t, rows[v][column], by);
}

static void change_row(tally *t, const uint16_t *row, int n, uint32_t by) {
    for (int k = 0; k < n; k++) change(t, row[k], by);
}

static void put(const endo_ahe_job *j, int x, int y, uint32_t rank) {
    uint16_t *out = (uint16_t *)j->out + (size_t)y * j->out_stride + x;
    *out = (uint16_t)endo_ahe_plain(rank, (uint32_t)(j->window * j->window), 65535);
}

static void walk(const cpu_ahe_band *band, tally *t, const uint16_t **rows) {
    const cpu_ahe_plane *p = band->plane;
    int window = p->job->window, r = window / 2, width = p->job->region.width, x = 0, step = 1;
    memset(t, 0, sizeof *t);
    for (int v = 1; v <= window; v++) change_row(t, cpu_ahe_row16(p, band->from + v) + 1, window, 1);
    for (int y = band->from; y < band->to; y++) {
        if (y > band->from) { /* down, where the last row ended */
            change_row(t, cpu_ahe_row16(p, y) + x + 1, window, (uint32_t)-1);
            change_row(t, cpu_ahe_row16(p, y + window) + x + 1, window, 1);
        }
        for (int v = 0; v < window; v++) rows[v] = cpu_ahe_row16(p, y + 1 + v);
        for (;;) {
            put(p->job, x, y, rank_of(t, rows[r][x + r + 1]));
            if (x + step < 0 || x + step >= width) break;
            change_column(t, rows, window, step > 0 ? x + 1 : x + window, (uint32_t)-1);
            change_column(t, rows, window, step > 0 ? x + 1 + window : x, 1);
            x += step;
        }
        step = -step;
    }
}

static void compare_rows(const cpu_ahe_band *band, const uint16_t **rows) {
    const cpu_ahe_plane *p = band->plane;
    int width = p->job->region.width, window = p->job->window;
    uint32_t ranks[CPU_AHE_STRIP];
    for (int y = band->from; y < band->to; y++)
        for (int x = 0; x < width; x += CPU_AHE_STRIP) {
            int n = width - x < CPU_AHE_STRIP ? width - x : CPU_AHE_STRIP;
            for (int v = 0; v < window; v++) rows[v] = cpu_ahe_row16(p, y + 1 + v) + x + 1;
            band->loops->compare16(rows, window, CPU_AHE_STRIP, ranks);
            for (int i = 0; i < n; i++) put(p->job, x + i, y, ranks[i]);
        }
}

static int is_compared(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    return job->window <= loops->largest_compared16;
}

static void run_band(const cpu_ahe_band *band) {
    const uint16_t *rows[ENDO_AHE_MAX_WINDOW];
    if (is_compared(band->plane->job, band->loops))
        compare_rows(band, rows);
    else
        walk(band, (tally *)band->scratch, rows);
}

static size_t bytes_of(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    return is_compared(job, loops) ? 0 : sizeof(tally);
}

const cpu_ahe_way cpu_ahe_sixteen = {run_band, bytes_of};
