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
    CHECK(endo_simd_runs(ENDO_CPU_AVX512) || !endo_simd_has_vbmi());
    CHECK(endo_simd_best(ENDO_CPU_C) == ENDO_CPU_C);
    CHECK(dense_choose(ENDO_CPU_C) == &dense_c && cpu_variant_choose(ENDO_CPU_C)->cpu == ENDO_CPU_C);
    CHECK(cpu_variant_choose(ENDO_CPU_BEST)->cpu == best);
    CHECK((dense_choose(ENDO_CPU_BEST) == &dense_c) == (best == ENDO_CPU_C));
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
