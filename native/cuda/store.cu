/* The frame store in device memory. A frame passes a pinned buffer, is copied, and becomes grey; nothing
 * waits for it until a result is asked for. */
#include "derived.h"
#include "fourier.cuh"

#include "base/pack.h"

#include <string.h>

/* A tile of the kernel that takes frames in: warps; rows, with those around that its highlights look at; the pixels that it
 * is for. */
#define WARPS 8
#define ROWS 32
#define TILE_X (4 * 30)
#define TILE_Y (ROWS - 2 * ENDO_SPECULAR_GROWTH)
/* Frames up to this go up in one piece. */
#define PIECE ((size_t)32 << 20)
/* Small ones go up together, as many as these bytes hold: each start of a copy and of a kernel takes as long as one of them. */
#define TOGETHER ((size_t)7 << 20)
#define MOST_TOGETHER 16
/* Bytes behind the last frame that a kernel may read: it takes packed colours out of words. */
#define BEHIND 8

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

/* Takes the planes that depend on the field of view alone. */
static void take_field(cuda_store *s) {
    s->field = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->field_bilinear = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->paint_bilinear = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->bicubic = cuda_store_plane(s, ENDO_PLANE_U8, 1).samples;
    s->depths = (uint8_t *)cuda_arena_take(&s->arena, blocks_of(s) + 1, 1);
    s->centres = (uint8_t *)cuda_arena_take(&s->arena, (size_t)s->options.width * s->options.height, 1);
    s->gain = (int16_t *)cuda_arena_take(&s->arena, s->levels.elements, sizeof(int16_t));
    s->level_field = (uint8_t *)cuda_arena_take(&s->arena, s->levels.dense_bytes, 1);
}

/* Bytes of a pixel on its way to the device, where nobody reads the fourth one of a colour. */
static size_t pixel_on_its_way(const cuda_store *s) {
    return s->options.type == ENDO_RGB32 ? ENDO_PACK_TO : endo_pixel_size(s->options.type);
}

static size_t bytes_of(const cuda_store *s) { return (size_t)s->options.width * s->options.height * pixel_on_its_way(s); }

/* Frames that go up together. */
static size_t frames_together(const cuda_store *s) {
    size_t n = TOGETHER / bytes_of(s);
    return n < 1 ? 1 : n > MOST_TOGETHER ? MOST_TOGETHER : n;
}

