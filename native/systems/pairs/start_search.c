/* Starts of pairs that share a small part only (start_search.h). Phases of whole frames are of no use there: most of what they
 * tell is of the parts that only one frame shows. So each shift is judged by its overlap alone, all of them at once by
 * convolution (D. Padfield, Masked object registration in the Fourier domain, IEEE TIP 21(5), 2012).
 *
 * Of both copies the mean around each pixel is subtracted, and the rest is divided by its deviation there: gain, offset and
 * vignetting have no part in it. All of it is computed on the host, whatever the back end. */
#include "start_search.h"

#include "plane_fft.h"

#include "rules/grey.h"

#include <math.h>
#include <string.h>

/* The copies' longer side, px, at most: both fit into a plane of the transform at nearly all shifts. */
#define LONGEST 120
/* Pixels each way around a pixel whose mean and deviation are its own. */
#define AROUND 6
/* A pixel's variance is not taken for less than this share of the mean one, nor this many squared grey levels: noise would be
 * taken for texture. */
#define LEAST_SHARE 0.25
#define LEAST_VARIANCE 0.1
/* Most deviations from its surroundings that a pixel counts with. */
#define MOST_DEVIATIONS 3
/* Turns, degrees: from -TURNS * TURN to TURNS * TURN. The refinement finds what lies between two of them. */
#define TURNS 8
#define TURN 2.0
/* Least overlap, as a share of the copy, and least score of a start. */
#define LEAST_OVERLAP 0.06
#define LEAST_SCORE 3.0
/* Peaks of a turn; a peak is the highest within so many px each way. */
#define PEAKS 8
#define NEIGHBOURS 2
/* Starts that are nearer to each other, px and turns, are one. */
#define APART 5
#define TURNS_APART 2

#define SIDE ENDO_PLANE_SIDE
#define PLANE (SIDE * SIDE)

/* A small copy of a frame. */
typedef struct small_copy {
    int width, height;
    int shrink;     /* pixels of the frame along a pixel of the copy */
    float *values;  /* deviations from the surroundings */
    uint8_t *known; /* 1: the pixel has a value */
} small_copy;

/* ------------------------------------------------------------------------ copies */

/* The mean of a pixel of the copy; half of its pixels, at least, must be in the field, and no highlights. */
static void shrink_pixel(const endo_frames *frames, const uint8_t *grey, small_copy *c, int x, int y) {
    int sum = 0;
    int count = 0;
    int highlight = frames->options.highlights ? ENDO_SPECULAR_GREY : 256;
    for (int j = 0; j < c->shrink; j++)
        for (int i = 0; i < c->shrink; i++) {
            size_t at = (size_t)(y * c->shrink + j) * (size_t)frames->options.width + (size_t)(x * c->shrink + i);
            if (!frames->field[at] || grey[at] >= highlight) continue;
            sum += grey[at];
            count++;
        }
    size_t to = (size_t)y * (size_t)c->width + (size_t)x;
    c->known[to] = 2 * count >= c->shrink * c->shrink;
    c->values[to] = c->known[to] ? (float)sum / (float)count : 0;
}

/* Sums over all pixels above and to the left: their number, values and squares. */
typedef struct table_entry {
    double n, sum, squares;
} table_entry;

static void fill_table(const small_copy *c, table_entry *table) {
    int stride = c->width + 1;
    memset(table, 0, (size_t)stride * (size_t)(c->height + 1) * sizeof *table);
    for (int y = 0; y < c->height; y++) {
        table_entry row = {0, 0, 0};
        for (int x = 0; x < c->width; x++) {
            double v = c->values[y * c->width + x];
            const table_entry *above = &table[y * stride + x + 1];
            row.n += c->known[y * c->width + x];
            row.sum += v;
            row.squares += v * v;
            table[(y + 1) * stride + x + 1] =
                (table_entry){above->n + row.n, above->sum + row.sum, above->squares + row.squares};
        }
    }
}

/* The sums of a pixel's surroundings. */
static table_entry around(const small_copy *c, const table_entry *table, int x, int y) {
    int left = x > AROUND ? x - AROUND : 0;
    int top = y > AROUND ? y - AROUND : 0;
    int right = x + AROUND + 1 < c->width ? x + AROUND + 1 : c->width;
    int bottom = y + AROUND + 1 < c->height ? y + AROUND + 1 : c->height;
    int stride = c->width + 1;
    const table_entry *a = &table[top * stride + left];
    const table_entry *b = &table[top * stride + right];
    const table_entry *d = &table[bottom * stride + left];
    const table_entry *e = &table[bottom * stride + right];
    return (table_entry){e->n - b->n - d->n + a->n, e->sum - b->sum - d->sum + a->sum,
                         e->squares - b->squares - d->squares + a->squares};
}

