#include "dense.h"

#include "base/simd.h"

const dense_loops *dense_choose(endo_cpu limit) {
    static const dense_loops *const all[] = {
        [ENDO_CPU_C] = &dense_c,
#ifdef ENDO_X86
        [ENDO_CPU_AVX2] = &dense_avx2,
        [ENDO_CPU_AVX512] = &dense_avx512,
#endif
    };
    return all[endo_simd_best(limit)];
}
