/* Operations that several devices do not share, and the first of them does: planes, painting and blending, equalization, volumes, lenses. */
#include "parts.h"

#include "base/memory.h"
#include "base/status.h"

/* An object on the first device, and whose it is. */
typedef struct object {
    const endo_kernels *one;
    void *held;
} object;

static void *first_of(void *backend) { return ((multi_backend *)backend)->backends[0]; }

static const endo_kernels *table_of(void *backend) { return ((multi_backend *)backend)->one; }

static void *held(const void *thing) { return ((const object *)thing)->held; }

static const endo_kernels *one_of(const void *thing) { return ((const object *)thing)->one; }

/* Room for an object that is about to be made. */
static endo_status object_create(void *backend, object **out) {
    *out = endo_alloc_zeroed(1, sizeof **out);
    if (!*out) return endo_fail(ENDO_ERR_MEMORY, "no memory for an object on a device");
    (*out)->one = table_of(backend);
    return ENDO_OK;
}

/* Once it was made, or could not be. */
static endo_status object_finish(object *o, endo_status made, void **out) {
    if (made == ENDO_OK)
        *out = o;
    else
        endo_free(o);
    return made;
}

/* ------------------------------------------------------------------- planes */

static endo_status multi_planes_create(void *backend, const endo_plane_format *format, void **plane) {
    object *o;
    ENDO_TRY(object_create(backend, &o));
    return object_finish(o, o->one->planes->create(first_of(backend), format, &o->held), plane);
}

static void multi_planes_destroy(void *plane) {
    if (plane) one_of(plane)->planes->destroy(held(plane));
    endo_free(plane);
}

static endo_status multi_planes_write(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice) {
    return one_of(plane)->planes->write(held(plane), from, row, slice);
}

static endo_status multi_planes_read(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice) {
    return one_of(plane)->planes->read(held(plane), to, row, slice);
}

const endo_planes_kernels multi_planes = {
    .create = multi_planes_create,
    .destroy = multi_planes_destroy,
    .write = multi_planes_write,
    .read = multi_planes_read,
};

/* ------------------------------------------------------------------- canvas */

static endo_status multi_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    object *o;
    ENDO_TRY(object_create(backend, &o));
    return object_finish(o, o->one->canvas->create(first_of(backend), type, width, height, &o->held), canvas);
}

static void multi_canvas_destroy(void *canvas) {
    if (canvas) one_of(canvas)->canvas->destroy(held(canvas));
    endo_free(canvas);
}

static endo_status multi_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    return one_of(canvas)->canvas->resize(held(canvas), width, height, dx, dy);
}

static endo_status multi_canvas_clear(void *canvas) { return one_of(canvas)->canvas->clear(held(canvas)); }

static endo_status multi_canvas_paint(void *canvas, const void *store, int slot, const endo_canvas_map *map,
                                      endo_painting painting) {
    const multi_store *s = store;
    ENDO_TRY(multi_bring_pixels(s, 0, slot));
    return one_of(canvas)->canvas->paint(held(canvas), s->stores[0], slot, map, painting);
}

static endo_status multi_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels,
                                     uint8_t *painted) {
    return one_of(canvas)->canvas->read(held(canvas), x, y, width, height, pixels, painted);
}

const endo_canvas_kernels multi_canvas = {
    .create = multi_canvas_create,
    .destroy = multi_canvas_destroy,
    .resize = multi_canvas_resize,
    .clear = multi_canvas_clear,
    .paint = multi_canvas_paint,
    .read = multi_canvas_read,
};

/* -------------------------------------------------------------------- blend */

static endo_status multi_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    object *o;
    ENDO_TRY(object_create(backend, &o));
    return object_finish(o, o->one->blend->create(first_of(backend), setup, &o->held), blend);
}

static void multi_blend_destroy(void *blend) {
    if (blend) one_of(blend)->blend->destroy(held(blend));
    endo_free(blend);
}

