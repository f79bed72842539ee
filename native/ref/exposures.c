/* The alignment of exposures as its definition reads: every count by looking at every pixel ([G] section 1.1, and
 * docs/algorithms/exposures.md for what goes beyond it). */
#include "ref.h"

#include "rules/exposures.h"

/* One image of a pair with its threshold. */
typedef struct bitmap {
    const ref_store *store;
    const uint8_t *grey;
    endo_exposure_threshold threshold;
    int32_t *columns[2], *rows[2]; /* black, white */
} bitmap;

static endo_exposure_levels count_levels(const ref_store *s, int slot) {
    endo_exposure_levels l = {{0}};
    int width = s->options.width, height = s->options.height;
    for (int y = 0; y < height; y += endo_exposure_row_step(height, ENDO_EXPOSURE_LEVEL_ROWS))
        for (int i = y * width; i < (y + 1) * width; i++)
            if (s->field[i]) l.below[s->frames[slot].plain[i] + 1]++;
    for (int v = 0; v < 256; v++) l.below[v + 1] += l.below[v];
    return l;
}

/* Whether pixel i is counted: it lies in the field, and its level in the slice. */
static int takes_part(const bitmap *b, int i) {
    endo_exposure_slice s = b->threshold.slice;
    return b->store->field[i] && b->grey[i] >= s.from && b->grey[i] <= s.to;
}

/* 0 black, 1 white, -1 ignored. */
static int colour(const bitmap *b, int i) {
    if (!takes_part(b, i)) return -1;
    if (b->grey[i] <= b->threshold.level - b->threshold.tolerance) return 0;
    return b->grey[i] > b->threshold.level + b->threshold.tolerance ? 1 : -1;
}

static int above(const bitmap *b, int i) { return b->grey[i] > b->threshold.level; }

static bitmap make_bitmap(const ref_store *s, int slot, endo_exposure_threshold threshold) {
    bitmap b = {s, s->frames[slot].plain, threshold, {NULL, NULL}, {NULL, NULL}};
    int width = s->options.width, height = s->options.height;
    for (int c = 0; c < 2; c++) {
        b.columns[c] = endo_alloc_zeroed(width, sizeof(int32_t));
        b.rows[c] = endo_alloc_zeroed(height, sizeof(int32_t));
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int c = colour(&b, y * width + x);
            if (c < 0) continue;
            b.columns[c][x]++;
            b.rows[c][y]++;
        }
    return b;
}

/* Counts become what is correlated. field: pixels of each row or column that take part. */
static void take_excess(int32_t *counts, const int32_t *field, int n) {
    int64_t all_counts = 0, all_field = 0;
    for (int i = 0; i < n; i++) all_counts += counts[i], all_field += field[i];
    for (int i = 0; i < n; i++) counts[i] = endo_exposure_excess(counts[i], field[i], all_counts, all_field);
}

static void take_excesses(bitmap *b) {
    int width = b->store->options.width, height = b->store->options.height;
    int32_t *columns = endo_alloc_zeroed(width, sizeof *columns), *rows = endo_alloc_zeroed(height, sizeof *rows);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (takes_part(b, y * width + x)) columns[x]++, rows[y]++;
    for (int c = 0; c < 2; c++) {
        take_excess(b->columns[c], columns, width);
        take_excess(b->rows[c], rows, height);
    }
    endo_free(columns);
    endo_free(rows);
}

static void free_bitmap(bitmap *b) {
    for (int c = 0; c < 2; c++) {
        endo_free(b->columns[c]);
        endo_free(b->rows[c]);
    }
}

static endo_sums correlate(const int32_t *reference, const int32_t *current, int n, int shift) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        if (i + shift < 0 || i + shift >= n) continue;
        int64_t x = reference[i + shift], y = current[i];
        s.n++;
        s.x += x, s.y += y;
        s.xx += x * x, s.yy += y * y, s.xy += x * y;
    }
    return s;
}

static double coefficient(int32_t *const reference[2], int32_t *const current[2], int n, int shift) {
    endo_sums black = correlate(reference[0], current[0], n, shift);
    endo_sums white = correlate(reference[1], current[1], n, shift);
    return endo_exposure_coefficient(&black, &white);
}

static int find_peaks(int32_t *const reference[2], int32_t *const current[2], int n, int reach, int32_t *peaks) {
    double coefficients[2 * ENDO_EXPOSURE_MAX_SEARCH + 1];
    for (int s = -reach; s <= reach; s++) coefficients[s + reach] = coefficient(reference, current, n, s);
    return endo_exposure_peaks(coefficients, reach, peaks);
}

