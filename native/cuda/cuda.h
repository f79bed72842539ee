/* The CUDA back end: one context drives one device. Frames, pyramids and canvases live in device memory;
 * a call sends parameters down and gets vectors back, for a whole chunk at once. */
#ifndef ENDO_CUDA_H
#define ENDO_CUDA_H

#include <cuda_runtime.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slots.h"
#include "base/status.h"
#include "backend/kernels.h"
#include "rules/flow.h"
#include "rules/coefficient.h"
#include "rules/grey.h"
#include "rules/sampling.h"
#include "planes.h"

/* Memory that grows when a larger chunk comes and is then kept: a steady loop allocates nothing. */
typedef struct cuda_buffer {
    void *memory;
    size_t size;
} cuda_buffer;

/* Pinned memory of the host. */
typedef struct cuda_pinned {
    void *memory;
    size_t size;
    int paged; /* our own pages, which the device was told of */
} cuda_pinned;

#define CUDA_RING 4
#define CUDA_PUT_STREAMS 2
/* Members of the pool that copies large images. */
#define CUDA_CREW 16

/* A way up and down: a stream, and the pinned buffers that images pass; each is free again when its event has happened. */
typedef struct cuda_lane {
    cudaStream_t stream;
    cuda_pinned ring[CUDA_RING];
    cudaEvent_t ring_free[CUDA_RING];
    int ring_next, ring_size; /* the next buffer; how many are used: pinned memory takes long to get */
    struct endo_thread_pool *pool; /* copies large images; NULL until there is one */
} cuda_lane;

/* Memory that is in use, by its size. */
typedef struct cuda_block {
    void *memory;
    size_t size;
} cuda_block;

/* Limits of the device for the alignment of exposures. */
typedef struct cuda_exposure_limits {
    int known;
    size_t shared[3]; /* most bytes of dynamic shared memory of a block that is alone, of a cluster, that prepares */
    int cluster;      /* blocks of the largest cluster; 1: none */
} cuda_exposure_limits;

/* The way of counting joint histograms that was the fastest (mutual.cuh). */
typedef struct cuda_mutual_choice {
    int bins, size; /* of the histogram; of the volume, the logarithm of its rows */
    int several;    /* maps at once */
    int way;
} cuda_mutual_choice;

#define CUDA_MUTUAL_CHOICES 32

/* Chunks of a call that may be on their way at once. */
#define CUDA_CHUNKS 24

typedef struct cuda_backend {
    int threads;                                     /* of the host, for copies */
    endo_cpu cpu;                                    /* instruction set of the host, at most */
    int device, multiprocessors;
    int compute_capability; /* of the device, or of the code that runs on it where that is less; 90 for 9.0 */
    size_t shared_memory, shared_memory_of_block; /* bytes: of a multiprocessor, and the most that a block may take */
    char name[64];
    cudaStream_t stream; /* that of `calls` */
    int poisoned; /* a sticky error: the context can only be destroyed */

    size_t memory_limit, used; /* bytes of device memory; limit 0 = none */
    cuda_block *blocks;
    size_t n_blocks, block_capacity;

    /* Frames that are put have a lane of their own: another thread may put some while a call works, which may put some itself, so
     * that the lane is locked. Whoever needs them waits for them (CUDA_ARRIVED in derived.h). The lane's streams take turns: one
     * copies while the other has kernels. */
    cuda_lane calls, puts;
    pthread_mutex_t putting;
    cudaStream_t put_streams[CUDA_PUT_STREAMS];
    int put_turn; /* whose stream the lane has */

    cudaEvent_t chunk_done[CUDA_CHUNKS]; /* created when they are first needed (ncc.cu) */

    /* A second stream for calls: it works while the first one is busy with little (align.cu) or with another chunk (ncc.cu). It
     * begins after the event `may`; the first stream waits for `done`, or the host for both. */
    cudaStream_t aside;
    cudaEvent_t aside_may, aside_done;

    cuda_exposure_limits exposure_limits;
    cuda_mutual_choice mutual_choices[CUDA_MUTUAL_CHOICES];
    int n_mutual_choices;

    /* Benches read these: the time of the kernels of the last call, without its copies. */
    int timed;
    cudaEvent_t time_begin, time_end;

    cuda_buffer device_in, device_out, scratch; /* arguments, results, intermediate images */
    cuda_buffer histograms;                     /* of 16-bit pixels, while they are equalized */
    /* Counts by which the blocks of a launch know which of them is last; zeros between launches (flow.cu, align.cu,
     * fourier_correlate.cu). */
    cuda_buffer flow_groups, align_groups, lists_arrived;
    cuda_buffer pinned;                         /* results on their way down, or where kernels put few of them */
    cuda_buffer few;                            /* pinned: few arguments, which kernels read where they are */
    size_t few_used;                            /* bytes of it that may still be read */

    struct cuda_fft_library *fft; /* NULL until first needed (fft.h) */
    cuda_buffer fft_work;

    uint64_t reaches; /* bit d: device d was asked whether its memory can be reached (lend.cu) */
} cuda_backend;

