/* The one table of instruction sets: which of them this machine runs, and how far a context's limit
 * (endo_context_options.cpu) lets them be used. Every set computes the same bytes. */
#ifndef ENDO_BASE_SIMD_H
#define ENDO_BASE_SIMD_H

#include "include/endorama/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets, and parts of AVX-512 that only some functions need; bits of one number. */
enum { SIMD_C = 1, SIMD_AVX2 = 2, SIMD_AVX512 = 4, SIMD_VBMI = 8, SIMD_VPOPCNTDQ = 16 };

/* What an x86 processor answers: registers of its instruction cpuid, by leaf, and XCR0, by xgetbv: whose registers the system
 * keeps for every thread. A set whose registers it does not keep is not there. macOS says no to those of 512 bits as long as
 * no thread has used them, so that AVX2 is the best set there. */
typedef struct simd_answers {
    unsigned leaf1_ecx;
    unsigned leaf7_ebx;
    unsigned leaf7_ecx;
    unsigned xcr0;
} simd_answers;

/* The bits of what these answers allow. */
unsigned simd_parts(const simd_answers *answers);

/* The bits of what this machine runs. */
unsigned simd_here(void);

/* Whether this machine runs code that is compiled for a set: AVX2 includes FMA; AVX-512 is F, BW, VL, DQ and VNNI, for which
 * files named *_avx512.c are compiled. */
int endo_simd_runs(endo_cpu set);

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
