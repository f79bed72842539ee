/* Blending (endorama/blend.h): a canvas of sums, and one of cells. */
#include "blend.h"

#include <string.h>

enum { SIDE = ENDO_BLEND_SIDE };

/* A frame while it is added. */
typedef struct ref_added {
    const ref_store *store;
    const endo_blend_frame *frame;
    endo_blend_block *blocks;
    int columns, rows; /* of blocks */
    uint16_t *weights; /* of cells */
} ref_added;

static void ref_blend_destroy(void *blend) {
    ref_blend *b = blend;
    if (!b) return;
    endo_free(b->sums);
    endo_free(b->coverage);
    endo_free(b->cells);
    endo_free(b);
}

static endo_status ref_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    (void)backend;
    size_t area = (size_t)setup->width * setup->height;
    ref_blend *b = endo_alloc_zeroed(1, sizeof *b);
    if (b) {
        b->setup = *setup;
        b->columns = endo_blend_cells(setup->width), b->rows = endo_blend_cells(setup->height);
        b->sums = endo_alloc_zeroed(area, endo_blend_sum_size(setup->type));
        b->coverage = endo_alloc_zeroed(area, sizeof *b->coverage);
        b->cells = endo_alloc_zeroed((size_t)b->columns * b->rows, sizeof *b->cells);
    }
    if (!b || !b->sums || !b->coverage || !b->cells) {
        ref_blend_destroy(b);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a blend of %d x %d", setup->width, setup->height);
    }
    *blend = b;
    return ENDO_OK;
}

static endo_status ref_blend_correct(void *blend, const endo_blend_correction *correction) {
    ((ref_blend *)blend)->factors = *correction;
    return ENDO_OK;
}

/* ------------------------------------------------------------------- blocks */

/* Channel c of a pixel. */
static uint32_t channel_at(const ref_store *s, const void *pixels, int x, int y, int c) {
    size_t i = (size_t)y * s->options.width + x;
    switch (s->options.type) {
    case ENDO_RGB32: return ((const uint32_t *)pixels)[i] >> 8 * c & 255;
    case ENDO_GREY16: return ((const uint16_t *)pixels)[i];
    default: return ((const uint8_t *)pixels)[i];
    }
}

static int channels_of(endo_pixel type) { return type == ENDO_RGB32 ? 3 : 1; }

static int is_clipped(const ref_store *s, const void *pixels, int x, int y) {
    size_t i = (size_t)y * s->options.width + x;
    switch (s->options.type) {
    case ENDO_RGB32: return endo_blend_clipped_rgb(((const uint32_t *)pixels)[i]);
    case ENDO_GREY16:
        return ((const uint16_t *)pixels)[i] >= endo_blend_clipped_16(s->options.low, s->options.high);
    default: return ((const uint8_t *)pixels)[i] >= ENDO_SPECULAR_GREY;
    }
}

/* A pixel of the block or of one around it is clipped. */
static int is_clipped_near(const ref_added *a, int column, int row) {
    const ref_store *s = a->store;
    for (int y = (row - 1) * SIDE; y < (row + 2) * SIDE; y++)
        for (int x = (column - 1) * SIDE; x < (column + 2) * SIDE; x++)
            if (x >= 0 && y >= 0 && x < a->columns * SIDE && y < a->rows * SIDE &&
                is_clipped(s, s->frames[a->frame->slot].pixels, x, y))
                return 1;
    return 0;
}

static uint32_t block_value(const ref_added *a, int column, int row, int c) {
    const ref_store *s = a->store;
    uint32_t sum = 0;
    for (int y = row * SIDE; y < (row + 1) * SIDE; y++)
        for (int x = column * SIDE; x < (column + 1) * SIDE; x++)
            sum += channel_at(s, s->frames[a->frame->slot].pixels, x, y, c);
    return s->options.type == ENDO_GREY16 ? sum >> 8 : sum;
}

/* How far the cell that the middle of the block lies in is hidden: 0 not, 1 partly, 2 wholly. The small amount keeps quotients
 * that are whole numbers from falling below them. */
static int hidden_at(const ref_added *a, int column, int row) {
    const endo_blend_hidden *h = &a->frame->hidden;
    double x = (column * SIDE + 2.0) / a->store->options.width;
    double y = (row * SIDE + 2.0) / a->store->options.height;
    if (!h->columns) return 0;
    int cell = (int)(y * h->rows + 1e-9) * h->columns + (int)(x * h->columns + 1e-9);
    return h->bits[cell / 16] >> 2 * (cell % 16) & 3;
}

static uint16_t score_left(uint16_t score, int hidden) {
    if (!hidden || !score) return score;
    int left = hidden == 1 ? score / 8 : 0;
    return (uint16_t)(left < 1 ? 1 : left);
}

