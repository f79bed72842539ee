/* Adaptive equalization of 8-bit (or binned) images: drives the loops of ahe_rows.h over bands and strips.
 *
 * A band of rows belongs to one thread, which works through it some rows at a time, and through these in strips of
 * columns whose counters fit the first cache. The window's counters at the end of a strip are kept for every row, and
 * the next strip starts from them; a strip's differences wait for its next rows. */
#include "ahe_plane.h"

#include "base/openmp.h"

#include "rules/ahe.h"

#include <string.h>

/* Rows of a band that is cut into pieces, at least. */
#define CPU_AHE_THICK 256
/* Rows at a time: what is kept of them fits the second cache. */
#define ROWS 1024
#define ROWS_WIDE 512
/* Bytes of scratch, of all threads, that the back end keeps for the next call. */
#define LARGEST_KEPT ((size_t)64 << 20)

/* The working memory of a thread for a band of rows, cut out of cpu_ahe_band.scratch. */
typedef struct workspace {
    uint16_t *differences; /* of all strips */
    /* The histogram of the window left of a row's first pixel is the sum of these two: successive pixels are often alike,
     * and the processor cannot change one counter twice at once. */
    uint32_t *histogram, *histogram2;
    int *times;   /* of the window's rows at the start of the band: how often each counts, see count_times */
    void *states; /* of `rows` rows: CPU_AHE_COUNTERS each, of 16 bits or, if wide, 32 */
    int wide, rows;
} workspace;

static void *state_of(const workspace *w, int row) {
    return (uint8_t *)w->states + (size_t)(row % w->rows) * CPU_AHE_COUNTERS * (w->wide ? 4 : 2);
}

static void set_counter(const workspace *w, void *state, int i, uint32_t value) {
    if (w->wide)
        ((uint32_t *)state)[i] = value;
    else
        ((uint16_t *)state)[i] = (uint16_t)value;
}

/* The cumulative form of ahe_rows.h. */
static void store_cumulative(const workspace *w, void *state) {
    uint32_t below = 0;
    for (int group = 0; group < 16; group++) {
        uint32_t sum = 0;
        set_counter(w, state, 256 + group, below);
        for (int i = 16 * group; i < 16 * group + 16; i++)
            set_counter(w, state, i, sum += w->histogram[i] + w->histogram2[i]);
        below += sum;
    }
}

static void count_row(const workspace *w, const uint8_t *row, int n, uint8_t invert, uint32_t change) {
    for (int k = 0; k + 1 < n; k += 2) {
        w->histogram[row[k] ^ invert] += change;
        w->histogram2[row[k + 1] ^ invert] += change;
    }
    w->histogram[row[n - 1] ^ invert] += change; /* n is odd */
}

/* Mirrored rows: a stored row is taken once, with all of its copies; these are then 0. */
static void count_times(const cpu_ahe_band *band, int *times) {
    const int *row_of = band->plane->row_of + band->from;
    for (int i = 1; i <= band->plane->job->window; i++) {
        int first = 1;
        while (first < i && row_of[first] != row_of[i]) first++;
        times[i] = 0;
        times[first]++;
    }
}

/* The window left of each row's first pixel: it slides down by 2 * window pixels a row. */
static void start_states(const cpu_ahe_band *band, const workspace *w, int from, int to) {
    const cpu_ahe_plane *p = band->plane;
    int window = p->job->window, cumulative = !p->job->clip;
    uint8_t invert = cumulative ? CPU_AHE_INVERT : 0;
    for (int y = from; y < to; y++) {
        if (y > band->from) {
            count_row(w, cpu_ahe_row8(p, y + window), window, invert, 1);
            count_row(w, cpu_ahe_row8(p, y), window, invert, (uint32_t)-1);
        } else {
            for (int i = 1; i <= window; i++)
                if (w->times[i]) count_row(w, cpu_ahe_row8(p, y + i), window, invert, (uint32_t)w->times[i]);
        }
        void *state = state_of(w, y);
        if (cumulative)
            store_cumulative(w, state);
        else
            for (int i = 0; i < ENDO_AHE_BINS; i++) set_counter(w, state, i, w->histogram[i] + w->histogram2[i]);
    }
}

