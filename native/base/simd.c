#include "simd.h"

#ifdef ENDO_X86
static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

int endo_simd_has_vbmi(void) { return has_avx512() && __builtin_cpu_supports("avx512vbmi"); }
#else
static int has_avx2(void) { return 0; }

static int has_avx512(void) { return 0; }

int endo_simd_has_vbmi(void) { return 0; }
#endif

static int has_all(void) { return 1; }

/* Whether this machine runs a set, from the plainest to the widest. */
static int (*const runs[])(void) = {
    [ENDO_CPU_BEST] = has_all,
    [ENDO_CPU_C] = has_all,
    [ENDO_CPU_AVX2] = has_avx2,
    [ENDO_CPU_AVX512] = has_avx512,
};

int endo_simd_runs(endo_cpu set) { return runs[set](); }

endo_cpu endo_simd_best(endo_cpu limit) {
    int set = limit == ENDO_CPU_BEST ? ENDO_CPU_AVX512 : (int)limit;
    while (set > ENDO_CPU_C && !runs[set]()) set--;
    return (endo_cpu)set;
}