/* One resolution of the flow pyramid, for all frames. */
typedef struct cuda_level {
    endo_flow_level size;
    int stride;      /* of the difference images and gains */
    size_t offset;   /* of this level in a frame's pyramid, elements */
    size_t dense;    /* of this level in the dense scratch images of a frame, bytes */
} cuda_level;

typedef struct cuda_levels {
    int n;
    size_t elements;    /* of one frame's pyramid */
    size_t dense_bytes; /* of one frame's dense images, all halvings */
    cuda_level level[ENDO_FLOW_MAX_LEVELS];
} cuda_levels;

typedef struct cuda_store {
    cuda_backend *backend;
    endo_frames_options options;
    cuda_arena arena; /* of everything on the device */
    int stride;       /* of grey, specular, masks and pixels, in elements */
    size_t area;      /* of each of them: elements from slot to slot */
    uint8_t *field, *field_bilinear, *paint_bilinear, *bicubic; /* padded as frames */
    uint8_t *depths;           /* dense, of blocks */
    uint8_t *grey;             /* capacity images, as the next three: for matching; see `plain` */
    uint8_t *plain;            /* grey, not enhanced; the same memory unless the store enhances (derived.h) */
    uint8_t *specular, *bright, *pixels; /* or NULL; bright: what takes no part in patches */
    int16_t *pattern;           /* dense; NULL without one */
    int enhance_clip;
    uint8_t *centres; /* dense; of centres_side */
    int centres_side;
    int smoothing;
    cuda_levels levels;
    int16_t *gain, *pyramids;  /* levels.elements; capacity times as many */
    uint8_t *level_field;      /* dense, as the scratch images */
    endo_slots slots;          /* what each has of what is derived */
    uint8_t *exposure_field;   /* what the alignment of exposures makes of the field, once asked for */
    int exposure_field_made, exposure_field_whole;
    int16_t *smoothed;            /* of all slots (patches.cu), once asked for */
    uint32_t *bitmaps[ENDO_BITMAP_SCALES]; /* local bitmaps of all slots (bitmaps.cu), once asked for */
    struct cuda_fourier *fourier; /* of Fourier registration, once asked for (fourier.cuh) */
    uint8_t *incoming[CUDA_PUT_STREAMS]; /* frames on their way in, dense: in each stream of frames that are put */
    cudaEvent_t arrived;      /* the frame that was put last */
    cudaEvent_t used;         /* what was last done with frames without waiting for its end */
    cudaStream_t lending;     /* copies to other devices (lend.cu); NULL as long as there are none */
    cudaEvent_t here, lent;   /* what was there is done; what was lent last is copied */
} cuda_store;

/* Slots that kernels work on: a few come with the launch itself. */
#define CUDA_FEW_SLOTS 4
typedef struct cuda_slots {
    const int32_t *many; /* on the device, or NULL */
    int32_t few[CUDA_FEW_SLOTS];
} cuda_slots;

__host__ __device__ static inline int cuda_slot(const cuda_slots *s, size_t i) { return s->many ? s->many[i] : s->few[i]; }
endo_status cuda_send_slots(cuda_backend *b, const int32_t *slots, size_t n, cuda_slots *out);

/* A list that a kernel reads: a few come with the launch itself. */
template <class item, int ROOM> struct cuda_list {
    const item *many; /* on the device, or NULL */
    item few[ROOM];
    __device__ const item &operator[](size_t i) const { return many ? many[i] : few[i]; }
};

/* A plane of the frames' size and padding. */
cuda_plane cuda_store_plane(cuda_store *s, endo_plane_type type, int depth);

/* Turns a CUDA error into a status; the message names the call's place. */
endo_status cuda_fail(cuda_backend *b, cudaError_t error, const char *file, int line);

#define ENDO_CUDA(backend, call)                                                            \
    do {                                                                                    \
        cudaError_t error_ = (call);                                                        \
        if (error_ != cudaSuccess) return cuda_fail(backend, error_, __FILE__, __LINE__);   \
    } while (0)

/* Around the kernels of a call; nothing unless the backend is timed. */
static inline void cuda_time_begin(cuda_backend *b) {
    if (b->timed) cudaEventRecord(b->time_begin, b->stream);
}
static inline void cuda_time_end(cuda_backend *b) {
    if (b->timed) cudaEventRecord(b->time_end, b->stream);
}
/* Starts timing; milliseconds of the last call's kernels. */
endo_status cuda_time_enable(cuda_backend *b);
endo_status cuda_time_read(cuda_backend *b, float *milliseconds);

