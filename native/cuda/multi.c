/* Several devices behind one context: another table over the one of cuda/, so that nobody above knows.
 *
 * Every device holds every frame, each fed over its own link by a thread of its own; the pairs (or requests)
 * of a call are divided into equal runs, one a device, and worked on at once. Pixels are painted, grey
 * images read, and images equalized on the first device. What comes back is the same bytes as from one device: a result depends
 * on its own pair alone. */
#include "multi.h"

#include "../base/memory.h"
#include "../base/status.h"
#include "../kernels.h"

#include <stdio.h>
#include <string.h>

typedef struct multi {
    void *backends[ENDO_MAX_DEVICES];
    int n;
} multi;

typedef struct multi_store {
    multi *owner;
    void *stores[ENDO_MAX_DEVICES];
} multi_store;

/* Messages are a thread's own: the first failure is carried to the thread that called. */
typedef struct outcome {
    endo_status status;
    char message[256];
} outcome;

static void keep(outcome *o, endo_status status) {
    o->status = status;
    if (status != ENDO_OK) snprintf(o->message, sizeof o->message, "%s", endo_last_error());
}

static endo_status first_failure(const outcome *o, int n) {
    for (int i = 0; i < n; i++)
        if (o[i].status != ENDO_OK) return endo_fail(o[i].status, "%s", o[i].message);
    return ENDO_OK;
}

/* The part of n that device i works on. */
static size_t part(size_t n, int i, int devices) { return n * (size_t)i / (size_t)devices; }

/* Runs one call of a device for each, at once; the call may use i, from and count. */
#define ON_EACH(m, total, call)                                                              \
    outcome outcomes[ENDO_MAX_DEVICES];                                                      \
    int devices = (m)->n;                                                                    \
    _Pragma("omp parallel for schedule(static, 1) num_threads(devices)")                     \
    for (int i = 0; i < devices; i++) {                                                      \
        size_t from = part(total, i, devices), count = part(total, i + 1, devices) - from;   \
        (void)from, (void)count;                                                             \
        keep(&outcomes[i], call);                                                            \
    }                                                                                        \
    return first_failure(outcomes, devices)

static void multi_close(void *backend) {
    multi *m = backend;
    if (!m) return;
    for (int i = 0; i < m->n; i++) endo_kernels_cuda.close(m->backends[i]);
    endo_free(m);
}

static endo_status multi_open(const endo_context_options *options, void **backend) {
    multi *m = endo_alloc_zeroed(1, sizeof *m);
    if (!m) return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    for (int i = 0; i < options->n_devices; i++) {
        endo_context_options one = *options;
        one.device = options->devices[i];
        endo_status status = endo_kernels_cuda.open(&one, &m->backends[i]);
        if (status != ENDO_OK) {
            multi_close(m);
            return status;
        }
        m->n++;
    }
    *backend = m;
    return ENDO_OK;
}

static void multi_describe(const void *backend, char *text, size_t size) {
    const multi *m = backend;
    char one[96];
    size_t used = (size_t)snprintf(text, size, "%d x ", m->n);
    for (int i = 0; i < m->n && used < size; i++) {
        endo_kernels_cuda.describe(m->backends[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
    }
}

static void multi_store_destroy(void *store) {
    multi_store *s = store;
    if (!s) return;
    for (int i = 0; i < s->owner->n; i++)
        if (s->stores[i]) endo_kernels_cuda.store_destroy(s->stores[i]);
    endo_free(s);
}

static endo_status create_stores(multi_store *s, const endo_store_setup *setup) {
    ON_EACH(s->owner, 0, endo_kernels_cuda.store_create(s->owner->backends[i], setup, &s->stores[i]));
}

static endo_status multi_store_create(void *backend, const endo_store_setup *setup, void **store) {
    multi_store *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    s->owner = backend;
    endo_status status = create_stores(s, setup);
    if (status == ENDO_OK)
        *store = s;
    else
        multi_store_destroy(s);
    return status;
}

static endo_status multi_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    multi_store *s = store;
    ON_EACH(s->owner, 0, endo_kernels_cuda.store_put(s->stores[i], slot, pixels, stride));
}

static endo_status multi_store_get_grey(const void *store, int slot, uint8_t *grey) {
    return endo_kernels_cuda.store_get_grey(((const multi_store *)store)->stores[0], slot, grey);
}

static endo_status multi_ncc(void *store, const endo_ncc_request *requests, size_t n, int side, double *out) {
    multi_store *s = store;
    ON_EACH(s->owner, n, endo_kernels_cuda.ncc(s->stores[i], requests + from, count, side, out + from));
}

static endo_status multi_search(void *store, const endo_search_request *requests, size_t n,
                                const endo_search_params *params, endo_search_result *results) {
    multi_store *s = store;
    ON_EACH(s->owner, n, endo_kernels_cuda.search(s->stores[i], requests + from, count, params, results + from));
}

static endo_status multi_flow(void *store, const endo_pair *pairs, size_t n, endo_warp warp,
                              endo_flow_result *results) {
    multi_store *s = store;
    ON_EACH(s->owner, n, endo_kernels_cuda.flow(s->stores[i], pairs + from, count, warp, results + from));
}

static endo_status multi_quality(void *store, const endo_pair *pairs, const endo_fixed_affine *maps, size_t n,
                                 double *quality) {
    multi_store *s = store;
    ON_EACH(s->owner, n, endo_kernels_cuda.quality(s->stores[i], pairs + from, maps + from, count, quality + from));
}

static endo_status multi_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_params *params,
                                   endo_exposure_result *results) {
    multi_store *s = store;
    ON_EACH(s->owner, n, endo_kernels_cuda.exposures(s->stores[i], pairs + from, count, params, results + from));
}

static endo_status multi_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    return endo_kernels_cuda.canvas_create(((multi *)backend)->backends[0], type, width, height, canvas);
}

static void multi_canvas_destroy(void *canvas) { endo_kernels_cuda.canvas_destroy(canvas); }

static endo_status multi_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    return endo_kernels_cuda.canvas_resize(canvas, width, height, dx, dy);
}

static endo_status multi_canvas_clear(void *canvas) { return endo_kernels_cuda.canvas_clear(canvas); }

static endo_status multi_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                                      endo_painting painting) {
    return endo_kernels_cuda.canvas_paint(canvas, ((const multi_store *)store)->stores[0], slot, map, painting);
}

static endo_status multi_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels,
                                     uint8_t *painted) {
    return endo_kernels_cuda.canvas_read(canvas, x, y, width, height, pixels, painted);
}

static endo_status multi_ahe(void *backend, const endo_ahe_job *job) {
    return endo_kernels_cuda.ahe(((multi *)backend)->backends[0], job);
}

const endo_kernels endo_kernels_multi = {
    .name = "cuda",
    .open = multi_open,
    .close = multi_close,
    .describe = multi_describe,
    .store_create = multi_store_create,
    .store_destroy = multi_store_destroy,
    .store_put = multi_store_put,
    .store_get_grey = multi_store_get_grey,
    .ncc = multi_ncc,
    .search = multi_search,
    .flow = multi_flow,
    .quality = multi_quality,
    .exposures = multi_exposures,
    .canvas_create = multi_canvas_create,
    .canvas_destroy = multi_canvas_destroy,
    .canvas_resize = multi_canvas_resize,
    .canvas_clear = multi_canvas_clear,
    .canvas_paint = multi_canvas_paint,
    .canvas_read = multi_canvas_read,
    .ahe = multi_ahe,
};