static uint8_t *out_of(const endo_ahe_job *j, int x, int y) {
    return (uint8_t *)j->out + ((size_t)y * j->out_stride + x) * endo_pixel_size(j->type);
}

static void add_first_window(const cpu_ahe_plane *p, const workspace *w,
                             void (*add)(uint16_t *differences, const uint8_t *row, int window, int n, int times),
                             uint16_t *differences, int y, int x) {
    int window = p->job->window;
    for (int i = 1; i <= window; i++)
        if (w->times[i]) add(differences, cpu_ahe_row8(p, y + i) + x, window, CPU_AHE_STRIP, w->times[i]);
}

/* The differences of the strip at x, moved down to row y. */
static const uint16_t *move_down(const cpu_ahe_band *band, const workspace *w, int y, int x) {
    const cpu_ahe_plane *p = band->plane;
    const cpu_ahe_loops *loops = band->loops;
    int window = p->job->window, limited = p->job->clip != 0;
    uint16_t *differences = w->differences + (size_t)x * CPU_AHE_COUNTERS;
    if (y == band->from)
        add_first_window(p, w, limited ? loops->add_row_counts : loops->add_row, differences, y, x);
    else
        (limited ? loops->slide_down_counts : loops->slide_down)(differences, cpu_ahe_row8(p, y + window) + x,
                                                                 cpu_ahe_row8(p, y) + x, window, CPU_AHE_STRIP);
    return differences;
}

static const uint8_t *centres_of(const cpu_ahe_plane *p, int y, int x) {
    int r = p->job->window / 2 + 1;
    return cpu_ahe_row8(p, y + r) + x + r;
}

static void slide_right(const cpu_ahe_band *band, const workspace *w, int y, int x, const uint8_t *levels,
                        uint32_t *ranks) {
    const uint16_t *differences = move_down(band, w, y, x);
    if (w->wide)
        band->loops->slide_right_wide(state_of(w, y), differences, levels, CPU_AHE_STRIP, ranks);
    else
        band->loops->slide_right(state_of(w, y), differences, levels, CPU_AHE_STRIP, ranks);
}

/* Rows from..to of the strip at x; n of its pixels are wanted. */
static void plain_strip(const cpu_ahe_band *band, const workspace *w, int from, int to, int x, int n) {
    const endo_ahe_job *j = band->plane->job;
    uint32_t ranks[CPU_AHE_STRIP];
    for (int y = from; y < to; y++) {
        slide_right(band, w, y, x, centres_of(band->plane, y, x), ranks);
        band->loops->map8(ranks, n, (uint32_t)(j->window * j->window), out_of(j, x, y));
    }
}

static void refined_strip(const cpu_ahe_band *band, const workspace *w, int from, int to, int x, int n) {
    const endo_ahe_job *j = band->plane->job;
    const cpu_ahe_refined *f = band->refined;
    uint32_t ranks[CPU_AHE_STRIP];
    uint8_t levels[CPU_AHE_STRIP];
    for (int y = from; y < to; y++) {
        const uint8_t *centres = centres_of(band->plane, y, x);
        const uint16_t *own = f->own + y * f->stride + x;
        for (int i = 0; i < CPU_AHE_STRIP; i++) levels[i] = f->asked[centres[i]];
        slide_right(band, w, y, x, levels, ranks);
        for (int i = 0; i < CPU_AHE_STRIP; i++) ranks[i] = own[i] + (centres[i] == f->none ? 0 : ranks[i]);
        band->loops->map16(ranks, n, (uint32_t)(j->window * j->window), (uint16_t *)out_of(j, x, y));
    }
}

static void limited_row(const cpu_ahe_band *band, const cpu_ahe_counts *counts, int x, int y, int n) {
    const cpu_ahe_plane *p = band->plane;
    const endo_ahe_job *j = p->job;
    int r = j->window / 2 + 1, is_16bit = j->type == ENDO_GREY16;
    uint32_t values[CPU_AHE_STRIP];
    cpu_ahe_mapping m = {counts, cpu_ahe_row8(p, y + r) + x + r, is_16bit ? cpu_ahe_parts(p, y + r) + x + r : NULL, n,
                         j->window * j->window, j->bin_width, is_16bit ? 65535 : 255};
    uint8_t *out = out_of(j, x, y);
    band->loops->map_limited(&m, values);
    if (is_16bit)
        for (int i = 0; i < n; i++) ((uint16_t *)out)[i] = (uint16_t)values[i];
    else
        for (int i = 0; i < n; i++) out[i] = (uint8_t)values[i];
}

