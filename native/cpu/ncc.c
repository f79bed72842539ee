/* Coefficients of single templates and batches. */
#include "derived.h"

#include "base/openmp.h"

static int fits(const cpu_store *s, const endo_centres *centres, int x, int y) {
    return x >= 0 && y >= 0 && x < s->options.width && y < s->options.height &&
           centres->mask[(size_t)y * s->options.width + x];
}

static cpu_masked_window masked_window(const cpu_correlator *c, const cpu_frame *window, int cx, int cy) {
    ptrdiff_t stride = c->store->stride, half = c->side / 2;
    ptrdiff_t from = (c->y - half) * stride + c->x - half, to = (cy - half) * stride + cx - half;
    cpu_masked_window w = {c->reference->grey + from, c->reference->specular + from, window->grey + to,
                           window->specular + to, stride, c->side, c->side};
    return w;
}

static double correlate_masked(const cpu_correlator *c, const cpu_frame *window, int cx, int cy) {
    endo_sums sums = {0, 0, 0, 0, 0, 0};
    cpu_masked_window w = masked_window(c, window, cx, cy);
    c->store->backend->variant->ncc->masked(&w, &sums);
    if (2 * sums.n < (int64_t)c->side * c->side) return NAN;
    return endo_coefficient(&sums);
}

int cpu_correlator_set(cpu_correlator *c, const cpu_store *s, const endo_centres *centres, int reference, int current,
                       int x, int y, void *scratch) {
    int side = centres->side;
    ptrdiff_t half = side / 2;
    c->store = s;
    c->centres = centres;
    c->reference = &s->frames[reference];
    c->current = &s->frames[current];
    c->side = side, c->x = x, c->y = y;
    if (c->reference->specular) {
        double self = correlate_masked(c, c->reference, x, y);
        return self == self;
    }
    c->packed.side = side;
    c->packed.pixels = c->reference->grey + (y - half) * s->stride + x - half;
    c->packed.stride = s->stride;
    c->packed.packed = scratch;
    s->backend->variant->ncc->prepare(&c->packed);
    int64_t n = (int64_t)side * side;
    return n * c->packed.sum_of_squares > c->packed.sum * c->packed.sum;
}

double cpu_correlate(const cpu_correlator *c, int cx, int cy) {
    const cpu_store *s = c->store;
    if (!fits(s, c->centres, cx, cy)) return NAN;
    if (c->reference->specular) return correlate_masked(c, c->current, cx, cy);
    ptrdiff_t half = c->side / 2;
    cpu_window_sums w;
    s->backend->variant->ncc->window(&c->packed, c->current->grey + (cy - half) * s->stride + cx - half, s->stride, &w);
    endo_sums sums = {(int64_t)c->side * c->side, c->packed.sum, w.y, c->packed.sum_of_squares, w.yy, w.xy};
    return endo_coefficient(&sums);
}

static int same_template(const endo_ncc_request *a, const endo_ncc_request *b) {
    return a->reference == b->reference && a->current == b->current && a->x == b->x && a->y == b->y;
}

endo_status cpu_ncc(void *store, const endo_ncc_request *requests, size_t n, const endo_centres *centres, double *out) {
    cpu_store *s = store;
    ENDO_TRY(cpu_derive(s, CPU_ENHANCED, requests, n, sizeof *requests));
    int threads = cpu_threads(s->backend, n / 256);
    uint8_t *scratch = cpu_scratch(s->backend, threads, CPU_TEMPLATE_BYTES);
    if (!scratch) return endo_fail(ENDO_ERR_MEMORY, "no memory for templates");
#pragma omp parallel num_threads(threads)
    {
        uint8_t *local = scratch + (size_t)omp_get_thread_num() * CPU_TEMPLATE_BYTES;
        cpu_correlator c;
        const endo_ncc_request *last = NULL; /* a run of requests with one template packs it once */
        int textured = 0;
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            const endo_ncc_request *q = &requests[i];
            if (!last || !same_template(last, q))
                textured = fits(s, centres, q->x, q->y) &&
                           cpu_correlator_set(&c, s, centres, q->reference, q->current, q->x, q->y, local);
            last = q;
            out[i] = textured ? cpu_correlate(&c, q->cx, q->cy) : NAN;
        }
    }
    return ENDO_OK;
}
