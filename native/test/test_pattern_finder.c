/* Which frames a static pattern is looked for in: those of which enough cells are known, by plain loops; and in which of their
 * rows. */
#include "include/endorama.h"
#include "check.h"
#include "scene.h"

#include <string.h>

enum { CELL = 8, COLUMNS = 6, ROWS = 5, CELLS = COLUMNS * ROWS, WIDTH = COLUMNS * CELL, HEIGHT = ROWS * CELL };
enum { AREA = WIDTH * HEIGHT };

static uint8_t image[AREA], field[AREA];
static endo_context *context;

static void draw(test_random *r) {
    for (int i = 0; i < AREA; i++) image[i] = (uint8_t)test_between(r, 60, 180);
}

/* How many of n frames count. */
static int count_frames(int n, test_random *r) {
    static int16_t pattern[AREA];
    endo_pattern_finder *finder = NULL;
    endo_pattern_info info = {.frames = -1};
    CHECK(endo_pattern_finder_create(context, &(endo_pattern_options){.width = WIDTH, .height = HEIGHT, .field = field},
                                     &finder) == ENDO_OK);
    for (int i = 0; i < n; i++) {
        if (i) draw(r);
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_OK);
    endo_pattern_finder_destroy(&finder);
    return info.frames;
}

/* ------------------------------------------------------------------- cells */

/* Whether there is a highlight that it lies in, or in the bloom of. */
static int is_bright(int x, int y) {
    for (int k = 0; k < 81; k++) {
        int u = x + k % 9 - 4, v = y + k / 9 - 4;
        if (u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT && image[v * WIDTH + u] >= 235) return 1;
    }
    return 0;
}

/* Whether a cell is seen: half of the pixels of its upper left and lower right quarters together are in the field and not
 * bright. */
static int is_seen(int column, int row) {
    int n = 0;
    for (int i = 0; i < CELL * CELL; i++) {
        int u = i % CELL, v = i / CELL, x = column * CELL + u, y = row * CELL + v;
        n += (u < CELL / 2) == (v < CELL / 2) && field[y * WIDTH + x] && !is_bright(x, y);
    }
    return 4 * n >= CELL * CELL;
}

/* Whether a cell is known: it is seen, and so are two that face each other across it, no more than two cells away. */
static int is_known(const uint8_t seen[CELLS], int cell) {
    int column = cell % COLUMNS, row = cell / COLUMNS, pairs = 0;
    for (int k = 0; k < 25; k++) {
        int u = k % 5 - 2, v = k / 5 - 2;
        if (k == 12 || column + u < 0 || column + u >= COLUMNS || row + v < 0 || row + v >= ROWS) continue;
        if (column - u < 0 || column - u >= COLUMNS || row - v < 0 || row - v >= ROWS) continue;
        pairs += seen[(row + v) * COLUMNS + column + u] && seen[(row - v) * COLUMNS + column - u];
    }
    return seen[cell] && pairs > 0;
}

static int count_known(void) {
    uint8_t seen[CELLS];
    int n = 0;
    for (int i = 0; i < CELLS; i++) seen[i] = (uint8_t)is_seen(i % COLUMNS, i / COLUMNS);
    for (int i = 0; i < CELLS; i++) n += is_known(seen, i);
    return n;
}

/* Cells of which more or less is masked; in some frames a pixel is at, and others just below, what makes a highlight. */
static void test_known_cells(void) {
    test_random r = {3};
    int by_known[CELLS + 1] = {0};
    for (int round = 0; round < 600; round++) {
        draw(&r);
        for (int i = 0; i < AREA; i++) field[i] = 1;
        for (int k = test_between(&r, 2, 14); k > 0; k--) {
            int column = test_between(&r, 0, COLUMNS - 1), row = test_between(&r, 0, ROWS - 1), part = test_between(&r, 12, 64);
            for (int i = 0; i < part; i++) field[(row * CELL + i / CELL) * WIDTH + column * CELL + i % CELL] = 0;
        }
        for (int k = test_between(&r, 0, 2); k > 0; k--) image[test_between(&r, 0, AREA - 1)] = (uint8_t)test_between(&r, 234, 235);
        int known = count_known();
        by_known[known]++;
        CHECK(count_frames(1, &r) == (known >= 16));
    }
    CHECK(by_known[15] > 5 && by_known[16] > 5);
}

/* However many there are. */
static void test_most_frames(void) {
    test_random r = {4};
    memset(field, 1, AREA);
    draw(&r);
    CHECK(count_frames(63, &r) == 63);
    CHECK(count_frames(70, &r) == 64);
}

/* -------------------------------------------------------------------- rows */

enum { WIDE = 960, HIGH = 1100, LARGE = WIDE * HIGH, SQUARE = 16, SCENES = 12 };

/* A finder of frames of another scene each, squares of one grey, with a grain that stands still in some of the rows. */
static endo_pattern_finder *add_grain(int from, int to) {
    static uint8_t frame[LARGE], scene[WIDE / SQUARE];
    endo_pattern_finder *finder = NULL;
    CHECK(endo_pattern_finder_create(context, &(endo_pattern_options){.width = WIDE, .height = HIGH}, &finder) == ENDO_OK);
    for (int k = 0; k < SCENES; k++) {
        test_random r = {70 + (uint64_t)k}, grain = {5};
        for (int y = 0; y < HIGH; y++) {
            for (int i = 0; i < WIDE / SQUARE && y % SQUARE == 0; i++) scene[i] = (uint8_t)test_between(&r, 100, 140);
            for (int x = 0; x < WIDE; x++) {
                int still = y >= from && y < to ? test_between(&grain, 0, 20) : 0;
                frame[y * WIDE + x] = (uint8_t)(scene[x / SQUARE] + still);
            }
        }
        CHECK(endo_pattern_finder_add(finder, frame, WIDE) == ENDO_OK);
    }
    return finder;
}

