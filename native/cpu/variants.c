/* Which instruction sets this machine has. */
#include "variants.h"

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
