/* Global equalization, [P] Algorithm 1: the histogram of the region gives one table for all of its pixels. Two
 * passes over memory: the same code for every back end. */
#include "ahe_global.h"

#include "base/memory.h"
#include "base/status.h"
#include "rules/ahe.h"

#define LEVELS 65536

typedef struct global_tables {
    uint64_t histogram[LEVELS], bins[ENDO_AHE_BINS];
    uint16_t mapped[LEVELS];
} global_tables;

static int levels_of(const endo_ahe_job *j) { return j->type == ENDO_GREY16 ? LEVELS : ENDO_AHE_BINS; }

static const uint8_t *row_of(const endo_ahe_job *j, int y) {
    size_t at = (size_t)(j->region.y + y) * j->stride + j->region.x;
    return (const uint8_t *)j->pixels + at * endo_pixel_size(j->type);
}

static void count(const endo_ahe_job *j, uint64_t *histogram) {
    for (int y = 0; y < j->region.height; y++) {
        const uint8_t *row = row_of(j, y);
        if (j->type == ENDO_GREY16)
            for (int x = 0; x < j->region.width; x++) histogram[((const uint16_t *)row)[x]]++;
        else
            for (int x = 0; x < j->region.width; x++) histogram[row[x]]++;
    }
}

static void map_plain(global_tables *t, int levels, uint64_t n) {
    uint64_t rank = 0, top = (uint64_t)levels - 1;
    for (int v = 0; v < levels; v++) {
        rank += t->histogram[v];
        t->mapped[v] = (uint16_t)(rank * top / n);
    }
}

static void set_bin(const endo_ahe_job *j, int v, endo_ahe_bin *b) {
    b->bin = (uint32_t)v;
    b->part = 1;
    b->width = (uint32_t)j->bin_width;
    if (j->type == ENDO_GREY16) endo_ahe_bin_of_16(v, j->low, j->high, j->bin_width, &b->bin, &b->part);
}

static void map_limited(const endo_ahe_job *j, global_tables *t, int levels, uint64_t n, uint64_t clip) {
    endo_ahe_bin b = {.cut = 0};
    uint64_t below[ENDO_AHE_BINS], sum = 0;
    for (int v = 0; v < levels; v++) {
        set_bin(j, v, &b);
        t->bins[b.bin] += t->histogram[v];
    }
    for (int i = 0; i < ENDO_AHE_BINS; i++) {
        uint64_t kept = t->bins[i] < clip ? t->bins[i] : clip;
        b.cut += t->bins[i] - kept;
        t->bins[i] = kept;
        below[i] = sum;
        sum += kept;
    }
    for (int v = 0; v < levels; v++) {
        set_bin(j, v, &b);
        b.below = below[b.bin];
        b.count = t->bins[b.bin];
        t->mapped[v] = (uint16_t)endo_ahe_limited(&b, n, (uint32_t)levels - 1);
    }
}

static void apply(const endo_ahe_job *j, const uint16_t *mapped) {
    for (int y = 0; y < j->region.height; y++) {
        const uint8_t *row = row_of(j, y);
        size_t to = (size_t)y * j->out_stride;
        if (j->type == ENDO_GREY16)
            for (int x = 0; x < j->region.width; x++)
                ((uint16_t *)j->out)[to + x] = mapped[((const uint16_t *)row)[x]];
        else
            for (int x = 0; x < j->region.width; x++) ((uint8_t *)j->out)[to + x] = (uint8_t)mapped[row[x]];
    }
}

endo_status endo_ahe_global(const endo_ahe_job *job, double limit) {
    uint64_t n = (uint64_t)job->region.width * job->region.height;
    global_tables *t = endo_alloc_zeroed(1, sizeof *t);
    if (!t) return endo_fail(ENDO_ERR_MEMORY, "no memory for a histogram");
    count(job, t->histogram);
    if (limit == 0)
        map_plain(t, levels_of(job), n);
    else
        map_limited(job, t, levels_of(job), n, (uint64_t)endo_ahe_clip(limit, (double)n));
    apply(job, t->mapped);
    endo_free(t);
    return ENDO_OK;
}
