/* The inner loops of the CPU back end, a table for each stem and instruction set: <stem>_loops.h says what they do,
 * <stem>_c.c, <stem>_avx2.c and <stem>_avx512.c fill one each. The drivers never ask which set it is. */
#ifndef ENDO_CPU_VARIANTS_H
#define ENDO_CPU_VARIANTS_H

#include "include/endorama.h"
#include "ahe_loops.h"
#include "align_loops.h"
#include "bitmaps_loops.h"
#include "blend_loops.h"
#include "exposures_loops.h"
#include "flow_loops.h"
#include "fourier_loops.h"
#include "lens_loops.h"
#include "mutual_loops.h"
#include "ncc_loops.h"
#include "patch_loops.h"
#include "pyramid_loops.h"
#include "warp_loops.h"

/* The one list of stems with loops: stem, and the table that AVX-512 takes, which is an older one where its own would
 * gain nothing. */
#define CPU_LOOPS(X)                 \
    X(ahe, cpu_ahe_avx512)           \
    X(ncc, cpu_ncc_avx512)           \
    X(pyramid, cpu_pyramid_avx512)   \
    X(flow, cpu_flow_avx512)         \
    X(warp, cpu_warp_avx512)         \
    X(exposures, cpu_exposures_avx512) \
    X(bitmaps, cpu_bitmaps_avx2)     \
    X(align, cpu_align_avx512)       \
    X(fourier, cpu_fourier_avx512)   \
    X(mutual, cpu_mutual_avx2)       \
    X(lens, cpu_lens_avx512)         \
    X(patch, cpu_patch_avx512)       \
    X(blend, cpu_blend_avx512)

#define CPU_LOOPS_SLOT(stem, avx512) const cpu_##stem##_loops *stem;

typedef struct cpu_variant {
    const char *name;
    endo_cpu cpu;
    CPU_LOOPS(CPU_LOOPS_SLOT)
} cpu_variant;

/* The best variant up to a limit; NULL if this machine lacks the limit itself (ENDO_CPU_BEST never is). */
const cpu_variant *cpu_variant_choose(endo_cpu limit);

#endif
