/* As [S] section 5.3 and Listings 6.5 to 6.8 describe it: blocks of 64 threads, a thread a pixel of the
 * template, 2 + 3 n products a thread in shared memory, summed there by halving, one partial result a block
 * to the host, which adds the blocks up. 29 sums of 64 floats are the 7,424 bytes, 62 the 15,872 bytes that
 * [S] chapter 7 gives for nine and twenty coefficients. */
#include "thesis.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>

#define BLOCK 8
#define THREADS (BLOCK * BLOCK)
#define MAX_CANDIDATES 20
#define MAX_SUMS (2 + 3 * MAX_CANDIDATES)

struct thesis {
    cudaArray_t arrays[2];
    cudaTextureObject_t textures[2];
    float *device_sums, *sums;
    size_t capacity; /* floats */
};

typedef struct launch {
    cudaTextureObject_t reference, current;
    int x, y, side, n;
    int2 places[MAX_CANDIDATES]; /* kernel arguments, as in the thesis */
    float *sums;
} launch;

__global__ static void thesis_kernel(launch l) {
    extern __shared__ float products[]; /* sum by sum, 64 each */
    int thread = threadIdx.y * BLOCK + threadIdx.x, sums = 2 + 3 * l.n;
    int u = blockIdx.x * BLOCK + threadIdx.x, v = blockIdx.y * BLOCK + threadIdx.y, half = l.side / 2;
    int inside = u < l.side && v < l.side;
    float t = inside ? tex2D<float>(l.reference, l.x - half + u + 0.5f, l.y - half + v + 0.5f) : 0;
    products[thread] = t;
    products[THREADS + thread] = t * t;
    for (int i = 0; i < l.n; i++) {
        float c = inside ? tex2D<float>(l.current, l.places[i].x - half + u + 0.5f, l.places[i].y - half + v + 0.5f) : 0;
        products[(2 + 3 * i) * THREADS + thread] = c;
        products[(3 + 3 * i) * THREADS + thread] = c * c;
        products[(4 + 3 * i) * THREADS + thread] = c * t;
    }
    for (int half_of = THREADS / 2; half_of > 0; half_of /= 2) {
        __syncthreads();
        for (int s = 0; thread < half_of && s < sums; s++)
            products[s * THREADS + thread] += products[s * THREADS + thread + half_of];
    }
    __syncthreads();
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    if (thread < sums) l.sums[block * sums + thread] = products[thread * THREADS];
}

static int make_texture(thesis *t, int i, const uint8_t *grey, int width, int height) {
    size_t area = (size_t)width * height;
    float *pixels = (float *)malloc(area * sizeof *pixels);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    if (!pixels || cudaMallocArray(&t->arrays[i], &format, width, height) != cudaSuccess) {
        free(pixels);
        return 0;
    }
    for (size_t k = 0; k < area; k++) pixels[k] = grey[k];
    cudaError_t error = cudaMemcpy2DToArray(t->arrays[i], 0, 0, pixels, width * sizeof *pixels, width * sizeof *pixels,
                                            height, cudaMemcpyHostToDevice);
    free(pixels);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = t->arrays[i];
    return error == cudaSuccess && cudaCreateTextureObject(&t->textures[i], &resource, &texture, NULL) == cudaSuccess;
}

thesis *thesis_create(const uint8_t *reference, const uint8_t *current, int width, int height) {
    thesis *t = (thesis *)calloc(1, sizeof *t);
    if (!t) return NULL;
    t->capacity = (size_t)((255 + BLOCK) / BLOCK) * ((255 + BLOCK) / BLOCK) * MAX_SUMS;
    t->sums = (float *)malloc(t->capacity * sizeof *t->sums);
    int ready = t->sums && make_texture(t, 0, reference, width, height) &&
                make_texture(t, 1, current, width, height) &&
                cudaMalloc((void **)&t->device_sums, t->capacity * sizeof *t->sums) == cudaSuccess;
    if (ready) return t;
    thesis_destroy(t);
    return NULL;
}

void thesis_destroy(thesis *t) {
    if (!t) return;
    for (int i = 0; i < 2; i++) {
        if (t->textures[i]) cudaDestroyTextureObject(t->textures[i]);
        if (t->arrays[i]) cudaFreeArray(t->arrays[i]);
    }
    cudaFree(t->device_sums);
    free(t->sums);
    free(t);
}

static double coefficient(const double *s, int i, double pixels) {
    const double *c = s + 2 + 3 * i; /* window: sum, squares, products with the template */
    return (c[2] - c[0] * s[0] / pixels) / sqrt((c[1] - c[0] * c[0] / pixels) * (s[1] - s[0] * s[0] / pixels));
}

int thesis_coefficients(thesis *t, const endo_ncc_request *requests, int n, int side, double *out) {
    int blocks = (side + BLOCK - 1) / BLOCK, sums = 2 + 3 * n;
    double totals[MAX_SUMS] = {0};
    launch l = {t->textures[0], t->textures[1], requests[0].x, requests[0].y, side, n, {}, t->device_sums};
    for (int i = 0; i < n; i++) l.places[i] = make_int2(requests[i].cx, requests[i].cy);
    thesis_kernel<<<dim3(blocks, blocks), dim3(BLOCK, BLOCK), sums * THREADS * sizeof(float)>>>(l);
    if (cudaGetLastError() != cudaSuccess) return 0;
    size_t count = (size_t)blocks * blocks * sums;
    if (cudaMemcpy(t->sums, t->device_sums, count * sizeof *t->sums, cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
    for (size_t i = 0; i < count; i++) totals[i % sums] += t->sums[i];
    for (int i = 0; i < n; i++) out[i] = coefficient(totals, i, (double)side * side);
    return 1;
}
