/* Alignment of exposures: levels once a frame; for each pair bitmaps with their counts, coefficients of the counts,
 * and the questions of the search, in memory that a worker keeps for all its pairs. Many pairs go to several
 * workers; the threads share the rows and the shifts of a single large pair.
 *
 * Bitmaps: rows of whole words with room between and around them, so that a shifted row can be read beyond its ends.
 * In the masks there are zeros; in the others there may be anything, for a mask goes over it. */
#include "cpu_exposures.h"

#include <stdlib.h>
#include <string.h>

/* Blocks whose counts fit a byte: after so many they are added to wider ones. */
#define BYTE_BLOCKS (255 / CPU_EXPOSURE_BLOCK)

/* The field of these rows becomes what of it is of the slice. */
static void slice_rows(endo_exposure_slice slice, cpu_exposure_rows *r, uint8_t *inside) {
    int n = 64 * r->words;
    uint8_t from = (uint8_t)slice.from, to = (uint8_t)slice.to;
    for (int y = 0; y < r->rows; y++) {
        const uint8_t *grey = r->grey + y * r->stride, *field = r->field + y * r->field_stride;
        for (int x = 0; x < n; x++) inside[(ptrdiff_t)y * n + x] = grey[x] >= from && grey[x] <= to ? field[x] : 0;
    }
    r->field = inside;
    r->field_stride = n;
}

/* Rows first.. of the image: bits, and counts of columns in bytes. */
static void fill_block(const cpu_aligner *a, cpu_bitmap *b, const uint8_t *grey, int first, int rows, uint8_t *bytes) {
    const cpu_store *s = a->store;
    const endo_exposure_threshold *t = &b->threshold;
    int low = t->level - t->tolerance, high = t->level + t->tolerance;
    cpu_exposure_rows r = {.grey = grey + first * s->stride,
                           .field = s->field->mask + (s->field_words ? first * s->stride : 0),
                           .stride = s->stride,
                           .field_stride = s->field_words ? s->stride : 0,
                           .words = a->words,
                           .rows = rows,
                           .level = t->level,
                           .black_end = low < 0 ? 0 : low + 1,
                           .white_from = high > 255 ? 255 : high,
                           .above = b->above + (ptrdiff_t)first * a->pitch,
                           .used = b->used + (ptrdiff_t)first * a->pitch,
                           .pitch = a->pitch,
                           .black = bytes,
                           .white = bytes + 64 * a->words};
    if (endo_exposure_is_slice(t)) slice_rows(t->slice, &r, bytes + 2 * 64 * a->words);
    s->backend->variant->exposures->rows(&r);
    for (int y = 0; y < rows; y++) memset(r.used + y * r.pitch + a->words, 0, (a->pitch - a->words) * sizeof *r.used);
}

static void count_rows(const cpu_aligner *a, cpu_bitmap *b, int first, int rows) {
    for (int y = first; y < first + rows; y++) {
        int counts[2];
        ptrdiff_t at = (ptrdiff_t)y * a->pitch;
        a->store->backend->variant->exposures->count(b->above + at, b->used + at, a->words, counts);
        b->rows[0].counts[y] = (int16_t)counts[0];
        b->rows[1].counts[y] = (int16_t)counts[1];
    }
}

static void fill_rows(const cpu_aligner *a, cpu_bitmap *b, const uint8_t *grey, int first, int end, int16_t *columns,
                      uint8_t *bytes) {
    size_t wide = (size_t)2 * 64 * a->words;
    int blocks = 0;
    memset(columns, 0, wide * sizeof *columns);
    memset(bytes, 0, wide);
    for (int y = first; y < end; y += CPU_EXPOSURE_BLOCK) {
        int rows = end - y < CPU_EXPOSURE_BLOCK ? end - y : CPU_EXPOSURE_BLOCK;
        fill_block(a, b, grey, y, rows, bytes);
        count_rows(a, b, y, rows);
        if (++blocks % BYTE_BLOCKS && y + CPU_EXPOSURE_BLOCK < end) continue;
        for (size_t i = 0; i < wide; i++) columns[i] = (int16_t)(columns[i] + bytes[i]);
        memset(bytes, 0, wide);
    }
}

