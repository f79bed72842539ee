/* The frame store in device memory. A frame passes a pinned buffer, is copied, and becomes grey; nothing
 * waits for it until a result is asked for. */
#include "ahe.cuh"

#include <string.h>

#define TILE_X 32
#define TILE_Y 8
/* Frames up to this go up in one piece. */
#define PIECE ((size_t)16 << 20)

/* In the context's stream: a plain copy of pageable memory returns before it has reached the device, and
 * the stream would not wait for it. */
static endo_status copy_up(cuda_backend *b, void *device, const void *from, size_t size) {
    ENDO_CUDA(b, cudaMemcpyAsync(device, from, size, cudaMemcpyHostToDevice, b->stream));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    return ENDO_OK;
}

static endo_status upload(cuda_backend *b, void **device, const void *from, size_t size) {
    ENDO_TRY(cuda_allocate(b, device, size));
    return copy_up(b, *device, from, size);
}

static void lay_out_levels(cuda_store *s, const endo_field_planes *field) {
    cuda_levels *all = &s->levels;
    all->n = field->n_levels;
    for (int i = 0; i < all->n; i++) {
        cuda_level *level = &all->level[i];
        const endo_flow_level *size = &field->levels[i].size;
        level->size = *size;
        level->stride = (int)field->levels[i].stride;
        level->offset = all->elements;
        level->dense = all->dense_bytes;
        level->first_strip = all->strips;
        level->first_band = all->bands;
        all->elements += (size_t)level->stride * size->height + ENDO_PLANE_ROW;
        all->dense_bytes += ((size_t)size->width * size->height + 255) & ~(size_t)255;
        all->strips += (size->width + 31) / 32;
        all->bands += (size->height + 31) / 32;
    }
}

/* Everything that depends on the field alone. */
static endo_status copy_field(cuda_store *s, const endo_field_planes *field) {
    cuda_backend *b = s->backend;
    ENDO_TRY(upload(b, (void **)&s->field, field->mask, s->area));
    ENDO_TRY(upload(b, (void **)&s->field_quads, field->quads, s->area));
    ENDO_TRY(upload(b, (void **)&s->paint_quads, field->paint_quads, s->area));
    if (!s->levels.n) return ENDO_OK;
    ENDO_TRY(cuda_allocate(b, (void **)&s->gain, s->levels.elements * 2));
    ENDO_TRY(cuda_allocate(b, (void **)&s->level_field, s->levels.dense_bytes));
    for (int i = 0; i < s->levels.n; i++) {
        const cuda_level *level = &s->levels.level[i];
        size_t dense = (size_t)level->size.width * level->size.height;
        ENDO_TRY(copy_up(b, s->gain + level->offset, field->levels[i].gain,
                         (size_t)level->stride * level->size.height * 2));
        ENDO_TRY(copy_up(b, s->level_field + level->dense, field->levels[i].mask, dense));
    }
    return ENDO_OK;
}

static endo_status allocate_images(cuda_store *s) {
    size_t n = s->options.capacity;
    cuda_backend *b = s->backend;
    s->has_levels = (uint8_t *)endo_alloc_zeroed(n, 1);
    if (!s->has_levels) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu slots", n);
    ENDO_TRY(cuda_allocate(b, (void **)&s->grey, n * s->area));
    ENDO_CUDA(b, cudaMemsetAsync(s->grey, 0, n * s->area, b->stream)); /* words at an edge are read whole */
    s->plain = s->grey;
    if (s->options.enhance) {
        s->plain = NULL;
        ENDO_TRY(cuda_allocate(b, (void **)&s->plain, n * s->area));
        ENDO_CUDA(b, cudaMemsetAsync(s->plain, 0, n * s->area, b->stream));
    }
    if (s->options.highlights) {
        ENDO_TRY(cuda_allocate(b, (void **)&s->specular, n * s->area));
        ENDO_CUDA(b, cudaMemsetAsync(s->specular, 0, n * s->area, b->stream));
    }
    if (s->options.keep_pixels)
        ENDO_TRY(cuda_allocate(b, (void **)&s->pixels, n * s->area * endo_pixel_size(s->options.type)));
    if (s->levels.n) ENDO_TRY(cuda_allocate(b, (void **)&s->pyramids, n * s->levels.elements * 2));
    return ENDO_OK;
}

static void cuda_store_destroy(void *store);

static endo_status cuda_store_create(void *backend, const endo_store_setup *setup, void **store) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    cuda_store *s = (cuda_store *)endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    s->backend = (cuda_backend *)backend;
    s->options = setup->options;
    s->options.field = NULL;
    s->enhance_clip = setup->enhance_clip;
    s->stride = (int)setup->field->stride;
    s->area = (size_t)s->stride * (s->options.height + 1) + ENDO_PLANE_ROW;
    s->smoothing = setup->field->smoothing;
    lay_out_levels(s, setup->field);
    endo_status status = copy_field(s, setup->field);
    if (status == ENDO_OK) status = allocate_images(s);
    if (status == ENDO_OK)
        *store = s;
    else
        cuda_store_destroy(s);
    return status;
}

static void cuda_store_destroy(void *store) {
    cuda_store *s = (cuda_store *)store;
    if (!s) return;
    cudaSetDevice(s->backend->device);
    cudaStreamSynchronize(s->backend->stream);
    if (s->plain != s->grey) cuda_release(s->backend, s->plain);
    void *all[] = {s->field, s->field_quads, s->paint_quads, s->grey, s->specular, s->pixels,
                   s->centres, s->exposure_field, s->gain, s->pyramids, s->level_field};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cuda_release(s->backend, all[i]);
    endo_free(s->has_levels);
    endo_free(s);
}

