/* The one table of instruction sets: which of them this machine runs, and how far a context's limit
 * (endo_context_options.cpu) lets them be used. Every set computes the same bytes. */
#ifndef ENDO_BASE_SIMD_H
#define ENDO_BASE_SIMD_H

#include "include/endorama/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this machine runs code that is compiled for a set: AVX2 includes FMA; AVX-512 is F, BW, VL, DQ and VNNI, for which
 * files named *_avx512.c are compiled. */
int endo_simd_runs(endo_cpu set);

/* Whether this machine also has VBMI, which some functions of AVX-512 need. */
int endo_simd_has_vbmi(void);

/* The best set that this machine runs and the limit allows; never ENDO_CPU_BEST. */
endo_cpu endo_simd_best(endo_cpu limit);

#ifdef __cplusplus
}
#endif

#ifdef __x86_64__
#define ENDO_SIMD_AVX2 __attribute__((target("avx2")))
#else
#define ENDO_SIMD_AVX2
#endif

/* The body of an ENDO_SIMD_LOOP, inlined into the function of every set. */
#define ENDO_SIMD_INLINE static inline __attribute__((always_inline))

/* A loop that the compiler vectorizes for every set from one body, an ENDO_SIMD_INLINE function. It is called as
 *     loop[endo_simd_best(limit)] arguments;
 * AVX-512 would gain nothing, and uses AVX2. */
#define ENDO_SIMD_LOOP(loop, body, parameters, arguments)                     \
    static void loop##_c parameters { body arguments; }                       \
    ENDO_SIMD_AVX2 static void loop##_avx2 parameters { body arguments; }     \
    static void(*const loop[]) parameters = {                                 \
        [ENDO_CPU_C] = loop##_c,                                              \
        [ENDO_CPU_AVX2] = loop##_avx2,                                        \
        [ENDO_CPU_AVX512] = loop##_avx2,                                      \
    };

#endif
