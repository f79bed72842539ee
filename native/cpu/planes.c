/* Planes and volumes of their own (kernels.h: endo_planes_kernels). */
#include "planes.h"

#include "cpu.h"

#include <string.h>

/* A plane with its memory. */
typedef struct owned_plane {
    const cpu_backend *backend;
    cpu_arena arena;
    cpu_plane plane;
} owned_plane;

cpu_plane cpu_plane_take(cpu_arena *a, const endo_plane_format *format, int edge) {
    cpu_plane p = {.format = *format, .edge = edge, .stride = endo_plane_stride(format->width, edge)};
    p.slice = p.stride * ((ptrdiff_t)format->height + edge) + ENDO_PLANE_ROW;
    p.samples = cpu_arena_take(a, (size_t)p.slice, (size_t)format->depth * endo_plane_element(format->type));
    return p;
}

void cpu_plane_repeat_row(const cpu_plane *p, int z) {
    size_t bytes = (size_t)p->stride * endo_plane_element(p->format.type);
    uint8_t *last = (uint8_t *)cpu_plane_slice(p, z) + (size_t)(p->format.height - 1) * bytes;
    memcpy(last + bytes, last, bytes);
}

static void cpu_planes_destroy(void *plane) {
    owned_plane *o = plane;
    if (!o) return;
    cpu_arena_free(&o->arena);
    endo_free(o);
}

static endo_status cpu_planes_create(void *backend, const endo_plane_format *format, void **plane) {
    owned_plane *o = endo_alloc_zeroed(1, sizeof *o);
    if (!o) return endo_fail(ENDO_ERR_MEMORY, "no memory for a plane");
    o->backend = backend;
    cpu_plane_take(&o->arena, format, 0);
    endo_status status = cpu_arena_grow(&o->arena);
    if (status == ENDO_OK) {
        o->plane = cpu_plane_take(&o->arena, format, 0);
        *plane = o;
    } else {
        cpu_planes_destroy(o);
    }
    return status;
}

/* Rows between the plane and the host's array; `to_host`: which way. */
static void copy_rows(const owned_plane *o, uint8_t *host, ptrdiff_t row, ptrdiff_t slice, int to_host) {
    const cpu_plane *p = &o->plane;
    size_t element = endo_plane_element(p->format.type), bytes = (size_t)p->format.width * element;
    ptrdiff_t height = p->format.height, rows = height * p->format.depth;
    size_t pieces = bytes * (size_t)rows / CPU_PIXELS_A_THREAD;
#pragma omp parallel for num_threads(cpu_threads(o->backend, pieces)) schedule(static)
    for (ptrdiff_t i = 0; i < rows; i++) {
        uint8_t *kept = (uint8_t *)cpu_plane_slice(p, (int)(i / height)) + (size_t)(i % height * p->stride) * element;
        uint8_t *other = host + (i / height * slice + i % height * row) * (ptrdiff_t)element;
        memcpy(to_host ? other : kept, to_host ? kept : other, bytes);
    }
}

static endo_status cpu_planes_write(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice) {
    copy_rows(plane, (uint8_t *)from, row, slice, 0);
    return ENDO_OK;
}

static endo_status cpu_planes_read(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice) {
    copy_rows(plane, to, row, slice, 1);
    return ENDO_OK;
}

const endo_planes_kernels cpu_planes = {
    .create = cpu_planes_create,
    .destroy = cpu_planes_destroy,
    .write = cpu_planes_write,
    .read = cpu_planes_read,
};
