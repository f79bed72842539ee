/* Batches of coefficients. A run of requests is one warp's: where neighbours in the list share a template, as
 * they do when a search is spelled out, the template and the surroundings are loaded once. Up to side 63 they stay in
 * registers and shared memory; of a wider template several positions are compared while it is read once.
 *
 * By the call the way to the device and back takes longer than the coefficients: requests are packed on their way into
 * pinned memory, results are written to the host's memory by the kernel itself, and while one chunk of requests is on
 * its way the next one is packed, and results of those before are handed over. */
#include "derived.h"
#include "patch.cuh"

#include "base/openmp.h"
#include "base/threads.h"

#include <string.h>

#define THREADS 128

/* Stores have up to 65536 slots, and frames sides of up to 32767 px: places fit 16 bits, and what does not is off the
 * frame. */
typedef struct packed_request {
    uint32_t slots, template_at, window_at; /* reference and current, x and y, cx and cy: the first in the lower half */
} packed_request;

__device__ static endo_ncc_request unpack(const packed_request *p) {
    uint32_t slots = __ldg(&p->slots), at = __ldg(&p->template_at), window = __ldg(&p->window_at);
    endo_ncc_request q = {(int32_t)(slots & 0xffff), (int32_t)(slots >> 16), (int16_t)at, (int32_t)at >> 16,
                          (int16_t)window, (int32_t)window >> 16};
    return q;
}

/* --------------------------------------------------------- with highlights */

__global__ static void ncc_kernel(correlation_frames f, const packed_request *requests, size_t n, int side, double *out) {
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (i >= n) return;
    endo_ncc_request q = unpack(&requests[i]);
    double c = NAN;
    if (fits(&f, q.x, q.y) && fits(&f, q.cx, q.cy)) {
        endo_sums s = correlate_sums<4>(&f, q.reference, q.current, q.x, q.y, q.cx, q.cy, side);
        c = coefficient_of(&s, side);
    }
    if (threadIdx.x % 32 == 0) out[i] = c;
}

/* --------------------------------------------------------- templates up to 63 */

/* Requests of one warp: several times as many as share a template, so that few templates are loaded twice; less where they
 * would leave multiprocessors with less than so many warps. */
#define RUN 128
#define WARPS_EACH 16

static int run_of(const cuda_backend *b, size_t n) {
    size_t run = n / ((size_t)b->multiprocessors * WARPS_EACH) / 32 * 32;
    return run < 32 ? 32 : run > RUN ? RUN : (int)run;
}

/* 32 requests: lane i ends with the sums of request i and makes its coefficient, 32 divisions at once. */
template <class correlator>
__device__ static void correlate_32(correlator *c, const packed_request *requests, int count, double *out) {
    int lane = threadIdx.x;
    endo_sums mine = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    endo_ncc_request own = unpack(&requests[min(lane, count - 1)]);
    int possible = lane < count && fits(c->f, own.x, own.y) && fits(c->f, own.cx, own.cy);
    for (unsigned todo = __ballot_sync(0xffffffffu, possible); todo; todo &= todo - 1) {
        int i = __ffs(todo) - 1;
        correlation_template t = {__shfl_sync(0xffffffffu, own.reference, i), __shfl_sync(0xffffffffu, own.current, i),
                                  __shfl_sync(0xffffffffu, own.x, i), __shfl_sync(0xffffffffu, own.y, i)};
        int cx = __shfl_sync(0xffffffffu, own.cx, i), cy = __shfl_sync(0xffffffffu, own.cy, i);
        if (t.reference != c->t.reference || t.current != c->t.current || t.x != c->t.x || t.y != c->t.y) {
            c->t = t;
            c->load();
        }
        c->prepare(cx, cy, 0);
        endo_sums s = c->sums(cx, cy);
        if (lane == i) mine = s;
    }
    if (lane < count) out[lane] = possible ? coefficient_of(&mine, c->side) : NAN;
}

