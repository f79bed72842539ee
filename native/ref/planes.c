/* Planes and volumes, dense. */
#include "ref.h"

#include <string.h>

typedef struct ref_plane {
    endo_plane_format format;
    uint8_t *samples;
} ref_plane;

static void ref_planes_destroy(void *plane) {
    ref_plane *p = plane;
    if (!p) return;
    endo_free(p->samples);
    endo_free(p);
}

static endo_status ref_planes_create(void *backend, const endo_plane_format *format, void **plane) {
    (void)backend;
    ref_plane *p = endo_alloc_zeroed(1, sizeof *p);
    if (p) {
        p->format = *format;
        p->samples = endo_alloc_zeroed((size_t)format->width * format->height,
                                       (size_t)format->depth * endo_plane_element(format->type));
    }
    if (!p || !p->samples) {
        ref_planes_destroy(p);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a plane of %d x %d x %d", format->width, format->height,
                         format->depth);
    }
    *plane = p;
    return ENDO_OK;
}

/* Where row y of slice z begins: bytes. */
static size_t dense_place(const ref_plane *p, int y, int z) {
    return ((size_t)z * p->format.height + y) * p->format.width * endo_plane_element(p->format.type);
}

static endo_status ref_planes_write(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice) {
    ref_plane *p = plane;
    size_t element = endo_plane_element(p->format.type);
    for (int z = 0; z < p->format.depth; z++)
        for (int y = 0; y < p->format.height; y++)
            memcpy(p->samples + dense_place(p, y, z), (const uint8_t *)from + (z * slice + y * row) * (ptrdiff_t)element,
                   p->format.width * element);
    return ENDO_OK;
}

static endo_status ref_planes_read(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice) {
    const ref_plane *p = plane;
    size_t element = endo_plane_element(p->format.type);
    for (int z = 0; z < p->format.depth; z++)
        for (int y = 0; y < p->format.height; y++)
            memcpy((uint8_t *)to + (z * slice + y * row) * (ptrdiff_t)element, p->samples + dense_place(p, y, z),
                   p->format.width * element);
    return ENDO_OK;
}

const endo_planes_kernels ref_planes = {
    .create = ref_planes_create,
    .destroy = ref_planes_destroy,
    .write = ref_planes_write,
    .read = ref_planes_read,
};
