/* Images between pageable host memory and the device, through the ring of pinned buffers: while one piece is on the bus
 * the next is copied. */
#include "cuda.h"

#include "base/copy.h"
#include "base/openmp.h"
#include "base/pack.h"
#include "base/pages.h"
#include "base/threads.h"

#include <string.h>

/* From this size on pieces are copied by the context's own pool: fewer bytes past the caches, which takes a thread longer. */
#define LARGE ((size_t)8 << 20)
#define LARGE_AWAY ((size_t)2 << 20)
/* From this size on no piece goes past the caches, but by plain stores, which are faster: before the bus comes to read them,
 * most of its bytes have made room in the caches for others. */
#define LEAVES_CACHES ((size_t)16 << 20)

static endo_thread_pool *pool_of(const cuda_backend *b, cuda_lane *lane) {
    if (!lane->pool) lane->pool = endo_thread_pool_create(b->threads < CUDA_CREW ? b->threads : CUDA_CREW);
    return lane->pool;
}

/* One thread moves 6 to 14 GB/s, the bus takes 55: all but small pieces are copied by several. */
static void copy_rows(const cuda_backend *b, cuda_lane *lane, const uint8_t *from, size_t from_pitch, uint8_t *to,
                      size_t to_pitch, size_t row, int height, int threads) {
    if (row * height >= LARGE) {
        endo_copy_rows(pool_of(b, lane), to, to_pitch, from, from_pitch, row, height);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) memcpy(to + y * to_pitch, from + y * from_pitch, row);
}

/* From this size on the system gives pages of our own, large ones where it can: they are pinned twice as fast as others. */
#define PAGED ((size_t)1 << 20)

static void free_pinned(cuda_pinned *p) {
    if (p->paged) {
        cudaHostUnregister(p->memory);
        endo_pages_free(p->memory, p->size);
    } else {
        cudaFreeHost(p->memory);
    }
    p->memory = NULL, p->size = 0, p->paged = 0;
}

/* 0: the device does not take them. */
static int pin_pages(cuda_pinned *p, size_t size) {
    size_t whole = (size + 2 * PAGED - 1) / (2 * PAGED) * (2 * PAGED);
    void *pages = endo_pages_alloc(whole);
    if (!pages) return 0;
    if (cudaHostRegister(pages, whole, cudaHostRegisterDefault) != cudaSuccess) {
        cudaGetLastError();
        endo_pages_free(pages, whole);
        return 0;
    }
    p->memory = pages, p->size = whole, p->paged = 1;
    return 1;
}

/* Makes the ring of pinned memory at least so large. Its contents are lost; no copy from or to it may be on its way. */
static endo_status reserve_ring(cuda_backend *b, cuda_pinned *p, size_t size) {
    if (p->size >= size) return ENDO_OK;
    free_pinned(p);
    if (size >= PAGED && pin_pages(p, size)) return ENDO_OK;
    ENDO_CUDA(b, cudaMallocHost(&p->memory, size));
    p->size = size;
    return ENDO_OK;
}

void cuda_ring_free(cuda_lane *lane) {
    for (int i = 0; i < CUDA_RING; i++) free_pinned(&lane->ring[i]);
}

endo_status cuda_ring_take(cuda_backend *b, cuda_lane *lane, size_t size, uint8_t **out, int *index) {
    *index = lane->ring_next;
    lane->ring_next = (lane->ring_next + 1) % lane->ring_size;
    ENDO_CUDA(b, cudaEventSynchronize(lane->ring_free[*index]));
    ENDO_TRY(reserve_ring(b, &lane->ring[*index], size));
    *out = (uint8_t *)lane->ring[*index].memory;
    return ENDO_OK;
}

static int rows_a_piece(size_t row, int height, size_t piece) {
    size_t rows = piece / row + 1;
    return rows < (size_t)height ? (int)rows : height;
}

/* Rows that lie close on both sides go in one run: it is started faster. */
static endo_status copy_on(cuda_backend *b, cuda_lane *lane, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t row, int height, cudaMemcpyKind way) {
    if (to_pitch == row && from_pitch == row)
        ENDO_CUDA(b, cudaMemcpyAsync(to, from, row * height, way, lane->stream));
    else
        ENDO_CUDA(b, cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, height, way, lane->stream));
    return ENDO_OK;
}

