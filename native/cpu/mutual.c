/* Joint histograms of volumes on several threads: of many maps each thread counts some, of few each counts some rows.
 * Every thread has a histogram of its own; sums of counts do not ask who counted. */
#include "mutual_volumes.h"

#include "base/openmp.h"

#include <string.h>

/* Counts below this have their terms in a table. */
#define TERMS 1024
/* Voxels that are worth a thread. */
#define VOXELS_A_THREAD 100000

typedef struct cpu_pair {
    const cpu_backend *backend;
    int n_levels, nearest;
    cpu_mutual_volumes levels[ENDO_MUTUAL_MAX_LEVELS];
    size_t histogram;  /* counts of each thread's */
    uint32_t *counts;  /* of all threads */
    int64_t terms[TERMS];
} cpu_pair;

static void destroy(void *pair) {
    cpu_pair *p = pair;
    if (!p) return;
    cpu_mutual_volumes_free(p->levels, ENDO_MUTUAL_MAX_LEVELS);
    endo_free(p->counts);
    endo_free(p);
}

static endo_status create(void *backend, const endo_mutual_setup *setup, void **pair) {
    cpu_pair *p = endo_alloc_zeroed(1, sizeof *p);
    if (!p) return endo_fail(ENDO_ERR_MEMORY, "no memory for volumes");
    p->backend = backend, p->n_levels = setup->n_levels, p->nearest = setup->nearest;
    for (int i = 0; i < setup->n_levels; i++) {
        size_t counts = (cpu_mutual_counts(setup->levels[i].bins) + 15) & ~(size_t)15;
        if (counts > p->histogram) p->histogram = counts;
    }
    for (uint32_t i = 0; i < TERMS; i++) p->terms[i] = endo_mutual_term(i);
    p->counts = endo_alloc(p->histogram * (size_t)p->backend->threads, sizeof *p->counts);
    endo_status status = p->counts ? cpu_mutual_volumes_make(p->backend, setup, p->levels)
                                   : endo_fail(ENDO_ERR_MEMORY, "no memory for histograms");
    if (status == ENDO_OK)
        *pair = p;
    else
        destroy(p);
    return status;
}

/* -------------------------------------------------------------------- sums */

static inline int64_t term(const cpu_pair *p, uint32_t n) { return n < TERMS ? p->terms[n] : endo_mutual_term(n); }

static endo_mutual_sums add_up(const cpu_pair *p, const uint32_t *counts, int bins) {
    endo_mutual_sums s = {0, 0, 0, 0};
    uint32_t columns[256] = {0};
    for (int a = 0; a < bins; a++, counts += bins) {
        uint32_t row = 0;
        for (int b = 0; b < bins; b++) row += counts[b], columns[b] += counts[b];
        if (row == 0) continue;
        for (int b = 0; b < bins; b++) s.joint += term(p, counts[b]);
        s.n += row, s.fixed += term(p, row);
    }
    for (int b = 0; b < bins; b++) s.moving += term(p, columns[b]);
    return s;
}

/* ------------------------------------------------------------------- count */

static int rows_of(const cpu_mutual_level *l) { return l->size[1] * l->size[2]; }

/* Rows first .. last - 1 into a thread's own histogram, which is cleared. */
static uint32_t *count_rows(const cpu_pair *p, const cpu_mutual_level *l, const endo_mutual_window *window,
                            const endo_mutual_map *map, int thread, int first, int last) {
    uint32_t *counts = p->counts + p->histogram * (size_t)thread;
    const cpu_mutual_rows rows = {l, map, window, p->nearest, first, last, counts};
    memset(counts, 0, cpu_mutual_counts(l->bins) * sizeof *counts);
    p->backend->variant->mutual->count(&rows);
    return counts;
}

static int threads_for(const cpu_pair *p, const cpu_mutual_level *l) {
    size_t pieces = (size_t)l->size[0] * (size_t)rows_of(l) / VOXELS_A_THREAD;
    if (pieces > (size_t)rows_of(l)) pieces = (size_t)rows_of(l);
    return cpu_threads(p->backend, pieces);
}

/* The histogram of one map, counted by all threads; it lies in the first one's memory. */
static const uint32_t *count_together(const cpu_pair *p, const cpu_mutual_level *l, const endo_mutual_window *window,
                                      const endo_mutual_map *map) {
    int threads = threads_for(p, l), bins = l->bins;
    int64_t rows = rows_of(l);
#pragma omp parallel num_threads(threads)
    {
        int of = omp_get_num_threads(), number = omp_get_thread_num();
        count_rows(p, l, window, map, number, (int)(rows * number / of), (int)(rows * (number + 1) / of));
#pragma omp barrier
#pragma omp for schedule(static)
        for (int a = 0; a < bins; a++)
            for (int t = 1; t < of; t++) {
                uint32_t *sum = p->counts + a * bins;
                const uint32_t *other = sum + p->histogram * (size_t)t;
                for (int b = 0; b < bins; b++) sum[b] += other[b];
            }
    }
    return p->counts;
}

static endo_status measure(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps, size_t n,
                           endo_mutual_sums *sums) {
    const cpu_pair *p = pair;
    const cpu_mutual_level *l = &p->levels[level].level;
    int threads = cpu_threads(p->backend, n);
    if (n < 2 * (size_t)p->backend->threads) {
        for (size_t i = 0; i < n; i++) sums[i] = add_up(p, count_together(p, l, window, &maps[i]), l->bins);
        return ENDO_OK;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t i = 0; i < n; i++)
        sums[i] = add_up(p, count_rows(p, l, window, &maps[i], omp_get_thread_num(), 0, rows_of(l)), l->bins);
    return ENDO_OK;
}

static endo_status histogram(void *pair, int level, const endo_mutual_map *map, uint32_t *counts) {
    const cpu_pair *p = pair;
    const cpu_mutual_level *l = &p->levels[level].level;
    memcpy(counts, count_together(p, l, NULL, map), (size_t)l->bins * l->bins * sizeof *counts);
    return ENDO_OK;
}

const endo_mutual_kernels cpu_mutual = {
    .create = create,
    .destroy = destroy,
    .measure = measure,
    .histogram = histogram,
    .resample = cpu_mutual_resample,
};
