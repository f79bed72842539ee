/* The one table of instruction sets (base/simd.h): a context's limit reaches every loop, whichever room it is in, and all
 * sets give the same bytes. */
#include "base/math/dense.h"
#include "base/simd.h"
#include "check.h"
#include "cpu/variants.h"
#include "memory_calls.h"
#include "systems/mosaic/sequence.h"

#include <string.h>

/* How often a loop was chosen, by the limit that was asked with and the set that was answered. */
static int asked[ENDO_CPU_AVX512 + 1], answered[ENDO_CPU_AVX512 + 1];

endo_cpu __real_endo_simd_best(endo_cpu limit);
endo_cpu __wrap_endo_simd_best(endo_cpu limit);

endo_cpu __wrap_endo_simd_best(endo_cpu limit) {
    endo_cpu set = __real_endo_simd_best(limit);
    __atomic_fetch_add(&asked[limit], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&answered[set], 1, __ATOMIC_RELAXED);
    return set;
}

static void test_table(void) {
    endo_cpu best = endo_simd_best(ENDO_CPU_BEST);
    CHECK(endo_simd_runs(ENDO_CPU_C) && endo_simd_runs(best));
    for (int limit = ENDO_CPU_C; limit <= ENDO_CPU_AVX512; limit++) {
        endo_cpu set = endo_simd_best((endo_cpu)limit);
        CHECK((int)set == (endo_simd_runs((endo_cpu)limit) ? limit : (int)best));
        CHECK(!!cpu_variant_choose((endo_cpu)limit) == endo_simd_runs((endo_cpu)limit));
    }
    CHECK(best == ENDO_CPU_AVX512 || !endo_simd_runs((endo_cpu)(best + 1)));
    CHECK(endo_simd_best(ENDO_CPU_C) == ENDO_CPU_C);
    CHECK(dense_choose(ENDO_CPU_C) == &dense_c && cpu_variant_choose(ENDO_CPU_C)->cpu == ENDO_CPU_C);
    CHECK(cpu_variant_choose(ENDO_CPU_BEST)->cpu == best);
    CHECK((dense_choose(ENDO_CPU_BEST) == &dense_c) == (best == ENDO_CPU_C));
}

/* A set asks for each bit of its parts, whether the processor or the system lacks it. */
static void test_answers(void) {
    const simd_answers all = {~0u, ~0u, ~0u, ~0u};
    const unsigned every = SIMD_C | SIMD_AVX2 | SIMD_AVX512 | SIMD_VBMI | SIMD_VPOPCNTDQ;
    const struct {
        simd_answers lacking;
        unsigned found;
    } cases[] = {
        {{.leaf1_ecx = 1u << 12}, SIMD_C},                         /* FMA */
        {{.leaf1_ecx = 1u << 27}, SIMD_C},                         /* the system has not enabled xgetbv */
        {{.leaf1_ecx = 1u << 28}, SIMD_C},                         /* AVX */
        {{.leaf7_ebx = 1u << 5}, SIMD_C},                          /* AVX2 */
        {{.xcr0 = 1u << 1}, SIMD_C},                               /* registers of 128 bits are not kept */
        {{.xcr0 = 1u << 2}, SIMD_C},                               /* of 256 bits */
        {{.leaf7_ebx = 1u << 16}, SIMD_C | SIMD_AVX2},             /* AVX-512 F */
        {{.leaf7_ebx = 1u << 17}, SIMD_C | SIMD_AVX2},             /* DQ */
        {{.leaf7_ebx = 1u << 30}, SIMD_C | SIMD_AVX2},             /* BW */
        {{.leaf7_ebx = 1u << 31}, SIMD_C | SIMD_AVX2},             /* VL */
        {{.leaf7_ecx = 1u << 11}, SIMD_C | SIMD_AVX2},             /* VNNI */
        {{.xcr0 = 1u << 5}, SIMD_C | SIMD_AVX2},                   /* masks are not kept */
        {{.xcr0 = 1u << 6}, SIMD_C | SIMD_AVX2},                   /* upper halves of registers of 512 bits */
        {{.xcr0 = 1u << 7}, SIMD_C | SIMD_AVX2},                   /* the sixteen further registers */
        {{.leaf7_ecx = 1u << 1}, every & ~(unsigned)SIMD_VBMI},    /* VBMI */
        {{.leaf7_ecx = 1u << 14}, every & ~(unsigned)SIMD_VPOPCNTDQ},
        {{.xcr0 = ~0xe6u, .leaf7_ebx = 1u << 3}, every},           /* nobody asks for these */
        {{~0u, ~0u, ~0u, ~0u}, SIMD_C},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const simd_answers *l = &cases[i].lacking;
        const simd_answers a = {all.leaf1_ecx & ~l->leaf1_ecx, all.leaf7_ebx & ~l->leaf7_ebx, all.leaf7_ecx & ~l->leaf7_ecx,
                                all.xcr0 & ~l->xcr0};
        CHECK(simd_parts(&a) == cases[i].found);
    }
    CHECK(simd_parts(&all) == every);
}

