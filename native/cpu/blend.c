/* Blends in host memory, in tiles (endorama/blend.h). A frame is first made into blocks, then it visits the cells of the
 * panorama, which say what it counts there, then the pixels. */
#include "blend_tiles.h"
#include "derived.h"

#include "base/span.h"

#include <string.h>

/* Rows of cells that all frames of a batch visit before the next. */
enum { BAND = 4 };

/* Bytes that are read where one is wanted. */
#define GATHERED 4

static endo_status cpu_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    cpu_blend *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a blend of %d x %d", setup->width, setup->height);
    endo_slab_source source = cpu_slab_source(&b->tiles);
    b->backend = backend;
    b->setup = *setup, b->size = endo_blend_sum_size(setup->type);
    endo_canvas_tiles_init(&b->tiles, setup->width, setup->height,
                           ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)) + TILE_CELLS * sizeof(endo_blend_cell), &source);
    for (int f = 0; f < 256; f++) endo_blend_taps(setup->cubic, f, b->taps[f]);
    *blend = b;
    return ENDO_OK;
}

static void cpu_blend_destroy(void *blend) {
    cpu_blend *b = blend;
    if (!b) return;
    endo_canvas_tiles_free(&b->tiles);
    endo_reach_free(&b->reach);
    for (int i = 0; i < ENDO_BLEND_BATCH; i++) {
        struct cpu_workspaces *r = &b->workspaces[i];
        cpu_workspace *all[] = {&r->blocks, &r->weights, &r->inside};
        for (int k = 0; k < 3; k++) endo_free(all[k]->memory);
    }
    endo_free(b);
}

static endo_status cpu_blend_correct(void *blend, const endo_blend_correction *correction) {
    ((cpu_blend *)blend)->factors = *correction;
    return ENDO_OK;
}

/* ------------------------------------------------------------------- frames */

/* A frame while it is added. Cells: those of its box of the blend, with one more on every side. */
typedef struct adding {
    cpu_blend *blend;
    const cpu_store *store;
    const endo_blend_frame *frame;
    endo_blend_block *blocks;
    int block_columns, block_rows;
    int left, top, right, bottom; /* pixels of the blend, right and bottom exclusive */
    int column, row, columns, rows; /* of the weights */
    uint16_t *weights;
    uint8_t *inside;
    int steep; /* a cell may reach further than the blocks around its middle: nothing is known to be inside */
} adding;

static int grow_workspace(cpu_workspace *workspace, size_t n, size_t size) {
    if (workspace->bytes / size >= n) return 1;
    endo_free(workspace->memory);
    workspace->memory = endo_alloc(n, size);
    workspace->bytes = workspace->memory ? n * size : 0;
    return workspace->memory != NULL;
}

/* The box of pixels that the frame reaches, and the box of cells around it. */
static void find_box(adding *a) {
    const endo_reach *r = &a->blend->reach;
    a->top = r->bands[0].top, a->bottom = r->bands[r->n_bands - 1].bottom;
    a->left = a->blend->setup.width, a->right = 0;
    for (size_t i = 0; i < r->n_bands; i++) {
        if (!r->bands[i].n) continue;
        if (r->bands[i].left < a->left) a->left = r->bands[i].left;
        if (r->bands[i].right > a->right) a->right = r->bands[i].right;
    }
    a->column = a->left / SIDE - 1, a->row = a->top / SIDE - 1;
    a->columns = (a->right - 1) / SIDE + 2 - a->column, a->rows = (a->bottom - 1) / SIDE + 2 - a->row;
}

static endo_status take_workspaces(adding *a, struct cpu_workspaces *r) {
    size_t blocks = (size_t)a->block_columns * a->block_rows, cells = (size_t)a->columns * a->rows;
    int made = grow_workspace(&r->blocks, blocks + 1, sizeof *a->blocks) &&
               endo_memory_can_hold(cells * sizeof *a->weights) && grow_workspace(&r->weights, cells, sizeof *a->weights) &&
               grow_workspace(&r->inside, cells + GATHERED, 1);
    if (!made) return endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of a frame in %zu cells", cells);
    a->blocks = r->blocks.memory, a->weights = r->weights.memory, a->inside = r->inside.memory;
    return ENDO_OK;
}