static void make_blocks(const ref_blend *b, const ref_added *a) {
    for (int row = 0; row < a->rows; row++)
        for (int column = 0; column < a->columns; column++) {
            size_t i = (size_t)row * a->columns + column;
            endo_blend_block block = {{0, 0, 0}, 0};
            uint32_t brightest = 0;
            for (int c = 0; c < channels_of(b->setup.type); c++) {
                uint32_t value = block_value(a, column, row, c);
                brightest = value > brightest ? value : brightest;
            }
            for (int c = 0; c < channels_of(b->setup.type); c++)
                block.value[c] = (uint16_t)endo_blend_shade(block_value(a, column, row, c), endo_blend_white(brightest),
                                                            b->factors.blocks[i], a->frame->gain[c], ENDO_BLEND_MOST);
            block.score = (uint16_t)endo_blend_score(a->store->depths[i], a->frame->weight,
                                                     is_clipped_near(a, column, row));
            block.score = score_left(block.score, hidden_at(a, column, row));
            a->blocks[i] = block;
        }
}

/* -------------------------------------------------------------------- cells */

/* Observes what the frame shows in a cell; 0: nothing. The cell's pixel (1, 1) must lie on the blend and in the frame. */
static int observe(const ref_blend *b, const ref_added *a, int column, int row, endo_blend_observation *out) {
    int x = column * SIDE + 1, y = row * SIDE + 1;
    endo_fixed_affine map;
    ref_sample sample;
    if (x >= b->setup.width || y >= b->setup.height) return 0;
    if (!endo_canvas_map_at(&a->frame->map, x, y, 1, &map)) return 0;
    if (!ref_locate(&map, x, y, a->store->options.width, a->store->options.height, &sample)) return 0;
    const int64_t *m = map.m;
    int64_t px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
    int64_t u = endo_blend_block_position(px, (m[0] + m[1]) >> 1), v = endo_blend_block_position(py, (m[3] + m[4]) >> 1);
    return endo_blend_observe(a->blocks, a->columns, a->rows, u, v, out);
}

static void visit_cells(const ref_blend *b, const ref_added *a) {
    const endo_frames_options *o = &a->store->options;
    uint32_t tolerance = b->setup.votes ? endo_blend_tolerance(o->type == ENDO_GREY16, o->low, o->high) : 0;
    for (int row = 0; row < b->rows; row++)
        for (int column = 0; column < b->columns; column++) {
            size_t i = (size_t)row * b->columns + column;
            endo_blend_observation observation;
            a->weights[i] = 1;
            if (!observe(b, a, column, row, &observation)) continue;
            if (a->frame->second) a->weights[i] = (uint16_t)endo_blend_weigh(&b->cells[i], &observation, tolerance);
            else endo_blend_first_pass(&b->cells[i], &observation);
        }
}

/* ------------------------------------------------------------------- pixels */

static uint32_t cell_weight(const ref_blend *b, const ref_added *a, int column, int row) {
    int outside = column < 0 || row < 0 || column >= b->columns || row >= b->rows;
    return outside ? 1 : a->weights[(size_t)row * b->columns + column];
}

/* Between the middles of four cells. */
static uint32_t pixel_weight(const ref_blend *b, const ref_added *a, int x, int y) {
    int column = x / SIDE, row = y / SIDE, i = x % SIDE, j = y % SIDE;
    int beside = column + endo_blend_neighbour(i), above = row + endo_blend_neighbour(j);
    uint32_t across = endo_blend_cell_share(i), down = endo_blend_cell_share(j);
    uint32_t near = across * cell_weight(b, a, column, row) + (8 - across) * cell_weight(b, a, beside, row);
    uint32_t far = across * cell_weight(b, a, column, above) + (8 - across) * cell_weight(b, a, beside, above);
    return (down * near + (8 - down) * far + 32) >> 6;
}

/* All 16 pixels around a place lie in the field less its rim. */
static int may_sample(const ref_store *s, const ref_sample *p) {
    for (int y = p->y - 1; y <= p->y + 2; y++)
        for (int x = p->x - 1; x <= p->x + 2; x++)
            if (x < 0 || y < 0 || x >= s->options.width || y >= s->options.height ||
                !s->paint_field[(size_t)y * s->options.width + x])
                return 0;
    return 1;
}

static int32_t sample(const ref_added *a, const ref_sample *p, int cubic, int c) {
    int8_t across[4], down[4];
    int32_t sum = 0;
    endo_blend_taps(cubic, p->fx, across);
    endo_blend_taps(cubic, p->fy, down);
    for (int v = 0; v < 4; v++)
        for (int u = 0; u < 4; u++)
            sum += down[v] * across[u] * (int32_t)channel_at(a->store, a->store->frames[a->frame->slot].pixels,
                                                             p->x - 1 + u, p->y - 1 + v, c);
    return sum;
}