/* GCC's own look at this machine finds the same. */
static void test_machine(void) {
#if defined(__x86_64__) && !defined(__clang__)
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vnni");
    CHECK(endo_simd_runs(ENDO_CPU_AVX2) == avx2);
    CHECK(endo_simd_runs(ENDO_CPU_AVX512) == avx512);
    CHECK(!!(simd_here() & SIMD_VBMI) == (avx512 && __builtin_cpu_supports("avx512vbmi")));
    CHECK(!!(simd_here() & SIMD_VPOPCNTDQ) == (avx512 && __builtin_cpu_supports("avx512vpopcntdq")));
#elif !defined(__x86_64__)
    CHECK(simd_here() == SIMD_C);
#endif
}

/* A call with contexts of that limit, and what it wrote. */
static void run(const memory_call *c, endo_cpu limit, uint8_t *out) {
    world w = {.out = out};
    memory_cpu = limit;
    memset(out, 0xa5, OUT);
    c->build(&w);
    CHECK(c->call(&w) == ENDO_OK);
    if (w.light) CHECK(memory_solve_light_into(&w, out) == ENDO_OK);
    memory_destroy(&w);
}

/* Every loop that is chosen is chosen under the context's limit: in plain C alone, none runs of another set. */
static void test_calls(endo_cpu limit) {
    static uint8_t plain[OUT], out[OUT];
    for (int i = 0; i < memory_call_count; i++) {
        const memory_call *c = &memory_calls[i];
        if (!c->build) continue; /* opens no context, or one of its own */
        run(c, ENDO_CPU_C, plain);
        memset(asked, 0, sizeof asked);
        memset(answered, 0, sizeof answered);
        run(c, limit, out);
        for (int k = 0; k <= ENDO_CPU_AVX512; k++) {
            if (k != (int)limit && (asked[k] || answered[k]))
                printf("     %s, limit %d: %d loops of set %d\n", c->name, (int)limit, answered[k], k);
            CHECK(k == (int)limit ? asked[k] > 0 && answered[k] > 0 : asked[k] == 0 && answered[k] == 0);
        }
        if (!strncmp(c->name, "Fourier", 7)) continue; /* heights of peaks have a tolerance (check_turns.c) */
        if (memcmp(plain, out, OUT)) printf("     %s, limit %d: other bytes\n", c->name, (int)limit);
        CHECK(!memcmp(plain, out, OUT));
    }
}

/* A lens is taken out of frames in a context of the sequence's own, under the limit of who asks for them. */
static void test_sequences(endo_cpu limit) {
    const endo_mosaic_source source = {.frames = 1, .width = 8, .height = 8, .type = ENDO_GREY8};
    const endo_context_options options = {.threads = 1, .cpu = limit};
    mosaic_sequence *frames = NULL;
    memset(asked, 0, sizeof asked);
    CHECK(sequence_create(&source, -12, 0, &options, &frames) == ENDO_OK);
    for (int k = 0; k <= ENDO_CPU_AVX512; k++) CHECK((asked[k] > 0) == (k == (int)limit));
    sequence_destroy(&frames);
}

int main(void) {
    memory_fill_pictures();
    test_table();
    test_answers();
    test_machine();
    for (int limit = ENDO_CPU_C; limit <= ENDO_CPU_AVX512; limit++) {
        if (!endo_simd_runs((endo_cpu)limit)) {
            printf("SKIP instruction set %d: not of this machine\n", limit);
            continue;
        }
        test_calls((endo_cpu)limit);
        test_sequences((endo_cpu)limit);
    }
    return check_summary("test_simd");
}
