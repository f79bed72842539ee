/* Canvases in device memory ([S] Table A.1: XMethod, erode_rim). Painting returns at once; reading waits. */
#include "cuda.h"

#include "../base/transform.h"

#include <math.h>

typedef struct cuda_canvas {
    cuda_backend *backend;
    endo_pixel type;
    int width, height;
    uint8_t *pixels, *painted;
} cuda_canvas;

static endo_status allocate(cuda_canvas *c) {
    size_t area = (size_t)c->width * c->height, bytes = area * endo_pixel_size(c->type);
    cuda_backend *b = c->backend;
    ENDO_TRY(cuda_allocate(b, (void **)&c->pixels, bytes));
    ENDO_TRY(cuda_allocate(b, (void **)&c->painted, area));
    ENDO_CUDA(b, cudaMemsetAsync(c->pixels, 0, bytes, b->stream));
    ENDO_CUDA(b, cudaMemsetAsync(c->painted, 0, area, b->stream));
    return ENDO_OK;
}

static void cuda_canvas_destroy(void *canvas);

static endo_status cuda_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    cuda_canvas *c = (cuda_canvas *)endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas");
    c->backend = (cuda_backend *)backend;
    c->type = type, c->width = width, c->height = height;
    endo_status status = allocate(c);
    if (status == ENDO_OK)
        *canvas = c;
    else
        cuda_canvas_destroy(c);
    return status;
}

static void cuda_canvas_destroy(void *canvas) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    if (!c) return;
    cudaSetDevice(c->backend->device);
    cudaStreamSynchronize(c->backend->stream);
    cuda_release(c->backend, c->pixels);
    cuda_release(c->backend, c->painted);
    endo_free(c);
}

static endo_status copy_overlap(const cuda_canvas *from, cuda_canvas *to, int dx, int dy) {
    size_t size = endo_pixel_size(from->type);
    int64_t left = dx < 0 ? -(int64_t)dx : 0, top = dy < 0 ? -(int64_t)dy : 0;
    int64_t right = (int64_t)to->width - dx < from->width ? (int64_t)to->width - dx : from->width;
    int64_t bottom = (int64_t)to->height - dy < from->height ? (int64_t)to->height - dy : from->height;
    if (left >= right || top >= bottom) return ENDO_OK;
    size_t in = (size_t)top * from->width + left, out = (size_t)(top + dy) * to->width + (size_t)(left + dx);
    cuda_backend *b = to->backend;
    ENDO_CUDA(b, cudaMemcpy2DAsync(to->pixels + out * size, to->width * size, from->pixels + in * size,
                                   from->width * size, (right - left) * size, bottom - top, cudaMemcpyDeviceToDevice,
                                   b->stream));
    ENDO_CUDA(b, cudaMemcpy2DAsync(to->painted + out, to->width, from->painted + in, from->width, right - left,
                                   bottom - top, cudaMemcpyDeviceToDevice, b->stream));
    return ENDO_OK;
}

static endo_status cuda_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    cuda_canvas *c = (cuda_canvas *)canvas, *made;
    void *opaque;
    ENDO_TRY(cuda_canvas_create(c->backend, c->type, width, height, &opaque));
    made = (cuda_canvas *)opaque;
    endo_status status = copy_overlap(c, made, dx, dy);
    if (status == ENDO_OK) {
        cuda_canvas old = *c;
        *c = *made;
        *made = old;
    }
    cuda_canvas_destroy(made);
    return status;
}

static endo_status cuda_canvas_clear(void *canvas) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    size_t area = (size_t)c->width * c->height;
    ENDO_TRY(cuda_enter(c->backend));
    ENDO_CUDA(c->backend, cudaMemsetAsync(c->pixels, 0, area * endo_pixel_size(c->type), c->backend->stream));
    ENDO_CUDA(c->backend, cudaMemsetAsync(c->painted, 0, area, c->backend->stream));
    return ENDO_OK;
}

typedef struct paint_job {
    const uint8_t *frame, *quads;
    int frame_width, frame_height, stride;
    uint8_t *pixels, *painted;
    int width, left, top, right, bottom; /* the part of the canvas to look at, right and bottom exclusive */
    int ring;
    endo_pixel type;
    endo_fixed_affine map;
} paint_job;

__device__ static uint32_t bilinear_rgb(const uint32_t *top, const uint32_t *bottom, int fx, int fy) {
    uint32_t a = top[0], b = top[1], c = bottom[0], d = bottom[1], rgb = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8)
        rgb |= (uint32_t)endo_bilinear(a >> shift & 255, b >> shift & 255, c >> shift & 255, d >> shift & 255, fx, fy)
               << shift;
    return rgb;
}

