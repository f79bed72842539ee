/* The pattern and the light that frames have in common, and whether a scene moves behind them, against plain loops. */
#include "systems/pattern/pattern.h"
#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- estimate */

enum { WIDTH = 67, HEIGHT = 45, AREA = WIDTH * HEIGHT, FRAMES = 20, CELL = 8, UNKNOWN = INT16_MIN };
enum { COLUMNS = (WIDTH + CELL - 1) / CELL, ROWS = (HEIGHT + CELL - 1) / CELL };

static int16_t details[FRAMES][AREA];

/* Grain on the left, over a scene that is plain in some cells of some frames and rough in others; there now and then a pixel
 * is far off, and here and there hardly any frame knows one. */
static void make_details(test_random *r) {
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < AREA; i++) {
            test_random grain = {(uint64_t)i + 9};
            int x = i % WIDTH, y = i / WIDTH, rough = (x / 34 * 7 + y / 32 * 5 + f * 3) % 11;
            int pattern = x < 40 ? test_between(&grain, -300, 300) : 0, scene = 20 + rough * rough * 9;
            int value = pattern + test_between(r, -scene, scene) + (rough < 4 || test_between(r, 0, 30) ? 0 : 3000);
            int hardly = (x + 3 * y) % 29 == 0 && f % 9 >= 1 + y % 3;
            details[f][i] = (int16_t)(hardly || test_between(r, 0, 9) == 0 ? UNKNOWN : value);
        }
}

static int cell_of(int i) { return i / WIDTH / CELL * COLUMNS + i % WIDTH / CELL; }

/* The mean of `numbers` over the pixels that count of a cell and its neighbours; a whole number. */
static int64_t mean_around(const int64_t *numbers, const uint8_t *counts, int cell) {
    int64_t sum = 0, n = 0;
    for (int i = 0; i < AREA; i++) {
        int across = cell_of(i) % COLUMNS - cell % COLUMNS, down = cell_of(i) / COLUMNS - cell / COLUMNS;
        if (counts[i] && abs(across) <= 1 && abs(down) <= 1) sum += numbers[i], n++;
    }
    return n ? sum / n : 0;
}

/* Weight and greatest residual of each cell of a frame. */
static void weigh(int f, const int *pattern, int64_t weights[COLUMNS * ROWS], int most[COLUMNS * ROWS]) {
    static int64_t squares[AREA];
    static uint8_t known[AREA];
    for (int i = 0; i < AREA; i++) {
        known[i] = details[f][i] != UNKNOWN;
        squares[i] = (int64_t)(details[f][i] - pattern[i]) * (details[f][i] - pattern[i]);
    }
    for (int c = 0; c < COLUMNS * ROWS; c++) {
        int64_t variance = mean_around(squares, known, c);
        if (variance < 512) variance = 512; /* two levels squared */
        weights[c] = 16777216 / variance > 1 ? 16777216 / variance : 1;
        most[c] = (int)(3 * sqrt((double)variance));
    }
}

static int64_t cut(int64_t v, int64_t most) { return v > most ? most : v < -most ? -most : v; }

/* A quotient rounded to the nearest whole number, halves away from zero. */
static int64_t divide(int64_t v, int64_t by) { return v < 0 ? -((-v + by / 2) / by) : (v + by / 2) / by; }

typedef struct totals {
    int64_t weighted[AREA], weights[AREA], squares[AREA], counts[AREA];
} totals;

/* Sums over the frames, with weights by a pattern. */
static void add_frames(const int *pattern, totals *t) {
    memset(t, 0, sizeof *t);
    for (int f = 0; f < FRAMES; f++) {
        int64_t weights[COLUMNS * ROWS];
        int most[COLUMNS * ROWS];
        weigh(f, pattern, weights, most);
        for (int i = 0; i < AREA; i++) {
            if (details[f][i] == UNKNOWN) continue;
            int64_t w = weights[cell_of(i)], left = cut(details[f][i] - pattern[i], most[cell_of(i)]);
            t->weighted[i] += w * (pattern[i] + left), t->weights[i] += w, t->counts[i]++;
            t->squares[i] += w * left * w * left;
        }
    }
}

static void plain_estimate(int16_t *out) {
    static totals t, left;
    static int pattern[AREA];
    static int64_t own[AREA], chance[AREA];
    static uint8_t known[AREA];
    memset(pattern, 0, sizeof pattern);
    for (int round = 0; round < 3; round++) {
        add_frames(pattern, &t);
        for (int i = 0; i < AREA; i++) pattern[i] = t.weights[i] ? (int)divide(t.weighted[i], t.weights[i]) : 0;
    }
    add_frames(pattern, &left);
    for (int i = 0; i < AREA; i++) {
        int64_t n = t.counts[i], w = t.weights[i];
        known[i] = n > 1 && 8 * n >= FRAMES;
        own[i] = (int64_t)pattern[i] * pattern[i];
        chance[i] = n > 1 ? left.squares[i] / (w * w / n * (n - 1) + 1) : 0;
    }
    for (int i = 0; i < AREA; i++) {
        int64_t square = mean_around(own, known, cell_of(i)), variance = mean_around(chance, known, cell_of(i));
        int says = known[i] && square > 0 && square >= 2 * variance;
        out[i] = (int16_t)(says ? cut(divide(pattern[i] * (square - variance), 16 * square), 255) : 0);
    }
}

