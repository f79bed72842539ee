/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels, in tiles. The levels of a tile, with what its
 * windows reach, are put into 256 groups of as many pixels each (ahe_groups.h). How many pixels of a window lie in the
 * groups below a pixel's own is what 8-bit equalization counts, at a cost that does not depend on the window (ahe.c).
 * Those of its own group are few, some 1/256 of a window and half of it, and are compared one by one. Small windows are
 * compared as they are. */
#include "ahe_groups.h"
#include "ahe_plane.h"

#include "../rules/ahe.h"

#include <string.h>

/* Output pixels of a tile. Wider ones share more of their surroundings, and have more members a group. */
#define TILE_WIDTH 256
#define TILE_HEIGHT 512
/* Rows of it that are worked on together. */
#define ROWS_TOGETHER 16

/* What lies in memory for a tile. Rows and columns are counted as in ahe_plane.h, from the tile's own first. */
typedef struct tile {
    const cpu_ahe_plane *plane;
    int x, y, width, height; /* of the output */
    int rows, columns;       /* with what windows reach */
    ptrdiff_t pitch;         /* of coarse */
    ptrdiff_t stride;        /* of asked and ranks */
    cpu_ahe_groups *groups;
    uint32_t *counts;        /* of levels */
    uint8_t *coarse;         /* the group of each pixel, inverted as CPU_AHE_INVERT says */
    uint8_t *asked;          /* the highest group of which all pixels are not above the centre */
    uint32_t *ranks;         /* how many these are in the window */
    /* Pixels by their groups, each group row by row: columns and levels. */
    uint16_t *member_columns, *member_levels;
    int *row_of;             /* of the coarse plane: each its own */
    uint8_t *scratch;        /* for counting */
} tile;

/* Members of the rows of a window: of a group, from the first to before the last. */
typedef struct reached {
    uint32_t first[CPU_AHE_GROUPS], last[CPU_AHE_GROUPS];
} reached;

/* ----------------------------------------------------------------- memory */

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* The next part of a workspace; with base NULL only its size counts. */
static void *part(uint8_t *base, size_t *at, size_t bytes) {
    void *here = base ? base + *at : NULL;
    *at += whole_lines(bytes);
    return here;
}

static endo_ahe_job coarse_job(int width, int height, int window) {
    endo_ahe_job job = {.type = ENDO_GREY8, .width = width, .height = height, .region = {0, 0, width, height},
                        .window = window};
    return job;
}

