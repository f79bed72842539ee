/* Frames without the distortion of their lens on a device: a thread a pixel, which finds its position by the lens's table. */
#include "cuda.h"

extern "C" {
#include "rules/lens.h"
}

#define TILE_X 32
#define TILE_Y 8
/* Bytes of a frame that are copied while the piece before is on the bus. */
#define PIECE ((size_t)2 << 20)

typedef struct cuda_lens {
    cuda_backend *backend;
    int width, height;
    endo_lens_table *table; /* on the device */
} cuda_lens;

/* ---------------------------------------------------------------------- kernel */

/* The 16 weights of a position: two loads, whose numbers lie in pairs. */
__device__ static inline void read_weights(const endo_lens_table *t, endo_lens_position p, int32_t weights[ENDO_LENS_TAPS]) {
    const uint4 *from = (const uint4 *)(t->weights + endo_lens_weight(p));
    for (int half = 0; half < 2; half++) {
        const uint4 eight = __ldg(from + half);
        const uint32_t pairs[4] = {eight.x, eight.y, eight.z, eight.w};
        for (int k = 0; k < 8; k++) weights[8 * half + k] = (int16_t)(pairs[k / 2] >> 16 * (k % 2));
    }
}

template <typename PIXEL> __device__ static inline PIXEL black() { return sizeof(PIXEL) == 4 ? (PIXEL)ENDO_LENS_BLACK_RGB : 0; }

template <typename PIXEL>
__device__ static inline PIXEL pixel_of(const uint32_t values[ENDO_LENS_TAPS], const int32_t weights[ENDO_LENS_TAPS]) {
    int32_t sum = 0;
    for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) sum += (int32_t)values[tap] * weights[tap];
    return (PIXEL)endo_lens_value(sum, sizeof(PIXEL) == 2 ? 65535 : 255);
}

template <>
__device__ inline uint32_t pixel_of<uint32_t>(const uint32_t values[ENDO_LENS_TAPS], const int32_t weights[ENDO_LENS_TAPS]) {
    uint32_t rgb = ENDO_LENS_BLACK_RGB;
    for (int bit = 0; bit < 24; bit += 8) {
        int32_t sum = 0;
        for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) sum += (int32_t)(values[tap] >> bit & 255) * weights[tap];
        rgb |= (uint32_t)endo_lens_value(sum, 255) << bit;
    }
    return rgb;
}

/* in and out: dense. */
template <typename PIXEL>
__global__ static void undistort_kernel(const endo_lens_table *table, const PIXEL *in, PIXEL *out) {
    int x = blockIdx.x * TILE_X + threadIdx.x;
    int y = blockIdx.y * TILE_Y + threadIdx.y;
    int width = table->width;
    int height = table->height;
    if (x >= width || y >= height) return;
    PIXEL *to = out + (size_t)y * width + x;
    endo_lens_position p;
    if (!endo_lens_find(table, x, y, &p)) {
        *to = black<PIXEL>();
        return;
    }
    int columns[4];
    uint32_t values[ENDO_LENS_TAPS];
    int32_t weights[ENDO_LENS_TAPS];
    for (int i = 0; i < 4; i++) columns[i] = endo_lens_within(endo_lens_first(p.x) + i, width);
    for (int j = 0; j < 4; j++) {
        const PIXEL *row = in + (size_t)endo_lens_within(endo_lens_first(p.y) + j, height) * width;
        for (int i = 0; i < 4; i++) values[4 * j + i] = __ldg(row + columns[i]);
    }
    read_weights(table, p, weights);
    *to = pixel_of<PIXEL>(values, weights);
}

template <typename PIXEL> static void launch(const cuda_lens *l) {
    cuda_backend *b = l->backend;
    dim3 grid((l->width + TILE_X - 1) / TILE_X, (l->height + TILE_Y - 1) / TILE_Y);
    undistort_kernel<<<grid, dim3(TILE_X, TILE_Y), 0, b->stream>>>(l->table, (const PIXEL *)b->device_in.memory,
                                                                    (PIXEL *)b->device_out.memory);
}

/* ----------------------------------------------------------------------- calls */

static void destroy(void *lens) {
    cuda_lens *l = (cuda_lens *)lens;
    if (!l) return;
    cudaSetDevice(l->backend->device);
    cudaStreamSynchronize(l->backend->stream);
    cudaGetLastError(); /* of a stream that failed: the context knows */
    cuda_release(l->backend, l->table);
    endo_free(l);
}

static endo_status create(void *backend, const endo_lens_table *table, void **lens) {
    cuda_backend *b = (cuda_backend *)backend;
    ENDO_TRY(cuda_enter(b));
    cuda_lens *l = (cuda_lens *)endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for a lens");
    l->backend = b;
    l->width = table->width;
    l->height = table->height;
    endo_status status = cuda_allocate(b, (void **)&l->table, sizeof *l->table);
    if (status == ENDO_OK) status = cuda_upload_bytes(b, l->table, table, sizeof *table);
    if (status == ENDO_OK)
        *lens = l;
    else
        destroy(l);
    return status;
}

static endo_status undistort(void *lens, const endo_lens_job *j) {
    const cuda_lens *l = (const cuda_lens *)lens;
    cuda_backend *b = l->backend;
    size_t size = endo_pixel_size(j->type);
    size_t row = l->width * size;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_reserve(b, &b->device_in, row * l->height));
    ENDO_TRY(cuda_reserve(b, &b->device_out, row * l->height));
    ENDO_TRY(cuda_upload_rows(b, b->device_in.memory, row, j->pixels, j->stride * size, row, l->height, PIECE));
    cuda_time_begin(b);
    switch (j->type) {
    case ENDO_GREY8: launch<uint8_t>(l); break;
    case ENDO_GREY16: launch<uint16_t>(l); break;
    case ENDO_RGB32: launch<uint32_t>(l); break;
    }
    ENDO_CUDA(b, cudaGetLastError());
    cuda_time_end(b);
    return cuda_download_rows(b, j->out, j->out_stride * size, b->device_out.memory, row, row, l->height, PIECE);
}

extern "C" const endo_lens_kernels cuda_lens_kernels = {
    .create = create,
    .destroy = destroy,
    .undistort = undistort,
};
