#include "processor.h"

#ifdef ENDO_X86
int endo_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

int endo_has_avx512(void) {
    return endo_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

int endo_has_avx512_vbmi(void) { return endo_has_avx512() && __builtin_cpu_supports("avx512vbmi"); }
#else
int endo_has_avx2(void) { return 0; }

int endo_has_avx512(void) { return 0; }

int endo_has_avx512_vbmi(void) { return 0; }
#endif