static endo_status multi_blend_correct(void *blend, const endo_blend_correction *correction) {
    return one_of(blend)->blend->correct(held(blend), correction);
}

static endo_status multi_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n) {
    const multi_store *s = store;
    endo_status status = ENDO_OK;
    int brought = 0;
    while (brought < n && status == ENDO_OK) {
        status = multi_bring_pixels(s, 0, frames[brought].slot);
        brought += status == ENDO_OK;
    }
    endo_status added = brought ? one_of(blend)->blend->add(held(blend), s->stores[0], frames, brought) : ENDO_OK;
    return status == ENDO_OK ? added : status;
}

static endo_status multi_blend_settle(void *blend) { return one_of(blend)->blend->settle(held(blend)); }

static endo_status multi_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    return one_of(blend)->blend->read(held(blend), x, y, width, height, sums, coverage);
}

static endo_status multi_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    return one_of(blend)->blend->read_cells(held(blend), x, y, width, height, cells);
}

static endo_status multi_blend_finish(void *blend, const endo_blend_view *view) {
    return one_of(blend)->blend->finish(held(blend), view);
}

const endo_blend_kernels multi_blend = {
    .create = multi_blend_create,
    .destroy = multi_blend_destroy,
    .correct = multi_blend_correct,
    .add = multi_blend_add,
    .settle = multi_blend_settle,
    .read = multi_blend_read,
    .read_cells = multi_blend_read_cells,
    .finish = multi_blend_finish,
};

/* ------------------------------------------------- equalization and volumes */

static endo_status multi_ahe(void *backend, const endo_ahe_job *job) {
    return table_of(backend)->equalization->ahe(first_of(backend), job);
}

const endo_equalization_kernels multi_equalization = {
    .ahe = multi_ahe,
};

static endo_status multi_mutual_create(void *backend, const endo_mutual_setup *setup, void **pair) {
    object *o;
    ENDO_TRY(object_create(backend, &o));
    return object_finish(o, o->one->mutual->create(first_of(backend), setup, &o->held), pair);
}

static void multi_mutual_destroy(void *pair) {
    if (pair) one_of(pair)->mutual->destroy(held(pair));
    endo_free(pair);
}

static endo_status multi_mutual_measure(void *pair, int level, const endo_mutual_window *window,
                                        const endo_mutual_map *maps, size_t n, endo_mutual_sums *sums) {
    return one_of(pair)->mutual->measure(held(pair), level, window, maps, n, sums);
}

static endo_status multi_mutual_histogram(void *pair, int level, const endo_mutual_map *map, uint32_t *counts) {
    return one_of(pair)->mutual->histogram(held(pair), level, map, counts);
}

static endo_status multi_mutual_resample(void *backend, const endo_resample_job *job) {
    return table_of(backend)->mutual->resample(first_of(backend), job);
}

const endo_mutual_kernels multi_mutual = {
    .create = multi_mutual_create,
    .destroy = multi_mutual_destroy,
    .measure = multi_mutual_measure,
    .histogram = multi_mutual_histogram,
    .resample = multi_mutual_resample,
};

/* --------------------------------------------------------------------- lenses */

static endo_status multi_lens_create(void *backend, const endo_lens_table *table, void **lens) {
    object *o;
    ENDO_TRY(object_create(backend, &o));
    return object_finish(o, o->one->lens->create(first_of(backend), table, &o->held), lens);
}

static void multi_lens_destroy(void *lens) {
    if (lens) one_of(lens)->lens->destroy(held(lens));
    endo_free(lens);
}

static endo_status multi_lens_undistort(void *lens, const endo_lens_job *job) {
    return one_of(lens)->lens->undistort(held(lens), job);
}

const endo_lens_kernels multi_lens = {
    .create = multi_lens_create,
    .destroy = multi_lens_destroy,
    .undistort = multi_lens_undistort,
};
