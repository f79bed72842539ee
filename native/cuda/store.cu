/* The frame store in device memory. A frame passes a pinned buffer, is copied, and becomes grey; nothing
 * waits for it until a result is asked for. */
#include "derived.h"
#include "fourier.cuh"

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
        all->elements += (size_t)level->stride * size->height + ENDO_PLANE_ROW;
        all->dense_bytes += ((size_t)size->width * size->height + 255) & ~(size_t)255;
    }
}

cuda_plane cuda_store_plane(cuda_store *s, endo_plane_type type, int depth) {
    endo_plane_format format = {type, s->options.width, s->options.height, depth};
    return cuda_plane_take(&s->arena, &format, 1);
}

static endo_plane_type type_of(endo_pixel type) {
    return type == ENDO_RGB32 ? ENDO_PLANE_U32 : type == ENDO_GREY16 ? ENDO_PLANE_U16 : ENDO_PLANE_U8;
}

static size_t blocks_of(const cuda_store *s) {
    return (size_t)(s->options.width / ENDO_BLEND_SIDE) * (s->options.height / ENDO_BLEND_SIDE);
}

/* What depends on the field alone. */
static void take_field(cuda_store *s) {
    s->field = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->field_quads = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->paint_quads = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->sixteen = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->depths = (uint8_t *)cuda_arena_take(&s->arena, blocks_of(s) + 1, 1);
    s->centres = (uint8_t *)cuda_arena_take(&s->arena, (size_t)s->options.width * s->options.height, 1);
    s->gain = (int16_t *)cuda_arena_take(&s->arena, s->levels.elements, sizeof(int16_t));
    s->level_field = (uint8_t *)cuda_arena_take(&s->arena, s->levels.dense_bytes, 1);
}

/* All memory of a new store: first counted, then there. */
static void take_all(cuda_store *s, int has_pattern) {
    int n = s->options.capacity;
    take_field(s);
    if (has_pattern)
        s->pattern = (int16_t *)cuda_arena_take(&s->arena, (size_t)s->options.width * s->options.height, sizeof(int16_t));
    s->incoming = (uint8_t *)cuda_arena_take(&s->arena, (size_t)s->options.width * s->options.height,
                                             endo_pixel_size(s->options.type));
    cuda_plane plain = cuda_store_plane(s, ENDO_PLANE_U8, n);
    s->stride = (int)plain.stride;
    s->area = (size_t)plain.slice;
    s->grey = s->plain = plain.samples;
    if (s->options.highlights) s->bright = cuda_store_plane(s, ENDO_PLANE_U8, n).samples;
    if (s->options.highlights == 1) s->specular = s->bright;
    if (s->options.keep_pixels) s->pixels = cuda_store_plane(s, type_of(s->options.type), n).samples;
    cuda_derived_take(s);
}

static endo_status copy_field(cuda_store *s, const endo_field_planes *field) {
    cuda_backend *b = s->backend;
    size_t padded = (size_t)field->stride * (s->options.height + 1);
    ENDO_TRY(copy_up(b, s->field, field->mask, padded));
    ENDO_TRY(copy_up(b, s->field_quads, field->quads, padded));
    ENDO_TRY(copy_up(b, s->paint_quads, field->paint_quads, padded));
    ENDO_TRY(copy_up(b, s->sixteen, field->sixteen, padded));
    if (blocks_of(s)) ENDO_TRY(copy_up(b, s->depths, field->depths, blocks_of(s)));
    for (int i = 0; i < s->levels.n; i++) {
        const cuda_level *level = &s->levels.level[i];
        size_t dense = (size_t)level->size.width * level->size.height;
        ENDO_TRY(copy_up(b, s->gain + level->offset, field->levels[i].gain,
                         (size_t)level->stride * level->size.height * sizeof(int16_t)));
        ENDO_TRY(copy_up(b, s->level_field + level->dense, field->levels[i].mask, dense));
    }
    return ENDO_OK;
}

static endo_status create_events(cuda_store *s) {
    cudaEvent_t *events[] = {&s->arrived, &s->used, &s->here, &s->lent};
    for (cudaEvent_t *event : events) ENDO_CUDA(s->backend, cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    return ENDO_OK;
}

static void destroy_events(cuda_store *s) {
    cudaEvent_t events[] = {s->arrived, s->used, s->here, s->lent};
    for (cudaEvent_t event : events)
        if (event) cudaEventDestroy(event);
}

static endo_status fill_store(cuda_store *s, const endo_store_setup *setup) {
    size_t area = (size_t)s->options.width * s->options.height;
    int has_pattern = setup->options.pattern != NULL;
    ENDO_TRY(create_events(s));
    ENDO_TRY(endo_slots_create(&s->slots, s->options.capacity));
    lay_out_levels(s, setup->field);
    take_all(s, has_pattern);
    ENDO_TRY(cuda_arena_grow(&s->arena));
    take_all(s, has_pattern);
    if (has_pattern) ENDO_TRY(copy_up(s->backend, s->pattern, setup->options.pattern, area * sizeof *s->pattern));
    return copy_field(s, setup->field);
}

static void cuda_store_destroy(void *store) {
    cuda_store *s = (cuda_store *)store;
    if (!s) return;
    cudaSetDevice(s->backend->device);
    cudaStreamSynchronize(s->backend->puts.stream);
    cudaStreamSynchronize(s->backend->stream);
    cuda_store_end_loans(s);
    destroy_events(s);
    cuda_fourier_free(s);
    cuda_release(s->backend, s->smoothed);
    cuda_arena_free(&s->arena);
    endo_slots_destroy(&s->slots);
    endo_free(s);
}

static endo_status cuda_store_create(void *backend, const endo_store_setup *setup, void **store) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    cuda_store *s = (cuda_store *)endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    s->backend = s->arena.backend = (cuda_backend *)backend;
    s->options = setup->options;
    s->options.field = NULL;
    s->options.pattern = NULL;
    s->enhance_clip = setup->enhance_clip;
    s->smoothing = setup->field->smoothing;
    endo_status status = fill_store(s, setup);
    if (status == ENDO_OK)
        *store = s;
    else
        cuda_store_destroy(s);
    return status;
}

