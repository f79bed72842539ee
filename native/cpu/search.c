/* Logarithmic search, [S] section 2.4, one landmark a thread; the cache is a small hash table. */
#include "derived.h"

#include "base/openmp.h"

#include <string.h>

#define SLOTS 1024 /* power of two, well above ENDO_SEARCH_LIMIT */

typedef struct search {
    cpu_correlator correlator;
    int computed, reused;
    uint16_t used[SLOTS]; /* 1 + index of an entry; 0 is free */
    int32_t x[ENDO_SEARCH_LIMIT], y[ENDO_SEARCH_LIMIT];
    double coefficient[ENDO_SEARCH_LIMIT];
} search;

/* One thread's. */
typedef struct workspace {
    search state;
    _Alignas(64) uint8_t packed[CPU_TEMPLATE_BYTES];
} workspace;

static unsigned hash(int x, int y) { return ((unsigned)x * 40503u ^ (unsigned)y * 63689u) & (SLOTS - 1); }

/* 0 when the limit of coefficients is reached. */
static int coefficient_at(search *s, int x, int y, double *out) {
    unsigned slot = hash(x, y);
    for (; s->used[slot]; slot = (slot + 1) & (SLOTS - 1)) {
        int i = s->used[slot] - 1;
        if (s->x[i] != x || s->y[i] != y) continue;
        s->reused++;
        *out = s->coefficient[i];
        return 1;
    }
    if (s->computed == ENDO_SEARCH_LIMIT) return 0;
    int i = s->computed++;
    s->used[slot] = (uint16_t)(i + 1);
    s->x[i] = x, s->y[i] = y;
    *out = s->coefficient[i] = cpu_correlate(&s->correlator, x, y);
    return 1;
}

static int run(search *s, const endo_search_request *q, const endo_search_options *options, endo_search_result *r) {
    static const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int x = q->start_x, y = q->start_y, offset = options->cross;
    double grid[9];
    for (;;) {
        int best = -1;
        double greatest = 0;
        for (int i = 0; i < 9; i++) {
            double c;
            if (!coefficient_at(s, x + offset * pattern_x[i], y + offset * pattern_y[i], &c))
                return ENDO_LANDMARK_UNSETTLED;
            grid[3 * (pattern_y[i] + 1) + pattern_x[i] + 1] = c;
            if (c == c && (best < 0 || c > greatest)) best = i, greatest = c;
        }
        if (best < 0) return ENDO_LANDMARK_OUTSIDE;
        if (best == 0 && offset == 1) break;
        if (best == 0) offset /= 2;
        x += offset * pattern_x[best]; /* the centre's step is 0 */
        y += offset * pattern_y[best];
    }
    double dx = 0, dy = 0;
    if (options->subpixel) endo_subpixel_peak(grid, &dx, &dy);
    r->x = x + dx, r->y = y + dy;
    r->coefficient = grid[4];
    return ENDO_LANDMARK_FOUND;
}

static void search_one(search *s, const cpu_store *store, const endo_search_request *q,
                       const endo_search_setup *setup, void *scratch, endo_search_result *out) {
    endo_search_result r = {q->start_x, q->start_y, NAN, ENDO_LANDMARK_OUTSIDE, 0, 0};
    int width = store->options.width, inside = q->x >= 0 && q->y >= 0 && q->x < width && q->y < store->options.height;
    if (inside && setup->centres.mask[(size_t)q->y * width + q->x]) {
        memset(s->used, 0, sizeof s->used);
        s->computed = s->reused = 0;
        if (cpu_correlator_set(&s->correlator, store, &setup->centres, q->reference, q->current, q->x, q->y, scratch))
            r.state = run(s, q, &setup->options, &r);
        else
            r.state = ENDO_LANDMARK_NO_TEXTURE;
        r.computed = s->computed;
        r.reused = s->reused;
    }
    *out = r;
}

endo_status cpu_search(void *store, const endo_search_request *requests, size_t n,
                       const endo_search_setup *setup, endo_search_result *results) {
    cpu_store *s = store;
    ENDO_TRY(cpu_derive(s, CPU_ENHANCED, requests, n, sizeof *requests));
    int threads = cpu_threads(s->backend, n / 16);
    workspace *workspaces = cpu_scratch(s->backend, threads, sizeof *workspaces);
    if (!workspaces) return endo_fail(ENDO_ERR_MEMORY, "no memory for searches");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
    for (size_t i = 0; i < n; i++) {
        workspace *local = &workspaces[omp_get_thread_num()];
        search_one(&local->state, s, &requests[i], setup, local->packed, &results[i]);
    }
    return ENDO_OK;
}