/* Rows on their way up. */
typedef struct rows_up {
    const uint8_t *from;
    uint8_t *device;
    size_t pitch, device_pitch, row; /* bytes; row: as the device gets it */
    int height;
    int packed;   /* colours, packed on their way */
    int away;     /* past the caches */
    endo_cpu cpu; /* packs them */
} rows_up;

static size_t row_of_host(const rows_up *u) { return u->packed ? u->row / ENDO_PACK_TO * ENDO_PACK_FROM : u->row; }

/* `bytes`: of the device. */
static void copy_run(const rows_up *u, uint8_t *to, const uint8_t *from, size_t bytes) {
    if (u->packed) endo_pack(u->cpu, to, from, bytes / ENDO_PACK_TO, u->away);
    else if (u->away) endo_copy_away(to, from, bytes);
    else memcpy(to, from, bytes);
}

/* Rows first .. end - 1 into pinned memory, which begins with row 0. */
static void copy_some(const rows_up *u, uint8_t *pinned, const uint8_t *from, size_t first, size_t end) {
    if (u->pitch == row_of_host(u))
        copy_run(u, pinned + first * u->row, from + first * u->pitch, (end - first) * u->row);
    else
        for (size_t y = first; y < end; y++) copy_run(u, pinned + y * u->row, from + y * u->pitch, u->row);
}

/* A piece on its way up, part by part: the first ones are on the bus while the others are copied. */
#define PART ((size_t)64 << 10)
#define MOST_PARTS 256
/* Times that the sender looks whether the last parts are there before it waits for their threads: to be woken again takes
 * longer than what they still have to do. */
#define POLLS 20000
typedef struct parts {
    cuda_backend *backend;
    cuda_lane *lane;
    rows_up rows;
    uint8_t *pinned;
    int rows_a_part, n;  /* n: parts */
    int least;           /* parts that are sent at once at least, or all that are left */
    int next, sent;      /* not yet taken, not yet on their way */
    endo_status status;  /* of what was sent */
    uint8_t copied[MOST_PARTS];
} parts;

static void lay_out_parts(parts *p) {
    size_t height = (size_t)p->rows.height, rows = PART / p->rows.row + 1, least = (height + MOST_PARTS - 1) / MOST_PARTS;
    p->rows_a_part = (int)(rows < least ? least : rows);
    p->n = (p->rows.height + p->rows_a_part - 1) / p->rows_a_part;
    p->least = (p->n + 1) / 2; /* halves: to start a copy takes as long as a part or two */
}

static int end_of_part(const parts *p, int i) {
    int end = (i + 1) * p->rows_a_part;
    return end < p->rows.height ? end : p->rows.height;
}

/* The next part, by any thread; 0: there is none. */
static int copy_part(parts *p) {
    int i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);
    if (i >= p->n) return 0;
    copy_some(&p->rows, p->pinned, p->rows.from, (size_t)i * p->rows_a_part, (size_t)end_of_part(p, i));
    __atomic_store_n(&p->copied[i], 1, __ATOMIC_RELEASE);
    return 1;
}

/* Sends the parts that are copied, in their order, by one thread, if they are at least so many or include the last. */
static endo_status send_parts(parts *p, int least) {
    int first = p->sent, end = first;
    while (end < p->n && __atomic_load_n(&p->copied[end], __ATOMIC_ACQUIRE)) end++;
    if (end == first || (end < p->n && end - first < least)) return ENDO_OK;
    const rows_up *u = &p->rows;
    int y = first * p->rows_a_part;
    p->sent = end;
    return copy_on(p->backend, p->lane, u->device + y * u->device_pitch, u->device_pitch, p->pinned + y * u->row, u->row,
                   u->row, end_of_part(p, end - 1) - y, cudaMemcpyHostToDevice);
}

/* Copies parts by the thread that sends them. */
static endo_status copy_and_send(parts *p) {
    while (copy_part(p)) ENDO_TRY(send_parts(p, p->least));
    for (int poll = 0; poll < POLLS && p->sent < p->n; poll++) ENDO_TRY(send_parts(p, p->least));
    return ENDO_OK;
}

/* Copies parts until none is left; the caller of the pool sends them. */
static void copy_parts(void *job, size_t member, int worker) {
    parts *p = (parts *)job;
    (void)member;
    if (worker == 0 && p->status == ENDO_OK) p->status = copy_and_send(p);
    while (copy_part(p)) continue;
}

