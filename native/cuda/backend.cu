/* Devices, errors, and memory that stays. */
#include "cuda.h"

#include "base/thread_pool.h"
#include "devices.h"
#include "fft.h"

#include <stdio.h>
#include <string.h>

static int is_broken(const cuda_backend *b) {
    cudaError_t now = b->stream ? cudaStreamQuery(b->stream) : cudaErrorUnknown;
    if (now == cudaSuccess || now == cudaErrorNotReady) return 0;
    cudaGetLastError();
    return 1;
}

endo_status cuda_fail(cuda_backend *b, cudaError_t error, const char *file, int line) {
    const char *name = strrchr(file, '/');
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* not sticky */
        return endo_fail(ENDO_ERR_MEMORY, "device %d: out of memory (%s:%d)", b ? b->device : 0,
                         name ? name + 1 : file, line);
    }
    /* Clears an error that concerned a single call only; one that has broken the device comes again. */
    cudaGetLastError();
    if (b && is_broken(b)) b->poisoned = 1;
    return endo_fail(ENDO_ERR_DEVICE, "device %d: %s (%s:%d)", b ? b->device : 0, cudaGetErrorString(error),
                     name ? name + 1 : file, line);
}

endo_status cuda_enter(cuda_backend *b) {
    if (b->poisoned) return endo_fail(ENDO_ERR_DEVICE, "device %d failed before: make a new context", b->device);
    cudaGetLastError(); /* what another context of this thread has left behind is not this call's */
    ENDO_CUDA(b, cudaSetDevice(b->device));
    return ENDO_OK;
}

endo_status cuda_open_aside(cuda_backend *b) {
    if (!b->aside) ENDO_CUDA(b, cudaStreamCreateWithFlags(&b->aside, cudaStreamNonBlocking));
    if (!b->aside_may) ENDO_CUDA(b, cudaEventCreateWithFlags(&b->aside_may, cudaEventDisableTiming));
    if (!b->aside_done) ENDO_CUDA(b, cudaEventCreateWithFlags(&b->aside_done, cudaEventDisableTiming));
    ENDO_CUDA(b, cudaEventRecord(b->aside_may, b->stream));
    ENDO_CUDA(b, cudaStreamWaitEvent(b->aside, b->aside_may, 0));
    return ENDO_OK;
}

static endo_status out_of_memory(const cuda_backend *b, size_t size) {
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) cudaGetLastError();
    if (b->memory_limit && b->memory_limit < total) {
        total = b->memory_limit;
        available = b->used < total ? total - b->used : 0;
    }
    return endo_fail(ENDO_ERR_MEMORY, "device %d: %.1f MB asked for, %.1f of %.1f MB are free", b->device, size / 1e6,
                     available / 1e6, total / 1e6);
}

/* Room to note one more block. */
static endo_status reserve_note(cuda_backend *b) {
    if (b->n_blocks < b->block_capacity) return ENDO_OK;
    size_t capacity = b->block_capacity ? 2 * b->block_capacity : 64;
    cuda_block *larger = (cuda_block *)endo_alloc(capacity, sizeof *larger);
    if (!larger) return endo_fail(ENDO_ERR_MEMORY, "no memory to note %zu allocations", capacity);
    if (b->n_blocks) memcpy(larger, b->blocks, b->n_blocks * sizeof *larger);
    endo_free(b->blocks);
    b->blocks = larger;
    b->block_capacity = capacity;
    return ENDO_OK;
}

endo_status cuda_allocate(cuda_backend *b, void **memory, size_t size) {
    if (size == 0) size = 1;
    ENDO_TRY(reserve_note(b));
    if (b->memory_limit && (size > b->memory_limit || b->used > b->memory_limit - size)) return out_of_memory(b, size);
    cudaError_t error = cudaMalloc(memory, size);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* not sticky */
        return out_of_memory(b, size);
    }
    ENDO_CUDA(b, error);
    cuda_block block = {*memory, size};
    b->blocks[b->n_blocks++] = block;
    b->used += size;
    return ENDO_OK;
}

