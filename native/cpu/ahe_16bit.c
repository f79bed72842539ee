/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels, in tiles. The levels of a tile, with what its
 * windows reach, are put into 256 groups of as many pixels each (ahe_groups.h). How many pixels of a window lie in the
 * groups below a pixel's own is what 8-bit equalization counts, at a cost that does not depend on the window (ahe.c).
 * The pixels of its own group are counted by rows of bits (ahe_members.h), group after group. Small windows are compared
 * as they are. */
#include "ahe_groups.h"
#include "ahe_plane.h"

#include <string.h>

/* Output pixels of a tile. Larger ones share more of their surroundings; what a group takes must fit the second cache. */
#define TILE_WIDTH 512
#define TILE_HEIGHT 1024
/* Rows of a tile, with what windows reach, whose members are found again by the lower bits of their rows. */
#define ROWS_A_MARK 32
/* A member: level, row modulo ROWS_A_MARK, and column, of which there are fewer than 2048. */
#define MEMBER(level, row, column) ((uint32_t)(level) << 16 | (uint32_t)((row) % ROWS_A_MARK) << 11 | (uint32_t)(column))
_Static_assert(TILE_WIDTH + ENDO_AHE_MAX_WINDOW < 2048, "11 bits for a column");

/* Members of a cache line. */
#define LINE 16

/* A tile of the output and its working memory. Rows and columns are counted as in ahe_plane.h, from the tile's first. */
typedef struct tile {
    const cpu_ahe_plane *plane;
    int x, y, width, height; /* of the output */
    int rows, columns;       /* with what windows reach */
    ptrdiff_t pitch;         /* of coarse */
    ptrdiff_t stride;        /* of own */
    cpu_ahe_groups *groups;
    uint32_t *counts;        /* of levels; then of those of the group that are below, and in the end, not above */
    uint8_t *coarse;         /* the group of each pixel, inverted as CPU_AHE_INVERT says */
    uint16_t *own;           /* of each pixel: how many of its group are in the window and not above; 0 where all are */
    uint32_t *sorted;        /* pixels by their groups, each group row by row: MEMBER */
    uint32_t (*marks)[CPU_AHE_GROUPS]; /* where those of rows from ROWS_A_MARK * i on begin */
    int *row_of;             /* of the coarse plane: row i is stored as row i */
    const uint32_t *group;   /* the pixels of the group at work, a part of sorted: row by row */
    uint16_t *group_rows;    /* the row of each of them */
    cpu_ahe_members members;
    uint8_t *scratch;        /* for counting */
} tile;

/* ----------------------------------------------------------------- memory */

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* The next part of a workspace; with base NULL only its size counts. */
static void *part(uint8_t *base, size_t *at, size_t bytes) {
    void *here = base ? base + *at : NULL;
    *at += whole_lines(bytes);
    return here;
}

static endo_ahe_job coarse_job(int width, int height, int window) {
    endo_ahe_job job = {.type = ENDO_GREY16, .width = width, .height = height, .region = {0, 0, width, height},
                        .window = window};
    return job;
}

static size_t words_for(size_t members) {
    size_t lines = (members + 64 * CPU_AHE_WORDS - 1) / (64 * CPU_AHE_WORDS);
    return CPU_AHE_WORDS * (lines | 1); /* odd: rows below each other lie in different places of a cache */
}

/* The most pixels of a group of several levels: it has fewer than three times its share of the tile. */
static size_t largest_group(size_t rows, size_t columns) { return 3 * (rows * columns / CPU_AHE_GROUPS + 1); }