static endo_status upload_piece(parts *p, int threads) {
    lay_out_parts(p);
    if (p->rows.row * p->rows.height >= (p->rows.away ? LARGE_AWAY : LARGE)) {
        endo_thread_pool *pool = pool_of(p->backend, p->lane);
        endo_thread_pool_run(pool, (size_t)endo_thread_pool_workers(pool), copy_parts, p);
    } else {
#pragma omp parallel num_threads(threads) if (threads > 1)
        copy_parts(p, 0, omp_get_thread_num());
    }
    return p->status == ENDO_OK ? send_parts(p, 1) : p->status;
}

/* Threads that copy a piece; threads: how many, or 0 for as many as copy a frame. */
static int threads_for(const cuda_backend *b, size_t bytes, int threads) {
    return threads ? threads : endo_list_threads(b->threads, bytes);
}

/* In pieces of about `piece` bytes. */
static endo_status upload(cuda_backend *b, cuda_lane *lane, const rows_up *all, size_t piece, int threads) {
    int rows = rows_a_piece(all->row, all->height, piece), index;
    for (int y = 0; y < all->height; y += rows) {
        parts p = {};
        p.backend = b, p.lane = lane, p.rows = *all;
        p.rows.from += y * all->pitch, p.rows.device += y * all->device_pitch;
        p.rows.height = rows < all->height - y ? rows : all->height - y;
        p.rows.away = all->away && all->row * p.rows.height < LEAVES_CACHES;
        ENDO_TRY(cuda_ring_take(b, lane, all->row * p.rows.height, &p.pinned, &index));
        ENDO_TRY(upload_piece(&p, threads_for(b, all->row * p.rows.height, threads)));
        ENDO_CUDA(b, cudaEventRecord(lane->ring_free[index], lane->stream));
    }
    return ENDO_OK;
}

/* Pieces on their way down: the oldest is copied out when the ring is full. */
typedef struct arriving {
    uint8_t *pinned, *to;
    int index, rows;
} arriving;

void cuda_copy_out(cuda_backend *b, const uint8_t *pinned, uint8_t *to, size_t pitch, size_t row, int height) {
    copy_rows(b, &b->calls, pinned, row, to, pitch, row, height, threads_for(b, row * height, 0));
}

static endo_status take_out(cuda_backend *b, const arriving *a, size_t pitch, size_t row, int threads) {
    ENDO_CUDA(b, cudaEventSynchronize(b->calls.ring_free[a->index]));
    copy_rows(b, &b->calls, a->pinned, row, a->to, pitch, row, a->rows, threads_for(b, row * a->rows, threads));
    return ENDO_OK;
}

static endo_status download(cuda_backend *b, void *host, size_t pitch, const void *device, size_t device_pitch, size_t row,
                            int height, size_t piece, int threads) {
    int rows = rows_a_piece(row, height, piece), sent = 0, taken = 0;
    arriving queue[CUDA_RING];
    for (int y = 0; y < height; y += rows) {
        if (sent - taken == CUDA_RING) ENDO_TRY(take_out(b, &queue[taken++ % CUDA_RING], pitch, row, threads));
        arriving *a = &queue[sent++ % CUDA_RING];
        a->rows = rows < height - y ? rows : height - y;
        a->to = (uint8_t *)host + y * pitch;
        ENDO_TRY(cuda_ring_take(b, &b->calls, row * a->rows, &a->pinned, &a->index));
        ENDO_TRY(copy_on(b, &b->calls, a->pinned, row, (const uint8_t *)device + y * device_pitch, device_pitch, row, a->rows,
                         cudaMemcpyDeviceToHost));
        ENDO_CUDA(b, cudaEventRecord(b->calls.ring_free[a->index], b->stream));
    }
    while (taken < sent) ENDO_TRY(take_out(b, &queue[taken++ % CUDA_RING], pitch, row, threads));
    return ENDO_OK;
}

static rows_up rows_to(void *device, size_t device_pitch, const void *host, size_t pitch, size_t row, int height) {
    rows_up u = {};
    u.from = (const uint8_t *)host, u.pitch = pitch;
    u.device = (uint8_t *)device, u.device_pitch = device_pitch;
    u.row = row, u.height = height;
    return u;
}

endo_status cuda_upload_rows(cuda_backend *b, void *device, size_t device_pitch, const void *host, size_t pitch,
                             size_t row, int height, size_t piece) {
    const rows_up u = rows_to(device, device_pitch, host, pitch, row, height);
    return upload(b, &b->calls, &u, piece, 0);
}

