/* Frames added to a blend, some with each launch (blend_kernels.cuh): which go together, and which part of the panorama
 * they visit. */
#include "blend_kernels.cuh"

#include <string.h>

/* Frames that lie so far apart that the box around them has more than so many times the pixels of the largest go apart. */
#define SPARSE 2

/* -------------------------------------------------------------------- boxes */

/* Pixels of the panorama; right and bottom exclusive. */
typedef struct pixel_box {
    int left, top, right, bottom;
} pixel_box;

static double area_of(const pixel_box *b) { return (double)(b->right - b->left) * (b->bottom - b->top); }

static pixel_box box_of(const cuda_blend *b) {
    const endo_reach *r = &b->reach;
    pixel_box box = {b->setup.width, r->bands[0].top, 0, r->bands[r->n_bands - 1].bottom};
    for (size_t i = 0; i < r->n_bands; i++) {
        if (!r->bands[i].n) continue;
        if (r->bands[i].left < box.left) box.left = r->bands[i].left;
        if (r->bands[i].right > box.right) box.right = r->bands[i].right;
    }
    return box;
}

static pixel_box around(const pixel_box *a, const pixel_box *b) {
    pixel_box box = {a->left < b->left ? a->left : b->left, a->top < b->top ? a->top : b->top,
                     a->right > b->right ? a->right : b->right, a->bottom > b->bottom ? a->bottom : b->bottom};
    return box;
}

/* Window after window over a box. */
typedef struct box_walk {
    const cuda_blend *blend;
    pixel_box box;
    int64_t first, last, row, end, column; /* columns of tiles; the next row, the last; the next column */
} box_walk;

static box_walk box_begin(const cuda_blend *b, const pixel_box *box) {
    const endo_canvas_extent *p = &b->tiles.extent;
    box_walk walk = {b, *box, endo_tile_column(box->left + p->left), endo_tile_column(box->right - 1 + p->left),
                     endo_tile_row(box->top + p->top), endo_tile_row(box->bottom - 1 + p->top), 0};
    walk.column = walk.first;
    return walk;
}

static void fill(const box_walk *walk, int columns, int rows, tile_window *w) {
    window_begin(&walk->blend->tiles.extent, walk->column, walk->row, columns, w);
    for (int i = 0; i < rows * columns; i++)
        w->tiles[i] = endo_canvas_tile(&walk->blend->tiles, walk->column + i % columns, walk->row + i / columns);
    int right = w->x + columns * ENDO_TILE_WIDTH, bottom = w->y + rows * ENDO_TILE_HEIGHT;
    w->left = walk->box.left > w->x ? walk->box.left : w->x;
    w->top = walk->box.top > w->y ? walk->box.top : w->y;
    w->right = walk->box.right < right ? walk->box.right : right;
    w->bottom = walk->box.bottom < bottom ? walk->box.bottom : bottom;
}

/* 0 after the last. */
static int box_next(box_walk *walk, tile_window *w) {
    if (walk->row > walk->end) return 0;
    int64_t wide = walk->last - walk->first + 1, left = walk->last - walk->column + 1, high = walk->end - walk->row + 1;
    int columns = (int)(left < WINDOW ? left : WINDOW);
    int rows = wide > WINDOW / 2 ? 1 : (int)(high < WINDOW / wide ? high : WINDOW / wide);
    fill(walk, columns, rows, w);
    walk->column += columns;
    if (walk->column > walk->last) walk->column = walk->first, walk->row += rows;
    return 1;
}

/* --------------------------------------------------------------------- call */

/* Frames that are added together. */
typedef struct add_group {
    cuda_blend *blend;
    const cuda_store *store;
    add_job job;
    add_hidden hidden;
    pixel_box box, boxes[ENDO_BLEND_BATCH];
    double largest; /* of the boxes */
} add_group;

static void begin_group(add_group *g, int second) {
    const endo_frames_options *o = &g->store->options;
    const cuda_blend *b = g->blend;
    add_job *job = &g->job;
    int deep = o->type == ENDO_GREY16;
    memset(job, 0, sizeof *job);
    job->bicubic = g->store->bicubic, job->depths = g->store->depths;
    job->width = o->width, job->height = o->height, job->stride = g->store->stride, job->type = o->type;
    job->factors = (const uint16_t *)b->factors.memory, job->factor_means = (const uint16_t *)b->factor_means.memory;
    job->factor_stride = b->factor_stride;
    job->second = second, job->cubic = b->setup.cubic;
    job->tolerance = b->setup.votes ? endo_blend_tolerance(deep, o->low, o->high) : 0;
    job->clipped_from = deep ? endo_blend_clipped_16(o->low, o->high) : ENDO_SPECULAR_GREY;
    job->block_columns = o->width / SIDE, job->block_rows = o->height / SIDE;
    g->largest = 0;
}

/* Adds a frame to the group; its tiles are those that were taken last. */
static void join_group(add_group *g, const endo_blend_frame *from, const pixel_box *box) {
    const cuda_store *s = g->store;
    int k = g->job.n++;
    add_frame *frame = &g->job.frames[k];
    frame->pixels = s->pixels + from->slot * s->area * endo_pixel_size(s->options.type);
    memcpy(frame->gain, from->gain, sizeof frame->gain);
    frame->weight = from->weight, frame->map = from->map;
    g->hidden.frames[k] = from->hidden;
    /* The cells of the frame, with one more on every side. */
    frame->column = box->left / SIDE - 1, frame->row = box->top / SIDE - 1;
    frame->columns = (box->right - 1) / SIDE + 2 - frame->column;
    g->boxes[k] = *box;
    g->box = k ? around(&g->box, box) : *box;
    if (area_of(box) > g->largest) g->largest = area_of(box);
}

