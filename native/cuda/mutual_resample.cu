/* A volume in the grid of another one, in its own grey values, on a device. */
#include "mutual.cuh"

#define THREADS 256
#define PIECE ((size_t)2 << 20)

typedef struct resample_job {
    const uint8_t *moving;
    uint8_t *out; /* dense */
    int size[3], moving_size[3];
    endo_mutual_rounding round;
    endo_mutual_map map;
} resample_job;

/* The neighbours' bits from `shift` on. */
template <typename PIXEL>
__device__ static inline uint32_t sample(const PIXEL *moving, const int64_t from[8], const int fraction[3], int shift,
                                         uint32_t bits) {
    uint16_t grey[8];
    for (int k = 0; k < 8; k++) grey[k] = (uint16_t)((uint32_t)moving[from[k]] >> shift & bits);
    return endo_mutual_resample_grey(grey, fraction);
}

template <typename PIXEL>
__device__ static inline PIXEL pixel_of(const PIXEL *moving, const int64_t from[8], const int fraction[3]) {
    return (PIXEL)sample(moving, from, fraction, 0, 0xffff);
}

template <> __device__ inline uint32_t pixel_of(const uint32_t *moving, const int64_t from[8], const int fraction[3]) {
    uint32_t rgb = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) rgb |= sample(moving, from, fraction, shift, 255) << shift;
    return rgb;
}

template <typename PIXEL> __device__ static inline PIXEL outside() { return sizeof(PIXEL) == 4 ? (PIXEL)0xff000000u : 0; }

template <typename PIXEL> __global__ static void resample_kernel(const __grid_constant__ resample_job j) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= (int64_t)j.size[0] * j.size[1] * j.size[2]) return;
    int x = (int)(i % j.size[0]), y = (int)(i / j.size[0] % j.size[1]), z = (int)(i / j.size[0] / j.size[1]);
    int64_t at[3][2], from[8];
    int fraction[3], inside = 1;
    for (int k = 0; k < 3; k++) {
        int32_t p = mutual_position(j.map.m + 4 * k, x, y, z);
        inside &= endo_mutual_is_inside(p, j.moving_size[k]);
        p = (p + j.round.half) & j.round.mask;
        for (int d = 0; d < 2; d++) at[k][d] = mutual_within((p >> 16) + d, j.moving_size[k]);
        fraction[k] = endo_mutual_fraction(p);
    }
    PIXEL *out = (PIXEL *)j.out + i;
    if (!inside) {
        *out = outside<PIXEL>();
        return;
    }
    for (int k = 0; k < 8; k++)
        from[k] = (at[2][k >> 2] * j.moving_size[1] + at[1][k >> 1 & 1]) * j.moving_size[0] + at[0][k & 1];
    *out = pixel_of((const PIXEL *)j.moving, from, fraction);
}

static endo_status draw(cuda_backend *b, const resample_job *j, endo_pixel type) {
    int blocks = mutual_blocks((int64_t)j->size[0] * j->size[1] * j->size[2], THREADS);
    if (type == ENDO_GREY8) resample_kernel<uint8_t><<<blocks, THREADS, 0, b->stream>>>(*j);
    else if (type == ENDO_GREY16) resample_kernel<uint16_t><<<blocks, THREADS, 0, b->stream>>>(*j);
    else resample_kernel<uint32_t><<<blocks, THREADS, 0, b->stream>>>(*j);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_mutual_resample(void *backend, const endo_resample_job *job) {
    cuda_backend *b = (cuda_backend *)backend;
    const endo_volume *v = &job->moving;
    size_t element = endo_pixel_size(v->type), row = (size_t)job->width * element, from_row = (size_t)v->width * element;
    size_t in = (from_row * v->height * v->depth + 255) & ~(size_t)255, slice = row * job->height;
    resample_job j = {NULL, NULL, {job->width, job->height, job->depth}, {v->width, v->height, v->depth},
                      endo_mutual_round(job->nearest), job->map};
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_reserve(b, &b->scratch, in + slice * job->depth));
    uint8_t *memory = (uint8_t *)b->scratch.memory;
    j.moving = memory, j.out = memory + in;
    for (int z = 0; z < v->depth; z++)
        ENDO_TRY(cuda_upload_rows(b, memory + z * from_row * v->height, from_row,
                                  (const uint8_t *)v->pixels + z * v->slice * element, v->stride * element, from_row,
                                  v->height, PIECE));
    ENDO_TRY(draw(b, &j, v->type));
    for (int z = 0; z < job->depth; z++)
        ENDO_TRY(cuda_download_rows(b, (uint8_t *)job->out + z * job->out_slice * element, job->out_stride * element,
                                    j.out + z * slice, row, row, job->height, PIECE));
    return ENDO_OK;
}