void cuda_release(cuda_backend *b, void *memory) {
    if (!memory) return;
    cudaFree(memory);
    for (size_t i = 0; i < b->n_blocks; i++) {
        if (b->blocks[i].memory != memory) continue;
        b->used -= b->blocks[i].size;
        b->blocks[i] = b->blocks[--b->n_blocks];
        return;
    }
}

/* The new size of a buffer that was too small: half as much more at least, so that it does not grow a little with every
 * call, each of which would wait for the stream. */
static size_t grown(size_t had, size_t size) { return size > had + had / 2 ? size : had + had / 2; }

endo_status cuda_reserve(cuda_backend *b, cuda_buffer *buffer, size_t size) {
    size_t most = grown(buffer->size, size);
    if (buffer->size >= size) return ENDO_OK;
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    cuda_release(b, buffer->memory);
    buffer->memory = NULL;
    buffer->size = 0;
    endo_status status = cuda_allocate(b, &buffer->memory, most);
    if (status == ENDO_ERR_MEMORY && most > size) status = cuda_allocate(b, &buffer->memory, most = size);
    if (status == ENDO_OK) buffer->size = most;
    return status;
}

endo_status cuda_reserve_zeros(cuda_backend *b, cuda_buffer *buffer, size_t size) {
    if (buffer->size >= size) return ENDO_OK;
    ENDO_TRY(cuda_reserve(b, buffer, size));
    ENDO_CUDA(b, cudaMemsetAsync(buffer->memory, 0, buffer->size, b->stream));
    return ENDO_OK;
}

endo_status cuda_reserve_pinned(cuda_backend *b, cuda_buffer *buffer, size_t size) {
    size_t most = grown(buffer->size, size);
    if (buffer->size >= size) return ENDO_OK;
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    cudaFreeHost(buffer->memory);
    buffer->memory = NULL;
    buffer->size = 0;
    ENDO_CUDA(b, cudaMallocHost(&buffer->memory, most));
    buffer->size = most;
    return ENDO_OK;
}

/* Arrays from this size on go through the ring of pinned buffers. */
#define LARGE ((size_t)128 << 10)

endo_status cuda_send(cuda_backend *b, const void *from, size_t size) {
    ENDO_TRY(cuda_reserve(b, &b->device_in, size));
    if (size >= LARGE) return cuda_upload_bytes(b, b->device_in.memory, from, size);
    /* The driver copies pageable memory aside before it returns. */
    ENDO_CUDA(b, cudaMemcpyAsync(b->device_in.memory, from, size, cudaMemcpyHostToDevice, b->stream));
    return ENDO_OK;
}

endo_status cuda_receive(cuda_backend *b, const void *device, void *to, size_t size) {
    if (size >= LARGE) return cuda_download_bytes(b, to, device, size);
    ENDO_TRY(cuda_reserve_pinned(b, &b->pinned, size));
    ENDO_CUDA(b, cudaMemcpyAsync(b->pinned.memory, device, size, cudaMemcpyDeviceToHost, b->stream));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    memcpy(to, b->pinned.memory, size);
    return ENDO_OK;
}

endo_status cuda_send_slots(cuda_backend *b, const int32_t *slots, size_t n, cuda_slots *out) {
    cuda_slots made = {NULL, {}};
    if (n > CUDA_FEW_SLOTS) {
        ENDO_TRY(cuda_send(b, slots, n * sizeof *slots));
        made.many = (const int32_t *)b->device_in.memory;
    } else {
        memcpy(made.few, slots, n * sizeof *slots);
    }
    *out = made;
    return ENDO_OK;
}

/* Arguments and results up to this go without a copy of their own: kernels read and write the host's pinned memory. Each
 * copy is one more thing to start, and to wait for, which takes longer than so few bytes on the bus. */
#define FEW ((size_t)64 << 10)
#define FEW_ROOM (4 * FEW)
#define FEW_STEP ((size_t)256)

