/* Planes and volumes of their own (kernels.h: endo_planes_kernels). */
#include "cuda.h"

/* Bytes of an image that are copied while the piece before is on the bus. */
#define PIECE ((size_t)2 << 20)

/* A plane with its memory. */
typedef struct owned_plane {
    cuda_arena arena;
    cuda_plane plane;
} owned_plane;

cuda_plane cuda_plane_take(cuda_arena *a, const endo_plane_format *format, int edge) {
    cuda_plane p = {*format, edge, endo_plane_stride(format->width, edge), 0, NULL};
    p.slice = p.stride * ((ptrdiff_t)format->height + edge) + ENDO_PLANE_ROW;
    p.slice = (p.slice + CUDA_PLANE_SLICE - 1) / CUDA_PLANE_SLICE * CUDA_PLANE_SLICE;
    p.samples = (uint8_t *)cuda_arena_take(a, (size_t)p.slice,
                                           (size_t)format->depth * endo_plane_element(format->type));
    return p;
}

static void cuda_planes_destroy(void *plane) {
    owned_plane *o = (owned_plane *)plane;
    if (!o) return;
    cudaSetDevice(o->arena.backend->device);
    cudaStreamSynchronize(o->arena.backend->stream);
    cuda_arena_free(&o->arena);
    endo_free(o);
}

static endo_status cuda_planes_create(void *backend, const endo_plane_format *format, void **plane) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    owned_plane *o = (owned_plane *)endo_alloc_zeroed(1, sizeof *o);
    if (!o) return endo_fail(ENDO_ERR_MEMORY, "no memory for a plane");
    o->arena.backend = (cuda_backend *)backend;
    cuda_plane_take(&o->arena, format, 0);
    endo_status status = cuda_arena_grow(&o->arena);
    if (status == ENDO_OK) {
        o->plane = cuda_plane_take(&o->arena, format, 0);
        *plane = o;
    } else {
        cuda_planes_destroy(o);
    }
    return status;
}

static endo_status cuda_planes_write(void *plane, const void *from, ptrdiff_t row, ptrdiff_t slice) {
    const owned_plane *o = (const owned_plane *)plane;
    const cuda_plane *p = &o->plane;
    size_t element = endo_plane_element(p->format.type);
    ENDO_TRY(cuda_enter(o->arena.backend));
    for (int z = 0; z < p->format.depth; z++)
        ENDO_TRY(cuda_upload_rows(o->arena.backend, cuda_plane_slice(p, z), p->stride * element,
                                  (const uint8_t *)from + z * slice * element, row * element, p->format.width * element,
                                  p->format.height, PIECE));
    return ENDO_OK;
}

static endo_status cuda_planes_read(const void *plane, void *to, ptrdiff_t row, ptrdiff_t slice) {
    const owned_plane *o = (const owned_plane *)plane;
    const cuda_plane *p = &o->plane;
    size_t element = endo_plane_element(p->format.type);
    ENDO_TRY(cuda_enter(o->arena.backend));
    for (int z = 0; z < p->format.depth; z++)
        ENDO_TRY(cuda_download_rows(o->arena.backend, (uint8_t *)to + z * slice * element, row * element,
                                    cuda_plane_slice(p, z), p->stride * element, p->format.width * element,
                                    p->format.height, PIECE));
    return ENDO_OK;
}

extern "C" const endo_planes_kernels cuda_planes = {
    .create = cuda_planes_create,
    .destroy = cuda_planes_destroy,
    .write = cuda_planes_write,
    .read = cuda_planes_read,
};