static double variance_of(const table_entry *e) {
    double mean = e->sum / e->n;
    double variance = e->squares / e->n - mean * mean;
    return variance > 0 ? variance : 0;
}

/* Replaces values by their deviations from the surroundings. */
static void normalise(small_copy *c, table_entry *table) {
    int area = c->width * c->height;
    double sum = 0;
    double n = 0;
    fill_table(c, table);
    for (int i = 0; i < area; i++) {
        if (!c->known[i]) continue;
        table_entry e = around(c, table, i % c->width, i / c->width);
        sum += variance_of(&e);
        n++;
    }
    double least = n > 0 ? LEAST_SHARE * sum / n + LEAST_VARIANCE : 1;
    for (int i = 0; i < area; i++) {
        if (!c->known[i]) continue;
        table_entry e = around(c, table, i % c->width, i / c->width);
        double v = (c->values[i] - e.sum / e.n) / sqrt(variance_of(&e) + least);
        c->values[i] = (float)fmin(fmax(v, -MOST_DEVIATIONS), MOST_DEVIATIONS);
    }
}

/* Makes the copy of a slot. grey: memory for a frame. */
static endo_status copy_frame(endo_frames *frames, int slot, uint8_t *grey, table_entry *table, small_copy *c) {
    ENDO_TRY(frames->context->kernels->frames->get_grey(frames->store, slot, grey));
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) shrink_pixel(frames, grey, c, x, y);
    normalise(c, table);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- correlation */

/* A peak of a turn. */
typedef struct shift_peak {
    double score;
    int turn;
    int x, y; /* where the middle of the current copy lies, less (width / 2, height / 2), px of the copy */
} shift_peak;

/* What one thread works with. */
typedef struct turn_workspace {
    endo_complex *turned; /* the current copy, turned, and what is known of it, as imaginary part */
    endo_complex *product;
    float *scores;
} turn_workspace;

static void place(const small_copy *c, endo_complex *plane) {
    memset(plane, 0, PLANE * sizeof *plane);
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            size_t at = (size_t)y * (size_t)c->width + (size_t)x;
            plane[y * SIDE + x] = (endo_complex){c->values[at], c->known[at]};
        }
}

/* The value between pixels; 0: it is not known. */
static int value_at(const small_copy *c, double x, double y, float *value) {
    if (!(x >= 0 && y >= 0 && x <= c->width - 1 && y <= c->height - 1)) return 0;
    int i = (int)x < c->width - 2 ? (int)x : c->width - 2;
    int j = (int)y < c->height - 2 ? (int)y : c->height - 2;
    size_t at = (size_t)j * (size_t)c->width + (size_t)i;
    size_t below = at + (size_t)c->width;
    if (!(c->known[at] && c->known[at + 1] && c->known[below] && c->known[below + 1])) return 0;
    float u = (float)(x - i);
    float v = (float)(y - j);
    float upper = c->values[at] * (1 - u) + c->values[at + 1] * u;
    float lower = c->values[below] * (1 - u) + c->values[below + 1] * u;
    *value = upper * (1 - v) + lower * v;
    return 1;
}

static double angle_of(int turn) { return turn * TURN * acos(-1) / 180; }

/* Places the copy, turned about its middle, in the middle of the plane. */
static void place_turned(const small_copy *c, int turn, endo_complex *plane) {
    double cosine = cos(angle_of(turn));
    double sine = sin(angle_of(turn));
    double middle_x = (c->width - 1) / 2.0;
    double middle_y = (c->height - 1) / 2.0;
    memset(plane, 0, PLANE * sizeof *plane);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double dx = x - SIDE / 2;
            double dy = y - SIDE / 2;
            float value;
            if (!value_at(c, cosine * dx + sine * dy + middle_x, cosine * dy - sine * dx + middle_y, &value)) continue;
            plane[y * SIDE + x] = (endo_complex){value, 1};
        }
}

/* The two real images, values and what is known of them, whose spectra a plane holds together, at one frequency. */
typedef struct two_spectra {
    endo_complex values, known;
} two_spectra;

