/* Runs of a blend of colour in every instruction set, against plain C. AVX-512 has two ways, and a machine goes only one of
 * them: with VBMI, or without. Here each is gone by itself. */
#include "base/simd.h"
#include "cpu/variants.h"

#include "check.h"
#include "scene.h"

#include <string.h>

/* A frame, and of rows what follows it; MOST: pixels of a run, BEYOND: more, which no run may change. */
enum { WIDTH = 300, HEIGHT = 200, STRIDE = 384, MOST = 256, BEYOND = 32, SIDE = ENDO_BLEND_SIDE };

static uint32_t pixels[STRIDE * HEIGHT];
static uint8_t bicubic[STRIDE * HEIGHT];
static uint16_t factors[STRIDE * HEIGHT];
static int8_t taps[2][256][4]; /* linear, cubic */

/* A row of a panorama, which runs are added to. */
typedef struct panorama_row {
    uint32_t sums[4 * (MOST + BEYOND)];
    uint16_t coverage[MOST + BEYOND];
} panorama_row;

typedef struct way {
    const char *name;
    void (*add)(const cpu_blend_run *run); /* NULL: this machine has none */
    int runs, wrong;
} way;

static void add_plain(const cpu_blend_run *run) { cpu_blend_c.add_run(run, ENDO_RGB32); }

#ifdef ENDO_X86
static void add_avx2(const cpu_blend_run *run) { cpu_blend_avx2.add_run(run, ENDO_RGB32); }
#endif

/* Extreme frames have black beside white, any factors, and holes. */
static void make_frame(test_random *r, int extreme) {
    for (int i = 0; i < STRIDE * HEIGHT; i++) {
        int x = i % STRIDE, y = i / STRIDE, inner = x >= 1 && y >= 1 && x < WIDTH - 2 && y < HEIGHT - 2;
        pixels[i] = extreme && test_between(r, 0, 1) ? 0u - (uint32_t)test_between(r, 0, 1) : test_next(r);
        factors[i] = (uint16_t)(extreme ? test_between(r, 1, ENDO_BLEND_MOST_FACTOR) : 4096 + x + y);
        bicubic[i] = (uint8_t)(inner && !(extreme && (x / 16 + y / 16) % 5 == 0) ? 255 : 0);
    }
}

/* Sums of any weight, some of them nearly or quite full. */
static void make_row(test_random *r, panorama_row *row) {
    for (int i = 0; i < MOST + BEYOND; i++) {
        uint32_t full = ENDO_BLEND_MOST_WEIGHT, kind = test_next(r) % 4;
        uint32_t weight = kind == 0 ? 0 : kind == 1 ? full - test_next(r) % 5000 : test_next(r) % full;
        for (int c = 0; c < 3; c++) row->sums[4 * i + c] = weight * (test_next(r) % (ENDO_BLEND_MOST + 1));
        row->sums[4 * i + 3] = weight;
        row->coverage[i] = (uint16_t)(test_between(r, 0, 9) ? test_between(r, 0, 99) : 65535);
    }
}

/* Says of each cell of a run at which of its pixels the frame may be sampled. Not all cells in which it may be everywhere,
 * or nowhere, say so: some say that it may be at some. */
static void say_inside(test_random *r, const cpu_blend_run *run, uint8_t *inside) {
    for (int cell = 0; SIDE * cell < run->n; cell++) {
        int seen = 0, asked = 0;
        for (int i = SIDE * cell; i < SIDE * cell + SIDE && i < run->n; i++) {
            if (i < run->lead) continue;
            int64_t x = endo_position8(run->px + i * run->step_x) >> 8, y = endo_position8(run->py + i * run->step_y) >> 8;
            seen += bicubic[y * STRIDE + x] != 0, asked++;
        }
        inside[cell] = seen == asked ? ENDO_BLEND_ALL : seen ? ENDO_BLEND_SOME : ENDO_BLEND_NONE;
        if (test_between(r, 0, 9) == 0) inside[cell] = ENDO_BLEND_SOME;
    }
}