/* Parts of the memory of a thread for tiles of this size; returns their bytes together. */
static size_t lay_out(uint8_t *base, const cpu_ahe_loops *loops, int width, int height, int window, tile *t) {
    endo_ahe_job job = coarse_job(width, height, window);
    size_t at = 0, rows = (size_t)height + window + 1, columns = (size_t)width + window + 1;
    t->pitch = (ptrdiff_t)whole_lines(columns + CPU_AHE_STRIP + ENDO_PLANE_ROW);
    t->stride = (width + CPU_AHE_STRIP - 1) / CPU_AHE_STRIP * CPU_AHE_STRIP;
    t->groups = part(base, &at, sizeof *t->groups);
    t->counts = part(base, &at, CPU_AHE_LEVELS * sizeof *t->counts);
    t->coarse = part(base, &at, rows * (size_t)t->pitch);
    t->asked = part(base, &at, (size_t)height * (size_t)t->stride);
    t->ranks = part(base, &at, (size_t)height * (size_t)t->stride * sizeof *t->ranks);
    t->member_columns = part(base, &at, (rows * columns + CPU_AHE_STRIP) * sizeof *t->member_columns);
    t->member_levels = part(base, &at, (rows * columns + CPU_AHE_STRIP) * sizeof *t->member_levels);
    t->row_of = part(base, &at, rows * sizeof *t->row_of);
    t->scratch = part(base, &at, cpu_ahe_counted.bytes(&job, loops));
    return at;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* ----------------------------------------------------------------- groups */

static const uint16_t *row_of_tile(const tile *t, int i) { return cpu_ahe_row16(t->plane, t->y + i) + t->x; }

/* Of the pixels that windows of the tile reach: all but its first row and column. */
static void group_levels(const tile *t) {
    memset(t->counts, 0, CPU_AHE_LEVELS * sizeof *t->counts);
    for (int i = 1; i < t->rows; i++) {
        const uint16_t *row = row_of_tile(t, i);
        for (int k = 1; k < t->columns; k++) t->counts[row[k]]++;
    }
    cpu_ahe_groups_make(t->counts, t->groups);
}

/* The first row and column are in no window of the tile; they go with the first group. */
static void fill_coarse(const tile *t) {
    for (int i = 0; i < t->rows; i++) {
        const uint16_t *row = row_of_tile(t, i);
        uint8_t *out = t->coarse + i * t->pitch;
        memset(out, CPU_AHE_INVERT, (size_t)t->pitch);
        for (int k = 1; k < t->columns && i > 0; k++) out[k] = t->groups->of[row[k]] ^ CPU_AHE_INVERT;
        t->row_of[i] = i;
    }
}

/* ------------------------------------------------------------ whole groups */

/* Which groups lie below each pixel as a whole: its own if it has one level only. None: 0, put right later. */
static void ask(const tile *t) {
    int r = t->plane->job->window / 2 + 1;
    for (int y = 0; y < t->height; y++) {
        const uint16_t *centres = row_of_tile(t, y + r) + r;
        uint8_t *asked = t->asked + y * t->stride;
        for (int x = 0; x < t->width; x++) {
            int group = t->groups->of[centres[x]], whole = group - !t->groups->single[group];
            asked[x] = (uint8_t)((whole < 0 ? 0 : whole) ^ CPU_AHE_INVERT);
        }
        memset(asked + t->width, 0, (size_t)(t->stride - t->width));
    }
}

static void count_groups(const tile *t, const cpu_ahe_loops *loops) {
    endo_ahe_job job = coarse_job(t->width, t->height, t->plane->job->window);
    cpu_ahe_plane plane = {.job = &job, .columns = t->columns, .n_rows = t->rows, .pitch = t->pitch,
                           .pixels = t->coarse, .last_row = t->rows - 1, .row_of = t->row_of};
    cpu_ahe_band band = {&plane, loops, 0, t->height, 0, t->width, t->scratch, t->asked, t->ranks, t->stride};
    cpu_ahe_counted.run(&band);
}

/* ---------------------------------------------------------------- own group */

/* Row i enters the windows: its pixels become members. */
static void enter(const tile *t, reached *m, int i) {
    const uint16_t *row = row_of_tile(t, i);
    const uint8_t *coarse = t->coarse + i * t->pitch;
    for (int k = 1; k < t->columns; k++) {
        uint32_t at = m->last[coarse[k] ^ CPU_AHE_INVERT]++;
        t->member_columns[at] = (uint16_t)k;
        t->member_levels[at] = row[k];
    }
}

static void leave(const tile *t, reached *m, int i) {
    const uint8_t *coarse = t->coarse + i * t->pitch;
    for (int k = 1; k < t->columns; k++) m->first[coarse[k] ^ CPU_AHE_INVERT]++;
}

/* Some rows of output pixels by their groups, so that the members of a group are read from the first cache. */
typedef struct together {
    int y, rows;
    reached reached[ROWS_TOGETHER];
    uint16_t order[ROWS_TOGETHER * TILE_WIDTH]; /* row * TILE_WIDTH + column */
    int n;
} together;

static const uint16_t *centres_of(const tile *t, int y) {
    int r = t->plane->job->window / 2 + 1;
    return row_of_tile(t, y + r) + r;
}

/* The pixels whose group has more than one level, sorted. */
static void sort_pixels(const tile *t, together *b) {
    int at[CPU_AHE_GROUPS + 1] = {0};
    for (int i = 0; i < b->rows; i++) {
        const uint16_t *centres = centres_of(t, b->y + i);
        for (int x = 0; x < t->width; x++) at[t->groups->of[centres[x]] + 1]++;
    }
    for (int g = 0; g < CPU_AHE_GROUPS; g++) at[g + 1] = at[g] + (t->groups->single[g] ? 0 : at[g + 1]);
    b->n = at[CPU_AHE_GROUPS];
    for (int i = 0; i < b->rows; i++) {
        const uint16_t *centres = centres_of(t, b->y + i);
        for (int x = 0; x < t->width; x++) {
            int group = t->groups->of[centres[x]];
            if (!t->groups->single[group]) b->order[at[group]++] = (uint16_t)(i * TILE_WIDTH + x);
        }
    }
}

/* Adds the members that are not above each pixel. */
static void count_own(const tile *t, const cpu_ahe_loops *loops, const together *b) {
    int window = t->plane->job->window;
    for (int k = 0; k < b->n; k++) {
        int i = b->order[k] / TILE_WIDTH, x = b->order[k] % TILE_WIDTH, centre = centres_of(t, b->y + i)[x];
        int group = t->groups->of[centre];
        uint32_t *rank = &t->ranks[(b->y + i) * t->stride + x], first = b->reached[i].first[group];
        uint32_t own = loops->count_members(t->member_columns + first, t->member_levels + first,
                                            (int)(b->reached[i].last[group] - first), x + 1, window, centre);
        *rank = group ? *rank + own : own;
    }
}

static void put_rows(const tile *t, const cpu_ahe_loops *loops, const together *b) {
    const endo_ahe_job *j = t->plane->job;
    for (int y = b->y; y < b->y + b->rows; y++)
        loops->map16(t->ranks + y * t->stride, t->width, (uint32_t)(j->window * j->window),
                     (uint16_t *)j->out + (size_t)(t->y + y) * j->out_stride + t->x);
}

/* The members in the windows of each of the rows. */
static void reach(const tile *t, reached *m, together *b) {
    int window = t->plane->job->window;
    for (int i = 0; i < b->rows; i++) {
        int y = b->y + i;
        if (y) leave(t, m, y);
        enter(t, m, y + window);
        b->reached[i] = *m;
    }
}

static void put_tile(const tile *t, const cpu_ahe_loops *loops) {
    reached m;
    together b;
    uint32_t at = 0;
    for (int g = 0; g < CPU_AHE_GROUPS; g++) {
        m.first[g] = m.last[g] = at;
        at += t->groups->members[g];
    }
    for (int i = 1; i < t->plane->job->window; i++) enter(t, &m, i);
    for (b.y = 0; b.y < t->height; b.y += ROWS_TOGETHER) {
        b.rows = smaller(ROWS_TOGETHER, t->height - b.y);
        reach(t, &m, &b);
        sort_pixels(t, &b);
        count_own(t, loops, &b);
        put_rows(t, loops, &b);
    }
}

static void group_tile(const cpu_ahe_band *band, int x, int y) {
    const endo_ahe_job *j = band->plane->job;
    tile t = {.plane = band->plane, .x = x, .y = y};
    t.width = smaller(TILE_WIDTH, j->region.width - x);
    t.height = smaller(TILE_HEIGHT, band->to - y);
    t.columns = t.width + j->window, t.rows = t.height + j->window;
    lay_out(band->scratch, band->loops, t.width, t.height, j->window, &t);
    group_levels(&t);
    fill_coarse(&t);
    ask(&t);
    count_groups(&t, band->loops);
    put_tile(&t, band->loops);
}

/* -------------------------------------------------------------------- ways */

static void compare_rows(const cpu_ahe_band *band) {
    const cpu_ahe_plane *p = band->plane;
    const endo_ahe_job *j = p->job;
    int window = j->window;
    const uint16_t *rows[ENDO_AHE_MAX_WINDOW];
    uint32_t ranks[CPU_AHE_STRIP];
    for (int y = band->from; y < band->to; y++)
        for (int x = band->left; x < band->right; x += CPU_AHE_STRIP) {
            int n = smaller(band->right - x, CPU_AHE_STRIP);
            uint16_t *out = (uint16_t *)j->out + (size_t)y * j->out_stride + x;
            for (int v = 0; v < window; v++) rows[v] = cpu_ahe_row16(p, y + 1 + v) + x + 1;
            band->loops->compare16(rows, window, CPU_AHE_STRIP, ranks);
            band->loops->map16(ranks, n, (uint32_t)(window * window), out);
        }
}

static int is_compared(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    return job->window <= loops->largest_compared16;
}

static void run_band(const cpu_ahe_band *band) {
    const endo_ahe_job *j = band->plane->job;
    if (is_compared(j, band->loops)) {
        compare_rows(band);
        return;
    }
    for (int y = band->from; y < band->to; y += TILE_HEIGHT)
        for (int x = band->left; x < band->right; x += TILE_WIDTH) group_tile(band, x, y);
}

static size_t bytes_of(const endo_ahe_job *job, const cpu_ahe_loops *loops) {
    tile t;
    if (is_compared(job, loops)) return 0;
    return lay_out(NULL, loops, smaller(TILE_WIDTH, job->region.width), smaller(TILE_HEIGHT, job->region.height),
                   job->window, &t);
}

const cpu_ahe_way cpu_ahe_sixteen = {run_band, bytes_of, TILE_WIDTH};