static endo_pattern_info find_grain(int from, int to, int16_t *pattern) {
    endo_pattern_finder *finder = add_grain(from, to);
    endo_pattern_info info = {.frames = -1};
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_OK);
    endo_pattern_finder_destroy(&finder);
    return info;
}

/* Rows with a grain inside of the squares, of a quarter of the frame. */
static int count_rows(const int16_t *pattern, int quarter) {
    int rows = 0;
    for (int y = quarter * HIGH / 4; y < (quarter + 1) * HIGH / 4; y++) {
        int some = 0;
        for (int x = 1; x < WIDE; x++) some |= x % SQUARE && pattern[y * WIDE + x] > pattern[y * WIDE + x - 1] + 3;
        rows += some;
    }
    return rows;
}

/* Of a large frame some rows are looked at, as many in every quarter; where there is a pattern it is found in all of them. */
static void test_large(void) {
    static int16_t pattern[LARGE];
    double whole = find_grain(0, HIGH, pattern).share;
    CHECK(whole > 4 * ENDO_PATTERN_LEAST_SHARE);
    for (int quarter = 0; quarter < 4; quarter++) {
        endo_pattern_info info = find_grain(quarter * HIGH / 4, (quarter + 1) * HIGH / 4, pattern);
        CHECK(info.found && info.share > 0.15 * whole && info.share < 0.35 * whole);
        CHECK(count_rows(pattern, quarter) > HIGH / 4 - 2 * CELL);
        CHECK(count_rows(pattern, (quarter + 2) % 4) < CELL);
    }
}

/* ------------------------------------------------------------------- cancelled */

typedef struct asking {
    int asked;
    int most; /* the answer is no so many times */
} asking;

static int answer(void *user) {
    asking *a = user;
    return ++a->asked > a->most;
}

/* Ends a call at a question: it leaves what was given. */
static void check_cancelled(const endo_pattern_finder *finder, int most) {
    static int16_t pattern[LARGE];
    asking some = {.most = most};
    endo_pattern_info info = {.frames = -1};
    int touched = 0;
    memset(pattern, 0x77, sizeof pattern);
    endo_context_set_cancel(context, answer, &some);
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_CANCELLED);
    endo_context_set_cancel(context, NULL, NULL);
    for (int i = 0; i < LARGE; i++) touched |= pattern[i] != 0x7777;
    CHECK(some.asked == most + 1 && info.frames == -1 && !touched);
}

/* Finds the pattern; returns how often the call asked. */
static int count_questions(const endo_pattern_finder *finder, int16_t *pattern) {
    asking never = {.most = 1 << 30};
    endo_pattern_info info;
    endo_context_set_cancel(context, answer, &never);
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_OK && info.found);
    endo_context_set_cancel(context, NULL, NULL);
    return never.asked;
}

/* The caller is asked for each frame in each of four rounds of the pattern, and for four frames of a megapixel in each of the
 * steps before: one that makes coarse pictures of new frames, and two that make details. After a yes frames are taken as before. */
static void test_cancel(void) {
    static int16_t pattern[LARGE];
    static int16_t again[LARGE];
    endo_pattern_finder *finder = add_grain(0, HIGH);
    int first = count_questions(finder, pattern);
    int second = count_questions(finder, again);
    CHECK(first - second >= SCENES / 4 && second >= 4 * SCENES + SCENES / 4);
    CHECK(!memcmp(again, pattern, sizeof again));
    for (int most = 0; most < second; most += 1 + most) check_cancelled(finder, most);
    endo_pattern_finder_destroy(&finder);
    finder = add_grain(0, HIGH);
    check_cancelled(finder, 1);
    CHECK(count_questions(finder, again) == first && !memcmp(again, pattern, sizeof again));
    endo_pattern_finder_destroy(&finder);
}

/* A frame that is added to a full finder waits until the others are handled: after a yes it is as if it was not added. */
static void test_cancel_of_adding(void) {
    static int16_t pattern[AREA];
    test_random r = {6};
    endo_pattern_finder *finder = NULL;
    endo_pattern_info info = {.frames = -1};
    const endo_pattern_options options = {.width = WIDTH, .height = HEIGHT};
    CHECK(endo_pattern_finder_create(context, &options, &finder) == ENDO_OK);
    for (int i = 0; i < 64; i++) {
        draw(&r);
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    asking none = {.most = 0};
    endo_context_set_cancel(context, answer, &none);
    CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_CANCELLED && none.asked == 1);
    endo_context_set_cancel(context, NULL, NULL);
    CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_OK && info.frames == 64);
    endo_pattern_finder_destroy(&finder);
}

/* The context may be left before the finder. */
static void test_context_is_kept(void) {
    static int16_t pattern[AREA];
    const endo_pattern_options options = {.width = WIDTH, .height = HEIGHT};
    test_random r = {7};
    endo_pattern_finder *finder = NULL;
    endo_pattern_info info = {.frames = -1};
    CHECK(endo_pattern_finder_create(context, &options, &finder) == ENDO_OK);
    endo_context_destroy(&context);
    draw(&r);
    CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    CHECK(endo_pattern_finder_find(finder, pattern, &info) == ENDO_OK && info.frames == 1);
    endo_pattern_finder_destroy(&finder);
}

static void open_context(int threads) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    o.threads = threads;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
}

int main(void) {
    open_context(2);
    test_known_cells();
    test_most_frames();
    test_large();
    endo_context_destroy(&context);
    open_context(1); /* steps are as large as there are threads */
    test_cancel();
    test_cancel_of_adding();
    test_context_is_kept();
    return check_summary("test_pattern_finder");
}