/* Whole cells weigh nothing, in others single pixels. */
static void make_weights(test_random *r, uint16_t *weights, int n) {
    for (int i = 0; i < n; i += SIDE) {
        int heavy = test_between(r, 0, 4) != 0;
        for (int k = 0; k < SIDE; k++) weights[i + k] = (uint16_t)(heavy && test_between(r, 0, 9) ? test_between(r, 1, 4095) : 0);
    }
}

static void check_ways(const cpu_blend_run *run, const panorama_row *before, way *ways, int n) {
    static panorama_row first, row;
    for (int k = 0; k < n; k++) {
        cpu_blend_run own = *run;
        panorama_row *to = k ? &row : &first;
        if (!ways[k].add) continue;
        *to = *before;
        own.sums = to->sums, own.coverage = to->coverage;
        ways[k].add(&own);
        ways[k].runs++;
        ways[k].wrong += memcmp(to, &first, sizeof *to) != 0;
    }
}

/* Places a step apart, all in the frame; far ones leave what is loaded at once, and go down many rows. */
static void test_runs(way *ways, int n_ways) {
    static const double steps[][2] = {{1, 0},       {1, 0.02},  {0.93, -0.3}, {1.05, 0.12}, {1.3, 0},
                                      {0.05, 0.01}, {0, 0},     {-1, 0.01},   {0.2, 0.6},   {0.3, -0.75},
                                      {0, 1.9},     {-0.7, -0.7}, {2.6, 0.1}, {1.1, 1.4}};
    static panorama_row before;
    test_random r = {11};
    for (int i = 0; i < 2800; i++) {
        const double *step = steps[i % 14], whole = 4294967296.0;
        uint16_t weights[MOST];
        uint8_t inside[MOST / SIDE + 4] = {0};
        uint32_t gain[3];
        int n = test_between(&r, 1, fabs(step[0]) > 1.2 || fabs(step[1]) > 0.7 ? 90 : 180);
        double dx = step[0] * n, dy = step[1] * n, left = dx < 0 ? -dx : 0, top = dy < 0 ? -dy : 0;
        double x = left + test_unit(&r) * (WIDTH - 2 - fabs(dx)), y = top + test_unit(&r) * (HEIGHT - 2 - fabs(dy));
        if (i % 200 == 0) make_frame(&r, i % 400 != 0);
        for (int c = 0; c < 3; c++) gain[c] = (uint32_t)(i % 3 ? 4096 : test_between(&r, 1, ENDO_BLEND_MOST_FACTOR));
        cpu_blend_run run = {.pixels = (const uint8_t *)pixels, .bicubic = bicubic, .factors = factors, .stride = STRIDE,
                             .px = (int64_t)(x * whole), .py = (int64_t)(y * whole), .step_x = (int64_t)(step[0] * whole),
                             .step_y = (int64_t)(step[1] * whole), .lead = n > 3 ? test_between(&r, 0, 3) : 0, .n = n,
                             .taps = taps[i % 5 != 0], .gain = gain, .weights = weights, .inside = inside};
        make_row(&r, &before);
        make_weights(&r, weights, MOST);
        say_inside(&r, &run, inside);
        check_ways(&run, &before, ways, n_ways);
    }
}

int main(void) {
    way ways[] = {
        {.name = "plain C", .add = add_plain},
#ifdef ENDO_X86
        {.name = "AVX2", .add = endo_simd_runs(ENDO_CPU_AVX2) ? add_avx2 : NULL},
        {.name = "AVX-512", .add = endo_simd_runs(ENDO_CPU_AVX512) ? cpu_blend_add_rgb_avx512 : NULL},
        {.name = "AVX-512 VBMI", .add = simd_here() & SIMD_VBMI ? cpu_blend_add_near_avx512 : NULL},
#endif
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    for (int cubic = 0; cubic < 2; cubic++)
        for (int f = 0; f < 256; f++) endo_blend_taps(cubic, f, taps[cubic][f]);
    test_runs(ways, WAYS);
    for (int k = 0; k < WAYS; k++) {
        CHECK(ways[k].wrong == 0 && (ways[k].runs == 2800 || !ways[k].add));
        printf("%s: %d runs, %d wrong\n", ways[k].name, ways[k].runs, ways[k].wrong);
    }
    return check_summary("test_blend_runs");
}