template <int WORDS, int ROWS>
__global__ static void __launch_bounds__(32) ncc_patch_kernel(const __grid_constant__ correlation_frames f,
                                                              const packed_request *requests, size_t n, int run, int side,
                                                              double *out) {
    extern __shared__ unsigned patch[];
    size_t first = (size_t)blockIdx.x * run, last = min(first + run, n);
    patch_correlator<WORDS, ROWS> c;
    c.f = &f, c.side = side, c.patch = patch;
    c.t.reference = -1;
    for (size_t i = first; i < last; i += 32) correlate_32(&c, requests + i, (int)min(last - i, (size_t)32), out + i);
}

/* ------------------------------------------------------------ wider templates */

/* Positions that a template is compared with at once. */
#define AT_ONCE 8
/* Fewer are compared one by one. */
#define SEVERAL 3

/* The word of a row, and of which row, that a lane has; and their place in a plane, from the square's first word. */
typedef struct word_walk {
    int word, words, at, step, wrap;
} word_walk;

__device__ static word_walk walk_of(int side, int stride) {
    int words = (side + 3) / 4, lane = threadIdx.x % 32;
    word_walk w = {lane % words, words, lane / words * (stride / 4) + lane % words,
                   32 / words * (stride / 4) + 32 % words, stride / 4 - words};
    return w;
}

__device__ static void next_word(word_walk *w) {
    w->word += 32 % w->words, w->at += w->step;
    if (w->word >= w->words) w->word -= w->words, w->at += w->wrap;
}

/* Where a square begins: a word of its plane, and the bits of it that lie before the square. */
typedef struct square_place {
    int word;
    unsigned shift;
} square_place;

__device__ static square_place place_of(const correlation_frames *f, int x, int y, int side) {
    int at = (y - side / 2) * f->stride + x - side / 2;
    square_place p = {at >> 2, 8 * (unsigned)(at & 3)};
    return p;
}

__device__ static unsigned word_of(const unsigned *plane, const square_place *p, int at) {
    const unsigned *words = plane + (p->word + at);
    return __funnelshift_r(__ldg(words), __ldg(words + 1), p->shift);
}

/* The sums of a template, and of the windows at several positions, of one lane; below 2^32 even of the whole square. */
typedef struct wide_sums {
    unsigned x, xx, y[AT_ONCE], yy[AT_ONCE], xy[AT_ONCE];
} wide_sums;
static_assert(255ull * 255 * 255 * 255 < 1ull << 32, "the sums of a square");

__device__ static wide_sums add_words(const correlation_frames *f, const correlation_template *t,
                                      const square_place places[AT_ONCE], int side) {
    const unsigned *a_plane = (const unsigned *)(f->grey + t->reference * f->area);
    const unsigned *b_plane = (const unsigned *)(f->grey + t->current * f->area), tail = first_bytes(side - (side - 1) / 4 * 4);
    square_place own = place_of(f, t->x, t->y, side);
    word_walk w = walk_of(side, f->stride);
    wide_sums s = {};
    for (int i = threadIdx.x % 32; i < w.words * side; i += 32, next_word(&w)) {
        unsigned keep = w.word == w.words - 1 ? tail : ~0u, a = word_of(a_plane, &own, w.at) & keep;
        s.x = __dp4a(a, 0x01010101u, s.x), s.xx = __dp4a(a, a, s.xx);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            unsigned b = word_of(b_plane, &places[k], w.at) & keep;
            s.y[k] = __dp4a(b, 0x01010101u, s.y[k]), s.yy[k] = __dp4a(b, b, s.yy[k]), s.xy[k] = __dp4a(a, b, s.xy[k]);
        }
    }
    return s;
}

