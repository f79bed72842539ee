/* The self-optimising configuration of a level, [B] section 2.3: by the counts of an earlier histogram some bins get
 * cells of shared memory, the fullest several, the others none. Found once, on the host, and kept.
 *
 * Other than in the paper, for hardware with atomic operations in shared memory: cells have 16 bits and no tags, and never
 * overflow, for no block counts more voxels than 16 bits hold. */
#include "mutual.cuh"

#include "rules/histogram_levels.h"

#define CELL_BYTES 2

/* The costs of [B] on this device, in collisions of shared memory: an update of global memory leaves the multiprocessor.
 * Only their ratio counts, and hardly that: with cells for half of all bins, the empty ones go. */
static endo_histogram_costs costs_here(const cuda_backend *b) {
    endo_histogram_costs c = {8, 1, 2, 1024.0 * b->multiprocessors, {0}, CELL_BYTES};
    return c;
}

typedef struct drawing {
    uint8_t *levels;
    endo_histogram_candidate *heap;
    uint32_t *places;
    uint16_t *bins[2];
} drawing;

static void drawing_free(drawing *d) {
    endo_free(d->levels);
    endo_free(d->heap);
    endo_free(d->places);
    endo_free(d->bins[0]);
    endo_free(d->bins[1]);
}

static int drawing_make(drawing *d, int bins, int cells) {
    size_t all = (size_t)bins * bins;
    d->levels = (uint8_t *)endo_alloc(all, 1);
    d->heap = (endo_histogram_candidate *)endo_alloc(all, sizeof *d->heap);
    d->places = (uint32_t *)endo_alloc(all, sizeof *d->places);
    for (int k = 0; k < 2; k++) d->bins[k] = (uint16_t *)endo_alloc_zeroed((size_t)cells, sizeof *d->bins[k]);
    return d->levels && d->heap && d->places && d->bins[0] && d->bins[1];
}

/* Gives each bin its cells, one behind the other. Returns how many. */
static int draw(drawing *d, int bins) {
    int used = 0;
    for (int i = 0; i < bins * bins; i++) {
        int copies = d->levels[i] ? 1 << (d->levels[i] - 1) : 0;
        d->places[i] = copies ? (uint32_t)used | (uint32_t)(copies - 1) << MUTUAL_COPIES_BIT : MUTUAL_NOT_CACHED;
        for (int k = 0; k < copies; k++, used++)
            d->bins[0][used] = (uint16_t)(i / bins), d->bins[1][used] = (uint16_t)(i % bins);
    }
    return used;
}

static endo_status send(mutual_pair *p, int level, const drawing *d, int n, int capacity) {
    cuda_backend *b = p->backend;
    mutual_cells *c = &p->cells[level];
    int bins = p->levels[level].bins;
    size_t all = (size_t)bins * bins;
    if (!c->places) ENDO_TRY(cuda_arena_add(&p->cells_arena, all, sizeof *c->places, (void **)&c->places));
    for (int k = 0; k < 2; k++)
        if (!c->bins[k])
            ENDO_TRY(cuda_arena_add(&p->cells_arena, (size_t)capacity, sizeof *c->bins[k], (void **)&c->bins[k]));
    ENDO_CUDA(b, cudaMemcpyAsync(c->places, d->places, all * sizeof *c->places, cudaMemcpyHostToDevice, b->stream));
    for (int k = 0; k < 2; k++)
        ENDO_CUDA(b, cudaMemcpyAsync(c->bins[k], d->bins[k], (size_t)n * sizeof *c->bins[k], cudaMemcpyHostToDevice,
                                     b->stream));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream)); /* the host's memory goes */
    c->n = n;
    return ENDO_OK;
}

endo_status cuda_mutual_configure(mutual_pair *p, int level, const uint32_t *counts) {
    int bins = p->levels[level].bins, capacity = (int)(p->backend->shared_memory_of_block / CELL_BYTES) & ~1;
    if (capacity > 1 << MUTUAL_COPIES_BIT) capacity = 1 << MUTUAL_COPIES_BIT;
    endo_histogram_costs costs = costs_here(p->backend);
    drawing d = {};
    endo_status status = ENDO_OK;
    if (!drawing_make(&d, bins, capacity)) status = endo_fail(ENDO_ERR_MEMORY, "no memory to configure a histogram");
    if (status == ENDO_OK) {
        endo_histogram_levels(&costs, counts, bins * bins, (int64_t)capacity * CELL_BYTES, d.heap, d.levels);
        int used = draw(&d, bins);
        status = send(p, level, &d, used + (used & 1), capacity);
    }
    drawing_free(&d);
    return status;
}
