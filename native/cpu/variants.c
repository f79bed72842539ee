/* The loops of each instruction set. */
#include "variants.h"

#include "base/simd.h"

#define CPU_LOOPS_C(stem, avx512) .stem = &cpu_##stem##_c,
#define CPU_LOOPS_AVX2(stem, avx512) .stem = &cpu_##stem##_avx2,
#define CPU_LOOPS_AVX512(stem, avx512) .stem = &avx512,

static const cpu_variant cpu_variant_c = {.name = "plain C", .cpu = ENDO_CPU_C, CPU_LOOPS(CPU_LOOPS_C)};

#ifdef ENDO_X86
static const cpu_variant cpu_variant_avx2 = {.name = "AVX2", .cpu = ENDO_CPU_AVX2, CPU_LOOPS(CPU_LOOPS_AVX2)};
static const cpu_variant cpu_variant_avx512 = {
    .name = "AVX-512 VNNI", .cpu = ENDO_CPU_AVX512, CPU_LOOPS(CPU_LOOPS_AVX512)};
#endif

static const cpu_variant *const all[] = {
    [ENDO_CPU_C] = &cpu_variant_c,
#ifdef ENDO_X86
    [ENDO_CPU_AVX2] = &cpu_variant_avx2,
    [ENDO_CPU_AVX512] = &cpu_variant_avx512,
#endif
};

const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    endo_cpu set = endo_simd_best(limit);
    return limit == ENDO_CPU_BEST || limit == set ? all[set] : NULL;
}
