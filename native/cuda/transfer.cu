/* Images between pageable host memory and the device, through the ring of pinned buffers: while one piece is on the bus
 * the next is copied. */
#include "cuda.h"

#include "../base/copy.h"
#include "../base/threads.h"

#include <string.h>

/* From this size on pieces are copied by the context's own crew, so that OpenMP, with whom frames share their threads
 * elsewhere, keeps its team. */
#define LARGE ((size_t)8 << 20)

/* One thread moves 6 to 14 GB/s, the bus takes 55: all but small pieces are copied by several. */
static void copy_rows(cuda_backend *b, const uint8_t *from, size_t from_pitch, uint8_t *to, size_t to_pitch, size_t row,
                      int height) {
    if (row * height >= LARGE) {
        if (!b->crew) b->crew = endo_crew_create(b->threads < CUDA_CREW ? b->threads : CUDA_CREW);
        endo_copy_rows(b->crew, to, to_pitch, from, from_pitch, row, height);
        return;
    }
    int threads = endo_frame_team(b->threads, row * height);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) memcpy(to + y * to_pitch, from + y * from_pitch, row);
}

/* The next pinned buffer, once the copy that last used it is done. */
static endo_status ring_buffer(cuda_backend *b, size_t size, uint8_t **out, int *index) {
    *index = b->ring_next;
    b->ring_next = (b->ring_next + 1) % CUDA_RING;
    ENDO_CUDA(b, cudaEventSynchronize(b->ring_free[*index]));
    ENDO_TRY(cuda_reserve_pinned(b, &b->ring[*index], size));
    *out = (uint8_t *)b->ring[*index].memory;
    return ENDO_OK;
}

static int rows_a_piece(size_t row, int height, size_t piece) {
    size_t rows = piece / row + 1;
    return rows < (size_t)height ? (int)rows : height;
}

/* Rows that lie close on both sides go in one run: it is started faster. */
static endo_status copy_on(cuda_backend *b, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row,
                           int height, cudaMemcpyKind way) {
    if (to_pitch == row && from_pitch == row)
        ENDO_CUDA(b, cudaMemcpyAsync(to, from, row * height, way, b->stream));
    else
        ENDO_CUDA(b, cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, height, way, b->stream));
    return ENDO_OK;
}

endo_status cuda_upload_rows(cuda_backend *b, void *device, size_t device_pitch, const void *host, size_t pitch,
                             size_t row, int height, size_t piece) {
    int rows = rows_a_piece(row, height, piece), index;
    for (int y = 0; y < height; y += rows) {
        int n = rows < height - y ? rows : height - y;
        uint8_t *pinned = NULL;
        ENDO_TRY(ring_buffer(b, row * n, &pinned, &index));
        copy_rows(b, (const uint8_t *)host + y * pitch, pitch, pinned, row, row, n);
        ENDO_TRY(copy_on(b, (uint8_t *)device + y * device_pitch, device_pitch, pinned, row, row, n,
                         cudaMemcpyHostToDevice));
        ENDO_CUDA(b, cudaEventRecord(b->ring_free[index], b->stream));
    }
    return ENDO_OK;
}

/* Pieces on their way down: the oldest is copied out when the ring is full. */
typedef struct arriving {
    uint8_t *pinned, *to;
    int index, rows;
} arriving;

static endo_status take_out(cuda_backend *b, const arriving *a, size_t pitch, size_t row) {
    ENDO_CUDA(b, cudaEventSynchronize(b->ring_free[a->index]));
    copy_rows(b, a->pinned, row, a->to, pitch, row, a->rows);
    return ENDO_OK;
}

endo_status cuda_download_rows(cuda_backend *b, void *host, size_t pitch, const void *device, size_t device_pitch,
                               size_t row, int height, size_t piece) {
    int rows = rows_a_piece(row, height, piece), sent = 0, taken = 0;
    arriving queue[CUDA_RING];
    for (int y = 0; y < height; y += rows) {
        if (sent - taken == CUDA_RING) ENDO_TRY(take_out(b, &queue[taken++ % CUDA_RING], pitch, row));
        arriving *a = &queue[sent++ % CUDA_RING];
        a->rows = rows < height - y ? rows : height - y;
        a->to = (uint8_t *)host + y * pitch;
        ENDO_TRY(ring_buffer(b, row * a->rows, &a->pinned, &a->index));
        ENDO_TRY(copy_on(b, a->pinned, row, (const uint8_t *)device + y * device_pitch, device_pitch, row, a->rows,
                         cudaMemcpyDeviceToHost));
        ENDO_CUDA(b, cudaEventRecord(b->ring_free[a->index], b->stream));
    }
    while (taken < sent) ENDO_TRY(take_out(b, &queue[taken++ % CUDA_RING], pitch, row));
    return ENDO_OK;
}