static endo_context unasked; /* has no hook */

static void test_estimate(void) {
    static int16_t plain[AREA], made[AREA];
    const pattern_size size = {
        .width = WIDTH,
        .height = HEIGHT,
        .columns = COLUMNS,
        .rows = ROWS,
        .threads = 2,
        .context = &unasked,
    };
    int16_t *frames[FRAMES];
    test_random r = {21};
    for (int f = 0; f < FRAMES; f++) frames[f] = details[f];
    for (int k = 0; k < 3; k++) {
        int there = 0, none = 0;
        make_details(&r);
        plain_estimate(plain);
        CHECK(endo_pattern_estimate(&size, frames, FRAMES, made) == ENDO_OK);
        CHECK(!memcmp(plain, made, sizeof made));
        for (int i = 0; i < AREA; i++) there += plain[i] != 0, none += plain[i] == 0;
        CHECK(there > AREA / 3 && none > AREA / 4);
    }
}

/* -------------------------------------------------------------------- light */

static double light_at(double x, double y) {
    double u = 2 * x / WIDTH - 1, v = 2 * y / HEIGHT - 1;
    return 900 - 400 * u * u - 250 * v * v + 90 * u * v + 60 * u - 35 * v;
}

/* Light that the polynomial can have is taken as it is, but for its mean over the cells that half of the frames know; what
 * the others know is nonsense. */
static void test_light(void) {
    const pattern_size size = {
        .width = WIDTH,
        .height = HEIGHT,
        .columns = COLUMNS,
        .rows = ROWS,
        .threads = 1,
    };
    int64_t sums[COLUMNS * ROWS];
    int32_t counts[COLUMNS * ROWS];
    static int16_t pattern[AREA];
    static uint8_t field[AREA];
    double mean = 0, cells = 0;
    int wrong = 0;
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double light = light_at((i % COLUMNS + 0.5) * CELL, (i / COLUMNS + 0.5) * CELL);
        counts[i] = i % 5 == 0 ? FRAMES / 2 - 1 : i % 3 == 0 ? FRAMES / 2 : FRAMES;
        sums[i] = i % 5 == 0 ? 100000 : llround(light * counts[i]);
        if (i % 5) mean += light, cells++;
    }
    for (int i = 0; i < AREA; i++) pattern[i] = (int16_t)(i % 7), field[i] = i % 11 != 0;
    endo_pattern_add_light(&size, sums, counts, FRAMES, field, pattern);
    for (int i = 0; i < AREA; i++) {
        double level = (light_at(i % WIDTH + 0.5, i / WIDTH + 0.5) - mean / cells) / 16;
        wrong += fabs(pattern[i] - i % 7 - (field[i] ? level : 0)) > 0.55; /* half a level, and sums of whole sixteenths */
    }
    CHECK(wrong == 0);
}

/* ------------------------------------------------------------------- motion */

enum { ACROSS = 21, DOWN = 13, CELLS = ACROSS * DOWN, PICTURES = 9, REGION = 8, NONE = INT32_MIN };

static int32_t coarse[PICTURES][2 * CELLS];

/* Makes coarse pictures of a pattern that stands still, brighter and darker; behind it something that moves, of such an
 * amplitude, and noise. Some cells are unknown: some in the lower right region, in the upper right one those below so many
 * rows. */
static void make_coarse(test_random *r, double moves, int rows) {
    for (int f = 0; f < PICTURES; f++)
        for (int k = 0; k < 2 * CELLS; k++) {
            int x = k % CELLS % ACROSS, y = k % CELLS / ACROSS, right = x >= 2 * REGION;
            double still = 200 * sin(0.9 * x + 0.3 * y) + 150 * cos(0.7 * y), moving = sin(1.1 * x - 0.6 * y + 2.3 * f);
            int hidden = right && (y < REGION ? y > rows : (x + y) % 4 == 0);
            coarse[f][k] = (int32_t)lrint((1 + 0.05 * f) * still + moves * moving + test_between(r, -20, 20));
            if (hidden || (x * 5 + y * 3 + f) % 31 == 0) coarse[f][k] = NONE;
        }
}

static int knows(int f, int cell) { return coarse[f][cell] != NONE && coarse[f][cell + CELLS] != NONE; }