/* Every entry: the device of this thread (which stays the thread's current one), and no work on a broken context. */
endo_status cuda_enter(cuda_backend *b);
/* Opens the stream `aside`, behind what the stream of calls has been given so far. */
endo_status cuda_open_aside(cuda_backend *b);
endo_status cuda_reserve(cuda_backend *b, cuda_buffer *buffer, size_t size);
/* New memory is zeros. */
endo_status cuda_reserve_zeros(cuda_backend *b, cuda_buffer *buffer, size_t size);
endo_status cuda_reserve_pinned(cuda_backend *b, cuda_buffer *buffer, size_t size);
/* Device memory, counted against the context's limit. */
endo_status cuda_allocate(cuda_backend *b, void **memory, size_t size);
void cuda_release(cuda_backend *b, void *memory);
/* Arguments up, in one copy; results down, and wait for them. */
endo_status cuda_send(cuda_backend *b, const void *from, size_t size);
endo_status cuda_receive(cuda_backend *b, const void *device, void *to, size_t size);
/* A list for launches that come before another one is sent. */
template <class item, int ROOM>
static endo_status cuda_send_list(cuda_backend *b, const item *items, size_t n, cuda_list<item, ROOM> *out) {
    out->many = NULL;
    for (size_t i = 0; i < n && n <= ROOM; i++) out->few[i] = items[i];
    if (n <= ROOM) return ENDO_OK;
    ENDO_TRY(cuda_send(b, items, n * sizeof *items));
    out->many = (const item *)b->device_in.memory;
    return ENDO_OK;
}
/* Arguments and results of one launch: on_device is where its kernels find the arguments, each best read once, and where
 * they put the results, each best written once; few of either stay in the host's memory. Results are good for one launch. */
endo_status cuda_arguments(cuda_backend *b, const void *from, size_t size, const void **on_device);
endo_status cuda_results(cuda_backend *b, size_t size, void **on_device);
endo_status cuda_collect(cuda_backend *b, const void *on_device, void *to, size_t size);
/* Images: rows of `row` bytes, their pitches in bytes, in pieces of about `piece` bytes. Upload returns when the host's
 * memory is free again, download when it is filled. */
endo_status cuda_upload_rows(cuda_backend *b, void *device, size_t device_pitch, const void *host, size_t pitch,
                             size_t row, int height, size_t piece);
/* Gives the lane of frames that are put its next stream. */
void cuda_turn_puts(cuda_backend *b);
/* Images that are put: they lie dense on the device. */
typedef struct cuda_image {
    size_t pitch, row; /* bytes: from row to row in the host's memory; of a row on the device */
    int height;
    int packed; /* colours of four bytes a pixel in the host's memory, of three on the device (base/pack.h) */
} cuda_image;
/* Uploads one in pieces of about `piece` bytes, in the lane of frames that are put. */
endo_status cuda_put_image(cuda_backend *b, void *device, const void *host, const cuda_image *image, size_t piece);
/* Uploads n, one behind the other, in one piece. */
endo_status cuda_put_images(cuda_backend *b, void *device, const void *const *images, size_t n, const cuda_image *image);
endo_status cuda_download_rows(cuda_backend *b, void *host, size_t pitch, const void *device, size_t device_pitch,
                               size_t row, int height, size_t piece);

/* Frames from a store on another device (endo_frames_kernels.fetch). */
endo_status cuda_store_fetch(void *store, void *other, const int32_t *slots, size_t n, int pixels);
/* Before a slot is overwritten: what other devices copy from this store comes first. */
endo_status cuda_store_wait_for_loans(cuda_store *s);
void cuda_store_end_loans(cuda_store *s);

/* Around kernels that read a slot's pixels, if nobody waits for their end. */
endo_status cuda_store_enter_slot(const cuda_store *store, int slot);
endo_status cuda_store_leave_slots(const cuda_store *store);

/* Copies of long lists of arguments and results, through the ring of pinned buffers. */
endo_status cuda_upload_bytes(cuda_backend *b, void *device, const void *host, size_t size);
endo_status cuda_download_bytes(cuda_backend *b, void *host, const void *device, size_t size);
/* The next pinned buffer of a ring, once what last used it is done; who has used it records ring_free[*index]. */
endo_status cuda_ring_take(cuda_backend *b, cuda_lane *lane, size_t size, uint8_t **out, int *index);
void cuda_ring_free(cuda_lane *lane);
/* Copies dense rows of `row` bytes out of pinned memory, by several threads where they are many. */
void cuda_copy_out(cuda_backend *b, const uint8_t *pinned, uint8_t *to, size_t pitch, size_t row, int height);

/* The centres as they lie on the device: copied there when their side changes. */
endo_status cuda_store_centres(cuda_store *s, const endo_centres *centres);

extern "C" {
/* The tables of this back end, each filled where its functions are. */
extern const endo_context_kernels cuda_context;
extern const endo_planes_kernels cuda_planes;
extern const endo_frames_kernels cuda_frames;
extern const endo_canvas_kernels cuda_canvas_kernels;
extern const endo_blend_kernels cuda_blend_kernels;
extern const endo_mutual_kernels cuda_mutual;
extern const endo_lens_kernels cuda_lens_kernels;
extern const endo_equalization_kernels cuda_equalization;

/* cuda_<stem> for every line of batches.h. */
#define CUDA_BATCH_PROTOTYPE(stem, request, setup, result) \
    endo_status cuda_##stem(void *store, const request *requests, size_t n, const setup *common, result *results);
ENDO_BATCHES(CUDA_BATCH_PROTOTYPE)
ENDO_DEVICE_BATCHES(CUDA_BATCH_PROTOTYPE)
}


#endif