/* field: pixels of the field of each row or column; NULL: all are. */
static void sum_profile(cpu_profile *p, const int16_t *field, int64_t all_field) {
    int64_t sum = 0, squares = 0, all_counts = 0;
    p->most = 0;
    for (int i = 0; field && i < p->n; i++) all_counts += p->counts[i];
    for (int i = 0; i < p->n; i++) {
        if (field) p->counts[i] = (int16_t)endo_exposure_excess(p->counts[i], field[i], all_counts, all_field);
        int64_t count = p->counts[i];
        p->sums[i] = sum, p->squares[i] = squares;
        sum += count, squares += count * count;
        if (abs(p->counts[i]) > p->most) p->most = abs(p->counts[i]);
    }
    p->sums[p->n] = sum, p->squares[p->n] = squares;
}

/* Profiles of a slice: the pixels that it holds in each row or column stand in for those of the field. */
static void sum_slice(cpu_profile *p, int16_t *pixels) {
    int64_t all = 0;
    for (int i = 0; i < p->n; i++) all += pixels[i] = (int16_t)(p[0].counts[i] + p[1].counts[i]);
    sum_profile(&p[0], pixels, all);
    sum_profile(&p[1], pixels, all);
}

/* The column counts of all strips together. */
static void sum_strips(const cpu_aligner *a, cpu_bitmap *b, const int16_t *strips) {
    size_t wide = (size_t)64 * a->words;
    for (int c = 0; c < 2; c++) {
        memset(b->columns[c].counts, 0, (size_t)b->columns[c].n * sizeof(int16_t));
        for (int i = 0; i < a->threads; i++)
            for (int x = 0; x < b->columns[c].n; x++)
                b->columns[c].counts[x] = (int16_t)(b->columns[c].counts[x] + strips[wide * (2 * i + c) + x]);
    }
    if (endo_exposure_is_slice(&b->threshold)) {
        sum_slice(b->columns, a->slice);
        sum_slice(b->rows, a->slice);
        return;
    }
    for (int c = 0; c < 2; c++) {
        sum_profile(&b->columns[c], a->store->field_columns, a->store->field_pixels);
        sum_profile(&b->rows[c], a->store->field_rows, a->store->field_pixels);
    }
}

void cpu_bitmaps_make(cpu_aligner *a, const endo_pair *pair, const endo_exposure_choice *t) {
    cpu_bitmap *bitmaps[2] = {&a->reference, &a->current};
    const cpu_frame *frames[2] = {&a->store->frames[pair->reference], &a->store->frames[pair->current]};
    int64_t height = a->store->options.height, n = a->threads;
    size_t wide = (size_t)2 * 64 * a->words, block = cpu_exposure_bytes(a);
    a->reference.threshold = t->reference;
    a->current.threshold = t->current;
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t strip = i % n;
        fill_rows(a, bitmaps[i / n], frames[i / n]->plain, (int)(height * strip / n), (int)(height * (strip + 1) / n),
                  a->columns + wide * i, a->bytes + block * i);
    }
    for (int i = 0; i < 2; i++) sum_strips(a, bitmaps[i], a->columns + wide * n * i);
}

/* The bits again for another threshold; the counts stay. */
static void threshold_again(const cpu_aligner *a, cpu_bitmap *b, int slot) {
    int height = a->store->options.height, blocks = (height + CPU_EXPOSURE_BLOCK - 1) / CPU_EXPOSURE_BLOCK;
    const uint8_t *grey = a->store->frames[slot].plain;
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int i = 0; i < blocks; i++) {
        int y = i * CPU_EXPOSURE_BLOCK;
        fill_block(a, b, grey, y, height - y < CPU_EXPOSURE_BLOCK ? height - y : CPU_EXPOSURE_BLOCK,
                   a->bytes + cpu_exposure_bytes(a) * omp_get_thread_num());
    }
}

/* ------------------------------------------------------------ coefficients */

static endo_sums correlate(const cpu_variant *v, const cpu_profile *r, const cpu_profile *c, int shift) {
    int first = shift < 0 ? -shift : 0, end = shift > 0 ? c->n - shift : c->n;
    int64_t product = (int64_t)r->most * c->most;
    int fits = product * c->n <= INT32_MAX ? c->n : (int)(INT32_MAX / product);
    endo_sums s = {end - first,
                   r->sums[end + shift] - r->sums[first + shift],
                   c->sums[end] - c->sums[first],
                   r->squares[end + shift] - r->squares[first + shift],
                   c->squares[end] - c->squares[first],
                   0};
    for (int i = first; i < end; i += fits)
        s.xy += v->exposures->dot(r->counts + i + shift, c->counts + i, end - i < fits ? end - i : fits);
    return s;
}