typedef struct frame_target {
    uint8_t *grey, *specular, *pixels;
    int width, height, stride, low, high;
    endo_pixel type;
} frame_target;

__device__ static int grey_of(const frame_target *t, const void *in, size_t i, int *specular) {
    int grey;
    if (t->type == ENDO_RGB32) {
        uint32_t rgb = ((const uint32_t *)in)[i];
        *specular = endo_is_specular_rgb(rgb);
        return endo_grey_of_rgb(rgb);
    }
    grey = t->type == ENDO_GREY16 ? endo_grey_of_16(((const uint16_t *)in)[i], t->low, t->high)
                                  : ((const uint8_t *)in)[i];
    *specular = grey >= ENDO_SPECULAR_GREY;
    return grey;
}

/* One thread a pixel of the padded image: the last column and row repeat. in: dense. */
__global__ static void put_kernel(frame_target t, const void *in) {
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x > t.width || y > t.height) return;
    size_t from = (size_t)min(y, t.height - 1) * t.width + min(x, t.width - 1), to = (size_t)y * t.stride + x;
    int specular;
    t.grey[to] = (uint8_t)grey_of(&t, in, from, &specular);
    if (t.pixels) {
        if (t.type == ENDO_RGB32) ((uint32_t *)t.pixels)[to] = ((const uint32_t *)in)[from];
        else if (t.type == ENDO_GREY16) ((uint16_t *)t.pixels)[to] = ((const uint16_t *)in)[from];
        else t.pixels[to] = ((const uint8_t *)in)[from];
    }
}

/* Highlights, grown: a pixel is marked if any within reach is specular. */
__global__ static void specular_kernel(frame_target t, const void *in) {
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, marked = 0;
    if (x >= t.width || y >= t.height) return;
    for (int v = max(0, y - ENDO_SPECULAR_GROWTH); v <= min(t.height - 1, y + ENDO_SPECULAR_GROWTH); v++)
        for (int u = max(0, x - ENDO_SPECULAR_GROWTH); u <= min(t.width - 1, x + ENDO_SPECULAR_GROWTH); u++) {
            int specular;
            grey_of(&t, in, (size_t)v * t.width + u, &specular);
            marked |= specular;
        }
    t.specular[(size_t)y * t.stride + x] = marked ? 255 : 0;
}

/* The last column and row repeat, as in put_kernel. */
__global__ static void repeat_edge_kernel(uint8_t *grey, int width, int height, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < height) grey[(size_t)i * stride + width] = grey[(size_t)i * stride + width - 1];
    if (i <= width)
        grey[(size_t)height * stride + i] = grey[(size_t)(height - 1) * stride + min(i, width - 1)];
}

static endo_status enhance(cuda_store *s, int slot) {
    cuda_backend *b = s->backend;
    uint8_t *plain = s->plain + slot * s->area, *grey = s->grey + slot * s->area;
    int width = s->options.width, height = s->options.height, longest = width + 1 > height ? width + 1 : height;
    endo_ahe_job job = endo_enhance_job(&s->options, plain, s->stride, grey, s->enhance_clip);
    ENDO_TRY(cuda_ahe_device(b, &job, plain, s->stride, grey, s->stride));
    repeat_edge_kernel<<<(longest + 255) / 256, 256, 0, b->stream>>>(grey, width, height, s->stride);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

static endo_status cuda_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    int width = s->options.width, height = s->options.height;
    size_t size = endo_pixel_size(s->options.type), row = width * size;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_reserve(b, &b->device_in, row * height));
    ENDO_TRY(cuda_upload_rows(b, b->device_in.memory, row, pixels, (size_t)stride * size, row, height, PIECE));
    frame_target t = {s->plain + slot * s->area,
                      s->specular ? s->specular + slot * s->area : NULL,
                      s->pixels ? s->pixels + slot * s->area * size : NULL,
                      width, height, s->stride, s->options.low, s->options.high, s->options.type};
    dim3 block(TILE_X, TILE_Y), grid(width / TILE_X + 1, height / TILE_Y + 1);
    put_kernel<<<grid, block, 0, b->stream>>>(t, b->device_in.memory);
    if (t.specular) specular_kernel<<<grid, block, 0, b->stream>>>(t, b->device_in.memory);
    ENDO_CUDA(b, cudaGetLastError());
    s->has_levels[slot] = 0;
    return s->options.enhance ? enhance(s, slot) : ENDO_OK;
}

static endo_status cuda_store_get_grey(void *store, int slot, uint8_t *grey) {
    const cuda_store *s = (const cuda_store *)store;
    cuda_backend *b = s->backend;
    ENDO_TRY(cuda_enter(b));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    ENDO_CUDA(b, cudaMemcpy2D(grey, s->options.width, s->grey + slot * s->area, s->stride, s->options.width,
                              s->options.height, cudaMemcpyDeviceToHost));
    return ENDO_OK;
}

endo_status cuda_store_centres(cuda_store *s, const endo_centres *centres) {
    cuda_backend *b = s->backend;
    size_t area = (size_t)s->options.width * s->options.height;
    if (s->centres && s->centres_side == centres->side) return ENDO_OK;
    if (!s->centres) ENDO_TRY(cuda_allocate(b, (void **)&s->centres, area));
    s->centres_side = 0;
    ENDO_TRY(copy_up(b, s->centres, centres->mask, area));
    s->centres_side = centres->side;
    return ENDO_OK;
}

extern "C" const endo_frames_kernels cuda_frames = {
    .create = cuda_store_create,
    .destroy = cuda_store_destroy,
    .put = cuda_store_put,
    .get_grey = cuda_store_get_grey,
};