static void lay_out_members(uint8_t *base, size_t *at, size_t rows, size_t columns, int width, cpu_ahe_members *m) {
    size_t most = largest_group(rows, columns), words = words_for(most);
    m->on_columns = part(base, at, (((size_t)width + 1) * words + CPU_AHE_WORDS) * sizeof *m->on_columns);
    m->not_above = part(base, at, ((most / CPU_AHE_STEP + 2) * words + CPU_AHE_WORDS) * sizeof *m->not_above);
    m->steps = part(base, at, (most / CPU_AHE_STEP + 1) * sizeof *m->steps);
    m->asked = part(base, at, (most + 1) * sizeof *m->asked);
    m->ends = part(base, at, rows * sizeof *m->ends);
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
    t->own = part(base, &at, (size_t)height * (size_t)t->stride * sizeof *t->own);
    t->sorted = part(base, &at, rows * columns * sizeof *t->sorted);
    t->marks = part(base, &at, (rows / ROWS_A_MARK + 2) * sizeof *t->marks);
    t->row_of = part(base, &at, rows * sizeof *t->row_of);
    t->group_rows = part(base, &at, largest_group(rows, columns) * sizeof *t->group_rows);
    lay_out_members(base, &at, rows, columns, width, &t->members);
    t->scratch = part(base, &at, cpu_ahe_counted.bytes(&job, loops));
    return at;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* ----------------------------------------------------------------- groups */

static const uint16_t *row_of_tile(const tile *t, int i) { return cpu_ahe_row16(t->plane, t->y + i) + t->x; }

/* Groups the levels by how often they occur in the windows of the tile: its first row and column lie in none. */
static void group_levels(const tile *t) {
    memset(t->counts, 0, CPU_AHE_LEVELS * sizeof *t->counts);
    for (int i = 1; i < t->rows; i++) {
        const uint16_t *row = row_of_tile(t, i);
        for (int k = 1; k < t->columns; k++) t->counts[row[k]]++;
    }
    cpu_ahe_groups_make(t->counts, t->groups);
}

/* A row of coarse, and its members; at: where the next of each group goes, whose line is called for in time. */
static void sort_row(const tile *t, int i, uint32_t *at) {
    const uint16_t *row = row_of_tile(t, i);
    const uint8_t *of = t->groups->of;
    uint8_t *out = t->coarse + i * t->pitch;
    for (int k = 1; k < t->columns; k++) {
        uint8_t group = of[row[k]];
        out[k] = group ^ CPU_AHE_INVERT;
        uint32_t to = at[group]++;
        __builtin_prefetch(&t->sorted[to + LINE], 1);
        t->sorted[to] = MEMBER(row[k], i, k);
    }
}

/* The first row and column are in no window of the tile; they go with the first group, and are no members. */
static void sort_pixels(const tile *t) {
    uint32_t at[CPU_AHE_GROUPS], first = 0;
    for (int g = 0; g < CPU_AHE_GROUPS; g++) {
        at[g] = first;
        first += t->groups->members[g];
    }
    for (int i = 0; i < t->rows; i++) {
        uint8_t *out = t->coarse + i * t->pitch;
        t->row_of[i] = i;
        if (i % ROWS_A_MARK == 0) memcpy(t->marks[i / ROWS_A_MARK], at, sizeof at);
        memset(out, CPU_AHE_INVERT, i ? 1 : (size_t)t->pitch);
        memset(out + t->columns, CPU_AHE_INVERT, (size_t)(t->pitch - t->columns));
        if (i) sort_row(t, i, at);
    }
    memcpy(t->marks[(t->rows + ROWS_A_MARK - 1) / ROWS_A_MARK], at, sizeof at);
}

/* ---------------------------------------------------------------- own group */

static void flip(uint64_t *row, uint32_t number) { row[number / 64] ^= (uint64_t)1 << number % 64; }

/* Member number i: its place by level, where a window that goes right gets and loses it, and its row's end. */
static void take_member(const tile *t, const cpu_ahe_members *m, uint32_t i, int row) {
    uint32_t column = t->group[i] & 2047, at = t->counts[t->group[i] >> 16]++;
    uint32_t got = column > (uint32_t)m->window ? column - (uint32_t)m->window : 0;
    uint32_t lost = column < (uint32_t)m->width ? column : (uint32_t)m->width;
    cpu_ahe_step *step = m->steps + at / CPU_AHE_STEP;
    step->columns[at % CPU_AHE_STEP] = (uint16_t)column, step->numbers[at % CPU_AHE_STEP] = (uint16_t)i;
    t->group_rows[i] = (uint16_t)row;
    m->ends[row] = (uint16_t)(i + 1);
    flip(m->on_columns + got * (size_t)m->words, i);
    flip(m->on_columns + lost * (size_t)m->words, i);
}

static void take_members(tile *t, int group) {
    cpu_ahe_members *m = &t->members;
    uint32_t first = t->marks[0][group], i = 0;
    m->n = (int)t->groups->members[group], m->words = (int)words_for((size_t)m->n);
    t->group = t->sorted + first;
    memset(m->on_columns, 0, ((size_t)m->width + 1) * (size_t)m->words * sizeof *m->on_columns);
    memset(m->ends, 0, (size_t)t->rows * sizeof *m->ends);
    for (int mark = 0; mark * ROWS_A_MARK < t->rows; mark++) {
        uint32_t end = t->marks[mark + 1][group] - first;
        for (; i < end; i++) take_member(t, m, i, mark * ROWS_A_MARK + (int)(t->group[i] >> 11 & (ROWS_A_MARK - 1)));
    }
    uint16_t end = 0;
    for (int row = 0; row < t->rows; row++) m->ends[row] = end = m->ends[row] > end ? m->ends[row] : end;
}

/* Row c of not_above: a bit for each of the first CPU_AHE_STEP * c members by level. */
static void find_not_above(const cpu_ahe_members *m) {
    size_t bytes = (size_t)m->words * sizeof *m->not_above;
    memset(m->not_above, 0, bytes);
    for (int c = 1; c <= m->n / CPU_AHE_STEP; c++) {
        uint64_t *row = m->not_above + (size_t)c * (size_t)m->words;
        const uint16_t *numbers = m->steps[c - 1].numbers;
        memcpy(row, row - m->words, bytes);
        for (int i = 0; i < CPU_AHE_STEP; i++) flip(row, numbers[i]);
    }
}

/* Lists the members whose windows are asked about: the pixels of the output. */
static void find_asked(const tile *t, cpu_ahe_members *m) {
    uint32_t r = (uint32_t)m->window / 2, n = 0;
    for (uint32_t i = m->ends[r]; i < m->ends[r + (uint32_t)t->height]; i++) {
        uint32_t x = (t->group[i] & 2047) - r - 1, y = t->group_rows[i] - r - 1;
        m->asked[n] = (cpu_ahe_asked){(uint16_t)x, (uint16_t)y, (uint16_t)t->counts[t->group[i] >> 16]};
        n += x < (uint32_t)m->width;
    }
    m->n_asked = (int)n;
}

static void find_most(const tile *t, cpu_ahe_members *m) {
    m->most = 0;
    for (int y = 0; y < t->height; y++) {
        int words = m->ends[y + m->window] / 64 - m->ends[y] / 64 + 1;
        m->most = words > m->most ? words : m->most;
    }
}

/* The members of each pixel's own group that are not above it. */
static void count_own(tile *t, const cpu_ahe_loops *loops) {
    cpu_ahe_members *m = &t->members;
    m->window = t->plane->job->window, m->width = t->width;
    m->own = t->own, m->stride = t->stride;
    memset(t->own, 0, (size_t)t->height * (size_t)t->stride * sizeof *t->own);
    for (int group = 0; group < CPU_AHE_GROUPS; group++) {
        if (t->groups->single[group] || !t->groups->members[group]) continue;
        take_members(t, group);
        find_not_above(m);
        find_asked(t, m);
        find_most(t, m);
        loops->count_members(m);
    }
}

/* ------------------------------------------------------------ whole groups */

/* Asked of a group: the one below; or itself, if it has one level only. */
static void ask(const tile *t, cpu_ahe_refined *f) {
    for (int group = 0; group < CPU_AHE_GROUPS; group++) {
        int whole = group - !t->groups->single[group];
        f->asked[group ^ CPU_AHE_INVERT] = (uint8_t)((whole < 0 ? 0 : whole) ^ CPU_AHE_INVERT);
    }
    f->none = t->groups->single[0] ? -1 : CPU_AHE_INVERT;
    f->own = t->own, f->stride = t->stride;
}

/* Counts the groups below each pixel's own, adds what is known of that, and puts the levels out. */
static void put_tile(const tile *t, const cpu_ahe_loops *loops) {
    const endo_ahe_job *j = t->plane->job;
    endo_ahe_job job = coarse_job(t->width, t->height, j->window);
    cpu_ahe_plane plane = {.job = &job, .columns = t->columns, .n_rows = t->rows, .pitch = t->pitch,
                           .pixels = t->coarse, .last_row = t->rows - 1, .row_of = t->row_of};
    cpu_ahe_refined refined;
    cpu_ahe_band band = {&plane, loops, 0, t->height, 0, t->width, t->scratch, &refined};
    job.out = (uint16_t *)j->out + (size_t)t->y * j->out_stride + t->x, job.out_stride = j->out_stride;
    ask(t, &refined);
    cpu_ahe_counted.run(&band);
}

static void group_tile(const cpu_ahe_band *band, int x, int y) {
    const endo_ahe_job *j = band->plane->job;
    tile t = {.plane = band->plane, .x = x, .y = y};
    t.width = smaller(TILE_WIDTH, j->region.width - x);
    t.height = smaller(TILE_HEIGHT, band->to - y);
    t.columns = t.width + j->window, t.rows = t.height + j->window;
    lay_out(band->scratch, band->loops, t.width, t.height, j->window, &t);
    group_levels(&t);
    sort_pixels(&t);
    count_own(&t, band->loops);
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

const cpu_ahe_way cpu_ahe_16bit = {run_band, bytes_of, TILE_WIDTH};