/* Up to AT_ONCE of the lanes in *same, which share the template: each gets its sums, and leaves the set. */
__device__ static void correlate_several(const correlation_frames *f, const correlation_template *t,
                                         const endo_ncc_request *own, int side, unsigned *same, endo_sums *mine) {
    square_place places[AT_ONCE];
    int lane = threadIdx.x % 32, mine_is = -1, from = __ffs(*same) - 1;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        if (*same) {
            from = __ffs(*same) - 1, *same &= *same - 1;
            if (lane == from) mine_is = k;
        }
        places[k] = place_of(f, __shfl_sync(0xffffffffu, own->cx, from), __shfl_sync(0xffffffffu, own->cy, from), side);
    }
    wide_sums s = add_words(f, t, places, side);
    unsigned x = warp_add(s.x), xx = warp_add(s.xx);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        endo_sums all = {(int64_t)side * side, x, warp_add(s.y[k]), xx, warp_add(s.yy[k]), warp_add(s.xy[k])};
        if (mine_is == k) *mine = all;
    }
}

/* `run` requests, 1..32, by a warp, a lane each. */
__global__ static void __launch_bounds__(THREADS) ncc_wide_kernel(const __grid_constant__ correlation_frames f,
                                                                  const packed_request *requests, size_t n, int run, int side,
                                                                  double *out) {
    size_t first = ((size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * run;
    if (first >= n) return;
    int lane = threadIdx.x % 32, count = (int)min(n - first, (size_t)run);
    endo_sums mine = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    endo_ncc_request own = unpack(&requests[first + min(lane, count - 1)]);
    int possible = lane < count && fits(&f, own.x, own.y) && fits(&f, own.cx, own.cy);
    for (unsigned todo = __ballot_sync(0xffffffffu, possible); todo;) {
        int i = __ffs(todo) - 1;
        correlation_template t = {__shfl_sync(0xffffffffu, own.reference, i), __shfl_sync(0xffffffffu, own.current, i),
                                  __shfl_sync(0xffffffffu, own.x, i), __shfl_sync(0xffffffffu, own.y, i)};
        unsigned same = todo & __ballot_sync(0xffffffffu, own.reference == t.reference && own.current == t.current &&
                                                              own.x == t.x && own.y == t.y);
        todo &= ~same;
        while (__popc(same) >= SEVERAL) correlate_several(&f, &t, &own, side, &same, &mine);
        for (; same; same &= same - 1) {
            int k = __ffs(same) - 1;
            endo_sums s = correlate_sums<4>(&f, t.reference, t.current, t.x, t.y, __shfl_sync(0xffffffffu, own.cx, k),
                                            __shfl_sync(0xffffffffu, own.cy, k), side);
            if (lane == k) mine = s;
        }
    }
    if (lane < count) out[first + lane] = possible ? coefficient_of(&mine, side) : NAN;
}

/* Requests that a warp takes: with few of them every multiprocessor is to have some. */
static int wide_run(const cuda_backend *b, size_t n) { return n >= (size_t)b->multiprocessors * 8 * 32 ? 32 : AT_ONCE; }

/* ------------------------------------------------------------------ the call */

static void launch(const cuda_backend *b, cudaStream_t stream, const correlation_frames *f, const packed_request *requests,
                   size_t n, int side, double *out) {
    int run = run_of(b, n);
    unsigned warps = (unsigned)((n + THREADS / 32 - 1) / (THREADS / 32)), runs = (unsigned)((n + run - 1) / run);
    size_t shared = patch_bytes(side);
    if (f->specular) {
        ncc_kernel<<<warps, THREADS, 0, stream>>>(*f, requests, n, side, out);
    } else if (side > PATCH_MAX_SIDE) {
        int wide = wide_run(b, n), of_block = wide * (THREADS / 32);
        ncc_wide_kernel<<<(unsigned)((n + of_block - 1) / of_block), THREADS, 0, stream>>>(*f, requests, n, wide, side, out);
    } else if (side <= 15) {
        ncc_patch_kernel<4, 1><<<runs, 32, shared, stream>>>(*f, requests, n, run, side, out);
    } else if (side <= 31) {
        ncc_patch_kernel<8, 1><<<runs, 32, shared, stream>>>(*f, requests, n, run, side, out);
    } else if (side <= 47) {
        ncc_patch_kernel<12, 2><<<runs, 32, shared, stream>>>(*f, requests, n, run, side, out);
    } else {
        ncc_patch_kernel<16, 2><<<runs, 32, shared, stream>>>(*f, requests, n, run, side, out);
    }
}

static uint32_t pack_half(int32_t v) { return (uint16_t)(v == (int16_t)v ? v : -1); }

static packed_request pack(const endo_ncc_request *q) {
    packed_request p = {(uint32_t)q->reference | (uint32_t)q->current << 16, pack_half(q->x) | pack_half(q->y) << 16,
                        pack_half(q->cx) | pack_half(q->cy) << 16};
    return p;
}

/* Requests that pass the pinned memory together; of these, those that are on the device together; and those that a
 * thread packs in one go. */
#define PIECE ((size_t)1 << 20)
#define CHUNK ((size_t)48 << 10)
#define PART ((size_t)4 << 10)
#define MOST_CHUNKS (PIECE / CHUNK + 1)
static_assert(MOST_CHUNKS <= CUDA_CHUNKS, "an event a chunk");
/* Times that a thread looks for results before it waits for the device: to be woken takes longer than most of them. */
#define POLLS 20000

/* A piece of a call. */
typedef struct ncc_piece {
    cuda_backend *backend;
    correlation_frames frames;
    const endo_ncc_request *requests;
    size_t n;
    int side;
    packed_request *packed, *on_device;
    double *results; /* pinned, too */
    double *out;
    size_t parts, next, sent;
    uint8_t *done; /* a part each */
    size_t end[MOST_CHUNKS];   /* of the parts of each chunk that was started */
    int started, seen;         /* chunks; those whose results were seen to be there */
    size_t there, taken;       /* parts whose results are there, and that a thread has taken over */
} ncc_piece;

/* The next part, by any thread; 0: there is none. */
static int pack_part(ncc_piece *p) {
    size_t i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED), last = i * PART + PART < p->n ? i * PART + PART : p->n;
    if (i >= p->parts) return 0;
    for (size_t k = i * PART; k < last; k++) p->packed[k] = pack(&p->requests[k]);
    __atomic_store_n(&p->done[i], 1, __ATOMIC_RELEASE);
    return 1;
}

/* Whether a piece goes up as a whole: a kernel that is timed has all of it, and wide templates take longer than their copies. */
static int at_once(const ncc_piece *p) { return p->backend->timed || p->side > PATCH_MAX_SIDE; }

/* A chunk, once it is packed, or the rest, once all of it is: up, and its kernel. A kernel that is timed has all of a piece. */
static endo_status start_packed(ncc_piece *p, int all) {
    cuda_backend *b = p->backend;
    size_t first = p->sent * PART, end = p->sent;
    while (end < p->parts && __atomic_load_n(&p->done[end], __ATOMIC_ACQUIRE)) end++;
    if (end == p->sent || (all && end < p->parts)) return ENDO_OK;
    if (!all && (at_once(p) || (end - p->sent) * PART < CHUNK)) return ENDO_OK;
    size_t n = (end * PART < p->n ? end * PART : p->n) - first;
    cudaStream_t stream = p->started % 2 ? b->aside : b->stream; /* one chunk goes up while another one is computed */
    p->sent = end;
    ENDO_CUDA(b, cudaMemcpyAsync(p->on_device + first, p->packed + first, n * sizeof *p->packed, cudaMemcpyHostToDevice,
                                 stream));
    cuda_time_begin(b);
    launch(b, stream, &p->frames, p->on_device + first, n, p->side, p->results + first);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_CUDA(b, cudaEventRecord(b->chunk_done[p->started], stream));
    p->end[p->started++] = end;
    return ENDO_OK;
}

/* Takes over a part of the results, by any thread; 0: none is there. */
static int take_part(ncc_piece *p) {
    size_t i = __atomic_load_n(&p->taken, __ATOMIC_RELAXED);
    do {
        if (i >= __atomic_load_n(&p->there, __ATOMIC_ACQUIRE)) return 0;
    } while (!__atomic_compare_exchange_n(&p->taken, &i, i + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    size_t last = i * PART + PART < p->n ? i * PART + PART : p->n;
    memcpy(p->out + i * PART, p->results + i * PART, (last - i * PART) * sizeof *p->out);
    return 1;
}

/* One thread looks which chunks are done. */
static endo_status look(ncc_piece *p) {
    while (p->seen < p->started) {
        cudaError_t state = cudaEventQuery(p->backend->chunk_done[p->seen]);
        if (state == cudaErrorNotReady) {
            cudaGetLastError(); /* it would be the next call's */
            return ENDO_OK;
        }
        ENDO_CUDA(p->backend, state);
        __atomic_store_n(&p->there, p->end[p->seen++], __ATOMIC_RELEASE);
    }
    return ENDO_OK;
}

/* One thread starts what the others, and it, have packed, and looks for results, which all of them take over. */
static endo_status pack_and_take(ncc_piece *p, int threads) {
    endo_status status = ENDO_OK;
#pragma omp parallel num_threads(threads)
    {
        int starts = omp_get_thread_num() == 0;
        while (pack_part(p))
            if (starts && status == ENDO_OK) status = start_packed(p, 0);
        while (starts && status == ENDO_OK && p->sent < p->parts) status = start_packed(p, 1);
        for (int i = at_once(p) ? POLLS : 0; i < POLLS && __atomic_load_n(&p->taken, __ATOMIC_RELAXED) < p->parts; i++) {
            if (starts && status == ENDO_OK) status = look(p);
            if (take_part(p)) i = 0;
        }
    }
    return status;
}

static endo_status run_piece(ncc_piece *p, double *out) {
    cuda_backend *b = p->backend;
    int threads = endo_list_threads(b->threads, p->n * sizeof *p->requests), requests, results;
    uint8_t *packed, *made, done[PIECE / PART] = {0};
    p->out = out, p->started = p->seen = 0, p->there = p->taken = 0;
    for (size_t i = 0; i < MOST_CHUNKS; i++)
        if (!b->chunk_done[i]) ENDO_CUDA(b, cudaEventCreateWithFlags(&b->chunk_done[i], cudaEventDisableTiming));
    ENDO_TRY(cuda_ring_take(b, &b->calls, p->n * sizeof *p->packed, &packed, &requests));
    ENDO_TRY(cuda_ring_take(b, &b->calls, p->n * sizeof *p->results, &made, &results));
    p->packed = (packed_request *)packed, p->results = (double *)made;
    p->parts = (p->n + PART - 1) / PART, p->next = p->sent = 0, p->done = done;
    endo_status status = pack_and_take(p, threads);
    if (status != ENDO_OK) { /* what was started still reads and writes the ring's memory */
        cudaStreamSynchronize(b->stream);
        cudaStreamSynchronize(b->aside);
        return status;
    }
    if (p->taken < p->parts) {
        ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
        ENDO_CUDA(b, cudaStreamSynchronize(b->aside));
    }
    p->there = p->parts;
#pragma omp parallel num_threads(threads) if (p->taken < p->parts)
    while (take_part(p)) continue;
    return ENDO_OK;
}

endo_status cuda_ncc(void *store, const endo_ncc_request *requests, size_t n, const endo_centres *centres, double *out) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_ENHANCED, requests, n, sizeof *requests));
    ENDO_TRY(cuda_store_centres(s, centres));
    ENDO_TRY(cuda_reserve(b, &b->device_in, (n < PIECE ? n : PIECE) * sizeof(packed_request)));
    ENDO_TRY(cuda_open_aside(b));
    for (size_t at = 0; at < n; at += PIECE) {
        ncc_piece p = {};
        p.backend = b, p.frames = correlation_frames_of(s), p.side = centres->side;
        p.requests = requests + at, p.n = n - at < PIECE ? n - at : PIECE;
        p.on_device = (packed_request *)b->device_in.memory;
        ENDO_TRY(run_piece(&p, out + at));
    }
    return ENDO_OK;
}
