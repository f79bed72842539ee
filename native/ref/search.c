/* Logarithmic search, [S] section 2.4, steps 1 to 5, with the cache of Listing 3.4 made one landmark's
 * own: the listing's cache is shared between landmarks and takes a coefficient of 0 for "not known". */
#include "ref.h"

typedef struct visited {
    int x, y;
    double coefficient;
} visited;

typedef struct search {
    const ref_store *store;
    const endo_search_request *request;
    int side;
    visited cache[ENDO_SEARCH_LIMIT];
    int computed, reused;
} search;

/* 0 when the limit of coefficients is reached. */
static int coefficient_at(search *s, int x, int y, double *out) {
    for (int i = 0; i < s->computed; i++)
        if (s->cache[i].x == x && s->cache[i].y == y) {
            s->reused++;
            *out = s->cache[i].coefficient;
            return 1;
        }
    if (s->computed == ENDO_SEARCH_LIMIT) return 0;
    endo_ncc_request q = {s->request->reference, s->request->current, s->request->x, s->request->y, x, y};
    visited *v = &s->cache[s->computed++];
    v->x = x, v->y = y;
    *out = v->coefficient = ref_coefficient(s->store, &q, s->side);
    return 1;
}

/* Evaluates the nine points; *best = the first with the greatest defined coefficient, -1 if none. */
static int evaluate_pattern(search *s, int x, int y, int offset, double values[9], int *best) {
    static const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    *best = -1;
    for (int i = 0; i < 9; i++) {
        if (!coefficient_at(s, x + offset * pattern_x[i], y + offset * pattern_y[i], &values[i])) return 0;
        if (values[i] == values[i] && (*best < 0 || values[i] > values[*best])) *best = i;
    }
    return 1;
}

static void set_position(const double values[9], int x, int y, int subpixel, endo_search_result *r) {
    static const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    double grid[9], dx = 0, dy = 0;
    for (int i = 0; i < 9; i++) grid[3 * (pattern_y[i] + 1) + pattern_x[i] + 1] = values[i];
    if (subpixel) endo_subpixel_peak(grid, &dx, &dy);
    r->x = x + dx;
    r->y = y + dy;
    r->coefficient = values[0];
}

static int run(search *s, const endo_search_options *options, endo_search_result *r) {
    static const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int x = s->request->start_x, y = s->request->start_y, offset = options->cross, best;
    double values[9];
    for (;;) {
        if (!evaluate_pattern(s, x, y, offset, values, &best)) return ENDO_LANDMARK_UNSETTLED;
        if (best < 0) return ENDO_LANDMARK_OUTSIDE;
        if (best > 0) { /* step 3: move, same offset */
            x += offset * pattern_x[best];
            y += offset * pattern_y[best];
        } else if (offset > 1) { /* step 4 */
            offset /= 2;
        } else { /* step 5 */
            set_position(values, x, y, options->subpixel, r);
            return ENDO_LANDMARK_FOUND;
        }
    }
}

/* The template against itself is undefined exactly when it leaves the field or has no variance. */
static int template_state(const ref_store *s, const endo_search_request *q, int side) {
    endo_ncc_request self = {q->reference, q->reference, q->x, q->y, q->x, q->y};
    int half = side / 2;
    if (q->x < half || q->y < half || q->x + half >= s->options.width || q->y + half >= s->options.height)
        return ENDO_LANDMARK_OUTSIDE;
    for (int v = q->y - half; v <= q->y + half; v++)
        for (int u = q->x - half; u <= q->x + half; u++)
            if (!s->field[(size_t)v * s->options.width + u]) return ENDO_LANDMARK_OUTSIDE;
    double c = ref_coefficient(s, &self, side);
    return c == c ? ENDO_LANDMARK_FOUND : ENDO_LANDMARK_NO_TEXTURE;
}

endo_status ref_search(void *store, const endo_search_request *requests, size_t n,
                       const endo_search_setup *setup, endo_search_result *results) {
    const endo_search_options *options = &setup->options;
    for (size_t i = 0; i < n; i++) {
        search s = {.store = store, .request = &requests[i], .side = options->template_side};
        endo_search_result r = {requests[i].start_x, requests[i].start_y, NAN, 0, 0, 0};
        r.state = template_state(store, &requests[i], options->template_side);
        if (r.state == ENDO_LANDMARK_FOUND) r.state = run(&s, options, &r);
        r.computed = s.computed;
        r.reused = s.reused;
        results[i] = r;
    }
    return ENDO_OK;
}
