/* The one table of instruction sets: which of them this machine runs, and how far a context's limit
 * (endo_context_options.cpu) lets them be used. Every set computes the same bytes. */
#ifndef ENDO_BASE_SIMD_H
#define ENDO_BASE_SIMD_H

#include "include/endorama/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this machine runs what is compiled for a set: AVX2 is taken together with FMA; AVX-512 is F, BW, VL, DQ and VNNI,
 * which files named *_avx512.c are compiled for. */
int endo_simd_runs(endo_cpu set);

/* Whether it also has VBMI, which some functions of AVX-512 want. */
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

/* What a loop is made of: in every set's function of its own. */
#define ENDO_SIMD_INLINE static inline __attribute__((always_inline))

/* A loop that the compiler makes vector code of, for every set from one body, an ENDO_SIMD_INLINE function. To be called as
 *     loop[endo_simd_best(limit)] arguments;
 * AVX-512 would gain nothing, and takes AVX2. */
#define ENDO_SIMD_LOOP(loop, body, parameters, arguments)                     \
    static void loop##_c parameters { body arguments; }                       \
    ENDO_SIMD_AVX2 static void loop##_avx2 parameters { body arguments; }     \
    static void(*const loop[]) parameters = {                                 \
        [ENDO_CPU_C] = loop##_c,                                              \
        [ENDO_CPU_AVX2] = loop##_avx2,                                        \
        [ENDO_CPU_AVX512] = loop##_avx2,                                      \
    };

#endif