/* NAN: in too few pictures. */
static double mean_at(int x, int y, int half) {
    double sum = 0;
    int n = 0, cell = y * ACROSS + x;
    if (x < 0 || y < 0 || x >= ACROSS || y >= DOWN) return NAN;
    for (int f = 0; f < PICTURES; f++)
        if (knows(f, cell)) sum += coarse[f][cell + half * CELLS], n++;
    return 2 * n >= PICTURES ? sum / n : NAN;
}

/* The mean and its differences across and down. */
static void row_at(int cell, int half, double row[3]) {
    int x = cell % ACROSS, y = cell / ACROSS;
    row[0] = mean_at(x, y, half);
    row[1] = mean_at(x + 1, y, half) - mean_at(x - 1, y, half);
    row[2] = mean_at(x, y + 1, half) - mean_at(x, y - 1, half);
}

static int is_fitted(int f, int cell) {
    double a[3], b[3];
    row_at(cell, 0, a), row_at(cell, 1, b);
    return knows(f, cell) && !isnan(a[0] + a[1] + a[2] + b[0] + b[1] + b[2]);
}

/* Takes each of the three columns out of what is left and out of the columns behind it. */
static void project(double (*columns)[4], int n) {
    for (int c = 0; c < 3; c++)
        for (int other = c + 1; other < 4; other++) {
            double own = 0, both = 0;
            for (int i = 0; i < n; i++) own += columns[i][c] * columns[i][c], both += columns[i][c] * columns[i][other];
            for (int i = 0; i < n; i++) columns[i][other] -= both / own * columns[i][c];
        }
}

/* The share of a region's squares that is left in picture f after its fit, NAN where too little is known; *rest: what is
 * left. */
static double left_of(int f, int left, int top, double rest[2 * CELLS]) {
    static double columns[2 * REGION * REGION][4];
    int at[2 * REGION * REGION], n = 0;
    double before = 0, after = 0;
    for (int y = top; y < top + REGION && y < DOWN; y++)
        for (int x = left; x < left + REGION && x < ACROSS; x++)
            for (int half = 0; half < 2 && is_fitted(f, y * ACROSS + x); half++) {
                at[n] = y * ACROSS + x + half * CELLS;
                row_at(y * ACROSS + x, half, columns[n]), columns[n][3] = coarse[f][at[n]], n++;
            }
    if (n < 2 * 20) return NAN;
    project(columns, n);
    for (int i = 0; i < n; i++) rest[at[i]] = columns[i][3];
    for (int i = 0; i < n; i += 2) {
        before += (double)coarse[f][at[i]] * coarse[f][at[i + 1]];
        after += rest[at[i]] * rest[at[i + 1]];
    }
    return before > 0 ? after / before : NAN;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* share: of the median region. */
static double plain_motion(double *share) {
    static double rest[PICTURES][2 * CELLS];
    double shares[PICTURES * 6], trace = 0, squares = 0;
    int n = 0;
    memset(rest, 0, sizeof rest);
    for (int f = 0; f < PICTURES; f++)
        for (int region = 0; region < 6; region++) {
            double own = left_of(f, region % 3 * REGION, region / 3 * REGION, rest[f]);
            if (!isnan(own)) shares[n++] = own;
        }
    qsort(shares, (size_t)n, sizeof *shares, compare);
    *share = shares[n / 2];
    for (int f = 0; f < PICTURES; f++)
        for (int g = 0; g < PICTURES; g++) {
            double product = 0;
            for (int c = 0; c < CELLS; c++) product += rest[f][c] * rest[g][c + CELLS] + rest[f][c + CELLS] * rest[g][c];
            squares += product * product;
            if (f == g) trace += product;
        }
    return trace * trace / squares;
}

static void test_motion(void) {
    const pattern_size size = {
        .width = ACROSS * CELL,
        .height = DOWN * CELL,
        .columns = ACROSS,
        .rows = DOWN,
        .threads = 2,
    };
    int32_t *frames[PICTURES];
    int moving = 0, still = 0;
    test_random r = {22};
    for (int f = 0; f < PICTURES; f++) frames[f] = coarse[f];
    for (int k = 0; k < 24; k++) {
        double share, made = -1, plain;
        make_coarse(&r, 15 * k, 5 + k % 3);
        plain = plain_motion(&share);
        CHECK(endo_pattern_motion(&size, frames, PICTURES, &made) == ENDO_OK);
        CHECK_NEAR(made, share >= 0.2 ? plain : 0, 1e-6 * plain);
        moving += made > 0, still += made == 0;
    }
    CHECK(moving > 2 && still > 2);
}

int main(void) {
    test_estimate();
    test_light();
    test_motion();
    return check_summary("test_pattern_estimate");
}