/* ------------------------------------------------------------------- blocks */

static void hide(const adding *a, int row, endo_blend_block *blocks) {
    const endo_frames_options *o = &a->store->options;
    for (int i = 0; i < a->block_columns; i++)
        blocks[i].score = (uint16_t)endo_blend_shown(&a->frame->hidden, i, row, o->width, o->height, blocks[i].score);
}

/* A row of the frame's blocks, corrected and scored. Blocks outside the field have the score 0. */
static void make_blocks(const adding *a, int row) {
    const cpu_blend *b = a->blend;
    const cpu_store *s = a->store;
    int from, to, slot = a->frame->slot, n = a->block_columns;
    endo_blend_block *blocks = a->blocks + (size_t)row * n;
    cpu_block_run(s, row, &from, &to);
    size_t begin = (size_t)row * n + from;
    cpu_shade_row r = {.sums = cpu_block_sums(s, slot, row) + from, .depths = s->field->depths + begin, .n = to - from,
                       .factors = b->factors.blocks + begin, .weight = a->frame->weight};
    for (int k = 0; k < 3; k++) r.clipped[k] = cpu_block_clipped(s, slot, row - 1 + k) + from;
    memcpy(r.gain, a->frame->gain, sizeof r.gain);
    memset(blocks, 0, (size_t)from * sizeof *blocks);
    b->backend->variant->blend->shade_row(&r, blocks + from);
    memset(blocks + to, 0, (size_t)(n - to) * sizeof *blocks);
    if (a->frame->hidden.columns) hide(a, row, blocks);
}

/* -------------------------------------------------------------------- cells */

/* Visits the cells of a row whose pixel (1, 1) is one of from .. to - 1, all of which lie in the frame, as runs that end
 * where a tile does. */
static void visit_run(const adding *a, int row, const int64_t *m, int from, int to) {
    const cpu_blend *b = a->blend;
    int y = row * SIDE + 1;
    size_t first = (size_t)(row - a->row) * a->columns;
    int column = (from + SIDE - 2) / SIDE, last = (to + SIDE - 2) / SIDE;
    while (column < last) {
        int x = column * SIDE + 1, rest = TILE_COLUMNS - column % TILE_COLUMNS, n = last - column < rest ? last - column : rest;
        int64_t u = m[0] * x + m[1] * y + m[2], v = m[3] * x + m[4] * y + m[5];
        cpu_cell_run run = {.blocks = a->blocks, .surroundings = a->store->field->surroundings,
                            .columns = a->block_columns, .rows = a->block_rows,
                            .u = endo_blend_block_position34(u, (m[0] + m[1]) >> 1),
                            .v = endo_blend_block_position34(v, (m[3] + m[4]) >> 1),
                            .step_u = SIDE * m[0], .step_v = SIDE * m[3], .n = n, .second = a->frame->second,
                            .cells = cells_of(b, tile_of(b, x, y), row % TILE_ROWS) + column % TILE_COLUMNS,
                            .across = TILE_COLUMNS, .tolerance = b->tolerance, .votes = b->tolerance ? b->votes : NULL,
                            .weights = a->weights + first + (column - a->column),
                            .inside = a->steep ? NULL : a->inside + first + (column - a->column)};
        b->backend->variant->blend->visit_cells(&run);
        column += n;
    }
}

/* The runs of a row's pixels that may lie in a frame whose map is a homography. */
static endo_run_walk runs_of(const adding *a, int y, int both_axes) {
    const endo_projection *p = &a->frame->map.projection;
    int width = a->store->options.width, height = a->store->options.height, from = a->left, to = a->right;
    endo_projection_span(p, y, y + 1, width, height, &from, &to);
    return (endo_run_walk){p, y, both_axes, width, height, from, to};
}

