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
    for (int i = 0; i < m->n; i++) endo_kernels_cuda.context->close(m->backends[i]);
    endo_free(m);
}

static endo_status multi_open(const endo_context_options *options, void **backend) {
    multi *m = endo_alloc_zeroed(1, sizeof *m);
    if (!m) return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    for (int i = 0; i < options->n_devices; i++) {
        endo_context_options one = *options;
        one.device = options->devices[i];
        endo_status status = endo_kernels_cuda.context->open(&one, &m->backends[i]);
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
        endo_kernels_cuda.context->describe(m->backends[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
    }
}

static void multi_store_destroy(void *store) {
    multi_store *s = store;
    if (!s) return;
    for (int i = 0; i < s->owner->n; i++)
        if (s->stores[i]) endo_kernels_cuda.frames->destroy(s->stores[i]);
    endo_free(s);
}

static endo_status create_stores(multi_store *s, const endo_store_setup *setup) {
    ON_EACH(s->owner, 0, endo_kernels_cuda.frames->create(s->owner->backends[i], setup, &s->stores[i]));
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
    ON_EACH(s->owner, 0, endo_kernels_cuda.frames->put(s->stores[i], slot, pixels, stride));
}

static endo_status multi_store_get_grey(void *store, int slot, uint8_t *grey) {
    return endo_kernels_cuda.frames->get_grey(((multi_store *)store)->stores[0], slot, grey);
}

/* multi_<stem> for every line of batches.h: the requests divided among the devices. */
#define MULTI_BATCH_FUNCTION(stem, request, setup, result)                                                     \
    static endo_status multi_##stem(void *store, const request *requests, size_t n, const setup *common,       \
                                    result *results) {                                                         \
        multi_store *s = store;                                                                                \
        ON_EACH(s->owner, n,                                                                                   \
                endo_kernels_cuda.batches->stem(s->stores[i], requests + from, count, common, results + from)); \
    }

ENDO_BATCHES(MULTI_BATCH_FUNCTION)

/* Planes live on the first device. */
static endo_status multi_planes_create(void *backend, const endo_plane_format *format, void **plane) {
    return endo_kernels_cuda.planes->create(((multi *)backend)->backends[0], format, plane);
}

static void multi_planes_destroy(void *plane) { endo_kernels_cuda.planes->destroy(plane); }

static endo_status multi_planes_write(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice) {
    return endo_kernels_cuda.planes->write(plane, from, row, slice);
}

static endo_status multi_planes_read(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice) {
    return endo_kernels_cuda.planes->read(plane, to, row, slice);
}

static endo_status multi_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    return endo_kernels_cuda.canvas->create(((multi *)backend)->backends[0], type, width, height, canvas);
}

static void multi_canvas_destroy(void *canvas) { endo_kernels_cuda.canvas->destroy(canvas); }

static endo_status multi_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    return endo_kernels_cuda.canvas->resize(canvas, width, height, dx, dy);
}

static endo_status multi_canvas_clear(void *canvas) { return endo_kernels_cuda.canvas->clear(canvas); }

static endo_status multi_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                                      endo_painting painting) {
    return endo_kernels_cuda.canvas->paint(canvas, ((const multi_store *)store)->stores[0], slot, map, painting);
}

static endo_status multi_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels,
                                     uint8_t *painted) {
    return endo_kernels_cuda.canvas->read(canvas, x, y, width, height, pixels, painted);
}

static endo_status multi_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    return endo_kernels_cuda.blend->create(((multi *)backend)->backends[0], setup, blend);
}

static void multi_blend_destroy(void *blend) { endo_kernels_cuda.blend->destroy(blend); }

static endo_status multi_blend_correct(void *blend, const endo_blend_correction *correction) {
    return endo_kernels_cuda.blend->correct(blend, correction);
}

static endo_status multi_blend_add(void *blend, const void *store, const endo_blend_frame *frame) {
    return endo_kernels_cuda.blend->add(blend, ((const multi_store *)store)->stores[0], frame);
}

static endo_status multi_blend_settle(void *blend) { return endo_kernels_cuda.blend->settle(blend); }

static endo_status multi_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    return endo_kernels_cuda.blend->read(blend, x, y, width, height, sums, coverage);
}

static endo_status multi_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    return endo_kernels_cuda.blend->read_cells(blend, x, y, width, height, cells);
}

static endo_status multi_ahe(void *backend, const endo_ahe_job *job) {
    return endo_kernels_cuda.equalization->ahe(((multi *)backend)->backends[0], job);
}

/* One pair of volumes: the first device has it. */
static endo_status multi_mutual_create(void *backend, const endo_mutual_setup *setup, void **pair) {
    return endo_kernels_cuda.mutual->create(((multi *)backend)->backends[0], setup, pair);
}

static void multi_mutual_destroy(void *pair) { endo_kernels_cuda.mutual->destroy(pair); }

static endo_status multi_mutual_measure(void *pair, int level, const endo_mutual_window *window,
                                        const endo_mutual_map *maps, size_t n, endo_mutual_sums *sums) {
    return endo_kernels_cuda.mutual->measure(pair, level, window, maps, n, sums);
}

static endo_status multi_mutual_histogram(void *pair, int level, const endo_mutual_map *map, uint32_t *counts) {
    return endo_kernels_cuda.mutual->histogram(pair, level, map, counts);
}

static endo_status multi_mutual_resample(void *backend, const endo_resample_job *job) {
    return endo_kernels_cuda.mutual->resample(((multi *)backend)->backends[0], job);
}

static const endo_context_kernels multi_context = {
    .open = multi_open,
    .close = multi_close,
    .describe = multi_describe,
};

static const endo_planes_kernels multi_planes = {
    .create = multi_planes_create,
    .destroy = multi_planes_destroy,
    .write = multi_planes_write,
    .read = multi_planes_read,
};

static const endo_frames_kernels multi_frames = {
    .create = multi_store_create,
    .destroy = multi_store_destroy,
    .put = multi_store_put,
    .get_grey = multi_store_get_grey,
};

#define MULTI_BATCH(stem, request, setup, result) .stem = multi_##stem,

static const endo_batch_kernels multi_batches = {ENDO_BATCHES(MULTI_BATCH)};

static const endo_canvas_kernels multi_canvas = {
    .create = multi_canvas_create,
    .destroy = multi_canvas_destroy,
    .resize = multi_canvas_resize,
    .clear = multi_canvas_clear,
    .paint = multi_canvas_paint,
    .read = multi_canvas_read,
};

static const endo_blend_kernels multi_blend = {
    .create = multi_blend_create,
    .destroy = multi_blend_destroy,
    .correct = multi_blend_correct,
    .add = multi_blend_add,
    .settle = multi_blend_settle,
    .read = multi_blend_read,
    .read_cells = multi_blend_read_cells,
};

static const endo_equalization_kernels multi_equalization = {
    .ahe = multi_ahe,
};

static const endo_mutual_kernels multi_mutual = {
    .create = multi_mutual_create,
    .destroy = multi_mutual_destroy,
    .measure = multi_mutual_measure,
    .histogram = multi_mutual_histogram,
    .resample = multi_mutual_resample,
};

const endo_kernels endo_kernels_multi = {
    .name = "cuda",
    .context = &multi_context,
    .planes = &multi_planes,
    .frames = &multi_frames,
    .batches = &multi_batches,
    .canvas = &multi_canvas,
    .blend = &multi_blend,
    .equalization = &multi_equalization,
    .mutual = &multi_mutual,
};