static endo_exposure_overlap compare(const bitmap *r, const bitmap *c, int dx, int dy, int row_step, int banded) {
    const ref_store *s = r->store;
    int width = s->options.width, height = s->options.height;
    endo_exposure_overlap o = {0, 0};
    for (int y = 0; y < height; y += row_step)
        for (int x = 0; x < width; x++) {
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
            int i = (y + dy) * width + x + dx, j = y * width + x;
            if (!s->field[i] || !s->field[j]) continue;
            if (banded && (colour(r, i) < 0 || colour(c, j) < 0)) continue;
            o.total++;
            o.differ += above(r, i) != above(c, j);
        }
    return o;
}

/* The threshold of the current image that matches the reference's where they overlap. All levels are counted: a slice
 * bounds only what the new threshold may be. */
static endo_exposure_threshold match(const bitmap *r, const bitmap *c, int dx, int dy, int tolerance) {
    const ref_store *s = r->store;
    int width = s->options.width, height = s->options.height;
    endo_exposure_levels l = {{0}};
    int32_t black = 0;
    for (int y = 0; y < height; y += endo_exposure_row_step(height, ENDO_EXPOSURE_ROUGH_ROWS))
        for (int x = 0; x < width; x++) {
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
            int i = (y + dy) * width + x + dx, j = y * width + x;
            if (!s->field[i] || !s->field[j]) continue;
            black += !above(r, i);
            l.below[c->grey[j] + 1]++;
        }
    for (int v = 0; v < 256; v++) l.below[v + 1] += l.below[v];
    return endo_exposure_match(&l, black, c->threshold.slice, tolerance);
}

static void answer_all(const bitmap *r, bitmap *c, int tolerance, endo_exposure_search *search) {
    endo_exposure_overlap answers[ENDO_EXPOSURE_ASKED];
    while (search->asked) {
        if (search->phase == ENDO_EXPOSURE_MATCH) {
            c->threshold = match(r, c, search->best_dx, search->best_dy, tolerance);
            endo_exposure_matched(search);
        }
        for (int i = 0; i < search->asked; i++)
            answers[i] = compare(r, c, search->dx[i], search->dy[i], search->row_step,
                                 endo_exposure_is_banded(search));
        endo_exposure_answer(search, answers);
    }
}

static void observe(const ref_store *s, const endo_pair *pair, const endo_exposure_options *options,
                    const endo_exposure_observations *observations, const endo_exposure_choice *t, endo_exposure_result *out) {
    int width = s->options.width, height = s->options.height;
    int32_t peaks_x[ENDO_EXPOSURE_PEAKS], peaks_y[ENDO_EXPOSURE_PEAKS];
    bitmap r = make_bitmap(s, pair->reference, t->reference), c = make_bitmap(s, pair->current, t->current);
    take_excesses(&r);
    take_excesses(&c);
    endo_exposure_search search = {.asked = 0};
    endo_exposure_observations_prepare(observations, t, width, height, options, &search);
    int n_x = find_peaks(r.columns, c.columns, width, search.reach_x, peaks_x);
    int n_y = find_peaks(r.rows, c.rows, height, search.reach_y, peaks_y);
    endo_exposure_search_begin(&search, peaks_x, n_x, peaks_y, n_y);
    answer_all(&r, &c, observations->observation.tolerance, &search);
    endo_exposure_finish(&search, t, &c.threshold, coefficient(r.columns, c.columns, width, search.best_dx),
                         coefficient(r.rows, c.rows, height, search.best_dy), options->search, out);
    free_bitmap(&r);
    free_bitmap(&c);
}

static void align(const ref_store *s, const endo_pair *pair, const endo_exposure_options *options,
                  endo_exposure_result *out) {
    endo_exposure_levels of_reference = count_levels(s, pair->reference), of_current = count_levels(s, pair->current);
    endo_exposure_observations observations;
    endo_exposure_observations_begin(&observations, pair, &of_reference, &of_current, options);
    while (observations.stage != ENDO_EXPOSURE_DONE) {
        endo_exposure_choice t = endo_exposure_thresholds(&of_reference, &of_current, &observations.observation);
        endo_exposure_result seen;
        if (endo_exposure_shows(&t))
            observe(s, pair, options, &observations, &t, &seen);
        else
            endo_exposure_nothing(&t, &seen);
        endo_exposure_observations_take(&observations, &t, &seen);
    }
    *out = observations.result;
}

endo_status ref_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                          endo_exposure_result *results) {
    for (size_t i = 0; i < n; i++) align(store, &pairs[i], options, &results[i]);
    return ENDO_OK;
}
