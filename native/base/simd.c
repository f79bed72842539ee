#include "simd.h"

#include <stdatomic.h>
#include <stddef.h>

#ifdef ENDO_X86
#include <cpuid.h>
#endif

/* What has to be answered for each part beside what it is built on, in Intel's numbers of bits (manual, volume 2, CPUID;
 * XCR0: volume 1, chapter 13). */
static const struct {
    unsigned part;
    unsigned built_on;
    simd_answers bits;
} parts[] = {
    /* FMA, XGETBV, AVX; AVX2; registers of 256 bits */
    {SIMD_AVX2, SIMD_C, {.leaf1_ecx = 1u << 12 | 1u << 27 | 1u << 28, .leaf7_ebx = 1u << 5, .xcr0 = 0x6}},
    /* F, DQ, BW, VL; VNNI; masks and registers of 512 bits */
    {SIMD_AVX512,
     SIMD_AVX2,
     {.leaf7_ebx = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, .leaf7_ecx = 1u << 11, .xcr0 = 0xe0}},
    {SIMD_VBMI, SIMD_AVX512, {.leaf7_ecx = 1u << 1}},
    {SIMD_VPOPCNTDQ, SIMD_AVX512, {.leaf7_ecx = 1u << 14}},
};

static int has(unsigned answer, unsigned bits) { return (answer & bits) == bits; }

unsigned simd_parts(const simd_answers *a) {
    unsigned found = SIMD_C;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const simd_answers *b = &parts[i].bits;
        if (has(found, parts[i].built_on) && has(a->leaf1_ecx, b->leaf1_ecx) && has(a->leaf7_ebx, b->leaf7_ebx) &&
            has(a->leaf7_ecx, b->leaf7_ecx) && has(a->xcr0, b->xcr0))
            found |= parts[i].part;
    }
    return found;
}

static simd_answers ask(void) {
    simd_answers a = {0};
#ifdef ENDO_X86
    unsigned eax;
    unsigned ebx;
    unsigned edx;
    unsigned high;
    if (!__get_cpuid(1, &eax, &ebx, &a.leaf1_ecx, &edx)) return a;
    if (!__get_cpuid_count(7, 0, &eax, &a.leaf7_ebx, &a.leaf7_ecx, &edx)) return a;
    if (a.leaf1_ecx & bit_OSXSAVE) __asm__("xgetbv" : "=a"(a.xcr0), "=d"(high) : "c"(0));
#endif
    return a;
}

unsigned simd_here(void) {
    static _Atomic unsigned known; /* every thread that asks finds the same */
    unsigned found = atomic_load_explicit(&known, memory_order_relaxed);
    if (!found) {
        const simd_answers a = ask();
        found = simd_parts(&a);
        atomic_store_explicit(&known, found, memory_order_relaxed);
    }
    return found;
}

int endo_simd_runs(endo_cpu set) {
    static const unsigned part[] = {SIMD_C, SIMD_C, SIMD_AVX2, SIMD_AVX512}; /* of each endo_cpu */
    return has(simd_here(), part[set]);
}

endo_cpu endo_simd_best(endo_cpu limit) {
    int set = limit == ENDO_CPU_BEST ? ENDO_CPU_AVX512 : (int)limit;
    while (!endo_simd_runs((endo_cpu)set)) set--;
    return (endo_cpu)set;
}