static rows_up rows_of_image(const cuda_backend *b, const cuda_image *image, void *device, const void *host) {
    rows_up u = rows_to(device, image->row, host, image->pitch, image->row, image->height);
    u.packed = image->packed, u.away = 1, u.cpu = b->cpu;
    return u;
}

endo_status cuda_put_image(cuda_backend *b, void *device, const void *host, const cuda_image *image, size_t piece) {
    const rows_up u = rows_of_image(b, image, device, host);
    return upload(b, &b->puts, &u, piece, 0);
}

/* Bytes that a member takes at a time of images that go up together, and how many members do: the bus is not faster than
 * these. */
#define SHARE ((size_t)128 << 10)
#define MOST_SHARERS 8

typedef struct images_up {
    const void *const *images;
    rows_up rows; /* of each */
    uint8_t *to;  /* dense, one behind the other */
    size_t n;
    size_t rows_a_share, shares; /* shares of an image */
    size_t next;                 /* not yet taken */
} images_up;

static void copy_share(const images_up *u, size_t i) {
    size_t height = (size_t)u->rows.height, first = i % u->shares * u->rows_a_share, end = first + u->rows_a_share;
    const uint8_t *from = (const uint8_t *)u->images[i / u->shares];
    copy_some(&u->rows, u->to + i / u->shares * height * u->rows.row, from, first, end < height ? end : height);
}

/* Copies shares until none is left; a worker that comes late finds none. */
static void copy_shares(void *job, size_t sharer, int worker) {
    images_up *u = (images_up *)job;
    (void)sharer, (void)worker;
    for (size_t i; (i = __atomic_fetch_add(&u->next, 1, __ATOMIC_RELAXED)) < u->n * u->shares;) copy_share(u, i);
}

endo_status cuda_put_images(cuda_backend *b, void *device, const void *const *images, size_t n, const cuda_image *image) {
    size_t height = (size_t)image->height, size = n * height * image->row;
    size_t rows = (size_t)rows_a_piece(image->row, image->height, SHARE);
    size_t sharers = b->threads < MOST_SHARERS ? b->threads : MOST_SHARERS;
    images_up u = {images, rows_of_image(b, image, device, NULL), NULL, n, rows, (height + rows - 1) / rows, 0};
    int index;
    ENDO_TRY(cuda_ring_take(b, &b->puts, size, &u.to, &index));
    endo_thread_pool_run(pool_of(b, &b->puts), sharers, copy_shares, &u);
    ENDO_CUDA(b, cudaMemcpyAsync(device, u.to, size, cudaMemcpyHostToDevice, b->puts.stream));
    ENDO_CUDA(b, cudaEventRecord(b->puts.ring_free[index], b->puts.stream));
    return ENDO_OK;
}

endo_status cuda_download_rows(cuda_backend *b, void *host, size_t pitch, const void *device, size_t device_pitch,
                               size_t row, int height, size_t piece) {
    return download(b, host, pitch, device, device_pitch, row, height, piece, 0);
}

/* Bytes in rows of so many, some rows at a time. */
#define ROW ((size_t)4 << 10)
#define PIECE ((size_t)4 << 20)

static int list_threads(const cuda_backend *b, size_t size) {
    return size < (size_t)1 << 20 ? 1 : endo_list_threads(b->threads, size);
}

endo_status cuda_upload_bytes(cuda_backend *b, void *device, const void *host, size_t size) {
    size_t rows = size / ROW, done = rows * ROW, left = size - done;
    const rows_up whole = rows_to(device, ROW, host, ROW, ROW, (int)rows);
    const rows_up rest = rows_to((uint8_t *)device + done, left, (const uint8_t *)host + done, left, left, 1);
    if (rows) ENDO_TRY(upload(b, &b->calls, &whole, PIECE, list_threads(b, size)));
    return left ? upload(b, &b->calls, &rest, PIECE, 1) : ENDO_OK;
}

endo_status cuda_download_bytes(cuda_backend *b, void *host, const void *device, size_t size) {
    size_t rows = size / ROW, done = rows * ROW;
    if (rows) ENDO_TRY(download(b, host, ROW, device, ROW, ROW, (int)rows, PIECE, list_threads(b, size)));
    if (done == size) return ENDO_OK;
    return download(b, (uint8_t *)host + done, size - done, (const uint8_t *)device + done, size - done, size - done, 1, PIECE, 1);
}