static void visit_cells(const adding *a, int row) {
    int y = row * SIDE + 1, from = 0, to = a->blend->setup.width;
    size_t first = (size_t)(row - a->row) * a->columns;
    for (int i = 0; i < a->columns; i++) a->weights[first + i] = 1;
    memset(a->inside + first, ENDO_BLEND_SOME, (size_t)a->columns);
    if (y < 0 || y >= a->blend->setup.height) return;
    if (a->frame->map.projection.bits) {
        endo_run_walk walk = runs_of(a, y, 1);
        for (endo_projected_run run; endo_run_next(&walk, &run);) visit_run(a, row, run.map.m, run.from, run.to);
        return;
    }
    endo_row_span(&a->frame->map.affine, y, a->store->options.width, a->store->options.height, &from, &to);
    visit_run(a, row, a->frame->map.affine.m, from, to);
}

/* ------------------------------------------------------------------- pixels */

/* A row's pixels x .. to - 1, all of which lie in the frame, as runs that end where a tile does. */
static void add_run(const adding *a, int y, const int64_t *m, int x, int to) {
    const cpu_blend *b = a->blend;
    const cpu_store *s = a->store;
    const cpu_blend_loops *loops = b->backend->variant->blend;
    uint16_t weights[ENDO_TILE_WIDTH];
    while (x < to) {
        int lead = x % SIDE, begin = x - lead, column = begin % ENDO_TILE_WIDTH, rest = ENDO_TILE_WIDTH - column;
        int n = to - begin < rest ? to - begin : rest;
        size_t at = (size_t)(y % ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH + (size_t)column;
        size_t cell = (size_t)(y / SIDE - a->row) * a->columns + (begin / SIDE - a->column);
        uint8_t *tile = tile_of(b, x, y);
        loops->spread(a->weights + cell, a->weights + cell + endo_blend_neighbour(y % SIDE) * a->columns,
                      endo_blend_cell_share(y % SIDE), (n + SIDE - 1) / SIDE, weights);
        cpu_blend_run run = {.pixels = s->frames[a->frame->slot].pixels, .bicubic = s->field->bicubic,
                             .factors = b->factors.pixels, .stride = s->stride, .px = m[0] * begin + m[1] * y + m[2],
                             .py = m[3] * begin + m[4] * y + m[5], .step_x = m[0], .step_y = m[3], .lead = lead, .n = n,
                             .taps = b->taps, .gain = a->frame->gain, .weights = weights, .inside = a->inside + cell,
                             .sums = tile + at * b->size, .coverage = coverage_of(b, tile) + at};
        loops->add_run(&run, b->setup.type);
        x = begin + n;
    }
}

static void add_row(const adding *a, int y) {
    int from = a->left, to = a->right;
    if (a->frame->map.projection.bits) {
        endo_run_walk walk = runs_of(a, y, 0);
        for (endo_projected_run run; endo_run_next(&walk, &run);) add_run(a, y, run.map.m, run.from, run.to);
        return;
    }
    endo_row_span(&a->frame->map.affine, y, a->store->options.width, a->store->options.height, &from, &to);
    add_run(a, y, a->frame->map.affine.m, from, to);
}

/* Cells and pixels of all frames of a batch, band after band of the panorama: what a band holds is read and written while it
 * is near. Of each cell and each pixel the frames come in their order. */
static void visit_band(const adding *frames, int n, int row) {
    for (int i = 0; i < n; i++)
        for (int k = row; k < row + BAND; k++)
            if (k >= frames[i].row && k < frames[i].row + frames[i].rows) visit_cells(&frames[i], k);
}

static void paint_band(const adding *frames, int n, int row) {
    for (int i = 0; i < n; i++)
        for (int y = row * SIDE; y < (row + BAND) * SIDE; y++)
            if (y >= frames[i].top && y < frames[i].bottom) add_row(&frames[i], y);
}

static int threads_for(const adding *frames, int n) {
    const endo_frames_options *o = &frames->store->options;
    return cpu_threads(frames->blend->backend, (size_t)n * o->width * o->height / CPU_PIXELS_A_THREAD);
}

static void add_frames(const adding *frames, int n) {
    int rows = frames->block_rows, first = frames->row, last = frames->row + frames->rows;
    for (int i = 1; i < n; i++) {
        if (frames[i].row < first) first = frames[i].row;
        if (frames[i].row + frames[i].rows > last) last = frames[i].row + frames[i].rows;
    }
#pragma omp parallel num_threads(threads_for(frames, n))
    {
#pragma omp for schedule(static)
        for (int k = 0; k < n * rows; k++) make_blocks(&frames[k / rows], k % rows);
#pragma omp for schedule(dynamic)
        for (int row = first; row < last; row += BAND) visit_band(frames, n, row);
        if (frames->frame->second) {
#pragma omp for schedule(dynamic) nowait
            for (int row = first; row < last; row += BAND) paint_band(frames, n, row);
        }
    }
}

/* Three quarters of a cell's width are more than 9/4 px of the frame: beyond the blocks around, with the 16 pixels. */
static int is_steep_along(const int64_t *m) {
    int64_t reach = (m[0] < 0 ? -m[0] : m[0]) + (m[1] < 0 ? -m[1] : m[1]);
    return 2 * reach > 3ll << 32;
}

/* Places of a homography err by an eighth of a pixel, those of its shortest runs by more. */
static int is_steep(const endo_canvas_map *map) {
    const endo_projection *p = &map->projection;
    if (p->bits) return p->bits == 2 || 6 * p->steepest > 7;
    return is_steep_along(map->affine.m) || is_steep_along(map->affine.m + 3);
}

/* Votes by difference; with CPU_VOTES tolerances the last is 0. */
static void count_votes(cpu_blend *b, const endo_frames_options *o) {
    uint32_t tolerance = b->setup.votes ? endo_blend_tolerance(o->type == ENDO_GREY16, o->low, o->high) : 0;
    if (tolerance == b->tolerance) return;
    b->tolerance = tolerance;
    for (uint32_t d = 0; d <= CPU_VOTES * tolerance; d++) b->votes[d] = (uint16_t)endo_blend_vote(d, tolerance);
}

/* Finds the box and takes the memory of a frame that is added. *reached: 0 if it does not reach the blend. */
static endo_status prepare(cpu_blend *b, const cpu_store *s, const endo_blend_frame *frame, struct cpu_workspaces *workspaces,
                           adding *a, int *reached) {
    const endo_frames_options *o = &s->options;
    *a = (adding){.blend = b, .store = s, .frame = frame, .block_columns = o->width / SIDE, .block_rows = o->height / SIDE,
                  .steep = is_steep(&frame->map)};
    endo_status status = cpu_take_tiles(&b->tiles, &b->reach, o, &frame->map, b->backend->threads);
    *reached = status == ENDO_OK && b->reach.n_bands;
    if (!*reached) return status;
    find_box(a);
    return take_workspaces(a, workspaces);
}

/* The store keeps a book of what is derived from its frames, which are as they were. */
static endo_status sum_blocks(const cpu_store *s, const endo_blend_frame *frames, int n) {
    endo_pair slots[ENDO_BLEND_BATCH];
    for (int i = 0; i < n; i++) slots[i] = (endo_pair){frames[i].slot, frames[i].slot};
    return cpu_derive((cpu_store *)s, CPU_BLOCKS, slots, (size_t)n, sizeof *slots);
}

static endo_status cpu_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n) {
    cpu_blend *b = blend;
    const cpu_store *s = store;
    adding batch[ENDO_BLEND_BATCH];
    int some = 0;
    endo_status status = sum_blocks(s, frames, n);
    count_votes(b, &s->options);
    for (int i = 0; i < n && status == ENDO_OK; i++) {
        int reached;
        status = prepare(b, s, &frames[i], &b->workspaces[some], &batch[some], &reached);
        some += status == ENDO_OK && reached;
    }
    if (some) add_frames(batch, some);
    return status;
}

const endo_blend_kernels cpu_blend_kernels = {
    .create = cpu_blend_create,
    .destroy = cpu_blend_destroy,
    .correct = cpu_blend_correct,
    .add = cpu_blend_add,
    .settle = cpu_blend_settle,
    .read = cpu_blend_read,
    .read_cells = cpu_blend_read_cells,
    .finish = cpu_blend_finish,
};
