/* The instruction sets, and which of them this machine can run. */
#include "variants.h"

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
static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    switch (limit) {
    case ENDO_CPU_C: return &cpu_variant_c;
    case ENDO_CPU_AVX2: return has_avx2() ? &cpu_variant_avx2 : NULL;
    case ENDO_CPU_AVX512: return has_avx512() ? &cpu_variant_avx512 : NULL;
    case ENDO_CPU_BEST: break;
    }
    return has_avx512() ? &cpu_variant_avx512 : has_avx2() ? &cpu_variant_avx2 : &cpu_variant_c;
}
#else
const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    return limit == ENDO_CPU_BEST || limit == ENDO_CPU_C ? &cpu_variant_c : NULL;
}
#endif