endo_status cuda_arguments(cuda_backend *b, const void *from, size_t size, const void **on_device) {
    if (size > FEW) {
        ENDO_TRY(cuda_send(b, from, size));
        *on_device = b->device_in.memory;
        return ENDO_OK;
    }
    ENDO_TRY(cuda_reserve_pinned(b, &b->few, FEW_ROOM));
    if (b->few_used + size > FEW_ROOM) { /* what is there may still be read */
        ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
        b->few_used = 0;
    }
    uint8_t *to = (uint8_t *)b->few.memory + b->few_used;
    memcpy(to, from, size);
    b->few_used += (size + FEW_STEP - 1) / FEW_STEP * FEW_STEP;
    *on_device = to;
    return ENDO_OK;
}

endo_status cuda_results(cuda_backend *b, size_t size, void **on_device) {
    if (size > FEW) {
        ENDO_TRY(cuda_reserve(b, &b->device_out, size));
        *on_device = b->device_out.memory;
        return ENDO_OK;
    }
    ENDO_TRY(cuda_reserve_pinned(b, &b->pinned, FEW));
    *on_device = b->pinned.memory;
    return ENDO_OK;
}

endo_status cuda_collect(cuda_backend *b, const void *on_device, void *to, size_t size) {
    if (on_device != b->pinned.memory) return cuda_receive(b, on_device, to, size);
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    b->few_used = 0;
    memcpy(to, on_device, size);
    return ENDO_OK;
}

endo_status cuda_time_enable(cuda_backend *b) {
    ENDO_CUDA(b, cudaEventCreate(&b->time_begin));
    ENDO_CUDA(b, cudaEventCreate(&b->time_end));
    b->timed = 1;
    return ENDO_OK;
}

endo_status cuda_time_read(cuda_backend *b, float *milliseconds) {
    ENDO_CUDA(b, cudaEventSynchronize(b->time_end));
    ENDO_CUDA(b, cudaEventElapsedTime(milliseconds, b->time_begin, b->time_end));
    return ENDO_OK;
}

static void close_lane(cuda_lane *lane) {
    cuda_ring_free(lane);
    for (cudaEvent_t event : lane->ring_free)
        if (event) cudaEventDestroy(event);
    endo_thread_pool_destroy(&lane->pool);
}

static void cuda_close(void *backend) {
    cuda_backend *b = (cuda_backend *)backend;
    if (!b) return;
    cudaSetDevice(b->device);
    cuda_release(b, b->device_in.memory);
    cuda_release(b, b->device_out.memory);
    cuda_release(b, b->scratch.memory);
    cuda_release(b, b->histograms.memory);
    cuda_release(b, b->flow_groups.memory);
    cuda_release(b, b->align_groups.memory);
    cuda_release(b, b->lists_arrived.memory);
    cuda_fft_close(b);
    cuda_release(b, b->fft_work.memory);
    cudaFreeHost(b->pinned.memory);
    cudaFreeHost(b->few.memory);
    if (b->aside) cudaStreamDestroy(b->aside);
    if (b->aside_may) cudaEventDestroy(b->aside_may);
    if (b->aside_done) cudaEventDestroy(b->aside_done);
    for (cudaEvent_t event : b->chunk_done)
        if (event) cudaEventDestroy(event);
    if (b->time_begin) cudaEventDestroy(b->time_begin);
    if (b->time_end) cudaEventDestroy(b->time_end);
    close_lane(&b->calls);
    close_lane(&b->puts);
    if (b->stream) cudaStreamDestroy(b->stream);
    for (cudaStream_t stream : b->put_streams)
        if (stream) cudaStreamDestroy(stream);
    cudaGetLastError();
    pthread_mutex_destroy(&b->putting);
    endo_free(b->blocks);
    endo_free(b);
}

static endo_status open_lane(cuda_backend *b, cuda_lane *lane, int ring) {
    lane->ring_size = ring;
    for (int i = 0; i < CUDA_RING; i++)
        ENDO_CUDA(b, cudaEventCreateWithFlags(&lane->ring_free[i], cudaEventDisableTiming));
    return ENDO_OK;
}