static void limited_strip(const cpu_ahe_band *band, const workspace *w, int from, int to, int x, int n) {
    uint32_t clip = (uint32_t)band->plane->job->clip;
    cpu_ahe_counts counts[CPU_AHE_STRIP];
    for (int y = from; y < to; y++) {
        const uint16_t *differences = move_down(band, w, y, x);
        const uint8_t *centres = centres_of(band->plane, y, x);
        if (w->wide)
            band->loops->slide_right_limited_wide(state_of(w, y), differences, centres, CPU_AHE_STRIP, clip, counts);
        else
            band->loops->slide_right_limited(state_of(w, y), differences, centres, CPU_AHE_STRIP, (uint16_t)clip, counts);
        limited_row(band, counts, x, y, n);
    }
}

static void count_rows(const cpu_ahe_band *band, const workspace *w, int from, int to) {
    const endo_ahe_job *j = band->plane->job;
    start_states(band, w, from, to);
    for (int x = 0; x < j->region.width; x += CPU_AHE_STRIP) {
        int left = j->region.width - x, n = left < CPU_AHE_STRIP ? left : CPU_AHE_STRIP;
        (j->clip ? limited_strip : band->refined ? refined_strip : plain_strip)(band, w, from, to, x, n);
    }
}

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Where the parts of a workspace begin; the differences at 0. */
typedef struct layout {
    size_t histograms, states, times, bytes;
    int wide, rows;
} layout;

static layout layout_of(const endo_ahe_job *j) {
    layout l = {.wide = j->window > 255, .rows = j->window > 255 ? ROWS_WIDE : ROWS};
    l.histograms = whole_lines(((size_t)j->region.width + CPU_AHE_STRIP) * CPU_AHE_COUNTERS * sizeof(uint16_t));
    l.states = l.histograms + 2 * ENDO_AHE_BINS * sizeof(uint32_t);
    l.times = l.states + (size_t)l.rows * CPU_AHE_COUNTERS * (l.wide ? 4 : 2);
    l.bytes = whole_lines(l.times + ((size_t)j->window + 1) * sizeof(int));
    return l;
}

static size_t count_bytes(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    (void)loops;
    return layout_of(job).bytes;
}

static void count_band(const cpu_ahe_band *band) {
    layout l = layout_of(band->plane->job);
    uint32_t *histograms = (uint32_t *)(band->scratch + l.histograms);
    workspace w = {(uint16_t *)band->scratch, histograms, histograms + ENDO_AHE_BINS, (int *)(band->scratch + l.times),
                   band->scratch + l.states, l.wide, l.rows};
    memset(band->scratch, 0, l.states); /* differences and histograms */
    count_times(band, w.times);
    for (int y = band->from; y < band->to; y += w.rows)
        count_rows(band, &w, y, y + w.rows < band->to ? y + w.rows : band->to);
}

static void compare_band(const cpu_ahe_band *band) {
    const cpu_ahe_plane *p = band->plane;
    const endo_ahe_job *j = p->job;
    const uint8_t *rows[ENDO_AHE_MAX_WINDOW];
    uint32_t ranks[CPU_AHE_STRIP];
    for (int y = band->from; y < band->to; y++)
        for (int x = 0; x < j->region.width; x += CPU_AHE_STRIP) {
            int left = j->region.width - x, n = left < CPU_AHE_STRIP ? left : CPU_AHE_STRIP;
            for (int v = 0; v < j->window; v++) rows[v] = cpu_ahe_row8(p, y + 1 + v) + x + 1;
            band->loops->compare8(rows, j->window, CPU_AHE_STRIP, ranks);
            band->loops->map8(ranks, n, (uint32_t)(j->window * j->window), out_of(j, x, y));
        }
}

static size_t compare_bytes(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    (void)job, (void)loops;
    return 0;
}

/* ------------------------------------------------------------------- work */

const cpu_ahe_way cpu_ahe_counted = {count_band, count_bytes, 0};
static const cpu_ahe_way compared = {compare_band, compare_bytes, 0};

