/* Time of one correlation coefficient on one core, by template side ([S] Tables 3.2, 3.3 and 7.2).
 *
 * The windows are those of a logarithmic search: 64 templates spread over a 720 x 576 frame, each against
 * some thirty positions near its place in the next frame. Everyone takes the same list: back ends through
 * their slot of the kernel table, Listing 3.3 in a loop. The contenders run in turn, so that a disturbed
 * machine disturbs them alike. */
#include "bench.h"

#include "listing33.h"
#include "rates.h"
#include "sequence.h"
#include "timing.h"

#include "api/testing.h"
#include "backend/objects.h"
#include "systems/pairs/centres.h"
#include "rules/coefficient.h"

#include <math.h>
#include <string.h>

#define WIDTH 720
#define HEIGHT 576
#define GRID 8
#define MAX_POSITIONS 36
#define MAX_REQUESTS (GRID * GRID * MAX_POSITIONS)

typedef struct contender {
    const char *name;
    const endo_kernels *kernels; /* NULL: Listing 3.3 */
    endo_cpu cpu;
    endo_context *context;
    endo_frames *frames;
    size_t count; /* requests a repeat */
    timing time;
} contender;

#define LISTING33 "Listing 3.3"

static const contender known[] = {
    {.name = LISTING33},
    {.name = "ref", .kernels = &endo_kernels_ref},
    {.name = "plain C", .kernels = &endo_kernels_cpu, .cpu = ENDO_CPU_C},
    {.name = "AVX2", .kernels = &endo_kernels_cpu, .cpu = ENDO_CPU_AVX2},
    {.name = "AVX-512", .kernels = &endo_kernels_cpu, .cpu = ENDO_CPU_AVX512},
};

#define N_KNOWN ((int)(sizeof known / sizeof known[0]))

typedef struct rig {
    contender contenders[N_KNOWN];
    int n;
    uint8_t *grey[2];
    endo_ncc_request requests[MAX_REQUESTS];
    double coefficients[MAX_REQUESTS];
    size_t n_requests, per_template;
} rig;

/* The positions of one search: the pattern at offset 4, once more where it moved to, then 2, then 1. */
static size_t search_positions(int dx[MAX_POSITIONS], int dy[MAX_POSITIONS]) {
    static const int x[9] = ENDO_PATTERN_X, y[9] = ENDO_PATTERN_Y;
    static const int patterns[4][3] = {{0, 0, 4}, {4, 0, 4}, {4, 0, 2}, {4, 2, 1}};
    size_t n = 0;
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < 9; i++) {
            size_t k = 0;
            dx[n] = patterns[p][0] + patterns[p][2] * x[i];
            dy[n] = patterns[p][1] + patterns[p][2] * y[i];
            while (dx[k] != dx[n] || dy[k] != dy[n]) k++;
            n += k == n;
        }
    return n;
}

static void make_requests(rig *r, int side) {
    int dx[MAX_POSITIONS], dy[MAX_POSITIONS], half = side / 2 + 12; /* 12: as far as the positions go */
    r->per_template = search_positions(dx, dy);
    r->n_requests = 0;
    for (int t = 0; t < GRID * GRID; t++) {
        int where = t * 29 % (GRID * GRID); /* neighbours in the list are no neighbours in the frame */
        int x = half + (where % GRID) * (WIDTH - 1 - 2 * half) / (GRID - 1);
        int y = half + (where / GRID) * (HEIGHT - 1 - 2 * half) / (GRID - 1);
        for (size_t i = 0; i < r->per_template; i++) {
            endo_ncc_request q = {0, 1, x, y, x + dx[i], y + dy[i]};
            r->requests[r->n_requests++] = q;
        }
    }
}

static endo_status compute(rig *r, const contender *c, size_t count, int side) {
    if (c->kernels) {
        endo_centres centres;
        ENDO_TRY(endo_centres_of(c->frames, side, &centres, NULL));
        return c->kernels->batches->ncc(c->frames->store, r->requests, count, &centres, r->coefficients);
    }
    listing33_images images = {r->grey[0], r->grey[1], WIDTH};
    for (size_t i = 0; i < count; i++) {
        const endo_ncc_request *q = &r->requests[i];
        r->coefficients[i] = listing33_coefficient(&images, q->x, q->y, q->cx, q->cy, side);
    }
    return ENDO_OK;
}

/* Chooses how many coefficients of the list fill the time of one repeat. Repeats are short, so that few are disturbed. */
static endo_status calibrate(rig *r, contender *c, int side, double seconds) {
    endo_status status = ENDO_OK;
    double taken = 1;
    for (int i = 0; i < 3 && status == ENDO_OK; i++) {
        double start = timing_now();
        status = compute(r, c, r->per_template, side);
        if (timing_now() - start < taken) taken = timing_now() - start;
    }
    double count = seconds / taken * (double)r->per_template;
    c->count = count < 4 ? 4 : count > (double)r->n_requests ? r->n_requests : (size_t)count;
    c->time.n = 0;
    return status;
}

/* No figure for a wrong result. */
static int agrees(rig *r, int side) {
    static double expected[MAX_REQUESTS];
    if (compute(r, &r->contenders[0], r->per_template, side) != ENDO_OK) return 0;
    memcpy(expected, r->coefficients, r->per_template * sizeof *expected);
    for (int c = 1; c < r->n; c++) {
        if (compute(r, &r->contenders[c], r->per_template, side) != ENDO_OK) return 0;
        for (size_t i = 0; i < r->per_template; i++)
            if (!(fabs(r->coefficients[i] - expected[i]) < 1e-9)) return 0;
    }
    return 1;
}