/* Frames on their way up go before the kernels of calls: behind the long ones of a chunk the bus would stand still. */
static endo_status open_lanes(cuda_backend *b) {
    int least = 0;
    int greatest = 0;
    ENDO_CUDA(b, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    ENDO_CUDA(b, cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking, least));
    for (int i = 0; i < CUDA_PUT_STREAMS; i++)
        ENDO_CUDA(b, cudaStreamCreateWithPriority(&b->put_streams[i], cudaStreamNonBlocking, greatest));
    b->calls.stream = b->stream;
    b->puts.stream = b->put_streams[0];
    ENDO_TRY(open_lane(b, &b->calls, CUDA_RING));
    return open_lane(b, &b->puts, 2); /* one on the bus, one filled */
}

void cuda_turn_puts(cuda_backend *b) {
    b->put_turn = (b->put_turn + 1) % CUDA_PUT_STREAMS;
    b->puts.stream = b->put_streams[b->put_turn];
}

/* Every kernel of the library is compiled for the same devices; this one tells for which. */
__global__ static void version_kernel(void) {}

/* The capability that the kernels were compiled for that run here, 90 for 9.0: on a device that is newer than all of them the
 * driver translates their code, in which what only newer ones can do (clusters, launches that depend on one another) was
 * left out. */
static endo_status find_capability(cuda_backend *b, const endo_device_info *info) {
    cudaFuncAttributes attributes;
    int of_device = 10 * info->major + info->minor;
    ENDO_CUDA(b, cudaFuncGetAttributes(&attributes, version_kernel));
    b->compute_capability = attributes.ptxVersion < of_device ? attributes.ptxVersion : of_device;
    return ENDO_OK;
}

static endo_status use_device(cuda_backend *b) {
    endo_device_info info;
    ENDO_TRY(cuda_devices_describe(b->device, &info));
    if (!info.usable)
        return endo_fail(ENDO_ERR_DEVICE, "device %d (%s): compute capability %d.%d, 7.5 or newer is needed", b->device,
                         info.name, info.major, info.minor);
    b->multiprocessors = info.multiprocessors;
    memcpy(b->name, info.name, sizeof b->name);
    ENDO_CUDA(b, cudaSetDevice(b->device));
    ENDO_TRY(find_capability(b, &info));
    int bytes = 0;
    ENDO_CUDA(b, cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, b->device));
    b->shared_memory = (size_t)bytes;
    ENDO_CUDA(b, cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, b->device));
    b->shared_memory_of_block = (size_t)bytes;
    return open_lanes(b);
}

static endo_status cuda_open(const endo_context_options *options, void **backend) {
    cuda_backend *b = (cuda_backend *)endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a context");
    b->device = options->device;
    b->threads = options->threads;
    b->cpu = options->cpu;
    b->memory_limit = options->memory_limit;
    pthread_mutex_init(&b->putting, NULL);
    endo_status status = use_device(b);
    if (status == ENDO_OK)
        *backend = b;
    else
        cuda_close(b);
    return status;
}

static void cuda_describe(const void *backend, char *text, size_t size) {
    const cuda_backend *b = (const cuda_backend *)backend;
    snprintf(text, size, "cuda (device %d, %s)", b->device, b->name);
}

extern "C" const endo_context_kernels cuda_context = {
    .open = cuda_open,
    .close = cuda_close,
    .describe = cuda_describe,
};

#define CUDA_BATCH(stem, request, setup, result) .stem = cuda_##stem,

static const endo_batch_kernels cuda_batches = {ENDO_BATCHES(CUDA_BATCH) ENDO_DEVICE_BATCHES(CUDA_BATCH)};

extern "C" const endo_kernels endo_kernels_cuda = {
    .name = "cuda",
    .takes_many = 1,
    .context = &cuda_context,
    .planes = &cuda_planes,
    .frames = &cuda_frames,
    .batches = &cuda_batches,
    .canvas = &cuda_canvas_kernels,
    .blend = &cuda_blend_kernels,
    .equalization = &cuda_equalization,
    .mutual = &cuda_mutual,
    .lens = &cuda_lens_kernels,
};