/* All memory of a new store: first counted, then there. */
static void take_all(cuda_store *s, int has_pattern) {
    int n = s->options.capacity;
    take_field(s);
    if (has_pattern)
        s->pattern = (int16_t *)cuda_arena_take(&s->arena, (size_t)s->options.width * s->options.height, sizeof(int16_t));
    for (uint8_t *&incoming : s->incoming)
        incoming = (uint8_t *)cuda_arena_take(&s->arena, bytes_of(s) * frames_together(s) + BEHIND, 1);
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
    ENDO_TRY(copy_up(b, s->field_bilinear, field->bilinear, padded));
    ENDO_TRY(copy_up(b, s->paint_bilinear, field->paint_bilinear, padded));
    ENDO_TRY(copy_up(b, s->bicubic, field->bicubic, padded));
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
    for (cudaStream_t stream : s->backend->put_streams) cudaStreamSynchronize(stream);
    cudaStreamSynchronize(s->backend->stream);
    cuda_store_end_loans(s);
    destroy_events(s);
    cuda_fourier_free(s);
    cuda_release(s->backend, s->smoothed);
    for (int i = 0; i < ENDO_BITMAP_SCALES; i++) cuda_release(s->backend, s->bitmaps[i]);
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

/* Frames that came up together; their pointers are those of slot 0. */
typedef struct put_job {
    const uint8_t *in; /* dense, one after the other; colours are packed */
    uint8_t *grey, *specular, *pixels;
    const int16_t *pattern; /* or NULL */
    size_t area;            /* elements from slot to slot */
    int width, height, stride, low, high;
    int32_t slots[MOST_TOGETHER];
} put_job;

/* A pixel of all that came, as its type has it; a colour comes out of two words. */
template <int TYPE> __device__ static uint32_t pixel_at(const put_job &job, size_t i) {
    if (TYPE == ENDO_GREY8) return job.in[i];
    if (TYPE == ENDO_GREY16) return ((const uint16_t *)job.in)[i];
    const uint32_t *words = (const uint32_t *)job.in + ENDO_PACK_TO * i / 4;
    return __funnelshift_r(words[0], words[1], (unsigned)(ENDO_PACK_TO * i % 4 * 8)) & 0xffffff;
}

/* Four colours that follow each other: three words, which may begin within one. */
__device__ static void four_colours_at(const put_job &job, size_t i, uint32_t four[4]) {
    const uint32_t *words = (const uint32_t *)job.in + ENDO_PACK_TO * i / 4;
    unsigned shift = (unsigned)(ENDO_PACK_TO * i % 4 * 8);
    uint32_t a = __funnelshift_r(words[0], words[1], shift), b = __funnelshift_r(words[1], words[2], shift);
    uint32_t c = __funnelshift_r(words[2], words[3], shift);
    four[0] = a & 0xffffff;
    four[1] = __funnelshift_r(a, b, 24) & 0xffffff;
    four[2] = __funnelshift_r(b, c, 16) & 0xffffff;
    four[3] = c >> 8;
}

/* Where row y begins in a dense frame, or in a plane; y is in the frame, and one multiplication is enough. */
__device__ static size_t begin_of_row(int y, int stride) { return (size_t)(uint32_t)y * (uint32_t)stride; }

/* Pixels x .. x + 3 of row y; outside of the frame its nearest pixel. frame: its first pixel of all that came. */
template <int TYPE> __device__ static void four_at(const put_job &job, size_t frame, int x, int y, uint32_t four[4]) {
    size_t row = frame + begin_of_row(min(max(y, 0), job.height - 1), job.width);
    if (TYPE == ENDO_RGB32 && x >= 0 && x + 3 < job.width) {
        four_colours_at(job, row + x, four);
        return;
    }
    for (int k = 0; k < 4; k++) four[k] = pixel_at<TYPE>(job, row + min(max(x + k, 0), job.width - 1));
}

/* Factors of blue, green and red, by byte, as endo_grey_of_channels has them. */
#define GREY_FACTORS (29u | 150u << 8 | 77u << 16)

template <int TYPE> __device__ static uint32_t grey_of(const put_job &job, uint32_t pixel) {
    if (TYPE == ENDO_RGB32) return __dp4a(pixel, GREY_FACTORS, 128u) >> 8;
    return TYPE == ENDO_GREY16 ? endo_grey_of_16(pixel, job.low, job.high) : pixel;
}

/* Bits of the highlights among four pixels. Most have none: the grey value of a colour that is one is no less than its least
 * channel may be. */
template <int TYPE> __device__ static unsigned specular_of(const uint32_t four[4], const uint32_t grey[4]) {
    unsigned bits = 0;
    if (max(max(grey[0], grey[1]), max(grey[2], grey[3])) < ENDO_SPECULAR_RGB) return 0;
    for (int k = 0; k < 4; k++)
        bits |= (unsigned)(TYPE == ENDO_RGB32 ? endo_is_specular_rgb(four[k]) : grey[k] >= ENDO_SPECULAR_GREY) << k;
    return bits;
}
static_assert(ENDO_SPECULAR_RGB <= ENDO_SPECULAR_GREY, "the least grey value of a highlight");

/* Four numbers at once where all of them are wanted, else the first n. */
template <class number, class four_numbers>
__device__ static void store_four(uint8_t *plane, size_t to, const uint32_t four[4], int n) {
    number *out = (number *)plane + to;
    if (n >= 4) {
        *(four_numbers *)out = four_numbers{(number)four[0], (number)four[1], (number)four[2], (number)four[3]};
        return;
    }
    for (int k = 0; k < 4; k++)
        if (k < n) out[k] = (number)four[k];
}

template <int TYPE> __device__ static void store_pixels(const put_job &job, size_t to, const uint32_t four[4], int n) {
    if (TYPE == ENDO_RGB32) store_four<uint32_t, uint4>(job.pixels, to, four, n);
    else if (TYPE == ENDO_GREY16) store_four<uint16_t, ushort4>(job.pixels, to, four, n);
    else store_four<uint8_t, uchar4>(job.pixels, to, four, n);
}

/* Four pixels of the padded image, whose last column and row repeat. */
template <int TYPE>
__device__ static void put_four(const put_job &job, size_t slot, int x, int y, const uint32_t four[4], const uint32_t grey[4]) {
    size_t to = slot * job.area + begin_of_row(y, job.stride) + x;
    int n = job.width + 1 - x;
    if (job.pattern) {
        const int16_t *row = job.pattern + begin_of_row(min(y, job.height - 1), job.width);
        uint32_t less[4];
        for (int k = 0; k < 4; k++) less[k] = endo_grey_less((uint8_t)grey[k], row[min(x + k, job.width - 1)]);
        store_four<uint8_t, uchar4>(job.grey, to, less, n);
    } else {
        store_four<uint8_t, uchar4>(job.grey, to, grey, n);
    }
    if (job.pixels) store_pixels<TYPE>(job, to, four, n);
}

/* Bits of the highlights among four pixels, grown along the row by those of the threads beside this one. */
template <int TYPE>
__device__ static uint8_t specular_along(const put_job &job, int x, int y, const uint32_t four[4], const uint32_t grey[4]) {
    unsigned own = specular_of<TYPE>(four, grey), along = 0;
    if (x < 0 || x >= job.width || y < 0 || y >= job.height) own = 0;
    else if (x + 3 >= job.width) own &= (1u << (job.width - x)) - 1;
    unsigned before = __shfl_up_sync(0xffffffffu, own, 1), behind = __shfl_down_sync(0xffffffffu, own, 1);
    unsigned near = before | own << 4 | behind << 8;
    for (int shift = 4 - ENDO_SPECULAR_GROWTH; shift <= 4 + ENDO_SPECULAR_GROWTH; shift++) along |= near >> shift;
    return (uint8_t)(along & 15);
}
static_assert(ENDO_SPECULAR_GROWTH <= 4, "highlights grow as far as the pixels of the next thread");

/* The highlights of four pixels: bits of the rows within reach together. */
__device__ static void mark_four(const put_job &job, size_t slot, int x, int y, unsigned any) {
    uint32_t marks[4];
    for (int k = 0; k < 4; k++) marks[k] = any >> k & 1 ? 255 : 0;
    store_four<uint8_t, uchar4>(job.specular, slot * job.area + begin_of_row(y, job.stride) + x, marks, job.width - x);
}

/* One warp a row of a tile, one thread four pixels of it. The first and the last thread, and the first and the last rows, are
 * there for the highlights of the others: a pixel is marked if any within reach is one. */
template <int TYPE> __global__ static void put_kernel(const __grid_constant__ put_job job) {
    __shared__ uint8_t along[ROWS][32];
    int lane = threadIdx.x, x = (int)blockIdx.x * TILE_X + 4 * (lane - 1);
    int top = (int)blockIdx.y * TILE_Y - ENDO_SPECULAR_GROWTH;
    size_t frame = (size_t)blockIdx.z * job.width * job.height, slot = (size_t)job.slots[blockIdx.z];
    int has_columns = lane > 0 && lane < 31;
    uint32_t four[ROWS / WARPS][4], grey[4];
#pragma unroll
    for (int i = 0; i < ROWS / WARPS; i++) four_at<TYPE>(job, frame, x, top + WARPS * i + (int)threadIdx.y, four[i]);
#pragma unroll
    for (int i = 0; i < ROWS / WARPS; i++) {
        int row = WARPS * i + (int)threadIdx.y, y = top + row;
        int is_own = row >= ENDO_SPECULAR_GROWTH && row < ENDO_SPECULAR_GROWTH + TILE_Y;
        for (int k = 0; k < 4; k++) grey[k] = grey_of<TYPE>(job, four[i][k]);
        if (is_own && has_columns && x <= job.width && y <= job.height) put_four<TYPE>(job, slot, x, y, four[i], grey);
        if (job.specular) along[row][lane] = specular_along<TYPE>(job, x, y, four[i], grey);
    }
    if (!job.specular) return;
    __syncthreads();
    for (int row = ENDO_SPECULAR_GROWTH + threadIdx.y; row < ENDO_SPECULAR_GROWTH + TILE_Y; row += WARPS) {
        unsigned any = 0;
        for (int v = -ENDO_SPECULAR_GROWTH; v <= ENDO_SPECULAR_GROWTH; v++) any |= along[row + v][lane];
        if (has_columns && x < job.width && top + row < job.height) mark_four(job, slot, x, top + row, any);
    }
}

static void launch_put(const cuda_store *s, const uint8_t *incoming, const int32_t *slots, size_t n) {
    const endo_frames_options *o = &s->options;
    put_job job = {incoming, s->plain, s->bright, s->pixels, s->pattern, s->area,
                   o->width, o->height, s->stride, o->low, o->high, {}};
    dim3 block(32, WARPS), grid(o->width / TILE_X + 1, o->height / TILE_Y + 1, (unsigned)n);
    memcpy(job.slots, slots, n * sizeof *slots);
    cudaStream_t stream = s->backend->puts.stream;
    if (o->type == ENDO_RGB32) put_kernel<ENDO_RGB32><<<grid, block, 0, stream>>>(job);
    else if (o->type == ENDO_GREY16) put_kernel<ENDO_GREY16><<<grid, block, 0, stream>>>(job);
    else put_kernel<ENDO_GREY8><<<grid, block, 0, stream>>>(job);
}

/* Makes the kernel that fills slots wait for all that may still use them: the put before, copies to other devices, and calls. */
static endo_status wait_for_slots(cuda_store *s) {
    cudaStream_t stream = s->backend->puts.stream;
    ENDO_CUDA(s->backend, cudaStreamWaitEvent(stream, s->arrived, 0));
    ENDO_TRY(cuda_store_wait_for_loans(s));
    ENDO_CUDA(s->backend, cudaStreamWaitEvent(stream, s->used, 0));
    return ENDO_OK;
}

/* Another thread may be in a call that works on other slots: nothing of what calls use is touched here. The lane of puts is
 * locked. alone: one image. */
static endo_status put_together(cuda_store *s, const int32_t *slots, size_t n, int alone, const void *const *pixels,
                                ptrdiff_t stride) {
    cuda_backend *b = s->backend;
    const cuda_image image = {(size_t)stride * endo_pixel_size(s->options.type), s->options.width * pixel_on_its_way(s),
                              s->options.height, s->options.type == ENDO_RGB32};
    cuda_turn_puts(b);
    uint8_t *incoming = s->incoming[b->put_turn];
    for (size_t i = 0; i < n; i++) endo_slots_forget(&s->slots, slots[i]);
    if (alone) ENDO_TRY(cuda_put_image(b, incoming, pixels[0], &image, PIECE));
    else ENDO_TRY(cuda_put_images(b, incoming, pixels, n, &image));
    ENDO_TRY(wait_for_slots(s));
    launch_put(s, incoming, slots, n);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_CUDA(b, cudaEventRecord(s->arrived, b->puts.stream));
    return ENDO_OK;
}

static endo_status cuda_store_put_list(void *store, const int32_t *slots, size_t n, const void *const *pixels,
                                       ptrdiff_t stride) {
    cuda_store *s = (cuda_store *)store;
    size_t most = frames_together(s), pieces = (n + most - 1) / most, piece = pieces ? (n + pieces - 1) / pieces : 0;
    endo_status status = cuda_enter(s->backend);
    if (status != ENDO_OK) return status;
    pthread_mutex_lock(&s->backend->putting);
    for (size_t at = 0; status == ENDO_OK && at < n; at += piece)
        status = put_together(s, slots + at, n - at < piece ? n - at : piece, n == 1 || most == 1, pixels + at, stride);
    pthread_mutex_unlock(&s->backend->putting);
    return status;
}

static endo_status cuda_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    const int32_t list[] = {slot};
    return cuda_store_put_list(store, list, 1, &pixels, stride);
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
    .put_list = cuda_store_put_list,
    .get_grey = cuda_store_get_grey,
    .put_for = NULL, /* they stay, and have everything */
    .fetch = cuda_store_fetch,
};