static two_spectra separate(endo_complex at, endo_complex opposite) {
    return (two_spectra){
        {(at.re + opposite.re) / 2, (at.im - opposite.im) / 2},
        {(at.im + opposite.im) / 2, (opposite.re - at.re) / 2},
    };
}

/* a times the conjugate of b. */
static endo_complex times_conjugate(endo_complex a, endo_complex b) {
    return (endo_complex){a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}

/* The spectrum of both correlations: that of the values, and as imaginary part that of what is known, the number of pixels. */
static void correlate(const endo_complex *reference, const endo_complex *turned, endo_complex *product) {
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int at = y * SIDE + x;
            int opposite = ((SIDE - y) & (SIDE - 1)) * SIDE + ((SIDE - x) & (SIDE - 1));
            two_spectra r = separate(reference[at], reference[opposite]);
            two_spectra t = separate(turned[at], turned[opposite]);
            endo_complex values = times_conjugate(r.values, t.values);
            endo_complex pixels = times_conjugate(r.known, t.known);
            product[at] = (endo_complex){values.re - pixels.im, values.im + pixels.re};
        }
}

/* Whether nothing nearby is higher. */
static int is_peak(const float *scores, int x, int y) {
    float score = scores[y * SIDE + x];
    for (int j = -NEIGHBOURS; j <= NEIGHBOURS; j++)
        for (int i = -NEIGHBOURS; i <= NEIGHBOURS; i++)
            if (scores[((y + j) & (SIDE - 1)) * SIDE + ((x + i) & (SIDE - 1))] > score) return 0;
    return 1;
}

/* A position in the plane, less `middle` and the middle of the plane, in -SIDE / 2 .. SIDE / 2 - 1. */
static int shift_of(int position, int middle) { return ((position - middle) & (SIDE - 1)) - SIDE / 2; }

static int find_peaks(const small_copy *c, int turn, const float *scores, shift_peak peaks[PEAKS]) {
    int n = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float score = scores[y * SIDE + x];
            if (!(score >= LEAST_SCORE) || (n == PEAKS && score <= peaks[n - 1].score) || !is_peak(scores, x, y)) continue;
            int at = n < PEAKS ? n++ : PEAKS - 1;
            for (; at > 0 && peaks[at - 1].score < score; at--) peaks[at] = peaks[at - 1];
            peaks[at] = (shift_peak){score, turn, shift_of(x, c->width / 2), shift_of(y, c->height / 2)};
        }
    return n;
}

static int try_turn(const endo_complex *reference, const small_copy *current, int turn, turn_workspace *w,
                    shift_peak peaks[PEAKS]) {
    const float scale = 1.0f / PLANE;
    float least = (float)(LEAST_OVERLAP * current->width * current->height);
    place_turned(current, turn, w->turned);
    endo_plane_fft(w->turned, 0);
    correlate(reference, w->turned, w->product);
    endo_plane_fft(w->product, 1);
    for (int i = 0; i < PLANE; i++) {
        float pixels = w->product[i].im * scale;
        w->scores[i] = pixels < least ? 0 : w->product[i].re * scale / sqrtf(pixels);
    }
    return find_peaks(current, turn, w->scores, peaks);
}

/* ------------------------------------------------------------------------ starts */

/* The start that a peak stands for, in pixels of the frame. */
static endo_transform start_of(const small_copy *c, const shift_peak *p) {
    double cosine = cos(angle_of(p->turn));
    double sine = sin(angle_of(p->turn));
    /* The middle that the copy is turned about, in the frame; and where it lies. */
    double x = (c->shrink * c->width - 1) / 2.0;
    double y = (c->shrink * c->height - 1) / 2.0;
    double u = c->shrink * (p->x + c->width / 2 + 0.5) - 0.5;
    double v = c->shrink * (p->y + c->height / 2 + 0.5) - 0.5;
    const double m[6] = {cosine, -sine, u - cosine * x + sine * y, sine, cosine, v - sine * x - cosine * y};
    return endo_transform_make(ENDO_TRANSFORM_RIGID, m);
}

static int is_same(const shift_peak *a, const shift_peak *b) {
    int x = a->x - b->x;
    int y = a->y - b->y;
    int turns = a->turn - b->turn;
    return x * x + y * y < APART * APART && turns * turns <= TURNS_APART * TURNS_APART;
}

