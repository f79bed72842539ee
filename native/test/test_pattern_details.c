/* Details of frames, and the share that stands still, against plain loops. */
#include "systems/pattern/pattern.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 61, AREA = WIDTH * HEIGHT, FRAMES = 5, REACH = 10, CELL = 8, UNKNOWN = INT16_MIN };

static endo_context unasked; /* has no hook */
static const pattern_size SIZE = {
    .width = WIDTH,
    .height = HEIGHT,
    .columns = (WIDTH + CELL - 1) / CELL,
    .rows = (HEIGHT + CELL - 1) / CELL,
    .threads = 2,
    .context = &unasked,
};
static uint8_t grey[AREA], known[AREA], inner[AREA];
static uint32_t scratch[24 * WIDTH]; /* endo_pattern_workspace of SIZE */
static int16_t details[FRAMES][AREA];

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Bright on the left and dark on the right, with holes. */
static void make_image(uint32_t seed) {
    for (int i = 0; i < AREA; i++) {
        int light = 250 - 250 * (i % WIDTH) / WIDTH;
        grey[i] = (uint8_t)(light * (int)(200 + next(&seed) % 56) / 255);
        known[i] = next(&seed) % 7 ? 255 : 0;
        inner[i] = next(&seed) % 5 ? 255 : 0;
    }
}

static int plain_detail(int x, int y) {
    int sum = 0, n = 0;
    for (int v = y - REACH; v <= y + REACH; v++)
        for (int u = x - REACH; u <= x + REACH; u++)
            if (v >= 0 && v < HEIGHT && u >= 0 && u < WIDTH && known[v * WIDTH + u]) sum += grey[v * WIDTH + u], n++;
    if (!known[y * WIDTH + x]) return UNKNOWN;
    int mean = (int)floor((16.0 * sum + 0.5 * n) / n);
    return mean < 160 ? UNKNOWN : 16 * grey[y * WIDTH + x] - mean;
}

static void test_details(void) {
    CHECK(endo_pattern_workspace(&SIZE) <= sizeof scratch / sizeof *scratch);
    for (int k = 0; k < FRAMES; k++) {
        int wrong = 0, dark = 0;
        make_image((uint32_t)k + 1);
        endo_pattern_details(&SIZE, grey, known, 0, HEIGHT, scratch, details[k]);
        for (int i = 0; i < AREA; i++) {
            int plain = plain_detail(i % WIDTH, i / WIDTH);
            wrong += plain != details[k][i], dark += known[i] && plain == UNKNOWN;
        }
        CHECK(wrong == 0);
        CHECK(dark > 0);
    }
}

/* Rows that are made alone, from the rows around them alone, are as they are among all. */
static void test_bands(void) {
    static int16_t band[AREA];
    for (int top = 0; top < HEIGHT; top += 3) {
        int bottom = top + 17 < HEIGHT ? top + 17 : HEIGHT, first = top < REACH ? 0 : top - REACH;
        pattern_size block = SIZE;
        block.height = (bottom + REACH < HEIGHT ? bottom + REACH : HEIGHT) - first;
        endo_pattern_details(&block, grey + first * WIDTH, known + first * WIDTH, top - first, bottom - first, scratch, band);
        CHECK(memcmp(band, details[FRAMES - 1] + top * WIDTH, (size_t)(bottom - top) * WIDTH * sizeof *band) == 0);
    }
}

/* ------------------------------------------------------------------- share */

/* Over a cell and its neighbours. */
static double contrast_at(const int16_t *d, int column, int row) {
    double sum = 0, n = 0;
    for (int y = (row - 1) * CELL; y < (row + 2) * CELL; y++)
        for (int x = (column - 1) * CELL; x < (column + 2) * CELL; x++)
            if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT && d[y * WIDTH + x] != UNKNOWN)
                sum += (double)d[y * WIDTH + x] * d[y * WIDTH + x], n++;
    return fmax(n > 0 ? floor(sum / n) : 0, 1024);
}

static double over_contrast(const int16_t *d, int i) {
    double v = floor(64 * d[i] / sqrt(contrast_at(d, i % WIDTH / CELL, i / WIDTH / CELL)));
    return v < -160 ? -160 : v > 160 ? 160 : v;
}

static double plain_share(void) {
    double products = 0, pairs = 0, squares = 0, n = 0;
    for (int i = 0; i < AREA; i++)
        for (int a = 0; a < FRAMES && inner[i]; a++) {
            if (details[a][i] == UNKNOWN) continue;
            double own = over_contrast(details[a], i);
            squares += own * own, n++;
            for (int b = 0; b < FRAMES; b++)
                if (b != a && details[b][i] != UNKNOWN) products += own * over_contrast(details[b], i), pairs++;
        }
    return products / pairs / (squares / n);
}

static void test_share(void) {
    int16_t *frames[FRAMES];
    double share = 0;
    for (int k = 0; k < FRAMES; k++) {
        frames[k] = details[k];
        for (int i = 0; i < AREA; i++) /* a third of it the same, and edges beyond what counts; on the left next to nothing */
            if (details[k][i] != UNKNOWN && i % WIDTH < 5 * CELL)
                details[k][i] = (int16_t)(details[k][i] % 24 + (i % 3 == 0 ? 10 : 0));
            else if (details[k][i] != UNKNOWN)
                details[k][i] = (int16_t)(i % 97 == 0 ? 4000 : i % 3 == 0 ? 40 * (i % 11 - 5) : details[k][i]);
    }
    CHECK(endo_pattern_share(&SIZE, frames, FRAMES, inner, &share) == ENDO_OK);
    CHECK(share > 0.05 && share < 0.95);
    CHECK_NEAR(share, plain_share(), 2e-3);
}

int main(void) {
    test_details();
    test_bands();
    test_share();
    return check_summary("test_pattern_details");
}