typedef struct frame_target {
    uint8_t *grey, *specular, *pixels;
    const int16_t *pattern; /* or NULL */
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
    uint8_t grey = (uint8_t)grey_of(&t, in, from, &specular);
    t.grey[to] = t.pattern ? endo_grey_less(grey, t.pattern[from]) : grey;
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

static frame_target target_of(const cuda_store *s, int slot) {
    size_t size = endo_pixel_size(s->options.type);
    frame_target t = {s->plain + slot * s->area,
                      s->bright ? s->bright + slot * s->area : NULL,
                      s->pixels ? s->pixels + slot * s->area * size : NULL,
                      s->pattern, s->options.width, s->options.height, s->stride, s->options.low, s->options.high,
                      s->options.type};
    return t;
}

/* Another thread may be in a call that works on other slots: nothing of what calls use is touched here. */
static endo_status cuda_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    int width = s->options.width, height = s->options.height;
    size_t size = endo_pixel_size(s->options.type);
    cudaStream_t stream = b->puts.stream;
    ENDO_TRY(cuda_enter(b));
    endo_slots_forget(&s->slots, slot);
    ENDO_TRY(cuda_put_rows(b, s->incoming, pixels, (size_t)stride * size, width * size, height, PIECE));
    ENDO_TRY(cuda_store_wait_for_loans(s));
    ENDO_CUDA(b, cudaStreamWaitEvent(stream, s->used, 0));
    frame_target t = target_of(s, slot);
    dim3 block(TILE_X, TILE_Y), grid(width / TILE_X + 1, height / TILE_Y + 1);
    put_kernel<<<grid, block, 0, stream>>>(t, s->incoming);
    if (t.specular) specular_kernel<<<grid, block, 0, stream>>>(t, s->incoming);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_CUDA(b, cudaEventRecord(s->arrived, stream));
    return ENDO_OK;
}

static endo_status wait_for_frames(cuda_store *s, const int32_t *slots, size_t n) {
    (void)slots, (void)n;
    ENDO_CUDA(s->backend, cudaStreamWaitEvent(s->backend->stream, s->arrived, 0));
    return ENDO_OK;
}

extern const cuda_derivation cuda_arrived = {
    .from = CUDA_DERIVED,
    .applies = NULL,
    .take = NULL,
    .build = wait_for_frames,
};

endo_status cuda_store_enter_slot(const cuda_store *store, int slot) {
    const endo_pair request = {slot, slot};
    return cuda_derive((cuda_store *)store, CUDA_ARRIVED, &request, 1, sizeof request); /* notes that nobody waits again */
}

endo_status cuda_store_leave_slots(const cuda_store *store) {
    ENDO_CUDA(store->backend, cudaEventRecord(store->used, store->backend->stream));
    return ENDO_OK;
}

static endo_status cuda_store_get_grey(void *store, int slot, uint8_t *grey) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    const endo_pair request = {slot, slot};
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_ENHANCED, &request, 1, sizeof request));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    ENDO_CUDA(b, cudaMemcpy2D(grey, s->options.width, s->grey + slot * s->area, s->stride, s->options.width,
                              s->options.height, cudaMemcpyDeviceToHost));
    return ENDO_OK;
}

endo_status cuda_store_centres(cuda_store *s, const endo_centres *centres) {
    cuda_backend *b = s->backend;
    size_t area = (size_t)s->options.width * s->options.height;
    if (s->centres_side == centres->side) return ENDO_OK;
    s->centres_side = 0;
    ENDO_TRY(copy_up(b, s->centres, centres->mask, area));
    s->centres_side = centres->side;
    return ENDO_OK;
}

extern "C" const endo_frames_kernels cuda_frames = {
    .create = cuda_store_create,
    .destroy = cuda_store_destroy,
    .put = cuda_store_put,
    .put_list = NULL, /* the threads of a team share each frame */
    .get_grey = cuda_store_get_grey,
    .fetch = cuda_store_fetch,
};