/* The best peaks of all turns, each of another motion. */
static void choose(const small_copy *c, const shift_peak *peaks, const int *counts, endo_start_candidates *found) {
    shift_peak chosen[ENDO_START_CANDIDATES];
    found->n = 0;
    while (found->n < ENDO_START_CANDIDATES) {
        const shift_peak *best = NULL;
        for (int i = 0; i < (2 * TURNS + 1) * PEAKS; i++) {
            const shift_peak *p = &peaks[i];
            int is_taken = i % PEAKS >= counts[i / PEAKS] || (best && p->score <= best->score);
            for (int k = 0; k < found->n && !is_taken; k++) is_taken = is_same(p, &chosen[k]);
            if (!is_taken) best = p;
        }
        if (!best) break;
        chosen[found->n] = *best;
        found->items[found->n++] = (endo_start_candidate){start_of(c, best), best->score};
    }
}

/* ------------------------------------------------------------------------ memory */

typedef struct start_search {
    int threads;
    small_copy reference, current;
    uint8_t *grey;
    table_entry *table;
    endo_complex *spectrum; /* of the reference */
    endo_complex *planes;   /* of all threads */
    float *scores;
} start_search;

static void search_free(start_search *s) {
    endo_free(s->reference.values);
    endo_free(s->reference.known);
    endo_free(s->current.values);
    endo_free(s->current.known);
    endo_free(s->grey);
    endo_free(s->table);
    endo_free(s->spectrum);
    endo_free(s->planes);
    endo_free(s->scores);
}

static void copy_create(const endo_frames *frames, small_copy *c) {
    int width = frames->options.width;
    int height = frames->options.height;
    int longer = width > height ? width : height;
    c->shrink = (longer + LONGEST - 1) / LONGEST;
    c->width = width / c->shrink;
    c->height = height / c->shrink;
    c->values = endo_alloc((size_t)c->width * (size_t)c->height + 1, sizeof *c->values);
    c->known = endo_alloc((size_t)c->width * (size_t)c->height + 1, 1);
}

static endo_status search_create(const endo_frames *frames, start_search *s) {
    int turns = 2 * TURNS + 1;
    s->threads = frames->context->threads < turns ? frames->context->threads : turns;
    copy_create(frames, &s->reference);
    copy_create(frames, &s->current);
    s->grey = endo_alloc((size_t)frames->options.width * (size_t)frames->options.height, 1);
    s->table = endo_alloc((size_t)(s->reference.width + 1) * (size_t)(s->reference.height + 1), sizeof *s->table);
    s->spectrum = endo_alloc(PLANE, sizeof *s->spectrum);
    s->planes = endo_alloc(2 * PLANE * (size_t)s->threads, sizeof *s->planes);
    s->scores = endo_alloc(PLANE * (size_t)s->threads, sizeof *s->scores);
    if (s->reference.values && s->reference.known && s->current.values && s->current.known && s->grey && s->table &&
        s->spectrum && s->planes && s->scores)
        return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory to search for the overlap of two frames");
}

/* Each turn by one thread, whose part of the memory is its own. */
static void try_turns(start_search *s, shift_peak *peaks, int *counts) {
    place(&s->reference, s->spectrum);
    endo_plane_fft(s->spectrum, 0);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int thread = 0; thread < s->threads; thread++) {
        size_t at = PLANE * (size_t)thread;
        turn_workspace w = {s->planes + 2 * at, s->planes + 2 * at + PLANE, s->scores + at};
        for (int i = thread; i < 2 * TURNS + 1; i += s->threads)
            counts[i] = try_turn(s->spectrum, &s->current, i - TURNS, &w, peaks + i * PEAKS);
    }
}

endo_status endo_starts_search(endo_frames *frames, const endo_pair *pair, endo_start_candidates *found) {
    shift_peak peaks[(2 * TURNS + 1) * PEAKS];
    int counts[2 * TURNS + 1];
    start_search s = {.threads = 0};
    found->n = 0;
    endo_status status = search_create(frames, &s);
    if (status == ENDO_OK && (s.reference.width < 2 || s.reference.height < 2)) {
        search_free(&s);
        return ENDO_OK;
    }
    if (status == ENDO_OK) status = copy_frame(frames, pair->reference, s.grey, s.table, &s.reference);
    if (status == ENDO_OK) status = copy_frame(frames, pair->current, s.grey, s.table, &s.current);
    if (status == ENDO_OK) {
        try_turns(&s, peaks, counts);
        choose(&s.current, peaks, counts, found);
    }
    search_free(&s);
    return status;
}