static const cpu_ahe_way *choose(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    if (job->clip) return &cpu_ahe_counted;
    if (job->type == ENDO_GREY16) return &cpu_ahe_16bit;
    return job->window <= loops->largest_compared ? &compared : &cpu_ahe_counted;
}

/* An equalization with all of its memory: what follows cannot fail, so that no output is written before. Must stay
 * where it is: the plane points to the job. */
typedef struct cpu_ahe_work {
    endo_ahe_job job;
    cpu_ahe_plane plane;
    const cpu_ahe_loops *loops;
    const cpu_ahe_way *way;
    int threads;
    size_t bytes; /* of scratch, a thread */
    uint8_t *scratch;
    int kept;     /* scratch is the back end's */
} cpu_ahe_work;

/* Memory that is new costs as much as a tenth of the work. */
static int reserve_scratch(cpu_backend *b, cpu_ahe_work *w) {
    size_t bytes = w->bytes * (size_t)w->threads;
    w->kept = bytes <= LARGEST_KEPT;
    if (!w->kept) return !bytes || (w->scratch = endo_alloc(bytes, 1));
    if (bytes > b->ahe_scratch_bytes) {
        endo_free(b->ahe_scratch);
        b->ahe_scratch = endo_alloc(bytes, 1);
        b->ahe_scratch_bytes = b->ahe_scratch ? bytes : 0;
    }
    w->scratch = b->ahe_scratch;
    return !bytes || w->scratch;
}

static endo_status reserve(cpu_backend *b, const endo_ahe_job *job, cpu_ahe_work *w) {
    cpu_ahe_work made = {.loops = b->variant->ahe, .way = choose(job, b->variant->ahe)};
    made.threads = cpu_threads(b, (size_t)job->region.width * job->region.height >> 13);
    made.bytes = made.way->bytes(job, made.loops);
    *w = made;
    w->job = *job;
    ENDO_TRY(cpu_ahe_plane_create(&w->job, made.way == &cpu_ahe_16bit, &w->plane));
    if (reserve_scratch(b, w)) return ENDO_OK;
    cpu_ahe_plane_destroy(&w->plane);
    return endo_fail(ENDO_ERR_MEMORY, "no memory to equalize %d rows", job->region.height);
}

/* How the region is cut. width 0: bands are not cut into pieces. */
typedef struct cut {
    int bands, pieces, width;
} cut;

/* Bands that are cut need not be thin; and pieces may be half as wide where there are too few. */
static cut cut_region(const cpu_ahe_work *w) {
    int rows = w->job.region.height / CPU_AHE_THICK, columns = w->job.region.width;
    cut c = {cpu_ahe_bands(&w->job, w->threads), 1, w->way->width};
    if (!c.width) return c;
    if (c.bands > rows) c.bands = rows < 1 ? 1 : rows;
    if (c.bands * ((columns + c.width - 1) / c.width) < w->threads) c.width /= 2;
    c.pieces = (columns + c.width - 1) / c.width;
    return c;
}

static void run(const cpu_ahe_work *w) {
    int height = w->job.region.height, width = w->job.region.width;
    cut c = cut_region(w);
    cpu_ahe_plane_fill(&w->plane, w->way == &cpu_ahe_counted && !w->job.clip ? CPU_AHE_INVERT : 0, w->threads);
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 1)
    for (int i = 0; i < c.bands * c.pieces; i++) {
        int row = i / c.pieces, left = i % c.pieces * c.width, right = c.pieces > 1 ? left + c.width : width;
        cpu_ahe_band band = {&w->plane, w->loops, (int)((int64_t)height * row / c.bands),
                             (int)((int64_t)height * (row + 1) / c.bands), left, right < width ? right : width,
                             w->scratch + (w->scratch ? w->bytes * (size_t)omp_get_thread_num() : 0), NULL};
        w->way->run(&band);
    }
}

static void release(cpu_ahe_work *w) {
    cpu_ahe_plane_destroy(&w->plane);
    if (!w->kept) endo_free(w->scratch);
}

endo_status cpu_ahe(void *backend, const endo_ahe_job *job) {
    cpu_ahe_work w;
    ENDO_TRY(reserve(backend, job, &w));
    run(&w);
    release(&w);
    return ENDO_OK;
}
