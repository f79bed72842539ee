/* Frames from one device to another: over NVLink or the bus where the devices reach each other, else through the host. */
#include "derived.h"

/* Lets two devices read each other's memory, where they can; copies between them work in any case. */
static void reach_each_other(cuda_backend *b, cuda_backend *other) {
    if (b->reaches >> (other->device & 63) & 1) return;
    int can = 0;
    b->reaches |= (uint64_t)1 << (other->device & 63);
    if (cudaSetDevice(b->device) == cudaSuccess && cudaDeviceCanAccessPeer(&can, b->device, other->device) == cudaSuccess && can)
        cudaDeviceEnablePeerAccess(other->device, 0);
    cudaGetLastError(); /* another context has done it before, or it cannot be */
}

/* Makes the stream of a store that lends or borrows, and marks where its frames are there. The backend is entered. */
static endo_status prepare(cuda_store *s) {
    cuda_backend *b = s->backend;
    if (!s->lending) ENDO_CUDA(b, cudaStreamCreateWithFlags(&s->lending, cudaStreamNonBlocking));
    ENDO_CUDA(b, cudaEventRecord(s->here, b->stream));
    return ENDO_OK;
}

/* One plane of a slot, which lies at the same place in both stores. */
static endo_status copy_over(cuda_store *to, cuda_store *from, uint8_t *there, const uint8_t *here, size_t offset,
                             size_t size) {
    cuda_backend *b = from->backend;
    ENDO_CUDA(b, cudaMemcpyPeerAsync(there + offset, to->backend->device, here + offset, b->device, size, from->lending));
    return ENDO_OK;
}

static endo_status copy_slot(cuda_store *to, cuda_store *from, int slot, int pixels) {
    size_t size = pixels ? from->area * endo_pixel_size(from->options.type) : from->area, offset = (size_t)slot * size;
    if (pixels) return copy_over(to, from, to->pixels, from->pixels, offset, size);
    ENDO_TRY(copy_over(to, from, to->plain, from->plain, offset, size));
    return from->bright ? copy_over(to, from, to->bright, from->bright, offset, size) : ENDO_OK;
}

/* In a stream of the lender's own, beside what both of them compute: it waits for the frames to be there and for the
 * borrower to be done with what it had in these slots. */
static endo_status lend(cuda_store *to, cuda_store *from, const int32_t *slots, size_t n, int pixels) {
    cuda_backend *b = from->backend;
    ENDO_CUDA(b, cudaStreamWaitEvent(from->lending, from->here, 0));
    ENDO_CUDA(b, cudaStreamWaitEvent(from->lending, from->arrived, 0));
    ENDO_CUDA(b, cudaStreamWaitEvent(from->lending, to->here, 0));
    for (size_t i = 0; i < n; i++) ENDO_TRY(copy_slot(to, from, slots[i], pixels));
    ENDO_CUDA(b, cudaEventRecord(from->lent, from->lending));
    return ENDO_OK;
}

endo_status cuda_store_fetch(void *store, void *other, const int32_t *slots, size_t n, int pixels) {
    cuda_store *to = (cuda_store *)store, *from = (cuda_store *)other;
    ENDO_TRY(cuda_enter(to->backend));
    reach_each_other(from->backend, to->backend);
    reach_each_other(to->backend, from->backend);
    ENDO_TRY(cuda_enter(to->backend));
    ENDO_TRY(prepare(to));
    for (size_t i = 0; i < n && !pixels; i++) endo_slots_forget(&to->slots, slots[i]);
    ENDO_TRY(cuda_enter(from->backend));
    ENDO_TRY(prepare(from));
    ENDO_TRY(lend(to, from, slots, n, pixels));
    ENDO_TRY(cuda_enter(to->backend));
    ENDO_CUDA(to->backend, cudaStreamWaitEvent(to->backend->stream, from->lent, 0));
    return ENDO_OK;
}

endo_status cuda_store_wait_for_loans(cuda_store *s) {
    ENDO_CUDA(s->backend, cudaStreamWaitEvent(s->backend->puts.stream, s->lent, 0));
    return ENDO_OK;
}

void cuda_store_end_loans(cuda_store *s) {
    if (s->lending) {
        cudaStreamSynchronize(s->lending);
        cudaStreamDestroy(s->lending);
    }
}