/* The corrected values of all channels. */
static void pixel_values(const ref_blend *b, const ref_added *a, const ref_sample *p, uint32_t out[3]) {
    int is_deep = b->setup.type == ENDO_GREY16;
    uint32_t correction = b->factors.pixels[p->y * b->factors.stride + p->x];
    uint32_t brightest = 0;
    for (int c = 0; c < channels_of(b->setup.type); c++) {
        int32_t sum = sample(a, p, b->setup.cubic, c);
        out[c] = is_deep ? endo_blend_value16(sum) : endo_blend_value8(sum);
        brightest = out[c] > brightest ? out[c] : brightest;
    }
    uint32_t white = endo_blend_white(is_deep ? brightest >> 4 : brightest);
    for (int c = 0; c < channels_of(b->setup.type); c++)
        out[c] = endo_blend_shade(out[c], white, correction, a->frame->gain[c], is_deep ? ENDO_BLEND_MOST16 : ENDO_BLEND_MOST);
}

static void add_pixel(const ref_blend *b, const ref_added *a, const ref_sample *p, size_t to, uint32_t weight) {
    int channels = channels_of(b->setup.type);
    uint32_t values[3];
    pixel_values(b, a, p, values);
    if (b->coverage[to] < 65535) b->coverage[to]++;
    if (b->setup.type == ENDO_GREY16) {
        uint64_t *sums = (uint64_t *)b->sums + 2 * to;
        if (!endo_blend_takes((uint32_t)sums[1], weight)) return;
        sums[0] += (uint64_t)weight * values[0], sums[1] += weight;
        return;
    }
    uint32_t *sums = (uint32_t *)b->sums + (size_t)(channels + 1) * to;
    if (!endo_blend_takes(sums[channels], weight)) return;
    for (int c = 0; c < channels; c++) sums[c] += weight * values[c];
    sums[channels] += weight;
}

static void visit_pixels(const ref_blend *b, const ref_added *a) {
    const endo_frames_options *o = &a->store->options;
    for (int y = 0; y < b->setup.height; y++)
        for (int x = 0; x < b->setup.width; x++) {
            endo_fixed_affine map;
            ref_sample p;
            if (!endo_canvas_map_at(&a->frame->map, x, y, 0, &map)) continue;
            if (!ref_locate(&map, x, y, o->width, o->height, &p) || !may_sample(a->store, &p)) continue;
            add_pixel(b, a, &p, (size_t)y * b->setup.width + x, pixel_weight(b, a, x, y));
        }
}

static endo_status add_frame(void *blend, const void *store, const endo_blend_frame *frame) {
    const ref_blend *b = blend;
    const ref_store *s = store;
    ref_added a = {.store = s, .frame = frame, .columns = s->options.width / SIDE, .rows = s->options.height / SIDE};
    a.blocks = endo_alloc((size_t)a.columns * a.rows + 1, sizeof *a.blocks);
    a.weights = endo_alloc((size_t)b->columns * b->rows, sizeof *a.weights);
    int ready = a.blocks && a.weights;
    if (ready) {
        make_blocks(b, &a);
        visit_cells(b, &a);
        if (frame->second) visit_pixels(b, &a);
    }
    endo_free(a.blocks);
    endo_free(a.weights);
    return ready ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of a frame");
}

static endo_status ref_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < n && status == ENDO_OK; i++) status = add_frame(blend, store, &frames[i]);
    return status;
}

/* --------------------------------------------------------------------- read */

static endo_status ref_blend_settle(void *blend) {
    ref_blend *b = blend;
    for (size_t i = 0; i < (size_t)b->columns * b->rows; i++) endo_blend_settle(&b->cells[i]);
    return ENDO_OK;
}

static endo_status ref_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    const ref_blend *b = blend;
    size_t size = endo_blend_sum_size(b->setup.type);
    for (int v = 0; v < height; v++) {
        size_t from = (size_t)(y + v) * b->setup.width + x, to = (size_t)v * width;
        memcpy((uint8_t *)sums + to * size, b->sums + from * size, (size_t)width * size);
        memcpy(coverage + to, b->coverage + from, (size_t)width * sizeof *coverage);
    }
    return ENDO_OK;
}

static endo_status ref_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    const ref_blend *b = blend;
    for (int v = 0; v < height; v++)
        memcpy(cells + (size_t)v * width, b->cells + (size_t)(y + v) * b->columns + x, (size_t)width * sizeof *cells);
    return ENDO_OK;
}

const endo_blend_kernels ref_blend_kernels = {
    .create = ref_blend_create,
    .destroy = ref_blend_destroy,
    .correct = ref_blend_correct,
    .add = ref_blend_add,
    .settle = ref_blend_settle,
    .read = ref_blend_read,
    .read_cells = ref_blend_read_cells,
    .finish = ref_blend_finish,
};