__global__ static void paint_kernel(const __grid_constant__ paint_job job) {
    int x = job.left + blockIdx.x * blockDim.x + threadIdx.x, y = job.top + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= job.right || y >= job.bottom) return;
    const int64_t *m = job.map.m;
    int64_t px = endo_position8(m[0] * x + m[1] * y + m[2]), py = endo_position8(m[3] * x + m[4] * y + m[5]);
    if (px < 0 || py < 0 || px > (int64_t)(job.frame_width - 1) * 256 || py > (int64_t)(job.frame_height - 1) * 256) return;
    size_t to = (size_t)y * job.width + x, from = (size_t)(py >> 8) * job.stride + (size_t)(px >> 8);
    int fx = (int)(px & 255), fy = (int)(py & 255);
    if (!(job.quads[from] >> endo_sampled(fx, fy) & 1) || (job.ring && job.painted[to])) return;
    if (job.type == ENDO_RGB32) {
        const uint32_t *p = (const uint32_t *)job.frame + from;
        ((uint32_t *)job.pixels)[to] = bilinear_rgb(p, p + job.stride, fx, fy);
    } else if (job.type == ENDO_GREY16) {
        const uint16_t *p = (const uint16_t *)job.frame + from, *q = p + job.stride;
        ((uint16_t *)job.pixels)[to] = (uint16_t)endo_bilinear16(p[0], p[1], q[0], q[1], fx, fy);
    } else {
        const uint8_t *p = job.frame + from, *q = p + job.stride;
        job.pixels[to] = (uint8_t)endo_bilinear(p[0], p[1], q[0], q[1], fx, fy);
    }
    job.painted[to] = 255;
}

/* The bounding box of the frame on the canvas, a little larger; the kernel decides exactly. */
static void bound(const cuda_canvas *c, paint_job *job) {
    double forward[6], map[6], left = c->width, top = c->height, right = 0, bottom = 0;
    for (int i = 0; i < 6; i++) map[i] = (double)job->map.m[i] / 4294967296.0;
    job->left = job->top = 0, job->right = c->width, job->bottom = c->height;
    if (!endo_affine_invert(map, forward)) return;
    for (int i = 0; i < 4; i++) {
        double x, y;
        endo_affine_apply(forward, i & 1 ? job->frame_width : -1, i & 2 ? job->frame_height : -1, &x, &y);
        left = fmin(left, x), right = fmax(right, x), top = fmin(top, y), bottom = fmax(bottom, y);
    }
    job->left = (int)fmax(0, floor(left) - 2), job->top = (int)fmax(0, floor(top) - 2);
    job->right = (int)fmin(c->width, ceil(right) + 3), job->bottom = (int)fmin(c->height, ceil(bottom) + 3);
}

static endo_status cuda_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                              endo_painting painting) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    const cuda_store *s = (const cuda_store *)store;
    ENDO_TRY(cuda_enter(c->backend));
    paint_job job = {s->pixels + slot * s->area * endo_pixel_size(c->type), s->paint_quads, s->options.width,
                     s->options.height, s->stride, c->pixels, c->painted, c->width, 0, 0, 0, 0,
                     painting == ENDO_PAINT_RING, c->type, *map};
    bound(c, &job);
    if (job.left >= job.right || job.top >= job.bottom) return ENDO_OK;
    dim3 block(32, 8), grid((job.right - job.left + 31) / 32, (job.bottom - job.top + 7) / 8);
    paint_kernel<<<grid, block, 0, c->backend->stream>>>(job);
    ENDO_CUDA(c->backend, cudaGetLastError());
    return ENDO_OK;
}

static endo_status cuda_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    size_t size = endo_pixel_size(c->type), at = (size_t)y * c->width + x;
    ENDO_TRY(cuda_enter(c->backend));
    ENDO_CUDA(c->backend, cudaStreamSynchronize(c->backend->stream));
    ENDO_CUDA(c->backend, cudaMemcpy2D(pixels, width * size, c->pixels + at * size, c->width * size, width * size,
                                       height, cudaMemcpyDeviceToHost));
    if (painted)
        ENDO_CUDA(c->backend, cudaMemcpy2D(painted, width, c->painted + at, c->width, width, height,
                                           cudaMemcpyDeviceToHost));
    return ENDO_OK;
}

extern "C" const endo_canvas_kernels cuda_canvas_kernels = {
    .create = cuda_canvas_create,
    .destroy = cuda_canvas_destroy,
    .resize = cuda_canvas_resize,
    .clear = cuda_canvas_clear,
    .paint = cuda_canvas_paint,
    .read = cuda_canvas_read,
};
