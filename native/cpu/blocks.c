/* Sums of frames' blocks, and where a pixel of them is clipped: what blends look at, as the pixels are (rules/blend.h). They
 * come with a frame's copy, while its pixels are at hand, or are made when they are first needed. */
#include "derived.h"

enum { SIDE = ENDO_BLEND_SIDE };

static int columns_of(const cpu_store *s) { return s->options.width / SIDE; }
static int rows_of(const cpu_store *s) { return s->options.height / SIDE; }

/* Bytes of a row of `clipped`, with zeros around. */
static size_t across_of(const cpu_store *s) { return (size_t)columns_of(s) + 2; }

const endo_blend_block *cpu_block_sums(const cpu_store *s, int slot, int row) {
    return s->block_sums + ((size_t)slot * (size_t)rows_of(s) + (size_t)row) * (size_t)columns_of(s);
}

const uint8_t *cpu_block_clipped(const cpu_store *s, int slot, int row) {
    return s->block_clipped + ((size_t)slot * (size_t)(rows_of(s) + 2) + (size_t)(row + 1)) * across_of(s) + 1;
}

void cpu_block_run(const cpu_store *s, int row, int *from, int *to) {
    const uint8_t *surroundings = s->field->surroundings + (size_t)row * (size_t)columns_of(s);
    for (*from = 0; *from < columns_of(s) && surroundings[*from] == ENDO_BLEND_NONE;) ++*from;
    for (*to = columns_of(s); *to > *from && surroundings[*to - 1] == ENDO_BLEND_NONE;) --*to;
}

void cpu_sum_blocks(const cpu_store *s, int slot, int row, const void *pixels, ptrdiff_t stride) {
    const endo_frames_options *o = &s->options;
    int from, to;
    cpu_block_run(s, row, &from, &to);
    cpu_block_row r = {.pixels = (const uint8_t *)pixels + (size_t)(from * SIDE) * endo_pixel_size(o->type),
                       .stride = stride, .n = to - from,
                       .clipped = o->type == ENDO_GREY16 ? endo_blend_clipped_16(o->low, o->high) : 0};
    s->backend->variant->blend->sum_row(&r, o->type, (endo_blend_block *)cpu_block_sums(s, slot, row) + from,
                                        (uint8_t *)cpu_block_clipped(s, slot, row) + from);
}

/* Rows of all frames side by side. */
static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
    size_t rows = (size_t)rows_of(s), pitch = (size_t)s->stride * endo_pixel_size(s->options.type);
    size_t pixels = n * (size_t)s->options.width * (size_t)s->options.height;
#pragma omp parallel for num_threads(cpu_threads(s->backend, pixels / CPU_PIXELS_A_THREAD)) schedule(static)
    for (size_t i = 0; i < n * rows; i++) {
        size_t row = i % rows;
        int slot = slots[i / rows];
        cpu_sum_blocks(s, slot, (int)row, s->frames[slot].pixels + row * SIDE * pitch, s->stride);
    }
    return ENDO_OK;
}

static int applies(const cpu_store *s) { return s->options.keep_pixels; }

static void take(cpu_store *s) {
    size_t slots = (size_t)s->options.capacity, rows = (size_t)rows_of(s), margin = 4; /* vectors run over the end */
    s->block_sums = cpu_arena_take(&s->arena, slots * rows * (size_t)columns_of(s) + margin, sizeof *s->block_sums);
    s->block_clipped = cpu_arena_take(&s->arena, slots * (rows + 2) * across_of(s) + margin, 1);
}

const cpu_derivation cpu_blocks = {
    .from = CPU_DERIVED,
    .applies = applies,
    .take = take,
    .build = build,
};