static double coefficient(const cpu_variant *v, const cpu_profile r[2], const cpu_profile c[2], int shift) {
    endo_sums black = correlate(v, &r[0], &c[0], shift), white = correlate(v, &r[1], &c[1], shift);
    return endo_exposure_coefficient(&black, &white);
}

static int find_peaks(const cpu_variant *v, const cpu_profile r[2], const cpu_profile c[2], int reach, int32_t *peaks) {
    double coefficients[2 * ENDO_EXPOSURE_MAX_SEARCH + 1];
    for (int s = -reach; s <= reach; s++) coefficients[s + reach] = coefficient(v, r, c, s);
    return endo_exposure_peaks(coefficients, reach, peaks);
}

/* ----------------------------------------------------------------- bitmaps */

/* Bits first..end-1 of a row. */
static void set_columns(uint64_t *mask, int words, int first, int end) {
    for (int i = 0; i < words; i++) {
        int low = first - 64 * i, high = end - 64 * i;
        uint64_t from = low <= 0 ? UINT64_MAX : low < 64 ? UINT64_MAX << low : 0;
        uint64_t until = high >= 64 ? UINT64_MAX : high > 0 ? UINT64_MAX >> (64 - high) : 0;
        mask[i] = from & until;
    }
}

/* One of the shifts that are asked for, on the rows first..end-1 of the current image that count. */
static endo_exposure_overlap compare(const cpu_aligner *a, const endo_exposure_search *search, int asked, int first,
                                     int end) {
    const cpu_store *s = a->store;
    int width = s->options.width, height = s->options.height, dx = search->dx[asked], dy = search->dy[asked];
    int step = search->row_step, banded = endo_exposure_is_banded(search);
    int left = dx < 0 ? -dx : 0, right = dx > 0 ? width - dx : width;
    int top = first < -dy ? -dy : first, bottom = end < height - dy ? end : height - dy;
    endo_exposure_overlap sum = {0, 0};
    top = (top + step - 1) / step * step;
    if (left >= right || top >= bottom) return sum;
    ptrdiff_t to_current = (ptrdiff_t)top * a->pitch, to_reference = (ptrdiff_t)(top + dy) * a->pitch + (dx >> 6);
    cpu_exposure_overlap o = {.reference = a->reference.above + to_reference,
                              .current = a->current.above + to_current,
                              .pitch = (ptrdiff_t)step * a->pitch,
                              .words = a->words,
                              .rows = (bottom - top + step - 1) / step,
                              .bits = dx & 63};
    if (banded || s->field_words) {
        o.reference_mask = (banded ? a->reference.used : s->field_words) + to_reference;
        o.current_mask = (banded ? a->current.used : s->field_words) + to_current;
        return s->backend->variant->exposures->masked(&o);
    }
    uint64_t mask[CPU_EXPOSURE_WORDS];
    set_columns(mask, a->words, left, right);
    o.current_mask = mask;
    sum.total = (int64_t)(right - left) * o.rows;
    sum.differ = s->backend->variant->exposures->differ(&o);
    return sum;
}

/* Bytes of both bitmaps that stay in the first cache while every shift is counted on them. */
#define COMPARED_BYTES 32768

/* All shifts that are asked for; the threads share blocks of rows. */
static void compare_all(const cpu_aligner *a, const endo_exposure_search *search, endo_exposure_overlap *answers) {
    int height = a->store->options.height, step = search->row_step;
    int rows = COMPARED_BYTES / (16 * a->pitch) * step, blocks = (height + rows - 1) / rows;
    /* Few rows are less than waking a thread. */
    int threads = search->phase == ENDO_EXPOSURE_EXACT ? a->threads : 1;
    memset(answers, 0, ENDO_EXPOSURE_ASKED * sizeof *answers);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < search->asked; i++) {
            int first = block * rows, end = height - first < rows ? height : first + rows;
            endo_exposure_overlap part = compare(a, search, i, first, end);
#pragma omp atomic
            answers[i].total += part.total;
#pragma omp atomic
            answers[i].differ += part.differ;
        }
}

