#include "rates.h"

#include "timing.h"

#include "backend/objects.h"
#include "base/simd.h"

#include <string.h>

#define L1_BYTES 16384
#define COPY_BYTES ((size_t)24 << 20)
#define REPEATS 25

#define PASSES 200

typedef uint64_t vector __attribute__((vector_size(64), aligned(64)));

/* The buffer is passed over many times; the empty assembly makes the compiler load again in every pass. A
 * macro, because a function is compiled for its own instruction set before it is inlined elsewhere. */
#define SUM_ALL(memory)                                                                                        \
    const vector *v = (memory);                                                                                \
    vector a = {0}, b = {0}, c = {0}, d = {0};                                                                 \
    for (int pass = 0; pass < PASSES; pass++) {                                                                \
        for (int i = 0; i < L1_BYTES / 64; i += 4) a ^= v[i], b ^= v[i + 1], c ^= v[i + 2], d ^= v[i + 3];     \
        __asm__ volatile("" ::: "memory");                                                                     \
    }                                                                                                          \
    a ^= b ^ c ^ d;                                                                                            \
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7]

static uint64_t sum_plain(const void *memory) { SUM_ALL(memory); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t sum_avx2(const void *memory) { SUM_ALL(memory); }

__attribute__((target("avx512f"))) static uint64_t sum_avx512(const void *memory) { SUM_ALL(memory); }

static uint64_t sum_widest(const void *memory) {
    if (endo_simd_runs(ENDO_CPU_AVX512)) return sum_avx512(memory);
    if (endo_simd_runs(ENDO_CPU_AVX2)) return sum_avx2(memory);
    return sum_plain(memory);
}
#else
static uint64_t sum_widest(const void *memory) { return sum_plain(memory); }
#endif

double rate_l1_load(void) {
    void *memory = endo_alloc_zeroed(L1_BYTES, 1);
    timing t = {.n = 0};
    volatile uint64_t sink = 0;
    if (!memory) return 0;
    for (int i = 0; i < 4 * REPEATS; i++) {
        double start = timing_now();
        sink ^= sum_widest(memory);
        timing_add(&t, timing_now() - start);
    }
    endo_free(memory);
    return (double)L1_BYTES * PASSES / timing_quantile(&t, 0); /* a limit: the least disturbed repeat counts */
}

double rate_copy(int threads) {
    uint8_t *from = endo_alloc(COPY_BYTES, (size_t)threads), *to = endo_alloc(COPY_BYTES, (size_t)threads);
    timing t = {.n = 0};
    for (int i = 0; from && to && i <= REPEATS; i++) {
        double start = timing_now();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int k = 0; k < threads; k++)
            memcpy(to + (size_t)k * COPY_BYTES, from + (size_t)k * COPY_BYTES, COPY_BYTES);
        if (i > 0) timing_add(&t, timing_now() - start); /* the first one only maps the pages */
        from[i] ^= 1;
    }
    endo_free(from);
    endo_free(to);
    return t.n ? 2.0 * (double)COPY_BYTES * threads / timing_quantile(&t, 0) : 0;
}