static int fits_group(const add_group *g, const pixel_box *box) {
    pixel_box both = around(&g->box, box);
    double largest = area_of(box) > g->largest ? area_of(box) : g->largest;
    return area_of(&both) <= SPARSE * largest;
}

static size_t cells_in(const add_group *g, int k) {
    const add_frame *frame = &g->job.frames[k];
    return (size_t)frame->columns * ((g->boxes[k].bottom - 1) / SIDE + 2 - frame->row);
}

static endo_status take_workspace(add_group *g) {
    cuda_blend *b = g->blend;
    add_job *job = &g->job;
    size_t blocks = (size_t)job->block_columns * job->block_rows * job->n + 1, cells = 0;
    for (int k = 0; k < job->n; k++) cells += cells_in(g, k);
    ENDO_TRY(cuda_reserve(b->backend, &b->blocks, blocks * sizeof *job->blocks));
    ENDO_TRY(cuda_reserve(b->backend, &b->clipped, blocks));
    ENDO_TRY(cuda_reserve(b->backend, &b->weights, cells * sizeof(uint16_t)));
    job->blocks = (endo_blend_block *)b->blocks.memory, job->clipped = (uint8_t *)b->clipped.memory;
    uint16_t *weights = (uint16_t *)b->weights.memory;
    for (int k = 0; k < job->n; k++) job->frames[k].weights = weights, weights += cells_in(g, k);
    if (job->second)
        ENDO_CUDA(b->backend, cudaMemsetAsync(b->weights.memory, 0xff, cells * sizeof(uint16_t), b->backend->stream));
    return ENDO_OK;
}

static dim3 grid_over(int columns, int rows, int frames) {
    return dim3((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y, frames);
}

/* Cells, then pixels. */
template <int PROJECTED>
static void launch_visits(const add_group *g) {
    const dim3 block(BLOCK_X, BLOCK_Y);
    const cuda_blend *b = g->blend;
    const add_job *job = &g->job;
    cudaStream_t stream = b->backend->stream;
    tile_window w;
    for (box_walk walk = box_begin(b, &g->box); box_next(&walk, &w);) {
        dim3 grid = grid_over((w.right - 1) / SIDE - w.left / SIDE + 1, (w.bottom - 1) / SIDE - w.top / SIDE + 1, 1);
        cells_kernel<PROJECTED><<<grid, block, 0, stream>>>(*job, w, b->size);
    }
    for (box_walk walk = box_begin(b, &g->box); job->second && box_next(&walk, &w);)
        pixels_kernel<PROJECTED><<<grid_of(w), block, 0, stream>>>(*job, w, b->size);
}

static int any_projected(const add_group *g) {
    int any = 0;
    for (int k = 0; k < g->job.n; k++) any |= g->job.frames[k].map.projection.bits;
    return any;
}

static endo_status launch(const add_group *g) {
    const dim3 block(BLOCK_X, BLOCK_Y);
    const cuda_blend *b = g->blend;
    const add_job *job = &g->job;
    cudaStream_t stream = b->backend->stream;
    if (job->block_columns && job->block_rows) {
        dim3 grid = grid_over(job->block_columns, job->block_rows, job->n);
        blocks_kernel<<<grid, block, 0, stream>>>(*job);
        scores_kernel<<<grid, block, 0, stream>>>(*job, g->hidden);
    }
    if (any_projected(g)) launch_visits<1>(g);
    else launch_visits<0>(g);
    ENDO_CUDA(b->backend, cudaGetLastError());
    return ENDO_OK;
}

static endo_status end_group(add_group *g) {
    if (!g->job.n) return ENDO_OK;
    endo_status status = take_workspace(g);
    if (status == ENDO_OK) status = launch(g);
    if (status == ENDO_OK) status = cuda_store_leave_slots(g->store);
    g->job.n = 0, g->largest = 0;
    return status;
}

/* Frames before it are added with it, or were. */
static endo_status add_to_group(add_group *g, const endo_blend_frame *frame) {
    cuda_blend *b = g->blend;
    ENDO_TRY(cuda_store_enter_slot(g->store, frame->slot));
    ENDO_TRY(cuda_take_tiles(b->backend, &b->tiles, &b->reach, &g->store->options, &frame->map));
    if (!b->reach.n_bands) return ENDO_OK;
    pixel_box box = box_of(b);
    if (g->job.n && !fits_group(g, &box)) ENDO_TRY(end_group(g));
    join_group(g, frame, &box);
    return ENDO_OK;
}

endo_status cuda_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n) {
    add_group group = {};
    endo_status status = ENDO_OK;
    group.blend = (cuda_blend *)blend, group.store = (const cuda_store *)store;
    ENDO_TRY(cuda_enter(group.blend->backend));
    begin_group(&group, frames[0].second);
    for (int i = 0; i < n && status == ENDO_OK; i++) status = add_to_group(&group, &frames[i]);
    endo_status last = end_group(&group);
    return status == ENDO_OK ? last : status;
}