static void match(cpu_aligner *a, const endo_pair *pair, int dx, int dy, int tolerance) {
    endo_exposure_levels levels;
    int32_t black = cpu_exposure_overlap_levels(a, pair, dx, dy, &levels);
    endo_exposure_threshold *now = &a->current.threshold, before = *now;
    *now = endo_exposure_match(&levels, black, before.slice, tolerance);
    if (now->level != before.level || now->tolerance != before.tolerance) threshold_again(a, &a->current, pair->current);
}

static void answer_all(cpu_aligner *a, const endo_pair *pair, int tolerance, endo_exposure_search *search) {
    endo_exposure_overlap answers[ENDO_EXPOSURE_ASKED];
    while (search->asked) {
        if (search->phase == ENDO_EXPOSURE_MATCH) {
            match(a, pair, search->best_dx, search->best_dy, tolerance);
            endo_exposure_matched(search);
        }
        compare_all(a, search, answers);
        endo_exposure_answer(search, answers);
    }
}

/* ------------------------------------------------------------------- pairs */

/* One observation of a pair: bitmaps with their counts, candidates, and the search among them. */
static void observe(cpu_aligner *a, const endo_pair *pair, const endo_exposure_options *options,
                    const endo_exposure_observations *observations, const endo_exposure_choice *t, endo_exposure_result *out) {
    const cpu_store *s = a->store;
    const cpu_variant *v = s->backend->variant;
    int32_t peaks_x[ENDO_EXPOSURE_PEAKS], peaks_y[ENDO_EXPOSURE_PEAKS];
    cpu_bitmap *r = &a->reference, *c = &a->current;
    endo_exposure_search search = {.asked = 0};
    cpu_bitmaps_make(a, pair, t);
    endo_exposure_observations_prepare(observations, t, s->options.width, s->options.height, options, &search);
    int n_x = find_peaks(v, r->columns, c->columns, search.reach_x, peaks_x);
    int n_y = find_peaks(v, r->rows, c->rows, search.reach_y, peaks_y);
    endo_exposure_search_begin(&search, peaks_x, n_x, peaks_y, n_y);
    answer_all(a, pair, observations->observation.tolerance, &search);
    endo_exposure_finish(&search, t, &c->threshold, coefficient(v, r->columns, c->columns, search.best_dx),
                         coefficient(v, r->rows, c->rows, search.best_dy), options->search, out);
}

static void align(cpu_aligner *a, const endo_pair *pair, const endo_exposure_options *options,
                  endo_exposure_result *out) {
    const endo_exposure_levels *r = &a->store->brightness[pair->reference];
    const endo_exposure_levels *c = &a->store->brightness[pair->current];
    endo_exposure_observations observations;
    endo_exposure_observations_begin(&observations, pair, r, c, options);
    while (observations.stage != ENDO_EXPOSURE_DONE) {
        endo_exposure_choice t = endo_exposure_thresholds(r, c, &observations.observation);
        endo_exposure_result seen;
        if (endo_exposure_shows(&t))
            observe(a, pair, options, &observations, &t, &seen);
        else
            endo_exposure_nothing(&t, &seen);
        endo_exposure_observations_take(&observations, &t, &seen);
    }
    *out = observations.result;
}

endo_status cpu_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                          endo_exposure_result *results) {
    cpu_store *s = store;
    size_t pixels = (size_t)s->options.width * s->options.height;
    int workers = cpu_threads(s->backend, n);
    int threads = workers > 1 ? 1 : cpu_threads(s->backend, pixels / CPU_EXPOSURE_PIXELS_A_THREAD);
    cpu_aligner *aligners = endo_alloc_zeroed(workers, sizeof *aligners);
    endo_status status = aligners ? cpu_exposures_prepare(s, pairs, n) : ENDO_ERR_MEMORY;
    for (int i = 0; i < workers && status == ENDO_OK; i++) status = cpu_aligner_create(&aligners[i], s, threads);
    if (status == ENDO_OK) {
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++) align(&aligners[omp_get_thread_num()], &pairs[i], options, &results[i]);
    }
    for (int i = 0; aligners && i < workers; i++) cpu_aligner_destroy(&aligners[i]);
    endo_free(aligners);
    return status == ENDO_OK ? ENDO_OK : endo_fail(status, "no memory to align %zu pairs", n);
}