static endo_status measure(rig *r, int side, int quick) {
    endo_status status = ENDO_OK;
    for (int c = 0; c < r->n && status == ENDO_OK; c++)
        status = calibrate(r, &r->contenders[c], side, 0.0003);
    for (int repeat = 0; repeat < (quick ? 21 : 151); repeat++)
        for (int c = 0; c < r->n && status == ENDO_OK; c++) {
            double start = timing_now();
            status = compute(r, &r->contenders[c], r->contenders[c].count, side);
            timing_add(&r->contenders[c].time, timing_now() - start);
        }
    return status;
}

/* Returns how many times faster than Listing 3.3 the fastest is. */
static double report_side(bench *b, const rig *r, int side, double l1_rate) {
    double best = 0, baseline = 1e9 * timing_quantile(&r->contenders[0].time, 0.5) / r->contenders[0].count;
    for (int i = 0; i < r->n; i++) {
        const contender *c = &r->contenders[i];
        report_row row = {.kernel = "ncc", .backend = c->name, .threads = 1, .unit = "ns", .baseline = LISTING33};
        snprintf(row.size, sizeof row.size, "%d", side);
        row.median = 1e9 * timing_quantile(&c->time, 0.5) / c->count;
        row.p90 = 1e9 * timing_quantile(&c->time, 0.9) / c->count;
        row.ratio = baseline / row.median;
        row.floor = l1_rate > 0 ? 1e9 * side * side / l1_rate : 0;
        if (row.ratio > best) best = row.ratio;
        report_add(&b->report, &row);
    }
    return best;
}

static int add_contender(rig *r, const contender *which, const sequence *s) {
    contender *c = &r->contenders[r->n];
    endo_context_options o = endo_context_options_default();
    endo_frames_options f = endo_frames_options_default();
    *c = *which;
    o.threads = 1, o.cpu = c->cpu;
    f.width = WIDTH, f.height = HEIGHT, f.type = ENDO_RGB32, f.capacity = 2, f.flow = 0, f.keep_pixels = 0;
    if (c->kernels) {
        endo_status status = endo_context_create_with(c->kernels, &o, &c->context);
        if (status == ENDO_ERR_UNSUPPORTED) return 1; /* this machine lacks it: no row */
        if (status != ENDO_OK || endo_frames_create(c->context, &f, &c->frames) != ENDO_OK ||
            sequence_put(s, c->frames) != ENDO_OK)
            return 0;
    }
    r->n++;
    return 1;
}

static int set_up(rig *r) {
    sequence s;
    int ready = bench_sequence_create(&s, WIDTH, HEIGHT, 2);
    for (int i = 0; i < N_KNOWN && ready; i++) ready = add_contender(r, &known[i], &s);
    for (int i = 0; i < 2 && ready; i++) {
        r->grey[i] = endo_alloc((size_t)WIDTH * HEIGHT, 1);
        ready = r->grey[i] && endo_frames_get_grey(r->contenders[1].frames, i, r->grey[i]) == ENDO_OK;
    }
    bench_sequence_destroy(&s);
    return ready;
}

static void tear_down(rig *r) {
    for (int i = 0; i < N_KNOWN; i++) {
        endo_frames_destroy(&r->contenders[i].frames);
        endo_context_destroy(&r->contenders[i].context);
    }
    endo_free(r->grey[0]);
    endo_free(r->grey[1]);
    endo_free(r);
}

/* Template sides, px, whose figures are also held against those to reach. */
static const int few_sides[] = {15, 23, 31, 39, 47, 63, 95, 127, 255, 0};
/* All of [S] Tables 3.2, 3.3 and 7.2. */
static const int all_sides[] = {15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51,
                                63, 95, 127, 159, 191, 255, 0};

static int run_sides(bench *b, rig *r, const int *sides) {
    double at_15 = 0, least = INFINITY;
    double l1_rate = rate_l1_load();
    printf("\nCorrelation coefficient, one core, by template side. ratio: Listing 3.3 of the same run.\n"
           "floor: the window's side^2 bytes at this core's rate of first-cache loads, %.0f GB/s.\n",
           1e-9 * l1_rate);
    report_heading("side");
    for (int i = 0; sides[i]; i++) {
        make_requests(r, sides[i]);
        if (!agrees(r, sides[i]) || measure(r, sides[i], b->quick) != ENDO_OK) return bench_failed("ncc");
        double best = report_side(b, r, sides[i], l1_rate);
        if (sides[i] == 15) at_15 = best;
        if (sides[i] >= 31 && best < least) least = best;
    }
    if (sides != few_sides) return 0;
    report_target(&b->report, "best coefficient against Listing 3.3 at side 15", "15", at_15, 15, "x", 1);
    report_target(&b->report, "best coefficient against Listing 3.3 from side 31 up (least)", "31-255", least, 30,
                  "x", 1);
    return 0;
}

static int run(bench *b, const int *sides) {
    rig *r = endo_alloc_zeroed(1, sizeof *r);
    if (!r) return 1;
    int failed = set_up(r) ? run_sides(b, r, sides) : bench_failed("ncc");
    tear_down(r);
    return failed;
}

int bench_ncc(bench *b) { return run(b, few_sides); }

int bench_ncc_sides(bench *b) { return run(b, all_sides); }
