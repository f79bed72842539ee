/* The instruction sets, and which of them this machine can run. */
#include "variants.h"

#include "base/processor.h"

#define CPU_LOOPS_C(stem, avx512) .stem = &cpu_##stem##_c,
#define CPU_LOOPS_AVX2(stem, avx512) .stem = &cpu_##stem##_avx2,
#define CPU_LOOPS_AVX512(stem, avx512) .stem = &avx512,

static const cpu_variant cpu_variant_c = {.name = "plain C", .cpu = ENDO_CPU_C, CPU_LOOPS(CPU_LOOPS_C)};

#ifdef ENDO_X86
static const cpu_variant cpu_variant_avx2 = {.name = "AVX2", .cpu = ENDO_CPU_AVX2, CPU_LOOPS(CPU_LOOPS_AVX2)};
static const cpu_variant cpu_variant_avx512 = {
    .name = "AVX-512 VNNI", .cpu = ENDO_CPU_AVX512, CPU_LOOPS(CPU_LOOPS_AVX512)};
#endif

#ifdef ENDO_X86
const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    switch (limit) {
    case ENDO_CPU_C: return &cpu_variant_c;
    case ENDO_CPU_AVX2: return endo_has_avx2() ? &cpu_variant_avx2 : NULL;
    case ENDO_CPU_AVX512: return endo_has_avx512() ? &cpu_variant_avx512 : NULL;
    case ENDO_CPU_BEST: break;
    }
    return endo_has_avx512() ? &cpu_variant_avx512 : endo_has_avx2() ? &cpu_variant_avx2 : &cpu_variant_c;
}
#else
const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    return limit == ENDO_CPU_BEST || limit == ENDO_CPU_C ? &cpu_variant_c : NULL;
}
#endif
